"""Arithmetic modulo primes of 31 bits, and hashes of 64-bit words."""
