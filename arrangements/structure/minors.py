"""Sums of absolute values of maximal minors, for volumes of zonotopes."""

from __future__ import annotations

from functools import partial
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import determinant
from arrangements.execution import limits
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.forecast.hours import check_hours

# Sets of rows whose minors are found in a second, for predictions: one by one, and in a table.
SETS_PER_SECOND, _TABLE_PER_SECOND = 50_000, 1e7
_LARGEST_INT64 = 2**63 - 1


def sum_of_minors(rows: list[list[Any]], d: int) -> Any:
    """Sum of the absolute values of the d x d minors of rows of length d.

    Minors grow column by column (Laplace) in int64, if the product of the d largest row sums, which
    bounds each, proves that nothing overflows, and they fit into memory; else they are found one by
    one.

    Examples
    --------
    >>> sum_of_minors([[1, 0], [0, 1], [1, 2]], 2), sum_of_minors([[10**20]], 1)
    (4, 100000000000000000000)
    """
    number = comb(len(rows), d)
    if d == 0 or not number:
        return number
    whole = all(isinstance(entry, int) for row in rows for entry in row)
    sums = sorted(sum(map(abs, row)) for row in rows) if whole else []
    fits = 16 * number <= limits.available_bytes()
    if whole and fits and prod(map(int, sums[-d:])) <= _LARGEST_INT64:
        check_hours(f"summing {number} minors", number, _TABLE_PER_SECOND)
        return _sum_of_table(np.array(rows, np.int64), d)
    what = f"summing over the sets of {d} of {len(rows)} segments"
    check_hours(what, number, SETS_PER_SECOND)
    return sum(abs(determinant(chosen)) for chosen in combinations(rows, d))


def _sum_of_table(rows: NDArray[np.int64], d: int) -> int:
    from arrangements.kernels.structure.chirotopes import fill_minors  # loads numba

    n = len(rows)
    choose = np.array(
        [[min(comb(a, b), _LARGEST_INT64) for b in range(d + 2)] for a in range(n + 1)], np.int64
    )
    minors = np.ones(1, np.int64)
    for k in range(1, d + 1):
        lower, minors = minors, np.empty(comb(n, k), np.int64)
        column = np.ascontiguousarray(rows[:, k - 1])
        call = partial(fill_minors, column, lower, k, n, choose, minors)
        answering_ctrl_c(call, 10.0 * k * len(minors))
    high, low = np.divmod(np.abs(minors), 2**31)
    return int(high.sum()) * 2**31 + int(low.sum())
