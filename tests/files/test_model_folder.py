"""Folders of models: which file, which array is the head, and where its names are."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import BIAS, MATRIX, safetensors_file

from arrangements import load_names
from arrangements.errors import InputError
from arrangements.files.matrices import load_matrix, load_source, load_vector

VOCABULARY = {"cat": 0, "dog": 1, "cow": 2}
CAUSAL = {"architectures": ["GPT2LMHeadModel"]}
CLASSIFIER = {
    "architectures": ["BertForSequenceClassification"],
    "id2label": {"0": "good", "1": "bad", "2": "neither"},
}


def folder(path: Path, config: Any = None, **tensors: Any) -> Path:
    arrays = {key: ("F64", np.asarray(array)) for key, array in tensors.items()}
    safetensors_file(path / "model.safetensors", **arrays)
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    return path


def write(path: Path, name: str, content: Any) -> Path:
    (path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_a_language_model(tmp_path: Path) -> None:
    tensors = {"transformer.wte.weight": MATRIX, "h.0.weight": np.ones((3, 2))}
    model = write(folder(tmp_path, CAUSAL, **tensors), "vocab.json", VOCABULARY)
    found = load_source(model)
    assert found.key == "transformer.wte.weight" and np.array_equal(found.matrix, MATRIX)
    assert found.names() == (["cat", "dog", "cow"], str(tmp_path / "vocab.json"))
    assert load_names(model) == ["cat", "dog", "cow"]
    folder(tmp_path, CAUSAL, **tensors, **{"lm_head.weight": 2 * MATRIX, "lm_head.bias": BIAS})
    assert np.array_equal(load_matrix(model), 2 * MATRIX)
    assert np.array_equal(load_vector(model), BIAS)
    for config in (
        {"architectures": ["GPT2Model"]},
        CAUSAL | {"tie_word_embeddings": False},
        CAUSAL | {"text_config": {"tie_word_embeddings": False}},
        None,
    ):
        (tmp_path / "config.json").unlink()
        folder(tmp_path, config, **tensors)
        with pytest.raises(InputError, match="which is the last layer is not clear"):
            load_matrix(model)
        assert np.array_equal(load_matrix(model, "*wte*"), MATRIX)
        (tmp_path / "config.json").touch()


def test_a_classifier(tmp_path: Path) -> None:
    tensors = {"classifier.weight": MATRIX, "classifier.bias": BIAS, "e.weight": np.ones((9, 2))}
    model = folder(tmp_path, CLASSIFIER, **tensors)
    write(model, "vocab.txt", "a\nb\nc\nd\n")
    found = load_source(model)
    assert (found.key, found.bias) == ("classifier.weight", "classifier.bias")
    names = (["good", "bad", "neither"], str(tmp_path / "config.json"))
    assert found.names() == names and load_names(model) == names[0]


@pytest.mark.parametrize(
    ("tokens", "names", "text"),
    [
        (20, None, ""),
        (19, "row 19", "vocab.txt, but for the last 1 rows"),
        (21, "19", "vocab.txt, whose last 1 tokens have no row"),
        (17, "none", ""),
        (30, "none", ""),
    ],
)
def test_vocabularies_of_another_size(
    tmp_path: Path, tokens: int, names: str | None, text: str
) -> None:
    model = folder(tmp_path, CAUSAL, **{"lm_head.weight": np.arange(40).reshape(20, 2) / 2})
    write(model, "vocab.txt", "".join(f"{i}\n" for i in range(tokens)))
    found = load_source(model).names()
    if names == "none":
        assert found is None
        return
    assert found is not None and len(found[0]) == 20 and found[1].endswith(text or "vocab.txt")
    assert found[0][-1] == (names or "19")


def test_names_that_cannot_be_read_are_left_out(tmp_path: Path) -> None:
    model = write(folder(tmp_path, CAUSAL, **{"lm_head.weight": MATRIX}), "vocab.json", "[")
    with pytest.warns(UserWarning, match=r"vocab.json is not JSON: .*\. So its names are left out"):
        assert load_source(model).names() is None
    write(model, "vocab.txt", "a\nb\nc\n")
    with pytest.warns(UserWarning, match="left out"):
        assert load_source(model).names() == (["a", "b", "c"], str(tmp_path / "vocab.txt"))


def test_which_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder with no weights; expected model.safetensors"):
        load_matrix(tmp_path)
    with pytest.raises(InputError, match="has no names; expected one of tokenizer.json"):
        load_names(tmp_path)
    np.savez(tmp_path / "head.npz", W=MATRIX)
    assert np.array_equal(load_matrix(tmp_path), MATRIX)
    (tmp_path / "training_args.bin").touch()
    assert np.array_equal(load_matrix(tmp_path), MATRIX)
    np.savez(tmp_path / "other.npz", W=MATRIX)
    with pytest.raises(InputError, match=r"several files of weights \(head.npz, other.npz\)"):
        load_matrix(tmp_path)
    index = {"weight_map": {"W": "part.safetensors"}}
    write(tmp_path, "model.safetensors.index.json", index)
    safetensors_file(tmp_path / "part.safetensors", W=("F64", 2 * MATRIX))
    assert np.array_equal(load_matrix(tmp_path), 2 * MATRIX)
    assert np.array_equal(load_matrix(folder(tmp_path, None, W=3 * MATRIX)), 3 * MATRIX)


def test_pytorch_models_in_several_files(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", minversion="2.10")
    torch.save({"lm_head.weight": torch.tensor(MATRIX)}, tmp_path / "a.bin")
    torch.save({"body.weight": torch.ones(3, 3)}, tmp_path / "b.bin")
    files = {"lm_head.weight": "a.bin", "body.weight": "b.bin"}
    write(tmp_path, "pytorch_model.bin.index.json", {"weight_map": files})
    assert np.array_equal(load_matrix(tmp_path), MATRIX)


@pytest.mark.parametrize("content", ["", "[]", "{", "3", '{"text_config": 3, "id2label": 7}'])
def test_damaged_configurations(tmp_path: Path, content: str) -> None:
    model = folder(tmp_path, None, **{"fc.weight": MATRIX})
    write(model, "config.json", content)
    if "text_config" in content:
        with pytest.warns(UserWarning, match=r"config.json has 2 names.* left out"):
            assert load_source(model).names() is None
        return
    with pytest.raises(InputError, match=r"config.json") as caught:
        load_matrix(model)
    assert "\n" not in str(caught.value)
