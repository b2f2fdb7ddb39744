"""Exact numbers in rows of text.

``3`` is an integer, ``1/3`` a fraction, and ``0.1`` or ``1e-3`` the nearest float64, as in Python.
Where that would be 0 or infinite, as for ``1e-400``, the decimal number itself is read.
``sqrt(2)/2`` is that irrational number. Lines end at a newline.
"""

import math
import os
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rounding import infer_print_format, with_print_format
from arrangements.errors import InputError
from arrangements.execution.progress import while_reading
from arrangements.files.expressions import expression, is_expression
from arrangements.files.paths import read_bytes
from arrangements.messages import quote

TextRows = list[tuple[int, list[str]]]
ROWS = "one row per hyperplane or label"
# What may stand in the first line instead of numbers: names of the columns.
_TITLE = re.compile(r"[^\W\d].*")
# Characters that others separate entries by.
_SEPARATORS = "|:&"
# Python turns text into an integer only up to 4300 digits; more than these take long.
_MOST_DIGITS = 100_000
INTEGER = re.compile(r"[+-]?[0-9]+")
_FRACTION = re.compile(r"[+-]?[0-9]+/[0-9]+")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
# Decimals that are no integers, one a line.
_POINT = r"[+-]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)"
_DECIMALS = re.compile(f"{_POINT}(?:\n{_POINT})*+")
# Of a decimal that float64 cannot hold; written out, its digits stay below Python's own cap.
_MOST_EXPONENT = 4300
_BLANKS = " \t"
# An entry in double quotes, which stands for itself whatever is in it, and its place meanwhile.
_QUOTED = re.compile(r'(?<![^\s,;])"(?:[^"]|"")*"(?![^\s,;])')
_HIDDEN = "\0"


class TextTable(NamedTuple):
    """Rows of text with their line numbers, and what is written beside the numbers.

    Attributes
    ----------
    titles : list of str or None
        Names of the columns, if the first line has some.
    rows : list of (int, list of str)
    names : list of str or None
        Of the rows, if the first column has some.
    unread : int or None
        0 if the first column holds names, or numbers under an empty title.
    """

    titles: list[str] | None
    rows: TextRows
    names: list[str] | None
    unread: int | None


def parse_matrix(content: bytes, name: str) -> tuple[NDArray[Any], list[str] | None]:
    """The matrix in a text, which knows to how many digits it was printed, and names of rows."""
    table = parse_rows(content, name)
    matrix = parse_numbers(table.rows, name, table.unread)
    entries = (entry for _, row in table.rows for entry in row)
    printed = infer_print_format(entry for entry in entries if DECIMAL.fullmatch(entry))
    return (matrix if printed is None else with_print_format(matrix, printed)), table.names


def parse_rows(content: bytes, name: str) -> TextTable:
    """Rows of text, names of the columns in the first line, and names in the first column.

    Names of rows are a first column of words, or, as pandas writes its index, what stands under
    an empty title; there 0, 1, .. are no names.
    """
    lines = _split_lines(content, name)
    table = [(number, _split_entries(line, name, number)) for number, line in enumerate(lines, 1)]
    table = [(number, entries) for number, entries in table if entries]
    if len(table) > 1 and lines[table[0][0] - 1].startswith("\t"):
        if len(table[0][1]) + 1 == len(table[1][1]):  # between tabs the title of an index is empty
            table[0][1].insert(0, "")
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
    if len(table) > 1 and (_is_title(table[0][1]) or _has_index(table[0][1])):
        titles, table = table[0][1], table[1:]
    if not table:
        raise InputError(f"{name} holds no numbers; expected {ROWS}.")
    if titles is None:
        _warn_of_titles(table, name)
    first = [entries[0] for _, entries in table]
    unnamed = titles is not None and (not titles[0] or _is_counted(titles[1:]))
    named = all(entry.isprintable() for entry in first) and _is_title(first)
    if len(table[0][1]) < 2 or not (unnamed or named):
        return TextTable(titles, table, None, None)
    numbered = unnamed and _is_counted(first)
    return TextTable(titles, table, None if numbered else first, 0)


def _has_index(entries: list[str]) -> bool:
    """Whether these are titles as pandas writes them above its index.

    That of the index is empty, or it is a word and the others are 0, 1, ..
    """
    if len(entries) < 2 or not all(entries[1:]):
        return False
    return not entries[0] or (_is_title(entries[:1]) and _is_counted(entries[1:]))


def _is_counted(entries: list[str]) -> bool:
    """Whether these are 0, 1, .., as pandas calls columns and rows."""
    return entries == [str(i) for i in range(len(entries))]


def _warn_of_titles(table: TextRows, name: str) -> None:
    """Warn of a first row 0, 1, 2, .. above rows of decimals, which may be titles."""
    (number, first), *others = table
    decimals = all("." in "".join(entries) for _, entries in others)
    if others and len(first) > 2 and _is_counted(first) and decimals:
        warnings.warn(
            f"{name}, line {number} is 0, 1, 2, ..: it is taken for a row. If these are titles of "
            "columns, leave them out (in pandas header=False).",
            stacklevel=2,
        )


def parse_numbers(table: TextRows, name: str, without: int | None = None) -> NDArray[Any]:
    """The numbers in rows of text, but for those of one column."""
    rows = while_reading(table, len(table), "lines")
    return _smallest_array([_parse_row(entries, name, number, without) for number, entries in rows])


def _parse_row(entries: list[str], name: str, number: int, without: int | None) -> list[Any]:
    """The numbers of one line; as a rule all of them are decimals, which one pattern tells."""
    kept = [text for k, text in enumerate(entries) if k != without]
    if _DECIMALS.fullmatch("\n".join(kept)):
        values = list(map(float, kept))
        if all(values) and all(map(math.isfinite, values)):
            return values
    return [
        _parse_number(text, name, number, k)
        for k, text in enumerate(entries, 1)
        if k - 1 != without
    ]


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """Lines of a text file."""
    return _split_lines(read_bytes(path), os.fspath(path))


def _split_lines(content: bytes, name: str) -> list[str]:
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


def _split_entries(line: str, name: str, number: int) -> list[str]:
    """Entries of a line; between commas an entry may be empty, between blanks it cannot."""
    if '"' not in line or _HIDDEN in line:
        return _split(line, name, number)
    quoted = iter(_QUOTED.findall(line))

    def restore(entry: str) -> str:
        if entry == _HIDDEN:
            return next(quoted)[1:-1].replace('""', '"').strip(_BLANKS)
        return re.sub(_HIDDEN, lambda _: next(quoted), entry)

    return [restore(entry) for entry in _split(_QUOTED.sub(_HIDDEN, line), name, number)]


def _split(line: str, name: str, number: int) -> list[str]:
    """Entries of a line in which those in quotes are hidden."""
    text = line.partition("#")[0].strip(_BLANKS)
    if "," in text and ";" in text:
        raise InputError(
            f"{name}, line {number} has commas and semicolons; expected one of them between "
            "entries, and decimal points."
        )
    separator = next((character for character in ",;" if character in text), None)
    if separator is None:
        return re.split(f"[{_BLANKS}]+", text) if text else []
    return [entry.strip(_BLANKS) for entry in text.split(separator)]


def _is_title(entries: list[str]) -> bool:
    """Whether these are names of columns: words that nobody writes for a number."""
    words = all(_TITLE.fullmatch(entry) for entry in entries)
    return words and not any(
        entry.lower() in ("nan", "inf", "infinity") or is_expression(entry) for entry in entries
    )


def _parse_number(text: str, name: str, line: int, entry: int) -> Any:
    try:
        if INTEGER.fullmatch(text):
            return _parse_integer(text)
        if _FRACTION.fullmatch(text):
            return Fraction(*map(_parse_integer, text.split("/")))
        if DECIMAL.fullmatch(text):
            return _parse_decimal(text)
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
        return " Names stand in the first column of all rows, or of none."
    return ""


def _parse_integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError
    return int(text) if len(text) < 4300 else int(Decimal(text))


def _parse_decimal(text: str) -> float | Fraction:
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


def _smallest_array(rows: list[list[Any]]) -> NDArray[Any]:
    """Smallest exact array type: int64, float64, or Python numbers as objects."""
    kinds = {type(value) for row in rows for value in row}
    if kinds == {float}:
        return np.array(rows, np.float64)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for row in rows for value in row):
        return np.array(rows, np.int64)
    matrix = np.empty((len(rows), len(rows[0])), object)
    matrix[:] = rows
    return matrix
