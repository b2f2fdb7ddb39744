"""Flats, faces, walls, graphs of chambers, zonotopes, and new arrangements from old."""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("structure")
