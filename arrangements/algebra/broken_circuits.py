"""Sets without broken circuits: bases of the Orlik-Solomon algebra, listed one by one.

Rows are eliminated exactly, in a field that tells all minors from zero: every entry is a quotient
of minors of the integer rows. Modulo a prime that exceeds all minors (Hadamard's bound), it is zero
only if it is zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt, prod

from numpy.typing import ArrayLike

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import residues_above_minors
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid


def nbc_bases(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Bases without broken circuits: a basis of the Orlik-Solomon algebra in its top degree.

    A *broken circuit* is a minimal dependent set of rows without its first row; for an affine
    arrangement, also a minimal set of rows without a common point counts as one.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A row with zero normal is in no set, and of rows that coincide only the first is in any.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Yields
    ------
    tuple of int
        Rows, ascending; the last Betti number says how many there are. Their order is not promised.

    See Also
    --------
    nbc_sets : of any size.
    betti_numbers : how many; the dimensions of the Orlik-Solomon algebra.

    Examples
    --------
    >>> sorted(nbc_bases([[1, 0], [0, 1], [1, 1]]))
    [(0, 1), (0, 2)]
    """
    A = W if isinstance(W, OrientedMatroid) else as_arrangement(W, offsets, rank)
    return nbc_sets(A, A.rank)


def nbc_sets(
    W: MatroidLike, k: int, *, offsets: ArrayLike | None = None, rank: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Sets of k rows without broken circuits: a basis of the Orlik-Solomon algebra in degree k.

    Parameters
    ----------
    W, offsets, rank
        As in `nbc_bases`.
    k : int
        Size of the sets, from 0 to the rank.

    Yields
    ------
    tuple of int
        Rows, ascending; entry k of `betti_numbers` says how many there are. Their order is not
        promised.

    Notes
    -----
    Exact, in memory for one set. A set is built from its last row to its first; a row e may be
    added in front if it is the first row of the flat that it spans with the rows behind it [1]_. No
    search for bases is in vain, since a set is only followed while the rows in front of it span the
    space with it. O(n r) operations with integers for each set on the way.

    References
    ----------
    .. [1] A. Björner, The homology and shellability of matroids and geometric lattices, in Matroid
       Applications, Cambridge 1992.

    Examples
    --------
    >>> sorted(nbc_sets([[1, 0], [0, 1], [1, 1]], 1))
    [(0,), (1,), (2,)]
    """
    size = check_integer("k", k, 0)
    A = W if isinstance(W, OrientedMatroid) else as_arrangement(W, offsets, rank)
    if size > A.rank:
        raise InputError(f"k is {size}; expected an integer from 0 to the rank, {A.rank}.")
    if isinstance(A, OrientedMatroid):
        return _sets_of_matroid(oriented_matroid_of(A, offsets, rank), size)
    rows, numbers = all_rows(A)
    # infinity, if there is one, is row 0 of all and in no set
    infinity = len(rows) - len(numbers)
    found = _sets(Eliminated.of(rows), size, size == A.rank, infinity)
    return (tuple(numbers[e - infinity] for e in chosen) for chosen in found)


def _sets_of_matroid(
    M: OrientedMatroid, size: int, chosen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Sets that end with `chosen`."""
    if len(chosen) == size:
        if not M.loops:
            yield chosen
        return
    for e in range(chosen[0] if chosen else M.n):
        if min(M.closure((e, *chosen))) == e:
            yield from _sets_of_matroid(M, size, (e, *chosen))


def _sets(
    rows: Eliminated, size: int, spanning: bool, least: int, chosen: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Sets that end with `chosen`, modulo which the rows are."""
    if len(chosen) == size:
        yield chosen
        return
    first = chosen[0] if chosen else rows.n
    for e in rows.first_of_classes():
        if least <= e < first:
            further = rows.without(e)
            if not spanning or further.spanned_by_first(e):
                yield from _sets(further, size, spanning, least, (e, *chosen))


Row = tuple[int, ...]


def all_rows(A: Arrangement) -> tuple[list[list[int]], list[int]]:
    """Integer rows of the hyperplanes, and their numbers; an affine arrangement's cone.

    The hyperplane at infinity comes first. Rows with zero normal are left out.

    Examples
    --------
    >>> all_rows(Arrangement([[2, 4]], [6]))
    ([[0, 0, 1], [1, 2, 3]], [0])
    """
    numbers = [i for i in range(A.n_hyperplanes) if i not in set(A.loops)]
    rows = [list(A.integer_rows[i]) for i in numbers]
    if A.is_central:
        return [row[:-1] for row in rows], numbers
    return [[0] * A.dimension + [1], *rows], numbers


@dataclass(frozen=True, eq=False)
class Eliminated:
    """Rows modulo the span of some of them.

    Attributes
    ----------
    rows : list of tuple of int
        Residues, scaled so that the first non-zero entry is 1: rows are parallel if and only if
        they are equal. Rows in the span are zero.
    prime : int
    rank : int
        Rank of all of them.
    """

    rows: list[Row]
    prime: int
    rank: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @classmethod
    def of(cls, rows: list[list[int]]) -> Eliminated:
        """All of the rows, modulo nothing."""
        columns = linear.column_basis(rows) if rows else ()
        kept = [[row[c] for c in columns] for row in rows]
        field = field_of_rows(kept)
        if field is None:
            prime = _prime_above_minors(kept)
        else:
            prime, kept = residues_above_minors(kept, field, len(columns))
        return cls([_scaled(row, prime) for row in kept], prime, len(columns))

    def without(self, e: int) -> Eliminated:
        """The rows modulo row e too, which is not zero."""
        p, pivot = self.prime, self.rows[e]
        lead = pivot.index(1)
        rows = []
        for row in self.rows:
            factor = row[lead]
            if factor:
                row = tuple((a - factor * b) % p for a, b in zip(row, pivot, strict=True))
            rows.append(_scaled(row[:lead] + row[lead + 1 :], p))
        return Eliminated(rows, p, self.rank - 1)

    def first_of_classes(self) -> list[int]:
        """The first row of each class of parallel rows that are not zero."""
        found: dict[Row, int] = {}
        for e, row in enumerate(self.rows):
            if any(row):
                found.setdefault(row, e)
        return list(found.values())

    def spanned_by_first(self, count: int) -> bool:
        """Whether the first rows, this many, have the rank of all."""
        found = self
        for e in range(count):
            if found.rank == 0:
                return True
            if any(found.rows[e]):
                found = found.without(e)
        return found.rank == 0


def _scaled(row: Row | list[int], p: int) -> Row:
    lead = next((a for a in row if a % p), 0)
    if lead in (0, 1):
        return tuple(a % p for a in row)
    inverse = pow(lead, -1, p)
    return tuple(a * inverse % p for a in row)


# Exponents of Mersenne primes 2**p - 1 (OEIS A000043). To look for a prime of some thousand bits
# instead takes seconds.
_MERSENNE = (
    *(31, 61, 89, 107, 127, 521, 607, 1279, 2203, 2281, 3217, 4253, 4423, 9689, 9941, 11213),
    *(19937, 21701, 23209, 44497, 86243, 110503, 132049, 216091, 756839, 859433),
)


def _prime_above_minors(rows: list[list[int]]) -> int:
    """A prime above the absolute value of every minor of the rows."""
    squares = sorted((sum(e * e for e in row) for row in rows), reverse=True)
    bits = isqrt(prod(max(1, s) for s in squares[: len(rows[0]) if rows else 0])).bit_length()
    exponent = next((p for p in _MERSENNE if p > bits), None)
    if exponent is None:
        raise TooLargeError(
            f"minors may have {bits} bits; expected at most {_MERSENNE[-1]}. Pass smaller numbers."
        )
    return 2**exponent - 1
