"""Labels whose differences have given directions (theorem 5.6): exactly, or up to rounding."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt, log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rounded_product import recovered_product
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.linear import solve
from arrangements.exact.numbers import ExactArray, as_objects, integer_rows
from arrangements.paper.cosines import rounded_cosine_matrix
from arrangements.paper.rounded_cosines import FLOAT_ERROR, MOST_ERROR, RoundedCosines

_NO_DIFFERENCES = (
    "D is not the cosine matrix of all differences w_i - w_j, i < j in lexicographic order"
)


def place_labels(directions: NDArray[Any]) -> NDArray[Any]:
    """Labels whose differences are positive multiples of the rows, pairs i < j.

    Examples
    --------
    >>> place_labels(np.array([[1], [2], [1]])).ravel().tolist()  # 0 above 1 above 2
    [2, 1, 0]
    """
    n = _number_of_labels(len(directions))
    rows = as_objects(directions)
    first, second = np.triu_indices(n, 1)
    towards = np.zeros((n, n, rows.shape[1]), dtype=object)  # from label i to label j
    towards[first, second], towards[second, first] = -rows, rows
    if rows.shape[1] == 1:  # on a line: in the order of the signs of their differences
        labels: NDArray[Any] | None = np.sum(towards < 0, axis=1).astype(object)
    else:
        labels = _where_rays_meet(towards)
    if labels is not None:
        differences = integer_rows(as_exact_matrix(labels[first] - labels[second] + Fraction(0)))
        if differences == integer_rows(directions):
            return labels
    raise InputError(f"{_NO_DIFFERENCES}.")


def _where_rays_meet(towards: NDArray[Any]) -> NDArray[Any] | None:
    """Labels from the directions between them, label 0 at the origin; None if rays miss."""
    n, _, r = towards.shape
    labels = np.zeros((n, r), dtype=object)
    labels[1] = towards[0, 1]
    placed, waiting = [1], list(range(2, n))
    while waiting:
        # two labels that are not on a line with 0, the first of them placed already
        p, k = next(
            ((p, k) for k in waiting for p in placed if _independent(labels[p], towards[0, k])),
            (None, None),
        )
        if k is None:
            return None
        rays = np.array([towards[0, k], -towards[p, k]])
        steps = solve(rays.T.tolist(), labels[p].tolist())
        if steps is None or steps[0] <= 0:
            return None
        labels[k] = steps[0] * towards[0, k]
        placed.append(k)
        waiting.remove(k)
    return labels


def _independent(a: NDArray[Any], b: NDArray[Any]) -> bool:
    pivot = np.flatnonzero(a)[0]
    return bool((a[pivot] * b != b[pivot] * a).any())


def _number_of_labels(m: int) -> int:
    n = (1 + isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        raise InputError(
            f"D has shape {(m, m)}; expected n (n - 1) / 2 rows, one for each pair of n labels."
        )
    return n


def likely_labels(cosines: RoundedCosines) -> ExactArray:
    """Exact labels whose differences have these cosines up to rounding, pairs i < j in order.

    With the directions u_ij of the differences: the labels w that minimize the sum of squares of
    the parts of w_i - w_j orthogonal to u_ij, which vanishes; not all equal. Then coincidences that
    rounding broke are recovered, as in `rankings`.
    """
    D, r = cosines.values, cosines.rank
    n = _number_of_labels(len(D))
    first, second = np.triu_indices(n, 1)
    values, vectors = np.linalg.eigh(D)
    directions = vectors[:, -r:] * np.sqrt(values[-r:])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if r == 1:  # on a line: the number of labels below, minus that above
        labels, unit = np.zeros((n, 1)), 0.0
        np.add.at(labels, first, np.sign(directions))
        np.add.at(labels, second, -np.sign(directions))
    else:
        labels, spread = _least_turned(directions, n)
        unit = cosines.unit * sqrt(n * r / values[-r]) / spread
    differences = labels[first] - labels[second]
    if (differences * directions).sum() < 0:
        labels, differences = -labels, -differences
    most = max(FLOAT_ERROR, min(8 * unit, MOST_ERROR))
    if not differences.any(axis=1).all() or (
        np.abs(rounded_cosine_matrix(differences) - D).max() > most
    ):
        raise InputError(f"{_NO_DIFFERENCES}, of column-centered rank {r}.")
    if not 0 < unit < 1:
        return labels
    found = recovered_product(labels, r, floor(-log2(unit)), centered=True)
    return labels if found is None else found.factor


def _least_turned(directions: NDArray[np.float64], n: int) -> tuple[NDArray[np.float64], float]:
    """Centered labels whose differences have the least parts across the directions.

    Also the norm by which those of any other labels of the same size exceed them.
    """
    r = directions.shape[1]
    first, second = np.triu_indices(n, 1)
    across = np.eye(r) - directions[:, :, None] * directions[:, None, :]
    form = np.zeros((n, r, n, r))
    for i, j, part in zip(first, second, across, strict=True):
        form[i, :, i] += part
        form[j, :, j] += part
        form[i, :, j] -= part
        form[j, :, i] -= part
    values, vectors = np.linalg.eigh(form.reshape(n * r, n * r))
    # the form vanishes on the translations and on the labels: what is left without translations
    vanishing = vectors[:, : r + 1].reshape(n, r, r + 1)
    centered = (vanishing - vanishing.mean(axis=0)).reshape(n * r, r + 1)
    return np.linalg.svd(centered)[0][:, 0].reshape(n, r), sqrt(max(values[r + 1], 1e-300))
