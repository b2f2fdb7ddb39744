"""Commands about the paper."""

import shlex
from pathlib import Path
from typing import Any

import click

from arrangements.cli.options import certificate_option, check_certificate, json_option
from arrangements.cli.output import (
    announce_compilation,
    print_result,
    say,
    show_progress,
    write_out,
)

FAILED = 1


@click.command()
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    help="Only statements with NAME in their name, such as 5.3; repeatable.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Seed of the random matrices.",
)
@click.option("--n", type=int, default=24, show_default=True, help="Most rows of a matrix.")
@click.option("--d", type=int, default=4, show_default=True, help="Most columns of a matrix.")
@click.option(
    "--samples", type=int, default=2, show_default=True, help="Random matrices of each kind."
)
@json_option
@certificate_option
@click.option("--report", metavar="DIR", help="Write report.md and figures into this folder.")
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    only: tuple[str, ...],
    seed: int,
    as_json: bool,
    report: str | None,
    certificate: str | None,
    **options: Any,
) -> None:
    """Check the statements of the paper on cosine similarity (arXiv:2603.29488), exactly.

    One line for each: result, name, cases, time, what was checked. The random matrices have up
    to N rows and D columns; rankings are those of N / 2 labels. The exit status is 1 if a
    statement fails, and the line shows the failing case in full. The first run takes about
    40 s, most of it compilation; later ones take about ten seconds. A certificate holds the
    counter-examples, of appendix C and of theorems 5.5 and H.1.
    """
    announce_compilation()
    check_certificate(certificate)
    from arrangements.files.paths import check_name
    from arrangements.paper.report import result_line, write_report
    from arrangements.paper.verification import verify as check

    checks = check(only or None, rng=seed, progress=show_progress(), **options)
    if report is not None:
        check_name(report)
        Path(report).mkdir(parents=True, exist_ok=True)  # better now than after the checks
    results = []
    for result in checks:
        results.append(result)
        if not as_json:
            write_out(result_line(result) + "\n")
    holds = all(result.ok for result in results)
    print_result(as_json, "", {"holds": holds, "statements": [r._asdict() for r in results]})
    if report is not None:
        arguments = [f"--{name}={value}" for name, value in (options | {"seed": seed}).items()]
        arguments += [f"--only={part}" for part in only]
        path = write_report(report, results, shlex.join(["arrangements", "verify", *arguments]))
        say(f"arrangements: wrote {path}")
    if not holds:
        ctx.exit(FAILED)
    if certificate is not None:
        from arrangements import write_certificate

        write_certificate(results, certificate)
