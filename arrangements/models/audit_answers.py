"""The answers of an audit, decided block by block and kept in a log."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rows import Rows
from arrangements.core.score_model import tied_groups
from arrangements.exact.numbers import ExactArray, as_objects, quotient
from arrangements.execution.progress import ProgressBar
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.proof_arrays import UNDECIDED, Proofs
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.shares import Shares, float_shares
from arrangements.files.progress_log import ProgressLog
from arrangements.models.audit_report import Proof
from arrangements.models.lead_search import iter_leads
from arrangements.models.meant_rows import MeantRows
from arrangements.polyhedra.hull_coordinates import HullCoordinates

# Width of the interval of a lead, relative to its larger end.
_LEAD_WIDTH = 0.01
# Questions about one label of a sigmoid classifier, and the signs of all others: any, or off.
_SINGLES = {"can_be_on": 0, "can_be_off": 0, "can_be_alone": -1}
# Questions that are decided, and kept, at a time.
_LABELS, _SETS, _PAIRS = 2048, 256, 2**14


class AuditAnswers:
    """Labels, sets and pairs that are decided so far.

    They are asked about block by block. Unlike `can_be_top` and `feasible_many`, this prepares the
    rows once.
    """

    def __init__(
        self,
        meant: MeantRows,
        sets: list[list[int]] | None,
        pairs: bool,
        hull: HullCoordinates | None,
        sigmoid: bool,
        radius: float | None,
        workers: int,
        end: float | None,
    ) -> None:
        rows = meant.of_labels
        n, m = len(rows.weights), len(sets or ())
        self.rows, self.sets, self.workers, self.end = rows, sets or [], workers, end
        self.meant, self.hull, self.radius = meant, hull, radius
        # scores as functions of the coordinates in the polyhedron
        self.values = None if hull is None else hull.restrict(rows.weights, rows.offsets)
        self.can_win, self.leads = np.full(n, -1, np.int8), np.full((n, 2), np.nan)
        self.held_down_by: dict[int, Proof] = {}
        self.sigmoid = sigmoid
        self.singles: dict[str, Any] = {name: np.full(n, -1, np.int8) for name in _SINGLES}
        self.possible = np.full(m, -1, np.int8)
        self.set_proofs: dict[int, Proof] = {}
        self.duplicates = _duplicates(rows, self.values)
        copies = [i for group in self.duplicates for i in group[1:]]
        self.distinct = np.delete(np.arange(n), copies)
        # for pairs: labels without copies, and which of them are done as the first of a pair
        self.kept = self.distinct if pairs else np.zeros(0, np.intp)
        self.paired = np.zeros(len(self.kept), np.bool_)
        self.in_pairs = np.zeros(n, np.int64)
        self._bar: ProgressBar | None = None

    @cached_property
    def signed(self) -> NDArray[np.intp]:
        """Labels that have a sign: all but those whose score is 0 everywhere."""
        if self.values is not None:
            return np.flatnonzero(self.values.any(axis=1))
        W, b = self.meant.of_signs.weights, self.rows.offsets
        return np.flatnonzero(W.any(axis=1) | (False if b is None else b != 0))

    @cached_property
    def label_rows(self) -> ScoreRows:
        """The rows of all labels, which are compared."""
        return self._score_rows(self.rows.weights, slice(None), True)

    @cached_property
    def sign_rows(self) -> ScoreRows:
        """The rows of labels that have a sign."""
        W = self.meant.of_signs.weights
        b = self.rows.offsets if self.values is None else self.values[:, -1]
        if len(self.signed) == len(W) and W is self.rows.weights:
            if b is None or not b.any() or (b != b[0]).any():  # equal ones count for signs only
                return self.label_rows
        return self._score_rows(W, self.signed, False)

    @cached_property
    def distinct_rows(self) -> ScoreRows:
        """The rows of labels without copies."""
        if not self.duplicates:
            return self.label_rows
        return self._score_rows(self.rows.weights, self.distinct, True)

    def _score_rows(self, weights: ExactArray, chosen: Any, compared: bool) -> ScoreRows:
        W, b = weights[chosen], self.rows.offsets
        b = None if b is None else b[chosen]
        make = ScoreRows if self.hull is None else self.hull.score_rows
        return make(W, b, compared=compared)

    def refuse(self) -> None:
        """Answer no to all questions: the polyhedron is empty."""
        self.can_win[:] = self.possible[:] = 0
        for answers in self.singles.values():
            answers[:] = 0
        self.paired[:] = True

    def run(self, log: ProgressLog | None, progress: bool) -> None:
        """Decide all of it, block by block; the log keeps each of them."""
        for entry in log.entries if log is not None else ():
            self._take(entry)
        total = len(self.can_win) + len(self.possible) + comb(len(self.kept), 2)
        left = int((self.can_win < 0).sum() + (self.possible < 0).sum()) + self.undecided_pairs()
        bar = self._bar = ProgressBar(total, "questions", total - left) if progress else None
        try:
            for entry in self._answers():
                number = self._take(entry)
                if log is not None:
                    log.append(entry)
                if bar is not None:
                    bar.add(number)
        finally:
            if bar is not None:
                bar.close()

    def _expect(self, questions: int) -> None:
        """Tell the bar of more questions, whose number the answers before decide."""
        if self._bar is not None:
            self._bar.bar.total += questions

    def _answers(self) -> Iterator[dict[str, Any]]:
        for part in _blocks(np.flatnonzero(self.can_win < 0), _LABELS):
            if not self.is_late():
                yield self._labels(part)
        if len(self.signed) < len(self.can_win) and (entry := self._never_on()) is not None:
            yield entry
        for part in _blocks(np.flatnonzero(self.possible < 0), _SETS):
            if not self.is_late():
                yield self._label_sets(part)
        if len(self.kept) > 1 and (self.can_win >= 0).all() and not self.is_late():
            yield from self._all_pairs()
        yield from self._all_leads()
        if self.sigmoid:
            for name, default in _SINGLES.items():
                self._expect(int((self.singles[name] < 0).sum()))
                for part in _blocks(np.flatnonzero(self.singles[name] < 0), _LABELS):
                    if not self.is_late():
                        yield self._single_labels(name, default, part)

    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.end is not None and time.monotonic() > self.end

    def _decide(self, questions: FeasibilityBatch) -> Proofs:
        left = None if self.end is None else max(0.0, self.end - time.monotonic())
        return decide(questions, workers=self.workers, time_limit=left)

    def _labels(self, part: NDArray[np.intp]) -> dict[str, Any]:
        """Which of some labels can win, as an entry of the log."""
        batch = FeasibilityBatch.of_array(self.label_rows, "orders", part[:, None])
        found = self._decide(batch)
        circuits = {i: rows for i, rows in found.supports.items() if found.has_circuit(i)}
        shares: dict[int, Shares] = {i: {} for i in found.supports}
        shares |= float_shares(batch, circuits)
        held = {str(part[k]): _largest(one.items()) for k, one in shares.items()}
        decided = found.status != UNDECIDED
        return {
            "rows": part[decided].tolist(),
            "can_win": found.status[decided].tolist(),
            "held_down_by": held,
        }

    def _single_labels(self, name: str, default: int, part: NDArray[np.intp]) -> dict[str, Any]:
        """Which of some labels can be on, off, or on alone, as an entry of the log."""
        answers = np.zeros(len(part), np.int8)
        signed = np.isin(part, self.signed)  # all others have the score 0 everywhere
        places = np.searchsorted(self.signed, part[signed])
        lists = np.arange(len(places) + 1), places
        signs = np.full(len(places), -1 if name == "can_be_off" else 1, np.int8)
        rest = np.full(len(places), default, np.int8)
        batch = FeasibilityBatch(self.sign_rows, "signs", *lists, signs, rest)
        answers[signed] = self._decide(batch).status
        if name == "can_be_off":
            answers[~signed] = 1
        return {"rows": part.tolist(), name: answers.tolist()}

    def _all_leads(self) -> Iterator[dict[str, Any]]:
        """Leads of labels that can win, as entries of the log."""
        if self.radius is None:
            return
        left = np.flatnonzero((self.can_win == 1) & ~(self.leads[:, 1] < np.inf))
        self._expect(len(left))
        blocks = iter_leads(self.rows, left, self.radius, _LEAD_WIDTH, self.workers, self.end)
        for part, intervals in blocks:
            yield {"rows": part.tolist(), "leads": intervals.tolist()}

    def _never_on(self) -> dict[str, Any] | None:
        """Sets with a label whose score is 0 everywhere, as an entry of the log."""
        never = set(np.delete(np.arange(len(self.can_win)), self.signed).tolist())
        held = {
            i: next(j for j in self.sets[i] if j in never)
            for i in np.flatnonzero(self.possible < 0).tolist()
            if not never.isdisjoint(self.sets[i])
        }
        proofs = {str(i): [(j, 1.0)] for i, j in held.items()}
        return {"rows": list(held), "possible": [0] * len(held), "proofs": proofs} if held else None

    def _label_sets(self, part: NDArray[np.intp]) -> dict[str, Any]:
        """Which of some label sets are possible, as an entry of the log."""
        sets = [np.searchsorted(self.signed, self.sets[i]).tolist() for i in part]
        batch = FeasibilityBatch.of_sets(self.sign_rows, "signs", sets)
        found = self._decide(batch)
        proofs = {}
        for k, shares in float_shares(batch, found.supports).items():
            on = set(sets[k])
            signed = [(self.signed[j], y if j in on else -y) for j, y in shares.items()]
            proofs[str(part[k])] = _largest(signed)
        decided = found.status != UNDECIDED
        return {
            "rows": part[decided].tolist(),
            "possible": found.status[decided].tolist(),
            "proofs": proofs,
        }

    def _all_pairs(self) -> Iterator[dict[str, Any]]:
        """Which pairs can be the two best, as entries of the log, by their first labels."""
        others = np.arange(len(self.kept))[::-1]
        blocks = (np.cumsum(others) - 1) // _PAIRS
        for block in np.unique(blocks[:-1]):
            first, stop = np.searchsorted(blocks[:-1], [block, block + 1]).tolist()
            if self.paired[first]:
                continue
            found = self._decide(
                FeasibilityBatch.of_array(self.distinct_rows, "sets", self._candidates(first, stop))
            )
            if (found.status == UNDECIDED).any():
                return
            possible = b64encode(np.packbits(found.feasible).tobytes()).decode()
            yield {"pairs": [first, stop], "possible": possible}

    @cached_property
    def winners(self) -> NDArray[np.bool_]:
        """Which of the labels without copies can win against the others."""
        won = self.can_win[self.distinct] == 1
        first = np.searchsorted(self.distinct, [group[0] for group in self.duplicates])
        if len(first):
            questions = FeasibilityBatch.of_array(self.distinct_rows, "orders", first[:, None])
            won[first] = decide(questions, workers=self.workers).feasible
        return won

    def _candidates(self, first: int, stop: int) -> NDArray[np.intp]:
        """Pairs whose first label is one of these, and of which one label can win."""
        n, won = len(self.kept), self.winners
        parts = [np.flatnonzero(won[i] | won[i + 1 :]) + i + 1 for i in range(first, min(stop, n))]
        one = np.repeat(np.arange(first, first + len(parts)), [len(part) for part in parts])
        return np.stack([one, np.concatenate(parts)], axis=1)

    def exclusive_pairs(self, on: NDArray[np.intp]) -> tuple[tuple[int, int], ...]:
        """Pairs of labels that can be on, but not both, inside the polyhedron."""
        found: list[tuple[int, int]] = []
        for k, i in enumerate(on.tolist()):
            others = on[k + 1 :]
            if not len(others) or self.is_late():
                continue
            pairs = np.stack([np.full(len(others), i), others], axis=1)
            places = np.searchsorted(self.signed, pairs)
            batch = FeasibilityBatch.of_sets(self.sign_rows, "signs", places.tolist(), 0)
            status = self._decide(batch).status
            found += [(i, int(j)) for j in others[status == 0]]
        return tuple(found)

    def undecided_pairs(self) -> int:
        """How many pairs were not asked about."""
        others = np.arange(len(self.kept))[::-1]
        return int(others[~self.paired].sum())

    def _take(self, entry: dict[str, Any]) -> int:
        """Note the answers of an entry: how many."""
        if "pairs" in entry:
            first, stop = entry["pairs"]
            return self._take_pairs(first, stop, entry["possible"])
        rows = entry["rows"]
        if "possible" in entry:
            self.possible[rows] = entry["possible"]
            self.set_proofs |= _proofs(entry["proofs"])
        elif (name := next((key for key in _SINGLES if key in entry), None)) is not None:
            self.singles[name][rows] = entry[name]
        elif "leads" in entry:
            self.leads[rows] = entry["leads"]
        else:
            self.can_win[rows] = entry["can_win"]
            self.held_down_by |= _proofs(entry["held_down_by"])
        return len(rows)

    def _take_pairs(self, first: int, stop: int, possible: str) -> int:
        if not len(self.kept):
            return 0  # nobody asks about pairs this time
        before, candidates = self.undecided_pairs(), self._candidates(first, stop)
        bits = np.frombuffer(b64decode(possible), np.uint8)
        found = candidates[np.unpackbits(bits, count=len(candidates)).astype(bool)]
        self.in_pairs[self.kept] += np.bincount(found.ravel(), minlength=len(self.kept))
        self.paired[first:stop] = True
        return before - self.undecided_pairs()


def _proofs(entry: dict[str, Any]) -> dict[int, Proof]:
    return {int(i): tuple((j, share) for j, share in proof) for i, proof in entry.items()}


def _largest(weights: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Rows and weights, the largest first."""
    return sorted(((int(j), y) for j, y in weights), key=lambda pair: (-abs(pair[1]), pair[0]))


def _blocks(rows: NDArray[np.intp], size: int) -> Iterator[NDArray[np.intp]]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _duplicates(rows: Rows, values: ExactArray | None) -> list[list[int]]:
    """Groups of rows with equal weights and offsets, or equal values in a polyhedron."""
    return tied_groups(rows.weights, rows.offsets) if values is None else tied_groups(values, None)


def opposite_pairs(
    W: ExactArray, b: ExactArray | None, on: NDArray[np.intp]
) -> tuple[tuple[int, int], ...]:
    """Pairs of rows whose scores are nowhere both positive, though each is somewhere.

    Their weights are opposite, ``w_j = -c w_i`` with c > 0, and ``b_j + c b_i <= 0``.

    Examples
    --------
    >>> W = np.array([[1, 0], [-2, 0], [-1, 0], [0, 1]])
    >>> opposite_pairs(W, np.array([1, -2, 1, 0]), np.arange(4))
    ((0, 1),)
    """
    rows: dict[tuple[Any, ...], list[tuple[int, Any]]] = {}
    found = []
    matrix, biases = as_objects(W[on]), [0] * len(on) if b is None else as_objects(b[on])
    for i, row, bias in zip(on.tolist(), matrix, biases, strict=True):
        size = next((abs(x) for x in row if x), None)
        if size is None:
            continue
        key, opposite = (tuple(quotient(sign * x, size) for x in row) for sign in (1, -1))
        height = quotient(bias, size)
        found += [(j, i) for j, other in rows.get(opposite, ()) if other + height <= 0]
        rows.setdefault(key, []).append((i, height))
    return tuple(sorted(found))
