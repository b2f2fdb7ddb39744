"""Few small questions, one by one in one cone system: no proposals, no search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch
from arrangements.feasibility.certificate_table import NO, YES, Certificates
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.feasibility.interior import (
    find_point,
    in_caller_coordinates,
    rows_for_kernels,
    solve_signs,
    unscaled_floats,
)
from arrangements.kernels.cone.interior_points import find_witness
from arrangements.kernels.numba_internals import is_ready

# Largest product of questions, rows and the square of dimension + 8. Bulk work takes 3 ms before
# the first answer.
_SMALL = 100_000


def is_small(batch: FeasibilityBatch) -> bool:
    """Tell if one by one is faster, with code that need not be compiled first."""
    n = batch.rows.n
    return (
        0 < len(batch) * n * (min(n, batch.width) + 8) ** 2 < _SMALL
        and (batch.kind != "orders" or bool((batch.sizes == 1).all()))
        and bool(batch.default.all() and batch.signs.all())
        and (batch.kind != "signs" or bool(batch.rows.weights.any(axis=1).all()))
        and is_ready(find_witness)
    )


def solve_small(batch: FeasibilityBatch) -> Certificates:
    """Answer all questions, with proofs.

    Labels are on top if they score above a threshold, and all others below.
    """
    if batch.kind == "orders":
        batch = FeasibilityBatch(batch.rows, "sets", batch.starts, batch.listed)
    system, affine, signs = _cone_system(batch)
    m, d = len(batch), batch.rows.dimension
    scaled, found = _float_points(system, affine, signs)
    points, exact = unscaled_floats(
        scaled, system.column_exponents, system.columns, batch.width - batch.rows.affine, affine
    )
    proved = (found == YES) & exact
    status, exact_points, supports = np.full(m, YES, np.int8), {}, {}
    for i in np.flatnonzero(~proved).tolist():
        solution = solve_signs(system, signs[i], affine)
        if isinstance(solution, dict):
            status[i] = NO
            rows = [j - affine if j >= affine else INFINITY for j in sorted(solution)]
            supports[i] = np.array(rows, np.int32)
        else:
            dimension = batch.width - batch.rows.affine
            exact_points[i] = in_caller_coordinates(system, solution, dimension, affine)[:d]
    places = np.where(proved, np.cumsum(proved) - 1, -1)
    return Certificates(batch, status, points[proved, :d], places, exact_points, supports)


def answer_small(batch: FeasibilityBatch) -> NDArray[np.bool_]:
    """The answers alone: proofs of refusals take most of the time of `solve_small`."""
    system, affine, signs = _cone_system(batch)
    _, found = _float_points(system, affine, signs)
    for i in np.flatnonzero((found != YES) & (found != NO)).tolist():
        found[i] = isinstance(solve_signs(system, signs[i], affine), list)
    return found == YES


def _cone_system(batch: FeasibilityBatch) -> tuple[HomogeneousRows, bool, NDArray[np.float64]]:
    """Rows that all questions share, whether the row at infinity is first, and (m, N) signs."""
    rows = batch.rows
    normals: Any = rows.weights
    if batch.kind != "signs":
        normals = np.column_stack([normals, np.full(rows.n, -1, normals.dtype)])
    system, affine = rows_for_kernels(Arrangement(normals, rows.offsets if rows.affine else None))
    signs = np.ones((len(batch), affine + rows.n))
    signs[:, int(affine) :] = batch.default[:, None]
    owner = np.repeat(np.arange(len(batch)), batch.sizes)
    signs[owner, affine + batch.listed] = batch.signs
    return system, affine, signs


def _float_points(
    system: HomogeneousRows, affine: bool, signs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A point for each question in scaled columns, and its status as `find_witness` says."""
    table, points = system.float_table, np.zeros((len(signs), system.dimension))
    work = system.work_for(table)
    status = [
        find_point(system, table, row, affine, point, work)
        for row, point in zip(signs, points, strict=True)
    ]
    return points, np.array(status)
