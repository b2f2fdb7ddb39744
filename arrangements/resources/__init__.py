"""Memory, time and signals: what a machine allows, and what a question may take of it."""
