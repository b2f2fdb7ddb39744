"""The center of an arrangement: the points that all hyperplanes have in common."""

from __future__ import annotations

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike, as_arrangement
from arrangements.structure.coordinates import flat
from arrangements.structure.result import AffineMap


def has_common_point(
    W: ArrangementLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> bool:
    """Decide whether all hyperplanes have a point in common.

    Many books call such an arrangement central. In this library that word means: through the
    origin.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    bool
        False if there is a loop, a row of zeros with an offset: no point satisfies its equation.

    See Also
    --------
    center : the common points.

    Examples
    --------
    >>> has_common_point([[1, 0], [0, 1], [1, 1]], [0, -1, -1])
    True
    >>> has_common_point([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    False
    """
    return as_arrangement(W, offsets, rank).has_common_point


def center(W: ArrangementLike, offsets: ArrayLike | None = None) -> AffineMap | None:
    """Center of an arrangement: the intersection of all hyperplanes.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.

    Returns
    -------
    AffineMap, or None
        The parametrization ``y -> matrix @ y + shift`` of the common points, as `restriction` has
        it; `matrix` has no columns if there is one point. None if there is no common point.

    See Also
    --------
    has_common_point
    restriction : to other intersections.

    Examples
    --------
    >>> point = center([[1, 0], [0, 1], [1, 1]], [0, -1, -1])
    >>> point, point([])
    (AffineMap(from dimension 0 to dimension 2), (Fraction(0, 1), Fraction(1, 1)))
    >>> center([[1], [1]], [0, 1]) is None
    True
    """
    A = Arrangement.coerce(W, offsets)
    if not A.has_common_point:
        return None
    return flat(A, list(range(A.n_hyperplanes)))[0]
