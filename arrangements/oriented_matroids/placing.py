"""Vectors with a given chirotope, placed one after the other, at random in cells.

The first r are a basis, the unit vectors. Each further one lies in a cell, perhaps a flat one, of
the hyperplanes that r - 1 earlier ones span. If this cell is empty, earlier vectors take a random
walk in theirs, and the walk is tried again; after some steps everything begins anew in another
order. All numbers are integers, so nothing remains to be proved.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.feasibility.one_sign_vector import solve_by_cone_tests
from arrangements.oriented_matroids.chirotopes import Subset
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid

Row = list[int]

# Steps of the walk for one vector, before another order is tried.
_STEPS = 60
# Bits of coordinates that are tried for a point of a cell.
_SHORT = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


def place_vectors(M: OrientedMatroid, orders: int, rng: np.random.Generator) -> list[Row] | None:
    """Rows with the chirotope of M, up to one sign; None if no order of so many leads to them.

    M has no loops and no parallel elements.
    """
    lines = _dependent_flats(M)
    for _ in range(orders):
        placing = _Placing(M, _order(M, lines, rng), rng)
        if placing.place_all():
            return [placing.rows[e] for e in range(M.n)]
    return None


def _dependent_flats(M: OrientedMatroid) -> list[tuple[frozenset[int], frozenset[int], int]]:
    """Circuits of less than r + 1 elements, with the flats that they span and their ranks."""
    supports = {frozenset(np.flatnonzero(row).tolist()) for row in M.circuits()}
    small = [C for C in supports if len(C) <= M.rank]
    return [(C, frozenset(M.closure(sorted(C))), len(C) - 1) for C in small]


def _order(
    M: OrientedMatroid, flats: list[tuple[frozenset[int], frozenset[int], int]], rng: Any
) -> list[int]:
    """Elements, each on few flats of earlier ones; those of the first basis come first."""
    left, backwards = set(range(M.n)), []
    while left:
        inside = [entry for entry in flats if entry[0] <= left]
        numbers = {e: _excess(e, inside, M.rank) for e in left}
        least = min(numbers.values())
        e = int(rng.choice([e for e in sorted(left) if numbers[e] == least]))
        left.remove(e)
        backwards.append(e)
    order = backwards[::-1]
    first = M._basis_in(order)
    return [*first, *(e for e in order if e not in first)]


def _excess(e: int, flats: list[tuple[frozenset[int], frozenset[int], int]], r: int) -> int:
    """How many more conditions the flats are for an element than it has coordinates."""
    own = {flat: rank for circuit, flat, rank in flats if e in circuit}
    least = [flat for flat in own if not any(other < flat for other in own)]
    return max(0, sum(r - own[flat] for flat in least) - (r - 1))


class _Placing:
    """Vectors placed so far, and the normals of the hyperplanes that they span."""

    def __init__(self, M: OrientedMatroid, order: list[int], rng: np.random.Generator) -> None:
        self.M, self.order, self.rng = M, order, rng
        r = M.rank
        self.sign = M.sign(order[:r])
        self.rows: dict[int, Row] = {
            e: [int(i == k) for i in range(r)] for k, e in enumerate(order[:r])
        }
        self.normals: dict[Subset, Row] = {}

    def place_all(self) -> bool:
        return all(self._place(e) for e in self.order[self.M.rank :])

    def _place(self, e: int) -> bool:
        for _ in range(_STEPS):
            row = self._draw(e)
            if row is not None:
                self.rows[e] = row
                return True
            if not self._walk():
                return False
        return False

    def _walk(self) -> bool:
        """Move some vectors that can be moved; False if none can."""
        others = [e for e in self.rows if e not in self.order[: self.M.rank]]
        moved = False
        for e in self.rng.permutation(others).tolist():
            old = self.rows.pop(e)
            new = self._draw(e)
            self.rows[e] = old if new is None else new
            if self.rows[e] != old:
                moved = True
                self.normals = {T: row for T, row in self.normals.items() if e not in T}
        return moved

    def _draw(self, e: int) -> Row | None:
        """A random vector in the cell of e, or None if it is empty."""
        r = self.M.rank
        zero, strict = [], []
        for T in combinations(sorted(self.rows), r - 1):
            sign = self.sign * self.M.sign((*T, e))
            normal = self._normal(T)
            if not sign:
                zero.append(normal)
            else:
                strict.append([sign * a for a in normal])
        basis = (
            linear.nullspace(zero, r)
            if zero
            else [[int(i == j) for j in range(r)] for i in range(r)]
        )
        if not basis:
            return None
        inside = [
            [sum(a * x for a, x in zip(row, v, strict=True)) for v in basis] for row in strict
        ]
        found = _inner_point(inside, len(basis), self.rng)
        if found is None:
            return None
        columns = zip(*basis, strict=True)
        return primitive(
            [sum(y * a for y, a in zip(found, column, strict=True)) for column in columns]
        )

    def _normal(self, T: Subset) -> Row:
        """Values of the determinant of the vectors T and x, as a function of x."""
        if T not in self.normals:
            self.normals[T] = cofactors([self.rows[e] for e in T])
        return self.normals[T]


def cofactors(rows: list[Row]) -> Row:
    """The vector n with ``n @ x == det(rows, x)``.

    Examples
    --------
    >>> cofactors([[1, 0, 0], [0, 1, 0]])
    [0, 0, 1]
    """
    r = len(rows) + 1
    minors: dict[Subset, int] = {(): 1}
    for k, row in enumerate(rows, 1):
        minors = {
            C: sum(
                (-1) ** (k - 1 - i) * row[c] * minors[C[:i] + C[i + 1 :]] for i, c in enumerate(C)
            )
            for C in combinations(range(r), k)
        }
    return [(-1) ** (r - 1 - j) * minors[(*range(j), *range(j + 1, r))] for j in range(r)]


def _inner_point(rows: list[Row], dimension: int, rng: np.random.Generator) -> Row | None:
    """Random y with ``rows @ y > 0``, in few digits; None if there is none."""
    if dimension == 1:
        signs = {(row[0] > 0) - (row[0] < 0) for row in rows}
        return None if 0 in signs or len(signs) > 1 else [max(signs, default=1)]
    if not all(map(any, rows)):
        return None
    A = Arrangement(rows)
    point = solve_by_cone_tests(A, (1,) * len(rows)).point
    if point is None:
        return None
    return _short(rows, _stirred(rows, primitive(list(point)), rng))


def _stirred(rows: list[Row], y: Row, rng: np.random.Generator) -> Row:
    """Another point of the same cell, by random steps between its walls."""
    for _ in range(2 * len(y)):
        q = rng.integers(-8, 9, len(y)).tolist()
        if not any(q):
            continue
        far = 2 * Fraction(max(map(abs, y)), max(map(abs, q)))
        low, high = -far, far
        for row in rows:
            a = sum(x * c for x, c in zip(row, y, strict=True))
            b = sum(x * c for x, c in zip(row, q, strict=True))
            if b > 0:
                low = max(low, Fraction(-a, b))
            elif b < 0:
                high = min(high, Fraction(-a, b))
        step = low + (high - low) * Fraction(int(rng.integers(1, 64)), 64)
        y = primitive([c + step * x for c, x in zip(y, q, strict=True)])
    return y


def _short(rows: list[Row], y: Row) -> Row:
    """The same point, or one with fewer digits in the same cell."""
    size = max(map(abs, y))
    for bits in _SHORT:
        near = [(2 * c * 2**bits + size) // (2 * size) for c in y]
        if all(sum(a * x for a, x in zip(row, near, strict=True)) > 0 for row in rows):
            return [c // gcd(*near) for c in near]
    return y
