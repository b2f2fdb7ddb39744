"""Covectors from a chirotope, level by level in the face lattice: 0, cocircuits, .., topes.

The covectors of the next rank above X are X o C for the cocircuits C of the localization at the
zero set of X. These depend only on the zero set, so whole levels are sums of words
(``sets.ternary``), and no composition is computed in vain. Covectors with independent zero sets
need not be grouped by them: there, C is one element with a sign.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.oriented_matroids.chirotopes import (
    Signs,
    check_fits,
    cocircuit_table,
    minor_signs,
)
from arrangements.sets import ternary
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
    table = cocircuit_table(signs, n, r)
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
    check_fits("a level of the face lattice", rows, 3 * row_bytes)
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
                lower = minor_signs(flat.signs, len(flat.elements), k, local, None, outside)
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
