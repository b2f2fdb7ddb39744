"""Do two matrices have the same oriented matroid? Answers that carry their own exact proof."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import align, labels_of
from arrangements.core.signs import sign_text
from arrangements.errors import InputError
from arrangements.exact import linear, numbers
from arrangements.exact.numbers import ExactArray, read_only
from arrangements.oriented_matroids.chirotopes import Subset, subset_at
from arrangements.oriented_matroids.matroid import as_vectors
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class OrientedMatroidComparison:
    """Proof that two matrices have the same oriented matroid, or that they do not.

    Attributes
    ----------
    first, second : (n, d) ndarray
        The matrices, exactly as given; their widths may differ.
    same : bool
        The answer, also ``bool(comparison)``.
    independent : tuple of int or None
        If the matroids differ: rows that are independent in exactly one of the two.
    bases : pair of tuples of int, or None
        If only the orientations differ: two sets of rows that differ in one row and are bases
        of both. Their determinants (in any coordinates of the row space) have equal signs in
        one matrix and opposite signs in the other.
    cocircuit : tuple of int or None
        If only the orientations differ: the signs of ``first @ x`` for an x that all rows
        common to `bases` annihilate; no y gives ``second @ y`` these signs.

    Examples
    --------
    >>> from arrangements.algebra import same_oriented_matroid
    >>> same_oriented_matroid([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, -1]])
    OrientedMatroidComparison(different, bases (0, 1) and (0, 2), cocircuit '0++')
    """

    first: ExactArray
    second: ExactArray
    same: bool
    independent: Subset | None = None
    bases: tuple[Subset, Subset] | None = None
    cocircuit: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        self.__dict__.update(first=read_only(self.first), second=read_only(self.second))

    def verify(self) -> bool:
        """Check the proof in exact arithmetic, using only the numbers of the matrices.

        Equality is checked on every maximal minor, one at a time.

        Examples
        --------
        >>> from arrangements.algebra import same_oriented_matroid
        >>> same_oriented_matroid([[1, 0], [0, 1]], [[1, 0], [1, 0]]).verify()
        True
        """
        a, b = _Minors(self.first), _Minors(self.second)
        if self.same:
            return _one_sign(a, b)
        if self.independent is not None:
            chosen = list(self.independent)
            full = [linear.rank([m.rows[i] for i in chosen]) == len(chosen) for m in (a, b)]
            return full[0] != full[1]
        if self.bases is None or self.cocircuit is None or a.rank != b.rank:
            return False
        products = [m.sign(self.bases[0]) * m.sign(self.bases[1]) for m in (a, b)]
        common = sorted(set(self.bases[0]) & set(self.bases[1]))
        opposite = tuple(-s for s in self.cocircuit)
        in_first = a.cocircuit(common) in (self.cocircuit, opposite)
        in_second = b.cocircuit(common) in (self.cocircuit, opposite, None)
        return products[0] * products[1] == -1 and in_first and not in_second

    def __bool__(self) -> bool:
        return self.same

    def __repr__(self) -> str:
        words = "same" if self.same else "different"
        if self.independent is not None:
            words += f", rows {self.independent} independent in one only"
        if self.bases is not None and self.cocircuit is not None:
            signs = sign_text(self.cocircuit)
            words += f", bases {self.bases[0]} and {self.bases[1]}, cocircuit {signs!r}"
        return f"OrientedMatroidComparison({words})"


def same_oriented_matroid(W1: ArrangementLike, W2: ArrangementLike) -> OrientedMatroidComparison:
    """Decide whether the rows of two matrices have the same oriented matroid, with a proof.

    Equivalently, whether ``W1 @ x`` and ``W2 @ x`` take the same sign vectors (chambers and lower
    faces alike). Row i of one corresponds to row i of the other, and orientation counts.

    Parameters
    ----------
    W1 : (n, d) array_like of int, float or Fraction, or central Arrangement
    W2 : (n, e) array_like, or central Arrangement

    Returns
    -------
    OrientedMatroidComparison
        True in a boolean context iff they are the same. Otherwise it holds rows that are
        independent in only one of the two, or bases and a cocircuit with different signs.
        ``verify()`` checks it.

    Raises
    ------
    InputError
        If the numbers of rows differ, or an arrangement is not central.
    TooLargeError
        If the C(n, rank) signs do not fit into memory.

    Examples
    --------
    >>> bool(same_oriented_matroid([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, 9]]))
    True
    >>> same_oriented_matroid([[1, 0], [0, 1]], [[1, 0], [1, 0]])
    OrientedMatroidComparison(different, rows (0, 1) independent in one only)
    """
    W2 = align(W2, labels_of(W1), "W2", "rows of W1")
    first, second = as_vectors(W1, "W1"), as_vectors(W2, "W2")
    if len(first) != len(second):
        raise InputError(
            f"W1 has {len(first)} rows and W2 has {len(second)}; expected the same number, since "
            "row i of one is compared with row i of the other."
        )
    M, N = OrientedMatroid.from_matrix(first), OrientedMatroid.from_matrix(second)
    if M == N:
        return OrientedMatroidComparison(first, second, True)
    if M.rank != N.rank:
        larger = M if M.rank > N.rank else N
        basis = _marked(larger, larger.chirotope != 0)
        return OrientedMatroidComparison(first, second, False, basis)
    odd = _marked(M, (M.chirotope != 0) != (N.chirotope != 0))
    if odd is not None:
        return OrientedMatroidComparison(first, second, False, odd)
    bases = _neighbors(M, N)
    common = sorted(set(bases[0]) & set(bases[1]))
    cocircuit = tuple(M.sign((*common, e)) for e in range(M.n))
    return OrientedMatroidComparison(first, second, False, None, bases, cocircuit)


def _marked(M: OrientedMatroid, marks: NDArray[np.bool_]) -> Subset | None:
    """The first subset that is marked, or None."""
    place = int(marks.argmax())
    return subset_at(M.n, M.rank, place) if marks[place] else None


def _neighbors(M: OrientedMatroid, N: OrientedMatroid) -> tuple[Subset, Subset]:
    """Two bases that differ in one element, with equal signs in one and opposite in the other.

    Exchanges lead from a basis of equal signs to one of opposite signs; these two are on the way.
    """
    products = M.chirotope * N.chirotope
    here, goal = _marked(M, products > 0), _marked(M, products < 0)
    assert here is not None and goal is not None  # else the chirotopes were equal up to sign
    while True:
        out = min(set(here) - set(goal))
        exchanged = (tuple(sorted({*here, e} - {out})) for e in sorted(set(goal) - set(here)))
        there = next(basis for basis in exchanged if M.sign(basis))
        if M.sign(there) != N.sign(there):
            return here, there
        here = there


class _Minors:
    """Minors of a matrix in a basis of its columns, one at a time."""

    def __init__(self, matrix: ExactArray) -> None:
        rows = numbers.integer_rows(matrix)
        columns = linear.column_basis(rows)
        self.rows = [[row[c] for c in columns] for row in rows]
        self.rank = len(columns)

    def sign(self, subset: Subset) -> int:
        """Sign of the minor of these rows; 0 if their number is not the rank."""
        if len(subset) != self.rank:
            return 0
        return linear.determinant_sign([self.rows[i] for i in subset])

    def cocircuit(self, subset: list[int]) -> tuple[int, ...] | None:
        """Signs of the rows at a point that `subset` annihilates; None unless it is a line."""
        line = linear.nullspace([self.rows[i] for i in subset], self.rank)
        if len(line) != 1:
            return None
        values = [sum(a * x for a, x in zip(row, line[0], strict=True)) for row in self.rows]
        return tuple((v > 0) - (v < 0) for v in values)


def _one_sign(a: _Minors, b: _Minors) -> bool:
    """Whether the minors of a have the signs of those of b, or all of them the opposite."""
    if len(a.rows) != len(b.rows) or a.rank != b.rank:
        return False
    subsets = combinations(range(len(a.rows)), a.rank)
    signs = [(a.sign(subset), b.sign(subset)) for subset in subsets]
    return all(s == t for s, t in signs) or all(s == -t for s, t in signs)
