"""Read matrices from files and write sign vectors and rankings to them.

Text keeps numbers exact: ``3`` is an integer, ``1/3`` a fraction, and ``0.1`` or ``1e-3`` the
nearest float64, as in Python. Where that would be 0 or infinite, as for ``1e-400``, the decimal
number itself is read. ``sqrt(2)/2`` is that irrational number. Lines end at a newline. Nothing is
ever unpickled. Output appears under its final name only when it is complete.
"""

import errno
import json
import math
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from decimal import Decimal
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rounding import infer_print_format, with_print_format
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.numbers import as_exact_vector, check_numbers
from arrangements.files.arrays import (
    NPY,
    NPZ,
    SAFETENSORS,
    is_stored,
    npy_array,
    npz_array,
    refuse_key,
    stored_array,
)
from arrangements.files.expressions import expression, is_expression
from arrangements.files.names import names_in_json
from arrangements.messages import quote, quote_path


class _SignBlock(Protocol):
    """What a file takes from a block."""

    def __len__(self) -> int: ...

    def to_array(self) -> NDArray[Any]: ...


class _NamedBlock(_SignBlock, Protocol):
    """The same of rows that may have names, or of rankings of labels."""

    @property
    def is_named(self) -> bool: ...

    @property
    def label_names(self) -> tuple[str, ...]: ...


Found = TypeVar("Found", bound=_SignBlock)

_TextRows = list[tuple[int, list[str]]]

READABLE = (".npy", ".npz", SAFETENSORS, ".csv", ".txt")
WRITABLE = (".npz", ".csv", ".txt")

_ROWS = "one row per hyperplane or label"

# What may stand in the first line instead of numbers: names of the columns.
_TITLE = re.compile(r"[^\W\d].*")
# Characters that others separate entries by.
_SEPARATORS = "|:&"
# Python turns text into an integer only up to 4300 digits; more than these take long.
_MOST_DIGITS = 100_000
_INTEGER = re.compile(r"[+-]?[0-9]+")
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# Of a decimal that float64 cannot hold; written out, its digits stay below Python's own cap.
_MOST_EXPONENT = 4300
_BLANKS = " \t"


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
    name, matrix = _loaded(path, key)
    if matrix.ndim != 2:
        raise InputError(
            f"{name} holds an array of shape {matrix.shape}; expected (n, d), {_ROWS}."
        )
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
    name, array = _loaded(path, key)
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
    r"""Read points and their classes, which may be text, from a file that `load_matrix` could read.

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
        titles, rows = _text_rows(_read(path), name)
        width = len(rows[0][1])
        column = _column(target, titles, width, name)
        classes = [entries[column] for _, entries in rows]
        points = _numbers(rows, name, column)
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
    if not found and _INTEGER.fullmatch(target) and len(target) < 10 and 0 <= int(target) < width:
        found = [int(target)]
    if not found:
        known = f"{', '.join(titles)}, or " if titles else ""
        raise InputError(
            f"{name} has no column {quote(target)}; expected {known}a number from 0 to {width - 1}."
        )
    return found[0]


def _loaded(path: str | os.PathLike[str], key: str | None) -> tuple[str, NDArray[Any]]:
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
            + (_or(READABLE) if not _is_numbers(path) else "the name of a file of these numbers")
            + "."
        )
    return _content(path)


def _is_numbers(path: str | os.PathLike[str]) -> bool:
    """Whether the name of a file is rather the numbers themselves: ``0,0,-1``."""
    return all(_DECIMAL.fullmatch(entry) for entry in re.split("[,; ]+", os.fspath(path)))


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a value that cannot be the name of a file."""
    try:
        name = os.fspath(path)
        possible = isinstance(name, str) and "\0" not in name and bool(os.fsencode(name))
    except Exception as error:  # it is not a path, or has characters that no name has
        raise InputTypeError(f"the name of a file is {quote(path)}; expected text.") from error
    if not name:
        raise InputError("the name of a file is empty.")
    if not possible:
        raise InputError(f"the name of a file is {quote(path)}; expected text without zero bytes.")


def _or(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}"


def _parse(content: bytes, name: str, key: str | None) -> NDArray[Any]:
    """Array of the bytes; the first bytes of standard input tell its format."""
    suffix = Path(name).suffix.lower()
    if suffix == ".npz" or (not suffix and content.startswith(NPZ)):
        return npz_array(content, name, key)
    refuse_key(name, key)
    if suffix == ".npy" or (not suffix and content.startswith(NPY)):
        return npy_array(content, name)
    return _parse_text(content, name)


def _parse_text(content: bytes, name: str) -> NDArray[Any]:
    rows = _text_rows(content, name)[1]
    matrix = _numbers(rows, name)
    entries = (entry for _, row in rows for entry in row)
    printed = infer_print_format(entry for entry in entries if _DECIMAL.fullmatch(entry))
    return matrix if printed is None else with_print_format(matrix, printed)


def _text_rows(content: bytes, name: str) -> tuple[list[str] | None, _TextRows]:
    """Names of the columns, if the first line has some; rows of text with their line numbers."""
    lines = enumerate(_lines(content, name), 1)
    table = [(number, _split(line, name, number)) for number, line in lines]
    table = [(number, entries) for number, entries in table if entries]
    if table and all(len(entries) > 1 and not entries[-1] for _, entries in table):
        table = [(number, entries[:-1]) for number, entries in table]  # a comma ends each line
    if any(len(entries) != len(table[0][1]) for _, entries in table):
        number, entries = next(row for row in table if len(row[1]) != len(table[0][1]))
        raise InputError(
            f"{name}, line {number} has {len(entries)} "
            f"{'entry' if len(entries) == 1 else 'entries'}; expected {len(table[0][1])} "
            "as in the lines before it."
        )
    titles = None
    if len(table) > 1 and _is_title(table[0][1]):
        titles, table = table[0][1], table[1:]
    if not table:
        raise InputError(f"{name} holds no numbers; expected {_ROWS}.")
    return titles, table


def _numbers(table: _TextRows, name: str, without: int | None = None) -> NDArray[Any]:
    """The numbers in rows of text, but for those of one column."""
    return _array(
        [
            [
                _number(text, name, number, k)
                for k, text in enumerate(entries, 1)
                if k - 1 != without
            ]
            for number, entries in table
        ]
    )


def _lines(content: bytes, name: str) -> list[str]:
    r"""Lines of UTF-8 text, which end at \n or \r\n; other separators belong to the line."""
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text: byte {error.start} is not UTF-8.") from error
    lines = [line.removesuffix("\r") for line in lines]
    odd = next((i for i, line in enumerate(lines, 1) if "\r" in line), None)
    if odd is not None:
        raise InputError(
            f"{name}, line {odd} has a carriage return within; expected newlines between lines."
        )
    return lines


def _split(line: str, name: str, number: int) -> list[str]:
    """Entries of a line; between commas an entry may be empty, between blanks it cannot."""
    text = line.partition("#")[0].strip(_BLANKS)
    if "," in text and ";" in text:
        raise InputError(
            f"{name}, line {number} has commas and semicolons; expected one of them between "
            "entries, and decimal points."
        )
    separator = next((character for character in ",;" if character in text), None)
    if separator is None:
        return [_unquoted(entry) for entry in re.split(f"[{_BLANKS}]+", text)] if text else []
    return [_unquoted(entry.strip(_BLANKS)) for entry in text.split(separator)]


def _unquoted(entry: str) -> str:
    quoted = len(entry) > 1 and entry[0] == entry[-1] == '"'
    return entry[1:-1].strip(_BLANKS) if quoted else entry


def _is_title(entries: list[str]) -> bool:
    """Whether these are names of columns: words that nobody writes for a number."""
    words = all(_TITLE.fullmatch(entry) for entry in entries)
    return words and not any(
        entry.lower() in ("nan", "inf", "infinity") or is_expression(entry) for entry in entries
    )


def _number(text: str, name: str, line: int, entry: int) -> Any:
    try:
        if _INTEGER.fullmatch(text):
            return _integer(text)
        if _FRACTION.fullmatch(text):
            return Fraction(*map(_integer, text.split("/")))
        if _DECIMAL.fullmatch(text):
            return _decimal(text)
        if is_expression(text):
            return expression(text)
    except (ValueError, ArithmeticError):
        pass  # the same message for all of them
    raise InputError(
        f"{name}, line {line}, entry {entry} is {quote(text) if text else 'empty'}; expected an "
        f"integer, a decimal with an exponent below {_MOST_EXPONENT}, a fraction like 1/3, or a "
        f"number like sqrt(2)/2 (start lines of text with #).{_hint(text, entry)}"
    )


def _hint(text: str, entry: int) -> str:
    """What may be meant by an entry that is no number."""
    found = next((character for character in _SEPARATORS if character in text), None)
    if found:
        return f" Entries are separated by commas, semicolons or blanks, not by {found!r}."
    if any(blank in text for blank in _BLANKS):
        return " One separator is used throughout, and each row has a line of its own."
    if entry == 1 and _is_title([text]):
        return " If the first column holds names, leave it out."
    return ""


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError
    return int(text) if len(text) < 4300 else int(Decimal(text))


def _decimal(text: str) -> float | Fraction:
    """The nearest float64, or the number itself where that is 0 or infinite."""
    value = float(text)
    if value and math.isfinite(value):
        return value
    exact = Decimal(text)
    if not exact:
        return value
    if abs(exact.adjusted()) >= _MOST_EXPONENT:
        raise ValueError(text)
    return Fraction(exact)


def _array(rows: list[list[Any]]) -> NDArray[Any]:
    """Smallest exact array type: int64, float64, or Python numbers as objects."""
    kinds = {type(value) for row in rows for value in row}
    if kinds == {float}:
        return np.array(rows, np.float64)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for row in rows for value in row):
        return np.array(rows, np.int64)
    matrix = np.empty((len(rows), len(rows[0])), object)
    matrix[:] = rows
    return matrix


def check_output(path: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse an output name that cannot be written, before the work is done.

    Parameters
    ----------
    path : str or path-like
        A file to be written by `write_signs`, `write_rankings` or ``save``.
    *inputs : str or None
        Files that are read.

    Raises
    ------
    InputError
        If its extension is unknown, it cannot be written, or it is one of the inputs.
    """
    check_name(path)
    if Path(path).suffix.lower() not in WRITABLE:
        run = "" if Path(path).suffix else " (the folder of a run ends in /)"
        raise InputError(
            f"{quote_path(path)} has an unknown extension; expected {_or(WRITABLE)}{run}."
        )
    check_writable(path)
    check_no_input(path, *inputs)


def check_no_input(path: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse an output name that is one of the files that are read."""
    for name in inputs:
        if name is not None and os.path.exists(path) and os.path.exists(name):
            if os.path.samefile(path, name):
                raise InputError(f"{quote_path(path)} is an input, too; write to another file.")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `atomic_write` cannot write, before the work is done.

    Raises
    ------
    InputError
        If it is a folder or read-only, or if its folder is, or does not exist.
    """
    check_name(path)
    target = Path(os.path.realpath(path))
    problem = _unusable(target)
    if problem is not None:
        pass  # nor can the rest be asked
    elif not target.parent.is_dir():
        problem = "its folder does not exist"
    elif target.is_dir():
        problem = "it is a folder"
    elif target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        problem = "it is read-only"  # to everybody, the administrator too
    elif not _is_special(target) and not os.access(target.parent, os.W_OK):
        problem = "its folder is read-only"
    if problem is not None:
        raise InputError(f"cannot write {quote_path(path)}: {problem}.")


def _unusable(target: Path) -> str | None:
    """Why the system refuses a name, such as its length."""
    try:
        target.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        return str(error.strerror).lower()
    return None


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Whether it is a pipe, /dev/null or the like."""
    return os.path.exists(path) and not os.path.isfile(path)


# Temporary files that are being written.
_temporary: set[str] = set()


def remove_temporaries() -> None:
    """Remove what `atomic_write` is writing, when the process is about to end."""
    for path in tuple(_temporary):
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary binary file that replaces `path` when the block ends without error.

    Parameters
    ----------
    path : str or path-like
        The file to create or replace. It keeps its permissions. A symbolic link stays, and the
        file it names is replaced; a pipe or the like is written to.

    Yields
    ------
    binary file
        In the folder of `path`, so that the replacement is one atomic step. On an error, or on
        Ctrl-C, it is removed and `path` is as it was.

    Raises
    ------
    InputError
        As `check_writable`.
    """
    check_writable(path)
    target = os.path.realpath(path)
    if _is_special(target):
        with name_errors(path), open(target, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(target)
    # the beginning of the name will do, for names may have 255 bytes
    temporary = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(8)}")
    _temporary.add(temporary)
    try:
        with name_errors(path), open(temporary, "xb") as stream:
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            yield stream
        with name_errors(path):
            os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        _temporary.discard(temporary)


# A disk, a quota or a limit is full, or a disk is broken: such errors name no file.
_DISK_ERRORS = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def name_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors name the file that is written, not the temporary one, and a full disk, too."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is None and error.errno not in _DISK_ERRORS):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def sign_lines(signs: NDArray[np.int8]) -> bytes:
    r"""Sign vectors as lines of ``+`` and ``-``.

    Parameters
    ----------
    signs : (m, n) ndarray of int8
        Entries -1 and +1.

    Returns
    -------
    bytes
        m lines of n characters.

    Examples
    --------
    >>> sign_lines(np.array([[1, -1], [1, 1]], np.int8))
    b'+-\n++\n'
    """
    text = np.full((signs.shape[0], signs.shape[1] + 1), ord("\n"), np.uint8)
    text[:, :-1] = np.where(signs > 0, ord("+"), ord("-"))
    return text.tobytes()


def csv_lines(signs: NDArray[np.int8]) -> bytes:
    r"""Sign vectors as comma-separated lines of 1 and -1.

    Parameters
    ----------
    signs : (m, n) ndarray of int8
        Entries -1 and +1.

    Returns
    -------
    bytes
        m lines of n entries.

    Examples
    --------
    >>> csv_lines(np.array([[1, -1], [1, 1]], np.int8))
    b'1,-1\n1,1\n'
    """
    m, n = signs.shape
    text = np.full((m, max(2 * n, 1)), ord(","), np.uint8)
    text[:, 0 : 2 * n : 2] = np.where(signs > 0, ord("+"), ord("-"))
    text[:, -1] = ord("\n")
    return text.tobytes().replace(b"-", b"-1").replace(b"+", b"1")


# Zero bytes, and what ends a line for some reader, become blanks.
_BREAKS = dict.fromkeys(map(ord, "\0\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def ranking_lines(orders: NDArray[Any], names: Sequence[str], separator: str) -> bytes:
    r"""Rankings as lines of names, the best first.

    Parameters
    ----------
    orders : (m, k) ndarray of int
        Labels.
    names : sequence of str
        Name of each label, as it is to be written; line breaks in it become blanks.
    separator : str
        Between names.

    Returns
    -------
    bytes
        m lines in UTF-8.

    Examples
    --------
    >>> ranking_lines(np.array([[1, 0], [0, 1]]), ["a", "b"], " > ")
    b'b > a\na > b\n'
    """
    if not orders.shape[1]:
        return b"\n" * len(orders)
    plain = [name.translate(_BREAKS) for name in names]
    inner = [(name + separator).encode("utf-8") for name in plain]
    last = [(name + "\n").encode("utf-8") for name in plain]
    table = np.array([inner, last])  # padded with zero bytes, which are dropped in the end
    cells = table[(np.arange(orders.shape[1]) == orders.shape[1] - 1).astype(int), orders]
    return cells.tobytes().translate(None, b"\0")


def load_names(path: str | os.PathLike[str]) -> list[str]:
    """Read names of rows or labels from a text file, or the vocabulary of a tokenizer.

    Parameters
    ----------
    path : str or path-like
        One name per line, such as ``vocab.txt``; blank lines at the end do not count. Or a
        ``.json`` file: a list of names, an object of names with their numbers
        (``vocab.json``), the ``tokenizer.json`` of a tokenizer, with its added tokens, or the
        ``config.json`` of a model with ``id2label``. There a token of blanks only gets a name in
        double quotes.

    Returns
    -------
    list of str
        Name i is that of row i.

    Raises
    ------
    InputError
        If the file cannot be read, or two tokens have one number, or a number below the largest has
        none.

    Examples
    --------
    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "vocab.json")
    >>> with open(path, "w") as stream:
    ...     json.dump({"cat": 1, "[PAD]": 0}, stream)
    >>> load_names(path)
    ['[PAD]', 'cat']
    """
    check_name(path)
    if os.fspath(path).lower().endswith(".json"):
        return names_in_json(_content(path), quote_path(path))
    names = text_lines(path)
    while names and not names[-1].strip():
        names.pop()
    return names


def text_lines(path: str | os.PathLike[str]) -> list[str]:
    """Lines of a text file."""
    return _lines(_content(path), os.fspath(path))


def _content(path: str | os.PathLike[str]) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror}.") from error


def write_signs(path: str | os.PathLike[str], blocks: Iterable[_NamedBlock]) -> int:
    """Write blocks of sign vectors to a .txt or .csv file, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` holds a line such as ``+-+`` per chamber or, if rows have names, the names of those
        that are +, such as ``cat, bird``. ``.csv`` holds a line such as ``1,-1,1``.
    blocks : iterable of SignVectors
        As `iter_chambers` yields them; only one is held at a time.

    Returns
    -------
    int
        Number of lines written.
    """
    if _is_csv(path):
        return _write_lines(path, blocks, lambda block: csv_lines(block.to_array()))
    return _write_lines(path, blocks, text_signs)


def text_signs(block: _NamedBlock) -> bytes:
    """Sign vectors as text: with names of the rows, in each line the names of those that are +."""
    if not block.is_named:
        return sign_lines(block.to_array())
    names = written_names(block.label_names)
    lines = (", ".join(compress(names, row)) for row in (block.to_array() > 0).tolist())
    return "".join(f"{line}\n" for line in lines).encode()


def write_rankings(path: str | os.PathLike[str], blocks: Iterable[_NamedBlock]) -> int:
    """Write blocks of rankings to a .txt or .csv file, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` holds a line such as ``2 0 1`` or, if labels have names, ``cat > dog > bird``
        per ranking, ``.csv`` a line such as ``2,0,1``.
    blocks : iterable of Rankings
        As `iter_rankings` yields them; only one is held at a time.

    Returns
    -------
    int
        Number of lines written.
    """
    return _write_lines(path, blocks, _csv_rankings if _is_csv(path) else text_rankings)


def text_rankings(block: _NamedBlock) -> bytes:
    """Rankings as text, see `write_rankings`; indices stay readable by NumPy."""
    if not block.is_named:
        return ranking_lines(block.to_array(), block.label_names, " ")
    return ranking_lines(block.to_array(), written_names(block.label_names), " > ")


def _csv_rankings(block: _NamedBlock) -> bytes:
    names = _quoted(block.label_names) if block.is_named else block.label_names
    return ranking_lines(block.to_array(), names, ",")


def written_names(names: Iterable[str]) -> list[str]:
    r"""Names as they stand in text: as JSON strings where they could be misread.

    That is, if a name is empty, starts with ``#``, or has a ``>``, a comma, a double quote, a
    character that is not printed, or blanks other than single ones between words.

    Examples
    --------
    >>> written_names(["cat", "sea lion", "a > b", "  "])
    ['cat', 'sea lion', '"a > b"', '"  "']
    """
    return [
        name if _is_plain(name) else json.dumps(name, ensure_ascii=not name.isprintable())
        for name in names
    ]


def _is_plain(name: str) -> bool:
    words = name.isprintable() and name == " ".join(name.split())
    return words and name[:1] not in ("", "#") and not set(name) & set('>,"')


def _quoted(names: Sequence[str]) -> list[str]:
    return ['"' + name.replace('"', '""') + '"' for name in names]


def write_tops(
    path: str | os.PathLike[str], tops: NDArray[Any], names: Sequence[str] | None, ordered: bool
) -> None:
    """Write the labels, or sets or rankings of labels, that can be on top, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` as `text_tops`, ``.csv`` with commas, ``.npz`` with the arrays ``tops`` and, if
        labels have names, ``names``.
    tops : (m, k) ndarray of int
        Labels.
    names : sequence of str, optional
        Name of each label.
    ordered : bool
        Whether a row is a ranking, the best first, and not a set.
    """
    check_output(path)
    if Path(path).suffix.lower() == ".npz":
        members = {"tops": tops} | ({} if names is None else {"names": np.array(names)})
        with atomic_write(path) as stream:
            # mypy takes the members for the keyword allow_pickle; none of them has objects.
            np.savez(stream, **members)  # type: ignore[arg-type]
        return
    text = text_tops(tops, names, ordered)
    if _is_csv(path):
        text = ranking_lines(tops, _indices(tops) if names is None else _quoted(names), ",")
    with atomic_write(path) as stream:
        stream.write(text)


def text_tops(tops: NDArray[Any], names: Sequence[str] | None, ordered: bool) -> bytes:
    r"""Tops as lines: ``2 0``, or with names ``cat > bird`` if ordered and ``cat, bird`` if not.

    Examples
    --------
    >>> text_tops(np.array([[1, 0]]), ["a", "b"], ordered=True)
    b'b > a\n'
    """
    if names is None:
        return ranking_lines(tops, _indices(tops), " ")
    return ranking_lines(tops, written_names(names), " > " if ordered else ", ")


def _indices(tops: NDArray[Any]) -> list[str]:
    return list(map(str, range(int(tops.max(initial=0)) + 1)))


def _is_csv(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".csv"


def _write_lines(
    path: str | os.PathLike[str], blocks: "Iterable[Found]", lines: "Callable[[Found], bytes]"
) -> int:
    """Write the lines of each block, atomically; their number."""
    check_output(path)
    written = 0
    with atomic_write(path) as stream:
        for block in blocks:
            text = lines(block)
            stream.write(text)
            written += text.count(b"\n")
    return written
