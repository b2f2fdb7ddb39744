"""``arrangements compare``: the same answers as `compare`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement
from arrangements import compare as ask

W1, W2 = [[2, 0], [0, 1], [-1, -1], [1, 3]], [[2, 1], [0, 1], [-1, -1], [1, -3]]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", W1)
    np.savez(tmp_path / "b.npz", W=W2, b=[0, 1, 0, 1])
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\nfish\n")


@pytest.mark.parametrize(
    ("options", "outputs", "k"),
    [
        (["--of", "sets"], "label sets", 1),
        (["--of", "rankings", "--most-listed", "0", "--inputs", "50"], "rankings", 1),
        (["--of", "tops", "--top-k", "2"], "top labels", 2),
    ],
)
def test_answers(run: Any, options: list[str], outputs: Any, k: int) -> None:
    second = ["--key-b", "W", "--offsets-b", "b.npz", "--offsets-key-b", "b"]
    arguments = ["compare", "a.npy", "b.npz", *second, "--labels", "names.txt", *options]
    status, out, err = run(*arguments)
    extra = {"most_listed": 0, "inputs": 50, "rng": 0} if "--most-listed" in options else {}
    known = ask(
        Arrangement(W1, labels=["cat", "dog", "bird", "fish"]),
        Arrangement(W2, [0, 1, 0, 1]),
        outputs,
        k=k,
        **extra,
    )
    assert (status, err) == (0, "")
    assert out.startswith(known.summary() + "\n")
    found = json.loads(run(*arguments, "--json")[1])
    assert found["only"] == list(known.only) and found["same"] == known.same
    assert [[tuple(e["names"]) for e in part] for part in found["examples"]] == [
        [e.names for e in part] for part in known.examples
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.npy", "a.npy"], "--of"),
        (["a.npy", "a.npy", "--of", "sets", "--top-k", "2"], "--top-k needs --of tops"),
        (["-", "-", "--of", "sets"], "cannot both be standard input"),
        (["a.npy", "b.npz", "--key-b", "V", "--of", "sets"], "no array 'V'; its keys are: W ("),
        (["a.npy", "names.txt", "--of", "sets"], "names.txt, line"),
    ],
)
def test_bad_input(run: Any, arguments: list[str], message: str) -> None:
    status, out, err = run("compare", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize("outputs", ["rankings", "tops"])
def test_rows_of_zeros_are_labels(run: Any, tmp_path: Path, outputs: str) -> None:
    """They have no sides, but score zero; equal rows have sides, but no strict ranking."""
    np.save(tmp_path / "zero.npy", [[0, 0], [1, 0], [0, 1], [1, 1]])
    np.save(tmp_path / "inside.npy", [[0, 0], [4, 0], [0, 4], [1, 1]])
    status, out, err = run("compare", "zero.npy", "inside.npy", "--of", outputs)
    assert (status, err) == (0, "")
    assert "model 1 has" in out and "model 2 has" in out
    status, _, err = run("compare", "zero.npy", "inside.npy", "--of", "sets")
    assert status == 2 and "row 0 is zero" in err


def test_equal_rows_have_label_sets(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "twice.npy", [[1, 0], [1, 0], [0, 1]])
    np.save(tmp_path / "once.npy", [[1, 0], [2, 1], [0, 1]])
    status, out, _ = run("compare", "twice.npy", "once.npy", "--of", "sets")
    assert status == 0 and "model 1 has 4 outputs; model 2 lacks 0 of them" in out
    assert run("compare", "twice.npy", "once.npy", "--of", "tops")[0] == 2


def test_several_outputs(run: Any) -> None:
    arguments = ["compare", "a.npy", "b.npz", "--key-b", "W", "--of", "sets", "--of", "tops"]
    status, out, err = run(*arguments)
    assert status == 0 and err.startswith("arrangements: 'W' has a bias, 'b', which is left out")
    first, second = out.split("\n\n")
    assert first.startswith(ask(W1, W2, "label sets").summary())
    assert second.startswith(ask(W1, W2, "top labels").summary())
    described = json.loads(run(*arguments, "--json")[1])["comparisons"]
    assert [one["outputs"] for one in described] == ["label sets", "top labels"]
