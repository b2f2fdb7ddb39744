"""``arrangements feasible``: patterns as typed, also those that look like options."""

import itertools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest

ROWS = [[1, 0], [0, 1], [1, 1]]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("signs", [*map("".join, itertools.product("+-*", repeat=3))])
def test_all_patterns_of_three_rows(run: Any, tmp_path: Path, signs: str) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    status, out, err = run("feasible", "w.npy", signs)
    allowed = [(1,) if s == "+" else (-1,) if s == "-" else (-1, 1) for s in signs]
    expected = bool(naive.chambers(ROWS) & set(itertools.product(*allowed)))
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == ("feasible" if expected else "infeasible")
    for arguments in (["w.npy", signs, "--json"], ["--json", "w.npy", "--", signs]):
        found = json.loads(run("feasible", *arguments)[1])
        assert (found["signs"], found["feasible"]) == (signs, expected)
    if expected:
        point = [Fraction(x) for x in found["point"]]
        values = [sum(w * x for w, x in zip(row, point, strict=True)) for row in ROWS]
        assert all(
            (v > 0) - (v < 0) in a for v, a in zip(values, allowed, strict=True) if len(a) < 2
        )


@pytest.mark.parametrize(("rows", "signs"), [([[1]], "-"), ([[1], [2]], "--"), ([[1], [2]], "-*")])
def test_patterns_that_look_like_options(run: Any, tmp_path: Path, rows: Any, signs: str) -> None:
    np.save(tmp_path / "w.npy", rows)
    assert run("feasible", "w.npy", signs)[:2] == (0, "feasible\npoint -1\n")
    assert run("feasible", "w.npy", "--", signs)[:2] == (0, "feasible\npoint -1\n")


def test_zeros_and_polyhedra(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    (tmp_path / "p.txt").write_text("1 0 1\n0 1 1\n-1 0 0\n0 -1 0\n")
    assert run("feasible", "w.npy", "+-0")[:2] == (0, "feasible\npoint 1 -1\n")
    for region in (["--within", "p.txt"], ["--box", "0", "1"]):
        yes = ["feasible", "w.npy", "+++", *region, "--certificate", "c.jsonl"]
        assert run(*yes)[:2] == (0, "feasible\npoint 1/2 1/2\n")
        no = ["feasible", "w.npy", "*0*", *region, "--certificate", "c.jsonl", "--json"]
        found = json.loads(run(*no)[1])
        assert [row["sign"] for row in found["weights"]] == ["0", "+"]
        assert "inequality" in found["weights"][1]["row"]
        said = "claim 1 is proved: answers, 1 sign vectors (0 occur), of 'W'\n"
        assert run("check", "c.jsonl")[:2] == (0, said)
    assert run("feasible", "w.npy", "+++", "--within", "p.txt", "--certificate", "p.txt")[0] == 2


def test_proofs_name_rows(run: Any, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\n")
    text = b"1 0\n0 1\n2 2\n"
    out = run("feasible", "-", "++-", "--labels", "names.txt", stdin=text)[1]
    rows = ["row sign weight", "cat + 2", "dog + 2", "bird - 1"]
    assert [" ".join(line.split()) for line in out.splitlines()] == ["infeasible", *rows]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["w.npy", "++"], "signs has shape (2,); expected (3,)"),
        (["w.npy", "-x-"], "No such option"),
        (["w.npy", "+x+"], "'x' at position 1"),
        (["w.npy"], "SIGNS"),
        (["none.npy", "---"], "cannot read none.npy"),
        (["w.npy", "---", "--labels", "w.npy"], "w.npy is not text"),
    ],
)
def test_bad_input(run: Any, tmp_path: Path, arguments: list[str], message: str) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    status, out, err = run("feasible", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("signs", "occur"), [("-+-", 1), ("--+", 0), ("*--", 1)])
def test_certificates(run: Any, tmp_path: Path, signs: str, occur: int) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    status, out, err = run("feasible", "w.npy", signs, "--certificate", "one.jsonl")
    assert (status, err) == (0, "") and out == run("feasible", "w.npy", signs)[1]
    said = f"claim 1 is proved: answers, 1 sign vectors ({occur} occur), of 'W'\n"
    assert run("check", "one.jsonl")[:2] == (0, said)
    assert run("feasible", "w.npy", signs, "--certificate", "w.npy")[0] == 2
    assert run("feasible", "w.npy", signs, "--certificate", "none/one.jsonl")[0] == 2
