"""Options that several commands have, and the input they name."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial, wraps
from glob import escape, glob
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from arrangements.messages import quote

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arrangements.plot.drawing import Width

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]

# Click itself would call 1.5 no valid "integer range".
POSITIVE = click.IntRange(min=1)
POSITIVE.name = "positive integer"
POSITIVE_NUMBER = click.FloatRange(min=0, min_open=True)
POSITIVE_NUMBER.name = "positive number"


class FileName(StringParamType):
    """The name of a file, which the shell completes, or one of some words."""

    def __init__(self, words: tuple[str, ...] = ()) -> None:
        self.words = words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Files that begin so; if there are none, words: in bash, click takes one or the other."""
        words = [word for word in self.words if incomplete and word.startswith(incomplete)]
        if words and not glob(f"{escape(incomplete)}*"):
            return [*map(CompletionItem, words)]
        return [CompletionItem(incomplete, type="file")]


FILE = FileName()


class Share(click.FloatRange):
    """A share above 0 and at most 1: 1% or .01."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The share as a number."""
        text = str(value)
        if text.endswith("%"):
            with suppress(ValueError):  # else it is refused as it is written
                value = float(text[:-1]) / 100
        share: float = super().convert(value, param, ctx)
        return share


SHARE = Share(min=0, max=1, min_open=True)


def add_options(command: Command, *options: Decorator) -> Command:
    """Add options, which ``--help`` shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command


# These are called, as @workers_option() or with another help=.
workers_option = partial(
    click.option, "--workers", type=POSITIVE, default=1, show_default=True, help="Threads."
)
ties_option = partial(
    click.option,
    "--ties",
    type=click.Choice(("error", "drop")),
    default="error",
    show_default=True,
)
limit_option = partial(click.option, "--limit", type=POSITIVE)
time_limit_option = partial(click.option, "--time-limit", type=POSITIVE_NUMBER, metavar="S")

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
rank_option = click.option(
    "--rank",
    type=POSITIVE,
    help="The rank that W was meant to have (default: that of its numbers).",
)
max_hours_option = click.option(
    "--max-hours",
    type=POSITIVE_NUMBER,
    metavar="H",
    help="Refuse a count that takes more than H hours (default: a day; inf: none).",
)
certificate_option = click.option(
    "--certificate",
    metavar="FILE",
    type=FILE,
    help="Also write the answer with its proof, for arrangements check (.gz: compressed).",
)


def method_option(methods: tuple[str, ...]) -> Decorator:
    """Add ``--method``."""
    return click.option("--method", type=click.Choice(methods), default="auto", show_default=True)


# ------------------------------------------------------------------ output

output_option = click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=FILE,
    help="Write to a .npz, .csv or .txt file, or to a run: RUN/.",
)


def check_certificate(path: str | None, *inputs: str | None) -> None:
    """Refuse a certificate that cannot be written, or would replace an input or output."""
    if path is not None:
        from arrangements.files.paths import check_no_input, check_writable

        check_writable(path)
        check_no_input(path, *inputs)


def refuse(options: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    """Take options that do not apply out of `options`; they must not have been given."""
    unset = {"method": "auto", "workers": 1, "ties": "error", "transpose": False}
    for name in names:
        if options.pop(name) != unset.get(name):
            raise click.UsageError(f"{what} cannot be combined with --{name.replace('_', '-')}.")


@dataclass(frozen=True)
class Picture:
    """The file of a picture, and its width; false if none is to be drawn."""

    path: str | None
    width: "Width | None"

    def __bool__(self) -> bool:
        return self.path is not None

    def check(self, option: str) -> None:
        """Refuse a file that cannot be written, and a width of no picture or a wrong one."""
        from arrangements.plot.drawing import check_picture, figure_size

        if self.width is not None and self.path is None:
            raise click.UsageError(f"--width is that of a picture: it needs {option} OUT.")
        figure_size((1, 1), self.width)
        if self.path is not None:
            check_picture(self.path)

    def figure(self, size: tuple[float, float]) -> "AbstractContextManager[Figure]":
        """A figure, which is written to the file in the end."""
        from arrangements.plot.drawing import picture

        assert self.path is not None
        return picture(self.path, size, self.width)


def _parse_width(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """``column``, ``page`` or millimetres, whose range the library checks."""
    if value in (None, "column", "page"):
        return value
    try:
        return float(str(value))
    except ValueError as error:
        raise click.BadParameter(
            f"{quote(value)} is neither 'column' nor 'page' nor a number of millimetres."
        ) from error


def picture_options(help: str, *names: str, required: bool = False) -> Callable[[Command], Command]:
    """Add the file of a picture and ``--width``; the command gets ``picture``, a `Picture`."""
    names = names or ("-o", "--output")
    key = names[-1].removeprefix("--")

    def add(command: Command) -> Command:
        @wraps(command)
        def run(*arguments: Any, **options: Any) -> Any:
            picture = Picture(options.pop(key), options.pop("width"))
            picture.check(names[-1])
            return command(*arguments, picture=picture, **options)

        return add_options(
            run,
            click.option(*names, metavar="OUT", type=FILE, required=required, help=help),
            click.option(
                "--width",
                callback=_parse_width,
                metavar="WIDTH",
                help="Of the picture: column (85 mm), page (175 mm), or millimetres.",
            ),
        )

    return add
