"""Biquadratic final polynomials: proofs that no vectors have a chirotope.

For vectors, ``[ab][cd] - [ac][bd] + [ad][bc] = 0``, where ``[ab]`` is the determinant of r - 2
fixed ones and of a and b. If the first and the last product have equal signs, the absolute value of
the first is less than that of the second; if the last is 0, they are equal. If some of these
inequalities, each to the power of its weight, have a product with the same determinants on both
sides, there are no such vectors (Bokowski and Richter 1990).
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.certificates.one_sign_vector import feasible
from arrangements.oriented_matroids.chirotopes import Subset
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid

# Weights of a linear program above this are not zero; exact ones are found afterwards.
_POSITIVE = 1e-9
# Inequalities of the largest program.
_MOST = 200_000


@public_class
class BiquadraticInequality(NamedTuple):
    """``|[ab][cd]| < |[ac][bd]|`` for determinants of vectors, or ``=``.

    ``[ab]`` is the determinant of the vectors of `common`, a and b. The sides are equal if ``[ad]``
    or ``[bc]`` is 0.

    Attributes
    ----------
    common : tuple of int
        The r - 2 elements of all determinants.
    four : tuple of int
        The elements a, b, c and d.

    References
    ----------
    .. [1] J. Bokowski, J. Richter, On the finding of final polynomials, European J. Combin. 11
       (1990) 21-34.
    """

    common: Subset
    four: Subset


FinalPolynomial = tuple[tuple[int, BiquadraticInequality], ...]


def is_final(M: OrientedMatroid, terms: FinalPolynomial) -> bool:
    """Whether weighted inequalities of M, one of them strict at least, have the product 1 < 1."""
    total: Counter[frozenset[int]] = Counter()
    strict = False
    for weight, (common, (a, b, c, d)) in terms:
        first = M.sign((*common, a, b)) * M.sign((*common, c, d))
        last = M.sign((*common, a, d)) * M.sign((*common, b, c))
        if not first or first * last < 0 or (last and weight <= 0):
            return False
        strict |= last != 0
        for side, pairs in ((1, ((a, b), (c, d))), (-1, ((a, c), (b, d)))):
            for pair in pairs:
                total[frozenset((*common, *pair))] += side * weight
    return strict and not any(total.values())


def find_final_polynomial(M: OrientedMatroid) -> FinalPolynomial | None:
    """Inequalities and weights that exclude M, exactly; None if no program finds any."""
    elements = [members[0] for members in M.parallel_classes]
    n, r = len(elements), M.rank
    if r < 2 or n < r + 2 or 2 * comb(n, r - 2) * comb(n - r + 2, 4) > _MOST:
        return None
    relations, table, strict = _inequalities(M, elements)
    if not strict.any():
        return None
    chosen = _support(table, strict, len(M.chirotope))
    if chosen is None:
        return None
    rows = np.zeros((len(chosen), len(M.chirotope)), np.int64)
    for side, columns in ((-1, table[chosen, :2]), (1, table[chosen, 2:])):
        for column in columns.T:
            np.add.at(rows, (np.arange(len(chosen)), column), side)
    signs = "".join("+" if s else "0" for s in strict[chosen])
    found = feasible(rows[:, rows.any(axis=0)], signs)
    if found.weights is None:
        return None
    pairs = zip(map(int, found.weights), (relations[k] for k in chosen), strict=True)
    return tuple(pair for pair in pairs if pair[0])


def _inequalities(
    M: OrientedMatroid, elements: list[int]
) -> tuple[list[BiquadraticInequality], NDArray[np.int64], NDArray[np.bool_]]:
    """Inequalities and equations, the places of the bases ab, cd, ac, bd, and which are strict."""
    place = {S: k for k, S in enumerate(combinations(range(M.n), M.rank))}
    relations: list[BiquadraticInequality] = []
    rows: list[tuple[int, ...]] = []
    strict: list[bool] = []
    for common in combinations(elements, M.rank - 2):
        rest = [e for e in elements if e not in common]
        bases: dict[tuple[int, ...], tuple[int, int]] = {}
        for pair in permutations(rest, 2):
            k = place[tuple(sorted((*common, *pair)))]
            bases[pair] = k, M.sign((*common, *pair))
        for a, *others in combinations(rest, 4):
            for b, c, d in permutations(others):
                ab, cd, ac, bd = (bases[pair] for pair in ((a, b), (c, d), (a, c), (b, d)))
                first, last = ab[1] * cd[1], bases[a, d][1] * bases[b, c][1]
                if first * last > 0 or (first and not last):
                    relations.append(BiquadraticInequality(common, (a, b, c, d)))
                    rows.append((ab[0], cd[0], ac[0], bd[0]))
                    strict.append(last != 0)
    return relations, np.array(rows, np.int64).reshape(-1, 4), np.array(strict, bool)


def _support(
    table: NDArray[np.int64], strict: NDArray[np.bool_], bases: int
) -> NDArray[np.int64] | None:
    """Inequalities with positive weights, in floats, that have the product 1 < 1."""
    from scipy.optimize import linprog  # loads slowly
    from scipy.sparse import coo_array  # loads slowly

    m = len(table)
    columns = np.append(np.repeat(np.arange(m), 4), np.flatnonzero(strict))
    places = np.append(table.ravel(), np.full(int(strict.sum()), bases))
    entries = np.append(np.tile([-1.0, -1.0, 1.0, 1.0], m), np.ones(int(strict.sum())))
    A = coo_array((entries, (places, columns)), shape=(bases + 1, m)).tocsc()
    # sums of columns that vanish; weights of strict ones have the sum 1, all the least sum
    found = linprog(np.ones(m), A_eq=A, b_eq=np.arange(bases + 1) == bases, method="highs-ds")
    return None if found.x is None else np.flatnonzero(found.x > _POSITIVE)
