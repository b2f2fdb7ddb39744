"""Normals (1, v) for the vertices v of a polytope.

The chambers are the ways in which an oriented affine hyperplane that avoids the vertices splits
them. Counts beyond closed forms: T. Brysiewicz, H. Eble, L. Kühne, Discrete Comput. Geom. 70 (2023)
1356-1377.
"""

from itertools import permutations
from math import factorial, inf

import numpy as np

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.generators.blocks import check_memory, cube, differences, lifted


def threshold(k: int) -> Arrangement:
    """Threshold arrangement: normals (1, c) for the vertices c of the hypercube {0, 1}^k.

    Its chambers are the threshold functions of k Boolean variables: 4, 14, 104, 1882, 94572,
    15028134, 8378070864, 17561539552946 of them for k = 1, .., 8 [1]_.

    Parameters
    ----------
    k : int
        Number of Boolean variables, at least 1.

    Returns
    -------
    Arrangement
        2^k hyperplanes in R^(k + 1), rows in increasing order of c as a binary number.

    References
    ----------
    .. [1] S. Muroga, T. Tsuboi, C. R. Baugh, IEEE Trans. Comput. C-19 (1970) 818-825.

    Examples
    --------
    >>> threshold(1).normals.tolist()
    [[1, 0], [1, 1]]
    """
    k = check_integer("k", k, 1)
    return Arrangement(lifted(cube(k, (0, 1))))


def crosspolytope(k: int) -> Arrangement:
    """Normals (1, v) for the 2k vertices v of the crosspolytope: 2 (3^k - 2^k) + 2^k chambers.

    Parameters
    ----------
    k : int
        Dimension of the polytope, at least 1.

    Returns
    -------
    Arrangement
        2 k hyperplanes in R^(k + 1): the vertices ``e_1, .., e_k``, then ``-e_1, .., -e_k``.

    Examples
    --------
    >>> crosspolytope(2).normals.tolist()
    [[1, 1, 0], [1, 0, 1], [1, -1, 0], [1, 0, -1]]
    """
    k = check_integer("k", k, 1)
    check_memory(2 * k, k + 1)
    unit = np.eye(k, dtype=np.int64)
    return Arrangement(lifted(np.concatenate([unit, -unit])))


def demicube(k: int) -> Arrangement:
    """Normals (1, v) for the vertices v of the cube {-1, 1}^k with an even number of -1.

    It has 146, 3756, 291558 chambers for k = 4, 5, 6.

    Parameters
    ----------
    k : int
        Dimension of the polytope, at least 1.

    Returns
    -------
    Arrangement
        2^(k - 1) hyperplanes in R^(k + 1), vertices in lexicographic order.

    Examples
    --------
    >>> demicube(2).normals.tolist()
    [[1, -1, -1], [1, 1, 1]]
    """
    k = check_integer("k", k, 1)
    vertices = cube(k, (-1, 1))
    return Arrangement(lifted(vertices[vertices.prod(axis=1) == 1]))


def permutohedron(n: int) -> Arrangement:
    """Normals (1, v) for the n! vertices v of the permutohedron, the permutations of (1, .., n).

    It has 2, 4, 32, 2894 chambers for n = 1, .., 4. The rank is n for n >= 2, as the vertices lie
    in a hyperplane.

    Parameters
    ----------
    n : int
        Length of the permutations, at least 1; the polytope has dimension n - 1.

    Returns
    -------
    Arrangement
        n! hyperplanes in R^(n + 1), permutations in lexicographic order.

    Examples
    --------
    >>> permutohedron(2).normals.tolist()
    [[1, 1, 2], [1, 2, 1]]
    """
    n = check_integer("n", n, 1)
    check_memory(factorial(n) if n < 256 else inf, n + 1)
    return Arrangement(lifted(np.array(list(permutations(range(1, n + 1))), np.int64)))


def cell24() -> Arrangement:
    """Normals (1, v) for the 24 vertices v = ``± e_i ± e_j`` of the 24-cell: 9170 chambers.

    Returns
    -------
    Arrangement
        24 hyperplanes in R^5: the vertices ``e_i - e_j``, then ``e_i + e_j``, i < j
        lexicographic, then the negatives of these twelve.

    Examples
    --------
    >>> cell24().normals[[0, 6, 12, 18]].tolist()
    [[1, 1, -1, 0, 0], [1, 1, 1, 0, 0], [1, -1, 1, 0, 0], [1, -1, -1, 0, 0]]
    """
    half = np.concatenate([differences(4, -1), differences(4, 1)])
    return Arrangement(lifted(np.concatenate([half, -half])))
