"""Linear regions of networks: splitting polytopes unit by unit."""
