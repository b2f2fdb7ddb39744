"""How many chambers to expect, before a listing starts."""

from __future__ import annotations

from math import comb

import numpy as np

from arrangements.errors import NotGenericFlagError
from arrangements.exact.residues import fields, primes
from arrangements.kernels.chambers.workspace import CHILDREN
from arrangements.kernels.modular.montgomery import mont_determinant
from arrangements.model.arrangement import Arrangement
from arrangements.search.chamber_sweep import Sweep
from arrangements.search.flag import Flag, arrangement_flag

_SAMPLED_MINORS = 400
_PROBES = 60


def generic_half(others: int, rank: int) -> int:
    """Chambers on one side of a hyperplane in general position with `others` more.

    This is the number of chambers of an affine arrangement of `others` hyperplanes in
    dimension rank - 1, and an upper bound for every arrangement (Buck 1943; Zaslavsky 1975).

    Examples
    --------
    >>> generic_half(3, 3), generic_half(99, 4)
    (7, 161800)
    """
    return sum(comb(others, k) for k in range(rank))


def uniform_faces(n: int, r: int) -> int:
    """Count the covectors of a uniform oriented matroid: of each zero set, and 0.

    Examples
    --------
    >>> uniform_faces(3, 2), uniform_faces(3, 3)
    (13, 27)
    """
    chambers = [2 * sum(comb(n - k - 1, j) for j in range(r - k)) for k in range(r)]
    return 1 + sum(comb(n, k) * count for k, count in enumerate(chambers))


def upper_bound(flag: Flag) -> int:
    """Bound for the chambers that a sweep of this flag lists."""
    return generic_half(flag.n - len(flag.constant_rows()[0]), flag.d)


def expected_chambers(flag: Flag, seed: int = 0) -> int:
    """Estimate of the number of chambers that a sweep of this flag lists.

    The closed form if no sampled minor vanishes; else the smaller of the bound and the mean
    of random descents in the tree of the sweep (Knuth, Math. Comp. 29 (1975) 121-136).
    """
    bound = upper_bound(flag)
    rng = np.random.default_rng(seed)
    if not coincidence_sampled(flag, rng):
        return bound
    mean = float(np.mean([_descent(flag, rng) for _ in range(_PROBES)]))
    return int(mean) if mean < bound else bound  # the bound may be too large for a float


def coincidence_sampled(flag: Flag, rng: np.random.Generator) -> bool:
    """Whether one of some random maximal minors is zero modulo a prime."""
    p, *constants = fields(primes(1))[0, :3]
    columns, factor = flag.residue_columns(int(p))
    if factor == 0:
        return True
    constant = set(flag.constant_rows()[0].tolist())
    rows = np.array([i for i in range(flag.n) if i not in constant])
    if len(rows) < flag.d:
        return False
    for _ in range(_SAMPLED_MINORS):
        chosen = rng.choice(rows, flag.d, replace=False)
        # read as Montgomery residues they are off by a unit; and with the hyperplane at infinity
        # instead of one row, which leaves the last column out
        for minor in (columns[:, chosen], columns[:-1, chosen[1:]]):
            if mont_determinant(minor, len(minor), p, *constants) == 0:
                return True
    return False


def _descent(flag: Flag, rng: np.random.Generator) -> float:
    """One random path from the root: an unbiased estimate of the number of chambers."""
    sweep = Sweep(flag)
    out = np.empty((1, sweep.space.masks.shape[2]), np.uint64)
    weight, total = 1.0, 1.0
    for e in range(flag.d - 1):
        try:
            sweep.line(out)
        except NotGenericFlagError:
            return total
        words = sweep.space.masks[e, CHILDREN]
        octets = words.astype("<u8", copy=False).view(np.uint8)
        children = np.flatnonzero(np.unpackbits(octets, bitorder="little"))
        if not len(children):
            break
        weight *= len(children)
        total += weight
        if e < flag.d - 2:
            sweep.descend(e, int(rng.choice(children)))
    return total


def looks_generic(arrangement: Arrangement) -> bool:
    """Whether no hyperplanes chosen at random meet in a special way: for predictions only."""
    flag = arrangement_flag(arrangement, 0)
    return flag is None or not coincidence_sampled(flag, np.random.default_rng(0))
