"""Sets of labels as callers write them: names, row numbers, or masks of 0 and 1.

One rule holds wherever sets of labels are taken (docs/words.md). Booleans are a mask, and so are
floats 0.0 and 1.0, sparse matrices, and DataFrames whose columns are the labels. Integers 0 and 1
for n >= 3 labels are a mask too: as row numbers, each set would repeat one. All other integers are
row numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import as_list
from arrangements.core.labels import Label, find_rows, is_series, matching_order
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import by_columns, is_frame, plain_array, refuse_masked
from arrangements.messages import quote

Labels = tuple[Label, ...] | None
Rows = NDArray[np.int64]

# For fewer labels, integers 0 and 1 may be distinct row numbers.
_LEAST = 3
# What arrays and tensors have, and lists do not.
_ARRAYS = ("__array__", "__dlpack__", "detach")


def read_label_sets(
    label_sets: Any,
    labels: Labels,
    n: int,
    name: str,
    *,
    least: int = 0,
    ordered: bool = False,
    places: Sequence[str] | None = None,
) -> list[list[int]] | Rows:
    """Rows of many sets of labels, all rows of a set distinct.

    Parameters
    ----------
    label_sets : iterable of collections of labels, (m, k) array of row numbers, or (m, n) mask
    labels : tuple of int or str, optional
        Those of the n rows.
    n : int
    name : str
        Name of the argument in messages.
    least : int
        Fewest labels of a set.
    ordered : bool
        Refuse masks, since the order of the labels counts.
    places : sequence of str, optional
        Names of the sets in messages, if `label_sets` is a list.

    Returns
    -------
    list of list of int, or (m, k) ndarray of int64
        An array if row numbers were given as one.

    Examples
    --------
    >>> read_label_sets([["b"], [2, 0]], ("a", "b", "c"), 3, "sets")
    [[1], [2, 0]]
    >>> read_label_sets([[1, 1, 1], [0, 0, 0], [1, 0, 0]], None, 3, "sets")
    [[0, 1, 2], [], [0]]
    >>> read_label_sets(np.array([[True, False]]), None, 2, "sets")
    [[0]]
    """
    refuse_masked(label_sets, name)
    sparse = hasattr(label_sets, "tocsr")
    table = None if sparse else _as_table(label_sets, labels, name)
    if sparse:
        sets: list[list[int]] | Rows = rows_of_sparse(label_sets, n, name)
        is_mask = True
    elif table is not None:
        sets, is_mask = _sets_of_table(table, labels, n, name)
    elif isinstance(label_sets, (str, Mapping)) or not isinstance(label_sets, Iterable):
        raise InputTypeError(f"{name} is {quote(label_sets)}; expected collections of labels.")
    else:
        items = as_list(name, label_sets)
        places = places or [f"{name}[{i}]" for i in range(len(items))]
        sets, is_mask = _sets_of_items(items, labels, n, name, places)
    if is_mask and ordered:
        raise InputError(
            f"{name} is a mask, which has no order; expected row numbers or names, the best first."
        )
    for i, one in enumerate(sets if least else ()):
        if len(one) < least:
            raise InputError(f"{name}[{i}] is empty; expected at least one label.")
    return sets


def read_label_set(label_set: Any, labels: Labels, n: int, name: str) -> list[int]:
    """Distinct rows of one set: a label, a collection of labels, or a mask of n entries.

    Examples
    --------
    >>> read_label_set([1, 0, 1], None, 3, "tied"), read_label_set([2, 0], None, 3, "tied")
    ([0, 2], [2, 0])
    """
    refuse_masked(label_set, name)
    return _sets_of_items([label_set], labels, n, name, [name])[0][0]


def rows_of_mask(mask: NDArray[Any]) -> list[list[int]]:
    """Columns in which each row of an (m, n) mask is not 0.

    Examples
    --------
    >>> rows_of_mask(np.array([[1, 0, 1], [0, 0, 0]]))
    [[0, 2], []]
    """
    rows, columns = np.nonzero(mask)
    stops = np.searchsorted(rows, np.arange(1, len(mask))).tolist()
    return [part.tolist() for part in np.split(columns, stops)] if len(mask) else []


def rows_of_sparse(matrix: Any, n: int, name: str, off: Sequence[int] = (0,)) -> list[list[int]]:
    """Columns in which each row of a sparse matrix is 1; other entries must be in `off`.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> rows_of_sparse(csr_array([[0, 1, 1], [0, 0, 0]]), 3, "sets")
    [[1, 2], []]
    """
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise _wrong_shape(matrix.shape, n, name)
    rows = matrix.tocsr(copy=True)
    rows.sum_duplicates()
    odd = ~np.isin(rows.data, (*off, 1))
    if odd.any():
        raise InputError(f"{name} has an entry {rows.data[odd][0]}; expected a mask of 0 and 1.")
    rows.data = rows.data == 1
    rows.eliminate_zeros()
    rows.sort_indices()
    if not rows.shape[0]:
        return []
    return [part.tolist() for part in np.split(rows.indices, rows.indptr[1:-1])]


def _as_table(value: Any, labels: Labels, name: str) -> NDArray[Any] | None:
    """A DataFrame, 2-D array or tensor as an array; None for lists, and for arrays of labels.

    A DataFrame that is a mask has its columns in the order of the labels afterwards.
    """
    if is_frame(value):
        return _mask_in_order(by_columns(value), value.columns, labels, f"the columns of {name}")
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):  # of polars
        array = np.asarray(value.to_numpy())
        return _mask_in_order(array, value.columns, labels, f"the columns of {name}")
    if is_series(value) or not any(hasattr(value, part) for part in _ARRAYS):
        return None
    array = plain_array(value, name)
    if array.ndim == 2:
        return array
    if array.ndim == 1 and array.dtype.kind not in "bf":
        return None
    raise InputError(
        f"{name} has dtype {array.dtype} and shape {array.shape}; expected several sets: (m, k) "
        "row numbers, or an (m, n) mask."
    )


def _mask_in_order(array: NDArray[Any], names: Any, labels: Labels, axis: str) -> NDArray[Any]:
    """An array whose columns have names, in the order of the labels if it is a mask.

    It becomes boolean if its columns are the labels. Zeros and ones under some of the labels are
    refused: they would be read as row numbers.
    """
    missing = np.argwhere(_missing(array))
    if len(missing):
        name = list(names)[missing[0][1]]
        raise InputError(f"an entry under {quote(name)} of {axis} is missing; expected 0 or 1.")
    zero_one, integers = _is_zero_one(array)
    columns, rows = [str(name) for name in names], {*map(str, labels or ())}
    numbered = columns == [str(i) for i in range(len(columns))]
    named = rows == set(columns) or (bool(rows & set(columns)) and not numbered)
    if not zero_one or (integers and not named and array.shape[1] < _LEAST):
        return array
    order = matching_order(names, labels, axis, "rows")
    array = array if order is None else array[:, order]
    return array.astype(bool) if named else array


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Where entries are None, NaN or what pandas has for them."""
    if array.dtype.kind == "f":
        return np.isnan(array)
    if array.dtype != object:
        return np.zeros(array.shape, bool)
    kinds = ("NoneType", "NAType", "NaTType")
    found = [type(e).__name__ in kinds or (isinstance(e, float) and e != e) for e in array.flat]
    return np.array(found, bool).reshape(array.shape)


def _is_zero_one(array: NDArray[Any]) -> tuple[bool, bool]:
    """Tell if all entries are 0 or 1, and if they are integers, not booleans or floats."""
    if array.dtype.kind == "b":
        return True, False
    if array.dtype.kind in "iuf":
        return bool(((array == 0) | (array == 1)).all()), array.dtype.kind != "f"
    if array.dtype != object:
        return False, False
    entries = list(array.flat)
    known = (bool, np.bool_, int, float, np.integer, np.floating)
    zero_one = all(isinstance(e, known) and e in (0, 1) for e in entries)
    return zero_one, zero_one and any(_is_integer(e) for e in entries)


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def _is_mask(array: NDArray[Any], n: int) -> bool:
    """The rule: tell if the (m, k) entries are a mask for n labels."""
    zero_one, integers = _is_zero_one(array)
    return zero_one and array.shape[1] == n and (n >= _LEAST or not integers)


def _sets_of_table(
    array: NDArray[Any], labels: Labels, n: int, name: str
) -> tuple[list[list[int]] | Rows, bool]:
    """Rows of each set, and if the array is a mask."""
    if not array.size:
        return [[] for _ in array], False
    if _is_mask(array, n):
        return rows_of_mask(array.astype(bool)), True
    zero_one, integers = _is_zero_one(array)
    if zero_one and not integers:
        raise _wrong_shape(array.shape, n, name)
    if array.dtype.kind == "f":
        odd = array[~((array == 0) | (array == 1))][0]
        raise InputTypeError(
            f"{name} has an entry {odd}; expected integers as row numbers, or a mask of 0 and 1."
        )
    if array.dtype.kind in "iu" and not any(isinstance(label, int) for label in labels or ()):
        return _row_numbers(array, n, name), False
    places = [f"{name}[{i}]" for i in range(len(array))]
    return _sets_of_items(array.tolist(), labels, n, name, places)


def _row_numbers(array: NDArray[Any], n: int, name: str) -> Rows:
    """An (m, k) array of distinct rows."""
    wrong = ((array < 0) | (array >= n)).any(axis=1)
    ordered = np.sort(array, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    for i in np.flatnonzero(wrong)[:1]:
        raise InputError(f"{name}[{i}] is {array[i].tolist()}; expected rows of {n}, from 0.")
    for i in np.flatnonzero(twice)[:1]:
        raise _repeated(array[i].tolist(), n, f"{name}[{i}]")
    return array.astype(np.int64)


def _sets_of_items(
    items: Sequence[Any], labels: Labels, n: int, name: str, places: Sequence[str]
) -> tuple[list[list[int]], bool]:
    """Rows of each collection of labels, and if these are masks."""
    sets = [_entries(one, labels, place) for one, place in zip(items, places, strict=True)]
    flat = [label for one in sets for label in one]
    ordered = all(isinstance(x, Iterable) and not isinstance(x, (str, Set)) for x in items)
    if flat and ordered and all(len(one) == n for one in sets):
        table = np.fromiter(flat, object, len(flat)).reshape(-1, n)
        if _is_mask(table, n):
            return rows_of_mask(table.astype(bool)), True
    try:
        found = iter(find_rows(flat, labels, n) if flat else ())
    except InputError as error:
        for one, place in zip(sets, places, strict=True):
            _check_set(one, labels, n, place)
        raise InputError(f"{name}: {error}") from error
    rows = [[next(found) for _ in one] for one in sets]
    for i, one in enumerate(rows):
        if len(set(one)) < len(one):
            raise _repeated(sets[i], n, places[i])
    return rows, False


def _check_set(one: list[Any], labels: Labels, n: int, place: str) -> None:
    """Refuse a set by itself, where all together were refused."""
    if any(isinstance(label, (bool, np.bool_)) for label in one):
        raise InputTypeError(
            f"{place} has {len(one)} entries, and booleans among them; expected a mask of {n} "
            "booleans, one for each label."
        )
    try:
        find_rows(one, labels, n)
    except InputError as error:
        raise InputError(f"{place}: {error}") from error


def _entries(one: Any, labels: Labels, place: str) -> list[Any]:
    """A label, or the entries of a collection, in a list."""
    if isinstance(one, (list, tuple, range)):
        return list(one)
    if isinstance(one, (str, int, np.integer)):
        return [one]
    if isinstance(one, Mapping):
        raise InputTypeError(
            f"{place} is a {type(one).__name__}; expected labels, or a mask in the order of the "
            "rows."
        )
    if hasattr(one, "tocsr"):  # a row of a sparse matrix
        array = one.toarray()
        array = array[0] if array.ndim == 2 and len(array) == 1 else array
        array = array.astype(bool) if _is_zero_one(array)[0] else array
    elif is_series(one):
        entries = np.asarray(one)
        array = _mask_in_order(entries[None, :], one.index, labels, f"the index of {place}")[0]
    elif any(hasattr(one, part) for part in _ARRAYS):
        array = plain_array(one, place)
    else:
        return as_list(place, one) if isinstance(one, Iterable) else [one]
    if array.ndim > 1:
        raise InputError(f"{place} has shape {array.shape}; expected one set of labels.")
    return array.tolist() if array.ndim else [array.item()]


def _repeated(row: Sequence[Any], n: int, place: str) -> InputError:
    hint = ""
    if len(row) > 2 and all(entry in (0, 1) for entry in row):
        hint = f" A mask has an entry for each of {n} labels, and all sets are masks or none."
    return InputError(f"{place} is {quote(list(row))}; expected distinct labels.{hint}")


def _wrong_shape(shape: tuple[int, ...], n: int, name: str) -> InputError:
    return InputError(
        f"{name} is a mask of shape {shape}; expected (m, {n}), one column for each label."
    )
