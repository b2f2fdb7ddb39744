"""Arrangements and labels with scores: the numbers as given, and what follows from them alone."""
