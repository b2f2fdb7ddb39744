"""Quadratic forms of low rank over vectors of signs, and the L1 principal component."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import (
    check_flag,
    check_integer,
    check_max_hours,
    check_option,
    check_time_limit,
)
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align, labels_of
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import check_rational, fractions, nearest_float
from arrangements.exact.text import brief_text
from arrangements.forecast.sizes import most_chambers
from arrangements.messages import quote
from arrangements.optimize.binary_conditions import Condition, read_conditions
from arrangements.optimize.binary_programs import BinaryProgram
from arrangements.optimize.binary_proofs import proves
from arrangements.optimize.binary_questions import Question, ask
from arrangements.optimize.binary_search import BinarySearch
from arrangements.optimize.objectives import LeastTally, least_row
from arrangements.polyhedra.reading import Equations, Within
from arrangements.runs.sources import ChamberSource, Rows, Source
from arrangements.sets.packed import pack_signs, unpack_signs

_DOMAINS = (["-1", "1"], ["0", "1"])
# Chambers that a sweep sees in less than a second, about.
_SWEPT = 10**7
# Hours beyond which a limit is none.
_AGE = 10**9


class _LargestForm(LeastTally):
    """The largest value of a convex form among the rows of a part, as its negative."""

    def __init__(self, source: Source, program: BinaryProgram) -> None:
        super().__init__(source)
        self._program, self._floats = program, program.floats

    def add(self, rows: Rows) -> None:
        P, signs = self._floats, unpack_signs(rows, self.source.n)
        sums, ends = signs @ P.rows, signs @ P.linear
        for side in (1, -1) if self.source.half else (1,):
            values = (side * sums + P.shifts) ** 2 @ P.weights + side * ends
            for row in side * signs[self.nearly_largest(values, P.value_error)]:
                value = self._program.value(row.tolist())
                assert value is not None  # there are no conditions
                self.take(-value, pack_signs(row[None])[0])


@public_class
@dataclass(frozen=True)
class BinaryOptimum:
    """A best vector of a binary quadratic problem, or the best one found in the time allowed.

    Attributes
    ----------
    value : Fraction
        Exact.
    x : (n,) ndarray of int8
        Entries of the domain.
    bound : Fraction
        No vector has a better value; equal to `value` unless the search was ended early.
    n_best : int or None
        After a sweep, how many chambers have this value. A row that is zero leaves its entry free.
    certificate : Certificate or None
        After a sweep, that of the chamber.
    method : {"sweep", "bounds"}
    """

    value: Fraction
    x: NDArray[np.int8]
    bound: Fraction
    n_best: int | None
    certificate: Certificate | None
    method: str
    _question: Question

    @property
    def gap(self) -> Fraction:
        """How far the value is from the bound: 0 if it is proved to be the best."""
        return abs(self.value - self.bound)

    def verify(self, *, optimal: bool = False, max_hours: float | None = None) -> bool:
        """Check the value and the conditions; with `optimal`, that no vector is better.

        Parameters
        ----------
        optimal : bool
            Search by bounds again, note each bound, and check all of them in rational arithmetic.
        max_hours : float, optional
            The time for it. The default is a minute.

        Returns
        -------
        bool
            All of it in exact arithmetic. False with `optimal` after a search that was ended early
            means that a better vector exists.

        Raises
        ------
        TooLargeError
            If `optimal` takes more than `max_hours`.

        Examples
        --------
        >>> best = binary_quadratic([[1, 2], [3, -1], [-2, 2]], weights=[1, -1])
        >>> best.verify(), best.verify(optimal=True)
        (True, True)
        """
        optimal = check_flag("optimal", optimal)
        check_max_hours(max_hours)
        question = self._question
        number = question.program.value(question.signs(self.x))
        holds = number is not None and question.value(number) == self.value
        if not (optimal and holds):
            return holds
        seconds = 60.0 if max_hours is None else 3600 * min(max_hours, _AGE)
        deadline = monotonic() + seconds
        search = BinarySearch(question.program, record=True)
        search.run(deadline)
        if search.interrupted:
            raise KeyboardInterrupt
        if search.finished and search.best != number:
            return False
        proved: bool | None = None
        if search.finished:
            proved = proves(question.program, search.branches or {}, number, deadline)
        if proved is None:
            raise TooLargeError(
                f"a proof that no vector is better takes more than {seconds:g} seconds; pass "
                "max_hours for more."
            )
        return proved

    def __repr__(self) -> str:
        value = brief_text(self.value)
        proved = f"within {brief_text(self.gap)} of the best" if self.gap else "best"
        return f"BinaryOptimum(value {value}, {proved}, x {quote(self.x)})"

    def _repr_html_(self) -> str:
        ones = np.flatnonzero(self.x == 1)
        facts = [
            ("value", notebook.number(self.value)),
            ("bound of all others", notebook.number(self.bound) if self.gap else None),
            ("proved", None if self.gap else "best"),
            ("chambers of this value", self.n_best),
            ("method", self.method),
            ("entries that are 1", f"{len(ones)} of {len(self.x)}"),
        ]
        rows = ([str(i), str(x)] for i, x in enumerate(self.x.tolist()))
        title = "Best vector found" if self.gap else "Best vector"
        return notebook.card(title, facts, notebook.table(["row", "x"], rows, len(self.x)))


def binary_quadratic(
    V: ArrayLike,
    linear: ArrayLike | None = None,
    *,
    minimize: bool = False,
    weights: ArrayLike | None = None,
    domain: tuple[int, int] = (-1, 1),
    ones: int | tuple[int, int] | None = None,
    method: str = "auto",
    equations: Equations | None = None,
    within: Within | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> BinaryOptimum:
    """Maximize ``x @ Q @ x + linear @ x`` over vectors of signs, or of 0 and 1; Q has low rank.

    Parameters
    ----------
    V : (n, r) array_like of int, float or Fraction
        Q is ``V @ diag(weights) @ V.T``. A float counts as the exact dyadic number it is.
    linear : (n,) array_like, optional
        Default zeros.
    weights : (r,) array_like, optional
        What the square of each entry of ``V.T @ x`` counts, of either sign. Default ones.
    minimize : bool
        Minimize it instead.
    domain : (-1, 1) or (0, 1)
        Entries of x.
    ones : int or (int, int), optional
        How many entries are 1: exactly this many, or from the first to the second number.
    equations : (E, f), optional
        Only vectors with ``E @ x == f``; E is (m, n).
    within : Polyhedron in dimension n, or (A, c), optional
        Only vectors in this polyhedron, or with ``A @ x <= c``.
    method : {"auto", "sweep", "bounds"}
        "sweep" sees all chambers of the rows of V, and counts the best ones: for a maximum with
        weights >= 0, or a minimum with weights <= 0, without conditions. "bounds" divides ranges
        of ``V.T @ x``, and signs, until bounds prove that no vector is better. "auto" sweeps if
        that is possible and takes a fraction of a second.
    workers, client, progress, max_hours
        Of a sweep, as in `fold_chambers`.
    time_limit : float, optional
        Seconds after which bounds return the best vector found, with a bound for all others.

    Returns
    -------
    BinaryOptimum
        Of several best vectors, one. Ctrl-C ends bounds like `time_limit`.

    Raises
    ------
    InputError
        If a shape or the domain is another, no vector meets the conditions, or "sweep" is not
        possible.
    IncompleteError
        If the time ends before a vector that meets the conditions is known.
    TooLargeError
        If a sweep is expected to take more than `max_hours`.

    Notes
    -----
    *Sweep.* A convex form is greatest at a vertex of the zonotope of the points
    ``(V.T @ x, linear @ x)``, and the vertices are the chambers of the rows ``(v_i, l_i)`` [1]_: at
    most O(n**(r - 1)), or O(n**r) with a linear term.

    *Bounds.* For any slopes a, ``w z**2 <= a z + max(w t**2 - a t for t in the range of z)``; with
    such a line for each entry z of ``V.T @ x``, what is left is linear in x, so that each sign is
    best alone. The
    search descends to slopes of small bounds and fixes signs by them (docs/algorithms.md). It
    computes in floats with proven errors, compares the values of vectors exactly, and takes
    O(n r) for a bound. Random forms of rank 4 with n = 60 take a few hundred nodes, or a tenth of a
    second, if a positive weight or `linear` matters. Without, this is number partitioning, which is
    NP-hard for r = 1 already: see `time_limit`. Flips of single entries tell as much about
    the best x [2]_, but leave both signs possible near hyperplanes if weights are negative.

    References
    ----------
    .. [1] K. Allemand, K. Fukuda, T. M. Liebling, E. Steiner, A polynomial case of unconstrained
       zero-one quadratic optimization, Math. Program. 91 (2001) 49-52.
    .. [2] M. Harary, A Courcelle-type metatheorem for rank-bounded unconstrained binary
       optimization, arXiv 2510.15168.

    Examples
    --------
    >>> best = binary_quadratic([[1, 2], [3, -1], [-2, 2]])
    >>> best.value, best.x.tolist(), best.n_best
    (Fraction(41, 1), [1, -1, 1], 2)
    >>> binary_quadratic([[1], [1]], [-4, 1], domain=(0, 1)).x.tolist()
    [0, 1]
    >>> V = [[1, 2], [3, -1], [-2, 2], [4, 1]]
    >>> best = binary_quadratic(V, weights=[1, -1], domain=(0, 1), ones=2)
    >>> best.value, best.x.tolist(), best.gap
    (Fraction(49, 1), [0, 1, 0, 1], Fraction(0, 1))
    """
    matrix = as_exact_matrix(V, "V")
    n, r = matrix.shape
    terms: tuple[Any, ...] = (Fraction(0),) * n
    if linear is not None:
        linear = align(linear, labels_of(V), "linear")
        terms = fractions(as_exact_vector(linear, n, "linear"))
    shares: tuple[Any, ...] = (Fraction(1),) * r
    if weights is not None:
        shares = fractions(as_exact_vector(weights, r, "weights", each="column of V"))
    for name, given in (("V", matrix), ("linear", terms), ("weights", shares)):
        check_rational(name, given)
    if not isinstance(domain, tuple | list) or list(map(repr, domain)) not in _DOMAINS:
        raise InputError(f"domain is {quote(domain)}; expected (-1, 1) or (0, 1).")
    minimize = check_flag("minimize", minimize)
    check_option("method", method, ("auto", "sweep", "bounds"))
    workers = check_integer("workers", workers, 1)
    progress = check_flag("progress", progress)
    check_max_hours(max_hours)
    check_time_limit(time_limit)
    zero_one = repr(domain[0]) == "0"
    conditions = read_conditions(n, zero_one, ones, equations, within)
    question = ask(
        [fractions(row) for row in matrix], terms, shares, minimize, zero_one, conditions
    )
    if _should_sweep(question, method, conditions):
        return _sweep(
            question, workers=workers, client=client, progress=progress, max_hours=max_hours
        )
    return _search(question, time_limit)


def _should_sweep(question: Question, method: str, conditions: list[Condition]) -> bool:
    """Choose the method."""
    convex = min(question.program.weights) >= 0
    possible = convex and not conditions
    if method == "sweep" and not possible:
        what = "weights of both signs, or of the other sign," if not convex else "conditions"
        raise InputError(
            f"method is 'sweep', which needs a convex form and all vectors, but there are {what}; "
            "expected 'auto' or 'bounds'."
        )
    if method != "auto" or not possible or not question.used:
        return method == "sweep" or (method == "auto" and possible)
    return most_chambers(_arrangement(question)) <= _SWEPT


def _arrangement(question: Question) -> Arrangement:
    """The rows whose chambers are the vertices of the zonotope."""
    P = question.program
    pairs = zip(P.rows, P.linear, strict=True)
    normals = [[*row, end] if any(P.linear) else [*row] for row, end in pairs]
    return Arrangement(np.array(normals, object) if normals else np.zeros((0, 1), np.int64))


def _sweep(question: Question, **options: Any) -> BinaryOptimum:
    """The best of all chambers."""
    program, arrangement = question.program, _arrangement(question)
    number, signs = 1, np.zeros(0, np.int8)
    if question.used:
        tally = partial(_LargestForm, program=program)
        _, number, words = least_row(ChamberSource(arrangement), tally, **options)
        signs = unpack_signs(np.array([words], np.uint64), len(question.used))[0]
    found = program.value(signs.tolist())
    assert found is not None  # there are no conditions
    value, certificate = question.value(found), feasible(arrangement, signs)
    x = question.vector(signs)
    return BinaryOptimum(value, x, value, number, certificate, "sweep", question)


def _search(question: Question, time_limit: float | None) -> BinaryOptimum:
    """The best vector by bounds."""
    deadline = None if time_limit is None else monotonic() + float(min(time_limit, 3600 * _AGE))
    search = BinarySearch(question.program)
    search.run(deadline)
    if search.best is None:
        if search.interrupted:
            raise KeyboardInterrupt
        if search.finished:
            raise InputError("no vector x meets ones, equations and within; relax one of them.")
        raise IncompleteError(
            f"no vector x that meets ones, equations and within is known after {time_limit:g} "
            "seconds; pass a larger time_limit."
        )
    assert search.bound is not None
    value, bound = question.value(search.best), question.value(search.bound)
    x = question.vector(search.signs)
    return BinaryOptimum(value, x, bound, None, None, "bounds", question)


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
    check_rational("X", matrix)
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
