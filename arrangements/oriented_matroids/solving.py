"""Vectors with a given chirotope whose coordinates are algebraic numbers.

A basis becomes the unit vectors, and a spanning forest of the other entries, whose signs are known,
becomes 1 and -1. Least squares in floating point solves the equations that the zeros of the
chirotope are, with the inequalities of its signs; coordinates that remain free become fractions.
The solution is refined to hundreds of bits, its numbers are recognized in a number field by lattice
reduction, and an exact computation says whether the vectors found so have the chirotope.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from networkx import Graph, minimum_spanning_edges
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.number_field import NumberField
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid

Floats = NDArray[np.float64]

# Bits of the coordinates, and how many of them are to be left when a number is recognized.
_BITS, _SPARE = 1024, 128
# The largest degree of a field that is looked for.
_MOST_DEGREE = 12
# How far from zero the minors are to be that have a sign, in turn.
_APART = (1e-2, 1e-3, 1e-4)
# Beyond so many minors a start would take minutes.
_MOST_MINORS = 5000
_CLOSE = 1e-9


def solve_vectors(M: OrientedMatroid, starts: int, rng: np.random.Generator) -> list[Any] | None:
    """Rows with the chirotope of M, up to one sign, of numbers of one field, or None.

    Examples
    --------
    >>> from arrangements import generators
    >>> M = OrientedMatroid.from_matrix(generators.simplicial(10))     # of a pentagon
    >>> rows = solve_vectors(M, 9, np.random.default_rng(0))
    >>> OrientedMatroid.from_matrix(rows) == M
    True
    """
    if M.chirotope.all() or len(M.chirotope) > _MOST_MINORS:
        return None  # without zeros, vectors of integers meet the conditions if any do
    for start in range(starts):
        system = _System(M, rng.choice(M.chirotope.nonzero()[0]))
        x = system.solve(rng, _APART[start % len(_APART)])
        if x is None:
            continue
        numbers = system.refine(x)
        found = None if numbers is None else _recognize(numbers)
        if found is not None:
            rows = system.rows(found)
            if OrientedMatroid.from_matrix(rows) == M:
                return rows
    return None


class _System:
    """Entries of the vectors that are to be found, and the minors that are to have signs."""

    def __init__(self, M: OrientedMatroid, first: int) -> None:
        self.subsets = np.array(list(combinations(range(M.n), M.rank)))
        basis = self.subsets[first].tolist()
        self.signs = M.chirotope.astype(float) * M.sign(basis)
        self.table = np.zeros((M.n, M.rank))
        self.table[list(basis)] = np.eye(M.rank)
        graph = Graph()
        for e in sorted({*range(M.n)} - {*basis}):
            for i in range(M.rank):
                sign = M.sign((*basis[:i], e, *basis[i + 1 :])) * M.sign(basis)
                self.table[e, i] = sign
                if sign:
                    graph.add_edge(("row", e), ("column", i), place=(e, i))
        fixed = {data["place"] for *_, data in minimum_spanning_edges(graph)}
        places = (data["place"] for *_, data in graph.edges(data=True))
        self.places = sorted(place for place in places if place not in fixed)
        rows, columns = zip(*self.places, strict=True) if self.places else ((), ())
        self.at = list(rows), list(columns)
        self.own = self.table[self.at]

    def minors(self, x: Floats) -> Floats:
        """All maximal minors of the vectors with these entries."""
        table = self.table.copy()
        table[self.at] = x
        return np.asarray(np.linalg.det(table[self.subsets]))

    def solve(self, rng: np.random.Generator, apart: float) -> Floats | None:
        """Entries that nearly meet the equations, and all inequalities; None if none are found."""
        from scipy.optimize import least_squares  # loads slowly

        zero, x = self.signs == 0, self.own

        def errors(y: Floats) -> Floats:
            minors = self.minors(self.own * np.exp(y))
            return np.where(zero, minors, np.minimum(self.signs * minors - apart, 0))

        if len(x):
            with np.errstate(all="ignore"):  # steps that are too long are taken back
                x = x * np.exp(least_squares(errors, rng.normal(size=len(x)), max_nfev=60).x)
        if not np.isfinite(x).all():
            return None
        minors = self.minors(x)
        return x if (np.abs(minors[zero]) < _CLOSE).all() and self._fits(minors) else None

    def _fits(self, minors: Floats) -> bool:
        return bool((self.signs * minors > _CLOSE)[self.signs != 0].all())

    def refine(self, x: Floats) -> list[int] | None:
        """Entries times ``2**_BITS``, which meet the equations nearly to the last bit, or None."""
        from scipy.linalg import qr  # loads slowly

        slopes = self._slopes(x)[self.signs == 0]
        bound, free, equations = np.arange(0), np.arange(len(x)), np.arange(0)
        if slopes.any():
            _, triangle, columns = qr(slopes, mode="economic", pivoting=True)
            sizes = np.abs(np.diag(triangle))
            rank = int((sizes > 1e-7 * sizes.max()).sum())
            bound, free = columns[:rank], columns[rank:]
            _, _, order = qr(slopes[:, bound].T, mode="economic", pivoting=True)
            equations = np.flatnonzero(self.signs == 0)[order[:rank]]
        for places in (4, 8, 16):  # binary ones of the entries that are free
            numbers = [int(Fraction(float(c)) * 2**_BITS) for c in x]
            for j in free:
                numbers[j] = round(x[j] * 2**places) << (_BITS - places)
            if self._iterate(numbers, bound, equations):
                found = np.array([c / 2**_BITS for c in numbers])
                if self._fits(self.minors(found)):
                    return numbers
        return None

    def _slopes(self, x: Floats) -> Floats:
        """Derivatives of all minors, each a linear function of any one entry."""
        found = np.empty((len(self.subsets), len(x)))
        for j in range(len(x)):
            ends = np.array([x, x])
            ends[:, j] = 0, 1
            found[:, j] = self.minors(ends[1]) - self.minors(ends[0])
        return found

    def _iterate(self, numbers: list[int], bound: Any, equations: Any) -> bool:
        """Newton's method with a rounded inverse, which gains some digits in each step."""
        r = self.table.shape[1]
        for step in range(_BITS // 4):
            if step < 4:  # far from the solution it has to be renewed
                x = np.array([c / 2**_BITS for c in numbers])
                inverse = np.linalg.pinv(self._slopes(x)[np.ix_(equations, bound)])
            rows = self.rows(numbers, 1 << _BITS)
            values = [
                linear.determinant([rows[e] for e in self.subsets[k]]) >> (_BITS * (r - 1))
                for k in equations
            ]
            largest = max(map(abs, values), default=0)
            if largest < 2 ** (_SPARE // 2):
                return True
            if largest >> (_BITS - 1):
                return False
            moves = inverse @ np.array(values, float)
            if not np.isfinite(moves).all():
                return False
            for j, move in zip(bound, moves.tolist(), strict=True):
                numbers[j] -= round(move)
        return False

    def rows(self, entries: list[Any], unit: int = 1) -> list[list[Any]]:
        """The vectors with these entries, times a unit."""
        rows: list[list[Any]] = [[int(c) * unit for c in row] for row in self.table]
        for (e, i), entry in zip(self.places, entries, strict=True):
            rows[e][i] = entry
        return rows


def _recognize(numbers: list[int]) -> list[Any] | None:
    """Numbers of one field near integers divided by ``2**_BITS``; None if none are found."""
    found: list[Any] = [_nearby_fraction(c) for c in numbers]
    others = [c for c, known in zip(numbers, found, strict=True) if known is None]
    if not others:
        return found
    relations = {c: _minimal_relation(c) for c in others}
    if None in relations.values():
        return None
    theta = max(others, key=lambda c: len(relations[c] or ()))
    center = Fraction(theta, 2**_BITS)
    try:
        K = NumberField(relations[theta] or (), (center - _WIDTH, center + _WIDTH))
    except InputError:  # the relation is no polynomial of theta
        return None
    powers = _powers(theta, K.degree - 1)
    for place, c in enumerate(numbers):
        if found[place] is None:
            relation = _relation([*powers, c])
            if relation is None or not relation[-1]:
                return None
            found[place] = K([Fraction(-a, relation[-1]) for a in relation[:-1]])
    return found


_WIDTH = Fraction(1, 2 ** (_BITS - _SPARE))


def _nearby_fraction(c: int) -> Fraction | None:
    near = Fraction(c, 2**_BITS)
    found = near.limit_denominator(2 ** (_BITS // 4))
    return found if abs(found - near) < _WIDTH else None


def _powers(c: int, most: int) -> list[int]:
    powers = [1 << _BITS]
    for _ in range(most):
        powers.append(powers[-1] * c >> _BITS)
    return powers


def _minimal_relation(c: int) -> list[int] | None:
    """Coefficients of the polynomial of least degree of which a number seems to be a root."""
    for degree in range(2, _MOST_DEGREE + 1):
        found = _relation(_powers(c, degree))
        if found is not None:
            return found if found[-1] else None
    return None


def _relation(values: list[int]) -> list[int] | None:
    """Integers with a sum of products with some numbers of about 0, much smaller than by chance."""
    from flint import fmpz_mat  # loads slowly

    n = len(values)
    lattice = [[int(i == j) for j in range(n)] + [v >> _SPARE] for i, v in enumerate(values)]
    shortest = [int(e) for e in fmpz_mat(lattice).lll().tolist()[0]]
    size = max(map(abs, shortest)).bit_length()
    return shortest[:n] if size * n < _BITS - 2 * _SPARE else None
