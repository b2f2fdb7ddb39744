"""The checker of certificates about networks: what is proved, and that nothing false is."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutants import Source
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, network_checker, write_certificate
from arrangements.networks import (
    Layer,
    Network,
    can_output,
    decision_regions,
    differing_input,
    is_monotone,
    lipschitz_constant,
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
    "different": lambda: differing_input(
        NET, Network([([[1, 1], [1, -1]], [0, -1]), ([[1, -3], [0, 1], [0, 1]], None)]), within=BOX
    ),
    "steepest": lambda: lipschitz_constant(NET, within=BOX),
    "steepest in l1": lambda: lipschitz_constant(NET, 0, minus=1, norm="l1", within=BOX),
    "steepest in a triangle": lambda: lipschitz_constant(
        NET, 0, within=([[1, 1], [-1, 0], [0, -1]], [1, 0.5, 0.5])
    ),
    "monotone": lambda: is_monotone(NET, 1, 1, decreasing=True, within=BOX),
    "not monotone": lambda: is_monotone(NET, 1, 0, decreasing=True, within=BOX),
    "flat cells": lambda: lipschitz_constant(TIES, within=BOX),
    "monotone, flat cells": lambda: is_monotone(TIES, 0, 0, within=BOX),
    "rays": lambda: can_output(CONE, signs="+", within=BOX),
    "rays to sides": lambda: maximum(CONE, 0, within=TRIANGLE),
    "rays to more than 0": lambda: maximum(HAT, 0, within=TRIANGLE),
    "rays of gradients": lambda: lipschitz_constant(CONE, within=TRIANGLE),
}
# without biases; minus |x - y|, which bounds at 0 do not say
CONE = Network([([[1, -1], [-1, 1], [2, -2], [-2, 2]], None), ([[1, 1, -1, -1]], None)])
# 0 is the best value where the search begins, and 2/3 at a corner
HAT = Network(
    [
        ([[2, 2], [1, 2], [2, -2]], None),
        ([[-2, 2, -2], [2, 2, 2], [-1, -2, 0]], None),
        ([[2, -1, 2]], None),
    ]
)
TRIANGLE = ([[1, 1], [-2, 1], [1, -2]], [1, 1, 0.5])
# the second unit is a multiple of the first one, and the last one is zero everywhere
TIES = Network(
    [
        ([[1, 1], [-2, -2], [1, -1], [0, 0]], None),
        ([[1, 5, 1, 9], [1, 1, 1, 1]], None),
        ([[1, 1]], None),
    ]
)


def lines_of(answer: Any, folder: Path) -> Lines:
    write_certificate(answer, folder / "proof.jsonl")
    return [json.loads(line) for line in (folder / "proof.jsonl").read_text().splitlines()]


def is_proved(lines: Lines) -> bool:
    try:
        return bool(list(network_checker.check(map(json.dumps, lines))))
    except Exception:
        return False


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_proved(name: str, tmp_path: Path) -> None:
    answer = ANSWERS[name]()
    assert answer.verify()
    assert is_proved(lines_of(answer, tmp_path))
    assert network_checker.main(str(tmp_path / "proof.jsonl")) == 0


def classes_of(lines: Lines) -> dict[str, str]:
    """What the claims of a file say, each with its verdict."""
    said = [line["claim"] for line in lines if "claim" in line]
    verdicts = [v.split(": ")[1] for v in network_checker.check(map(json.dumps, lines))]
    return dict(zip(said, verdicts, strict=True))


YES, NO = "an input meets all conditions", "no input meets a case"


def test_which_classes_occur(tmp_path: Path) -> None:
    never = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1], [-1, -1]], [0, 0, 0])])
    lines = lines_of(decision_regions(never, within=BOX), tmp_path)
    wanted = {"class 0 occurs": YES, "class 1 occurs": YES, "class 2 does not occur": NO}
    assert classes_of(lines) == wanted
    lines[-1] = {"end": 2}
    assert not is_proved(lines)
    with pytest.raises(ArrangementError, match="not bounded"):  # no proof that class 2 does not
        lines_of(decision_regions(never), tmp_path)
    assert classes_of(lines_of(decision_regions(NET), tmp_path)) == {
        f"class {k} occurs": YES for k in range(3)
    }
    flat = Polyhedron([[1, 0], [-1, 0]], [1, 1], equations=([[1, -1]], [0]))
    assert classes_of(lines_of(decision_regions(never, within=flat), tmp_path)) == {
        f"class {k} does not occur": NO for k in range(3)
    }

    triangle = ([[1, 1], [-1, 0], [0, -1]], [1, 0, 0])  # sides of a box follow from its rows
    assert classes_of(lines_of(decision_regions(never, within=triangle), tmp_path)) == wanted
    sign = Network([([[1], [-1]], None), ([[1, 1]], None)])  # |x|
    line = Polyhedron.box(-1, 1, dimension=1)
    assert classes_of(lines_of(decision_regions(sign, within=line), tmp_path)) == {
        "class 0 does not occur": NO,
        "class 1 occurs": YES,
    }
    with pytest.raises(ArrangementError, match="is not complete; ask again"):
        lines_of(decision_regions(NET, within=BOX, limit=1), tmp_path)
    with pytest.raises(ArrangementError, match="has no inputs"):
        lines_of(decision_regions(NET, within=([[1, 0], [-1, 0]], [0, -1])), tmp_path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_which_classes_of_random_networks_occur(kind: str, tmp_path: Path) -> None:
    network = random_network(kind, np.random.default_rng(2), 2, [4, 3])
    network = Network([*network.layers[:-1], Layer(np.eye(4, network.layers[-2].n_outputs), None)])
    found = decision_regions(network, within=BOX)
    verdicts = classes_of(lines_of(found, tmp_path))
    assert [verdict == YES for verdict in verdicts.values()] == [
        k in found.classes for k in range(4)
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_random_networks(kind: str, tmp_path: Path) -> None:
    network = random_network(kind, np.random.default_rng(1), 2, [4, 3])
    best = maximum(network, 0, within=BOX)
    assert is_proved(lines_of(best, tmp_path))
    found = lipschitz_constant(network, within=BOX)
    assert found.verify() and is_proved(lines_of(found, tmp_path))


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


def claim_in(lines: Lines) -> int:
    """Where the claim is."""
    return next(i for i, line in enumerate(lines) if "claim" in line)


def value_text(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def damaged(lines: Lines, rng: np.random.Generator, first: int, most: int = 3) -> Lines:
    """The lines with some numbers changed, from line `first` on."""
    copy = json.loads(json.dumps(lines))
    spots = [(i, p) for i in range(first, len(lines)) for p in places(lines[i])]
    for _ in range(int(rng.integers(1, most + 1))):
        i, place = spots[int(rng.integers(len(spots)))]
        put(copy[i], place, changed(old(copy[i], place), rng))
    return copy


def tent_case(seed: int) -> tuple[Network, Fraction]:
    """A network of one input and output, and its largest value between -1 and 2."""
    rng = np.random.default_rng(seed)
    network = random_network(KINDS[seed % len(KINDS)], rng, 1, [3, 2])
    return network, max(network.forward(point)[0] for point in path(network, [-1], [2]).points)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(12))
def test_no_false_bound_is_proved(seed: int, tmp_path: Path) -> None:
    """A file whose numbers are changed proves only what is true."""
    network, best = tent_case(seed)
    answer = maximum(network, 0, within=Polyhedron.box(-1, 2, dimension=1))
    assert answer.value == best
    lines = lines_of(answer, tmp_path)
    rng = np.random.default_rng(seed)
    # it claims that nothing exceeds a value
    claim, output = claim_in(lines), lines[1]["units"] - 1
    for value in (best - Fraction(1, 10**6), best, best + 1):
        lines[claim] |= {"point": None, "cases": [[[[[output, 1]], value_text(-value), True]]]}
        assert is_proved(lines) == (value >= best)
    for value in (best - Fraction(1, 10**6), best - 1):
        lines[claim]["cases"][0][0][1] = value_text(-value)
        for _ in range(60):
            assert not is_proved(damaged(lines, rng, claim + 1))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(12))
def test_no_false_gradient_is_proved(seed: int, tmp_path: Path) -> None:
    """Against the largest slope of all pieces of a network of one input."""
    rng = np.random.default_rng(seed)
    network, _ = tent_case(seed)
    pieces = path(network, [-1], [2])
    steps = pairwise(
        zip([p[0] for p in pieces.points], map(network.forward, pieces.points), strict=True)
    )
    slopes = [(b[0] - a[0]) / (y - x) for (x, a), (y, b) in steps]
    within = Polyhedron.box(-1, 2, dimension=1)
    found = lipschitz_constant(network, within=within)
    assert found.value == max(map(abs, slopes))
    rising = is_monotone(network, 0, 0, within=within)
    assert bool(rising) == (min(slopes) >= 0)
    lines = lines_of(found, tmp_path)
    claim = claim_in(lines)
    assert is_proved(lines) and is_proved(lines_of(rising, tmp_path))
    lines[claim]["point"] = None
    for value in (found.value - Fraction(1, 10**6), found.value, found.value + 1):
        lines[claim]["gradient"]["value"] = value_text(value)
        assert is_proved(lines) == (value >= found.value)
    lines[claim]["gradient"]["value"] = value_text(found.value - Fraction(1, 10**6))
    for _ in range(60):
        assert not is_proved(damaged(lines, rng, claim + 1))
    # a point proves only the slope that it has
    lines = [*lines[: claim + 1], lines[-1]]
    lines[claim] |= {"cases": [], "point": [value_text(found.point[0])]}
    for value in (found.value, found.value / 2, found.value + 1):
        lines[claim]["gradient"]["value"] = value_text(value)
        assert is_proved(lines) == (value == found.value)
    for x in {x for (x,) in pieces.points}:  # bends and ends have no slope
        lines[claim]["point"] = [value_text(x)]
        assert not is_proved(lines)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "name", ["infeasible", "largest", "max-norm", "l1-norm", "simplex", "steepest", "monotone"]
)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    """Lines that are left out, doubled or exchanged, and values of other types."""
    lines = lines_of(ANSWERS[name](), tmp_path)
    for i in range(len(lines)):
        assert not is_proved(lines[:i] + lines[i + 1 :])
        assert not is_proved(lines[: i + 1] + lines[i:])
    assert not is_proved([*lines, {}])
    statement = next(i for i, line in enumerate(lines) if "claim" in line)
    for place in places(lines[statement]):
        if place == ("claim",):  # a text for readers
            continue
        copy = json.loads(json.dumps(lines))
        put(copy[statement], place, {"a": 1})
        assert not is_proved(copy)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("largest", ("conditions", [[[[6, 1], [7, -1]], "-9/2", False]])),
        ("largest", ("point", [0, 0])),
        ("largest", ("point", [2, 2])),
        ("max-norm", ("point", [1, 1])),
        ("max-norm", ("conditions", [[[[4, 1]], -100, False]])),
        ("feasible", ("point", [-1, 1])),
        ("feasible", ("point", [7, 7])),
        ("infeasible", ("cases", [])),
        ("infeasible", ("cases", [[]])),
        ("steepest", ("point", [1, 1])),
        ("steepest", ("point", [2, 2])),
        ("monotone", ("point", [0, 0])),
        ("not monotone", ("cases", [[]])),
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
    radius = ANSWERS["max-norm"]().value
    larger = radius + Fraction(1, 10**9)
    inputs["ball"]["radius"] = value_text(larger)
    assert not is_proved(lines)


def test_what_is_not_decided_is_not_written(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sizes = ((4, 9), (9, 9), (9, 2))
    network = Network([(rng.standard_normal((n, m)), rng.standard_normal(n)) for m, n in sizes])
    found = maximum(network, 0, within=Polyhedron.box(-2, 2, dimension=4), limit=1)
    if found.gap:
        with pytest.raises(ArrangementError, match="is not decided"):
            write_certificate(found, tmp_path / "proof.jsonl")
    with pytest.raises(ArrangementError, match="not compressed"):
        write_certificate(ANSWERS["largest"](), tmp_path / "proof.jsonl.gz")
    steepest = lipschitz_constant(network, within=Polyhedron.box(-2, 2, dimension=4), limit=1)
    assert steepest.value < steepest.bound
    with pytest.raises(ArrangementError, match="is not decided"):
        write_certificate(steepest, tmp_path / "proof.jsonl")
    with pytest.raises(ArrangementError, match="leave W out"):
        write_certificate(ANSWERS["largest"](), tmp_path / "proof.jsonl", W=[[1]])


def test_it_runs_alone(tmp_path: Path) -> None:
    source = Path(network_checker.__file__)
    copy = tmp_path / "checker_alone.py"
    copy.write_text(source.read_text("utf-8"), encoding="utf-8")
    write_certificate(ANSWERS["infeasible"](), tmp_path / "proof.jsonl")
    command = [sys.executable, "-I", str(copy)]
    good = subprocess.run([*command, str(tmp_path / "proof.jsonl")], capture_output=True, text=True)
    assert good.returncode == 0 and good.stdout.startswith(
        "claim 1 is proved: no input meets a case"
    )
    bad = subprocess.run([*command, str(source)], capture_output=True, text=True)
    assert bad.returncode == 1 and bad.stdout.startswith("NOT PROVED")
    missing = subprocess.run([*command, "none.jsonl"], capture_output=True, text=True)
    assert missing.returncode == 1 and "FileNotFoundError" in missing.stdout
    assert "'none.jsonl'" in missing.stdout and missing.stdout.count("\n") == 1
    assert subprocess.run(command, capture_output=True).returncode == 2
    names = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(ast.parse(source.read_text("utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert names <= set(sys.stdlib_module_names)


# ------------------------------------------------------------------ files by hand


def certificate(
    units: Lines, *claims: Lines, inputs: int = 1, bounds: Any = (), ball: Any = None
) -> Lines:
    """A file about units, the inputs not among them, and lines of claims."""
    return [
        {"certificate": "arrangements network", "version": 1},
        {"inputs": inputs, "units": inputs + len(units)},
        *units,
        {"bounds": list(bounds), "ball": ball},
        *(line for claim in claims for line in claim),
        {"end": len(claims)},
    ]


def none(*case: Any, proof: Any = None, nodes: Any = None) -> Lines:
    """The claim that no input meets some conditions, by a leaf or other nodes."""
    return [claim_of(cases=[case]), {}, *(nodes or [{"proof": proof}])]


def claim_of(**fields: Any) -> Any:
    return {"claim": "", "point": None, "conditions": [], "cases": [], "gradient": None} | fields


def leaf(*units: Any, ball: Any = 0) -> Any:
    """Multiples of units."""
    return {"units": list(units), "ball": ball}


def steep(value: Any, *nodes: Any, norm: Any = 0, point: Any = None, of: Any = ()) -> Lines:
    """The claim about a gradient, of units with weights."""
    gradient = {"rows": [list(of)], "norm": norm, "value": value}
    tree = [{}, *nodes] if nodes else []
    return [claim_of(gradient=gradient, point=point, cases=[[]] if nodes else []), *tree]


RELU = [[[0, 1]], 0, 0]


def rays(*ends: Any, unit: Any = RELU, strict: bool = True, **fields: Any) -> Lines:
    """The claim that no x with x <= 0 counts, by leaves on the ends of rays."""
    case = ([[0, 1]], 0, strict)
    leaves = [{"proof": leaf([2, 1])} for _ in ends]
    return certificate([unit], none(case, nodes=[{"rays": True}, *leaves]), **fields)


TWICE = [RELU, RELU]
FALLING = [[[[0, -1]], 0, 0]] * 2
LINE = [[-1, 1]]
PLANE = {"center": [0, 0], "radius": 1, "norm": "l1", "open": False}
OPEN = PLANE | {"open": True}
HUGE, TINY = 10**400, f"1/0x1{'0' * 400}"
# the first units of the same input may be on and off only where both are 0
FLAT = [{"split": 1}, {}, {"split": 2}, {"proof": leaf([1, 1], [2, -1])}, {}]
X = ([[0, 1]], -1, False)
SUM = ([[0, 1], [1, 1]], -1, True)
GOOD: dict[str, Lines] = {
    "unbounded inputs": certificate([RELU], none(([[1, -1]], -1, True), proof=leaf([2, 1]))),
    "large weights": certificate([RELU], none(([[1, -HUGE]], -1, True), proof=leaf([2, 1]))),
    "an empty box": certificate([], none(X, nodes=[{}]), bounds=[[1, 0]]),
    "beside a box": certificate([], none((*X[:2], True), proof=leaf([1, 1])), bounds=LINE),
    "in a ball": certificate([], none(SUM, proof=leaf([2, 1], ball=1)), inputs=2, ball=PLANE),
    "in an open ball": certificate(
        [], none((*SUM[:2], False), proof=leaf([2, 1], ball=1)), inputs=2, ball=OPEN
    ),
    "in an open ball of the other norm": certificate(
        [], none(X, proof=leaf([2, 1])), inputs=2, ball=OPEN | {"norm": "max"}
    ),
    "on a sphere": certificate(
        [], [claim_of(point=["1/2", "1/2"], conditions=[[*SUM[:2], False]])], inputs=2, ball=OPEN
    ),
    "flat cells of rising units": certificate(TWICE, steep(0, *FLAT, of=[[1, 1], [2, -1]])),
    "flat cells of falling units": certificate(FALLING, steep(1, *FLAT, of=[[1, -2], [2, 1]])),
    "a gradient where linear units are 0": certificate(
        [RELU, [[[1, 2]], -1, None]], steep(2, point=["1/2"], of=[[2, 1]])
    ),
    "a gradient where units are 0 everywhere": certificate(
        [[[], 0, 0], RELU], steep(1, point=[1], of=[[2, 1], [1, 5]])
    ),
    "a ray": rays(-1, bounds=[[-1, 0]]),
    "rays to a unit": rays(1, 2, bounds=[[-9, 0], [-5, None]], unit=[[[0, 1]], 0, None]),
    "norms": certificate(
        [],
        *(
            steep(v, {}, norm=n, point=[0, 0], of=[[0, 3], [1, -4]])
            for n, v in (("l1", 4), ("max", 7))
        ),
        inputs=2,
    ),
}
SIDE = [0, 1, 1, leaf()]

BAD: dict[str, tuple[Lines, str]] = {
    "small weights": (
        certificate([RELU], none(([[1, TINY]], -1, True), proof=leaf([2, 1]))),
        "open leaf",
    ),
    "on the side of a box": (
        certificate([], none(X, proof=leaf([1, 1])), bounds=LINE),
        "open leaf",
    ),
    "in a larger part of a ball": (
        certificate(
            [], none((SUM[0], "-1/2", True), proof=leaf([2, 1], ball=1)), inputs=2, ball=PLANE
        ),
        "open leaf",
    ),
    "on the sphere of a closed ball": (
        certificate([], none((*SUM[:2], False), proof=leaf([2, 1], ball=1)), inputs=2, ball=PLANE),
        "open leaf",
    ),
    "a negative weight of a ball": (
        certificate(
            [],
            none(([[0, 1]], "-1/2", False), proof=leaf([2, 1], ball=-1)),
            inputs=2,
            bounds=[["1/2", "1/2"], [0, 0]],
            ball=PLANE,
        ),
        "a weight of the ball",
    ),
    "a weight of another ball": (
        certificate(
            [],
            none((SUM[0], "-3/2", False), proof=leaf([2, 1], ball=1)),
            inputs=2,
            ball=PLANE | {"norm": "max"},
        ),
        "a weight of the ball",
    ),
    "another norm": (
        certificate([], none(SUM, proof=leaf([2, 1])), inputs=2, ball=PLANE | {"norm": "l3"}),
        "norm is not known",
    ),
    "no reason": (certificate([], none(X, nodes=[{}]), bounds=LINE), "a cell is open"),
    "a steep cell": (certificate([RELU], steep("1/2", {}, of=[[1, 1]])), "a cell is open"),
    "a claim of nothing": (certificate([RELU], [claim_of()]), "claims nothing"),
    "a point with an equation": (
        certificate([], [claim_of(point=[1], conditions=[[[[0, 1]], -1, True]])]),
        "the point does not count",
    ),
    "a point elsewhere": (
        certificate([], [claim_of(point=[2])], bounds=LINE),
        "the point does not count",
    ),
    "a point of two coordinates": (certificate([], [claim_of(point=[1, 0])]), "units before"),
    "a gradient at the side of a box": (
        certificate([RELU], steep(1, point=[1], of=[[1, 1]]), bounds=LINE),
        "on an edge",
    ),
    "a gradient at a bend": (certificate([RELU], steep(1, point=[0], of=[[1, 1]])), "on an edge"),
    "another gradient": (
        certificate([RELU], steep(1, point=[-1], of=[[1, 1]])),
        "another gradient",
    ),
    "no claim": (certificate([RELU]), "the end does not fit"),
    "a claim too few": (
        [*certificate([], none(X, nodes=[{}]), bounds=[[1, 0]])[:-1], {"end": 2}],
        "the end does not fit",
    ),
    "a line too many": ([*GOOD["an empty box"], {}], "the end does not fit"),
    "a cell that is not flat": (
        certificate(TWICE, steep(0, *FLAT[:3], {"proof": leaf()}, {}, of=[[1, 1], [2, -1]])),
        "open leaf",
    ),
    "a bound that is not": (
        certificate([], [claim_of(cases=[[X]]), {"lemmas": [SIDE]}, {"proof": leaf([1, 1])}]),
        "a bound of a unit",
    ),
    "units in a circle": (certificate([[[[1, 1]], 0, 0]], none(X, nodes=[{}])), "units before"),
    "two weights": (certificate([[[[0, 1], [0, 2]], 0, 0]], none(X, nodes=[{}])), "units before"),
    "decimals": (certificate([[[[0, 0.5]], 0, 0]], none(X, nodes=[{}])), "split"),
    "three parts": (certificate([[[[0, "1/2/3"]], 0, 0]], none(X, nodes=[{}])), "unpack"),
    "no inputs": (certificate([], none(([], 0, True), proof=leaf()), inputs=0), "expected inputs"),
    "another version": (
        [{"certificate": "arrangements"}, *GOOD["an empty box"][1:]],
        "another format",
    ),
    "a ray to 1": (rays(-1, 1, bounds=LINE), "open leaf"),
    "rays of biases": (rays(-1, bounds=[[-1, 0]], unit=[[], 1, 0]), "no rays"),
    "rays of biases below 0": (rays(-1, bounds=[[-1, 0]], unit=[[], -1, 0]), "no rays"),
    "rays in a ball": (
        rays(-1, bounds=[[-1, 0]], ball=PLANE | {"center": [0], "norm": "max"}),
        "no rays",
    ),
    "rays of a constant": (
        certificate([], none(([[0, 1]], 1, True), nodes=[{"rays": True}, {}]), bounds=LINE),
        "no rays",
    ),
    "endless rays": (rays(bounds=[[None, 0]]), "endless rays"),
    "other endless rays": (rays(bounds=[[0, None]]), "endless rays"),
    "0 counts": (rays(-1, bounds=[[-1, 0]], strict=False), "a cell is open"),
    "rays on the end of a ray": (
        certificate([RELU], none((*X[:1], 0, True), nodes=[{"rays": True}] * 9), bounds=LINE),
        "no rays",
    ),
    "a side": (
        certificate([], [claim_of(cases=[[X]]), {"lemmas": [[0, 2, 5, leaf()]]}, {}], bounds=LINE),
        "a side 1 or -1",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_what_is_proved(name: str) -> None:
    verdicts, why = outcome(GOOD[name])
    assert verdicts and not why


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str) -> None:
    lines, why = BAD[name]
    assert why in outcome(lines)[1]


def outcome(lines: Lines, module: Any = network_checker) -> tuple[list[str], str]:
    """Verdicts, and why the file is refused."""
    verdicts = []
    try:
        for verdict in module.check(map(json.dumps, lines)):
            verdicts.append(verdict)
    except Exception as error:
        return verdicts, repr(error)
    return verdicts, ""


@pytest.mark.slow
def test_every_line_matters(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    files = [*GOOD.values(), *(lines for lines, _ in BAD.values())]
    for name in ANSWERS:
        lines = lines_of(ANSWERS[name](), tmp_path)
        files += [lines, *(damaged(lines, rng, 1) for _ in range(3))]
    expected = [outcome(lines) for lines in files]

    def agrees(module: Any) -> bool:
        return all(outcome(f, module) == e for f, e in zip(files, expected, strict=True))

    source = Source(
        Path(network_checker.__file__).read_text(),
        frozenset({"main"}),
        ("sys.exit", "Row =", "Known ="),
    )
    idle = source.idle(agrees)
    assert not idle, "\n".join(idle)
