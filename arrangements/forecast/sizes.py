"""How many chambers, flats and faces to expect, before they are listed or counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from math import comb

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.forecast.random_chains import Chains, Level, random_chains

# Chains that show at little cost whether hyperplanes meet in special ways, unless few of them do.
_FEW_CHAINS = 16


@lru_cache(maxsize=256)
def generic_half(others: int, rank: int) -> int:
    """Chambers on one side of a hyperplane in general position with `others` more.

    This is the number of chambers of an affine arrangement of `others` hyperplanes in
    dimension rank - 1, and an upper bound for every arrangement (Buck 1943; Zaslavsky 1975).

    Examples
    --------
    >>> generic_half(3, 3), generic_half(99, 4)
    (7, 161800)
    """
    return sum(comb(others, k) for k in range(rank))


def uniform_faces(n: int, r: int) -> int:
    """Count the covectors of a uniform oriented matroid: of each zero set, and 0.

    Examples
    --------
    >>> uniform_faces(3, 2), uniform_faces(3, 3)
    (13, 27)
    """
    chambers = [2 * sum(comb(n - k - 1, j) for j in range(r - k)) for k in range(r)]
    return 1 + sum(comb(n, k) * count for k, count in enumerate(chambers))


def most_chambers(arrangement: Arrangement) -> int:
    """Upper bound for the chambers, reached in general position.

    Examples
    --------
    >>> most_chambers(Arrangement([[1, 0], [0, 1], [1, 1]])), most_chambers(Arrangement([[1]], [1]))
    (6, 2)
    """
    n, r = _varying(arrangement), arrangement.rank
    if r == 0:
        return 1
    return 2 * generic_half(n - 1, r) if arrangement.is_central else generic_half(n, r + 1)


def most_faces(arrangement: Arrangement) -> int:
    """Upper bound for the faces, reached in general position.

    Examples
    --------
    >>> most_faces(Arrangement([[1, 0], [0, 1], [1, 1]])), most_faces(Arrangement([[1]], [1]))
    (13, 3)
    """
    n, r = _varying(arrangement), arrangement.rank
    if arrangement.is_central:
        return uniform_faces(n, r)
    return sum(comb(n, k) * generic_half(n - k, r - k + 1) for k in range(r + 1))


def most_flats(arrangement: Arrangement, top: int) -> int:
    """Upper bound for the flats of rank at most `top`, reached in general position.

    Examples
    --------
    >>> most_flats(Arrangement([[1, 0], [0, 1], [1, 1]]), 2)
    5
    """
    n, r = _varying(arrangement), arrangement.rank
    below = sum(comb(n, k) for k in range(min(top + 1, r)))
    if top < r:
        return below
    return below + (1 if arrangement.is_central else comb(n, r))


def expected_chambers(arrangement: Arrangement) -> int:
    """Estimate of the number of chambers: the bound in general position, as far as can be seen.

    Examples
    --------
    >>> expected_chambers(Arrangement([[1, 0], [0, 1], [1, 1], [1, 2]]))
    8
    """
    return _estimate(arrangement, most_chambers, lambda chains: sum(chains.betti_numbers()))


def expected_faces(arrangement: Arrangement) -> int:
    """Estimate of the number of faces of all dimensions."""
    return _estimate(arrangement, most_faces, lambda chains: sum(chains.faces()))


def expected_flats(arrangement: Arrangement, top: int) -> int:
    """Estimate of the number of flats of rank at most `top`."""
    return _estimate(
        arrangement,
        lambda A: most_flats(A, top),
        lambda chains: sum(chains.flats()[: top + 1]),
    )


def _estimate(
    arrangement: Arrangement,
    most: Callable[[Arrangement], int],
    of_chains: Callable[[Chains], int],
) -> int:
    """The bound if a few chains show no coincidence; else what many of them tell."""
    bound = most(arrangement)
    few = random_chains(arrangement, most=_FEW_CHAINS)
    if is_in_general_position(arrangement, few):
        return bound
    chains = chains_of(arrangement)
    return bound if is_in_general_position(arrangement, chains) else min(bound, of_chains(chains))


def looks_generic(arrangement: Arrangement) -> bool:
    """Whether no hyperplanes drawn at random meet in a special way: for predictions only."""
    few = random_chains(arrangement, most=_FEW_CHAINS)  # mostly they tell, in little time
    return is_in_general_position(arrangement, few) and is_in_general_position(
        arrangement, chains_of(arrangement)
    )


def chains_of(arrangement: Arrangement) -> Chains:
    """Random chains of an arrangement, drawn once."""
    kept = arrangement.__dict__
    if "_chains" not in kept:
        kept["_chains"] = random_chains(arrangement)
    chains: Chains = kept["_chains"]
    return chains


def is_in_general_position(arrangement: Arrangement, chains: Chains) -> bool:
    """Whether every flat drawn lies in as few hyperplanes, and is cut by all others, as it can.

    So it is in general position, where all hyperplanes of a central arrangement meet in the end.
    (Covers that were not drawn are not asked: modulo a prime, some of these many may seem one.)
    """
    n, r = _varying(arrangement), arrangement.rank
    steps = r if arrangement.is_central else r + 1
    alone = all((level.inside == np.arange(k + 1)).all() for k, level in _first(chains, steps))
    return alone and all((level.cutting == n - k).all() for k, level in _first(chains, r))


def _first(chains: Chains, ranks: int) -> Iterator[tuple[int, Level]]:
    return islice(enumerate(chains.levels), ranks)


def _varying(arrangement: Arrangement) -> int:
    """Number of rows that are hyperplanes."""
    return arrangement.n_hyperplanes - len(arrangement.loops)
