"""The chamber of least or largest value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.checks import (
    check_flag,
    check_integer,
    check_max_hours,
    check_option,
    check_time_limit,
)
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import align
from arrangements.core.questions import as_arrangement
from arrangements.errors import InputError
from arrangements.forecast.sizes import expected_chambers, most_chambers
from arrangements.optimize.by_bounds import Bounding
from arrangements.optimize.by_sweep import (
    additive,
    best_of_step,
    seconds_inside,
    should_list,
    sweep_seconds,
)
from arrangements.optimize.objectives import (
    Costs,
    LeastValue,
    Objective,
    StatisticValue,
    StepValue,
    better,
    outside_is_worst,
)
from arrangements.optimize.optimum import Optimum
from arrangements.optimize.region import certify, cone_inside, with_facets
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.runs.sources import ChamberSource
from arrangements.runs.steps import Step
from arrangements.sets.packed import unpack_signs
from arrangements.sets.sign_vectors import SignVectors

# Bounds are tried for this part of the time that a sweep is expected to take.
_SHARE = 0.1
# A sweep that takes less than this is not worth predicting any better.
_SHORT = 0.2


def best_chamber(
    W: ArrangementLike,
    costs: ArrayLike | None = None,
    *,
    offsets: ArrayLike | None = None,
    step: Callable[[SignVectors], ArrayLike] | None = None,
    statistic: ArrayLike | None = None,
    objective: Callable[[NDArray[Any]], ArrayLike] | None = None,
    sense: str = "min",
    method: str = "auto",
    rank: int | None = None,
    within: Within | None = None,
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
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    costs : (n,) or (2, n) array_like
        The cost of sign + at each row; or the costs of - and of +, one row each. The value of a
        chamber is their sum over all rows, exactly: a float counts as the dyadic number it is.
        Exactly one of `costs`, `step` and `statistic` is given.
    offsets : (n,) array_like, optional
        Default zeros.
    step : callable, optional
        Any value: a function of a block of chambers (`SignVectors`) that returns a number for
        each; or a compiled one (``@njit``) of a packed row, which returns a number. See
        `fold_chambers`. Numbers are compared exactly as they are returned; several threads call it.
    statistic : (n, r) array_like, optional
        V: the value is what `objective` makes of the sums ``V.T @ s``, s being the signs.
    objective : callable, optional
        A function of an (m, r) array, the exact sums of m chambers, that returns m numbers. The
        sums are int64 if all entries of V are integers and the sums fit, else Python integers or
        Fractions, which take longer: multiply V by a common denominator first.
    sense : {"min", "max"}
    method : {"auto", "sweep", "bounds"}
        "sweep" sees all chambers once; "bounds" drops, while rows are inserted one by one, all
        that cannot become better than the best chamber known, which pays where the optimum is
        small beside other values. "auto" sweeps if that is expected to take a fraction of a
        second; else it gives bounds a tenth of the time that the sweep is expected to take, and
        then sweeps.
    rank : int, optional
        As in `chambers`.
    within : Polyhedron, or (A, c), optional
        Only chambers count that meet the relative interior of this polyhedron, or of
        ``A @ x <= c``; the point of the answer lies in it.
    count_best : bool
        Count the chambers that have the best value; by a sweep.
    workers : int
        Threads of the sweep.
    client : distributed.Client, optional
        Sweep on this Dask cluster.
    progress : bool
        Show a bar on standard error while sweeping.
    max_hours : float, optional
        Refuse a sweep that is expected to take more. The default is a day.
    time_limit : float, optional
        Seconds after which the best chamber found is returned, with a bound for all others; by
        bounds alone, unless a sweep is expected to take less than half of them, or is the only
        way (`step`, `statistic`), and then without a bound.

    Returns
    -------
    Optimum
        Of several best chambers, one; which one does not depend on the number of workers.
        Ctrl-C ends the search: the best chamber found so far is returned, with the bound that
        is proved for all others. KeyboardInterrupt is raised only if there is none yet.

    Raises
    ------
    InputError
        If `costs` has another shape or is not finite, an option is unknown, no chamber meets
        `within`, or a function returns no numbers.
    TooLargeError
        If a sweep is needed and would take more than `max_hours`.

    See Also
    --------
    fold_chambers : any function of chambers.
    max_feasible : most rows that can be positive at once.

    Notes
    -----
    The minimum over chambers is that over all points if ties at a row cost the lesser of its two
    costs. A sweep takes about as long as `count_chambers`, or within a polyhedron as long as to
    list the chambers that meet it; bounds take a cone test for about each
    chamber of each prefix of the rows that is better than the best chamber [1]_.

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
    >>> best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4], within=([[0, 1]], [-1])).signs.tolist()
    [1, -1, 1]
    """
    arrangement = as_arrangement(W, offsets, rank)
    check_option("sense", sense, ("min", "max"))
    check_option("method", method, ("auto", "sweep", "bounds"))
    workers = check_integer("workers", workers, 1)
    count_best = check_flag("count_best", count_best)
    progress = check_flag("progress", progress)
    if count_best and method == "bounds":
        raise InputError("count_best needs a sweep, which sees all chambers; leave out method.")
    check_time_limit(time_limit)
    check_max_hours(max_hours)
    search = _Search(
        arrangement,
        _value(arrangement, costs, step, statistic, objective),
        1 if sense == "min" else -1,
        within,
        workers,
        time_limit,
    )
    if search.costs is None and method == "bounds":
        raise InputError("bounds are about costs; leave out method.")
    found = None
    if not search.should_sweep(method, count_best):
        found = search.by_bounds(method)
    return found or search.sweep(count_best, client=client, progress=progress, max_hours=max_hours)


def predict_seconds(arrangement: Arrangement, costs: Costs, workers: int) -> float:
    """Predict how long `best_chamber` takes at most: a sweep, after bounds that did not end.

    Examples
    --------
    >>> predict_seconds(Arrangement([[1, 0], [0, 1]]), Costs.of([1, 2], 2), 1) < 1
    True
    """
    search = _Search(arrangement, costs, 1, None, workers, None)
    if not arrangement.n_hyperplanes:
        return 0.0
    return (1 + _SHARE) * search._sweep_seconds(expected_chambers)


def _value(
    arrangement: Arrangement, costs: Any, step: Any, statistic: Any, objective: Any
) -> Costs | Objective:
    """The value of a chamber, from the arguments of the caller."""
    if sum(x is not None for x in (costs, step, statistic)) != 1:
        raise InputError("expected exactly one of costs, step and statistic.")
    if (statistic is None) != (objective is None):
        raise InputError(
            "statistic and objective belong together: the value is objective(V.T @ s)."
        )
    n, labels = arrangement.n_hyperplanes, arrangement.labels
    if costs is not None:
        return Costs.of(costs, n, labels)
    statistic = align(statistic, labels, "statistic")
    return StepValue(step, n) if step is not None else StatisticValue(statistic, objective, n)


class _Search:
    """The two searches, and the choice of one."""

    def __init__(
        self,
        arrangement: Arrangement,
        value: Costs | Objective,
        factor: int,
        within: Any,
        workers: int,
        time_limit: float | None,
    ) -> None:
        self._value, self._factor = value, factor
        self._workers, self._time_limit = workers, time_limit
        self._began = monotonic()
        self._deadline = None if time_limit is None else monotonic() + time_limit
        self.costs: Costs | None = None
        if isinstance(value, Costs):
            self.costs = value if factor == 1 else value.negated()
        self.arrangement = arrangement
        self._within: Polyhedron | None = None
        self._cone, self._lead = arrangement, 0
        if within is not None:
            self._within = read_polyhedron(within, arrangement)
            self._cone, self._lead = cone_inside(arrangement, self._within)
        self._bounding: Bounding | None = None

    def should_sweep(self, method: str, count_best: bool) -> bool:
        """Return True if a sweep is needed, or fast."""
        if self.costs is None or not self.arrangement.n_hyperplanes:
            return True
        if method != "auto" or count_best:
            return method != "bounds"
        most = _SHORT if self._time_limit is None else min(_SHORT, self._time_limit / 2)
        # the bound first: an estimate takes as long as a sweep of some million chambers
        return any(
            self._sweep_seconds(number) < most for number in (most_chambers, expected_chambers)
        )

    def _sweep_seconds(self, number: Callable[[Arrangement], int]) -> float:
        """Predict the time of a sweep from a number of chambers."""
        assert self.costs is not None
        if self._within is None:
            seconds = sweep_seconds(self.arrangement, self.costs, number(self.arrangement))
        else:
            seconds = min(seconds_inside(self.arrangement, self._within, self.costs, number))
        return seconds / self._workers

    def by_bounds(self, method: str) -> Optimum | None:
        """Search by bounds; None if a sweep is expected to be faster."""
        assert self.costs is not None
        self._bounding = found = Bounding(self._cone, self.costs, self._lead)
        seconds = self._sweep_seconds(expected_chambers)
        too_slow = self._time_limit is not None and seconds > self._time_limit / 2
        seconds = inf if method == "bounds" or too_slow else _SHARE * seconds
        found.run(seconds, self._deadline)
        if found.finished or found.interrupted or seconds == inf:
            return self._by_bounding(found)
        return None

    def _by_bounding(self, found: Bounding) -> Optimum:
        """The best chamber that bounds found."""
        proof, P = found.certificate, self._within
        if P is not None:
            proof = certify(self.arrangement, P, [s or 0 for s in proof.signs[self._lead :]])
        return self._optimum(proof, found.bound, None, "bounds")

    def _optimum(
        self, certificate: Certificate, bound: int | None, n_best: int | None, method: str
    ) -> Optimum:
        """The chamber of a certificate; the bound is a sum of gains, or None without one."""
        signs = np.array(certificate.signs, np.int8)
        proved = None
        if bound is not None and self.costs is not None:
            proved = self._factor * self.costs.exact(bound)
        value = self._value.value(signs)
        proof = certificate, proved, n_best, method, self._within
        history = (*self._history(), (monotonic() - self._began, value, proved))
        return Optimum(value, signs, *proof, self._value, self._factor, history)

    def _history(self) -> Iterator[tuple[float, Fraction, Fraction]]:
        """Values and bounds, as the caller counts, while bounds searched."""
        if self._bounding is not None and self.costs is not None:
            for seconds, best, bound in self._bounding.history:
                value, proved = (self._factor * self.costs.exact(x) for x in (best, bound))
                yield seconds, value, proved

    def sweep(self, count_best: bool, **options: Any) -> Optimum:
        """The best chamber; if the sweep ends early, the best one found."""
        bounding, costs, P = self._bounding, self.costs, self._within
        source, k, shift = ChamberSource(self.arrangement, P), 0, 0
        if P is not None and costs is not None and not should_list(self.arrangement, P, costs):
            whole, k = with_facets(self.arrangement, P)
            source, costs = ChamberSource(whole), outside_is_worst(costs, k)
            shift = sum(costs.gains[:k])
        if costs is not None:
            step = additive(costs, None if bounding is None else bounding.best + shift)
        else:
            tally = partial(LeastValue, objective=self._value, factor=self._factor)
            step = Step(None, tally, better)
        found = best_of_step(source, step, self._deadline, workers=self._workers, **options)
        if found is not None and not (_signs(found, source)[:k] > 0).all():
            found = None  # it ended before it came inside
        if bounding and (found is None or (found[2] is None and bounding.best + shift <= found[0])):
            return self._by_bounding(bounding)
        if found is None:
            raise KeyboardInterrupt
        number, signs = found[2], _signs(found, source)[k:]
        certificate = certify(self.arrangement, P, signs.tolist())
        if number is not None:
            optimum = self._optimum(certificate, None, number if count_best else None, "sweep")
            last = optimum.history[-1][0], optimum.value, optimum.value
            history = (*optimum.history[:-1], last)
            return replace(optimum, bound=optimum.value, history=history)
        bound = None
        if self.costs is not None:
            bound = bounding.bound if bounding else sum(min(g, 0) for g in self.costs.gains)
        return self._optimum(certificate, bound, None, "sweep")


def _signs(found: tuple[Any, list[int], int | None], source: ChamberSource) -> NDArray[np.int8]:
    """The signs that a sweep found."""
    return unpack_signs(np.array([found[1]], np.uint64).reshape(1, -1), source.n)[0]
