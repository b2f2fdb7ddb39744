"""All questions about the last layer of a model at once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_time_limit
from arrangements.core.label_sets import read_label_sets
from arrangements.core.labels import Label
from arrangements.core.low_rank import check_rank, structure_of
from arrangements.core.numerical_rank import numerical_rank
from arrangements.core.rows import Rows, read_rows
from arrangements.core.score_model import tied_groups
from arrangements.exact.numbers import ExactArray, append_column, nearest_floats
from arrangements.execution.progress import ProgressBar
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.proof_arrays import UNDECIDED, Proofs
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.shares import float_shares
from arrangements.heads.reading import describe_inputs
from arrangements.models.audit_report import SHOWN, Audit, Proof
from arrangements.models.meant_rows import MeantRows, meant_rows, rank_of_rows
from arrangements.models.progress_log import ProgressLog
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, check_coordinates, read_polyhedron

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
        workers: int,
        end: float | None,
    ) -> None:
        rows = meant.of_labels
        n, m = len(rows.weights), len(sets or ())
        self.rows, self.sets, self.workers, self.end = rows, sets or [], workers, end
        self.meant, self.hull = meant, hull
        # scores as functions of the coordinates in the polyhedron
        self.values = None if hull is None else hull.restrict(rows.weights, rows.offsets)
        self.can_win, self.leads = np.full(n, -1, np.int8), np.full(n, np.nan)
        self.held_down_by: dict[int, Proof] = {}
        self.possible = np.full(m, -1, np.int8)
        self.set_proofs: dict[int, Proof] = {}
        self.duplicates = _duplicates(rows, self.values)
        copies = [i for group in self.duplicates for i in group[1:]]
        # for pairs: labels without copies, and which of them are done as the first of a pair
        self.kept = np.delete(np.arange(n), copies) if pairs else np.zeros(0, np.intp)
        self.paired = np.zeros(len(self.kept), np.bool_)
        self.in_pairs = np.zeros(n, np.int64)

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
        return self._score_rows(self.rows.weights, self.kept, True)

    def _score_rows(self, weights: ExactArray, chosen: Any, compared: bool) -> ScoreRows:
        W, b = weights[chosen], self.rows.offsets
        b = None if b is None else b[chosen]
        make = ScoreRows if self.hull is None else self.hull.score_rows
        return make(W, b, compared=compared)

    def refuse(self) -> None:
        """Answer no to all questions: the polyhedron is empty."""
        self.can_win[:] = self.possible[:] = 0
        self.paired[:] = True

    def run(self, log: ProgressLog | None, progress: bool) -> None:
        """Decide all of it, block by block; the log keeps each of them."""
        for entry in log.entries if log is not None else ():
            self._take(entry)
        total = len(self.can_win) + len(self.possible) + comb(len(self.kept), 2)
        left = int((self.can_win < 0).sum() + (self.possible < 0).sum()) + self.undecided_pairs()
        bar = ProgressBar(total, "questions", total - left) if progress else None
        try:
            for entry in self._answers():
                number = self._take(entry)
                if log is not None:
                    log.append(entry)
                if bar is not None:
                    bar.add(number)
        finally:
            if bar is not None:
                bar.bar.close()

    def _answers(self) -> Iterator[dict[str, Any]]:
        for part in _blocks(np.flatnonzero(self.can_win < 0), _LABELS):
            if not self._late():
                yield self._labels(part)
        if len(self.signed) < len(self.can_win) and (entry := self._never_on()) is not None:
            yield entry
        for part in _blocks(np.flatnonzero(self.possible < 0), _SETS):
            if not self._late():
                yield self._label_sets(part)
        if len(self.kept) > 1 and (self.can_win >= 0).all() and not self._late():
            yield from self._all_pairs()

    def _late(self) -> bool:
        return self.end is not None and time.monotonic() > self.end

    def _decide(self, questions: FeasibilityBatch) -> Proofs:
        left = None if self.end is None else max(0.0, self.end - time.monotonic())
        return decide(questions, workers=self.workers, time_limit=left)

    def _labels(self, part: NDArray[np.intp]) -> dict[str, Any]:
        """Which of some labels can win, as an entry of the log."""
        batch = FeasibilityBatch.of_array(self.label_rows, "orders", part[:, None])
        found = self._decide(batch)
        shares = float_shares(batch, found.supports)
        held = {str(part[k]): _largest(one.items()) for k, one in shares.items()}
        points = found.float_points()
        if self.hull is not None:
            points = self.hull.float_points(points)
        decided = found.status != UNDECIDED
        leads = _leads(self.meant, part, points)[decided]
        return {
            "rows": part[decided].tolist(),
            "can_win": found.status[decided].tolist(),
            "leads": [lead if np.isfinite(lead) else None for lead in leads.tolist()],
            "held_down_by": held,
        }

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
            proofs[str(part[k])] = _largest(signed)[:SHOWN]
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
        won = self.can_win[self.kept] == 1
        first = np.searchsorted(self.kept, [group[0] for group in self.duplicates])
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
        else:
            self.can_win[rows] = entry["can_win"]
            self.leads[rows] = [np.nan if lead is None else lead for lead in entry["leads"]]
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


def _leads(
    meant: MeantRows, part: NDArray[np.intp], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Leads of some labels at their points; NaN where there is none, and for the point 0."""
    rows = meant.of_labels
    with np.errstate(all="ignore"):
        inputs = points if meant.inputs is None else points @ meant.inputs.T
        size = np.abs(inputs).max(axis=1, initial=0)
        length = size * np.sqrt(np.square(inputs / size[:, None]).sum(axis=1))
        W = nearest_floats(rows.weights)
        b = 0 if rows.offsets is None else nearest_floats(rows.offsets)
        scores = points @ W.T + b
        own = np.take_along_axis(scores, part[:, None], axis=1)[:, 0]
        np.put_along_axis(scores, part[:, None], -np.inf, axis=1)
        return np.asarray((own - scores.max(axis=1, initial=-np.inf)) / length)


def _duplicates(rows: Rows, values: ExactArray | None) -> list[list[int]]:
    """Groups of rows with equal weights and offsets, or equal values in a polyhedron."""
    matrix = append_column(rows.weights, rows.offsets) if values is None else values
    if matrix.dtype == object:
        return tied_groups(matrix, None)
    octets = np.ascontiguousarray(matrix + 0)  # -0.0 becomes 0.0
    kind = np.dtype((np.void, octets.dtype.itemsize * octets.shape[1]))
    _, groups, counts = np.unique(octets.view(kind)[:, 0], return_inverse=True, return_counts=True)
    order = np.argsort(groups, kind="stable")
    parts = np.split(order, np.cumsum(counts)[:-1])
    return sorted(part.tolist() for part in parts if len(part) > 1)


def audit(
    W: Any,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    labels: Iterable[Label] | None = None,
    sets: ArrayLike | Iterable[Iterable[Label]] | None = None,
    pairs: bool = False,
    source: str = "the model",
    within: Within | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    progress: bool = False,
    time_limit: float | None = None,
) -> Audit:
    """Ask which labels can win, what holds the others down, and which label sets are possible.

    A label wins at an input if its score is strictly larger than all others.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, ScoreModel or classifier
        Weights of the labels, a row for each. Models bring their offsets and labels, also those of
        scikit-learn, PyTorch and Keras: docs/classifiers.md says which, and what their inputs are.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        None takes the numbers as given, and warns if they look like a rounded product of
        lower rank. An integer r asks about the matrix of rank r that W was meant to be, see
        `low_rank_structure`: about differences of its rows, which may have rank r - 1, and for
        `sets` about the rows.
    labels : sequence of int or str, optional
        Names of the rows, such as the words of a vocabulary.
    sets : iterable of collections of labels, or (m, n) mask, optional
        Label sets of a sigmoid classifier, which are possible if some input has exactly these on.
        docs/words.md says which 0/1 matrices are masks.
    pairs : bool
        Also find all pairs of labels that can be the two best.
    source : str
        What the report calls the model.
    within : Polyhedron, or (A, c), optional
        Only inputs in the relative interior of this polyhedron, or of ``A @ x <= c``.
    checkpoint : str or path-like, optional
        A file that keeps what is decided. If it is there, from an audit of the same numbers that
        was interrupted, that is not decided again. It is removed in the end.
    workers : int
        Threads.
    progress : bool
        Show a bar with the time left on stderr.
    time_limit : float, optional
        Seconds after which labels, sets and pairs that are not decided stay so.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        If an argument is malformed, or `checkpoint` is of another audit.
    TooLargeError
        If the numbers do not fit into memory.

    Warns
    -----
    LowRankWarning
        If `rank` is None and W looks like a rounded product of lower rank.

    See Also
    --------
    can_be_top, feasible_many : the same questions, with their proofs.

    Examples
    --------
    >>> found = audit([[1, 1], [5, 1], [1, 5], [2, 2]], sets=[[0, 1, 2, 3], [0]])
    >>> found.can_win.tolist(), found.possible.tolist()
    ([1, 1, 1, 0], [1, 0])
    >>> found.held_down_by
    {3: ((0, 0.5), (1, 0.25), (2, 0.25))}
    """
    began, stored = time.monotonic(), str(getattr(W, "dtype", ""))
    check_time_limit(time_limit)
    workers = check_integer("workers", workers, 1)
    model_rows = read_rows(W, offsets, labels, allow_no_rows=False)
    label_sets = None if sets is None else _read_sets(sets, model_rows)
    end = None if time_limit is None else began + time_limit
    rows = meant_rows(model_rows, check_rank(rank), label_sets is not None)
    space = ScoreRows(model_rows.weights)
    P = None if within is None else read_polyhedron(within, space, model_rows.columns)
    if P is not None and rank is not None:
        check_coordinates(rows.structure, "within")
        if label_sets is not None:  # their questions are about signs, whose rank is another
            check_coordinates(structure_of(model_rows.weights, rank), "within")
    hull = None if P is None or P.is_empty else HullCoordinates(P)
    work = AuditAnswers(rows, label_sets, check_flag("pairs", pairs), hull, workers, end)
    log = None if checkpoint is None else ProgressLog(checkpoint, _digest(rows, label_sets, P))
    progress = check_flag("progress", progress)
    if P is not None and P.is_empty:
        work.refuse()
    else:
        work.run(log, progress)
    facts = _facts(model_rows, stored) | {"seconds": round(time.monotonic() - began, 1)}
    if P is not None:
        facts["within"] = repr(P)
    elif inputs := describe_inputs(W, model_rows.weights.shape[1]):
        facts["inputs"] = inputs
    if rows.structure is not None:
        facts["low rank"] = repr(rows.structure)
    if log is not None:
        log.remove()
    return Audit(
        source,
        facts,
        model_rows.names,
        work.can_win,
        work.leads,
        dict(sorted(work.held_down_by.items())),
        tuple(map(tuple, work.duplicates)),
        work.in_pairs if pairs else None,
        work.undecided_pairs(),
        None if label_sets is None else tuple(map(tuple, label_sets)),
        None if label_sets is None else work.possible,
        dict(sorted(work.set_proofs.items())),
    )


def _read_sets(sets: Any, rows: Rows) -> list[list[int]]:
    """Rows of label sets, ascending."""
    found = read_label_sets(sets, rows.labels, len(rows.weights), "sets")
    return [sorted(map(int, one)) for one in found]


def _facts(rows: Rows, stored: str) -> dict[str, Any]:
    W = rows.weights
    kind = {"object": "exact fractions"}.get(str(W.dtype), str(W.dtype))
    return {
        "labels": len(W),
        "dimension": W.shape[1],
        "numbers": stored.removeprefix("torch.") if stored not in ("", "object") else kind,
        "biases": rows.offsets is not None,
        "rank": rank_of_rows(W, False),
        "numerical rank": numerical_rank(W, rows.printed, False).rank,
    }


def _digest(
    rows: MeantRows, sets: Sequence[Sequence[int]] | None, within: Polyhedron | None
) -> str:
    """What tells the questions of one audit from those of another."""
    found = hashlib.sha256()
    arrays = [rows.of_labels.weights, rows.of_labels.offsets]
    if rows.structure is not None:
        arrays.append(rows.of_signs.weights)
    if within is not None:
        arrays += [*within.inequalities, *within.equations]
    for array in arrays:
        if array is None or array.dtype == object:
            found.update(repr(None if array is None else array.tolist()).encode())
        else:
            found.update(f"{array.dtype} {array.shape}".encode())
            found.update(np.ascontiguousarray(array).data)
    found.update(json.dumps(sets).encode())
    return found.hexdigest()
