"""The Tutte polynomial, and the coboundary polynomial that it is computed from."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.algebra.subjects import flat_order
from arrangements.core.arrangement import MatroidLike
from arrangements.core.questions import as_arrangement
from arrangements.forecast.sizes import looks_generic
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid

if TYPE_CHECKING:
    from sympy import Poly

# Coefficients of t^0, t^1, .. for each rank.
Sums = list[list[int]]


def tutte_polynomial(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Poly:
    """Tutte polynomial of an arrangement or of a matroid.

    ``T(x, y) = sum (x - 1)^(r - r(B)) (y - 1)^(|B| - r(B))`` over the sets B of rows; for an affine
    arrangement, over the sets of hyperplanes with a common point [1]_. Here r(B) is the rank of B,
    and r that of all rows.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        Rows that coincide count as often as they occur; a row of an arrangement with zero normal
        (constant sign) does not count. An oriented matroid may have loops.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    sympy.Poly
        In ``x`` and ``y``, with integer coefficients of at least 0.

    Raises
    ------
    TooLargeError
        If the flats, or the pairs of flats of which one is below the other, do not fit.

    See Also
    --------
    coboundary_polynomial : the same in other variables.
    characteristic_polynomial : without listing flats. Up to sign and a power of t, it is
        ``T(1 - t, 0)``.

    Notes
    -----
    Exact. The flats are listed with their order; Möbius inversion gives the coboundary polynomial,
    which determines T. So the cost is that of the pairs of flats, one below the other: about a
    million of them in a second. In general position there is a formula.

    References
    ----------
    .. [1] F. Ardila, Pacific J. Math. 230 (2007) 1-26.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> tutte_polynomial(braid(4)).as_expr()
    x**3 + 3*x**2 + 4*x*y + 2*x + y**3 + 3*y**2 + 2*y
    """
    from flint import fmpz_poly  # loads slowly
    from sympy import Poly, symbols  # loads slowly

    sums, loops = _sums(W, offsets, rank)
    r = len(sums) - 1
    terms: dict[tuple[int, int], int] = {}
    divisor = fmpz_poly([1])
    for k, coefficients in enumerate(sums):
        # the sum over flats of rank k is divisible by (y - 1)^k: it counts sets of rank k
        quotient = fmpz_poly(coefficients) // divisor
        divisor *= fmpz_poly([-1, 1])
        for j, c in enumerate(quotient.coeffs()):
            for i in range(r - k + 1):
                sign = (-1) ** (r - k - i)
                key = i, j + loops
                terms[key] = terms.get(key, 0) + sign * comb(r - k, i) * int(c)
    return Poly.from_dict({key: c for key, c in terms.items() if c}, *symbols("x y"), domain="ZZ")


def coboundary_polynomial(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Poly:
    """Coboundary polynomial of an arrangement or of a matroid.

    ``sum q^(r - r(B)) (t - 1)^|B|`` over the sets B of rows with a common point [1]_. The
    coefficient of t^k counts the points on exactly k hyperplanes, in the essentialization over a
    field with q elements, if the prime is good.

    Parameters
    ----------
    W, offsets, rank
        As in `tutte_polynomial`.

    Returns
    -------
    sympy.Poly
        In ``q`` and ``t``, with integer coefficients. It is ``(t - 1)^r T(1 + q / (t - 1), t)``,
        where T is the Tutte polynomial, and for t = 0 the characteristic polynomial of the
        essentialization.

    See Also
    --------
    tutte_polynomial

    References
    ----------
    .. [1] F. Ardila, Pacific J. Math. 230 (2007) 1-26.

    Examples
    --------
    >>> coboundary_polynomial([[1, 0], [0, 1], [1, 1]]).as_expr()
    q**2 + 3*q*t - 3*q + t**3 - 3*t + 2
    """
    from sympy import Poly, symbols  # loads slowly

    sums, loops = _sums(W, offsets, rank)
    r = len(sums) - 1
    terms = {
        (r - k, j + loops): c
        for k, coefficients in enumerate(sums)
        for j, c in enumerate(coefficients)
        if c
    }
    return Poly.from_dict(terms, *symbols("q t"), domain="ZZ")


def _sums(W: MatroidLike, offsets: ArrayLike | None, rank: int | None) -> tuple[Sums, int]:
    """Coefficients of ``sum (t - 1)^|B|`` over the sets B of each rank, and the number of loops.

    For the flat Y, the sum over the sets that span Y is f(Y), if the sum of f over the flats below
    Y, and Y, is the sum over all subsets of Y, which is ``t^|Y|``.
    """
    if not isinstance(W, OrientedMatroid):
        A = as_arrangement(W, offsets, rank)
        n = A.n_hyperplanes
        if not A.loops and A.rank == min(n, A.dimension) and looks_generic(A) and A.is_generic:
            return _generic_sums(n, A.rank, A.is_central), 0
    order = flat_order(W, offsets, rank)
    values = np.zeros((len(order.ranks), int(order.sizes.max()) + 1), np.int64)
    values[np.arange(len(values)), order.sizes] = 1
    return order.by_rank(order.inverted(values)).tolist(), order.loops


def _generic_sums(n: int, r: int, central: bool) -> Sums:
    """The sums for n elements, every r of which are independent."""
    # the coefficients of (t - 1)^k
    powers = [[(-1) ** (k - j) * comb(k, j) for j in range(k + 1)] for k in range(r + 1)]
    sums = [[comb(n, k) * c for c in powers[k]] for k in range(r + 1)]
    if central:
        total: list[Any] = [0] * n + [1]
        for lower in sums[:r]:
            for j, c in enumerate(lower):
                total[j] -= c
        sums[r] = total
    return sums
