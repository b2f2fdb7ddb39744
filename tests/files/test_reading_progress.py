"""Bars and lines of a log while large files are read, and many decimals at once."""

import logging
from pathlib import Path

import numpy as np
import pytest

from arrangements import load_matrix
from arrangements.errors import InputError
from arrangements.execution import progress
from arrangements.files import text
from arrangements.models import SoftmaxClassifier

ROWS = np.random.default_rng(0).standard_normal((50, 4))


def write(folder: Path) -> Path:
    np.savetxt(folder / "w.csv", ROWS, delimiter=",")
    return folder / "w.csv"


def test_a_bar_counts_lines_once_a_second_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path)
    assert load_matrix(path, progress=True).tolist() == ROWS.tolist()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_DELAY", 0)
    load_matrix(path)
    assert capsys.readouterr().err == ""
    load_matrix(path, progress=True)
    assert "/50.0 lines" in capsys.readouterr().err
    SoftmaxClassifier.from_file(path, progress=True)
    assert "/50.0 lines" in capsys.readouterr().err
    load_matrix(path)  # the flag ends with the call
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="progress is 2; expected True or False"):
        load_matrix(path, progress=2)


def test_numbers_that_are_mapped_are_counted_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    monkeypatch.setattr(progress, "_DELAY", 0)
    load_matrix(tmp_path / "w.npy", progress=True)
    assert "/1.00 blocks of rows" in capsys.readouterr().err


def test_steps_are_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path, seconds = write(tmp_path), iter(range(1000))
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(seconds))
    with caplog.at_level(logging.DEBUG, "arrangements"):
        load_matrix(path)
    assert "1 of about 50 lines after 1 s" in caplog.text
    assert caplog.records[-1].getMessage().endswith("w.csv: 50 rows in dimension 4")


@pytest.mark.parametrize(
    "entry", ["1", "-7", "1/3", "0.0", "-0.0", "1e400", "1e-400", "sqrt(2)", "2.5"]
)
def test_lines_of_decimals_are_read_as_entry_by_entry(
    entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = f"0.1 -2.e3 .5\n+1e2 {entry} 12.25E-1\n".encode()
    found, _ = text.parse_matrix(content, "w.txt")
    monkeypatch.setattr(text, "_DECIMALS", text.re.compile(r"(?!)"))
    expected, _ = text.parse_matrix(content, "w.txt")
    assert found.dtype == expected.dtype
    assert repr(found.tolist()) == repr(expected.tolist())


@pytest.mark.parametrize(
    "entry", ['"1.5,2.5"', "1.5.2", "1_0.5", "१.५", "0x1.8p0", "1e", ".", "nan"]
)
def test_entries_beside_decimals_are_refused(entry: str) -> None:
    with pytest.raises(InputError, match="w.csv, line 1, entry 2"):
        text.parse_matrix(f"0.5;{entry};2.5\n".encode(), "w.csv")
