"""Names from vocabularies, tokenizers and configurations."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements.errors import InputError
from arrangements.files.names import load_names


def written(folder: Path, value: Any) -> Path:
    path = folder / "names.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


TOKENIZER = {
    "added_tokens": [{"id": 2, "content": "[PAD]"}, {"id": 0, "content": "cat"}],
    "model": {"type": "BPE", "vocab": {"cat": 0, "\n": 1}},
}
UNIGRAM = {"model": {"vocab": [["<unk>", 0.0], ["\u2581cat", -3.5]]}}


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["cat", "dog"], ["cat", "dog"]),
        ({"dog": 1, "cat": 0}, ["cat", "dog"]),
        (TOKENIZER, ["cat", '"\\n"', "[PAD]"]),
        (UNIGRAM, ["<unk>", "\u2581cat"]),
        ({"id2label": {"1": "dog", "0": "cat"}, "vocab_size": 5}, ["cat", "dog"]),
    ],
)
def test_names_in_json(tmp_path: Path, value: Any, names: list[str]) -> None:
    assert load_names(written(tmp_path, value)) == names


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ({}, "holds no names; expected a list of names"),
        ([], "holds no names"),
        (3, "holds no names"),
        ([1, 2], "holds no names"),
        ([[]], "holds no names"),
        ({"cat": True}, "holds no names"),
        ({"model": {"vocab": {"a": 0}}, "added_tokens": [3]}, "holds no names"),
        ({"id2label": {"x": "a"}}, "holds no names"),
        ({"cat": 0, "dog": 0}, "'cat' and 'dog' both have the number 0"),
        ({"cat": 0, "dog": 2}, "has 2 names, but none with the number 1"),
    ],
)
def test_bad_names(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_names(written(tmp_path, value))


def test_rows_that_a_vocabulary_leaves_out(tmp_path: Path) -> None:
    vocabulary = {f"t{i}": i for i in range(30) if i not in (7, 28)}
    message = "names.json has no name for 2 of 30 numbers, such as 7, which is called 'row 7'"
    with pytest.warns(UserWarning, match=message):
        found = load_names(written(tmp_path, vocabulary))
    assert found == [f"row {i}" if i in (7, 28) else f"t{i}" for i in range(30)]
    for far in (40, 10**15):
        with pytest.raises(InputError, match="none with the number 7"):
            load_names(written(tmp_path, vocabulary | {"far": far}))


def test_names_that_occur_again_get_numbers(tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("cat\ndog\ncat\ncat (2)\n\ncat\n\ndog\n")
    message = r"names.txt: 2 names occur more than once, such as 'cat'; the later .* 'cat \(2\)'"
    with pytest.warns(UserWarning, match=message):
        found = load_names(path)
    assert found == ["cat", "dog", "cat (3)", "cat (2)", "", "cat (4)", "", "dog (2)"]
    path.write_text("\u3000\na\n\n \nb\n\n", "utf-8")
    assert load_names(path) == ['"\\u3000"', "a", "", '" "', "b"]
    (tmp_path / "names.json").write_text(json.dumps(["a", "b", "a"]))
    with pytest.warns(UserWarning, match=r"names.json: 1 name occurs more than once"):
        assert load_names(tmp_path / "names.json") == ["a", "b", "a (2)"]
    with pytest.raises(
        InputError, match=r"holds no names; expected those of a .gguf or .onnx file"
    ):
        np.savez(tmp_path / "w.npz", a=np.ones(2))
        load_names(tmp_path / "w.npz")


def test_names_beside_numbers(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text(",0,1\na,7.0,3.0\nb,1.0,2.0\n")
    assert load_names(path) == ["a", "b"]
    path.write_text("a\nb, c\n")
    assert load_names(path) == ["a", "b, c"]
    path.write_text("York, England\nParis, France\n")  # no table of numbers
    assert load_names(path) == ["York, England", "Paris, France"]
