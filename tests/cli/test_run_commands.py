"""Commands that write runs to a folder, here or on a cluster."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")


def parts(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("*.parquet")}


@pytest.mark.slow
def test_a_cluster_of_its_own_writes_the_same_run(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "w.txt").write_text("1 0 2\n0 1 3\n1 1 1\n2 -1 0\n1 3 5\n")
    write = ("chambers", "w.txt", "--rows-per-part", "4")
    assert run(*write, "-o", "here/")[0] == 0
    assert run(*write, "-o", "there/", "--scheduler", "local", "--workers", "2")[0] == 0
    assert len(parts(tmp_path / "here")) > 1
    assert parts(tmp_path / "here") == parts(tmp_path / "there")
    assert run("check", "there/")[0] == 0


def test_no_scheduler_answers(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    status, _, err = run("chambers", "w.txt", "-o", "run/", "--scheduler", "nowhere")
    assert status == 2 and "no scheduler answers" in err
