"""Can some labels score higher than others, all at one point? Cone tests on differences.

A table of labels holds their rows exactly: floats (column c scaled by one power of two), and
residues of integers once they are needed. A list of pairs of labels asks that, in each pair,
the first scores higher; its rows, the differences, are formed in a small table that `cone_test`
reads. The difference of two floats is correctly rounded and then scaled by a power of two so that
its largest entry lies in [1, 2]: it is within 2**-53 of the exact scaled difference, as
the error bounds of ``kernels.cone.cone_test`` require.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_entry, allocating_kernel, kernel
from arrangements.kernels.cone.cone_test import UNDECIDED, Table, Work
from arrangements.kernels.cone.interior_points import find_witness, first_doubtful
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul

# Steps towards violated rows before the cone tests start.
_STEPS = 30


class Differences(NamedTuple):
    """Small table for P pairs in D columns, and scratch memory."""

    table: Table
    signs: NDArray[np.float64]  # (P,) ones
    safe: NDArray[np.int64]  # (D,)
    work: Work
    floats: NDArray[np.float64]  # (D, P) scratch
    residues: NDArray[np.uint64]  # (P, D) scratch


@kernel
def _form(labels, above, below, differences):
    """Rows ``labels[above[q]] - labels[below[q]]``, scaled, in the small table."""
    small, largest = differences.table, differences.work.values
    dimension, pairs = small.floats.shape
    largest[:] = 0.0
    for c in range(dimension):
        for q in range(pairs):
            value = labels.floats[c, above[q]] - labels.floats[c, below[q]]
            small.floats[c, q] = value
            largest[q] = max(largest[q], abs(value))
    for q in range(pairs):
        largest[q] = math.ldexp(1.0, 1 - math.frexp(largest[q])[1])
    for c in range(dimension):
        for q in range(pairs):
            small.floats[c, q] *= largest[q]
    for k in range(labels.fields.shape[0]):
        p = labels.fields[k, 0]
        for q in range(pairs):
            for c in range(dimension):
                a, b = labels.residues[k, above[q], c], labels.residues[k, below[q], c]
                small.residues[k, q, c] = a - b if a >= b else a + p - b


@allocating_kernel
def _choose_rows(differences):
    """Rows that seem independent, by elimination with the largest pivot of each column."""
    rest, safe = differences.floats, differences.safe
    rest[:] = differences.table.floats
    dimension, pairs = rest.shape
    for c in range(dimension):
        pivot, largest = 0, -1.0
        for q in range(pairs):
            if abs(rest[c, q]) > largest:
                pivot, largest = q, abs(rest[c, q])
        safe[c] = pivot
        if largest == 0.0:
            return
        for e in range(c + 1, dimension):
            factor = rest[e, pivot] / rest[c, pivot]
            for q in range(pairs):
                rest[e, q] -= factor * rest[c, q]


@kernel
def _relax(differences, dehomogenize, point):
    """Sum of all rows, then steps towards the most violated one; True once all are proved positive.

    A proposal: nothing follows from False.
    """
    floats, values = differences.table.floats, differences.work.values
    dimension, pairs = floats.shape
    for c in range(dimension):
        point[c] = 0.0
        for q in range(pairs):
            point[c] += floats[c, q]
    for _ in range(_STEPS):
        if dehomogenize:
            if not point[0] > 0.0:
                return False
            scale = 1.0 / point[0]
            for c in range(dimension):
                point[c] = 1.0 if c == 0 else point[c] * scale
        if first_doubtful(floats, differences.signs, pairs, point, values) == pairs:
            return True
        worst = 0
        for q in range(pairs):
            if values[q] < values[worst]:
                worst = q
        square = 0.0
        for c in range(dimension):
            square += floats[c, worst] * floats[c, worst]
        step = -2.0 * values[worst] / square
        for c in range(dimension):
            point[c] += step * floats[c, worst]
    return False


@allocating_kernel
def _independent_first(differences, field):
    """Move rows that are independent modulo a prime to the front of the small table; how many.

    field : (4 + P,) uint64, constants of the first prime
    """
    p, negative_inverse = field[0], field[1]
    small, rest = differences.table, differences.residues
    pairs, dimension = rest.shape
    rest[:] = small.residues[0]
    rank = 0
    for c in range(dimension):
        pivot = -1
        for q in range(rank, pairs):
            if rest[q, c] != 0:
                pivot = q
                break
        if pivot < 0:
            continue
        _swap_rows(small, rest, rank, pivot)
        inverse = mont_inverse(rest[rank, c], p, negative_inverse, field[2])
        for q in range(rank + 1, pairs):
            if rest[q, c] != 0:
                factor = p - mont_mul(rest[q, c], inverse, p, negative_inverse)
                for e in range(c, dimension):
                    x = rest[q, e] + mont_mul(factor, rest[rank, e], p, negative_inverse)
                    rest[q, e] = x - p if x >= p else x
        rank += 1
    return rank


@kernel
def _swap_rows(small, rest, i, j):
    for c in range(rest.shape[1]):
        small.floats[c, i], small.floats[c, j] = small.floats[c, j], small.floats[c, i]
        rest[i, c], rest[j, c] = rest[j, c], rest[i, c]
        for k in range(small.residues.shape[0]):
            kept = small.residues[k, i, c]
            small.residues[k, i, c] = small.residues[k, j, c]
            small.residues[k, j, c] = kept


@allocating_entry
def find_points(labels, above, below, dehomogenize, differences, points, status):
    """A point where label above[i, q] scores higher than label below[i, q] for all q, for each i.

    The differences must span all D columns.

    labels : Table of the labels, (D, N) floats exact
    above, below : (m, P) int64
    dehomogenize : bool, coordinate 0 of a point is made 1
    points : (m, D) float64, out
    status : (m,) int64, out: 1 (a point, proved), 0 (there is none), DOUBTFUL (no float64
        point was found) or UNDECIDED (residues are needed; with them: the first prime divides
        all minors)
    """
    dimension = labels.floats.shape[0]
    for i in range(above.shape[0]):
        _form(labels, above[i], below[i], differences)
        if labels.fields.shape[0] == 0:
            if _relax(differences, dehomogenize, points[i]):
                status[i] = 1
                continue
            _choose_rows(differences)
        else:
            if _independent_first(differences, labels.fields[0]) < dimension:
                status[i] = UNDECIDED
                continue
            for c in range(dimension):
                differences.safe[c] = c
        differences.work.basis[:] = differences.safe
        status[i] = find_witness(
            differences.table,
            differences.signs,
            differences.safe,
            dehomogenize,
            points[i],
            differences.work,
        )
