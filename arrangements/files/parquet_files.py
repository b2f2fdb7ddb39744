"""Numbers and names in tables of .parquet files: a row for each label."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.archives import import_extra, name_damage, open_file
from arrangements.files.text import ROWS
from arrangements.messages import quote, quote_path

# What pandas calls the column of an index without a name.
_INDEX = "__index_level_"


def read_columns(path: str) -> dict[str, Any]:
    """Columns of a table by their names, as PyArrow has them.

    Raises
    ------
    InputError
        If the file is damaged.
    MissingDependencyError
        If PyArrow is not installed (extra ``parquet``).
    """
    parquet = import_extra("pyarrow.parquet", path, "parquet")
    open_file(path).close()
    with name_damage(path):
        table = parquet.read_table(path, use_threads=False, partitioning=None)
        return dict(zip(table.column_names, table.columns, strict=True))


def read_parquet(path: str) -> tuple[list[str] | None, list[str], NDArray[Any]]:
    """Names of rows, if a column is text, names of the other columns, and their numbers.

    A table of pandas may keep its index as a column. A single column of lists of one length is a
    matrix, too.

    Raises
    ------
    InputError
        If the file is damaged, numbers are missing, or there are two columns of text.
    MissingDependencyError
        As `read_columns`.
    """
    columns = read_columns(path)
    text = [name for name, column in columns.items() if _is_text(column)]
    if len(text) > 1:
        raise InputError(
            f"{quote_path(path)} has {len(text)} columns of text, {quote(text)}; expected at most "
            "one, with names of the rows."
        )
    names = columns.pop(text[0]).to_pylist() if text else None
    if names is not None and None in names:
        raise InputError(f"column {quote(text[0])} of {quote_path(path)} lacks a name.")
    index = next((name for name in columns if name.startswith(_INDEX)), None)
    if index is not None and len(columns) > 1:
        values = columns.pop(index).to_pylist()
        numbered = values == list(range(len(values)))
        names = names or (None if numbered else [str(value) for value in values])
    if not columns:
        raise InputError(f"{quote_path(path)} has no columns of numbers; expected {ROWS}.")
    matrix = stack_columns(columns, path)
    listed = len(columns) == 1 and matrix.shape[1] > 1
    titles = [f"x{k}" for k in range(matrix.shape[1])] if listed else list(columns)
    return names, titles, matrix


def stack_columns(columns: dict[str, Any], path: str) -> NDArray[Any]:
    """Columns side by side, without rounding integers next to floats."""
    with name_damage(path):
        arrays = [_array(column, name, path) for name, column in columns.items()]
    if len(arrays) == 1 and arrays[0].ndim == 2:
        return arrays[0]
    if len({array.dtype for array in arrays}) == 1:
        return np.stack(arrays, axis=1)
    whole = np.empty((len(arrays[0]), len(arrays)), object)
    for k, array in enumerate(arrays):
        whole[:, k] = array
    return whole


def _is_text(column: Any) -> bool:
    kind = str(column.type)
    return "string" in kind and "list" not in kind


def _array(column: Any, name: str, path: str) -> NDArray[Any]:
    if column.null_count:
        raise InputError(f"column {quote(name)} of {quote_path(path)} lacks numbers.")
    if "list" not in str(column.type):
        return np.asarray(column.to_numpy())
    whole = column.combine_chunks()
    whole = whole.combine_chunks() if hasattr(whole, "combine_chunks") else whole
    fixed = getattr(whole.type, "list_size", None)
    lengths = {fixed} if fixed else set(whole.value_lengths().to_pylist())
    if len(lengths) > 1:
        raise InputError(f"column {quote(name)} of {quote_path(path)} has lists of two lengths.")
    return np.asarray(whole.flatten().to_numpy(zero_copy_only=False)).reshape(len(whole), -1)
