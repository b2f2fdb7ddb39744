"""Arrangements from equations, and from and for Sage, polymake, OSCAR and Macaulay2."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("exchange")
