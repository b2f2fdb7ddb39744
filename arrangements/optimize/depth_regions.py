"""The points that are at least so deep in a cloud of data: exact polytopes, and the deepest one.

Such a region is the intersection of closed half-spaces outside of which there are fewer data points
than the depth. Let p be the point that the k-th smallest of the products u . x_i belongs to. Which
one it is changes only where u . (x_j - p) = 0 for another point, so the directions u with the same
p are a union of cones, chambers of the rows x_j - p, and a half-space of a direction in a cone
contains the intersection of those of the extreme rays of its closure. If the data do not lie in a
hyperplane, such a ray is orthogonal to d - 1 independent differences x_j - p. So the half-spaces
with d independent data points on their boundary are enough, in any position of the points.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import as_list, check_flag, check_integer, check_max_hours
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.linear import column_basis, nullspace, solve
from arrangements.exact.numbers import check_rational, fractions, times_common_denominator
from arrangements.exact.text import exact_repr
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.forecast.hours import check_hours
from arrangements.messages import short_number
from arrangements.optimize.polytopes import Polytope

Point = tuple[Fraction, ...]
Floats = NDArray[np.float64]

_MOST_DIMENSIONS = 4
_ROUNDING = 2.0**-53
# Signs of products that are found in a second, and bytes of a half-space.
_PACE, _BYTES = 1e8, 100
# Far above the numbers whose last bits float64 drops.
_TINY = 1e-290
# Points whose products are held at a time.
_BLOCK = 2**21
# What a progress bar counts, for each dimension.
_PIVOTS = ("", "clouds", "points", "pairs of points", "triples of points")


@public_class
@dataclass(frozen=True)
class DepthRegion:
    """All points that are at least so deep in a cloud of data.

    Attributes
    ----------
    depth : int
        Each closed half-space with a point of the region holds at least so many data points.
    vertices : tuple of tuple of Fraction
        Of the region, which is their convex hull; in the plane counterclockwise. If it is a single
        point or a segment, one or two.
    """

    depth: int
    vertices: tuple[Point, ...]

    @property
    def point(self) -> Point:
        """The mean of the vertices."""
        columns = zip(*self.vertices, strict=True)
        return tuple(sum(column, Fraction(0)) / len(column) for column in columns)

    def __repr__(self) -> str:
        return f"DepthRegion(depth={self.depth}, vertices={exact_repr(self.vertices)})"

    def _repr_html_(self) -> str:
        n = len(self.vertices)
        shape = {1: "a single point", 2: "a segment"}.get(n, f"the convex hull of {n:,} points")
        axes = [notebook.Markup(f"x<sub>{k + 1}</sub>") for k in range(len(self.vertices[0]))]
        rows = ([i, *notebook.numbers(vertex)] for i, vertex in enumerate(self.vertices))
        title = f"Points of depth at least {self.depth}: {shape}"
        return notebook.card(title, (), notebook.table(["vertex", *axes], rows, n))


def halfspace_median(
    data: ArrayLike, *, workers: int = 1, progress: bool = False, max_hours: float | None = None
) -> DepthRegion:
    """Find the points of largest halfspace depth (Tukey depth) in a cloud of data, exactly.

    Parameters
    ----------
    data : (n, d) array_like of int, float or Fraction
        d at most 4; in any position; a point that occurs twice counts twice. A float counts as the
        exact dyadic number it is.
    workers : int
        Threads.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a day.

    Returns
    -------
    DepthRegion
        All deepest points; its `point` is the mean of the vertices, a median.

    Raises
    ------
    InputError
        If there are no data, or d is larger than 4.
    TooLargeError
        If it is expected to take more than `max_hours`, or more memory than there is.

    See Also
    --------
    depth_region : all points of at least some depth.
    halfspace_depth : the depth of given points.
    plot_depth : a picture.

    Notes
    -----
    O(n**(d + 1)) products decide on which sides of the hyperplanes through d data points the others
    lie. A region is cut out of the cloud by the half-spaces that it is not in, for O(log n) depths:
    regions are nested, and the largest depth is at least n / (d + 1).

    Examples
    --------
    >>> found = halfspace_median([[0, 0], [4, 0], [0, 4], [4, 4], [1, 1]])
    >>> found.depth, found.point
    (2, (Fraction(3, 2), Fraction(3, 2)))
    """
    return Regions(data, workers, progress, max_hours).deepest()


def depth_region(
    data: ArrayLike,
    depth: int,
    *,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> DepthRegion:
    """Find all points of at least a halfspace depth in a cloud of data, exactly.

    Parameters
    ----------
    data : (n, d) array_like of int, float or Fraction
        d at most 4.
    depth : int
        At least 1, which is the convex hull of the data.
    workers, progress, max_hours
        As in `halfspace_median`.

    Returns
    -------
    DepthRegion

    Raises
    ------
    InputError
        As `halfspace_median`, and if no point is so deep.
    TooLargeError
        As `halfspace_median`.

    Examples
    --------
    >>> square = [[0, 0], [4, 0], [0, 4], [4, 4], [1, 1]]
    >>> [[int(x) for x in vertex] for vertex in depth_region(square, 1).vertices]
    [[0, 0], [4, 0], [4, 4], [0, 4]]
    """
    regions = Regions(data, workers, progress, max_hours)
    return regions.existing(check_integer("depth", depth, 1), "depth is")


def depth_contours(
    data: ArrayLike,
    depths: Iterable[int] | None = None,
    *,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> list[DepthRegion]:
    """Find the regions of several halfspace depths in a cloud of data, exactly: all contours.

    Parameters
    ----------
    data : (n, d) array_like of int, float or Fraction
        d at most 4.
    depths : sequence of int, optional
        Each at least 1; default all from 1 to the largest depth.
    workers, progress, max_hours
        As in `halfspace_median`.

    Returns
    -------
    list of DepthRegion
        One for each of the depths, in their order; from the convex hull to the deepest points by
        default.

    Raises
    ------
    InputError
        As `depth_region`.
    TooLargeError
        As `halfspace_median`.

    See Also
    --------
    depth_region : one of them.
    plot_depth : a picture.

    Examples
    --------
    >>> square = [[0, 0], [4, 0], [0, 4], [4, 4], [1, 1]]
    >>> [(region.depth, len(region.vertices)) for region in depth_contours(square)]
    [(1, 4), (2, 2)]
    """
    regions = Regions(data, workers, progress, max_hours)
    if depths is not None:
        return [
            regions.existing(check_integer("depths", k, 1), "depths has")
            for k in as_list("depths", depths)
        ]
    found, depth = [], 1
    while (region := regions.of_depth(depth)) is not None:
        found.append(region)
        depth += 1
    return found


class Regions:
    """The regions of a cloud of data, for several depths."""

    def __init__(
        self, data: ArrayLike, workers: int, progress: bool, max_hours: float | None
    ) -> None:
        cloud = as_exact_matrix(data, "data")
        check_rational("data", cloud)
        self.n, self.d = cloud.shape
        if self.d > _MOST_DIMENSIONS:
            raise InputError(
                f"data has {self.d} columns; expected at most {_MOST_DIMENSIONS} for such regions."
            )
        workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
        check_max_hours(max_hours)
        self._space = _Space.of([fractions(row) for row in cloud])
        points, counts = _distinct(self._space.points)
        if self._space.d:
            _check_size(len(points), self._space.d, workers, max_hours)
            self._halfspaces = _Halfspaces(points, counts, workers, progress)
            self._hull = Polytope.box(points.min(axis=0).tolist(), points.max(axis=0).tolist())
        self._known: dict[int, Polytope] = {}

    def of_depth(self, depth: int) -> DepthRegion | None:
        """The points that are at least so deep; None if there are none."""
        if depth > self.n:
            return None
        if not self._space.d:
            return DepthRegion(depth, (self._space.base,))
        if depth not in self._known:  # cut it out of the known region of the next smaller depth
            before = max((k for k in self._known if k < depth), default=0)
            region = self._known.get(before, self._hull)
            self._known[depth] = self._halfspaces.cut(region, before, depth)
        found = self._known[depth]
        if not found.vertices:
            return None
        points = _sort_points([self._space.lifted(point) for point in found.points])
        return DepthRegion(depth, tuple(points))

    def existing(self, depth: int, subject: str) -> DepthRegion:
        """The same; an error about the `subject` if there are none."""
        found = self.of_depth(depth)
        if found is None:
            raise InputError(
                f"{subject} {depth}; no point is so deep: halfspace_median finds the deepest "
                "points."
            )
        return found

    def deepest(self) -> DepthRegion:
        """The region of the largest depth."""
        low, high = -(-self.n // (self.d + 1)), self.n + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.of_depth(middle) else (low, middle)
        found = self.of_depth(low)
        assert found is not None
        return found


def _check_size(n: int, d: int, workers: int, max_hours: float | None) -> None:
    number = comb(n, d)
    what = f"{short_number(number)} hyperplanes go through {d} of the points; seeing them"
    check_hours(what, number * n, workers * _PACE, max_hours)
    limits.check_workspace(what, number * _BYTES)


@dataclass(frozen=True)
class _Space:
    """Integer coordinates of data in the smallest affine space that holds them.

    Attributes
    ----------
    points : list of tuple of int
    base : tuple of Fraction
        The origin.
    axes : list of tuple of Fraction
        For each coordinate of the data, what those in the space contribute.
    """

    points: list[tuple[int, ...]]
    base: Point
    axes: list[Point]

    @property
    def d(self) -> int:
        return len(self.points[0])

    @classmethod
    def of(cls, rows: list[Point]) -> _Space:
        moved, common = times_common_denominator(
            [[x - y for x, y in zip(row, rows[0], strict=True)] for row in rows]
        )
        columns = column_basis(moved)
        points = [tuple(row[c] for c in columns) for row in moved]
        chosen = column_basis(list(zip(*points, strict=True))) if columns else ()
        basis, axes = [points[i] for i in chosen], []
        for k in range(len(rows[0])):
            weights = solve(basis, [moved[i][k] for i in chosen]) if basis else ()
            assert weights is not None  # the basis is regular
            axes.append(tuple(x / common for x in weights))
        return cls(points, rows[0], axes)

    def lifted(self, point: Point) -> Point:
        """A point in the coordinates of the data."""
        return tuple(
            x + sum((t * a for t, a in zip(point, axis, strict=True)), Fraction(0))
            for x, axis in zip(self.base, self.axes, strict=True)
        )


def _distinct(points: list[tuple[int, ...]]) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    """Points that differ, ascending, and how often each occurs."""
    found = Counter(sorted(points))
    rows = np.array(list(found), object).reshape(len(found), -1)
    return rows, np.array(list(found.values()), np.int64)


def _sort_points(points: list[Point]) -> list[Point]:
    """Distinct points; the corners of a polygon in the plane counterclockwise from the left."""
    points = sorted(set(points))
    if len(points) < 3 or len(points[0]) != 2:
        return points
    (x, y), (u, v) = points[0], points[-1]
    turns = [(u - x) * (q - y) - (v - y) * (p - x) for p, q in points]
    below = [points[i] for i, turn in enumerate(turns) if turn < 0]
    above = [points[i] for i, turn in enumerate(turns) if turn > 0]
    return [points[0], *below, points[-1], *reversed(above)]


# ------------------------------------------------------------------ half-spaces


class _Halfspaces:
    """The two half-spaces of each hyperplane through d independent points of a cloud.

    Parameters
    ----------
    points : (n, d) ndarray of int
        Distinct, not in a hyperplane.
    counts : (n,) ndarray of int64
        How often each occurs.
    workers : int
        Threads.
    progress : bool
        Show a bar.
    """

    def __init__(
        self, points: NDArray[np.object_], counts: NDArray[np.int64], workers: int, progress: bool
    ) -> None:
        n, d = points.shape
        size = max(abs(x) for x in points.ravel().tolist())
        # a constant first, so that functionals that vanish on some points are short
        lifted = np.hstack([np.ones((n, 1), object), points])
        fits = (d + 1) ** (d + 1) * size**d < 2**62
        self._lifted = lifted.astype(np.int64) if fits else lifted
        self._counts, self._unit = counts, 1 << size.bit_length()
        found = in_order(self._pieces, combinations(range(n), d - 1), workers)
        shown = with_progress(found, progress, comb(n, d - 1), lambda _: 1, _PIVOTS[d])
        pieces = [piece for some in shown for piece in some]
        self._pivots, others, below, above, rows, errors = zip(*pieces, strict=True)
        self._pivot = np.repeat(np.arange(len(others)), list(map(len, others)))
        self._other, self._rows, self._errors = map(np.concatenate, (others, rows, errors))
        # the number of points outside, for both sides of each hyperplane
        self._outside = np.concatenate([*below, *above])

    def _pieces(self, pivots: tuple[int, ...]) -> list[tuple[Any, ...]]:
        """Hyperplanes through d - 1 points, the pivots, and one later point each.

        Also the number of points below and above each of them, and its row with the error.
        """
        found, step = [], max(1, _BLOCK // len(self._lifted))
        plane, seen = self._projected(pivots)
        if len(plane) > 2:  # collinear: their planes go through other pivots, too
            return []
        first = pivots[-1] + 1 if pivots else 0
        others = first + np.flatnonzero((seen[first:] != 0).any(axis=1))
        for start in range(0, len(others), step):
            chosen = others[start : start + step]
            signs = _sides(seen, chosen)
            below, above = ((signs == side) @ self._counts for side in (-1, 1))
            found.append((pivots, chosen, below, above, *self._floats(plane, seen[chosen])))
        return found

    def _projected(self, pivots: tuple[int, ...]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Two functionals that vanish on the pivots, and their values at all points."""
        vectors = nullspace(self._lifted[list(pivots)].tolist(), self._lifted.shape[1])
        plane = np.array(vectors, self._lifted.dtype)
        return plane, self._lifted @ plane.T

    def _floats(self, plane: NDArray[Any], seen: NDArray[Any]) -> tuple[Floats, Floats]:
        """Rows of hyperplanes up to positive factors, and errors of their values in the cloud.

        A row is of homogeneous coordinates (1, x), x in a unit in which the cloud has size 1.
        """
        units = np.array([1, *[self._unit] * (plane.shape[1] - 1)], object)
        (first, second), y = _scale(plane.astype(object) * units), _scale(seen)
        one, other = y[:, :1] * second, y[:, 1:] * first
        sizes = (np.abs(one) + np.abs(other)).sum(axis=1)
        return one - other, 2 * (plane.shape[1] + 8) * _ROUNDING * sizes + _TINY

    def _row(self, k: int) -> list[int]:
        """The half-space of number k, exactly, constant last."""
        m = len(self._other)
        plane, seen = self._projected(self._pivots[self._pivot[k % m]])
        a, b = seen[self._other[k % m]].tolist()
        side = 1 if k < m else -1
        row = [side * (a * v - b * u) for u, v in zip(*plane.tolist(), strict=True)]
        return [*row[1:], row[0]]

    def cut(self, region: Polytope, least: int, depth: int) -> Polytope:
        """The part of a region in all half-spaces with at least `least` points outside, < depth."""
        left = np.flatnonzero((self._outside >= least) & (self._outside < depth))
        while region.vertices:
            rows, errors = self._signed(left)
            values = rows @ self._corners(region).T
            lowest = values.min(axis=1, initial=np.inf)
            worst = np.unique((values / errors[:, None]).argmin(axis=0)) if len(left) else left
            worst = worst[lowest[worst] < -errors[worst]]
            for k in left[worst].tolist():
                region = region.cut(self._row(k))
            # what contains a region contains all its parts
            left = left[lowest <= errors]
            if not len(worst):
                break
        for k in left.tolist():
            if not region.vertices:
                break
            row = self._row(k)
            if region.least(row) < 0:
                region = region.cut(row)
        return region

    def _signed(self, numbers: NDArray[np.intp]) -> tuple[Floats, Floats]:
        m = len(self._other)
        side = np.where(numbers < m, 1.0, -1.0)
        return self._rows[numbers % m] * side[:, None], self._errors[numbers % m]

    def _corners(self, region: Polytope) -> Floats:
        corners = [[1.0, *(x / (v[-1] * self._unit) for x in v[:-1])] for v in region.vertices]
        return np.array(corners)


def _scale(values: NDArray[Any]) -> Floats:
    """Integers over a power of two, so that the largest is about 1, correctly rounded."""
    size = 1 << int(max(map(abs, values.ravel().tolist()))).bit_length()
    if values.dtype != object:
        return np.asarray(values / size)
    return np.array([x / size for x in values.ravel().tolist()]).reshape(values.shape)


def _sides(seen: NDArray[Any], chosen: NDArray[np.intp]) -> NDArray[np.int8]:
    """Signs of the determinants of rows of two integers, chosen ones with all: floats, then exact.

    Examples
    --------
    >>> _sides(np.array([[1, 0], [1, 1], [2, 0]]), np.array([0, 1]))
    array([[ 0,  1,  0],
           [-1,  0, -1]], dtype=int8)
    """
    floats = _scale(seen)
    first = floats[chosen, :1] * floats[:, 1]
    second = floats[chosen, 1:] * floats[:, 0]
    found = first - second
    signs = np.sign(found).astype(np.int8)
    if seen.dtype != object and np.abs(seen).max() < 2**26:
        return signs  # products of scaled integers, and their differences, are not rounded
    bounds = 8 * _ROUNDING * (np.abs(first) + np.abs(second)) + _TINY
    # these are zero
    bounds[np.arange(len(chosen)), chosen] = -1.0
    bounds[:, ~(seen != 0).any(axis=1)] = -1.0
    for i, j in np.argwhere(np.abs(found) <= bounds).tolist():
        (a, b), (c, d) = seen[chosen[i]].tolist(), seen[j].tolist()
        value = a * d - b * c
        signs[i, j] = (value > 0) - (value < 0)
    return signs
