"""Arrangements of regular polygons and polytopes with irrational coordinates."""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.field_entries import twice_cosine
from arrangements.exact.number_field import NumberField
from arrangements.generators.blocks import check_memory
from arrangements.generators.catalogue import numbers_of, sporadic

Point = tuple[Any, ...]


def icosahedron() -> Arrangement:
    """Normals (1, v) for the 12 vertices v of a regular icosahedron.

    Returns
    -------
    Arrangement
        12 hyperplanes in R^4, over the field of the golden ratio.

    Examples
    --------
    >>> A = icosahedron()
    >>> A.normals[1].tolist(), len(A)
    ([1, 0, 1, -phi], 12)
    >>> planes = Arrangement(A.normals[:, 1:], A.normals[:, 0])     # of the faces of a dodecahedron
    >>> planes.count_chambers(), planes.count_bounded()
    (185, 63)
    """
    phi = _golden()
    return _lifted(_turned(_signed((0, 1, phi))))


def dodecahedron() -> Arrangement:
    """Normals (1, v) for the 20 vertices v of a regular dodecahedron.

    Returns
    -------
    Arrangement
        20 hyperplanes in R^4, over the field of the golden ratio.

    Examples
    --------
    >>> A = dodecahedron()
    >>> planes = Arrangement(A.normals[:, 1:], A.normals[:, 0])     # of the faces of an icosahedron
    >>> planes.count_chambers(), planes.count_bounded()             # the cells of its stellations
    (835, 473)
    """
    phi = _golden()
    return _lifted([*_signed((1, 1, 1)), *_turned(_signed((0, 1 / phi, phi)))])


def cell600() -> Arrangement:
    """Normals (1, v) for the 120 vertices v of a 600-cell.

    Returns
    -------
    Arrangement
        120 hyperplanes in R^5, over the field of the golden ratio.

    Examples
    --------
    >>> cell600(), Arrangement(cell600().normals[:, 1:]).simplify().arrangement.exponents()
    (Arrangement(120 hyperplanes in dimension 5, central), (1, 11, 19, 29))
    """
    phi = _golden()
    points = [*_every(_signed((2, 0, 0, 0))), *_signed((1, 1, 1, 1))]
    return _lifted([*points, *_even(_signed((phi, 1, 1 / phi, 0)))])


def cell120() -> Arrangement:
    """Normals (1, v) for the 600 vertices v of a 120-cell.

    Returns
    -------
    Arrangement
        600 hyperplanes in R^5, over the field of the golden ratio.

    Examples
    --------
    >>> cell120()
    Arrangement(600 hyperplanes in dimension 5, central)
    """
    phi = _golden()
    less, square, root = 1 / phi, phi * phi, 2 * phi - 1
    shapes = [
        (2, 2, 0, 0),
        (1, 1, 1, root),
        (1 / square, phi, phi, phi),
        (less, less, less, square),
    ]
    points = [point for shape in shapes for point in _every(_signed(shape))]
    shapes = [(0, 1 / square, 1, square), (0, less, phi, root), (less, 1, phi, 2)]
    return _lifted([*points, *(point for shape in shapes for point in _even(_signed(shape)))])


def polygon(m: int) -> Arrangement:
    """Lines of the sides of a regular polygon with m sides, up to a linear map.

    Parameters
    ----------
    m : int
        Number of sides, at least 3.

    Returns
    -------
    Arrangement
        m lines in the plane. The polygon is the chamber with all signs +; its vertices are the
        points ``(cos(a), sin(a) / sin(2 pi / m))`` with a = 2 pi k / m.

    Raises
    ------
    TooLargeError
        If answers over Q(cos(2 pi / m)) would not fit into the memory: from m of about 3000 on.

    Examples
    --------
    >>> [polygon(m).count_chambers() for m in (3, 4, 5, 6, 7)]
    [7, 9, 16, 19, 29]
    """
    points = _polygon_points(check_integer("m", m, 3))
    rows = [_line(p, q) for p, q in zip(points, [*points[1:], points[0]], strict=True)]
    return Arrangement([row[:2] for row in rows], [row[2] for row in rows])


def simplicial(n: int, k: int = 1) -> Arrangement:
    """Simplicial arrangement A(n, k) of lines, in the numbering of Grünbaum's catalogue.

    A(2m, 1) consists of the m sides of a regular polygon and its m axes, A(4m + 1, 1) of A(4m, 1)
    and the line at infinity. With the near-pencils A(n, 0), which are `near_pencil`, these are the
    infinite families. The others, of 7 to 37 lines, are those of Grünbaum's catalogue [1]_ and of
    its continuation [2]_, all that were known in 2022; up to 27 lines there are no more [3]_.

    Parameters
    ----------
    n : int
        Number of lines of the projective plane.
    k : int, optional
        Which of those with n lines: 1, 2, ...

    Returns
    -------
    Arrangement
        Central, n planes in R^3. Of the families: sides, axes, and the plane at infinity if n is
        odd. The others are in coordinates in which four of their lines are ``x``, ``y``, ``z`` and
        ``x + y + z``. All chambers are cones over triangles.

    Raises
    ------
    InputError
        If no A(n, k) is known; the message says which k are.

    Notes
    -----
    Entries are integers but for A(2m, 1) and A(4m + 1, 1), which are over the field of
    cos(2 pi / m), and 33 others: over the field of the golden ratio, of the square root of 2 or 3,
    of the real root rho of t^3 - 3t - 25, A(15, 5) and A(21, 7), or of degree 4, A(35, 1).

    References
    ----------
    .. [1] B. Grünbaum, A catalogue of simplicial arrangements in the real projective plane, Ars
       Math. Contemp. 2 (2009) 1-25.
    .. [2] M. Cuntz, S. Elia, J.-P. Labbé, Congruence normality of simplicial hyperplane
       arrangements via oriented matroids, Ann. Comb. 26 (2022) 1-85: realizations and invariants.
    .. [3] M. Cuntz, Simplicial arrangements with up to 27 lines, Discrete Comput. Geom. 48 (2012)
       682-701.

    Examples
    --------
    >>> [simplicial(n).count_chambers() for n in (6, 10, 13)], simplicial(10).is_simplicial()
    ([24, 60, 96], True)
    >>> A = simplicial(15, 1)                                 # type H3, here over Q(phi)
    >>> A.count_chambers(), A.is_simplicial(), A.exponents()
    (120, True, (1, 5, 9))
    """
    n, k = check_integer("n", n, 6), check_integer("k", k, 1)
    family = n % 2 == 0 or n % 4 == 1
    if k == 1 and family:
        return _sides_and_axes(n)
    found = sporadic(n, k)
    if found is None:
        known = [1] * family + sorted(numbers_of(n))
        which = f"k of {', '.join(map(str, known))}" if known else "another n"
        raise InputError(f"no simplicial A({n}, {k}) is known; expected {which}.")
    return found


def _sides_and_axes(n: int) -> Arrangement:
    """A(2m, 1), or A(4m + 1, 1)."""
    m = n // 2
    points = _polygon_points(m)
    following = [*points[1:], points[0]]
    sides = [_line(p, q) for p, q in zip(points, following, strict=True)]
    middles = [
        (p[0] + q[0], p[1] + q[1], p[2] + q[2]) for p, q in zip(points, following, strict=True)
    ]
    # m directions from the center, by angles of pi / m
    ends = [point for pair in zip(points, middles, strict=True) for point in pair][:m]
    axes = [_line((0, 0, 1), end) for end in ends]
    return Arrangement([*sides, *axes, *([(0, 0, 1)] if n % 2 else [])])


def near_pencil(n: int) -> Arrangement:
    """Near-pencil of n lines: all but one pass through a point.

    With the two families of `simplicial` these are the infinite families of simplicial
    arrangements of lines in the projective plane [1]_. It has n - 1 double points.

    Parameters
    ----------
    n : int
        At least 3.

    Returns
    -------
    Arrangement
        Central, in R^3: planes x + k y = 0 for k = 0, .., n - 2, and z = 0; 4 (n - 1) chambers.

    References
    ----------
    .. [1] B. Grünbaum, Ars Math. Contemp. 2 (2009) 1-25.

    Examples
    --------
    >>> near_pencil(5).count_chambers(), near_pencil(5).is_simplicial()
    (16, True)
    """
    n = check_integer("n", n, 3)
    check_memory(n, 3)
    return Arrangement([*([1, k, 0] for k in range(n - 1)), [0, 0, 1]])


def _polygon_points(m: int) -> list[Point]:
    """Homogeneous coordinates (x, y, 1) of the vertices: see `polygon`."""
    twice = twice_cosine(m)
    points: list[Point] = [(1, 0, 1), (twice / 2, 1, 1)]
    for _ in range(m - 2):
        # of an angle more: cosines and sines satisfy the same recursion
        (a, b, _), (c, d, _) = points[-2:]
        points.append((twice * c - a, twice * d - b, 1))
    return points


def _line(p: Point, q: Point) -> Point:
    """The line through two points, with the center of the polygon on its positive side."""
    return (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])


def _golden() -> Any:
    return NumberField([-1, -1, 1], (1, 2), "phi").generator


def _lifted(points: list[Point]) -> Arrangement:
    return Arrangement([(1, *point) for point in points])


def _signed(point: Point) -> list[Point]:
    """The points with all signs of the coordinates."""
    signs = [(1, -1) if x else (1,) for x in point]
    return [tuple(s * x for s, x in zip(chosen, point, strict=True)) for chosen in product(*signs)]


def _turned(points: list[Point]) -> list[Point]:
    """Cyclic permutations of the coordinates."""
    return [point[k:] + point[:k] for k in range(3) for point in points]


def _every(points: list[Point]) -> list[Point]:
    """All permutations of the coordinates, each point once."""
    return list(dict.fromkeys(image for point in points for image in permutations(point)))


def _even(points: list[Point]) -> Iterator[Point]:
    """Even permutations of the coordinates."""
    for order in permutations(range(4)):
        if sum(order[i] > order[j] for i in range(4) for j in range(i + 1, 4)) % 2 == 0:
            yield from (tuple(point[k] for k in order) for point in points)
