"""Answers to many questions that a file keeps, so that an interrupted call goes on where it was."""

from __future__ import annotations

import io
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from arrangements.exact.numbers import ExactArray
from arrangements.execution.progress import with_progress
from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.proof_arrays import UNDECIDED, Proofs
from arrangements.files.progress_log import ProgressLog, digest

# Questions that are decided, and kept, at a time.
_BLOCK = 2048

Answer = Callable[[FeasibilityBatch, float | None], Proofs]


def decide_and_keep(
    questions: FeasibilityBatch,
    answer: Answer,
    path: str | os.PathLike[str],
    others: Iterable[ExactArray | None] = (),
    *,
    what: str,
    progress: bool = False,
    time_limit: float | None = None,
) -> Proofs:
    """Answers block by block, each of which a file keeps until all questions are decided.

    Parameters
    ----------
    questions : FeasibilityBatch
    answer : callable
        Decides some of the questions, within as many seconds.
    path : str or path-like
        The file. If it is there, its answers are taken.
    others : iterable of arrays or None
        Other numbers that the answers depend on.
    what : str
        The function that keeps answers of its kind in the file.
    progress : bool
    time_limit : float, optional
        After so many seconds the rest stays undecided, and the file stays.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements.feasibility.deciding import decide
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1.0], [3.0], [2.0]]))
    >>> batch = FeasibilityBatch.of_array(rows, "orders", np.array([[0], [1], [2]]))
    >>> path = os.path.join(tempfile.mkdtemp(), "kept")
    >>> answer = lambda part, seconds: decide(part, time_limit=seconds)
    >>> decide_and_keep(batch, answer, path, what="doctest").feasible, os.path.exists(path)
    (array([ True,  True, False]), False)
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    rows, number = questions.rows, len(questions)
    lists = questions.starts, questions.listed, questions.signs, questions.default
    asked = digest([rows.weights, rows.offsets, *lists, *others], what, questions.kind)
    log = ProgressLog(path, asked, "answers")
    found = [_read(entry) for entry in log.entries]
    done = np.zeros(number, np.bool_)
    for chosen, _ in found:
        done[chosen] = True
    parts = _decide(questions, answer, np.flatnonzero(~done), end)
    for chosen, proofs in with_progress(
        parts, progress, number, lambda part: len(part[0]), "questions", int(done.sum())
    ):
        decided = np.flatnonzero(proofs.status != UNDECIDED)
        if len(decided) < len(chosen):
            chosen, proofs = chosen[decided], proofs.part(decided)
        log.append(_entry(chosen, proofs))
        found.append((chosen, proofs))
        done[chosen] = True
    if done.all():
        log.remove()
    return _joined(found, np.flatnonzero(~done), rows.dimension)


def _decide(
    questions: FeasibilityBatch, answer: Answer, left: Numbers, end: float | None
) -> Iterator[tuple[Numbers, Proofs]]:
    """Blocks of questions with their answers, until the time is up."""
    for start in range(0, len(left), _BLOCK):
        seconds = None if end is None else end - time.monotonic()
        if seconds is not None and seconds <= 0:
            return
        chosen = left[start : start + _BLOCK]
        yield chosen, answer(questions.part(chosen), seconds)


def _joined(found: list[tuple[Numbers, Proofs]], undecided: Numbers, d: int) -> Proofs:
    """The answers to all questions, in their order."""
    if len(undecided) or not found:
        rest = Proofs.without(np.zeros(len(undecided), np.bool_), d)
        rest.status[:] = UNDECIDED
        found = [*found, (undecided, rest)]
    numbers = np.concatenate([chosen for chosen, _ in found])
    proofs = Proofs.joined([part for _, part in found])
    if (numbers[1:] > numbers[:-1]).all():
        return proofs  # as a rule; points need not be copied
    return proofs.part(np.argsort(numbers))


def _entry(chosen: Numbers, proofs: Proofs) -> dict[str, Any]:
    """Some questions and their answers, for JSON."""
    stream = io.BytesIO()
    np.savez(stream, **proofs.members())  # type: ignore[arg-type]
    return {"questions": chosen.tolist(), "proofs": b64encode(stream.getvalue()).decode()}


def _read(entry: dict[str, Any]) -> tuple[Numbers, Proofs]:
    with np.load(io.BytesIO(b64decode(entry["proofs"])), allow_pickle=False) as archive:
        members = {key: archive[key] for key in archive.files}
    return np.array(entry["questions"], np.int64), Proofs.of_members(members)
