"""Bases without broken circuits: a basis of the top degree of the Orlik-Solomon algebra."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from arrangements.faces.intersections import flats_and_covers
from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank

# Of a flat with its covers, about.
_FLAT_BYTES = 200


def nbc_bases(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    max_bytes: int | None = None,
) -> Iterator[tuple[int, ...]]:
    """Bases without broken circuits of a hyperplane arrangement, one by one.

    A broken circuit is a minimal dependent set of hyperplanes that meet, without its least
    hyperplane. A basis is a set of r hyperplanes that meet in a flat of the largest rank r.

    Parameters
    ----------
    W, offsets, rank
        As in `flats`.
    max_bytes : int, optional
        Refuse flats that take more; default half of the free memory. The bases are not held.

    Yields
    ------
    tuple of r int
        Ascending. There are as many as the last of the `betti_numbers`, whatever the order of the
        hyperplanes: the dimension of the top degree of the Orlik-Solomon algebra [1]_.

    Raises
    ------
    InputError, DegenerateArrangementError, TooLargeError
        As `flats`.

    Notes
    -----
    Exact. A set is one without broken circuits if and only if each hyperplane in it is the least
    that contains the flat of it and all larger ones of the set. So these bases are the chains of
    flats, each covering the one before, along which the least hyperplane decreases; one chain is
    followed after the other [2]_.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, section 3.1.
    .. [2] A. Bjorner, The homology and shellability of matroids and geometric lattices, in: Matroid
           Applications, Cambridge 1992, section 7.4.

    Examples
    --------
    >>> list(nbc_bases([[1, 0], [0, 1], [1, 1]]))
    [(0, 2), (0, 1)]
    >>> from arrangements import generators
    >>> sum(1 for _ in nbc_bases(generators.braid(6)))
    120
    """
    arrangement = asked_arrangement(W, offsets, rank)
    found, covers, atoms = flats_and_covers(arrangement, _FLAT_BYTES, max_bytes)
    falls = covers[atoms[covers[:, 1]] < atoms[covers[:, 0]]]
    falls = falls[np.argsort(falls[:, 0], kind="stable")]
    first = np.searchsorted(falls[:, 0], np.arange(len(found) + 1)).tolist()
    above, least, top = falls[:, 1].tolist(), atoms.tolist(), arrangement.rank
    return _chains(first, above, least, top)


def _chains(
    first: list[int], above: list[int], least: list[int], top: int
) -> Iterator[tuple[int, ...]]:
    """The least hyperplanes along the chains from flat 0; above[first[k]:first[k + 1]] cover k."""
    waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while waiting:
        flat, chosen = waiting.pop()
        if len(chosen) == top:
            yield chosen
        for cover in above[first[flat] : first[flat + 1]]:
            waiting.append((cover, (least[cover], *chosen)))
