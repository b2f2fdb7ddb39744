"""The public functions: list, stream or count the chambers of an arrangement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours, check_option
from arrangements.core.arrangement import Arrangement, ArrangementLike, MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of, refuse_loops
from arrangements.counting.polynomials import count_by_polynomial
from arrangements.enumeration.inside import HyperplanesInside
from arrangements.enumeration.listing import BLOCK_ROWS, SLOW_COUNT, ListingRequest
from arrangements.errors import InputError
from arrangements.execution.progress import ProgressBar
from arrangements.forecast.hours import Watch
from arrangements.forecast.sizes import expected_chambers, looks_generic, most_chambers
from arrangements.log import logger
from arrangements.messages import quote, short_number
from arrangements.polyhedra.reading import Within
from arrangements.search.flag import arrangement_flag
from arrangements.sets.packed import pack_signs, words_for
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from arrangements.counting.chamber_counts import Count
    from arrangements.search.sweep import Sweeps

Packed = NDArray[np.uint64]
Method = Literal["auto", "sweep", "incremental", "reverse_search"]
CountingMethod = Literal["auto", "sweep", "incremental", "reverse_search", "characteristic"]
Prune = Callable[[NDArray[np.int8]], Any]

_METHODS = ("auto", "sweep", "incremental", "reverse_search")
_COUNTING_METHODS = (*_METHODS, "characteristic")
# Seconds that a count runs in one thread before it starts others.
_ALONE = 0.02


def chambers(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
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
    ``W @ x + offsets`` on it. Chambers correspond to the orthants of R^n that the column span of W
    (shifted by the offsets) intersects, and to the label sets that a sigmoid classifier with
    weights W and biases `offsets` can output.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A float counts as the exact dyadic number it is. SciPy sparse arrays are accepted.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    method : {"auto", "sweep", "incremental", "reverse_search"}
        All methods find the same set of chambers, in another order. "auto" is the sweep, or the
        incremental enumeration with `prune`, and within a polyhedron that is irrational, has more
        than 1024 vertices or some on very many facets.
    rank : int, optional
        None takes the numbers as given. An integer r, 1 <= r <= min(n, d), asks about the matrix
        of rank r that W was meant to be: W itself if its rank is at most r, the product behind its
        rounded entries if only rounding hides it, else its best approximation. See
        `low_rank_structure`. The attribute ``low_rank`` of the result describes that matrix, and
        witnesses are in the coordinates of its ``factor``.
    within : Polyhedron, or (A, c), optional
        Only the chambers that meet the relative interior of this polyhedron, or of ``A @ x <= c``.
    prune : callable, optional
        A function of an (m, k) int8 block, the signs of the first k hyperplanes. It returns m
        booleans: the prefixes to keep. It may be an njit function.
    workers : int
        Threads (of the sweep).
    progress : bool
        Show a progress bar on stderr.
    limit : int, optional
        Stop after this many sign vectors; the result has ``complete == False`` if there are more.
    max_bytes : int, optional
        Refuse a listing that is expected to take more; default half of the free memory.

    Returns
    -------
    SignVectors
        Bit-packed set of m sign vectors; ``to_array()`` is (m, n) int8 with entries -1 and +1 and
        distinct rows. The order of rows is not promised.

    Raises
    ------
    InputError
        If an argument is malformed; the message says which, and what to do.
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
    sweep visits every no-broken-circuit set of the arrangement once. It takes O(n / 64 + d)
    operations on words per chamber and O(d n) for every d chambers [1]_ [2]_ (docs/algorithms.md),
    and solves no linear program. Incremental enumeration [3]_ solves O(n) linear programs per
    chamber but can prune; reverse search [4]_ keeps no list in memory.

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
    options = {"method": method, "within": within, "prune": prune}
    if (matroid := oriented_matroid_of(W, offsets, rank, limit=limit, **options)) is not None:
        topes: SignVectors = matroid.topes()
        return topes
    request = _request(W, offsets, method, rank, within, prune, workers)
    return request.collect(progress, limit, max_bytes)


def iter_chambers(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: Method = "auto",
    rank: int | None = None,
    within: Within | None = None,
    prune: Prune | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    block_size: int = BLOCK_ROWS,
) -> Iterator[SignVectors]:
    """Sign vectors of the chambers in blocks, with memory independent of their number.

    Parameters
    ----------
    W, offsets, method, rank, within, prune, workers, progress, limit
        As in `chambers`.
    block_size : int
        Largest number of packed rows in a block (but at least one line of the sweep, n + 2 rows).
        If the arrangement is central, each row stands for two sign vectors. The first blocks are
        small, so that they come at once; each may be twice as large as the one before.

    Yields
    ------
    SignVectors
        Disjoint blocks; together they are the set that `chambers` returns.

    See Also
    --------
    chambers : all in one.

    Examples
    --------
    >>> sum(len(block) for block in iter_chambers([[1, 0], [0, 1], [1, 1]]))
    6
    """
    request = _request(W, offsets, method, rank, within, prune, workers)
    return request.stream(progress, limit, block_size)


def count_chambers(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    method: CountingMethod = "auto",
    rank: int | None = None,
    within: Within | None = None,
    prune: Prune | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the chambers of a hyperplane arrangement without storing them.

    Parameters
    ----------
    W, offsets, rank, within, prune, workers, progress
        As in `chambers`.
    method : {"auto", "sweep", "incremental", "reverse_search", "characteristic"}
        The methods of `chambers`, or "characteristic": ``|chi(-1)|`` of the characteristic
        polynomial (Zaslavsky 1975). Its time is far less than proportional to the number of
        chambers if the arrangement is symmetric; elsewhere it is an independent check. "auto"
        chooses between it and the sweep: see Notes.
    max_hours : float, optional
        Refuse a count that is expected to take more hours; default a day. ``math.inf`` allows
        every count.

    Returns
    -------
    int
        Number of sign vectors, including opposite ones.

    Raises
    ------
    TooLargeError
        If the count is expected to take more than `max_hours`.

    Warns
    -----
    SlowCountWarning
        If an estimate made beforehand expects the count to take more than an hour.

    See Also
    --------
    chambers : list them.
    betti_numbers, characteristic_polynomial : refinements, which sum to this number.

    Notes
    -----
    Exact. For at most rank + 1 hyperplanes there is a closed form. Otherwise a sweep begins, which
    forms no sign vector. If hyperplanes meet in special ways, the characteristic polynomial is
    tried too, and the method that is expected to be faster goes on, so that the count takes at most
    about twice its time (docs/algorithms.md, section 13).

    Examples
    --------
    >>> count_chambers([[1, 0], [0, 1], [1, 1]])
    6
    >>> count_chambers([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    7
    >>> from arrangements.generators import resonance
    >>> count_chambers(resonance(7))
    347326352
    """
    options = {"method": method, "within": within, "prune": prune}
    if (matroid := oriented_matroid_of(W, offsets, rank, **options)) is not None:
        refuse_loops(matroid)
        return sum(matroid.betti_numbers())
    request = _request(W, offsets, method, rank, within, prune, workers, _COUNTING_METHODS)
    if request.method == "characteristic":
        progress = check_flag("progress", progress)
        return count_by_polynomial(request.arrangement, progress, max_hours, request.workers)
    return request.count(progress, max_hours)


# ------------------------------------------------------------------ the request


def request_chambers(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    method: str = "auto",
    within: Within | None = None,
    workers: int = 1,
    noun: str = "chambers",
) -> _ChamberRequest:
    """The checked request of `chambers`, for callers that plan before they list or count.

    noun : what messages call them
    """
    request = _request(W, offsets, method, None, within, None, workers)
    request.noun = noun
    return request


def _request(
    W: MatroidLike,
    offsets: ArrayLike | None,
    method: str,
    rank: int | None,
    within: Within | None,
    prune: Prune | None,
    workers: int,
    methods: tuple[str, ...] = _METHODS,
) -> _ChamberRequest:
    """Check the arguments and choose the method."""
    only_counts = isinstance(method, str) and method in _COUNTING_METHODS
    check_option("method", method, methods, " (it only counts)" if only_counts else "")
    workers = check_integer("workers", workers, 1)
    if prune is not None and method not in ("auto", "incremental"):
        raise InputError(f"prune needs method='incremental' (or 'auto'); method is {method!r}.")
    if within is not None and method in ("reverse_search", "characteristic"):
        raise InputError(
            f"within needs method='sweep' or 'incremental' (or 'auto'); method is {method!r}."
        )
    if prune is not None and not callable(prune):
        raise InputError(f"prune is {quote(prune)}; expected a function of blocks of signs.")
    arrangement = as_arrangement(W, offsets, rank)
    return _ChamberRequest(arrangement, method, within, prune, workers)


class _ChamberRequest(ListingRequest[SignVectors]):
    """A checked request for chambers.

    Attributes
    ----------
    arrangement : Arrangement
    automatic : bool
        Whether a count may choose its method; `method` is then that of listings.
    """

    noun, kind = "chambers", SignVectors

    def __init__(
        self,
        arrangement: Arrangement,
        method: str,
        within: Within | None,
        prune: Prune | None,
        workers: int,
    ) -> None:
        self.arrangement: Arrangement = arrangement
        n = len(arrangement.normals)
        self.inside = None if within is None else HyperplanesInside(arrangement, within)
        self._prune = prune
        self._pruned = within is not None or prune is not None
        self.automatic: bool = method == "auto" and not self._pruned
        if method == "auto":
            by_sweep = prune is None and (self.inside is None or self.inside.suits_sweep)
            method = "sweep" if by_sweep else "incremental"
        half = not self._pruned and n > 0 and arrangement.is_central
        super().__init__(method, workers, half, n, 8 * words_for(n), arrangement)

    def wrap(self, rows: Packed | None, complete: bool, limit: int | None = None) -> SignVectors:
        if rows is not None and rows.shape[1] > words_for(self.n):  # words of facets, which are 0
            rows = np.ascontiguousarray(rows[:, : words_for(self.n)])
        return super().wrap(rows, complete, limit)

    def sweeps(self, seed: int) -> Sweeps | None:
        if self.method != "sweep":
            return None
        if self.inside is not None:
            from arrangements.search.within_sweep import WithinSweep  # loads numba

            return self.inside.sweeps(WithinSweep, seed, self.workers)
        flag = arrangement_flag(self.arrangement, seed)
        if flag is None:
            return None
        from arrangements.search.chamber_sweep import ChamberSweep  # loads numba
        from arrangements.search.sweep import Sweeps  # loads numba

        return Sweeps(ChamberSweep, flag, self.workers)

    def blocks_without_sweep(self, rows: int, growing: bool) -> Iterator[Packed]:
        if self.method == "sweep" and self.inside is not None:
            found = self.inside.single_chamber()
            return iter([] if found is None else [found])
        if self.method == "sweep":
            return iter([_single_chamber(self.arrangement)])
        if self.method == "incremental":
            from arrangements.search.incremental import IncrementalListing  # loads numba

            listing = IncrementalListing(
                self.arrangement,
                within=None if self.inside is None else self.inside.polyhedron,
                prune=self._prune,
                block_size=rows,
                growing=growing,
            )
            return iter(listing)
        from arrangements.search.reverse_search import iter_reverse_search  # loads numba

        return iter_reverse_search(self.arrangement, block_size=rows, growing=growing)

    def bound(self) -> int:
        most = most_chambers(self.arrangement) // self.sides
        if self.inside is None or self.method != "sweep":
            return most
        return min(most, self.inside.bound())

    def expected(self, most: int) -> int | None:
        if self._prune is not None:
            return None
        bound = self.bound()
        if bound <= most:
            return bound
        if self.inside is None:
            return expected_chambers(self.arrangement) // self.sides
        return None if (found := self.inside.expected()) is None else min(found, bound)

    def closed_form(self) -> int | None:
        if self.automatic:
            from arrangements.counting.nbc_counts import known_count  # loads numba

            return known_count(self.arrangement)
        if self.method == "sweep" and not self._pruned and self.arrangement.rank == self.n:
            return 1 << self.n
        return None

    def count(self, progress: bool, max_hours: float | None = None) -> int:
        if not self.automatic:
            return super().count(progress, max_hours)
        progress = check_flag("progress", progress)
        check_max_hours(max_hours)
        known = self.closed_form()
        if known is not None:
            return known
        from arrangements.counting.nbc_counts import count_small  # loads numba

        known = count_small(self.arrangement)
        return self._count_by_the_better(progress, max_hours) if known is None else known

    def _count_by_the_better(self, progress: bool, max_hours: float | None) -> int:
        """Count by the sweep or by the characteristic polynomial: see `Count`."""
        from arrangements.counting.chamber_counts import Count  # loads numba

        self._log("counting", "auto")
        harmless = self.bound() <= self.harmless(max_hours)
        if not harmless and looks_generic(self.arrangement):
            return self.count_rows(progress, self.forecast(progress, max_hours), max_hours)
        counting = Count(self.arrangement, self.workers)
        watch = None if harmless else _watch(self, max_hours)
        for seconds in _with_bar(counting, progress, self.noun):
            if watch is not None:
                spent = seconds / self.workers
                watch.look(spent, partial(_total, counting), counting.is_predictable())
            several = self.workers > 1 and seconds > _ALONE and counting.is_decided()
            if several and counting.leader is counting.sweep:
                return self.count_rows(progress, None, max_hours)
        assert counting.count is not None
        logger.info("counted %s, method %s", self.noun, counting.leader.method)
        return counting.count


def _watch(request: _ChamberRequest, max_hours: float | None) -> Watch:
    """Refuses a count that takes too long by both methods, or warns if the better takes long."""
    number = short_number(expected_chambers(request.arrangement))
    what = f"about {number} {request.noun} are expected; counting them"
    return Watch(what, max_hours, SLOW_COUNT)


def _total(counting: Count) -> float:
    return counting.total_of(expected_chambers(counting.arrangement))


def _with_bar(counting: Count, progress: bool, noun: str) -> Iterator[float]:
    """The portions of a count, with a bar on stderr that shows the elapsed share of the time."""
    if not progress:
        yield from counting.portions()
        return
    untimed = noun + ": {l_bar}{bar}| {elapsed}"
    with ProgressBar(1.0, "of the time", timed=untimed + "<{remaining}", untimed=untimed) as bar:
        before = 0.0
        for seconds in counting.portions():
            share = counting.leader.seconds / max(counting.leader.total(), 1e-9)
            share = max(before, min(1.0, share))
            bar.add(share - before)
            before = share
            yield seconds


def _single_chamber(arrangement: Arrangement) -> Packed:
    """The half listing of an arrangement without a line: rank 0 affine, or rank 1 central."""
    n = arrangement.n_hyperplanes
    if n == 0:
        return np.zeros((1, 0), np.uint64)
    rows = np.array(arrangement.integer_rows, dtype=object)
    column = rows[:, -1]
    if arrangement.is_central:
        lead = next(k for k, value in enumerate(rows[0]) if value)
        column = rows[:, lead] * (1 if rows[0, lead] > 0 else -1)
    return pack_signs(np.where(column > 0, 1, -1).astype(np.int8)[None])
