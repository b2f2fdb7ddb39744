"""All questions about the last layer of a model at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer, check_option, check_time_limit
from arrangements.core.label_sets import read_label_sets
from arrangements.core.labels import Label
from arrangements.core.low_rank import check_rank, exact_rank, structure_of
from arrangements.core.numerical_rank import numerical_rank
from arrangements.core.rows import Rows, read_rows
from arrangements.core.short_rows import check_size
from arrangements.errors import InputError
from arrangements.exact.numbers import ExactArray, field_of_array
from arrangements.execution.progress import with_progress
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.files.progress_log import ProgressLog, digest
from arrangements.heads.reading import describe_inputs
from arrangements.models.audit_answers import AuditAnswers, opposite_pairs
from arrangements.models.audit_report import Audit
from arrangements.models.lead_search import read_radius
from arrangements.models.meant_rows import MeantRows, meant_rows
from arrangements.models.repairs import Repair, Repairs
from arrangements.models.sampled_inputs import largest_norm, read_inputs, winners_at
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, check_coordinates, read_polyhedron


def audit(
    W: Any,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    inputs: ArrayLike | None = None,
    labels: Iterable[Label] | None = None,
    sets: ArrayLike | Iterable[Iterable[Label]] | None = None,
    pairs: bool = False,
    sigmoid: bool = False,
    repairs: bool = False,
    leads: Literal["exact"] | None = None,
    radius: float | None = None,
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
    inputs : (m, d) array_like, optional
        Inputs that exist, such as those of a test set: also count which labels win there.
    labels : sequence of int or str, optional
        Names of the rows, such as the words of a vocabulary.
    sets : iterable of collections of labels, or (m, n) mask, optional
        Label sets of a sigmoid classifier, which are possible if some input has exactly these on.
        docs/words.md says which 0/1 matrices are masks.
    pairs : bool
        Also find all pairs of labels that can be the two best.
    sigmoid : bool
        W is the head of a sigmoid classifier: also ask which labels can be on, off, and on while
        all others are off, and which pairs exclude each other.
    repairs : bool
        Also find, for each label that cannot win, how far its bias would have to rise, a row near
        its own that could win, and a distance within which none can, proved. This takes linear
        programs, some milliseconds for a label.
    leads : {"exact"}, optional
        Also find by how much each label that can win leads at the best input: intervals, 1 % wide,
        see `arrangements.models.leads`. This takes minutes for 30,000 labels.
    radius : float, optional
        Largest length of an input, for leads. Default 1 if all biases are equal; otherwise the
        largest length of `inputs`.
    source : str
        What the report calls the model.
    within : Polyhedron, or (A, c), optional
        Only inputs in the relative interior of this polyhedron, or of ``A @ x <= c``.
    checkpoint : str or path-like, optional
        A file that keeps what is decided. If it is there, from an audit of the same numbers that
        was interrupted, that is not decided again. It is removed when all is decided.
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
        If an argument is malformed, `checkpoint` is of another audit, or `leads` or `repairs` are
        asked for with `within` or `rank`, or `leads` with biases that differ and neither `radius`
        nor `inputs`.
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
    >>> found = audit([[1, 1], [5, 1], [1, 5], [2, 2]], inputs=[[1, 2], [0, 3], [2, 2]])
    >>> found.wins.tolist()                                             # a tie at [2, 2]
    [0, 0, 2, 0]
    """
    began, stored = time.monotonic(), str(getattr(W, "dtype", ""))
    check_time_limit(time_limit)
    workers = check_integer("workers", workers, 1)
    others = within, rank, sets, inputs, leads
    plain = all(other is None for other in others) and pairs is sigmoid is repairs is False
    short = check_size(W, "an audit") and plain
    model_rows = read_rows(W, offsets, labels, allow_no_rows=False, short=short)
    points = None if inputs is None else read_inputs(inputs, model_rows)
    radius = _read_leads(leads, radius, model_rows, points, rank, within)
    label_sets = None if sets is None else _read_sets(sets, model_rows)
    end = None if time_limit is None else began + time_limit
    rows = meant_rows(model_rows, check_rank(rank), label_sets is not None or sigmoid is True)
    if short and not rows.is_full:
        model_rows = rows.of_labels
    P = None
    if within is not None:
        P = read_polyhedron(within, ScoreRows(model_rows.weights), model_rows.columns)
    if P is not None and rank is not None:
        check_coordinates(rows.structure, "within")
        if label_sets is not None or sigmoid is True:  # about signs, whose rank is another
            check_coordinates(structure_of(model_rows.weights, rank), "within")
    hull = None if P is None or P.is_empty else HullCoordinates(P)
    pairs, progress = check_flag("pairs", pairs), check_flag("progress", progress)
    sigmoid = check_flag("sigmoid", sigmoid)
    if check_flag("repairs", repairs):
        _check_alone("repairs", rank, within)
        if field_of_array(model_rows.weights) is not None:
            raise InputError("repairs need rational numbers; expected no roots in W.")
    work = AuditAnswers(rows, label_sets, pairs, hull, sigmoid, radius, workers, end)
    asked = _digest(rows, label_sets, P, radius, sigmoid)
    log = None if checkpoint is None else ProgressLog(checkpoint, asked)
    if P is not None and P.is_empty:
        work.refuse()
    else:
        work.run(log, progress)
    facts = _facts(model_rows, stored, rows.is_full) | {
        "seconds": round(time.monotonic() - began, 1)
    }
    if P is not None:
        facts["within"] = repr(P)
    elif about := describe_inputs(W, model_rows.weights.shape[1]):
        facts["inputs"] = about
    facts |= {} if rows.structure is None else {"low rank": repr(rows.structure)}
    facts |= {} if radius is None else {"radius": radius}
    if log is not None and not work.is_late():
        log.remove()
    found = Audit(
        source,
        facts,
        model_rows.names,
        work.can_win,
        None if radius is None else work.leads,
        dict(sorted(work.held_down_by.items())),
        tuple(map(tuple, work.duplicates)),
        work.in_pairs if pairs else None,
        work.undecided_pairs(),
        None if label_sets is None else tuple(map(tuple, label_sets)),
        None if label_sets is None else work.possible,
        dict(sorted(work.set_proofs.items())),
        repairs=_repairs(work, progress) if repairs else None,
    )
    if sigmoid:
        found = replace(found, **work.singles, excluding=_excluding(work, P))
    return found if points is None else _at_inputs(found, model_rows, points, P)


def _read_leads(
    leads: str | None,
    radius: float | None,
    rows: Rows,
    points: ExactArray | None,
    rank: int | None,
    within: Within | None,
) -> float | None:
    """The largest length of inputs for leads; None if these are not asked for."""
    if leads is None:
        if radius is not None:
            raise InputError("radius is about leads: pass leads='exact', too.")
        return None
    check_option("leads", leads, ("exact",))
    _check_alone("leads", rank, within)
    b = rows.offsets
    if radius is None and points is not None and b is not None and (b != b[:1]).any():
        radius = largest_norm(points) or None
    return read_radius(radius, rows)


def _check_alone(name: str, rank: int | None, within: Within | None) -> None:
    """Refuse a question together with one that is about other rows or inputs."""
    for other, value in (("rank", rank), ("within", within)):
        if value is not None:
            raise InputError(f"{name} and {other} were given; expected one of them.")


def _repairs(work: AuditAnswers, progress: bool) -> dict[int, Repair]:
    """Repairs of labels that cannot win, as far as the time allows."""
    held = np.flatnonzero(work.can_win == 0)
    if (work.can_win < 0).any() or not len(held):
        return {}
    found = Repairs(work.rows, work.distinct[work.winners])
    repaired = ((i, found.of(i)) for i in held.tolist() if not work.is_late())
    return dict(with_progress(repaired, progress, len(held), lambda _: 1, "repairs"))


def _excluding(work: AuditAnswers, within: Polyhedron | None) -> tuple[tuple[int, int], ...]:
    """Pairs of labels that can be on, but not both."""
    on = np.flatnonzero(work.singles["can_be_on"] == 1)
    if within is None:
        return opposite_pairs(work.meant.of_signs.weights, work.rows.offsets, on)
    return work.exclusive_pairs(on)


def _at_inputs(found: Audit, rows: Rows, points: ExactArray, P: Polyhedron | None) -> Audit:
    """The report with labels that win at inputs, of those in the polyhedron."""
    if P is not None:
        points = points[P.contains(points, interior=True)]
    winners, margins = winners_at(rows, points)
    won = winners >= 0
    wins = np.bincount(winners[won], minlength=len(rows.weights))
    most = np.full(len(rows.weights), np.nan)
    np.fmax.at(most, winners[won], margins[won])
    found.facts.update({"inputs given": len(points), "ties at inputs": int((~won).sum())})
    return replace(found, wins=wins, margins=most)


def _read_sets(sets: Any, rows: Rows) -> list[list[int]]:
    """Rows of label sets, ascending."""
    found = read_label_sets(sets, rows.labels, len(rows.weights), "sets")
    return [sorted(map(int, one)) for one in found]


def _facts(rows: Rows, stored: str, is_full: bool) -> dict[str, Any]:
    W, d = rows.weights, rows.weights.shape[1]
    kind = {"object": "exact fractions"}.get(str(W.dtype), str(W.dtype))
    return {
        "labels": len(W),
        "dimension": d,
        "numbers": stored.removeprefix("torch.") if stored not in ("", "object") else kind,
        "biases": rows.offsets is not None,
        "rank": d if is_full else exact_rank(W, False),
        "numerical rank": d if is_full else numerical_rank(W, rows.printed, False).rank,
    }


def _digest(
    rows: MeantRows,
    sets: Sequence[Sequence[int]] | None,
    within: Polyhedron | None,
    *options: Any,
) -> str:
    """What tells the questions of one audit from those of another."""
    arrays = [rows.of_labels.weights, rows.of_labels.offsets]
    if rows.structure is not None:
        arrays.append(rows.of_signs.weights)
    if within is not None:
        arrays += [*within.inequalities, *within.equations]
    return digest(arrays, sets, *options)
