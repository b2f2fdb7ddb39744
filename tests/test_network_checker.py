"""The checker of certificates about networks: what is proved, and that nothing false is."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, network_checker, write_certificate
from arrangements.networks import (
    Layer,
    Network,
    can_output,
    differing_input,
    maximum,
    minimum,
    other_class,
    path,
    robust_radius,
)

Lines = list[Any]
NET = Network([([[1, 1], [1, -1]], [0, -1]), ([[1, -3], [0, 1], [0, 0]], [0, 0, 0.25])])
BOX = Polyhedron.box(-1, 1, dimension=2)
ANSWERS = {
    "feasible": lambda: can_output(NET, 0, within=BOX),
    "infeasible": lambda: can_output(NET, ranking=[1, 0], within=BOX),
    "signs": lambda: can_output(NET, signs="-+*", within=BOX),
    "largest": lambda: maximum(NET, 0, minus=1, within=BOX),
    "least": lambda: minimum(NET, [1, 2, 3], within=BOX),
    "simplex": lambda: maximum(NET, [1, 1, 1, 7], within=Polyhedron.simplex(2)),
    "triangle": lambda: minimum(NET, 0, within=([[1, 1], [-1, 0], [0, -1]], [1, 0.5, 0.5])),
    "empty": lambda: can_output(NET, 0, within=([[1, 1], [-1, -1], [1, 0]], [0, -1, 0])),
    "robust": lambda: other_class(NET, [1, 1], Fraction(1, 9), within=BOX),
    "not robust": lambda: other_class(NET, [1, 1], 2),
    "max-norm": lambda: robust_radius(NET, [1, 1], within=BOX),
    "l1-norm": lambda: robust_radius(NET, [1, 1], norm="l1"),
    "equal": lambda: differing_input(
        Network([([[1], [-1]], None), ([[1, 1]], None)]),
        Network([([[2]], None), ([[1]], None), Layer([[1, -1]], inputs=[1, "x"])]),
        within=Polyhedron.box(-1, 1, dimension=1),
    ),
    "leaky": lambda: maximum(
        Network([Layer([[1, 2], [3, -1]], [0, 1], slope=[0.25, -1]), ([[1, -2]], None)]),
        0,
        within=BOX,
    ),
}


def lines_of(answer: Any, folder: Path) -> Lines:
    write_certificate(answer, folder / "proof.jsonl")
    return [json.loads(line) for line in (folder / "proof.jsonl").read_text().splitlines()]


def is_proved(lines: Lines) -> bool:
    try:
        return bool(list(network_checker.check(map(json.dumps, lines))))
    except Exception:
        return False


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_proved(name: str, tmp_path: Path) -> None:
    answer = ANSWERS[name]()
    assert answer.verify()
    assert is_proved(lines_of(answer, tmp_path))
    assert network_checker.main(str(tmp_path / "proof.jsonl")) == 0


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", KINDS)
def test_random_networks(kind: str, tmp_path: Path) -> None:
    network = random_network(kind, np.random.default_rng(1), 2, [4, 3])
    best = maximum(network, 0, within=BOX)
    assert is_proved(lines_of(best, tmp_path))


def changed(value: Any, rng: np.random.Generator) -> Any:
    """Another value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + int(rng.choice([-1, 1, 3, -7]))
    if value is None:
        return 0
    if isinstance(value, str):
        try:
            return (float.fromhex(value) + float(rng.choice([-1, 1, 2.0**-20]))).hex()
        except ValueError:
            return "1/3"
    return None


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the numbers and words of a line are."""
    if isinstance(value, dict):
        return [p for key, item in value.items() for p in places(item, (*before, key))]
    if isinstance(value, list):
        return [p for key, item in enumerate(value) for p in places(item, (*before, key))]
    return [before]


def put(value: Any, place: tuple[Any, ...], new: Any) -> None:
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new


def old(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def tent_case(seed: int) -> tuple[Network, Fraction]:
    """A network of one input and output, and its largest value between -1 and 2."""
    rng = np.random.default_rng(seed)
    network = random_network(KINDS[seed % len(KINDS)], rng, 1, [3, 2])
    return network, max(network.forward(point)[0] for point in path(network, [-1], [2]).points)


@pytest.mark.parametrize("seed", range(12))
def test_no_false_bound_is_proved(seed: int, tmp_path: Path) -> None:
    """A file whose numbers are changed proves only what is true."""
    network, best = tent_case(seed)
    answer = maximum(network, 0, within=Polyhedron.box(-1, 2, dimension=1))
    assert answer.value == best
    lines = lines_of(answer, tmp_path)
    rng = np.random.default_rng(seed)
    # it claims that nothing exceeds a value
    claim = next(i for i, line in enumerate(lines) if "claim" in line)
    for value in (best - Fraction(1, 10**6), best, best + 1):
        row = [1, f"{-value.numerator}/{value.denominator}"]
        lines[claim] = {"claim": "none", "cases": [[[row, True]]]}
        assert is_proved(lines) == (value >= best)
    for value in (best - Fraction(1, 10**6), best - 1):
        lines[claim]["cases"][0][0][0][1] = f"{-value.numerator}/{value.denominator}"
        spots = [(i, p) for i in range(claim + 1, len(lines)) for p in places(lines[i])]
        for _ in range(60):
            copy = json.loads(json.dumps(lines))
            for _ in range(int(rng.integers(1, 4))):
                i, place = spots[int(rng.integers(len(spots)))]
                put(copy[i], place, changed(old(copy[i], place), rng))
            assert not is_proved(copy)


@pytest.mark.parametrize("name", ["infeasible", "largest", "max-norm", "l1-norm", "simplex"])
def test_damaged_files(name: str, tmp_path: Path) -> None:
    """Lines that are left out, doubled or exchanged, and values of other types."""
    lines = lines_of(ANSWERS[name](), tmp_path)
    for i in range(len(lines)):
        assert not is_proved(lines[:i] + lines[i + 1 :])
        assert not is_proved(lines[: i + 1] + lines[i:])
    assert not is_proved([*lines, {}])
    statement = next(i for i, line in enumerate(lines) if "claim" in line)
    for place in places(lines[statement]):
        copy = json.loads(json.dumps(lines))
        put(copy[statement], place, {"a": 1})
        assert not is_proved(copy)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("largest", ("value", "9/2")),
        ("largest", ("point", [0, 0])),
        ("largest", ("point", [2, 2])),
        ("max-norm", ("point", [1, 1])),
        ("max-norm", ("label", 1)),
        ("feasible", ("point", [-1, 1])),
        ("feasible", ("point", [7, 7])),
        ("infeasible", ("claim", "point")),
        ("infeasible", ("claim", "all")),
    ],
)
def test_false_claims(name: str, change: tuple[str, Any], tmp_path: Path) -> None:
    lines = lines_of(ANSWERS[name](), tmp_path)
    claim = next(line for line in lines if "claim" in line)
    claim[change[0]] = change[1]
    assert not is_proved(lines)


def test_a_larger_radius_is_not_proved(tmp_path: Path) -> None:
    lines = lines_of(ANSWERS["max-norm"](), tmp_path)
    inputs = next(line for line in lines if "ball" in line)
    claim = next(line for line in lines if "claim" in line)
    claim["point"] = None
    assert is_proved(lines)
    inputs["ball"]["open"] = False
    assert not is_proved(lines)
    inputs["ball"]["open"] = True
    radius = (
        Fraction(inputs["ball"]["radius"])
        if "x" not in str(inputs["ball"]["radius"])
        else (Fraction(float.fromhex(inputs["ball"]["radius"])))
    )
    larger = radius + Fraction(1, 10**9)
    inputs["ball"]["radius"] = f"{larger.numerator}/{larger.denominator}"
    assert not is_proved(lines)


def test_what_is_not_decided_is_not_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = ((4, 9), (9, 9), (9, 2))
    network = Network([(rng.standard_normal((n, m)), rng.standard_normal(n)) for m, n in sizes])
    found = maximum(network, 0, within=Polyhedron.box(-2, 2, dimension=4), limit=1)
    if found.gap:
        with pytest.raises(ArrangementError, match="is not decided"):
            write_certificate(found, tmp_path / "proof.jsonl")
    with pytest.raises(ArrangementError, match="leave W out"):
        write_certificate(ANSWERS["largest"](), tmp_path / "proof.jsonl", W=[[1]])


def test_it_runs_alone(tmp_path: Path) -> None:
    source = Path(network_checker.__file__)
    copy = tmp_path / "checker_alone.py"
    copy.write_text(source.read_text("utf-8"), encoding="utf-8")
    write_certificate(ANSWERS["infeasible"](), tmp_path / "proof.jsonl")
    command = [sys.executable, "-I", str(copy)]
    good = subprocess.run([*command, str(tmp_path / "proof.jsonl")], capture_output=True, text=True)
    assert good.returncode == 0 and good.stdout.startswith("claim 1 is proved: no input meets")
    bad = subprocess.run([*command, str(source)], capture_output=True, text=True)
    assert bad.returncode == 1 and bad.stdout.startswith("NOT PROVED")
    assert subprocess.run(command, capture_output=True).returncode == 2
    names = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert names <= set(sys.stdlib_module_names)
