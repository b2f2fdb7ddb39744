"""Which points satisfy inequalities and equations, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import ExactArray, append_column, fractions, negative
from arrangements.exact.products import product
from arrangements.exact.scores import positive_rows

System = tuple[ExactArray, ExactArray]


def contained(
    inequalities: System,
    equations: System,
    points: ExactArray,
    implicit: Sequence[int] | None = None,
) -> NDArray[np.bool_]:
    """Which points satisfy ``A @ x <= c`` and ``E @ x == f``.

    Parameters
    ----------
    inequalities, equations : (A, c) and (E, f)
    points : (m, d) ndarray
        Exact numbers.
    implicit : sequence of int, optional
        Inequalities that shall hold with equality; then the others are strict, but for those of
        zeros.

    Examples
    --------
    >>> none = np.zeros((0, 1)), np.zeros(0)
    >>> below_3, points = (np.array([[1]]), np.array([3])), np.array([[2], [3], [4]])
    >>> contained(below_3, none, points), contained(below_3, none, points, [])
    (array([ True,  True, False]), array([ True, False, False]))
    """
    (A, c), (E, f) = inequalities, equations
    found: NDArray[np.bool_] = np.ones(len(points), np.bool_)
    equal = [append_column(E, f)]
    if implicit is None:
        if len(A):
            found = np.asarray(~positive_rows(A, negative(c), points).any(axis=1))
    else:
        strict: NDArray[np.bool_] = np.asarray(A.any(axis=1))
        strict[list(implicit)] = False
        if strict.any():
            found = np.asarray(positive_rows(negative(A[strict]), c[strict], points).all(axis=1))
        equal.append(append_column(A, c)[list(implicit)])
    for k in np.flatnonzero(found) if any(map(len, equal)) else ():
        point = [*fractions(points[k]), Fraction(-1)]
        found[k] = not any(product(rows, point).any() for rows in equal if len(rows))
    return found
