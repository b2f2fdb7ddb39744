"""Facet arrangements of polytopes: the hyperplanes of their facets."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.questions import coerce_with_zero_rows
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.linear import column_basis, inverse, rank, row_basis
from arrangements.exact.numbers import integer_rows, primitive
from arrangements.messages import quote

Row = list[int]


def facet_arrangement(
    vertices: ArrayLike | None = None, *, inequalities: tuple[ArrayLike, ArrayLike] | None = None
) -> Arrangement:
    """Facet arrangement of a polytope: one hyperplane through each of its facets.

    Parameters
    ----------
    vertices : (m, d) array_like of int, float or Fraction, optional
        Points whose convex hull is the polytope, at least d + 1 that do not lie in one hyperplane.
        Those that are no vertices do not matter.
    inequalities : (A, c), optional
        Instead of vertices, the polyhedron ``A x <= c``, with A (m, d) and c (m,); it may be
        unbounded, but must have interior points. Inequalities that do not cut out a facet do not
        matter.

    Returns
    -------
    Arrangement
        The polytope is the chamber with all signs +. The rows are primitive integers: of vertices
        in lexicographic order, of inequalities in the order given (of equal ones the first).

    Raises
    ------
    InputError
        If not one of both is given, or the polytope has no interior points.

    Notes
    -----
    Exact, by the double description method [1]_, in Python integers: for some hundred facets and
    vertices.

    References
    ----------
    .. [1] K. Fukuda, A. Prodon, Lecture Notes in Comput. Sci. 1120 (1996) 91-111.

    Examples
    --------
    >>> A = facet_arrangement([[0, 0], [1, 0], [0, 1]])
    >>> A.normals.tolist(), A.offsets.tolist(), A.count_chambers()
    ([[-1, -1], [0, 1], [1, 0]], [1, 0, 0], 7)
    >>> B = facet_arrangement(inequalities=([[1, 1], [-1, 0], [0, -1], [1, 0]], [1, 0, 0, 5]))
    >>> B.same_hyperplanes(A)
    True
    """
    if (vertices is None) == (inequalities is None):
        raise InputError("expected either vertices or inequalities=(A, c).")
    if inequalities is None:
        return _of_vertices(vertices)
    return _of_inequalities(inequalities)


def _arrangement(rows: list[Row], dimension: int) -> Arrangement:
    table = np.array(rows, dtype=object).reshape(len(rows), dimension + 1)
    return Arrangement(table[:, :-1], table[:, -1])


def _of_vertices(vertices: Any) -> Arrangement:
    """Rows (a, b) with a v + b >= 0 at all points, those of facets."""
    points = as_exact_matrix(vertices, "vertices")
    lifted = [list(row) for row in Arrangement(points, [1] * len(points)).integer_rows]
    if rank(lifted) < len(lifted[0]):
        raise InputError(
            f"the {len(points)} vertices lie in a hyperplane; expected points that span R^"
            f"{points.shape[1]}. Drop coordinates that follow from the others."
        )
    return _arrangement(sorted(ray for ray, _ in extreme_rays(lifted)), points.shape[1])


def _of_inequalities(inequalities: Any) -> Arrangement:
    """Rows (-a, c) of the inequalities that cut out facets."""
    try:
        left, right = inequalities
    except Exception as error:  # whatever the value raises
        raise InputError(
            f"inequalities is {quote(inequalities)}; expected a pair (A, c)."
        ) from error
    matrix = as_exact_matrix(left, "A")
    bounds = as_exact_vector(right, len(matrix), "c")
    integer_rows = coerce_with_zero_rows(matrix, bounds).integer_rows
    rows = [[*(-entry for entry in row[:-1]), row[-1]] for row in integer_rows]
    infinity = [0] * matrix.shape[1] + [1]
    cone = [*rows, infinity]
    columns = column_basis(cone)  # modulo the lines in the cone
    rays = extreme_rays([[row[j] for j in columns] for row in cone])
    always = (1 << len(cone)) - 1
    for _, tight in rays:
        always &= tight
    if not rays or any(any(row) and always >> i & 1 for i, row in enumerate(cone)):
        raise InputError("the inequalities have no interior point; expected one with A x < c.")
    on = [[ray for ray, tight in rays if tight >> i & 1] for i in range(len(rows))]
    facets = [
        row
        for row, found in zip(rows, on, strict=True)
        if any(row[:-1]) and rank(found) == len(columns) - 1
    ]
    distinct = [list(row) for row in dict.fromkeys(map(tuple, facets))]
    return _arrangement(distinct, matrix.shape[1])


def extreme_rays(rows: list[Row]) -> list[tuple[Row, int]]:
    """Extreme rays of the cone ``rows @ y >= 0``, with a mask of the rows that vanish on each.

    The rows have full column rank, so the cone has no lines. Rays are primitive.

    Examples
    --------
    >>> extreme_rays([[1, 0], [0, 1], [1, 1]])
    [([1, 0], 2), ([0, 1], 1)]
    """
    basis = row_basis(rows)
    columns = zip(*(inverse([rows[i] for i in basis]) or []), strict=True)
    found = [integer_rows(np.array([column], dtype=object))[0] for column in columns]
    whole = sum(1 << i for i in basis)
    rays = [(ray, whole & ~(1 << i)) for ray, i in zip(found, basis, strict=True)]
    for i in sorted(set(range(len(rows))) - set(basis)):
        rays = _cut(rays, rows[i], 1 << i)
    return rays


def _cut(rays: list[tuple[Row, int]], row: Row, bit: int) -> list[tuple[Row, int]]:
    """Rays of the part of the cone where one more row is not negative."""
    values = [sum(a * y for a, y in zip(row, ray, strict=True)) for ray, _ in rays]
    kept = [
        (ray, tight | (bit if not value else 0))
        for (ray, tight), value in zip(rays, values, strict=True)
        if value >= 0
    ]
    for (ray, tight), value in zip(rays, values, strict=True):
        for (other, also), below in zip(rays, values, strict=True):
            # two rays span a face of dimension 2 if no third one lies in the face of both
            if value > 0 > below and _adjacent(tight & also, rays):
                new = [value * b - below * a for a, b in zip(ray, other, strict=True)]
                kept.append((list(primitive(new)), tight & also | bit))
    return kept


def _adjacent(common: int, rays: list[tuple[Row, int]]) -> bool:
    """Whether only two rays vanish on all rows of a mask."""
    return sum(tight & common == common for _, tight in rays) == 2
