"""Arrangements for tests of values that a sweep adds up, and such sweeps."""

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.search.value_sweep import ValueSweep

# Rows and columns, and the size of the entries: small ones meet in many ways.
CASES = {
    "few": ((12, 4), 10**6),
    "degenerate": ((40, 4), 2),
    "many ties": ((60, 3), 1),
    "two words": ((90, 3), 10**6),
    "walks": ((230, 3), 10**6),
    "walks and ties": ((150, 3), 4),
    "deep": ((16, 7), 3),
}


def arrangement_of(name, affine):
    """The arrangement of a case, and random numbers to go on with."""
    shape, size = CASES[name]
    rng = np.random.default_rng(len(name))
    rows = rng.integers(-size, size + 1, (shape[0], shape[1] - affine))
    rows[:, 0] += ~rows.any(axis=1)
    offsets = rng.integers(-size, size + 1, len(rows)) if affine else None
    return Arrangement(rows, offsets), rng


def summed(flag, gains, between=(0, 0)):
    """A finished sweep that passed over values strictly between two, and its values and names."""
    sweep = ValueSweep(flag, gains)
    sweep.pass_over(between)
    out, count, finished = np.zeros((200_000, 2), np.uint64), 0, False
    while not finished:
        finished, full, count = sweep.advance(out, count, True)
        assert not full
    return sweep, out[:count]
