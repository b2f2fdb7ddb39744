"""What the compilation of entries takes, and the page that says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from arrangements.preparation import KINDS
from benchmarks.reports import report, report_tables
from benchmarks.runs import run_files, runner
from benchmarks.runs.comparison import compare
from benchmarks.suites.cases import PROCESS, Case
from benchmarks.suites.compilation import without_cache
from benchmarks.suites.methods import check, method_named
from benchmarks.suites.suites import suite_named

pytestmark = pytest.mark.slow

_SORT = """
import json
import numpy as np
from benchmarks.suites.compilation import compiled_entries
from arrangements.kernels.statistics.sorting import COUNTS, sort_rows

def sort():
    words = np.arange(4, dtype=np.uint64)
    sort_rows(words, words.copy(), np.zeros(COUNTS, np.uint64), 1)

with compiled_entries() as first:
    sort()
with compiled_entries() as second:
    sort()
print(json.dumps([first, second]))
"""


def test_entries_are_noticed_while_they_are_compiled() -> None:
    first, second = json.loads(without_cache(_SORT))
    assert [entry["name"] for entry in first] == ["statistics.sorting.sort_rows"]
    assert 0.01 < first[0]["seconds"] < 60 and 20 < first[0]["instructions"] < 5000
    assert second == []


def test_every_kind_of_question_is_measured() -> None:
    methods = [job.method for job in suite_named("first").jobs()]
    assert {f"kernels of {kind}" for kind in KINDS} < set(methods) and "all kernels" in methods


@pytest.mark.parametrize("name", ["import", "first count", "first rankings"])
def test_first_answers_are_right(name: str) -> None:
    case = Case(PROCESS, "gaussian", 7, 3)
    answer = method_named(PROCESS, name).run(case, 1)
    assert check(case, name, answer) == (case.known if name == "first count" else 0)


def test_a_run_has_the_entries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = {"name": "x.y", "seconds": 1.5, "instructions": 1200}
    monkeypatch.setattr(runner, "run_jobs", lambda jobs, cap, budget: (x for x in ()))
    monkeypatch.setattr(runner, "entries_of", lambda kinds: [{"kind": k} | made for k in kinds])
    path = tmp_path / "run.json"
    run = runner.run_suite("first", only="kernels of s", output=str(path))
    assert [entry["kind"] for entry in run["entries"]] == ["sums", "searches", "structure"]
    assert run_files.load_run(str(path)) == run
    assert "entries" not in runner.run_suite("first", only="import")
    table = report_tables.entry_table(run)
    assert table[1:3] == [["sums", "`x.y`", "1.50", "1,200"], ["sums", "all", "1.50", "1,200"]]
    assert report_tables.entry_table({**run, "entries": []}) == table[:1]
    assert "## Entries" in report.page(run, "x")


def test_what_takes_a_tenth_longer_to_compile_is_slower() -> None:
    def run(seconds: float) -> dict[str, Any]:
        times = [seconds, 1.01 * seconds, 0.99 * seconds, seconds, seconds]
        job = {"suite": "first", "topic": "process", "family": "gaussian", "n": 20, "d": 4}
        record = {"method": "kernels of sums", "workers": 1, "status": "ok", "references": {}}
        case = job | record | {"seconds_all": times}
        return {"machine": {"cpu": "x"}, "cases": [case]}

    (found,) = compare(run(5.8), run(5.0))
    assert found.verdict == "slower"
    (found,) = compare(run(5.2), run(5.0))
    assert found.verdict == "cannot tell"
