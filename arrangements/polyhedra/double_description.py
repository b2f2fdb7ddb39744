"""Double description: the extreme rays of a cone given by inequalities, and the other way round.

Exact. Rays are integer vectors, of 64 bits where Hadamard's bound for minors says that these
suffice, else of any size; or numbers of a real field.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.exact import linear
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import primitive
from arrangements.messages import Remedy

Words = NDArray[np.uint64]

# Bits of the products in 64-bit arithmetic, and of the sums of two of them.
_MOST_BITS = 61
# Pairs of rays that are compared at a time, and words of sets that are.
_AT_ONCE = 2**20
# Rays that a cone may have on the way.
MOST_RAYS = 2_000_000


class Cone(NamedTuple):
    """Generators of the cone of all x with ``rows @ x >= 0``.

    Attributes
    ----------
    rays : (k, d) ndarray of int64 or object
        One vector for each extreme ray modulo the lines: coprime integers, or numbers of a field.
        It is zero in the columns that the lines fill.
    lines : list of list of int
        A basis of the lineality space.
    tight : (k, m) ndarray of bool
        Which rows vanish on which rays.
    """

    rays: NDArray[Any]
    lines: list[list[Any]]
    tight: NDArray[np.bool_]


def cone_of(rows: Sequence[Sequence[Any]], dimension: int, most: int = MOST_RAYS) -> Cone:
    """Extreme rays of a cone by the double description method [1]_ [2]_.

    Parameters
    ----------
    rows : sequence of m sequences of int or of numbers of one field
        As in ``exact.numbers.integer_rows``.
    dimension : int
        Entries of each row.
    most : int
        Refuse more rays.

    Raises
    ------
    TooLargeError
        If there are more than `most` rays, at the end or on the way.

    Notes
    -----
    Rows are added one by one, in lexicographic order: rays on the wrong side go, and each of them
    together with an adjacent one on the right side leaves the ray between them. Two rays are
    adjacent if no third one lies on all rows on which both lie; where one of them lies on just
    d - 1 rows, these must be d - 2 rows, which is enough.

    References
    ----------
    .. [1] T. S. Motzkin, H. Raiffa, G. L. Thompson, R. M. Thrall, The double description method,
       Contributions to the Theory of Games II (1953) 51-73.
    .. [2] K. Fukuda, A. Prodon, Double description method revisited, LNCS 1120 (1996) 91-111.

    Examples
    --------
    >>> found = cone_of([[1, 0, 0], [0, 1, 0], [-1, -1, 1]], 3)
    >>> sorted(found.rays.tolist()), found.lines
    ([[0, 0, 1], [0, 1, 1], [1, 0, 1]], [])
    """
    matrix = [list(row) for row in rows]
    lines = linear.nullspace(matrix, dimension)
    columns = linear.column_basis(matrix) if lines else tuple(range(dimension))
    reduced = [[row[c] for c in columns] for row in matrix]
    found, tight = _pointed(reduced, len(columns), most)
    rays = np.zeros((len(found), dimension), found.dtype)
    rays[:, list(columns)] = found
    return Cone(rays, lines, tight)


def _pointed(rows: list[list[Any]], rank: int, most: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Rays of a cone of rows of full column rank, and the rows on which each lies."""
    m = len(rows)
    if rank == 0:
        return np.zeros((0, 0), np.int64), np.zeros((0, m), np.bool_)
    order = sorted((i for i in range(m) if any(rows[i])), key=rows.__getitem__)
    first = [order[k] for k in linear.row_basis([rows[i] for i in order])]
    order = first + [i for i in order if i not in set(first)]
    inverse = linear.inverse([rows[i] for i in first])
    assert inverse is not None  # they are independent
    small = field_of_rows(rows) is None and _fit_into_words(rows, rank)
    kind = np.int64 if small else object
    table = np.array(rows, kind).reshape(m, rank)
    rays = np.array([primitive(list(ray)) for ray in zip(*inverse, strict=True)], kind)
    tight = np.zeros((rank, -(-m // 64)), np.uint64)
    for k, i in enumerate(first):
        tight[np.arange(rank) != k, i >> 6] |= np.uint64(1 << (i & 63))
    for i in order[rank:]:
        rays, tight = _cut(rays, tight, table[i], i, rank)
        if len(rays) > most:
            raise TooLargeError(
                f"more than {most} rays on the way, of a cone of {m} rows in dimension {rank}.",
                Remedy("fewer rows", "Drop rows that are no facets, or ask in fewer dimensions."),
            )
    bits = np.unpackbits(tight.view(np.uint8), axis=1, count=m, bitorder="little")
    lies = bits.astype(np.bool_)
    lies[:, [i for i in range(m) if not any(rows[i])]] = True
    return rays, lies


def _fit_into_words(rows: list[list[int]], rank: int) -> bool:
    """Whether no product of the method exceeds 64 bits: each is a minor times values of minors."""
    minor = linear.minor_bits(rows, rank - 1)
    value = minor + max(sum(map(abs, row)) for row in rows).bit_length()
    return minor + value + 1 <= _MOST_BITS


def _cut(
    rays: NDArray[Any], tight: Words, row: NDArray[Any], i: int, rank: int
) -> tuple[NDArray[Any], Words]:
    """Rays of the part of a cone on the right side of row i."""
    values = rays @ row
    sides = np.array([(value > 0) - (value < 0) for value in values.tolist()])
    plus, minus, zero = (np.flatnonzero(sides == s) for s in (1, -1, 0))
    word, bit = i >> 6, np.uint64(1 << (i & 63))
    tight[zero, word] |= bit
    if not len(minus):
        return rays, tight
    p, q = adjacent_rays(tight, plus, minus, rank)
    new = rays[q] * values[p, None] - rays[p] * values[q, None]
    both = tight[p] & tight[q]
    both[:, word] |= bit
    kept = np.sort(np.concatenate([plus, zero]))
    return np.concatenate([rays[kept], _coprime(new)]), np.concatenate([tight[kept], both])


def _coprime(rays: NDArray[Any]) -> NDArray[Any]:
    if rays.dtype == np.int64:
        return rays // np.gcd.reduce(rays, axis=1, keepdims=True)
    found = np.empty(rays.shape, object)
    for k, ray in enumerate(rays.tolist()):
        found[k] = primitive(ray)
    return found


def adjacent_rays(
    tight: Words, plus: NDArray[np.intp], minus: NDArray[np.intp], rank: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of adjacent rays of a pointed cone of this rank, one on each side.

    tight : (m, words) rows on which each ray lies, one bit each
    """
    counts = np.bitwise_count(tight).sum(axis=1, dtype=np.int64)
    simple = counts == rank - 1
    step = max(1, _AT_ONCE // (max(1, len(minus)) * tight.shape[1]))
    found_p, found_q = [], []
    for start in range(0, len(plus), step):
        part = plus[start : start + step]
        shared = np.zeros((len(part), len(minus)), np.int64)
        for w in range(tight.shape[1]):
            shared += np.bitwise_count(tight[part, w][:, None] & tight[minus, w][None, :])
        a, b = np.nonzero(shared >= rank - 2)
        p, q = part[a], minus[b]
        sure = simple[p] | simple[q]
        doubtful = np.flatnonzero(~sure)
        sure[doubtful] = _alone(tight, tight[p[doubtful]] & tight[q[doubtful]])
        found_p.append(p[sure])
        found_q.append(q[sure])
    if not found_p:
        return minus[:0], minus[:0]
    return np.concatenate(found_p), np.concatenate(found_q)


def _alone(tight: Words, common: Words) -> NDArray[np.bool_]:
    """Whether just two rays lie on all rows of each of these sets."""
    step = max(1, _AT_ONCE // max(1, tight.size))
    found = np.zeros(len(common), np.bool_)
    for start in range(0, len(common), step):
        part = common[start : start + step, None, :]
        found[start : start + step] = ((tight & part) == part).all(axis=2).sum(axis=1) == 2
    return found
