"""Matrices in the JSON files of polymake and OSCAR."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.errors import ArrangementError, InputError
from arrangements.exact import numbers
from arrangements.exchange.forms import check_text
from arrangements.exchange.polynomials import parse_integer
from arrangements.execution.limits import check_bytes
from arrangements.messages import quote

_MOST_COLUMNS = 10**6


def homogeneous_rows(A: Arrangement) -> list[list[Any]]:
    """Exact rows, with the offset first if the arrangement is affine."""
    rows = [numbers.fractions(row) for row in numbers.append_column(A.normals, A.offsets)]
    return [list(row[:-1]) if A.is_central else [row[-1], *row[:-1]] for row in rows]


def load_json(text: str) -> dict[str, Any]:
    """The object that a JSON file holds."""
    check_text(text)
    data = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError
    return data


@contextmanager
def reading(system: str, text: object) -> Iterator[None]:
    """Say that a text is not such a file, whatever goes wrong while it is read."""
    try:
        yield
    except ArrangementError:
        raise
    except Exception as error:
        raise InputError(
            f"{quote(text)} cannot be read; expected the text of a JSON file of {system}."
        ) from error


def read_rows(
    data: Any, read: Callable[[Any], Any], columns: int | None = None
) -> tuple[list[list[Any]], int]:
    """Rows of a matrix, dense or sparse, and the number of columns, which may be known."""
    rows = list(data)
    if rows and isinstance(rows[-1], dict) and "cols" in rows[-1]:
        columns = int(rows.pop()["cols"])
    d = len(rows[0]) if columns is None and rows else columns or 0
    if not 0 <= d <= _MOST_COLUMNS:
        raise ValueError
    if not all(isinstance(row, list) for row in rows):
        check_bytes(f"{len(rows)} rows of {d} columns", 64 * len(rows) * d)
        keys = list(map(str, range(d)))
        if columns is None or any(row.keys() - keys for row in rows):
            raise ValueError
        rows = [[row.get(key, "0") for key in keys] for row in rows]
    if any(len(row) != d for row in rows):
        raise ValueError
    return [[read(entry) for entry in row] for row in rows], d


def arrangement_of_rows(
    rows: list[list[Any]], d: int, affine: bool, labels: Any = None
) -> Arrangement:
    """Arrangement of rows, homogeneous ones if it is affine."""
    matrix = np.empty((len(rows), d), object)
    for i, row in enumerate(rows):
        matrix[i] = row
    if not affine:
        return Arrangement(matrix, labels=labels)
    return Arrangement(matrix[:, 1:], matrix[:, 0], labels)


def read_rational(entry: Any) -> Fraction:
    """A number such as "-1/2", of polymake, or "-1//2", of OSCAR."""
    if isinstance(entry, (int, float)):
        return Fraction(entry)
    found = re.fullmatch("(-?[0-9]+)(?://?([0-9]+))?", entry)
    if found is None:
        raise ValueError
    return Fraction(parse_integer(found[1]), parse_integer(found[2] or "1"))
