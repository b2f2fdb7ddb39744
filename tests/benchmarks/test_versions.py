"""Two versions of the package in environments of their own."""

import shutil
from pathlib import Path

import pytest

from arrangements.errors import InputError
from benchmarks.runs import machine, processes, runner, versions
from benchmarks.suites.cases import CHAMBERS, PROCESS, RANKINGS, Case
from benchmarks.suites.suites import Job

pytestmark = pytest.mark.slow

_SLOWER = """
import time
from math import comb
def chambers(W, offsets=None, *, method="auto", workers=1):
    time.sleep({seconds})
    return range({found})
def iter_rankings(W, offsets=None, *, method="auto", workers=1):
    yield [1, 2]
    yield [3]
"""


def fake(folder: Path, **numbers: float) -> versions.Version:
    """A version in which everything takes as long as it is told to."""
    python = versions.build(None, folder).python
    (package,) = folder.glob("lib/python*/site-packages/arrangements")
    shutil.rmtree(package)
    package.with_suffix(".py").write_text(_SLOWER.format(**numbers))
    return versions.Version(folder.name, python)


def test_versions_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "_SHARE", 0.02)
    monkeypatch.setattr(versions, "_MOST_LAPS", 7)
    slow, fast = (fake(tmp_path / str(s), seconds=s, found=74) for s in (0.02, 0.01))
    small = Case(CHAMBERS, "gaussian", 9, 3)
    jobs = [
        Job(small, "sweep"),
        Job(small, "count"),  # which these versions lack
        Job(Case(RANKINGS, "gaussian", 6, 2), "stream"),
        Job(small, "sampling"),  # other software has no versions here
        Job(Case(PROCESS, "gaussian", 6, 3), "import"),
    ]
    lines: list[str] = []
    ratios = versions.measure([slow, fast], jobs, cap=10, report=lines.append)
    assert list(ratios) == [job.name for job in jobs[:3]]
    assert any("has no attribute 'count_chambers'" in line for line in lines)
    found = {line.name: line for line in versions.comparisons(ratios)}
    assert found[jobs[0].name].verdict == "slower" and 1.5 < found[jobs[0].name].ratio < 2.5
    assert found[jobs[1].name].verdict == "broken"
    other = fake(tmp_path / "other", seconds=0, found=72)
    assert versions.measure([other, fast], jobs[:1], cap=10, report=lines.append) == {
        jobs[0].name: []
    }
    assert "72 found here, 74 by 0.01" in "".join(lines)
    hanging = fake(tmp_path / "hanging", seconds=60, found=74)
    monkeypatch.setattr(versions, "_PATIENCE", 0.2)
    versions.measure([hanging, fast], jobs[:1], cap=10, report=lines.append)
    assert "hanging: no answer within 0.2 s" in "".join(lines)


@pytest.mark.skipif(machine.origin()["commit"] is None, reason="no checkout")
def test_a_version_is_built_from_a_commit(tmp_path: Path) -> None:
    version = versions.build("HEAD", tmp_path / "environment")
    (package,) = (tmp_path / "environment").glob("lib/python*/site-packages/arrangements")
    assert (package / "py.typed").exists() and version.python.exists()
    for name in ("no-such-commit", "--output=x"):
        with pytest.raises(InputError, match=f"there is no version '{name}': fatal"):
            versions.build(name, tmp_path / name.strip("-"))


def test_laps_in_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbors take turns; the record has the median and the interval of the laps."""
    monkeypatch.setattr(processes, "PROCESSES", 2)
    small = Case(CHAMBERS, "gaussian", 9, 3)
    records = list(runner.run_jobs([Job(small, m) for m in ("sweep", "count")], 30, 0.2))
    for record in records:
        laps = len(record["seconds_all"])
        assert runner._LEAST_LAPS <= laps == len(record["calls"]) <= runner._MOST_LAPS
        assert all(len(times) == laps for times in record["references_all"].values())
        low, high = record["interval"]
        assert low <= record["seconds"] <= high
