"""The chamber of least or largest value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from math import inf
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.certificate_table import Certificates
from arrangements.certificates.many import feasible_many
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import (
    check_flag,
    check_integer,
    check_max_hours,
    check_option,
    check_time_limit,
)
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import align, column_names
from arrangements.core.questions import as_arrangement
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_vector
from arrangements.forecast.sizes import expected_chambers, most_chambers
from arrangements.optimize.by_bounds import Bounding
from arrangements.optimize.by_sweep import additive, best_of_step
from arrangements.optimize.objectives import (
    Costs,
    LeastValue,
    Objective,
    StatisticValue,
    StepValue,
    better,
    outside_is_worst,
    read_region,
)
from arrangements.optimize.optimum import Optimum
from arrangements.runs.sources import ChamberSource
from arrangements.runs.steps import Step
from arrangements.search.gains import has_many_planes
from arrangements.sets.packed import unpack_signs
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.derived import union

# About how long a sweep takes for a line, and for each point of it, where it adds up values; and
# where it looks up bytes of rows, for a row, and for each word of it.
_LINE_SECONDS, _POINT_SECONDS = 3e-7, 3e-9
_ROW_SECONDS, _WORD_SECONDS = 2.5e-8, 2.5e-8
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
    within: ArrangementLike | None = None,
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
    within : (k, d) array_like or Arrangement, optional
        Only chambers count that meet the open polyhedron in which all its rows are positive: the
        cone ``A @ x > 0`` of a matrix A, or ``A @ x + c > 0`` of ``Arrangement(A, c)``.
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
        If `costs` has another shape or is not finite, an option is unknown, `within` is empty, or
        a function returns no numbers.
    TooLargeError
        If a sweep is needed and would take more than `max_hours`.

    See Also
    --------
    fold_chambers : any function of chambers.
    max_feasible : most rows that can be positive at once.

    Notes
    -----
    The minimum over chambers is that over all points if ties at a row cost the lesser of its two
    costs. A sweep takes about as long as `count_chambers`; bounds take a cone test for about each
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
        self.n, self._value, self._factor = arrangement.n_hyperplanes, value, factor
        self._workers, self._time_limit = workers, time_limit
        self._deadline = None if time_limit is None else monotonic() + time_limit
        self.costs: Costs | None = None
        if isinstance(value, Costs):
            self.costs = value if factor == 1 else value.negated()
        if within is not None:
            region = read_region(within, column_names(arrangement), arrangement.dimension)
            arrangement = union(arrangement, region).arrangement
            if self.costs is not None:
                self.costs = outside_is_worst(self.costs, region.n_hyperplanes)
        self.arrangement = arrangement
        self._bounding: Bounding | None = None

    def _sweep_seconds(self, chambers: int) -> float:
        """Predict the time of a sweep from the number of chambers."""
        assert self.costs is not None
        gains, slack = self.costs.rounded
        n, central = self.arrangement.n_hyperplanes, self.arrangement.is_central
        rows = min(1e18, chambers // (1 + central))
        if slack or has_many_planes(gains):
            seconds = rows * (_ROW_SECONDS + _WORD_SECONDS * -(-n // 64))
        else:
            lines = rows * (self.arrangement.rank - central) / n
            seconds = lines * (_LINE_SECONDS + _POINT_SECONDS * n)
        return seconds / self._workers

    def should_sweep(self, method: str, count_best: bool) -> bool:
        """Return True if a sweep is needed, or fast."""
        if self.costs is None or not self.arrangement.n_hyperplanes:
            return True
        if method != "auto" or count_best:
            return method != "bounds"
        most = _SHORT if self._time_limit is None else min(_SHORT, self._time_limit / 2)
        # the bound first: an estimate takes as long as a sweep of some million chambers
        numbers = (most_chambers, expected_chambers)
        return any(self._sweep_seconds(number(self.arrangement)) < most for number in numbers)

    def by_bounds(self, method: str) -> Optimum | None:
        """Search by bounds; None if a sweep is expected to be faster."""
        assert self.costs is not None
        self._bounding = found = Bounding(self.arrangement, self.costs)
        seconds = self._sweep_seconds(expected_chambers(self.arrangement))
        too_slow = self._time_limit is not None and seconds > self._time_limit / 2
        seconds = inf if method == "bounds" or too_slow else _SHARE * seconds
        found.run(seconds, self._deadline)
        if found.finished or found.interrupted or seconds == inf:
            return self._optimum(found.certificate, found.bound, None, "bounds")
        return None

    def _optimum(
        self, certificate: Certificate, bound: int | None, n_best: int | None, method: str
    ) -> Optimum:
        """The chamber of a certificate; the bound is a sum of gains, or None without one."""
        signs = np.array(certificate.signs[: self.n], np.int8)
        proved = None
        if bound is not None and self.costs is not None:
            proved = self._factor * self.costs.exact(bound)
        value = self._value.value(signs)
        return Optimum(value, signs, certificate, proved, n_best, method, self._value, self._factor)

    def sweep(self, count_best: bool, **options: Any) -> Optimum:
        """The best chamber; if the sweep ends early, the best one found."""
        bounding = self._bounding
        if self.costs is not None:
            step = additive(self.costs, None if bounding is None else bounding.best)
        else:
            tally = partial(LeastValue, objective=self._value, factor=self._factor, n=self.n)
            step = Step(None, tally, better)
        source = ChamberSource(self.arrangement)
        found = best_of_step(source, step, self._deadline, workers=self._workers, **options)
        if bounding and (found is None or (found[2] is None and bounding.best <= found[0])):
            return self._optimum(bounding.certificate, bounding.bound, None, "bounds")
        if found is None:
            raise KeyboardInterrupt
        _, row, number = found
        signs = unpack_signs(np.array([row], np.uint64).reshape(1, -1), source.n)[0]
        signs[self.n :] = 1  # in the region
        certificate = feasible(self.arrangement, signs)
        if number is not None:
            optimum = self._optimum(certificate, None, number if count_best else None, "sweep")
            return replace(optimum, bound=optimum.value)
        bound = None
        if self.costs is not None:
            bound = bounding.bound if bounding else sum(min(g, 0) for g in self.costs.gains)
        return self._optimum(certificate, bound, None, "sweep")


# ------------------------------------------------------------------ feasible subsystems


@public_class
@dataclass(frozen=True, repr=False)
class Subsystem(Optimum):
    """The largest part of a system of strict inequalities that has a solution, by `max_feasible`.

    An `Optimum` whose rows with sign + are the part, and whose `point` is a solution.
    """

    @property
    def left_out(self) -> NDArray[np.int64]:
        """The rows that are not positive at the point, ascending."""
        return np.flatnonzero(self.signs < 0)

    def conflicts(self, *, workers: int = 1, progress: bool = False) -> Certificates:
        """Why each row is left out: it is not positive together with all rows of the part.

        Parameters
        ----------
        workers : int
            Threads.
        progress : bool
            Show a bar on standard error.

        Returns
        -------
        Certificates
            One for each of `left_out`, in their order: weights of rows of the part and of that row
            whose sum is impossible (Farkas). A row that could be added has a point instead, which
            happens only if some weights are not positive or the search was ended early.

        Examples
        --------
        >>> part = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
        >>> part.left_out.tolist(), part.conflicts().feasible.tolist()
        ([1], [False])
        >>> part.conflicts().verify()
        True
        """
        either = np.tile(self.signs < 0, (len(self.left_out), 1))
        either[np.arange(len(either)), self.left_out] = False
        positive = np.ma.MaskedArray(np.ones(either.shape, np.int8), mask=either)
        arrangement = self.certificate.arrangement
        return feasible_many(arrangement, positive, workers=workers, progress=progress)


def max_feasible(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    strict: bool = True,
    weights: ArrayLike | None = None,
    method: str = "auto",
    rank: int | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> Subsystem:
    """Find a point at which as many entries of ``W @ x + offsets`` as possible are positive.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    strict : True
        Inequalities with ``>=`` are not offered: see Notes.
    weights : (n,) array_like, optional
        What each row counts; default 1.
    method, rank, workers, client, progress, max_hours, time_limit
        As in `best_chamber`.

    Returns
    -------
    Subsystem
        Its `value` is the number (or the weight) of the positive rows, which are those with sign +
        in its `signs`; its `point` proves them. `Subsystem.conflicts` proves of each other row that
        it cannot be added.

    Raises
    ------
    InputError, TooLargeError
        As `best_chamber`, or if `strict` is False.

    Notes
    -----
    Inequalities are strict, so the best point may be chosen within a chamber. With ``>=``, faces
    of lower dimension are better: the origin satisfies all rows of a central arrangement. If the
    rows span the space, some vertex is best then, and ``iter_faces(W, 0, offsets)`` has the signs
    of all vertices.

    Examples
    --------
    >>> best = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
    >>> best.value, best.signs.tolist()
    (Fraction(3, 1), [1, -1, 1, 1])
    """
    if not check_flag("strict", strict):
        raise InputError(
            "strict is False; expected True: with >= the best point may lie on hyperplanes, not in "
            "a chamber. If the rows span the space, iter_faces(W, 0, offsets) has the signs of all "
            "vertices, of which one is best."
        )
    arrangement = as_arrangement(W, offsets, rank)
    n = arrangement.n_hyperplanes
    costs = [1] * n if weights is None else align(weights, arrangement.labels, "weights")
    costs = as_exact_vector(costs, n, "weights")
    found = best_chamber(
        arrangement,
        costs,
        sense="max",
        method=method,
        workers=workers,
        client=client,
        progress=progress,
        time_limit=time_limit,
        max_hours=max_hours,
    )
    return Subsystem(**{field.name: getattr(found, field.name) for field in fields(found)})
