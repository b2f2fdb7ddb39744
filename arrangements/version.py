"""The version of the package, on the ground floor."""

__version__ = "1.0.0.dev0"
