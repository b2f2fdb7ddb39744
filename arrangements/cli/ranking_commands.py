"""Commands about rankings."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import input_options, load_arrays, refuse
from arrangements.cli.output import print_json, show_progress, write_out

if TYPE_CHECKING:
    from arrangements.ranking_sets import Rankings

RANKING_METHODS = ("auto", "sweep", "pairs", "incremental")


@click.command()
@input_options(RANKING_METHODS)
@click.option("--labels", metavar="FILE", help="Names of the labels, one per line.")
@click.option("--ties", type=click.Choice(("error", "drop")), default="error", show_default=True)
@click.option("--count", "only_count", is_flag=True, help="Only count the rankings.")
@click.option("--argmax", is_flag=True, help="Only the labels that can be first.")
@click.option(
    "--top-k", "k", type=int, metavar="K", help="Only the sets of labels that can be the K best."
)
@click.option("--ordered", is_flag=True, help="With --top-k: the K best in order.")
@click.option("--limit", type=int, help="Stop after this many rankings.")
@click.option("-o", "--output", metavar="OUT", help="Write to a .npz, .csv or .txt file.")
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

    FILE holds W, a row per label: .npy, .npz, .csv, .txt, or - for standard input. A line is
    such as 2 0 1, or cat > dog > bird with --labels.
    """
    if only_count + argmax + (k is not None) > 1:
        raise click.UsageError("--count, --argmax and --top-k exclude each other.")
    if ordered and k is None:
        raise click.UsageError("--ordered needs --top-k K.")
    from arrangements.files import check_output, load_names

    if options["output"] is not None:
        check_output(options["output"], file, offsets, labels)
    names = None if labels is None else load_names(labels)
    question = load_arrays(file, key, offsets, offsets_key)
    if only_count:
        refuse(options, ("limit", "output"), "--count")
    elif argmax or k is not None:
        refuse(options, ("limit", "output", "method", "workers"), "--argmax and --top-k")
    description = _ranking_description(question, names, options["ties"])
    if only_count:
        _count_rankings(question, description, options)
    elif argmax or k is not None:
        _print_tops(question, description, names, k, ordered, options)
    else:
        options |= {"labels": names, "progress": show_progress(options["output"])}
        _list_rankings(question, description, options)


def _ranking_description(
    question: tuple[Any, Any], names: list[str] | None, ties: str
) -> dict[str, Any]:
    """What was asked about; says on stderr which labels are left out."""
    from arrangements.scores import score_model

    model = score_model(*question, labels=names, ties=ties)
    for i, j in model.dropped.items():
        click.echo(f"arrangements: warning: label {i} ties with label {j}: dropped", err=True)
    return {"labels": len(question[0]), "dimension": model.dimension, "central": model.is_central}


def _count_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    from arrangements import count_rankings

    as_json = options.pop("as_json")
    number = count_rankings(*question, progress=sys.stderr.isatty(), **options)
    write_out(json.dumps(description | {"count": number}) + "\n" if as_json else f"{number}\n")


def _print_tops(
    question: tuple[Any, Any],
    description: dict[str, Any],
    names: list[str] | None,
    k: int | None,
    ordered: bool,
    options: dict[str, Any],
) -> None:
    """The labels that can be first, or the sets or rankings of the k best."""
    from arrangements import argmax_labels, top_k_rankings, top_k_sets
    from arrangements.files import ranking_lines

    W, b = question
    as_json = options.pop("as_json")
    tops: Any
    if k is None:
        tops = argmax_labels(W, b, **options)[:, None]
    else:
        tops = (top_k_rankings if ordered else top_k_sets)(W, k, b, **options)
    if as_json:
        labels: list[Any] = list(range(len(W))) if names is None else names
        print_json(description, "tops", iter([[[labels[i] for i in top] for top in tops]]), list)
        return
    separator = " " if names is None else " > " if ordered else ", "
    write_out(ranking_lines(tops, names or list(map(str, range(len(W)))), separator))


def _list_rankings(
    question: tuple[Any, Any], description: dict[str, Any], options: dict[str, Any]
) -> None:
    """Write the rankings to a file, or print them block by block."""
    from arrangements import iter_rankings
    from arrangements import rankings as list_rankings
    from arrangements.files import text_rankings, write_rankings

    as_json, output = options.pop("as_json"), options.pop("output")
    if output is None:
        blocks = iter_rankings(*question, **options)
        if as_json:
            print_json(description, "rankings", blocks, _ranking_entries)
        for block in () if as_json else blocks:
            write_out(text_rankings(block))
        return
    if output.lower().endswith(".npz"):
        found = list_rankings(*question, **options)
        found.save(output)
        written = len(found)
    else:
        written = write_rankings(output, iter_rankings(*question, **options))
    if as_json:
        write_out(json.dumps(description | {"count": written, "output": output}) + "\n")


def _ranking_entries(block: "Rankings") -> list[Any]:
    names: Any = block.label_names if block.is_named else list(map(int, block.label_names))
    return [[names[label] for label in row] for row in block.to_array().tolist()]
