"""Covectors from a chirotope, level by level: 0, cocircuits, .., topes; and back from topes.

The covectors of the next rank above X are X o C for the cocircuits C of the localization at the
zero set of X. These depend only on the zero set, so whole levels are sums of words
(``sets.ternary``), and no composition is computed in vain. Covectors with independent zero sets
need not be grouped by them: there, C is one element with a sign.

Conversely, topes determine the oriented matroid: faces of rank 1 among their common faces
(`structure.faces`) are the cocircuits, and these determine the chirotope. The result is checked
against the axioms, and its topes against the given ones, so the input need not be trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.signs import sign_rows, sign_text
from arrangements.errors import IncompleteError, InputError
from arrangements.execution import limits
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.chirotopes import Signs
from arrangements.sets import ternary
from arrangements.sets.packed import pack_signs
from arrangements.sets.sign_vectors import SignVectors
from arrangements.sets.ternary import Codes

Elements = NDArray[np.unsignedinteger]


class _Flat(NamedTuple):
    """Covectors with one zero set, one of each opposite pair."""

    elements: Elements  # the zero set, dependent
    signs: Signs  # chirotope of the localization
    codes: Codes


class _Free(NamedTuple):
    """Covectors with independent zero sets."""

    codes: Codes
    zeros: Elements  # (m, rank of the zero sets)


def distinct_cocircuits(signs: Signs, n: int, r: int) -> Signs:
    """The cocircuits whose first non-zero sign is +, one of each pair, ascending, (m, n).

    Examples
    --------
    >>> distinct_cocircuits(np.array([1, 1, -1], np.int8), 3, 2).tolist()
    [[0, 1, 1], [1, -1, 0], [1, 0, 1]]
    """
    if r == 0:
        return np.zeros((0, n), np.int8)
    table = chirotopes.cocircuit_table(signs, n, r)
    rows = ternary.encode(table[table.any(axis=1)])
    return ternary.decode(ternary.distinct(ternary.positive(rows)), n)


def iter_levels(signs: Signs, n: int, r: int) -> Iterator[Codes]:
    """Levels of the face lattice, from the zero vector to the topes: r + 1 blocks of words.

    A level has the covectors whose first non-zero sign is +, one of each pair; rows are distinct.

    Raises
    ------
    TooLargeError
        If a level does not fit.

    Examples
    --------
    >>> levels = iter_levels(np.array([1, 1, -1], np.int8), 3, 2)
    >>> [len(level) for level in levels]
    [1, 3, 3]
    """
    zero = np.zeros((1, ternary.words_for(n)), np.int64)
    elements = np.arange(n, dtype=np.min_scalar_type(n))
    flats = [_Flat(elements, signs, zero)]
    free = _Free(zero[:0], np.zeros_like(elements, shape=(0, r)))
    if n == r:
        flats, free = [], _Free(zero, elements[None])
    yield zero
    for k in range(r, 0, -1):
        flats, free = _next_level(flats, free, n, k)
        yield np.concatenate([free.codes, *(flat.codes for flat in flats)])


def _next_level(flats: list[_Flat], free: _Free, n: int, k: int) -> tuple[list[_Flat], _Free]:
    """Covectors whose zero sets have rank k - 1, from those whose zero sets have rank k."""
    steps = [distinct_cocircuits(flat.signs, len(flat.elements), k) for flat in flats]
    pairs = list(zip(flats, steps, strict=True))
    rows = 2 * k * len(free.codes) + sum(2 * len(flat.codes) * len(step) for flat, step in pairs)
    row_bytes = 8 * ternary.words_for(n) + k * free.zeros.itemsize
    chirotopes.check_fits("a level of the face lattice", rows, 3 * row_bytes)
    found = [_from_free(free, n)]
    grown: dict[bytes, _Flat] = {}
    parts: dict[bytes, list[Codes]] = {}
    for flat, step in pairs:
        zeros = step == 0
        independent = zeros.sum(axis=1) == k - 1
        placed = np.zeros((len(step), n), np.int8)
        placed[:, flat.elements] = step
        words = ternary.encode(placed)
        found.append(_from_flat(flat, zeros[independent], words[independent], k))
        for i in np.flatnonzero(~independent).tolist():
            elements = flat.elements[zeros[i]]
            key = elements.tobytes()
            if key not in grown:
                local = np.flatnonzero(zeros[i])
                outside = np.flatnonzero(~zeros[i])[:1]
                lower = chirotopes.minor_signs(
                    flat.signs, len(flat.elements), k, local, None, outside
                )
                grown[key] = _Flat(elements, lower, flat.codes[:0])
                parts[key] = []
            parts[key] += [flat.codes + words[i], flat.codes - words[i]]
    merged = [
        flat._replace(codes=ternary.distinct(ternary.positive(np.concatenate(parts[key]))))
        for key, flat in grown.items()
    ]
    return merged, _without_repetition(found)


def _from_flat(flat: _Flat, zeros: NDArray[np.bool_], words: Codes, k: int) -> _Free:
    """Compositions of the covectors of a flat with cocircuits of independent zero sets."""
    codes = flat.codes[:, None, :]
    sums = np.concatenate([codes + words, codes - words]).reshape(-1, words.shape[1])
    members = flat.elements[np.nonzero(zeros)[1]].reshape(len(zeros), k - 1)
    return _Free(sums, np.tile(members, (2 * len(flat.codes), 1)))


def _from_free(free: _Free, n: int) -> _Free:
    """Compositions of covectors of independent zero sets with one element of either sign."""
    units = ternary.encode(np.eye(n, dtype=np.int8))
    k = free.zeros.shape[1]
    codes, zeros = [free.codes[:0]], [free.zeros[:, 1:][:0]]
    for j in range(k):
        unit = units[free.zeros[:, j]]
        codes += [free.codes + unit, free.codes - unit]
        zeros += [np.delete(free.zeros, j, axis=1)] * 2
    return _Free(np.concatenate(codes), np.concatenate(zeros))


def _without_repetition(found: list[_Free]) -> _Free:
    """The distinct rows up to sign."""
    codes = ternary.positive(np.concatenate([part.codes for part in found]))
    zeros = np.concatenate([part.zeros for part in found])
    order = ternary.sorted_order(codes)
    codes = codes[order]
    new = np.ones(len(codes), bool)
    new[1:] = (codes[1:] != codes[:-1]).any(axis=1)
    return _Free(codes[new], zeros[order[new]])


_NOT_TOPES = "these are not the topes of an oriented matroid: "


def signs_from_topes(topes: ArrayLike | Sequence[str] | SignVectors) -> tuple[int, int, Signs]:
    """Find (n, rank, chirotope) of the oriented matroid with these topes.

    Parameters
    ----------
    topes : SignVectors, (m, n) array_like of -1, 0, 1, or sequence of str
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
    rows = _as_topes(topes)
    n = rows.shape[1]
    cocircuits, r = _cocircuits(rows)
    if r == 0:
        return n, 0, np.ones(1, np.int8)
    signs = chirotope_of_cocircuits(cocircuits, r)
    if signs is None:
        raise InputError(_NOT_TOPES + "the cocircuits they determine fit no chirotope.")
    check = chirotopes.check_signs(signs, n, r)
    if not check:
        raise InputError(f"{_NOT_TOPES}in the chirotope they determine, {check.reason}.")
    _check_same(rows, signs, n, r)
    return n, r, signs * signs[chirotopes.first_nonzero(signs)]


def chirotope_of_cocircuits(cocircuits: Signs, r: int) -> Signs | None:
    """The only map of r-subsets to signs, up to a sign, that may have these cocircuits.

    Parameters
    ----------
    cocircuits : (m, n) ndarray of int8
        One of each pair of opposite ones.

    Returns
    -------
    (C(n, r),) ndarray of int8, or None
        It need not be a chirotope; None if signs contradict each other.

    Examples
    --------
    >>> chirotope_of_cocircuits(np.array([[0, 1, 1], [1, 0, 1], [1, -1, 0]], np.int8), 2).tolist()
    [1, 1, -1]
    """
    from arrangements.kernels.structure.chirotopes import fill_from_cocircuits  # loads numba

    n = cocircuits.shape[1]
    subsets = chirotopes.subset_table(n, r - 1)
    chirotopes.check_fits(f"cocircuits of rank {r} on {n} elements", len(subsets), 2 * n)
    choose = chirotopes.binomials(n, r)
    table, signs = np.zeros((len(subsets), n), np.int8), np.empty(int(choose[n, r]), np.int8)
    hyperplanes = np.zeros(len(subsets), np.int64)
    elements = cocircuits.any(axis=0)
    for cocircuit in cocircuits:
        zeros = np.flatnonzero((cocircuit == 0) & elements)
        chosen = zeros[chirotopes.subset_table(len(zeros), r - 1)]
        places = _places(chosen, choose)
        table[places] = cocircuit
        hyperplanes[places] += 1
    table[hyperplanes != 1] = 0  # dependent elements are in several hyperplanes
    if not table.any() or not fill_from_cocircuits(table, subsets, n, r, choose, signs):
        return None
    return signs


def _as_topes(topes: ArrayLike | Sequence[str] | SignVectors) -> Signs:
    """Distinct rows, closed under negation, zeros only in columns of zeros."""
    if isinstance(topes, Arrangement):
        raise InputError("topes is an Arrangement; pass chambers(A), or use from_matrix(A).")
    if isinstance(topes, SignVectors) and not topes.complete:
        raise IncompleteError(
            f"{topes!r} was cut short; all topes are needed: list them without limit."
        )
    array = topes.to_array() if isinstance(topes, SignVectors) else topes
    rows = sign_rows(array, "topes")
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
    actual = set(map(tuple, ternary.encode(rows).tolist()))
    if actual == wanted:
        return
    extra = bool(actual - wanted)
    odd = min(actual - wanted) if extra else min(wanted - actual)
    text = sign_text(ternary.decode(np.array([odd], np.int64), n)[0])
    word = "is among them, but not" if extra else "is not among them, but"
    raise InputError(
        f"{_NOT_TOPES}{text} {word} among the topes of the only oriented matroid that fits."
    )
