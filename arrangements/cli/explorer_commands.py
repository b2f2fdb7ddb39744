"""The command that opens the explorer, or writes its page."""

from typing import Any, Literal

import click

from arrangements.cli.options import load_arrays, rank_option
from arrangements.cli.output import announce_compilation

_EXAMPLE = "shortened-row"
_PRESETS = (
    *("translation", "shortened-row", "differences", "bjorner"),
    *("unrestricted", "centered", "centered-unit-length"),
)


@click.command()
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--key", help="Array of a FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of a file of offsets.")
@click.option(
    "--show",
    metavar="KIND",
    help="rankings, top-K (sets of K best labels), or chambers; default rankings.",
)
@click.option(
    "--plane",
    type=click.Choice(("axes", "fitted")),
    help="Through a space of many dimensions: first two axes, or along the rows.",
)
@rank_option
@click.option("--ties", type=click.Choice(("error", "drop")), default="error", show_default=True)
@click.option("--labels", metavar="FILE", help="Names of the rows: a line each, or JSON.")
@click.option(
    "--preset",
    type=click.Choice(_PRESETS),
    help=f"A statement of the paper instead of FILE; {_EXAMPLE} if neither is given.",
)
@click.option("--port", type=int, default=0, help="Of the server; default one that is free.")
@click.option("--no-open", is_flag=True, help="Print the address only.")
@click.option(
    "-o", "--output", metavar="OUT", help="Write a .html file that needs no server, and end."
)
def explore(
    file: str | None,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    show: str | None,
    plane: Literal["axes", "fitted"] | None,
    rank: int | None,
    ties: Literal["error", "drop"],
    labels: str | None,
    preset: str | None,
    port: int,
    no_open: bool,
    output: str | None,
) -> None:
    """Move the rows of a matrix on a page, and see what becomes possible.

    FILE holds W, a row for each label or hyperplane: .npy, .npz, .safetensors, .csv, .txt, or -.
    The page is served to this machine alone. Needs bokeh.
    """
    given: dict[str, Any] = {"offsets": offsets, "show": show, "plane": plane, "labels": labels}
    if file is None:
        unused = [name for name, value in given.items() if value is not None]
        if unused:
            raise click.UsageError(f"--{unused[0]} is about a FILE, which is not given.")
        preset = preset or _EXAMPLE
    elif preset is not None:
        raise click.UsageError("FILE and --preset cannot both be given.")
    if output is not None and (port or no_open):
        raise click.UsageError("--output writes a page and starts no server: leave out --port.")
    from arrangements.explorer.explore import Explorer, check_page
    from arrangements.explorer.explore import explore as explored

    if output is not None:
        check_page(output)
    if preset is not None:
        announce_compilation()
        page = Explorer.of_preset(preset)
    else:
        assert file is not None
        from arrangements.files.names import load_names
        from arrangements.files.paths import check_no_input

        if output is not None:
            check_no_input(output, file, offsets, labels)
        names = None if labels is None else load_names(labels)
        W, b = load_arrays(file, key, offsets, offsets_key)
        page = explored(W, b, show=show, plane=plane, rank=rank, ties=ties, labels=names)
    if output is not None:
        page.save(output)
    else:
        page.serve(port, not no_open)
