"""Polynomials and algebra of arrangements: Tutte, broken circuits, freeness."""
