"""Commands about rankings."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import (
    POSITIVE,
    certificate_option,
    check_certificate,
    input_options,
    limit_option,
    load_arrays,
    max_hours_option,
    output_option,
    refuse,
)
from arrangements.cli.output import (
    Cut,
    print_json,
    print_summary,
    show_progress,
    watched,
    write_out,
)
from arrangements.cli.run_commands import is_run, refuse_run_options, run_options, write_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arrangements.core.score_model import ScoreModel
    from arrangements.sets.rankings import Rankings

RANKING_METHODS = ("auto", "sweep", "pairs", "incremental")


@click.command()
@input_options(RANKING_METHODS)
@click.option("--labels", metavar="FILE", help="Names of the labels: a line each, or JSON.")
@click.option("--ties", type=click.Choice(("error", "drop")), default="error", show_default=True)
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
@limit_option("rankings")
@max_hours_option
@output_option
@certificate_option
@run_options
def rankings(
    file: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    labels: str | None,
    only_count: bool,
    argmax: bool,
    k: int | None,
    ordered: bool,
    **options: Any,
) -> None:
    """List the rankings of labels by the scores W x + b, the best label first.

    FILE holds W, a row per label: .npy, .npz, .safetensors, .csv, .txt, or -. A
    line is like 2 0 1 or, with --labels, cat > dog > bird. -o RUN/ (a folder) or a URL writes a
    run of Parquet files, and the same command goes on with one that was interrupted.
    """
    if only_count + argmax + (k is not None) > 1:
        raise click.UsageError("--count, --argmax and --top-k exclude each other.")
    if ordered and k is None:
        raise click.UsageError("--ordered needs --top-k K.")
    from arrangements.files.names import load_names
    from arrangements.files.paths import check_output

    run = is_run(options["output"])
    if not run:
        refuse_run_options(options)
    elif only_count or argmax or k is not None:
        raise click.UsageError("A run holds rankings: leave out --count, --argmax and --top-k.")
    if options["output"] is not None and not run:
        check_output(options["output"], file, offsets, labels)
    elif run and options["certificate"] is not None:
        raise click.UsageError("A run has proofs of its own: leave out --certificate.")
    check_certificate(options["certificate"], file, offsets, labels, options["output"])
    names = None if labels is None else load_names(labels)
    question = load_arrays(file, key, offsets, offsets_key)
    if only_count:
        refuse(options, ("limit", "output"), "--count")
    elif argmax or k is not None:
        refuse(options, ("limit", "method"), "--argmax and --top-k")
    else:
        refuse(options, ("max_hours",), "a listing")
    model = asked_model(question, names, options["ties"])
    description = {
        "labels": len(question[0]),
        "dimension": model.dimension,
        "central": model.is_central,
    }
    if k is not None and k > model.n_labels:
        raise click.BadParameter(f"{k} of {model.n_labels} labels.", param_hint="--top-k")
    if only_count:
        _count_rankings(question, description, options)
    elif argmax or k is not None:
        _tops(question, description, names, k, ordered, options)
    elif run:
        del options["certificate"]
        _write_run(question, description, options | {"labels": names})
    else:
        options |= {"labels": names, "progress": show_progress(options["output"])}
        _list_rankings(question, description, options)


def asked_model(
    question: tuple[Any, Any], names: list[str] | None, ties: str, rank: int | None = None
) -> "ScoreModel":
    """The labels of the question; say on stderr which ones are left out."""
    from arrangements.core.score_model import as_score_model

    model = as_score_model(*question, labels=names, ties=ties, rank=rank)
    for i, j in model.dropped.items():
        click.echo(f"arrangements: warning: label {i} ties with label {j}: dropped", err=True)
    return model


def _count_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    from arrangements import count_rankings, write_certificate
    from arrangements.core.score_model import as_score_model

    as_json, certificate = options.pop("as_json"), options.pop("certificate")
    number = count_rankings(*question, progress=watched(sys.stderr), **options)
    if certificate is not None:
        model = as_score_model(*question, ties=options["ties"], rank=options["rank"])
        write_certificate(number, certificate, W=model)
    if as_json:
        print_summary(description, count=number)
    else:
        write_out(f"{number}\n")


def _tops(
    question: tuple[Any, Any],
    description: dict[str, Any],
    names: list[str] | None,
    k: int | None,
    ordered: bool,
    options: dict[str, Any],
) -> None:
    """The labels that can be first, or the sets or rankings of the k best."""
    from arrangements import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.files.lines import text_tops, write_tops

    W, b = question
    as_json, output = options.pop("as_json"), options.pop("output")
    certificate = options.pop("certificate")
    options["progress"] = show_progress(output)
    tops: Any
    if k is None:
        tops = argmax_labels(W, b, **options)[:, None]
    else:
        tops = (top_k_rankings if ordered else top_k_sets)(W, k, offsets=b, **options)
    if certificate is not None:
        from arrangements.core.score_model import as_score_model
        from arrangements.proofs.writing import write_top_certificate

        model = as_score_model(W, b, ties=options["ties"], rank=options["rank"])
        write_top_certificate(model, None if k is None else tops.tolist(), ordered, certificate)
    if output is not None:
        write_tops(output, tops, names, ordered)
        if as_json:
            print_summary(description, count=len(tops), output=output)
    elif as_json:
        labels: list[Any] = list(range(len(W))) if names is None else names
        print_json(description, "tops", Cut([tops]), lambda rows: _named(labels, rows))
    else:
        write_out(text_tops(tops, names, ordered))


def _write_run(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    """Write the rankings to a run."""
    from arrangements import write_rankings

    as_json, output = options.pop("as_json"), options.pop("output")
    W, b = question
    found = write_run(partial(write_rankings, W, offsets=b), output, options)
    if as_json:
        print_summary(description, count=len(found), complete=True, output=output)


def _list_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    """Write the rankings to a file, or print them block by block."""
    from arrangements import iter_rankings, write_certificate
    from arrangements import rankings as list_rankings
    from arrangements.files.lines import text_rankings, write_rankings

    as_json, output = options.pop("as_json"), options.pop("output")
    certificate, found = options.pop("certificate"), None
    packed = output is not None and output.lower().endswith(".npz")
    if packed or certificate is not None:
        found = list_rankings(*question, **options)
    if found is not None and certificate is not None:
        write_certificate(found, certificate)
    if found is not None and output is not None and packed:
        found.save(output)
        written, complete = len(found), found.complete
    else:
        limit = options.pop("limit")
        if found is None:
            blocks = Cut(iter_rankings(*question, **options), limit)
        else:
            blocks = Cut([found], complete=found.complete)
        if output is None:
            if as_json:
                print_json(description, "rankings", blocks, _ranking_entries)
            for block in () if as_json else blocks:
                write_out(text_rankings(block))
            return
        written, complete = write_rankings(output, blocks), blocks.complete
    if as_json:
        print_summary(description, count=written, complete=complete, output=output)


def _ranking_entries(block: "Rankings") -> list[Any]:
    names: Any = block.label_names if block.is_named else list(map(int, block.label_names))
    return _named(names, block.to_array())


def _named(names: "Sequence[Any]", orders: Any) -> list[Any]:
    return [[names[label] for label in row] for row in orders.tolist()]
