"""The chamber of least or largest value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.batches.one_question import feasible
from arrangements.checks import check_option, checked_flag, checked_integer
from arrangements.counting.prediction import expected_chambers
from arrangements.errors import InputError
from arrangements.feasibility.certificates import Certificate
from arrangements.feasibility.interior import Point
from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank
from arrangements.optimize.by_bounds import Bounding
from arrangements.optimize.by_sweep import best_by_sweep
from arrangements.optimize.costs import Costs
from arrangements.resources import limits

# About how long a sweep takes for a row of one word, and for each word more.
_ROW_SECONDS, _WORD_SECONDS = 4.5e-8, 6e-9
# A sweep that takes less than this is not worth predicting any better.
_SHORT = 0.2


@public_class
@dataclass(frozen=True)
class Optimum:
    """A best chamber, or the best one found in the time allowed.

    Attributes
    ----------
    value : Fraction
        Of the chamber, exact.
    signs : (n,) ndarray of int8
        The chamber, entries -1 and +1.
    certificate : Certificate
        Proves that the chamber occurs, by an exact point.
    bound : Fraction
        No chamber has a better value; equal to `value` unless the time was up.
    n_best : int or None
        How many chambers have this value, if that was asked for.
    method : {"sweep", "bounds"}
        The search that ended.
    """

    value: Fraction
    signs: NDArray[np.int8]
    certificate: Certificate
    bound: Fraction
    n_best: int | None
    method: str
    _costs: Costs

    @property
    def point(self) -> Point:
        """An exact point of the chamber."""
        assert self.certificate.point is not None
        return self.certificate.point

    @property
    def gap(self) -> Fraction:
        """How far the value is from the bound: 0 if it is proved to be the best."""
        return abs(self.value - self.bound)

    def verify(self) -> bool:
        """Whether the chamber occurs and has the value, in exact arithmetic.

        That no chamber is better rests on the search alone.
        """
        same = self.certificate.signs == tuple(self.signs.tolist())
        return same and self.certificate.verify() and self._costs.value(self.signs) == self.value

    def __repr__(self) -> str:
        proved = "best" if not self.gap else f"within {self.gap} of the best"
        return f"Optimum(value {self.value}, {proved}, {self.certificate})"


def best_chamber(
    W: ArrayLike | Arrangement,
    costs: ArrayLike,
    offsets: ArrayLike | None = None,
    *,
    sense: str = "min",
    method: str = "auto",
    rank: Rank = "exact",
    count_best: bool = False,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> Optimum:
    """Find a chamber whose signs cost least, proved to be the best.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy rational, or Arrangement
    costs : (n,) or (2, n) array_like
        The cost of sign + at each row; or the costs of - and of +, one row each. The value of a
        chamber is their sum over all rows, exactly: a float counts as the dyadic number it is.
    offsets : (n,) array_like, optional
        Default zeros.
    sense : {"min", "max"}
    method : {"auto", "sweep", "bounds"}
        "sweep" sees all chambers once; "bounds" drops, while rows are inserted one by one, all
        that cannot become better than the best chamber known, which pays where the optimum is
        small beside other values. "auto" sweeps if that is expected to take a fraction of a
        second; else it gives bounds the time that the sweep is expected to take, and then sweeps.
    rank : "exact" or int
        As in `chambers`.
    count_best : bool
        Count the chambers that have the best value; by a sweep.
    workers : int
        Threads of the sweep.
    client : distributed.Client, optional
        Sweep on this Dask cluster.
    progress : bool
        Show a bar on standard error while sweeping.
    max_hours : float, optional
        Refuse a sweep that is expected to take more. The default is a year.
    time_limit : float, optional
        Seconds after which the best chamber found is returned, with a bound for all others; by
        bounds alone, unless a sweep is expected to take less than half of them.

    Returns
    -------
    Optimum
        Of several best chambers, one; which one does not depend on the number of workers.

    Raises
    ------
    InputError
        If `costs` has another shape or is not finite, or an option is unknown.
    TooLargeError
        If a sweep is needed and would take more than `max_hours`.

    See Also
    --------
    fold_chambers : any function of chambers.
    max_feasible : most rows that can be positive at once.

    Notes
    -----
    The minimum over chambers is that over all points if ties at a row cost the lesser of its two
    costs. A sweep takes 15 to 30 ns a chamber; bounds take a cone test for about each chamber of
    each prefix of the rows that is better than the best chamber [1]_.

    References
    ----------
    .. [1] X. He and M. A. Little, An efficient, provably exact algorithm for the 0-1 loss linear
       classification problem, arXiv 2306.12344.

    Examples
    --------
    >>> best = best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4])
    >>> best.value, best.signs.tolist(), best.gap
    (Fraction(-3, 1), [-1, 1, 1], Fraction(0, 1))
    >>> best.verify()
    True
    """
    arrangement = asked_arrangement(W, offsets, rank)
    check_option("sense", sense, ("min", "max"))
    check_option("method", method, ("auto", "sweep", "bounds"))
    workers, count_best = (
        checked_integer("workers", workers, 1),
        checked_flag("count_best", count_best),
    )
    if count_best and method == "bounds":
        raise InputError("count_best needs a sweep, which sees all chambers; leave out method.")
    limits.check_time_limit(time_limit)
    limits.check_max_hours(max_hours)
    given = Costs.of(costs, arrangement.n_hyperplanes)
    search = _Search(arrangement, given if sense == "min" else given.negated(), time_limit)
    if search.should_sweep(method, count_best, workers):
        return search.sweep(sense, given, count_best, workers, client, progress, max_hours)
    if search.bounded(method, workers):
        return search.optimum(sense, given)
    return search.sweep(sense, given, count_best, workers, client, progress, max_hours)


class _Search:
    """The two searches, and which of them is worth it."""

    def __init__(self, arrangement: Arrangement, costs: Costs, time_limit: float | None) -> None:
        self.arrangement, self.costs, self.time_limit = arrangement, costs, time_limit
        self.deadline = None if time_limit is None else monotonic() + time_limit
        self._bounding: Bounding | None = None

    def _sweep_seconds(self, workers: int) -> float:
        words = -(-self.arrangement.n_hyperplanes // 64)
        rows = expected_chambers(self.arrangement) // (1 + self.arrangement.is_central)
        return min(1e18, rows) * (_ROW_SECONDS + _WORD_SECONDS * words) / workers

    def should_sweep(self, method: str, count_best: bool, workers: int) -> bool:
        """Whether to sweep at once."""
        if method != "auto" or count_best or not self.arrangement.n_hyperplanes:
            return method != "bounds"
        most = _SHORT if self.time_limit is None else min(_SHORT, self.time_limit / 2)
        return self._sweep_seconds(workers) < most

    def bounded(self, method: str, workers: int) -> bool:
        """Search by bounds; whether to answer by what was found."""
        self._bounding = Bounding(self.arrangement, self.costs)
        seconds = self._sweep_seconds(workers)
        enough = self.time_limit is not None and seconds > self.time_limit / 2
        if method == "bounds" or enough:
            seconds = inf
        self._bounding.run(seconds, self.deadline)
        return self._bounding.finished or seconds == inf

    def optimum(self, sense: str, given: Costs) -> Optimum:
        """What bounds found."""
        found = self._bounding
        assert found is not None
        factor = 1 if sense == "min" else -1
        signs = np.array(found.certificate.signs, np.int8)
        bound = factor * self.costs.exact(found.bound)
        return Optimum(given.value(signs), signs, found.certificate, bound, None, "bounds", given)

    def sweep(
        self,
        sense: str,
        given: Costs,
        count_best: bool,
        workers: int,
        client: Any,
        progress: bool,
        max_hours: float | None,
    ) -> Optimum:
        """What a sweep finds."""
        _, signs, number = best_by_sweep(
            self.arrangement,
            self.costs,
            workers=workers,
            client=client,
            progress=progress,
            max_hours=max_hours,
        )
        value, certificate = given.value(signs), feasible(self.arrangement, signs)
        n_best = number if count_best else None
        return Optimum(value, signs, certificate, value, n_best, "sweep", given)
