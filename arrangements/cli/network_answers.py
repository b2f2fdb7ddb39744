"""What ``network`` prints about outputs: answers, exact inputs, and how sure they are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.inputs import read_rows
from arrangements.cli.output import show_progress
from arrangements.errors import InputError
from arrangements.messages import quote_path

if TYPE_CHECKING:
    from arrangements.networks import Network

Answer = tuple[str, dict[str, Any]]


def answer_about_outputs(
    net: "Network",
    within: Any,
    asked: dict[str, Any],
    options: dict[str, Any],
    certificate: str | None,
    names: list[str] | None,
) -> Answer:
    """The answer to the one question that was asked, as text and for JSON; also its proof."""
    ((name, value),) = asked.items()
    options = {**options, "progress": show_progress()}
    if name == "property":
        if within is not None:
            raise click.UsageError("--property has its own inputs: leave out --box and --within.")
        found = _counterexamples(net, value, options)
    elif name == "robust":
        rows, _ = read_rows(value)
        if certificate is not None and len(rows) != 1:
            raise click.UsageError(
                f"--certificate has one answer, and --robust asks about {len(rows)} inputs; "
                "give a file of one row."
            )
        with file_named(value):
            found = list(net.robust_radii(rows, **options, within=within))
    else:
        if within is None:
            raise click.UsageError(f"--{name} asks about bounded inputs: pass --box or --within.")
        ask = {"can": net.can_output, "max": net.maximum, "min": net.minimum}[name]
        found = [ask(value, **options, within=within)]
    if certificate is not None:
        from arrangements import write_certificate

        if len(found) > 1:
            raise click.UsageError(
                f"--certificate has one answer, and the property has {len(found)} cases without a "
                "counterexample; write each with write_certificate in Python."
            )
        write_certificate(found[0], certificate)
    if name == "robust":
        return _radii(found, names)
    return _optimum(found[0]) if name in ("max", "min") else _certificate(found)


@contextmanager
def file_named(path: str) -> Iterator[None]:
    """Name the file of rows in what is refused about them."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{quote_path(path)}: {error}") from error


def read_names(path: str | None, net: "Network") -> list[str] | None:
    """Names of the outputs, of a file."""
    if path is None:
        return None
    from arrangements.files.names import load_names

    names, n = load_names(path), max(net.n_outputs, 2)
    if len(names) != n:
        raise InputError(
            f"{quote_path(path)} has {len(names)} names, and the network has {n} classes; "
            "expected as many."
        )
    return names


def class_name(label: int, names: list[str] | None) -> str:
    """The name of a class, or its number."""
    return str(label) if names is None else names[label]


def _optimum(found: Any) -> Answer:
    point = _texts(found.point)
    lines = [("value", _number(found.value)), ("input", " ".join(point))]
    if found.gap:
        lines.insert(1, ("bound", _number(found.bound)))
    record = {"value": str(found.value), "bound": str(found.bound), "point": point}
    return _lines(lines), record


def _certificate(found: Sequence[Any]) -> Answer:
    """The answer about some cases: the first that is feasible, if there is one."""
    known = next((one for one in found if one.feasible), None)
    feasible = True if known else None if any(one.feasible is None for one in found) else False
    lines = [("answer", {True: "yes", False: "no", None: "not known"}[feasible])]
    at = None if known is None else _texts(known.point)
    if at is not None:
        lines.append(("input", " ".join(at)))
    return _lines(lines), {"feasible": feasible, "point": at}


def _counterexamples(net: "Network", path: str, options: dict[str, Any]) -> list[Any]:
    """The answers about all cases of a property, or the first counterexample."""
    from arrangements.exchange import from_vnnlib
    from arrangements.files.paths import read_bytes

    text = read_bytes(path).decode("utf-8", "replace")
    found = net.counterexamples(from_vnnlib(text), **options)
    return next(([one] for one in found if one.feasible), list(found))


def _radii(found: Sequence[Any], names: list[str] | None) -> Answer:
    """A line for each input: its class, the radius or its interval, and the other class."""
    text, records = "", []
    for one in found:
        ends = [_number(end) for end in (one.lower, one.upper)]
        radius = ends[0] if one.lower == one.upper else " to ".join(ends)
        other = "" if one.other is None else f"  to class {class_name(one.other, names)}"
        text += f"class {class_name(one.label, names)}  radius {radius}{other}\n"
        point = None if one.point is None else _texts(one.point)
        record = {"label": one.label, "lower": str(one.lower), "upper": str(one.upper)}
        records.append({**record, "other": one.other, "point": point})
    return text, {"radii": records} | ({} if names is None else {"names": names})


def _lines(lines: Sequence[tuple[str, str]]) -> str:
    return "".join(f"{name:<8}{text}\n" for name, text in lines)


def _texts(point: Sequence[Any]) -> list[str]:
    return [str(entry) for entry in point]


def _number(value: Any) -> str:
    """A fraction, and as a decimal if it is long."""
    text = str(value)
    return text if len(text) <= 12 else f"{float(value):.9g} ({text})"
