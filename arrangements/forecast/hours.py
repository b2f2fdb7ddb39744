"""How long work takes: refuse it if that is too long, warn if it is long."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TypeVar

from arrangements.errors import SlowCountWarning, TooLargeError
from arrangements.log import logger
from arrangements.messages import Remedy, duration, warn

# Work that takes longer is refused unless the caller says `max_hours`.
MAX_HOURS = 24
# How long work that cannot be predicted otherwise is timed before its total is predicted.
_SECONDS = 1.0
# Nominal seconds after which the clock says how fast a machine is, and how fast it may be.
_MEASURED, _FASTEST = 0.5, 10.0

_TOO_LONG = Remedy("too long", "Pass max_hours=math.inf to begin it all the same.")

Item = TypeVar("Item")


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
    if logger.isEnabledFor(logging.INFO):
        logger.info("%s takes about %s", what, duration(hours))
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
    time spent may be more than is allowed. Seconds may be nominal, those of some machine: if it
    goes faster by the clock, the forecast is that of this machine.

    Parameters
    ----------
    what, max_hours, remedy
        As in `check_hours`. It warns once.

    Examples
    --------
    >>> watch = Watch("counting", 0.5)
    >>> watch.look(60, lambda: 1e9, False)
    >>> watch.look(60, lambda: 2000, True)
    Traceback (most recent call last):
        ...
    arrangements.errors.TooLargeError: counting takes about 33 minutes, but 30 minutes are \
allowed. Pass max_hours=math.inf to begin it all the same.
    """

    def __init__(
        self, what: str, max_hours: float | None, remedy: Remedy | None = None, quiet: bool = False
    ) -> None:
        self._what, self._max_hours, self._remedy = what, max_hours, remedy
        self._next, self._quiet = 0.0, quiet
        self._began: tuple[float, float] | None = None  # by the clock, and nominal

    def _share(self, spent: float) -> float:
        """What a nominal second takes, at most 1: kernels may be compiled meanwhile."""
        now = time.monotonic()
        if self._began is None:
            self._began = now, spent
        taken, nominal = now - self._began[0], spent - self._began[1]
        return 1.0 if nominal < _MEASURED else min(1.0, max(taken / nominal, 1 / _FASTEST))

    def look(self, spent: float, total: Callable[[], float], sure: bool) -> None:
        """Refuse to go on, or warn, after some seconds, of `total()` if that is sure."""
        share = self._share(spent)
        if spent < self._next:
            return
        if sure:
            work, quiet = int(1000 * share * max(spent, total())), self._quiet
            check_hours(self._what, work, 1000, self._max_hours, self._remedy, quiet=quiet)
            self._quiet |= work >= 1000 * 3600
            self._next = 2 * spent
        elif self._max_hours is not None:
            taken = f"{self._what} has taken {duration(spent / 3600)} so far, and it is not known"
            _refuse_hours(f"{taken} how much is left, but", spent / 3600, self._max_hours)


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
    began, amount = None, 0
    for item in items:
        yield item
        if began is None:
            began = time.perf_counter()
            continue
        spent, amount = time.perf_counter() - began, amount + size(item)
        if spent > _SECONDS:
            known, pace = total is not None and amount > 0, amount / spent
            watch.look(spent, lambda: (total or 0) / pace, known)  # noqa: B023
