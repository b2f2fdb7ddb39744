"""Slow exact oriented matroids to compare with: straight from the definitions."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from typing import Any

import naive

Signs = tuple[int, ...]
Matrix = list[list[Fraction]]


def exact(W: Any) -> Matrix:
    """Entries as Fractions."""
    return [[naive.fraction(value) for value in row] for row in W]


def kernel(rows: Matrix, width: int) -> Matrix:
    """Basis of {x : rows x = 0}: reduced row echelon form."""
    reduced: Matrix = []
    pivots: list[int] = []
    for row in rows:
        for pivot, other in zip(pivots, reduced, strict=True):
            row = [a - row[pivot] * b for a, b in zip(row, other, strict=True)]
        lead = next((c for c in range(width) if row[c]), None)
        if lead is None:
            continue
        row = [a / row[lead] for a in row]
        reduced = [[a - r[lead] * b for a, b in zip(r, row, strict=True)] for r in reduced]
        reduced.append(row)
        pivots.append(lead)
    basis = []
    for free in (c for c in range(width) if c not in pivots):
        x = [Fraction(int(c == free)) for c in range(width)]
        for pivot, row in zip(pivots, reduced, strict=True):
            x[pivot] = -row[free]
        basis.append(x)
    return basis


def rank(W: Any) -> int:
    """Rank by the dimension of the kernel."""
    rows = exact(W)
    return len(rows[0]) - len(kernel(rows, len(rows[0]))) if rows else 0


def determinant(rows: Matrix) -> Fraction:
    """Sum over permutations."""
    total = Fraction(0)
    for order in permutations(range(len(rows))):
        term = Fraction((-1) ** inversions(order))
        for row, column in zip(rows, order, strict=True):
            term *= row[column]
        total += term
    return total


def inversions(order: Sequence[int]) -> int:
    """Pairs in the wrong order."""
    return sum(a > b for a, b in combinations(order, 2))


def sign(value: Any) -> int:
    return (value > 0) - (value < 0)


def covectors(W: Any) -> set[Signs]:
    """Signs of W x: for each set of rows, the chambers of the others where these vanish."""
    rows = exact(W)
    n, d = len(rows), len(rows[0])
    found = set()
    for zeros in chain.from_iterable(combinations(range(n), k) for k in range(n + 1)):
        basis = kernel([rows[i] for i in zeros], d)
        values = [[sum(a * x for a, x in zip(r, v, strict=True)) for v in basis] for r in rows]
        rest = [i for i in range(n) if any(values[i])]
        if len(rest) + len(zeros) < n:
            continue
        if not rest:
            found.add((0,) * n)
            continue
        for signs in naive.chambers([values[i] for i in rest]):
            placed = dict(zip(rest, signs, strict=True))
            found.add(tuple(placed.get(i, 0) for i in range(n)))
    return found


def vectors(W: Any) -> set[Signs]:
    """Signs of y with y W = 0: covectors of a matrix of dependencies."""
    rows = exact(W)
    dependencies = kernel([list(column) for column in zip(*rows, strict=True)], len(rows))
    if not dependencies:
        return {(0,) * len(rows)}
    return covectors([list(column) for column in zip(*dependencies, strict=True)])


def minimal(vectors: Iterable[Signs]) -> set[Signs]:
    """Those of minimal non-empty support."""
    supports = {x: {i for i, s in enumerate(x) if s} for x in vectors}
    nonzero = [x for x in supports if supports[x]]
    return {x for x in nonzero if not any(supports[y] < supports[x] for y in nonzero)}


def compose(x: Signs, y: Signs) -> Signs:
    return tuple(a or b for a, b in zip(x, y, strict=True))


def orthogonal(x: Signs, y: Signs) -> bool:
    """Products all zero, or of both signs."""
    products = {a * b for a, b in zip(x, y, strict=True)} - {0}
    return len(products) != 1


def are_covectors(L: set[Signs], n: int) -> bool:
    """Covector axioms: zero, negatives, compositions, elimination of one element."""
    if (0,) * n not in L or any(tuple(-s for s in x) not in L for x in L):
        return False
    if any(compose(x, y) not in L for x in L for y in L):
        return False
    for x, y in combinations(L, 2):
        separated = [i for i in range(n) if x[i] * y[i] < 0]
        wanted = compose(x, y)
        for e in separated:
            if not any(
                z[e] == 0 and all(z[i] == wanted[i] for i in range(n) if i not in separated)
                for z in L
            ):
                return False
    return True


def covectors_of_topes(topes: set[Signs], n: int) -> set[Signs]:
    """All X such that X o T is a tope for every tope T."""
    return {x for x in product((-1, 0, 1), repeat=n) if all(compose(x, t) in topes for t in topes)}


def alternating(n: int, r: int, values: Sequence[int]) -> Callable[[Sequence[int]], int]:
    """The alternating map with these values at ascending tuples."""
    table = dict(zip(combinations(range(n), r), values, strict=True))

    def chi(elements: Sequence[int]) -> int:
        if len(set(elements)) < r:
            return 0
        return table[tuple(sorted(elements))] * (-1) ** inversions(elements)

    return chi


def is_chirotope(n: int, r: int, values: Sequence[int]) -> bool:
    """Not zero, and for all r-tuples x, y with all exchanges of x_1 >= 0, x y >= 0."""
    chi = alternating(n, r, values)
    every = [(x, chi(x)) for x in product(range(n), repeat=r)]
    for x, s in every:
        for y, t in every:
            if s * t < 0 and all(
                chi((y[i], *x[1:])) * chi((*y[:i], x[0], *y[i + 1 :])) >= 0 for i in range(r)
            ):
                return False
    return any(values)
