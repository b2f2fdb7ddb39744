"""The suite models on tiny cases."""

from typing import Any

import pytest

from arrangements.errors import MissingDependencyError
from benchmarks.runs import run_files
from benchmarks.suites import models, promises
from benchmarks.suites.cases import MODELS, Case
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.suites import SUITES, Job

TINY = [
    ("single", 120, 6, "argmax"),
    ("labels", 100, 5, "label sets"),
    ("unit", 30, 4, "pairs"),
    ("curve", 40, 9, "sets of five"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("family", "n", "d", "method"), TINY)
def test_answers_and_references(family: str, n: int, d: int, method: str) -> None:
    case = Case(MODELS, family, n, d)
    *_, (what, record) = promises.measure_promise(case, method, 2, 0.0, models.TRIALS)
    assert what == "done" and record["kept"] and record["found"] == case.known
    job = Job(case, method, 2).identity | {"suite": "models", "status": "ok", "message": ""}
    assert run_files._is_record(job | record)
    assert record["ratio"] == next(iter(record["beside"].values())) / record["seconds"]


def test_every_promise_has_a_job() -> None:
    jobs = SUITES["models"].jobs()
    cases = {(job.case.family, job.case.n, job.case.d) for job in jobs}
    assert {*models._BYTES} <= cases <= {*promises.SECONDS}
    assert {job.method for job in jobs} == {*models.TRIALS}


def test_wrong_answers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(MODELS, "labels", 100, 5)
    right: Any = models.feasible_many

    def spoilt(W: Any, on: Any, offsets: Any, workers: int) -> Any:
        return right(W, on=on[::-1], offsets=offsets)

    monkeypatch.setattr(models, "feasible_many", spoilt)
    with pytest.raises(WrongAnswerError, match="a label set is wrong"):
        list(promises.measure_promise(case, "label sets", 1, 0.0, models.TRIALS))


def test_a_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.suites.matrices.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match="pip install it"):
        _ = Case(MODELS, "tokens", 30, 3).W
