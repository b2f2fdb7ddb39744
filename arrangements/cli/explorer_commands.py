"""The command that opens the explorer, or writes its page."""

from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import MATRIX, Input, Region, input_options, region_options
from arrangements.cli.network_commands import read_network
from arrangements.cli.options import rank_option, ties_option
from arrangements.cli.output import announce_compilation

if TYPE_CHECKING:
    from arrangements.networks import Network

_EXAMPLE = "shortened-row"
PRESET_NAMES = (
    *("translation", "shortened-row", "differences", "bjorner"),
    *("unrestricted", "centered", "centered-unit-length"),
)


@click.command()
@input_options(click.argument("file", metavar="[FILE]", required=False, type=MATRIX))
@click.option(
    "--show",
    metavar="KIND",
    help="rankings, top-K (sets of K best labels), or chambers; default rankings. Of a network "
    "class, pattern or map.",
)
@click.option(
    "--plane",
    type=click.Choice(("axes", "fitted")),
    help="Through a space of many dimensions: first two axes, or along the rows.",
)
@rank_option
@ties_option()
@region_options
@click.option(
    "--preset",
    type=click.Choice(PRESET_NAMES),
    help=f"A statement of the paper instead of FILE; {_EXAMPLE} if neither is given.",
)
@click.option(
    "--network",
    "is_network",
    is_flag=True,
    help="FILE holds a network of ReLU units, not W; without --key an .onnx file does, too.",
)
@click.option("--port", type=int, default=0, help="Of the server; default one that is free.")
@click.option("--no-open", is_flag=True, help="Print the address only.")
@click.option(
    "-o", "--output", metavar="OUT", help="Write a .html file that needs no server, and end."
)
def explore(
    source: Input,
    preset: str | None,
    port: int,
    no_open: bool,
    output: str | None,
    region: Region,
    is_network: bool,
    **options: Any,
) -> None:
    """Move the rows of a matrix, or weights of a network, on a page, and see what becomes possible.

    FILE holds W, a row for each label or hyperplane: numbers (.npy, .csv, ..), a model, or -; or a
    network of ReLU units, as `network` reads it. The page is served to this machine alone. Needs
    bokeh.
    """
    if source.file is None:
        if is_network:
            raise click.UsageError("--network is about a FILE, which is not given.")
        for name, value in (vars(source) | options).items():
            if name in ("offsets", "show", "plane", "labels") and value is not None:
                raise click.UsageError(f"--{name} is about a FILE, which is not given.")
        if region:
            raise click.UsageError("--within and --box are about a FILE, which is not given.")
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
        from arrangements.files.paths import check_no_input

        if output is not None:
            check_no_input(output, *source.files)
        net = _network(source, is_network)
        if net is None:
            options["labels"] = source.names()
            W, b = source.arrays()
            page = explored(W, b, within=region.polyhedron(W.shape[1]), **options)
        else:
            options |= {"labels": None if source.labels is None else source.names()}
            page = explored(net, within=region.polyhedron(min(net.dimension, 2)), **options)
    if output is not None:
        page.save(output)
    else:
        page.serve(port, not no_open)


def _network(source: Input, is_network: bool) -> "Network | None":
    """The network of a file that holds one, with units."""
    assert source.file is not None
    if not is_network and (source.key is not None or not source.file.lower().endswith(".onnx")):
        return None
    net = read_network(source.file, source.key, None, "0")
    return net if is_network or net.n_units else None
