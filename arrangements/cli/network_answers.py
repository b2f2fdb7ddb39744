"""What ``network`` prints about outputs: answers, exact inputs, and how sure they are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import read_rows
from arrangements.cli.output import show_progress

if TYPE_CHECKING:
    from arrangements.networks import Network

Answer = tuple[str, dict[str, Any]]


def answer_about_outputs(
    net: "Network", within: Any, asked: dict[str, Any], time_limit: float | None
) -> Answer:
    """The answer to the one question that was asked, as text and for JSON."""
    ((name, value),) = asked.items()
    options: Any = {"time_limit": time_limit, "progress": show_progress()}
    if name == "robust":
        rows, _ = read_rows(value)
        return _robust(net, rows, options | {"within": within})
    if name == "property":
        if within is not None:
            raise click.UsageError("--property has its own inputs: leave out --box and --within.")
        return _property(net, value, options)
    if within is None:
        raise click.UsageError(f"--{name} asks about bounded inputs: pass --box or --within.")
    if name == "can":
        return _can(net, value, options | {"within": within})
    best = net.maximum if name == "max" else net.minimum
    found = best(value, **options, within=within)
    point = _texts(found.point)
    lines = [("value", _number(found.value)), ("input", " ".join(point))]
    if found.gap:
        lines.insert(1, ("bound", _number(found.bound)))
    record = {"value": str(found.value), "bound": str(found.bound), "point": point}
    return _lines(lines), record


def _can(net: "Network", label: int, options: dict[str, Any]) -> Answer:
    found = net.can_output(label, **options)
    return _certificate(found.feasible, found.point)


def _certificate(feasible: bool | None, point: Any) -> Answer:
    word = {True: "yes", False: "no", None: "not known"}[feasible]
    lines = [("answer", word)]
    at = None if point is None else _texts(point)
    if at is not None:
        lines.append(("input", " ".join(at)))
    return _lines(lines), {"feasible": feasible, "point": at}


def _property(net: "Network", path: str, options: dict[str, Any]) -> Answer:
    from arrangements.exchange import from_vnnlib
    from arrangements.files.paths import read_bytes

    text = read_bytes(path).decode("utf-8", "replace")
    found = net.counterexamples(from_vnnlib(text), **options)
    known = [one for one in found if one.feasible]
    answers = {one.feasible for one in found}
    feasible = True if known else None if None in answers else False
    return _certificate(feasible, known[0].point if known else None)


def _robust(net: "Network", rows: Any, options: dict[str, Any]) -> Answer:
    """A line for each input: its class, the radius or its interval, and the other class."""
    text, records = "", []
    for row in rows:
        found = net.robust_radius(row, **options)
        ends = [_number(end) for end in (found.lower, found.upper)]
        radius = ends[0] if found.lower == found.upper else " to ".join(ends)
        other = "" if found.other is None else f"  to class {found.other}"
        text += f"class {found.label}  radius {radius}{other}\n"
        point = None if found.point is None else _texts(found.point)
        record = {"label": found.label, "lower": str(found.lower), "upper": str(found.upper)}
        records.append({**record, "other": found.other, "point": point})
    return text, {"radii": records}


def _lines(lines: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{name:<8}{text}\n" for name, text in lines)


def _texts(point: Sequence[Any]) -> list[str]:
    return [str(entry) for entry in point]


def _number(value: Any) -> str:
    """A fraction, and as a decimal if it is long."""
    text = str(value)
    return text if len(text) <= 12 else f"{float(value):.9g} ({text})"
