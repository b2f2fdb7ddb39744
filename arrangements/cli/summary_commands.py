"""The command that says what all chambers or rankings are like, without listing them."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import Input, Region, input_options, region_options
from arrangements.cli.options import (
    POSITIVE,
    Picture,
    json_option,
    max_hours_option,
    picture_options,
    rank_option,
    refuse,
    ties_option,
    workers_option,
)
from arrangements.cli.output import announce_compilation, print_result, show_progress, table
from arrangements.cli.run_commands import is_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from arrangements.runs.sources import Source

_SIZE = (8, 6)


@click.command()
@input_options()
@click.option("--rankings", "of_rankings", is_flag=True, help="Of rankings, not of sign vectors.")
@click.option("--pairs", type=POSITIVE, metavar="K", help="Also the K pairs that are + most often.")
@region_options
@rank_option
@ties_option(help="With --rankings.")
@workers_option()
@max_hours_option
@picture_options("Also draw it to a .png, .pdf or .svg file.", "--plot")
@json_option
def summary(
    source: Input,
    region: Region,
    of_rankings: bool,
    pairs: int | None,
    rank: int | None,
    ties: str,
    picture: Picture,
    as_json: bool,
    **options: Any,
) -> None:
    """Say how many signs are + in how many chambers, and which ones; or where labels are ranked.

    FILE holds W, a row per hyperplane or label: numbers (.npy, .csv, ..), a model, or -;
    or a run on disk, RUN/, whose input is swept again. Nothing is stored, so that there may be any
    number of chambers or rankings.
    """
    if of_rankings and pairs is not None:
        raise click.UsageError("--pairs is about signs: leave it out with --rankings.")
    if not of_rankings and ties != "error":
        raise click.UsageError("--ties is about rankings: it needs --rankings.")
    assert source.file is not None
    options["progress"] = show_progress()
    if is_run(source.file):
        if region:
            raise click.UsageError("A run takes no --within and no --box: it has its polyhedron.")
        swept = _open_run(source, ties, rank, of_rankings, pairs)
    else:
        swept = _read_source(source, region, ties, rank, of_rankings)
    if swept.noun == "rankings":
        found, draw = _of_rankings(swept, options)
    else:
        found, draw = _of_chambers(swept, pairs, options)
    if picture:
        with picture.figure(_SIZE) as figure:
            draw(figure)
    print_result(as_json, _format(found), found)


def _read_source(
    source: Input, region: Region, ties: str, rank: int | None, of_rankings: bool
) -> "Source":
    """The source of a sweep, from a file of W."""
    from arrangements.cli.listing_commands import read_model
    from arrangements.core.questions import as_arrangement
    from arrangements.runs.sources import ChamberSource, RankingSource

    if not of_rankings:
        arrangement = as_arrangement(source.arrangement(), rank=rank)
        return ChamberSource(arrangement, region.polyhedron(arrangement.dimension))
    names = source.names()
    model = read_model(source.arrays(), names, ties, rank)
    return RankingSource(model, region.polyhedron(model.dimension))


def _open_run(
    source: Input, ties: str, rank: int | None, of_rankings: bool, pairs: int | None
) -> "Source":
    """The source of a run on disk, which has all that the options would tell."""
    from arrangements.runs.reading import open_run

    options = {name: value for name, value in vars(source).items() if name != "file"}
    refuse(options | {"ties": ties, "rank": rank}, (*options, "ties", "rank"), "A run")
    announce_compilation()
    assert source.file is not None
    found = open_run(source.file).source
    if found.noun == "rankings" and pairs is not None:
        raise click.UsageError("--pairs is about signs, and this is a run of rankings.")
    if found.noun == "chambers" and of_rankings:
        raise click.UsageError("This is a run of chambers: leave out --rankings.")
    return found


def _of_chambers(
    source: "Source", pairs: int | None, options: dict[str, Any]
) -> tuple[dict[str, Any], "Callable[[Figure], None]"]:
    """What is found about sign vectors, and what draws it."""
    from arrangements.core.labels import names_of
    from arrangements.plot.summaries import draw_signs
    from arrangements.runs.folding import fold_several

    names = names_of(source.subject.labels, source.n)
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
    model = source.subject
    assert isinstance(model, ScoreModel)
    names = model.names(range(source.n))
    found = {"count": sum(places[0]), "labels": names, "places": places}
    return found, partial(draw_places, places=places, names=names)


def _format(found: dict[str, Any]) -> str:
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
