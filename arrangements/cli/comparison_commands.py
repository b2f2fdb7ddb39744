"""The command that compares two models."""

from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import MATRIX, Input, Region, matrix_options, region_options
from arrangements.cli.options import FILE, POSITIVE, add_options, json_option, workers_option
from arrangements.cli.output import print_result, show_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrangements.models.comparison import ModelComparison

_OUTPUTS = {"sets": "label sets", "rankings": "rankings", "tops": "top labels"}


def _model_options(number: str) -> "Callable[[Any], Any]":
    """Options of model A or B."""
    end = "" if number == "A" else "-b"
    names = click.option(
        f"--labels{end}", metavar="FILE", type=FILE, help=f"Names of labels of {number}."
    )
    return lambda command: add_options(command, *matrix_options(end, f" of {number}"), names)


@click.command()
@click.argument("file", metavar="A", type=MATRIX)
@click.argument("file_b", metavar="B", type=MATRIX)
@click.option(
    "--of",
    "outputs",
    type=click.Choice(tuple(_OUTPUTS)),
    required=True,
    multiple=True,
    help="Label sets (sigmoid), rankings (softmax), or labels on top; may be repeated.",
)
@click.option("--top-k", "k", type=POSITIVE, metavar="K", help="With --of tops: sets of K labels.")
@_model_options("A")
@_model_options("B")
@region_options
@click.option(
    "--most-listed",
    type=click.IntRange(min=0),
    default=1_000_000,
    show_default=True,
    help="List all outputs if there are at most this many; otherwise sample.",
)
@click.option(
    "--inputs", type=POSITIVE, default=1000, show_default=True, help="Random inputs if sampled."
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Most examples to show of each model.",
)
@workers_option()
@json_option
def compare(
    file: str,
    file_b: str,
    outputs: tuple[str, ...],
    k: int | None,
    region: Region,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what only one of two models can output, with an input and a proof for each example.

    A and B hold a row per label: numbers (.npy, .csv, ..), a model, or - for one of them. With
    names for both, these tell which rows belong together. All outputs are listed, or if there are
    too many, those at random inputs are compared; --json has the inputs.
    """
    if k is not None and "tops" not in outputs:
        raise click.UsageError("--top-k needs --of tops.")
    if file == file_b == "-":
        raise click.UsageError("A and B cannot both be standard input.")
    models = [_model(file, options, ""), _model(file_b, options, "_b")]
    from arrangements import compare as ask

    within = region.polyhedron(models[0].dimension)
    options |= {"progress": show_progress(), "rng": 0, "within": within}
    found = []
    for name in dict.fromkeys(outputs):
        options |= {"outputs": _OUTPUTS[name], "k": k if k and name == "tops" else 1}
        found.append(ask(*models, **options))
    records = [_to_record(one) for one in found]
    record = records[0] if len(found) == 1 else {"comparisons": records}
    print_result(as_json, "\n".join(map(_format, found)), record)


def _model(file: str, options: dict[str, Any], end: str) -> Any:
    from arrangements.models import SoftmaxClassifier

    keys = ("key", "transpose", "offsets", "offsets_key", "labels")
    source = Input(file, **{key: options.pop(f"{key}{end}") for key in keys})
    names = source.names()
    # this class takes zero rows and equal rows; --of says which outputs are compared
    return SoftmaxClassifier(*source.arrays(), names)


def _format(found: "ModelComparison") -> str:
    lines = [found.summary()]
    for i, examples in enumerate(found.examples, 1):
        separator, around = (" > ", "{}") if found.outputs == "rankings" else (", ", "{{{}}}")
        outputs = (around.format(separator.join(example.names)) for example in examples)
        lines += [f"model {i} alone has {output}" for output in outputs]
    return "\n".join(lines) + "\n"


def _to_record(found: "ModelComparison") -> dict[str, Any]:
    from arrangements.exact.text import exact_text

    return {
        "outputs": found.outputs,
        "within": None if found.within is None else repr(found.within),
        "method": found.method,
        "same": found.same,
        "numbers": found.numbers,
        "only": found.only,
        "shares": found.shares,
        "intervals": found.intervals,
        "examples": [
            [{"names": e.names, "input": list(map(exact_text, e.input))} for e in examples]
            for examples in found.examples
        ],
    }
