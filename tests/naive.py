"""Slow exact answers to compare with: integers only, no linear programs, nothing of the package.

Adding a hyperplane H to an arrangement splits exactly the chambers that H meets, and the
pieces of H inside them are the chambers of the restriction to H. So the chambers of n
hyperplanes in R^d follow from those of n - 1 in R^d and of n - 1 in R^(d-1): no chamber is
ever guessed and tested. Every chamber carries an exact interior point.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import gcd, lcm
from typing import Any

Signs = tuple[int, ...]
Row = tuple[int, ...]  # normal entries followed by the offset
Point = tuple[int, ...]  # numerators followed by their common positive denominator


def fraction(value: Any) -> Fraction:
    """The exact number that `value` is: an int, any float, a Fraction or a SymPy rational."""
    if hasattr(value, "as_integer_ratio"):
        return Fraction(*(int(part) for part in value.as_integer_ratio()))
    if hasattr(value, "p") and hasattr(value, "q"):
        return Fraction(int(value.p), int(value.q))
    return Fraction(int(value))


def integer_row(entries: Iterable[Any]) -> Row:
    """Positive multiple of `entries` with coprime integer entries."""
    exact = [fraction(value) for value in entries]
    scale = lcm(*(value.denominator for value in exact))
    return _primitive([int(value * scale) for value in exact])


def integer_rows(W: Any, offsets: Any = None) -> list[Row]:
    """Rows ``(w_i, b_i)`` as coprime integers."""
    normals = [list(row) for row in W]
    constants = [0] * len(normals) if offsets is None else list(offsets)
    return [integer_row([*row, b]) for row, b in zip(normals, constants, strict=True)]


def _primitive(row: Sequence[int]) -> Row:
    divisor = gcd(*row)
    return tuple(row) if divisor <= 1 else tuple(value // divisor for value in row)


def _value(row: Row, point: Point) -> int:
    """Value of the row at the point, times the point's positive denominator."""
    return sum(a * x for a, x in zip(row, point, strict=True))


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)


def _restrict(row: Row, wall: Row, pivot: int) -> Row:
    """`row` on the hyperplane `wall`, in the coordinates other than `pivot`; positively scaled."""
    a, b = abs(wall[pivot]), row[pivot] * _sign(wall[pivot])
    mixed = [a * r - b * w for r, w in zip(row, wall, strict=True)]
    return _primitive(mixed[:pivot] + mixed[pivot + 1 :])


def _lift(point: Point, wall: Row, pivot: int) -> Point:
    """The point of `wall` whose coordinates other than `pivot` are given."""
    rest = wall[:pivot] + wall[pivot + 1 :]
    scale, across = abs(wall[pivot]), -_value(rest, point) * _sign(wall[pivot])
    scaled = [scale * x for x in point]
    return _primitive([*scaled[:pivot], across, *scaled[pivot:]])


def _step(point: Point, wall: Row, side: int, others: Sequence[Row]) -> Point:
    """A point on one side of `wall`, so close to `point` that it crosses no other row."""
    direction = (*wall[:-1], 0)
    q = point[-1]
    reach = [abs(_value(r, direction)) * q // abs(_value(r, point)) for r in others]
    m = max(reach, default=0) + 1  # step length 1 / m along the normal
    return _primitive(
        [m * x + side * q * w for x, w in zip(point[:-1], wall, strict=False)] + [m * q]
    )


def _chambers(rows: Sequence[Row]) -> dict[Signs, Point]:
    """Sign vector -> interior point, for rows (normal, offset) of one length."""
    dimension = len(rows[0]) - 1
    found: dict[Signs, Point] = {(): (0,) * dimension + (1,)}
    for k, row in enumerate(rows):
        pivot = next((j for j in range(dimension) if row[j]), None)
        if pivot is None:  # constant row: one sign everywhere, or no chamber at all
            found = {(*s, _sign(row[-1])): p for s, p in found.items()} if row[-1] else {}
            continue
        if k == 0:
            cut = {(): (0,) * (dimension - 1) + (1,)}
        else:
            cut = _chambers([_restrict(other, row, pivot) for other in rows[:k]])
        grown: dict[Signs, Point] = {}
        for signs, point in found.items():
            if signs in cut:
                foot = _lift(cut[signs], row, pivot)
                for side in (-1, 1):
                    grown[(*signs, side)] = _step(foot, row, side, rows[:k])
            else:
                grown[(*signs, _sign(_value(row, point)))] = point
        found = grown
    return found


def witnesses(W: Any, offsets: Any = None) -> dict[Signs, tuple[Fraction, ...]]:
    """Sign vectors of ``W x + offsets`` with an exact interior point of each."""
    rows = integer_rows(W, offsets)
    return {s: tuple(Fraction(x, p[-1]) for x in p[:-1]) for s, p in _chambers(rows).items()}


def chambers(W: Any, offsets: Any = None) -> set[Signs]:
    """All sign vectors of ``W x + offsets`` without a zero."""
    return set(_chambers(integer_rows(W, offsets)))


def signs_at(W: Any, offsets: Any, point: Sequence[Any]) -> Signs:
    """Exact signs of ``W x + offsets`` at one point (entries -1, 0, 1)."""
    scaled = integer_row([*point, 1])
    return tuple(_sign(_value(row, scaled)) for row in integer_rows(W, offsets))


def covectors(W: Any, offsets: Any = None) -> dict[Signs, int]:
    """Sign vectors of all faces, with zeros -> dimension: chambers of all restrictions."""
    rows = integer_rows(W, offsets)
    found: dict[Signs, int] = {}
    seen: set[Signs] = set()
    stack = [rows]
    while stack:
        rows = stack.pop()
        zeros = tuple(int(any(row)) for row in rows)
        if zeros in seen:
            continue
        seen.add(zeros)
        dimension = len(rows[0]) - 1
        live = [row for row in rows if any(row)]
        for signs in _chambers(live) if live else [()]:
            rest = iter(signs)
            found[tuple(next(rest) if z else 0 for z in zeros)] = dimension
        for wall in live:
            pivot = next((j for j in range(dimension) if wall[j]), None)
            if pivot is not None:
                stack.append([_restrict(row, wall, pivot) for row in rows])
    return found


def flats_of(faces: dict[Signs, int]) -> dict[tuple[int, ...], int]:
    """Sets of all hyperplanes that contain some face -> dimension."""
    return {tuple(i for i, s in enumerate(f) if not s): d for f, d in faces.items()}


def bounded(W: Any, offsets: Any = None) -> set[Signs]:
    """Chambers whose closure contains no direction in which a normal is not constant."""
    normals = [row[:-1] for row in integer_rows(W, offsets)]
    directions = [signs for signs in covectors(normals) if any(signs)]
    return {
        chamber
        for chamber in chambers(W, offsets)
        if not any(
            all(y in (0, s) for y, s in zip(direction, chamber, strict=True))
            for direction in directions
        )
    }


def _hyperplane(row: Row) -> Row:
    """The same row for r and -r."""
    first = next(value for value in row if value)
    return row if first > 0 else tuple(-value for value in row)


@cache
def _charpoly(rows: frozenset[Row], dimension: int) -> tuple[int, ...]:
    """Characteristic polynomial of distinct hyperplanes, coefficients ascending."""
    if not rows:
        return (0,) * dimension + (1,)
    row = max(rows)  # any row is right; a fixed choice lets the memo find repeated restrictions
    rest = rows - {row}
    pivot = next(j for j in range(dimension) if row[j])
    images = [_restrict(other, row, pivot) for other in rest]
    traces = frozenset(_hyperplane(image) for image in images if any(image[:-1]))
    deletion, restriction = _charpoly(rest, dimension), _charpoly(traces, dimension - 1)
    return tuple(a - b for a, b in zip(deletion, (*restriction, 0), strict=True))


def characteristic_polynomial(W: Any, offsets: Any = None) -> tuple[int, ...]:
    """Deletion-restriction on distinct hyperplanes; coefficients ascending."""
    rows = integer_rows(W, offsets)
    if not all(any(row) for row in rows):
        return (0,) * len(rows[0])
    distinct = frozenset(_hyperplane(row) for row in rows if any(row[:-1]))
    return _charpoly(distinct, len(rows[0]) - 1)


def count(W: Any, offsets: Any = None) -> int:
    """Number of chambers, |chi(-1)| (Zaslavsky 1975)."""
    return abs(sum(c * (-1) ** k for k, c in enumerate(characteristic_polynomial(W, offsets))))


def generic_count(n: int, d: int, *, affine: bool = False) -> int:
    """Chambers of n generic hyperplanes in R^d, d >= 1: closed form."""
    if affine:
        return sum(_binomial(n, k) for k in range(d + 1))
    return 2 * sum(_binomial(n - 1, k) for k in range(d))


def _binomial(n: int, k: int) -> int:
    value = 1
    for j in range(k):
        value = value * (n - j) // (j + 1)
    return value


@cache
def cover(n: int, d: int) -> int:
    """Rankings of n generic points by a linear functional in R^d (Cover 1967)."""
    if n == 1:
        return 1
    if d == 1 or n == 2:
        return 2
    return cover(n - 1, d) + (n - 1) * cover(n - 1, d - 1)


def positive_somewhere(rows: Sequence[Row]) -> bool:
    """Whether some x makes every ``row[:-1] . x + row[-1]`` positive: Fourier-Motzkin."""
    while rows and len(rows[0]) > 1:
        up, down = [r for r in rows if r[0] > 0], [r for r in rows if r[0] < 0]
        crossed = [
            _primitive([p[0] * b - q[0] * a for a, b in zip(p[1:], q[1:], strict=True)])
            for p in up
            for q in down
        ]
        rows = [r[1:] for r in rows if not r[0]] + crossed
    return all(row[0] > 0 for row in rows)


def rankings(W: Any, offsets: Any = None) -> set[tuple[int, ...]]:
    """All permutations of the labels, best first, by which some x orders ``W x + offsets``."""
    scores = [[fraction(value) for value in row] for row in W]
    constants = [0] * len(scores) if offsets is None else [fraction(b) for b in offsets]
    labels = [[*row, b] for row, b in zip(scores, constants, strict=True)]
    return {
        order
        for order in permutations(range(len(labels)))
        if positive_somewhere(
            [
                integer_row(a - b for a, b in zip(labels[i], labels[j], strict=True))
                for i, j in zip(order, order[1:], strict=False)
            ]
        )
    }


def order_at(W: Any, offsets: Any, point: Sequence[Any]) -> tuple[int, ...] | None:
    """Labels by decreasing score at one point; None if two tie there."""
    constants = [0] * len(W) if offsets is None else offsets
    values = [
        sum(fraction(w) * x for w, x in zip(row, point, strict=True)) + fraction(b)
        for row, b in zip(W, constants, strict=True)
    ]
    if len(set(values)) < len(values):
        return None
    return tuple(sorted(range(len(values)), key=lambda i: -values[i]))
