"""Sums over blocks of rows: numbers of bits, of single bits and of pairs, places of labels."""
