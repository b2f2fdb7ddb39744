"""Models on the command line: what is taken without a key is said, names and biases included."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import safetensors_file

SQUARE = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
BIAS = np.array([0.0, 0, 0, 0, 2])
WORDS = ["ne", "se", "nw", "sw", "mid"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    head = {"classifier.weight": ("F64", SQUARE), "classifier.bias": ("F64", BIAS)}
    body = {"encoder.weight": ("F64", np.ones((2, 2)))}
    safetensors_file(tmp_path / "model.safetensors", **head, **body)
    (tmp_path / "config.json").write_text(json.dumps({"id2label": dict(enumerate(WORDS))}))
    np.savez(tmp_path / "flax.npz", **{"head/kernel": SQUARE.T, "body/kernel": np.ones((2, 2))})
    np.savez(tmp_path / "columns.npz", W=SQUARE.T, b=BIAS)


def test_the_head_and_its_bias_are_taken_and_said(run: Any) -> None:
    status, out, err = run("rankings", "model.safetensors", "--argmax")
    assert (status, out.split()) == (0, ["0", "1", "2", "3", "4"])
    assert err == (
        "arrangements: model.safetensors: 'classifier.weight', 5 rows in dimension 2, with offsets "
        "'classifier.bias'\n"
    )
    found = json.loads(run("audit", "model.safetensors", "--json")[1])
    assert all(label["can_win"] for label in found["labels"])
    assert found["source"] == "model.safetensors, classifier.weight"


def test_a_bias_is_not_added_to_a_key_but_mentioned(run: Any) -> None:
    key = ("--key", "classifier.weight")
    status, out, err = run("rankings", "model.safetensors", *key, "--argmax")
    assert (status, out.split()) == (0, ["0", "1", "2", "3"])
    assert err == (
        "arrangements: 'classifier.weight' has a bias, 'classifier.bias', which is left out "
        "unless it is given as offsets.\n"
    )
    for offsets in (
        ("--offsets", "classifier.bias"),
        ("--offsets", "*.bias"),
        ("--offsets", "model.safetensors", "--offsets-key", "classifier.bias"),
    ):
        assert run("rankings", "model.safetensors", *key, "--argmax", *offsets) == (
            0,
            "0\n1\n2\n3\n4\n",
            "",
        )
    err = run("count", "model.safetensors", "--key", "class*.w*")[2]
    assert err.startswith("arrangements: model.safetensors: 'classifier.weight', 5 rows in")
    err = run("count", "model.safetensors", "--key", "encoder.weight", "--offsets", "no.bias")[2]
    assert (
        "model.safetensors has no array 'no.bias'; its keys are: classifier.weight (5 x 2), " in err
    )


def test_a_folder_brings_its_names(run: Any) -> None:
    status, out, err = run("rankings", ".", "--argmax")
    assert (status, out.split()) == (0, WORDS)
    assert err.endswith("names of the rows are those of config.json\n") and err.count("\n") == 2
    found = json.loads(run("audit", ".", "--json")[1])
    assert [label["name"] for label in found["labels"]] == WORDS
    (Path("names.txt")).write_text("a\nb\nc\nd\ne\n")
    assert run("rankings", ".", "--argmax", "--labels", "names.txt")[1].split() == [*"abcde"]


def test_columns_that_are_labels(run: Any) -> None:
    status, out, err = run("rankings", "flax.npz", "--key", "head*", "--argmax")
    assert (status, out.split()) == (0, ["0", "1", "2", "3"])
    assert err == "arrangements: flax.npz: 'head/kernel', 5 columns in dimension 2\n"
    again = run("rankings", "flax.npz", "--key", "head*", "--argmax", "--transpose")
    assert again == (status, out, err)
    status, out, err = run("rankings", "columns.npz", "--argmax", "--offsets", "b")
    assert (status, out) == (2, "")
    assert err.endswith(
        "the offsets b have shape (5,); expected (2,), one for each row. If the columns of "
        "columns.npz are the labels, pass --transpose.\n"
    )
    status, out, _ = run("rankings", "columns.npz", "--argmax", "--offsets", "b", "--transpose")
    assert (status, out.split()) == (0, ["0", "1", "2", "3", "4"])


@pytest.mark.parametrize(
    ("option", "name"),
    [("--bias", "--offsets"), ("--names", "--labels"), ("--bias-key", "--offsets-key")],
)
def test_other_names_of_options_are_answered(run: Any, option: str, name: str) -> None:
    message = f"There is no option {option}; it is called {name}."
    for command in ("rankings", "audit", "chambers"):
        status, out, err = run(command, "flax.npz", option, "x")
        assert (status, out) == (2, "") and message in err
    assert (
        f"{option}-b; it is called {name}-b."
        in run("compare", ".", ".", "--of", "tops", f"{option}-b", "x")[2]
    )
    assert "No such option" in run("rankings", "flax.npz", "--nmes", "x")[2]
    assert "No such option" in run("count", "flax.npz", "--names", "x")[2]


def test_names_in_a_csv(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(",x,y\nne,1,1\nse,1,-1\nnw,-1,1\nse,-1,-1\n")
    status, out, err = run("rankings", "w.csv", "--argmax")
    assert (status, out.splitlines()) == (0, ["ne", "se", "nw", "se (2)"])
    assert "warning: w.csv: 1 name occurs more than once, such as 'se'" in err
    (tmp_path / "sets.csv").write_text(",nw,ne,se,se (2)\n0,1,1,0,0\n1,0,0,1,1\n2,1,0,1,0\n")
    found = json.loads(run("audit", "w.csv", "--sets", "sets.csv", "--json")[1])
    assert [one["possible"] for one in found["sets"]] == [True, True, False]


def test_what_cannot_be_read(run: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "m.joblib").write_bytes(b"\x80\x04")
    for file, message in [
        ("empty", "empty is a folder with no weights"),
        ("m.joblib", "from_estimator(joblib.load('m.joblib')).save('m.npz')."),
        ("none.onnx", "cannot read none.onnx: No such file or directory"),
        ("none.gguf", "cannot read none.gguf: No such file or directory"),
    ]:
        status, out, err = run("audit", file)
        assert (status, out, err.count("\n")) == (2, "", 1) and message in err
