"""Data shipped with the package, read by ``arrangements.demo``."""
