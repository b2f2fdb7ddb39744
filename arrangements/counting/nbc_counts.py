"""Numbers of chambers that cost little: of at most rank + 1 hyperplanes, and of small matrices.

Small matrices, one or a stack of them at once, are counted as no-broken-circuit sets.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.linear import null_vector
from arrangements.kernels.chambers.search import advance
from arrangements.kernels.numba_internals import is_ready
from arrangements.kernels.structure.nbc_sets import OPEN, count_nbc_sets

# Beyond so many entries to be reduced, at most, the sweep counts one matrix faster.
MOST_ENTRIES = 300_000
# But where the sweep would be compiled first, which takes as long as 2e10 entries, a matrix may
# have so many, for 0.4 s at most, and all matrices of a process together so many.
_MOST_UNCOMPILED, _ALL_UNCOMPILED = 10**9, 10**10
_uncompiled = [0]
# Minors up to this are counted in integers: products of two of them are below 2**63.
_MOST_MINOR = 2.0**31


def known_count(arrangement: Arrangement) -> int | None:
    """Number of chambers if there are at most rank + 1 hyperplanes, where it is cheap; else None.

    Then the rows have at most one dependency, of c rows. It excludes one pair of opposite sign
    vectors of these rows, or only one of the pair if the hyperplanes do not meet.

    Examples
    --------
    >>> known_count(Arrangement([[1, 0], [0, 1], [1, 1]]))
    6
    >>> known_count(Arrangement([[1], [1]], [0, 1]))
    3
    """
    n, r = arrangement.n_hyperplanes, arrangement.rank
    if n == r:
        return 1 << n
    if n != r + 1 or r == 0:
        return None
    transposed = list(zip(*(row[:-1] for row in arrangement.integer_rows), strict=True))
    weights = null_vector([list(column) for column in transposed], n)
    assert weights is not None
    meet = not sum(w * row[-1] for w, row in zip(weights, arrangement.integer_rows, strict=True))
    free = sum(not w for w in weights)
    return (1 << n) - ((2 if meet else 1) << free)


@lru_cache(maxsize=256)
def entries_to_reduce(n: int, d: int) -> int:
    """Upper bound for the entries that are reduced to count n central hyperplanes in R^d.

    The rows below each are reduced by every set of fewer than d of them.
    """
    return max(1, sum(comb(n, k) for k in range(d)) * n * d)


def count_small(arrangement: Arrangement) -> int | None:
    """Number of chambers of a small arrangement; None if it is not small, or floats leave it open.

    A larger one is small as long as the sweep is not compiled: so a first count waits a second for
    one kernel, not ten for another.

    Examples
    --------
    >>> count_small(Arrangement([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1]))
    7
    """
    W, b = arrangement.normals, arrangement.offsets
    if not W.size or not is_plain(W) or (b is not None and not is_plain(b)):
        return None
    if b is not None and not b.any():
        b = None
    n, d = W.shape
    entries = entries_to_reduce(n, d) if b is None else entries_to_reduce(n + 1, d + 1)
    if entries > MOST_ENTRIES:
        if entries > _MOST_UNCOMPILED or is_ready(advance):
            return None
        _uncompiled[0] += entries
        if _uncompiled[0] > _ALL_UNCOMPILED:
            return None
    count = int(counts_by_nbc_sets(W[None], None if b is None else b[None])[0])
    return None if count == OPEN else count


def is_plain(array: NDArray[Any]) -> bool:
    """Whether entries are finite floats of up to 64 bits, or integers of up to 32."""
    if isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in "biuf":
        return False
    if array.dtype.kind == "f":
        return array.dtype.itemsize <= 8 and bool(np.isfinite(array).all())
    return array.dtype.itemsize <= 4 or bool((abs(array.astype(float)) < 2.0**31).all())


def counts_by_nbc_sets(W: NDArray[Any], offsets: NDArray[Any] | None) -> NDArray[np.int64]:
    """Numbers of chambers of m arrangements, (m, n, d) and (m, n); OPEN where that is not decided.

    Offsets None are zeros.
    """
    rows = W if offsets is None else _cones(W, offsets)
    counts, (n, d) = np.full(len(rows), OPEN, np.int64), rows.shape[1:]
    floats = rows.astype(np.float64, copy=False)
    exponents = np.frexp(np.abs(floats).max(axis=2, keepdims=True))[1]
    integers = floats if rows.dtype.kind != "f" else _as_integers(floats, exponents)
    if integers is None:
        whole, integers = np.zeros(len(rows), np.bool_), np.zeros(rows.shape, np.int64)
    else:
        norms = np.sqrt((integers**2).sum(axis=2)).max(axis=1)
        whole = norms**d < _MOST_MINOR
        integers = np.where(whole[:, None, None], integers, 0).astype(np.int64)
    # Rows may be scaled. What gets lost below 2**-1000 is within the bound of the kernel.
    floats = np.ldexp(floats, 1 - exponents)
    count_nbc_sets(
        *(floats, integers, whole, np.empty((d, n, d)), np.empty((d, n))),
        *(np.empty((d, n, d), np.int64), np.empty(d, np.int64), np.empty((d, 2), np.int64), counts),
    )
    if offsets is not None:
        counts[counts != OPEN] //= 2
        # a zero row is no hyperplane; in the cone it would be the one at infinity
        counts[(W == 0).all(axis=2).any(axis=1)] = OPEN
    return counts


def _cones(W: NDArray[Any], offsets: NDArray[Any]) -> NDArray[Any]:
    """Central arrangements with the row at infinity first: twice as many chambers."""
    cones = np.zeros((len(W), W.shape[1] + 1, W.shape[2] + 1), np.result_type(W, offsets))
    cones[:, 0, -1] = 1
    cones[:, 1:, :-1] = W
    cones[:, 1:, -1] = offsets
    return cones


def _as_integers(
    W: NDArray[np.float64], exponents: NDArray[np.int32]
) -> NDArray[np.float64] | None:
    """Rows times powers of two that make them integers of few bits, infinite if none does.

    None if none does for any matrix.
    """
    found = None
    for bits in (16, 8, 4, 1):
        scaled = np.ldexp(W, bits - exponents)
        whole = (scaled == np.rint(scaled)).all(axis=(1, 2))
        if not whole.any():  # nor with fewer bits
            break
        # what is zero now may have been a number of any size below that of its row
        whole &= ((scaled != 0) | (W == 0)).all(axis=(1, 2))
        if found is None:
            found = np.full_like(W, np.inf)
        found[whole] = scaled[whole]
    return found
