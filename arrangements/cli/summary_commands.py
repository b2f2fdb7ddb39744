"""The command that says what all chambers or rankings are like, without listing them."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import (
    POSITIVE,
    check_width,
    load_arrays,
    max_hours_option,
    rank_option,
    width_option,
)
from arrangements.cli.output import announce_compilation, print_summary, table, watched, write_out
from arrangements.cli.run_commands import is_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from arrangements.plot.drawing import Width
    from arrangements.runs.sources import Source

_SIZE = (8, 6)


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--key", help="Array of a FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of a file of offsets.")
@click.option("--rankings", "of_rankings", is_flag=True, help="Of rankings, not of sign vectors.")
@click.option("--pairs", type=POSITIVE, metavar="K", help="Also the K pairs that are + most often.")
@rank_option
@click.option("--labels", metavar="FILE", help="Names of the rows: a line each, or JSON.")
@click.option(
    "--ties",
    type=click.Choice(("error", "drop")),
    default="error",
    show_default=True,
    help="With --rankings.",
)
@click.option("--workers", type=POSITIVE, default=1, show_default=True, help="Threads.")
@max_hours_option
@click.option("--plot", metavar="OUT", help="Also draw it to a .png, .pdf or .svg file.")
@width_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def summary(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    of_rankings: bool,
    pairs: int | None,
    labels: str | None,
    ties: str,
    plot: str | None,
    width: "Width | None",
    as_json: bool,
    **options: Any,
) -> None:
    """Say how many signs are + in how many chambers, and which ones; or where labels are ranked.

    FILE holds W, a row per hyperplane or label: .npy, .npz, .safetensors, .csv, .txt, or -;
    or a run on disk, RUN/, whose input is swept again. Nothing is stored, so that there may be any
    number of chambers or rankings.
    """
    if of_rankings and pairs is not None:
        raise click.UsageError("--pairs is about signs: leave it out with --rankings.")
    if not of_rankings and ties != "error":
        raise click.UsageError("--ties is about rankings: it needs --rankings.")
    from arrangements.plot.drawing import check_picture, picture

    check_width(width, plot, "--plot")
    if plot is not None:
        check_picture(plot)
    given = {"key": key, "offsets": offsets, "offsets_key": offsets_key, "labels": labels}
    asked = {"ties": ties, "rank": options.pop("rank")}
    options["progress"] = watched(sys.stderr)
    if is_run(file):
        source = _source_of_run(file, given | asked, of_rankings, pairs)
    else:
        source = _source(file, given, asked, of_rankings)
    if source.noun == "rankings":
        found, draw = _of_rankings(source, options)
    else:
        found, draw = _of_chambers(source, pairs, options)
    if plot is not None:
        with picture(plot, _SIZE, width) as figure:
            draw(figure)
    if as_json:
        print_summary(found)
    else:
        write_out(_text(found))


def _source(file: str, given: dict[str, Any], asked: dict[str, Any], of_rankings: bool) -> "Source":
    """What is swept, from a file of W."""
    from arrangements.cli.ranking_commands import asked_model
    from arrangements.core.arrangement import Arrangement, as_arrangement
    from arrangements.files.names import load_names
    from arrangements.runs.sources import chamber_source, ranking_source

    labels = given.pop("labels")
    names = None if labels is None else load_names(labels)
    question = load_arrays(file, **given)
    if of_rankings:
        return ranking_source(asked_model(question, names, **asked))
    return chamber_source(as_arrangement(Arrangement(*question, labels=names), rank=asked["rank"]))


def _source_of_run(
    path: str, options: dict[str, Any], of_rankings: bool, pairs: int | None
) -> "Source":
    """What a run on disk lists; it says all that the options would."""
    from arrangements.runs.reading import open_run

    unset = {"ties": "error", "rank": None}
    for name, value in options.items():
        if value != unset.get(name):
            raise click.UsageError(f"A run has its input: leave out --{name.replace('_', '-')}.")
    announce_compilation()
    source = open_run(path).source
    if source.noun == "rankings" and pairs is not None:
        raise click.UsageError("--pairs is about signs, and this is a run of rankings.")
    if source.noun == "chambers" and of_rankings:
        raise click.UsageError("This is a run of chambers: leave out --rankings.")
    return source


def _of_chambers(
    source: "Source", pairs: int | None, options: dict[str, Any]
) -> tuple[dict[str, Any], "Callable[[Figure], None]"]:
    """What is found about sign vectors, and what draws it."""
    from arrangements.core.labels import names_of
    from arrangements.plot.summaries import draw_signs
    from arrangements.runs.folding import fold_several

    names = names_of(source.given.labels, source.n)
    steps = ["positives", "on" if pairs is None else "pairs"]
    positives, counts = (found.tolist() for found in fold_several(source, steps, **options))
    on = counts if pairs is None else [counts[i][i] for i in range(len(names))]
    found = {"count": sum(positives), "labels": names, "positives": positives, "on": on}
    if pairs is not None:
        every = [(i, j) for j in range(len(names)) for i in range(j)]
        every.sort(key=lambda pair: -counts[pair[0]][pair[1]])
        found["pairs"] = [[names[i], names[j], counts[i][j]] for i, j in every[:pairs]]
    return found, partial(draw_signs, positives=positives, on=on, names=names)


def _of_rankings(
    source: "Source", options: dict[str, Any]
) -> tuple[dict[str, Any], "Callable[[Figure], None]"]:
    """What is found about rankings, and what draws it."""
    from arrangements.core.score_model import ScoreModel
    from arrangements.plot.summaries import draw_places
    from arrangements.runs.folding import fold_several

    (table,) = fold_several(source, ["places"], **options)
    places = table.tolist()
    model = source.given
    assert isinstance(model, ScoreModel)
    names = model.names(range(source.n))
    found = {"count": sum(places[0]), "labels": names, "places": places}
    return found, partial(draw_places, places=places, names=names)


def _text(found: dict[str, Any]) -> str:
    """The summary as tables."""
    if "places" in found:
        header = ["label", *(f"place {k}" for k in range(len(found["places"])))]
        rows = [[name, *counts] for name, counts in _beside_names(found, "places")]
        return f"{found['count']} rankings\n\n{table(header, rows)}"
    positives = [[k, count] for k, count in enumerate(found["positives"])]
    tables = [table(["signs +", "chambers"], positives)]
    tables.append(table(["row", "chambers where it is +"], _beside_names(found, "on")))
    if "pairs" in found:
        tables.append(table(["row", "row", "chambers where both are +"], found["pairs"]))
    return "\n".join([f"{found['count']} chambers\n", *tables])


def _beside_names(found: dict[str, Any], key: str) -> list[tuple[str, Any]]:
    return list(zip(found["labels"], found[key], strict=True))
