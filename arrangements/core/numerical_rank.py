"""Rank of a matrix up to the rounding of its entries: an estimate, for warnings and inferences."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.clear_rank import NOISE_ROOM, noise
from arrangements.core.rounding import (
    PRECISIONS,
    Printed,
    Rounding,
    mantissa_bits,
    rounding_of,
)
from arrangements.exact import numbers
from arrangements.exact.numbers import NO_EXPONENT, ExactArray

Floats = NDArray[np.float64]

_HALF_BITS = 11
# Chance that a generic matrix is taken for one of low rank.
_CHANCE = 1e-7
# Of numbers that use the whole mantissa of float64: bits of those that went through other formats
# or many operations, and the least gap below the singular values that are no rounding.
_WORN_BITS, _WORN_GAP = 48, 2.0**16


class NumericalRank(NamedTuple):
    """Number of singular values above rounding.

    Attributes
    ----------
    rank : int
    rounding : Rounding
        As the entries, or the gap of the singular values, show it.
    is_beyond_chance : bool
        Whether singular values of a generic matrix would hardly ever be that small.
    """

    rank: int
    rounding: Rounding
    is_beyond_chance: bool


def numerical_rank(matrix: ExactArray, printed: Printed | None, centered: bool) -> NumericalRank:
    """Rank of a matrix, or of its column-centered rows, up to rounding.

    Parameters
    ----------
    matrix : (n, d) ndarray
        As returned by `as_exact_matrix`.
    printed : Printed or None
        What is known of the digits from text.
    centered : bool

    Notes
    -----
    Rows and columns are scaled by powers of two to comparable rounding errors: those of printed
    digits, or those of floats, which are relative. If rows are centered, only the columns may be
    scaled, and the errors are those of the entries before centering.

    A generic matrix has its n - r and d - r last singular directions in rounding with a chance of
    about ``e ** ((n - r) (d - r))``, where e is the largest singular value that counts as rounding
    over the least that does not.

    Numbers of float64 whose digits show no rounding may still have gone through other formats. If
    their singular values have a large gap, at most some ten roundings above zero, then it
    counts.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> W = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 8))
    >>> numerical_rank(W, None, False).rank, numerical_rank(W.round(9), None, False).rank
    (3, 3)
    """
    entries, rows, _ = _scaled(matrix, None, centered)
    values, size = _singular_values(rows), _root_mean_square(entries)
    # where the shortest type hides no rank, no other does
    if (values > _limits(rows.shape, size, Rounding(PRECISIONS[0]), None)).all():
        return NumericalRank(len(values), Rounding(PRECISIONS[-1]), True)
    rounding = rounding_of(matrix, printed)
    halves = None
    if rounding.halves is not None:
        entries, rows, halves = _scaled(matrix, rounding.halves, centered)
        values, size = _singular_values(rows), _root_mean_square(entries)
    limits = _limits(rows.shape, size, rounding, halves)
    rank = _above(values, limits)
    if rounding.bits == PRECISIONS[-1] and rounding.halves is None:
        worn = replace(rounding, bits=_WORN_BITS)
        fewer = _above(values, _limits(rows.shape, size, worn, None))
        if fewer < rank and _has_gap(matrix, values, fewer):
            rank, rounding, limits = fewer, worn, values
    return NumericalRank(rank, rounding, _is_beyond_chance(values, rank, limits, matrix, centered))


def rounding_norm(matrix: Floats, rounding: Rounding, scale: int) -> float:
    """The same for the entries of a matrix that was divided by two to the power `scale`."""
    found = noise(matrix.shape, _root_mean_square(matrix), rounding.bits)
    if rounding.halves is not None:
        found += _norm(np.ldexp(rounding.halves, -scale))
    return found


def _scaled(
    matrix: ExactArray, halves: Floats | None, centered: bool
) -> tuple[Floats, Floats, Floats | None]:
    """Entries, the rows of which singular values are asked, and errors, all scaled alike."""
    mantissas, exponents = numbers.mantissas(matrix)
    errors, sizes = (None, exponents) if halves is None else numbers.mantissas(halves)
    for axis in (0,) if centered else (1, 0, 1):
        tops = sizes.max(axis=axis, keepdims=True)
        tops[tops <= NO_EXPONENT // 2] = 0
        exponents, sizes = exponents - tops, sizes - tops
    entries = rows = np.ldexp(mantissas, exponents)
    scaled = None if errors is None else np.ldexp(errors, sizes)
    if centered:
        rows = entries - entries.mean(axis=0)
        if scaled is None:
            columns = np.frexp(np.abs(rows).max(axis=0))[1]
            entries, rows = np.ldexp(entries, -columns), np.ldexp(rows, -columns)
    return entries, rows, scaled


def _singular_values(rows: Floats) -> Floats:
    """Singular values, descending, of a matrix that has more rows than columns, as a rule.

    Those of the small matrix of products are their squares, with an error of about the unit
    roundoff times the largest: far less work, and as good where all of them are much larger.
    """
    if len(rows) > 2 * rows.shape[1]:
        squares = np.linalg.eigvalsh(rows.T @ rows)[::-1]
        if squares[-1] > 1e-9 * squares[0]:
            return np.asarray(np.sqrt(squares), np.float64)
    return np.asarray(np.linalg.svd(rows, compute_uv=False), np.float64)


def _limits(
    shape: tuple[int, ...], size: float, rounding: Rounding, halves: Floats | None
) -> Floats:
    """For r = 0, 1, ..: the largest singular value that rounding of a sum of r products explains.

    Storing an entry adds a sixth of the unit roundoff squared to the variance. Sums of float16 and
    shorter types are formed in longer ones; a sum of r products in its own type adds r / 2 as much.
    """
    count = min(shape)
    terms = np.arange(count) / 2 if rounding.bits > _HALF_BITS else np.zeros(count)
    printing = 0.0 if halves is None else _norm(halves)
    own = np.sqrt((1 + terms) / 6) * noise(shape, size, rounding.bits)
    return np.asarray(NOISE_ROOM * np.hypot(own, printing), np.float64)


def _norm(halves: Floats) -> float:
    """Spectral norm of independent errors up to these, up to a small factor."""
    squares = halves * halves / 3
    return sqrt(squares.sum(axis=0).max()) + sqrt(squares.sum(axis=1).max())


def _above(values: Floats, limits: Floats) -> int:
    """Number of singular values, descending, before the first within its limit."""
    small = values <= limits
    return int(small.argmax()) if small.any() else len(values)


def _has_gap(matrix: ExactArray, values: Floats, rank: int) -> bool:
    """Whether the first singular values are far above all others, and the entries look computed."""
    if not rank or matrix.dtype != np.float64 or values[rank - 1] < _WORN_GAP * values[rank]:
        return False
    return mantissa_bits(matrix) >= PRECISIONS[-1] - 3


def _is_beyond_chance(
    values: Floats, rank: int, limits: Floats, matrix: ExactArray, centered: bool
) -> bool:
    if not 0 < rank < len(values):
        return rank == len(values)
    free = (len(matrix) - centered - rank) * (matrix.shape[1] - rank)
    return bool((limits[rank] / values[rank - 1]) ** max(free, 1) <= _CHANCE)


def _root_mean_square(entries: Floats) -> float:
    return sqrt(float((entries * entries).sum()) / entries.size)
