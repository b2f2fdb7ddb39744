"""The oriented matroid that has given topes, if there is one.

Faces of rank 1 among the covectors that the topes determine (`structure.faces`) are the cocircuits,
and cocircuits determine the chirotope. The result is checked against the axioms, and its topes
against the given ones, so the input need not be trusted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.signs import sign_text, sign_values
from arrangements.errors import IncompleteError, InputError
from arrangements.execution import limits
from arrangements.oriented_matroids.chirotopes import (
    Signs,
    binomials,
    check_fits,
    check_signs,
    first_nonzero,
    subset_table,
)
from arrangements.oriented_matroids.covectors import iter_levels
from arrangements.sets import ternary
from arrangements.sets.packed import pack_signs
from arrangements.sets.sign_vectors import SignVectors

_NOT_TOPES = "these are not the topes of an oriented matroid: "


def signs_from_topes(topes: ArrayLike | SignVectors) -> tuple[int, int, Signs]:
    """Find (n, rank, chirotope) of the oriented matroid with these topes.

    Parameters
    ----------
    topes : SignVectors, or (m, n) array_like of -1, 0, 1
        Zeros are legal only in columns of zeros (loops).

    Raises
    ------
    InputError
        If there is no such oriented matroid; the message says why.
    IncompleteError
        If `topes` was cut short.

    Examples
    --------
    >>> signs_from_topes([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    (2, 2, array([1], dtype=int8))
    """
    from arrangements.kernels.structure.chirotopes import fill_from_cocircuits  # loads numba

    rows = _as_topes(topes)
    n = rows.shape[1]
    cocircuits, r = _cocircuits(rows)
    if r == 0:
        return n, 0, np.ones(1, np.int8)
    subsets = subset_table(n, r - 1)
    check_fits(f"cocircuits of rank {r} on {n} elements", len(subsets), 2 * n)
    choose = binomials(n, r)
    table, signs = np.zeros((len(subsets), n), np.int8), np.empty(int(choose[n, r]), np.int8)
    hyperplanes = np.zeros(len(subsets), np.int64)
    for cocircuit in cocircuits:
        zeros = np.flatnonzero((cocircuit == 0) & rows.any(axis=0))
        chosen = zeros[subset_table(len(zeros), r - 1)]
        places = _places(chosen, choose)
        table[places] = cocircuit
        hyperplanes[places] += 1
    table[hyperplanes != 1] = 0  # dependent elements are in several hyperplanes
    if not table.any() or not fill_from_cocircuits(table, subsets, n, r, choose, signs):
        raise InputError(_NOT_TOPES + "the cocircuits they determine fit no chirotope.")
    check = check_signs(signs, n, r)
    if not check:
        raise InputError(f"{_NOT_TOPES}in the chirotope they determine, {check.reason}.")
    _check_same(rows, signs, n, r)
    return n, r, signs * signs[first_nonzero(signs)]


def _as_topes(topes: ArrayLike | SignVectors) -> Signs:
    """Distinct rows, closed under negation, zeros only in columns of zeros."""
    if isinstance(topes, Arrangement):
        raise InputError("topes is an Arrangement; pass chambers(A), or use from_matrix(A).")
    if isinstance(topes, SignVectors) and not topes.complete:
        raise IncompleteError(
            f"{topes!r} was cut short; all topes are needed: list them without limit."
        )
    given = topes.to_array() if isinstance(topes, SignVectors) else topes
    rows = sign_values(given, "topes")
    if rows.ndim != 2:
        raise InputError(f"topes has shape {rows.shape}; expected (m, n), one tope per row.")
    if not len(rows):
        raise InputError(_NOT_TOPES + "there are none, but an oriented matroid has at least one.")
    zero = rows == 0
    if (zero.any(axis=0) != zero.all(axis=0)).any():
        element = int(np.flatnonzero(zero.any(axis=0) != zero.all(axis=0))[0])
        raise InputError(f"{_NOT_TOPES}element {element} is zero in some but not in all of them.")
    codes = ternary.distinct(ternary.encode(rows))
    if (codes != -codes[::-1]).any():
        known = set(map(tuple, codes.tolist()))
        lonely = next(row for row in codes if tuple((-row).tolist()) not in known)
        raise InputError(
            f"{_NOT_TOPES}{sign_text(ternary.decode(lonely[None], rows.shape[1])[0])} is among "
            "them, its negative is not. (Of an affine arrangement take the chambers of its cone.)"
        )
    return ternary.decode(codes, rows.shape[1])


def _cocircuits(rows: Signs) -> tuple[Signs, int]:
    """One of each pair of opposite covectors of rank 1, and the rank of the topes."""
    from arrangements.structure.faces import face_levels  # loads numba

    elements = np.flatnonzero(rows.any(axis=0))
    if not len(elements):
        return rows[:0], 0
    half = rows[rows[:, elements[0]] > 0][:, elements]
    S = SignVectors(pack_signs(half), len(elements), half=True)
    levels = face_levels(S, limits.available_bytes())
    if np.bitwise_count(levels[-1].flats).sum() != len(elements):
        raise InputError(f"{_NOT_TOPES}their common faces do not end in the zero vector.")
    found = levels[-2].stored()
    cocircuits = np.zeros((len(found), rows.shape[1]), np.int8)
    cocircuits[:, elements] = found
    return cocircuits, len(levels) - 1


def _places(subsets: NDArray[np.int64], choose: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places of subsets, ascending in each row, in the lexicographic order of all."""
    n, size = len(choose) - 1, subsets.shape[1]
    after = choose[n - 1 - subsets, size - np.arange(size)].sum(axis=1)
    return choose[n, size] - 1 - after


def _check_same(rows: Signs, signs: Signs, n: int, r: int) -> None:
    """Refuse if the topes of the chirotope differ from `rows`."""
    *_, half = iter_levels(signs, n, r)
    wanted = set(map(tuple, ternary.with_negatives(half).tolist()))
    given = set(map(tuple, ternary.encode(rows).tolist()))
    if given == wanted:
        return
    extra = bool(given - wanted)
    odd = min(given - wanted) if extra else min(wanted - given)
    text = sign_text(ternary.decode(np.array([odd], np.int64), n)[0])
    word = "is among them, but not" if extra else "is not among them, but"
    raise InputError(
        f"{_NOT_TOPES}{text} {word} among the topes of the only oriented matroid that fits."
    )
