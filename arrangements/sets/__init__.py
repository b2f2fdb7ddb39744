"""Sets of sign vectors and of rankings: packed rows, algebra, files."""
