"""The chambers of many matrices: experiments with random ones ask this a million times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.counting.nbc_counts import (
    MOST_ENTRIES,
    counts_by_nbc_sets,
    entries_to_reduce,
    is_plain,
)
from arrangements.enumeration.chambers import chambers, count_chambers
from arrangements.errors import ArrangementError, InputError
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.kernels.structure.nbc_sets import OPEN
from arrangements.messages import quote
from arrangements.sets.sign_vectors import SignVectors

Answer = TypeVar("Answer")

# Entries in one call, after which Ctrl-C and the bar have their turn.
_PORTION = 2_000_000


def count_chambers_many(
    Ws: ArrayLike | Iterable[ArrangementLike],
    offsets: ArrayLike | Iterable[ArrayLike] | None = None,
    *,
    rank: int | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[np.int64]:
    """Count the chambers of each of many arrangements.

    Parameters
    ----------
    Ws : (m, n, d) array_like, or iterable of m (n, d) array_like or Arrangement
        Matrices, one hyperplane a row; in an iterable they may have different shapes.
    offsets : (m, n) array_like, or iterable of m (n,) array_like, optional
        Default zeros.
    rank : int, optional
        Of every matrix, as in `chambers`.
    workers : int
        Threads.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        For each matrix, as in `count_chambers`.

    Returns
    -------
    (m,) ndarray of int64
        What `count_chambers` gives for each; as Python integers (dtype object) if one is 2**63 or
        more.

    Raises
    ------
    InputError
        As `count_chambers`, with the number of the matrix.

    See Also
    --------
    count_chambers : of one matrix, also a large one.
    chambers_many : list them.

    Notes
    -----
    Exact. A stack of small matrices is counted by its no-broken-circuit sets [1]_, in
    ``O(n**d)`` operations a matrix (with offsets ``O(n**(d + 1))``), for fixed d: with floats whose
    errors are bounded, or in integers if the minors are below 2**31. Where a row cannot be told
    from a combination of others, and for large matrices, `count_chambers` is asked. Ten thousand
    random matrices of shape (10, 3) take about 0.05 s.

    References
    ----------
    .. [1] H. Whitney, A logical expansion in mathematics, Bull. Amer. Math. Soc. 38 (1932) 572-579.

    Examples
    --------
    >>> import numpy as np
    >>> Ws = np.random.default_rng(0).integers(-1, 2, (1000, 5, 2)) * 2 + 1
    >>> np.bincount(count_chambers_many(Ws))
    array([  0,   0,   6,   0, 120,   0, 431,   0, 388,   0,  55])
    """
    count = partial(count_chambers, rank=rank, max_hours=max_hours)
    stack = _as_stack(Ws, offsets) if rank is None else None
    if stack is None:
        return _as_counts(list(_one_by_one(count, Ws, offsets, workers, progress)))
    check_max_hours(max_hours)
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    matrices, b = stack
    m, n, d = matrices.shape
    each = entries_to_reduce(n, d) if b is None else entries_to_reduce(n + 1, d + 1)
    step = max(1, _PORTION // each)
    portions = [slice(start, start + step) for start in range(0, m, step)]
    work = partial(_portion, count, matrices, b, small=each <= MOST_ENTRIES)
    blocks = with_progress(in_order(work, portions, workers), progress, m, len, "matrices")
    return _as_counts([number for block in blocks for number in block])


def chambers_many(
    Ws: ArrayLike | Iterable[ArrangementLike],
    offsets: ArrayLike | Iterable[ArrayLike] | None = None,
    *,
    rank: int | None = None,
    workers: int = 1,
    progress: bool = False,
    max_bytes: int | None = None,
) -> list[SignVectors]:
    """List the chambers of each of many arrangements.

    Parameters
    ----------
    Ws, offsets, rank, workers, progress
        As in `count_chambers_many`.
    max_bytes : int, optional
        For each matrix, as in `chambers`.

    Returns
    -------
    list of SignVectors
        What `chambers` gives for each.

    Raises
    ------
    InputError
        As `chambers`, with the number of the matrix.

    See Also
    --------
    count_chambers_many : only count them, which takes far less.

    Examples
    --------
    >>> [len(found) for found in chambers_many([[[1, 0], [0, 1]], [[1], [2]]])]
    [4, 2]
    """
    question = partial(chambers, rank=rank, max_bytes=max_bytes)
    return list(_one_by_one(question, Ws, offsets, workers, progress))


def _as_counts(counts: list[int]) -> NDArray[Any]:
    large = any(count >= 2**63 for count in counts)
    return np.array(counts, object if large else np.int64)


def _as_stack(Ws: Any, offsets: Any) -> tuple[NDArray[Any], NDArray[Any] | None] | None:
    """Matrices of one shape with entries that kernels take, and offsets; else None."""
    Ws, offsets = _stacked(Ws), _stacked(offsets)
    if isinstance(Ws, np.ma.MaskedArray) or not isinstance(Ws, np.ndarray):
        return None
    if Ws.ndim != 3:
        raise InputError(
            f"Ws has shape {Ws.shape}; expected (m, n, d): one matrix for each arrangement. "
            "Of one matrix, ask count_chambers or chambers."
        )
    if not is_plain(Ws) or 0 in Ws.shape[1:]:
        return None
    if offsets is None:
        return Ws, None
    if not isinstance(offsets, np.ndarray) or not is_plain(offsets):
        return None
    return (Ws, offsets) if offsets.shape == Ws.shape[:2] else None


def _stacked(values: Any) -> Any:
    """An array of arrays of one shape that stand in a list; other values as they are."""
    if isinstance(values, list | tuple) and values:
        kinds = {(type(value), getattr(value, "shape", None)) for value in values}
        if len(kinds) == 1 and isinstance(values[0], np.ndarray) and values[0].dtype != object:
            same = all(is_plain(value) for value in values)
            return np.stack(values) if same and type(values[0]) is np.ndarray else values
    return values


def _one_by_one(
    question: Callable[..., Answer], Ws: Any, offsets: Any, workers: int, progress: bool
) -> Iterator[Answer]:
    """The answers for each matrix; errors say for which."""
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    matrices = _as_list(Ws, "Ws", "matrices")
    if isinstance(matrices, np.ndarray) and matrices.ndim < 3 and matrices.dtype != object:
        raise InputError(
            f"Ws has shape {matrices.shape}; expected (m, n, d): one matrix for each arrangement."
        )
    shifts: Any = [None] * len(matrices)
    if offsets is not None:
        shifts = _as_list(offsets, "offsets", "vectors")
        if len(shifts) != len(matrices):
            raise InputError(
                f"there are {len(matrices)} matrices and offsets for {len(shifts)}; expected "
                "offsets for each."
            )

    def ask(k: int) -> Answer:
        return _answer(question, matrices[k], shifts[k], k)

    answers = in_order(ask, range(len(matrices)), workers)
    return iter(with_progress(answers, progress, len(matrices), lambda _: 1, "matrices"))


def _as_list(values: Any, name: str, noun: str) -> Any:
    scalar = isinstance(values, np.ndarray) and values.ndim == 0
    if scalar or isinstance(values, Arrangement | str | bytes) or not isinstance(values, Iterable):
        raise InputError(f"{name} is {quote(values)}; expected {noun}, one for each arrangement.")
    return values if isinstance(values, np.ndarray) else list(values)


def _answer(question: Callable[..., Answer], W: Any, offsets: Any, k: int) -> Answer:
    try:
        return question(W, offsets)
    except ArrangementError as error:
        raise type(error)(f"matrix {k}: {error}") from error


def _portion(
    count: Callable[..., int],
    matrices: NDArray[Any],
    b: NDArray[Any] | None,
    part: slice,
    *,
    small: bool,
) -> list[int]:
    """Numbers of chambers of some matrices of a stack."""
    W, offsets = matrices[part], None if b is None else b[part]
    counts = counts_by_nbc_sets(W, offsets) if small else np.full(len(W), OPEN, np.int64)
    found = counts.tolist()
    for k in np.flatnonzero(counts == OPEN).tolist():
        found[k] = _answer(count, W[k], None if offsets is None else offsets[k], part.start + k)
    return found
