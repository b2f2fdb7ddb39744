"""What an arrangement is made of: its oriented matroid, flats, faces, graphs and minors."""
