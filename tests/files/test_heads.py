"""Which array is taken without a key, which is its bias, patterns for keys, and lists of keys."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import BIAS, MATRIX

from arrangements import audit
from arrangements.errors import InputError
from arrangements.files.archives import Archive, Stored
from arrangements.files.heads import Head, choose_key, find_bias, find_head, has_columns
from arrangements.files.matrices import load_matrix, load_source, load_vector
from arrangements.models import SoftmaxClassifier


def archive(tied: bool = False, /, **shapes: Any) -> Archive:
    arrays = {key: Stored(shape, lambda: np.zeros(0)) for key, shape in shapes.items()}
    return Archive("m.npz", arrays, tied=tied)


BODY = {f"layers.{i}.mlp.fc.weight": (8, 8) for i in range(3)}


@pytest.mark.parametrize(
    ("shapes", "key", "bias"),
    [
        ({"W": (3, 2)}, "W", None),
        ({"W": (3, 2), "b": (3,)}, "W", "b"),
        ({"W": (3, 2), "thresholds": (3,)}, "W", "thresholds"),
        ({"W": (3, 2), "thresholds": (2,)}, "W", None),
        ({"W": (3, 2), "u": (3,), "v": (3,)}, "W", None),
        ({"coef_": (3, 2), "intercept_": (3,), "classes_": (3,)}, "coef_", "intercept_"),
        ({"normals": (3, 2), "offsets": (3,), "x": (3,)}, "normals", "offsets"),
        (BODY | {"fc.weight": (3, 8), "fc.bias": (3,)}, "fc.weight", "fc.bias"),
        (BODY | {"model.lm_head.weight": (9, 8)}, "model.lm_head.weight", None),
        (BODY | {"score.weight": (3, 8), "score.bias": (4,)}, "score.weight", None),
        (
            BODY | {"module.classifier.out_proj.weight": (3, 8)},
            "module.classifier.out_proj.weight",
            None,
        ),
        (
            BODY | {"params/head/kernel": (8, 3), "params/head/bias": (3,)},
            "params/head/kernel",
            "params/head/bias",
        ),
        (
            BODY | {"cls.predictions.decoder.weight": (9, 8), "cls.predictions.bias": (9,)},
            "cls.predictions.decoder.weight",
            "cls.predictions.bias",
        ),
        (
            {"10.weight": (3, 8), "10.bias": (3,), "2.weight": (8, 8), "0.weight": (8, 2)},
            "10.weight",
            "10.bias",
        ),
        (
            {"net.0.weight": (8, 2), "net.1.running_mean": (8,), "net.3.weight": (3, 8)},
            "net.3.weight",
            None,
        ),
    ],
)
def test_clear_heads(shapes: dict[str, Any], key: str, bias: str | None) -> None:
    assert find_head(archive(**shapes)) == Head(key, bias)


@pytest.mark.parametrize(
    "shapes",
    [
        {},
        {"b": (3,)},
        BODY,
        {"u": (3, 2), "v": (3, 2)},
        {"fc.weight": (3, 2), "lm_head.weight": (9, 2)},
        {"0.weight": (8, 2), "0.bias": (8,), "2.weight": (3, 7), "2.bias": (3,)},
        {"a.0.weight": (8, 2), "b.2.weight": (3, 8)},
        {"0.weight": (8, 2), "top.weight": (3, 8)},
        {"embed_tokens.weight": (9, 8), **BODY},
    ],
)
def test_unclear_heads(shapes: dict[str, Any]) -> None:
    assert find_head(archive(**shapes)) is None


def test_the_embedding_of_a_tied_model() -> None:
    for name in ("model.embed_tokens.weight", "transformer.wte.weight", "token_embd.weight"):
        assert find_head(archive(True, **BODY, **{name: (9, 8)})) == Head(name, None)
    both = {"embed_tokens.weight": (9, 8), "lm_head.weight": (9, 8)}
    assert find_head(archive(True, **both)) == Head("lm_head.weight", None)
    bert = {"bert.embeddings.word_embeddings.weight": (9, 8), "cls.predictions.bias": (9,)}
    assert find_head(archive(True, **BODY, **bert)) == Head(*bert)
    bart = {"model.shared.weight": (9, 8), "final_logits_bias": (1, 9)}
    encoder = {"model.encoder.embed_tokens.weight": (9, 8), "model.x.embed_tokens.weight": (9, 8)}
    assert find_head(archive(True, **BODY, **bart)) == Head(*bart)
    assert find_head(archive(True, **bart, **encoder)) == Head(*bart)
    assert find_head(archive(True, **BODY, **encoder)) is None


def test_columns_that_are_labels() -> None:
    kernels = archive(
        **{"a.kernel": (8, 3), "a.bias": (3,), "b.kernel": (8, 3), "c.kernel": (3, 8)}
    )
    assert has_columns(kernels, "a.kernel") and has_columns(kernels, "b.kernel")
    turned = archive(**{"a.kernel": (3, 8), "a.bias": (3,), "weight": (8, 3), "bias": (3,)})
    assert not has_columns(turned, "a.kernel") and not has_columns(turned, "weight")
    assert find_bias(turned, "weight") is None


def test_patterns() -> None:
    found = archive(**BODY, **{"lm_head.weight": (9, 8), "lm_head.bias": (9,), "a[0]": (2, 2)})
    assert choose_key(found, "lm_head.weight") == "lm_head.weight"
    assert choose_key(found, "*head.w*") == choose_key(found, "lm_head*") == "lm_head.weight"
    assert choose_key(found, "lm_head*", axes=1) == choose_key(found, "*bias") == "lm_head.bias"
    assert choose_key(found, "a[0]") == "a[0]"
    with pytest.raises(InputError, match=r"'layers\*' fits 3 arrays of m.npz: layers.0.mlp.fc.w"):
        choose_key(found, "layers*")
    with pytest.raises(
        InputError, match=r"no array 'lm_haed.weight'; its keys are: lm_head.weight"
    ):
        choose_key(found, "lm_haed.weight")
    with pytest.raises(InputError, match=r"no array 'head'; its keys are: lm_head.weight"):
        choose_key(found, "head")


def test_messages_list_few_keys_in_one_short_line() -> None:
    names = {f"encoder.{'layer' * i}.{i}.weight": (i, 2**40) for i in range(1, 90)}
    names |= {"odd\nkey" * 100: (1,) * 30, "last.weight": (3, 2), "last.bias": (3,)}
    with pytest.raises(InputError) as caught:
        choose_key(archive(**names), None)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 600
    assert text.startswith(
        "m.npz holds 92 arrays, and which is the last layer is not clear; choose"
    )
    assert "choose a key from: last.weight (3 x 2), " in text
    assert text.endswith("more. The head may be 'last.weight'.")


def test_a_file_of_numpy(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    np.savez(path, hidden=np.ones((4, 4)), **{"head.kernel": MATRIX.T, "head.bias": BIAS})
    found = load_source(path)
    assert (found.key, found.bias, found.by_columns) == ("head.kernel", "head.bias", True)
    assert np.array_equal(found.matrix, MATRIX) and np.array_equal(load_vector(path), BIAS)
    assert np.array_equal(load_matrix(path, "*kernel"), MATRIX)
    assert found.taken().endswith("'head.kernel', 3 rows in dimension 2, the columns of its matrix")
    np.savez(path, **{"head.weight": MATRIX, "other.weight": MATRIX})
    with pytest.raises(InputError, match="no array is clearly the bias of 'head.weight'"):
        load_vector(path)


def test_a_bias_of_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez(path, weight=np.ones((2, 3)), bias=[1, 2, 3])
    with pytest.raises(InputError, match="'weight' has 2 rows and 3 columns, and 'bias' 3 numbers"):
        SoftmaxClassifier.from_file(path)
    assert SoftmaxClassifier.from_file(path, "weight").weights.shape == (2, 3)
    with pytest.raises(InputError, match=r"If the columns of W are the labels, pass W.T"):
        audit(np.ones((2, 3)), [1, 2, 3])


def test_layers_of_keras_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    arrays = {"model_weights/dense/dense/kernel:0": np.ones((3, 4)), "n": np.ones(1)}
    arrays |= {"model_weights/dense_1/dense_1/kernel:0": np.arange(24).reshape(4, 6)}
    arrays |= {"model_weights/dense_1/dense_1/bias:0": np.ones(6)}
    np.savez(path, **arrays)
    found = SoftmaxClassifier.from_file(path)
    assert found.weights.tolist() == np.arange(24).reshape(4, 6).T.tolist()
    assert found.offsets is not None and found.offsets.tolist() == [1] * 6
