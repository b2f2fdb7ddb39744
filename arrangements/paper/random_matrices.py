"""Random exact matrices: generic ones, and ones full of coincidences."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["integer", "float", "small", "low rank", "repeated"]

KINDS: tuple[Kind, ...] = ("integer", "float", "small", "low rank", "repeated")


def random_rows(kind: Kind, n: int, d: int, rng: np.random.Generator) -> NDArray[Any]:
    """Random rows, none of them zero.

    Parameters
    ----------
    kind : {"integer", "float", "small", "low rank", "repeated"}
        Integers below 1000 in absolute value; Gaussian float64; integers from -2 to 2; a
        product of integer matrices of rank below d (if d >= 2); integer rows half of which are
        multiples of others.
    n, d : int
        Rows and columns.
    rng : numpy.random.Generator

    Returns
    -------
    (n, d) ndarray of int64 or float64

    Examples
    --------
    >>> random_rows("small", 3, 2, np.random.default_rng(0)).shape
    (3, 2)
    """
    if kind == "float":
        return rng.standard_normal((n, d))
    if kind == "small":
        return _non_zero(rng.integers(-2, 3, (n, d)))
    if kind == "low rank":
        r = int(rng.integers(1, max(d, 2)))
        return _non_zero(rng.integers(-9, 10, (n, r))) @ _independent(r, d, rng)
    rows = _non_zero(rng.integers(-999, 1000, (n, d)))
    if kind == "repeated":
        originals = (n + 1) // 2
        copies = rng.integers(0, originals, n - originals)
        factors = rng.choice([-3, -1, 1, 2], (n - originals, 1))
        rows[originals:] = factors * rows[copies]
        rng.shuffle(rows)
    return rows


def random_labels(kind: Kind, n: int, d: int, rng: np.random.Generator) -> NDArray[Any]:
    """Random rows, no two of them equal; the kinds are about their differences.

    Parameters
    ----------
    kind : {"integer", "float", "small", "low rank", "repeated"}
        As for `random_rows`; "small" are points of a grid, and "repeated" are translates of a
        few points along one direction.
    n, d : int
    rng : numpy.random.Generator

    Returns
    -------
    (n, d) ndarray of int64 or float64

    Examples
    --------
    >>> len(random_labels("repeated", 7, 2, np.random.default_rng(0)))
    7
    """
    if kind == "float":
        return rng.standard_normal((n, d))
    if kind == "small":
        return _grid_points(n, d, rng)
    if kind == "low rank":
        r = int(rng.integers(1, max(d, 2)))
        return _grid_points(n, r, rng) @ _independent(r, d, rng)
    points = _distinct(n, d, rng)
    if kind == "repeated":
        originals, direction = max(1, n // 3), _non_zero(rng.integers(-9, 10, (1, d)))
        index = rng.permutation(n)
        # points that differ by more than all translations stay distinct
        return 1000 * points[index % originals] + (index // originals)[:, None] * direction
    return points


def _non_zero(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows with e_1 in place of zero rows."""
    rows[~rows.any(axis=1), 0] = 1
    return rows


def _independent(r: int, d: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Independent integer rows: a triangle of ones on the diagonal somewhere."""
    rows = rng.integers(-9, 10, (r, d))
    columns = rng.permutation(d)[:r]
    rows[:, columns] = np.tril(rows[:, columns], -1) + np.eye(r, dtype=np.int64)
    return rows


def _grid_points(n: int, d: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Different points of a grid about twice as large as needed."""
    side = 2
    while side**d < 2 * n:
        side += 1
    places = rng.choice(side**d, n, replace=False)
    return np.stack(np.unravel_index(places, (side,) * d), axis=1).astype(np.int64)


def _distinct(n: int, d: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Different integer rows."""
    while True:
        rows = rng.integers(-999, 1000, (n, d))
        if len(np.unique(rows, axis=0)) == n:
            return rows
