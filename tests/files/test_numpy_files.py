"""Files of NumPy: mapped where that is possible, checked against their checksums."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements.errors import InputError
from arrangements.exact.coercion import check_numbers
from arrangements.files.matrices import load_matrix

MATRIX = np.array([[1.5, -2.0], [0.1, 3.0], [0.0, 7.25]])


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
    large = np.vstack([MATRIX] * 1000)  # of a small one more than the header is read at once
    np.savez(tmp_path / "w.npz", w=large)
    content = bytearray((tmp_path / "w.npz").read_bytes())
    content[content.index(large.tobytes())] ^= 1
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


def test_many_keys_are_listed_in_part(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **{f"layer.{i}": MATRIX for i in range(100)})
    with pytest.raises(InputError, match=r"layer.19 \(3 x 2\), .. and 80 more\.$") as caught:
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
