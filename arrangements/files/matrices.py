"""Matrices, vectors and tables from files of numbers. Nothing is ever unpickled."""

import io
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_vector, check_numbers
from arrangements.execution.progress import show_reading
from arrangements.files.archives import Archive, Named
from arrangements.files.formats import PARQUET, TEXT, is_archive, read_archive, refuse_format
from arrangements.files.heads import (
    bias_of_columns,
    choose_key,
    find_bias,
    find_head,
    has_columns,
)
from arrangements.files.model_folder import read_folder
from arrangements.files.numpy_files import NPY, NPZ, archive_of_stream, array_of_stream, read_npy
from arrangements.files.parquet_files import read_columns, read_parquet, stack_columns
from arrangements.files.paths import check_name, read_bytes
from arrangements.files.text import DECIMAL, INTEGER, ROWS, parse_matrix, parse_numbers, parse_rows
from arrangements.log import logger
from arrangements.messages import quote, quote_path


def load_matrix(
    path: str | os.PathLike[str], key: str | None = None, *, progress: bool = False
) -> NDArray[Any]:
    """Read a matrix from a file of numbers or of a model, from a folder, or from standard input.

    Parameters
    ----------
    path : str or path-like
        ``.npy``, ``.npz``, ``.safetensors``, ``.onnx``, PyTorch (``.pt``, ``.pth``, ``.bin``,
        ``.ckpt``), ``.gguf``, HDF5 and Keras (``.h5``, ``.hdf5``, ``.keras``), ``.parquet``,
        ``.csv`` or ``.txt``; of a model in several files the index, such as
        ``model.safetensors.index.json``; or the folder of a model of Hugging Face. ``"-"`` reads
        standard input: text, or the bytes of a .npy or .npz file.
    key : str, optional
        The array to take from a file that holds several, or a pattern for it, such as
        ``"*head.weight"`` (``*``, ``?``, ``[..]``). Without a key the last layer is taken, if it is
        clear which one that is: the last of an ONNX graph, the only matrix, the only one with a
        usual name (``lm_head.weight``, ``classifier.weight``, ``fc.weight``, ..), or the embedding
        of a model that ties it to its last layer.
    progress : bool
        Show a bar on stderr if reading takes more than a second.

    Returns
    -------
    (n, d) ndarray
        As stored, with a row for each label: weights that their format multiplies from the left,
        as in ``x @ W`` (ONNX, and ``kernel`` of Keras and Flax), are transposed. Mapped into memory
        where the format allows it. Short floats stay short (bfloat16 and float8 need the extra
        ``models``; those of PyTorch become float32), blocks of quantised GGUF types become the
        float32 numbers they stand for; neither changes a number. From text, int64, float64 or
        object (int, float, Fraction and SymPy numbers). Rows of text are lines. Commas, semicolons
        or blanks separate entries, which may be in double quotes; ``#`` starts a comment. An entry
        is an integer, a decimal, a fraction ``1/3``, or an irrational number without blanks, such
        as ``(1+sqrt(5))/2``, ``2**(1/3)*sqrt(2)`` or ``cos(2*pi/7)``: integers, ``+ - * / **``,
        ``sqrt``, ``cos`` and ``sin`` of rational multiples of ``pi``, and ``GoldenRatio``. A first
        line of names is skipped, and so are a first column of names, the index of pandas, and a
        separator at the end of every line. The array from text also knows to how many digits its
        decimals were printed, which `LowRankWarning` and ``rank=`` use.

    Raises
    ------
    InputError
        If the file cannot be read or is malformed, or has no such array; the message lists keys
        with their shapes.
    MissingDependencyError
        If a library is not installed: the message names its extra.

    See Also
    --------
    load_vector, load_names : biases, and names of the rows.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
    >>> np.savez(path, weights=[[1, 0], [0, 1], [1, 1]], biases=[0, 0, -1])
    >>> load_matrix(path).tolist() == load_matrix(path, "w*").tolist()
    True
    >>> load_matrix(path, "weight")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: ...model.npz has no array 'weight'; its keys are: weights \
(3 x 2), biases (3).
    """
    found = load_source(path, key, check_flag("progress", progress))
    logger.info(found.taken())
    return found.matrix


def load_vector(path: str | os.PathLike[str], key: str | None = None) -> NDArray[Any]:
    """Read one row or one column of numbers, such as biases, as `load_matrix` reads a matrix.

    Parameters
    ----------
    path, key
        As in `load_matrix`. Without a key, of a file with a last layer its bias.

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
    name, content = _open(path, key)
    if isinstance(content, Archive):
        chosen = _key_of_bias(content) if key is None else choose_key(content, key, axes=1)
        array = content.arrays[chosen].load()
    else:
        array = content[0]
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    if array.ndim != 1:
        raise InputError(
            f"{name} holds an array of shape {array.shape}; expected one row or "
            "column of numbers, such as offsets."
        )
    as_exact_vector(array, len(array), name)
    return array


def _key_of_bias(archive: Archive) -> str:
    """The bias of the last layer; of a file that holds one array, that one."""
    head = find_head(archive) if len(archive.arrays) > 1 else None
    if head is None:
        return choose_key(archive, None, axes=1)
    if head.bias is None:
        raise InputError(
            f"{quote_path(archive.name)}: no array is clearly the bias of {quote(head.key)}; name "
            "its key."
        )
    return head.bias


@dataclass(frozen=True)
class Source:
    """A matrix with what its file says about it.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    matrix : (n, d) ndarray
        A row for each label.
    archive : Archive or None
        The file, if it holds several arrays.
    key, bias : str or None
        What was taken, and the bias that belongs to it.
    by_columns : bool
        Whether the columns of the file became rows.
    named : tuple of list of str and str, or None
        Names of the rows that stand beside the numbers, and where they are from.
    """

    name: str
    matrix: NDArray[Any]
    archive: Archive | None = None
    key: str | None = None
    bias: str | None = None
    by_columns: bool = False
    named: Named | None = None

    @property
    def bias_of_columns(self) -> str | None:
        """An array that seems to be the bias, and fits the columns only."""
        if self.archive is None or self.key is None or self.bias is not None:
            return None
        return bias_of_columns(self.archive, self.key)

    def refuse_bias_of_columns(self, advice: str) -> None:
        """Refuse a matrix that its bias does not fit as it is."""
        other = self.bias_of_columns
        if other is not None:
            n, d = self.matrix.shape
            raise InputError(
                f"{quote_path(self.name)}: {quote(self.key)} has {n} rows and {d} columns, and "
                f"{quote(other)} {d} numbers; {advice}."
            )

    def taken(self) -> str:
        """What was read, in words."""
        n, d = self.matrix.shape
        if self.archive is None or self.key is None:
            return f"{quote_path(self.name)}: {n} rows in dimension {d}"
        columns = ", the columns of its matrix" if self.by_columns else ""
        note = self.archive.arrays[self.key].note
        return (
            f"{quote_path(self.name)}: {quote(self.key)}, {n} rows in dimension {d}{columns}"
            f"{note and f' ({note})'}"
        )

    def names(self) -> Named | None:
        """Names of the rows, and where they are from."""
        return self.named if self.archive is None else self.archive.names(len(self.matrix))


def load_source(
    path: str | os.PathLike[str], key: str | None = None, progress: bool = False
) -> Source:
    """A matrix as `load_matrix` reads it, with the key, bias and names that belong to it."""
    with show_reading(progress):
        return _load(path, key)


def _load(path: str | os.PathLike[str], key: str | None) -> Source:
    name, content = _open(path, key)
    if not isinstance(content, Archive):
        found = Source(name, content[0], named=content[1])
    else:
        head = find_head(content) if key is None else None
        chosen = choose_key(content, key) if head is None else head.key
        stored, by_columns = content.arrays[chosen], has_columns(content, chosen)
        matrix = stored.load()
        bias = None if len(stored.shape) != 2 else find_bias(content, chosen)
        bias = bias if head is None else head.bias
        matrix = matrix.T if by_columns else matrix
        found = Source(name, matrix, content, chosen, bias, by_columns)
    if found.matrix.ndim != 2:
        shape = found.matrix.shape
        raise InputError(f"{name} holds an array of shape {shape}; expected (n, d), {ROWS}.")
    check_numbers(found.matrix, name)
    return found


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
    if Path(name).suffix.lower() in TEXT or name == "standard input":
        _refuse_key(name, key)
        table = parse_rows(_read(path), name)
        unnamed = table.titles is not None and not table.titles[0]
        rows = [(number, entries[unnamed:]) for number, entries in table.rows]
        titles = None if table.titles is None else table.titles[unnamed:]
        width = len(rows[0][1])
        column = _column(target, titles, width, name)
        classes = [entries[column] for _, entries in rows]
        points = parse_numbers(rows, name, column)
    elif Path(name).suffix.lower() == PARQUET:
        _refuse_key(name, key)
        return _parquet_table(os.fspath(path), target)
    else:
        matrix = load_matrix(path, key)
        titles, width = None, matrix.shape[1]
        column = _column(target, titles, width, name)
        classes = [str(value) for value in matrix[:, column].tolist()]
        points = np.delete(matrix, column, axis=1)
    names = titles or [f"x{k}" for k in range(width)]
    return Table(points, classes, tuple(names[:column] + names[column + 1 :]))


def _parquet_table(path: str, target: str) -> Table:
    """Classes in a column of text or of numbers, and the other columns."""
    columns = read_columns(path)
    column = _column(target, list(columns), len(columns), path)
    name = list(columns)[column]
    classes = [str(value) for value in columns.pop(name).to_pylist()]
    return Table(stack_columns(columns, path), classes, tuple(columns))


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


def _open(
    path: str | os.PathLike[str], key: str | None
) -> tuple[str, Archive | tuple[NDArray[Any], Named | None]]:
    """The name of the file for messages; its arrays, or its only array with names of the rows."""
    check_name(path)
    if not isinstance(key, str | None):
        raise InputTypeError(f"key is {quote(key)}; expected the name of an array.")
    file = os.fspath(path)
    suffix, name = Path(file).suffix.lower(), "standard input" if file == "-" else file
    if os.path.isdir(file):
        return name, read_folder(file)
    if is_archive(file) and (suffix != ".npz" or os.path.isfile(file)):
        return name, read_archive(file)
    if suffix == ".npy" and os.path.isfile(file):
        _refuse_key(name, key)
        return name, (read_npy(file), None)
    if suffix == PARQUET:
        _refuse_key(name, key)
        names, _, matrix = read_parquet(file)
        return name, (matrix, _named(names, name))
    return name, _parse(_read(path), name, key)


def _refuse_key(name: str, key: str | None) -> None:
    """Refuse a key for a file that holds one array."""
    if key is not None:
        raise InputError(
            f"{name} holds a single array; a key is for files of several, such as .npz."
        )


def _read(path: str | os.PathLike[str]) -> bytes:
    """All bytes of the file, after a check of its extension."""
    if os.fspath(path) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; expected W there, or the name of a file.")
        return sys.stdin.buffer.read()
    if Path(path).suffix.lower() not in (*TEXT, ".npy", ".npz"):
        if _is_numbers(path):
            raise InputError(
                f"{quote_path(path)} has an unknown extension; expected the name of a file of "
                "these numbers."
            )
        raise refuse_format(os.fspath(path))
    return read_bytes(path)


def _is_numbers(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file is rather the numbers themselves: ``0,0,-1``."""
    return all(DECIMAL.fullmatch(entry) for entry in re.split("[,; ]+", os.fspath(path)))


def _parse(
    content: bytes, name: str, key: str | None
) -> Archive | tuple[NDArray[Any], Named | None]:
    """Arrays of the bytes; the first bytes of standard input tell its format."""
    suffix = Path(name).suffix.lower()
    if suffix == ".npz" or (not suffix and content.startswith(NPZ)):
        return archive_of_stream(io.BytesIO(content), name)
    _refuse_key(name, key)
    if suffix == ".npy" or (not suffix and content.startswith(NPY)):
        return array_of_stream(io.BytesIO(content), name), None
    matrix, names = parse_matrix(content, name)
    return matrix, _named(names, name)


def _named(names: list[str] | None, name: str) -> Named | None:
    return None if names is None else (names, name)
