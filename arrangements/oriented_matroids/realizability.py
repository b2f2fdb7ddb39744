"""Is an oriented matroid that of vectors? Answers with vectors, or with a proof that none exist."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from arrangements.addresses import public_class
from arrangements.checks import check_integer
from arrangements.errors import InputError
from arrangements.exact import linear, numbers
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import ExactArray, read_only
from arrangements.messages import quote
from arrangements.oriented_matroids.final_polynomials import (
    FinalPolynomial,
    find_final_polynomial,
    is_final,
)
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.oriented_matroids.placing import place_vectors
from arrangements.oriented_matroids.solving import solve_vectors

Rows = list[list[Any]]

# Orders of placing, and starts of solving, that are tried before a final polynomial is looked for.
_FIRST = 3
# The most starts of solving.
_STARTS = 32


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class Realizability:
    """Whether an oriented matroid is realizable, with a proof.

    Attributes
    ----------
    realizable : bool or None
        None if neither vectors nor a final polynomial were found. ``bool`` of this object is True
        only if `realizable` is.
    realization : (n, rank) ndarray or None
        Vectors, one in each row, whose oriented matroid it is: integers, or rational numbers and
        those of one `NumberField`; the `matrix` of the oriented matroid if it has one.
    final_polynomial : tuple of (int, BiquadraticInequality), or None
        Inequalities that all such vectors would satisfy, and how often to multiply each; an
        equation counts negatively the other way round. The product has the same determinants on
        both sides, and one of the inequalities is strict.
    oriented_matroid : OrientedMatroid

    Examples
    --------
    >>> from arrangements.algebra import realizability
    >>> found = realizability(OrientedMatroid.from_chirotope(4, 2, "++++++"))
    >>> found, found.verify()
    (Realizability(realizable), True)
    >>> OrientedMatroid.from_matrix(found.realization) == found.oriented_matroid
    True
    """

    realizable: bool | None
    realization: ExactArray | None
    final_polynomial: FinalPolynomial | None
    oriented_matroid: OrientedMatroid

    def __post_init__(self) -> None:
        if self.realization is not None:
            self.__dict__.update(realization=read_only(self.realization))

    def __bool__(self) -> bool:
        return self.realizable is True

    def verify(self) -> bool:
        """Check every determinant of the vectors, or every inequality; False if undecided.

        Examples
        --------
        >>> from arrangements.algebra import realizability
        >>> realizability(OrientedMatroid.from_chirotope(3, 2, "++0")).verify()
        True
        """
        M = self.oriented_matroid
        if self.realizable is None:
            return False
        if self.realizable:
            return self.realization is not None and _has_chirotope(self.realization, M)
        return self.final_polynomial is not None and is_final(M, self.final_polynomial)

    def __repr__(self) -> str:
        verdict = {True: "realizable", False: "not realizable", None: "undecided"}[self.realizable]
        if self.final_polynomial is not None:
            verdict += f", a final polynomial of {len(self.final_polynomial)} inequalities"
        return f"Realizability({verdict})"


def is_realizable(M: OrientedMatroid, *, tries: int = 100) -> bool | None:
    """Whether some vectors have an oriented matroid, proved; None if no proof is found.

    Parameters
    ----------
    M, tries
        As in `realizability`, which returns the proof.

    Returns
    -------
    bool or None

    Examples
    --------
    >>> is_realizable(OrientedMatroid.from_chirotope(5, 3, "++++++++++"))
    True
    """
    return realizability(M, tries=tries).realizable


def realizability(M: OrientedMatroid, *, tries: int = 100) -> Realizability:
    """Find vectors that have an oriented matroid, or a proof that there are none.

    Parameters
    ----------
    M : OrientedMatroid
    tries : int, optional
        Orders of the elements in which vectors are placed, at random.

    Returns
    -------
    Realizability
        ``realizable`` (True, False or None) with a ``realization`` or a ``final_polynomial``;
        ``verify()`` checks it.

    Raises
    ------
    InputError
        If M is not an OrientedMatroid.

    Notes
    -----
    Exact where it answers. To decide realizability is as hard as the existential theory of the
    reals [2]_, so no program always answers.

    Loops, parallel and coparallel elements are left out first. Then vectors are placed one after
    the other, each at random in its cell of the hyperplanes that earlier ones span; while this cell
    is empty, earlier vectors move in theirs. These vectors have integer entries. Some oriented
    matroids, such as that of Perles' nine points, need irrational ones: if a few orders fail and
    there are dependent sets of r elements, Newton's method solves their equations from random
    starts, a number field of degree at most 12 that has the entries is recognized, and all minors
    are computed in it. Then a linear program looks for a biquadratic final polynomial [1]_, and
    the other `tries` come last.

    Those of rank 3 with at most 8 elements are all realizable [3]_. They take milliseconds, and
    those with 12 elements a second.

    References
    ----------
    .. [1] J. Bokowski, J. Richter, On the finding of final polynomials, European J. Combin. 11
       (1990) 21-34.
    .. [2] N. E. Mnev, Lecture Notes in Math. 1346 (1988) 527-543.
    .. [3] J. E. Goodman, R. Pollack, J. Combin. Theory Ser. A 29 (1980) 385-390.

    Examples
    --------
    The nine points of Pappus are realizable; without the line that the theorem asserts they are
    not:

    >>> from itertools import combinations
    >>> M = OrientedMatroid.from_matrix([(0, 0, 1), (2, 0, 1), (6, 0, 1), (0, 2, 1), (2, 2, 1),
    ...                                  (6, 2, 1), (1, 1, 1), (3, 1, 1), (4, 1, 1)])
    >>> signs = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    >>> bool(realizability(OrientedMatroid.from_chirotope(9, 3, signs)))
    True
    >>> found = realizability(OrientedMatroid.from_chirotope(9, 3, signs | {(6, 7, 8): 1}))
    >>> found.realizable, found.verify()
    (False, True)

    The sides and axes of a regular pentagon:

    >>> from arrangements import generators
    >>> A = generators.simplicial(10)
    >>> M = OrientedMatroid.from_chirotope(10, 3, A.oriented_matroid().chirotope)
    >>> found = realizability(M)
    >>> found.realizable, found.verify()
    (True, True)
    """
    if not isinstance(M, OrientedMatroid):
        raise InputError(f"M is {quote(M)}; expected an OrientedMatroid, as A.oriented_matroid().")
    tries = check_integer("tries", tries, 1)
    if M.matrix is not None:
        return Realizability(True, M.matrix, None, M)
    rng = np.random.default_rng(0)
    plain = M.unlabeled
    rows = _realize(plain, lambda part: place_vectors(part, min(tries, _FIRST), rng))
    if rows is None:
        rows = _realize(plain, lambda part: solve_vectors(part, min(tries, _FIRST), rng))
    final = find_final_polynomial(plain) if rows is None else None
    if rows is None and final is None and tries > _FIRST:
        rows = _realize(plain, lambda part: solve_vectors(part, min(tries, _STARTS), rng))
    if rows is None and final is None and tries > _FIRST:
        rows = _realize(plain, lambda part: place_vectors(part, tries - _FIRST, rng))
    if rows is not None:
        matrix = as_exact_matrix(
            np.array(rows, object).reshape(M.n, M.rank), allow_no_rows=True, allow_no_columns=True
        )
        assert OrientedMatroid.from_matrix(matrix) == plain  # placed exactly
        return Realizability(True, matrix, None, M)
    return Realizability(None if final is None else False, None, final, M)


def _realize(M: OrientedMatroid, place: Callable[[OrientedMatroid], Rows | None]) -> Rows | None:
    """Rows with the chirotope of M, placed for a smaller one or its dual, or None."""
    first = [members[0] for members in M.parallel_classes]
    if len(first) < M.n:
        found = _realize(M.deletion([e for e in range(M.n) if e not in first]), place)
        return None if found is None else _repeated(M, dict(zip(first, found, strict=True)))
    dual = M.dual()
    if len(dual.parallel_classes) == M.n and dual.rank >= M.rank:
        return place(M)
    if len(dual.parallel_classes) == M.n:
        found = place(dual)
    else:
        found = _realize(dual, place)
    return None if found is None else _gale_dual(found, M)


def _repeated(M: OrientedMatroid, rows: dict[int, list[Any]]) -> Rows:
    """With loops and parallel elements, given the first of each class."""
    found: Rows = [[0] * M.rank for _ in range(M.n)]
    for members in M.parallel_classes:
        for e in members:
            found[e] = [int(M.parallel_signs[e]) * a for a in rows[members[0]]]
    return found


def _gale_dual(rows: Rows, M: OrientedMatroid) -> Rows:
    """Rows of M, given those of its dual: the linear dependencies of these."""
    equations = [list(column) for column in zip(*rows, strict=True)]
    basis = linear.nullspace(equations, M.n) if equations else np.eye(M.n, dtype=int).tolist()
    return [list(row) for row in zip(*basis, strict=True)] if basis else [[] for _ in range(M.n)]


def _has_chirotope(matrix: ExactArray, M: OrientedMatroid) -> bool:
    """Whether the maximal minors have the signs of M, or all of them the opposite."""
    if len(matrix) != M.n:
        return False
    rows = numbers.integer_rows(matrix)
    columns = linear.column_basis(rows) if rows else ()
    if len(columns) != M.rank:
        return False
    table = [[row[c] for c in columns] for row in rows]
    signs = [
        linear.determinant_sign([table[e] for e in S]) if S else 1
        for S in combinations(range(M.n), M.rank)
    ]
    known = M.chirotope.tolist()
    return signs in (known, [-s for s in known])
