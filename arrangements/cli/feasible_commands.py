"""The command that asks about one sign vector."""

import re
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.options import (
    certificate_option,
    check_certificate,
    load_arrangement,
    rank_option,
)
from arrangements.cli.output import print_summary, table, write_out

if TYPE_CHECKING:
    from arrangements.feasibility.certificates import Certificate

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


def _signs(ctx: click.Context, param: click.Parameter, value: str) -> str:
    return value.replace(_MINUS, "-")


@click.command(cls=_WithSigns)
@click.argument("file", metavar="FILE")
@click.argument("signs", metavar="SIGNS", callback=_signs)
@click.option("--key", help="Array of a FILE that holds several.")
@click.option("--offsets", metavar="FILE", help="Offsets b of W x + b; default zeros.")
@click.option("--offsets-key", help="Array of a file of offsets.")
@click.option("--labels", metavar="FILE", help="Names of the rows: a line each, or JSON.")
@rank_option
@certificate_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def feasible(
    file: str,
    signs: str,
    key: str | None,
    offsets: str | None,
    offsets_key: str | None,
    labels: str | None,
    rank: Any,
    certificate: str | None,
    as_json: bool,
) -> None:
    """Say whether W x + b has these SIGNS for some x, such as ++-*+, and prove it.

    FILE holds W, a row per hyperplane or label: .npy, .npz, .safetensors, .csv, .txt, or -. SIGNS
    has a sign for each row, * for either, and may begin with -. The proof is a point x, or
    weights of rows: the signs cannot be, since with the weights, W x with these signs sums to zero
    and b to at most zero.
    """
    check_certificate(certificate, file, offsets, labels)
    from arrangements.files.names import load_names

    names = None if labels is None else load_names(labels)
    arrangement = load_arrangement(file, key, offsets, offsets_key, names)
    from arrangements import feasible as ask
    from arrangements import write_certificate

    found = ask(arrangement, signs, rank=rank)
    if certificate is not None:
        write_certificate(found, certificate)
    if as_json:
        print_summary(_described(found))
    else:
        write_out(_text(found))


def _text(found: "Certificate") -> str:
    if found.point is not None:
        return f"feasible\npoint {' '.join(_point(found))}\n"
    proof = _proof(found)
    return f"infeasible\n{table(['row', 'sign', 'weight'], proof)}"


def _proof(found: "Certificate") -> list[tuple[str, str, str]]:
    """Name, sign and weight of each row that the proof uses."""
    from arrangements.core.labels import names_of
    from arrangements.core.signs import sign_text
    from arrangements.exact.numbers import exact_text

    assert found.weights is not None
    names = names_of(found.arrangement.labels, len(found.signs))
    return [
        (names[i], sign_text(found.signs[i : i + 1]), exact_text(found.weights[i]))
        for i in found.support
    ]


def _point(found: "Certificate") -> list[str]:
    from arrangements.exact.numbers import exact_text

    return list(map(exact_text, found.point or ()))


def _described(found: "Certificate") -> dict[str, Any]:
    from arrangements.core.signs import sign_text

    described: dict[str, Any] = {
        "signs": sign_text(found.signs),
        "feasible": found.feasible,
    }
    if found.point is not None:
        return described | {"point": _point(found)}
    keys = ("row", "sign", "weight")
    return described | {"weights": [dict(zip(keys, row, strict=True)) for row in _proof(found)]}
