"""Plain twins that several tests of kernels need: Python integers and Fractions."""

from fractions import Fraction

import numpy as np

from arrangements.exact.residues import fields, primes

R = 2**32
# Mersenne, the largest prime below 2**31, and one near 2**30
MODULI = (2**31 - 1, 2147483629, 1073741827)


def constants(p):
    """p, -1/p mod 2**32 and 2**64 mod p, as the kernels take them."""
    return np.uint64(p), np.uint64(-pow(p, -1, R) % R), np.uint64(2**64 % p)


def to_residue(value, p):
    """Montgomery residue of an integer."""
    return value * R % p


def from_residue(residue, p):
    """The residue in 0..p-1 that a Montgomery residue stands for."""
    return int(residue) * pow(R, -1, p) % p


def residues_of(rows, count=3):
    """(P, N, D) Montgomery residues of integer rows, and the table of the primes."""
    table = [[[to_residue(int(e), p) for e in row] for row in rows] for p in primes(count)]
    return np.array(table, np.uint64), np.array(fields(primes(count)))


def determinant(rows):
    """By expansion along the first row."""
    if not rows:
        return 1
    return sum(
        (-1) ** c * entry * determinant([row[:c] + row[c + 1 :] for row in rows[1:]])
        for c, entry in enumerate(rows[0])
        if entry
    )


def echelon(rows):
    """Reduced row echelon form over the rationals, without zero rows."""
    rows, done = [[Fraction(e) for e in row] for row in rows], []
    for c in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows if row[c]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        pivot = [e / pivot[c] for e in pivot]
        rows, done = (
            [[a - row[c] * b for a, b in zip(row, pivot, strict=True)] for row in part]
            for part in (rows, done)
        )
        done.append(pivot)
    return done


def rank(rows):
    return len(echelon(rows))


def sign(value):
    return (value > 0) - (value < 0)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))
