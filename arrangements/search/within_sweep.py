"""The sweep of the chambers that meet the interior of a polyhedron.

The facets are further rows, the first ones: ``kernels.chambers.within_search`` keeps the chambers
on the positive side of all of them, and passes over lines that miss the polyhedron.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.clear_rank import is_clearly_full
from arrangements.errors import TooLargeError
from arrangements.exact.linear import column_basis, rank
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    field_of_array,
    fractions,
    integer_rows,
    nearest_float,
    stack_rows,
    unify_fields,
)
from arrangements.execution.memory import empty_rows
from arrangements.kernels.chambers import within_search
from arrangements.kernels.chambers.sections import UNKNOWN, Sections
from arrangements.kernels.shared import zeros
from arrangements.polyhedra.double_description import Cone, cone_of
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.search.chamber_sweep import ChamberSweep, Packed
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
# Faces of a vertex of the cone, if it has all that so many facets allow.
_MOST_FACES = 100_000


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
    """

    rows: ExactArray
    k: int
    cone: Cone | None
    is_apart: bool

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
    >>> rows_inside(Arrangement([[1.0, 2.0]], [1.0]), Polyhedron.box(0, 1, dimension=2)).rows[-3:]
    array([[-1.,  0.,  1.],
           [ 0., -1.,  1.],
           [ 1.,  2.,  1.]])
    """
    found = P.strict_rows()
    if found is None:
        return None
    facets, basis = found
    hyperplanes = append_column(arrangement.normals, arrangement.offsets)
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
    if above is None:
        return Inside(stack_rows(rows[kept], rows[k:]), len(kept), cone, False)
    rows = stack_rows(above[None], rows[kept], rows[k:])
    return Inside(rows, len(kept) + 1, cone, not cone.lines)


def _cone_of(rows: ExactArray) -> tuple[Cone, list[int], NDArray[np.int64] | None] | None:
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


def _positive_row(facets: ExactArray, cone: Cone) -> NDArray[np.int64] | None:
    """A row of small integers that is positive on the rays of a cone and 0 on its lines.

    As row 0, which no chamber crosses, it gives each section of the cone a lowest vertex. It is
    random, so that it adds no flat where rows are not in general position.
    """
    if len(facets) == 1 or facets.shape[1] == 2 or field_of_array(facets) is not None:
        return None
    sizes = abs(facets).max(axis=1)
    weights = np.random.default_rng(0).uniform(1, 2, len(facets))
    direction = ((facets / sizes[:, None]).astype(np.float64) * weights[:, None]).sum(axis=0)
    rays = [*cone.rays.tolist(), *cone.lines]
    for bits in (8, 16, 30):
        row = np.rint(direction * (2**bits / abs(direction).max())).astype(np.int64)
        values = [sum(map(mul, row.tolist(), ray)) for ray in rays]
        if all(value > 0 for value in values[: len(cone.rays)]) and not any(
            values[len(cone.rays) :]
        ):
            return row
    return None


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
    return rank(rest) < rank([*rest, *integer_rows(infinity)])


def single_chamber(inside: Inside) -> Packed:
    """The chamber of rows of rank 1."""
    column = inside.rows[:, 0] * (1 if inside.rows[0, 0] > 0 else -1)
    return pack_signs(np.where(column[inside.k :] > 0, 1, -1).astype(np.int8)[None])


def sections_of(inside: Inside, flag: Flag) -> Sections:
    """Generators of the cone for a sweep of the rows."""
    n, d = inside.rows.shape
    levels, words = max(d - 2, 1), words_for(n)
    found = inside.cone if inside.is_known else None
    m = 0 if found is None else len(found.lines) + len(found.rays)
    most = min(_MOST_GENERATORS, 4 * m + 64) if m else 1
    cone = zeros(
        Sections,
        ((words_for(inside.k) + 1,), "facets"),
        ((levels, words), "free"),
        ((levels, 3), "sizes"),
        ((levels, most, 64 * words), "values"),
        ((levels, most), "errors heights vague"),
        ((levels, most, words), "zeros"),
        ((3, most + 1), "order"),
        ((most,), "near"),
        ((8,), "spread"),
        ((2, words), "sides"),
        ((words,), "marked crossing"),
        is_apart=inside.is_apart,
        counts=False,
    )
    facets = used_bits(inside.k)
    cone.facets[: len(facets)] = cone.free[0, : len(facets)] = facets
    cone.facets[-1] = inside.k
    cone.sizes[0, 0] = UNKNOWN
    if found is not None and m:
        values, errors = _values_and_errors(inside, found, flag.height())
        cone.sizes[0, :2] = m, len(found.lines)
        cone.values[0, :m, :n] = values[:, :-1]
        cone.heights[0, :m] = values[:, -1]
        cone.errors[0, :m] = errors
        cone.zeros[0, :m] = pack_signs(np.where(values[:, :-1] == 0, 1, -1).astype(np.int8))
    return cone


def generator_values(cone: Cone, rows: list[list[int]]) -> NDArray[np.float64]:
    """Values of lines and then of rays on rows, each of them up to a positive factor.

    Exact up to a rounding; only zeros are 0.
    """
    generators = [*cone.lines, *cone.rays.tolist()]
    return _floats(np.array(generators, object) @ np.array(rows, object).T)


def _values_and_errors(
    inside: Inside, cone: Cone, height: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """`generator_values` of the rows and a height, with error bounds for each generator."""
    found = _rounded_values(inside, cone, height)
    if found is None:
        values = generator_values(cone, [*integer_rows(inside.rows), height])
        found = values, np.full(len(values), 2.0**-52)
    return found


def _rounded_values(
    inside: Inside, cone: Cone, height: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """`_values_and_errors` from products of floats; None if errors are not small.

    Only zeros are 0: what a bound does not tell from 0 is computed exactly.
    """
    rows, k, lines = inside.rows, inside.k, len(cone.lines)
    vectors = [*cone.lines, *cone.rays.tolist()]
    long = [x for vector in vectors for x in vector if abs(x) > _EXACT]
    if long or rows.dtype == object or (rows.dtype != np.float64 and (abs(rows) > _EXACT).any()):
        return None
    factors, points = rows.astype(np.float64), np.array(vectors, np.float64)
    sizes = abs(factors)
    if sizes.max() > _LARGE or sizes[sizes > 0].min() < 1.0 / _LARGE:
        return None
    values = points @ factors.T
    bounds = abs(points) @ sizes.T * ((points.shape[1] + 2) * 2.0**-53)
    known = np.zeros(values.shape, np.bool_)
    known[:lines, :k] = True
    known[lines:, k - cone.tight.shape[1] : k] = cone.tight
    doubtful = np.argwhere((abs(values) <= bounds) & ~known).tolist()
    if len(doubtful) > _MOST_DOUBTFUL:
        return None
    for g, i in doubtful:
        exact = sum(map(mul, fractions(rows[i]), vectors[g]), Fraction(0))
        values[g, i] = nearest_float(exact)
        bounds[g, i] = abs(values[g, i]) * 2.0**-52
    values[known] = bounds[known] = 0.0
    heights = [sum(map(mul, height, vector)) for vector in vectors]
    shift = max(0, max(abs(h).bit_length() for h in heights) - 64)
    column = np.array([float(h >> shift) for h in heights])[:, None]
    values = np.hstack([values, column])
    bounds = np.hstack([bounds, np.full_like(column, abs(column).max() * 2.0**-52)])
    for axis in (0, 1):
        exponents = np.frexp(abs(values).max(axis=axis, keepdims=True))[1]
        values, bounds = np.ldexp(values, -exponents), np.ldexp(bounds, -exponents)
    errors = bounds.max(axis=1) + 2.0**-52
    return (values, errors) if errors.max() < _SMALL else None


def _floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """Integers, (m, n), as floats of at most 1 in size: rows and columns times powers of two.

    Only zeros are 0. So errors are small beside the largest value of a column, however small the
    part of the space is in which the points lie.
    """
    lengths = [[abs(v).bit_length() for v in row] for row in values.tolist()]
    shifts = np.maximum(np.array(lengths, np.int64) - 64, 0)
    leading = (values >> shifts.astype(object)).astype(np.float64)
    fractions, exponents = np.frexp(leading)
    sizes = np.where(fractions == 0, -(2**40), exponents + shifts)
    sizes -= sizes.max(axis=0)
    sizes -= sizes.max(axis=1)[:, None]
    return np.where(fractions == 0, 0.0, np.ldexp(fractions, np.maximum(sizes, -1000)))


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

    def _use_fast_lines(self) -> None:
        """Such lines have no facets."""

    def _call(self, budget: int, out: Packed, count: int) -> tuple[int, int]:
        return within_search.advance(self.space, self.sections, budget, out, count)

    def counts(self) -> Iterator[int]:
        """Numbers of chambers; where keys leave facets open, signs are written to a buffer."""
        out = empty_rows(self.line_rows + _COUNTED_ROWS, *self.row)
        self.sections = self.sections._replace(counts=True)
        finished = False
        while not finished:
            finished, _, count = self.advance(out, 0, True)
            yield count
