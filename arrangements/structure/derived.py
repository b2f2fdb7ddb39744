"""New arrangements from old: deletion, restriction, localization, simplify, product, union.

Rows keep the caller's order and orientation, labels go with their rows, and every result says
exactly which rows and points of the original its own stand for.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import align_columns, column_names
from arrangements.core.questions import coerce_with_zero_rows, unify_fields_with
from arrangements.core.row_choice import RowAddresses
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers
from arrangements.exact.numbers import ExactArray
from arrangements.structure.coordinates import chosen_labels, flat, of_rows, row_indices, traces
from arrangements.structure.result import NO_ROW, AffineMap, Derived


def deletion(
    W: ArrangementLike, rows: RowAddresses, *, offsets: ArrayLike | None = None
) -> Derived:
    """Arrangement without some of its hyperplanes.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    rows : int or str, array_like of them, (n,) array_like of bool, or Hyperplane
        Which rows to leave out, by number or label, also rows of zeros; negative numbers count from
        the end. Rows that repeat the same hyperplane stay unless named. An equation, a `Hyperplane`
        or a pair of normal and offset, names all rows that are this hyperplane.
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        The remaining rows, in the same space. They do not determine the signs of the rows left out.

    See Also
    --------
    restriction, localization

    Notes
    -----
    The numbers of chambers satisfy ``r(A) = r(deletion) + r(restriction)`` if the hyperplane occurs
    once [1]_.

    References
    ----------
    .. [1] T. Zaslavsky, Facing up to Arrangements, Mem. Amer. Math. Soc. 154, 1975.

    Examples
    --------
    >>> D = deletion([[1, 0], [0, 1], [1, 1]], 1)
    >>> D.arrangement.normals.tolist(), D.rows
    ([[1, 0], [1, 1]], (0, 2))
    >>> deletion([[1, 0], [0, 1], [-2, 0]], ([1, 0], 0)).rows
    (1,)
    """
    A = coerce_with_zero_rows(W, offsets)
    left_out = set(row_indices(rows, A))
    kept = [i for i in range(A.n_hyperplanes) if i not in left_out]
    if type(A) is not Arrangement and not all(any(A.integer_rows[i]) for i in kept):
        A = Arrangement.coerce(A)  # which names the zero row that stays
    return _select(A, kept)


def restriction(
    W: ArrangementLike, rows: RowAddresses, *, offsets: ArrayLike | None = None
) -> Derived:
    """Trace of an arrangement on one of its hyperplanes, or on a flat.

    (The flat's contraction in the language of matroids.)

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    rows : int or str, array_like of them, (n,) array_like of bool, or Hyperplane
        Hyperplanes whose intersection is the flat; negative numbers count from the end. No
        rows mean the whole space.
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        The arrangement in R^k, where k is the dimension of the flat. The equations of the flat are
        solved for the first coordinates of x possible; the free coordinates are those of the flat,
        and ``to_original`` is its parametrization. Every row keeps its values on the flat, hence
        its orientation. Rows that contain the flat are left out. A hyperplane parallel to the flat
        becomes a loop: zero normal, constant sign. Hyperplanes that meet the flat in the same
        subspace become repeated rows, which `simplify` removes. Counts, flats, polynomials and
        `is_free` are about the set of hyperplanes: for them a repeated row counts once.

    Raises
    ------
    InputError
        If the hyperplanes have no point in common, or there is no such row.

    See Also
    --------
    deletion, localization, simplify

    Notes
    -----
    Exact: a row reduction of the equations, then O(n (d - k) k) operations with fractions. The
    faces of the arrangement inside the flat are those of the restriction.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, chapter 1.

    Examples
    --------
    >>> R = restriction([[1, 0, 1], [0, 1, 0], [1, 1, 0], [2, 0, 2]], 0)
    >>> R.arrangement.normals.tolist(), R.rows
    ([[1, 0], [1, -1]], (1, 2))
    >>> R.to_original([5, 7])
    (Fraction(-7, 1), Fraction(5, 1), Fraction(7, 1))
    """
    A = coerce_with_zero_rows(W, offsets)
    maps = flat(A, row_indices(rows, A))
    return traces(A, range(A.n_hyperplanes), *maps)


def localization(
    W: ArrangementLike,
    rows: RowAddresses | None = None,
    *,
    offsets: ArrayLike | None = None,
    point: ArrayLike | None = None,
) -> Derived:
    """Hyperplanes that contain a flat, or that pass through a point.

    (The restriction to the flat in the language of matroids.)

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    rows : int or str, array_like of them, (n,) array_like of bool, or Hyperplane
        Hyperplanes whose intersection is the flat; negative numbers count from the end. No
        rows mean the whole space, which no hyperplane contains.
    offsets : (n,) array_like, optional
        Default zeros.
    point : (d,) array_like, instead of `rows`

    Returns
    -------
    Derived
        The hyperplanes in the same space, with their offsets. Its chambers are the sign vectors, on
        these rows, of the chambers around the flat, and ``restore`` gives their signs on all rows.
        (If the flat is more than a point, every other row must have one sign on it.)

    Raises
    ------
    InputError
        If not exactly one of `rows` and `point` is given, the hyperplanes have no point in
        common, or there is no such row.

    See Also
    --------
    restriction, essentialization

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, chapter 1.

    Examples
    --------
    >>> W, b = [[1, 0], [0, 1], [1, 1], [1, -1]], [0, 0, 0, -1]
    >>> localization(W, [0, 1], offsets=b).rows
    (0, 1, 2)
    >>> localization(W, offsets=b, point=[0.5, -0.5]).rows
    (2, 3)
    """
    A = Arrangement.coerce(W, offsets)
    if (rows is None) == (point is None):
        raise InputError("localization needs either rows or point=; give exactly one of them.")
    everything = range(A.n_hyperplanes)
    if point is not None:
        point = align_columns(point, column_names(A), "point", "columns of W")
        A, x = unify_fields_with(A, coercion.as_exact_vector(point, A.dimension, "point"))
        nowhere = np.zeros((A.dimension, 0), np.int64)
        maps = AffineMap(nowhere, x), AffineMap(nowhere.T, np.zeros(0, np.int64))
    else:
        maps = flat(A, row_indices(rows, A))
    trace = traces(A, everything, *maps)
    around = trace.arrangement
    constant = {trace.rows[k]: 1 if around.integer_rows[k][-1] > 0 else -1 for k in around.loops}
    return _select(A, [i for i in everything if trace.orientation[i] == 0], constant)


def simplify(W: ArrangementLike, offsets: ArrayLike | None = None) -> Derived:
    """Leave out loops, zero rows and repeated hyperplanes; remember what each row became.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    Derived
        One row per hyperplane, the first of the equal ones, as given. The chambers correspond to
        those of the original: ``restore(signs)`` gives the original sign vectors.

    See Also
    --------
    Arrangement.coincident_classes : the same without a new arrangement.

    Notes
    -----
    Exact, O(n d). Rows are equal hyperplanes if they and their offsets are proportional;
    parallel hyperplanes of an affine arrangement are different.

    A row of zeros with offset zero vanishes everywhere: ``restore`` gives it the sign 0.

    Examples
    --------
    >>> S = simplify([[1, 0], [0, 1], [-2, 0], [0, 0]], [1, 0, -2, 5])
    >>> S.arrangement.normals.tolist(), S.rows
    ([[1, 0], [0, 1]], (0, 1))
    >>> S.position, S.orientation
    ((0, 1, 0, -1), (1, 1, -1, 1))
    >>> simplify([[1, 0], [0, 0]]).restore([[1], [-1]]).tolist()
    [[1, 0], [-1, 0]]
    """
    A = coerce_with_zero_rows(W, offsets)
    position = [NO_ROW] * A.n_hyperplanes
    orientation = [0] * A.n_hyperplanes
    for k, members in enumerate(A.coincident_classes):
        for i in members:
            position[i] = k
            # Primitive integer rows of one hyperplane are equal or opposite.
            orientation[i] = 1 if A.integer_rows[i] == A.integer_rows[members[0]] else -1
    for i in A.loops:
        orientation[i] = 1 if A.integer_rows[i][-1] > 0 else -1
    simple = _select(A, [members[0] for members in A.coincident_classes])
    return replace(simple, position=tuple(position), orientation=tuple(orientation))


def product(*arrangements: ArrangementLike) -> Derived:
    """Product of arrangements: each in coordinates of its own.

    Parameters
    ----------
    *arrangements : (n_i, d_i) array_like or Arrangement
        At least one.

    Returns
    -------
    Derived
        All rows, block by block, in dimension ``d_1 + d_2 + ..``; zeros outside the
        coordinates of their block. Its sign vectors are the concatenations of those of the
        factors, so their numbers multiply. Labels are kept if all factors have some.

    See Also
    --------
    union : in the same coordinates.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, chapter 2.

    Examples
    --------
    >>> product([[1, -1]], [[3]]).arrangement.normals.tolist()
    [[1, -1, 0], [0, 0, 3]]
    """
    factors = _coerce(arrangements, "product")
    blocks = _unify_dtypes([A.normals for A in factors])
    normals = np.zeros((sum(map(len, blocks)), sum(b.shape[1] for b in blocks)), blocks[0].dtype)
    row = column = 0
    for block in blocks:
        normals[row : row + len(block), column : column + block.shape[1]] = block
        row, column = row + len(block), column + block.shape[1]
    return _join(normals, factors)


def union(*arrangements: ArrangementLike) -> Derived:
    """All hyperplanes of several arrangements in the same space.

    Parameters
    ----------
    *arrangements : (n_i, d) array_like or Arrangement
        At least one.

    Returns
    -------
    Derived
        The rows one after the other. Repeated hyperplanes stay; `simplify` removes them. Labels are
        kept if all arrangements have some.

    Raises
    ------
    InputError
        If the dimensions differ.

    See Also
    --------
    product : in different coordinates.

    Examples
    --------
    >>> union([[1, 0], [0, 1]], Arrangement([[1, 1]], [-1])).arrangement.offsets.tolist()
    [0, 0, -1]
    """
    columns = next(filter(None, map(column_names, arrangements)), None)
    name = "an arrangement"
    alike = [align_columns(A, columns, name, "coordinates") for A in arrangements]
    parts = _coerce(tuple(alike), "union")
    dimensions = sorted({A.dimension for A in parts})
    if len(dimensions) > 1:
        raise InputError(f"the dimensions {dimensions} differ; expected arrangements in one space.")
    normals = np.concatenate(_unify_dtypes([A.normals for A in parts]))
    return _join(normals, parts)


def _select(A: Arrangement, rows: list[int], constant: Mapping[int, int] | None = None) -> Derived:
    """Some rows of an arrangement in the same space, and the known signs of the others."""
    offsets = None if A.offsets is None else A.offsets[rows]
    chosen = Arrangement(A.normals[rows], offsets, chosen_labels(A, rows))
    return of_rows(chosen, rows, A.n_hyperplanes, constant=constant)


def _join(normals: ExactArray, parts: list[Arrangement]) -> Derived:
    """Rows of several arrangements, one after the other."""
    offsets, labels = None, None
    if any(A.offsets is not None for A in parts):
        zeros = [np.zeros(len(A), np.int64) if A.offsets is None else A.offsets for A in parts]
        offsets = np.concatenate(_unify_dtypes(zeros))
    if all(A.labels is not None for A in parts):
        labels = [label for A in parts for label in A.labels or ()]
    joined = Arrangement(normals, offsets, labels)
    return of_rows(joined, range(len(joined)), len(joined))


def _coerce(arrangements: tuple[ArrangementLike, ...], name: str) -> list[Arrangement]:
    if not arrangements:
        raise InputError(f"{name}() was given no arrangement; expected at least one.")
    return [Arrangement.coerce(A) for A in arrangements]


def _unify_dtypes(arrays: list[ExactArray]) -> list[ExactArray]:
    """The arrays with one dtype that holds all of them exactly."""
    if len({array.dtype for array in arrays}) == 1:
        return arrays
    # int64 and float64 together would be rounded
    return [numbers.as_objects(array) for array in arrays]
