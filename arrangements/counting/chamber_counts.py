"""The number of chambers by the sweep or by the characteristic polynomial, whichever takes less.

How many hyperplanes meet and how many restrictions will be merged cannot be known beforehand; both
show once the work begins. So each method works portion by portion and predicts its total time after
every portion: the sweep from its place in the tree of all sets of hyperplanes, the polynomial from
the growth of its levels. The sweep begins; if it finds coincidences and is not about to end, the
polynomial is tried for a quarter of the time that the sweep is expected to take. Then the one that
is expected to end first goes on alone; if that takes too long, they take turns. Seconds are
nominal: they measure work at a fixed pace, so that the same input is always counted in the same
way.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.counting.polynomials import (
    OPERATIONS_PER_SECOND,
    restrictions_of,
)
from arrangements.counting.records import without_infinity
from arrangements.errors import NotGenericFlagError
from arrangements.forecast.sizes import expected_chambers
from arrangements.kernels.chambers.workspace import DEPTH, EXACT_COUNT
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import arrangement_flag

# Seconds for a lane of a line of the sweep whose signs are decided in floats, and exactly: by small
# minors, or else by residues.
_FLOAT_LANE, _MINOR_LANE, _EXACT_LANE = 2e-9, 8e-9, 2e-8
# A line with more exact decisions than this is as slow as that.
_MOST_EXACT = 0.125
# Lanes of the first portion, and of the largest; portions grow with the work done so far.
_FIRST_LANES, _MOST_LANES, _GROWTH = 10_000, 1_000_000, 0.2
_FLAGS = 6
# The polynomial is tried for this share of the time that the sweep is expected to take. Meanwhile
# the sweep runs for a glance, a smaller share of that, to improve its prediction.
_TRIAL, _GLANCE = 0.25, 0.125
# The polynomial takes this long to begin, with irrational entries longer: a sweep that is expected
# to end before goes on alone.
_BEGINNING, _IRRATIONAL_BEGINNING = 5e-3, 1.5e-2
# One method is clearly better if the other still takes this many times as long.
_CLEARLY = 3.0
# Seconds after which an estimate of the number of chambers costs little in comparison.
_ESTIMATED = 1.0


class BySweep:
    """A count of chambers by the sweep, in portions.

    Attributes
    ----------
    count : int or None
        Number of chambers, at the end.
    rows : int
        Chambers found so far, one of each pair of opposites if central.
    seconds : float
        Nominal time so far.
    expected : int
        Expected number of chambers; 0 if it was not estimated.
    """

    method = "sweep"

    def __init__(self, arrangement: Arrangement) -> None:
        self.arrangement = arrangement
        self.count: int | None = None
        self.seconds, self.rows, self.expected = 0.0, 0, 0
        self._sides = 2 if arrangement.is_central and arrangement.n_hyperplanes else 1
        self._flags = 0
        self._begin()

    def _begin(self) -> None:
        """At the root, along another flag."""
        flag = arrangement_flag(self.arrangement, self._flags)
        self._flags += 1
        self._sweep = None if flag is None else ChamberSweep(flag)
        self._lanes, self._exact, self._lane, self.rows = 0, 0, _FLOAT_LANE, 0

    @property
    def is_exact(self) -> bool:
        """Whether hyperplanes meet in special ways, so that signs must be decided exactly."""
        return self._lane != _FLOAT_LANE

    def advance(self) -> None:
        """Work for one portion."""
        if self._sweep is None:
            self.rows, self.count = 1, self._sides
            return
        sweep, each = self._sweep, self._sweep.flag.n + 64
        lanes = min(_MOST_LANES, max(_FIRST_LANES, int(_GROWTH * self._lanes)))
        budget = lanes // each + 1
        try:
            no_rows = np.empty((1, sweep.space.masks.shape[2]), np.uint64)
            finished, _, found = sweep.advance(no_rows, 0, False, budget)
        except NotGenericFlagError:
            if self._flags == _FLAGS:
                raise
            self._begin()
            return self.advance()
        exact = int(sweep.space.state[EXACT_COUNT])
        slow = _MINOR_LANE if len(sweep.space.minors) else _EXACT_LANE
        self._lane = slow if exact - self._exact > _MOST_EXACT * budget else _FLOAT_LANE
        self._exact = exact
        self._lanes += budget * each
        self.seconds += budget * each * self._lane
        self.rows += found
        if finished:
            self.count = self._sides * self.rows

    def total(self) -> float:
        """About how many seconds in all, extrapolated by chambers or by the tree."""
        if self.count is not None:
            return self.seconds
        met = self.rows * self._sides
        return self.total_of(self.expected) if met < self.expected else self.seconds / self.seen()

    def total_of(self, chambers: int) -> float:
        """Seconds in all if there are this many chambers, found at an even pace."""
        return self.seconds * chambers / max(1, self.rows * self._sides)

    def seen(self) -> float:
        """The share of the tree that was visited, as far as the place in it tells."""
        if self._sweep is None:
            return 1.0
        flag, space = self._sweep.flag, self._sweep.space
        n, d = flag.n, flag.d
        depth = int(space.state[DEPTH])
        chain = space.chain[:depth].tolist()
        # sets of d - 1 hyperplanes before those that begin with this chain, of which
        # each member is smaller than the one before; and at least the lines that were met
        before = sum(comb(j, d - 1 - e) for e, j in enumerate(chain))
        met = self._lanes / (n + 64) / sum(comb(n, k) for k in range(d - 1))
        return min(1.0, max(before / comb(n, d - 1) if d <= n else 0.0, met))


class ByPolynomial:
    """A count of chambers by the characteristic polynomial, in portions.

    Attributes
    ----------
    count : int or None
        Number of chambers, at the end.
    """

    method = "characteristic"

    def __init__(self, arrangement: Arrangement, workers: int = 1) -> None:
        self.count: int | None = None
        self.restrictions, self._of_cone = restrictions_of(arrangement, workers)
        self._portions = self.restrictions.portions()

    @property
    def seconds(self) -> float:
        """Nominal time so far."""
        return self.restrictions.operations / OPERATIONS_PER_SECOND

    def advance(self) -> None:
        """Work for one portion."""
        if next(self._portions, None) is None:
            numbers = self.restrictions.numbers
            self.count = sum(without_infinity(numbers) if self._of_cone else numbers)

    def total(self) -> float:
        """About how many seconds in all."""
        return self.seconds + self.restrictions.remaining() / OPERATIONS_PER_SECOND


class Count:
    """A count of chambers by the faster method, as far as its first portions show.

    Parameters
    ----------
    arrangement : Arrangement
    workers : int
        Threads of the polynomial, and those that a sweep could use: times are divided by this.

    Attributes
    ----------
    sweep : BySweep
    polynomial : ByPolynomial or None
        None as long as no coincidence was found, or the sweep is about to end: it would not pay.
    leader : BySweep or ByPolynomial
        The method that is expected to be faster or, in the end, was.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> counting = Count(Arrangement.coerce(resonance(6)))
    >>> seconds = list(counting.portions())
    >>> counting.count, counting.leader.method
    (1066044, 'characteristic')
    """

    def __init__(self, arrangement: Arrangement, workers: int = 1) -> None:
        self.arrangement, self.workers = arrangement, workers
        self._beginning = _BEGINNING if arrangement.field is None else _IRRATIONAL_BEGINNING
        self.sweep = BySweep(arrangement)
        self.polynomial: ByPolynomial | None = None
        self.leader: BySweep | ByPolynomial = self.sweep

    @property
    def count(self) -> int | None:
        """Number of chambers; None as long as it is not known."""
        return self.leader.count

    @property
    def seconds(self) -> float:
        """Nominal time of both methods so far."""
        return self.sweep.seconds + (self.polynomial.seconds if self.polynomial else 0.0)

    def portions(self) -> Iterator[float]:
        """Count on; yields the nominal seconds so far after each portion."""
        while self.count is None:
            self._next().advance()
            self.compare()
            yield self.seconds

    def total(self) -> float:
        """About how many seconds the better method takes in all."""
        return self.leader.total() / self.workers

    def total_of(self, chambers: int) -> float:
        """The same if there are this many chambers, which the sweep finds at an even pace."""
        seconds = self.sweep.total_of(chambers)
        if self.polynomial is not None:
            seconds = min(seconds, self.polynomial.total())
        return seconds / self.workers

    def is_predictable(self) -> bool:
        """Whether that prediction is reliable."""
        sweep, polynomial = self.sweep, self.polynomial
        if polynomial is None:
            return sweep.seconds > 0.01
        return polynomial.restrictions.is_predictable

    def is_decided(self) -> bool:
        """Whether the polynomial has had its trial, or needs none."""
        polynomial = self.polynomial
        return (
            polynomial is None or polynomial.seconds >= _TRIAL * self.sweep.total() / self.workers
        )

    def _next(self) -> BySweep | ByPolynomial:
        """The method whose turn it is."""
        sweep, polynomial = self.sweep, self.polynomial
        if polynomial is None:
            return sweep
        leader = self.leader
        other = sweep if leader is polynomial else polynomial
        clear = _CLEARLY * _left(leader) < _left(other)
        if not self.is_decided():
            glance = sweep.seconds < _GLANCE * polynomial.seconds
            return sweep if glance and not (clear and leader is polynomial) else polynomial
        if clear or leader.seconds < other.total():
            return leader
        return sweep if sweep.seconds < polynomial.seconds else polynomial

    def compare(self) -> None:
        """Choose the leader after a portion or a forecast.

        The polynomial joins once coincidences are found.
        """
        sweep = self.sweep
        if self.polynomial is None and sweep.is_exact and _left(sweep) > self._beginning:
            self.polynomial = ByPolynomial(self.arrangement, self.workers)
            self.polynomial.advance()
        if not sweep.expected and self.polynomial is not None and self.seconds > _ESTIMATED:
            sweep.expected = expected_chambers(self.arrangement)
        if sweep.count is not None or self.polynomial is None:
            self.leader = sweep
        elif self.polynomial.count is not None:
            self.leader = self.polynomial
        else:
            by_sweep = _left(sweep) <= _left(self.polynomial)
            self.leader = sweep if by_sweep else self.polynomial


def _left(method: BySweep | ByPolynomial) -> float:
    """About how many seconds a method still takes."""
    return method.total() - method.seconds
