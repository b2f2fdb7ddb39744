"""Optimal chambers and rankings, depth of data, and the questions that they answer."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("optimize")
