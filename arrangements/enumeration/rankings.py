"""The public functions: list, stream or count the rankings of labels by score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_integer, check_option
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.score_model import ScoreModel, Ties, as_score_model, of_pairs
from arrangements.counting.ranking_counts import (
    expected_count,
    expected_of_some,
    known_count,
    most_rankings,
)
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.inside import HyperplanesInside
from arrangements.enumeration.listing import BLOCK_ROWS, ListingRequest
from arrangements.errors import InputError
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.search.label_flag import LabelFlag, model_flag
from arrangements.search.label_line import iter_line, needs_integers
from arrangements.sets.orders import Orders, order_dtype, orient
from arrangements.sets.rankings import Rankings

if TYPE_CHECKING:
    from arrangements.search.pair_sweep import PairHyperplanes
    from arrangements.search.sweep import Sweeps
    from arrangements.sets.sign_vectors import SignVectors

Method = Literal["auto", "sweep", "pairs", "incremental"]

_METHODS = ("auto", "sweep", "pairs", "incremental")

# Below this number of rankings, do not look for ties (0.1 ms).
_WORTH_A_LOOK = 100_000
# Beyond, signs of pairs take too long to become places, or minors are too large.
_MOST_PAIRED_LABELS, _MOST_HYPERPLANES, _MOST_RANK = 256, 2048, 16
# A count needs no places.
_MOST_COUNTED = 4096


def rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    max_bytes: int | None = None,
) -> Rankings:
    """Strict rankings of labels by their scores ``W @ x + offsets``, over all real x.

    Row i of W, with offset i, is label i; a ranking lists the labels from the largest score to
    the smallest. Rankings correspond to the regions of the braid arrangement that the column span
    of W (shifted by the offsets) intersects, and are the orders of all labels that a linear
    classifier with weights W and biases `offsets` can output.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        A float counts as the exact dyadic number it is. SciPy sparse arrays are accepted. The
        rows of an Arrangement are the labels, its offsets the biases.
    offsets : (n,) array_like, optional
        Default zeros. With equal offsets the rankings are closed under reversal, and one of
        each pair is stored.
    method : {"auto", "sweep", "pairs", "incremental"}
        All methods find the same set of rankings, in another order. "auto" is "pairs" if labels
        seem to tie often, else "sweep".
    rank : int, optional
        None takes the numbers as given. An integer r, 1 <= r <= min(n, d), asks about the matrix
        of column-centered rank r that W was meant to be: W itself if its rank is at most r, the
        product behind its rounded entries if only rounding hides it, else its best approximation.
        See `low_rank_structure`. The attribute ``low_rank`` of the result describes that matrix,
        and witnesses are in the coordinates of its ``factor``.
    ties : {"error", "drop"}
        Labels with equal rows and equal offsets tie at every x. "drop" keeps the first of each such
        group: ``model.kept`` holds the rows of the remaining labels, and ``model.dropped`` says
        which label was dropped in favor of which.
    labels : sequence of int or str, optional
        Names of the labels; integers stay integers, everything else becomes text. Default those of
        an Arrangement, or the index of a DataFrame unless that is 0..n-1. The rankings always hold
        row numbers.
    within : Polyhedron, or (A, c), optional
        Only the rankings at points of the relative interior of this polyhedron, or of
        ``A @ x <= c``: "pairs" is then the one method. There is no `rank`, and for every ranking
        a row is stored.
    workers : int
        Threads (of the sweep).
    progress : bool
        Show a progress bar on stderr.
    limit : int, optional
        Stop after this many rankings; the result has ``complete == False`` if there are more.
    max_bytes : int, optional
        Refuse a listing that is expected to take more; default half of the free memory.

    Returns
    -------
    Rankings
        Set of N rankings; ``to_array()`` is (N, n) with distinct rows: the row numbers of labels,
        the best first, in the smallest unsigned dtype. The order of rows is not promised.

    Raises
    ------
    InputError
        If an argument is malformed; the message says which, and what to do.
    TiedLabelsError
        If labels always tie (and `ties` is "error").
    TooLargeError
        If the listing would not fit into `max_bytes`.

    Warns
    -----
    LowRankWarning
        If the column-centered W looks like a product of low rank stored in floats.

    See Also
    --------
    iter_rankings : in blocks, with memory independent of their number.
    count_rankings : without listing them.
    top_k_rankings, top_k_sets, argmax_labels : coarser questions, without listing all rankings.

    Notes
    -----
    Exact: signs that floating point cannot prove are decided in integer arithmetic. The sweep
    visits flats of the braid arrangement, which are set partitions (docs/algorithms.md): at depth k
    it handles n - k blocks instead of n (n - 1) / 2 pairs. "pairs" lists the chambers of the
    hyperplanes of the differences ``W[i] - W[j]``, formed exactly. That is faster if many of them
    meet in special ways, as for small integers: {0, 1}^5 has 121 hyperplanes for 496 pairs.
    "incremental" inserts one label at a time, with about 2 log2(n) cone tests per ranking of each
    prefix of the labels. If the column-centered W has
    rank n - 1, every order occurs and no search is needed. Cover [1]_ and, with offsets, Good and
    Tideman [2]_ give the number of generic rankings: see `generic_ranking_count`.

    References
    ----------
    .. [1] T. M. Cover, SIAM J. Appl. Math. 15 (1967) 434-439.
    .. [2] I. J. Good, T. N. Tideman, J. Combin. Theory A 23 (1977) 34-45.

    Examples
    --------
    >>> square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    >>> S = rankings(square)
    >>> S, [3, 1, 2, 0] in S, [3, 0, 1, 2] in S
    (Rankings(8 of 4 labels, central, complete), True, False)
    >>> len(rankings(square, offsets=[0, 0, 0, 1]))
    16
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    request = request_of_model(model, method, workers, within)
    return request.collect(progress, limit, max_bytes)


def iter_rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    block_size: int = BLOCK_ROWS,
) -> Iterator[Rankings]:
    """Rankings in blocks, with memory independent of their number.

    Parameters
    ----------
    W, offsets, method, rank, ties, labels, within, workers, progress, limit
        As in `rankings`.
    block_size : int
        Largest number of stored rows in a block. Without offsets each row stands for two rankings.
        The first blocks are small, so that they come at once; each may be twice as large as the one
        before.

    Yields
    ------
    Rankings
        Disjoint blocks; together they are the set that `rankings` returns.

    See Also
    --------
    rankings : all in one.

    Examples
    --------
    >>> sum(len(block) for block in iter_rankings([[0, 0], [1, 0], [0, 1], [1, 1]]))
    8
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    request = request_of_model(model, method, workers, within)
    return request.stream(progress, limit, block_size)


def count_rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the rankings of labels by score without storing them.

    Parameters
    ----------
    W, offsets, method, rank, ties, labels, within, workers, progress
        As in `rankings`.
    max_hours : float, optional
        Refuse a count that is expected to take more hours; default a day. ``math.inf`` allows
        every count.

    Returns
    -------
    int
        Number of rankings, counting both of each reversed pair.

    Raises
    ------
    TooLargeError
        If the count is expected to take more than `max_hours`.

    Warns
    -----
    SlowCountWarning
        If an estimate made beforehand expects the count to take more than an hour.

    See Also
    --------
    rankings : list them.
    generic_ranking_count : the closed form for labels in general position.

    Notes
    -----
    Exact. With method "auto": n! if the column-centered W has rank n - 1; in rank 1, and in rank
    2 without offsets, by an exact sort of the slopes of the n (n - 1) / 2 differences; else a
    sweep runs without storing rankings. If labels seem to tie often, it is `count_chambers` of the
    hyperplanes where two labels tie.

    Examples
    --------
    >>> count_rankings([[0, 0], [1, 0], [0, 1], [1, 1]])
    8
    >>> count_rankings([[3, 1], [4, 1], [5, 9], [2, 6], [5, 3]], offsets=[0, 1, 0, 3, 1])
    45
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    request = request_of_model(model, method, workers, within)
    return request.count(progress, max_hours)


# ------------------------------------------------------------------ the request


def request_rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: str = "auto",
    within: Within | None = None,
    workers: int = 1,
) -> _RankingRequest:
    """The checked request of `rankings`, for callers that plan before they list."""
    return request_of_model(as_score_model(W, offsets, droppable=False), method, workers, within)


def request_of_model(
    model: ScoreModel, method: str = "auto", workers: int = 1, within: Within | None = None
) -> _RankingRequest:
    """The request for the rankings of a checked model; the other arguments are checked."""
    check_option("method", method, _METHODS)
    workers = check_integer("workers", workers, 1)
    if within is None:
        return _RankingRequest(model, method, workers)
    if method not in ("auto", "pairs"):
        raise InputError(f"within needs method='pairs' (or 'auto'); method is {method!r}.")
    return _RankingsWithin(model, read_polyhedron(within, model), workers)


class _RankingRequest(ListingRequest[Rankings]):
    """A checked request for the rankings of a score model."""

    noun, kind = "rankings", Rankings

    def __init__(self, model: ScoreModel, method: str, workers: int) -> None:
        self.model: ScoreModel = model
        n = model.n_labels
        half = model.is_central and n > 1
        super().__init__(method, workers, half, n, n * order_dtype(n).itemsize, model)

    def bound(self) -> int:
        return -(-most_rankings(self.model) // self.sides)

    def expected(self, most: int) -> int | None:
        if self.bound() <= most:
            return self.bound()
        expected = expected_count(self.model)
        return None if expected is None else -(-expected // self.sides)

    def expected_of_some(self) -> int | None:
        return -(-expected_of_some(self.model) // self.sides)

    @property
    def has_one_row(self) -> bool:
        """Whether there is nothing to sweep."""
        return self.model.rank + (not self.model.is_central) < 2

    @property
    def may_be_by_pairs(self) -> bool:
        """Whether a sweep over pairs may be the faster one, and it is worth while to look."""
        model = self.model
        small = model.n_labels <= _MOST_PAIRED_LABELS and model.rank <= _MOST_RANK
        return small and self.bound() >= _WORTH_A_LOOK

    @cached_property
    def by_pairs(self) -> bool:
        """Whether a sweep is one over pairs."""
        if self.method != "auto":
            return self.method == "pairs"
        return self._are_tied(_MOST_HYPERPLANES)

    def _are_tied(self, most: int) -> bool:
        """Whether many labels tie at most points, and this on at most so many hyperplanes."""
        if not self.may_be_by_pairs:
            return False
        from arrangements.search import pair_sweep  # loads numba

        if not pair_sweep.often_tied(self._first_flag):
            return False
        few = self.hyperplanes.arrangement.n_hyperplanes <= most
        return few and pair_sweep.has_small_minors(self.hyperplanes)

    @cached_property
    def _first_flag(self) -> LabelFlag:
        return model_flag(self.model, 0)

    def flag(self, seed: int) -> LabelFlag:
        """Coordinates of a sweep over labels."""
        return model_flag(self.model, seed) if seed else self._first_flag

    @cached_property
    def hyperplanes(self) -> PairHyperplanes:
        """Where two labels tie."""
        from arrangements.search.pair_sweep import pair_hyperplanes  # loads numba

        return pair_hyperplanes(self.model)

    def sweeps(self, seed: int) -> Sweeps | None:
        model, method = self.model, self.method
        if method == "incremental" or self.has_one_row:
            return None
        if method != "pairs" and (model.has_all_orders or needs_integers(model)):
            return None
        from arrangements.search.sweep import Sweeps  # loads numba

        if self.by_pairs:
            from arrangements.search.pair_sweep import PairSweep, pair_flag  # loads numba

            make = partial(PairSweep, hyperplanes=self.hyperplanes)
            return Sweeps(make, pair_flag(self.hyperplanes, seed), self.workers)
        from arrangements.search.ranking_sweep import RankingSweep  # loads numba

        return Sweeps(RankingSweep, self.flag(seed), self.workers)

    def blocks_without_sweep(self, rows: int, growing: bool) -> Iterator[Orders]:
        if self.method != "incremental" and self.has_one_row:
            return iter([_one_order(self.model)])
        if self.method == "incremental" or self.model.has_all_orders:
            from arrangements.search.insertion import iter_insertion  # loads numba

            found = iter_insertion(self.model, block_size=rows, growing=growing)
        else:
            found = iter_line(self.model, rows)
        return map(orient, found) if self.half else found

    def closed_form(self) -> int | None:
        if self.method == "auto":
            return known_count(self.model)
        known = self.has_one_row and self.method in ("sweep", "pairs")
        known |= self.model.has_all_orders and self.method == "sweep"
        return most_rankings(self.model) if known else None

    @cached_property
    def as_chambers(self) -> ListingRequest[SignVectors] | None:
        """The request that a count makes instead, if any: for chambers of the hyperplanes."""
        if self.method != "auto" or self.closed_form() is not None:
            return None
        if not self._are_tied(_MOST_COUNTED):
            return None
        arrangement = self.hyperplanes.arrangement
        return request_chambers(arrangement, workers=self.workers, noun=self.noun)

    def count(self, progress: bool, max_hours: float | None = None) -> int:
        if self.as_chambers is not None:
            return self.as_chambers.count(progress, max_hours)
        return super().count(progress, max_hours)


class _RankingsWithin(_RankingRequest):
    """A checked request for rankings inside a polyhedron."""

    def __init__(self, model: ScoreModel, P: Polyhedron, workers: int) -> None:
        super().__init__(model, "pairs", workers)
        self.half, self.sides = False, 1
        pairs = self.hyperplanes.pairs if self.n > 1 else np.zeros((2, 0), np.int64)
        self._chambers = request_chambers(of_pairs(model, *pairs), within=P)
        assert self._chambers.inside is not None
        self.inside: HyperplanesInside = self._chambers.inside

    def bound(self) -> int:
        return min(most_rankings(self.model), self.inside.bound())

    def expected(self, most: int) -> int | None:
        bound = self.bound()
        found = bound if bound <= most else self.inside.expected()
        return None if found is None else min(found, bound)

    def expected_of_some(self) -> int | None:
        return None

    def closed_form(self) -> int | None:
        return None

    def sweeps(self, seed: int) -> Sweeps | None:
        from arrangements.search.pair_sweep import PairSweepWithin  # loads numba

        if self.n == 1 or self._chambers.method != "sweep":
            return None
        make = partial(PairSweepWithin, hyperplanes=self.hyperplanes)
        return self.inside.sweeps(make, seed, self.workers)

    def blocks_without_sweep(self, rows: int, growing: bool) -> Iterator[Orders]:
        for signs in self._chambers.blocks_without_sweep(rows, growing):
            orders = np.zeros((len(signs), self.n), order_dtype(self.n))
            if self.n > 1:
                from arrangements.search.pair_sweep import write_rankings  # loads numba

                write_rankings(self.hyperplanes, signs, None, orders)
            yield orders


def _one_order(model: ScoreModel) -> Orders:
    """The only ranking in rank 0 or 1; of two reversed ones, the one with label 0 first."""
    values = [row[model.columns[0] if model.columns else -1] for row in model.integer_rows]
    best_first = sorted(range(len(values)), key=lambda i: -values[i])
    orders = np.array([best_first], order_dtype(len(values)))
    return orient(orders) if model.is_central and len(values) > 1 else orders
