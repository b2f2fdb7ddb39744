"""Search for points of many questions side by side, with few conditions of each.

A round takes the point nearest to the origin in the hull of a question's active conditions: it
meets all of these with the largest margin, or it is 0 and a circuit among them refutes the
question. One product of matrices then evaluates all conditions at the points of all questions,
and those that are violated most become active.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.execution.tasks import in_order
from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.circuits import are_circuits
from arrangements.feasibility.judging import ListedRows, block_rows
from arrangements.kernels.cone.nearest_points import (
    INFINITY,
    NOTHING,
    POSITIVE,
    THRESHOLD,
    ZERO,
    Answers,
    Asked,
    nearest_points,
)

Floats = NDArray[np.float64]

# Rows are looked through in at least this many groups, more in many coordinates; the most violated
# of each becomes active.
_GROUPS = 12
# Entries of the matrices that are inverted at a time.
_ENTRIES = 2**22
# Weights that are smaller by this factor than the largest are probably zero.
_LIGHT = 1e-7
# Questions of one call of the kernel, and about the most operations.
_PORTION, _OPERATIONS = 256, 4 * 10**9


class Round(NamedTuple):
    """What a round found out, by place among the questions of the search.

    positive : places whose points meet all conditions that were looked at
    points : (len(positive), d) float64
    circuits : places of refuted questions
    supports : rows of their circuits
    unclear : places that need an exact answer
    """

    positive: Numbers
    points: Floats
    circuits: Numbers
    supports: list[NDArray[np.int32]]
    unclear: Numbers


class Search:
    """Rounds for some questions.

    Parameters
    ----------
    questions : FeasibilityBatch
    worst : (m,) ndarray of int
        A row of each question to begin with, or -1.
    pool : (n,) ndarray of bool
        Rows that were most in the way of some point; more are added.
    workers : int
        Threads.
    late : function
        Tells if the time is up. Then a round ends early, and may call questions unclear.
    """

    def __init__(
        self,
        questions: FeasibilityBatch,
        worst: Numbers,
        pool: NDArray[np.bool_],
        workers: int,
        late: Callable[[], bool] = lambda: False,
    ) -> None:
        self.questions, self.workers, self.late = questions, workers, late
        rows = questions.rows
        self.whitened = rows.whiten(questions.kind != "signs")
        self.basis, self.short = self.whitened.basis, self.whitened.short
        self.width = questions.width - self.basis.shape[0] + self.basis.shape[1]
        m = len(questions)
        self.own_groups = _GROUPS + self.width // 4
        self.groups = self.own_groups + min(self.own_groups, rows.facets)
        self.room = 4 * self.width + 4 * self.groups + int(questions.sizes.max(initial=0)) + 8
        self.active = np.full((m, self.room), INFINITY, np.int32)
        self.highs = np.full((m, self.room), NOTHING, np.int32)
        self.signs = np.zeros((m, self.room), np.int8)
        self.counts = np.zeros(m, np.int64)
        self.corrals = np.zeros((m, self.width + 1), np.int32)
        self.sizes = np.zeros(m, np.int64)
        self.weights = np.zeros((m, self.width + 1))
        self.points = np.zeros((m, self.width))
        self.status = np.zeros(m, np.int64)
        self.alive = np.arange(m)
        self.pool = pool
        self._begin()
        self.fixed_counts = self.counts.copy()  # conditions that always stay active
        some = np.flatnonzero((worst >= 0) & (questions.default != 0))
        self.include(some, worst[some])

    def _begin(self) -> None:
        """The row at infinity and the listed rows."""
        questions, m = self.questions, len(self.questions)
        if questions.rows.affine:
            self.counts[:] = 1
        owner = np.repeat(np.arange(m), questions.sizes)
        first = np.zeros(len(owner), np.bool_)
        first[questions.starts[:-1][questions.sizes > 0]] = True
        if questions.kind == "orders":
            self._add(owner[~first], questions.listed[~first], questions.signs[~first])
            high = questions.listed[np.flatnonzero(~first) - 1]
            places = self._last_places(owner[~first])
            self.highs[owner[~first], places] = high
        else:
            real = questions.signs != 0
            self._add(owner[real], questions.listed[real], questions.signs[real])

    def _last_places(self, owner: Numbers) -> Numbers:
        """Places of what was added last, for `owner` ascending."""
        number = np.bincount(owner, minlength=len(self.counts))
        starts = np.concatenate([[0], np.cumsum(number)])[:-1]
        along = np.arange(len(owner)) - starts[owner]
        return (self.counts - number)[owner] + along

    def _add(self, owner: Numbers, rows: Numbers, signs: NDArray[np.int8]) -> None:
        """Make rows active, `owner` ascending."""
        number = np.bincount(owner, minlength=len(self.counts))
        self.counts += number
        places = self._last_places(owner)
        self.active[owner, places] = rows
        self.signs[owner, places] = signs
        self.highs[owner, places] = THRESHOLD if self.questions.kind == "sets" else NOTHING

    def _add_default(self, owner: Numbers, rows: Numbers) -> None:
        """Make rows active that are not listed."""
        questions, facet = self.questions, rows >= self.questions.rows.n_own
        self._add(owner, rows, np.where(facet, 1, questions.default[owner]).astype(np.int8))
        places = self._last_places(owner)
        if questions.kind == "orders":
            last = questions.listed[questions.starts[1:] - 1]
            self.highs[owner, places] = last[owner]
        self.highs[owner[facet], places[facet]] = NOTHING

    def round(self) -> Round:
        """Nearest points of all questions that are left; those that are settled are dropped."""
        self._solve()
        status = self.status[self.alive]
        zero = self.alive[status == ZERO]
        proved, supports = self._circuits(zero)
        unclear = np.concatenate(
            [self.alive[(status != ZERO) & (status != POSITIVE)], zero[~proved]]
        )
        positive = self.alive[status == POSITIVE]
        self.alive = positive
        d, affine = self.questions.rows.dimension, self.questions.rows.affine
        with np.errstate(all="ignore"):
            points = self.points[positive, : self.basis.shape[1]] @ self.basis.T
            if affine:
                points = points / points[:, d, None]
        return Round(positive, points[:, :d], zero[proved], supports, np.sort(unclear))

    def _solve(self) -> None:
        """Run the kernel, in portions, on all threads."""

        def solve(part: Numbers) -> None:
            if self.late():
                return
            used = int(self.counts[part].max(initial=1))
            fields: list[Any] = [
                array[part] for array in (self.corrals, self.sizes, self.weights, self.points)
            ]
            status = np.zeros(len(part), np.int64)
            table, (active, highs) = self.whitened.table_of(
                np.ascontiguousarray(self.active[part, :used]),
                np.ascontiguousarray(self.highs[part, :used]),
            )
            call: Callable[[], None] = partial(
                nearest_points,
                table,
                self.basis[-1].copy(),
                self.questions.kind == "sets",
                Asked(
                    active,
                    highs,
                    np.ascontiguousarray(self.signs[part, :used]),
                    self.counts[part],
                ),
                Answers(fields[0], fields[1], fields[2], fields[3], status),
            )
            answering_ctrl_c(call, len(part) * self.width**2 * (self.width + used))
            self.corrals[part], self.sizes[part], self.weights[part], self.points[part] = fields
            self.status[part] = status

        none = self.counts[self.alive] == 0  # without active conditions any point will do
        self.status[self.alive[none]] = POSITIVE
        self.points[self.alive[none]] = 0.0
        busy = self.alive[~none]
        work = self.width**2 * int(self.width + self.counts[busy].max(initial=1))
        size = max(1, min(_PORTION, _OPERATIONS // work, -(-len(busy) // self.workers)))
        parts = [busy[start : start + size] for start in range(0, len(busy), size)]
        for _ in in_order(solve, parts, self.workers):
            pass

    def _circuits(self, zero: Numbers) -> tuple[NDArray[np.bool_], list[NDArray[np.int32]]]:
        """Which corrals are proved to be circuits, and the rows of these."""
        proved = np.zeros(len(zero), np.bool_)
        square = self.basis.shape[0] == self.basis.shape[1]
        full = np.flatnonzero(square & (self.sizes[zero] == self.width + 1))
        step = max(1, _ENTRIES // self.width**2)
        for start in range(0, len(full), step):
            part = full[start : start + step]
            proved[part] = are_circuits(*self._conditions(zero[part]))
        chosen = zero[proved]
        rows = np.take_along_axis(self.active[chosen], self.corrals[chosen].astype(np.int64), 1)
        return proved, list(np.sort(rows, axis=1))

    def _conditions(self, chosen: Numbers) -> tuple[Floats, Floats]:
        """Conditions of full corrals as floats, and the sizes of what they were rounded from."""
        corrals = self.corrals[chosen].astype(np.int64)
        return self.questions.float_conditions(
            np.take_along_axis(self.active[chosen], corrals, 1),
            np.take_along_axis(self.highs[chosen], corrals, 1),
            np.take_along_axis(self.signs[chosen], corrals, 1),
        )

    def widen(self, chosen: Numbers, candidates: Numbers | None) -> Numbers:
        """Make violated conditions active; places of questions that have none that is new.

        Parameters
        ----------
        chosen : places, ascending
        candidates : rows to look at, ascending; None for all
        """
        found = np.full((len(chosen), self.groups), -1, np.int64)
        self._make_room(chosen)
        for part, violated in self._violated(chosen, candidates):
            found[part] = violated
        used = np.arange(self.counts[chosen].max(initial=0))
        known = (self.active[chosen, : len(used), None] == found[:, None, :]) & (
            used[:, None] < self.counts[chosen][:, None, None]
        )
        found[known.any(axis=1)] = -1
        k, group = np.nonzero(found >= 0)
        self._add_default(chosen[k], found[k, group])
        self.pool[found[k, group]] = True
        return chosen[(found < 0).all(axis=1)]

    def include(self, chosen: Numbers, rows: Numbers) -> Numbers:
        """Make one more row active for each place; those for which it is not new.

        Rows that are listed, or have no condition, are not new: points beyond the range of floats
        may propose them.
        """
        self._make_room(chosen)
        real = np.arange(self.room) < self.counts[chosen][:, None]
        known = ((self.active[chosen] == rows[:, None]) & real).any(axis=1)
        listed = ListedRows(self.questions, chosen)
        known |= ((listed.rows == rows[:, None]) & listed.real).any(axis=1)
        known |= (listed.default == 0) & (rows < self.questions.rows.n_own)
        self._add_default(chosen[~known], rows[~known])
        return chosen[known]

    def drop(self, settled: Numbers) -> None:
        """Leave out questions that were settled."""
        left = np.ones(len(self.counts), np.bool_)
        left[settled] = False
        self.alive = self.alive[left[self.alive]]

    def corral(self, q: int) -> list[int]:
        """The rows that came last to be combined in a question."""
        return self.active[q, self.corrals[q, : self.sizes[q]]].tolist()

    def heavy(self, q: int) -> list[int]:
        """Those of them that have a weight beyond rounding."""
        weights = self.weights[q, : self.sizes[q]]
        rows = self.active[q, self.corrals[q, : self.sizes[q]]]
        return rows[weights > _LIGHT * weights.max(initial=0.0)].tolist()

    def _make_room(self, chosen: Numbers) -> None:
        """Forget conditions outside the corral where the room may not suffice."""
        full = chosen[self.counts[chosen] + self.groups > self.room]
        for q in full.tolist():
            size, fixed = int(self.sizes[q]), int(self.fixed_counts[q])
            corral = self.corrals[q, :size]
            kept = np.concatenate([np.arange(fixed), np.sort(corral[corral >= fixed])])
            for array in (self.active, self.highs, self.signs):
                array[q, : len(kept)] = array[q, kept]
            self.corrals[q, :size], self.counts[q] = np.searchsorted(kept, corral), len(kept)

    def _violated(self, chosen: Numbers, candidates: Numbers | None) -> Any:
        """Blocks: which, and the most violated row of each group, or -1."""
        table = self.short if candidates is None else self.short[candidates]
        n, own = len(table), self.questions.rows.n_own
        first = own if candidates is None else int(np.searchsorted(candidates, own))
        step = block_rows(n, table.itemsize)
        bounds = [
            *np.linspace(0, first, min(self.own_groups, first) + 1).astype(int).tolist(),
            *np.linspace(first, n, min(self.own_groups, n - first) + 1).astype(int)[1:].tolist(),
        ]
        columns = table.T
        space = np.empty((min(step, len(chosen)), n), table.dtype)
        for start in range(0, len(chosen), step):
            part = slice(start, min(start + step, len(chosen)))
            places = chosen[part]
            with np.errstate(all="ignore"):
                points = self.points[places, : self.basis.shape[1]].astype(table.dtype)
                scores = np.matmul(points, columns, out=space[: len(places)])
            default = self.questions.default[places]
            levels = default * self._levels(places)
            self._hide_listed(places, scores, candidates)
            labels, facets = scores[:, :first], scores[:, first:]
            labels *= np.where(default == 0, 1, default)[:, None].astype(table.dtype)
            labels[default == 0] = np.inf
            facets += levels[:, None]  # they are compared with 0
            found = np.full((len(places), self.groups), -1, np.int64)
            along = np.arange(len(places))
            for g, (a, b) in enumerate(zip(bounds, bounds[1:], strict=False)):
                least = a + scores[:, a:b].argmin(axis=1)
                bad = scores[along, least] - levels <= 0
                names = least if candidates is None else candidates[least]
                found[:, g] = np.where(bad, names, -1)
            yield part, found

    def _levels(self, places: Numbers) -> Floats:
        """What scores of rows that are not listed are compared with."""
        questions = self.questions
        if questions.kind == "signs":
            return np.zeros(len(places))
        if questions.kind == "sets":
            return self.points[places, -1]
        last = questions.listed[questions.starts[places + 1] - 1]
        own = np.einsum("ij,ij->i", self.points[places], self.whitened.rows(last))
        return np.asarray(own)

    def _hide_listed(
        self, places: Numbers, scores: NDArray[Any], candidates: Numbers | None
    ) -> None:
        """Make the scores of listed rows such that they are not chosen."""
        listed = ListedRows(self.questions, places)
        k, column = np.nonzero(listed.real)
        rows = listed.rows[k, column]
        if candidates is not None:
            at = np.searchsorted(candidates, rows)
            at = np.minimum(at, len(candidates) - 1)
            same = candidates[at] == rows
            k, rows = k[same], at[same]
        scores[k, rows] = np.where(self.questions.default[places[k]] < 0, -np.inf, np.inf)
