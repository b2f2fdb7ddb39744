"""Arrangements of the mirrors of finite reflection groups."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arrangements.algebra.derivations import point_off
from arrangements.algebra.subjects import as_central
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.signs import as_signs
from arrangements.exact import linear
from arrangements.exact.numbers import primitive, quotient
from arrangements.structure.points import chamber_polyhedron, sign_vector_at

Root = tuple[Any, ...]


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
    A = as_central(W, rank)
    if A.rank == 0:
        return True
    A = A[[group[0] for group in A.parallel_classes]]
    rows = [row[:-1] for row in A.integer_rows]
    signs = as_signs(sign_vector_at(A, point_off(rows, A.dimension)), len(rows))
    walls = list(chamber_polyhedron(A, signs).facets)
    if len(walls) != A.rank:
        return False
    columns = linear.column_basis([rows[i] for i in walls])
    # the hyperplanes in the coordinates of the walls: non-negative, if + is on the chamber
    inverse = linear.inverse([[int(signs[i]) * rows[i][c] for c in columns] for i in walls])
    assert inverse is not None
    roots = [
        _scaled(linear.matrix_product([[int(sign) * row[c] for c in columns]], inverse)[0])
        for row, sign in zip(rows, signs, strict=True)
    ]
    mirrors = set(roots)
    return all(
        _scaled(image) in mirrors for i in range(A.rank) for image in _images(i, roots, A.rank)
    )


def _images(i: int, roots: list[Root], r: int) -> list[list[Fraction]]:
    """Images of the roots under the reflection at wall i.

    It reverses the order of the hyperplanes through walls i and j, so that j goes to the neighbor
    of i on the other side: the root with most of i.
    """
    added = [Fraction(0)] * r
    for root in roots:
        support = [k for k, c in enumerate(root) if c]
        if len(support) == 2 and i in support:
            j = sum(support) - i
            added[j] = max(added[j], quotient(root[i], root[j]))
    images = []
    for root in roots:
        image: list[Any] = list(root)
        image[i] = sum((c * a for c, a in zip(root, added, strict=True)), -root[i])
        images.append(image)
    return images


def _scaled(row: list[Fraction]) -> Root:
    """The primitive multiple of a row with the first entry not negative."""
    sign = 1 if next(e for e in row if e) > 0 else -1
    return tuple(primitive([sign * e for e in row]))
