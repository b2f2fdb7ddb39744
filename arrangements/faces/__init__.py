"""Flats, faces, walls, graphs of chambers, and new arrangements from old."""
