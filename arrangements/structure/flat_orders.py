"""Sums over pairs of flats, one below the other: Möbius inversion on the intersection poset.

The order relation is a sparse matrix, found from the covers rank by rank. Inversion solves with it
rank by rank, modulo primes whose product exceeds twice every result, so that the result is exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.residues import moduli_above
from arrangements.execution import limits
from arrangements.messages import Remedy, short_number
from arrangements.structure.intersections import flats_and_covers

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Integers = NDArray[np.int64]

_PAIR_BYTES = 24  # of a pair of flats in the relation: its column, its value, and room to sort
FEWER = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")


@dataclass(frozen=True, eq=False)
class FlatOrder:
    """Flats, in order of their ranks, and which of them contains which.

    Attributes
    ----------
    members : list of int
        The elements of each flat, as bits.
    ranks : (m,) int64, ascending
    covers : (k, 2) int64
        Pairs of flats of neighboring ranks, the lower first.
    n : int
        Number of elements; loops are in none of the flats.
    loops : int
        Number of loops of a matroid.
    """

    members: list[int]
    ranks: Integers
    covers: Integers
    n: int
    loops: int = 0

    @property
    def rank(self) -> int:
        """Largest rank."""
        return int(self.ranks[-1])

    @cached_property
    def sizes(self) -> Integers:
        """Number of elements of each flat."""
        return np.array([word.bit_count() for word in self.members], np.int64)

    def level(self, k: int) -> slice:
        """Numbers of the flats of rank k."""
        first, stop = np.searchsorted(self.ranks, [k, k + 1])
        return slice(int(first), int(stop))

    @cached_property
    def below(self) -> list[csr_array]:
        """For each rank, which flats of smaller rank are below each of its flats; 0 or 1."""
        from scipy.sparse import csr_array, hstack  # loads slowly

        found: list[csr_array] = [csr_array((1, 0), dtype=np.int64)]
        pairs = 0
        lower, upper = self.covers.T
        for k in range(1, self.rank + 1):
            here, last = self.level(k), self.level(k - 1)
            own = (self.ranks[upper] == k).nonzero()[0]
            places = upper[own] - here.start, lower[own] - last.start
            shape = here.stop - here.start, last.stop - last.start
            covers = csr_array((np.ones(len(own), np.int64), places), shape=shape)
            most = int((covers @ np.diff(found[-1].indptr)).sum())
            what = f"up to {short_number(pairs + most)} pairs of flats, one below the other"
            limits.check_bytes(what, _PAIR_BYTES * (pairs + most), FEWER)
            further = covers @ found[-1]
            further.data[:] = 1
            found.append(csr_array(hstack([further, covers], format="csr")))
            pairs += found[-1].nnz
        return found

    def inverted(self, values: NDArray[np.int64], *, upwards: bool = True) -> NDArray[Any]:
        """Numbers f with ``sum(f(X) for X <= Y) = values(Y)`` for all Y; exact.

        Parameters
        ----------
        values : (m, c) int64, small
        upwards : bool
            False inverts from the other side: ``sum(f(X) for X >= Y) = values(Y)``.

        Returns
        -------
        (m, c) ndarray of int64, or of int if these may exceed 2**62
        """
        # |mu(X, Y)| counts sets of elements
        largest = max(comb(self.n, k) for k in range(self.rank + 1))
        bound = max(1, int(np.abs(values).max(initial=0))) * len(self.ranks) * largest
        moduli = moduli_above((2 * bound).bit_length())
        residues = [self._inverted(values, p, upwards) for p in moduli]
        found = combined(residues, moduli)
        return found.astype(np.int64) if bound < 2**62 else found

    def _inverted(self, values: NDArray[np.int64], p: int, upwards: bool) -> NDArray[np.int64]:
        """As `inverted`, modulo a prime below 2**31: sums of 2**32 residues fit into 63 bits."""
        found = values % p
        if upwards:
            for k in range(1, self.rank + 1):
                here = self.level(k)
                rows = self.below[k]
                found[here] = (found[here] - rows @ found[: rows.shape[1]]) % p
        else:
            for k in range(self.rank, 0, -1):
                columns = self.below[k].T.tocsr()
                lower = slice(0, columns.shape[0])
                found[lower] = (found[lower] - columns @ found[self.level(k)]) % p
        return found

    def by_rank(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums of values over the flats of each rank, (r + 1, c) ints."""
        total = np.zeros((self.rank + 1, values.shape[1]), object)
        for k in range(self.rank + 1):
            total[k] = values[self.level(k)].astype(object).sum(axis=0)
        return total


def combined(residues: list[NDArray[np.int64]], moduli: Iterable[int]) -> NDArray[Any]:
    """Integers of least absolute value with given residues modulo distinct primes.

    Examples
    --------
    >>> combined([np.array([6]), np.array([4])], [7, 5]).tolist()
    [-1]
    """
    found: NDArray[Any] = np.zeros_like(residues[0], dtype=object)
    product = 1
    for part, p in zip(residues, moduli, strict=True):
        step = (part - found) * pow(product, -1, p) % p
        found, product = found + product * step, product * p
    return np.where(2 * found > product, found - product, found)


def order_of_flats(A: Arrangement) -> FlatOrder:
    """Flats of an arrangement, and their order.

    Examples
    --------
    >>> order_of_flats(Arrangement([[1, 0], [0, 1], [1, 1]])).ranks.tolist()
    [0, 1, 1, 1, 2]
    """
    found, covers, _ = flats_and_covers(A, limits.available_bytes())
    octets = found.masks.astype("<u8")
    members = [int.from_bytes(row.tobytes(), "little") for row in octets]
    return FlatOrder(members, found.ranks, covers, A.n_hyperplanes)


def faces_by_flats(A: Arrangement) -> list[int]:
    """Numbers of faces by codimension: the chambers of the restrictions to all flats.

    On a flat X there are ``sum |mu(X, Y)|`` chambers, over the flats Y that X contains (Zaslavsky
    1975). Inversion of the signs ``(-1)^rank`` gives these sums for all X at once.

    Examples
    --------
    >>> faces_by_flats(Arrangement([[1, 0], [0, 1], [1, 1]]))
    [6, 6, 1]
    """
    order = order_of_flats(A)
    chambers = order.inverted((1 - 2 * (order.ranks % 2))[:, None], upwards=False)
    return [int(total) for (total,) in order.by_rank(np.abs(chambers)).tolist()]
