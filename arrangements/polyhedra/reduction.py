"""Emptiness, affine hull, interior point and facets of a polyhedron, by proofs of feasibility.

Rows are homogeneous: ``(-A_j, c_j)`` is non-negative at ``(x, 1)`` for x in the polyhedron.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.exact import linear
from arrangements.exact.numbers import ExactArray, fractions, integer_rows, primitive
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import are_feasible
from arrangements.feasibility.one_sign_vector import solve
from arrangements.feasibility.score_rows import ScoreRows

Rows = Sequence[Sequence[Any]]


class Reduction(NamedTuple):
    """The affine hull of a polyhedron.

    Attributes
    ----------
    dimension : int
        -1 if it is empty.
    basis : list of lists
        Vectors that span all (t x, t) with x in the affine hull; none if it is empty.
    point : tuple or None
        In the relative interior.
    implicit : tuple of int
        Inequalities that are equations.
    steps : tuple of (tuple of int, tuple of int)
        How they were found: rows, and positive weights of their primitive multiples, whose sum is a
        combination of the equations and of the rows of the steps before. Number m is the row at
        infinity; it is one of the last step if the polyhedron is empty.
    """

    dimension: int
    basis: list[list[Any]]
    point: tuple[Any, ...] | None
    implicit: tuple[int, ...]
    steps: tuple[tuple[tuple[int, ...], tuple[Any, ...]], ...] = ()


def reduction_of(matrix: ExactArray, equations: Rows) -> Reduction:
    """Find the affine hull by facial reduction.

    Rows restricted to the hull of the equations either have a point where all of them are positive
    or, by Gordan's theorem, non-negative weights, not all zero, of sum zero. Then every row with a
    weight vanishes on the polyhedron: it is an equation, too. So after at most as many steps as
    there are dimensions there is a point, or the row at infinity is one of these: it is empty.

    matrix : (m + 1, d + 1) rows ``(-A_j, c_j)``, and last the row at infinity

    Examples
    --------
    >>> found = reduction_of(np.array([[-1, 0, 1], [1, 0, -1], [0, 1, 0], [0, 0, 1]]), [])
    >>> found.dimension, found.implicit
    (1, (0, 1))
    """
    m, width = len(matrix) - 1, matrix.shape[1]
    equal = [list(row) for row in equations if any(row)]
    steps: list[tuple[tuple[int, ...], tuple[Any, ...]]] = []
    left = set(range(m))  # inequalities that are in no step
    while True:
        basis = linear.nullspace(equal, width)
        restricted = restricted_to(matrix, basis)
        used = np.flatnonzero(restricted.any(axis=1)).tolist()
        if m not in used:
            steps.append(((m,), (1,)))
            break
        zero = tuple(sorted(left.difference(used)))
        if zero:
            steps.append((zero, (1,) * len(zero)))
            left.difference_update(zero)
        found = solve(Arrangement(restricted[used]), (1,) * len(used))
        if found.point is not None:
            y = [sum(map(mul, found.point, column)) for column in zip(*basis, strict=True)]
            point = tuple(Fraction(1) * entry / y[-1] for entry in y[:-1])
            implicit = tuple(sorted(set(range(m)) - set(used)))
            return Reduction(len(basis) - 1, basis, point, implicit, tuple(steps))
        new = tuple(i for i, weight in zip(used, found.weights or (), strict=True) if weight)
        rows = integer_rows(matrix[list(new)])
        weights = linear.null_vector(linear.matrix_product(basis, _columns(rows)), len(new))
        assert weights is not None  # these rows are a circuit
        sign = 1 if weights[0] > 0 else -1
        steps.append((new, tuple(sign * weight for weight in weights)))
        if m in new:
            break
        equal += rows
        left.difference_update(new)
    return Reduction(-1, [], None, tuple(range(m)), tuple(steps))


def weigh_implicit(
    reduction: Reduction,
    inequalities: Rows,
    equations: Rows,
    target: Sequence[Any],
    positive: bool = False,
) -> list[Any] | None:
    """Weights of rows whose sum is a target; None if it does not vanish on the affine hull.

    Those of inequalities that are equations are not negative, or `positive`, and those of others 0.
    If the polyhedron is empty, the sum is less by a positive multiple of the row at infinity.

    The weights of the rows of a step may grow together, if those of rows before change, too. So
    they are made positive from the last step to the first.

    Examples
    --------
    >>> rows, infinity = [[-1, 0, 1], [1, 0, -1], [0, 1, 0]], [0, 0, 1]
    >>> found = reduction_of(np.array([*rows, infinity]), [])
    >>> [int(weight) for weight in weigh_implicit(found, rows, [], [2, 0, -2])]
    [0, 2, 0]
    """
    m, width = len(inequalities), len(target)
    table = [*inequalities, [0] * (width - 1) + [1], *equations]
    weights, rest = [Fraction(0)] * len(table), list(target)
    before = [*range(m + 1, len(table)), *(i for rows, _ in reduction.steps for i in rows)]
    for rows, shares in reversed(reduction.steps):
        shown = linear.solve(_columns([table[i] for i in before]), rest)
        if shown is None:
            return None
        found = shown[-len(rows) :]
        before = before[: -len(rows)]
        shift = max(0, *(-weight / share for weight, share in zip(found, shares, strict=True)))
        for i, weight, share in zip(rows, found, shares, strict=True):
            weights[i] = weight + (shift + (positive or m in rows)) * share
            rest = [a - weights[i] * b for a, b in zip(rest, table[i], strict=True)]
    if before:
        shown = linear.solve(_columns([table[i] for i in before]), rest)
        if shown is None:
            return None
        weights[m + 1 :] = shown
    elif any(rest):
        return None
    return [*weights[:m], *weights[m + 1 :]]


def _columns(rows: Rows) -> list[Any]:
    return list(zip(*rows, strict=True))


def scaled_rows(matrix: ExactArray) -> tuple[list[list[Any]], list[Any]]:
    """Integer rows, and the positive number by which each was multiplied.

    Examples
    --------
    >>> rows, scales = scaled_rows(np.array([[0.5, 1.0], [4.0, 2.0]]))
    >>> rows, [str(scale) for scale in scales]
    ([[1, 2], [2, 1]], ['2', '1/2'])
    """
    rows, scales = integer_rows(matrix), []
    for original, row in zip(matrix, rows, strict=True):
        k = next((k for k, entry in enumerate(row) if entry), None)
        scales.append(Fraction(1) if k is None else Fraction(1) * row[k] / fractions(original)[k])
    return rows, scales


def restrict_rows(rows: Rows, basis: Rows) -> list[list[Any]]:
    """Values of positive multiples of rows on the vectors of a basis.

    Examples
    --------
    >>> restrict_rows([[2, 4, 0]], [[1, 1, 0], [0, 1, 1]])
    [[3, 2]]
    """
    if len(basis) == len(rows[0]):  # all vectors
        return [list(row) for row in rows]
    values = linear.matrix_product(rows, list(zip(*basis, strict=True)))
    return [primitive(row) for row in values]


def restricted_to(matrix: ExactArray, basis: Rows) -> ExactArray:
    """Values of rows, or of positive multiples of them, on the vectors of a basis."""
    if len(basis) == matrix.shape[1]:  # in the numbers given
        return matrix
    return np.array(restrict_rows(integer_rows(matrix), basis), object)


def facets_of(matrix: ExactArray, basis: Rows) -> tuple[int, ...]:
    """Inequalities that carry a facet, ascending; of equal facets the first.

    One does if a point violates it alone, together with those that are the same on the affine hull.
    """
    restricted = restricted_to(matrix, basis)
    used = np.flatnonzero(restricted.any(axis=1)).tolist()
    A = Arrangement(restricted[used])
    groups = [group for group in A.parallel_classes if len(used) - 1 not in group]
    if not groups:
        return ()
    questions = np.ones((len(groups), len(used)), np.int8)
    for k, group in enumerate(groups):
        questions[k, list(group)] = -1
    occurs = are_feasible(FeasibilityBatch.of_signs(ScoreRows.of(A), questions)).tolist()
    return tuple(sorted(used[group[0]] for group, yes in zip(groups, occurs, strict=True) if yes))


def is_bounded(matrix: ExactArray, equations: Rows) -> bool:
    """Whether a polyhedron that is not empty is bounded.

    By Stiemke's theorem it is if positive weights of all inequalities, and some of the equations,
    have the sum zero in all columns but the last, and these rows span the space.
    """
    rows = [row[:-1] for row in integer_rows(matrix[:-1])]
    kept = [row for row in rows if any(row)]
    table = [*kept, *(row[:-1] for row in equations)]
    d = matrix.shape[1] - 1
    if not d:
        return True
    if linear.rank(table) < d:
        return False
    weights = linear.nullspace(list(zip(*table, strict=True)), len(table))
    if not kept:
        return True
    columns = np.array(weights, object).reshape(len(weights), len(table))[:, : len(kept)].T
    if not columns.any(axis=1).all():
        return False
    return solve(Arrangement(columns), (1,) * len(kept)).point is not None


def why_redundant(
    reduction: Reduction,
    inequalities: tuple[Rows, Sequence[Any]],
    equations: tuple[Rows, Sequence[Any]],
    facets: Sequence[int],
) -> dict[int, tuple[Fraction, ...]]:
    """Weights of inequalities and equations whose sum is each other inequality, or stronger."""
    if reduction.dimension < 0:
        return {}
    (rows, scales), width = inequalities, len(reduction.basis[0])
    infinity = [0] * (width - 1) + [1]
    terms = [rows[j] for j in facets]
    columns = list(zip(*reduction.basis, strict=True))
    restricted = linear.matrix_product([*terms, infinity], columns)
    # what vanishes on the affine hull
    zero = [*reduction.implicit, *range(len(rows), len(rows) + len(equations[0]))]
    all_rows, all_scales = [*rows, *equations[0]], [*scales, *equations[1]]
    found = {}
    for j in range(len(rows)):
        if j in facets or j in reduction.implicit:
            continue
        (own,) = linear.matrix_product([rows[j]], columns)
        signs = (*[1] * len(restricted), -1)
        proof = solve(Arrangement(np.array([*restricted, own], object)), signs).weights
        assert proof is not None and proof[-1]  # the others alone are feasible
        weights = [Fraction(0)] * len(all_rows)
        rest = [Fraction(1) * entry for entry in rows[j]]
        for term, row, i in zip(proof, [*terms, infinity], [*facets, None], strict=False):
            part = term / proof[-1]
            rest = [a - part * b for a, b in zip(rest, row, strict=True)]
            if i is not None:
                weights[i] = part
        if zero and any(rest):
            solution = linear.solve([[all_rows[i][k] for i in zero] for k in range(width)], rest)
            assert solution is not None  # it vanishes on the affine hull
            for i, weight in zip(zero, solution, strict=True):
                weights[i] = weight
        found[j] = tuple(w * s / scales[j] for w, s in zip(weights, all_scales, strict=True))
    return found
