"""The regions along a segment, with the points where it crosses from one to the next."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions
from arrangements.exact.numbers import check_rational
from arrangements.networks.affine_maps import Composition, compose
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.network import Network, Point
from arrangements.networks.region import Region


@public_class
class Path(NamedTuple):
    """The pieces of a segment from x to y.

    Attributes
    ----------
    times : tuple of Fraction
        0, the crossings, and 1: piece k is the open segment between ``x + times[k] * (y - x)`` and
        the next.
    points : tuple of points
        The points at these times.
    patterns : (k, n_units) ndarray of int8
        The signs of all units on each piece.
    regions : tuple of Region, or None
        The region that contains each piece; None for a piece between regions, where a unit is zero
        that is not zero around it.
    """

    times: tuple[Fraction, ...]
    points: tuple[Point, ...]
    patterns: NDArray[np.int8]
    regions: tuple[Region | None, ...]

    def __repr__(self) -> str:
        k, n = self.patterns.shape
        return f"Path({k} piece{'s' * (k != 1)} of {n} unit{'s' * (n != 1)})"

    def _repr_html_(self) -> str:
        rows = [
            [notebook.number(t), notebook.number(u), notebook.signs(signs)]
            for t, u, signs in zip(self.times, self.times[1:], self.patterns, strict=False)
        ]
        shown = notebook.table(["from", "to", "pattern"], rows[: notebook.ROWS], len(rows))
        return notebook.card(repr(self), (), shown)


def path(network: Network, x: ArrayLike, y: ArrayLike) -> Path:
    """The regions along the segment from x to y, with the crossing points, exact.

    Parameters
    ----------
    network : Network
    x, y : (d,) array_like
        Two different points.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        If a point is malformed, or both are the same.

    Notes
    -----
    Layer by layer, each piece is cut where a unit changes its sign: one composition of the network
    with two columns for each piece, in integers. On the segment the outputs are affine between the
    crossings.

    Examples
    --------
    >>> tent = Network([([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], None)])
    >>> found = path(tent, [0], [1])
    >>> [str(t) for t in found.times], found.patterns.tolist()
    (['0', '1/4', '1/2', '3/4', '1'], [[1, -1, 1, -1], [1, -1, 1, 1], [1, 1, 1, 1], [1, 1, 1, -1]])
    >>> [str(tent.forward(point)[0]) for point in found.points]
    ['0', '1', '0', '1', '0']
    """
    check_instance("network", network, Network)
    ends = [_read_point(name, point, network) for name, point in (("x", x), ("y", y))]
    if ends[0] == ends[1]:
        raise InputError("x and y are the same point; expected two. region_at has its region.")
    common = lcm(*(entry.denominator for point in ends for entry in point))
    start, end = ([int(common * entry) for entry in point] for point in ends)
    step = [b - a for a, b in zip(start, end, strict=True)]
    pieces = list(
        _pieces(Composition.of(network.layers, [[*step, 0], [*start, common]]), _WHOLE, ())
    )
    times = (*(piece[0] for piece in pieces), Fraction(1))
    points = tuple(tuple(a + t * (b - a) for a, b in zip(*ends, strict=True)) for t in times)
    patterns = np.array([piece[1] for piece in pieces], np.int8).reshape(len(pieces), -1)
    domain = read_domain(None, network)
    assert domain is not None  # everything is not empty
    middles = [
        tuple((a + b) / 2 for a, b in zip(p, q, strict=True))
        for p, q in zip(points, points[1:], strict=False)
    ]
    regions = tuple(
        _region(network, pattern, domain, point)
        for pattern, point in zip(patterns, middles, strict=True)
    )
    return Path(times, points, patterns, regions)


_WHOLE = (Fraction(0), Fraction(1))


def _read_point(name: str, given: ArrayLike, network: Network) -> Point:
    point = as_fractions(given, name)
    if len(point) != network.dimension:
        raise InputError(
            f"{name} has {len(point)} entries; expected {network.dimension}, the inputs."
        )
    check_rational(name, point)
    return point


def _pieces(
    state: Composition, part: tuple[Fraction, Fraction], before: tuple[int, ...]
) -> Iterator[tuple[Fraction, tuple[int, ...]]]:
    """Beginning and pattern of the pieces of a part, where the first layers have given signs."""
    if len(state.outputs) == len(state.layers):
        yield part[0], before
        return
    z, units = state.preactivations(), state.layer.n_units
    (p, q), (r, s) = (t.as_integer_ratio() for t in part)
    ends = [(a * p + b * q, a * r + b * s) for a, b in z.rows[:units]]
    # a unit changes its sign inside if its signs at the ends are opposite
    zeros = {
        i: Fraction(-z.rows[i][1], z.rows[i][0])
        for i, (v, w) in enumerate(ends)
        if (v > 0 > w) or (v < 0 < w)
    }
    signs = [(max(end) > 0) - (min(end) < 0) for end in ends]
    times = [part[0], *sorted(set(zeros.values())), part[1]]
    for t, u in zip(times, times[1:], strict=False):
        for i, zero in zeros.items():
            first, last = ends[i]
            signs[i] = 1 if (last if zero <= t else first) > 0 else -1
        own = tuple(signs)
        yield from _pieces(state.then(z, own), (t, u), (*before, *own))


def _region(
    network: Network, pattern: NDArray[np.int8], domain: Domain, point: Point
) -> Region | None:
    """The region with a pattern that occurs on a segment, None if it is none."""
    if not pattern.all():
        layers = zip(network.layers, compose(network.layers, pattern.tolist())[0], strict=True)
        rows = [row for layer, z in layers for row in z.rows[: layer.n_units]]
        if any(any(row) for row, sign in zip(rows, pattern.tolist(), strict=True) if not sign):
            return None
    return Region(network, pattern, domain, point)
