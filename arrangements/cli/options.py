"""Options that commands share, and the input they name."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.output import announce_compilation
from arrangements.messages import quote

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
    from arrangements.plot.drawing import Width

Command = Callable[..., Any]

# Click itself would call 1.5 no valid "integer range".
POSITIVE = click.IntRange(min=1)
POSITIVE.name = "positive integer"
POSITIVE_NUMBER = click.FloatRange(min=0, min_open=True)
POSITIVE_NUMBER.name = "positive number"


rank_option = click.option(
    "--rank",
    type=POSITIVE,
    help="The rank that W was meant to have (default: that of its numbers).",
)


def _width(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """``column``, ``page`` or millimetres, whose range the library checks."""
    if value in (None, "column", "page"):
        return value
    try:
        return float(str(value))
    except ValueError as error:
        given = quote(value)
        raise click.BadParameter(
            f"{given} is neither 'column' nor 'page' nor a number of millimetres."
        ) from error


width_option = click.option(
    "--width",
    callback=_width,
    metavar="WIDTH",
    help="Of the picture: column (85 mm), page (175 mm), or millimetres.",
)


def check_width(width: "Width | None", output: str | None, option: str = "--output") -> None:
    """Refuse the width of no picture, and one that no picture has."""
    from arrangements.plot.drawing import sized

    if width is not None and output is None:
        raise click.UsageError(f"--width is that of a picture: it needs {option} OUT.")
    sized((1, 1), width)


def input_options(methods: tuple[str, ...]) -> Callable[[Command], Command]:
    """Add the argument and options that all listing commands share."""
    options = (
        click.argument("file", metavar="FILE"),
        click.option("--key", help="Array of a FILE that holds several."),
        click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros."),
        click.option("--offsets-key", help="Array of a file of offsets."),
        click.option("--method", type=click.Choice(methods), default="auto", show_default=True),
        rank_option,
        click.option("--workers", type=POSITIVE, default=1, show_default=True, help="Threads."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
    )

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def limit_option(noun: str) -> Callable[[Command], Command]:
    """Add ``--limit``."""
    return click.option("--limit", type=POSITIVE, help=f"Stop after this many {noun}.")


max_hours_option = click.option(
    "--max-hours",
    type=POSITIVE_NUMBER,
    metavar="H",
    help="Refuse a count that takes more than H hours (default: a day; inf: none).",
)

output_option = click.option(
    "-o", "--output", metavar="OUT", help="Write to a .npz, .csv or .txt file, or to a run: RUN/."
)

certificate_option = click.option(
    "--certificate",
    metavar="FILE",
    help="Also write the answer with its proof, for arrangements check (.gz: compressed).",
)


def check_certificate(path: str | None, *inputs: str | None) -> None:
    """Refuse a certificate that cannot be written, or would replace an input or output."""
    if path is not None:
        from arrangements.files.paths import check_no_input, check_writable

        check_writable(path)
        check_no_input(path, *inputs)


def refuse(options: dict[str, Any], names: tuple[str, ...], what: str) -> None:
    """Take options that do not apply out of `options`; they must not have been given."""
    unset = {"method": "auto", "workers": 1}
    for name in names:
        if options.pop(name) != unset.get(name):
            raise click.UsageError(f"{what} cannot be combined with --{name.replace('_', '-')}.")


def load_arrays(
    file: str, key: str | None, offsets: str | None, offsets_key: str | None
) -> tuple[Any, Any]:
    """W, and b or None."""
    if offsets is None and offsets_key is not None:
        raise click.UsageError("--offsets-key needs --offsets FILE.")
    if file == "-" and offsets == "-":
        raise click.UsageError("FILE and --offsets cannot both be standard input.")
    from arrangements.files.matrices import load_matrix, load_vector

    announce_compilation()
    constants = None if offsets is None else load_vector(offsets, offsets_key)
    return load_matrix(file, key), constants


def load_arrangement(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    labels: list[str] | None = None,
) -> "Arrangement":
    """The arrangement of W and b, whose rows may have names."""
    from arrangements.core.arrangement import Arrangement

    return Arrangement(*load_arrays(file, key, offsets, offsets_key), labels=labels)
