"""Commands that draw: ``plot`` and ``bjorner``."""

from typing import Any, Literal

import click

from arrangements.cli.inputs import Input, Region, input_options, region_options
from arrangements.cli.options import (
    Picture,
    certificate_option,
    check_certificate,
    json_option,
    picture_options,
    rank_option,
    ties_option,
)
from arrangements.cli.output import announce_compilation, print_result

_SIZE = (8, 6)  # a legend takes its share of the width


@click.command()
@input_options()
@click.option(
    "--kind",
    type=click.Choice(("rankings", "argmax", "arrangement")),
    default="rankings",
    show_default=True,
    help="Regions of rankings, regions of the best label, or hyperplanes and their + sides.",
)
@rank_option
@ties_option()
@click.option("--colors", help="Colors of the labels, such as 'blue,#d55e00,0.5'.")
@click.option("--limits", type=float, nargs=4, help="Part to show: left, right, bottom, top.")
@region_options
@picture_options("Write to a .png, .pdf or .svg file.", required=True)
def plot(
    source: Input,
    kind: str,
    ties: Literal["error", "drop"],
    colors: str | None,
    region: Region,
    picture: Picture,
    **options: Any,
) -> None:
    """Draw rankings, best labels or hyperplanes in the plane.

    FILE holds W with two columns: numbers (.npy, .csv, ..), a model, or -.
    Without offsets it may have three: then regions or great circles are drawn on a sphere. Needs
    matplotlib.
    """
    from arrangements.plot.hyperplanes import plot_arrangement
    from arrangements.plot.rankings import plot_rankings

    if kind == "arrangement":
        for name, is_set in (("colors", colors is not None), ("ties", ties != "error")):
            if is_set:
                raise click.UsageError(
                    f"--{name} is about labels: leave it out for an arrangement."
                )
    options["labels"] = source.names()
    W, b = source.arrays()
    options["within"] = region.polyhedron(W.shape[1])
    with picture.figure(_SIZE) as figure:
        options["ax"] = figure.subplots()
        figure.draw_without_rendering()
        if kind == "arrangement":
            plot_arrangement(W, b, **options)
        else:
            options["by"] = "argmax" if kind == "argmax" else "ranking"
            chosen = None if colors is None else [color.strip() for color in colors.split(",")]
            plot_rankings(W, b, ties=ties, colors=chosen, **options)


@click.command()
@json_option
@picture_options("Also draw them to a .png, .pdf or .svg file.")
@certificate_option
def bjorner(as_json: bool, picture: Picture, certificate: str | None) -> None:
    """Show two models with the same sign vectors and different rankings, with proofs."""
    check_certificate(certificate, picture.path)
    announce_compilation()
    if certificate is not None:
        from arrangements import write_certificate
        from arrangements.paper import examples

        write_certificate(examples.bjorner(), certificate)
    if picture:
        from arrangements.paper.figures import plot_bjorner

        with picture.figure((10, 9)) as figure:
            plot_bjorner(fig=figure)
    from arrangements.paper.report import bjorner_record, bjorner_table

    text = "".join(f"{line}\n" for line in bjorner_table())
    print_result(as_json, text, bjorner_record())
