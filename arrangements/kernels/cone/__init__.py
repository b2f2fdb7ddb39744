"""The cone test, and its uses: interior points, incremental and reverse search."""
