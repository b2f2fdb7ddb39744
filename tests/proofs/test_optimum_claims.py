"""Files about best values: what is written is proved, and what is proved holds by brute force."""

import hashlib
import io
import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from claims import decide

from arrangements import Polyhedron, best_chamber, checker, write_certificate
from arrangements.errors import InputError
from arrangements.optimize import max_feasible

Rows = list[list[Any]]


def verdicts(octets: bytes) -> list[str]:
    """What the checker proves, nothing if it refuses the file."""
    try:
        return list(checker.check(checker.Reader(io.BytesIO(octets))))
    except Exception:
        return []


def values(rows: Rows, costs: Rows, sides: Rows = ()) -> list[Fraction]:  # type: ignore[assignment]
    """Of all chambers that meet the interior of a polyhedron, by Fourier-Motzkin elimination."""
    found = []
    for signs in product((1, -1), repeat=len(rows)):
        functions = [[s * x for x in row] for s, row in zip(signs, rows, strict=True)]
        exact = tuple(tuple(map(Fraction, row)) for row in [*functions, *sides])
        if decide(exact, len(rows[0]) - 1)[0]:
            pairs = zip(signs, costs, strict=True)
            found.append(
                sum((Fraction(on if s > 0 else off) for s, (on, off) in pairs), Fraction())
            )
    return found


def end(lines: list[Any]) -> bytes:
    """The bytes of a file with these lines before the last one."""
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    last = {"end": len(lines), "claims": 1, "sha256": hashlib.sha256(text).hexdigest()}
    return text + (json.dumps(last) + "\n").encode()


def random_file(rng: Random, path: Path) -> tuple[list[Any], Rows, Rows, Rows, str]:
    """The lines of a file about a random arrangement, its rows, costs, sides and sense."""
    n, d = rng.randint(1, 5), rng.randint(1, 2)
    rows: Rows = [[rng.randint(-2, 2) for _ in range(d + 1)] for _ in range(n)]
    for row in rows:
        if not any(row):
            row[0] = 1
    # offsets alone are signs that are constant
    costs: Rows = [
        [Fraction(rng.randint(-4, 4), rng.choice([1, 1, 2])) for _ in "+-"] for _ in rows
    ]
    sides: Rows = []
    P = None
    if rng.random() < 0.3:
        P = Polyhedron.box(-1, 2, dimension=d)
        units = [[int(i == j) for j in range(d)] for i in range(d)]
        sides = [[s * x for x in unit] + [1 if s > 0 else 2] for unit in units for s in (1, -1)]
    sense = rng.choice(["min", "max"])
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    best = best_chamber(W, np.array(costs, object).T[::-1], offsets=b, sense=sense, within=P)
    write_certificate(best, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()][:-1]
    return lines, rows, costs, sides, sense


def trial(number: int, seed: int, path: Path) -> int:
    """How many changed files were proved, all of them rightly."""
    rng, proved = Random(seed), 0
    for _ in range(number):
        lines, rows, costs, sides, sense = random_file(rng, path)
        every = values(rows, costs, sides)
        best = min(every) if sense == "min" else max(every)
        (verdict,) = verdicts(path.read_bytes())
        assert f" value {best}, " in verdict
        for _ in range(8):
            changed = json.loads(json.dumps(lines))
            start = next(k for k, line in enumerate(lines) if "claim" in line)
            mutate(changed, start, rng)
            if (said := verdicts(end(changed))) and len(said) == 1:
                proved += 1
                assert Fraction(changed[start]["value"]) == best
                assert ("least" in said[0]) == (sense == "min") or len(set(every)) == 1
    return proved


def mutate(lines: list[Any], start: int, rng: Random) -> None:
    """Change the value, the signs, a node or a weight; or leave out or repeat a node."""
    claim, nodes = lines[start], range(start + 2, len(lines))
    k = rng.choice(nodes)
    kind = rng.randrange(7)
    if kind == 0:
        claim["value"] = str(Fraction(claim["value"]) + Fraction(rng.choice([-1, 1]), 2))
    elif kind == 1:
        claim["says"] = "least value" if "largest" in claim["says"] else "largest value"
    elif kind == 2:
        del lines[k]
    elif kind == 3:
        lines.insert(k, rng.choice(lines[start + 2 :]))
    elif kind == 4:
        signs = lines[start + 1][0]
        i = rng.randrange(len(signs))
        lines[start + 1][0] = signs[:i] + ("-" if signs[i] == "+" else "+") + signs[i + 1 :]
    elif lines[k] and isinstance(lines[k][0], list):
        share = rng.choice(lines[k])
        if kind == 5:
            share[0] = str(Fraction(share[0]) + Fraction(rng.choice([-1, 1]), 2))
        else:
            weight = rng.choice(share[1])
            weight[rng.randrange(2)] += rng.choice([-1, 1])
    elif lines[k]:
        lines[k] = [lines[k][0] + rng.choice([-1, 1])]
    else:
        lines[k] = [0]


def test_what_is_proved_holds(tmp_path: Path) -> None:
    assert trial(40, 0, tmp_path / "c.jsonl") > 0


@pytest.mark.slow
def test_much_that_is_proved_holds(tmp_path: Path) -> None:
    assert trial(600, 1, tmp_path / "c.jsonl") > 50


@pytest.mark.slow
def test_a_tree_of_many_nodes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    best = best_chamber(rng.standard_normal((40, 4)), rng.standard_normal(40))
    write_certificate(best, tmp_path / "c.jsonl.gz")
    said: list[str] = []
    assert checker.main(str(tmp_path / "c.jsonl.gz"), said.append) == 0
    assert f"least value {best.value}, " in said[0] and " nodes, of 'W'" in said[0]


def test_a_part_with_closed_inequalities(tmp_path: Path) -> None:
    best = max_feasible([[1], [-1], [1]], [0, 0, -1], strict=False)
    write_certificate(best, tmp_path / "c.jsonl")
    said: list[str] = []
    assert checker.main(str(tmp_path / "c.jsonl"), said.append) == 0
    assert "largest value 2, " in said[0] and best.value == 2


def test_what_has_no_such_proof_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    other = best_chamber([[1, 0], [0, 1]], step=lambda chambers: chambers.to_array()[:, 0])
    with pytest.raises(InputError, match="value by a function; expected costs"):
        write_certificate(other, path)
    assert not path.exists()
