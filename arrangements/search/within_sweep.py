"""The sweep of the chambers that meet the interior of a polyhedron.

The facets are further rows, the first ones: ``kernels.chambers.within_search`` keeps the chambers
on the positive side of all of them, and passes over lines that miss the polyhedron.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import comb
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.clear_rank import is_clearly_full
from arrangements.errors import TooLargeError
from arrangements.exact.linear import column_basis, rank, row_basis
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    exactly_equal,
    field_of_array,
    fractions,
    integer_rows,
    nearest_float,
    nearest_floats,
    stack_rows,
    unify_fields,
)
from arrangements.execution.memory import Spare, aligned_zeros, empty_rows, layout_of
from arrangements.kernels.chambers import solids, within_search
from arrangements.kernels.chambers.sections import UNKNOWN, Sections
from arrangements.kernels.chambers.solids import Polygon
from arrangements.kernels.shared import shapes_of
from arrangements.polyhedra.double_description import Cone, cone_of
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.search.chamber_sweep import ChamberSweep, Packed
from arrangements.search.chord_count import ChordCount, suits_chords
from arrangements.search.flag import Flag
from arrangements.search.parts import WHOLE, Part
from arrangements.sets.packed import pack_signs, used_bits, words_for

# Rows of the buffer of a count.
_COUNTED_ROWS = 4096
# More generators of a section are not looked at.
_MOST_GENERATORS = 1024
# Larger integers, or numbers of another size, are not multiplied in floats; exact values are used
# also instead of floats with larger errors, where values are at most 1, or of many that may be 0.
_EXACT, _LARGE, _SMALL, _MOST_DOUBTFUL = 2**53, 2.0**400, 2.0**-44, 100
# Hyperplanes that do not cross the polyhedron are left out if no larger share is left.
_MOST_CROSSING = 0.8
# Signs of so many hyperplanes times words are spread in eights, by a table of half a megabyte.
_SPREAD_AT_ONCE = 2048
# Conic hulls are made of polyhedra with so few vertices, of so many bases at most.
_MOST_VERTICES, _MOST_BASES = 64, 20_000
# Faces of a vertex of the cone, if it has all that so many facets allow.
_MOST_FACES = 100_000


class Values(NamedTuple):
    """Values of rows on the generators of a cone, lines first, each row up to a positive factor.

    Attributes
    ----------
    numbers : (m, n) ndarray of float64
        At most 1 in size. Only zeros are 0.
    errors : (m, n) ndarray of float64
        Bounds for the errors.
    shifts : (m,) ndarray of int64
        The numbers are values of generators times 2 to the power of these.
    """

    numbers: NDArray[np.float64]
    errors: NDArray[np.float64]
    shifts: NDArray[np.int64]


class Inside(NamedTuple):
    """Rows of a polyhedron and of hyperplanes, in coordinates in which they have full column rank.

    Attributes
    ----------
    rows : (k + n, d) ndarray
        The first k are positive inside the polyhedron; the chambers that meet its relative interior
        are those where these are positive.
    k : int
        At least 1.
    cone : Cone or None
        Generators of the cone where they are not negative, if there are not too many.
    is_apart : bool
        Row 0 is no facet, but positive on the cone and 0 on its lines; d > 2.
    values : Values, optional
        Of the rows on the generators.
    crossing : (n,) ndarray of intp, optional
        Which hyperplanes these are, in ascending order, if others do not cross the polyhedron.
    signs : (words,) ndarray of uint64, optional
        Then the signs of these others, packed.
    """

    rows: ExactArray
    k: int
    cone: Cone | None
    is_apart: bool
    values: Values | None = None
    crossing: NDArray[np.intp] | None = None
    signs: Packed | None = None

    @property
    def is_known(self) -> bool:
        """Whether the sweep can tell which rows cross the sections of the cone."""
        return self.cone is not None and field_of_array(self.rows) is None

    @property
    def is_crowded(self) -> bool:
        """Whether so many facets meet in a vertex that looking for the right ones takes long."""
        if self.cone is None or not len(self.cone.rays):
            return self.cone is None
        most = int(self.cone.tight.sum(axis=1).max())
        return comb(most, self.rows.shape[1] - len(self.cone.lines) - 1) > _MOST_FACES


def rows_inside(arrangement: Arrangement, P: Polyhedron) -> Inside | None:
    """The rows; None if no chamber meets the polyhedron: it is empty, or lies in a hyperplane.

    Examples
    --------
    >>> rows_inside(Arrangement([[1.0, 2.0]], [-1.0]), Polyhedron.box(0, 1, dimension=2)).rows[-3:]
    array([[-1.,  0.,  1.],
           [ 0., -1.,  1.],
           [ 1.,  2., -1.]])
    """
    hyperplanes = append_column(arrangement.normals, arrangement.offsets)
    if not hyperplanes[:, -1].any() and _has_small_hull(P):
        P = P.conic_hull  # else all hyperplanes may meet in a point of the polyhedron
    found = P.strict_rows()
    if found is None:
        return None
    facets, basis = found
    facets, hyperplanes, vectors = unify_fields(facets, hyperplanes, np.array(basis, object))
    if len(basis) < hyperplanes.shape[1]:
        integers = np.array(integer_rows(hyperplanes), object).reshape(hyperplanes.shape)
        hyperplanes = integers @ vectors.T
    if not hyperplanes.any(axis=1).all():
        return None
    others = stack_rows(facets[:-1], hyperplanes)
    used = others.any(axis=0)
    full = others.dtype == np.float64 and is_clearly_full(np.ascontiguousarray(others[:, used]))
    apart = facets[-1:, ~used].any() if full else _is_apart(facets[-1:], facets[:-1], hyperplanes)
    if apart and len(facets) > 1:
        facets = facets[:-1]
    used |= facets[-1] != 0
    rows, columns = stack_rows(facets, hyperplanes), tuple(np.flatnonzero(used).tolist())
    if not full:
        columns = column_basis(integer_rows(rows))
    if len(columns) < rows.shape[1]:
        rows = np.ascontiguousarray(rows[:, columns])
    k, key = len(facets), (len(facets), columns)
    known = P.__dict__.setdefault("_cones", {})
    if key not in known:
        known[key] = _cone_of(rows[:k])
    if known[key] is None:
        return Inside(rows[[k - 1, *range(k - 1), *range(k, len(rows))]], k, None, False)
    cone, kept, above = known[key]
    first = [] if above is None else [above[None]]
    rows, k = stack_rows(*first, rows[kept], rows[k:]), len(first) + len(kept)
    return _without_others(Inside(rows, k, cone, bool(first) and not cone.lines))


def _has_small_hull(P: Polyhedron) -> bool:
    """Whether a polyhedron is no cone, and its conic hull is found at once."""
    (A, c), (_, f) = P.inequalities, P.equations
    if P.is_empty or not (c.any() or f.any()):
        return False
    if "_has_small_hull" not in P.__dict__:
        small = P.dimension == A.shape[1] and P.contains([0] * A.shape[1], interior=True)
        if not small and comb(len(A), min(P.dimension, len(A) // 2)) <= _MOST_BASES:
            small = len(P.vertices) <= _MOST_VERTICES
        P.__dict__["_has_small_hull"] = small
    return bool(P.__dict__["_has_small_hull"])


def _without_others(inside: Inside) -> Inside:
    """Leave out hyperplanes that do not cross the polyhedron, if these are many."""
    rows, k, cone = inside.rows, inside.k, inside.cone
    if cone is None or not len(rows) > k or not inside.is_known:
        return inside
    values = generator_values(cone, rows, k)
    numbers, errors, lines = values.numbers[:, k:], values.errors[:, k:], len(cone.lines)
    above, below = numbers > -errors, numbers < errors
    above[lines:] &= numbers[lines:] != 0
    below[lines:] &= numbers[lines:] != 0
    on_lines = (numbers[:lines] != 0).any(axis=0)
    crossing = np.flatnonzero((above[lines:].any(axis=0) & below[lines:].any(axis=0)) | on_lines)
    n, left = numbers.shape[1], len(crossing)
    if left > _MOST_CROSSING * n and words_for(k + left) == words_for(k + n):
        return inside._replace(values=values)
    signs = np.full((1, n), -1, np.int8)
    signs[0, above[lines:].any(axis=0)] = 1
    signs[0, crossing] = -1
    kept = np.concatenate([np.arange(k), k + crossing])
    values = Values(values.numbers[:, kept], values.errors[:, kept], values.shifts)
    rows = np.ascontiguousarray(rows[kept])
    return Inside(rows, k, cone, inside.is_apart, values, crossing, pack_signs(signs)[0])


def _cone_of(rows: ExactArray) -> tuple[Cone, list[int], ExactArray | None] | None:
    """Generators of the cone where rows are not negative, its facets, a row 0 for `Inside` if any.

    None if there are too many generators.
    """
    try:
        cone = cone_of(integer_rows(rows), rows.shape[1], _MOST_GENERATORS)
    except TooLargeError:
        return None
    if len(cone.lines) + len(cone.rays) > _MOST_GENERATORS:
        return None
    kept = _facets(cone.tight)
    cone = cone._replace(tight=cone.tight[:, kept])
    return cone, kept, _positive_row(rows[kept], cone)


def _positive_row(facets: ExactArray, cone: Cone) -> ExactArray | None:
    """A row that is positive on the rays of a cone and 0 on its lines.

    As row 0, which no chamber crosses, it gives each section of the cone a lowest vertex. It is
    random, so that it adds no flat where rows are not in general position.
    """
    if len(facets) == 1 or facets.shape[1] == 2 or field_of_array(facets) is not None:
        return None
    sizes = abs(facets).max(axis=1)
    weights = np.random.default_rng(0).uniform(1, 2, len(facets))
    direction = ((facets / sizes[:, None]).astype(np.float64) * weights[:, None]).sum(axis=0)
    rays = [*cone.rays.tolist(), *cone.lines]
    if cone.lines:
        return _sum_of_rows(facets, weights)
    for bits in (8, 16, 30):
        row = np.rint(direction * (2**bits / abs(direction).max())).astype(np.int64)
        values = [sum(map(mul, row.tolist(), ray)) for ray in rays]
        if all(value > 0 for value in values[: len(cone.rays)]) and not any(
            values[len(cone.rays) :]
        ):
            return row
    return None


def _sum_of_rows(rows: ExactArray, weights: NDArray[np.float64]) -> NDArray[np.object_]:
    """A sum of multiples of rows, about of the same size times these weights, exactly."""
    integers = np.array(integer_rows(rows), object)
    sizes = [max(map(abs, row)).bit_length() for row in integers.tolist()]
    factors = np.array([int(256 * weight) for weight in weights.tolist()], object)
    shifts = np.array([1 << max(sizes) - size for size in sizes], object)
    return (factors * shifts) @ integers


def _facets(tight: NDArray[np.bool_]) -> list[int]:
    """Rows that vanish on a facet: on whose rays vanishes no other row that vanishes on more.

    Of equal ones the first.
    """
    columns = tight.T.astype(np.int64)
    common, sizes = columns @ columns.T, columns.sum(axis=1)
    number = np.arange(len(sizes))
    contained = (common == sizes[:, None]) & (
        (sizes[None, :] > sizes[:, None]) | (number[None, :] < number[:, None])
    )
    return np.flatnonzero(~contained.any(axis=1)).tolist()


def _is_apart(infinity: ExactArray, *others: ExactArray) -> bool:
    """Whether the row at infinity is independent of the others, so that it excludes nothing."""
    rest = [row for rows in others for row in integer_rows(rows)]
    basis = row_basis([*rest, *integer_rows(infinity)])
    # a basis may take this row in place of one that is as good
    return len(rest) in basis and rank(rest) < len(basis)


def single_chamber(inside: Inside) -> Packed:
    """The chamber of rows of rank 1, or of hyperplanes that do not cross the polyhedron."""
    if inside.signs is not None:
        return inside.signs[None]
    column = inside.rows[:, 0] * (1 if inside.rows[0, 0] > 0 else -1)
    return pack_signs(np.where(column[inside.k :] > 0, 1, -1).astype(np.int8)[None])


@lru_cache(maxsize=16)
def _spare_sections(n: int, k: int, d: int, most: int) -> Spare[Sections]:
    """Sections of a cone of k facets, of at most so many generators."""
    levels, words = max(d - 2, 1), words_for(n)
    lanes = 8 * (-(-n // 8) + 1 | 1)  # rows of an even number of cache lines would share sets of it
    shapes = shapes_of(
        Sections,
        ((words_for(k) + 1,), "facets"),
        ((levels, words), "free"),
        ((levels, 3), "sizes"),
        ((levels, most + 8, lanes), "values"),
        ((levels, most + 8), "errors heights"),
        ((levels, most + 8, words), "zeros"),
        ((levels, most + 8, words_for(k)), "tight"),
        ((2, most + 1), "order"),
        ((2, most + 8), "near edges loose parts"),
        ((4, most + 8), "ends"),
        ((most + 8, 8), "spread"),
        ((2, words), "sides"),
        ((words,), "marked crossing"),
    )
    layout = layout_of(shapes)
    return Spare(lambda: Sections(**aligned_zeros(layout), is_apart=False, counts=False))


@lru_cache(maxsize=16)
def _spare_polygon(n: int, k: int, generators: int) -> Spare[Polygon]:
    """A polygon in n hyperplanes and k facets, of sections of at most so many generators."""
    words, rows, most = words_for(n), 64 * words_for(n + k), solids.MOST_VERTICES
    pad = 64 * words
    shapes = shapes_of(
        Polygon,
        ((3,), "state"),
        ((most + 8,), "near adjacent"),
        ((max(generators, most) + 8,), "errors heights bases lows highs"),
        ((words, most + 8), "above signs"),
        ((words,), "sure chords closed"),
        ((most, pad + 32), "values"),
        ((most + 8, 2), "origins shares"),
        ((most + 8,), "doubts"),
        ((most,), "facets seen"),
        ((most + 8, 3), "sides"),
        ((pad, 2), "ends"),
        ((3, 8), "factors"),
        ((solids.MOST_DIMENSIONS, 8), "facet_rows"),
        ((2, 8), "bounds"),
        ((8,), "columns"),
        ((1,), "size"),
        ((rows, 16), "ratios turned_ratios"),
        ((rows // 64,), "falling"),
        ((words, 2, 16), "table"),
        ((2, pad + 32), "line"),
        ((2, pad), "key"),
        ((2, 2, words), "line_signs"),
    )
    layout = layout_of(shapes)

    def lay_out() -> Polygon:
        polygon = Polygon(**aligned_zeros(layout))
        polygon.seen[:] = -1
        return polygon

    return Spare(lay_out)


def _generators(inside: Inside) -> int:
    """The number of generators of the cone, 0 if they are not known."""
    cone = inside.cone if inside.is_known else None
    return 0 if cone is None else len(cone.lines) + len(cone.rays)


def _spares(inside: Inside) -> tuple[Spare[Sections], Spare[Polygon]]:
    (n, d), k, m = inside.rows.shape, inside.k, _generators(inside)
    most = min(_MOST_GENERATORS, 4 * m + 64) if m else 1
    return _spare_sections(n, k, d, most), _spare_polygon(n - k, k, most)


def sections_of(inside: Inside, flag: Flag) -> Sections:
    """Generators of the cone for a sweep of the rows."""
    n, m, found = len(inside.rows), _generators(inside), inside.cone
    cone = _spares(inside)[0].take()._replace(is_apart=inside.is_apart)
    facets = used_bits(inside.k)
    cone.facets[: len(facets)] = cone.free[0, : len(facets)] = facets
    cone.facets[-1] = inside.k
    cone.sizes[0, 0] = UNKNOWN
    if found is not None and m:
        known = inside.values or generator_values(found, inside.rows, inside.k)
        values, errors = _balance(known, _heights(found, flag.height(), known.shifts))
        cone.sizes[0, :2] = m, len(found.lines)
        cone.values[0, :m, :n] = values[:, :-1]
        cone.heights[0, :m] = values[:, -1]
        cone.errors[0, :m] = errors
        zeros = pack_signs(np.where(values[:, :-1] == 0, 1, -1).astype(np.int8))
        cone.zeros[0, :m] = zeros
        cone.tight[0, :m] = zeros[:, : len(facets)] & facets
    return cone


def _heights(cone: Cone, height: list[int], shifts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values of a row of integers on generators times powers of two, at most 1 in size."""
    exact = [sum(map(mul, height, vector)) for vector in (*cone.lines, *cone.rays.tolist())]
    lost = [max(0, abs(value).bit_length() - 64) for value in exact]
    parts = [float(value >> bits) for value, bits in zip(exact, lost, strict=True)]
    return _scale(np.array(parts)[:, None], (shifts + lost)[:, None])[0]


def _balance(known: Values, heights: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Values and heights of generators times powers of two, at most 1 in size; error bounds."""
    numbers = np.hstack([known.numbers, heights])
    errors = np.hstack([known.errors, np.full_like(heights, 2.0**-52)])
    exponents = np.frexp(abs(numbers).max(axis=1, keepdims=True))[1]
    return np.ldexp(numbers, -exponents), np.ldexp(errors, -exponents).max(axis=1) + 2.0**-52


def generator_values(cone: Cone, rows: ExactArray, k: int) -> Values:
    """Values of rows on the generators of a cone, of which the first k are not negative there.

    From products of floats, and exactly where a bound does not tell them from 0; if errors are not
    small, all exactly, up to a rounding.
    """
    found = _rounded_values(cone, rows, k)
    if found is not None:
        return found
    vectors = [*cone.lines, *cone.rays.tolist()]
    exact = np.array(vectors, object) @ np.array(integer_rows(rows), object).T
    lengths = [[abs(v).bit_length() for v in values] for values in exact.tolist()]
    lost = np.maximum(np.array(lengths, np.int64) - 64, 0)
    numbers = (exact >> lost.astype(object)).astype(np.float64)
    sizes = np.frexp(numbers)[1] + lost
    sizes[numbers == 0] = -(2**40)
    # facets, 0 on lines, say nothing about how long rays are beside these
    compared = (numbers[: len(cone.lines)] != 0).any(axis=0) | (not cone.lines)
    ratios = np.where(numbers == 0, -(2**40), sizes - sizes.max(axis=0))[:, compared]
    shifts = -np.median(ratios, axis=1).astype(np.int64) if cone.lines else -ratios.max(axis=1)
    numbers, _ = _scale(numbers, lost + shifts[:, None])
    return Values(numbers, abs(numbers) * 2.0**-52, shifts)


def _rounded_values(cone: Cone, rows: ExactArray, k: int) -> Values | None:
    """`generator_values` from products of floats; None if errors are not small."""
    vectors, lines = [*cone.lines, *cone.rays.tolist()], len(cone.lines)
    if rows.dtype == object or (rows.dtype != np.float64 and (abs(rows) > _EXACT).any()):
        return None
    exact = np.array(vectors, object)
    factors, points = rows.astype(np.float64), nearest_floats(exact)
    sizes = abs(factors)
    if sizes.max() > _LARGE or sizes[sizes > 0].min() < 1.0 / _LARGE:
        return None
    if abs(points).max() > _LARGE or not exactly_equal(exact, points):
        return None
    numbers, most = points @ factors.T, abs(points) @ sizes.T
    errors = most * ((points.shape[1] + 2) * 2.0**-53)
    if most.max() < _EXACT and (factors == np.rint(factors)).all():
        errors[:] = 0.0  # sums of integers that floats hold
    known = np.zeros(numbers.shape, np.bool_)
    known[:lines, :k] = True
    known[lines:, k - cone.tight.shape[1] : k] = cone.tight
    doubtful = np.argwhere((abs(numbers) <= errors) & (errors > 0) & ~known).tolist()
    if len(doubtful) > _MOST_DOUBTFUL:
        return None
    for g, i in doubtful:
        value = sum(map(mul, fractions(rows[i]), vectors[g]), Fraction(0))
        numbers[g, i] = nearest_float(value)
        errors[g, i] = abs(numbers[g, i]) * 2.0**-52
    numbers[known] = errors[known] = 0.0
    numbers, exponents = _scale(numbers, np.zeros((1, 1), np.int64))
    errors = np.ldexp(errors, -exponents)
    if (errors > _SMALL * abs(numbers).max(axis=1, keepdims=True)).any():
        return None
    return Values(numbers, errors, np.zeros(len(numbers), np.int64))


def _scale(
    numbers: NDArray[np.float64], shifts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Numbers times 2 to the power of shifts, each column at most 1 in size.

    Numbers far smaller than the largest do not become 0. Returns also by which power of two each
    column is divided.
    """
    parts, exponents = np.frexp(numbers)
    sizes = np.where(numbers == 0, -(2**40), exponents + shifts)
    largest = sizes.max(axis=0, keepdims=True)
    return np.where(numbers == 0, 0.0, np.ldexp(parts, np.maximum(sizes - largest, -1000))), largest


class WithinSweep(ChamberSweep):
    """A sweep that writes the chambers with + on the first rows of a flag, without these rows.

    Parameters
    ----------
    flag : Flag
        Of the rows.
    inside : Inside
    part : Part
    """

    def __init__(self, flag: Flag, inside: Inside, part: Part = WHOLE) -> None:
        super().__init__(flag, part)
        self.sections: Sections = sections_of(inside, flag)
        self._kept = self.sections, _spares(inside)[1].take()
        self.polygon, self._inside = self._kept[1], inside
        self._spread: tuple[NDArray[Any], ...] = ()
        if inside.crossing is not None and inside.signs is not None:
            self.row = max(self.row[0], len(inside.signs)), self.row[1]
            words = -(-self.row[0] // 8) * 8
            signs, row = np.zeros(words, np.uint64), np.zeros(2 * words, np.uint64)
            signs[: len(inside.signs)] = inside.signs
            self._spread = *places_of(inside.crossing, words), signs, row

    def release(self) -> None:
        """Leave the workspaces to later sweeps: this one is done."""
        super().release()
        sections, polygon = _spares(self._inside)
        sections.keep(self._kept[0])
        polygon.keep(self._kept[1])

    def _use_fast_lines(self) -> None:
        """Such lines have no facets."""

    def _call(self, budget: int, out: Packed, count: int) -> tuple[int, int]:
        status, total = within_search.advance(
            self.space, self.sections, self.polygon, budget, out, count
        )
        if self._spread and not self.sections.counts:
            within_search.spread_rows(out, count, total, *self._spread)
        return status, total

    def counts(self) -> Iterator[int]:
        """Numbers of chambers: by chords of sections, or by lines."""
        self.sections, part = self.sections._replace(counts=True), self.part
        if not suits_chords(self.sections, part):
            yield from self._counts_by_lines()
            return
        arrays = self.space, self.sections, self.polygon
        found = ChordCount(*arrays, part.first, min(part.stop, self.flag.n))
        total, finished = int(part.own), False  # 1 of no row
        while True:
            if found.open and not self.sections.is_apart:
                # chambers of a node may be written on the line of its parent: all over again
                self.restart(part)
                yield from self._counts_by_lines()
                return
            while found.open:  # at once, since a node leaves its sections in the work space
                self.restart(found.open.pop())
                yield from self._counts_by_lines()
            if finished:
                yield total
                return
            finished, count = found.advance(1 + self._budget // self.flag.n)
            total += count
            if self.sections.is_apart:
                yield total
                total = 0

    def _counts_by_lines(self) -> Iterator[int]:
        """Where keys leave facets open, signs are written to a buffer."""
        out = empty_rows(self.line_rows + _COUNTED_ROWS, *self.row)
        finished = False
        while not finished:
            finished, _, count = self.advance(out, 0, True)
            yield count


def places_of(crossing: NDArray[np.intp], words: int) -> tuple[Packed, NDArray[np.int64]]:
    """Signs of all hyperplanes for each value of each few signs of the crossing ones.

    And which of these groups, of eight or four signs, have signs in each eight words of signs of
    all, a multiple of eight.
    """
    n = len(crossing)
    width = 8 if n * words <= _SPREAD_AT_ONCE else 4
    number = -(-n // width)
    bits = np.zeros((width * number, words), np.uint64)
    bits[np.arange(n), crossing // 64] = np.uint64(1) << (crossing % 64).astype(np.uint64)
    found = np.zeros((number, 1 << width, words), np.uint64)
    for k in range(width):
        found[:, 1 << k : 2 << k] = found[:, : 1 << k] | bits[k::width, None]
    ends = np.searchsorted(crossing, 512 * np.arange(words // 8 + 1))
    return found, np.stack([ends[:-1] // width, -(-ends[1:] // width)], axis=1)
