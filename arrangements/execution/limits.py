"""How much memory and time a question may take: the one place that refuses large questions.

A question whose answer, or whose work, can outgrow the machine predicts both and asks here before
it begins. Bytes are compared with a share of the free memory, hours with a day; more than an hour
gives a warning.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from numbers import Real
from typing import TypeVar

from arrangements.errors import InputError, SlowCountWarning, TooLargeError
from arrangements.messages import Remedy, quote, warn

_SHARE_OF_MEMORY = 0.5
_UNKNOWN_MEMORY = 2**33
# Work space that needs no look at the memory that is free.
_FREE_BYTES = 64 * 2**20
# Work that takes longer is refused unless the caller says `max_hours`.
MAX_HOURS = 24
# How long work that cannot be predicted otherwise is timed before its total is predicted.
_SECONDS = 1.0

_TOO_LONG = Remedy("too long", "Pass max_hours=math.inf to begin it all the same.")

Item = TypeVar("Item")


def free_bytes() -> int:
    """Bytes of free memory, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_MEMORY


def available_bytes() -> int:
    """Bytes that an answer may take by default: a share of the free memory."""
    return int(_SHARE_OF_MEMORY * free_bytes())


def check_bytes(
    what: str, needed: int, remedy: Remedy | None = None, *, allowed: int | None = None
) -> None:
    """Refuse an answer that takes more memory than is allowed, by default `available_bytes`.

    Raises
    ------
    TooLargeError
        The message begins with `what`, such as "about 10 chambers are expected".

    Examples
    --------
    >>> check_bytes("a table of 8 rows", 64)
    >>> check_bytes("a table of 8 rows", 64, allowed=32)
    Traceback (most recent call last):
        ...
    arrangements.errors.TooLargeError: a table of 8 rows: 64 bytes, but 32 are allowed.
    """
    allowed = available_bytes() if allowed is None else allowed
    if needed > allowed:
        problem = f"{what}: {short(needed)} bytes, but {short(allowed)} are allowed."
        raise TooLargeError(problem, *([] if remedy is None else [remedy]))


def check_workspace(what: str, needed: int) -> None:
    """Refuse work space that exceeds the free memory.

    Work space may take all of it, for the system provides only pages that are written to, which
    usually are few.
    """
    if needed > _FREE_BYTES:
        remedy = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")
        check_bytes(f"the work space of {what}", needed, remedy, allowed=free_bytes())


def check_hours(
    what: str,
    work: int,
    pace: float,
    max_hours: float | None = None,
    remedy: Remedy | None = None,
    *,
    refusal: Remedy = _TOO_LONG,
    quiet: bool = False,
) -> None:
    """Refuse work that takes more hours than are allowed; warn if it takes more than one.

    Parameters
    ----------
    what : str
        The subject of "takes about 3 hours", such as "counting 10 chambers".
    work : int
        Steps, of any size.
    pace : float
        Steps in a second.
    max_hours : float, optional
        Default `MAX_HOURS`.
    remedy : Remedy, optional
        Advice for the warning.
    refusal : Remedy
        Advice for the error.
    quiet : bool
        Do not warn.

    Raises
    ------
    TooLargeError

    Warns
    -----
    SlowCountWarning

    Examples
    --------
    >>> check_hours("counting 10 chambers", 10, 1.0)
    >>> check_hours("counting 7200 chambers", 7200, 1.0, max_hours=1)
    Traceback (most recent call last):
        ...
    arrangements.errors.TooLargeError: counting 7200 chambers takes about 2 hours, but an hour is \
allowed. Pass max_hours=math.inf to begin it all the same.
    """
    hours = Fraction(work) / Fraction(3600 * pace)
    _refuse_hours(f"{what} takes about {duration(hours)}, but", hours, max_hours, refusal)
    if hours >= 1 and not quiet:
        problem = f"{what} takes about {duration(hours)}."
        parts = [problem] if remedy is None else [problem, remedy]
        warn(SlowCountWarning(*parts))


def _refuse_hours(
    what: str, hours: float | Fraction, max_hours: float | None, refusal: Remedy = _TOO_LONG
) -> None:
    """Raise if these are more hours than are allowed; the message ends with the hours allowed."""
    allowed = Fraction(MAX_HOURS) if max_hours is None else max_hours
    if not isinstance(allowed, (int, Fraction)):
        allowed = float(allowed)  # short and long floats of NumPy compare with none of them
    if hours > allowed:
        verb = "is" if duration(allowed) == "an hour" else "are"
        raise TooLargeError(f"{what} {duration(allowed)} {verb} allowed.", refusal)


class Watch:
    """Forecasts of work under way: when the first is sure, and whenever the work has doubled.

    Early portions may be like no later ones, so a forecast is made again. Until one is sure, the
    time spent may be more than is allowed.

    Parameters
    ----------
    what, max_hours, remedy
        As in `check_hours`. It warns once.

    Examples
    --------
    >>> watch = Watch("counting", 0.5)
    >>> watch.look(60, lambda: 1e9, False)
    >>> watch.look(61, lambda: 1000, True)
    >>> watch.look(122, lambda: 2000, True)
    Traceback (most recent call last):
        ...
    arrangements.errors.TooLargeError: counting takes about 33 minutes, but 30 minutes are \
allowed. Pass max_hours=math.inf to begin it all the same.
    """

    def __init__(
        self, what: str, max_hours: float | None, remedy: Remedy | None = None, quiet: bool = False
    ) -> None:
        self.what, self.max_hours, self.remedy = what, max_hours, remedy
        self._next, self._quiet = 0.0, quiet

    def look(self, spent: float, total: Callable[[], float], sure: bool) -> None:
        """Refuse to go on, or warn, after some seconds, of `total()` if that is sure."""
        if spent < self._next:
            return
        if sure:
            work, quiet = int(1000 * max(spent, total())), self._quiet
            check_hours(self.what, work, 1000, self.max_hours, self.remedy, quiet=quiet)
            self._quiet |= work >= 1000 * 3600
            self._next = 2 * spent
        elif self.max_hours is not None:
            taken = f"{self.what} has taken {duration(spent / 3600)} so far, and it is not known"
            _refuse_hours(f"{taken} how much is left, but", spent / 3600, self.max_hours)


def check_max_hours(max_hours: float | None) -> None:
    """Refuse a value that is neither a positive number of hours nor None."""
    if max_hours is None:
        return
    if isinstance(max_hours, bool) or not isinstance(max_hours, Real) or not max_hours > 0:
        given = quote(max_hours)
        raise InputError(f"max_hours is {given}; expected a positive number, or math.inf.")


def check_time_limit(time_limit: float | None) -> None:
    """Refuse a `time_limit` that is no number of seconds.

    Examples
    --------
    >>> check_time_limit(-1)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: time_limit is -1; expected a number of seconds, at least 0, or \
None.
    """
    number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit >= 0):
        raise InputError(
            f"time_limit is {quote(time_limit)}; expected a number of seconds, at least 0, or None."
        )


def duration(hours: float | Fraction) -> str:
    """Hours in words, in a suitable unit.

    Examples
    --------
    >>> duration(0.01), duration(0.5), duration(1), duration(100), duration(10**6)
    ('36 seconds', '30 minutes', 'an hour', '4 days', '114 years')
    """
    if hours < 1:
        seconds = float(3600 * hours)
        return f"{seconds:.2g} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    whole = int(hours)
    if whole < 72:
        return f"{whole} hours" if whole > 1 else "an hour"
    return f"{whole // 24} days" if whole < 24 * 1000 else f"{short(whole // (24 * 365))} years"


def short(number: int) -> str:
    """Four digits of an integer of any size.

    Examples
    --------
    >>> short(123456), short(2**3000)
    ('1.235e+05', '10**903')
    """
    if number < 10**300:
        return f"{number:.4g}"
    return f"10**{int(number.bit_length() * math.log10(2))}"


def foreseen(
    items: Iterable[Item],
    total: int | None,
    size: Callable[[Item], int],
    what: str,
    max_hours: float | None = None,
    *,
    quiet: bool = False,
) -> Iterator[Item]:
    """The items, and after a second of work on them forecasts for all; see `Watch`.

    Parameters
    ----------
    items : iterable
        Portions of the work. The first is not timed: kernels may be compiled for it.
    total : int or None
        Size of all portions together; None if it is not known.
    size : callable
        Of one portion.
    what, max_hours
        As in `check_hours`.
    quiet : bool
        Do not warn.

    Examples
    --------
    >>> list(foreseen([[1, 2], [3]], 3, len, "testing 3 candidates"))
    [[1, 2], [3]]
    """
    watch = Watch(what, max_hours, quiet=quiet)
    began, done = None, 0
    for item in items:
        yield item
        if began is None:
            began = time.perf_counter()
            continue
        spent, done = time.perf_counter() - began, done + size(item)
        if spent > _SECONDS:
            known, pace = total is not None and done > 0, done / spent
            watch.look(spent, lambda: (total or 0) / pace, known)  # noqa: B023
