"""Modular flats and supersolvable arrangements.

A flat X is modular if ``r(X) + r(Y) = r(X v Y) + r(X ^ Y)`` for all flats Y, where X v Y is spanned
by both and X ^ Y has the hyperplanes of both. A flat of rank r - 1 is modular if every
flat of rank 2 has a hyperplane in common with it [1]_; and a flat that is modular among those below
a modular flat is modular among all. So a chain of modular flats is found from the top down.

.. [1] T. Brylawski, Modular constructions for combinatorial geometries, Trans. Amer. Math. Soc. 203
       (1975) 1-44.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import InputError
from arrangements.faces.intersections import flats
from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank


def modular_chain(
    W: ArrayLike | Arrangement, *, rank: Rank = "exact", max_bytes: int | None = None
) -> list[tuple[int, ...]] | None:
    """A maximal chain of modular flats of a central arrangement, if it has one.

    Parameters
    ----------
    W, rank, max_bytes
        As in `flats`, for a central arrangement.

    Returns
    -------
    list of r + 1 tuples of int, or None
        Flats of ranks 0, 1, .., r, as the hyperplanes that contain them, each in the next. None if
        there is no such chain: the arrangement is not supersolvable.

    Raises
    ------
    InputError
        As `flats`, or if there are offsets.
    TooLargeError
        If the flats do not fit into memory.

    Notes
    -----
    Exact. All flats are listed; a flat of rank k - 1 is tried below a modular one of rank k, at
    most once, by a look at all flats of rank 2. If the chain has e_k distinct hyperplanes more in
    rank k than in rank k - 1, the e_k are the `exponents` [1]_.

    References
    ----------
    .. [1] R. P. Stanley, Supersolvable lattices, Algebra Universalis 2 (1972) 197-217.

    Examples
    --------
    >>> from arrangements import generators
    >>> modular_chain(generators.braid(4))
    [(), (0,), (0, 1, 3), (0, 1, 2, 3, 4, 5)]
    >>> modular_chain(generators.coxeter("D", 4)) is None
    True
    """
    arrangement = asked_arrangement(W, None, rank)
    if not arrangement.is_central:
        raise InputError(
            f"W is {arrangement}; expected a central arrangement. Pass its cone, A.cone()."
        )
    found = flats(arrangement, max_bytes=max_bytes)
    search = _Search(found.to_array(), found.ranks)
    chain = search.chain(len(found) - 1)
    return None if chain is None else [found[k] for k in chain]


def is_supersolvable(
    W: ArrayLike | Arrangement, *, rank: Rank = "exact", max_bytes: int | None = None
) -> bool:
    """Whether a central arrangement has a maximal chain of modular flats, `modular_chain`.

    Parameters
    ----------
    W, rank, max_bytes
        As in `modular_chain`.

    Returns
    -------
    bool

    Raises
    ------
    InputError, TooLargeError
        As `modular_chain`.

    Examples
    --------
    >>> from arrangements import generators
    >>> is_supersolvable(generators.coxeter("B", 4)), is_supersolvable(generators.generic(4, 3))
    (True, False)
    """
    return modular_chain(W, rank=rank, max_bytes=max_bytes) is not None


class _Search:
    """Modular flats below modular flats; those from which no chain leads down are kept."""

    def __init__(self, members: NDArray[np.bool_], ranks: NDArray[np.int64]) -> None:
        self._packed, self._ranks = np.packbits(members, axis=1), ranks
        self._lines = self._packed[ranks == 2]
        self._failed: set[int] = set()

    def chain(self, top: int) -> list[int] | None:
        """A chain up to the flat `top`, from rank 0."""
        k = int(self._ranks[top])
        if k == 0:
            return [top]
        if top in self._failed:
            return None
        mask = self._packed[top]
        lines = self._lines[~(self._lines & ~mask).any(axis=1)]
        for below in np.flatnonzero(self._ranks == k - 1).tolist():
            inside = self._packed[below]
            if not (inside & ~mask).any() and (lines & inside).any(axis=1).all():
                chain = self.chain(below)
                if chain is not None:
                    return [*chain, top]
        self._failed.add(top)
        return None
