"""Flats, neighbors, chirotopes and restrictions."""
