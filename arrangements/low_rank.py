"""The matrix somebody had before it was multiplied out in floats: a product of low rank.

``A @ B`` stored in floats has full exact rank, by rounding alone. These functions work in
floating point on purpose: they say what the rank looks like and give the nearest factor.
"""

import warnings
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import InputError, LowRankWarning, Remedy
from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray


def numerical_rank(W: ArrayLike) -> int:
    """Rank of the rows scaled to unit length, as far as floats can tell.

    Parameters
    ----------
    W : (n, d) array_like

    Returns
    -------
    int
        Number of singular values above ``max(n, d) * eps`` times the largest.

    Notes
    -----
    Not exact: an estimate, used only to warn.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> numerical_rank(rng.normal(size=(20, 3)) @ rng.normal(size=(3, 8)))
    3
    """
    rows = unit_rows(numbers.as_exact_matrix(W))
    values = np.linalg.svd(rows, compute_uv=False)
    tolerance = values[0] * max(rows.shape) * np.finfo(np.float64).eps
    return int((values > tolerance).sum())


def centred(W: ExactArray) -> NDArray[np.float64]:
    """Float64 weights minus their mean row, which changes no ranking (but for rounding).

    Examples
    --------
    >>> centred(np.array([[1, 2], [3, 2]]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    floats = _as_floats(W)
    return floats - floats.mean(axis=0)


def warn_if_low_rank(matrix: ExactArray, rank: int, what: str = "W", frames: int = 4) -> None:
    """Warn, so many frames up, if floats hide a smaller rank than the exact one."""
    if matrix.dtype != np.float64 or min(matrix.shape) < 2:
        return
    numerical = numerical_rank(matrix)
    if numerical < rank:
        problem = (
            f"{what} has exact rank {rank} but numerical rank {numerical}, like a product "
            "A @ B stored in floats: here its rounding errors count as directions."
        )
        text = f"For the low-rank question pass rank={numerical}."
        remedy = Remedy("low rank", text, numerical)
        warnings.warn(LowRankWarning(problem, remedy), stacklevel=frames)


def low_rank_factor(W: ArrayLike, rank: int) -> NDArray[np.float64]:
    """Factor of the best approximation of `W` of a given rank: U_r * s_r of the truncated SVD.

    Its columns span the column space of the approximation, so its sign vectors are those of
    the approximation.

    Parameters
    ----------
    W : (n, d) array_like
    rank : int
        Between 1 and min(n, d).

    Returns
    -------
    (n, rank) ndarray of float64
        In each column the entry of largest absolute value is positive.

    Raises
    ------
    InputError
        If `rank` is out of range, or `W` exceeds the range of float64.

    Examples
    --------
    >>> np.round(low_rank_factor([[3, 3], [1, 1 + 1e-15]], 1), 6)
    array([[4.242641],
           [1.414214]])
    """
    matrix = numbers.as_exact_matrix(W)
    largest = min(matrix.shape)
    if isinstance(rank, bool) or not isinstance(rank, (int, np.integer)):
        raise InputError(f"rank is {rank!r}; expected 'exact' or an int from 1 to {largest}.")
    if not 1 <= rank <= largest:
        raise InputError(
            f"rank is {rank}; expected 1 <= rank <= min(n, d) = {largest} for shape {matrix.shape}."
        )
    U, s, _ = np.linalg.svd(_as_floats(matrix), full_matrices=False)
    factor = U[:, :rank] * s[:rank]
    peaks = factor[np.abs(factor).argmax(axis=0), np.arange(rank)]
    return np.ascontiguousarray(np.where(peaks < 0, -factor, factor))


def _as_floats(matrix: ExactArray) -> NDArray[np.float64]:
    """Nearest floats; SVD would overflow beyond them."""
    try:
        return matrix.astype(np.float64)
    except OverflowError as error:
        raise InputError(
            "an entry exceeds the range of float64, in which a factor of low rank is computed; "
            "scale the rows."
        ) from error


def unit_rows(matrix: ExactArray) -> NDArray[np.float64]:
    """Rows scaled to unit length; zero rows stay zero."""
    if matrix.dtype == object:
        # Dividing Fractions first keeps numbers beyond the range of float64.
        peaks = np.abs(matrix).max(axis=1)
        peaks[peaks == 0] = 1
        matrix = np.array(
            [[float(Fraction(e) / p) for e in row] for row, p in zip(matrix, peaks, strict=True)]
        )
    rows = matrix.astype(np.float64)
    # Powers of two first: the square of 1e300 overflows.
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0.0, 1.0, lengths)
