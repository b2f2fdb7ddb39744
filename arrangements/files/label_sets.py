"""Sets of labels from files: lines of names, JSON lines, or 0/1 matrices, dense or sparse."""

import csv
import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from arrangements.core.label_sets import read_label_sets, rows_of_mask, rows_of_sparse
from arrangements.core.labels import Label, names_of, similar_names
from arrangements.errors import InputError
from arrangements.files.formats import PARQUET, is_archive
from arrangements.files.matrices import load_matrix
from arrangements.files.parquet_files import read_parquet
from arrangements.files.paths import check_name
from arrangements.files.text import read_lines
from arrangements.messages import first_line, quote, quote_path

_JSON = (".jsonl", ".ndjson", ".json")
# What stands for off and on in a table.
_ENTRIES = {"0": False, "0.0": False, "False": False, "1": True, "1.0": True, "True": True}


def load_label_sets(
    path: str | os.PathLike[str], n: int, labels: tuple[Label, ...] | None = None
) -> list[list[int]]:
    """Read sets of labels, as numbers of rows.

    Parameters
    ----------
    path : str or path-like
        A file of numbers, such as ``.npy``, ``.npz`` (of ``numpy.savez`` or
        ``scipy.sparse.save_npz``) or ``.parquet``: a matrix with a row for each set and a column
        for each label, in which 0 or -1 means off. ``.jsonl``: a list of names or numbers of rows
        in each line, or n entries 0 and 1, or false and true; ``.json``: a list of these.
        Anything else is text: in each line names or numbers separated by commas, or, if every line
        has n entries 0 and 1, the rows of such a matrix. Its first line may have the names of all
        labels, in any order, and its first column an index, as pandas writes it.
    n : int
        Number of labels.
    labels : tuple of int or str, optional
        Their names.

    Returns
    -------
    list of list of int
        Rows of each set, ascending.

    Raises
    ------
    InputError
        If the file cannot be read, a label is unknown or named twice in a line, or a matrix has
        other entries or another number of columns; the message names the line or row.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "sets.csv")
    >>> with open(path, "w") as stream:
    ...     print("dog, cat", "bird", sep=chr(10), file=stream)
    >>> load_label_sets(path, 3, ("cat", "dog", "bird"))
    [[0, 1], [2]]
    """
    check_name(path)
    name = os.fspath(path)
    if is_archive(name) or name.lower().endswith((".npy", PARQUET)):
        return _of_matrix(path, n, names_of(labels, n))
    lines = read_lines(path)
    if name.lower().endswith(_JSON):
        return _of_json(lines, quote_path(path), n, labels)
    return _of_text(lines, quote_path(path), n, labels)


def _of_matrix(path: str | os.PathLike[str], n: int, names: tuple[str, ...]) -> list[list[int]]:
    matrix: Any = _sparse(path) if Path(path).suffix.lower() == ".npz" else None
    if Path(path).suffix.lower() == PARQUET:
        _, titles, matrix = read_parquet(os.fspath(path))
        matrix = matrix[:, _order(titles, names) or slice(None)]
    matrix = load_matrix(path) if matrix is None else matrix
    if matrix.ndim != 2 or matrix.shape[1] != n:
        raise InputError(
            f"{quote_path(path)} holds a matrix of shape {matrix.shape}; expected a column for "
            f"each of {n} labels."
        )
    if isinstance(matrix, np.ndarray):
        proper = (matrix == 0) | (matrix == 1) | (matrix == -1)
        if not proper.all():
            i, j = np.argwhere(~proper)[0].tolist()
            raise InputError(
                f"{quote_path(path)}, row {i}, column {j}, is {matrix[i, j]}; expected 0 or 1 "
                "(or -1)."
            )
        return rows_of_mask(matrix > 0)
    return rows_of_sparse(matrix, n, quote_path(path), off=(0, -1))


def _sparse(path: str | os.PathLike[str]) -> Any:
    """The sparse matrix of a file of scipy; None if it is another file."""
    import scipy.sparse  # loads slowly

    try:
        with np.load(path, allow_pickle=False) as archive:
            if "format" not in archive.files or "shape" not in archive.files:
                return None
        return scipy.sparse.load_npz(path)
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror or error}.") from error
    except Exception as error:  # damaged content may raise almost any exception
        raise InputError(f"cannot read {quote_path(path)}: {first_line(error)}.") from error


def _of_json(
    lines: list[str], file: str, n: int, labels: tuple[Label, ...] | None
) -> list[list[int]]:
    if file.lower().endswith(".json"):
        whole = _value("\n".join(lines), file)
        listed = list(enumerate(whole)) if isinstance(whole, list) else [(0, whole)]
        sets = [(f"{file}, set {i}", one) for i, one in listed]
    else:
        filled = [(f"{file}, line {i}", line) for i, line in enumerate(lines, 1) if line.strip()]
        sets = [(place, _value(line, place)) for place, line in filled]
    for place, one in sets:
        if not isinstance(one, list):
            raise InputError(f"{place}, is {quote(one)}; expected a list of labels.")
    places, label_sets = [place for place, _ in sets], [one for _, one in sets]
    return [sorted(rows) for rows in read_label_sets(label_sets, labels, n, file, places=places)]


def _value(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON: {first_line(error)}.") from error


def _of_text(
    lines: list[str], file: str, n: int, labels: tuple[Label, ...] | None
) -> list[list[int]]:
    while lines and not lines[-1].strip():
        lines.pop()
    table = list(_entries(lines, file))
    rows = {name: i for i, name in enumerate(names_of(labels, n))}
    if (titled := _titled_mask(table, tuple(rows))) is not None:
        return titled
    if table and all(len(row) == n and set(row) <= {"0", "1"} for row in table):
        if n < 3 and all(len(rows.keys() & row) == n for row in table):
            raise InputError(
                f"{file} has only lines of {n} entries 0 and 1, which may be names of labels or a "
                "mask; write names that are no numbers, or a .npy file."
            )
        return [[i for i, entry in enumerate(row) if entry == "1"] for row in table]
    return [_text_set(row, f"{file}, line {i}", rows) for i, row in enumerate(table, 1)]


def _order(titles: list[str], names: tuple[str, ...]) -> list[int] | None:
    """Places of the labels among titles that are their names in some order; None if they are not.

    Examples
    --------
    >>> _order(["dog", "cat"], ("cat", "dog")), _order(["x0", "x1"], ("cat", "dog"))
    ([1, 0], None)
    """
    places = {title: k for k, title in enumerate(titles)}
    if len(places) < len(titles) or places.keys() != set(names):
        return None
    return [places[name] for name in names]


def _titled_mask(table: list[list[str]], names: tuple[str, ...]) -> list[list[int]] | None:
    """Sets in a table of zeros and ones below the names of all labels; None if this is none."""
    if len(table) < 2:
        return None
    index = bool(table[0]) and table[0][0] == ""
    titles, body = table[0][index:], [row[index:] for row in table[1:]]
    if not index and set(titles) <= {"0", "1"}:
        return None  # a row like the others
    order = _order(titles, names)
    proper = all(len(row) == len(names) and set(row) <= _ENTRIES.keys() for row in body)
    if order is None or not proper:
        return None
    return [[i for i, k in enumerate(order) if _ENTRIES[row[k]]] for row in body]


def _text_set(entries: list[str], place: str, rows: dict[str, int]) -> list[int]:
    found = sorted(_row(entry, rows, place) for entry in entries)
    for one, following in pairwise(found):
        if one == following:
            raise InputError(
                f"{place}, names a label twice; expected a set of labels, or {len(rows)} entries 0 "
                "and 1 in every line."
            )
    return found


def _entries(lines: list[str], file: str) -> Iterator[list[str]]:
    """Names in each line; an empty line is the empty set."""
    try:
        for row in csv.reader(lines, skipinitialspace=True, strict=True):
            entries = [entry.strip() for entry in row]
            yield [] if entries == [""] else entries
    except csv.Error as error:
        raise InputError(f"cannot read {file}: {first_line(error)}.") from error


def _row(entry: Any, rows: dict[str, int], place: str) -> int:
    if not isinstance(entry, str) or entry not in rows:
        similar = similar_names(entry, list(rows)) if isinstance(entry, str) else ""
        matrix = " A matrix of 0 and 1 has the names of all labels in its first line, or no names."
        hint = matrix if isinstance(entry, str) and set(entry) <= set("01 ") else ""
        raise InputError(f"{place}: {quote(entry)} is not the name of a label{similar}.{hint}")
    return rows[entry]
