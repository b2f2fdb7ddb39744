"""Printing: lines, JSON, and messages for terminals only."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

import click

from arrangements.messages import printable


def write_out(text: str | bytes) -> None:
    """Write all of it to stdout now, so that a closed pipe is noticed here.

    Text may hold names that somebody else chose, so it becomes `printable`; bytes are so already.
    """
    if sys.stdout is None:
        raise click.UsageError("standard output is closed.")
    try:
        sys.stdout.buffer.write(printable(text).encode() if isinstance(text, str) else text)
        sys.stdout.buffer.flush()
    except OSError as error:  # a full disk; a closed pipe stays a BrokenPipeError
        raise OSError(error.errno, error.strerror, "standard output") from error


def say(text: str) -> None:
    """Write a line to standard error; if that is closed, the exit status must do."""
    with suppress(OSError):
        click.echo(printable(text), err=True)


def inform(text: str) -> None:
    """Say on a terminal, and otherwise log, what was read."""
    if is_terminal(sys.stderr):
        say(f"arrangements: {text}")
    else:
        from arrangements.log import logger  # loads slowly

        logger.info(text)


@contextmanager
def log_to_stderr(steps: bool) -> Iterator[None]:
    """Say what is planned and, if asked, also the steps."""
    import logging  # loads slowly

    from arrangements.log import logger

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(f"arrangements: {record.getMessage()}")

    handler, level = Lines(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if steps else logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.removeHandler(handler)


class Cut:
    """Blocks of patterns, cut after `limit` of them.

    Attributes
    ----------
    complete : bool
        After the iteration: whether there are no other patterns.
    """

    def __init__(
        self, blocks: Iterable[Any], limit: int | None = None, complete: bool = True
    ) -> None:
        self._blocks, self._limit = blocks, limit
        self.complete = complete

    def __iter__(self) -> Iterator[Any]:
        left = self._limit
        for block in self._blocks:
            if left is None:
                yield block
                continue
            self.complete = len(block) <= left
            if left:
                yield block[:left]
            left -= min(left, len(block))
            if not self.complete:
                return


def print_json(
    description: dict[str, Any],
    key: str,
    blocks: Cut,
    entries: Callable[[Any], list[Any]],
) -> None:
    """One JSON object, its count last, so that no list of all patterns is ever held."""
    write_out(json.dumps(description)[:-1] + f', "{key}": [')
    written = 0
    for block in blocks:
        values = entries(block)
        text = ",".join(f"\n{json.dumps(value)}" for value in values)
        write_out(("," if written and values else "") + text)
        written += len(values)
    write_out(f'\n], "count": {written}, "complete": {json.dumps(blocks.complete)}}}\n')


def print_result(as_json: bool, text: str, record: Any) -> None:
    """Write a result as text, or as one JSON value in a line."""
    text = json.dumps(record) + "\n" if as_json else text
    if text:
        write_out(text)


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether standard output or error is a terminal; None stands for a closed stream."""
    return stream is not None and stream.isatty()


def show_progress(prints_lines: bool = False) -> bool:
    """Whether to show a bar: on a terminal only, and not between lines on the same terminal."""
    return is_terminal(sys.stderr) and not (prints_lines and is_terminal(sys.stdout))


def announce_compilation() -> None:
    """Announce on a terminal that kernels are compiled, when the first one is."""
    if not is_terminal(sys.stderr):
        return
    from arrangements.kernels.numba_internals import on_compilation  # loads slowly

    announced: list[bool] = []

    def announce(_: Any) -> None:
        if not announced:
            announced.append(True)
            say("arrangements: compiling kernels, once (about a minute) ..")

    on_compilation(announce)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Lines of columns, aligned at the right."""
    lines = [[str(entry).replace("\n", "\\n") for entry in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join(
        "  ".join(entry.rjust(width) for entry, width in zip(line, widths, strict=True)) + "\n"
        for line in lines
    )
