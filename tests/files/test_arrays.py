"""Arrays of models: mapped files, safetensors with all its types, shards, and what may be wrong."""

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements.errors import InputError, MissingDependencyError
from arrangements.exact.coercion import as_exact_matrix, check_numbers
from arrangements.files import arrays
from arrangements.files.matrices import load_matrix, load_vector

MATRIX = np.array([[1.5, -2.0], [0.1, 3.0], [0.0, 7.25]])


def safetensors_file(path: Path, **tensors: tuple[str, Any]) -> Path:
    """A file as the format describes it: length and text of the header, then the numbers."""
    header, numbers = {}, b""
    for name, (kind, array) in tensors.items():
        start, numbers = len(numbers), numbers + array.tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [start, len(numbers)],
        }
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + numbers)
    return path


def bfloat16_bits(array: Any) -> Any:
    return (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i8", ">f4"])
def test_files_of_numpy_are_mapped(tmp_path: Path, dtype: str, order: Any) -> None:
    array = np.asarray(MATRIX.astype(dtype), order=order)
    np.save(tmp_path / "w.npy", array)
    np.savez(tmp_path / "w.npz", w=array, other=array[:1])
    np.savez_compressed(tmp_path / "small.npz", w=array)
    for name, key, mapped in [
        ("w.npy", None, True),
        ("w.npz", "w", True),
        ("small.npz", None, False),
    ]:
        found = load_matrix(tmp_path / name, key)
        assert isinstance(found, np.memmap) == mapped
        assert found.dtype == array.dtype
        assert np.array_equal(found, array)


def test_what_is_mapped_has_its_checksum(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", w=MATRIX)
    content = bytearray((tmp_path / "w.npz").read_bytes())
    content[content.index(MATRIX.tobytes())] ^= 1
    (tmp_path / "w.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"w.npz: the checksum of 'w.npy' is wrong"):
        load_matrix(tmp_path / "w.npz")


def test_members_behind_others_and_of_odd_shapes(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "w.npz", "w") as archive:
        for name, array in (("a", MATRIX), ("b", np.zeros((0, 2))), ("c", np.float64(3))):
            np.save(tmp_path / "part.npy", array)
            archive.write(tmp_path / "part.npy", f"{name}.npy")
    assert np.array_equal(load_matrix(tmp_path / "w.npz", "a"), MATRIX)
    assert load_matrix(tmp_path / "w.npz", "b").shape == (0, 2)
    with pytest.raises(InputError, match=r"shape \(\); expected \(n, d\)"):
        load_matrix(tmp_path / "w.npz", "c")


def test_safetensors(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    pytest.importorskip("ml_dtypes")
    path = safetensors_file(
        tmp_path / "model.safetensors",
        **{
            "norm.weight": ("F32", np.ones(2, np.float32)),
            "lm_head.weight": ("BF16", bfloat16_bits(MATRIX)),
            "embed.weight": ("F16", np.vstack([MATRIX, MATRIX]).astype(np.float16)),
            "quantized": ("F8_E4M3", np.zeros((1, 1), np.uint8)),
        },
    )
    head = load_matrix(path, "lm_head.weight")
    assert head.dtype.name == "bfloat16"
    exact = (bfloat16_bits(MATRIX).astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal(as_exact_matrix(head), exact.astype(float))
    assert load_matrix(path, "embed.weight").dtype == np.float16
    assert load_vector(path, "norm.weight").tolist() == [1, 1]
    with pytest.raises(
        InputError,
        match=r"holds 4 arrays; choose a key from: embed.weight \(6 x 2\), lm_head.weight "
        r"\(3 x 2\), quantized \(1 x 1\), norm.weight \(2\).",
    ):
        load_matrix(path)
    with pytest.raises(InputError, match=r"no array 'lm_head'; its keys are: lm_head.weight"):
        load_matrix(path, "lm_head")
    with pytest.raises(InputError, match="the type F8_E4M3, which NumPy lacks"):
        load_matrix(path, "quantized")
    with pytest.raises(InputError, match=r"holds an array of shape \(2,\); expected \(n, d\)"):
        load_matrix(path, "norm.weight")


def test_a_model_in_several_files(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    safetensors_file(tmp_path / "a.safetensors", w=("F64", MATRIX))
    safetensors_file(tmp_path / "b.safetensors", b=("F64", MATRIX[:, 0]))
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"w": "a.safetensors", "b": "b.safetensors"}}))
    assert np.array_equal(load_matrix(index, "w"), MATRIX)
    assert np.array_equal(load_vector(index, "b"), MATRIX[:, 0])
    with pytest.raises(InputError, match="choose a key from: w, b"):
        load_matrix(index)
    index.write_text("{}")
    with pytest.raises(InputError, match="cannot read"):
        load_matrix(index, "w")


@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", b"\3\0\0\0\0\0\0\0{}"]
)
def test_damaged_safetensors(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("safetensors")
    (tmp_path / "w.safetensors").write_bytes(content)
    with pytest.raises(InputError, match="w.safetensors"):
        load_matrix(tmp_path / "w.safetensors")


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(library: str) -> Any:
        raise ImportError(library)

    monkeypatch.setattr(arrays, "import_module", without)
    path = safetensors_file(tmp_path / "w.safetensors", w=("F64", MATRIX))
    with pytest.raises(MissingDependencyError, match=r"safetensors is needed .*\[models\]"):
        load_matrix(path)


def test_many_keys_are_listed_in_part(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **{f"layer.{i}": MATRIX for i in range(100)})
    with pytest.raises(InputError, match=r"layer.7, .. and 92 more") as caught:
        load_matrix(tmp_path / "w.npz")
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(InputError, match="its keys are: layer.9"):
        load_matrix(tmp_path / "w.npz", "layer.9x")


def test_the_place_of_a_nan_is_that_in_the_whole_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrangements.exact.coercion._BLOCK", 4)
    matrix = np.ones((10, 2), np.float32)
    check_numbers(matrix, "w")
    matrix[7, 1] = np.inf
    with pytest.raises(InputError, match="w, row 7, column 1, is inf; expected finite"):
        check_numbers(matrix, "w")
