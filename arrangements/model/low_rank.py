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
from math import ldexp, sqrt
from operator import mul
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import checked_flag, checked_integer
from arrangements.errors import InputError, InputTypeError, LowRankWarning, Remedy, shown, warn
from arrangements.exact import linear, numbers
from arrangements.exact.numbers import ExactArray
from arrangements.model.rounded_product import recovered_product

Floats = NDArray[np.float64]
Source = Literal["given", "recovered", "projected"]
Rank = int | Literal["exact"]

# Mantissas of the types that numbers are stored in: bfloat16, float16, float32, float64.
_PRECISIONS = (8, 11, 24, 53)
# Trailing zero bits that mantissas of rounded numbers may have, in the median: one in two ends in a
# zero by chance, and differences of such numbers end in more.
_SPARE_BITS = 3
# A deviation counts as rounding up to this many times the norm of independent rounding errors.
_NOISE_ROOM = 4
_HALF_BITS = 11
# Rows that are copied at a time.
_AT_ONCE = 8192
# Entries of at most 1, rounded to 8 bits, spread rows by far less than this in each direction.
_SPREAD = 0.01
# Entries examined, and digits that most float32 numbers need in decimal.
_SAMPLE, _FLOAT32_DIGITS = 500, 7
# From so many columns on, LAPACK is faster than loops.
_MANY_COLUMNS = 6
# Sums of squares between these: their sizes leave no room for overflow, nor for losses that matter.
_LEAST_SQUARES, _MOST_SQUARES = 1e-200, 1e200
# If neighbouring singular values are closer than this, small changes turn their directions around.
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
        Numbers r and r + 1 of W (of the column-centred W in a question about rankings), if they
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


def low_rank_structure(W: ArrayLike, rank: int, *, centred: bool = False) -> LowRankStructure:
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
    centred : bool
        Whether the rank is that of the column-centred W, as in questions about rankings. Then
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
    the cosines of integer vectors are recognised. Proportional rows become exactly proportional.
    The recovered matrix differs from W by no more than a stored product can; this is checked in
    exact arithmetic. A projection keeps every exact linear relation between rows of W, since it
    multiplies all rows by the same matrix, without rounding.

    The length of the mantissas tells to which type W was rounded, so float32 numbers in a float64
    array are recognised. O(n d min(n, d)) for a singular value decomposition.

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
    return structure_of(numbers.as_exact_matrix(W, "W"), rank, checked_flag("centred", centred))


def structure_of(matrix: ExactArray, rank: int, centred: bool = False) -> LowRankStructure:
    """`low_rank_structure` of a checked matrix."""
    r = checked_integer("rank", rank, 1, min(matrix.shape), of="min(n, d)")
    # even a few rows of a rounded product have a higher rank
    few = matrix[: r + 2]
    if exact_rank(few, centred) <= r and (exact := exact_rank(matrix, centred)) <= r:
        warn_if_low_rank(matrix, lambda: exact, centred)
        return LowRankStructure(r, "given", numbers.read_only(matrix))
    if (field := numbers.field_of_array(matrix)) is not None:
        raise InputTypeError(
            f"W has irrational entries, numbers of {field}; a low rank is inferred from rounded "
            "numbers. Ask about W as it is (rank='exact'), or round it first."
        )
    floats, scale = _near_one(_as_floats(matrix))
    size = _root_mean_square(floats)
    if centred:
        floats = floats - floats.mean(axis=0)
    _, values, directions = np.linalg.svd(floats, full_matrices=False)
    pair = tuple(float(np.ldexp(value, scale)) for value in values[r - 1 : r + 1])
    bits = stored_bits(matrix)
    found = _rank_up_to_rounding(matrix, bits, centred)
    if found != r:
        apart = float(values[r - 1] - values[r]) if len(pair) == 2 else np.inf
        rounding = max(_noise(floats.shape, size, bits), 8 * np.finfo(float).eps * values[0])
        _check_determined(pair, apart <= rounding, r, found)
    product = recovered_product(matrix, r, bits, centred) if found == r else None
    if product is not None:
        return LowRankStructure(r, "recovered", singular_values=pair, **vars(product))
    if found > r and len(pair) == 2 and pair[0] - pair[1] < _CLOSE * pair[0]:
        warn(
            LowRankWarning(
                f"singular values {r} and {r + 1} of {_named(centred)} differ little "
                f"({pair[0]:.6g} and {pair[1]:.6g}): small changes of W turn its best "
                f"approximation of rank {r} around."
            )
        )
    factor = numbers.read_only(_projected(matrix, directions[:r].T))
    return LowRankStructure(
        r, "projected", factor, float_rows=tuple(range(len(factor))), singular_values=pair
    )


def checked_rank(rank: Any) -> int | None:
    """The argument ``rank`` of a question: None for "exact", or the integer given."""
    if isinstance(rank, str) and rank == "exact":
        return None
    try:
        return checked_integer("rank", rank)
    except InputError as error:
        raise InputError(
            f"rank is {shown(rank)}; expected 'exact' or an integer from 1 to min(n, d)."
        ) from error


def warn_if_low_rank(
    matrix: ExactArray, exact_rank: Callable[[], int], centred: bool = False
) -> bool:
    """Warn if floats hide a smaller rank than the exact one, which is computed only if needed.

    Returns whether the columns, centred or not, are clearly independent.
    """
    if matrix.dtype != np.float64 or min(matrix.shape) < 2:
        return False
    if is_clearly_full_centred(matrix) if centred else is_clearly_full(matrix):
        return True
    found = _rank_up_to_rounding(matrix, None, centred)
    if found < min(matrix.shape) and found < (rank := exact_rank()):
        text = (
            f"Pass the factor A itself, which has the same answer as A @ B without rounding; or "
            f"rank={found}, which infers the product from the rounded numbers."
        )
        warn(
            LowRankWarning(
                f"{_named(centred)} has exact rank {rank} but numerical rank {found}, like a "
                "product A @ B stored in floats: here its rounding errors count as directions, "
                "and coincidences of the rows of A are lost.",
                Remedy("low rank", text, found),
            )
        )
    return False


def is_clearly_full(matrix: Floats) -> bool:
    """Whether the columns are independent, which is proved, and no rounding hides a smaller rank.

    Rows and columns are scaled as in `numerical_rank`, so that entries are at most 1, unless it
    shows without. If a Cholesky factorization of ``G - c I`` in floats succeeds, G the products of
    columns, then all singular values exceed ``sqrt(c - e)``, where ``e = 4 (n + d + 4) u trace(G)``
    is more than the rounding errors of products (in any order) and of the factorization [1]_ add up
    to. c is 1.21 times the square of the largest singular value that rounding to 8 bits explains,
    and at least 6 e, so that all singular values exceed this one.

    References
    ----------
    .. [1] S. M. Rump, Verification of positive definiteness, BIT 46 (2006) 433-452.

    Examples
    --------
    >>> is_clearly_full(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_clearly_full(np.array([[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]]))  # for all it knows
    False
    """
    n, d = matrix.shape
    if not n >= d > 0:
        return False
    with np.errstate(all="ignore"):
        products = np.dot(matrix.T, matrix)
        squares = float(products.trace())
    if _is_moderate(squares, n * d) and _exceed_noise(products, n, sqrt(squares / (n * d)), 0.0):
        return True
    exponents = np.frexp(matrix)[1]
    exponents[matrix == 0] = numbers.NO_EXPONENT
    shift = -exponents.max(axis=1, keepdims=True)
    shift = shift - (exponents + shift).max(axis=0)
    shift -= (exponents + shift).max(axis=1, keepdims=True)
    scaled = np.ldexp(matrix, shift)
    return _exceed_noise(scaled.T @ scaled, n, _root_mean_square(scaled), 0.0)


def is_clearly_full_centred(matrix: Floats) -> bool:
    """The same of the rows less their mean: whether the differences of rows have rank d.

    Only the columns are scaled, unless it shows without. The rounding is that of the entries before
    centring, at most 1 then. A mean of n entries and the difference from it add errors of
    ``(n + 3) u``.
    Where there are many rows, they are not kept: a spread of a hundredth in each direction is far
    beyond the rounding to 8 bits.

    Examples
    --------
    >>> is_clearly_full_centred(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_clearly_full_centred(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    False
    """
    n, d = matrix.shape
    if not n > d:
        return False
    if n < 4 * d and _few_clearly_full(matrix):
        return True
    largest = np.abs(matrix).max(axis=0)
    if not (largest.min() > 1e-290 and largest.max() < 1e290):
        return False
    if n < 4 * d:
        return _few_clearly_full(np.ldexp(matrix, -np.frexp(largest)[1]))
    return _many_clearly_full(matrix, largest)


def _few_clearly_full(matrix: Floats) -> bool:
    n, d = matrix.shape
    with np.errstate(all="ignore"):
        squares = float(np.vdot(matrix, matrix))
    if not _is_moderate(squares, n * d):
        return False
    rows = matrix - np.add.reduce(matrix) / n
    largest = sqrt(squares)  # at least as large as any entry, up to roundings
    error = largest * sqrt(n * d) * (n + 3) * 2.0**-53
    return _exceed_noise(np.dot(rows.T, rows), n, sqrt(squares / (n * d)), error)


def _is_moderate(squares: float, size: int) -> bool:
    """Whether products of entries with this sum of squares, and sums of them, do not overflow.

    No sum of products of two columns exceeds that of squares, and what products lose below
    2**-1022 is less than 2**-1074 for each of `size`, far less than the e of `is_clearly_full`.
    """
    return _LEAST_SQUARES * size < squares < _MOST_SQUARES


def _exceed_noise(products: Floats, n: int, size: float, error: float) -> bool:
    """Whether all singular values exceed those of rounding entries of a size to 8 bits.

    products : of the columns of n rows
    error : bound for the norm of the errors of the rows, which must be far less
    """
    noise = _noise((n, len(products)), size, 8)
    return _exceed(1.1 * _NOISE_ROOM * sqrt(1 / 6) * noise, products, n, error)


def _exceed(least: float, products: Floats, n: int, error: float) -> bool:
    """Whether the singular values of n rows with these products exceed 0.8 `least`, if not more.

    The 6 e of `is_clearly_full` leave a factor of sqrt(5 / 6), errors of rows an eighth.
    """
    d = len(products)
    if not (least**2 > 24 * (n + d + 4) * 2.0**-53 * products.trace() and least > 9 * error):
        return False
    return _has_cholesky(products, least**2)


def _has_cholesky(products: Floats, shift: float) -> bool:
    """Whether Cholesky factorization in floats succeeds, with a shift taken from the diagonal."""
    d = len(products)
    if d > _MANY_COLUMNS:
        products.flat[:: d + 1] -= shift
        try:
            np.linalg.cholesky(products)
        except np.linalg.LinAlgError:
            return False
        return True
    # what few columns take is less than a call of LAPACK
    factor: list[list[float]] = []
    for i, row in enumerate(products.tolist()):
        new: list[float] = []
        for k, other in enumerate(factor):
            new.append((row[k] - sum(map(mul, new, other))) / other[k])
        pivot = row[i] - shift - sum(map(mul, new, new))
        if not pivot > 0.0:
            return False
        new.append(sqrt(pivot))
        factor.append(new)
    return True


def _many_clearly_full(matrix: Floats, largest: Floats) -> bool:
    n, d = matrix.shape
    mean, products = matrix.mean(axis=0) / largest, np.zeros((d, d))
    for start in range(0, n, _AT_ONCE):
        rows = matrix[start : start + _AT_ONCE] / largest - mean
        products += rows.T @ rows
    error = sqrt(n * d) * (n + 5) * 2.0**-53  # one more rounding each by division
    return _exceed(_SPREAD * sqrt(n), products, n, error)


def numerical_rank(W: ArrayLike) -> int:
    """Rank of W with rows and columns of comparable size, up to the rounding of the entries.

    Parameters
    ----------
    W : (n, d) array_like

    Returns
    -------
    int
        Number of singular values above those of a matrix of rounding errors.

    Notes
    -----
    This is an estimate, used to warn and to recognise a rounded product. The length of the
    mantissas tells to which type the entries were rounded, see `stored_bits`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> W = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 8))
    >>> numerical_rank(W), numerical_rank(W.astype(np.float32)), numerical_rank(W.astype("f2"))
    (3, 3, 3)
    """
    matrix = numbers.as_exact_matrix(W)
    return _rank_up_to_rounding(matrix, None)


def stored_bits(matrix: ExactArray) -> int:
    """Mantissa of the float type that the entries of an exact array were rounded to, in bits.

    24, 11 or 8 if all entries fit into float32, float16 or bfloat16 and look rounded to it: most
    use their whole mantissa and, except for float32, they are not all multiples of one number with
    so few bits, as small integers are. Else 53.

    Examples
    --------
    >>> W = np.random.default_rng(0).normal(size=(9, 2))
    >>> [stored_bits(W.astype(kind).astype(float)) for kind in ("f8", "f4", "f2")]
    [53, 24, 11]
    >>> stored_bits(np.array([[1.0, 2.0], [3.0, 0.5]]))
    53
    """
    if matrix.dtype != np.float64 or not matrix.any():
        return 53
    mantissas, tops = np.frexp(matrix[matrix != 0])
    integers = (mantissas * 2.0**53).astype(np.int64)
    lengths = 54 - np.frexp((integers & -integers).astype(np.float64))[1]
    bits = next(bits for bits in _PRECISIONS if lengths.max() <= bits)
    if bits == 53 and _came_as_float32_text(matrix):
        return 24
    width = tops.max() - (tops - lengths).min()
    # integers of 24 bits, other than small ones, are rare
    rounded = (width > bits or bits == 24) and np.median(lengths) >= bits - _SPARE_BITS
    return bits if rounded else _PRECISIONS[-1]


def _came_as_float32_text(matrix: ExactArray) -> bool:
    """Whether the entries are decimals of float32 numbers, with as many digits as these need."""
    entries = matrix[matrix != 0][:_SAMPLE]
    with np.errstate(over="ignore"):
        texts = [str(np.float32(entry)) for entry in entries]
    if any(float(text) != entry for text, entry in zip(texts, entries.tolist(), strict=True)):
        return False
    digits = [len(text.partition("e")[0].strip("-0.").replace(".", "")) for text in texts]
    return bool(np.median(digits) >= _FLOAT32_DIGITS)


def unit_rows(matrix: ExactArray) -> Floats:
    """Rows scaled to unit length; zero rows stay zero."""
    rows = _rows_near_one(matrix)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0.0, 1.0, lengths)


def leading_directions(floats: Floats, rank: int) -> Floats:
    """Right singular vectors of the largest singular values, as (d, rank) columns."""
    return np.linalg.svd(floats, full_matrices=False)[2][:rank].T


# ------------------------------------------------------------------ ranks and singular values


def exact_rank(matrix: ExactArray, centred: bool) -> int:
    """Exact rank of the rows, or of their differences from the first.

    Examples
    --------
    >>> exact_rank(np.array([[1, 0], [0, 1], [1, 1]]), True)
    2
    """
    integers, _ = _common_integers(matrix)
    if centred:
        first, *others = integers
        integers = [[a - b for a, b in zip(row, first, strict=True)] for row in others]
    return linear.rank(integers)


def _rank_up_to_rounding(matrix: ExactArray, bits: int | None, centred: bool = False) -> int:
    """Number of singular values above those of rounding, after rows and columns are scaled.

    If the type to which the entries were rounded is not given, it is determined only where it
    matters: where the shortest type would hide a rank.

    Scaling by powers of two keeps the relative errors of the entries. If rows are centred, only
    their columns may be scaled, and their errors are those of the entries before centring.
    """
    mantissas, exponents = numbers.mantissas(matrix)
    if centred:
        exponents = exponents - exponents.max(axis=0)
        entries = np.ldexp(mantissas, exponents)
        rows = entries - entries.mean(axis=0)
        columns = np.frexp(np.abs(rows).max(axis=0))[1]
        entries, rows = np.ldexp(entries, -columns), np.ldexp(rows, -columns)
    else:
        for axis in (1, 0, 1):
            exponents = exponents - exponents.max(axis=axis, keepdims=True)
        entries = rows = np.ldexp(mantissas, exponents)
    values, shape = _singular_values(rows), rows.shape
    size = _root_mean_square(entries)
    if bits is None:
        shortest = _rank_above(values, shape, size, _PRECISIONS[0])
        if shortest == len(values):
            return shortest
        bits = stored_bits(matrix)
    return _rank_above(values, shape, size, bits)


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


def _rank_above(values: Floats, shape: tuple[int, ...], size: float, bits: int) -> int:
    """Number of singular values, descending, above those of rounding to this many bits.

    Storing an entry adds a sixth of the unit roundoff squared to the variance. Sums of float16 and
    shorter types are formed in longer ones; a sum of r products in its own type adds r / 2 as much.
    """
    terms = np.arange(len(values)) / 2 if bits > _HALF_BITS else np.zeros(len(values))
    small = values <= _NOISE_ROOM * np.sqrt((1 + terms) / 6) * _noise(shape, size, bits)
    return int(small.argmax()) if small.any() else len(values)


def _noise(shape: tuple[int, ...], size: float, bits: int) -> float:
    """Spectral norm of independent rounding errors of entries of a size, up to a small factor."""
    return ldexp(size * (sqrt(shape[0]) + sqrt(shape[1])), -bits)


def _root_mean_square(entries: Floats) -> float:
    return sqrt(float((entries * entries).sum()) / entries.size)


def _check_determined(pair: tuple[float, ...], agree: bool, r: int, found: int) -> None:
    """Refuse a rank at which the best approximation is not determined."""
    if len(pair) < 2:
        return
    values = f"singular values {r} and {r + 1} are {pair[0]:.6g} and {pair[1]:.6g}"
    if found < r:
        raise InputError(
            f"rank is {r}, but W has rank {found} up to the rounding of its entries: {values}, "
            f"which rounding errors alone decide. Pass rank={found}, or rank='exact'."
        )
    if agree:
        raise InputError(
            f"rank is {r}, but {values}: they agree up to rounding, so no best approximation of "
            f"rank {r} is determined. Pass another rank."
        )


def _named(centred: bool) -> str:
    return "column-centred W" if centred else "W"


# ------------------------------------------------------------------ projection


def _projected(matrix: ExactArray, directions: Floats) -> ExactArray:
    """``matrix @ directions`` without rounding, each column with its largest entry positive."""
    rows, scale = _common_integers(matrix)
    columns, unit = _common_integers(directions)
    factor = np.array(linear.matrix_product(rows, columns), dtype=object)
    peaks = factor[np.abs(factor).argmax(axis=0), np.arange(factor.shape[1])]
    return numbers.as_exact_matrix(np.where(peaks < 0, -factor, factor) * (scale * unit))


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


def _rows_near_one(matrix: ExactArray) -> Floats:
    """Rows times powers of two, so that their largest entries are of size 1/2 to 2."""
    mantissas, exponents = numbers.mantissas(matrix)
    return np.ldexp(mantissas, exponents - exponents.max(axis=1, keepdims=True))
