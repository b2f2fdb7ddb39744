"""Exact sign vectors, chambers and rankings of real hyperplane arrangements.

Examples
--------
>>> import arrangements
>>> arrangements.count_chambers([[1, 0], [0, 1], [1, 1]])
6
"""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("")
