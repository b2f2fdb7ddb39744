"""Pictures in the plane: what is drawn is exact, how it is drawn is matplotlib's."""
