"""Which minors of an oriented matroid are isomorphic to another."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from arrangements.forecast.hours import check_hours
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.isomorphism import find_isomorphism

Elements = tuple[int, ...]

_MINORS_PER_SECOND = 2000


def find_minor(M: Any, N: Any, oriented: bool) -> tuple[Elements, Elements] | None:
    """Elements of M to contract and to delete for a minor that is isomorphic to N, or None.

    Both are oriented matroids; their class imports this module, so it is not imported here.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
    >>> find_minor(M, M.contraction([3]), True)
    ((0,), ())
    """
    fall, less = M.rank - N.rank, M.n - N.n
    if fall < 0 or less < fall:
        return None
    number = comb(M.n, fall) * comb(M.n - fall, less - fall)
    check_hours(f"comparing {number} minors", number, _MINORS_PER_SECOND)
    bases = np.count_nonzero(N.chirotope)
    for contracted in combinations(range(M.n), fall):
        others = [e for e in range(M.n) if e not in contracted]
        above = chirotopes.minor_signs(M.chirotope, M.n, M.rank, others, None, contracted)
        if np.count_nonzero(above) < bases:  # zero everywhere if they are dependent
            continue
        for deleted in combinations(others, less - fall):
            kept = [k for k, e in enumerate(others) if e not in deleted]
            signs = chirotopes.minor_signs(above, len(others), N.rank, kept)
            if np.count_nonzero(signs) != bases:  # none if the rank has fallen
                continue
            if find_isomorphism(type(M)(N.n, N.rank, signs), N, oriented) is not None:
                return contracted, deleted
    return None
