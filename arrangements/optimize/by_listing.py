"""The best value of all chambers, found again: they are listed, and their exact values compared."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.forecast.hours import check_hours
from arrangements.forecast.sizes import expected_chambers
from arrangements.messages import short_number
from arrangements.optimize.costs import Costs
from arrangements.optimize.least import least_row
from arrangements.optimize.objectives import LeastValue, Objective
from arrangements.runs.sources import chamber_source
from arrangements.search.incremental import IncrementalListing

# Seconds for the value of a chamber, for each row, in int64 and in Python integers; and to insert
# rows one by one, for each chamber and pair of rows.
_VALUE_SECONDS, _LONG_VALUE_SECONDS, _INSERTION_SECONDS = 1e-8, 2e-7, 4e-9


def best_of_all(
    arrangement: Arrangement,
    n: int,
    objective: Objective | Costs,
    factor: int,
    method: str,
    max_hours: float,
) -> tuple[Fraction, int]:
    """The best value of the chambers with sign + at all rows from `n` on; how many have it.

    Parameters
    ----------
    arrangement : Arrangement
    n : int
        Rows that have a value.
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
    >>> best_of_all(Arrangement([[1, 0], [0, 1], [1, 1]]), 3, costs, 1, "sweep", 1.0)
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
    source = chamber_source(arrangement)
    if method == "sweep":
        tallies = partial(LeastValue, objective=objective, factor=factor, n=n)
        value, number, _ = least_row(
            source, tallies, workers=1, client=None, progress=False, max_hours=max_hours
        )
    else:
        tally = LeastValue(source, objective, factor, n)
        for block in IncrementalListing(arrangement):
            tally.add(block)
        value, number, _ = tally.found
    best = factor * value
    return objective.exact(int(best)) if isinstance(objective, Costs) else best, number
