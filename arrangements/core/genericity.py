"""Proof that an arrangement is generic: no minor that could vanish does.

The rows are points of a projective space over a prime field, in random coordinates, and are
projected from one row after another. Two rows that coincide after k projections, together with the
k rows, are a dependent set. Without any coincidence every minor is non-zero modulo the prime, hence
non-zero. A coincidence is only a proposal: it is decided over the integers.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.exact import linear
from arrangements.exact.integer_image import residue_rows
from arrangements.exact.residues import ATTEMPTS

Residues = NDArray[np.uint64]

# Most rows projected before the proof is refused: about ten seconds of NumPy.
WORK_LIMIT = 20_000_000


class _Unlucky(Exception):
    """A minor vanishes modulo the prime but not over the integers."""


def prove_generic(rows: Sequence[Sequence[int]], rank: int) -> bool:
    """Whether every min(n, rank) of n integer rows of that rank are independent; exact.

    Raises
    ------
    TooLargeError
        If more than `WORK_LIMIT` rows would have to be projected.

    Notes
    -----
    Time O(n log n) for each of the C(n, r - 2) projections.

    Examples
    --------
    >>> prove_generic([[1, 0], [0, 1], [1, 1]], 2), prove_generic([[1, 0], [0, 1], [1, 0]], 2)
    (True, False)
    """
    n = len(rows)
    if n <= rank:
        return True  # the rank itself proves the rows independent
    if rank <= 1:
        return all(any(row) for row in rows)
    work = n * comb(n, rank - 2)
    if work > WORK_LIMIT:
        raise TooLargeError(
            f"whether {n} rows of rank {rank} are generic takes {work:.1e} row operations, more "
            f"than the {WORK_LIMIT:.0e} allowed; a listing does not need to know (chambers)."
        )
    for attempt in range(ATTEMPTS):
        p, residues = residue_rows(rows, attempt)
        try:
            return _search_coincidence(rows, residues, rank, p) is None
        except _Unlucky:
            continue
    raise TooLargeError(
        f"minors vanish modulo {ATTEMPTS} random primes but not over the integers: there are too "
        "many minors for 31-bit primes."
    )


def _search_coincidence(
    rows: Sequence[Sequence[int]], residues: Residues, rank: int, p: int
) -> tuple[int, ...] | None:
    """Find at most `rank` dependent rows: their indices, or None."""
    points = _normalized(_random_coordinates(residues, rank, p), p)
    if rank == 2:
        pairs = _equal_points(np.zeros(len(rows), np.uint64), points[:, 1])
        return _first_dependent(rows, pairs)
    return _search(rows, (), np.arange(len(rows)), points, p)


def _search(
    rows: Sequence[Sequence[int]],
    apexes: tuple[int, ...],
    members: NDArray[np.intp],
    points: Residues,
    p: int,
) -> tuple[int, ...] | None:
    """Search the rows `members`, seen as `points` from the rows `apexes`, for a dependency."""
    for first, last in _pair_chunks(len(points)):
        i, j = _pairs(first, last, len(points))
        seen = (points[j, 1:] + (np.uint64(p) - points[i, 1:])) % np.uint64(p)
        for pair in np.flatnonzero(~seen.any(axis=1))[:1]:
            return _confirmed(rows, (*apexes, int(members[i[pair]]), int(members[j[pair]])))
        seen = _normalized(seen, p)
        if seen.shape[1] == 2:
            equal = _equal_points(i.astype(np.uint64), seen[:, 1])
            triples = ((i[a], j[a], j[b]) for a, b in equal)
            found = _first_dependent(
                rows, ((*apexes, *(int(members[k]) for k in triple)) for triple in triples)
            )
            if found is not None:
                return found
            continue
        ends = np.searchsorted(i, np.arange(first, last + 1))
        for k in range(first, last):
            part = slice(ends[k - first], ends[k - first + 1])
            found = _search(rows, (*apexes, int(members[k])), members[j[part]], seen[part], p)
            if found is not None:
                return found
    return None


def _pair_chunks(m: int) -> list[tuple[int, int]]:
    """Ranges of first indices, such that few pairs are held at a time."""
    step = max(1, 500_000 // max(m, 1))
    return [(lo, min(lo + step, m)) for lo in range(0, m, step)]


def _pairs(first: int, last: int, m: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All (i, j) with first <= i < last and i < j < m, i ascending."""
    i, j = np.triu_indices(last - first, 1, m - first)
    return i + first, j + first


def _first_dependent(
    rows: Sequence[Sequence[int]], candidates: Iterable[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """First of the index sets whose rows are dependent over the integers, or None.

    It passes over chance coincidences modulo the prime.
    """
    for indices in candidates:
        if linear.rank([rows[i] for i in indices]) < len(indices):
            return indices
    return None


def _confirmed(rows: Sequence[Sequence[int]], indices: tuple[int, ...]) -> tuple[int, ...]:
    """Return `indices` if these rows are also dependent over the integers."""
    if linear.rank([rows[i] for i in indices]) == len(indices):
        raise _Unlucky
    return indices


def _normalized(points: Residues, p: int) -> Residues:
    """Points scaled to first coordinate 1, which is not 0 in random coordinates."""
    if not points[:, 0].all():
        raise _Unlucky
    return points * _inverse(points[:, :1], p) % np.uint64(p)


def _inverse(values: Residues, p: int) -> Residues:
    """Inverses modulo p, by Fermat."""
    prime, exponent = np.uint64(p), p - 2
    result = np.ones_like(values)
    while exponent:
        if exponent & 1:
            result = result * values % prime
        values = values * values % prime
        exponent >>= 1
    return result


def _equal_points(groups: Residues, values: Residues) -> Iterator[tuple[int, int]]:
    """Ascending positions of all pairs of equal values in the same group."""
    keys = groups << np.uint64(32) | values  # values are below 2**31
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    gap = 1
    while True:
        equal = np.flatnonzero(ordered[gap:] == ordered[:-gap])
        if not len(equal):
            return
        yield from zip(order[equal].tolist(), order[equal + gap].tolist(), strict=True)
        gap += 1


def _random_coordinates(residues: Residues, rank: int, p: int) -> Residues:
    """Residues of the rows times a random matrix, (n, rank); a change of basis if rank is full."""
    rng = np.random.default_rng(p)
    mixed = np.zeros((len(residues), rank), dtype=np.uint64)
    for column in residues.T:
        factors = rng.integers(1, p, size=rank, dtype=np.uint64)
        mixed = (mixed + column[:, None] * factors) % np.uint64(p)
    return mixed
