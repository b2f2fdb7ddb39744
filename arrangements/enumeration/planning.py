"""How many patterns, bytes and seconds a listing or count takes: closed forms and a calibration."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements import generators
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.counting.chamber_counts import ByPolynomial, Count
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.listing import BLOCK_ROWS, FEW_ROWS, on_generic_flag
from arrangements.enumeration.rankings import request_rankings
from arrangements.errors import InputError, TooLargeError
from arrangements.execution.limits import available_bytes
from arrangements.forecast.sizes import expected_chambers, looks_generic
from arrangements.messages import duration, short_number
from arrangements.polyhedra.reading import Within

# Entries of a random matrix that `plan_size` makes at most.
_MOST_ENTRIES = 10_000_000
# Memory that is written to for the first time, to see how long that takes.
_TOUCHED_BYTES = 2**25
# A number of patterns with more bits may be too large for a float.
_MOST_BITS = 1000


@dataclass(frozen=True)
class Plan:
    """What to expect of a listing and of a count.

    Attributes
    ----------
    noun : str
        "chambers" or "rankings".
    n, d : int
        Shape of W.
    method : str
        Asked for.
    workers : int
    most : int
        Upper bound: the number in general position.
    expected : int
        Estimate; `most` if no coincidence was seen, the number itself if `exact`.
    exact : bool
        Whether the calibration came to the end of a listing or of a count.
    listing_bytes : int
        Packed, as `chambers` and `rankings` hold it: one of each pair of opposites if central.
    available_bytes : int
        What a listing may take here unless it is told otherwise.
    listing_seconds, streaming_seconds : float
        In one set, and in blocks.
    counting_seconds : float or None
        Of `count_chambers` or `count_rankings` with the same method; None if it is not known, since
        the first restrictions do not show how many of the others will be merged.
    counting_method : str
        What that is: of ``method="auto"`` the one that `count_chambers` takes, "sweep",
        "characteristic" or "closed form".
    reason : str
        Why that one is taken; empty if it was asked for.
    polynomial_seconds : float or None
        Of ``count_chambers(method="characteristic")``, as its first restrictions or its end tell:
        None if it is not known, or was not tried, for it pays only where hyperplanes meet in
        special ways. Where most restrictions are merged, random chains of flats tell, and the truth
        may be up to three times as much or as little.
    polynomial_memory, polynomial_disk : int or None
        Bytes that its largest level of restrictions takes in memory, or in a folder that is
        `checkpoint`. None if random chains were not needed.
    calibrated : int
        Patterns that were listed to find out.
    calibration_seconds : float
        How long that took.
    listed, counted : bool
        Whether the listing, the count was ended.
    """

    noun: str
    n: int
    d: int
    method: str
    workers: int
    most: int
    expected: int
    exact: bool
    listing_bytes: int
    available_bytes: int
    listing_seconds: float
    streaming_seconds: float
    counting_seconds: float | None
    counting_method: str
    reason: str
    polynomial_seconds: float | None
    polynomial_memory: int | None
    polynomial_disk: int | None
    calibrated: int
    calibration_seconds: float
    listed: bool
    counted: bool

    @property
    def fits(self) -> bool:
        """Whether the listing is let into memory."""
        return self.listing_bytes <= self.available_bytes


def plan(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rankings: bool = False,
    method: str = "auto",
    within: Within | None = None,
    workers: int = 1,
    seconds: float = 10.0,
) -> Plan:
    """Predict the size and the time of listing or counting chambers or rankings, on this machine.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    rankings : bool
        Of the rows as labels, instead of the chambers of the rows as hyperplanes.
    method : str
        A method of `chambers` or `rankings`.
    within : Polyhedron, or (A, c), optional
        As in `chambers`.
    workers : int
        Threads.
    seconds : float
        How long to calibrate, about: a third for listing, the rest for counting, by the methods
        that come into question. Compilation comes before.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        If an argument is not what it should be.
    TooLargeError
        If the number is beyond floats.

    Notes
    -----
    The number is the closed form for general position unless random chains of flats meet
    coincidences; then it is that of the characteristic polynomial if this is found in time, else
    the chains estimate it (docs/algorithms.md, section 6). Inside a polyhedron the chains are of
    flats that meet it, and the bound is that of its affine hull. The time of a listing is that of
    its first blocks, in proportion, and of writing once to fresh memory; that of a count likewise.
    The first rankings of hundreds of labels take several times as long as later ones: there the
    time is too long by as much, unless the calibration gets far enough.

    Examples
    --------
    >>> found = plan([[1, 0], [0, 1], [1, 1]], seconds=0.1)
    >>> found.expected, found.exact, found.fits
    (6, True, True)
    """
    if not seconds > 0:
        raise InputError(f"seconds is {seconds!r}; expected a positive number.")
    question: Any
    if rankings:
        question = request_rankings(W, offsets, method=method, within=within, workers=workers)
        n, d = question.model.n_labels, question.model.dimension
    else:
        question = request_chambers(W, offsets, method=method, within=within, workers=workers)
        n, d = question.arrangement.n_hyperplanes, question.arrangement.dimension
    try:
        next(iter(question.stream(False, 1, 1)), None)  # compiles
    except TooLargeError as error:
        most = short_number(question.bound() * question.sides)
        problem, *remedies = error.args
        raise TooLargeError(f"at most {most} {question.noun}; {problem}", *remedies) from None
    share = seconds / 3
    listing = _time_listing(question, share)
    counting = _time_counting(question, rankings, share)
    bound = question.bound()
    number, exact = max(listing.rows, counting.rows), True
    if not (listing.complete or counting.known):
        like = question.as_chambers if rankings else None  # whose flats tell more
        number, exact = max(number, (like or question).expected(0) or bound), False
    refuse_beyond_floats(number, question.noun)
    memory, disk = counting.storage or (None, None)
    streaming = listing.seconds_for(number)
    listing_bytes = number * question.row_bytes
    return Plan(
        noun=question.noun,
        n=n,
        d=d,
        method=method,
        workers=workers,
        most=bound * question.sides,
        expected=number * question.sides,
        exact=exact,
        listing_bytes=listing_bytes,
        available_bytes=available_bytes(),
        listing_seconds=streaming + listing_bytes * _seconds_per_byte(),
        streaming_seconds=streaming,
        counting_seconds=counting.seconds_for(number),
        counting_method=counting.method,
        reason=counting.reason,
        polynomial_seconds=counting.polynomial_seconds,
        polynomial_memory=memory,
        polynomial_disk=disk,
        calibrated=listing.rows * question.sides,
        calibration_seconds=listing.seconds,
        listed=listing.complete,
        counted=counting.known,
    )


def plan_size(n: int, d: int, **options: Any) -> Plan:
    """`plan` for n hyperplanes or labels in general position in R^d: a Gaussian matrix.

    Parameters
    ----------
    n, d : int
    **options
        Those of `plan`.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        If the matrix would be very large, or an option is not what it should be.

    Examples
    --------
    >>> plan_size(100, 8, seconds=0.1).expected
    32166020240
    """
    return plan(matrix_of_size(n, d), **options)


def matrix_of_size(n: int, d: int) -> Arrangement:
    """The matrix that `plan_size` asks about."""
    if n * d > _MOST_ENTRIES:
        raise InputError(f"n={n}, d={d} are {n * d} entries; expected at most {_MOST_ENTRIES}.")
    return generators.generic(n, d, 1)


def refuse_beyond_floats(number: int, noun: str) -> None:
    """Refuse to predict the time of a number of patterns that is beyond floats."""
    if number.bit_length() > _MOST_BITS:
        raise TooLargeError(
            f"about 10**{int(number.bit_length() * log10(2))} {noun} are expected; no "
            "time is predicted for this many. Leave out rows, or ask about a part."
        )


@dataclass(frozen=True)
class _Sample:
    """Rows of a listing or count that was begun, and their seconds; the same of its first part."""

    rows: int
    seconds: float
    first_rows: int
    first_seconds: float
    complete: bool

    def seconds_for(self, rows: int) -> float:
        """Time of this many rows: the first part takes longer, for it waits for preparations."""
        more = self.rows - self.first_rows
        if self.complete or not more:
            return self.seconds * rows / max(1, self.rows)
        return self.seconds + (rows - self.rows) * (self.seconds - self.first_seconds) / more


def _time_listing(question: Any, seconds: float) -> _Sample:
    """List for about this many seconds, in the largest blocks that leave time for several."""

    def sizes(block_rows: int) -> Iterator[int]:
        for block in question.stream(False, None, block_rows):
            yield -(-len(block) // question.sides)

    block_rows = FEW_ROWS
    while block_rows < BLOCK_ROWS:
        first = _time_parts(sizes(block_rows), 0)
        if first.seconds > seconds:
            return first
        if first.seconds > seconds / 8:
            break
        block_rows *= 4
    return _time_parts(sizes(min(block_rows, BLOCK_ROWS)), seconds)


@dataclass(frozen=True)
class _Counting:
    """A count that was begun: its rows, whether these are all, and how long it takes by what."""

    rows: int
    known: bool
    method: str
    seconds_for: Callable[[int], float | None]
    reason: str = ""
    polynomial_seconds: float | None = None
    storage: tuple[int, int] | None = None


def _time_counting(question: Any, rankings: bool, share: float) -> _Counting:
    """Count for two shares of the time."""
    if rankings and question.as_chambers is not None:
        question, rankings = question.as_chambers, False
    began = time.perf_counter()
    known = question.closed_form()
    if known is not None:
        taken = time.perf_counter() - began
        method, reason = question.method, ""
        if not rankings and question.automatic:
            method, reason = "closed form", "there is at most one hyperplane more than the rank"
        return _Counting(known // question.sides, True, method, lambda rows: taken, reason)
    if not rankings and question.automatic:
        return _time_better_count(question, 2 * share)
    begun = on_generic_flag(lambda seed: _time_parts(question.counts(False, None, seed), share))
    found = _Counting(begun.rows, begun.complete, question.method, begun.seconds_for)
    only_swept = rankings or question.inside is not None
    if only_swept or begun.complete or looks_generic(question.arrangement):
        return found
    number, seconds, storage = _by_polynomial(question.arrangement, share)
    if number is not None:
        found = replace(found, rows=number // question.sides, known=True)
    return replace(found, polynomial_seconds=seconds, storage=storage)


def _time_better_count(question: Any, seconds: float) -> _Counting:
    """Count as `count_chambers` does that chooses its method."""
    _compile(question.arrangement)
    counting = Count(question.arrangement, question.workers)
    began, before, taken = time.perf_counter(), time.process_time(), 0.0
    for _ in counting.portions():
        taken = time.perf_counter() - began
        if taken > seconds:
            break
    # of processors, not of clocks: other programs may use them now
    pace = (time.process_time() - before) / counting.seconds
    polynomial, number = counting.polynomial, counting.count
    sure = (
        number is not None
        or polynomial is None
        or looks_generic(question.arrangement)  # nothing will be merged
        or _look_ahead(polynomial)
    )
    if number is None:
        counting.compare()

    def seconds_for(rows: int) -> float | None:
        if number is not None:
            return taken
        if sure:
            return pace * counting.total_of(rows * question.sides)
        if counting.leader is counting.sweep:  # the polynomial is taken if it turns out faster
            return pace * counting.sweep.total_of(rows * question.sides) / question.workers
        return None

    return _Counting(
        counting.sweep.rows if number is None else number // question.sides,
        number is not None,
        counting.leader.method,
        seconds_for,
        _reason(counting, pace, sure),
        pace * polynomial.total() / question.workers if polynomial is not None and sure else None,
        polynomial.restrictions.storage if polynomial is not None and number is None else None,
    )


def _look_ahead(polynomial: ByPolynomial) -> bool:
    """Whether the time of a count by the polynomial is known, after random chains if need be."""
    return polynomial.restrictions.look_ahead() or polynomial.restrictions.is_predictable


def _reason(counting: Count, pace: float, sure: bool) -> str:
    """Why a count takes the method that is ahead."""
    if counting.polynomial is None:
        return "the sweep met no coincidences that could be merged"
    if not sure:
        return "the first restrictions do not tell how many of the others will be merged"
    if counting.leader is counting.sweep:
        name, seconds = "characteristic polynomial", counting.polynomial.total()
    else:
        number = counting.count or expected_chambers(counting.arrangement)
        name, seconds = "sweep", counting.sweep.total_of(number)
    return f"the {name} is expected to take about {duration(pace * seconds / 3600)}"


def _time_parts(parts: Iterator[int], seconds: float) -> _Sample:
    """Begin what yields numbers of rows, and stop after this many seconds."""
    rows = first_rows = 0
    taken = first_seconds = 0.0
    began = time.perf_counter()
    for part in parts:
        rows += part
        taken = time.perf_counter() - began
        if not first_rows:
            first_rows, first_seconds = rows, taken
        if taken > seconds:
            return _Sample(rows, taken, first_rows, first_seconds, False)
    return _Sample(rows, time.perf_counter() - began, first_rows, first_seconds, True)


def _by_polynomial(
    arrangement: Arrangement, seconds: float
) -> tuple[int | None, float | None, tuple[int, int] | None]:
    """Number of chambers by the characteristic polynomial, if it is found in time; its seconds.

    And the bytes that it takes. None is what is not known.
    """
    _compile(arrangement)
    polynomial, began = ByPolynomial(arrangement), time.perf_counter()
    before = time.process_time()
    while polynomial.count is None and time.perf_counter() - began < seconds:
        polynomial.advance()
    taken = time.perf_counter() - began
    if polynomial.count is not None:
        return polynomial.count, taken, None
    pace = (time.process_time() - before) / polynomial.seconds
    if not _look_ahead(polynomial):
        return None, None, None
    return None, pace * polynomial.total(), polynomial.restrictions.storage


def _compile(arrangement: Arrangement) -> None:
    """Compile what restrictions need, if they will be made."""
    if not looks_generic(arrangement):
        polynomial = ByPolynomial(Arrangement.coerce(generators.resonance(6)))
        while polynomial.count is None:
            polynomial.advance()


def _seconds_per_byte() -> float:
    """Seconds for each byte of memory that is written to for the first time."""
    began = time.perf_counter()
    np.ones(_TOUCHED_BYTES, np.uint8)
    return (time.perf_counter() - began) / _TOUCHED_BYTES
