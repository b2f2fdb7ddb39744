"""The cone test, and what is built on it: interior points, incremental and reverse search."""
