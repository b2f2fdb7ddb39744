"""Sporadic simplicial arrangements of lines, from a table in the package."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from arrangements.core.arrangement import Arrangement
from arrangements.exact.number_field import field_of_root

_TABLE = Path(__file__).parents[1] / "data" / "simplicial_lines.txt"
# Of theta: its polynomial, and how many real roots are smaller.
_FIELDS: dict[str, tuple[tuple[int, ...], int]] = {
    "phi": ((-1, -1, 1), 1),
    "sqrt(2)": ((-2, 0, 1), 1),
    "sqrt(3)": ((-3, 0, 1), 1),
    "rho": ((-25, -3, 0, 1), 0),
    "gamma": ((1, -3, 3, -3, 1), 0),
}


def sporadic(n: int, k: int) -> Arrangement | None:
    """A(n, k) of the table; None if it has none.

    Examples
    --------
    >>> sporadic(7, 1), sporadic(7, 2)
    (Arrangement(7 hyperplanes in dimension 3, central), None)
    """
    if (n, k) not in _lines():
        return None
    name, rows = _lines()[n, k]
    return Arrangement([[_number(name, entry) for entry in row.split(",")] for row in rows])


def numbers_of(n: int) -> Iterator[int]:
    """The k of the arrangements A(n, k) in the table.

    Examples
    --------
    >>> list(numbers_of(10)), list(numbers_of(11))
    ([2, 3], [1])
    """
    return (k for lines, k in _lines() if lines == n)


@cache
def _lines() -> dict[tuple[int, int], tuple[str, list[str]]]:
    """For each (n, k) the name of the field, and the rows as text."""
    found = {}
    for line in _TABLE.read_text("ascii").splitlines():
        if line and not line.startswith("#"):
            n, k, name, *rows = line.split()
            found[int(n), int(k)] = name, rows
    return found


def _number(name: str, entry: str) -> Any:
    """The number with these coefficients of the powers of theta."""
    coefficients = [int(c) for c in entry.split(":")]
    if len(coefficients) == 1:
        return coefficients[0]
    return field_of_root(*_FIELDS[name], name)(coefficients)
