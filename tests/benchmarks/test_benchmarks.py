"""Suites, workers, comparison and reports of the benchmarks, on tiny inputs."""

import itertools
import json
import multiprocessing
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    SignVectors,
    chambers,
    iter_chambers,
    rankings,
)
from arrangements.errors import InputError, MissingDependencyError
from benchmarks.command import main
from benchmarks.reports import formats, growth, plots, report, report_tables
from benchmarks.runs import intervals, machine, processes, run_files, runner, worker
from benchmarks.runs.comparison import compare, in_turns
from benchmarks.suites import cases, methods, models, optimizing, peers, scale, suites
from benchmarks.suites.cases import CHAMBERS, FAMILIES, PROCESS, PROMISED, RANKINGS, Case
from benchmarks.suites.references import numpy_rankings, plain_numpy, tuned_numpy
from benchmarks.suites.suites import SUITES, Job

pytestmark = pytest.mark.slow

TINY = [
    Case(CHAMBERS, "gaussian", 9, 3),
    Case(CHAMBERS, "integer", 7, 4),
    Case(CHAMBERS, "low-rank braid", 10, 3),
    Case(CHAMBERS, "resonance", 7, 3),
    Case(CHAMBERS, "threshold", 8, 4),
    Case(CHAMBERS, "planes", 13, 3),
    Case(CHAMBERS, "float16 grid", 9, 3),
    Case(CHAMBERS, "affine", 9, 3),
    Case(CHAMBERS, "shi", 12, 4),
    Case(CHAMBERS, "coxeter", 24, 4),
    Case(CHAMBERS, "low-rank product", 9, 6),
    Case(CHAMBERS, "digits", 10, 3),
    Case(CHAMBERS, "digits with biases", 10, 3),
    Case(CHAMBERS, "pairs of digits", 45, 3),
    Case(RANKINGS, "gaussian", 6, 2),
    Case(RANKINGS, "integer", 5, 3),
    Case(RANKINGS, "cube", 8, 3),
    Case(RANKINGS, "float16 grid", 6, 2),
    Case(RANKINGS, "biases", 6, 2),
    Case(RANKINGS, "digits with biases", 10, 3),
]
BUILT_IN = [name for name, peer in peers.PEERS.items() if peer.run.__module__ == peers.__name__]
RECORD_KEYS = {
    "topic", "family", "n", "d", "method", "workers", "status", "chambers", "found", "seconds",
    "seconds_all", "chambers_per_second", "ns_per_chamber", "bytes_per_second", "output_bytes",
    "ratio_to_evaluation", "ratio_to_copy", "references", "peak_bytes", "first_call_seconds",
    "compile_seconds", "processor_seconds",
}  # fmt: skip


def command(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    return main()


@pytest.fixture(scope="module", autouse=True)
def one_process() -> Iterator[None]:
    """Laps are in one process, which saves the start of another."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "PROCESSES", 1)
        yield


# ------------------------------------------------------------------ cases and checks


@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")  # a product as given
@pytest.mark.parametrize("case", TINY, ids=lambda case: case.name)
def test_known_numbers(case: Case) -> None:
    """Closed forms and literature against listings; every family is there."""
    listed = (rankings if case.topic == RANKINGS else chambers)(case.W, case.offsets)
    assert listed.half == (case.sides == 2)
    assert methods.check(case, "sweep", listed) == len(listed)
    assert methods.expected(case, "sweep") == len(listed)


def test_every_family_is_tried() -> None:
    tried = {(case.topic, case.family) for case in TINY}
    assert tried == {(topic, f) for topic, f in cases._OWN if topic in (CHAMBERS, RANKINGS)}


def test_planes_are_distinct_and_degenerate() -> None:
    W = Case(CHAMBERS, "planes", 49, 3).W
    lines = {tuple(sorted((row, -row), key=list)[1]) for row in W}
    generic = Case(CHAMBERS, "gaussian", 49, 3).known
    assert len(lines) == 49 and generic is not None and len(chambers(W)) < generic


def test_a_wrong_answer_is_noticed() -> None:
    case = Case(CHAMBERS, "gaussian", 9, 3)
    with pytest.raises(methods.WrongAnswerError, match="73 found, 74 are right"):
        methods.check(case, "count", 73)
    # right number, but one row is there twice, so another one is missing
    rows = chambers(case.W).packed.copy()
    rows[0] = rows[1]
    found = SignVectors(rows, 9, half=True, arrangement=Arrangement(case.W))
    with pytest.raises(methods.WrongAnswerError, match="twice"):
        methods.check(case, "sweep", found)
    # one of two opposite chambers of an affine arrangement is there twice
    case = Case(CHAMBERS, "affine", 9, 3)
    rows = chambers(case.W, case.offsets).packed.copy()
    rows[0] = rows[1]
    found = SignVectors(rows, 9, half=False, arrangement=Arrangement(case.W, case.offsets))
    with pytest.raises(methods.WrongAnswerError, match="twice"):
        methods.check(case, "sweep", found)
    # a point with the wrong offsets
    found = SignVectors(
        chambers(case.W, -case.offsets).packed,
        9,
        half=False,
        arrangement=Arrangement(case.W, -case.offsets),
    )
    with pytest.raises(methods.WrongAnswerError, match="not at its point"):
        methods.check(case, "sweep", found)
    # the chambers of other hyperplanes
    case = Case(CHAMBERS, "gaussian", 9, 3)
    other = chambers(np.random.default_rng(7).standard_normal((9, 3)))
    theirs = peers.Found(74, other.to_array())
    with pytest.raises(methods.WrongAnswerError, match="other sign vectors"):
        methods.check(case, "polymake", theirs)


def test_a_few_wrong_rows_of_many_are_noticed() -> None:
    case = Case(CHAMBERS, "gaussian", 200, 4)
    rows = chambers(case.W).packed.copy()
    rows[::1000, 1] ^= np.uint64(1 << 40 | 1 << 20 | 1 << 3)
    found = SignVectors(rows, 200, half=True, arrangement=Arrangement(case.W))
    assert methods._all_different(found)
    with pytest.raises(methods.WrongAnswerError, match="does not occur"):
        methods.check(case, "sweep", found)


def test_every_repetition_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([74, 74, 72])
    wrong = methods.Method(lambda W, workers: next(answers))
    monkeypatch.setitem(methods.METHODS[CHAMBERS], "count", wrong)
    bench = worker._Bench(worker._CompileWatch(lambda message: None))
    job = Job(Case(CHAMBERS, "gaussian", 9, 3), "count")
    first = dict(bench.first(job, 0.01))["done"]
    assert first["found"] == 74
    with pytest.raises(methods.WrongAnswerError, match="74 found at first, 72 in a repetition"):
        list(bench.lap(job, 74, 1.0))


def test_bad_names() -> None:
    with pytest.raises(InputError, match="no family 'shy'"):
        _ = Case(CHAMBERS, "shy", 3, 2).known
    with pytest.raises(InputError, match="has 7 rows in dimension 3"):
        _ = Case(CHAMBERS, "resonance", 8, 3).W
    with pytest.raises(InputError, match="expected one of sweep"):
        methods.method_named(RANKINGS, "polymake")
    with pytest.raises(InputError, match="expected one of quick"):
        suites.suite_named("slow")


def test_references_give_the_patterns() -> None:
    case = Case(CHAMBERS, "gaussian", 70, 3)
    X = np.random.default_rng(2).standard_normal((300, 3))
    signs = X @ case.W.T > 0
    plain = plain_numpy(X, case.W, 64)
    assert (np.unpackbits(plain.view(np.uint8), axis=1, bitorder="little")[:, :70] == signs).all()
    for flat in (False, True):
        assert (tuned_numpy(X, case.W, 64, flat)[:, 0] == plain[:, 0]).all()
    orders = numpy_rankings(X, case.W, 64)
    scores = np.take_along_axis(X @ case.W.T, orders.astype(int), axis=1)
    assert (np.diff(scores, axis=1) < 0).all()


def test_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suites.platform, "machine", lambda: "x86_64")
    quick = SUITES["quick"].jobs()
    assert len(quick) >= 20
    for name, suite in SUITES.items():
        jobs = suite.jobs()
        rounds = 3 if name == "processors" else 1
        assert rounds * len({job.name for job in jobs}) == len(jobs)
        for job in jobs:
            if job.case.topic in PROMISED:
                assert job.method in {**scale.TRIALS, **models.TRIALS, **optimizing.TRIALS}
                assert job.case.known is not None
            else:
                methods.method_named(job.case.topic, job.method)
            assert job.case.family in FAMILIES[job.case.topic]
    full = {job.name for job in SUITES["full"].jobs()}
    for name in ("quick", "scaling", "peers"):
        assert full >= {job.name for job in SUITES[name].jobs()}
    for topic in (CHAMBERS, RANKINGS):
        jobs = [job for job in SUITES["full"].jobs() if job.case.topic == topic]
        assert {job.case.family for job in jobs} == {f for t, f in cases._OWN if t == topic}
    assert all(job.case.sides == 2 for job in SUITES["full"].jobs() if job.method in BUILT_IN)
    jobs = [*SUITES["full"].jobs(), *SUITES["first"].jobs()]
    used = {(job.case.topic, job.method) for job in jobs}
    assert used == {(topic, m) for topic in methods.METHODS for m in methods.METHODS[topic]} | {
        (CHAMBERS, name) for name in BUILT_IN
    }


# ------------------------------------------------------------------ runs


@pytest.fixture(scope="module")
def run() -> run_files.RunRecord:
    """Each method once, the loop over linear programs, and a series that takes too long."""
    small = Case(CHAMBERS, "gaussian", 9, 3)
    jobs = [
        *(Job(small, method) for method in methods.METHODS[CHAMBERS]),
        *suites.jobs(CHAMBERS, "gaussian", [(6, 3), (12, 3), (18, 3)], ["sweep"]),
        Job(small, "sweep", 2),
        *(Job(Case(RANKINGS, "gaussian", 6, 2), method) for method in methods.METHODS[RANKINGS]),
        Job(Case(CHAMBERS, "affine", 9, 3), "sweep"),
        Job(Case(RANKINGS, "biases", 6, 2), "pairs"),
        Job(small, "linprog loop"),
        Job(small, "sampling"),
        Job(Case(CHAMBERS, "affine", 9, 3), "sampling"),
        Job(Case(CHAMBERS, "resonance", 8, 3), "sweep"),  # no such matrix
        Job(Case(PROCESS, "gaussian", 6, 3), "import"),
    ]
    # 2^40 chambers are not counted in time
    series = suites.jobs(CHAMBERS, "gaussian", [(300, 8), (301, 8)], ["stream"])
    records = [*runner.run_jobs(jobs, 30, 0.01), *runner.run_jobs(series, 0.5, 0.01)]
    head = {"schema": run_files.SCHEMA, "machine": runner.describe_machine()}
    cases = [{"suite": "test"} | record for record in records]
    return head | {"versions": runner.versions(), "cases": cases}


def by_method(run: run_files.RunRecord, topic: str, method: str) -> list[run_files.Record]:
    return [r for r in run["cases"] if r["topic"] == topic and r["method"] == method]


def test_records(run: run_files.RunRecord) -> None:
    for topic in (CHAMBERS, RANKINGS):
        count = {CHAMBERS: 74, RANKINGS: 30}[topic]  # 2 (1 + 8 + 28); 6 (6 - 1)
        for method in methods.METHODS[topic]:
            record = by_method(run, topic, method)[0]
            assert record["status"] == "ok" and record["chambers"] == count
            assert record.keys() >= RECORD_KEYS
            taken, middle = record["seconds"], record["references"]
            assert min(record["seconds_all"]) <= taken <= max(record["seconds_all"])
            assert record["chambers_per_second"] == pytest.approx(count / taken)
            assert record["ns_per_chamber"] == pytest.approx(1e9 * taken / count)
            assert record["ratio_to_copy"] == pytest.approx(taken / middle["copy"])
            assert record["bytes_per_second"] == pytest.approx(record["output_bytes"] / taken)
    assert by_method(run, CHAMBERS, "sweep")[0]["output_bytes"] == 37 * 8
    for method in ("sweep", "stream", "count"):
        assert by_method(run, CHAMBERS, method)[0]["predicted"]["chambers"] == 74
    (process,) = by_method(run, PROCESS, "import")
    assert process["status"] == "ok" and process["peak_bytes"] is None  # that of this process


def test_records_with_offsets(run: run_files.RunRecord) -> None:
    """All patterns are stored; the other software is not asked."""
    affine, sampled = (r for r in run["cases"] if r["family"] == "affine")
    assert affine["chambers"] == 1 + 9 + 36 + 84
    assert affine["output_bytes"] == 8 * 130 == affine["predicted"]["bytes"]
    assert sampled["status"] == "failed" and "cases without" in sampled["message"]
    biased = next(r for r in run["cases"] if r["family"] == "biases")
    assert biased["chambers"] == 1 + 15 + 85 and biased["output_bytes"] == 6 * 101  # c(6, 6 - k)


def test_capped_series(run: run_files.RunRecord) -> None:
    capped, skipped = by_method(run, CHAMBERS, "stream")[1:]
    assert (capped["status"], capped["message"]) == ("capped", "> 0.5 s")
    assert (skipped["status"], skipped["n"]) == ("skipped", 301)


@pytest.mark.slow
def test_failures_are_records(run: run_files.RunRecord) -> None:
    wrong = [record for record in run["cases"] if record["family"] == "resonance"]
    assert wrong[0]["status"] == "failed" and "has 7 rows" in wrong[0]["message"]
    assert by_method(run, CHAMBERS, "sampling")[0]["found"] <= 74


def test_peak_memory() -> None:
    """Freed memory counts, what is only reused does not."""
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux tells the peak")
    size = 64 * 2**20
    for kept, action in ((1, lambda: np.ones(size, np.uint8)), (0, lambda: np.ones(size).sum())):
        answer, _, peak = worker.timed(action)
        assert peak is not None and 0.9 < peak / (size if kept else 8 * size) < 1.2
        del answer
    W = Case(CHAMBERS, "gaussian", 100, 5).W
    total, _, peak = worker.timed(lambda: sum(map(len, iter_chambers(W))))
    assert peak is not None and peak < total  # a listing takes 8 bytes for each


def test_saved_and_merged(run: run_files.RunRecord, tmp_path: Path) -> None:
    path = str(tmp_path / "run.json")
    run_files.save_run(run, path)
    assert run_files.load_run(path) == json.loads(json.dumps(run))
    assert len(run_files.merged([run, run])["cases"]) == len(run["cases"])
    with pytest.raises(InputError, match="different machines"):
        run_files.merged([run, run | {"versions": {}}])
    (tmp_path / "other.json").write_text("[1]")
    with pytest.raises(InputError, match="not a run of benchmarks"):
        run_files.load_run(str(tmp_path / "other.json"))
    (tmp_path / "other.json").write_text("x")
    with pytest.raises(InputError, match="not JSON"):
        run_files.load_run(str(tmp_path / "other.json"))
    run_files.save_run(run | {"schema": 0}, path)
    with pytest.raises(InputError, match="schema 0"):
        run_files.load_run(path)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda run: run.update(machine=None),
        lambda run: run["machine"].pop("cpu"),
        lambda run: run.update(made={}),
        lambda run: run.update(made=[{"date": "2026-01-01"}]),
        lambda run: run.update(processors=None),
        lambda run: run.update(processors={"cases": []}),
        lambda run: run.update(cases={}),
        lambda run: run.update(cases=[1]),
        lambda run: run["cases"][0].pop("method"),
        lambda run: run["cases"][0].pop("ratio_to_copy"),
        lambda run: run["cases"][0].update(topic="tea"),
        lambda run: run["cases"][0].update(seconds_all=[]),
        lambda run: run["cases"][0].update(seconds_all=[0.1, None]),
        lambda run: run["cases"][0].update(status="capped"),
    ],
)
def test_edited_runs_are_refused(run: run_files.RunRecord, tmp_path: Path, spoil: Any) -> None:
    path = str(tmp_path / "run.json")
    edited = json.loads(json.dumps(run))
    spoil(edited)
    Path(path).write_text(json.dumps(edited))
    with pytest.raises(InputError, match="is not as python -m benchmarks saved it"):
        run_files.load_run(path)


def test_a_run_is_saved_as_a_whole(
    run: run_files.RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interruption while it is written leaves the one before; a pipe is no file."""
    path = str(tmp_path / "run.json")
    run_files.save_run(run, path)

    def interrupt(*paths: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("os.replace", interrupt)
        run_files.save_run(run | {"cases": []}, path)
    assert run_files.load_run(path)["cases"] and len(list(tmp_path.iterdir())) == 1
    run_files.save_run(run, os.devnull)
    assert not Path(os.devnull).is_file()


def test_what_cannot_be_written_is_noticed_at_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("measured")

    monkeypatch.setattr(runner, "run_jobs", refuse)
    (tmp_path / "file").write_text("")
    for option in ("-o", "--markdown", "--plot"):
        there = str(tmp_path / "file" / "x")
        assert command(option, there, monkeypatch=monkeypatch) == 2
        assert "x" in capfd.readouterr().err


def test_an_interrupted_run_is_saved(tmp_path: Path) -> None:
    """What was done is in the file, and the process that did it has gone."""
    path = str(tmp_path / "run.json")

    def interrupt(line: str) -> None:
        if "incremental: " in line and "kernels" not in line:  # a job, not kernels
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run_suite("quick", only="threshold n=16", report=interrupt, output=path)
    assert [record["method"] for record in run_files.load_run(path)["cases"]] == [
        "sweep",
        "incremental",
    ]
    assert multiprocessing.active_children() == []


def test_kernels_are_compiled_before_the_first_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, also those that only degenerate input needs; no job compiles any more."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    jobs = [
        Job(Case(CHAMBERS, "gaussian", 12, 3), "reverse_search"),
        Job(Case(CHAMBERS, "resonance", 31, 5), "characteristic"),
        Job(Case(PROCESS, "gaussian", 6, 3), "import"),
        Job(Case(CHAMBERS, "gaussian", 9, 3), "sampling"),
    ]
    lines: list[str] = []
    made = runner.compile_kernels(jobs, lines.append)
    assert [line["method"] for line in made] == ["reverse_search", "characteristic"]
    assert all(line["seconds"] > 0 for line in made) and len(lines) == 2
    assert "kernels of chambers, reverse_search: compiled in" in "".join(lines)
    assert [line["seconds"] for line in runner.compile_kernels(jobs, lines.append)] == [0, 0]
    records = [*runner.run_jobs(jobs[:2], 30, 0.01)]
    assert [record["compile_seconds"] for record in records] == [0, 0]
    assert multiprocessing.active_children() == []


def test_interrupted_compilation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    host = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
    host.start()  # a process of somebody else
    jobs = [
        Job(Case(CHAMBERS, "gaussian", 12, 3), "reverse_search"),
        Job(Case(RANKINGS, "gaussian", 6, 3), "sweep"),
    ]
    with pytest.raises(KeyboardInterrupt):
        runner.compile_kernels(jobs, interrupt)
    assert multiprocessing.active_children() == [host]
    host.kill()
    host.join()
    compiled = {file.name.split("-")[0] for file in tmp_path.rglob("*.nbc")}
    assert "reverse_search.traverse" in compiled  # it takes 3 s
    assert "exact_signs.answer" not in compiled  # and this 10 s: it was not waited for


def test_missing_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    polypart = peers.PEERS["polypart"]
    with pytest.raises(MissingDependencyError, match="no-such is not installed: pip install"):
        replace(polypart, distribution="no-such", module="no_such_module").version()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MissingDependencyError, match="polymake is not installed: the package"):
        peers.PEERS["polymake"].version()
    (record,) = runner.run_jobs([Job(Case(CHAMBERS, "gaussian", 5, 2), "polymake")], 30, 0.01)
    assert record["status"] == "missing" and "polymake is not installed" in record["message"]


def program(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Another polymake."""
    file = folder / "polymake"
    file.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo version 4.6 && exit\n{body}\n")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_a_peer_that_hangs_or_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended with what it has started, and ends its series; the next job is run."""
    jobs = [*suites.jobs(CHAMBERS, "gaussian", [(5, 2), (6, 2)], ["polymake", "count"])]
    pid = tmp_path / "pid"
    program(tmp_path, monkeypatch, f"sleep 1000 & echo $! > {pid}; wait")
    records = [*runner.run_jobs(jobs, 1.0, 0.01)]
    assert [record["status"] for record in records] == ["capped", "skipped", "ok", "ok"]
    assert records[0]["message"] == "> 1 s"
    for _ in range(100):  # until it is no more, or waits for nothing but to be collected
        state = Path("/proc", pid.read_text().strip(), "stat")
        if not state.exists() or state.read_text().rsplit(")")[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        raise AssertionError("still there")
    program(tmp_path, monkeypatch, "kill -9 $PPID")
    records = [*runner.run_jobs(jobs, 30, 0.01)]
    assert [record["status"] for record in records] == ["failed", "failed", "ok", "ok"]
    assert "the process died" in records[0]["message"]
    program(tmp_path, monkeypatch, "echo 0.1; echo 0 1")
    (record,) = runner.run_jobs(jobs[:1], 30, 0.01)
    assert record["status"] == "wrong" and "1 found, 10 are right" in record["message"]


def test_only_the_answer_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE", 0.01)  # not enough for a process to start
    (record,) = runner.run_jobs([Job(Case(CHAMBERS, "gaussian", 5, 2), "count")], 30, 0.01)
    assert record["status"] == "failed" and "took more than 0.01 s" in record["message"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_peers(name: str) -> None:
    """Those that are installed agree, also on a degenerate arrangement."""
    try:
        peers.PEERS[name].version()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    case = Case(CHAMBERS, "resonance", 7, 3)
    found = peers.PEERS[name].run(case.W / 4)
    assert methods.check(case, name, found) == case.known or not found.complete


def test_polymake_output(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Signatures are parsed, the empty one too; numbers go in as exact integers."""
    program = tmp_path / "polymake"
    program.write_text(
        f"#!{sys.executable}\nimport sys\n"
        'assert \'[["1","0"],["1","4"]]\' in open(sys.argv[2]).read()\n'
        "print('0.25\\n0 1\\n0\\n1\\n')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = peers.PEERS["polymake"].run(np.array([[0.5, 0.0], [0.25, 1.0]]))
    assert found.seconds == 0.25 and found.rows is not None
    assert found.rows.tolist() == [[1, 1], [1, -1], [-1, 1], [-1, -1]]


# ------------------------------------------------------------------ comparison


def synthetic(times: list[float], **changes: Any) -> run_files.RunRecord:
    record = {
        "topic": CHAMBERS, "family": "gaussian", "n": 9, "d": 3, "method": "sweep", "workers": 1,
        "status": "ok", "seconds_all": times, "references": {"evaluation": 1.0},
        "first_call_seconds": 1.5, "compile_seconds": 0.5,
    }  # fmt: skip
    return {"machine": {"cpu": "x"}, "versions": {}, "cases": [record | changes]}


@pytest.mark.parametrize(
    ("new", "old", "verdict"),
    [
        ([1.3, 1.31, 1.32], [1.0, 1.01, 1.0], "slower"),
        ([1.0, 1.01, 1.0], [1.3, 1.31, 1.32], "faster"),
        ([1.05, 1.06, 1.05], [1.0, 1.01, 1.0], "cannot tell"),  # less than 10 %
        ([1.0, 1.6, 1.7], [1.0, 1.01, 1.0], "cannot tell"),  # one good time: the machine was busy
        ([1.5, 2.5, 2.6], [1.0, 1.7, 1.8], "cannot tell"),  # both vary more than they differ
        ([1.05, 1.15, 1.2], [0.95, 1.0, 1.01], "cannot tell"),  # the interval is not above 1.1
        ([1.3, 1.31], [1.0, 1.01], "cannot tell"),  # too few
    ],
)
def test_verdicts(new: list[float], old: list[float], verdict: str) -> None:
    found = compare(synthetic(new), synthetic(old))[0]
    assert found.verdict == verdict
    assert found.low <= found.ratio <= found.high


def test_intervals_cover_the_median() -> None:
    """Nine times of which one in five is disturbed: 95 % intervals, give or take a few."""
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(300):
        times = np.exp(0.05 * rng.standard_normal(9)) + (rng.random(9) < 0.1) * rng.random(9)
        low, high = intervals.interval(times.tolist())
        hits += low <= 1.0063 <= high  # the median of such times
    assert 0.91 < hits / 300 < 1
    assert intervals.interval([3.0]) == (3.0, 3.0)


def test_false_alarms_are_rare() -> None:
    """Identical code, in turns and in two runs, with the noise of a busy machine."""
    rng = np.random.default_rng(6)
    alarms = {"turns": 0, "runs": 0}
    for _ in range(500):
        ratios = np.exp(0.1 * rng.standard_t(3, 7))
        alarms["turns"] += in_turns("x", ratios.tolist()).verdict != "cannot tell"
        new, old = (
            np.exp(0.05 * rng.standard_normal(5) + 0.03 * rng.standard_normal()) for _ in range(2)
        )
        verdict = compare(synthetic(new.tolist()), synthetic(old.tolist()))[0].verdict
        alarms["runs"] += verdict != "cannot tell"
    assert max(alarms.values()) <= 10, alarms  # of 500: 2 %
    real = [1.1 * ratio for ratio in (1.0, 1.01, 0.99, 1.02, 1.0, 0.98, 1.01)]
    assert in_turns("x", real).verdict == "slower"


def test_compare_other_machines_and_lost_answers() -> None:
    old = synthetic([1.0, 1.01, 1.0])
    assert compare(synthetic([2.0, 2.01, 2.0]), old)[0].verdict == "slower"
    busy = synthetic([2.0, 2.01, 2.0], references={"evaluation": 2.0})
    assert compare(busy, old)[0].verdict == "cannot tell"  # NumPy took twice as long, too
    thrice = synthetic([3.0, 3.01, 3.0], references={"evaluation": 2.0})
    for verdict, times in (("slower", thrice), ("cannot tell", busy)):
        times["machine"]["cpu"] = "half as fast"
        assert compare(times, old)[0].verdict == verdict
    lost = compare(synthetic([], status="capped", cap=2.0), old)[0]
    assert lost.verdict == "broken" and "no answer any more" in str(lost)
    assert compare(synthetic([], status="wrong"), old)[0].verdict == "broken"
    impatient = synthetic([], status="capped", cap=0.5)
    assert compare(impatient, old) == []  # the answer came after 1 s before
    process = synthetic([1.0], references={})
    assert len(compare(process, process)) == 1
    assert compare(process | {"machine": {"cpu": "y"}}, process) == []
    assert compare(synthetic([1.0], method="count"), old) == []
    assert compare(synthetic([1.0], status="missing"), old) == []


# ------------------------------------------------------------------ reports and commands


def test_page(run: run_files.RunRecord) -> None:
    page = report.page(run, "python -m benchmarks", ["plot/time.svg"])
    for expected in ("## Chambers", "## Rankings", "## Growth", "## Threads", "## Other software"):
        assert expected in page
    assert "> 0.5 s" in page and run["machine"]["cpu"] in page and "](plot/time.svg)" in page
    for block in page.split("\n\n"):
        lines = [line for line in block.split("\n") if line.startswith("|")]
        assert len({line.count("|") for line in lines}) <= 1


def test_published_pages(tmp_path: Path) -> None:
    """Tables and pictures of the README and docs/benchmarks.md are those of the saved runs."""
    root = Path(__file__).parents[2]
    script = runpy.run_path(str(root / "benchmarks" / "fill_tables.py"))
    for page in script["PAGES"]:
        text = page.read_text("utf-8")
        assert text.count("<!-- ") > 0 and script["fill"](text) == text, page
        assert "(missed)" not in text
    script["draw"](tmp_path)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"time.svg", "heatmap.svg", "peers.svg", "times.html"}
    published = root / "docs" / "benchmarks"
    assert all((published / name).is_file() for name in drawn)
    assert (tmp_path / "times.html").read_bytes() == (published / "times.html").read_bytes()
    assert all(name in page.read_text("utf-8") for name in BUILT_IN)


@pytest.mark.parametrize("name", ["standard", "peers", "scale", "questions", "first"])
def test_saved_runs_make_pages(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = Path(__file__).parents[2] / "docs"
    saved, page = str(docs / "benchmarks" / f"{name}.json"), str(tmp_path / "page.md")
    run = run_files.load_run(saved)
    assert {record["status"] for record in run["cases"]} <= {"ok", "capped", "skipped"}
    assert command("--from", saved, "--markdown", page, monkeypatch=monkeypatch) == 0
    text = Path(page).read_text("utf-8")
    assert report.machine_line(run) in text and "## " in text
    made = re.findall(r"Made on [^.]*\.", text)
    assert len(made) == len(set(made)) > 0


def test_tables_are_narrow_and_their_numbers_plain(run: run_files.RunRecord) -> None:
    published = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
    for page in (report.page(run, "python -m benchmarks"), published):
        tables = [line for line in page.split("\n") if line.startswith("|")]
        assert max(line.count("|") for line in tables) <= 10
        assert not re.search(r"\de[+-]\d", page)
    times = {
        9.996e-4: "1 ms",
        9.994e-4: "999 µs",
        7.04e-9: "7.04 ns",
        7.04e-6: "7.04 µs",
        1234: "1,234 s",
        7.3e-24: "0 ns",  # of an overhead that hardly is one
    }
    assert {formats.format_time(seconds) for seconds in times} == set(times.values())


def grown(power: float, overhead: float, noise: float = 0.02) -> run_files.RunRecord:
    """Times n^power d^2 of n^(d - 1) patterns, with a fixed cost."""
    rng = np.random.default_rng(1)
    cases = []
    for d, n in itertools.product((3, 4), (6, 12, 24, 48, 96, 192)):
        work = 1e-9 * n ** (power + d - 1) * d**2
        seconds = (overhead + work) * float(np.exp(noise * rng.standard_normal()))
        sizes = {"n": n, "d": d, "chambers": n ** (d - 1), "seconds": seconds}
        cases.append(synthetic([seconds])["cases"][0] | sizes)
    return {"cases": cases}


def test_growth_is_that_of_the_times() -> None:
    """Powers and the fixed cost are within their intervals; short times are left out."""
    (fit,) = growth.growth(grown(1.0, 1e-5))
    for value, right in ((fit.overhead, 1e-5), (fit.powers["n"], 1), (fit.powers["d"], 2)):
        assert abs(value[0] - right) < 2 * value[1] < 0.5
    for series in fit.series:
        assert abs(series.exponent[0] - series.d) < 2 * series.exponent[1] < 0.2
        assert series.count_exponent == pytest.approx(series.d - 1)
        assert series.each == pytest.approx(1e-9 * 192 * series.d**2, rel=0.1)
        assert min(series.sizes) >= 12  # a shorter one is below the reach of the timer
    (fit,) = growth.growth(grown(1.0, 1.0))
    assert fit.hidden == (3, 4) and not fit.series and not fit.powers
    table = report_tables.growth_table([fit])
    assert table[1][4] == "hidden by the overhead" and len(report_tables.powers_table([fit])) == 1
    assert fit.overhead[0] == pytest.approx(1.0, rel=0.05)
    (fit,) = growth.growth({"cases": grown(1.0, 1e-5)["cases"][:6]})  # one d
    assert abs(fit.powers["output"][0] - 1.5) < 0.1 and "d" not in fit.powers
    assert growth.growth({"cases": grown(0.0, 1e-4)["cases"][:2]}) == []


def test_plots(run: run_files.RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    written = plots.save_plots(run, str(tmp_path / "plots"))
    assert [Path(path).name for path in written] == [
        *("time.svg", "heatmap.svg", "peers.svg", "workers.svg", "times.html")
    ]
    before = Path(written[0]).read_bytes()
    assert b"reverse_search" in before and b"copy in memory" in before
    assert b"linprog loop" in Path(written[2]).read_bytes()
    plots.save_plots(run, str(tmp_path / "plots"))
    assert Path(written[0]).read_bytes() == before
    for path in written[:4]:  # legible on white and on dark pages: no background, no black text
        drawn = Path(path).read_text("utf-8")
        assert "fill: #ffffff" not in drawn and "#000000" not in drawn and "#797979" in drawn
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match=r"pip install .*\[plot\]"):
        plots.save_plots(run, str(tmp_path))


def test_bench_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*arguments: str) -> int:
        return command(*arguments, monkeypatch=monkeypatch)

    out, page = str(tmp_path / "run.json"), str(tmp_path / "page.md")
    assert call("--suite", "quick", "--only", "threshold n=16 d=5 sweep", "-o", out) == 0
    assert "1,882 at" in capfd.readouterr().out
    assert call("--from", out, "--markdown", page, "--compare", out) == 0
    assert "0 of 1 got slower or broke." in capfd.readouterr().out
    assert "| 1,882 |" in Path(page).read_text(encoding="utf-8")
    run = run_files.load_run(out)
    capped = run["cases"][0] | {"status": "capped", "message": "> 3 s", "cap": 3.0, "n": 17}
    run_files.save_run(run | {"cases": [*run["cases"], capped]}, page)
    assert call("--from", page, "--markdown", page) == 0
    assert "--suite quick --cap 3 -o quick.json" in Path(page).read_text(encoding="utf-8")
    run_files.save_run(run | {"cases": []}, page)
    assert call("--from", out, "--compare", page) == 1
    assert "no case can be compared" in capfd.readouterr().err
    for cap in ("nan", "inf"):
        assert call("--only", "threshold", "--cap", cap) == 2
        assert "expected seconds" in capfd.readouterr().err
    assert call("--from", out, "--plot", str(tmp_path), "--markdown", page) == 0
    assert "times.html" in capfd.readouterr().err
    assert "![" not in Path(page).read_text(encoding="utf-8")
    assert call("--only", "nothing like this") == 2
    said = capfd.readouterr().err
    assert "no job of the suite quick" in said and "chambers threshold n=16 d=5," in said
    for option in ("-o", "--markdown"):  # told before the run, which would take a minute
        assert call(option, str(tmp_path / "no" / "such")) == 2
        said = capfd.readouterr()
        assert "its folder does not exist" in said.err and not said.out
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib.figure", None)
        assert call("--plot", str(tmp_path)) == 2
    said = capfd.readouterr()
    assert "matplotlib is needed for plots" in said.err and not said.out
    assert call("--compare", str(tmp_path / "nothing.json")) == 2
    assert "cannot read" in capfd.readouterr().err
    assert call("--from", out, "--suite", "quick") == 2
    assert "--from reports a saved run" in capfd.readouterr().err
    assert call("--from", out) == 0
    assert "threshold n=16 d=5 sweep: 0." in capfd.readouterr().out
    assert call("--from", "") == 2
    assert "cannot read ''" in capfd.readouterr().err
    assert call("--from", out, "--fail-on-slower") == 2
    assert "--fail-on-slower needs --compare" in capfd.readouterr().err


def test_fail_on_slower(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(*arguments: str) -> int:
        return command(*arguments, monkeypatch=monkeypatch)

    out, old, other = (str(tmp_path / f"{name}.json") for name in ("run", "old", "other"))
    assert call("--only", "threshold n=16 d=5 sweep", "-o", out) == 0
    run = run_files.load_run(out)
    [case] = run["cases"]
    times = [time / 9 for time in case["seconds_all"]]
    earlier = run | {"cases": [case | {"seconds_all": times}]}
    run_files.save_run(earlier, old)
    run_files.save_run(earlier | {"machine": run["machine"] | {"cpu": "another"}}, other)
    capfd.readouterr()
    for path, said in ((old, "SLOWER"), (other, "The machines differ")):
        assert call("--from", out, "--compare", path) == 0
        assert capfd.readouterr().out.startswith(said)
        assert call("--from", out, "--compare", path, "--fail-on-slower") == 1
        assert "1 of 1 got slower or broke." in capfd.readouterr().out
    assert call("--from", out, "--compare", out, "--fail-on-slower") == 0


# ------------------------------------------------------------------ origins and processors


@pytest.mark.skipif(shutil.which("git") is None, reason="commits need git")
def test_the_commit_of_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*command: str) -> str:
        told = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.example"]
        done = subprocess.run([*told, *command], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    package = tmp_path / "package"
    package.mkdir()
    first, second = package / "__init__.py", package / "module.py"
    first.touch()
    second.touch()
    monkeypatch.setattr(machine.arrangements, "__file__", str(first))
    assert machine.origin()["commit"] is None  # no checkout
    git("init", "-q")
    (tmp_path / "readme").touch()
    git("add", "readme")
    git("commit", "-qm", "one")
    assert machine.origin()["commit"] is None  # a checkout of something else
    git("add", ".")
    git("commit", "-qm", "two")
    commit = git("rev-parse", "HEAD")[:12]
    assert machine.origin()["commit"] == commit
    (tmp_path / "readme").write_text("not of the package")
    assert machine.origin()["commit"] == commit
    second.write_text("x = 1")
    assert machine.origin()["commit"] == commit + "+"
    monkeypatch.setenv("PATH", "")
    assert machine.origin()["commit"] is None  # no git


def test_runs_of_every_age(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Older ones do not say when they were made, from what, and what they were compiled for."""
    new, old, page = (str(tmp_path / name) for name in ("new.json", "old.json", "page.md"))
    only = ["--only", "threshold n=16 d=5 sweep"]
    assert command(*only, "-o", new, monkeypatch=monkeypatch) == 0
    run = run_files.load_run(new)
    (made,) = run["made"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", made["date"])
    assert f" Made on {report.origin_of(made)}." in report.page(run, "")
    assert f"compiled for {run['machine']['compiled_for']};" in report.page(run, "")
    earlier = {key: value for key, value in run.items() if key != "made"}
    earlier["machine"] = {k: x for k, x in run["machine"].items() if k != "compiled_for"}
    run_files.save_run(earlier, old)
    for this, that in ((new, old), (old, new)):
        capfd.readouterr()
        options = ["--from", this, "--compare", that, "--markdown", page]
        assert command(*options, monkeypatch=monkeypatch) == 0
        said = f"Compared with a run of {report.origin_of(made)}." in capfd.readouterr().out
        assert said == (that == new)
        assert ("Made on" in Path(page).read_text("utf-8")) == (this == new)
    joined = run_files.merged([run_files.load_run(old), run, run])
    assert joined["made"] == [made, made] and len(joined["cases"]) == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are kinds of x86-64")
def test_jobs_for_other_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process each; the kernels of both are kept side by side."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    case = Case(CHAMBERS, "gaussian", 6, 3)
    jobs = [Job(case, "reverse_search", processor=kind) for kind in ("", "x86-64", "")]
    records = list(runner.run_jobs(jobs, 30, 0.01))
    assert [record.get("processor") for record in records] == [None, "x86-64", None]
    assert [record["compile_seconds"] > 0 for record in records] == [True, True, False]
    assert all(record["status"] == "ok" and record["found"] == 32 for record in records)
    assert "reverse_search for x86-64" in run_files.record_name(records[1])
    assert len({run_files.key_of(record) for record in records}) == 2


def test_other_processors_stand_apart(tmp_path: Path) -> None:
    def record(seconds: list[float], **changes: Any) -> run_files.Record:
        known = {"suite": "processors", "chambers": 74, "found": 74, "seconds": seconds[0]}
        rates = dict.fromkeys(run_files._RATES, 1.0)
        return synthetic(seconds)["cases"][0] | known | rates | changes

    times = [record([2.0, 1.0]), record([1.5, 1.6], processor="x86-64-v3")]
    times += [record([3.0, 4.0]), record([3.0], processor="x86-64", processor_seconds=[3.0, 2.5])]
    head = {"schema": run_files.SCHEMA, "versions": {"python": "3"}, "made": []}
    slow = {
        "machine": dict.fromkeys(run_files._MACHINE, 1) | {"compiled_for": "z80"},
        "cases": times,
    }
    other = {
        "machine": dict.fromkeys(run_files._MACHINE, 2),
        "cases": [record([0.1], suite="quick")],
    }
    slow, other = head | slow, head | other
    assert report_tables.processor_table(slow) == [
        ["input", "patterns", "z80", "x86-64-v3, factor", "x86-64, factor"],
        ["chambers, gaussian, n=9 d=3", "74", "1 s", "1.50", "2.50"],
    ]
    both = run_files.merged([other, slow])
    assert both["processors"] == slow and both["cases"] == other["cases"]
    path = str(tmp_path / "both.json")
    run_files.save_run(both, path)
    assert (
        run_files.load_run(path)
        == both
        == run_files.merged([both])
        == run_files.merged([slow, both])
    )
    pages = [report.page(run, "") for run in (slow, both)]
    assert all("| 1 s | 1.50 | 2.50 |" in page for page in pages)
    assert not any("Other programs used the cores" in page for page in pages)
    busy = slow | {"cases": [times[0] | {"seconds": 3.0, "processor_seconds": [1.0, 1.5, 9.0]}]}
    assert "calls took 2.0 times as long" in report.page(busy, "")
    assert "## Chambers" in pages[1] and "## Chambers" not in pages[0]
    assert "## Other processors" not in report.page(other, "")
    assert run_files.merged([slow]) == slow and "processors" not in run_files.merged([other])
