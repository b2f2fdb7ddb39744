"""Flats, neighbours, chirotopes and restrictions."""
