"""The public functions: list, stream or count the rankings of labels by score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_integer, check_option
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.counting.ranking_counts import (
    expected_count,
    expected_of_some,
    known_count,
    most_rankings,
)
from arrangements.enumeration.chambers import chamber_question
from arrangements.enumeration.questions import (
    BLOCK_ROWS,
    FEW_ROWS,
    ONE_BLOCK_BYTES,
    Question,
    with_progress,
)
from arrangements.search.label_flag import LabelFlag, model_flag
from arrangements.search.label_line import iter_line, needs_integers
from arrangements.sets.rankings import Orders, Rankings, order_dtype, oriented

if TYPE_CHECKING:
    from arrangements.search.pair_sweep import PairHyperplanes
    from arrangements.sets.sign_vectors import SignVectors

Method = Literal["auto", "sweep", "pairs", "incremental"]

_METHODS = ("auto", "sweep", "pairs", "incremental")

# To look whether ties are frequent takes a tenth of a millisecond, to list so many rankings a few.
# Beyond so many labels, or hyperplanes, signs of pairs take too long to become places; beyond such
# a rank minors are too large.
_WORTH_A_LOOK, _MOST_PAIRED_LABELS, _MOST_HYPERPLANES, _MOST_RANK = 100_000, 256, 2048, 16


def rankings(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
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
    question = _ask(as_score_model(W, offsets, labels, ties, rank), method, workers)
    return question.listed(progress, limit, max_bytes)


def iter_rankings(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    block_size: int = BLOCK_ROWS,
) -> Iterator[Rankings]:
    """Rankings in blocks, with memory independent of their number.

    Parameters
    ----------
    W, offsets, method, rank, ties, labels, workers, progress, limit
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
    question = _ask(as_score_model(W, offsets, labels, ties, rank), method, workers)
    return question.streamed(progress, limit, block_size)


def count_rankings(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the rankings of labels by score without storing them.

    Parameters
    ----------
    W, offsets, method, rank, ties, labels, workers, progress
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
    question = _ask(as_score_model(W, offsets, labels, ties, rank), method, workers)
    return question.count(progress, max_hours)


# ------------------------------------------------------------------ the question


def ranking_question(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: str = "auto",
    workers: int = 1,
) -> Question[Rankings]:
    """The checked question of `rankings`, for callers that plan before they list."""
    return _ask(as_score_model(W, offsets, droppable=False), method, workers)


def model_question(model: ScoreModel, method: str = "auto") -> _RankingQuestion:
    """The question about the rankings of a checked model."""
    return _ask(model, method, 1)


def model_rankings(model: ScoreModel, method: str = "auto") -> Rankings:
    """Rankings of a checked model."""
    return model_question(model, method).listed(False, None, None)


def _ask(model: ScoreModel, method: str, workers: int) -> _RankingQuestion:
    """Check the other arguments."""
    check_option("method", method, _METHODS)
    return _RankingQuestion(model, method, check_integer("workers", workers, 1))


@dataclass(frozen=True)
class _RankingQuestion(Question[Rankings]):
    """A checked question about rankings."""

    noun = "rankings"

    model: ScoreModel
    method: str
    workers: int

    @property
    def half(self) -> bool:
        return self.model.is_central and self.model.n_labels > 1

    @property
    def row_bytes(self) -> int:
        return self.model.n_labels * order_dtype(self.model.n_labels).itemsize

    def wrapped(self, rows: Orders | None, complete: bool, limit: int | None = None) -> Rankings:
        half = self.half
        if rows is None:
            rows = np.zeros((0, self.model.n_labels), order_dtype(self.model.n_labels))
        if half and limit is not None and limit < 2 * len(rows):
            rows = np.concatenate([rows, rows[:, ::-1]])[:limit]
            half = False
        return Rankings(rows, half=half, model=self.model, complete=complete)

    def bound(self) -> int:
        return -(-most_rankings(self.model) // self.sides)

    def expected(self, most: int) -> int | None:
        if self.bound() <= most:
            return self.bound()
        expected = expected_count(self.model)
        return None if expected is None else -(-expected // self.sides)

    def expected_of_some(self) -> int | None:
        expected = expected_of_some(self.model)
        return -(-expected // self.sides)

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
        if not self.may_be_by_pairs:
            return False
        from arrangements.search import pair_sweep  # loads numba

        if not pair_sweep.often_tied(self._first_flag):
            return False
        few = self.hyperplanes.arrangement.n_hyperplanes <= _MOST_HYPERPLANES
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

    def blocks(
        self, rows: int | None, progress: bool, seed: int = 0, *, growing: bool = False
    ) -> Iterator[Orders]:
        if self.method == "incremental":
            found, total = _insertion_blocks(self, rows or BLOCK_ROWS, growing), None
        elif self.has_one_row:
            found, total = iter([_one_order(self.model)]), 1
        elif self.method == "pairs":
            return _sweep_blocks(self, rows, progress, seed, growing)
        elif self.model.has_all_orders:
            found, total = _insertion_blocks(self, rows or BLOCK_ROWS, growing), self.bound()
        elif needs_integers(self.model):
            found, total = _line_blocks(self, rows or BLOCK_ROWS), None
        else:
            return _sweep_blocks(self, rows, progress, seed, growing)
        return with_progress(found, progress, total, len, self.noun)

    def closed_form(self) -> int | None:
        if self.method == "auto":
            return known_count(self.model)
        known = self.has_one_row and self.method in ("sweep", "pairs")
        known |= self.model.has_all_orders and self.method == "sweep"
        return most_rankings(self.model) if known else None

    def counts(self, progress: bool, total: int | None, seed: int = 0) -> Iterator[int]:
        if self.method == "incremental":
            return map(len, self.blocks(FEW_ROWS, progress))
        return _sweep_counts(self, progress, total, seed)

    @cached_property
    def as_chambers(self) -> Question[SignVectors] | None:
        """What a count asks instead, if anything: how many chambers the hyperplanes have."""
        if self.method != "auto" or self.closed_form() is not None or not self.by_pairs:
            return None
        asked = self.hyperplanes.arrangement
        return chamber_question(asked, workers=self.workers, noun=self.noun)

    def count(self, progress: bool, max_hours: float | None = None) -> int:
        if self.as_chambers is not None:
            return self.as_chambers.count(progress, max_hours)
        return super().count(progress, max_hours)


def _one_order(model: ScoreModel) -> Orders:
    """The only ranking in rank 0 or 1; of two reversed ones, the one with label 0 first."""
    values = [row[model.columns[0] if model.columns else -1] for row in model.integer_rows]
    best_first = sorted(range(len(values)), key=lambda i: -values[i])
    orders = np.array([best_first], order_dtype(len(values)))
    return oriented(orders) if model.is_central and len(values) > 1 else orders


def _insertion_blocks(question: _RankingQuestion, rows: int, growing: bool) -> Iterator[Orders]:
    """Rankings by insertion, which needs no search if all orders occur."""
    from arrangements.search.insertion import iter_insertion  # loads numba

    for orders in iter_insertion(question.model, block_size=rows, growing=growing):
        yield oriented(orders) if question.half else orders


def _line_blocks(question: _RankingQuestion, rows: int) -> Iterator[Orders]:
    """Rankings on a line, in integers."""
    for orders in iter_line(question.model, rows):
        yield oriented(orders) if question.half else orders


def _sweep_blocks(
    question: _RankingQuestion, rows: int | None, progress: bool, seed: int, growing: bool
) -> Iterator[Orders]:
    """Blocks of the sweep along the random flag number `seed`."""
    bound = question.bound()
    in_one = rows is None and not progress and bound * question.row_bytes <= ONE_BLOCK_BYTES
    if in_one and question.workers > 1 and not question.by_pairs:
        from arrangements.search.ranking_sweep import listed_in_parallel  # loads numba

        yield listed_in_parallel(question.flag(seed), question.workers)
        return
    size = rows or question.convenient_rows(min(bound, 2**40), progress)
    found = _swept(question, seed, lambda sweep: sweep.blocks(size, growing), takes_part=False)
    yield from with_progress(found, progress, bound, len, question.noun)


def _sweep_counts(
    question: _RankingQuestion, progress: bool, total: int | None, seed: int
) -> Iterator[int]:
    """Numbers of rows of the sweep along the random flag number `seed`, without the rows."""
    found = _swept(question, seed, lambda sweep: sweep.counts(), takes_part=True)
    return with_progress(found, progress, total, int, question.noun)


def _swept(
    question: _RankingQuestion,
    seed: int,
    work: Callable[[Any], Iterator[Any]],
    *,
    takes_part: bool,
) -> Iterator[Any]:
    """Items of ``work(sweep)`` over the parts of the sweep along the random flag number `seed`."""
    workers = question.workers
    if question.by_pairs:
        from arrangements.search import pair_sweep  # loads numba

        hyperplanes = question.hyperplanes
        flag = pair_sweep.pair_flag(hyperplanes, seed)
        return pair_sweep.in_parallel(hyperplanes, flag, workers, work, takes_part=takes_part)
    from arrangements.search import ranking_sweep  # loads numba

    flag = question.flag(seed)
    return ranking_sweep.in_parallel(flag, workers, work, takes_part=takes_part)
