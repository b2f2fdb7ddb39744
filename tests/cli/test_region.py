"""``--within`` and ``--box``."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Polyhedron,
    argmax_labels,
    chambers,
    checker,
    count_chambers,
    count_rankings,
    f_vector,
    flats,
    open_run,
    rankings,
    top_k_rankings,
    top_k_sets,
)


@pytest.fixture
def saved(tmp_path: Path) -> tuple[str, Any]:
    W = np.array([[1, 0], [0, 1], [1, 1], [2, -1]])
    path = tmp_path / "W.csv"
    np.savetxt(path, W, fmt="%d", delimiter=",")
    return str(path), W


def test_count_in_a_box(run: Any, saved: Any) -> None:
    path, W = saved
    box = Polyhedron.box(Fraction(1, 3), 1, dimension=2)
    assert run("count", path, "--box", "1/3", "1")[1] == f"{count_chambers(W, within=box)}\n"


def test_rows_of_inequalities(run: Any, saved: Any, tmp_path: Path) -> None:
    path, W = saved
    rows = tmp_path / "P.txt"
    rows.write_text("-1 0 0\n0 -1 0\n")
    expected = count_chambers(W, within=(-np.eye(2, dtype=int), [0, 0]))
    assert run("count", path, "--within", str(rows))[1] == f"{expected}\n"
    lines = run("chambers", path, "--within", str(rows))[1].split()
    assert len(set(lines)) == expected
    found = json.loads(run("rankings", path, "--within", str(rows), "--json")[1])
    assert len(found["rankings"]) == count_rankings(W, within=(-np.eye(2, dtype=int), [0, 0]))
    counted = run("rankings", path, "--count", "--within", str(rows))[1]
    assert counted == f"{len(found['rankings'])}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--box", "0", "1", "--within", "W.csv"], "exclude each other"),
        (["--box", "0", "x"], "--box"),
    ],
)
def test_refusals(run: Any, saved: Any, arguments: list[str], message: str) -> None:
    found = run("count", saved[0], *arguments)
    assert found[0] != 0 and message in found[2]


def test_too_few_columns(run: Any, saved: Any, tmp_path: Path) -> None:
    rows = tmp_path / "P.txt"
    rows.write_text("1 2\n")
    found = run("count", saved[0], "--within", str(rows))
    assert found[0] != 0 and "expected a_1 .. a_d and c" in found[2]


def test_tops_in_a_box(run: Any, saved: Any) -> None:
    path, W = saved
    box = Polyhedron.box(0, 1, dimension=2)
    found = run("rankings", path, "--argmax", "--box", "0", "1")[1].split()
    assert list(map(int, found)) == argmax_labels(W, within=box).tolist()
    lines = run("rankings", path, "--top-k", "2", "--box", "0", "1")[1].splitlines()
    assert [[*map(int, line.split())] for line in lines] == top_k_sets(W, 2, within=box).tolist()


def test_models_in_a_box(run: Any, saved: Any, tmp_path: Path) -> None:
    path, W = saved
    box = Polyhedron.box(0, 1, dimension=2)
    proofs = str(tmp_path / "proofs.cert")
    found = json.loads(run("audit", path, "--box", "0", "1", "--json", "--certificate", proofs)[1])
    assert found["facts"]["within"] == repr(box)
    can_win = [label["can_win"] for label in found["labels"]]
    assert np.flatnonzero(can_win).tolist() == argmax_labels(W, within=box).tolist()
    assert checker.main(proofs, lambda line: None) == 0
    compared = json.loads(
        run("compare", path, path, "--of", "tops", "--box", "0", "1", "--json")[1]
    )
    assert compared["within"] == repr(box) and compared["same"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["chambers"], "complete, {} sign vectors"),
        (["chambers", "--limit", "1"], "answers, 1 sign vectors (1 occur)"),
        (["count"], "count, {} sign vectors"),
        (["rankings"], "complete, {} rankings"),
        (["rankings", "--count"], "count, {} rankings"),
        (["rankings", "--argmax"], "answers, 4 rankings ({} occur)"),
        (["rankings", "--top-k", "2"], "answers, {0} rankings ({0} occur)"),
        (["rankings", "--top-k", "2", "--ordered"], "answers, {0} rankings ({0} occur)"),
    ],
)
@pytest.mark.parametrize("region", [["--box", "1/3", "1"], ["--within", "P.txt"]])
def test_certificates(
    run: Any, saved: Any, tmp_path: Path, command: Any, says: str, region: Any
) -> None:
    path, W = saved
    (tmp_path / "P.txt").write_text("1 1 1\n-1 -1 -1\n-1 0 0\n0 -1 0\n")  # a segment
    P: Any = Polyhedron([[1, 1], [-1, -1], [-1, 0], [0, -1]], [1, -1, 0, 0])
    P = Polyhedron.box(Fraction(1, 3), 1, dimension=2) if "--box" in region else P
    proofs, found = str(tmp_path / "proofs.jsonl.gz"), []
    region = [str(tmp_path / word) if word == "P.txt" else word for word in region]
    assert run(command[0], path, *command[1:], *region, "--certificate", proofs)[0] == 0
    assert checker.main(proofs, found.append) == 0
    number = {
        "chambers": lambda: count_chambers(W, within=P),
        "count": lambda: count_chambers(W, within=P),
        "rankings": lambda: count_rankings(W, within=P),
        "--argmax": lambda: len(argmax_labels(W, within=P)),
        "--top-k": lambda: len(top_k_sets(W, 2, within=P)),
        "--ordered": lambda: len(top_k_rankings(W, 2, within=P)),
    }
    (last,) = [word for word in command if word in number][-1:]
    assert found == [f"claim 1 is proved: {says.format(number[last]())}, of 'W'"]


@pytest.mark.parametrize("command", ["chambers", "rankings"])
def test_runs_in_a_box(run: Any, saved: Any, tmp_path: Path, command: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("xxhash")
    path, W = saved
    box = Polyhedron.box(Fraction(1, 3), 1, dimension=2)
    out = f"{tmp_path / 'run'}/"
    for _ in range(2):  # the second time, it is there
        assert run(command, path, "--box", "1/3", "1", "-o", out)[0] == 0
    count = {"chambers": count_chambers, "rankings": count_rankings}[command]
    assert len(open_run(out)) == count(W, within=box) and open_run(out).within == box
    code, _, error = run(command, path, "--box", "0", "1", "-o", out)
    assert code != 0 and "not the same: the inequalities of within" in error


def test_plan_in_a_box(run: Any, saved: Any) -> None:
    path, W = saved
    box = ["--box", "1/3", "1", "--seconds", "0.1", "--workers", "2", "--json"]
    found = json.loads(run("plan", path, *box)[1])
    number = count_chambers(W, within=Polyhedron.box(Fraction(1, 3), 1, dimension=2))
    assert found["expected"] == found["run"]["expected"] == number
    assert json.loads(run("plan", "--n", "9", "--d", "2", *box)[1])["expected"] < 18


@pytest.mark.parametrize("ends", [("-1/3", "1"), ("1/3", "1/3"), ("0", "0")])
def test_a_summary_in_a_box(run: Any, saved: Any, ends: tuple[str, str]) -> None:
    path, W = saved
    box = Polyhedron.box(*map(Fraction, ends), dimension=2)
    signs, orders = chambers(W, within=box).to_array(), rankings(W, within=box).to_array()
    found = json.loads(run("summary", path, "--box", *ends, "--json")[1])
    assert found["count"] == len(signs) and found["on"] == (signs > 0).sum(axis=0).tolist()
    found = json.loads(run("summary", path, "--rankings", "--box", *ends, "--json")[1])
    assert found["count"] == len(orders)
    assert found["places"] == [[int((orders[:, k] == i).sum()) for k in range(4)] for i in range(4)]


def test_a_summary_of_a_run_has_its_polyhedron(run: Any, saved: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("xxhash")
    path, W = saved
    out = f"{tmp_path / 'run'}/"
    assert run("chambers", path, "--box", "1/3", "1", "-o", out)[0] == 0
    number = count_chambers(W, within=Polyhedron.box(Fraction(1, 3), 1, dimension=2))
    assert json.loads(run("summary", out, "--json")[1])["count"] == number
    code, _, error = run("summary", out, "--box", "0", "1")
    assert code == 2 and "A run takes no --within" in error


def test_faces_and_flats_in_a_box(run: Any, saved: Any) -> None:
    path, W = saved
    box = Polyhedron.box(Fraction(-1, 3), 1, dimension=2)
    found = json.loads(run("f-vector", path, "--box", "-1/3", "1", "--json")[1])
    assert tuple(found["f_vector"]) == f_vector(W, within=box)
    found = json.loads(run("flats", path, "--box", "-1/3", "1", "--json")[1])
    assert found["count"] == len(flats(W, within=box)) and found["complete"]
    assert run("flats", path, "--box", "1", "0")[0] == 2
    assert run("flats", path, "--count", "--box", "0", "1")[0] != 0
