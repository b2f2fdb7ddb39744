"""HDF5 and the weights of Keras, whose kernels have a column for each label."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import BIAS, MATRIX

from arrangements.errors import InputError
from arrangements.files.matrices import load_matrix, load_source, load_vector

h5py = pytest.importorskip("h5py")


def save(path: Path, arrays: dict[str, Any], **options: Any) -> Path:
    with h5py.File(path, "w") as file:
        for key, array in arrays.items():
            file.create_dataset(key, data=array, **(options if np.ndim(array) else {}))
    return path


@pytest.mark.parametrize("options", [{}, {"compression": "gzip"}, {"chunks": True}])
def test_datasets(tmp_path: Path, options: dict[str, Any]) -> None:
    arrays = {"a/W": MATRIX, "a/b": BIAS, "n": 3, "other": MATRIX[:, 0]}
    path = save(tmp_path / "w.h5", arrays, **options)
    W = load_matrix(path)
    assert np.array_equal(W, MATRIX) and isinstance(W, np.memmap) == (not options)
    assert np.array_equal(load_vector(path, "*/b"), BIAS)
    with pytest.raises(
        InputError, match=r"its keys are: a/W \(3 x 2\), a/b \(3\).* n \(a number\)"
    ):
        load_matrix(path, "none")


@pytest.mark.parametrize(
    ("weights", "bias"),
    [
        ("dense_1/dense_1/kernel:0", "dense_1/dense_1/bias:0"),
        ("model_weights/head/head/kernel", "model_weights/head/head/bias"),
        ("layers/dense_1/vars/0", "layers/dense_1/vars/1"),
        ("layers/head/vars/0", "layers/head/vars/1"),
    ],
)
def test_kernels_of_keras_are_turned(tmp_path: Path, weights: str, bias: str) -> None:
    path = save(tmp_path / "m.weights.h5", {weights: MATRIX.T, bias: BIAS})
    found = load_source(path)
    assert (found.key, found.bias, found.by_columns) == (weights, bias, True)
    assert np.array_equal(found.matrix, MATRIX)
    if "head/vars" not in weights:
        assert load_matrix(save(tmp_path / "m.h5", {weights: MATRIX.T})).shape == (3, 2)
    embedding = save(tmp_path / "e.h5", {"layers/embedding/vars/0": MATRIX})
    assert load_matrix(embedding).shape == (3, 2)


def test_keras_archives(tmp_path: Path) -> None:
    inner = save(tmp_path / "model.weights.h5", {"layers/dense/vars/0": MATRIX.T})
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "m.keras", "w", compression) as archive:
            archive.writestr("config.json", json.dumps({}))
            archive.write(inner, "model.weights.h5")
        assert np.array_equal(load_matrix(tmp_path / "m.keras"), MATRIX)
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("config.json", "{}")
    with pytest.raises(InputError, match=r"cannot read .*m.keras: .*model.weights.h5"):
        load_matrix(tmp_path / "m.keras")


def test_numbers_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "w.h5"
    other = save(tmp_path / "other.h5", {"W": MATRIX})
    (tmp_path / "raw").write_bytes(MATRIX.tobytes())
    with h5py.File(path, "w") as file:
        file.create_dataset("huge", (10**6, 10**6), "f8", chunks=(10, 10))
        file.create_dataset("raw", (3, 2), "f8", external=[(str(tmp_path / "raw"), 0, 48)])
        layout = h5py.VirtualLayout((3, 2), "f8")
        layout[...] = h5py.VirtualSource(str(other), "W", (3, 2))
        file.create_virtual_dataset("virtual", layout)
        file["link"] = h5py.ExternalLink(str(other), "W")
    with pytest.raises(InputError, match="'huge' .* more entries than the file has numbers"):
        load_matrix(path, "huge")
    for key in ("raw", "virtual"):
        with pytest.raises(InputError, match=f"'{key}' .* lies in other files"):
            load_matrix(path, key)
    with pytest.raises(InputError, match="no array 'link'"):
        load_matrix(path, "link")


@pytest.mark.parametrize("content", [b"", b"\x89HDF\r\n\x1a\n", b"PK", None])
def test_damaged_files(tmp_path: Path, content: bytes | None) -> None:
    path = save(tmp_path / "w.h5", {"W": MATRIX})
    path.write_bytes(path.read_bytes()[:600] if content is None else content)
    for name in ("w.h5", "w.keras"):
        path = path.rename(tmp_path / name)
        with pytest.raises(InputError, match=r"w\.") as caught:
            load_matrix(path)
        assert "\n" not in str(caught.value)
