"""How many patterns, bytes and seconds a listing will take: closed forms and a calibration."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import log10
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements import generators
from arrangements.enumeration import chamber_question
from arrangements.errors import InputError, TooLargeError
from arrangements.hyperplanes import Arrangement
from arrangements.listing import BLOCK_ROWS
from arrangements.prediction import available_bytes
from arrangements.ranking.enumeration import ranking_question

# Entries of a random matrix that `plan_size` makes at most.
_MOST_ENTRIES = 10_000_000
# Memory that is written to for the first time, to see how long that takes.
_TOUCHED_BYTES = 2**25
# A number of patterns with more bits may be too large for a float.
_MOST_BITS = 1000
# A block is small at first, so that a slow method has something to show in the time it gets.
_FIRST_ROWS = 512


@dataclass(frozen=True)
class Plan:
    """What to expect of a listing.

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
        Estimate; `most` if no coincidence was seen, the number itself if `complete`.
    listing_bytes : int
        Packed, as `chambers` and `rankings` hold it: one of each pair of opposites if central.
    available_bytes : int
        What a listing may take here unless it is told otherwise.
    listing_seconds, streaming_seconds : float
        In one set, and in blocks.
    calibrated : int
        Patterns that were listed to find out.
    calibration_seconds : float
        How long that took.
    complete : bool
        Whether these were all.
    """

    noun: str
    n: int
    d: int
    method: str
    workers: int
    most: int
    expected: int
    listing_bytes: int
    available_bytes: int
    listing_seconds: float
    streaming_seconds: float
    calibrated: int
    calibration_seconds: float
    complete: bool

    @property
    def fits(self) -> bool:
        """Whether the listing is let into memory."""
        return self.listing_bytes <= self.available_bytes


def plan(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rankings: bool = False,
    method: str = "auto",
    workers: int = 1,
    seconds: float = 10.0,
) -> Plan:
    """Predict the size and the time of listing chambers or rankings, on this machine.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy rational, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    rankings : bool
        Of the rows as labels, instead of the chambers of the rows as hyperplanes.
    method : str
        A method of `chambers` or `rankings`.
    workers : int
        Threads.
    seconds : float
        How long to list for calibration, about; compilation comes before.

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
    The number is the closed form for general position unless sampled minors vanish; then random
    descents estimate it (Knuth, Math. Comp. 29 (1975) 121-136). The time is that
    of the first blocks, in proportion, and of writing once to fresh memory.

    Examples
    --------
    >>> found = plan([[1, 0], [0, 1], [1, 1]], seconds=0.1)
    >>> found.expected, found.complete, found.fits
    (6, True, True)
    """
    if not seconds > 0:
        raise InputError(f"seconds is {seconds!r}; expected a positive number.")
    question: Any
    if rankings:
        question = ranking_question(W, offsets, method=method, workers=workers)
        n, d = question.model.n_labels, question.model.dimension
    else:
        question = chamber_question(W, offsets, method=method, workers=workers)
        n, d = question.arrangement.n_hyperplanes, question.arrangement.dimension
    next(iter(question.streamed(False, 1, 1)))  # compiles
    sample = _sampled(question, seconds)
    rows = sample.rows
    bound = question.bound()
    expected = rows if sample.complete else max(rows, question.expected(0) or bound)
    if expected.bit_length() > _MOST_BITS:
        raise TooLargeError(
            f"about 10**{int(expected.bit_length() * log10(2))} {question.noun} are expected; no "
            "time is predicted for so many. Leave out rows, or ask about a part."
        )
    streaming = sample.seconds_for(expected)
    listing_bytes = expected * question.row_bytes
    return Plan(
        noun=question.noun,
        n=n,
        d=d,
        method=method,
        workers=workers,
        most=bound * question.sides,
        expected=expected * question.sides,
        listing_bytes=listing_bytes,
        available_bytes=available_bytes(),
        listing_seconds=streaming + listing_bytes * _touching(),
        streaming_seconds=streaming,
        calibrated=rows * question.sides,
        calibration_seconds=sample.seconds,
        complete=sample.complete,
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
    if n * d > _MOST_ENTRIES:
        raise InputError(f"n={n}, d={d} are {n * d} entries; expected at most {_MOST_ENTRIES}.")
    return plan(generators.generic(n, d, 1), **options)


@dataclass(frozen=True)
class _Sample:
    """Rows of a listing that was begun, and the seconds they took; the same of its first block."""

    rows: int
    seconds: float
    first_rows: int
    first_seconds: float
    complete: bool

    def seconds_for(self, rows: int) -> float:
        """Time of so many rows: the first block takes longer, for it waits for preparations."""
        more = self.rows - self.first_rows
        if not more:
            return self.seconds * rows / max(1, self.rows)
        return self.seconds + (rows - self.rows) * (self.seconds - self.first_seconds) / more


def _sampled(question: Any, seconds: float) -> _Sample:
    """List for about so many seconds, in blocks of the usual size if it is fast enough."""
    sample = _begun(question, seconds / 10, _FIRST_ROWS)
    slow = sample.rows < BLOCK_ROWS
    return _begun(question, seconds, _FIRST_ROWS if slow else BLOCK_ROWS)


def _begun(question: Any, seconds: float, block_rows: int) -> _Sample:
    """Begin the listing, and stop after so many seconds."""
    rows = first_rows = 0
    taken = first_seconds = 0.0
    began = time.perf_counter()
    for block in question.streamed(False, None, block_rows):
        rows += -(-len(block) // question.sides)
        taken = time.perf_counter() - began
        if not first_rows:
            first_rows, first_seconds = rows, taken
        if taken > seconds:
            return _Sample(rows, taken, first_rows, first_seconds, False)
    return _Sample(rows, time.perf_counter() - began, first_rows, first_seconds, True)


def _touching() -> float:
    """Seconds for each byte of memory that is written to for the first time."""
    began = time.perf_counter()
    np.ones(_TOUCHED_BYTES, np.uint8)
    return (time.perf_counter() - began) / _TOUCHED_BYTES
