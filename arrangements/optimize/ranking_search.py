"""The ranking that is nearest to a given one, or has the largest discounted gain."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from operator import mul
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.checks import (
    check_flag,
    check_integer,
    check_max_hours,
    check_time_limit,
)
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, align, find_rows
from arrangements.core.score_model import ScoreModel, as_score_model, of_pairs, tied_groups
from arrangements.enumeration.chambers import iter_chambers
from arrangements.errors import InputError, LowRankWarning, TiedLabelsError
from arrangements.exact.coercion import as_exact_vector
from arrangements.exact.numbers import (
    ExactArray,
    as_objects,
    check_rational,
    fractions,
    stack_rows,
    times_common_denominator,
    unify_fields,
    whole_rows,
)
from arrangements.exact.text import brief_text
from arrangements.feasibility.interior import Point
from arrangements.optimize.by_sweep import (
    best_of_step,
    extremes_behind,
    extremes_within,
    for_each,
    least_of_all,
    should_list,
)
from arrangements.optimize.chamber_search import best_chamber
from arrangements.optimize.kemeny import pair_costs
from arrangements.optimize.objectives import (
    Costs,
    LeastTally,
    better,
)
from arrangements.optimize.region import certify, facets_beside
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.runs.sources import RankingSource, Rows, Source
from arrangements.runs.steps import Step
from arrangements.sets.packed import pack_signs

_ROUNDING = 2.0**-53


@public_class
@dataclass(frozen=True)
class BestRanking:
    """A best ranking, or the best one found in the time allowed.

    Attributes
    ----------
    value : Fraction
        Its distance from the reference, or its gain; exact.
    order : (n,) ndarray of intp
        Labels from the first place to the last.
    names : tuple of str
        What they are called.
    certificate : Certificate
        Proves that the ranking occurs: the n - 1 differences of neighbors, all of which are
        positive at an exact point.
    bound : Fraction
        No ranking has a better value; equal to `value` unless the search ended early.
    orders : (m, n) ndarray of intp, or None
        With `all_optimal`, the best rankings, in lexicographic order; None if the search ended
        early.
    """

    value: Fraction
    order: NDArray[np.intp]
    names: tuple[str, ...]
    certificate: Certificate
    bound: Fraction
    orders: NDArray[np.intp] | None = None

    @property
    def point(self) -> Point:
        """An exact point that has the ranking."""
        assert self.certificate.point is not None
        return self.certificate.point

    @property
    def gap(self) -> Fraction:
        """How far the value is from the bound: 0 if it is proved to be the best."""
        return abs(self.value - self.bound)

    def __repr__(self) -> str:
        proved = f"within {brief_text(self.gap)} of the best" if self.gap else "best"
        first = " > ".join(self.names[:8])
        return f"BestRanking(value {brief_text(self.value)}, {proved}, {first})"

    def _repr_html_(self) -> str:
        facts = [
            ("value", notebook.number(self.value)),
            ("bound of all others", notebook.number(self.bound) if self.gap else None),
            ("an exact point", notebook.point(self.point)),
        ]
        every = dict(zip(self.order.tolist(), self.names, strict=True))
        rows = ([k, notebook.label(every[i], i)] for k, i in enumerate(self.order.tolist()))
        table = notebook.table(["place", "label"], rows, len(every))
        return notebook.card("Best ranking found" if self.gap else "Best ranking", facts, table)


def best_ranking(
    W: ArrangementLike,
    reference: Iterable[Label] | None = None,
    *,
    offsets: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    gains: ArrayLike | None = None,
    discounts: ArrayLike | None = None,
    references: Iterable[Iterable[Any]] | None = None,
    rank: int | None = None,
    all_optimal: bool = False,
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> BestRanking:
    """Find an input whose ranking is nearest to given ones, or has the largest discounted gain.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        Label i has the score ``w_i . x + b_i``.
    reference : sequence of n labels, optional
        Rows or names, from the first place to the last. The distance of a ranking is that of
        Kendall: the number of pairs of labels in the other order.
    offsets : (n,) array_like, optional
        Default zeros.
    gains : (n,) array_like, optional
        Instead of ``reference``, what each label is worth: the value of a ranking is the sum of
        ``gains[i] * discounts[place of i]``, the largest of which is looked for.
    discounts : (n,) array_like, optional
        What each place counts. Default ``1 / log2(place + 2)``, rounded to float64: the discounted
        cumulative gain; with zeros behind the first k places, that of these alone.
    references, weights : optional
        Instead of ``reference``, many rankings and how often each counts, as in `kemeny_ranking`:
        the value is the sum of the distances. Ties and rankings of some labels are possible.
    all_optimal : bool
        Find all rankings that are nearest, by a listing; not with `gains`.
    rank, labels
        As in `rankings`.
    within : Polyhedron, or (A, c), optional
        Only inputs in the relative interior of this polyhedron count, or of ``A @ x <= c``.
    workers, client, progress, max_hours
        As in `best_chamber`.
    time_limit : float, optional
        As in `best_chamber`; not with `gains`.

    Returns
    -------
    BestRanking
        Of several best rankings, one. A search that ends early returns the best one found, with a
        bound for all others; of gains, the bound is the value of the best order of all labels.

    Raises
    ------
    InputError
        If ``reference`` is not an order of all labels, not one of it, `references` and `gains` is
        given, or `within` is empty.
    TiedLabelsError
        If two labels are equal, or have the same score at every point of `within`: where `rankings`
        lists nothing, there is no best one.
    TooLargeError
        If it is expected to take more than `max_hours`.

    See Also
    --------
    place_range : the best and the worst place of each label.
    kemeny_ranking : the nearest of all rankings, whether they occur or not.
    fold_rankings : any function of rankings.

    Notes
    -----
    The distance is a sum over the signs of the differences of all pairs of labels, so that
    `best_chamber` finds the least one, by bounds if that is near 0. Gains depend on places, and
    are found by looking at each ranking once: values are computed in floats, and those within the
    proven error of the largest are compared exactly.

    Examples
    --------
    >>> W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    >>> found = best_ranking(W, [3, 0, 1, 2])
    >>> found.value, found.order.tolist()
    (Fraction(1, 1), [0, 3, 1, 2])
    >>> best_ranking(W, gains=[0, 1, 0, 2], discounts=[1, 0.5, 0, 0])
    BestRanking(value 2, best, 1 > 3 > 0 > 2)
    >>> best_ranking(W, [3, 0, 1, 2], within=([[1, 1]], [-1]))
    BestRanking(value 1, best, 0 > 3 > 1 > 2)
    >>> votes = [[3, 0, 1, 2], [3, (0, 1, 2)], [2, 3]]
    >>> best_ranking(W, references=votes, weights=[1, 1, 2], all_optimal=True).orders.tolist()
    [[0, 3, 1, 2], [2, 3, 0, 1]]
    """
    model = as_score_model(W, offsets, labels, rank=rank, droppable=False)
    P = _read_within(model, within)
    all_optimal = check_flag("all_optimal", all_optimal)
    options: dict[str, Any] = {"workers": workers, "client": client}
    options |= {"progress": progress, "max_hours": max_hours}
    if sum(x is not None for x in (reference, references, gains)) != 1:
        raise InputError("give one of reference, an order of the labels, references, or gains.")
    if references is None and weights is not None:
        raise InputError("weights go with references; leave them out.")
    if gains is None:
        if discounts is not None:
            raise InputError("discounts go with gains; leave them out.")
        costs = _pair_costs(model, reference, references, weights)
        return _nearest(model, costs, P, all_optimal, time_limit=time_limit, **options)
    if all_optimal:
        raise InputError("all_optimal goes with reference or references; leave it out.")
    check_time_limit(time_limit)
    deadline = None if time_limit is None else monotonic() + time_limit
    n, gains = model.n_labels, align(gains, model.labels, "gains")
    usual = 1 / np.log2(np.arange(n) + 2.0)  # of the discounted cumulative gain
    values = _Gains.of(gains, usual if discounts is None else discounts, n)
    step = Step(None, partial(_LargestGain, gains=values), better)
    found = best_of_step(RankingSource(model, P), step, deadline, **options)
    if found is None:
        raise KeyboardInterrupt
    least, order, number = found
    value = Fraction(-least, values.denominator)
    bound = value if number is not None else values.bound
    return _best_ranking(model, np.array(order, np.intp), value, bound, P)


def _read_within(model: ScoreModel, within: Within | None) -> Polyhedron | None:
    """The polyhedron of the argument `within`, in which some ranking occurs."""
    if within is None:
        return None
    P = read_polyhedron(within, model)
    found = P.strict_rows()
    if found is None:
        raise InputError(f"within is {P}; expected one that has a point.")
    scores, basis = unify_fields(model._integers, np.array(found[1], object))
    for i, j, *_ in tied_groups(as_objects(scores) @ basis.T, None):
        one, other = model.names([i, j])
        raise TiedLabelsError(
            f"labels {one} and {other} have the same score at every point of within, {P}, so that "
            "no ranking is strict. Leave out one of them."
        )
    return P


def _pair_costs(model: ScoreModel, reference: Any, references: Any, weights: Any) -> list[Any]:
    """What signs - and + of the differences of all pairs of labels cost."""
    n, labels = model.n_labels, model.labels
    if references is None:
        order = find_rows(reference, labels, n)
        if sorted(order) != list(range(n)):
            raise InputError(f"reference has {len(order)} labels; expected each of the {n} once.")
        references, labels = [order], None
    known = range(n) if labels is None else labels
    costs, scale = pair_costs(references, weights, known, "references")
    first, second = np.triu_indices(n, 1)
    sides = costs[second, first].tolist(), costs[first, second].tolist()
    return [[Fraction(x, scale) for x in side] for side in sides]


def _nearest(
    model: ScoreModel, costs: list[Any], P: Polyhedron | None, all_optimal: bool, **options: Any
) -> BestRanking:
    n = model.n_labels
    first, second = np.triu_indices(n, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LowRankWarning)  # the model has said so
        pairs = of_pairs(model, first, second)
        found = best_chamber(pairs, costs if n > 1 else np.zeros(0), within=P, **options)
        assert found.bound is not None  # of costs, a bound is always known
        signs = [found.signs[None]]
        listed = all_optimal and not found.gap
        if listed and n > 1:
            signs = _all_best(pairs, Costs.of(costs, len(first)), found.value, P)
    won = np.zeros((sum(map(len, signs)), n), np.int64)
    for k, i, j in zip(range(len(first)), first, second, strict=True):
        plus = np.concatenate([rows[:, k] for rows in signs]) > 0
        won[:, i] += plus
        won[:, j] += ~plus
    orders = np.argsort(-won, axis=1)
    order = orders[0]
    if listed:
        orders = orders[np.lexsort(orders.T[::-1])]
        order = orders[0]
    best = _best_ranking(model, order, found.value, found.bound, P)
    return replace(best, orders=orders) if listed else best


def _all_best(
    pairs: Arrangement, costs: Costs, value: Fraction, P: Polyhedron | None
) -> list[NDArray[np.int8]]:
    """The signs of all chambers of this value, in blocks."""
    found = []
    for block in iter_chambers(pairs, within=P):
        signs = block.to_array()
        values = costs.values(pack_signs(signs))
        found.append(signs[np.array([costs.exact(int(v)) == value for v in values], np.bool_)])
    return found


def _best_ranking(
    model: ScoreModel,
    order: NDArray[np.intp],
    value: Fraction,
    bound: Fraction,
    P: Polyhedron | None,
) -> BestRanking:
    certificate = certify(of_pairs(model, order[:-1], order[1:]), P, [1] * (len(order) - 1))
    return BestRanking(value, order, model.names(order), certificate, bound)


# ------------------------------------------------------------------ gains


@dataclass(frozen=True)
class _Gains:
    """Gains of labels and discounts of places, as integers over a common denominator."""

    gains: tuple[int, ...]
    discounts: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, gains: ArrayLike, discounts: ArrayLike, n: int) -> _Gains:
        whole: list[tuple[int, ...]] = []
        denominator = 1
        for values, name, each in ((gains, "gains", "label"), (discounts, "discounts", "place")):
            exact = fractions(as_exact_vector(values, n, name, each=each))
            check_rational(name, exact)
            [integers], scale = times_common_denominator([exact])
            whole.append(tuple(integers))
            denominator *= scale
        return cls(whole[0], whole[1], denominator)

    @property
    def bound(self) -> Fraction:
        """The largest value of any order, by the rearrangement inequality."""
        largest = sum(map(mul, sorted(self.gains), sorted(self.discounts)))
        return Fraction(largest, self.denominator)

    def value(self, order: list[int]) -> int:
        """Of a ranking, exact."""
        return sum(self.gains[i] * c for i, c in zip(order, self.discounts, strict=True))

    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """Gains and discounts over the largest of each, and the error of a value."""
        sides = [(values, max(1, *map(abs, values))) for values in (self.gains, self.discounts)]
        gains, discounts = (np.array([x / size for x in values]) for values, size in sides)
        n = len(self.gains)
        return gains, discounts, 1.01 * n * (n + 4) * _ROUNDING


class _LargestGain(LeastTally):
    """The largest gain among the rankings of a part, as its negative."""

    def __init__(self, source: Source, gains: _Gains) -> None:
        super().__init__(source)
        self._exact = gains
        self._gains, self._discounts, self._error = gains.floats()

    def add(self, rows: Rows) -> None:
        gained = self._gains[rows]
        for turn in (1, -1) if self.source.half else (1,):
            values = gained @ self._discounts[::turn]
            for row in rows[self.nearly_largest(values, self._error), ::turn]:
                self.take(-self._exact.value(row.tolist()), row)


# ------------------------------------------------------------------ ranges of places


def place_range(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: str = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[np.int64]:
    """Find the best and the worst place of each label, over all inputs without ties.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        Label i has the score ``w_i . x + b_i``. Places count from 0, the largest score.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, ties, labels
        As in `rankings`; a label that is dropped has no row in the answer.
    within : Polyhedron, (A, c), or "simplex", optional
        Only inputs x in the relative interior of this polyhedron count, or of ``A @ x <= c``;
        "simplex" is `Polyhedron.simplex`, weights of sum 1.
    workers : int
        Threads, each for one label at a time.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a day.

    Returns
    -------
    (n, 2) ndarray of int64
        The least and the largest place of each label. A label whose least place is 0 can win: it
        is one of `argmax_labels`.

    Raises
    ------
    TiedLabelsError
        If two labels are equal, unless `ties` says otherwise, or have the same score at every point
        of `within`, where `rankings` lists nothing.
    InputError
        If `within` is empty.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The place of label i is the number of labels j with ``(w_j - w_i) . x + b_j - b_i > 0``, a sum
    over the signs of n - 1 differences. So its range is that over the chambers of these
    differences, of which a sweep sees each once: O(n**d) for each label with offsets, else
    O(n**(d - 1)). Within a polyhedron, the sweep passes over lines that miss it. The closed
    polyhedron has the same range but for ties at its boundary.

    Examples
    --------
    >>> W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    >>> place_range(W).tolist()
    [[0, 3], [0, 3], [0, 3], [1, 2]]
    >>> place_range(W, within="simplex").tolist()
    [[3, 3], [0, 2], [0, 2], [1, 2]]
    """
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    check_max_hours(max_hours)
    model = as_score_model(W, offsets, labels, ties, rank)
    n, P = model.n_labels, _read_within(model, within)
    if n == 1:
        return np.zeros((1, 2), np.int64)
    first = of_pairs(model, np.arange(1, n), [0])
    work: Callable[[int], tuple[int, int]]
    if P is None:
        work = partial(_range, model)
    elif should_list(first, P, Costs.of_number(n - 1)):
        work = partial(_range_within, model, P)
    else:
        work = partial(_range_behind, *_scores_inside(model, P))
    ranges = for_each(work, n, first, "labels", workers, progress, max_hours)
    return np.array(ranges, np.int64)


def _differences(model: ScoreModel, i: int) -> Arrangement:
    """Positive where other labels have a larger score than label i."""
    others = np.array([j for j in range(model.n_labels) if j != i], np.intp)
    return of_pairs(model, others, np.full_like(others, i))


def _range_within(model: ScoreModel, P: Polyhedron, i: int) -> tuple[int, int]:
    """The range of label i by listing."""
    return extremes_within(_differences(model, i), P)


def _range_behind(facets: ExactArray, scores: ExactArray, i: int) -> tuple[int, int]:
    """The same by adding up values, of scores on points where the facets are positive."""
    differences = np.delete(scores, i, axis=0) - scores[i]
    return extremes_behind(Arrangement(stack_rows(facets, differences)), len(facets))


def _scores_inside(model: ScoreModel, P: Polyhedron) -> tuple[ExactArray, ExactArray]:
    """Facets and scores, in homogeneous coordinates of the affine hull."""
    rows = HullCoordinates(P).restrict(model.weights, model.offsets)
    scores = np.array(whole_rows(rows), object)
    return facets_beside(scores - scores[0], P)


def _range(model: ScoreModel, i: int) -> tuple[int, int]:
    """The least and the largest number of labels with a larger score than label i."""
    differences = _differences(model, i)
    costs = Costs.of_number(len(differences))
    least = least_of_all(differences, costs)
    if differences.is_central:  # the opposite of a chamber is one
        return least, len(differences) - least
    return least, -least_of_all(differences, costs.negated())
