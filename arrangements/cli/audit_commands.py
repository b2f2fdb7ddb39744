"""The command that audits the last layer of a model."""

import os
import warnings
from typing import Any

import click

from arrangements.cli.inputs import MATRIX, Input, Region, input_options, region_options
from arrangements.cli.options import (
    FILE,
    certificate_option,
    check_certificate,
    json_option,
    rank_option,
    time_limit_option,
    workers_option,
)
from arrangements.cli.output import print_result, say, show_progress
from arrangements.errors import InputError
from arrangements.messages import quote_path


@click.command()
@input_options(click.argument("file", metavar="WEIGHTS", type=MATRIX))
@click.option("--pairs", is_flag=True, help="Also which pairs of labels can be the two best.")
@click.option(
    "--sets", metavar="FILE", type=FILE, help="Also which of these label sets are possible."
)
@click.option(
    "--sigmoid", is_flag=True, help="Also which labels can be on, off and alone, and which pairs."
)
@click.option(
    "--repairs", is_flag=True, help="Also how little would let each label win that cannot."
)
@click.option(
    "--leads", is_flag=True, help="Also by how much labels can lead: takes minutes for 30,000."
)
@click.option(
    "--radius", type=click.FloatRange(min=0, min_open=True), help="Largest length of an input."
)
@click.option(
    "--inputs",
    metavar="X",
    type=FILE,
    help="Inputs that exist, a row each: which labels win there.",
)
@click.option(
    "--against",
    metavar="BEFORE",
    type=FILE,
    help="Say what changed since this report, a .json file that -o has written.",
)
@region_options
@rank_option
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=FILE,
    help="Write the report to a .html, .md or .json file; with --against the changes, except to "
    ".json.",
)
@certificate_option
@click.option("--resume", is_flag=True, help="Go on with an audit that was interrupted.")
@workers_option()
@time_limit_option(help="Leave undecided what takes longer.")
@json_option
def audit(
    source: Input,
    sets: str | None,
    region: Region,
    output: str | None,
    resume: bool,
    certificate: str | None,
    as_json: bool,
    leads: bool,
    inputs: str | None,
    against: str | None,
    **options: Any,
) -> None:
    """Say which labels of a model can win, and what holds the others down.

    WEIGHTS is the file or the folder of a model, or has a row per label: numbers (.npy, .csv, .txt,
    ..), or -. Labels have the names that come with it, or those of --labels. --sets FILE has label
    sets of a sigmoid classifier: names in lines (.csv), JSON lines (.jsonl), or a 0/1 matrix, dense
    (.npy, .csv, ..) or sparse (.npz of SciPy). With -o OUT, Ctrl-C keeps what is decided in
    OUT.part, and --resume goes on with that. --certificate decides the same questions once more,
    with proofs.
    """
    check_certificate(certificate, *source.files, sets, output)
    if certificate is not None and sets is not None and options["rank"] is not None:
        raise click.UsageError(
            "--certificate is about one matrix, and with --rank labels and --sets are about two: "
            "leave out one of these options."
        )
    from arrangements.models.audit_report import check_report

    if output is not None:
        from arrangements.files.paths import check_writable

        check_report(output)
        check_writable(output)
    elif resume:
        raise click.UsageError("--resume needs -o OUT, beside which an audit is kept.")
    options["checkpoint"] = _checkpoint(output, resume)
    options |= _question(source, sets)
    options["leads"] = "exact" if leads else None
    if inputs is not None:
        from arrangements.files.matrices import load_matrix

        options["inputs"] = load_matrix(inputs)
    before = None if against is None else _earlier(against)
    options["within"] = region.polyhedron(options["W"].shape[1])
    from arrangements import audit as ask

    options |= {"source": source.text()}
    try:
        found = ask(progress=show_progress(), **options)
    except (KeyboardInterrupt, MemoryError):
        _announce_checkpoint(options["checkpoint"])
        raise
    changed = None if before is None else found.changes_since(before)
    if output is not None:  # the next audit may be against this one
        page = not output.lower().endswith(".json")
        (changed if changed is not None and page else found).save(output)
    if certificate is not None:
        _write_certificate(certificate, options)
    if changed is None:
        print_result(as_json, "" if output else f"{found.summary()}\n", found.to_dict())
    else:
        print_result(as_json, f"{changed.summary()}\n", changed.to_dict())


def _earlier(path: str) -> dict[str, Any]:
    """The report that a .json file holds."""
    import json

    from arrangements.files.atomic import name_errors

    with name_errors(path), open(path, "rb") as stream:
        text = stream.read()
    try:
        found = json.loads(text)
        known = {"source", "labels", "facts"} <= set(found)
    except (ValueError, TypeError):
        known = False
    if not known:
        raise InputError(
            f"{quote_path(path)} holds no report; expected a .json file of arrangements audit -o."
        )
    return dict(found)


def _write_certificate(path: str, question: dict[str, Any]) -> None:
    """Write which labels can win, and which sets are possible, with proofs."""
    from arrangements import can_be_top, feasible_many, write_certificate
    from arrangements.core.rows import read_rows
    from arrangements.errors import LowRankWarning
    from arrangements.models.meant_rows import rank_of_differences

    W, b, rank = question["W"], question["offsets"], question["rank"]
    of_labels = rank if rank is None else rank_of_differences(read_rows(W), rank)
    effort = {key: question[key] for key in ("within", "workers", "time_limit")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LowRankWarning)  # the audit has warned
        proofs = [can_be_top(W, [[i] for i in range(len(W))], offsets=b, rank=of_labels, **effort)]
        if question["sets"]:
            proofs.append(feasible_many(W, offsets=b, on=question["sets"], **effort))
    write_certificate(proofs, path)


def _checkpoint(output: str | None, resume: bool) -> str | None:
    """The file that keeps what is decided."""
    if output is None:
        return None
    path = f"{output}.part"
    if os.path.exists(path) and not resume:
        raise InputError(
            f"{quote_path(path)} keeps an audit that was interrupted: pass --resume to go on with "
            "it, or remove it."
        )
    return path


def _announce_checkpoint(path: str | None) -> None:
    if path is not None and os.path.exists(path):
        text = f"arrangements: what is decided is kept in {quote_path(path)}; go on with --resume"
        say(text)


def _question(source: Input, sets: str | None) -> dict[str, Any]:
    """Weights, offsets, labels and sets, read and found to belong together."""
    from arrangements.files.label_sets import load_label_sets

    labels, (W, b) = source.names(), source.arrays()
    question = None
    if sets is not None:
        question = load_label_sets(sets, len(W), None if labels is None else tuple(labels))
    return {"W": W, "offsets": b, "labels": labels, "sets": question}
