"""Which labels can share the first place, and where.

The points at which a set of labels ties for first lie on a flat, where their scores are equal. All
other labels must score less there, which is one exact feasibility test. If it fails, the proof is a
vanishing positive combination of gaps between the tied labels and others. So wherever none of these
gaps is negative, all of them are zero: the labels in the proof tie as well, and join the set.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, islice
from math import comb
from operator import mul

import numpy as np
from numpy.typing import ArrayLike

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, labels_of
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.errors import InputError
from arrangements.exact.linear import nullspace
from arrangements.exact.numbers import difference, integer_rows, quotient, whole_rows
from arrangements.exact.text import exact_repr
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import are_feasible
from arrangements.forecast.hours import check_hours, foreseen
from arrangements.messages import Remedy, short_number
from arrangements.models.top_search import Effort, Tops, feasible_orders, read_effort
from arrangements.models.tops import read_rows, rows_of_caller
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

Row = list[int]

# About how many questions about sets of labels are answered in a second.
_QUESTIONS_PER_SECOND = 1000

# Least memory for a set, its point, and the answered questions about it.
_TIE_BYTES = 1000
_SMALLER = Remedy("smaller ties", "Pass a smaller size, or ask about labels with tie_set.")


@public_class
@dataclass(frozen=True)
class TieSet:
    """Labels that share the first place at some x, and no other label with them.

    Attributes
    ----------
    labels : tuple of int
        Rows of W, ascending.
    names : tuple of str
        Names of these labels; without names, their rows as text. ``==`` ignores them.
    point : tuple of Fraction
        An x at which exactly these labels have the largest score.
    dimension : int
        Dimension of the set of all such x; for a single label, the dimension of x.

    Examples
    --------
    >>> tie_set([[1, 0], [0, 1], [-1, -1]], [0, 1])
    TieSet(labels=(0, 1), point=(Fraction(1, 1), Fraction(1, 1)), dimension=1)
    """

    labels: tuple[int, ...]
    point: tuple[Fraction, ...]
    dimension: int
    names: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not self.names:
            # bypass the __setattr__ that makes the object immutable
            self.__dict__.update(names=tuple(map(str, self.labels)))

    def __repr__(self) -> str:
        named = "" if self.names == tuple(map(str, self.labels)) else f"names={self.names}, "
        where = f"point={exact_repr(self.point)}, dimension={self.dimension}"
        return f"TieSet(labels={self.labels}, {named}{where})"

    def _repr_html_(self) -> str:
        n = len(self.labels)
        title = f"{n} labels share the first place" if n > 1 else "1 label is first, alone"
        facts = [("an exact point", notebook.point(self.point)), ("dimension", self.dimension)]
        pairs = zip(self.names, self.labels, strict=True)
        rows = ([row, notebook.label(name, row)] for name, row in pairs)
        return notebook.card(title, facts, notebook.table(["row", "label"], rows, n))


def tie_set(
    W: ArrangementLike,
    tied: Label | Iterable[Label],
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
) -> TieSet | None:
    """Smallest set of labels that can tie for first and contains the given ones.

    Parameters
    ----------
    W, offsets, rank, ties, labels
        As in `rankings`.
    tied : int or str, or iterable of them, or (n,) mask
        Rows of W, or labels, at least one. docs/words.md says what is a mask.
    within
        As in `top_k_sets`: only points of its relative interior count.

    Returns
    -------
    TieSet or None
        Its `labels` are the given ones iff exactly these can tie for first. Further labels also
        have the largest score wherever the given ones share it. None means that the given ones
        never share it.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, or if there is no such row.

    See Also
    --------
    tie_sets : all of them.

    Notes
    -----
    Exact. Without offsets there is always an answer, since all labels tie at x = 0. At most
    rank + 1 feasibility tests of n rows.

    Examples
    --------
    Opposite corners of a square tie for first only where all four do; neighbors by themselves.

    >>> square = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    >>> tie_set(square, [0, 2]).labels, tie_set(square, [0, 1]).labels
    ((0, 1, 2, 3), (0, 1))
    >>> tie_set(square, [0, 2], offsets=[0, 1, 0, 1]) is None
    True
    """
    labels = labels_of(W, labels)
    model = as_score_model(W, offsets, labels, ties, rank)
    rows = read_rows(tied, model, labels, "tied")
    if not rows:
        raise InputError("tied is empty; expected at least one row of W.")
    wanted = [model.kept.index(model.dropped.get(row, row)) for row in rows]
    P = None if within is None else read_polyhedron(within, model)
    if P is not None and P.is_empty:
        return None
    envelope = _Envelope(model, P)
    found = envelope.closure(envelope.all_rows, wanted)
    return None if found is None else _callers(found, model)


def tie_sets(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    size: int | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> tuple[TieSet, ...]:
    """Sets of labels that can tie for first: at some x they, and no others, score highest.

    Parameters
    ----------
    W, offsets, rank, ties, labels, workers, progress
        As in `rankings`.
    size : int, optional
        Only sets of at most this many labels; with 1, the labels of `argmax_labels`.
    within
        As in `top_k_sets`: only ties in its relative interior.
    max_hours : float, optional
        Refuse a search if the tests of single labels, of pairs, or of the largest possible number
        of sets are expected to take more hours; default a day.

    Returns
    -------
    tuple of TieSet
        Ordered by size, then lexicographically.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`.
    TooLargeError
        If it takes more than `max_hours`, or the sets do not fit into half of the free memory.

    See Also
    --------
    tie_set : ask about one set.
    top_ties : pairs only, faster for many labels.
    argmax_labels : labels that can be first alone.

    Notes
    -----
    Exact. Tie sets are the faces of the upper envelope of the scores; without offsets, the faces of
    the convex hull of the rows, and the set of all labels (at x = 0). Each is found from one with
    fewer labels by a question about a further label. Only the m labels that can be first alone are
    tried; the scores at the resulting point add the others. A label joins together with all labels
    that always tie with it and one of the set. So there are m^2 / 2 questions about pairs and a few
    for each set, each of O(d) feasibility tests of m rows.

    Examples
    --------
    >>> square = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    >>> [tie.labels for tie in tie_sets(square)]
    [(0,), (1,), (2,), (3,), (0, 1), (0, 3), (1, 2), (2, 3), (0, 1, 2, 3)]
    >>> [tie.labels for tie in tie_sets(square, offsets=[0, 1, 0, 1]) if len(tie.labels) > 1]
    [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3), (0, 1, 3), (1, 2, 3)]
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    effort = read_effort(workers, progress, max_hours)
    most = model.n_labels if size is None else check_integer("size", size, 1)
    P = None if within is None else read_polyhedron(within, model)
    if P is not None and P.is_empty:
        return ()
    found = _all_ties(model, P, most, effort)
    return tuple(_callers(tie, model) for tie in found)


def top_ties(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops:
    """Pairs of labels that can tie for the first place, strictly above all others.

    Parameters
    ----------
    W, offsets, rank, ties, labels
        As in `rankings`.
    named, within, workers, progress, max_hours
        As in `top_k_sets`.

    Returns
    -------
    (m, 2) ndarray of int, or of str
        Rows i < j of W, or their names, sorted by row numbers: some x gives both the same
        score and every other label a smaller one.

    Raises
    ------
    InputError, TiedLabelsError, TooLargeError
        As `top_k_rankings`.

    See Also
    --------
    tie_sets : ties of more labels, each with a point.
    top_k_rankings : feasible first places in order.

    Notes
    -----
    Exact. Labels i and j tie for the first place somewhere iff each of them can be first with the
    other one second: the points where {i, j} are on top form a convex set, and the tie either cuts
    it in two or misses it. Without offsets these are the edges of the convex hull of the rows
    (between vertices, and with no further row on them). The cost is that of ``top_k_rankings(W,
    2)``.

    Examples
    --------
    >>> top_ties([[1, 1], [1, -1], [-1, 1], [-1, -1]]).tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    effort, answer = read_effort(workers, progress, max_hours), rows_of_caller(model, named)
    P = None if within is None else read_polyhedron(within, model)
    if model.n_labels == 1 or (P is not None and P.is_empty):
        return answer[np.zeros((0, 2), np.intp)]
    if P is not None and P.dimension < P.ambient_dimension:  # labels may tie in all of it
        both = [tie.labels for tie in _all_ties(model, P, 2, effort) if len(tie.labels) == 2]
    else:
        first_two = set(map(tuple, feasible_orders(model, 2, effort, P).tolist()))
        both = sorted((i, j) for i, j in first_two if i < j and (j, i) in first_two)
    return answer[np.array(both, np.intp).reshape(len(both), 2)]


def _all_ties(
    model: ScoreModel, within: Polyhedron | None, most: int, effort: Effort
) -> list[TieSet]:
    """Tie sets of at most `most` labels, in numbers of the model, sorted."""
    envelope = _Envelope(model, within)
    found = [envelope.with_all_labels(tie) for tie in _faces(envelope, most, effort)]
    found = [tie for tie in found if len(tie.labels) <= most]
    return sorted(found, key=lambda tie: (len(tie.labels), tie.labels))


def _faces(envelope: _Envelope, most: int, effort: Effort) -> list[TieSet]:
    """Tie sets of at most `most` labels, all of which can be first alone."""
    rows = envelope.first_alone(effort)

    def ask(pair: tuple[int, int]) -> tuple[tuple[int, int], TieSet | None]:
        return pair, envelope.closure(rows, pair)

    def one(answer: object) -> int:
        return 1

    number = comb(len(rows), 2) if most > 1 else 0
    answers = in_order(ask, islice(combinations(rows, 2), number), effort.workers)
    answers = with_progress(answers, effort.progress, number, one, "pairs of labels")
    what = f"asking about {number} pairs"
    together = dict(foreseen(answers, number, one, what, effort.max_hours))
    check_hours(
        f"finding up to {short_number(bound := _most_sets(len(rows), rows, most))} sets of labels",
        bound,
        _QUESTIONS_PER_SECOND,
        effort.max_hours,
    )
    room = limits.available_bytes()
    found: dict[tuple[int, ...], TieSet] = {}
    seen: set[tuple[int, ...]] = set()
    waiting: list[tuple[int, ...]] = [(i,) for i in rows]
    while waiting:
        labels = waiting.pop()
        tie = envelope.closure(rows, labels)
        if tie is None or len(tie.labels) > most or tie.labels in found:
            continue
        found[tie.labels] = tie
        if len(found) * _TIE_BYTES > room:
            what = f"more than {len(found)} sets of labels tie for first"
            limits.check_bytes(what, len(found) * _TIE_BYTES, _SMALLER, allowed=room)
        for k in rows if len(tie.labels) < most else ():
            if k in tie.labels:
                continue
            # wherever k ties with one of the labels, all that always tie with both do so, too
            ties = [together[min(i, k), max(i, k)] for i in tie.labels]
            wanted = {k, *tie.labels, *(i for pair in ties if pair for i in pair.labels)}
            key = tuple(sorted(wanted))
            if None not in ties and len(key) <= most and key not in seen:
                seen.add(key)
                waiting.append(key)
    return list(found.values())


def _most_sets(m: int, rows: dict[int, Row], most: int) -> int:
    """Largest number of tie sets of labels that can be first: faces of a cyclic polytope.

    McMullen's upper bound theorem gives the number of facets, each with at most 2**D faces.
    """
    if not m:
        return 0
    D = len(next(iter(rows.values())))
    if m <= D:
        return 2**m
    half, other = D // 2, (D - 1) // 2
    facets = comb(m - (D + 1) // 2, half) + comb(m - 1 - (D + 2) // 2, other)
    return min(facets * 2**D, sum(comb(m, size) for size in range(1, min(most, m) + 1)))


class _Envelope:
    """The largest of the scores, as a function of x, or of coordinates in a polyhedron.

    all_rows : integer rows of the labels in homogeneous coordinates (u, t)
    strict : rows that are positive at the points in question, t first
    """

    def __init__(self, model: ScoreModel, within: Polyhedron | None) -> None:
        self.model, self.within = model, within
        rows, facets = model.integer_rows, list[Row]()
        if within is not None:
            self._hull = HullCoordinates(within)
            width = within.dimension + 1  # of a point there is no u
            rows = whole_rows(self._hull.restrict(model.weights, model.offsets)[:, -width:])
            facets = integer_rows(self._hull.facets[:, -width:])
        self.all_rows = dict(enumerate(rows))
        self.strict: list[Row] = [[0] * (len(rows[0]) - 1) + [1], *facets]

    def first_alone(self, effort: Effort) -> dict[int, Row]:
        """Rows of labels that can be first alone; of those that tie everywhere the first is one."""
        if self.within is None:
            first = feasible_orders(self.model, 1, effort).ravel()
        else:
            distinct = {tuple(row): i for i, row in reversed(self.all_rows.items())}
            first = np.array(sorted(distinct.values()))
            b = self.model.offsets
            part = self.model.weights[first], None if b is None else b[first]
            rows = self._hull.score_rows(*part, compared=True)
            batch = FeasibilityBatch.of_array(rows, "orders", np.arange(len(first))[:, None])
            first = first[are_feasible(batch, effort.workers)]
        return {i: self.all_rows[i] for i in first.tolist()}

    def closure(self, rows: dict[int, Row], labels: Iterable[int]) -> TieSet | None:
        """Smallest tie set with these labels, of the rows by label."""
        tied = set(labels)
        d = len(self.strict[0]) - 1
        while True:
            first, *more = sorted(tied)
            others = [k for k in rows if k not in tied]
            # in the span of the basis the labels tie
            basis = nullspace([difference(rows[first], rows[i]) for i in more], d + 1)
            apart = [difference(rows[first], rows[k]) for k in others]
            strict, gaps = (
                [[sum(map(mul, row, vector)) for vector in basis] for row in some]
                for some in (self.strict, apart)
            )
            forced = {k for k, gap in zip(others, gaps, strict=True) if not any(gap)}
            if not all(map(any, strict)):
                return None
            if not forced:
                z = _positive_point([*strict, *gaps])
                if not isinstance(z, set):
                    y = [sum(map(mul, z, column)) for column in zip(*basis, strict=True)]
                    u = tuple(quotient(value, y[d]) for value in y[:d])
                    return TieSet(tuple(sorted(tied)), self._point(u), len(basis) - 1)
                if min(z) < len(strict):
                    return None
                forced = {others[j - len(strict)] for j in z}
            tied |= forced

    def _point(self, u: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return u if self.within is None else self._hull.point(u or (0,))

    def with_all_labels(self, tie: TieSet) -> TieSet:
        """The tie set with the labels that tie at its point but cannot be first alone."""
        point = [*tie.point, Fraction(1)]
        scores = [sum(map(mul, row, point)) for row in self.model.integer_rows]
        best = max(scores)
        labels = tuple(i for i, score in enumerate(scores) if score == best)
        return TieSet(labels, tie.point, tie.dimension)


def _positive_point(rows: list[Row]) -> tuple[Fraction, ...] | set[int]:
    """A point where all rows are positive, or rows with a vanishing positive combination."""
    certificate = feasible(Arrangement(rows), np.ones(len(rows), np.int8))
    return set(certificate.support) if certificate.point is None else certificate.point


def _callers(tie: TieSet, model: ScoreModel) -> TieSet:
    """The tie set in numbers of the caller's rows, with names."""
    rows = tuple(model.kept[i] for i in tie.labels)
    return TieSet(rows, tie.point, tie.dimension, model.names(tie.labels))
