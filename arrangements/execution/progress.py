"""A bar on standard error for work that comes in portions."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

from arrangements.log import logger
from arrangements.messages import duration, short_number

Item = TypeVar("Item")

# Whether bars show how far files are read, and the seconds before one appears.
_READING: ContextVar[bool] = ContextVar("reading", default=False)
_DELAY = 1
# What the bar shows before a time left is known, in tqdm's language.
_UNTIMED = "{l_bar}{bar}| {n_fmt}/{total_fmt}{unit} [{elapsed}]"


class ProgressBar:
    """A bar that counts what was done, and names a time left only when that rests on something.

    A first portion alone tells little: the compilation of kernels may be in it, or it is the first
    of many that are done side by side. So there is no time left as long as one portion took more
    than half of the time; from then on the mean pace is right within a factor of about two, with
    any number of workers.

    Parameters
    ----------
    total : float or None
        All that is to do; None if nobody knows.
    noun : str
        What is counted, in the plural.
    initial : int
        How much of it was there before. It counts as done, but tells nothing of the pace.
    timed, untimed : str, optional
        What is shown with a time left, and without, in tqdm's language.
    delay : float
        Seconds before the bar appears.

    Examples
    --------
    >>> with ProgressBar(100, "parts") as bar:
    ...     bar.add(1)
    """

    def __init__(
        self,
        total: float | None,
        noun: str,
        initial: int = 0,
        *,
        timed: str | None = None,
        untimed: str = _UNTIMED,
        delay: float = 0,
    ) -> None:
        from tqdm import tqdm  # loads slowly

        self._forms = (untimed, timed)
        self.bar: Any = tqdm(
            total=total,
            initial=initial,
            unit=f" {noun}",
            unit_scale=True,
            leave=False,
            smoothing=0,  # the mean pace: parts that end side by side come in bursts
            miniters=1,
            delay=delay,
            bar_format=None if total is None else untimed,
        )
        self._began = self._last = time.monotonic()
        self._longest = 0.0
        self._forget = _on_compilation(self._say_compiling)

    def _say_compiling(self, begins: bool) -> None:
        """Say so while kernels are compiled: nothing else happens then."""
        self.bar.set_description_str("compiling kernels" if begins else "")

    def close(self) -> None:
        """Take the bar away."""
        self._forget()
        self.bar.close()

    def add(self, amount: float) -> None:
        """Say that this much more was done."""
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last)
        self._last = now
        if self.bar.total is not None:
            known = now - self._began >= 2 * self._longest
            self.bar.bar_format = self._forms[known]
        self.bar.update(amount)

    def say_left(self, hours: float | None) -> None:
        """Show how many hours are left; None if nobody knows."""
        self.bar.set_postfix_str("" if hours is None else f"about {duration(hours)} left", False)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _on_compilation(tell: Callable[[bool], None]) -> Callable[[], None]:
    """Tell when numba begins to compile and when it ends; returns a function that stops this."""
    from numba.core import event  # loads slowly

    class Listener(event.Listener):  # type: ignore[misc]
        depth = 0  # a function is compiled with those that it calls

        def on_start(self, event: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(True)

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if not self.depth:
                tell(False)

    listener = Listener()
    event.register("numba:compile", listener)
    return lambda: event.unregister("numba:compile", listener)


def with_progress(
    items: Iterable[Item],
    progress: bool,
    total: float | None,
    size: Callable[[Item], float],
    noun: str = "chambers",
    initial: int = 0,
    left: Callable[[], float | None] | None = None,
    delay: float = 0,
) -> Iterator[Item]:
    """The items, with a bar on standard error that counts them by their sizes if `progress`.

    Where `total` is not known, `left` may tell the hours that are left, as far as it knows. The bar
    appears after `delay` seconds. Otherwise, if steps are logged, a line each second does.

    Examples
    --------
    >>> list(with_progress([[1, 2], [3]], False, 3, len))
    [[1, 2], [3]]
    """
    if not progress:
        logs = logger.isEnabledFor(logging.DEBUG)
        yield from _log(items, total, size, noun, initial) if logs else items
        return
    with ProgressBar(total, noun, initial, delay=delay) as bar:
        for item in items:
            bar.add(size(item))
            if left is not None:
                bar.say_left(left())
            yield item


@contextmanager
def show_reading(progress: bool) -> Iterator[None]:
    """Let `while_reading` show bars inside the block, if `progress`."""
    before = _READING.set(progress)
    try:
        yield
    finally:
        _READING.reset(before)


def while_reading(
    items: Iterable[Item], total: int, noun: str, size: Callable[[Item], float] = lambda _: 1
) -> Iterator[Item]:
    """Portions of a file, with a bar if the caller of `show_reading` wants one.

    Readers of all formats lie between that caller and these portions.

    Examples
    --------
    >>> with show_reading(False):
    ...     list(while_reading(["1 2", "3 4"], 2, "lines"))
    ['1 2', '3 4']
    """
    yield from with_progress(items, _READING.get(), total, size, noun, delay=_DELAY)


def _log(
    items: Iterable[Item],
    total: float | None,
    size: Callable[[Item], float],
    noun: str,
    done: float,
) -> Iterator[Item]:
    """The items; each second a line says how much is done."""
    began = said = time.monotonic()
    most = "" if total is None else f" of about {short_number(int(total))}"
    for item in items:
        done, now = done + size(item), time.monotonic()
        if now - said >= 1:
            logger.debug("%.4g%s %s after %.0f s", done, most, noun, now - began)
            said = now
        yield item
