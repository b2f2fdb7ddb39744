"""Many sign vectors that may occur, many labels and sets of labels that may be the best."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.certificates.certificate_table import Certificates
from arrangements.certificates.one_sign_vector import certify_one, read_question
from arrangements.checks import as_list, check_flag, check_integer, check_option, check_time_limit
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.label_sets import read_label_sets
from arrangements.core.labels import Label, align, align_columns
from arrangements.core.low_rank import (
    check_rank,
    exact_rank,
    structure_of,
    warn_if_low_rank,
)
from arrangements.core.rows import read_rows
from arrangements.core.short_rows import check_size, keep_short
from arrangements.core.signs import ON, as_signs, open_signs, refuse_zero_one, sign_values
from arrangements.errors import InputError, InputTypeError
from arrangements.exact import coercion
from arrangements.execution.clusters import check_client, share, threads_of
from arrangements.execution.devices import DeviceLike, read_device
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import on_cluster
from arrangements.feasibility.batch import FeasibilityBatch, Kind
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.kept_answers import decide_and_keep
from arrangements.feasibility.proof_arrays import NO, UNDECIDED, YES, Proofs
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.messages import quote
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import (
    Equations,
    Within,
    check_coordinates,
    read_polyhedron,
)


def feasible_many(
    W: ArrangementLike,
    signs: ArrayLike | Iterable[str] | None = None,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    on: ArrayLike | Iterable[Iterable[Label]] | None = None,
    others: Literal["off", "free"] = "off",
    equations: Equations | None = None,
    within: Within | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    time_limit: float | None = None,
) -> Certificates:
    """Decide which of many sign vectors of ``W @ x + offsets`` occur, each with an exact proof.

    Parameters
    ----------
    W, offsets, rank, equations, within
        As in `feasible`.
    signs : (m, n) array_like of -1, 0, 1 and None, or iterable of m str of "-", "0", "+" and "*"
        0 means on the hyperplane. None means any sign, and so do "*" in a string and a masked entry
        of a NumPy array.
    on : iterable of m collections of labels, or (m, n) mask, optional
        Instead of `signs`: the rows, or labels, that are on (+). docs/words.md says which 0/1
        matrices are masks.
    others : {"off", "free"}
        With `on`: all other rows are off (-), or either.
    checkpoint : str or path-like, optional
        A file that keeps what is decided, with the proofs: after an interruption, or a
        `time_limit`, the same call goes on where it was. It is removed when all is decided.
        Without `client` only.
    workers : int
        Threads.
    progress : bool
        Show a bar on stderr.
    time_limit : float, optional
        Seconds after which questions that are not decided stay so: see `Certificates.decided`. The
        limit of each task, with a `client`. A step that has begun is ended first.
    client : distributed.Client, optional
        Decide on this Dask cluster instead.

    Returns
    -------
    Certificates
        ``feasible`` is an array of m answers; each has a proof.

    Raises
    ------
    InputError
        As `feasible`, with the number of the question.

    See Also
    --------
    feasible : one question.
    can_be_top : labels that score highest, instead of signs.

    Notes
    -----
    Exact. Points for all questions come from a few matrix products, and one more product with an
    error bound proves most answers; a search among few rows settles the others (docs/batches.md).
    Facets of `within` are further rows. Where there are equations, or zeros among the signs, the
    questions are answered one by one, by one thread, without `client`.

    Examples
    --------
    >>> triangle = [[1, 0], [0, 1], [-1, -1]]
    >>> feasible_many(triangle, ["+++", "++-", "-*-"]).feasible.tolist()
    [False, True, True]
    >>> feasible_many(triangle, on=[[0, 1], []], offsets=[0, 0, 3]).feasible.tolist()
    [True, False]
    >>> feasible_many(triangle, on=np.array([[1, 1, 0], [1, 1, 1]])).feasible.tolist()
    [True, False]
    """
    began = time.monotonic()
    arrangement, flats, P = read_question(W, offsets, rank, equations, within)
    rows = ScoreRows.of(arrangement)
    if (signs is None) == (on is None):
        raise InputError("expected either signs or on: sign vectors, or the labels that are on.")
    check_option("others", others, ("off", "free"))
    if on is not None:
        label_sets = read_label_sets(on, rows.labels, rows.n, "on")
        sets = label_sets.tolist() if isinstance(label_sets, np.ndarray) else label_sets
        questions = FeasibilityBatch.of_sets(rows, "signs", sets, -1 if others == "off" else 0)
    else:
        questions = FeasibilityBatch.of_signs(rows, _sign_rows(signs, rows.n, rows.labels))
    options = _read_options(workers, client, progress, time_limit, began)

    def answer(asked: FeasibilityBatch, options: Options) -> Proofs:
        owner = np.repeat(np.arange(len(asked)), asked.sizes)
        single = np.full(len(asked), flats is not None)
        single[owner[asked.signs == ON]] = True
        bulk, alone = np.flatnonzero(~single), np.flatnonzero(single)
        parts = [
            _decide_inside(asked.part(bulk), P, options),
            _decide_singly(arrangement, asked.part(alone), flats, P, options),
        ]
        return Proofs.joined(parts).part(np.argsort(np.concatenate([bulk, alone])))

    proofs = _answer_all(questions, answer, options, checkpoint, "feasible_many", flats, P)
    return Certificates(questions, proofs, flats, P)


Options = tuple[int, Any, bool, float | None]


def _answer_all(
    questions: FeasibilityBatch,
    answer: Callable[[FeasibilityBatch, Options], Proofs],
    options: Options,
    checkpoint: str | os.PathLike[str] | None,
    what: str,
    equations: Arrangement | None,
    P: Polyhedron | None,
) -> Proofs:
    """Answers at once, or block by block if a file keeps them."""
    if checkpoint is None:
        return answer(questions, options)
    workers, client, progress, time_limit = options
    if client is not None:
        raise InputError("checkpoint and client were given; expected one of them.")
    others = [] if equations is None else [equations.normals, equations.offsets]
    if P is not None:
        others += [*P.inequalities, *P.equations]

    def answer_block(part: FeasibilityBatch, seconds: float | None) -> Proofs:
        return answer(part, (workers, None, False, seconds))

    effort: dict[str, Any] = {"progress": progress, "time_limit": time_limit}
    return decide_and_keep(questions, answer_block, checkpoint, others, what=what, **effort)


def _decide_inside(questions: FeasibilityBatch, P: Polyhedron | None, options: Options) -> Proofs:
    """Answers to questions without equations; supports are those rows that are no facets."""
    if P is None or not len(questions):
        return _decide(questions, *options)
    if P.is_empty:
        return _refute_all(len(questions), P.ambient_dimension)
    hull = HullCoordinates(P)
    own, compared = questions.rows, questions.kind != "signs"
    rows = hull.score_rows(own.weights, own.offsets, compared=compared)
    proofs = _decide(questions.about(rows), *options)
    supports = {i: rows_[rows_ < rows.n_own] for i, rows_ in proofs.supports.items()}
    if hull.is_full:
        return proofs._replace(supports=supports)
    exact = {i: hull.point(proofs.point(i)) for i in np.flatnonzero(proofs.feasible).tolist()}
    none = _refute_all(len(questions), P.ambient_dimension)
    return none._replace(status=proofs.status, exact=exact, supports=supports)


def _refute_all(m: int, d: int) -> Proofs:
    """Answers for an empty polyhedron, which needs no rows for its proofs."""
    supports = {i: np.zeros(0, np.int32) for i in range(m)}
    return Proofs(np.full(m, NO, np.int8), np.zeros((0, d)), np.full(m, -1), {}, supports)


def _decide_singly(
    arrangement: Arrangement,
    questions: FeasibilityBatch,
    equations: Arrangement | None,
    P: Polyhedron | None,
    options: Options,
) -> Proofs:
    """Answers one by one."""
    _, _, progress, time_limit = options
    end = inf if time_limit is None else time.monotonic() + time_limit
    m, exact, supports = len(questions), {}, {}
    status = np.full(m, UNDECIDED, np.int8)
    for i in with_progress(range(m), progress, m, lambda _: 1, "questions"):
        if time.monotonic() > end:
            break
        found = certify_one(arrangement, open_signs(questions.all_signs(i)), equations, P)
        status[i] = YES if found else NO
        if found.point is not None:
            exact[i] = found.point
        else:
            supports[i] = np.array(found.support, np.int32)
    return Proofs(status, np.zeros((0, arrangement.dimension)), np.full(m, -1), exact, supports)


def can_be_top(
    W: ArrangementLike,
    sets: ArrayLike | Iterable[Iterable[Label] | Label] | None = None,
    *,
    offsets: ArrayLike | None = None,
    ordered: bool = False,
    rank: int | None = None,
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    device: DeviceLike | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    time_limit: float | None = None,
) -> Certificates:
    """Decide which of many labels, sets of labels or orders of labels can be the best ones.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, ScoreModel or classifier
        Weights of the labels, a row for each. Models bring their offsets and labels.
    sets : iterable of m collections of labels, (m, k) array of rows, or (m, n) mask, optional
        Rows, or names, that shall score strictly higher than all others. A label by itself is a
        set of one. docs/words.md says which 0/1 matrices are masks. Default each label by itself.
    offsets : (n,) array_like, optional
        Default zeros.
    ordered : bool
        The labels shall score highest in the order given, the best first.
    rank : int, optional
        As in `rankings`.
    labels : sequence of int or str, optional
        Names of the rows.
    device : str or array namespace, optional
        Where the large products are computed, in float32: a device of PyTorch, such as "cuda", or
        the namespace of another array library, such as ``cupy``. It is probed first. Without
        `within` and `client` only. The answers are the same, with proofs as valid.
    within, checkpoint, workers, progress, time_limit, client
        As in `feasible_many`.

    Returns
    -------
    Certificates
        Of `TopCertificate`. ``feasible`` is an array of m answers; each has a proof. Of two labels
        with equal weights, neither can score highest where its offset is not the larger one.

    Raises
    ------
    InputError
        If a set is empty, names a label twice, or a label is unknown; if products on `device` are
        less precise than float32; or if `checkpoint` keeps answers to other questions.
    TooLargeError
        If the rows of a large head and a point of each label do not fit into memory.
    MissingDependencyError
        If `device` is one of PyTorch, which is not installed.

    See Also
    --------
    argmax_labels, top_k_sets, top_k_rankings : all that can, without proofs.

    Examples
    --------
    >>> W = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]]
    >>> C = can_be_top(W, [[0], [4], [0, 4], [0, 3]])
    >>> C.feasible.tolist(), C.verify()
    ([True, False, True, False], True)
    >>> C[3]
    TopCertificate({0, 3}, infeasible, held down by 1 0.5, 2 0.5)
    >>> can_be_top(W, [[0, 4], [4, 0]], ordered=True).feasible.tolist()
    [True, False]
    """
    began = time.monotonic()
    rows, P = _read_labels(W, offsets, labels, rank, within)
    kind: Kind = "orders" if check_flag("ordered", ordered) else "sets"
    if sets is None:
        sets = np.arange(rows.n)[:, None]
    found = read_label_sets(sets, rows.labels, rows.n, "sets", least=1, ordered=kind == "orders")
    if isinstance(found, np.ndarray):
        questions = FeasibilityBatch.of_array(rows, kind, found)
    else:
        questions = FeasibilityBatch.of_sets(rows, kind, found)
    if (questions.sizes == 1).all():
        questions.kind = "orders"  # the same, without a threshold
    options = _read_options(workers, client, progress, time_limit, began)
    there = None if device is None else _on_device(rows, device, P, client)

    def answer(asked: FeasibilityBatch, options: Options) -> Proofs:
        return _decide_inside(asked if there is None else asked.about(there), P, options)

    proofs = _answer_all(questions, answer, options, checkpoint, "can_be_top", None, P)
    return Certificates(questions, proofs, None, P)


def _on_device(rows: ScoreRows, device: DeviceLike, P: Polyhedron | None, client: Any) -> ScoreRows:
    """The rows with products on a device; those of the answer are without it."""
    for name, other in (("within", P), ("client", client)):
        if other is not None:
            raise InputError(f"device and {name} were given; expected one of them.")
    there = read_device(device)
    return ScoreRows(rows.weights, rows.offsets, rows.labels, compared=True, device=there)


# Tasks on a cluster for each thread, so that threads end at about the same time.
_TASKS_PER_THREAD = 4


def certify(
    questions: FeasibilityBatch,
    workers: int = 1,
    time_limit: float | None = None,
    within: Polyhedron | None = None,
) -> Certificates:
    """The answers to checked questions without equations."""
    proofs = _decide_inside(questions, within, (workers, None, False, time_limit))
    return Certificates(questions, proofs, None, within)


def _read_options(
    workers: int, client: Any, progress: bool, time_limit: float | None, began: float
) -> Options:
    """The options, with the time that is left: to read the rows of a large head takes seconds."""
    check_time_limit(time_limit)
    check_client(client)
    progress = check_flag("progress", progress)
    if time_limit is not None:
        time_limit = max(0.0, time_limit - (time.monotonic() - began))
    return check_integer("workers", workers, 1), client, progress, time_limit


def _decide(
    questions: FeasibilityBatch, workers: int, client: Any, progress: bool, time_limit: float | None
) -> Proofs:
    """The answers, from this process or from the cluster."""
    if client is None or not len(questions):
        return decide(questions, workers=workers, progress=progress, time_limit=time_limit)
    # parts of the questions are tasks; the rows travel once
    number = min(len(questions), _TASKS_PER_THREAD * threads_of(client))
    rows = share(client, questions.rows)
    bounds = np.linspace(0, len(questions), number + 1).astype(int)

    def call(k: int) -> tuple[Any, ...]:
        part = questions.part(np.arange(bounds[k], bounds[k + 1]))
        fields = (part.kind, part.starts, part.listed, part.signs, part.default)
        return _proofs_of, rows, fields, workers, time_limit

    def size(answer: tuple[int, Proofs]) -> int:
        return int(bounds[answer[0] + 1] - bounds[answer[0]])

    answers = on_cluster(client, range(number), call)
    found = dict(with_progress(answers, progress, len(questions), size, "questions"))
    return Proofs.joined([found[k] for k in sorted(found)])


def _proofs_of(
    rows: ScoreRows, fields: tuple[Any, ...], workers: int, time_limit: float | None
) -> Proofs:
    """What a task on a cluster answers."""
    return decide(FeasibilityBatch(rows, *fields), workers=workers, time_limit=time_limit)


def _read_labels(
    W: Any,
    offsets: ArrayLike | None,
    labels: Iterable[Label] | None,
    rank: int | None,
    within: Within | None,
) -> tuple[ScoreRows, Polyhedron | None]:
    """Rows of an array, an arrangement, or a model with weights, offsets and labels."""
    r = check_rank(rank)
    large = check_size(W, "a question about each", kept=4)
    short = large and r is None and within is None
    found = read_rows(W, offsets, labels, allow_no_rows=False, short=short)
    (weights, b, names, columns, printed), is_full = keep_short(found, r)
    if r is not None:
        structure = structure_of(weights, r, True, printed)
        if within is not None:
            check_coordinates(structure, "within")
        weights = structure.factor
    elif not is_full:
        warn_if_low_rank(weights, lambda: exact_rank(weights, True), True, printed)
    rows = ScoreRows(weights, b, names, compared=True)
    return rows, None if within is None else read_polyhedron(within, rows, columns)


def _sign_rows(signs: Any, n: int, labels: tuple[Label, ...] | None) -> NDArray[np.int8]:
    """An (m, n) array of signs, 0 for any, ON for 0.

    From an array, a sparse matrix or a DataFrame, or from strings.
    """
    if isinstance(signs, str):
        raise InputTypeError(f"signs is {quote(signs)}; expected several: [{quote(signs)}].")
    if hasattr(signs, "to_array"):  # a set of sign vectors
        signs = signs.to_array()
    signs = align_columns(signs, labels, "signs", "rows")
    if hasattr(signs, "toarray"):  # a sparse matrix
        signs = signs.toarray()
    elif coercion.is_frame(signs):
        signs = signs.to_numpy()
    if not isinstance(signs, np.ndarray):
        signs = [align(row, labels, "a row of signs") for row in as_list("signs", signs)]
        if any(isinstance(one, str) for one in signs):
            return _of_strings(signs, n)
    values = sign_values(signs, "signs", partial=True)
    refuse_zero_one(values, ON)
    if values.ndim != 2 or values.shape[1] != n:
        if values.size or values.ndim > 2:
            raise InputError(f"signs has shape {values.shape}; expected (m, {n}).")
        values = values.reshape(0, n)
    return values


def _of_strings(signs: Sequence[Any], n: int) -> NDArray[np.int8]:
    rows = np.zeros((len(signs), n), np.int8)
    for i, one in enumerate(signs):
        try:
            rows[i] = as_signs(one, n, partial=True)
        except InputError as error:
            raise InputError(f"signs[{i}]: {error}") from error
    return rows
