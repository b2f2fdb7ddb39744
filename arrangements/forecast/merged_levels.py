"""About how many states each level of merged restrictions will have, and how symmetric they are.

Let the rows be x_i in coordinates in which ``sum x_i x_i^T`` is the identity. Linear maps that
permute the rows are then orthogonal, so all flats of an orbit of symmetries have the same multiset
of squared lengths ``|x_i - proj_X x_i|^2``: the *key* of a flat X of normals. Random chains of
flats, each spanned by random rows, are drawn and told apart by their keys. Keys that were met once,
twice, .. say how many more there are (Chao and Lee, J. Amer. Statist. Assoc. 87 (1992) 210-217).

A level of which most chains have keys of their own is counted by steps instead: states times
orbits of rows, divided by the number of steps that lead to a state. The latter grows evenly with
the rank, as far as the levels before show.

Floats are enough, since nothing here is proved: docs/algorithms.md, section 12.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Lengths that are computed altogether: about a second; chains at most, and at a time.
_LENGTHS, _MOST_CHAINS, _CHAINS = 80_000_000, 40_000, 32
# States of each level of which the rows are looked at, at most and at least; and pairs of rows.
_LOOKED_AT, _FEWEST, _PAIRS = 40, 4, 20_000_000
# Among more hyperplanes orbits are not looked for: their angles would take more than 128 MiB.
_MOST_LINES = 4096
# Keys that were met more often are known to be all; and the share of chains that must have keys
# that others have, too.
_OFTEN, _COVERED = 30, 0.7
# Columns of which this share is independent of those before are not.
_DEPENDENT = 1e-6
# Squared lengths below this share of those of the rows are zero; keys and rows that differ by less
# are equal.
_ZERO, _EQUAL = 1e-9, 2.0**-30


class MergedLevel(NamedTuple):
    """The states of one codimension.

    Attributes
    ----------
    states : float
        About how many there are.
    rows, orbits : (m,) float64
        Hyperplanes of some of them, and orbits of these under symmetries of the state; of the
        arrangement itself, for which nobody looks for symmetries, as many.
    """

    states: float
    rows: Floats
    orbits: Floats


def merged_levels(rows: Floats, depth: int, seed: int = 0) -> list[MergedLevel]:
    """The levels of codimension 0, .., depth of a central arrangement.

    Parameters
    ----------
    rows : (n, r) float64
        Of rank r; scaled as symmetries are expected to keep them, such as primitive integers.
    depth : int
        Less than r.

    Raises
    ------
    numpy.linalg.LinAlgError
        If floats hide that the rank is r.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> levels = merged_levels(resonance(6).normals.astype(float), 2)
    >>> [round(level.states) for level in levels], [round(level.rows.mean()) for level in levels]
    ([1, 3, 7], [63, 43, 28])
    """
    rng = np.random.default_rng(seed)
    vectors = _isotropic(rows)
    chosen, keys = _draw_chains(vectors, depth, rng)
    levels: list[MergedLevel] = []
    ways = [1.0]  # steps that lead to a state, on average
    for k in range(depth + 1):
        _, first, counts = np.unique(keys[k], return_index=True, return_counts=True)
        states = _number_of_classes(counts)
        steps = levels[-1].states * float(levels[-1].orbits.mean()) if k > 1 else float(len(counts))
        if states is None:
            states = steps / max(k, 2 * ways[-1] - ways[-2])
        states = float(min(max(states, len(counts)), steps))
        ways.append(steps / states)
        shapes = _shapes(vectors, chosen[rng.permutation(first), :k], rng)
        levels.append(MergedLevel(states, *shapes.T))
    return levels


def _isotropic(rows: Floats) -> Floats:
    """The rows in coordinates in which the sum of their squares is the identity."""
    with np.errstate(all="ignore"):
        scaled = rows / np.abs(rows).max(axis=0)
    if not np.isfinite(scaled).all():
        raise np.linalg.LinAlgError("numbers are beyond the range of floats")
    vectors, factors = np.linalg.qr(scaled)
    steps = np.abs(np.diagonal(factors))
    if not (steps > _DEPENDENT * steps.max()).all():
        raise np.linalg.LinAlgError("the columns are dependent, or almost")
    return vectors


def _draw_chains(
    vectors: Floats, depth: int, rng: np.random.Generator
) -> tuple[Integers, list[NDArray[np.uint64]]]:
    """Rows that span chains of flats, (m, depth), and the key of each flat, by codimension."""
    n = len(vectors)
    number = min(_MOST_CHAINS, _LENGTHS // (n * (depth + 1)))
    all_chosen, all_keys = [], []
    for _ in range(0, max(number, 2 * _CHAINS), _CHAINS):
        chosen, sums = _draw_some(vectors, depth, rng)
        all_chosen.append(chosen)
        all_keys.append(sums)
    chosen, sums = np.concatenate(all_chosen), np.concatenate(all_keys, axis=1)
    # 0.27 is no likely value of a sum, so that rounding errors seldom cross a bound
    rounded = np.floor(sums / sums[:, :1] / _EQUAL + 0.27).astype(np.uint64)
    return chosen, [level[:, 0] * np.uint64(0x9E3779B97F4A7C15) ^ level[:, 1] for level in rounded]


def _draw_some(vectors: Floats, depth: int, rng: np.random.Generator) -> tuple[Integers, Floats]:
    """Some chains: their rows, and two sums of powers of the squared lengths at each level."""
    n, rank = vectors.shape
    each, columns = np.arange(_CHAINS), vectors.T.copy()
    whole = np.einsum("ij,ij->i", vectors, vectors)
    squares, least = np.tile(whole, (_CHAINS, 1)), _ZERO * whole
    chosen = np.zeros((_CHAINS, depth), np.int64)
    basis = np.zeros((_CHAINS, depth, rank))
    sums = np.zeros((depth + 1, _CHAINS, 2))
    for k in range(depth + 1):
        power = squares * squares
        sums[k, :, 0] = np.einsum("ij,ij->i", power, squares)
        sums[k, :, 1] = np.einsum("ij,ij->i", power, power)
        if k == depth:
            break
        row = rng.integers(n, size=_CHAINS)
        while len(inside := np.flatnonzero(squares[each, row] < least[row])):
            row[inside] = rng.integers(n, size=len(inside))
        chosen[:, k] = row
        unit = vectors[row]
        for _ in range(2):  # the second time takes away rounding errors of the first
            parts = np.einsum("ctr,cr->ct", basis[:, :k], unit)
            unit = unit - np.einsum("ct,ctr->cr", parts, basis[:, :k])
        basis[:, k] = unit / np.linalg.norm(unit, axis=1)[:, None]
        squares -= np.square(basis[:, k] @ columns)
    return chosen, sums


def _number_of_classes(counts: Integers) -> float | None:
    """How many keys there are, if these were met so often; None if most were met once.

    Examples
    --------
    >>> _number_of_classes(np.array([40, 50])), _number_of_classes(np.ones(5, int))
    (2.0, None)
    """
    rare = counts[counts <= _OFTEN]
    once, met = int((rare == 1).sum()), int(rare.sum())
    if once > (1 - _COVERED) * counts.sum():
        return None
    often = float(len(counts) - len(rare))
    if not once:
        return float(len(counts))
    covered = 1 - once / met
    if covered <= 0:
        return None
    pairs = float((rare * (rare - 1)).sum())
    spread = max(0.0, len(rare) / covered * pairs / (met * max(1, met - 1)) - 1)
    return often + (len(rare) + once * spread) / covered


def _shapes(vectors: Floats, chosen: Integers, rng: np.random.Generator) -> Floats:
    """`_shape` of the first flats, as many as there is time for."""
    found: list[tuple[int, int]] = []
    pairs = 0
    for rows in chosen[:_LOOKED_AT]:
        if not len(rows):  # nobody looks for symmetries of the arrangement itself
            return np.full((1, 2), float(len(vectors)))
        found.append(_shape(vectors, rows, rng))
        pairs += found[-1][0] ** 2
        if pairs > _PAIRS and len(found) >= _FEWEST:
            break
    return np.array(found, np.float64)


def _shape(vectors: Floats, chosen: Integers, rng: np.random.Generator) -> tuple[int, int]:
    """Hyperplanes of the restriction to a flat, and about how many orbits they are in."""
    basis = np.linalg.qr(vectors[chosen].T)[0]
    rest = vectors - vectors @ basis @ basis.T
    squares = np.einsum("ij,ij->i", rest, rest)
    cutting = squares >= _ZERO * np.einsum("ij,ij->i", vectors, vectors)
    rest, squares = rest[cutting], squares[cutting]
    above, below = rng.standard_normal((2, rest.shape[1]))
    line = _classes((rest @ above) / (rest @ below))
    lines = int(line.max()) + 1
    if lines > _MOST_LINES:
        return lines, lines
    weights = np.bincount(line, squares)
    units = np.zeros((lines, rest.shape[1]))
    units[line] = rest / np.sqrt(squares)[:, None]
    powers = units @ units.T
    for _ in range(2):
        np.square(powers, out=powers)
    seen = powers @ (weights * weights)
    return lines, int(_classes(seen + np.pi * weights).max()) + 1


def _classes(values: Floats) -> Integers:
    """Numbers of the classes of values that are equal but for rounding errors."""
    order = np.argsort(values)
    ascending = values[order]
    steps = np.diff(ascending) > _EQUAL * np.abs(ascending[1:])
    found = np.empty(len(values), np.int64)
    found[order] = np.concatenate([[0], np.cumsum(steps)])
    return found
