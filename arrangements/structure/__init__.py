"""What follows from an arrangement beside its chambers: counts, flats, faces, matroids, graphs."""
