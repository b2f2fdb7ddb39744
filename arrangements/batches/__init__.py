"""Many questions about one matrix: points in bulk, an error bound, exact tests for the rest."""
