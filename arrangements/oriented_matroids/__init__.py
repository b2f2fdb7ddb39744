"""Oriented matroids: chirotopes, covectors, topes, minors, isomorphism."""
