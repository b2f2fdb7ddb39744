"""Exact margins: half the distance between the hulls of the points on both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import solve
from arrangements.exact.numbers import ExactArray, fractions, times_common_denominator

Vector = tuple[Any, ...]
Support = Callable[[Sequence[Any]], Vector]


def squared_margin(
    points: ExactArray, signs: NDArray[np.int8], offset: bool, above: Fraction = Fraction(-1)
) -> Fraction | None:
    """Square of the largest distance that a hyperplane can have from all points on their sides.

    Parameters
    ----------
    points : (n, d) ndarray
        Exact numbers.
    signs : (n,) ndarray of int8
        The sides, which some hyperplane separates.
    offset : bool
        Whether the hyperplane may miss the origin.
    above : Fraction
        Stop if it is not larger.

    Returns
    -------
    Fraction or None
        A number that is at most `above` if the margin is; None if it is infinite, since all points
        are on one side.

    Notes
    -----
    Wolfe's algorithm (Math. Program. 11 (1976) 128-149) in fractions, on the differences of points
    of both sides or, without an offset, on points times signs.

    Examples
    --------
    >>> points = np.array([[0, 0], [3, 1], [3, -1]])
    >>> squared_margin(points, np.array([-1, 1, 1]), True)
    Fraction(9, 4)
    """
    rows, common = times_common_denominator([fractions(point) for point in points])
    pairs = list(zip(rows, signs.tolist(), strict=True))
    sides = [[[*row] for row, sign in pairs if sign == side] for side in (1, -1)]
    if offset and not all(sides):
        return None
    factor = Fraction(1, (2 * common if offset else common) ** 2)

    def support(z: Sequence[Any]) -> Vector:
        """The vertex that is least in a direction."""
        if not offset:
            signed = sides[0] + [[-x for x in row] for row in sides[1]]
            vertex = min(signed, key=lambda row: _dot(row, z))
            return tuple(vertex)
        low = min(sides[0], key=lambda row: _dot(row, z))
        high = max(sides[1], key=lambda row: _dot(row, z))
        return tuple(a - b for a, b in zip(low, high, strict=True))

    return factor * _least_square(support, support([0] * points.shape[1]), above / factor)


def _dot(one: Sequence[Any], other: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _least_square(support: Support, first: Vector, above: Fraction) -> Fraction:
    """The least square of a point of a polytope, or one that is at most `above`."""
    corral, weights, z = [first], [Fraction(1)], [*first]
    while (square := Fraction(_dot(z, z))) > above:
        vertex = support(z)
        if _dot(z, vertex) >= square:
            break
        corral, weights = [*corral, vertex], [*weights, Fraction(0)]
        while min(nearest := _affine_weights(corral)) <= 0:
            pairs = list(zip(weights, nearest, strict=True))
            step = min(w / (w - y) for w, y in pairs if y <= 0)
            moved = [w + step * (y - w) for w, y in pairs]
            corral = [v for v, w in zip(corral, moved, strict=True) if w > 0]
            weights = [w for w in moved if w > 0]
        weights = nearest
        z = [_dot(weights, [v[c] for v in corral]) for c in range(len(z))]
    return square


def _affine_weights(corral: list[Vector]) -> list[Fraction]:
    """Weights of sum 1 of the point of the affine hull that is nearest to the origin."""
    # positive definite, since the points of a corral are affinely independent
    matrix = [[1 + _dot(u, v) for v in corral] for u in corral]
    found = solve(matrix, [1] * len(corral))
    assert found is not None
    total = Fraction(sum(found))
    return [x / total for x in found]
