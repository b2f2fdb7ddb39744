"""All questions about the last layer of a model at once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer, check_time_limit
from arrangements.core.label_sets import read_label_sets
from arrangements.core.labels import Label
from arrangements.core.low_rank import check_rank
from arrangements.core.numerical_rank import numerical_rank
from arrangements.core.rows import Rows, read_rows
from arrangements.models.audit_answers import AuditAnswers
from arrangements.models.audit_report import Audit
from arrangements.models.meant_rows import MeantRows, meant_rows, rank_of_rows
from arrangements.models.progress_log import ProgressLog


def audit(
    W: Any,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    labels: Iterable[Label] | None = None,
    sets: ArrayLike | Iterable[Iterable[Label]] | None = None,
    pairs: bool = False,
    source: str = "the model",
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
        Weights of the labels, a row for each. Models bring their offsets and labels.
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
    work = AuditAnswers(rows, label_sets, check_flag("pairs", pairs), workers, end)
    log = None if checkpoint is None else ProgressLog(checkpoint, _digest(rows, label_sets))
    work.run(log, check_flag("progress", progress))
    facts = _facts(model_rows, stored) | {"seconds": round(time.monotonic() - began, 1)}
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


def _digest(rows: MeantRows, sets: Sequence[Sequence[int]] | None) -> str:
    """What tells the questions of one audit from those of another."""
    found = hashlib.sha256()
    arrays = [rows.of_labels.weights, rows.of_labels.offsets]
    if rows.structure is not None:
        arrays.append(rows.of_signs.weights)
    for array in arrays:
        if array is None or array.dtype == object:
            found.update(repr(None if array is None else array.tolist()).encode())
        else:
            found.update(f"{array.dtype} {array.shape}".encode())
            found.update(np.ascontiguousarray(array).data)
    found.update(json.dumps(sets).encode())
    return found.hexdigest()
