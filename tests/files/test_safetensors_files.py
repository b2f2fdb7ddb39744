"""Safetensors with all types, models in several files, damaged headers."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from model_files import MATRIX, bfloat16_bits, safetensors_file

from arrangements.errors import InputError, MissingDependencyError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.files import archives
from arrangements.files.matrices import load_matrix, load_vector


def test_safetensors(tmp_path: Path) -> None:
    pytest.importorskip("ml_dtypes")
    path = safetensors_file(
        tmp_path / "model.safetensors",
        **{
            "norm.weight": ("F32", np.ones(2, np.float32)),
            "decode.weight": ("BF16", bfloat16_bits(MATRIX)),
            "embed.weight": ("F16", np.vstack([MATRIX, MATRIX]).astype(np.float16)),
            "packed": ("F4", np.zeros((1, 1), np.uint8)),
        },
    )
    head = load_matrix(path, "decode.weight")
    assert head.dtype.name == "bfloat16" and isinstance(head, np.memmap)
    exact = (bfloat16_bits(MATRIX).astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal(as_exact_matrix(head), exact.astype(float))
    assert load_matrix(path, "embed.weight").dtype == np.float16
    assert load_vector(path, "norm.weight").tolist() == [1, 1]
    with pytest.raises(
        InputError,
        match=r"holds 4 arrays, and which is the last layer is not clear; choose a key from: "
        r"embed.weight \(6 x 2\), decode.weight \(3 x 2\), packed \(1 x 1\), norm.weight \(2\)\.$",
    ):
        load_matrix(path)
    with pytest.raises(InputError, match="no array 'decode'; its keys are: decode.weight"):
        load_matrix(path, "decode")
    with pytest.raises(InputError, match="'packed' of .* has the type 'F4', which NumPy lacks"):
        load_matrix(path, "packed")
    with pytest.raises(InputError, match=r"holds an array of shape \(2,\); expected \(n, d\)"):
        load_matrix(path, "norm.weight")


@pytest.mark.parametrize("kind", ["F8_E4M3", "F8_E5M2"])
def test_float8_has_its_exact_values(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("ml_dtypes")
    octets = np.arange(256, dtype=np.uint8)
    sign, exponent, mantissa = (
        (octets >> 7, octets >> 3 & 15, octets & 7)
        if kind == "F8_E4M3"
        else (octets >> 7, octets >> 2 & 31, octets & 3)
    )
    bits, bias = (3, 7) if kind == "F8_E4M3" else (2, 15)
    whole = np.where(exponent > 0, 2**bits + mantissa, mantissa).astype(float)
    known = (-1.0) ** sign * np.ldexp(whole, np.maximum(exponent.astype(int), 1) - bias - bits)
    finite = octets & 127 != 127 if kind == "F8_E4M3" else exponent < 31
    path = safetensors_file(tmp_path / "w.safetensors", w=(kind, octets[finite].reshape(-1, 2)))
    W = load_matrix(path)
    assert W.itemsize == 1
    assert np.array_equal(as_exact_matrix(W).ravel(), known[finite])
    odd = safetensors_file(tmp_path / "odd.safetensors", w=(kind, octets.reshape(-1, 2)))
    with pytest.raises(InputError, match=r"row 6\d, column 1, is nan|row 62, column 0, is inf"):
        load_matrix(odd)


def test_numbers_are_those_that_the_library_writes(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.numpy")
    arrays = {
        f"a.{kind}": (MATRIX * 4).astype(kind)
        for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8")
    }
    library.save_file(arrays, tmp_path / "w.safetensors", metadata={"format": "pt"})
    for key, array in arrays.items():
        found = load_matrix(tmp_path / "w.safetensors", key)
        assert found.dtype == array.dtype and np.array_equal(found, array)


def write_index(folder: Path, files: dict[str, Any]) -> Path:
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": files}))
    return index


def test_a_model_in_several_files(tmp_path: Path) -> None:
    safetensors_file(tmp_path / "a.safetensors", w=("F64", MATRIX))
    safetensors_file(tmp_path / "b.safetensors", b=("F64", MATRIX[:, 0]), v=("F64", MATRIX))
    files = {"w": "a.safetensors", "b": "b.safetensors", "v": "b.safetensors"}
    index = write_index(tmp_path, files)
    assert np.array_equal(load_matrix(index, "w"), MATRIX)
    assert np.array_equal(load_vector(index, "b"), MATRIX[:, 0])
    with pytest.raises(InputError, match=r"choose a key from: w \(3 x 2\), v \(3 x 2\), b \(3\)"):
        load_matrix(index)
    for wrong in ("../b.safetensors", "/etc/passwd", "..", "", 7, "a/b.safetensors", "a\\b"):
        with pytest.raises(InputError, match="names the file .*; expected one in its own folder"):
            load_matrix(write_index(tmp_path, files | {"v": wrong}), "w")
    with pytest.raises(InputError, match="cannot read .*c.safetensors: No such file"):
        load_matrix(write_index(tmp_path, files | {"v": "c.safetensors"}), "w")
    with pytest.raises(InputError, match="names the array 'u', which is not in b.safetensors"):
        load_matrix(write_index(tmp_path, files | {"u": "b.safetensors"}), "w")
    for text in ("{}", "[", '{"weight_map": 3}'):
        index.write_text(text)
        with pytest.raises(InputError, match="cannot read"):
            load_matrix(index, "w")


def header(text: str, length: int | None = None) -> bytes:
    return struct.pack("<Q", len(text) if length is None else length) + text.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 8,
        header("{}", 3),
        header("[]"),
        header('{"w": 3}'),
        header('{"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}') + bytes(15),
        header('{"w": {"dtype": "F32", "shape": [-1, 2], "data_offsets": [0, 16]}}') + bytes(16),
        header('{"w": {"dtype": "F32", "shape": [2.0, 2], "data_offsets": [0, 16]}}') + bytes(16),
        header('{"w": {"dtype": "F32", "shape": [1e9], "data_offsets": [0, 16]}}') + bytes(16),
        header(
            '{"w": {"dtype": "F64", "shape": [99999999999, 99999999999], "data_offsets": [0, 1]}}'
        ),
        header('{"w": {"dtype": "F64", "shape": [9999999, 999], "data_offsets": [0, 1]}}'),
        header('{"w": {"dtype": "F32", "shape": [1, 1], "data_offsets": [-4, 0]}}') + bytes(16),
        header('{"w": {"dtype": ["F32"], "shape": [1, 1], "data_offsets": [0, 4]}}') + bytes(16),
    ],
)
def test_damaged_safetensors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="w.safetensors") as caught:
        load_matrix(tmp_path / "w.safetensors")
    assert "\n" not in str(caught.value)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(library: str) -> Any:
        raise ImportError(library)

    monkeypatch.setattr(archives, "import_module", without)
    path = safetensors_file(tmp_path / "w.safetensors", w=("BF16", bfloat16_bits(MATRIX)))
    with pytest.raises(MissingDependencyError, match=r"ml_dtypes is needed .*\[models\]"):
        load_matrix(path)
    for suffix, library, extra in [
        (".onnx", "onnx", "onnx"),
        (".pt", "torch", "torch"),
        (".h5", "h5py", "hdf5"),
        (".parquet", "pyarrow.parquet", "parquet"),
    ]:
        (tmp_path / f"w{suffix}").write_bytes(b"PK")
        with pytest.raises(MissingDependencyError, match=rf"{library} is needed .*\[{extra}\]"):
            load_matrix(tmp_path / f"w{suffix}")
