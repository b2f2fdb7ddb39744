"""The same arrangement in other coordinates, and its exact traces on affine subspaces."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.hyperplane import Equation
from arrangements.core.labels import Label
from arrangements.core.questions import as_arrangement, unify_fields_with
from arrangements.core.row_choice import parse_rows
from arrangements.errors import InputError
from arrangements.exact import coercion, linear, numbers
from arrangements.exact.numbers import ExactArray, append_column
from arrangements.messages import quote
from arrangements.structure.result import NO_ROW, AffineMap, Derived


def cone(W: ArrangementLike, offsets: ArrayLike | None = None) -> Derived:
    """Cone over an arrangement: homogeneous rows, and the hyperplane at infinity.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        Central, n + 1 hyperplanes in dimension d + 1: the rows ``(w_i, b_i)`` in order, then
        ``(0, .., 0, 1)``, labeled "infinity" if the rows have labels. Its chambers with + on
        the last row are those of the arrangement; the others are their negatives. The point x
        becomes (x, 1), so ``to_original`` is for points whose last coordinate is 1.

    See Also
    --------
    decone : the inverse.

    Notes
    -----
    Exact, O(n d). A loop (zero normal) becomes parallel to the hyperplane at infinity.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, chapter 1.

    Examples
    --------
    >>> C = cone([[1], [1]], [0, -2])
    >>> C.arrangement.normals.tolist(), C.rows
    ([[1, 0], [1, -2], [0, 1]], (0, 1, -1))
    >>> C.restore([[1, -1, 1]]).tolist(), C.from_original([5])
    ([[1, -1]], (Fraction(5, 1), Fraction(1, 1)))
    """
    A = Arrangement.coerce(W, offsets)
    n, d = A.normals.shape
    rows = append_column(A.normals, A.offsets)
    infinity = np.zeros((1, d + 1), dtype=rows.dtype)
    infinity[0, -1] = 1
    labels = None if A.labels is None else (*A.labels, "infinity")
    return Derived(
        Arrangement(np.concatenate([rows, infinity]), labels=labels),
        (*range(n), NO_ROW),
        tuple(range(n)),
        (1,) * n,
        AffineMap(np.eye(d, d + 1, dtype=np.int64), np.zeros(d, np.int64)),
        AffineMap(np.eye(d + 1, d, dtype=np.int64), infinity[0]),
    )


def decone(
    W: ArrangementLike, row: Label | Equation | None = None, *, offsets: ArrayLike | None = None
) -> Derived:
    """Dehomogenize a central arrangement: one of its hyperplanes is moved to infinity.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
        Central, with at least one hyperplane.
    row : int, str or Hyperplane, optional
        Which hyperplane, a row, a label or an equation that one row has; negative numbers count
        from the end. Default the last.
    offsets : (n,) array_like, optional
        Must be zero.

    Returns
    -------
    Derived
        The other rows on the affine hyperplane ``w_row . x = 1``, identified with R^(d-1) by
        all coordinates of x except the first one where w_row is not zero. Its chambers are those of
        the arrangement with + on `row`. A hyperplane parallel to `row` becomes a loop: zero normal,
        constant sign.

    Raises
    ------
    InputError
        If the arrangement is affine, or there is no such row.

    See Also
    --------
    cone : the inverse; ``decone(cone(A).arrangement).arrangement == A`` when A has
        offsets.

    Notes
    -----
    Exact, O(n d) operations with fractions.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, chapter 1.

    Examples
    --------
    >>> D = decone([[1, 0], [1, -2], [0, 2]])
    >>> D.arrangement.normals.tolist(), D.arrangement.offsets.tolist(), D.rows
    ([[1], [1]], [0, -1], (0, 1))
    >>> D.to_original([7])
    (Fraction(7, 1), Fraction(1, 2))
    """
    A = Arrangement.coerce(W, offsets)
    if not A.is_central:
        raise InputError("decone needs a central arrangement; this one has offsets.")
    n = A.n_hyperplanes
    if not n:
        raise InputError(
            "decone needs a hyperplane to move to infinity; this arrangement has none."
        )
    chosen = [n - 1] if row is None else row_indices(row, A, "row")
    if len(chosen) != 1:
        raise InputError(f"row is {quote(row)}; expected one row or label.")
    infinite = chosen[0]
    parametrized = _subspace([[*numbers.fractions(A.normals[infinite]), -1]], A.dimension)
    assert parametrized is not None
    others = [i for i in range(n) if i != infinite]
    return traces(A, others, *parametrized, constant={infinite: 1})


def essentialization(W: ArrangementLike, offsets: ArrayLike | None = None) -> Derived:
    """Arrangement in the quotient by its lineality space: normals of full column rank.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        The same rows, restricted to the first r independent columns, where r is the rank. Entries
        and sign vectors stay the same. ``to_original`` puts zeros into the other coordinates; the
        kernel of ``from_original`` consists of the translations that change no row. Without
        hyperplanes r = 0.

    Notes
    -----
    Exact; one row reduction of r rows.

    References
    ----------
    .. [1] R. P. Stanley, An introduction to hyperplane arrangements, IAS/Park City 2007, lecture 1.

    Examples
    --------
    >>> E = essentialization([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    >>> E.arrangement.normals.tolist()
    [[1, -1], [1, 0], [0, 1]]
    >>> E.from_original([5, 6, 7]), E.to_original([-2, -1])
    ((Fraction(-2, 1), Fraction(-1, 1)), (Fraction(-2, 1), Fraction(-1, 1), Fraction(0, 1)))
    """
    A = Arrangement.coerce(W, offsets)
    d = A.dimension
    normals = [row[:-1] for row in A.integer_rows]
    reduced, pivots = linear.reduced_rows([normals[i] for i in linear.row_basis(normals)], d)
    kept = list(pivots)
    embedding = np.zeros((d, len(kept)), np.int64)
    embedding[kept, range(len(kept))] = 1
    return of_rows(
        Arrangement(A.normals[:, kept], A.offsets, A.labels),
        range(A.n_hyperplanes),
        A.n_hyperplanes,
        AffineMap(embedding, np.zeros(d, np.int64)),
        AffineMap(_matrix(reduced, d), np.zeros(len(kept), np.int64)),
    )


def change_of_basis(
    W: ArrangementLike,
    matrix: ArrayLike,
    translation: ArrayLike | None = None,
    *,
    offsets: ArrayLike | None = None,
) -> Derived:
    """Arrangement in coordinates y with ``x = matrix @ y + translation``.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    matrix : (d, d) array_like of int, float or Fraction
        Invertible.
    translation : (d,) array_like, optional
        Default zeros.
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        Normals ``W @ matrix`` and offsets ``W @ translation + offsets``, exactly: the sign
        vectors are the same.

    Raises
    ------
    InputError
        If `matrix` is singular or has another shape.

    Notes
    -----
    Exact, O(n d^2) operations with fractions.

    Examples
    --------
    >>> B = change_of_basis([[1, 1], [1, -1]], [[1, 1], [0, 2]], [3, 0])
    >>> B.arrangement.normals.tolist(), B.arrangement.offsets.tolist()
    ([[1, 3], [1, -1]], [3, 3])
    >>> B.from_original([4, 4])
    (Fraction(-1, 1), Fraction(2, 1))
    """
    A = Arrangement.coerce(W, offsets)
    d = A.dimension
    M = coercion.as_exact_matrix(matrix, "matrix", allow_no_rows=True, allow_no_columns=True)
    if M.shape != (d, d):
        raise InputError(f"matrix has shape {M.shape}; expected ({d}, {d}).")
    t = coercion.as_exact_vector(
        np.zeros(d) if translation is None else translation, d, "translation"
    )
    A, M, t = unify_fields_with(A, M, t)
    inverse = linear.inverse(numbers.as_objects(M).tolist())
    if inverse is None:
        raise InputError("matrix is singular; expected independent columns.")
    back = AffineMap(_matrix(inverse, d), np.zeros(d, np.int64))
    origin = back([-s for s in numbers.fractions(t)])
    everything = list(range(A.n_hyperplanes))
    return traces(A, everything, AffineMap(M, t), AffineMap(back.matrix, _vector(origin)))


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


# ------------------------------------------------------------------ for this package


def row_indices(rows: object, A: Arrangement, name: str = "rows") -> list[int]:
    """Ascending indices of the rows meant; see `parse_rows`."""
    return sorted(set(parse_rows(A, rows, name)))


def flat(A: Arrangement, rows: Sequence[int]) -> tuple[AffineMap, AffineMap]:
    """Parametrization of the intersection of the given hyperplanes, and its inverse there.

    The parameters are the coordinates of x that the equations leave free.
    """
    parametrized = _subspace([A.integer_rows[i] for i in rows], A.dimension)
    if parametrized is None:
        raise InputError(
            f"the hyperplanes {tuple(rows)} have no point in common; expected those of a flat."
        )
    return parametrized


def traces(
    A: Arrangement,
    rows: Sequence[int],
    embedding: AffineMap,
    projection: AffineMap,
    constant: Mapping[int, int] | None = None,
) -> Derived:
    """The given rows as functions of y, x = embedding(y); those that vanish are left out.

    constant : signs of the other rows at these points, where they have one
    """
    chosen = list(rows)
    normals = numbers.as_objects(A.normals[chosen])
    shift = numbers.as_objects(embedding.shift)
    columns = np.column_stack([numbers.as_objects(embedding.matrix), shift])
    values = _matrix(linear.matrix_product(normals.tolist(), columns.tolist()), columns.shape[1])
    slopes, constants = values[:, :-1], values[:, -1]
    if A.offsets is not None:
        constants = constants + numbers.as_objects(A.offsets[chosen])
    present = slopes.any(axis=1) | (constants != 0)
    kept = [i for i, stays in zip(chosen, present, strict=True) if stays]
    central = A.offsets is None and not shift.any()
    arrangement = Arrangement(
        slopes[present], None if central else constants[present], chosen_labels(A, kept)
    )
    signs = dict.fromkeys((i for i, stays in zip(chosen, present, strict=True) if not stays), 0)
    signs.update(constant or {})
    return of_rows(arrangement, kept, A.n_hyperplanes, embedding, projection, signs)


def of_rows(
    arrangement: Arrangement,
    rows: Sequence[int],
    n: int,
    to_original: AffineMap | None = None,
    from_original: AffineMap | None = None,
    constant: Mapping[int, int] | None = None,
) -> Derived:
    """Some of n rows, as they are or in other coordinates, and the signs of those left out."""
    position = dict(zip(rows, range(len(rows)), strict=True))
    signs = dict(constant or {}) | dict.fromkeys(rows, 1)
    same = AffineMap.identity(arrangement.dimension)
    return Derived(
        arrangement,
        tuple(rows),
        tuple(position.get(i, NO_ROW) for i in range(n)),
        tuple(signs.get(i) for i in range(n)),
        to_original or same,
        from_original or same,
    )


def chosen_labels(A: Arrangement, rows: Sequence[int]) -> tuple[Label, ...] | None:
    """Labels of the given rows."""
    return None if A.labels is None else tuple(A.labels[i] for i in rows)


def _subspace(
    equations: Sequence[Sequence[int | Fraction]], d: int
) -> tuple[AffineMap, AffineMap] | None:
    """Solutions x of ``equation[:d] . x + equation[d] == 0``; None if there are none."""
    reduced, pivots = linear.reduced_rows(equations, d + 1)
    if d in pivots:
        return None
    free = [j for j in range(d) if j not in pivots]
    matrix = np.zeros((d, len(free)), dtype=object)
    shift = np.zeros(d, dtype=object)
    projection = np.zeros((len(free), d), np.int64)
    for k, j in enumerate(free):
        matrix[j, k] = projection[k, j] = 1
    for row, pivot in zip(reduced, pivots, strict=True):
        matrix[pivot] = [-row[j] for j in free]
        shift[pivot] = -row[d]
    back = AffineMap(projection, np.zeros(len(free), np.int64))
    return AffineMap(_matrix(matrix.tolist(), len(free)), _vector(shift.tolist())), back


def _matrix(rows: Sequence[Sequence[int | Fraction]], columns: int) -> ExactArray:
    """Exact array of the given rows; `columns` is its width if there are none."""
    table = np.zeros((len(rows), columns), dtype=object)
    for target, row in zip(table, rows, strict=True):
        target[:] = row
    return coercion.as_exact_matrix(table, allow_no_rows=True, allow_no_columns=True)


def _vector(entries: Sequence[int | Fraction]) -> ExactArray:
    return coercion.as_exact_vector(np.array([*entries], dtype=object), len(entries))
