"""Varchenko's bilinear form: weights of the hyperplanes between two chambers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.algebra.subjects import classes_of, flat_order, subject_of
from arrangements.checks import check_integer
from arrangements.core.arrangement import MatroidLike
from arrangements.core.labels import Label, align
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers
from arrangements.execution import limits
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.chamber_sets import ChambersLike, ChamberTable, list_chambers

Labels = tuple[Label, ...] | None


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class VarchenkoMatrix:
    """Varchenko matrix of an arrangement, whose entries are computed when they are asked for.

    `varchenko_matrix` makes it.

    Attributes
    ----------
    chambers : SignVectors
        Rows and columns, in this order.
    weights : tuple
        One for each row of the arrangement: int, Fraction or SymPy symbol.
    shape : (int, int)

    Examples
    --------
    >>> from arrangements.algebra import varchenko_matrix
    >>> M = varchenko_matrix([[1, 0], [0, 1]])
    >>> M
    VarchenkoMatrix(of 4 chambers)
    >>> i, j = M.chambers.index("++"), M.chambers.index("--")
    >>> M.separating(i, j), M[i, j], M[i, i]
    ((0, 1), a0*a1, 1)
    """

    chambers: SignVectors
    weights: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of chambers, twice."""
        return len(self.chambers), len(self.chambers)

    @cached_property
    def _leads(self) -> NDArray[np.intp]:
        """The first row of each hyperplane."""
        return np.asarray(ChamberTable(self.chambers).leads, np.intp)

    @cached_property
    def _signs(self) -> NDArray[np.int8]:
        return self.chambers.to_array()[:, self._leads]

    def separating(self, i: int, j: int) -> tuple[int, ...]:
        """Hyperplanes between chambers i and j; of those that coincide the first."""
        m = len(self.chambers)
        rows = [check_integer(name, k, -m, m - 1) for name, k in (("i", i), ("j", j))]
        first, second = self._signs[rows]
        return tuple(self._leads[first != second].tolist())

    def __getitem__(self, entry: tuple[int, int]) -> Any:
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise InputError(f"entry {entry!r}; expected M[i, j], the numbers of two chambers.")
        return prod((self.weights[h] for h in self.separating(*entry)), start=1)

    def to_array(self) -> NDArray[Any]:
        """All entries.

        Returns
        -------
        (N, N) ndarray of object

        Raises
        ------
        TooLargeError
            If N * N entries do not fit.
        """
        n = len(self.chambers)
        limits.check_bytes(f"a matrix of {n} x {n} entries", 100 * n * n)
        found = np.ones((n, n), object)
        for k, h in enumerate(self._leads.tolist()):
            apart = self._signs[:, k, None] != self._signs[None, :, k]
            found[apart] = found[apart] * self.weights[h]
        return found

    def __repr__(self) -> str:
        return f"VarchenkoMatrix(of {len(self.chambers)} chambers)"


def varchenko_matrix(
    W: ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    weights: Sequence[Any] | None = None,
    rank: int | None = None,
) -> VarchenkoMatrix:
    """Varchenko matrix: entry (i, j) is the product of the weights between chambers i and j.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        Chambers are numbered as in ``chambers(W, offsets)``; pass the listed set to be sure of the
        numbers.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    weights : sequence of n numbers, optional
        Weights of the hyperplanes; default the symbols ``a0``, ``a1``, ... of SymPy. Of rows that
        coincide the first counts.
    rank : int, optional
        As in `chambers`; not with SignVectors, for which it is settled.

    Returns
    -------
    VarchenkoMatrix
        The chambers are listed; an entry is computed when it is asked for, and ``to_array()`` has
        all of them.

    See Also
    --------
    varchenko_determinant : without listing chambers.

    References
    ----------
    .. [1] A. Varchenko, Bilinear form of real configuration of hyperplanes, Adv. Math. 97 (1993)
       110-144.

    Examples
    --------
    >>> varchenko_matrix([[1]]).to_array().tolist()
    [[1, a0], [a0, 1]]
    >>> M = varchenko_matrix([[1], [1]], [0, 1], weights=[2, 3])
    >>> M[M.chambers.index("++"), M.chambers.index("--")]
    6
    """
    S = list_chambers(W, offsets, rank)
    subject = W if isinstance(W, OrientedMatroid) else S.arrangement
    if subject is None:
        raise InputError("these sign vectors belong to no arrangement; pass chambers(W).")
    return VarchenkoMatrix(S, _weights(weights, S.n, subject.labels))


def varchenko_determinant(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    weights: Sequence[Any] | None = None,
    rank: int | None = None,
) -> Any:
    """Determinant of the Varchenko matrix, by Varchenko's product formula.

    It is the product of ``(1 - a(F)**2) ** (n(F) * p(F))`` over the flats F other than the whole
    space [1]_. Here a(F) is the product of the weights of the hyperplanes that contain F, n(F) the
    number of chambers of the restriction to F, and p(F) the beta invariant of the localization.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    weights : sequence of n numbers, optional
        As in `varchenko_matrix`.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    SymPy expression, int or Fraction
        An expression is a product that is not expanded.

    Raises
    ------
    TooLargeError
        If the flats do not fit.

    See Also
    --------
    varchenko_matrix

    Notes
    -----
    Exact. The flats are listed with their order; the two numbers come from Möbius inversion.

    References
    ----------
    .. [1] A. Varchenko, Bilinear form of real configuration of hyperplanes, Adv. Math. 97 (1993)
       110-144.

    Examples
    --------
    >>> varchenko_determinant([[1, 0], [0, 1], [1, 1]])
    (1 - a0**2)**2*(1 - a1**2)**2*(1 - a2**2)**2*(-a0**2*a1**2*a2**2 + 1)
    >>> varchenko_determinant([[1, 0], [0, 1]], weights=[2, 3])
    576
    """
    A = subject_of(W, offsets, rank)
    order = flat_order(A)
    a = _weights(weights, order.n, A.labels)
    leads = [members[0] for members in classes_of(A)]
    of_space = (order.ranks == 0).astype(np.int64)[:, None]
    parity = ((-1) ** order.ranks)[:, None]
    mobius = order.inverted(of_space)[:, 0]
    # sums of mu(X, Y) (-1)^rank Y over Y: up to sign, the chambers of the restriction to X
    chambers = order.inverted(parity, upwards=False)[:, 0]
    ranked = mobius.astype(object) * order.ranks.astype(object)
    factors = []
    for k in range(1, order.rank + 1):
        here, below = order.level(k), order.below[k]
        beta = np.add.reduceat(ranked[below.indices], below.indptr[:-1]) + ranked[here]
        for flat, p, c in zip(order.members[here], beta, chambers[here].tolist(), strict=True):
            if p:
                through = prod((a[h] for h in leads if flat >> h & 1), start=1)
                factors.append((1 - through**2) ** abs(int(p) * int(c)))
    if weights is not None:
        return prod(factors, start=1)
    from sympy import Mul  # loads slowly

    return Mul(*factors)


def _weights(weights: Sequence[Any] | None, n: int, labels: Labels) -> tuple[Any, ...]:
    """Weights as exact numbers, or symbols."""
    if weights is None:
        from sympy import Symbol  # loads slowly

        return tuple(Symbol(f"a{i}") for i in range(n))
    weights = align(weights, labels, "weights")
    exact = numbers.fractions(coercion.as_exact_vector(weights, n, "weights"))
    return tuple(int(w) if isinstance(w, Fraction) and w.denominator == 1 else w for w in exact)
