"""Classifiers, audits of weight matrices, and comparisons of two models."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("models")
