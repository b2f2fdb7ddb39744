"""The public functions: list, stream or count the chambers of an arrangement."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import (
    InputError,
    LowRankWarning,
    NotGenericFlagError,
    TooLargeError,
    UnknownMethodError,
)
from arrangements.hyperplanes import Arrangement
from arrangements.packed import used_bits, words_for
from arrangements.sign_vectors import SignVectors

if TYPE_CHECKING:
    from arrangements.flag import Flag

Packed = NDArray[np.uint64]
Method = Literal["auto", "sweep", "incremental", "reverse_search"]
Within = tuple[ArrayLike, ArrayLike]
Prune = Callable[[NDArray[np.int8]], Any]
Answer = TypeVar("Answer")

_METHODS = ("auto", "sweep", "incremental", "reverse_search")
# Rows of a block when the caller does not say; small enough for a cache, large enough for NumPy.
_BLOCK_ROWS = 16384
# A listing whose upper bound is below this is not worth an estimate.
_FREE_BYTES = 64 * 2**20
# Larger listings are collected in several blocks.
_ONE_BLOCK_BYTES = 512 * 2**20
_ATTEMPTS = 6


def chambers(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | Literal["exact"] = "exact",
    within: Within | None = None,
    prune: Prune | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    max_bytes: int | None = None,
) -> SignVectors:
    """Sign vectors of the chambers of a real hyperplane arrangement.

    A chamber (region, cell) is a connected component of the complement of the hyperplanes
    ``W[i] @ x + offsets[i] == 0``; its sign vector (tope) holds the signs of
    ``W @ x + offsets`` on it. These are the orthants of R^n met by the column span of W
    (shifted by the offsets), and the label combinations that a sigmoid classifier with
    weights W and biases `offsets` can output.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy rational, or Arrangement
        A float counts as the exact dyadic number it is. SciPy sparse arrays are accepted.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    method : {"auto", "sweep", "incremental", "reverse_search"}
        Same set of chambers, in another order. "auto" is the sweep, or with `within` or
        `prune` the incremental enumeration.
    rank : "exact" or int
        "exact" takes the numbers as given. An integer r, 1 <= r <= min(n, d), asks the question
        of the best rank-r approximation of W instead (truncated SVD); the (n, r) factor
        used is the attribute ``factor`` of the result, and witnesses are in its coordinates.
    within : (A, c), optional
        Only the chambers that meet the polyhedron ``A @ x <= c``.
    prune : callable, optional
        Takes an (m, k) int8 block of signs of the first k hyperplanes and returns m
        booleans: the prefixes to keep. It may be an njit function.
    workers : int
        Threads (of the sweep).
    progress : bool
        Show a progress bar on stderr.
    limit : int, optional
        Stop after so many sign vectors; the result has ``complete == False`` if there are more.
    max_bytes : int, optional
        Refuse a listing that is expected to take more; default half of the free memory.

    Returns
    -------
    SignVectors
        Bit-packed set of m sign vectors; ``to_array()`` is (m, n) int8 with entries -1 and
        +1, rows distinct. The order of rows is not promised.

    Raises
    ------
    InputError
        If an argument is not what it should be; the message says which and what to do.
    DegenerateArrangementError
        If a row of `W` and its offset are zero.
    TooLargeError
        If the listing would not fit into `max_bytes`.

    Warns
    -----
    LowRankWarning
        If W looks like a product of low rank stored in floats.

    See Also
    --------
    iter_chambers : in blocks, with memory independent of their number.
    count_chambers : without listing them.
    feasible : one sign vector, with a certificate.

    Notes
    -----
    Exact: signs that floating point cannot prove are decided in integer arithmetic. The
    sweep visits every no-broken-circuit set of the arrangement once and takes O(n / 64 + d)
    words of work per chamber and O(d n) per d of them [1]_ [2]_ (docs/algorithms.md); no linear
    program is solved. Incremental enumeration [3]_ solves O(n) linear programs per
    chamber but can prune; reverse search [4]_ needs no memory.

    References
    ----------
    .. [1] M. Yoshinaga, Kodai Math. J. 30 (2007) 157-194.
    .. [2] M. Salvetti, S. Settepanella, Geom. Topol. 11 (2007) 1733-1766.
    .. [3] M. Rada, M. Cerny, SIAM J. Discrete Math. 32 (2018) 455-473.
    .. [4] D. Avis, K. Fukuda, Discrete Appl. Math. 65 (1996) 21-46.

    Examples
    --------
    >>> sorted(chambers([[1, 0], [0, 1]]).to_array().tolist())
    [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> "+-+" in chambers([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    True
    """
    question = _ask(W, offsets, method, rank, within, prune, workers)
    limit = _checked_limit(limit)
    if max_bytes is not None:
        _check_positive("max_bytes", max_bytes)
    room = question.room(max_bytes, limit)
    rows, complete = _on_generic_flag(
        lambda seed: _collect(
            question, question.blocks(question.most_rows(limit, room), progress, seed), limit, room
        )
    )
    return question.sign_vectors(rows, complete, limit)


def iter_chambers(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | Literal["exact"] = "exact",
    within: Within | None = None,
    prune: Prune | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    block_size: int = _BLOCK_ROWS,
) -> Iterator[SignVectors]:
    """Sign vectors of the chambers in blocks, with memory independent of their number.

    Parameters
    ----------
    W, offsets, method, rank, within, prune, workers, progress, limit
        As in `chambers`.
    block_size : int
        Most packed rows in a block (a block is never cut below one line of the sweep, n + 2
        rows). Of a central arrangement each row stands for two sign vectors.

    Yields
    ------
    SignVectors
        Disjoint blocks; together, the set that `chambers` returns.

    See Also
    --------
    chambers : all in one.

    Examples
    --------
    >>> sum(len(block) for block in iter_chambers([[1, 0], [0, 1], [1, 1]]))
    6
    """
    question = _ask(W, offsets, method, rank, within, prune, workers)
    limit = _checked_limit(limit)
    _check_positive("block_size", block_size)
    return _limited_blocks(question, _streamed(question, block_size, progress), limit)


def count_chambers(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | Literal["exact"] = "exact",
    within: Within | None = None,
    prune: Prune | None = None,
    workers: int = 1,
    progress: bool = False,
) -> int:
    """Count the chambers of a hyperplane arrangement without storing them.

    Parameters
    ----------
    W, offsets, method, rank, within, prune, workers, progress
        As in `chambers`.

    Returns
    -------
    int
        Number of sign vectors, those of both signs if central.

    See Also
    --------
    chambers : list them.

    Notes
    -----
    Exact. Independent hyperplanes are 2**n chambers; otherwise the sweep runs without
    forming a sign vector.

    Examples
    --------
    >>> count_chambers([[1, 0], [0, 1], [1, 1]])
    6
    >>> count_chambers([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    7
    """
    question = _ask(W, offsets, method, rank, within, prune, workers)
    return question.count(progress)


# ------------------------------------------------------------------ the question


def _ask(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None,
    method: str,
    rank: int | str,
    within: Within | None,
    prune: Prune | None,
    workers: int,
) -> _Question:
    """Check the arguments and choose the method."""
    if method not in _METHODS:
        raise UnknownMethodError(f"method is {method!r}; expected one of {', '.join(_METHODS)}.")
    _check_positive("workers", workers)
    pruned = within is not None or prune is not None
    if pruned and method not in ("auto", "incremental"):
        raise InputError(
            f"within and prune need method='incremental' (or 'auto'); method is {method!r}."
        )
    arrangement = Arrangement.coerce(W, offsets)
    factor = None
    if isinstance(rank, str):
        if rank != "exact":
            raise InputError(
                f"rank is {rank!r}; expected 'exact' or an integer from 1 to min(n, d)."
            )
        _warn_if_low_rank(arrangement)
    else:
        from arrangements.low_rank import low_rank_factor

        factor = low_rank_factor(arrangement.normals, rank)
        arrangement = Arrangement(factor, arrangement.offsets, arrangement.labels)
    if method == "auto":
        method = "incremental" if pruned else "sweep"
    return _Question(arrangement, factor, method, within, prune, workers)


@dataclass(frozen=True)
class _Question:
    """A checked call: what to list, and by which method."""

    arrangement: Arrangement
    factor: NDArray[np.float64] | None
    method: str
    within: Within | None
    prune: Prune | None
    workers: int

    @property
    def half(self) -> bool:
        """Whether one of each +/- pair is listed."""
        symmetric = self.within is None and self.prune is None
        return symmetric and self.arrangement.is_central and self.arrangement.n_hyperplanes > 0

    @property
    def words(self) -> int:
        return words_for(self.arrangement.n_hyperplanes)

    def sign_vectors(self, rows: Packed, complete: bool, limit: int | None = None) -> SignVectors:
        """The rows as the caller sees them; an odd limit cuts the last +/- pair."""
        half = self.half
        n = self.arrangement.n_hyperplanes
        if half and limit is not None and limit < 2 * len(rows):
            rows = np.concatenate([rows, rows ^ used_bits(n)])[:limit]
            half = False
        return SignVectors(
            rows,
            n,
            half=half,
            arrangement=self.arrangement,
            complete=complete,
            factor=self.factor,
        )

    def blocks(self, rows: int | None, progress: bool, seed: int = 0) -> Iterator[Packed]:
        """Packed blocks of at most about `rows` rows, or as large as is convenient."""
        if self.method == "sweep":
            return _sweep_blocks(self, rows, progress, seed)
        if self.method == "incremental":
            from arrangements.incremental import iter_incremental

            listing = iter_incremental(
                self.arrangement,
                within=self.within,
                prune=self.prune,
                block_size=rows or _BLOCK_ROWS,
            )
            return _with_progress(iter(listing), progress, None, len)
        from arrangements.reverse_search import iter_reverse_search

        found = iter_reverse_search(self.arrangement, block_size=rows or _BLOCK_ROWS)
        return _with_progress(found, progress, None, len)

    def room(self, max_bytes: int | None, limit: int | None) -> int | None:
        """Bytes that the listing may take; None if it cannot take many.

        Raises TooLargeError if it is not expected to fit.
        """
        from arrangements.prediction import (
            available_bytes,
            expected_chambers,
            generic_half,
            upper_bound,
        )

        arrangement = self.arrangement
        row_bytes = 8 * self.words
        rank = arrangement.rank + (not arrangement.is_central)
        bound = generic_half(arrangement.n_hyperplanes, rank) * row_bytes
        if bound <= _FREE_BYTES and (max_bytes is None or bound <= max_bytes):
            return None
        room = available_bytes() if max_bytes is None else max_bytes
        if limit is not None or self.within is not None or self.prune is not None:
            return room  # how much will be listed is not known; the cap on it holds
        flag = _flag(arrangement, 0)
        expected = 0 if flag is None else upper_bound(flag) * row_bytes
        if flag is not None and expected > room:
            expected = int(expected_chambers(flag)) * row_bytes
        if expected > room:
            number = expected // row_bytes * (2 if self.half else 1)
            raise _too_large(f"about {number:.4g} chambers are expected", expected, room)
        return room

    def most_rows(self, limit: int | None, room: int | None) -> int | None:
        """Rows of a block such that one block does not go far beyond the limits."""
        most = [] if limit is None else [-(-limit // (2 if self.half else 1)) + 1]
        if room is not None and room < _ONE_BLOCK_BYTES:
            most.append(room // max(1, 8 * self.words) + 1)
        return min(most, default=None)

    def count(self, progress: bool) -> int:
        """Number of chambers."""
        sides = 2 if self.half else 1
        if self.method != "sweep":
            return sides * sum(len(block) for block in self.blocks(None, progress))
        if self.arrangement.rank == self.arrangement.n_hyperplanes:
            return 1 << self.arrangement.n_hyperplanes
        return sides * _on_generic_flag(lambda seed: _sweep_count(self, progress, seed))


def _flag(arrangement: Arrangement, seed: int) -> Flag | None:
    """Flag coordinates of the arrangement in a column basis; None if it has one chamber (pair)."""
    from arrangements.flag import Flag

    rank = arrangement.rank
    if rank + (not arrangement.is_central) < 2:
        return None
    normals = arrangement.normals
    if rank < arrangement.dimension:
        from arrangements.exact.linear import column_basis

        normals = normals[:, list(column_basis([row[:-1] for row in arrangement.integer_rows]))]
    if arrangement.is_central:
        return Flag(np.ascontiguousarray(normals), True, seed)
    assert arrangement.offsets is not None
    from arrangements.hyperplanes import with_column

    return Flag(with_column(normals, arrangement.offsets), False, seed)


def _single_chamber(arrangement: Arrangement) -> Packed:
    """The half listing of an arrangement without a line: rank 0 affine, or rank 1 central."""
    from arrangements.packed import pack_signs

    n = arrangement.n_hyperplanes
    if n == 0:
        return np.zeros((1, 0), np.uint64)
    rows = np.array(arrangement.integer_rows, dtype=object)
    column = rows[:, -1]
    if arrangement.is_central:
        lead = next(k for k, value in enumerate(rows[0]) if value)
        column = rows[:, lead] * (1 if rows[0, lead] > 0 else -1)
    return pack_signs(np.where(column > 0, 1, -1).astype(np.int8)[None])


def _sweep_blocks(
    question: _Question, rows: int | None, progress: bool, seed: int
) -> Iterator[Packed]:
    """Blocks of the sweep along the random flag number `seed`."""
    from arrangements.prediction import upper_bound
    from arrangements.sweep import Sweep, in_parallel, listed_in_parallel

    flag = _flag(question.arrangement, seed)
    if flag is None:
        yield _single_chamber(question.arrangement)
        return
    bound = upper_bound(flag)
    in_one = rows is None and not progress and bound * 8 * question.words <= _ONE_BLOCK_BYTES
    if in_one and question.workers > 1:
        yield listed_in_parallel(flag, question.workers)
        return
    size = rows or _convenient_rows(question, bound + flag.n + 2, progress)

    def work(sweep: Sweep) -> Iterator[Packed]:
        return sweep.blocks(size)

    found = in_parallel(flag, question.workers, work)
    yield from _with_progress(found, progress, bound, len)


def _convenient_rows(question: _Question, most: int, progress: bool) -> int:
    """Rows of a block of a listing: all in one if that is not too large.

    Then nothing is copied, and memory that is not written to is not taken. From 4 MiB on
    NumPy asks for huge pages, whose first touch costs much less.
    """
    row_bytes = 8 * question.words
    if question.workers > 1 or progress:
        return max(1, 2**22 // row_bytes)
    return min(max(most, 2**22 // row_bytes + 1), max(1, _ONE_BLOCK_BYTES // row_bytes))


def _sweep_count(question: _Question, progress: bool, seed: int) -> int:
    from arrangements.prediction import upper_bound
    from arrangements.sweep import Sweep, in_parallel

    flag = _flag(question.arrangement, seed)
    if flag is None:
        return 1

    def work(sweep: Sweep) -> Iterator[int]:
        return sweep.counts()

    found = in_parallel(flag, question.workers, work)
    return sum(_with_progress(found, progress, upper_bound(flag), int))


def _on_generic_flag(attempt: Callable[[int], Answer]) -> Answer:
    """``attempt(seed)`` for the first random flag that turns out to be generic.

    The chance that one is not is about the number of flats over 2**30.
    """
    for seed in range(_ATTEMPTS - 1):
        try:
            return attempt(seed)
        except NotGenericFlagError:
            continue
    return attempt(_ATTEMPTS - 1)


def _with_progress(
    items: Iterator[Any], progress: bool, total: int | None, size: Callable[[Any], int]
) -> Iterator[Any]:
    """The items, with a bar on stderr that counts the chambers found."""
    if not progress:
        yield from items
        return
    from tqdm import tqdm

    with tqdm(total=total, unit=" chambers", unit_scale=True, leave=False) as bar:
        for item in items:
            bar.update(size(item))
            yield item


# ------------------------------------------------------------------ collecting


def _collect(
    question: _Question, blocks: Iterator[Packed], limit: int | None, room: int | None
) -> tuple[Packed, bool]:
    """All rows, or those of the first `limit` sign vectors; whether that was all."""
    kept: list[Packed] = []
    total = 0
    wanted = None if limit is None else (-(-limit // 2) if question.half else limit)
    for block in blocks:
        kept.append(block)
        total += len(block)
        needed = 8 * question.words * (total if wanted is None else min(total, wanted))
        if room is not None and needed > room:
            number = total * (2 if question.half else 1)
            raise _too_large(f"{number} chambers were found so far", needed, room)
        if wanted is not None and total > wanted:
            break
    if not kept:
        return np.zeros((0, question.words), np.uint64), True
    rows = kept[0] if len(kept) == 1 else np.concatenate(kept)
    base = rows.base
    if base is not None and base.nbytes > 2**23 and base.nbytes > 2 * rows.nbytes:
        rows = rows.copy()  # a block allocated for many more
    sides = 2 if question.half else 1
    complete = limit is None or total * sides <= limit
    return (rows if complete or wanted is None else rows[:wanted].copy()), complete


def _streamed(question: _Question, rows: int, progress: bool) -> Iterator[Packed]:
    """Blocks as they come; another flag only as long as nothing was given out."""
    for seed in range(_ATTEMPTS):
        started = False
        try:
            for block in question.blocks(rows, progress, seed):
                started = True
                yield block
            return
        except NotGenericFlagError as error:
            if started or seed == _ATTEMPTS - 1:
                raise NotGenericFlagError(
                    "the random coordinates of the sweep met a coincidence. The blocks given out "
                    "are right but not all: list them with chambers, or stream them with "
                    "method='incremental'."
                ) from error


def _limited_blocks(
    question: _Question, blocks: Iterator[Packed], limit: int | None
) -> Iterator[SignVectors]:
    """Blocks as SignVectors, cut after `limit` sign vectors."""
    sides = 2 if question.half else 1
    left = limit
    for block in blocks:
        if left is None:
            yield question.sign_vectors(block, True)
            continue
        rows = block[: -(-left // sides)]
        yield question.sign_vectors(rows, True, left)
        left -= sides * len(rows)
        if left <= 0:
            return


def _too_large(what: str, needed: int, room: int) -> TooLargeError:
    return TooLargeError(
        f"{what}: {needed:.4g} bytes, but {room:.4g} are allowed. Use iter_chambers to stream "
        f"them, count_chambers to count them, limit=m for the first m, or raise max_bytes."
    )


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise InputError(f"{name} is {value!r}; expected a positive integer.")


def _checked_limit(limit: int | None) -> int | None:
    if limit is not None:
        _check_positive("limit", limit)
    return limit


def _warn_if_low_rank(arrangement: Arrangement) -> None:
    """Warn if floats hide a smaller rank than the exact one."""
    normals = arrangement.normals
    if normals.dtype != np.float64 or min(normals.shape) < 2:
        return
    from arrangements.low_rank import numerical_rank

    numerical = numerical_rank(normals)
    if numerical < arrangement.rank:
        warnings.warn(
            f"W has exact rank {arrangement.rank} but numerical rank {numerical}, like a product "
            f"A @ B stored in floats: here its rounding errors count as directions. For the "
            f"low-rank question pass rank={numerical}.",
            LowRankWarning,
            stacklevel=4,
        )
