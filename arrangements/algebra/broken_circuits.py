"""Sets without broken circuits: bases of the Orlik-Solomon algebra, listed one by one."""

from __future__ import annotations

from collections.abc import Iterator

from numpy.typing import ArrayLike

from arrangements.algebra.eliminations import Eliminated, all_rows
from arrangements.checks import check_integer
from arrangements.core.arrangement import ArrangementLike, as_arrangement
from arrangements.errors import InputError


def nbc_bases(
    W: ArrangementLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Iterator[tuple[int, ...]]:
    """Bases without broken circuits: a basis of the Orlik-Solomon algebra in its top degree.

    A *broken circuit* is a minimal dependent set of rows without its first row; for an affine
    arrangement, also a minimal set of rows without a common point counts as one.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
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
    A = as_arrangement(W, offsets, rank)
    return nbc_sets(A, A.rank)


def nbc_sets(
    W: ArrangementLike, k: int, *, offsets: ArrayLike | None = None, rank: int | None = None
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
    A = as_arrangement(W, offsets, rank)
    size = check_integer("k", k, 0)
    if size > A.rank:
        raise InputError(f"k is {size}; expected an integer from 0 to the rank, {A.rank}.")
    rows, numbers = all_rows(A)
    # infinity, if there is one, is row 0 of all and in no set
    infinity = len(rows) - len(numbers)
    found = _sets(Eliminated.of(rows), size, size == A.rank, infinity)
    return (tuple(numbers[e - infinity] for e in chosen) for chosen in found)


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
