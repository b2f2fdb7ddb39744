"""Columns exchanged for combinations of them that float64 tells apart.

A matrix of rank 8 stored in floats has the rank of its rounding errors. In its columns every point
needs numbers far longer than those of floats; in the columns of ``W T``, which are about
orthogonal, it needs none. T is found as Rump inverts matrices (S. Oishi et al., J. Comput. Appl.
Math. 205 (2007) 533-544): floats find directions of very different lengths, stretched ones take
their place, and their products with the rows are exact. Each round gains a factor of about 2**40.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.cone_system import HomogeneousRows, IntRows, scaled_floats

# Singular values that differ by more than this are brought together, those beyond float64 by as
# much as it tells.
_SPREAD, _TOLD = 2.0**20, 2.0**-40
# Bits of the entries of one round's matrix, and the most rounds.
_BITS, _ROUNDS = 50, 60


def conditioner(rows: IntRows) -> IntRows | None:
    """A regular integer matrix T for which ``rows @ T`` is well-conditioned; None if rows are.

    Parameters
    ----------
    rows : (N, D) list of lists of int
        Of rank D, no row zero.

    Examples
    --------
    >>> conditioner([[1, 0], [1, 1]]) is None
    True
    >>> T = conditioner([[2**60, 2**60 + 1], [2**60, 2**60 - 1]])
    >>> found = np.array([[2**60, 2**60 + 1], [2**60, 2**60 - 1]], dtype=object) @ T
    >>> bool(np.linalg.cond((found / found.max(axis=0)).astype(float)) < 10)
    True
    """
    from flint import fmpz_mat  # loads slowly

    matrix, total = fmpz_mat([list(row) for row in rows]), None
    for _ in range(_ROUNDS):
        columns, exponents = scaled_floats(_integers(matrix))
        _, sizes, directions = np.linalg.svd(columns.T, full_matrices=False)
        if sizes[-1] * _SPREAD >= sizes[0]:
            break
        stretched = directions.T / np.maximum(sizes, sizes[0] * _TOLD)
        step = fmpz_mat(_as_integers(stretched, exponents))
        if not step.det():
            break
        matrix, total = matrix * step, step if total is None else total * step
    return None if total is None else _integers(total)


@lru_cache(maxsize=4)
def conditioned(system: HomogeneousRows) -> tuple[HomogeneousRows, IntRows] | None:
    """The rows of a system in better columns, ``rows @ T``, and T; None if they need none."""
    T = conditioner(system.integers) if system.field is None else None
    if T is None:
        return None
    from flint import fmpz_mat  # loads slowly

    rows = _integers(fmpz_mat(system.integers) * fmpz_mat(T))
    better = HomogeneousRows(rows)  # not made primitive: weights of rows stay the same
    return better, [[row[c] for c in better.columns] for row in T]


def _integers(matrix: object) -> IntRows:
    return [[int(entry) for entry in row] for row in matrix.tolist()]  # type: ignore[attr-defined]


def _as_integers(step: NDArray[np.float64], exponents: NDArray[np.int64]) -> IntRows:
    """Multiples of the columns of a matrix for columns that were scaled by these exponents."""
    shifts = (exponents.max() - exponents).tolist()
    columns = (step / np.abs(step).max(axis=0) * 2.0**_BITS).round()
    return [
        [int(entry) << shift for entry in row]
        for row, shift in zip(columns.tolist(), shifts, strict=True)
    ]
