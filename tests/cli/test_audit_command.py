"""``arrangements audit``: reports, what is refused, and what an interruption leaves."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrangements

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", weight=SQUARE, bias=[0, 0, 0, 0, 2], short=[1, 2])
    np.save(tmp_path / "w.npy", SQUARE)
    (tmp_path / "vocab.txt").write_text("ne\nse\nnw\nsw\nmid\n")
    (tmp_path / "sets.csv").write_text("ne,se\nmid\n")


def test_text_and_files(run: Any, tmp_path: Path) -> None:
    status, out, err = run("audit", "w.npy", "--labels", "vocab.txt", "--pairs")
    assert (status, err) == (0, "")
    assert (
        "can win (strictly first): 4 of 5 (80.0%)" in out
        and "cannot win: mid (held down by " in out
    )
    for name in ("r.html", "r.json"):
        assert run("audit", "w.npy", "--sets", "sets.csv", "--labels", "vocab.txt", "-o", name) == (
            0,
            "",
            "",
        )
    found = json.loads((tmp_path / "r.json").read_text())
    assert [one["possible"] for one in found["sets"]] == [False, False]
    assert found["source"] == "w.npy" and "Audit" in (tmp_path / "r.html").read_text()
    assert not list(tmp_path.glob("*.part"))


def test_what_a_team_asks(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", [[3.0, 1.0], [-1.0, 2.0]])
    asked = ("audit", "w.npy", "--labels", "vocab.txt", "--leads", "--repairs", "--sigmoid")
    found = json.loads(run(*asked, "--inputs", "x.npy", "--json")[1])
    labels = {label["name"]: label for label in found["labels"]}
    assert labels["ne"]["wins"] == 1 and labels["nw"]["wins"] == 1
    assert labels["mid"]["distance"] == pytest.approx(0.5) and labels["ne"]["lead"][0] > 0
    assert labels["mid"]["can_be_on"] and found["excluding"] == [["ne", "sw"], ["se", "nw"]]
    assert "# Audit of w.npy" in (run(*asked, "-o", "r.md"), (tmp_path / "r.md").read_text())[1]
    run("audit", "w.npy", "--labels", "vocab.txt", "-o", "before.json")
    np.save(tmp_path / "w2.npy", [*SQUARE[:4], [3, 0]])
    again = ("audit", "w2.npy", "--labels", "vocab.txt", "--against", "before.json")
    status, out, err = run(*again)
    assert (status, err) == (0, "") and "1 label can win now and could not before: mid." in out
    assert json.loads(run(*again, "--json")[1])["can_win_now"] == ["mid"]
    for name in ("page.html", "page.md", "after.json"):
        assert run(*again, "-o", name)[0] == 0
    page = (tmp_path / "page.html").read_text()
    assert "<title>Two audits</title>" in page and "could not before: mid." in page
    assert "could not before: mid." in (tmp_path / "page.md").read_text()
    assert json.loads((tmp_path / "after.json").read_text())["source"] == "w2.npy"


def test_biases_are_another_array_or_a_file(run: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "b.txt", [0, 0, 0, 0, 2])
    for bias in ("bias", "b.txt"):
        found = json.loads(run("audit", "m.npz", "--key", "weight", "--offsets", bias, "--json")[1])
        assert [label["can_win"] for label in found["labels"]] == [True] * 5
        assert found["source"] == "m.npz, weight"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["two.npz"], "choose a key from: w (5 x 2), v (5 x 2)."),
        (["m.npz", "--bias", "bias"], "There is no option --bias; it is called --offsets."),
        (["m.npz", "--key", "wieght"], "no array 'wieght'; its keys are: weight"),
        (["m.npz", "--key", "bias"], "shape (5,); expected (n, d)"),
        (["m.npz", "--key", "weight", "--offsets", "short"], "the offsets short have shape (2,)"),
        (["nan.npy"], "nan.npy, row 1, column 0, is nan; expected finite numbers"),
        (["w.npy", "--labels", "few.txt"], "few.txt has 1 names, and w.npy has 5 rows"),
        (["w.npy", "--labels", "none.txt"], "cannot read none.txt"),
        (["w.npy", "--sets", "bad.csv"], "bad.csv, line 1: 'cow' is not the name of a label"),
        (["w.npy", "-o", "r.pdf"], "r.pdf has an unknown extension; expected .html, .md or .json"),
        (["w.npy", "-o", "none/r.html"], "its folder does not exist"),
        (["w.npy", "--resume"], "--resume needs -o OUT"),
        (["w.npy", "--against", "few.txt"], "few.txt holds no report; expected a .json file"),
        (["w.npy", "--radius", "2"], "radius is about leads"),
        (["w.npy", "--inputs", "none.npy"], "none.npy"),
        (["w.npy", "-o", "kept.html"], "kept.html.part keeps an audit that was interrupted"),
        (["w.npy", "-o", "kept.html", "--resume"], "keeps an audit of other numbers"),
    ],
)
def test_bad_input(run: Any, tmp_path: Path, arguments: list[str], message: str) -> None:
    np.save(tmp_path / "nan.npy", [[1, 2], [np.nan, 0]])
    np.savez(tmp_path / "two.npz", w=SQUARE, v=SQUARE)
    (tmp_path / "few.txt").write_text("ne\n")
    (tmp_path / "bad.csv").write_text("cow\n")
    (tmp_path / "kept.html.part").write_text('["arrangements audit 1", "other"]\n')
    status, out, err = run("audit", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_too_little_memory_is_one_line(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any, **options: Any) -> Any:
        raise MemoryError("Unable to allocate 9 PiB")

    monkeypatch.setattr("arrangements.models.audit_answers.decide", full)
    status, out, err = run("audit", "w.npy", "-o", "r.html")
    assert (status, out) == (2, "")
    assert err.splitlines()[0].endswith("kept in r.html.part; go on with --resume")
    assert "this needs more memory than the machine has" in err.splitlines()[1]
    monkeypatch.undo()


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_decided(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.random.default_rng(0).standard_normal((20_000, 64)))
    command = [sys.executable, "-m", "arrangements.cli", "audit", "w.npy", "-o", "r.json"]
    root = str(Path(arrangements.__file__).parent.parent)
    options: Any = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": root}}
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)
    part, end = tmp_path / "r.json.part", time.monotonic() + 120
    while (not part.exists() or part.read_bytes().count(b"\n") < 3) and time.monotonic() < end:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    err = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and err.splitlines()[-1] == "arrangements: error: interrupted"
    kept = part.read_bytes().count(b"\n") - 1
    assert kept >= 2 and not (tmp_path / "r.json").exists()
    subprocess.run([*command, "--resume"], check=True, **options)
    assert not part.exists()
    assert len(json.loads((tmp_path / "r.json").read_text())["labels"]) == 20_000


def test_a_low_rank_is_warned_of_and_taken(run: Any, tmp_path: Path) -> None:
    A = np.array([[1.0, 0.2], [-0.4, 1.0], [-1.0, -0.3], [0.3, -1.0], [0.1, 0.05]])
    W = A @ np.random.default_rng(0).normal(size=(2, 4))
    np.savetxt(tmp_path / "w.txt", W, fmt="%.15g")
    (tmp_path / "s.csv").write_text("0,1\n2,3\n")
    status, out, err = run("audit", "w.txt", "--sets", "s.csv", "--certificate", "a.jsonl")
    assert status == 0 and "can win (strictly first): 5 of 5" in out
    assert err.count("numerical rank 2") == 1 and "--rank 2" in err
    arguments = ("audit", "w.txt", "--rank", "2", "--certificate", "b.jsonl")
    status, out, err = run(*arguments)
    assert (
        (status, err) == (0, "")
        and "can win (strictly first): 4 of 5" in out
        and "taken for Low" in out
    )
    assert "leave out one of these" in run(*arguments, "--sets", "s.csv")[2]
    assert (
        "possible label sets: 1 of 2" in run("audit", "w.txt", "--rank", "2", "--sets", "s.csv")[1]
    )
    for name in ("a.jsonl", "b.jsonl"):
        assert run("check", name)[0] == 0
    assert "expected an integer" in run("audit", "w.txt", "--rank", "9")[2]
