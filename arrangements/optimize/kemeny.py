"""Rankings that are nearest to many given ones (Kemeny)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, islice, product
from math import prod
from numbers import Integral
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import as_list, check_flag, check_integer, check_time_limit
from arrangements.core.labels import Label, align, as_labels, find_rows, names_of
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.coercion import as_exact_vector, by_columns, is_frame
from arrangements.exact.numbers import check_rational, fractions, times_common_denominator
from arrangements.exact.text import brief_text
from arrangements.messages import quote
from arrangements.optimize.linear_ordering import (
    MOST_LISTED,
    BranchAndBound,
    CostMatrix,
    SubsetTable,
    components,
)
from arrangements.sets.rankings import Rankings

# Best rankings that are listed, unless `limit` says otherwise.
_LISTED = 1000
_MOST_LABELS = 5000
# Seconds beyond which a limit is none.
_YEARS = 10**9
# The places of the ranked labels; labels of one place are tied.
_Places = dict[int, int]


@public_class
@dataclass(frozen=True)
class KemenyRanking:
    """A ranking nearest to many given ones, or the nearest one found in the time allowed.

    Attributes
    ----------
    value : Fraction
        The sum of its distances from the given rankings, times their weights; exact.
    order : (n,) ndarray of intp
        Labels from the first place to the last, as positions in the labels.
    names : tuple of str
        What they are called.
    bound : Fraction
        No ranking has a smaller sum; equal to `value` unless the search ended early, or majorities
        do not split a group of more than 200 labels.
    orders : (m, n) ndarray of intp, or None
        With `all_optimal`, the nearest rankings, no more than `limit`.
    n_best : int or None
        With `all_optimal`, the number of nearest rankings, more than m if there are more than
        `limit`.
    """

    value: Fraction
    order: NDArray[np.intp]
    names: tuple[str, ...]
    bound: Fraction
    orders: NDArray[np.intp] | None
    n_best: int | None
    _given: tuple[tuple[_Places, Fraction], ...]

    @property
    def gap(self) -> Fraction:
        """How far the value is from the bound: 0 if no ranking is nearer."""
        return self.value - self.bound

    def verify(self) -> bool:
        """Count the distances again from the given rankings, pair by pair, in exact arithmetic.

        Of `order` and of every row of `orders`. That no ranking is nearer rests on the search.
        """
        rows = [self.order] if self.orders is None else [self.order, *self.orders]
        return all(self._distance(row.tolist()) == self.value for row in rows)

    def _distance(self, order: list[int]) -> Fraction | None:
        if sorted(order) != list(range(len(self.names))):
            return None
        total = Fraction(0)
        for places, weight in self._given:
            ranked = [places[i] for i in order if i in places]
            pairs = (b < a for k, a in enumerate(ranked) for b in ranked[k + 1 :])
            total += weight * sum(pairs)
        return total

    def __repr__(self) -> str:
        proved = f"within {brief_text(self.gap)} of the nearest" if self.gap else "nearest"
        first = " > ".join(self.names[:8])
        return f"KemenyRanking(value {brief_text(self.value)}, {proved}, {first})"

    def _repr_html_(self) -> str:
        facts = [
            ("value", notebook.number(self.value)),
            ("bound of all others", notebook.number(self.bound) if self.gap else None),
            ("nearest rankings", self.n_best),
        ]
        pairs = zip(self.names, self.order.tolist(), strict=True)
        rows = ([k, notebook.label(name, i)] for k, (name, i) in enumerate(pairs))
        table = notebook.table(["place", "label"], rows, len(self.names))
        title = "Nearest ranking found" if self.gap else "Nearest ranking"
        return notebook.card(title, facts, table)


def kemeny_ranking(
    rankings: Iterable[Iterable[Any]],
    weights: ArrayLike | None = None,
    *,
    all_optimal: bool = False,
    labels: Iterable[Label] | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> KemenyRanking:
    """Find the ranking nearest to many given ones, in the sum of their Kendall distances.

    Parameters
    ----------
    rankings : sequence of sequences of labels, (m, n) array_like of int, DataFrame, or Rankings
        Each from the first place to the last. A tuple, list or set among the labels is a tie:
        ``["a", ("b", "c"), "d"]``. A ranking may leave out labels. Pairs that it ties, or of which
        it leaves out a label, do not count; to put the others last, add them as a tie. A DataFrame
        has a ranking in each row; empty fields are left out.
    weights : (m,) array_like of int, float or Fraction, optional
        How often each ranking counts, at least 0. Default ones. A float is the dyadic rational that
        it is.
    all_optimal : bool
        Find all nearest rankings. Groups of more than 18 labels (see Notes) are refused.
    labels : sequence, optional
        Names of the labels, as of the rows of a matrix. Default those of `Rankings`, or all that
        occur: integers sorted, others as they occur.
    limit : int, optional
        With `all_optimal`, list this many rankings, at most. Default 1000.
    time_limit : float, optional
        Return after this many seconds, about, with the nearest ranking found and a bound. So does
        Ctrl-C, if there are more than 18 labels.

    Returns
    -------
    KemenyRanking
        Without ties and of all labels. Of several nearest rankings, one.

    Raises
    ------
    InputError
        If a ranking has a label twice or one that is not in `labels`, there is no label at all, or
        a weight is negative.
    TooLargeError
        If `all_optimal` meets a group of more than 18 labels, or there are more than 5000 labels.

    See Also
    --------
    best_ranking : the nearest to one ranking or to many, among those that occur for some input.

    Notes
    -----
    Exact [1]_. The strongly connected components of the graph of majorities follow one another in
    a nearest ranking [2]_, so each is ordered alone: up to 18 labels by the best first places of
    every subset, O(n 2**n); more by branch and bound on linear relaxations with triangles [3]_,
    which HiGHS solves in floats, and whose bounds are recomputed in integers. An integer program
    for HiGHS has the same relaxations, but its answer is no proof: it rounds, and gives no bound
    that others can check. Random votes on 30 labels take 0.04 s here, and 0.17 s there. Of a group
    of more than 200 labels, a ranking that no move of one label makes nearer is returned, with the
    sum of the cheaper orders of all pairs as its bound. The problem is NP-hard, so large components
    with many cycles may not end: see `time_limit`. With weights of many digits a gap of about 1e-9
    of the value may take long to close.

    References
    ----------
    .. [1] J. G. Kemeny, Mathematics without numbers, Daedalus 88 (1959) 577-591.
    .. [2] M. Truchon, An extension of the Condorcet criterion and Kemeny orders, Cahier 98-15,
       CREFA, Universite Laval (1998).
    .. [3] M. Groetschel, M. Juenger, G. Reinelt, A cutting plane algorithm for the linear ordering
       problem, Oper. Res. 32 (1984) 1195-1220.

    Examples
    --------
    >>> votes = [["a", "b", "c"], ["b", "c", "a"], ["c", ("a", "b")]]
    >>> found = kemeny_ranking(votes, weights=[4, 2, 2])
    >>> found, found.verify()
    (KemenyRanking(value 8, nearest, a > b > c), True)
    >>> cycle = kemeny_ranking([[0, 1, 2], [1, 2, 0], [2, 0, 1]], all_optimal=True)
    >>> cycle.n_best, cycle.orders.tolist()
    (3, [[1, 2, 0], [2, 0, 1], [0, 1, 2]])
    """
    all_optimal = check_flag("all_optimal", all_optimal)
    most = _LISTED if limit is None else check_integer("limit", limit, 1)
    check_time_limit(time_limit)
    deadline = None if time_limit is None else monotonic() + float(min(time_limit, _YEARS))
    names, places, shares = _read(rankings, weights, labels, "rankings")
    costs, scale = _costs(places, shares, len(names))
    groups = components(costs, ties_join=all_optimal)
    if all_optimal and (largest := max(map(len, groups))) > MOST_LISTED:
        raise TooLargeError(
            f"all_optimal has to order a group of {largest} labels that majorities do not split; "
            f"expected {MOST_LISTED} at most. Leave all_optimal out to find one nearest ranking."
        )
    orders, tables, gap = _solve(costs, groups, most if all_optimal else 1, deadline)
    order = np.array(orders[0], np.intp)
    value = Fraction(int(np.triu(costs[np.ix_(order, order)], 1).sum()), scale)
    return KemenyRanking(
        value,
        order,
        tuple(names[i] for i in orders[0]),
        value - Fraction(gap, scale),
        np.array(orders, np.intp) if all_optimal else None,
        prod(table.number() for table in tables) if all_optimal else None,
        tuple(zip(places, shares, strict=True)),
    )


def _solve(
    costs: CostMatrix, groups: list[list[int]], most: int, deadline: float | None
) -> tuple[list[list[int]], list[SubsetTable], int]:
    """Orders of all labels, the tables of small groups, and the gap."""
    gap, tables, parts = 0, [], []
    for group in groups:
        own = costs[np.ix_(group, group)]
        if len(group) <= MOST_LISTED:
            tables.append(SubsetTable(own))
            found: Iterator[list[int]] = islice(tables[-1].orders(), most)
        else:
            search = BranchAndBound(own)
            search.run(deadline)
            gap += search.value - search.bound
            found = iter([search.order])
        parts.append([[group[i] for i in order] for order in found])
    orders = [list(chain(*pieces)) for pieces in islice(product(*parts), most)]
    return orders, tables, gap


def pair_costs(
    rankings: Any, weights: ArrayLike | None, labels: Iterable[Label], name: str
) -> tuple[CostMatrix, int]:
    """How much the rankings weigh that have label j before label i, as entry (i, j) of integers.

    Over a common denominator, which is returned, too. For the arguments see `kemeny_ranking`;
    `name` is that of the first.

    Examples
    --------
    >>> costs, scale = pair_costs([[0, 1], [1, 0]], [0.5, 2], range(2), "votes")
    >>> costs.tolist(), scale
    ([[0, 4], [1, 0]], 2)
    """
    names, places, shares = _read(rankings, weights, labels, name)
    return _costs(places, shares, len(names))


def _costs(places: list[_Places], shares: tuple[Fraction, ...], n: int) -> tuple[CostMatrix, int]:
    [weights], scale = times_common_denominator([shares])
    small = sum(weights) * n * n < 2**62
    costs = np.zeros((n, n), np.int64 if small else object)
    for ranking, weight in zip(places, weights, strict=True):
        rows = list(ranking)
        place = np.array(list(ranking.values()), np.int64)
        later = place[:, None] > place[None, :]
        costs[np.ix_(rows, rows)] += later.astype(costs.dtype) * weight
    return costs, scale


# ------------------------------------------------------------------ reading


def _read(
    rankings: Any, weights: Any, labels: Any, name: str
) -> tuple[tuple[str, ...], list[_Places], tuple[Fraction, ...]]:
    """Names of the labels, and the places that each ranking gives to some of them; its weight."""
    if is_frame(rankings):
        weights = align(weights, rankings.index, "weights", f"rows of {name}")
        rankings = [
            [label for label in row if label is not None and label == label]  # noqa: PLR0124
            for row in by_columns(rankings).tolist()
        ]
    names, places = _read_rankings(rankings, labels, name)
    return names, places, _read_weights(weights, len(places))


def _read_weights(weights: ArrayLike | None, m: int) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1),) * m
    shares = fractions(as_exact_vector(weights, m, "weights", each="ranking"))
    check_rational("weights", shares)
    for k, share in enumerate(shares):
        if share < 0:
            raise InputError(f"weights[{k}] is {brief_text(share)}; expected 0 or more.")
    return shares


def _read_rankings(rankings: Any, labels: Any, name: str) -> tuple[tuple[str, ...], list[_Places]]:
    """Names of the labels, and the places that each ranking gives to some of them."""
    rows: dict[Any, int] | None = None
    if isinstance(rankings, Rankings):
        rows = {i: i for i in range(rankings.n)}
        labels = rankings.label_names if labels is None else list(labels)
        if len(labels) != rankings.n:
            raise InputError(
                f"{name} are of {rankings.n} labels, but there are {len(labels)} labels."
            )
        rankings = rankings.to_array().tolist()
    expected = "a sequence of rankings"
    levels = [
        [
            _level(entry)
            for entry in as_list(f"{name}[{k}]", _refuse_text(f"{name}[{k}]", ranking), "labels")
        ]
        for k, ranking in enumerate(as_list(name, rankings, expected))
    ]
    if labels is None:
        found = list(dict.fromkeys(chain(*chain(*levels))))
        _check_kinds(found)
        labels = sorted(found) if all(isinstance(x, Integral) for x in found) else found
        rows = {label: i for i, label in enumerate(labels)}
    labels = labels if hasattr(labels, "__len__") else as_list("labels", labels)
    if not len(labels):
        raise InputError("rankings have no label; expected one label or more.")
    if len(labels) > _MOST_LABELS:
        raise TooLargeError(f"{len(labels)} labels were given; expected {_MOST_LABELS} at most.")
    known = as_labels(labels, len(labels))
    places = [_places(f"{name}[{k}]", x, rows, known) for k, x in enumerate(levels)]
    return names_of(known, len(labels)), places


def _refuse_text(name: str, ranking: Any) -> Any:
    if isinstance(ranking, str):
        raise InputError(
            f"{name} is the text {quote(ranking)}; expected a sequence of labels. "
            "Pass list(..) of it if each character is a label."
        )
    return ranking


def _level(entry: Any) -> list[Any]:
    """The labels of one place."""
    if isinstance(entry, tuple | list | set | frozenset):
        return [_plain(label) for label in entry]
    return [_plain(entry)]


def _plain(label: Any) -> Any:
    """A label as a Python integer or text where it is one."""
    if isinstance(label, Integral) and not isinstance(label, bool):
        return int(label)
    return str(label) if isinstance(label, str) else _refuse_label(label)


def _refuse_label(label: Any) -> Any:
    raise InputError(f"label {quote(label)} is neither a name nor a row number.")


def _check_kinds(found: list[Any]) -> None:
    kinds = {isinstance(label, str) for label in found}
    if len(kinds) > 1:
        raise InputError("rankings mix names and integers; pass labels to say which are meant.")


def _places(
    name: str, levels: list[list[Any]], rows: dict[Any, int] | None, labels: Any
) -> _Places:
    """The place of each label of a ranking; those behind a tie count from the next number."""
    places: _Places = {}
    for place, level in enumerate(levels):
        found = find_rows(level, labels, len(labels)) if rows is None else [rows[x] for x in level]
        for label, row in zip(level, found, strict=True):
            if row in places:
                raise InputError(
                    f"{name} has label {quote(label)} twice; expected each label once."
                )
            places[row] = place
    return places
