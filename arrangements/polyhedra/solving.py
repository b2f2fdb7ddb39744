"""Points inside a polyhedron where functions have signs, or weights that prove that there is none.

Rows ``(w, b)`` stand for functions ``w @ x + b``. In coordinates of the subspace where all
equations hold, the conditions that are left are strict, as `feasibility` decides them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from arrangements.core.questions import coerce_with_zero_rows
from arrangements.exact import linear
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    integer_rows,
    negative,
    stack_rows,
)
from arrangements.feasibility.interior import Point
from arrangements.feasibility.one_sign_vector import Solution, coprime, solve
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reduction import scaled_rows


def solve_inside(rows: ExactArray, signs: Sequence[int | None], P: Polyhedron) -> Solution:
    """A point of the relative interior where rows have some signs, 0 for zero, None for any.

    Without one, the sum of the weights times the rows, those with - negated, and times ``c - A @
    x`` and ``f - E @ x`` of the polyhedron has no x in it and a constant of at most 0. Weights of
    rows with + or - and of inequalities are not negative; if the constant is 0, a row with + or -
    or an inequality that is no implicit equation has a positive one.

    Parameters
    ----------
    rows : (n, d + 1) ndarray
        Exact, of the same field as `P`.
    signs : n int or None
    P : Polyhedron

    Returns
    -------
    Solution
        A point, or weights: of the rows, the inequalities and the equations.

    Examples
    --------
    >>> P = Polyhedron.simplex(2)
    >>> solve_inside(np.array([[1, 0, 0], [1, -1, 0]]), [1, 0], P).point
    (Fraction(1, 2), Fraction(1, 2))
    >>> list(map(int, solve_inside(np.array([[1, 0, 0], [1, 1, 0]]), [1, 0], P).weights))
    [0, -1, 0, 0, -1]
    """
    n, m = len(rows), len(P.inequalities[0])
    if P.is_empty:
        return Solution(weights=coprime([*[Fraction(0)] * n, *P.implicit_weights()]))
    strict = [i for i, sign in enumerate(signs) if sign]
    equal = [i for i, sign in enumerate(signs) if sign == 0 and rows[i].any()]
    inner = [j for j in range(m) if j not in set(P.implicit_equations)]
    find = _in_subspace if equal or P.dimension < P.ambient_dimension else _in_space
    point, weights = find(rows, signs, P, (strict, equal, inner))
    if point is not None:
        return Solution(point)
    found = [Fraction(0)] * (n + m + len(P.equations[0]))
    for i, weight in weights.items():
        found[i] = weight
    return Solution(weights=coprime(found))


Parts = tuple[list[int], list[int], list[int]]
Found = tuple[Point | None, dict[int, Any]]


def _in_space(rows: ExactArray, signs: Sequence[int | None], P: Polyhedron, parts: Parts) -> Found:
    """Answer without equations, in the coordinates and numbers given."""
    strict, _, inner = parts
    A, c = P.inequalities
    inner = [j for j in inner if A[j].any()]
    table = stack_rows(rows[strict], append_column(negative(A[inner]), c[inner]))
    arrangement = coerce_with_zero_rows(table[:, :-1], table[:, -1])
    own = [signs[i] for i in strict]
    point, weights = solve(arrangement, (*own, *[1] * len(inner)))
    places = [*strict, *(len(rows) + j for j in inner)]
    return point, dict(zip(places, weights or (), strict=False))


def _in_subspace(
    rows: ExactArray, signs: Sequence[int | None], P: Polyhedron, parts: Parts
) -> Found:
    """Answer in coordinates of the subspace of all equations, homogeneous."""
    strict, equal, inner = parts
    n, (A, c), (E, f) = len(rows), P.inequalities, P.equations
    own, own_scales = scaled_rows(rows)
    low, low_scales = scaled_rows(append_column(negative(A), c))
    zero = [own[i] for i in equal]
    hull = [*(low[j] for j in P.implicit_equations), *integer_rows(append_column(negative(E), f))]
    basis = linear.nullspace([*zero, *hull], rows.shape[1])
    terms = [[(signs[i] or 0) * entry for entry in own[i]] for i in strict]
    terms += [low[j] for j in inner]
    terms.append([0] * (rows.shape[1] - 1) + [1])
    if basis:
        values = np.array(linear.matrix_product(terms, list(zip(*basis, strict=True))), object)
        found = solve(coerce_with_zero_rows(values), (1,) * len(terms))
        if found.point is not None:
            *x, t = (sum(map(mul, found.point, column)) for column in zip(*basis, strict=True))
            return tuple(entry / (Fraction(1) * t) for entry in x), {}
        weights: Sequence[Any] = found.weights or ()
    else:
        weights = [Fraction(0)] * (len(terms) - 1) + [Fraction(1)]
    rest = [-sum(map(mul, weights, column)) for column in zip(*terms, strict=True)]
    shares = linear.solve(list(zip(*zero, *hull, strict=True)), rest)
    assert shares is not None  # the terms sum to a function that vanishes in the subspace
    all_weights = {i: y * own_scales[i] for i, y in zip(strict, weights, strict=False)}
    for i, y in zip(equal, shares, strict=False):
        all_weights[i] = y * own_scales[i]
        rest = [a - y * b for a, b in zip(rest, own[i], strict=True)]
    for k, weight in enumerate(P.implicit_weights(rest)):
        all_weights[n + k] = weight
    for j, y in zip(inner, weights[len(strict) :], strict=False):
        all_weights[n + j] = y * low_scales[j]
    return None, all_weights
