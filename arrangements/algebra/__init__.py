"""Polynomials, broken circuits and freeness of arrangements, and what decides it."""
