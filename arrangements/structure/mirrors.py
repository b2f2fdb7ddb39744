"""Mirrors of finite reflection groups: the walls of one chamber, and the faces they make."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import Any

from arrangements.core.arrangement import Arrangement
from arrangements.core.signs import as_signs
from arrangements.exact import linear
from arrangements.exact.numbers import primitive, quotient
from arrangements.structure.points import chamber_polyhedron, point_off, sign_vector_at

Root = tuple[Any, ...]
# Edges of a Coxeter diagram: pairs of walls that are not orthogonal, with the number of mirrors
# through both.
Edges = dict[tuple[int, int], int]


def simple_roots(A: Arrangement) -> list[Root] | None:
    """The mirrors of a finite reflection group, in coordinates of the walls of a chamber.

    Parameters
    ----------
    A : central Arrangement

    Returns
    -------
    list of tuple, or None
        One primitive row for each distinct hyperplane, not negative; None if they are not all
        mirrors of a finite reflection group. See `is_reflection`.

    Examples
    --------
    >>> simple_roots(Arrangement([[1, 0], [1, 1], [0, 1]]))
    [(1, 0), (1, 1), (0, 1)]
    """
    if A.rank == 0:
        return []
    A = A[[group[0] for group in A.parallel_classes]]
    rows = [row[:-1] for row in A.integer_rows]
    signs = as_signs(sign_vector_at(A, point_off(rows, A.dimension)), len(rows))
    walls = list(chamber_polyhedron(A, signs).facets)
    if len(walls) != A.rank:
        return None
    columns = linear.column_basis([rows[i] for i in walls])
    # the hyperplanes in the coordinates of the walls: non-negative, if + is on the chamber
    inverse = linear.inverse([[int(signs[i]) * rows[i][c] for c in columns] for i in walls])
    assert inverse is not None
    roots = [
        _scaled(linear.matrix_product([[int(sign) * row[c] for c in columns]], inverse)[0])
        for row, sign in zip(rows, signs, strict=True)
    ]
    mirrors = set(roots)
    for i in range(A.rank):
        if any(_scaled(image) not in mirrors for image in _images(i, roots, A.rank)):
            return None
    return roots


def faces_of_mirrors(A: Arrangement) -> list[int] | None:
    """Numbers of faces by codimension, if the hyperplanes are the mirrors of a reflection group W.

    The faces of codimension k are the cosets of the subgroups that k walls of one chamber generate
    (Humphreys, Reflection Groups and Coxeter Groups, section 1.15).

    Examples
    --------
    >>> faces_of_mirrors(Arrangement([[1, 0], [0, 1], [1, 1]]))
    [6, 6, 1]
    """
    roots = simple_roots(A)
    if roots is None:
        return None
    supports = (tuple(i for i, c in enumerate(root) if c) for root in roots)
    inner = Counter(support for support in supports if len(support) == 2)
    edges = {pair: number + 2 for pair, number in inner.items()}
    whole = _order(range(A.rank), edges)
    return [
        sum(whole // _order(walls, edges) for walls in combinations(range(A.rank), k))
        for k in range(A.rank + 1)
    ]


def _order(walls: Any, edges: Edges) -> int:
    """Number of elements of the group that the reflections at some walls generate."""
    left, order = set(walls), 1
    while left:
        component = {left.pop()}
        new = set(component)
        while new:
            new = {w for w in left if any(tuple(sorted((w, v))) in edges for v in new)}
            left -= new
            component |= new
        within = {pair: m for pair, m in edges.items() if component.issuperset(pair)}
        order *= _connected_order(len(component), within)
    return order


def _connected_order(n: int, edges: Edges) -> int:
    """Order of a finite Coxeter group whose diagram is connected, by the classification.

    Examples
    --------
    >>> _connected_order(3, {(0, 1): 3, (1, 2): 4}), _connected_order(2, {(0, 1): 7})
    (48, 14)
    """
    most = max(edges.values(), default=3)
    degrees = Counter(wall for pair in edges for wall in pair)
    if n == 2:
        return 2 * most
    if most == 5:
        return {3: 120, 4: 14400}[n]  # H3, H4
    if most == 4:
        (double,) = (pair for pair, m in edges.items() if m == 4)
        inside = all(degrees[wall] == 2 for wall in double)
        return 1152 if inside else 2**n * factorial(n)  # F4, B
    if max(degrees.values(), default=0) < 3:
        return factorial(n + 1)  # A
    branch = next(wall for wall, degree in degrees.items() if degree == 3)
    beside = {wall for pair in edges if branch in pair for wall in pair} - {branch}
    if sum(degrees[wall] == 1 for wall in beside) > 1:
        return 2 ** (n - 1) * factorial(n)  # D
    return {6: 51840, 7: 2903040, 8: 696729600}[n]  # E


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
