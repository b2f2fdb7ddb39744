"""Pictures in the plane: regions are exact, and matplotlib draws them."""
