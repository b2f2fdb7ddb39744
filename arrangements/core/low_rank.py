"""The matrix meant by a product of low rank that was stored in rounded numbers.

``A @ B`` stored in floats has full exact rank, because of rounding alone. `low_rank_structure`
takes the given numbers if their rank is low enough, recovers the product if only rounding hides it,
and otherwise projects onto the leading singular directions. The matrix it returns is exact, but
that this matrix was meant is an inference: nothing else in this package guesses what numbers were
meant to be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer
from arrangements.core.clear_rank import is_clearly_full, is_clearly_full_centered
from arrangements.core.numerical_rank import numerical_rank, rounding_norm
from arrangements.core.rounded_product import recovered_product
from arrangements.core.rounding import Printed, print_format_of, rounding_of
from arrangements.errors import InputError, InputTypeError, LowRankWarning
from arrangements.exact import coercion, linear, numbers
from arrangements.exact.numbers import ExactArray
from arrangements.heads.reading import read_head
from arrangements.messages import Remedy, quote, warn

Floats = NDArray[np.float64]
Source = Literal["given", "recovered", "projected"]

# If neighboring singular values are closer than this, small changes turn their directions around.
_CLOSE = 0.01


@public_class
@dataclass(frozen=True, eq=False)
class LowRankStructure:
    """Exact matrix of low rank that takes the place of a given one, and how it was found.

    Attributes
    ----------
    rank : int
        The rank r that was asked for.
    source : {"given", "recovered", "projected"}
        The given numbers (of exact rank at most r), a product recovered from rounded numbers, or
        the projection onto the leading r singular directions.
    factor : (n, k) ndarray
        Exact numbers that take the place of W: the columns span the column space of the intended
        matrix. W itself if `source` is "given", else k = r.
    basis : tuple of int
        If recovered: the rows of W in which `factor` expresses all rows.
    denominator : int
        If recovered: the largest denominator among the rational entries of `factor`, else 1.
    residual : float
        If recovered: the largest deviation of the intended matrix from W, as a multiple of the
        rounding error that a stored product can have in that row; at most 1. Else 0.
    allowed : float
        If recovered: the largest of these rounding errors. Else 0.
    float_rows : tuple of int
        If recovered: rows in which some entry fits no fraction; they keep float coordinates. If
        projected: all rows.
    singular_values : tuple of float
        Numbers r and r + 1 of W (of the column-centered W in a question about rankings), if they
        exist and were computed.

    Examples
    --------
    >>> low_rank_structure([[1, 0], [2, 0]], 1).source
    'given'
    """

    rank: int
    source: Source
    factor: ExactArray
    basis: tuple[int, ...] = ()
    denominator: int = 1
    residual: float = 0.0
    allowed: float = 0.0
    float_rows: tuple[int, ...] = ()
    singular_values: tuple[float, ...] = ()

    def __repr__(self) -> str:
        n = len(self.factor)
        text = f"LowRankStructure(rank {self.rank}, {self.source}, {n} rows"
        if self.source == "recovered":
            text += f", {len(self.float_rows)} in floats, denominators up to {self.denominator}"
        return text + ")"


def low_rank_structure(W: ArrayLike, rank: int, *, centered: bool = False) -> LowRankStructure:
    """Matrix of a given rank that W was meant to be, as an exact factor.

    If the exact rank of W is at most r, it is W itself. If W has rank r up to the rounding of its
    entries, like a product ``A @ B`` stored in floats, the product is recovered: r well conditioned
    rows serve as a basis, the others are expressed in it, and coordinates that lie within their
    error of a simple fraction become that fraction. Otherwise W is projected onto its leading r
    singular directions, which gives its best approximation of rank r.

    Parameters
    ----------
    W : (n, d) array_like
    rank : int
        Between 1 and min(n, d).
    centered : bool
        Whether the rank is that of the column-centered W, as in questions about rankings. Then
        differences of rows are recovered instead of rows.

    Returns
    -------
    LowRankStructure

    Raises
    ------
    InputError
        If `rank` is out of range; if singular values r and r + 1 agree up to rounding, so that
        no best approximation is determined; or if W exceeds the range of float64.

    Warns
    -----
    LowRankWarning
        If W is projected and singular values r and r + 1 differ by less than 1%.

    See Also
    --------
    chambers, rankings : the argument ``rank``.

    Notes
    -----
    Unlike everything else here, this is an inference about what rounded numbers were meant to be. A
    fraction p / q is accepted for a coordinate known up to e only if chance would hardly fit as
    well: 2 q**2 e, times the number of coordinates, is at most 1/4, and the product of 2 q**2 e
    over a row, times the number of rows, is at most 1e-4. With float16 numbers, little more than
    small integers and halves passes. A row that fits no fractions may fit them up to a factor (in
    central arrangements only its direction matters), or after a common scaling of the columns: so
    the cosines of integer vectors are recognized. Proportional rows become exactly proportional.
    The recovered matrix differs from W by no more than a stored product can; this is checked in
    exact arithmetic. A projection keeps every exact linear relation between rows of W, since it
    multiplies all rows by the same matrix, without rounding.

    The entries tell how they were rounded: the length of the mantissas to which type, so that
    float32 numbers in a float64 array are recognized, and their decimals to how many digits, if
    they were printed with 5 to 16 digits or with one number of decimals. Numbers that `load_matrix`
    read bring the digits of their text. O(n d min(n, d)) for a singular value decomposition.

    Equal, opposite and proportional rows of W stay so, and zero rows stay zero. If `centered`,
    equal rows stay equal. Rows that are zero in one column (or, if `centered`, have an entry in
    common) stay in one hyperplane, as far as their errors allow, unless W was printed with fixed
    decimals, whose zeros are any small numbers. Equal and proportional columns of W are so in every
    recovered matrix, since its rows are combinations of rows of W.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> rng = np.random.default_rng(1)
    >>> found = low_rank_structure(braid(4).normals @ rng.normal(size=(4, 5)), 3)
    >>> found
    LowRankStructure(rank 3, recovered, 6 rows, 0 in floats, denominators up to 1)
    >>> set(found.factor.ravel().tolist()) <= {-1, 0, 1}
    True
    """
    head = read_head(W)
    matrix = coercion.as_exact_matrix(W if head is None else head.rows(False).weights, "W")
    return structure_of(matrix, rank, check_flag("centered", centered), print_format_of(W))


def structure_of(
    matrix: ExactArray, rank: int, centered: bool = False, printed: Printed | None = None
) -> LowRankStructure:
    """`low_rank_structure` of a checked matrix, and what its text tells of the rounding."""
    r = check_integer("rank", rank, 1, min(matrix.shape), of="min(n, d)")
    # even a few rows of a rounded product have a higher rank
    few = matrix[: r + 2]
    if exact_rank(few, centered) <= r and (exact := exact_rank(matrix, centered)) <= r:
        warn_if_low_rank(matrix, lambda: exact, centered, printed)
        return LowRankStructure(r, "given", numbers.read_only(matrix))
    if (field := numbers.field_of_array(matrix)) is not None:
        raise InputTypeError(
            f"W has irrational entries, numbers of {field}; a low rank is inferred from rounded "
            "numbers. Ask about W as it is (rank=None), or round it first."
        )
    floats, scale = _near_one(_as_floats(matrix))
    rows = floats - floats.mean(axis=0) if centered else floats
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    with np.errstate(over="ignore"):
        pair = tuple(np.ldexp(values[r - 1 : r + 1], scale).tolist())
    found, rounding, _ = numerical_rank(matrix, printed, centered)
    if found != r:
        apart = float(values[r - 1] - values[r]) if len(pair) == 2 else np.inf
        noise = rounding_norm(floats, rounding_of(matrix, printed), scale)
        _check_determined(pair, apart <= max(noise, 8 * np.finfo(float).eps * values[0]), r, found)
    product = recovered_product(matrix, r, rounding, centered) if found == r else None
    if product is not None:
        return LowRankStructure(r, "recovered", singular_values=pair, **vars(product))
    if found > r and len(pair) == 2 and pair[0] - pair[1] < _CLOSE * pair[0]:
        warn(
            LowRankWarning(
                f"singular values {r} and {r + 1} of {_named(centered)} differ little "
                f"({pair[0]:.6g} and {pair[1]:.6g}): small changes of W turn its best "
                f"approximation of rank {r} around."
            )
        )
    factor = numbers.read_only(_projected(matrix, directions[:r].T))
    return LowRankStructure(
        r, "projected", factor, float_rows=tuple(range(len(factor))), singular_values=pair
    )


def check_rank(rank: Any) -> int | None:
    """The argument ``rank`` of a question: None, or an integer."""
    if rank is None:
        return None
    try:
        return check_integer("rank", rank)
    except InputError as error:
        raise InputError(
            f"rank is {quote(rank)}; expected None or an integer from 1 to min(n, d)."
        ) from error


def warn_if_low_rank(
    matrix: ExactArray,
    exact_rank: Callable[[], int],
    centered: bool = False,
    printed: Printed | None = None,
) -> bool:
    """Warn if rounding hides a smaller rank than the exact one, which is computed only if needed.

    Returns whether the columns, centered or not, are clearly independent.
    """
    if matrix.dtype != np.float64 or min(matrix.shape) < 2:
        return False
    if is_clearly_full_centered(matrix) if centered else is_clearly_full(matrix):
        return True
    found, rounding, is_beyond_chance = numerical_rank(matrix, printed, centered)
    if found < min(matrix.shape) and is_beyond_chance and found < (rank := exact_rank()):
        text = (
            f"Pass the factor A itself, which has the same answer as A @ B without rounding; or "
            f"rank={found}, in functions that have it, which infers the product."
        )
        warn(
            LowRankWarning(
                f"{_named(centered)} has exact rank {rank} but numerical rank {found}, like a "
                f"product A @ B {rounding}: here its rounding errors count as directions, "
                "and coincidences of the rows of A are lost.",
                Remedy("low rank", text, found),
            )
        )
    return False


def unit_rows(matrix: ExactArray) -> Floats:
    """Rows scaled to unit length; zero rows stay zero."""
    mantissas, exponents = numbers.mantissas(matrix)
    rows = np.ldexp(mantissas, exponents - exponents.max(axis=1, keepdims=True))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0.0, 1.0, lengths)


def leading_directions(floats: Floats, rank: int) -> Floats:
    """Right singular vectors of the largest singular values, as (d, rank) columns."""
    return np.linalg.svd(floats, full_matrices=False)[2][:rank].T


# ------------------------------------------------------------------ ranks and singular values


def exact_rank(matrix: ExactArray, centered: bool) -> int:
    """Exact rank of the rows, or of their differences from the first.

    That of some rows and columns, if it is the largest possible.

    Examples
    --------
    >>> exact_rank(np.array([[1, 0], [0, 1], [1, 1]]), True)
    2
    """
    n, d = matrix.shape
    rows, columns = _spread(n, 2 * d), _spread(d, 2 * n)
    if min(n, d) > 0 and (len(rows) < n or len(columns) < d):
        rank = exact_rank(matrix[rows][:, columns], centered)
        if rank == min(n - centered, d):
            return rank
    integers, _ = _common_integers(matrix)
    if centered:
        first, *others = integers
        integers = [[a - b for a, b in zip(row, first, strict=True)] for row in others]
    return linear.rank(integers)


def _spread(size: int, most: int) -> NDArray[np.intp]:
    """At most so many numbers below `size`, far apart."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(np.intp))


def _check_determined(pair: tuple[float, ...], agree: bool, r: int, found: int) -> None:
    """Refuse a rank at which the best approximation is not determined."""
    if len(pair) < 2:
        return
    values = f"singular values {r} and {r + 1} are {pair[0]:.6g} and {pair[1]:.6g}"
    if found < r:
        raise InputError(
            f"rank is {r}, but W has rank {found} up to the rounding of its entries: {values}, "
            f"which rounding errors alone decide. Pass rank={found}, or rank=None."
        )
    if agree:
        raise InputError(
            f"rank is {r}, but {values}: they agree up to rounding, so no best approximation of "
            f"rank {r} is determined. Pass another rank."
        )


def _named(centered: bool) -> str:
    return "column-centered W" if centered else "W"


# ------------------------------------------------------------------ projection


def _projected(matrix: ExactArray, directions: Floats) -> ExactArray:
    """``matrix @ directions`` without rounding, each column with its largest entry positive."""
    rows, scale = _common_integers(matrix)
    columns, unit = _common_integers(directions)
    factor = np.array(linear.matrix_product(rows, columns), dtype=object)
    peaks = factor[np.abs(factor).argmax(axis=0), np.arange(factor.shape[1])]
    return coercion.as_exact_matrix(np.where(peaks < 0, -factor, factor) * (scale * unit))


def _common_integers(matrix: ExactArray) -> tuple[list[list[int]], Fraction]:
    """Integer rows and the positive number that makes them the matrix."""
    n, width = matrix.shape
    flat = numbers.integer_rows(np.ascontiguousarray(matrix).reshape(1, -1))[0]
    at = next((i for i, value in enumerate(flat) if value), None)
    # a Python number, since the numerator of Fraction(np.int64(1)) would overflow
    scale = (
        Fraction(1) if at is None else numbers.fractions(matrix.ravel()[at : at + 1])[0] / flat[at]
    )
    return [flat[i * width : (i + 1) * width] for i in range(n)], scale


def _as_floats(matrix: ExactArray) -> Floats:
    """Nearest floats; beyond their range SVD would overflow."""
    try:
        return matrix.astype(np.float64)
    except OverflowError as error:
        raise InputError(
            "an entry exceeds the range of float64, in which a factor of low rank is computed; "
            "scale the rows."
        ) from error


def _near_one(floats: Floats) -> tuple[Floats, int]:
    """Floats divided by a power of two, so that the largest is about 1, and its exponent."""
    exponent = int(np.frexp(np.abs(floats).max())[1])
    return np.ldexp(floats, -exponent), exponent
