"""Does a sign vector occur? Cone systems, interior points, certificates."""
