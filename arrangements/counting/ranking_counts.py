"""How many rankings there are: closed forms, an exact count in the plane, and estimates."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer
from arrangements.core.score_model import ScoreModel
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import deciding_residues
from arrangements.exact.linear import determinant
from arrangements.exact.number_field import NumberField
from arrangements.exact.numbers import difference, quotient
from arrangements.exact.residues import ATTEMPTS, inverses
from arrangements.execution import limits
from arrangements.forecast.hours import check_hours
from arrangements.messages import Remedy, short_number

# Most pairs of labels whose directions are compared; beyond that the sweep is faster.
_MOST_DIRECTIONS = 4_000_000
# Most labels for which an estimate sets up the differences of all pairs.
_MOST_PROBED_LABELS = 250
_SAMPLED_MINORS = 400
# A number of rankings with more bytes is useless, and takes long to compute.
_MOST_NUMBER_BYTES = 4 * 10**6
# Additions of numbers of 10^4 bits in a second.
_ADDITIONS = 5e5
_SMALLER = Remedy("smaller dimension", "Choose a smaller d.")
# Twice the relative error of a slope, a quotient of two correctly rounded differences, and room.
_SLOPE_ERROR = 16 * 2.0**-53


def generic_ranking_count(n: int, d: int, *, bias: bool = False) -> int:
    """Number of rankings of n labels in general position in R^d.

    No n labels in R^d have more rankings. As soon as d >= n - 1, these are all n! orders.

    Parameters
    ----------
    n, d : int
        Number of labels and rank of the column-centered weights, at least 1.
    bias : bool
        Whether each label has a generic offset too.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If n or d is not a positive integer.
    TooLargeError
        If the number has more than about 10**7 digits, or takes more than an hour.

    Notes
    -----
    Linear: ``Q(n + 1, d) = Q(n, d) + n Q(n, d - 1)``, ``Q(2, d) = 2``, ``Q(n, 1) = 2`` [1]_. With
    offsets it is the sum of the unsigned Stirling numbers c(n, n - k), k <= d [2]_. For fixed d
    this is a polynomial in n of degree 2 d, so O(d^2) integer operations suffice for every n.

    References
    ----------
    .. [1] T. M. Cover, SIAM J. Appl. Math. 15 (1967) 434-439.
    .. [2] I. J. Good, T. N. Tideman, J. Combin. Theory A 23 (1977) 34-45.

    Examples
    --------
    >>> [generic_ranking_count(10, d) for d in (1, 2, 3, 9)]
    [2, 90, 1742, 3628800]
    >>> [generic_ranking_count(10, d, bias=True) for d in (1, 2, 3)]
    [46, 916, 10366]
    >>> generic_ranking_count(10**30, 2) == 10**30 * (10**30 - 1)
    True
    """
    n, d = check_integer("n", n, 1), check_integer("d", d, 1)
    bias = check_flag("bias", bias)
    bits = min(n - 1, 2 * d) * n.bit_length()  # n! < n^(n-1), and at most n^2 / 2 pairs for each k
    what = f"the number of rankings of {short_number(n)} labels in dimension {short_number(d)}"
    limits.check_bytes(what, bits // 8, allowed=_MOST_NUMBER_BYTES)
    work = d * min(n, 2 * d) if d < n - 1 else n
    additions = work * (1 + bits // 10**4)
    check_hours(f"computing {what}", additions, _ADDITIONS, 1, refusal=_SMALLER)
    return _count(n, d, bias)


@lru_cache(maxsize=256)
def _count(n: int, d: int, bias: bool) -> int:
    """`generic_ranking_count`; rank 0 has one ranking, by the offsets."""
    if n == 1 or d >= n - 1:
        return factorial(n)
    # sums of products of k of the numbers first..n-1; with first = 1 they are c(n, n - k)
    first, highest = 1 if bias else 2, d if bias else d - 1
    symmetric = [1] + [0] * highest
    sums, degree = [1], 2 * highest
    for value in range(first, min(n, first + degree)):
        for k in range(highest, 0, -1):
            symmetric[k] += value * symmetric[k - 1]
        sums.append(sum(symmetric))
    # the sum is a polynomial in n, so beyond its degree it follows from its differences
    steps = n - first
    number = sums[-1] if steps < len(sums) else _extrapolate(sums, steps)
    return number * (1 if bias else 2)


def _extrapolate(values: list[int], x: int) -> int:
    """Value at x of the polynomial with these values at 0, 1, .. (Newton's formula)."""
    total, choices = 0, 1  # x choose k
    for k in range(len(values)):
        total += values[0] * choices
        choices = choices * (x - k) // (k + 1)
        values = [b - a for a, b in zip(values, values[1:], strict=False)]
    return total


def most_rankings(model: ScoreModel) -> int:
    """Upper bound for the rankings of a model, reached if it is generic."""
    return _count(model.n_labels, model.rank, not model.is_central)


def known_count(model: ScoreModel) -> int | None:
    """Number of rankings where a proof is cheap: on a line, in a plane, or if there are all n!.

    Examples
    --------
    >>> known_count(ScoreModel([[0, 0], [1, 0], [0, 1], [1, 1]]))
    8
    """
    n, affine = model.n_labels, not model.is_central
    if model.has_all_orders:
        return factorial(n)
    if model.rank + affine < 2:
        return 1 if affine else 2
    if model.rank + affine > 2 or n * (n - 1) // 2 > _MOST_DIRECTIONS:
        return None
    directions = _count_directions(model)
    return 1 + directions if affine else 2 * directions


def _count_directions(model: ScoreModel) -> int:
    """Lines through 0 (points of the line, if affine) where two labels tie, in a plane.

    Slopes of differences are sorted as floats; only those too close to tell apart are compared
    as fractions.
    """
    integers = [[model.integer_rows[i][c] for c in model.columns] for i in range(model.n_labels)]
    if not model.is_central:
        integers = [
            [*row, full[-1]] for row, full in zip(integers, model.integer_rows, strict=True)
        ]
    first, second = np.triu_indices(model.n_labels, 1)
    if (field := field_of_rows(integers)) is not None:
        return _irrational_directions(integers, field, model.is_central)
    exact = _exact_floats(integers)
    if exact is None:
        return _distinct_slopes(integers, first, second, model.is_central)
    run, rise = (exact[first] - exact[second]).T
    vertical = run == 0
    lines = int(model.is_central and vertical.any())
    first, second = first[~vertical], second[~vertical]
    slope = rise[~vertical] / run[~vertical]
    order = np.argsort(slope)
    slope = slope[order]
    apart = np.diff(slope) > _SLOPE_ERROR * np.maximum(np.abs(slope[1:]), np.abs(slope[:-1]))
    starts = np.flatnonzero(np.concatenate([[True], apart]))
    ends = np.append(starts[1:], len(slope))
    lines += int((ends - starts == 1).sum())
    for start, end in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
        close = order[start:end]
        lines += _distinct_slopes(integers, first[close], second[close], False)
    return lines


def _exact_floats(integers: list[list[int]]) -> NDArray[np.float64] | None:
    """The (n, 2) integers as floats, columns scaled; None if inexact or near over- or underflow."""
    columns = []
    for column in np.array(integers, dtype=object).T:
        size = max(abs(v) for v in column).bit_length()
        if size > 900:
            return None
        floats = column.astype(np.float64)
        if any(int(f) != v for f, v in zip(floats.tolist(), column.tolist(), strict=True)):
            return None
        columns.append(np.ldexp(floats, -size))
    return np.column_stack(columns)


def _distinct_slopes(
    integers: list[list[int]], first: NDArray[np.intp], second: NDArray[np.intp], vertical: bool
) -> int:
    """Number of distinct slopes of differences, including infinity if `vertical`."""
    slopes: set[Fraction | None] = set()
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        (a, b), (c, d) = integers[i], integers[j]
        slopes.add(quotient(b - d, a - c) if a != c else None)
    return len(slopes) - (None in slopes and not vertical)


def _irrational_directions(rows: list[list[Any]], field: NumberField, vertical: bool) -> int:
    """The same for all differences of rows of numbers of a field, from residues.

    Slopes are equal if they are so modulo primes that decide whether a minor of two differences is
    zero, if no difference other than zero vanishes modulo one of them.
    """
    first, second = np.triu_indices(len(rows), 1)
    for attempt in range(ATTEMPTS):
        upright, kind = None, np.zeros(len(first), np.uint64)
        for p, found in zip(*deciding_residues(rows, field, 2, attempt, terms=2), strict=True):
            modulus = np.uint64(p)
            run, rise = ((found[first] + modulus - found[second]) % modulus).T
            if upright is None:
                upright = run == 0
            elif ((run == 0) != upright).any():
                break
            slope = rise * inverses(np.maximum(run, 1), p) % modulus
            kind = np.unique(kind << np.uint64(31) | slope, return_inverse=True)[1].astype(
                np.uint64
            )
        else:
            assert upright is not None
            different = len(np.unique(kind[~upright]))
            return different + int(vertical and upright.any())
    return _distinct_slopes(rows, first, second, vertical)


def looks_generic(model: ScoreModel, seed: int = 0) -> bool:
    """Whether random differences are independent whenever generic ones would be.

    Differences of labels along the edges of a forest are independent for generic labels.

    Examples
    --------
    >>> looks_generic(ScoreModel([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]))
    False
    """
    rng = np.random.default_rng(seed)
    affine = not model.is_central
    columns = [*model.columns, *([-1] * affine)]
    rows = [[row[c] for c in columns] for row in model.integer_rows]
    for _ in range(_SAMPLED_MINORS):
        differences = [
            difference(rows[i], rows[j])
            for i, j in _random_forest(model.n_labels, len(columns), rng)
        ]
        if determinant(differences) == 0:
            return False
        if affine and model.rank and determinant([row[:-1] for row in differences[1:]]) == 0:
            return False
    return True


def _random_forest(n: int, edges: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Random edges between n labels, without a cycle: `edges` of them, fewer than n."""
    tree = list(range(n))
    forest: list[tuple[int, int]] = []
    while len(forest) < edges:
        i, j = rng.choice(n, 2, replace=False).tolist()
        if tree[i] != tree[j]:
            old, new = tree[i], tree[j]
            tree = [new if t == old else t for t in tree]
            forest.append((i, j))
    return forest


def expected_count(model: ScoreModel) -> int | None:
    """Estimate of the number of rankings; None for too many labels to tell.

    Exact, or the closed form where random minors suggest that it holds; else the mean over random
    descents in the tree of insertions.
    """
    known = known_count(model)
    if known is not None:
        return known
    bound = most_rankings(model)
    if looks_generic(model):
        return bound
    if model.n_labels > _MOST_PROBED_LABELS:
        return None
    return min(bound, _probe(model))


def expected_of_some(model: ScoreModel) -> int:
    """Estimate for some of the labels, which have at most as many rankings as all.

    Examples
    --------
    >>> expected_of_some(ScoreModel([[0, 0], [1, 0], [0, 1], [1, 1]]))
    8
    """
    rows = np.random.default_rng(0).permutation(model.n_labels)[:_MOST_PROBED_LABELS]
    offsets = None if model.offsets is None else model.offsets[rows]
    return _probe(ScoreModel(model.weights[rows], offsets))


def _probe(model: ScoreModel) -> int:
    """Estimate by random descents in the tree of insertions."""
    from arrangements.search.insertion import expected_rankings  # loads numba

    sides = 2 if model.is_central else 1
    return sides * int(expected_rankings(model))
