"""The suite scale on tiny cases."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements.errors import InputError
from benchmarks.reports import report, report_tables
from benchmarks.runs import run_files, runner
from benchmarks.suites import promises, scale
from benchmarks.suites.cases import SCALE, Case
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.promises import Limit, Trial
from benchmarks.suites.suites import Job, jobs

pytestmark = pytest.mark.slow

SMALL = Case(SCALE, "gaussian", 12, 4)
HEAD = {
    "schema": run_files.SCHEMA,
    "versions": {"python": "3"},
    "machine": dict.fromkeys(run_files._MACHINE, 1),
    "made": [],
}


def record_of(case: Case, method: str, workers: int = 1) -> run_files.Record:
    """The record, made in this process."""
    *_, (what, record) = promises.measure_promise(case, method, workers, 0.0, scale.TRIALS)
    assert what == "done"
    job = Job(case, method, workers).identity | {"suite": "scale", "status": "ok"}
    return job | record


@pytest.fixture(autouse=True)
def small_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "_UNIT", Case(SCALE, "resonance", 15, 4))


@pytest.mark.parametrize("step", ["positives", "on", "pairs", "own"])
def test_folds(step: str) -> None:
    record = record_of(SMALL, f"fold {step}")
    assert record["found"] == SMALL.known == 464
    assert [*record["beside"]] == [
        "count_chambers" if step in ("positives", "on") else "iter_chambers"
    ]
    assert record["ratio"] == record["seconds"] / max(record["beside"].values())
    assert record["limit"] == "at most 1.5" and record["kept"] == (record["ratio"] <= 1.5)


def test_places_and_betti_numbers() -> None:
    assert record_of(Case(SCALE, "labels", 7, 3), "fold places")["kept"] in (True, False)
    record = record_of(Case(SCALE, "resonance", 31, 5), "betti", 2)
    assert record["limit"] == "" and record["kept"]
    assert [*record["beside"]] == ["resonance(7), one thread"]


def test_a_run_is_written_and_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    record = record_of(SMALL, "write", 2)
    assert record["beside"].keys() == {"iter_chambers", "disk"} and not [*tmp_path.iterdir()]
    assert record["most_bytes"] == 10**9 and record["peak_bytes"] > 10**6
    full = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    with pytest.raises(InputError, match="Set TMPDIR"):
        record_of(SMALL, "write", 2)


def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = scale.fold_chambers
    for step in ("positives", "on", "pairs", "own"):

        def spoilt(W: Any, *arguments: Any, **options: Any) -> Any:
            found = right(W, *arguments, **options)
            found[0] += 1
            return found

        monkeypatch.setattr(scale, "fold_chambers", spoilt)
        with pytest.raises(WrongAnswerError, match="the answer is wrong"):
            record_of(SMALL, f"fold {step}")
    monkeypatch.setattr(scale, "betti_numbers", lambda W, workers: (1, 2))
    with pytest.raises(WrongAnswerError):
        record_of(Case(SCALE, "resonance", 15, 4), "betti")


def test_limits() -> None:
    assert Limit(2.5).holds(2.5) and not Limit(2.5).holds(2.6)
    assert Limit(1.8, least=True).holds(1.9) and not Limit(1.8, least=True).holds(1.7)
    assert str(Limit(1.8, least=True)) == "at least 1.8"
    assert str(Limit(0.05, "seconds per task")) == "at most 0.05 s a task"

    def made(trial: Trial, own: float, peak: int = 0, **beside: float) -> run_files.Record:
        return promises._describe_trial(
            SMALL, trial, [own], {k: [t] for k, t in beside.items()}, peak
        )

    assert not made(Trial(float, {}, Limit(2.5)), 10.0, a=1.0, b=3.0)["kept"]
    assert made(Trial(float, {}, Limit(2.5)), 10.0, a=1.0, b=4.0)["ratio"] == 2.5
    faster = made(Trial(float, {}, Limit(1.8, least=True), inverse=True), 10.0, a=19.0)
    assert faster["ratio"] == 1.9 and faster["kept"]
    tasks = made(Trial(float, {}, Limit(0.05, "seconds per task"), tasks=100), 10.0, a=4.0)
    assert tasks["seconds_per_task"] == pytest.approx(0.06) and not tasks["kept"]
    heavy = Trial(float, {}, Limit(2.5), most_bytes=10)
    assert made(heavy, 1.0, 10, a=1.0)["kept"] and not made(heavy, 1.0, 11, a=1.0)["kept"]


def test_in_processes_with_dask(tmp_path: Path) -> None:
    """Each case in a process of its own, which may start those of Dask."""
    pytest.importorskip("distributed")
    chosen = [Job(SMALL, "fold on Dask", 2), Job(SMALL, "tiny tasks"), Job(SMALL, "no such")]
    before = {*os.listdir(tempfile.gettempdir())}
    records = [*runner.run_jobs(chosen, 60, 0.0)]
    assert [record["status"] for record in records] == ["ok", "ok", "failed"], records
    assert records[1]["seconds_per_task"] >= 0 and "fold places" in records[2]["message"]
    run = HEAD | {"cases": [{"suite": "scale"} | record for record in records]}
    path = str(tmp_path / "run.json")
    run_files.save_run(run, path)
    assert run_files.load_run(path)["cases"] == run["cases"]
    table = report_tables.promise_table(run, SCALE)
    assert len(table) == 4 and {len(row) for row in table} == {9}
    assert table[1][1] == "fold on Dask, 2 workers" and "at least 1.8" in table[1][-1]
    assert "at most 0.05 s a task, found" in table[2][-1] and table[3][3] == "failed"
    assert "## At scale" in report.page(run, "")
    assert runner.describe_record(records[0]).endswith(": at least 1.8")
    assert not [n for n in {*os.listdir(tempfile.gettempdir())} - before if "dask" in n]


def test_a_short_cap_leaves_cases_out() -> None:
    large = [*jobs(SCALE, "gaussian", [(64, 8)], ["fold positives"])]
    [record] = runner.run_jobs(large, 0.2, 0.0)
    assert (record["status"], record["message"]) == ("capped", "> 0.2 s")
    run = HEAD | {"cases": [{"suite": "scale"} | record]}
    assert report_tables.promise_table(run, SCALE)[1][3] == "> 0.2 s"


def test_the_disk_is_written_and_freed(tmp_path: Path) -> None:
    assert scale._disk_seconds(tmp_path, [10, 2000]) > 0 and not [*tmp_path.iterdir()]
    assert np.isfinite(scale._streamed(SMALL, 1))


def test_certificates_are_written_and_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    record = record_of(SMALL, "certificate")
    ((name, seconds),) = record["beside"].items()
    assert name.startswith("checker, ") and name.endswith(" bytes a chamber") and seconds > 0
    assert record["limit"] == f"at most {20e-6 * 464:g} s"
    monkeypatch.setattr(scale.checker, "main", lambda path, say: 1)
    with pytest.raises(WrongAnswerError, match="checker"):
        record_of(SMALL, "certificate")
