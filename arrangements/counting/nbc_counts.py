"""Chambers counted as no-broken-circuit sets: of small matrices, a stack of them at once."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
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


def entries_to_reduce(shape: tuple[int, ...], affine: bool) -> int:
    """At most so many entries are reduced to count a matrix of a shape (.., n, d).

    The rows below each are reduced by every set of fewer than d of them.
    """
    n, d = shape[-2] + affine, shape[-1] + affine
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
    affine = not arrangement.is_central
    if 0 in W.shape or not is_plain(W) or (b is not None and not is_plain(b)):
        return None
    entries = entries_to_reduce(W.shape, affine)
    if entries > MOST_ENTRIES:
        if entries > _MOST_UNCOMPILED or is_ready(advance):
            return None
        _uncompiled[0] += entries
        if _uncompiled[0] > _ALL_UNCOMPILED:
            return None
    count = int(counts_by_nbc_sets(W[None], b[None] if b is not None and affine else None)[0])
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
    if offsets is None:
        return _of_central(W)
    counts = _of_central(_cones(W, offsets))
    counts[counts != OPEN] //= 2
    # Such a row is no hyperplane; in the cone it would be one, at infinity.
    counts[(W == 0).all(axis=2).any(axis=1)] = OPEN
    return counts


def _cones(W: NDArray[Any], offsets: NDArray[Any]) -> NDArray[Any]:
    """Central arrangements with the row at infinity first: twice as many chambers."""
    kind = np.result_type(W, offsets)
    cones = np.zeros((len(W), W.shape[1] + 1, W.shape[2] + 1), kind)
    cones[:, 0, -1] = 1
    cones[:, 1:, :-1] = W
    cones[:, 1:, -1] = offsets
    return cones


def _of_central(W: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers of chambers of central arrangements, OPEN where floats leave them open."""
    counts, (n, d) = np.full(len(W), OPEN, np.int64), W.shape[1:]
    given = W.astype(np.float64, copy=False)
    exponents = np.frexp(np.abs(given).max(axis=2, keepdims=True))[1]
    integers = given if W.dtype.kind != "f" else _as_integers(given, exponents)
    if integers is None:
        whole, integers = np.zeros(len(W), np.bool_), np.zeros(W.shape, np.int64)
    else:
        norms = np.sqrt((integers**2).sum(axis=2)).max(axis=1)
        whole = norms**d < _MOST_MINOR
        integers = np.where(whole[:, None, None], integers, 0).astype(np.int64)
    # Rows may be scaled. What gets lost below 2**-1000 is within the bound of the kernel.
    floats = np.ldexp(given, 1 - exponents)
    count_nbc_sets(
        *(floats, integers, whole, np.empty((d, n, d)), np.empty((d, n))),
        *(np.empty((d, n, d), np.int64), np.empty(d, np.int64), np.empty((d, 2), np.int64), counts),
    )
    return counts


def _as_integers(
    W: NDArray[np.float64], exponents: NDArray[np.int32]
) -> NDArray[np.float64] | None:
    """Rows times powers of two that make them integers of few bits, infinite if none does.

    None if none does for any matrix.
    """
    found = None
    for bits in (16, 8, 4, 1):
        scaled = np.ldexp(W, bits - exponents)
        # what is zero now may have been a number of any size below that of its row
        whole = ((scaled == np.rint(scaled)) & ((scaled != 0) | (W == 0))).all(axis=(1, 2))
        if not whole.any():  # nor with fewer bits
            break
        if found is None:
            found = np.full_like(W, np.inf)
        found[whole] = scaled[whole]
    return found
