"""What sums over pairs of flats give: Tutte polynomial, coboundary polynomial, Whitney numbers.

For a flat G let ``P_G(t) = sum mu(F, G) t**|F|`` over the flats F below G, where |F| hyperplanes
contain F. By Möbius inversion they are determined by ``sum P_F(t) = t**|G|`` over the flats F below
G, so they follow from each other rank by rank, by one product of matrices for each rank; mu itself
is never formed. With ranks in place of numbers of hyperplanes these sums are Whitney numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_option
from arrangements.counting.polynomials import characteristic_polynomial
from arrangements.faces.intersections import Flats, flats
from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank
from arrangements.resources import limits

if TYPE_CHECKING:
    from sympy import Poly

Integers = NDArray[Any]

# Largest numbers that floats add exactly.
_EXACT = 2.0**53
# Pairs of flats, times the different sizes of flats, in a second; and pairs at a time.
_PER_SECOND, _BLOCK = 10**9, 2**22


def tutte_polynomial(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    max_hours: float | None = None,
) -> Poly:
    """Tutte polynomial of a hyperplane arrangement.

    ``T(x, y) = sum (x - 1)**(r - r(B)) (y - 1)**(|B| - r(B))`` over the sets B of hyperplanes that
    have a common point, where r is the rank. For a central arrangement it is the Tutte
    polynomial of its matroid, for an affine one that of its semimatroid [1]_.

    Parameters
    ----------
    W, offsets, rank
        As in `flats`. Equal hyperplanes count as parallel elements; a row with zero normal is no
        hyperplane and does not count.
    max_hours : float, optional
        Refuse a computation that is expected to take more hours; default a year.

    Returns
    -------
    sympy.Poly
        In ``x`` and ``y``, with nonnegative integer coefficients. ``T(2, 0)`` is the number of
        chambers, ``T(1, 1)`` the number of bases.

    Raises
    ------
    InputError, DegenerateArrangementError, TooLargeError
        As in `flats`; also if it takes longer than `max_hours`.

    See Also
    --------
    coboundary_polynomial : the same in other coordinates.
    characteristic_polynomial : for far larger arrangements.

    Notes
    -----
    Exact. All flats are listed, and each is compared with all flats of smaller rank: time
    O(f**2 s) for f flats of s different sizes, memory O(f (s + n)).

    References
    ----------
    .. [1] F. Ardila, Computing the Tutte polynomial of a hyperplane arrangement, Pacific J. Math.
           230 (2007) 1-26.

    Examples
    --------
    >>> from arrangements import generators
    >>> tutte_polynomial(generators.braid(4))
    Poly(x**3 + 3*x**2 + 4*x*y + 2*x + y**3 + 3*y**2 + 2*y, x, y, domain='ZZ')
    >>> tutte_polynomial([[1], [1]], offsets=[0, 1])
    Poly(x + 1, x, y, domain='ZZ')
    """
    limits.check_max_hours(max_hours)
    found = flats(asked_arrangement(W, offsets, rank))
    return tutte_from_flats(found.to_array(), found.ranks, max_hours)


def coboundary_polynomial(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    max_hours: float | None = None,
) -> Poly:
    """Coboundary polynomial of a hyperplane arrangement.

    ``sum t**|F| chi_F(q)`` over the flats F, which ``|F|`` hyperplanes contain; ``chi_F`` is the
    characteristic polynomial of the restriction to F without the factor ``q**(d - r)`` [1]_. If q
    is a power of a large prime, its coefficient of ``t**k`` is the number of points over the field
    of q elements that lie on exactly k hyperplanes, divided by ``q**(d - r)``.

    Parameters
    ----------
    W, offsets, rank, max_hours
        As in `tutte_polynomial`.

    Returns
    -------
    sympy.Poly
        In ``q`` and ``t``, with integer coefficients. At ``t = 0`` it is the characteristic
        polynomial divided by ``q**(d - r)``.

    Raises
    ------
    InputError, DegenerateArrangementError, TooLargeError
        As `tutte_polynomial`.

    Notes
    -----
    With ``q = (x - 1)(y - 1)`` and ``t = y`` it is ``(y - 1)**r T(x, y)``, T the Tutte polynomial.

    References
    ----------
    .. [1] H. Crapo, The Tutte polynomial, Aequationes Math. 3 (1969) 211-229.

    Examples
    --------
    >>> coboundary_polynomial([[1, 0], [0, 1], [1, 1]])
    Poly(q**2 + 3*q*t - 3*q + t**3 - 3*t + 2, q, t, domain='ZZ')
    """
    from sympy import Poly, symbols  # loads slowly

    limits.check_max_hours(max_hours)
    found = flats(asked_arrangement(W, offsets, rank))
    sums = _sums(found.to_array(), found.ranks, _sizes(found), max_hours)
    r = len(sums) - 1
    terms = {
        (r - j, k): int(value) for j, row in enumerate(sums) for k, value in enumerate(row) if value
    }
    return Poly.from_dict(terms, *symbols("q t"), domain="ZZ")


def doubly_indexed_whitney_numbers(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    kind: int = 1,
    max_hours: float | None = None,
) -> Integers:
    """Sums over pairs of flats, by their ranks.

    Parameters
    ----------
    W, offsets, rank, max_hours
        As in `tutte_polynomial`.
    kind : {1, 2}
        1: entry (i, j) is the sum of ``mu(F, G)`` over the flats F of rank i below G of rank j;
        2: the number of such pairs.

    Returns
    -------
    (r + 1, r + 1) ndarray of int64
        Zero below the diagonal; dtype object if numbers are larger. Row 0 has the Whitney numbers.

    Raises
    ------
    InputError, DegenerateArrangementError, TooLargeError
        As `tutte_polynomial`.

    See Also
    --------
    whitney_numbers : of row 0, and their sums, without listing flats.

    References
    ----------
    .. [1] C. Greene, T. Zaslavsky, On the interpretation of Whitney numbers through arrangements of
           hyperplanes, zonotopes, non-Radon partitions, and orientations of graphs, Trans. Amer.
           Math. Soc. 280 (1983) 97-126.

    Examples
    --------
    >>> from arrangements import generators
    >>> doubly_indexed_whitney_numbers(generators.braid(4))
    array([[  1,  -6,  11,  -6],
           [  0,   6, -18,  12],
           [  0,   0,   7,  -7],
           [  0,   0,   0,   1]])
    >>> doubly_indexed_whitney_numbers(generators.braid(4), kind=2).tolist()
    [[1, 6, 7, 1], [0, 6, 18, 6], [0, 0, 7, 7], [0, 0, 0, 1]]
    """
    check_option("kind", kind, (1, 2))
    limits.check_max_hours(max_hours)
    found = flats(asked_arrangement(W, offsets, rank))
    sums = _sums(found.to_array(), found.ranks, found.ranks, max_hours, inverse=kind == 1).T
    return sums.astype(np.int64) if int(abs(sums).max()) < 2**63 else sums


def exponents(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> tuple[int, ...] | None:
    """Roots of the characteristic polynomial, if all are integers.

    The characteristic polynomial of a free arrangement is the product of ``t - e`` over its
    exponents e [1]_. Other arrangements may factor too.

    Parameters
    ----------
    W, offsets, rank, workers, progress, max_hours
        As in `characteristic_polynomial`.

    Returns
    -------
    tuple of d int, or None
        Ascending, each as often as it is a root; None if the polynomial does not factor.

    Raises
    ------
    InputError, DegenerateArrangementError, TooLargeError
        As `characteristic_polynomial`.

    References
    ----------
    .. [1] H. Terao, Generalized exponents of a free arrangement of hyperplanes and
           Shepherd-Todd-Brieskorn formula, Invent. Math. 63 (1981) 159-179.

    Examples
    --------
    >>> from arrangements import generators
    >>> exponents(generators.coxeter("B", 3)), exponents(generators.braid(4))
    ((1, 3, 5), (0, 1, 2, 3))
    >>> exponents(generators.generic(5, 3)) is None
    True
    """
    polynomial = characteristic_polynomial(
        W, offsets, rank=rank, workers=workers, progress=progress, max_hours=max_hours
    )
    roots = polynomial.ground_roots()
    if sum(roots.values()) < polynomial.degree() or any(root.q != 1 for root in roots):
        return None
    return tuple(sorted(int(root) for root, times in roots.items() for _ in range(times)))


def tutte_from_flats(
    members: NDArray[np.bool_], ranks: NDArray[np.int64], max_hours: float | None = None
) -> Poly:
    """Tutte polynomial from all flats: (f, n) memberships, and ranks that ascend."""
    from sympy import Poly, symbols  # loads slowly

    x, y = symbols("x y")
    sums = _sums(members, ranks, members.sum(axis=1), max_hours)
    r = len(sums) - 1
    total = Poly(0, x, y)
    for j, row in enumerate(sums):
        # The sets that span flats of rank j: a sum of (y - 1)**|B|, each at least of j elements.
        by_size = Poly([int(value) for value in row[::-1]], y)
        spans = by_size.exquo(Poly(y - 1, y) ** j)
        total += Poly(x - 1, x, y) ** (r - j) * Poly(spans.as_expr(), x, y)
    return total


def _sizes(found: Flats) -> NDArray[np.int64]:
    return found.to_array().sum(axis=1)


def _sums(
    members: NDArray[np.bool_],
    ranks: NDArray[np.int64],
    grades: NDArray[np.int64],
    max_hours: float | None,
    inverse: bool = True,
) -> Integers:
    """``sums[j, k]``: of mu(F, G), or of 1 if not `inverse`, over F of grade k below G of rank j.

    Exact integers; floats multiply them as long as no sum can exceed 2**53.
    """
    f, top = len(ranks), int(ranks[-1])
    what = f"comparing {limits.short(f)} flats with each other"
    values = np.zeros((f, int(grades.max()) + 1))
    limits.check_hours(what, f * f * values.shape[1] // 2, _PER_SECOND, max_hours)
    sums = np.zeros((top + 1, values.shape[1]), object)
    packed = np.packbits(members, axis=1)
    values[np.arange(f), grades] = 1  # of the flat alone, which is right for the least one
    for j in range(top + 1):
        first, last = np.searchsorted(ranks, [j, j + 1]).tolist()
        step = max(1, _BLOCK // max(1, first * packed.shape[1]))
        for start in range(first, last, step):
            part = slice(start, min(start + step, last))
            below = ~(packed[:first] & ~packed[part, None]).any(axis=2)
            if values.dtype == float and first * abs(values[:first]).max(initial=0) >= _EXACT:
                values = _as_integers(values)
            change = below.astype(values.dtype) @ values[:first]
            if inverse:
                values[part] -= change
            else:
                sums[j] += _as_integers(change).sum(axis=0)
        sums[j] += _as_integers(values[first:last]).sum(axis=0)
    return sums


def _as_integers(values: NDArray[Any]) -> NDArray[Any]:
    """Python's integers in place of floats that are whole."""
    if values.dtype == object:
        return values
    return np.array([[int(value) for value in row] for row in values.tolist()], object)
