"""Parquet: columns of numbers, an index or a column of names, lists, and tables of label sets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import load_names
from arrangements.errors import InputError
from arrangements.files.label_sets import load_label_sets
from arrangements.files.matrices import load_matrix, load_source, load_table, load_vector

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def save(path: Path, columns: dict[str, Any]) -> Path:
    parquet.write_table(pyarrow.table(columns), path)
    return path


def test_columns(tmp_path: Path) -> None:
    path = tmp_path / "w.parquet"
    W = load_matrix(save(path, {"x": [1, 2, 2**62 + 1], "y": [0.1, 5e-324, 1e300]}))
    assert W.tolist() == [[1, 0.1], [2, 5e-324], [2**62 + 1, 1e300]]
    W = load_matrix(save(path, {"x": np.float32([1, 0.1]), "y": np.float32([3, 4])}))
    assert W.dtype == np.float32 and W[1, 0] == np.float32(0.1)
    assert load_vector(save(path, {"b": [1.5, 2.5]})).tolist() == [1.5, 2.5]


def test_names(tmp_path: Path) -> None:
    path = save(tmp_path / "w.parquet", {"x": [1, 2], "word": ["cat", "dog"], "y": [3, 4]})
    found = load_source(path)
    assert found.matrix.tolist() == [[1, 3], [2, 4]]
    assert found.names() == (["cat", "dog"], str(path)) and load_names(path) == ["cat", "dog"]
    table = load_table(path, "word")
    assert (table.classes, table.names) == (["cat", "dog"], ("x", "y"))
    coded = pyarrow.array(["cat", "dog"]).dictionary_encode()
    assert load_names(save(path, {"x": [1, 2], "word": coded})) == ["cat", "dog"]
    for columns, message in [
        ({"a": ["x"], "b": ["y"], "c": [1]}, "2 columns of text, .*expected at most one"),
        ({"a": ["x", None], "c": [1, 2]}, "column 'a' of .* lacks a name"),
        ({"a": ["x", "y"]}, "no columns of numbers"),
        ({"a": [1, None]}, "column 'a' of .* lacks numbers"),
        ({"a": [1.0, float("nan")]}, "is nan; expected finite"),
        ({"a": [[1, 2], [3]]}, "has lists of two lengths"),
    ]:
        with pytest.raises(InputError, match=message):
            load_matrix(save(path, columns))
    with pytest.raises(InputError, match="has no column of text"):
        load_names(save(path, {"a": [1]}))


def test_lists_are_rows(tmp_path: Path) -> None:
    rows = [[1.5, 2.0], [0.1, 4.0], [0.0, 1.0]]
    fixed = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(np.ravel(rows)), 2)
    for column in (rows, fixed):
        path = save(tmp_path / "w.parquet", {"vector": column, "word": ["a", "b", "c"]})
        assert load_matrix(path).tolist() == rows and load_names(path) == ["a", "b", "c"]


def test_pandas(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "w.parquet"
    for index, names in [(None, None), (["a", "b"], ["a", "b"]), ([7, 5], ["7", "5"])]:
        pandas.DataFrame([[1, 0.5], [2, 0.25]], index=index, columns=["x", "y"]).to_parquet(path)
        found = load_source(path)
        assert found.matrix.tolist() == [[1, 0.5], [2, 0.25]]
        assert (found.named and found.named[0]) == names


def test_label_sets(tmp_path: Path) -> None:
    path = save(tmp_path / "s.parquet", {"dog": [True, False], "cat": [True, True]})
    assert load_label_sets(path, 2, ("cat", "dog")) == [[0, 1], [0]]
    path = save(tmp_path / "s.parquet", {"x": [0, 1], "y": [1, 0], "z": [0, 0]})
    assert load_label_sets(path, 3) == [[1], [0]]
    with pytest.raises(InputError, match=r"shape \(2, 3\); expected a column for each of 2"):
        load_label_sets(path, 2)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(40) + b"PAR1", None])
def test_damaged_files(tmp_path: Path, content: bytes | None) -> None:
    path = save(tmp_path / "w.parquet", {"x": [1, 2]})
    path.write_bytes(path.read_bytes()[:-20] if content is None else content)
    with pytest.raises(InputError, match=r"cannot read .*w\.parquet") as caught:
        load_matrix(path)
    assert "\n" not in str(caught.value)
