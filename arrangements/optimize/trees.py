"""The decision tree of two levels of hyperplane splits with the fewest errors.

A split is a chamber of the rows (x, 1), or its opposite. The value of a root S is the least number
of errors of a split of the points in S and of one of those outside. Moving one point to the other
side of the root changes this by at most the weight of the point: it is one point less or more to
make an error at. So the value of S, less the weight of all points on which S and another root
differ, is a lower bound for the other one, and most roots need not be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import check_flag, check_integer, check_max_hours, check_time_limit
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align, align_columns
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, from_tensor, is_frame
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    check_rational,
    fractions,
    times_common_denominator,
)
from arrangements.exact.scores import positive_rows
from arrangements.exact.text import brief_text
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.interior import Point
from arrangements.forecast.hours import check_hours
from arrangements.forecast.sizes import expected_chambers
from arrangements.messages import Remedy, quote, short_number
from arrangements.optimize.separation import distinct_points, widest_plane

# Roots that are evaluated together, and by one thread at a time.
_ROOTS, _PART = 64, 16
# Seconds for a pair of splits, for each class, and for each class and point.
_PAIR_SECONDS, _POINT_SECONDS = 4e-9, 5e-11
# Numbers for each pair of splits that are held at a time.
_HELD = 8

_LATER = Remedy("too long", "Pass time_limit for the best tree that is found, with a bound.")

Floats = NDArray[np.floating[Any]]


@public_class
@dataclass(frozen=True, eq=False)
class HyperplaneTree:
    """A decision tree with a hyperplane at the root and one on each of its sides.

    Attributes
    ----------
    loss : Fraction
        The sum of the weights of its errors; the number of errors without weights.
    bound : Fraction
        No such tree has a lesser loss; equal to `loss` unless the search was ended early.
    planes : tuple of three tuples of Fraction
        Coefficients of the columns and the constant: of the root, of the split where the root is
        not positive, and of that where it is. If normals are zero, the point is not split there.
    leaves : tuple of two tuples of two labels
        ``leaves[i][j]`` is predicted where the root has side i, and the split there has side j: 1
        where positive, else 0.
    n_splits : int
        How many splits of the points by hyperplanes there are: candidates for each of the three.
    n_evaluated : int
        For how many of them as a root the best splits of both sides were looked for.
    """

    loss: Fraction
    bound: Fraction
    planes: tuple[Point, Point, Point]
    leaves: tuple[tuple[Any, Any], tuple[Any, Any]]
    n_splits: int
    n_evaluated: int
    _data: _Data = field(compare=False)

    @property
    def gap(self) -> Fraction:
        """By how much the loss may exceed the least one: 0 if it is proved."""
        return self.loss - self.bound

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels of points, decided exactly.

        Parameters
        ----------
        X : (m, d) array_like of int, float or Fraction

        Returns
        -------
        (m,) ndarray
        """
        points = as_exact_matrix(align_columns(X, self._data.columns, "X", "columns"), "X")
        if points.shape[1] != self._data.points.shape[1]:
            raise InputError(
                f"X has {points.shape[1]} columns; expected {self._data.points.shape[1]}."
            )
        root, first, second = (_positive(plane, points) for plane in self.planes)
        place = 2 * root.astype(np.intp) + np.where(root, second, first)
        return self._data.array_of([label for pair in self.leaves for label in pair])[place]

    def verify(self) -> bool:
        """Whether the errors on the data have the weight `loss`, in exact arithmetic.

        That no tree has a lesser loss rests on the search.
        """
        data = self._data
        wrong = self.predict(data.points) != data.targets
        weights = (w for w, miss in zip(data.weights, wrong.tolist(), strict=True) if miss)
        return sum(weights, Fraction(0)) == self.loss

    def __repr__(self) -> str:
        proved = "the least" if self.gap == 0 else f"at least {brief_text(self.bound)}"
        return f"HyperplaneTree(loss {brief_text(self.loss)}, {proved}, {self.n_splits:,} splits)"

    def _repr_html_(self) -> str:
        facts = [
            ("loss", notebook.number(self.loss)),
            ("proved", "the least" if self.gap == 0 else f"at least {brief_text(self.bound)}"),
            ("splits by hyperplanes", f"{self.n_splits:,}"),
        ]
        (low, high), (one, other) = (map(str, pair) for pair in self.leaves)
        rows = [
            ["root", *notebook.numbers(self.planes[0]), "", ""],
            ["root not positive", *notebook.numbers(self.planes[1]), low, high],
            ["root positive", *notebook.numbers(self.planes[2]), one, other],
        ]
        d = len(self.planes[0]) - 1
        names = [notebook.Markup(f"x<sub>{k + 1}</sub>") for k in range(d)]
        heads = ["split", *names, "constant", "not positive", "positive"]
        return notebook.card("Decision tree of hyperplanes", facts, notebook.table(heads, rows, 3))


def best_tree(
    X: ArrayLike,
    y: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> HyperplaneTree:
    """Find the decision tree of two levels of hyperplane splits with the fewest errors, proved.

    Parameters
    ----------
    X : (n, d) array_like of int, float or Fraction
        In any position; points may occur several times, with other labels. A float counts as the
        exact dyadic number it is.
    y : (n,) array_like
        Labels of any number of classes. If X is a DataFrame, a Series is put into the order of
        its index.
    weights : (n,) array_like, optional
        What an error at each point costs, at least 0; default 1.
    workers : int
        Threads.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more if bounds do not help. The default is a day.
    time_limit : float, optional
        Seconds after which the best tree found is returned, with a bound for all others. Then
        `max_hours` refuses nothing.

    Returns
    -------
    HyperplaneTree
        One of the best trees. Its planes have the widest margin between the points that they
        split, if floats find it, and split them exactly. Ctrl-C returns the best tree found so
        far.

    Raises
    ------
    InputError
        If there is one class only, shapes do not fit, or weights are negative, all 0, or so
        many-digit that their sum exceeds 2**52 common units.
    TooLargeError
        If it is expected to take more than `max_hours`, or more memory than there is. There are
        about n**d / d! splits.

    See Also
    --------
    best_chamber, ZeroOneClassifier : one hyperplane.

    Notes
    -----
    All M splits of the points are listed, and for roots the best splits of both sides are found by
    products of 0/1 matrices, O(M n) for each. Where roots differ from an evaluated one in little,
    a bound leaves them out. In the worst case O(M**2 n), which is O(n**(2 d + 1)), as the best
    algorithm known for hyperplane trees [1]_.

    References
    ----------
    .. [1] X. He and M. A. Little, Provably optimal decision trees with arbitrary splitting rules in
       polynomial time, arXiv:2503.01455 and 2509.12057 (2025).

    Examples
    --------
    >>> X = [[0, 0], [3, 3], [0, 3], [3, 0], [1, 1], [2, 1]]
    >>> tree = best_tree(X, ["in", "in", "out", "out", "in", "out"])
    >>> tree
    HyperplaneTree(loss 0, the least, 14 splits)
    >>> tree.predict([[0, -1], [0, 4]]).tolist(), tree.verify()
    (['in', 'out'], True)
    """
    check_time_limit(time_limit)
    check_max_hours(max_hours)
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    data = _Data.of(X, y, weights)
    splits = _Splits(data, workers, np.inf if time_limit is not None else max_hours)
    search = _Search(splits, workers)
    steps = search.run(None if time_limit is None else monotonic() + time_limit)
    try:
        for _ in with_progress(steps, progress, len(splits.on), int, "roots"):
            pass
    except KeyboardInterrupt:
        if search.best is None:
            raise
    return splits.tree(search)


@dataclass(frozen=True)
class _Data:
    """The points of a caller.

    Attributes
    ----------
    points : (n, d) ndarray
        Exact numbers.
    targets : (n,) ndarray
        Labels.
    weights : list of n Fraction
    columns : list or None
        Names.
    """

    points: ExactArray
    targets: NDArray[Any]
    weights: list[Fraction]
    columns: list[Any] | None

    @classmethod
    def of(cls, X: Any, y: Any, weights: Any) -> _Data:
        if is_frame(X):
            y = align(y, X.index, "y", "rows of X")
            weights = align(weights, X.index, "weights", "rows of X")
        points = as_exact_matrix(X, "X")
        n, targets = len(points), np.asarray(from_tensor(y))
        if targets.shape != (n,):
            raise InputError(f"y has shape {targets.shape}; expected ({n},), a label for each row.")
        try:
            labels = np.unique(targets)
        except TypeError as error:
            raise InputTypeError("y has labels of several types, which have no order.") from error
        if (labels != labels).any():  # noqa: PLR0124
            raise InputError("y has a label that is not a number (nan); expected labels.")
        if len(labels) < 2:
            raise InputError(
                f"y has one class, {quote(targets.tolist()[0])}; expected two or more."
            )
        given = [Fraction(1)] * n
        if weights is not None:
            given = list(fractions(as_exact_vector(weights, n, "weights")))
            check_rational("weights", given)
        if min(given) < 0 or not any(given):
            raise InputError(
                f"weights has the least entry {brief_text(min(given))}; expected numbers from 0 "
                "on, not all 0."
            )
        return cls(points, targets, given, list(X.columns) if is_frame(X) else None)

    def array_of(self, labels: Sequence[Any]) -> NDArray[Any]:
        """Labels as an array like the one given."""
        return np.array(labels, self.targets.dtype)


class _Splits:
    """All splits of points by hyperplanes, and what they do to the classes."""

    def __init__(self, data: _Data, workers: int, max_hours: float | None) -> None:
        self.data = data
        self.labels, member = np.unique(data.targets, return_inverse=True)
        (whole,), self.unit = times_common_denominator([data.weights])
        # sums of two splits, up to twice all weights, are exact
        if sum(whole) >= 2**52:
            raise InputError(
                "weights have too many digits; expected sums below 2**52 units, which they share. "
                "Round them, or pass Fractions, such as Fraction(1, 10) for 0.1."
            )
        self.points, place = distinct_points(data.points)
        self.rows = append_column(self.points, np.ones(len(self.points), np.int64))
        k, classes = len(self.points), len(self.labels)
        number = expected_chambers(Arrangement(self.rows)) // 2
        kind = np.float32 if sum(whole) < 2**23 else np.float64
        what = f"a tree of about {short_number(number)} splits"
        needed = number * (k * (np.dtype(kind).itemsize + 3) + _ROOTS * (classes + _HELD) * 8)
        fewer = Remedy("fewer points", "Take a sample of the points, or fewer columns.")
        limits.check_bytes(what, needed, fewer)
        seconds = classes * (_PAIR_SECONDS + k * _POINT_SECONDS)
        check_hours(f"finding {what}", number**2, workers / seconds, max_hours, refusal=_LATER)
        signs = chambers(Arrangement(self.rows)).to_array()
        self.on: Floats = (signs[signs[:, 0] > 0] > 0).astype(kind)
        self.weights: Floats = np.zeros((classes, k), kind)
        np.add.at(self.weights, (member, place), np.array(whole, kind))
        self.sizes: Floats = self.weights @ self.on.T
        self.total = self.weights.sum(axis=1)[:, None, None]

    def evaluate(self, roots: NDArray[np.intp]) -> tuple[Floats, NDArray[np.intp], Floats]:
        """Values of roots, the best splits outside and inside, lower bounds for all roots."""
        both = np.stack([(self.on[roots] * w) @ self.on.T for w in self.weights])
        here, there = self.sizes[:, roots, None], self.sizes[:, None, :]
        inside = here.sum(axis=0) - both.max(axis=0) - (here - both).max(axis=0)
        rest = there - both
        outside = (self.total - here).sum(axis=0) - rest.max(axis=0)
        outside -= (self.total - here - rest).max(axis=0)
        apart = here.sum(axis=0) + there.sum(axis=0) - 2 * both.sum(axis=0)
        apart = np.minimum(apart, self.total.sum() - apart)
        best = np.stack([outside.argmin(axis=1), inside.argmin(axis=1)])
        values = outside.min(axis=1) + inside.min(axis=1)
        return values, best, (values[:, None] - apart).max(axis=0)

    def tree(self, found: _Search) -> HyperplaneTree:
        """The tree of three splits."""
        assert found.best is not None  # the first step finds one
        root = self.on[found.best[0]] > 0
        sides = (np.ones(len(root), np.bool_), ~root, root)
        planes, leaves = [], []
        for number, side in zip(found.best, sides, strict=True):
            on = self.on[number] > 0
            planes.append(self._plane(on, side))
            both = [self.weights[:, side & part].sum(axis=1).argmax() for part in (~on, on)]
            leaves.append(tuple(self.labels[both].tolist()))
        value, bound = (Fraction(int(x), self.unit) for x in (found.value, found.bound))
        return HyperplaneTree(
            value,
            bound,
            (planes[0], planes[1], planes[2]),
            (leaves[1], leaves[2]),
            len(self.on),
            found.evaluated,
            self.data,
        )

    def _plane(self, on: NDArray[np.bool_], side: NDArray[np.bool_]) -> Point:
        """A plane that splits the points of a side."""
        signs = np.where(on, 1, -1).astype(np.int8)
        if not side.any() or abs(signs[side].sum()) == side.sum():
            sign = Fraction(int(signs[side][0]) if side.any() else 1)
            return (*[Fraction(0)] * self.points.shape[1], sign)
        inner = feasible(Arrangement(self.rows), signs).point
        assert inner is not None  # it is a chamber
        return widest_plane(self.rows[side], signs[side], inner, True, 0.5)


class _Search:
    """Roots are evaluated, those of the least lower bound first, until none can be better.

    Attributes
    ----------
    best : tuple of int
        Numbers of the three splits of the best tree so far.
    value : float
        Its loss, in units of the weights.
    evaluated : int
        How many roots were.
    """

    def __init__(self, splits: _Splits, workers: int) -> None:
        self._splits, self._workers = splits, workers
        self._bounds = np.zeros(len(splits.on))
        # of equal bounds, in a random order: neighbors of a root say the same about others
        self._open = np.random.default_rng(0).permutation(len(splits.on))
        self.best: tuple[int, int, int] | None = None
        self.value, self.evaluated = np.inf, 0

    @property
    def bound(self) -> float:
        """No tree has a lesser loss."""
        return float(min(self.value, self._bounds[self._open].min(initial=np.inf)))

    def run(self, deadline: float | None) -> Iterator[int]:
        """Evaluate some roots at a time; yield how many roots are settled by that."""
        while self._open.size:
            left = len(self._open)
            self._step()
            yield left - len(self._open)
            if deadline is not None and monotonic() > deadline:
                break

    def _step(self) -> None:
        order = np.argsort(self._bounds[self._open], kind="stable")
        chosen = self._open[order[:_ROOTS]]
        parts = [chosen[i : i + _PART] for i in range(0, len(chosen), _PART)]
        found = list(in_order(self._splits.evaluate, parts, self._workers))
        for part, (values, pairs, bounds) in zip(parts, found, strict=True):
            at = int(values.argmin())
            if values[at] < self.value:
                self.value = float(values[at])
                self.best = int(part[at]), int(pairs[0, at]), int(pairs[1, at])
            np.maximum(self._bounds, bounds, out=self._bounds)
        self.evaluated += len(chosen)
        rest = self._open[order[_ROOTS:]]
        self._open = rest[self._bounds[rest] < self.value]


def _positive(plane: Point, points: ExactArray) -> NDArray[np.bool_]:
    normal = np.array([plane[:-1]], object)
    return positive_rows(normal, np.array(plane[-1:], object), points)[:, 0]
