"""The answer of a search for the best chamber."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.checks import check_flag, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import names_of
from arrangements.errors import TooLargeError
from arrangements.exact.text import brief_text
from arrangements.feasibility.interior import Point
from arrangements.forecast.hours import check_hours
from arrangements.forecast.sizes import expected_chambers
from arrangements.log import logger
from arrangements.messages import short_number
from arrangements.optimize.objectives import Costs, LeastValue, Objective, least_row
from arrangements.optimize.optimality import OptimalityTree, optimality_tree
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.runs.sources import ChamberSource
from arrangements.search.incremental import IncrementalListing

# Seconds for the value of a chamber, for each row, in int64 and in Python integers; and to insert
# rows one by one, for each chamber and pair of rows.
_VALUE_SECONDS, _LONG_VALUE_SECONDS, _INSERTION_SECONDS = 1e-8, 2e-7, 4e-9

# Hours beyond which a limit is none.
_AGE = 10**9


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
        Proves that the chamber occurs, by an exact point; with `within`, one in its relative
        interior.
    bound : Fraction or None
        No chamber has a better value; equal to `value` unless the search was ended early. None if
        nothing is known, which happens with `step` and `statistic` only.
    n_best : int or None
        How many chambers have this value, if that was asked for.
    method : {"sweep", "bounds"}
        The search that ended.
    within : Polyhedron or None
        Only chambers count that meet its relative interior.
    history : tuple of (float, Fraction, Fraction or None)
        How the search went on: seconds since it began, the best value and the bound at that time.
        `plot_gap` draws it.
    """

    value: Fraction
    signs: NDArray[np.int8]
    certificate: Certificate
    bound: Fraction | None
    n_best: int | None
    method: str
    within: Polyhedron | None
    _objective: Costs | Objective
    _factor: int
    history: tuple[tuple[float, Fraction, Fraction | None], ...] = ()

    @property
    def point(self) -> Point:
        """An exact point of the chamber."""
        assert self.certificate.point is not None
        return self.certificate.point

    @property
    def gap(self) -> Fraction | None:
        """How far the value is from the bound: 0 if it is proved to be the best."""
        return None if self.bound is None else abs(self.value - self.bound)

    def verify(self, *, optimal: bool = False, max_hours: float | None = None) -> bool:
        """Check that the chamber occurs and has the value; with `optimal`, that none is better.

        Without `optimal`, that no chamber is better rests on the search.

        Parameters
        ----------
        optimal : bool
            Prove again that no chamber is better, by a method that did not find it: all chambers
            are listed and their exact values compared, of which `value` must be the best, and that
            of `n_best` chambers if they were counted. The listing is incremental after a sweep, and
            a sweep after bounds. Of costs, if a listing is expected to take too long, a tree of
            conflicts proves it instead, as in the files of `write_certificate`. The logger
            ``arrangements`` says which, at level INFO.
        max_hours : float, optional
            Refuse what takes more. The default is a minute.

        Returns
        -------
        bool
            All of it in exact arithmetic. False with `optimal` after a search that was ended early
            means that a better chamber exists.

        Raises
        ------
        TooLargeError
            If `optimal` takes more than `max_hours`.

        Examples
        --------
        >>> from arrangements import best_chamber
        >>> best = best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4])
        >>> best.verify(), best.verify(optimal=True)
        (True, True)
        """
        optimal = check_flag("optimal", optimal)
        check_max_hours(max_hours)
        P, value = self.within, self._objective.value(self.signs)
        same = self.certificate.signs == tuple(self.signs.tolist()) and value == self.value
        inside = P is None or P.contains(np.array(self.point, object), interior=True)
        holds = same and inside and self.certificate.verify()
        if not (optimal and holds):
            return holds
        hours = 1 / 60 if max_hours is None else max_hours
        method = "incremental" if self.method == "sweep" else "sweep"
        parts = self.certificate.arrangement, P, self._objective, self._factor
        try:
            best, number = best_of_all(*parts, method, hours)
        except TooLargeError as error:
            if self.n_best is not None or not isinstance(self._objective, Costs):
                raise
            try:
                return self._proved_by_tree(hours)
            except TooLargeError:
                raise error from None
        logger.info("compared the values of all chambers, listed by method %s", method)
        return best == self.value and self.n_best in (None, number)

    def _proved_by_tree(self, hours: float) -> bool:
        """Whether a tree of conflicts proves that no chamber is better."""
        tree = self._tree(deadline=monotonic() + 3600 * min(hours, _AGE))
        if tree is None:
            return False
        words = len(tree.nodes), tree.conflicts
        logger.info(
            "proved by a tree of %d nodes and %d conflicts that no chamber is better", *words
        )
        return tree.proves(*self._least)

    @property
    def _least(self) -> tuple[Costs, int]:
        """Costs that are to be least, and the sum of gains that the chamber has."""
        assert isinstance(self._objective, Costs)
        costs = self._objective if self._factor == 1 else self._objective.negated()
        return costs, costs.of_bits(self.signs > 0)

    def _tree(self, *, deadline: float | None = None) -> OptimalityTree | None:
        """A proof that no chamber is better; None if one is."""
        arrangement = self.certificate.arrangement
        return optimality_tree(arrangement, self.within, *self._least, deadline=deadline)

    def __repr__(self) -> str:
        proved = "best so far"
        if self.gap is not None:
            proved = "best" if self.gap == 0 else f"within {brief_text(self.gap)} of the best"
        name, value = type(self).__name__, brief_text(self.value)
        return f"{name}(value {value}, {proved}, {self.certificate})"

    def _repr_html_(self) -> str:
        A = self.certificate.arrangement
        names = names_of(A.labels, len(A))
        bound = "none" if self.bound is None else notebook.number(self.bound)
        facts = [
            ("value", notebook.number(self.value)),
            ("proved", "best") if self.gap == 0 else ("bound of all others", bound),
            ("chambers of this value", self.n_best),
            ("method", self.method),
            ("an exact point", notebook.point(self.point)),
        ]
        table = notebook.sign_rows([self.signs], names, A.labels is not None)
        title = "Best chamber" if self.gap == 0 else "Best chamber found"
        return notebook.card(title, facts, table)


def best_of_all(
    arrangement: Arrangement,
    within: Polyhedron | None,
    objective: Objective | Costs,
    factor: int,
    method: str,
    max_hours: float,
) -> tuple[Fraction, int]:
    """The best value of all chambers, or of those that meet a polyhedron; how many have it.

    Parameters
    ----------
    arrangement : Arrangement
    within : Polyhedron or None
    objective : Objective or Costs
    factor : {1, -1}
        1 if the least value is the best, -1 if it is the largest.
    method : {"sweep", "incremental"}
        Of the listing.
    max_hours : float
        Refuse what is expected to take more.

    Raises
    ------
    TooLargeError
        If it is expected to take more.

    Examples
    --------
    >>> costs = Costs.of([2, 1, -4], 3)
    >>> best_of_all(Arrangement([[1, 0], [0, 1], [1, 1]]), None, costs, 1, "sweep", 1.0)
    (Fraction(-3, 1), 1)
    """
    if not arrangement.n_hyperplanes:
        return objective.value(np.zeros(0)), 1
    expected, rows = expected_chambers(arrangement), arrangement.n_hyperplanes
    long = isinstance(objective, Costs) and objective.rounded.slack
    seconds = rows * (_LONG_VALUE_SECONDS if long else _VALUE_SECONDS)
    if method != "sweep":
        seconds += rows**2 * _INSERTION_SECONDS
    what = f"a proof that none of about {short_number(expected)} chambers is better"
    check_hours(what, expected, 1 / seconds, max_hours)
    source = ChamberSource(arrangement, within)
    if method == "sweep":
        tallies = partial(LeastValue, objective=objective, factor=factor)
        value, number, _ = least_row(
            source, tallies, workers=1, client=None, progress=False, max_hours=max_hours
        )
    else:
        tally = LeastValue(source, objective, factor)
        for block in IncrementalListing(arrangement, within=within):
            tally.add(block)
        value, number, _ = tally.found
    best = factor * value
    return objective.exact(int(best)) if isinstance(objective, Costs) else best, number
