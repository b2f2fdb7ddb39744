"""Arrangements of the mirrors of finite reflection groups."""

from __future__ import annotations

from arrangements.algebra.subjects import as_central
from arrangements.core.arrangement import ArrangementLike
from arrangements.structure.mirrors import mirrors_of


def is_reflection(W: ArrangementLike, *, rank: int | None = None) -> bool:
    """Whether the hyperplanes are all mirrors of a finite real reflection group.

    The coordinates need not be orthogonal: any linear image of such an arrangement counts.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A central arrangement. Of rows that coincide the first counts.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If the arrangement is not central.

    See Also
    --------
    is_simplicial : a weaker property. generators.coxeter : the arrangements of all types.

    Notes
    -----
    Exact, without listing chambers. One chamber must have r walls. In the coordinates of these,
    the hyperplanes through the intersection of two walls determine how a reflection at one wall
    must map the other. The arrangement is a reflection arrangement if and only if these r maps
    permute the hyperplanes [1]_.

    References
    ----------
    .. [1] J. E. Humphreys, Reflection Groups and Coxeter Groups, Cambridge 1990.

    Examples
    --------
    >>> from arrangements.generators import coxeter, resonance
    >>> is_reflection(coxeter("E7")), is_reflection(resonance(3))
    (True, False)
    >>> is_reflection([[1, 0], [0, 1], [1, 1], [1, 2]])
    True
    """
    return mirrors_of(as_central(W, rank)) is not None
