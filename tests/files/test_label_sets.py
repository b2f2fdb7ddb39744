"""Sets of labels in all forms that files have."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from arrangements.errors import InputError
from arrangements.files.label_sets import load_label_sets

NAMES = ("cat", "dog", "sea, lion")
SETS = [[0, 1], [], [2], [0, 2]]
MATRIX = np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 0, 1]])


def written(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    if isinstance(value, str):
        path.write_text(value)
    elif scipy.sparse.issparse(value):
        scipy.sparse.save_npz(path, value)
    elif name.endswith(".npz"):
        np.savez(path, sets=value)
    else:
        np.save(path, value)
    return path


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s.csv", 'cat,dog\n\n"sea, lion"\ncat, "sea, lion"\n'),
        ("s.txt", '"sea, lion", cat\n'),
        ("s.csv", "1,1,0\n0,0,0\n0,0,1\n1,0,1\n"),
        ("s.jsonl", '["dog", "cat"]\n[]\n[2]\n["sea, lion", 0]\n'),
        ("s.json", json.dumps([[0, 1], [], ["sea, lion"], ["cat", "sea, lion"]])),
        ("s.npy", MATRIX),
        ("s.npy", np.where(MATRIX, 1, -1)),
        ("s.npz", MATRIX.astype(np.uint8)),
        ("s.npz", scipy.sparse.csr_matrix(MATRIX)),
        ("s.npz", scipy.sparse.coo_array(MATRIX.astype(bool))),
    ],
)
def test_forms(tmp_path: Path, name: str, value: Any) -> None:
    expected = SETS[3:] if name == "s.txt" else SETS
    assert load_label_sets(written(tmp_path, name, value), 3, NAMES) == expected


def test_zeros_and_ones_of_another_width_are_no_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1, names a label twice; .* or 4 entries 0 and 1"):
        load_label_sets(written(tmp_path, "s.csv", "0,1,1\n1,0,1\n"), 4)


def test_numbers_are_names_of_labels_without_names(tmp_path: Path) -> None:
    assert load_label_sets(written(tmp_path, "s.csv", "2,0\n1\n"), 3) == [[0, 2], [1]]
    assert load_label_sets(written(tmp_path, "s.jsonl", "[30, 10]\n"), 3, (10, 20, 30)) == [[0, 2]]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("s.csv", "cat\ncow\n", "s.csv, line 2: 'cow' is not the name of a label"),
        ("s.csv", 'cat,"dog\n', "cannot read .*s.csv: unexpected end of data"),
        ("s.csv", "dog\ncat,dog,cat\n", "s.csv, line 2, names a label twice"),
        (
            "s.jsonl",
            '["cat"]\n[7]\n',
            "s.jsonl, line 2: there is no label 7: rows",
        ),
        ("s.jsonl", '["cat"]\n{"a": 1}\n', "line 2, is {'a': 1}; expected a list of labels"),
        ("s.jsonl", "[\n", "line 1 is not JSON"),
        (
            "s.json",
            '[["cat"], [1.5]]',
            "s.json, set 1: label 1.5 is neither a name nor a row number",
        ),
        ("s.npy", MATRIX[:, :2], r"shape \(4, 2\); expected a column for each of 3 labels"),
        ("s.npy", 2 * MATRIX, "row 0, column 0, is 2; expected 0 or 1"),
        ("s.npz", scipy.sparse.csr_matrix(2 * MATRIX), "has an entry 2; expected a mask"),
        ("s.npz", "PK", "cannot read .*s.npz"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_label_sets(written(tmp_path, name, value), 3, NAMES)
    with pytest.raises(InputError, match="cannot read"):
        load_label_sets(tmp_path / f"none{name}", 3)
