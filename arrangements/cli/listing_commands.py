"""Commands that list and count: ``chambers``, ``count`` and ``rankings``."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import Input, Region, describe, input_options, region_options
from arrangements.cli.listing_output import Listing, check_outputs
from arrangements.cli.options import (
    POSITIVE,
    certificate_option,
    check_certificate,
    json_option,
    limit_option,
    max_hours_option,
    method_option,
    output_option,
    rank_option,
    refuse,
    ties_option,
    workers_option,
)
from arrangements.cli.output import Cut, print_json, print_result, say, show_progress, write_out
from arrangements.cli.run_commands import run_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrangements.core.score_model import ScoreModel
    from arrangements.sets.rankings import Rankings
    from arrangements.sets.sign_vectors import SignVectors

METHODS = ("auto", "sweep", "incremental", "reverse_search")
COUNTING_METHODS = (*METHODS, "characteristic")
RANKING_METHODS = ("auto", "sweep", "pairs", "incremental")


# ------------------------------------------------------------------ chambers


@click.command()
@input_options()
@region_options
@method_option(METHODS)
@rank_option
@workers_option()
@json_option
@limit_option(help="Stop after this many chambers.")
@output_option
@certificate_option
@run_options
def chambers(source: Input, region: Region, **options: Any) -> None:
    """List the sign vectors of W x + b, a line such as +-+ for each chamber.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family
    such as 'braid(4)' (arrangements.generators).
    With --labels a line has the names of the rows that are +, such as cat, bird: none if all are -.
    -o RUN/ (a folder) or a URL writes a run of Parquet files; the same command again goes on with
    one that was interrupted.
    """
    run = check_outputs(source, options)
    arrangement = source.arrangement()
    within = region.polyhedron(arrangement.dimension)
    from arrangements import chambers as list_chambers
    from arrangements import iter_chambers, write_chambers
    from arrangements.files.lines import text_signs, write_signs

    Listing(
        noun="chambers",
        description=describe(arrangement),
        collect=partial(list_chambers, arrangement, within=within),
        iterate=partial(iter_chambers, arrangement, within=within),
        write_run=partial(write_chambers, arrangement, within=within),
        write=write_signs,
        lines=text_signs,
        entries=_list_signs,
    ).output(run, options)


def _list_signs(block: "SignVectors") -> list[Any]:
    """Names of the rows that are +, or signs as text."""
    from arrangements.files.lines import sign_lines

    if block.is_named:
        return [block.names(i) for i in range(len(block))]
    return sign_lines(block.to_array()).decode("ascii").split("\n")[:-1]


@click.command()
@input_options(labels=False)
@region_options
@method_option(COUNTING_METHODS)
@rank_option
@workers_option()
@json_option
@max_hours_option
@certificate_option
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Keep the restrictions there; the same command again goes on after an interruption.",
)
@click.option(
    "--primes",
    type=click.IntRange(min=0),
    metavar="K",
    help="With --checkpoint: other primes, as a second way (default: 0).",
)
@click.option(
    "--transcript",
    is_flag=True,
    help="With --checkpoint: keep all levels, so that `check` can do tasks again.",
)
def count(
    source: Input,
    region: Region,
    as_json: bool,
    certificate: str | None,
    checkpoint: str | None,
    primes: int | None,
    transcript: bool,
    **options: Any,
) -> None:
    """Count the chambers of W x + b without storing them.

    FILE holds W, a row per hyperplane: numbers (.npy, .csv, ..), a model, or -; or is a family
    such as 'braid(4)' (arrangements.generators). --checkpoint is for counts of hours, by the
    characteristic polynomial: it prints the Betti numbers, too, and leaves FOLDER/record.json.
    """
    check_certificate(certificate, *source.files)
    if checkpoint is not None:
        if region or certificate is not None or options["method"] not in ("auto", "characteristic"):
            raise click.UsageError(
                "--checkpoint is about the characteristic polynomial of the whole arrangement: "
                "leave out --within, --box, --certificate and --method."
            )
        del options["method"]
        _count_in_folder(source, as_json, checkpoint, primes or 0, transcript, options)
        return
    if primes is not None or transcript:
        raise click.UsageError("--primes and --transcript need --checkpoint FOLDER.")
    arrangement = source.arrangement()
    options["within"] = P = region.polyhedron(arrangement.dimension)
    from arrangements import count_chambers, write_certificate
    from arrangements.core.questions import as_arrangement

    number = count_chambers(arrangement, progress=show_progress(), **options)
    if certificate is not None:
        A = as_arrangement(arrangement, rank=options["rank"])
        write_certificate(number, certificate, W=A, within=P)
    print_result(as_json, f"{number}\n", {**describe(arrangement), "count": number})


def _count_in_folder(
    source: Input,
    as_json: bool,
    checkpoint: str,
    primes: int,
    transcript: bool,
    options: dict[str, Any],
) -> None:
    """Count by the characteristic polynomial, with all restrictions in a folder."""
    arrangement = source.arrangement()
    from arrangements import betti_numbers

    betti = betti_numbers(
        arrangement,
        checkpoint=checkpoint,
        primes=primes,
        transcript=transcript,
        progress=show_progress(),
        **options,
    )
    number, numbers = sum(betti), " ".join(map(str, betti))
    found = {**describe(arrangement), "count": number, "betti_numbers": list(betti)}
    print_result(as_json, f"{number}\nBetti numbers: {numbers}\n", found)


# ------------------------------------------------------------------ rankings


@click.command()
@input_options()
@region_options
@method_option(RANKING_METHODS)
@rank_option
@workers_option()
@json_option
@ties_option()
@click.option("--count", "only_count", is_flag=True, help="Only count the rankings.")
@click.option("--argmax", is_flag=True, help="Only the labels that can be first.")
@click.option(
    "--top-k",
    "k",
    type=POSITIVE,
    metavar="K",
    help="Only the sets of labels that can be the K best.",
)
@click.option("--ordered", is_flag=True, help="With --top-k: the K best in order.")
@limit_option(help="Stop after this many rankings.")
@max_hours_option
@output_option
@certificate_option
@run_options
def rankings(
    source: Input,
    region: Region,
    only_count: bool,
    argmax: bool,
    k: int | None,
    ordered: bool,
    **options: Any,
) -> None:
    """List the rankings of labels by the scores W x + b, the best label first.

    FILE holds W, a row per label: numbers (.npy, .csv, ..), a model, or -. A
    line is like 2 0 1 or, with --labels, cat > dog > bird. -o RUN/ (a folder) or a URL writes a
    run of Parquet files; the same command again goes on with one that was interrupted.
    """
    if only_count + argmax + (k is not None) > 1:
        raise click.UsageError("--count, --argmax and --top-k exclude each other.")
    if ordered and k is None:
        raise click.UsageError("--ordered needs --top-k K.")
    run, tops = check_outputs(source, options), argmax or k is not None
    if run and (only_count or tops):
        raise click.UsageError("A run holds rankings: leave out --count, --argmax and --top-k.")
    names = source.names()
    arrays = W, b = source.arrays()
    if only_count:
        refuse(options, ("limit", "output"), "--count")
    elif tops:
        refuse(options, ("limit", "method"), "--argmax and --top-k")
    else:
        refuse(options, ("max_hours",), "a listing")
    model = read_model(arrays, names, options["ties"])
    description = {
        "labels": len(W),
        "dimension": model.dimension,
        "central": model.is_central,
    }
    if k is not None and k > model.n_labels:
        raise click.BadParameter(f"{k} of {model.n_labels} labels.", param_hint="--top-k")
    within = region.polyhedron(model.dimension)
    if only_count:
        _count_rankings(arrays, description, within=within, **options)
    elif tops:
        _list_tops(arrays, description, names, k, ordered, within=within, **options)
    else:
        from arrangements import iter_rankings, write_rankings
        from arrangements import rankings as list_rankings
        from arrangements.files import lines

        Listing(
            noun="rankings",
            description=description,
            collect=partial(list_rankings, W, b, within=within),
            iterate=partial(iter_rankings, W, b, within=within),
            write_run=partial(write_rankings, W, offsets=b, within=within),
            write=lines.write_rankings,
            lines=lines.text_rankings,
            entries=_list_names,
        ).output(run, options | {"labels": names})


def read_model(
    arrays: tuple[Any, Any], names: list[str] | None, ties: str, rank: int | None = None
) -> "ScoreModel":
    """The model of W and b; a line on stderr names each label that is left out."""
    from arrangements.core.score_model import as_score_model

    model = as_score_model(*arrays, labels=names, ties=ties, rank=rank)
    for i, j in model.dropped.items():
        say(f"arrangements: warning: label {i} ties with label {j}: dropped")
    return model


def _count_rankings(
    arrays: tuple[Any, Any],
    description: dict[str, Any],
    as_json: bool,
    certificate: str | None,
    **options: Any,
) -> None:
    from arrangements import count_rankings, write_certificate
    from arrangements.core.score_model import as_score_model

    number = count_rankings(*arrays, progress=show_progress(), **options)
    if certificate is not None:
        model = as_score_model(*arrays, ties=options["ties"], rank=options["rank"])
        write_certificate(number, certificate, W=model, within=options["within"])
    print_result(as_json, f"{number}\n", {**description, "count": number})


def _list_tops(
    arrays: tuple[Any, Any],
    description: dict[str, Any],
    names: list[str] | None,
    k: int | None,
    ordered: bool,
    as_json: bool,
    output: str | None,
    certificate: str | None,
    **options: Any,
) -> None:
    """The labels that can be first, or the sets or rankings of the k best."""
    from arrangements import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.files.lines import text_tops, write_tops

    W, b = arrays
    options["progress"] = show_progress(output is None)
    tops: Any
    if k is None:
        tops = argmax_labels(W, b, **options)[:, None]
    else:
        tops = (top_k_rankings if ordered else top_k_sets)(W, k, offsets=b, **options)
    if certificate is not None:
        from arrangements.core.score_model import as_score_model
        from arrangements.proofs.writing import write_top_certificate

        model = as_score_model(W, b, ties=options["ties"], rank=options["rank"])
        listed = None if k is None else tops.tolist()
        write_top_certificate(model, listed, ordered, certificate, options["within"])
    if output is not None:
        write_tops(output, tops, names, ordered)
        print_result(as_json, "", {**description, "count": len(tops), "output": output})
    elif as_json:
        labels: list[Any] = list(range(len(W))) if names is None else names
        print_json(description, "tops", Cut([tops]), lambda rows: _name_labels(labels, rows))
    else:
        write_out(text_tops(tops, names, ordered))


def _list_names(block: "Rankings") -> list[Any]:
    names: Any = block.label_names if block.is_named else list(map(int, block.label_names))
    return _name_labels(names, block.to_array())


def _name_labels(names: "Sequence[Any]", orders: Any) -> list[Any]:
    return [[names[label] for label in row] for row in orders.tolist()]
