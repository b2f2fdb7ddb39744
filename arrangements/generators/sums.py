"""Families that compare sums of coordinates."""

from itertools import combinations
from math import inf

import numpy as np

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.generators.blocks import check_memory, cube, differences


def resonance(k: int) -> Arrangement:
    """Resonance arrangement (all-subsets arrangement): the non-zero 0/1 normals in R^k.

    It has 2, 6, 32, 370, 11292, 1066044, 347326352, 419172756930, 1955230985997140 chambers
    for k = 1, .., 9 [1]_, and 36057925982575783792 for k = 10 (docs/algorithms.md, 12).

    Parameters
    ----------
    k : int
        Dimension, at least 1.

    Returns
    -------
    Arrangement
        2^k - 1 hyperplanes in R^k, rows in increasing order as binary numbers.

    References
    ----------
    .. [1] T. Brysiewicz, H. Eble, L. Kühne, Discrete Comput. Geom. 70 (2023) 1356-1377.

    Examples
    --------
    >>> resonance(2).normals.tolist()
    [[0, 1], [1, 0], [1, 1]]
    """
    k = check_integer("k", k, 1)
    return Arrangement(cube(k, (0, 1))[1:])


def mid_hyperplane(n: int) -> Arrangement:
    """Mid-hyperplane arrangement: ``x_i = x_j`` and ``x_i + x_j = x_k + x_l``.

    The second equation says that the midpoints of two disjoint pairs of points on a line coincide.
    So a chamber is an order of n points together with an order of all their midpoints: a ranking
    pattern of the unfolding model in one dimension [1]_. There are n! times 1, 1, 2, 12, 168, 4680,
    229368, 18330206 chambers for n = 2, .., 9; the last of these was counted by this package.

    Parameters
    ----------
    n : int
        Number of points, at least 2.

    Returns
    -------
    Arrangement
        n (n - 1) / 2 + n (n - 1) (n - 2) (n - 3) / 8 hyperplanes in R^n: the rows of
        ``braid(n)``, then ``e_i + e_j - e_k - e_l`` for i < j, k < l and i < k, in
        lexicographic order of (i, j, k, l).

    References
    ----------
    .. [1] H. Kamiya, P. Orlik, A. Takemura, H. Terao, Ann. Comb. 10 (2006) 219-235.

    Examples
    --------
    >>> mid_hyperplane(4).normals[6:].tolist()
    [[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]]
    """
    n = check_integer("n", n, 2)
    check_memory(n**4 // 8, n)
    pairs = list(combinations(range(n), 2))
    matched = [(p, q) for p, q in combinations(pairs, 2) if not set(p) & set(q)]
    rows = np.zeros((len(matched), n), np.int64)
    for row, (p, q) in zip(rows, matched, strict=True):
        row[list(p)], row[list(q)] = 1, -1
    return Arrangement(np.concatenate([differences(n), rows]))


def golomb(n: int) -> Arrangement:
    """Golomb ruler arrangement: ``x_i - x_j = x_k - x_l``, all equations between differences.

    A chamber is an order of the distances between n marks, all of which differ, as those of a
    Golomb ruler do. There are n! times 1, 2, 10, 114, 2608, 107498, 7325650, 771505180 chambers for
    n = 2, .., 9 [1]_.

    Parameters
    ----------
    n : int
        Number of marks, at least 2.

    Returns
    -------
    Arrangement
        In R^n, the rows of ``mid_hyperplane(n)``, then ``e_i + e_k - 2 e_j`` for i < k and all j
        other than these, in lexicographic order of (i, k, j): n (n - 1) / 2 + n (n - 1) (n - 2) / 2
        + n (n - 1) (n - 2) (n - 3) / 8 hyperplanes.

    References
    ----------
    .. [1] M. Beck, T. Bogart, T. Pham, Enumeration of Golomb rulers and acyclic orientations of
       mixed graphs, Electron. J. Combin. 19(3) (2012) P42. OEIS A237749.

    Examples
    --------
    >>> golomb(3).normals.tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1], [1, 1, -2], [1, -2, 1], [-2, 1, 1]]
    """
    middle = mid_hyperplane(n).normals
    rows = []
    for i, k in combinations(range(middle.shape[1]), 2):
        for j in set(range(middle.shape[1])) - {i, k}:
            row = np.zeros(middle.shape[1], np.int64)
            row[[i, k]], row[j] = 1, -2
            rows.append(row)
    return Arrangement(np.concatenate([middle, *(row[None] for row in rows)]))


def comparative_probability(n: int) -> Arrangement:
    """The arrangement of comparative probabilities: all normals of entries -1, 0 and 1.

    A chamber is a ranking of the subsets of n things by the sums of weights of any signs. There
    are 2^n n! times 1, 1, 2, 14, 516, 124187, 214580603 for n = 1, .., 7 [1]_: as many rankings by
    positive weights in ascending order, which are comparative probability orderings or boolean
    term orders.

    Parameters
    ----------
    n : int
        Dimension, at least 1.

    Returns
    -------
    Arrangement
        (3^n - 1) / 2 hyperplanes in R^n, one of each pair of opposite normals, the one whose first
        entry other than 0 is 1, in lexicographic order.

    References
    ----------
    .. [1] D. Maclagan, Boolean term orders and the root system B_n, Order 15 (1999) 279-295.
       OEIS A009997.

    Examples
    --------
    >>> comparative_probability(2).normals.tolist()
    [[0, 1], [1, -1], [1, 0], [1, 1]]
    """
    n = check_integer("n", n, 1)
    check_memory(3**n // 2 if n < 600 else inf, n)
    rows = np.stack(np.meshgrid(*[[-1, 0, 1]] * n, indexing="ij"), axis=-1).reshape(-1, n)
    return Arrangement(rows[len(rows) // 2 + 1 :])
