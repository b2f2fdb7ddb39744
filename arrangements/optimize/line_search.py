"""Good chambers, quickly: the best place on one line after the other, in floats.

What is proposed may not be a chamber, and need not be the best: who asks proves it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.feasibility.interior import prepared
from arrangements.optimize.costs import Costs

# Starts; and for each coordinate, the lines in a row that do not help before a start is given up,
# and the most lines.
_STARTS, _PATIENCE, _LINES = 6, 6, 60

Floats = NDArray[np.float64]


def proposals(arrangement: Arrangement, costs: Costs) -> Iterator[NDArray[np.int8]]:
    """Sign vectors of small value, probably chambers; the last is one, from any point."""
    n = arrangement.n_hyperplanes
    system, affine = prepared(arrangement)
    rows = system.floats.T
    rows = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit = 1 << max(map(abs, costs.gains), default=0).bit_length()  # gains may exceed all floats
    gains = np.array([g / unit for g in costs.gains])
    rng = np.random.default_rng(0)
    infinity, rows = (rows[0], rows[1:]) if affine else (None, rows)
    for start in range(_STARTS):
        point = _start(rows, gains, rng, start)
        if infinity is not None and infinity @ point <= 0:
            point = point + (1.0 - infinity @ point) * infinity
        values = rows @ _improved(rows, gains, point, infinity, rng)
        yield np.where(values > 0, 1, -1).astype(np.int8)
    yield np.array([1 if s else -1 for s in _some_chamber(arrangement, n)], np.int8)


def _some_chamber(arrangement: Arrangement, n: int) -> list[bool]:
    """Signs at an integer point that lies on no hyperplane."""
    rows, affine = arrangement.integer_rows, not arrangement.is_central
    rng = np.random.default_rng(0)
    size = 4 * n + 4
    while True:
        point = [*rng.integers(-size, size, arrangement.dimension).tolist(), *([1] * affine)]
        values = [sum(a * x for a, x in zip(row, point, strict=False)) for row in rows]
        if all(values):
            return [value > 0 for value in values]
        size *= 2


def _start(rows: Floats, gains: Floats, rng: np.random.Generator, start: int) -> Floats:
    """Where a search begins: where the wanted signs are nearly had on average, then anywhere."""
    if start == 0:
        wanted = -np.sign(gains)
        solution = np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0], np.float64)
        if solution.any():
            return solution
    if start == 1:
        mean: Floats = -(gains @ rows)
        if mean.any():
            return mean
    return np.asarray(rng.standard_normal(rows.shape[1]))


def _improved(
    rows: Floats, gains: Floats, point: Floats, infinity: Floats | None, rng: np.random.Generator
) -> Floats:
    """The best point found on lines through the point and those that follow."""
    d, idle = rows.shape[1], 0
    if infinity is not None:
        infinity = infinity / np.linalg.norm(infinity)
    for _ in range(_LINES * d):
        if idle == _PATIENCE * d:
            break
        direction = np.asarray(rng.standard_normal(d))
        if infinity is not None:  # a line that stays on this side of the hyperplane at infinity
            direction -= (direction @ infinity) * infinity
        moved = _best_on_line(rows, gains, point, direction)
        if moved is None:
            idle += 1
        else:
            point, idle = moved, 0
    return point


def _best_on_line(rows: Floats, gains: Floats, point: Floats, direction: Floats) -> Floats | None:
    """The middle of the best interval of the line, if it is better than where the point lies."""
    at, slope = rows @ point, rows @ direction
    moving = slope != 0
    places = -at[moving] / slope[moving]
    order = np.argsort(places)
    places = places[order]
    changes = np.where(slope[moving][order] > 0, gains[moving][order], -gains[moving][order])
    now = gains[at > 0].sum()
    start = gains[moving & (slope < 0)].sum() + gains[~moving & (at > 0)].sum()
    values = start + np.concatenate([[0.0], changes.cumsum()])
    gaps = np.diff(places, prepend=-np.inf, append=np.inf)
    values[gaps <= 1e-12] = np.inf
    best = int(np.argmin(values))
    if not len(places) or values[best] >= now - 1e-9 * np.abs(gains).sum():
        return None
    if best == 0:
        step = places[0] - 1.0
    elif best == len(places):
        step = places[-1] + 1.0
    else:
        step = (places[best - 1] + places[best]) / 2
    moved = point + step * direction
    size = np.linalg.norm(moved)
    return moved / size if 0 < size < np.inf else None
