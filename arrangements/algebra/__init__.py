"""Polynomials, broken circuits, freeness, symmetries and random chambers of arrangements."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("algebra")
