"""Estimates of what an arrangement has, from random orders of its hyperplanes.

Hyperplanes are drawn at random, one after the other, each among those that cut the flat reached
so far: a chain of flats ``X_0 > X_1 > .. > X_r``. Flat ``X_i`` lies in ``s_i`` hyperplanes and is
cut by ``a_i`` others, so ``X_(i+1)`` is next with probability ``(s_(i+1) - s_i) / a_i``. Divided by
these probabilities, sums over chains become means, and three such sums are known
(docs/algorithms.md, section 6). Of rank k there are

- flats: the products of ``(s_(i+1) - s_i) / (s_k - s_i)``, summed over the chains to them, so the
  mean of the products of ``a_i / (s_k - s_i)``, i < k;
- the Betti number b_k: the same with ``(s_(i+1) - s_i) / s_(i+1)`` (Weisner's theorem, averaged),
  so the mean of the products of ``a_i / s_(i+1)``;
- faces of codimension k: for each flat the chambers of its restriction, Betti numbers again.

In general position no draw makes a difference, and the means are the numbers themselves. One prime
is enough, since nothing here is proved.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import column_basis
from arrangements.exact.residues import primes
from arrangements.model.arrangement import Arrangement

Floats = NDArray[np.float64]

# Entries that are eliminated altogether, at most: about a quarter of a second; and chains. A
# single chain that takes more than the last number is not drawn.
_MOST_ENTRIES, _MOST_CHAINS, _TOO_MANY = 10_000_000, 200, 400_000_000


class Chains(NamedTuple):
    """Random chains of flats, each from the space down to a flat of full rank r.

    Attributes
    ----------
    inside : (m, r + 1) float64
        Hyperplanes that contain flat k of each chain.
    cutting : (m, r) float64
        Hyperplanes that cut it, in flats of rank k + 1.
    """

    inside: Floats
    cutting: Floats

    def flats(self) -> list[int]:
        """About how many flats there are of each rank.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, 1])).flats()
        [1, 3, 3]
        """
        return [_mean(self._to_flat(k)) for k in range(self.inside.shape[1])]

    def betti_numbers(self) -> list[int]:
        """About the Betti numbers, whose sum is the number of chambers.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]])).betti_numbers()
        [1, 3, 2]
        """
        return [_mean(logs) for logs in self._from_flat(0)]

    def faces(self) -> list[int]:
        """About how many faces there are of each codimension.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]])).faces()
        [6, 6, 1]
        """
        return [
            sum(_mean(self._to_flat(k) + logs) for logs in self._from_flat(k))
            for k in range(self.inside.shape[1])
        ]

    def _to_flat(self, k: int) -> Floats:
        """Logarithm of what each chain counts for flats of rank k."""
        terms = np.log2(self.cutting[:, :k]) - np.log2(self.inside[:, k, None] - self.inside[:, :k])
        return terms.sum(axis=1)

    def _from_flat(self, k: int) -> list[Floats]:
        """Logarithms of what each chain counts for Betti numbers of the restriction to flat k."""
        more = self.inside[:, k + 1 :] - self.inside[:, k, None]
        terms = np.log2(self.cutting[:, k:]) - np.log2(more)
        logs = np.concatenate([np.zeros((len(terms), 1)), np.cumsum(terms, axis=1)], axis=1)
        return list(logs.T)


def random_chains(arrangement: Arrangement, seed: int = 0) -> Chains:
    """Draw chains, as many as some operations allow.

    Coincident rows are one hyperplane: otherwise a large class is drawn nearly always, and the rest
    of the arrangement is seen by few chains.

    If these allow none, there is one as in general position.

    Examples
    --------
    >>> from arrangements.generators import boolean
    >>> random_chains(Arrangement.coerce(boolean(3))).flats()
    [1, 3, 3, 1]
    """
    rng = np.random.default_rng(seed)
    rows, p = _residues(arrangement)
    rank, normal = arrangement.rank, rows.shape[1] - (not arrangement.is_central)
    each = rows.size * rank
    if each > _TOO_MANY:
        return _generic_chain(len(rows), rank, arrangement.is_central)
    count = min(_MOST_CHAINS, max(1, _MOST_ENTRIES // max(1, each)))
    inside = np.zeros((count, rank + 1))
    cutting = np.zeros((count, rank))
    size = max(1, min(count, 10**6 // max(1, rows.size)))  # chains that are followed together
    for first in range(0, count, size):
        part = slice(first, min(first + size, count))
        tables = np.repeat(rows[None], part.stop - first, axis=0)
        for k in range(rank):
            cuts = tables[:, :, :normal].any(axis=2)
            cutting[part, k] = cuts.sum(axis=1)
            _eliminate(tables, np.where(cuts, rng.random(cuts.shape), -1.0).argmax(axis=1), p)
            inside[part, k + 1] = (~tables.any(axis=2)).sum(axis=1)
    return Chains(inside, cutting)


def _generic_chain(n: int, rank: int, central: bool) -> Chains:
    """The only chain, as far as numbers go, of n hyperplanes in general position."""
    inside = np.arange(rank + 1.0)
    if central:
        inside[rank] = n
    return Chains(inside[None], n - np.arange(float(rank))[None])


def _residues(arrangement: Arrangement) -> tuple[NDArray[np.uint64], int]:
    """Rows of the hyperplanes modulo a prime, in a basis of columns; offsets last, if any."""
    p = int(primes(1)[0])
    rows = [arrangement.integer_rows[group[0]] for group in arrangement.coincident_classes]
    columns = list(range(arrangement.dimension))
    if arrangement.rank < arrangement.dimension:
        columns = list(column_basis([row[:-1] for row in rows])) if rows else []
    if not arrangement.is_central:
        columns.append(-1)
    entries: list[list[int]] = [[row[c] % p for c in columns] for row in rows]
    return np.array(entries, np.uint64).reshape(len(rows), len(columns)), p


def _eliminate(tables: NDArray[np.uint64], chosen: NDArray[np.intp], p: int) -> None:
    """Reduce the rows of each table modulo its chosen row, by that row's first non-zero entry."""
    modulus, each = np.uint64(p), np.arange(len(tables))
    pivots = tables[each, chosen]
    leads = (pivots != 0).argmax(axis=1)
    inverses = [pow(int(entry), -1, p) for entry in pivots[each, leads]]
    unit = pivots * np.array(inverses, np.uint64)[:, None] % modulus
    factors = tables[each, :, leads]
    tables += factors[:, :, None] * (modulus - unit)[:, None, :] % modulus
    tables %= modulus


def _mean(logs: Any) -> int:
    """Mean of numbers of any size with these binary logarithms, rounded."""
    largest = float(logs.max())
    if largest < 900:
        return round(float(np.exp2(logs).mean()))
    shift = ceil(largest) - 60
    return round(float(np.exp2(logs - shift).mean())) << shift
