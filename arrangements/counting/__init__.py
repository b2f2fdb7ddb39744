"""Counts without lists: closed forms, estimates, characteristic polynomials."""
