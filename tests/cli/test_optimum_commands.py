"""``arrangements best``, ``depth`` and ``places``: the same answers as the functions."""

import json
import signal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import Polyhedron
from arrangements.optimize import halfspace_depth, halfspace_median, place_range, separation

PETS = """width,height,kind
0,0,cat
1,1,dog
2,0,cat
0,2,cat
3,3,dog
2,3,dog
1,0,cat
3,1,dog
"""
CLOUD = [[0, 0], [4, 0], [0, 4], [4, 4], [1, 1]]
SQUARE = [[0, 0], [4, 0], [0, 4], [1, 1]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "pets.csv").write_text(PETS)
    np.save(tmp_path / "cloud.npy", CLOUD)
    np.save(tmp_path / "square.npy", SQUARE)
    (tmp_path / "names.txt").write_text("sw\nse\nnw\nmid\n")
    (tmp_path / "three.csv").write_text("1,a\n2,b\n3,c\n")
    (tmp_path / "twice.csv").write_text("a,a,b\n1,2,3\n")


def test_best(run: Any, tmp_path: Path) -> None:
    status, out, err = run("best", "pets.csv", "--target", "kind", "-o", "pets.svg")
    assert (status, err) == (0, "")
    assert out.startswith(
        "points    8, 2 columns\nclass     cat: 4\nclass     dog: 4\n"
        "errors    1 of 8 (12.50%): the fewest possible\n"
        "rule      dog where the sum of these is positive, else cat\n"
    )
    assert (tmp_path / "pets.svg").read_text().count("<path") > 8
    found = json.loads(run("best", "pets.csv", "--target", "2", "--json")[1])
    assert (found["errors"], found["loss"], found["gap"]) == (1, "1", "0")
    rows = [line.split(",") for line in PETS.splitlines()[1:]]
    scores = [
        found["weights"]["width"] * int(w) + found["weights"]["height"] * int(h) + found["constant"]
        for w, h, _ in rows
    ]
    wrong = [(s > 0) != (kind == "dog") for s, (_, _, kind) in zip(scores, rows, strict=True)]
    assert sum(wrong) == 1
    conic = json.loads(run("best", "pets.csv", "--target", "kind", "--degree", "2", "--json")[1])
    assert conic["errors"] == 0 and "width * height" in conic["weights"]


def test_best_with_a_proof_for_others(run: Any, tmp_path: Path) -> None:
    options = ["best", "pets.csv", "--target", "kind", "--certificate"]
    assert run(*options, "proof.jsonl")[0] == 0
    proved = "claim 1 is proved: least value 1, 1 nodes, of 'W'\n"
    assert run("check", "proof.jsonl")[:2] == (0, proved)
    status, _, err = run(*options, "pets.csv")
    assert status == 2 and "pets.csv" in err and (tmp_path / "pets.csv").read_text() == PETS


def test_best_of_arrays_and_standard_input(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "data.npy", [[0.5, 1], [1.5, -1], [2.5, 1]])
    found = json.loads(run("best", "data.npy", "--target", "1", "--balanced", "--json")[1])
    assert (found["errors"], found["loss"]) == (1, "3/4")
    text = run("best", "-", "--target", "kind", "--no-constant", stdin=PETS.encode())[1]
    assert "1 of 8 (12.50%): the fewest possible" in text
    limited = run("best", "pets.csv", "--target", "kind", "--time-limit", "5")[1]
    assert "the fewest possible" in limited


def test_the_widest_of_the_best(run: Any) -> None:
    points = "x,kind\n0,a\n1,b\n2,a\n5,b\n6,b\n"
    options = ["best", "-", "--target", "kind", "--widest", "--json"]
    found = json.loads(run(*options, stdin=points.encode())[1])
    assert found["errors"] == 1  # halfway between 2 and 5
    assert abs(-found["constant"] / found["weights"]["x"] - 3.5) < 1e-9


def test_best_keeps_what_it_found_when_interrupted(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = separation.best_chamber

    def interrupted(*arguments: Any, **options: Any) -> Any:
        found = ask(*arguments, **options)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(separation, "best_chamber", interrupted)
    status, out, err = run("best", "pets.csv", "--target", "kind")
    assert (status, err) == (130, "arrangements: error: interrupted\n")
    assert "errors    1 of 8" in out


def test_depth(run: Any, tmp_path: Path) -> None:
    known = halfspace_depth(CLOUD, CLOUD).tolist()
    assert run("depth", "cloud.npy") == (0, "".join(f"{k}\n" for k in known), "")
    shares = run("depth", "cloud.npy", "square.npy", "--normalized", "--json")[1]
    assert json.loads(shares)["depths"] == halfspace_depth(SQUARE, CLOUD, normalized=True).tolist()
    _, out, _ = run("depth", "cloud.npy", "--median", "-o", "contours.svg")
    assert out == "depth 2\nmedian 3/2 3/2\ncorner 1 1\ncorner 2 2\n"
    assert (tmp_path / "contours.svg").stat().st_size > 1000
    found = json.loads(run("depth", "cloud.npy", "--median", "--json")[1])
    assert found["depth"] == halfspace_median(CLOUD).depth


def test_places(run: Any) -> None:
    known = place_range(SQUARE).tolist()
    _, out, _ = run("places", "square.npy", "--labels", "names.txt")
    rows = [line.split() for line in out.splitlines()]
    assert rows[0] == ["label", "best", "worst"]
    assert [[int(x) for x in row[1:]] for row in rows[1:]] == known
    assert [row[0] for row in rows[1:]] == ["sw", "se", "nw", "mid"]
    found = json.loads(run("places", "square.npy", "--json")[1])["places"]
    inside = json.loads(run("places", "square.npy", "--simplex", "--json")[1])["places"]
    known_inside = place_range(SQUARE, within="simplex").tolist()
    assert [[row["best"], row["worst"]] for row in inside] == known_inside != known
    assert found[3] == {"label": "3", "best": known[3][0], "worst": known[3][1]}
    box = json.loads(run("places", "square.npy", "--box", "1/3", "1", "--json")[1])["places"]
    P = Polyhedron.box(Fraction(1, 3), 1, dimension=2)
    known_inside = place_range(SQUARE, within=P).tolist()
    assert [[row["best"], row["worst"]] for row in box] == known_inside != known
    assert (
        "--simplex takes no --within"
        in run("places", "square.npy", "--simplex", "--box", "0", "1")[2]
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["best", "pets.csv"], "--target"),
        (["best", "pets.csv", "--target", "age"], "no column 'age'; expected width, height, kind"),
        (["best", "pets.csv", "--target", "7"], "or a number from 0 to 2"),
        (["best", "three.csv", "--target", "1"], "--target has 3 classes ('a', 'b', 'c')"),
        (["best", "pets.csv", "--target", "width"], "line 2, entry 3 is 'cat'"),
        (["best", "twice.csv", "--target", "a"], "has 2 columns 'a'; pass a number"),
        (["best", "names.txt", "--target", "0"], "has one column"),
        (["best", "three.csv", "--target", "1", "-o", "x.png"], "--output draws two columns"),
        (["best", "pets.csv", "--target", "kind", "-o", "x.txt"], "unknown extension"),
        (["depth", "-", "-"], "cannot both be standard input"),
        (["depth", "cloud.npy", "--median", "--normalized"], "--median is about DATA alone"),
        (["depth", "cloud.npy", "pets.csv"], "pets.csv, line 2, entry 3 is 'cat'"),
        (["places", "square.npy", "--ties", "some"], "--ties"),
    ],
)
def test_bad_input(run: Any, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err
