"""Forecasts: how many chambers, flats and faces there are, and how long work on them takes."""
