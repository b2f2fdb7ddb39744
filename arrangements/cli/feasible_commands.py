"""The command that asks about one sign vector."""

import re

import click

from arrangements.cli.inputs import Input, Region, input_options, region_options
from arrangements.cli.options import certificate_option, check_certificate, json_option, rank_option
from arrangements.cli.output import print_result, table

_SIGNS = re.compile(r"[-+*0]+")
# Stands for the first - of a pattern while click looks for options.
_MINUS = "\u2212"


class _WithSigns(click.Command):
    """A command whose last argument may begin with - and is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        written = [
            _MINUS + arg[1:] if _is_pattern(arg, args[i + 1 :]) else arg
            for i, arg in enumerate(args)
        ]
        return super().parse_args(ctx, written)


def _is_pattern(arg: str, after: list[str]) -> bool:
    """Whether an argument is a pattern that looks like an option; ``--`` may end the options."""
    if arg == "--" and any(_SIGNS.fullmatch(other) for other in after):
        return False
    return len(arg) > 1 and arg[0] == "-" and _SIGNS.fullmatch(arg) is not None


def _restore_minus(ctx: click.Context, param: click.Parameter, value: str) -> str:
    return value.replace(_MINUS, "-")


@click.command(cls=_WithSigns)
@input_options()
@click.argument("signs", metavar="SIGNS", callback=_restore_minus)
@rank_option
@region_options
@certificate_option
@json_option
def feasible(
    source: Input,
    signs: str,
    rank: int | None,
    region: Region,
    certificate: str | None,
    as_json: bool,
) -> None:
    """Say whether W x + b has these SIGNS for some x, such as ++-0*, and prove it.

    FILE holds W, a row per hyperplane or label: numbers (.npy, .csv, ..), a model, or -. SIGNS
    has a sign for each row, 0 for zero and * for any, and may begin with -. The proof is a point x,
    or weights of rows and of inequalities c - a @ x >= 0 of the polyhedron: the signs cannot be,
    since with the weights these functions, times their signs, sum to a number of at most zero.
    """
    check_certificate(certificate, *source.files, region.within)
    arrangement = source.arrangement()
    from arrangements import feasible as ask
    from arrangements import write_certificate
    from arrangements.core.signs import sign_text
    from arrangements.exact.text import exact_text

    P = region.polyhedron(arrangement.dimension)
    found = ask(arrangement, signs, rank=rank, within=P)
    if certificate is not None:
        write_certificate(found, certificate)
    record = {"signs": sign_text(found.signs), "feasible": found.feasible}
    if found.point is not None:
        point = list(map(exact_text, found.point))
        print_result(as_json, f"feasible\npoint {' '.join(point)}\n", {**record, "point": point})
    else:
        keys = ("row", "sign", "weight")
        rows = [(name, sign_text([sign]), exact_text(y)) for name, sign, y in found.terms]
        weights = [dict(zip(keys, row, strict=True)) for row in rows]
        print_result(as_json, f"infeasible\n{table(keys, rows)}", {**record, "weights": weights})
