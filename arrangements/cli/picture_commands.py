"""Commands that draw: ``plot`` and ``bjorner``."""

from typing import TYPE_CHECKING, Literal

import click

from arrangements.cli.options import (
    certificate_option,
    check_certificate,
    check_width,
    load_arrays,
    rank_option,
    width_option,
)
from arrangements.cli.output import announce_compilation, print_summary, write_out

if TYPE_CHECKING:
    from arrangements.plot.drawing import Width

_SIZE = (8, 6)  # a legend takes its share of the width


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--key", help="Array of an .npz FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of an .npz file of offsets.")
@click.option(
    "--kind",
    type=click.Choice(("rankings", "argmax", "arrangement")),
    default="rankings",
    show_default=True,
    help="Regions of rankings, regions of the best label, or hyperplanes and their + sides.",
)
@rank_option
@click.option("--ties", type=click.Choice(("error", "drop")), default="error", show_default=True)
@click.option("--labels", metavar="FILE", help="Names of the rows: a line each, or JSON.")
@click.option("--colors", help="Colors of the labels, such as 'blue,#d55e00,0.5'.")
@click.option("--limits", type=float, nargs=4, help="Part to show: left, right, bottom, top.")
@width_option
@click.option(
    "-o", "--output", metavar="OUT", required=True, help="Write to a .png, .pdf or .svg file."
)
def plot(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    kind: str,
    rank: int | None,
    ties: Literal["error", "drop"],
    labels: str | None,
    colors: str | None,
    limits: tuple[float, float, float, float] | None,
    width: "Width | None",
    output: str,
) -> None:
    """Draw rankings, best labels or hyperplanes in the plane.

    FILE holds W with two columns: .npy, .npz, .safetensors, .csv, .txt, or -.
    Without offsets it may have three: then regions or great circles are drawn on a sphere. Needs
    matplotlib.
    """
    from arrangements.files.names import load_names
    from arrangements.plot.drawing import check_picture, picture
    from arrangements.plot.plots import plot_arrangement, plot_rankings

    check_picture(output)
    check_width(width, output)
    if colors is not None and kind == "arrangement":
        raise click.UsageError("--colors sets colors of labels: leave it out for an arrangement.")
    if ties != "error" and kind == "arrangement":
        raise click.UsageError("--ties is about labels: leave it out for an arrangement.")
    names = None if labels is None else load_names(labels)
    W, b = load_arrays(file, key, offsets, offsets_key)
    with picture(output, _SIZE, width) as figure:
        ax = figure.subplots()
        figure.draw_without_rendering()
        if kind == "arrangement":
            plot_arrangement(W, b, rank=rank, labels=names, limits=limits, ax=ax)
        else:
            by: Literal["ranking", "argmax"] = "argmax" if kind == "argmax" else "ranking"
            chosen = None if colors is None else [color.strip() for color in colors.split(",")]
            plot_rankings(
                W,
                b,
                by=by,
                rank=rank,
                ties=ties,
                labels=names,
                colors=chosen,
                limits=limits,
                ax=ax,
            )


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("-o", "--output", metavar="OUT", help="Also draw them to a .png, .pdf or .svg file.")
@width_option
@certificate_option
def bjorner(
    as_json: bool, output: str | None, width: "Width | None", certificate: str | None
) -> None:
    """Show two models with the same sign vectors and different rankings, with proofs."""
    check_width(width, output)
    check_certificate(certificate, output)
    if output is not None:  # before anything is written
        from arrangements.plot.drawing import check_picture

        check_picture(output)
    announce_compilation()
    if certificate is not None:
        from arrangements import write_certificate
        from arrangements.paper import examples

        write_certificate(examples.bjorner(), certificate)
    if output is not None:
        from arrangements.paper.figures import plot_bjorner
        from arrangements.plot.drawing import picture

        with picture(output, (10, 9), width) as figure:
            plot_bjorner(fig=figure)
    from arrangements.paper.bjorner_table import bjorner_record, bjorner_table

    if as_json:
        print_summary(bjorner_record())
    for line in () if as_json else bjorner_table():
        write_out(line + "\n")
