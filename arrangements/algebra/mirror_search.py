"""Reflections that permute rows: the one with a given mirror, and all of them.

A reflection of R^d acts on rows (linear functions) by ``f -> f - f(v) a``, where a = 0 is its
mirror, v its direction and a(v) = 2. It moves a row along the line ``f + t a`` only, so the rows on
each of these lines, scaled to lie there, are reflected at their middle. That gives v.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import isqrt
from typing import Any

from arrangements.exact import linear
from arrangements.exact.numbers import primitive, quotient

Row = tuple[Any, ...]


def reflection_direction(mirror: Row, families: Sequence[Sequence[Row]]) -> Row | None:
    """Direction of the reflection that permutes the hyperplanes of each family; None without one.

    Parameters
    ----------
    mirror : tuple of exact numbers
        Not zero.
    families : sequences of rows
        None is zero. A family of one row keeps it.

    Returns
    -------
    tuple of exact numbers or None
        v with ``mirror(v) = 2``. Any other differs by a vector on which all rows and the mirror
        vanish.

    Examples
    --------
    >>> [int(e) for e in reflection_direction((1, -1), [[(1, 0), (0, 1), (1, 1)]])]
    [1, -1]
    >>> reflection_direction((1, -1), [[(1, 0), (0, 1)], [(1, 2)]]) is None
    True
    """
    sums: dict[Row, Any] = {}
    for rows in families:
        places: dict[Row, set[Any]] = {}
        for row in rows:
            line, place = _place(row, mirror)
            if line is not None:
                places.setdefault(line, set()).add(place)
        for line, found in places.items():
            total = min(found) + max(found)
            if {total - place for place in found} != found or sums.get(line, total) != total:
                return None
            sums[line] = total
    lines = [mirror, *sums]
    basis = linear.row_basis(lines)
    right: list[Any] = [2, *(-total for total in sums.values())]
    found_direction = _solution([lines[i] for i in basis], [right[i] for i in basis])
    holds = all(_value(line, found_direction) == e for line, e in zip(lines, right, strict=True))
    return found_direction if holds else None


def all_mirrors(rows: Sequence[Row], fixed: Row | None = None) -> list[Row]:
    """Mirrors of all reflections that permute the hyperplanes of the rows, and keep another.

    Parameters
    ----------
    rows : sequence of tuples of exact numbers
        None zero, no two proportional, none proportional to `fixed`.
    fixed : tuple, optional

    Returns
    -------
    list of tuple
        Primitive rows in the span of all rows. (Where a factor of rank 1 is exchanged with another,
        one of the reflections that do the same.)

    Notes
    -----
    Complete for rational rows. In coordinates of a basis of rows let s be a reflection whose mirror
    a is none of the rows. Does it move the hyperplanes of two rows i and j of the basis, to those
    of x and y, then a lies in span(i, x) and in span(j, y). If these planes differ, they meet in a.
    If both are span(i, j), a lies there as well; then a row outside of this plane moves by a
    multiple of a, or the two pairs determine the reflection within the plane, or i and j are
    exchanged, and a row that stays has opposite ratios to both. If s moves one row i of the basis
    only, all others vanish on v. Each candidate is checked exactly.

    Examples
    --------
    >>> sorted(all_mirrors([(1, 0), (0, 1), (1, 1)]))
    [(0, 1), (1, -1), (1, 0), (1, 1), (1, 2), (2, 1)]
    >>> sorted(all_mirrors([(1, 0), (0, 1)]))
    [(0, 1), (1, -1), (1, 0), (1, 1)]
    """
    every = [*([] if fixed is None else [fixed]), *rows]
    basis = [every[i] for i in linear.row_basis(every)]
    inverse = linear.inverse([[row[c] for c in linear.column_basis(basis)] for row in basis])
    assert inverse is not None  # the columns are independent
    columns = linear.column_basis(basis)
    narrow = linear.matrix_product([[row[c] for c in columns] for row in every], inverse)
    coordinates = [normal_row(row) for row in narrow]
    kept = None if fixed is None else basis.index(fixed)
    table = _Table(coordinates if fixed is None else coordinates[1:], len(basis), kept)
    found = [a for a in table.candidates() if table.is_mirror(a)]
    return [normal_row(linear.matrix_product([list(a)], basis)[0]) for a in found]


class _Table:
    """Rows in coordinates of r of them, which are unit vectors."""

    def __init__(self, rows: list[Row], r: int, kept: int | None) -> None:
        self.rows, self.r, self.kept = rows, r, kept
        self.moved = [i for i in range(r) if i != kept]
        self.all = set(rows)
        self.beside: list[dict[Row, list[Row]]] = [{} for _ in range(r)]
        for k, row in product(range(r), rows):
            self.beside[k].setdefault(normal_row(_without(row, k)), []).append(row)

    def candidates(self) -> set[Row]:
        """Every mirror, and more."""
        found = {*self.rows, *self._of_one()}
        for i, j in combinations(self.moved, 2):
            found.update(map(normal_row, self._of_two(i, j)))
        found.discard((0,) * self.r)
        return found

    def _of_two(self, i: int, j: int) -> Iterator[Row]:
        """Mirrors of reflections that move the rows i and j of the basis."""
        groups: dict[Row, list[Row]] = {}
        for row in self.rows:
            if row[i] and row[j]:
                yield tuple(row[i] * (k == i) - row[j] * (k == j) for k in range(self.r))
            groups.setdefault(normal_row(_without(row, i, j)), []).append(row)
        for key, group in groups.items():
            yield from (_of_two_planes if any(key) else _in_plane)(group, i, j)

    def _of_one(self) -> Iterator[Row]:
        """Mirrors of reflections whose direction is that of one coordinate."""
        for i, row in product(self.moved, self.rows):
            if row[i]:
                yield normal_row(_with(row, i, 2 * row[i]))

    def is_mirror(self, a: Row) -> bool:
        """Whether a reflection with this mirror permutes the rows."""
        v = [self._coordinate(a, k) for k in range(self.r)]
        if self.kept is not None and v[self.kept] or _value(a, v) != 2:
            return False
        return all(normal_row(_moved(row, a, _value(row, v))) in self.all for row in self.rows)

    def _coordinate(self, a: Row, k: int) -> Any:
        """Entry k of the direction, from the rows on the line of row k of the basis."""
        m = next((m for m in range(self.r) if m != k and a[m]), None)
        if m is None:
            return quotient(2, a[k])
        places = [0]
        for row in self.beside[k].get(normal_row(_without(a, k)), []):
            share = quotient(row[m], a[m])
            own = row[k] - share * a[k]
            if own:
                places.append(share / own)
        return -(min(places) + max(places))


def _of_two_planes(group: list[Row], i: int, j: int) -> Iterator[Row]:
    """Where span(i, x) meets span(j, y), and differences that lie in span(i, j)."""
    for x, y in product(group, repeat=2):
        if x is not y:
            m = next(m for m, e in enumerate(x) if e and m not in (i, j))
            ratio = quotient(x[m], y[m])
            yield _with(x, i, ratio * y[i])
            yield tuple(a - ratio * b for a, b in zip(x, y, strict=True))


def _in_plane(group: list[Row], i: int, j: int) -> Iterator[Row]:
    """Fixed points of involutions of the rows in span(i, j), by the images of two of them."""
    zero = (0,) * len(group[0])
    for x, y in product(group, repeat=2):
        for p, q, r in (
            (x[i] * y[j], -x[i] * y[i], x[j] * y[j]),  # i goes to x, and j to y
            (0, x[i] * y[i], x[j] * y[j]),  # i goes to j, and x to y
        ):
            root = _root(p * p + q * r)
            for value in () if root is None else (root, -root):
                for first, second in ((q, value - p), (value + p, r)):
                    yield _with(_with(zero, i, first), j, second)
    for sign in (1, -1) if len(group) == 2 else ():  # any length will do
        yield _with(_with(zero, i, 1), j, sign)


def _root(square: Any) -> Any:
    """The square root of a rational number, if it is rational."""
    if not isinstance(square, (int, Fraction)) or square < 0:
        return None
    above, below = isqrt(square.numerator), isqrt(square.denominator)
    exact = above**2 == square.numerator and below**2 == square.denominator
    return Fraction(above, below) if exact else None


def _place(row: Row, mirror: Row) -> tuple[Row | None, Any]:
    """The line ``base + t mirror`` of the row, up to its length, and t; None on the mirror."""
    k = next(k for k, e in enumerate(mirror) if e)
    trace = [e * mirror[k] - row[k] * a for e, a in zip(row, mirror, strict=True)]
    if not any(trace):
        return None, 0
    base = normal_row(trace)
    m = next(m for m, e in enumerate(base) if e)
    length = quotient(trace[m], base[m])  # of mirror[k] times the row
    return base, quotient(row[k], length)


def _solution(rows: list[Row], right: list[Any]) -> Row:
    found = linear.solve([[*row] for row in rows], right)
    assert found is not None  # the rows are independent
    return found


def _value(row: Iterable[Any], v: Iterable[Any]) -> Any:
    return sum(a * b for a, b in zip(row, v, strict=True))


def _moved(row: Row, a: Row, value: Any) -> Row:
    return tuple(e - value * c for e, c in zip(row, a, strict=True))


def _without(row: Row, *places: int) -> Row:
    return tuple(0 if k in places else e for k, e in enumerate(row))


def _with(row: Row, place: int, entry: Any) -> Row:
    return (*row[:place], entry, *row[place + 1 :])


def normal_row(row: Iterable[Any]) -> Row:
    """The primitive multiple with its first entry positive; zeros stay."""
    entries = list(row)
    first = next((e for e in entries if e), 0)
    if not first:
        return tuple(0 for _ in entries)
    return tuple(primitive(entries if first > 0 else [-e for e in entries]))
