"""Arithmetic modulo primes of 31 bits."""
