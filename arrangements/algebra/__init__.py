"""Polynomials and algebra of arrangements: Tutte, broken circuits, modular chains."""
