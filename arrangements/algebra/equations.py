"""Equations of an arrangement: their product, and what they are modulo a prime."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.algebra.derivations import Coefficients
from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact import numbers
from arrangements.exact.integer_image import residue_of, root_modulo
from arrangements.execution import limits
from arrangements.forecast.hours import check_hours
from arrangements.messages import Remedy, short_number
from arrangements.structure.coordinates import cone
from arrangements.structure.intersections import flats

if TYPE_CHECKING:
    from sympy import Poly

_TERM_BYTES = 500
_MOST_PRIME = 2**31
_BLOCK_POINTS = 2**16
_PACE = 5e7  # entries of rows times points, in a second
_SMALLER = Remedy("a smaller prime", "Take a smaller prime, or ask characteristic_polynomial.")


def defining_polynomial(W: ArrangementLike, offsets: ArrayLike | None = None) -> Poly:
    """Defining polynomial: the product of the equations of the hyperplanes.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        Of rows that coincide the first counts.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.

    Returns
    -------
    sympy.Poly
        In ``x0``, ``x1``, .., with the numbers as given. The domain is ZZ, QQ or, with irrational
        numbers, an algebraic field.

    Raises
    ------
    InputError
        If the dimension is 0: there are no variables.
    TooLargeError
        If the polynomial may not fit.

    Examples
    --------
    >>> defining_polynomial([[1, 0], [0, 1], [1, -1]]).as_expr()
    x0**2*x1 - x0*x1**2
    """
    from sympy import Poly, symbols  # loads slowly

    A = Arrangement.coerce(W, offsets)
    d, rows = A.dimension, [members[0] for members in A.coincident_classes]
    if d == 0:
        raise InputError(f"W is {A!r}; expected dimension 1 or more: there are no variables.")
    most = comb(len(rows) + d - A.is_central, d - A.is_central)
    limits.check_bytes(f"a polynomial of {short_number(most)} terms", _TERM_BYTES * most)
    x = symbols(f"x:{d}")
    known = Coefficients(A.field)
    monomials = [*(tuple(int(i == j) for j in range(d)) for i in range(d)), (0,) * d]
    found = Poly(1, *x, domain=known.domain)
    for i in rows:
        b = Fraction(0) if A.offsets is None else numbers.fractions(A.offsets[i : i + 1])[0]
        terms = zip(monomials, (*numbers.fractions(A.normals[i]), b), strict=True)
        equation = {m: known(c) for m, c in terms if c}
        found *= Poly.from_dict(equation, *x, domain=known.domain)
    if A.field is None and all(c.is_integer for c in found.coeffs()):
        found = found.set_domain("ZZ")
    return found


def reduction_modulo(
    W: ArrangementLike, p: int, *, offsets: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Equations of the hyperplanes modulo a prime.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    p : int
        A prime below 2**31.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.

    Returns
    -------
    (n, d + 1) ndarray of int64
        Residues 0, .., p - 1 of the integer multiples of the rows without common factor; the last
        column has the offsets. Of irrational rows these are those of
        `Arrangement.integer_rows`, with the least root of the minimal polynomial modulo p in place
        of theta.

    Raises
    ------
    InputError
        If p is not a prime, or the minimal polynomial of the irrational numbers has no root
        modulo p.

    See Also
    --------
    is_good_reduction : whether the flats stay the same.
    count_points_modulo : the points on none of these hyperplanes.

    Examples
    --------
    >>> reduction_modulo([[1, 2], [3, -6]], 5, offsets=[0, 0.5]).tolist()
    [[1, 2, 0], [1, 3, 1]]
    """
    return _reduce(Arrangement.coerce(W, offsets), _check_prime(p))


def is_good_reduction(W: ArrangementLike, p: int, *, offsets: ArrayLike | None = None) -> bool:
    """Whether the hyperplanes modulo a prime meet in the same way as over the rationals.

    Parameters
    ----------
    W, p, offsets
        As in `reduction_modulo`.

    Returns
    -------
    bool
        Whether the same sets of rows are independent, also together with the hyperplane at
        infinity. Then the intersection poset is the same, too.

    Raises
    ------
    InputError
        If p is not a prime.
    TooLargeError
        If the flats do not fit.

    See Also
    --------
    count_points_modulo : the finite field method, for primes of good reduction.

    Notes
    -----
    Exact. The flats of the cone are listed. If some set of independent rows is dependent modulo p,
    then some flat of rank r - 1 spans a further row.

    Examples
    --------
    >>> from arrangements.generators import coxeter
    >>> is_good_reduction(coxeter("F4"), 2), is_good_reduction(coxeter("F4"), 5)
    (False, True)
    >>> is_good_reduction([[1], [1]], 3, offsets=[0, 3])     # they coincide modulo 3
    False
    """
    p = _check_prime(p)
    A = cone(Arrangement.coerce(W, offsets)).arrangement
    rows = _reduce(A, p)[:, :-1]
    loops = set(A.loops)
    for copoint in flats(A).of_rank(A.rank - 1):
        spanned = _in_span(rows, rows[list(copoint)], p)
        if set(np.flatnonzero(spanned).tolist()) - loops != set(copoint) - loops:
            return False
    return True


def count_points_modulo(W: ArrangementLike, p: int, *, offsets: ArrayLike | None = None) -> int:
    """Number of points over the field of p elements on none of the hyperplanes modulo p.

    Parameters
    ----------
    W, p, offsets
        As in `reduction_modulo`.

    Returns
    -------
    int
        ``characteristic_polynomial(W, offsets)`` at p, if p is a prime of good reduction (the
        finite field method [1]_).

    Raises
    ------
    InputError
        If p is not a prime.

    See Also
    --------
    is_good_reduction
    characteristic_polynomial : by restrictions, for arrangements of every size.

    Notes
    -----
    Exact. All p**d points are tried: this is a check, for small arrangements.

    References
    ----------
    .. [1] C. A. Athanasiadis, Characteristic polynomials of subspace arrangements and finite
       fields, Adv. Math. 122 (1996) 193-233.

    Examples
    --------
    >>> from arrangements import characteristic_polynomial
    >>> from arrangements.generators import coxeter
    >>> count_points_modulo(coxeter("B3"), 11), characteristic_polynomial(coxeter("B3")).eval(11)
    (480, 480)
    """
    A, p = Arrangement.coerce(W, offsets), _check_prime(p)
    rows = _reduce(A, p)
    total, number = 0, p**A.dimension
    what = f"trying {short_number(number)} points"
    check_hours(what, number * max(1, rows.size), _PACE, refusal=_SMALLER)
    powers = [p**k for k in range(A.dimension)]
    for first in range(0, number, _BLOCK_POINTS):
        numbered = np.arange(first, min(first + _BLOCK_POINTS, number))
        off = np.ones(len(numbered), bool)
        for row in rows.tolist():
            value = np.full(len(numbered), row[-1], np.int64)
            for c, power in zip(row[:-1], powers, strict=True):
                value = (value + c * (numbered // power % p)) % p
            off &= value != 0
        total += int(off.sum())
    return total


def _check_prime(p: int) -> int:
    from sympy import isprime  # loads slowly

    p = check_integer("p", p, 2, _MOST_PRIME)
    if not isprime(p):
        raise InputError(f"p is {p}; expected a prime.")
    return p


def _reduce(A: Arrangement, p: int) -> NDArray[np.int64]:
    if A.field is None:
        rows = [[c % p for c in row] for row in A.integer_rows]
    else:
        root = root_modulo(A.field, p)
        if root is None:
            raise InputError(
                f"p is {p}, modulo which the minimal polynomial of {A.field.name} has no root; "
                "expected a prime modulo which it has one. Try other primes."
            )
        rows = [[residue_of(c, A.field, p, root) for c in row] for row in A.integer_rows]
    return np.array(rows, np.int64).reshape(len(rows), A.dimension + 1)


def _in_span(rows: NDArray[np.int64], of: NDArray[np.int64], p: int) -> NDArray[np.bool_]:
    """Which rows are combinations of others modulo p."""
    rest, own = rows.copy(), of.copy()
    for i in range(len(own)):
        places = np.flatnonzero(own[i])
        if not len(places):
            continue
        c = int(places[0])
        own[i] = own[i] * pow(int(own[i, c]), -1, p) % p
        # residues below 2**31: their products fit
        own[i + 1 :] = (own[i + 1 :] - own[i + 1 :, c, None] * own[i]) % p
        rest = (rest - rest[:, c, None] * own[i]) % p
    return np.asarray((rest == 0).all(axis=1))
