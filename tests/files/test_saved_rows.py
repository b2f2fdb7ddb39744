"""Commands read what classifiers and sets here have saved, with offsets and names."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy

from arrangements import Arrangement, chambers, load_matrix, load_names, load_vector
from arrangements.errors import InputError
from arrangements.files.matrices import load_source
from arrangements.models import SigmoidClassifier, SoftmaxClassifier


@pytest.mark.parametrize(
    ("weights", "offsets"),
    [
        ([[1, 2], [3, 4], [0.5, 1]], [0, 1, 2]),
        ([[Fraction(1, 3), 2], [2**70, 4], [0, 1]], [Fraction(1, 7), 0, 2]),
        ([[sympy.sqrt(2), 2], [3, 4], [0, 1]], [0, sympy.sqrt(2), 0]),
        ([[1, 2], [3, 4], [0.5, 1]], None),
    ],
)
@pytest.mark.parametrize("kind", [SoftmaxClassifier, SigmoidClassifier])
def test_classifiers(tmp_path: Path, kind: Any, weights: Any, offsets: Any) -> None:
    model = kind(weights, offsets, ["cat", 5, "dog"])
    model.save(tmp_path / "m.npz")
    found = load_source(tmp_path / "m.npz")
    assert found.key == "weights" and found.bias == (None if offsets is None else "offsets")
    W = load_matrix(tmp_path / "m.npz")
    b = None if offsets is None else load_vector(tmp_path / "m.npz")
    assert kind(W, b, load_names(tmp_path / "m.npz")) == kind(weights, offsets, ["cat", "5", "dog"])
    assert found.names() == (["cat", "5", "dog"], str(tmp_path / "m.npz"))


def test_sets(tmp_path: Path) -> None:
    lines = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    chambers(lines).save(tmp_path / "s.npz")
    assert load_matrix(tmp_path / "s.npz").tolist() == [[1, 0], [0, 1], [1, 1]]
    assert load_vector(tmp_path / "s.npz").tolist() == [0, 0, -1]
    assert load_source(tmp_path / "s.npz").names() is None


def test_damaged_text(tmp_path: Path) -> None:
    SoftmaxClassifier([[Fraction(1, 3)], [2]], labels=["a", "b"]).save(tmp_path / "m.npz")
    members = dict(np.load(tmp_path / "m.npz"))
    for change in (
        {"weights_text": np.frombuffer(b"1/0 2", np.uint8)},
        {"weights_shape": np.array([7, 7])},
        {"weights_shape": np.array([-1, 2])},
        {"labels": np.frombuffer(b"[1", np.uint8)},
    ):
        np.savez(tmp_path / "d.npz", **members | change)
        with pytest.raises(InputError, match=r"d\.npz") as caught:
            load_matrix(tmp_path / "d.npz")
        assert "\n" not in str(caught.value)
