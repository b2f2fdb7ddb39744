"""Memory, time and signals: what a machine allows, and how much of it a question may take."""
