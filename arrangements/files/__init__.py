"""Matrices, names and answers in files."""
