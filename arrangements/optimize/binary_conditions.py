"""Linear conditions on vectors of signs, or of 0 and 1, in integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from arrangements.checks import check_integer
from arrangements.errors import InputError
from arrangements.exact.numbers import fractions, negative, times_common_denominator
from arrangements.messages import quote
from arrangements.polyhedra.reading import read_equations, read_polyhedron


class Condition(NamedTuple):
    """``low <= row @ s <= high`` for signs s; None is no end."""

    row: tuple[int, ...]
    low: int | None
    high: int | None


@dataclass(frozen=True)
class _Space:
    """The space of vectors x."""

    dimension: int


def read_conditions(
    n: int, zero_one: bool, ones: Any, equations: Any, within: Any
) -> list[Condition]:
    """The conditions that the arguments of these names mean for n entries.

    zero_one : whether the entries are 0 and 1, and signs stand for them

    Examples
    --------
    >>> read_conditions(3, True, 1, ([[1, 2, 0]], [2]), None)
    [Condition(row=(1, 1, 1), low=-1, high=-1), Condition(row=(1, 2, 0), low=1, high=1)]
    """
    found = []
    if ones is not None:
        least, most = _read_ones(ones, n)
        found.append(Condition((1,) * n, 2 * least - n, 2 * most - n))
    if equations is not None:
        E = read_equations(equations, _Space(n))
        right = [0] * len(E) if E.offsets is None else negative(E.offsets)
        found += [Condition(row, end, end) for row, end in _rows(E.normals, right, zero_one)]
    if within is not None:
        P = read_polyhedron(within, _Space(n))
        found += [Condition(row, None, end) for row, end in _rows(*P.inequalities, zero_one)]
        found += [Condition(row, end, end) for row, end in _rows(*P.equations, zero_one)]
    return found


def _read_ones(ones: Any, n: int) -> tuple[int, int]:
    if not isinstance(ones, tuple | list):
        number = check_integer("ones", ones, 0, n, of="the number of entries")
        return number, number
    if len(ones) != 2:
        raise InputError(f"ones is {quote(ones)}; expected an integer or a pair (least, most).")
    least = check_integer("ones[0]", ones[0], 0, n, of="the number of entries")
    most = check_integer("ones[1]", ones[1], 0, n, of="the number of entries")
    if least > most:
        raise InputError(f"ones is {quote(ones)}; expected the smaller number first.")
    return least, most


def _rows(left: Any, right: Any, zero_one: bool) -> Iterator[tuple[tuple[int, ...], int]]:
    """Rows and right sides in integers, of conditions on signs."""
    for row, end in zip(left, right, strict=True):
        [[*entries, value]], _ = times_common_denominator([[*fractions(row), Fraction(end)]])
        # x = (s + 1) / 2
        yield tuple(entries), 2 * value - sum(entries) if zero_one else value
