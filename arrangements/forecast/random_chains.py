"""Estimates of what an arrangement has, from random chains of its flats.

A chain ``X_0 > X_1 > .. > X_k`` leads from the space down, each flat covered by the next. Let
``s_i`` be the number of hyperplanes that contain ``X_i``. Three numbers are sums over all chains
(docs/algorithms.md, section 6). Of rank k there are

- flats: the sum of the products of ``(s_(i+1) - s_i) / (s_k - s_i)``, i < k, over the chains;
- the Betti number b_k: the same with ``(s_(i+1) - s_i) / s_(i+1)`` (Weisner's theorem, averaged);
- faces of codimension k: for each flat the chambers of its restriction, Betti numbers again, where
  the hyperplanes that contain the flat do not count.

There are too many chains, so some are kept. Each chain that was kept up to rank k goes on to as
many as its last flat has covers: distinct flats, found as the classes of rows that are proportional
modulo the flat. Of all these together at most m are kept. Each has a chance p that depends only on
what was kept up to rank k, and if it is kept, it stands for 1 / p times as many chains as before.
Given what was kept up to rank k, a sum over the chains kept up to rank k + 1, of any function of a
chain, is therefore right in the mean, whatever the chances p > 0 are; and so it is by induction.

The chances are proportional to what a chain counts for b_k, but at most 1. A level of at most m
chains is kept whole, and is exact. The hyperplanes of a large pencil or parallel class are many,
but few flats are below each. Those in general position have many below them, and as all covers of
all chains compete, these are kept in proportion. Chains that are followed one by one are nearly all
in the pencil, and see the rest, where most flats may be, in a few leaps.

In general position every chain of a level counts the same, and the sums are the numbers themselves.
One prime is enough, since nothing here is proved. The rows themselves draw it: every fixed one has
matrices that are singular modulo it, and a fresh one now and then gives another estimate.
"""

from __future__ import annotations

from math import ceil
from random import Random
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.integer_image import residue_rows
from arrangements.exact.linear import column_basis

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Tables = NDArray[np.uint64]

# Entries that are eliminated altogether, at most: about a quarter of a second; and chains. A
# single chain that takes more than the last number is not drawn.
_MOST_ENTRIES, _MOST_CHAINS, _TOO_MANY = 10_000_000, 1000, 400_000_000
# Columns of a table that tell rows apart.
_HASHES = 2


class Level(NamedTuple):
    """Chains of flats from the space down to flats of one rank k.

    Attributes
    ----------
    inside : (m, k + 1) float64
        Hyperplanes that contain each flat of each chain.
    cutting : (m,) float64
        Hyperplanes that cut the last one, in flats of rank k + 1.
    log_weights : (m,) float64
        Binary logarithm of how many chains each stands for.
    """

    inside: Floats
    cutting: Floats
    log_weights: Floats

    def worth(self, k: int = 0) -> Floats:
        """Binary logarithm of what each chain counts for the Betti numbers of restrictions.

        Restrictions to its flat of rank k: k = 0 gives numbers of the arrangement itself, the last
        k numbers of flats.
        """
        steps = np.log2(np.diff(self.inside, axis=1))
        above = np.log2(self.inside[:, k, None] - self.inside[:, :k])
        below = np.log2(self.inside[:, k + 1 :] - self.inside[:, k, None])
        worth: Floats = self.log_weights + steps.sum(axis=1) - above.sum(axis=1) - below.sum(axis=1)
        return worth


class Chains(NamedTuple):
    """Random chains of flats, to flats of each rank up to the full one.

    Attributes
    ----------
    levels : tuple of Level
    """

    levels: tuple[Level, ...]

    def flats(self) -> list[int]:
        """About how many flats there are of each rank.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, 1])).flats()
        [1, 3, 3]
        """
        return [sum_of_powers(level.worth(k)) for k, level in enumerate(self.levels)]

    def betti_numbers(self) -> list[int]:
        """About the Betti numbers, whose sum is the number of chambers.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]])).betti_numbers()
        [1, 3, 2]
        """
        return [sum_of_powers(level.worth()) for level in self.levels]

    def faces(self) -> list[int]:
        """About how many faces there are of each codimension.

        Examples
        --------
        >>> random_chains(Arrangement([[1, 0], [0, 1], [1, 1]])).faces()
        [6, 6, 1]
        """
        return [
            sum(sum_of_powers(level.worth(k)) for level in self.levels[k:])
            for k in range(len(self.levels))
        ]


def random_chains(arrangement: Arrangement, seed: int = 0, most: int | None = None) -> Chains:
    """Draw chains, as many as some operations allow, but at most `most`; see the top.

    Coincident rows are one hyperplane.

    If these operations allow no chain, there is one as in general position.

    Examples
    --------
    >>> from arrangements.generators import boolean
    >>> random_chains(Arrangement.coerce(boolean(3))).flats()
    [1, 3, 3, 1]
    """
    rng = np.random.default_rng(seed)
    rows, p = _residues(arrangement, rng)
    rank = arrangement.rank
    each = rows.size * rank
    if each <= _TOO_MANY:
        most = _MOST_CHAINS if most is None else most
        most = min(most, max(1, _MOST_ENTRIES // max(1, each)))
        found = draw_chains(_Residues(rows[None], p), rank, most, rng)
        if len(found.levels) > rank:  # else the rank is less modulo this prime
            return found
    return _generic_chains(len(rows), rank, arrangement.is_central)


class LastFlats(Protocol):
    """The last flats of some chains."""

    def cutting(self) -> Floats:
        """Hyperplanes that cut each of them."""

    def covers(self) -> tuple[Integers, Integers, Floats]:
        """The flats that each covers: number of the chain, a row, and how many rows more."""

    def restrict(self, chain: Integers, row: Integers) -> LastFlats:
        """The flats of these chains that such rows cut out."""


def draw_chains(flats: LastFlats, rank: int, most: int, rng: np.random.Generator) -> Chains:
    """Chains down to a rank, or until there are no covers; at most `most` of each level."""
    inside, log_weights = np.zeros((1, 1)), np.zeros(1)
    levels = []
    for k in range(rank):
        chain, row, size = flats.covers()
        if not len(chain):
            break
        levels.append(Level(inside, flats.cutting(), log_weights))
        every = np.column_stack([inside[chain], inside[chain, -1] + size])
        worth = Level(every, size, log_weights[chain]).worth()
        chances = _chances(worth, most)
        kept = _kept(chances, rng.random())
        inside, log_weights = every[kept], log_weights[chain[kept]] - np.log2(chances[kept])
        if k + 1 < rank:
            flats = flats.restrict(chain[kept], row[kept])
    return Chains((*levels, Level(inside, np.zeros(len(inside)), log_weights)))


def _generic_chains(n: int, rank: int, central: bool) -> Chains:
    """The only chain of each level, as far as numbers go, of n hyperplanes in general position."""
    inside = np.arange(rank + 1.0)
    cutting = n - inside
    covers = cutting[:rank].copy()
    if central and rank:
        inside[rank], covers[rank - 1], cutting[rank] = n, 1, 0  # what is left meets in one flat
    log_weights = np.concatenate([[0.0], np.cumsum(np.log2(covers))])
    return Chains(
        tuple(
            Level(inside[None, : k + 1], cutting[k : k + 1], log_weights[k : k + 1])
            for k in range(rank + 1)
        )
    )


def _residues(arrangement: Arrangement, rng: np.random.Generator) -> tuple[Tables, int]:
    """Rows of the hyperplanes modulo a prime: random coordinates of the normals, then hashes.

    A coordinate is zero only where the row does not cut the flat, and all hashes are zero only
    where the row is, but for a chance of about 1 / p. Hashes are linear in the row: they are
    reduced with it.
    """
    rows = [arrangement.integer_rows[group[0]] for group in arrangement.coincident_classes]
    columns = list(range(arrangement.dimension))
    if arrangement.rank < arrangement.dimension:
        columns = list(column_basis([row[:-1] for row in rows])) if rows else []
    rank = len(columns)
    if not arrangement.is_central:
        columns.append(-1)
    kept = [[row[c] for c in columns] for row in rows]
    p, residues = residue_rows(kept, Random(hash(tuple(map(tuple, kept)))))
    table = residues.reshape(len(rows), len(columns))
    mixed = np.zeros((len(rows), rank + _HASHES), np.uint64)
    mix = rng.integers(1, p, (len(columns), rank + _HASHES)).astype(np.uint64)
    mix[rank:, :rank] = 0  # coordinates of normals have no offset in them
    for column, factors in zip(table.T, mix, strict=True):
        mixed = (mixed + column[:, None] * factors % np.uint64(p)) % np.uint64(p)
    return mixed, p


class _Residues(NamedTuple):
    """Tables of residues modulo p, in coordinates of the last flat of each chain."""

    tables: Tables
    p: int

    def cutting(self) -> Floats:
        return np.asarray((self.tables[:, :, 0] != 0).sum(axis=1), float)

    def covers(self) -> tuple[Integers, Integers, Floats]:
        return _covers(self.tables, self.p)

    def restrict(self, chain: Integers, row: Integers) -> _Residues:
        return self._replace(tables=_eliminated(self.tables, chain, row, self.p))


def _covers(tables: Tables, p: int) -> tuple[Integers, Integers, Floats]:
    """Covers of the last flat of each chain: number of the chain, a row, and how many rows more."""
    modulus = np.uint64(p)
    lead = tables[:, :, 0]
    chain, row = np.nonzero(lead)
    unit = _inverses(lead[chain, row], p)
    first, second = (tables[chain, row, -1 - h] * unit % modulus for h in range(_HASHES))
    # 10 bits tell at most 1024 chains apart, 54 the rows of one
    keys = (chain.astype(np.uint64) << 54) | ((first & (2**23 - 1)) << 31) | second
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    size = np.diff(np.append(starts, len(keys))).astype(float)
    # in the order of the rows, so that rows of a kind that stand together are kept in proportion
    place = np.argsort(order[starts])
    one = order[starts[place]]
    return chain[one], row[one], size[place]


def _inverses(entries: Tables, p: int) -> Tables:
    """Inverses of entries that are not zero: one by a power, the others by products of pairs."""
    if len(entries) < 2:
        return np.array([pow(int(entry), -1, p) for entry in entries], np.uint64)
    modulus = np.uint64(p)
    even = entries[: len(entries) // 2 * 2]
    products = _inverses(even[::2] * even[1::2] % modulus, p)
    found = np.empty_like(entries)
    found[: len(even) : 2] = products * even[1::2] % modulus
    found[1 : len(even) : 2] = products * even[::2] % modulus
    found[len(even) :] = _inverses(entries[len(even) :], p)
    return found


def _chances(worth: Floats, most: int) -> Floats:
    """Chances of chains of which at most this many are kept; `worth` is a binary logarithm.

    Examples
    --------
    >>> _chances(np.log2([1, 1, 2, 100]), 3).tolist()
    [0.5, 0.5, 1.0, 1.0]
    """
    if len(worth) <= most:
        return np.ones(len(worth))
    weights = np.exp2(worth - worth.max())
    ascending = np.sort(weights)
    # the largest are kept for certain, as few as leave the others chances of at most 1
    certain = np.arange(most)
    largest = ascending[len(weights) - 1 - certain]
    others = np.cumsum(ascending)[len(weights) - 1 - certain]
    sure = int(np.argmax(largest * (most - certain) <= others))
    return np.asarray(np.minimum(1.0, weights * (most - sure) / others[sure]))


def _kept(chances: Floats, where: float) -> Integers:
    """Chains that are kept: those with a mark.

    Chances are laid end to end, and there is one mark in each interval of length 1, all at the same
    place in it.

    Examples
    --------
    >>> _kept(np.array([0.5, 0.5, 1, 1]), 0.25), _kept(np.array([0.5, 0.5, 1, 1]), 0.75)
    (array([0, 2, 3]), array([1, 2, 3]))
    """
    ends = np.cumsum(chances)
    marks = np.floor(ends - where) - np.floor(ends - chances - where)
    return np.flatnonzero((marks > 0) | (chances == 1))


def _eliminated(tables: Tables, chain: Integers, chosen: Integers, p: int) -> Tables:
    """Tables modulo one more row each, without the column that is zero then."""
    modulus = np.uint64(p)
    pivots = tables[chain, chosen]
    unit = pivots[:, 1:] * _inverses(pivots[:, 0], p)[:, None] % modulus
    found = np.empty((len(chain), tables.shape[1], tables.shape[2] - 1), np.uint64)
    size = max(1, 10**6 // max(1, tables[0].size))  # tables at a time: they stay in the cache
    for first in range(0, len(chain), size):
        part = slice(first, first + size)
        rows = tables[chain[part]]
        found[part] = rows[:, :, :1] * (modulus - unit[part])[:, None, :] % modulus
        found[part] += rows[:, :, 1:]
    found %= modulus
    return found


def sum_of_powers(logs: Any) -> int:
    """Sum of numbers of any size with these binary logarithms, rounded."""
    if not len(logs):
        return 0
    largest = float(logs.max())
    if largest < 900:
        return round(float(np.exp2(logs).sum()))
    shift = ceil(largest) - 60
    return round(float(np.exp2(logs - shift).sum())) << shift
