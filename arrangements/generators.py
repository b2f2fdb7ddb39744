"""Named families of arrangements, as arrays of normals for central arrangements.

Rows are in a fixed, documented order. All families but `generic` with Gaussian entries are
integer matrices, so their coincidences are exact.
"""

from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError

Integers = NDArray[np.int64]


def boolean(n: int) -> Integers:
    """Coordinate hyperplanes ``x_i = 0`` of R^n: 2^n chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    (n, n) ndarray of int64

    Examples
    --------
    >>> boolean(2).tolist()
    [[1, 0], [0, 1]]
    """
    _check_size("n", n, 1)
    return np.eye(n, dtype=np.int64)


def braid(n: int) -> Integers:
    """Braid arrangement ``x_i = x_j``, i < j, pairs in lexicographic order: n! chambers.

    Row (i, j) is ``e_i - e_j``, so + at (i, j) means ``x_i > x_j``. The rank is n - 1.

    Parameters
    ----------
    n : int
        Number of items, at least 2.

    Returns
    -------
    (n (n - 1) / 2, n) ndarray of int64

    Examples
    --------
    >>> braid(3).tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    """
    _check_size("n", n, 2)
    return _pairs(n, -1)


def type_b(n: int) -> Integers:
    """Reflection arrangement of type B: ``x_i = 0`` and ``x_i = ± x_j``; 2^n n! chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    (n^2, n) ndarray of int64
        The rows ``e_i``, then ``e_i - e_j``, then ``e_i + e_j``, i < j lexicographic.

    Examples
    --------
    >>> type_b(2).tolist()
    [[1, 0], [0, 1], [1, -1], [1, 1]]
    """
    _check_size("n", n, 1)
    return np.concatenate([boolean(n), _pairs(n, -1), _pairs(n, 1)])


def type_d(n: int) -> Integers:
    """Reflection arrangement of type D: ``x_i = ± x_j``; 2^(n-1) n! chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 2.

    Returns
    -------
    (n (n - 1), n) ndarray of int64
        The rows ``e_i - e_j``, then ``e_i + e_j``, i < j lexicographic.

    Examples
    --------
    >>> type_d(2).tolist()
    [[1, -1], [1, 1]]
    """
    _check_size("n", n, 2)
    return np.concatenate([_pairs(n, -1), _pairs(n, 1)])


def resonance(k: int) -> Integers:
    """Resonance arrangement (all-subsets arrangement): the non-zero 0/1 normals in R^k.

    It has 2, 6, 32, 370, 11292, 1066044, 347326352, 419172756930 chambers for k = 1, .., 8.

    Parameters
    ----------
    k : int
        Dimension, at least 1.

    Returns
    -------
    (2^k - 1, k) ndarray of int64
        Rows in increasing order as binary numbers.

    Examples
    --------
    >>> resonance(2).tolist()
    [[0, 1], [1, 0], [1, 1]]
    """
    _check_size("k", k, 1)
    return _cube(k, (0, 1))[1:]


def threshold(k: int) -> Integers:
    """Threshold arrangement: normals (1, c), c in {0, 1}^k, in R^(k+1).

    Its chambers are the threshold functions of k Boolean variables; it has 4, 14, 104,
    1882, 94572, 15028134, 8378070864 of them for k = 1, .., 7.

    Parameters
    ----------
    k : int
        Number of Boolean variables, at least 1.

    Returns
    -------
    (2^k, k + 1) ndarray of int64
        Rows in increasing order of c as a binary number.

    Examples
    --------
    >>> threshold(1).tolist()
    [[1, 0], [1, 1]]
    """
    _check_size("k", k, 1)
    return _lifted(_cube(k, (0, 1)))


def crosspolytope(k: int) -> Integers:
    """Normals (1, v), v the 2k vertices of the crosspolytope: 2 (3^k - 2^k) + 2^k chambers.

    The chambers are the ways in which an affine hyperplane splits the vertices.

    Parameters
    ----------
    k : int
        Dimension of the polytope, at least 1.

    Returns
    -------
    (2 k, k + 1) ndarray of int64
        The vertices ``e_1, .., e_k``, then ``-e_1, .., -e_k``.

    Examples
    --------
    >>> crosspolytope(2).tolist()
    [[1, 1, 0], [1, 0, 1], [1, -1, 0], [1, 0, -1]]
    """
    _check_size("k", k, 1)
    return _lifted(np.concatenate([boolean(k), -boolean(k)]))


def demicube(k: int) -> Integers:
    """Normals (1, v), v the vertices of the cube {-1, 1}^k with an even number of -1.

    It has 146, 3756, 291558 chambers for k = 4, 5, 6.

    Parameters
    ----------
    k : int
        Dimension of the polytope, at least 1.

    Returns
    -------
    (2^(k-1), k + 1) ndarray of int64

    Examples
    --------
    >>> demicube(2).tolist()
    [[1, -1, -1], [1, 1, 1]]
    """
    _check_size("k", k, 1)
    vertices = _cube(k, (-1, 1))
    return _lifted(vertices[vertices.prod(axis=1) == 1])


def generic(
    n: int,
    d: int,
    rng: int | np.random.Generator | None = None,
    *,
    kind: Literal["gaussian", "integer"] = "gaussian",
) -> NDArray[Any]:
    """Random normals, generic with overwhelming probability but not checked.

    If every d rows are independent, a central arrangement has
    ``2 * sum(binomial(n - 1, k) for k < d)`` chambers.

    Parameters
    ----------
    n, d : int
        Number of hyperplanes and dimension, at least 1.
    rng : int, numpy.random.Generator or None
        A seed or a generator; None draws fresh entropy.
    kind : {"gaussian", "integer"}
        Standard normal float64 entries, or uniform int64 entries of absolute value at
        most 2^20: exact ties are rare, not impossible.

    Returns
    -------
    (n, d) ndarray of float64 or int64

    Examples
    --------
    >>> generic(3, 2, 0).dtype, generic(3, 2, 0, kind="integer").dtype
    (dtype('float64'), dtype('int64'))
    """
    _check_size("n", n, 1)
    _check_size("d", d, 1)
    random = np.random.default_rng(rng)
    if kind == "gaussian":
        return random.standard_normal((n, d))
    if kind == "integer":
        return random.integers(-(2**20), 2**20, (n, d), endpoint=True)
    raise InputError(f"kind={kind!r} is unknown; expected 'gaussian' or 'integer'.")


def low_rank_braid(n: int, d: int, rng: int | np.random.Generator | None = None) -> Integers:
    """Differences of n random points of R^d: chambers are the rankings by a linear functional.

    The rows are ``p_i - p_j``, i < j lexicographic, for uniform integer points p of entries at
    most 2^20 in absolute value. For generic points the number of chambers is Cover's
    ``Q(n, d)``: ``Q(n + 1, d) = Q(n, d) + n Q(n, d - 1)``, ``Q(2, d) = 2``, ``Q(n, 1) = 2``.

    Parameters
    ----------
    n, d : int
        Number of points, at least 2, and dimension, at least 1.
    rng : int, numpy.random.Generator or None
        A seed or a generator; None draws fresh entropy.

    Returns
    -------
    (n (n - 1) / 2, d) ndarray of int64

    Examples
    --------
    >>> low_rank_braid(4, 2, 0).shape
    (6, 2)
    """
    _check_size("n", n, 2)
    return braid(n) @ generic(n, d, rng, kind="integer")


def _pairs(n: int, sign: int) -> Integers:
    """Rows ``e_i + sign e_j`` for i < j."""
    first, second = np.triu_indices(n, 1)
    rows = np.zeros((len(first), n), np.int64)
    rows[np.arange(len(first)), first] = 1
    rows[np.arange(len(first)), second] = sign
    return rows


def _cube(k: int, values: tuple[int, int]) -> Integers:
    """All vectors over two values, in lexicographic order."""
    return np.array(list(product(values, repeat=k)), np.int64)


def _lifted(vertices: Integers) -> Integers:
    """Vertices with a leading 1."""
    return np.column_stack([np.ones(len(vertices), np.int64), vertices])


def _check_size(name: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(f"{name}={value} is too small; expected an integer of at least {least}.")
