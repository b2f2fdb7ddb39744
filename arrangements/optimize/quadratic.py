"""Convex quadratic forms of low rank over vectors of signs, and the L1 principal component."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align, labels_of
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import fractions, nearest_float, times_common_denominator
from arrangements.exact.text import brief_text
from arrangements.messages import quote
from arrangements.optimize.objectives import LeastTally, least_row
from arrangements.runs.sources import ChamberSource, Rows, Source
from arrangements.sets.packed import pack_signs, unpack_signs

_ROUNDING = 2.0**-53
_DOMAINS = (["-1", "1"], ["0", "1"])
_NO_ROWS = np.zeros((0, 1), np.int64)


@dataclass(frozen=True)
class _Form:
    """The form ``sum of (c_k + sum_i s_i v_ik)**2 + sum_i s_i l_i``, in integers.

    Attributes
    ----------
    rows : tuple of tuple of int
        v_i.
    shifts : tuple of int
        c_k.
    linear : tuple of int
        l_i.
    """

    rows: tuple[tuple[int, ...], ...]
    shifts: tuple[int, ...]
    linear: tuple[int, ...]

    def value(self, signs: list[int]) -> int:
        """The exact value at a vector of signs."""
        sums = list(self.shifts)
        for s, row in zip(signs, self.rows, strict=True):
            sums = [total + s * v for total, v in zip(sums, row, strict=True)]
        ends = sum(s * v for s, v in zip(signs, self.linear, strict=True))
        return sum(z * z for z in sums) + ends

    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Rows with their linear terms, and shifts, over a power of two; error of a value.

        The powers make the largest value about 1: half of it for the terms that are squared.
        """
        size = max(1, *(abs(x) for row in (*self.rows, self.shifts) for x in row))
        linear = max((abs(x) for x in self.linear), default=0)
        half = max(size.bit_length(), (linear.bit_length() + 1) // 2) + len(self.rows).bit_length()
        # the division of integers is rounded correctly
        unit = 1 << half
        pairs = zip(self.rows, self.linear, strict=True)
        table = np.array([[*(v / unit for v in row), x / unit**2] for row, x in pairs])
        shifts = np.array([*(x / unit for x in self.shifts), 0.0])
        sums = np.abs(table).sum(axis=0) + np.abs(shifts)
        each = (len(table) + 3) * 1.01 * _ROUNDING * sums
        squares = sums[:-1] @ (2 * each[:-1] + (len(sums) + 4) * _ROUNDING * sums[:-1])
        return table, shifts, float(1.01 * (squares + each[:-1] @ each[:-1] + each[-1] * 2))


class _LargestForm(LeastTally):
    """The largest value of a form among the rows of a part, as its negative."""

    def __init__(self, source: Source, form: _Form) -> None:
        super().__init__(source)
        self._form = form
        self._table, self._shifts, self._error = form.floats()

    def add(self, rows: Rows) -> None:
        signs = unpack_signs(rows, self.source.n)
        sums = signs.astype(np.float64) @ self._table
        for side in (1, -1) if self.source.half else (1,):
            parts = side * sums + self._shifts
            values = (parts[:, :-1] ** 2).sum(axis=1) + parts[:, -1]
            for row in side * signs[self.nearly_largest(values, self._error)]:
                self.take(-self._form.value(row.tolist()), pack_signs(row[None])[0])


@public_class
@dataclass(frozen=True)
class BinaryOptimum:
    """A best vector of a binary quadratic problem.

    Attributes
    ----------
    value : Fraction
        Exact.
    x : (n,) ndarray of int8
        Entries of the domain.
    n_best : int
        How many chambers have this value. A row that is zero leaves its entry free.
    certificate : Certificate
        Of the chamber.
    """

    value: Fraction
    x: NDArray[np.int8]
    n_best: int
    certificate: Certificate

    def __repr__(self) -> str:
        value = brief_text(self.value)
        return f"BinaryOptimum(value {value}, n_best {self.n_best}, x {quote(self.x)})"


def binary_quadratic(
    V: ArrayLike,
    linear: ArrayLike | None = None,
    *,
    domain: tuple[int, int] = (-1, 1),
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> BinaryOptimum:
    """Maximize ``||V.T @ x||**2 + linear @ x`` over vectors x of signs, or of zeros and ones.

    Parameters
    ----------
    V : (n, r) array_like of int, float or Fraction
        A float counts as the exact dyadic number it is.
    linear : (n,) array_like, optional
        Default zeros.
    domain : (-1, 1) or (0, 1)
        Entries of x.
    workers, client, progress, max_hours
        As in `fold_chambers`.

    Returns
    -------
    BinaryOptimum

    Raises
    ------
    InputError
        If a shape or the domain is another.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The form is convex in ``(V.T @ x, linear @ x)``, so it is greatest at a vertex of the zonotope
    of these points, and the vertices are the chambers of the rows ``(v_i, l_i)`` [1]_: at most
    O(n**(r - 1)), or O(n**r) with a linear term. Values are computed in floats; those within
    the proven error of the greatest are compared exactly. The minimum is another matter: with r = 1
    it is number partitioning, which is NP-hard, and chambers do not help.

    References
    ----------
    .. [1] K. Allemand, K. Fukuda, T. M. Liebling, E. Steiner, A polynomial case of unconstrained
       zero-one quadratic optimization, Math. Program. 91 (2001) 49-52.

    Examples
    --------
    >>> best = binary_quadratic([[1, 2], [3, -1], [-2, 2]])
    >>> best.value, best.x.tolist(), best.n_best
    (Fraction(41, 1), [1, -1, 1], 2)
    >>> binary_quadratic([[1], [1]], [-4, 1], domain=(0, 1)).x.tolist()
    [0, 1]
    """
    matrix = as_exact_matrix(V, "V")
    n = len(matrix)
    terms = (Fraction(0),) * n
    if linear is not None:
        linear = align(linear, labels_of(V), "linear")
        terms = fractions(as_exact_vector(linear, n, "linear"))
    if not isinstance(domain, tuple | list) or list(map(repr, domain)) not in _DOMAINS:
        raise InputError(f"domain is {quote(domain)}; expected (-1, 1) or (0, 1).")
    return _maximize(
        [fractions(row) for row in matrix],
        terms,
        repr(domain[0]) == "0",
        workers=workers,
        client=client,
        progress=progress,
        max_hours=max_hours,
    )


def _maximize(
    rows: list[tuple[Fraction, ...]], terms: tuple[Fraction, ...], zero_one: bool, **options: Any
) -> BinaryOptimum:
    (*whole, ends), common = times_common_denominator([*rows, terms])
    # s = 2 x - 1 doubles the sums: the squares by 4, and the linear terms, of one factor, too
    shifts = [zero_one * sum(column) for column in zip(*whole, strict=True)]
    factor = common * (1 + zero_one)
    denominator = common * factor * (1 + zero_one)
    constant = Fraction(zero_one * sum(ends), factor)
    used = [i for i, row in enumerate(whole) if any(row) or ends[i]]
    scale = denominator // factor
    linear = tuple(ends[i] * scale for i in used)
    form = _Form(tuple(tuple(whole[i]) for i in used), tuple(shifts), linear)
    signs = np.ones(len(rows), np.int8)
    normals = [[*whole[i], ends[i]] if any(ends) else whole[i] for i in used]
    arrangement = Arrangement(np.array(normals, object) if used else _NO_ROWS)
    if not used:
        value, number = -form.value([]), 1
    else:
        source, tally = ChamberSource(arrangement), partial(_LargestForm, form=form)
        value, number, words = least_row(source, tally, **options)
        signs[used] = unpack_signs(np.array([words], np.uint64), len(used))[0]
    x = (signs + 1) // 2 if zero_one else signs
    certificate = feasible(arrangement, signs[used])
    total = Fraction(-value, denominator) + constant
    return BinaryOptimum(total, x.astype(np.int8), number, certificate)


@public_class
@dataclass(frozen=True)
class L1Component:
    """A principal component in the L1 sense.

    Attributes
    ----------
    direction : (d,) ndarray of float64
        Of length 1.
    value : float
        Sum of the absolute projections of the data onto it, the largest of all directions;
        infinite if it exceeds every float.
    signs : (n,) ndarray of int8
        Signs of the projections.
    square : Fraction
        `value` squared, exact.
    """

    direction: NDArray[np.float64]
    value: float
    signs: NDArray[np.int8]
    square: Fraction

    def __repr__(self) -> str:
        return f"L1Component(value {self.value:.6g}, direction {quote(self.direction)})"


def l1_pca(
    X: ArrayLike,
    k: int = 1,
    *,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> L1Component:
    """Find the direction q of length 1 with the largest sum of ``abs(X @ q)``, exactly.

    Parameters
    ----------
    X : (n, d) array_like of int, float or Fraction
        One point in each row; center them first if the mean does not matter.
    k : 1
        Number of components. Several at once take signs of n k entries; one after the other is
        not optimal, so neither is offered.
    workers, client, progress, max_hours
        As in `fold_chambers`.

    Returns
    -------
    L1Component

    Raises
    ------
    InputError
        If `k` is not 1, or all points are zero.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The largest sum is the largest length of ``X.T @ s`` over vectors s of signs, and q points along
    that vector [1]_; see `binary_quadratic`. O(n**(d - 1)) chambers.

    References
    ----------
    .. [1] P. P. Markopoulos, G. N. Karystinos, D. A. Pados, Optimal algorithms for L1-subspace
       signal processing, IEEE Trans. Signal Process. 62 (2014) 5046-5058.

    Examples
    --------
    >>> found = l1_pca([[3, 0], [4, 1], [-5, 0], [0, 6]])
    >>> found.signs.tolist(), found.square
    ([1, 1, -1, 1], Fraction(193, 1))
    """
    if check_integer("k", k, 1) != 1:
        raise InputError(f"k is {k}; expected 1, the only number of components that is exact.")
    matrix = as_exact_matrix(X, "X")
    best = binary_quadratic(
        matrix, workers=workers, client=client, progress=progress, max_hours=max_hours
    )
    if not best.value:
        raise InputError("all rows of X are zero; expected a point that is not.")
    rows = [fractions(row) for row in matrix]
    total = [
        sum((s * x for s, x in zip(best.x.tolist(), column, strict=True)), Fraction(0))
        for column in zip(*rows, strict=True)
    ]
    size = max(map(abs, total))
    direction = np.array([float(x / size) for x in total])
    length = float(np.linalg.norm(direction))
    value = nearest_float(size * Fraction(length))
    return L1Component(direction / length, value, best.x, best.value)
