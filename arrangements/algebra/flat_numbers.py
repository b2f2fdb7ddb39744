"""Numbers and polynomials that depend on pairs of flats, and exponents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements.algebra.multiarrangements import Multiarrangement
from arrangements.algebra.subjects import flat_order, subject_of
from arrangements.checks import check_option
from arrangements.core.arrangement import MatroidLike
from arrangements.core.questions import as_arrangement
from arrangements.core.row_choice import RowAddresses, parse_rows
from arrangements.counting.polynomials import betti_numbers
from arrangements.errors import InputError
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.structure.derived import localization, restriction, simplify

if TYPE_CHECKING:
    from sympy import Poly


def doubly_indexed_whitney_numbers(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    kind: Literal[1, 2] = 1,
) -> tuple[tuple[int, ...], ...]:
    """Doubly indexed Whitney numbers of the intersection poset.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    kind : {1, 2}
        First kind: entry (i, j) is the sum of the Möbius function mu(X, Y) over the pairs of a flat
        X of rank (codimension) i and a flat Y of rank j with ``X <= Y`` [1]_: Y is contained in X.
        Second kind: the number of these pairs.

    Returns
    -------
    tuple of tuple of int
        Rows i and columns j, both 0, .., r.

    Raises
    ------
    TooLargeError
        If the flats, or the pairs, do not fit.

    See Also
    --------
    whitney_numbers : row 0, without listing flats.
    mobius : between two flats.

    Notes
    -----
    Exact. The flats are listed with their order, and Möbius inversion is done rank by rank.

    References
    ----------
    .. [1] C. Greene, T. Zaslavsky, Trans. Amer. Math. Soc. 280 (1983) 97-126.

    Examples
    --------
    >>> from arrangements.generators import shi
    >>> doubly_indexed_whitney_numbers(shi(3))
    ((1, -6, 9), (0, 6, -15), (0, 0, 6))
    """
    check_option("kind", kind, (1, 2))
    order = flat_order(subject_of(W, offsets, rank))
    own = np.zeros((len(order.ranks), order.rank + 1), np.int64)
    own[np.arange(len(own)), order.ranks] = 1
    if kind == 1:
        found = order.inverted(own)
    else:
        found = own.copy()
        for k, below in enumerate(order.below):
            found[order.level(k)] += below @ own[: below.shape[1]]
    return tuple(map(tuple, order.by_rank(found).T.tolist()))


def mobius(
    W: MatroidLike,
    lower: RowAddresses,
    upper: RowAddresses,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> int:
    """Möbius function between two flats, of which the second is contained in the first.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    lower, upper : int or str, array_like of them, (n,) array_like of bool, or Hyperplane
        Hyperplanes whose intersections are the flats X and Y; not all that contain them need be
        named. No rows mean the whole space, which is the least flat. Of an oriented matroid,
        elements by number or label.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    int
        ``mu(X, Y)`` in the intersection poset; 0 if Y is not contained in X.

    Raises
    ------
    InputError
        If some of the hyperplanes have no point in common, or there is no such row.
    DegenerateArrangementError
        If there are loops.

    See Also
    --------
    intersection_poset : with the values between the whole space and each flat.
    doubly_indexed_whitney_numbers : sums of the values.

    Notes
    -----
    Exact, without listing flats: up to sign it is the last Betti number of the hyperplanes that
    contain Y, restricted to X.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> mobius(braid(4), [], [0, 1, 2]), mobius(braid(4), [0], [0, 1, 2]), mobius(braid(4), 0, 1)
    (-6, 2, 0)
    """
    A = subject_of(W, offsets, rank)
    if isinstance(A, OrientedMatroid):
        return _mobius_of_matroid(A, lower, upper)
    # a flat without points is refused here
    localization(A, parse_rows(A, lower, "lower"))
    through = localization(A, parse_rows(A, upper, "upper"))
    rows = [through.position[i] for i in parse_rows(A, lower, "lower")]
    if -1 in rows:
        return 0
    interval = simplify(restriction(through.arrangement, rows).arrangement).arrangement
    return (-1) ** interval.rank * betti_numbers(interval)[-1]


def _mobius_of_matroid(M: OrientedMatroid, lower: Any, upper: Any) -> int:
    """`mobius`, of the flats that some elements span."""
    least, last = set(M.closure(lower)), set(M.closure(upper))
    if not least <= last:
        return 0
    interval = M.unlabeled.minor(least, set(range(M.n)) - last)
    return (-1) ** interval.rank * interval.betti_numbers()[-1]


def exponents(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> tuple[int, ...] | None:
    """Exponents: the roots of the characteristic polynomial, if all are integers.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    tuple of int, or None
        d numbers of at least 0, ascending; d - r of them are 0, where r is the rank. (For an
        oriented matroid d is r.) None if some root is not an integer; then the arrangement is not
        free [1]_.

    See Also
    --------
    modular_chain : one reason for integer roots.

    Notes
    -----
    Exact; see `characteristic_polynomial`.

    References
    ----------
    .. [1] H. Terao, Invent. Math. 63 (1981) 159-179.

    Examples
    --------
    >>> from arrangements.generators import coxeter, generic
    >>> exponents(coxeter("E", 6)), exponents(generic(4, 3, 0))
    ((1, 4, 5, 7, 8, 11), None)
    """
    if isinstance(W, Multiarrangement):
        raise InputError("W is a Multiarrangement; its exponents are freeness(W).exponents.")
    A = subject_of(W, offsets, rank)
    found = roots_of(betti_numbers(A))
    lines = 0 if isinstance(A, OrientedMatroid) else A.dimension - A.rank
    return None if found is None else (*([0] * lines), *found)


def roots_of(betti: tuple[int, ...]) -> tuple[int, ...] | None:
    """Integers e with ``sum b_k x^k = prod (1 + e x)``, ascending, or None if there are none.

    Examples
    --------
    >>> roots_of((1, 6, 11, 6)), roots_of((1, 4, 6, 3)), roots_of((1,))
    ((1, 2, 3), None, ())
    """
    rest, found = list(betti), []
    root = 1
    while len(rest) > 1:
        quotient = [rest[0]]
        for b in rest[1:]:
            quotient.append(b - root * quotient[-1])
        if quotient[-1] == 0:
            rest = quotient[:-1]
            found.append(root)
        elif root > rest[1]:
            return None
        else:
            root += 1
    return tuple(found)


def cocharacteristic_polynomial(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Poly:
    """Cocharacteristic polynomial of an arrangement whose hyperplanes have a common point.

    ``sum |mu(X, Y)| z^dim X`` over the flats X, where Y is the least flat, the intersection of all
    hyperplanes.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    sympy.Poly
        In ``z``, with integer coefficients.

    Raises
    ------
    InputError
        If the hyperplanes have no point in common.

    See Also
    --------
    primitive_eulerian_polynomial

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> cocharacteristic_polynomial(braid(3)).as_expr()
    2*z**3 + 3*z**2 + z
    """
    from sympy import Poly, Symbol  # loads slowly

    numbers, lines = _to_the_center(W, offsets, rank)
    return Poly.from_list([*numbers, *[0] * lines], gens=Symbol("z"))


def primitive_eulerian_polynomial(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Poly:
    """Primitive Eulerian polynomial of an arrangement whose hyperplanes have a common point.

    ``sum |mu(X, Y)| (z - 1)^codim X`` over the flats X, where Y is the intersection of all
    hyperplanes [1]_. If the arrangement is simplicial, its coefficients are not negative.

    Parameters
    ----------
    W, offsets, rank
        As in `cocharacteristic_polynomial`.

    Returns
    -------
    sympy.Poly
        In ``z``, with integer coefficients.

    References
    ----------
    .. [1] J. Bastidas, C. Hohlweg, F. Saliola, arXiv 2306.15556.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> primitive_eulerian_polynomial(braid(3)).as_expr()
    z**2 + z
    """
    from sympy import Poly, Symbol  # loads slowly

    z = Symbol("z")
    numbers, _ = _to_the_center(W, offsets, rank)
    return Poly(numbers[::-1], z).compose(Poly(z - 1, z))


def _to_the_center(
    W: MatroidLike, offsets: ArrayLike | None, rank: int | None
) -> tuple[list[int], int]:
    """Sums of ``|mu(X, Y)|`` by the rank of X, for the intersection Y of all; dimension of Y."""
    dimension = 0
    if not isinstance(W, OrientedMatroid):
        W, offsets, rank = as_arrangement(W, offsets, rank), None, None
        dimension = W.dimension - W.rank
        if not W.is_central:
            localization(
                W, [i for group in W.parallel_classes for i in group]
            )  # refuses hyperplanes without a common point
    order = flat_order(W, offsets, rank)
    last = (np.arange(len(order.ranks)) == len(order.ranks) - 1).astype(np.int64)[:, None]
    sums = order.by_rank(order.inverted(last, upwards=False))
    return [abs(int(total)) for (total,) in sums.tolist()], dimension
