"""Interior points of chambers, and dependencies that exclude them: float64 first, then exact."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import frexp, isfinite, lcm, ldexp

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.linear import solve
from arrangements.exact.numbers import nearest_float, primitive, size_in_bits
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.feasibility.conditioning import conditioned
from arrangements.feasibility.cone_system import HomogeneousRows, homogeneous_rows, operations_of
from arrangements.kernels.cone.cone_test import INSIDE, UNDECIDED, Table, Work, cone_test
from arrangements.kernels.cone.interior_points import (
    DOUBTFUL,
    fill_witnesses,
    find_witness,
    first_doubtful,
)

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
Point = tuple[Fraction, ...]

# Bits after the binary point tried for an interior point: short fractions are easier to read.
_SHORT = (0, 1, 2, 4, 8, 16, 32)
_NULL = Fraction(0)
# About the most operations in one call of a kernel, so that Python can answer Ctrl-C.
_OPERATIONS = 1e8
# Systems of the last arrangements that were asked about.
_MOST_PREPARED = 4
_PREPARED: OrderedDict[Hashable, tuple[HomogeneousRows, bool]] = OrderedDict()


def solve_signs(
    system: HomogeneousRows, signs: Floats, affine: bool
) -> list[Fraction] | dict[int, Fraction]:
    """Interior point in the columns of the system, or weights that sum its signed rows to 0."""
    found = _solved(system, system.float_table, signs, affine)
    better = conditioned(system) if found is None else None
    if better is not None:
        rows, T = better
        found = _solved(rows, rows.float_table, signs, False)
        if found is None:
            found = _solved(rows, rows.table, signs, False)
        if isinstance(found, list):
            found = [sum((a * x for a, x in zip(row, found, strict=True)), _NULL) for row in T]
    if found is None:
        found = _solved(system, system.table, signs, affine)
    assert found is not None  # residues decide everything
    return found


def _solved(
    system: HomogeneousRows, table: Table, signs: Floats, affine: bool
) -> list[Fraction] | dict[int, Fraction] | None:
    """The same with one table; None if floats do not decide."""
    work = system.work_for(table)
    point = np.zeros(system.dimension)
    status = find_point(system, table, signs, affine, point, work)
    if status == UNDECIDED:
        return None
    if status == 0:
        return _dependency(system, signs, work, int(work.state[5]))
    if status == DOUBTFUL:
        rays = _exact_rays(system, signs)
        return rays if isinstance(rays, dict) else _sum(rays, system.dimension)
    _shorten(table, signs, affine, point, work)
    return _unscaled(system, point.tolist())


def find_point(
    system: HomogeneousRows,
    table: Table,
    signs: Floats,
    affine: bool,
    point: Floats,
    work: Work,
) -> int:
    """`find_witness`; Ctrl-C ends it, since many dimensions may take long."""
    call = partial(find_witness, table, signs, system.safe, affine, point, work)
    return int(answering_ctrl_c(call, operations_of(table, len(signs))))


def _shorten(table: Table, signs: Floats, affine: bool, point: Floats, work: Work) -> None:
    """Round `point` to few binary digits if all signs are still proved."""
    # numbers one by one: they are few
    numbers, rounded = point.tolist(), np.empty_like(point)
    if not affine:
        # what is lost below 2**-1074 is far less than what the bound has to spare
        exponent = frexp(max(map(abs, numbers)))[1] - 1
        point[:] = numbers = [ldexp(x, -exponent) for x in numbers]
    for bits in _SHORT:
        rounded[:] = [_rounded(x, 2.0**bits) for x in numbers]
        if first_doubtful(table.floats, signs, len(signs), rounded, work.values) == len(signs):
            point[:] = rounded
            return


def _rounded(x: float, unit: float) -> float:
    """The nearest multiple of 1 / unit, a power of two; a large number is one."""
    return round(x * unit) / unit if abs(x) < 2.0**53 / unit else x


def _unscaled(system: HomogeneousRows, point: Sequence[float]) -> list[Fraction]:
    """Undo the column scaling of the float table, exactly."""
    return [
        Fraction(x) if e == 0 else Fraction(x) * Fraction(2) ** -int(e)
        for x, e in zip(point, system.column_exponents, strict=True)
    ]


def _dependency(system: HomogeneousRows, signs: Floats, work: Work, j: int) -> dict[int, Fraction]:
    """Positive weights on row j and rows of the basis whose signed sum is zero."""
    basis = work.basis.tolist()
    columns = list(zip(*(system.integers[b] for b in basis), strict=True))
    right = [-int(signs[j]) * entry for entry in system.integers[j]]
    solution = solve(columns, right)
    assert solution is not None  # the basis is regular
    weights = {b: y * int(signs[b]) for b, y in zip(basis, solution, strict=True) if y}
    weights[j] = weights.get(j, Fraction(0)) + 1
    return weights


def _exact_rays(
    system: HomogeneousRows, signs: Floats
) -> list[list[Fraction]] | dict[int, Fraction]:
    """Exact extreme rays whose sum is interior, or weights as in `solve_signs`.

    For chambers too thin for the float kernel.
    """
    table = system.table
    work = system.work_for(table)
    n, dimension = len(signs), system.dimension
    rays: list[list[Fraction]] = []
    while True:
        j = _first_violated(system, signs, _sum(rays, dimension))
        if j is None:
            return rays
        call = partial(cone_test, table, signs, n, dimension, j, -signs[j], system.safe, work)
        if answering_ctrl_c(call, operations_of(table, n)) == INSIDE:
            return _dependency(system, signs, work, j)
        rays.append(_ray(system, signs, work))


def _sum(rays: Sequence[Sequence[Fraction]], dimension: int) -> list[Fraction]:
    return [sum((ray[c] for ray in rays), Fraction(0)) for c in range(dimension)]


def _first_violated(
    system: HomogeneousRows, signs: Floats, point: Sequence[Fraction]
) -> int | None:
    scaled = primitive(list(point))
    for j, row in enumerate(system.integers):
        if signs[j] * _sign(sum(a * x for a, x in zip(row, scaled, strict=True))) <= 0:
            return j
    return None


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _ray(system: HomogeneousRows, signs: Floats, work: Work) -> list[Fraction]:
    """The extreme ray of the last test, exact, with maximum norm about 1."""
    basis, h = work.basis.tolist(), int(work.state[0])
    right = [int(signs[b]) if k == h else 0 for k, b in enumerate(basis)]
    ray = solve([system.integers[b] for b in basis], right)
    assert ray is not None  # the basis is regular
    exponents = system.column_exponents.tolist()
    sizes = [size_in_bits(x) + e for x, e in zip(ray, exponents, strict=True) if x]
    scale = Fraction(2) ** -max(sizes)
    return [x * scale for x in ray]


def in_caller_coordinates(
    system: HomogeneousRows, point: Sequence[Fraction], d: int, affine: bool
) -> Point:
    """Pad with zeros, and divide by the coordinate at infinity."""
    full = [Fraction(0)] * (d + affine)
    for c, x in zip(system.columns, point, strict=True):
        full[c] = x
    return tuple(x / full[d] for x in full[:d]) if affine else tuple(full)


def rows_for_kernels(arrangement: Arrangement) -> tuple[HomogeneousRows, bool]:
    """All rows of the arrangement, ready for the kernels; whether the row at infinity is first."""
    normals, offsets = arrangement.normals, arrangement.offsets
    key: Hashable
    if normals.dtype == object or (offsets is not None and offsets.dtype == object):
        key = arrangement, arrangement.field  # equal numbers may be in different fields
    else:  # octets are compared at once
        b = None if offsets is None else (offsets.dtype, offsets.tobytes())
        key = normals.shape, normals.dtype, normals.tobytes(), b
    found = _PREPARED.pop(key, None)
    if found is None:
        rows, affine = homogeneous_rows(arrangement)
        found = HomogeneousRows(rows), affine
    _PREPARED[key] = found
    while len(_PREPARED) > _MOST_PREPARED:
        _PREPARED.popitem(last=False)
    return found


def float_witnesses(arrangement: Arrangement, signs: NDArray[np.int8]) -> tuple[Floats, Marks]:
    """Float64 interior points of known chambers, each proved.

    Parameters
    ----------
    arrangement : Arrangement
    signs : (m, n) int8 ndarray
        Entries -1 and +1, each row a chamber.

    Returns
    -------
    points : (m, d) float64 ndarray
        NaN where no float64 point was found.
    ok : (m,) bool ndarray
        Whether ``points[k]``, taken as exact numbers, has exactly the signs ``signs[k]``.

    Raises
    ------
    InputError
        If a row of `signs` is not a chamber.

    Examples
    --------
    >>> float_witnesses(Arrangement([[1], [2]]), np.array([[-1, -1]], np.int8))
    (array([[-1.]]), array([ True]))
    """
    m, d = len(signs), arrangement.dimension
    if arrangement.n_hyperplanes == 0:
        return np.zeros((m, d)), np.ones(m, np.bool_)
    system, affine = rows_for_kernels(arrangement)
    float_signs = np.ones((m, len(system.integers)))
    float_signs[:, int(affine) :] = signs
    scaled, status = _fill(system, float_signs, affine)
    if (status == 0).any():
        row = int(np.flatnonzero(status == 0)[0])
        raise InputError(f"signs[{row}] does not occur in {arrangement}.")
    points, ok = unscaled_floats(scaled, system.column_exponents, system.columns, d, affine)
    ok &= status == 1
    for k in np.flatnonzero(~ok):
        rounded = _rounded_point(arrangement, system, float_signs[k], affine)
        ok[k] = rounded is not None
        points[k] = np.nan if rounded is None else rounded
    return points, ok


def rough_points(system: HomogeneousRows, signs: Floats) -> tuple[Floats, Marks]:
    """Directions inside the cones of the signed rows, in scaled columns, and whether one was found.

    Raises
    ------
    InputError
        If a row of `signs` does not occur.
    """
    points, status = _fill(system, signs, False)
    if (status == 0).any():
        row = signs[int((status == 0).argmax())].astype(int).tolist()
        raise InputError(f"the signs {row} do not occur.")
    return points, status == 1


def _fill(system: HomogeneousRows, signs: Floats, affine: bool) -> tuple[Floats, NDArray[np.int64]]:
    """Points in scaled columns and their status, from the float table as long as it suffices."""
    points = np.zeros((len(signs), system.dimension))
    status = np.zeros(len(signs), np.int64)
    count, table = 0, system.float_table
    work = system.work_for(table)
    while count < len(signs):
        operations = operations_of(table, signs.shape[1])
        part = slice(count, count + int(max(1, _OPERATIONS // operations)))
        call = partial(
            fill_witnesses,
            table,
            signs[part],
            system.safe,
            affine,
            points[part],
            status[part],
            work,
        )
        count += answering_ctrl_c(call, operations)
        if count < min(part.stop, len(signs)):  # one is undecided
            table = system.table
            work = system.work_for(table)
    return points, status


def unscaled_floats(
    scaled: Floats,
    column_exponents: NDArray[np.int64],
    columns: Sequence[int],
    d: int,
    affine: bool,
) -> tuple[Floats, Marks]:
    """Points in the caller's d coordinates and whether the change of scale was exact.

    Column k of the scaled points is coordinate columns[k] (the one at infinity is number d)
    times 2**column_exponents[k].
    """
    exponents = -column_exponents
    if affine:  # coordinate 0, at infinity, stays 1
        exponents = exponents - exponents[0]
    else:  # any positive multiple will do: the largest entry is scaled to [1, 2)
        size = np.frexp(scaled)[1] + np.where(scaled == 0, -(10**9), exponents)
        exponents = exponents - size.max(axis=1, keepdims=True) + 1
    with np.errstate(over="ignore", under="ignore"):
        values = np.ldexp(scaled, exponents)
        exact = np.isfinite(values) & (np.ldexp(values, -exponents) == scaled)
    points = np.zeros((len(scaled), d + affine))
    points[:, list(columns)] = values
    return points[:, :d], exact.all(axis=1)


def _rounded_point(
    arrangement: Arrangement, system: HomogeneousRows, signs: Floats, affine: bool
) -> list[float] | None:
    """Nearest float64 point of some exact interior points that still has all signs, or None."""
    rays = _exact_rays(system, signs)
    if isinstance(rays, dict):
        row = signs[int(affine) :].astype(int).tolist()
        raise InputError(f"{row} does not occur in {arrangement}.")
    for weighted in _weighted(rays):
        point = in_caller_coordinates(
            system, _sum(weighted, system.dimension), arrangement.dimension, affine
        )
        for scale in [Fraction(1)] if affine else _scales(point):
            rounded = _nearest_floats([x * scale for x in point])
            if rounded is not None:
                full = [*map(Fraction, rounded), Fraction(1)]
                if _first_violated(system, signs, [full[c] for c in system.columns]) is None:
                    return rounded
    return None


def _weighted(rays: list[list[Fraction]]) -> Iterator[list[list[Fraction]]]:
    """The rays as they are, then with each of them made longer in turn."""
    yield rays
    for k in range(len(rays)):
        yield [[8 * x for x in ray] if i == k else ray for i, ray in enumerate(rays)]


def _nearest_floats(point: Sequence[Fraction]) -> list[float] | None:
    found = [nearest_float(x) for x in point]
    return found if all(map(isfinite, found)) else None


def _scales(point: Point) -> Iterator[Fraction]:
    """Multiples of a central point to try: around norm 1, far away, and integral."""
    largest = max(abs(x) for x in point)
    bits = size_in_bits(largest)
    yield from (Fraction(2) ** (e - bits) for e in (0, 500, -500, 1000))
    yield Fraction(lcm(*(x.denominator for x in point)))
    yield from (Fraction(2) ** -bits / k for k in (3, 5, 7, 11, 13))
