"""How far the levels of a computation are, and what is left to do."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass, field
from math import inf, sqrt

import numpy as np

from arrangements.counting.setting import Setting

# Of the restrictions, the share that is not equal to another, about.
_DIFFERENT = 0.7
# A level of which less was made may still be merged as much as the one before, if there less than
# this share of the restrictions stayed.
_KNOWN, _FEW = 0.1, 0.25
# And at least about this many of its states, or nearly all.
_STATES, _NEARLY_ALL = 12, 0.8
# Where most restrictions of the first level are merged, their number grows from 1 and says little
# about the levels below, until this many levels have begun or are left.
_BEGUN, _LEFT = 4, 4


@dataclass
class Stage:
    """How far the restrictions of one level are.

    Attributes
    ----------
    k : int
        Coordinates of its states.
    states : float
    rows : float
        Rows of a state, on average.
    total : float
        Restrictions to make.
    per_restriction : float
        Operations for one, as far as it is known.
    growth, shrinking : float
        States of the next level by states of this one; and their rows by rows. Before the first
        restriction, what they were a level before.
    restricted, operations : float
        Restrictions made, and what they took.
    recognized : int
        Restrictions that were put into classes, or known to be in one.
    seen : list of (float, float)
        Restrictions made and classes found, each time when some were put into classes.
    below : float
        Operations on deeper levels, for parts of this one.
    """

    k: int
    states: float
    rows: float
    total: float
    per_restriction: float
    growth: float
    shrinking: float
    restricted: float = 0.0
    operations: float = 0.0
    recognized: int = 0
    seen: list[tuple[float, float]] = field(default_factory=list)
    below: float = 0.0

    @property
    def done(self) -> float:
        """The share of the restrictions that was made."""
        return min(1.0, self.restricted / self.total)

    @property
    def left(self) -> float:
        """Operations that are left on this level."""
        each = self.operations / self.restricted if self.restricted else self.per_restriction
        return max(0.0, self.total - self.restricted) * each

    def see(self, recognized: int, found: float, rows: float) -> None:
        """Take note of the classes found so far, and of the rows that they have together."""
        if found and recognized > self.recognized:
            self.recognized = recognized
            self.seen.append((self.restricted, found))
            self.shrinking = min(1.0, rows / found / self.rows)

    def predict_growth(self, rank: int) -> None:
        """Predict how many states the next level, of this rank, will have."""
        if not self.seen:
            return
        made, found = self.seen[-1]
        before = self.seen[bisect(self.seen, (made / 2, inf)) - 1]
        if before[0] > made / 2:
            before = 0.0, 0.0
        # classes go on to be new as often as in the second half of what was made; and one that is
        # met from `rank` states, in any order, is new at the first of them
        rate = (found - before[1]) / (made - before[0])
        ways = 1 - (1 - min(1.0, made / self.total)) ** rank
        expected = min(found + rate * max(0.0, self.total - made), found / ways)
        self.growth = expected / self.states


class Levels:
    """The levels of one computation.

    Attributes
    ----------
    sums : (rank, Q) ndarray of uint64
        What the flats of each rank count, as far as they were met.
    operations : float
        So far.
    promising : bool
        Whether many of the first states are merged.
    stages : list of Stage
        Those under way; each is part of the one before.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.sums = np.zeros((setting.rank, len(setting.moduli)), np.uint64)
        self.operations = 0.0
        self.promising = setting.rank > 4
        self.stages: list[Stage] = []
        self._merged_before = False

    @property
    def is_guess(self) -> bool:
        """Whether little is known of the level under way, and those before were merged a lot."""
        if not self.stages:
            return True
        first, last = self.stages[0], self.stages[-1]
        begun = len(self.stages) < _BEGUN and last.k > _LEFT
        if begun and first.seen and first.seen[-1][1] < _FEW * first.seen[-1][0]:
            return True
        known = min(_KNOWN + _STATES / last.states, _NEARLY_ALL)
        return self._merged_before and last.done < known

    def stage(self, k: int, states: float, rows: float, squares: float) -> Stage:
        """A level of this many states that begins.

        squares : float
            The squares of their rows, added up.
        """
        before = self.stages[-1] if self.stages else None
        if before:
            before.predict_growth(self.setting.rank - before.k + 1)
            made, found = before.seen[-1] if before.seen else (1.0, 1.0)
            self._merged_before = found < _FEW * made
        return Stage(
            k=k,
            states=states,
            rows=rows / states,
            total=rows,
            per_restriction=self.per_restriction(k, squares / rows),
            growth=before.growth if before else rows,
            shrinking=before.shrinking if before else 1.0,
        )

    def remaining(self) -> float:
        """Operations that are left, about: levels go on to grow as the last one did."""
        if not self.stages:
            return 0.0
        *outer, stage = self.stages
        left = stage.left + self._below(stage)
        for stage in reversed(outer):
            if stage.done < 1:  # the level below holds only a part of what this one will give
                whole = (left + stage.below) / stage.done if stage.done else 0.0
                left += stage.left + whole * (1 - stage.done)
        return left

    def _below(self, stage: Stage) -> float:
        """Operations on the levels below the deepest one that was begun, about."""
        states, rows, total = stage.states, stage.rows, 0.0
        rank = self.setting.rank - stage.k + 1
        seen = bool(stage.seen)
        stage.predict_growth(rank)
        growth = stage.growth
        for k in range(stage.k - 1, 3, -1):
            # each state is met from as many others as its rank, at least
            states *= growth if seen else min(growth, rows / rank)
            if seen and len(self.stages) > 1:  # a level of which little was merged may be followed
                growth = min(growth, sqrt(growth * self.stages[-2].growth))  # by one merged again
            rows = max(k - 1.0, rows * stage.shrinking)
            total += states * rows * self.per_restriction(k, rows)
            rank, seen = rank + 1, False
        return total

    def per_restriction(self, k: int, rows: float) -> float:
        """Operations for the restriction of a state of this many rows, and to recognize it."""
        if k == 3:
            return float(self.setting.settling(3, rows)) / rows
        settling = self.setting.settling(k - 1, rows)
        return float(self.setting.restricting(k, rows) + _DIFFERENT * settling)
