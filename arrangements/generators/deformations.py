"""Deformations of the braid arrangement: ``x_i - x_j = s`` for chosen shifts s."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from arrangements.checks import checked_integer, listed
from arrangements.errors import InputError, shown
from arrangements.exact.numbers import as_exact_vector
from arrangements.generators.blocks import check_memory, differences
from arrangements.model.arrangement import Arrangement


def deformation(n: int, shifts: Iterable[int]) -> Arrangement:
    """Affine arrangement ``x_i - x_j = s`` for all i < j and all s in `shifts`.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1 (then there are no hyperplanes).
    shifts : iterable of int, Fraction or float
        At least one; repeated ones give repeated hyperplanes.

    Returns
    -------
    Arrangement
        One block of rows per shift, in the order given; in a block, the pairs i < j are in
        lexicographic order. + at (s, i, j) means ``x_i - x_j > s``. The rank is n - 1.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.

    Examples
    --------
    >>> A = deformation(2, [0, 3])
    >>> A.normals.tolist(), A.offsets.tolist()
    ([[1, -1], [1, -1]], [0, -3])
    """
    n = checked_integer("n", n, 1)
    expected = "at least one number, as in deformation(3, [1])"
    given = [] if isinstance(shifts, str) else listed("shifts", shifts, expected)
    if not given:
        raise InputError(f"shifts is {shown(shifts)}; expected {expected}.")
    chosen = as_exact_vector(given, len(given), "shifts").tolist()
    check_memory(len(chosen) * (n * (n - 1) // 2), n)
    pairs = differences(n)
    return Arrangement(
        np.tile(pairs, (len(chosen), 1)), np.repeat([-s for s in chosen], len(pairs))
    )


def shi(n: int, k: int = 1) -> Arrangement:
    """Shi arrangement ``x_i - x_j = 0, 1`` for i < j: (n + 1)^(n - 1) chambers.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.
    k : int
        The k-extended arrangement has the shifts -k + 1, .., k and (k n + 1)^(n - 1)
        chambers, (k n - 1)^(n - 1) of them relatively bounded.

    Returns
    -------
    Arrangement
        In the order of `deformation`, shifts ascending.

    References
    ----------
    .. [1] J.-Y. Shi, J. London Math. Soc. 35 (1987) 56-74.
    .. [2] R. P. Stanley, Proc. Natl. Acad. Sci. USA 93 (1996) 2620-2625.

    Examples
    --------
    >>> shi(3)
    Arrangement(6 hyperplanes in dimension 3, affine)
    >>> shi(3).count_chambers()
    16
    """
    k = checked_integer("k", k, 1)
    check_memory(2 * k, 1)
    return deformation(n, range(1 - k, k + 1))


def catalan(n: int, k: int = 1) -> Arrangement:
    """Catalan arrangement ``x_i - x_j = -1, 0, 1`` for i < j: n! times the n-th Catalan number.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.
    k : int
        The k-extended arrangement has the shifts -k, .., k and
        ``n! binomial((k + 1) n, n) / (k n + 1)`` chambers.

    Returns
    -------
    Arrangement
        In the order of `deformation`, shifts ascending.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.

    Examples
    --------
    >>> catalan(3).count_chambers()
    30
    """
    k = checked_integer("k", k, 1)
    check_memory(2 * k + 1, 1)
    return deformation(n, range(-k, k + 1))


def linial(n: int) -> Arrangement:
    """Linial arrangement ``x_i - x_j = 1`` for i < j.

    It has 1, 2, 7, 36, 246, 2104 chambers for n = 1, .., 6, in general
    ``sum(binomial(n, k) (k + 1)^(n - 1) for k in 0..n) / 2^n``.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        Pairs i < j in lexicographic order.

    References
    ----------
    .. [1] A. Postnikov, R. P. Stanley, J. Combin. Theory Ser. A 91 (2000) 544-597.

    Examples
    --------
    >>> linial(3).count_chambers()
    7
    """
    return deformation(n, [1])


def semiorder(n: int) -> Arrangement:
    """Semiorder arrangement ``x_i - x_j = -1, 1`` for i < j.

    Its chambers are the semiorders on n labelled elements: 1, 3, 19, 183, 2371, 38703 for
    n = 1, .., 6.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        In the order of `deformation`, all shifts -1 first.

    References
    ----------
    .. [1] R. P. Stanley, Proc. Natl. Acad. Sci. USA 93 (1996) 2620-2625.

    Examples
    --------
    >>> semiorder(3).count_chambers()
    19
    """
    return deformation(n, [-1, 1])


def ish(n: int) -> Arrangement:
    """Ish arrangement ``x_i = x_j`` and ``x_1 - x_j = i`` for i < j: (n + 1)^(n - 1) chambers.

    It has the characteristic polynomial of `shi`, but another intersection poset [1]_.

    Parameters
    ----------
    n : int
        Number of coordinates, at least 1.

    Returns
    -------
    Arrangement
        The rows of ``braid(n)``, then ``x_1 - x_j - i``, both with the pairs i < j (counted
        from 1) in lexicographic order.

    References
    ----------
    .. [1] D. Armstrong, B. Rhoades, Trans. Amer. Math. Soc. 364 (2012) 1509-1528.

    Examples
    --------
    >>> ish(3).offsets.tolist()
    [0, 0, 0, -1, -1, -2]
    >>> ish(3).count_chambers()
    16
    """
    n = checked_integer("n", n, 1)
    check_memory(n * (n - 1), n)
    pairs = list(combinations(range(1, n + 1), 2))
    first = np.zeros((len(pairs), n), np.int64)
    for row, (_, j) in zip(first, pairs, strict=True):
        row[0], row[j - 1] = 1, -1
    offsets = [0] * len(pairs) + [-i for i, _ in pairs]
    return Arrangement(np.concatenate([differences(n), first]), np.array(offsets, np.int64))
