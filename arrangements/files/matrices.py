"""Matrices, vectors and tables from files of numbers. Nothing is ever unpickled."""

import io
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_vector, check_numbers
from arrangements.files.arrays import (
    NPY,
    NPZ,
    SAFETENSORS,
    is_stored,
    read_array,
    refuse_key,
    stored_array,
)
from arrangements.files.paths import check_name, join_or, read_bytes
from arrangements.files.text import (
    DECIMAL,
    INTEGER,
    ROWS,
    parse_matrix,
    parse_numbers,
    parse_rows,
)
from arrangements.messages import quote, quote_path

READABLE = (".npy", ".npz", SAFETENSORS, ".csv", ".txt")


def load_matrix(path: str | os.PathLike[str], key: str | None = None) -> NDArray[Any]:
    """Read a matrix from a .npy, .npz, .safetensors, .csv or .txt file, or from standard input.

    Parameters
    ----------
    path : str or path-like
        ``"-"`` reads standard input: text, or the bytes of a .npy or .npz file. Of a model in
        several .safetensors files pass the index, ``model.safetensors.index.json``.
    key : str, optional
        The array to take from a file that holds several.

    Returns
    -------
    (n, d) ndarray
        As stored, and mapped into memory where the format allows it: files of ``numpy.save`` and
        ``numpy.savez``. From text, int64, float64 or object (int, float, Fraction and SymPy
        numbers), 2-D. Rows of text are lines. Commas, semicolons or blanks separate entries, which
        may be in double quotes; ``#`` starts a comment. An entry is an integer, a decimal, a
        fraction ``1/3``, or an irrational number without blanks, such as ``(1+sqrt(5))/2``,
        ``2**(1/3)*sqrt(2)`` or ``cos(2*pi/7)``: integers, ``+ - * / **``, ``sqrt``, ``cos`` and
        ``sin`` of rational multiples of ``pi``, and ``GoldenRatio``. A first line of names is
        skipped, and so is a separator at the end of every line. The array from text also knows to
        how many digits its decimals were printed, which `LowRankWarning` and ``rank=`` use.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed, or has no such array; the message says where and
        what to do.
    MissingDependencyError
        If the library for .safetensors files, or for bfloat16, is not installed (extra `models`).

    See Also
    --------
    load_vector, load_names : biases, and names of the rows.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
    >>> np.savez(path, weights=[[1, 0], [0, 1], [1, 1]], biases=[0, 0, -1])
    >>> load_matrix(path, "weights").shape
    (3, 2)
    >>> load_matrix(path, "weight")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: ...model.npz has no array 'weight'; its keys are: weights, \
biases.
    """
    name, matrix = _load(path, key)
    if matrix.ndim != 2:
        raise InputError(f"{name} holds an array of shape {matrix.shape}; expected (n, d), {ROWS}.")
    check_numbers(matrix, name)
    return matrix


def load_vector(path: str | os.PathLike[str], key: str | None = None) -> NDArray[Any]:
    """Read one row or one column of numbers, such as biases, as `load_matrix` reads a matrix.

    Parameters
    ----------
    path, key
        As in `load_matrix`.

    Returns
    -------
    (n,) ndarray

    Raises
    ------
    InputError, MissingDependencyError
        As in `load_matrix`.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "biases.npy")
    >>> np.save(path, [[0.5], [1.0]])
    >>> load_vector(path).tolist()
    [0.5, 1.0]
    """
    name, array = _load(path, key)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim == 1:
        as_exact_vector(array, len(array), name)
    return array


class Table(NamedTuple):
    """Numbers of points and a column of their classes.

    Attributes
    ----------
    points : (n, d) ndarray
        Exact numbers, as those of `load_matrix`.
    classes : list of n str
        As they are written.
    names : tuple of d str
        Of the columns of `points`; without a first line of names x0, x1, .., by their places in
        the file.
    """

    points: NDArray[Any]
    classes: list[str]
    names: tuple[str, ...]


def load_table(path: str | os.PathLike[str], target: str, key: str | None = None) -> Table:
    r"""Read points and a column of classes, which may be text, as `load_matrix` reads a matrix.

    Parameters
    ----------
    path, key
        As in `load_matrix`.
    target : str
        The column of the classes: its name in the first line, or its number from 0 on.

    Raises
    ------
    InputError
        As `load_matrix`, and if there is no such column, or no other.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "points.csv")
    >>> _ = Path(path).write_text("size,kind\n1,cat\n2.5,dog\n")
    >>> table = load_table(path, "kind")
    >>> table.points.tolist(), table.classes, table.names
    ([[1], [2.5]], ['cat', 'dog'], ('size',))
    """
    check_name(path)
    name = "standard input" if os.fspath(path) == "-" else os.fspath(path)
    if Path(name).suffix.lower() in (".csv", ".txt") or name == "standard input":
        refuse_key(name, key)
        titles, rows = parse_rows(_read(path), name)
        width = len(rows[0][1])
        column = _column(target, titles, width, name)
        classes = [entries[column] for _, entries in rows]
        points = parse_numbers(rows, name, column)
    else:
        matrix = load_matrix(path, key)
        titles, width = None, matrix.shape[1]
        column = _column(target, titles, width, name)
        classes = [str(value) for value in matrix[:, column].tolist()]
        points = np.delete(matrix, column, axis=1)
    names = titles or [f"x{k}" for k in range(width)]
    return Table(points, classes, tuple(names[:column] + names[column + 1 :]))


def _column(target: str, titles: list[str] | None, width: int, name: str) -> int:
    """The number of a column that is given by its name or by its number."""
    if width < 2:
        raise InputError(f"{name} has one column; expected a column of classes and others.")
    found = [k for k, title in enumerate(titles or []) if title == target]
    if len(found) > 1:
        raise InputError(f"{name} has {len(found)} columns {quote(target)}; pass a number.")
    if not found and INTEGER.fullmatch(target) and len(target) < 10 and 0 <= int(target) < width:
        found = [int(target)]
    if not found:
        known = f"{', '.join(titles)}, or " if titles else ""
        raise InputError(
            f"{name} has no column {quote(target)}; expected {known}a number from 0 to {width - 1}."
        )
    return found[0]


def _load(path: str | os.PathLike[str], key: str | None) -> tuple[str, NDArray[Any]]:
    """The name of the file for messages, and its array."""
    check_name(path)
    if not isinstance(key, str | None):
        raise InputTypeError(f"key is {quote(key)}; expected the name of an array.")
    name = "standard input" if os.fspath(path) == "-" else os.fspath(path)
    if is_stored(name) and Path(name).is_file():
        return name, stored_array(name, key)
    return name, _parse(_read(path), name, key)


def _read(path: str | os.PathLike[str]) -> bytes:
    """All bytes of the file, after a check of its extension."""
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; expected W there, or the name of a file.")
        return sys.stdin.buffer.read()
    if Path(path).suffix.lower() not in READABLE:
        if Path(path).is_fifo():
            raise InputError(
                f"{quote_path(path)} is a pipe and has no extension that tells its format; pass - "
                "and pipe into standard input."
            )
        raise InputError(
            f"{quote_path(path)} has an unknown extension; expected "
            + (
                join_or(READABLE)
                if not _is_numbers(path)
                else "the name of a file of these numbers"
            )
            + "."
        )
    return read_bytes(path)


def _is_numbers(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file is rather the numbers themselves: ``0,0,-1``."""
    return all(DECIMAL.fullmatch(entry) for entry in re.split("[,; ]+", os.fspath(path)))


def _parse(content: bytes, name: str, key: str | None) -> NDArray[Any]:
    """Array of the bytes; the first bytes of standard input tell its format."""
    stored = name.lower().endswith((".npy", ".npz"))
    if stored or (not Path(name).suffix and content.startswith((NPY, NPZ))):
        return read_array(io.BytesIO(content), name, key)
    refuse_key(name, key)
    return parse_matrix(content, name)
