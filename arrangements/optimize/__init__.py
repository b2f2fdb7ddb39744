"""The best cell: exact optimisation over chambers and rankings."""
