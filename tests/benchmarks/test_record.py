"""What a run records, its tables, and the standard suite with its files."""

import csv
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arrangements import chambers, count_chambers, load_matrix, load_vector, rankings
from arrangements.errors import InputError, MissingDependencyError
from benchmarks.command import main
from benchmarks.reports import formats
from benchmarks.runs import processes, run_files, runner, tables, worker
from benchmarks.suites import published, standard, suites
from benchmarks.suites.cases import CHAMBERS, PROCESS, RANKINGS, Case
from benchmarks.suites.suites import Job, Suite

# one of the inputs is a rounded product of low rank, and is meant as given
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning"),
]
DOCS = Path(__file__).parents[2] / "docs"
KINDS = {
    "object": dict, "array": list, "string": str, "number": (int, float), "integer": int,
    "boolean": bool, "null": type(None),
}  # fmt: skip


def violations(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str = "") -> list[str]:
    """Where a value is not as a JSON Schema says, of the words that ours uses."""
    found: list[str] = []
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#").strip("/").split("/"):
            target = target[part] if part else target
        found += violations(value, target, root, at)
    kinds = schema.get("type", [])
    allowed = [KINDS[kind] for kind in ([kinds] if isinstance(kinds, str) else kinds)]
    if allowed and not any(isinstance(value, kind) for kind in allowed):
        return [f"{at}: {value!r} is not {kinds}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is none of {schema['enum']}")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        more = schema.get("additionalProperties", {})
        found += [
            f"{at}: {name} is missing" for name in schema.get("required", []) if name not in value
        ]
        for name, one in value.items():
            found += violations(one, known.get(name, more), root, f"{at}/{name}")
    if isinstance(value, list):
        for k, one in enumerate(value):
            found += violations(one, schema.get("items", {}), root, f"{at}/{k}")
    return found


@pytest.fixture(scope="module")
def run() -> run_files.RunRecord:
    """A few outcomes of all kinds."""
    case = Case(CHAMBERS, "gaussian", 9, 3)
    jobs = [
        Job(case, "sweep"),
        Job(case, "sampling"),
        Job(case, "polymake"),
        Job(Case(RANKINGS, "biases", 6, 2), "sweep"),
        Job(Case(PROCESS, "gaussian", 6, 3), "import"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "PROCESSES", 1)
        patch.setenv("OMP_NUM_THREADS", "7")
        patch.setenv("NUMBA_NUM_THREADS", "1")
        suite = Suite("file", lambda: jobs, 30.0, 0.01, "")
        return runner.run_suite(suite, command="python -m benchmarks")


def test_the_schema_describes_runs(run: run_files.RunRecord, tmp_path: Path) -> None:
    schema = json.loads((DOCS / "benchmarks" / "schema.json").read_text("utf-8"))
    saved = tmp_path / "run.json"
    run_files.save_run(run, str(saved))
    written = json.loads(saved.read_text("utf-8"))
    assert violations(written, schema, schema) == []
    described = schema["properties"].keys() | schema["$defs"]["case"]["properties"].keys()
    described |= schema["properties"]["machine"]["properties"].keys()
    for part in (written, written["machine"], *written["cases"]):
        assert part.keys() <= described
    assert violations(written | {"threads": {"x": 1}}, schema, schema) == [
        "/threads/x: 1 is not string"
    ]
    del written["cases"][0]["topic"]
    assert violations(written, schema, schema) == ["/cases/0: topic is missing"]


def test_what_is_recorded(run: run_files.RunRecord) -> None:
    assert run["command"] == "python -m benchmarks" and run["schema"] == run_files.SCHEMA
    assert run["threads"]["OMP_NUM_THREADS"] == "1" == run["threads"]["NUMBA_NUM_THREADS"]
    assert len(run["load"]["during"]) == len(run["cases"]) == 5
    digest = hashlib.sha256(b"".join(standard.files_of(Case(CHAMBERS, "gaussian", 9, 3)).values()))
    assert run["cases"][0]["sha256"] == digest.hexdigest()
    if sys.platform == "linux":
        assert run["load"]["before"] >= 0 and run["machine"]["features"]
        assert (
            run["machine"]["kernel"] == subprocess.check_output(["uname", "-r"], text=True).strip()
        )
    joined = run_files.merged([run, run])
    assert joined["command"] == run["command"] and len(joined["load"]["during"]) == 10


def test_old_runs_are_read() -> None:
    old = run_files.load_run(str(DOCS / "benchmarks" / "peers.json"))
    assert old["schema"] == 1 and tables.rows(old)[0].keys() == set(tables.COLUMNS)


def test_tables(run: run_files.RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved, table = str(tmp_path / "run.json"), tmp_path / "cases.csv"
    run_files.save_run(run, saved)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--from", saved, "--table", str(table)])
    assert main() == 0
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == [case["status"] for case in run["cases"]]
    assert float(rows[0]["seconds"]) == run["cases"][0]["seconds"]
    assert (
        float(rows[0]["seconds_low"]) <= float(rows[0]["seconds"]) <= float(rows[0]["seconds_high"])
    )
    with pytest.raises(InputError, match="expected .csv or .parquet"):
        tables.save_table(run, str(tmp_path / "cases.txt"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependencyError, match="pyarrow is needed"):
        tables.save_table(run, str(tmp_path / "cases.parquet"))


@pytest.mark.slow
def test_parquet(run: run_files.RunRecord, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = str(tmp_path / "cases.parquet")
    tables.save_table(run, path)
    assert parquet.read_table(path).to_pylist() == tables.rows(run)


# ------------------------------------------------------------------ the standard suite


def test_published_inputs() -> None:
    """Forty, and each is still the one that was published."""
    cases = standard.standard_cases()
    assert len(set(cases)) == 40 == len(SUITE := suites.SUITES["standard"].jobs())
    assert [job.case for job in SUITE] == cases
    for case, one in zip(cases, published.instances(), strict=True):
        assert standard.digest(case) == one["sha256"] == standard.published_digest(case), case.name
        assert case.known == one["count"], case.name
    page = (DOCS / "benchmarking.md").read_text("utf-8")
    assert formats.markdown(standard.standard_table()) in page
    assert f"version {published.published_version()}" in page


@pytest.mark.parametrize(
    "case",
    [one for one in standard.standard_cases() if one.topic == CHAMBERS and one.known < 12_000],
    ids=lambda case: case.name,
)
def test_published_counts(case: Case) -> None:
    """By another algorithm than the sweep, by which the suite itself counts."""
    assert count_chambers(case.W, case.offsets, method="characteristic") == case.known


def test_another_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(CHAMBERS, "shi", 20, 5)
    monkeypatch.setattr(worker, "digest", lambda case: "0")
    bench = worker._Bench(worker._CompileWatch(lambda message: None))
    with pytest.raises(worker.WrongAnswerError, match="not the published one"):
        list(bench.first(Job(case, "sweep"), 0.01))


def test_export(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of all inputs, as other programs read them, give the same answers."""
    folder = tmp_path / "suite"
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--export", str(folder)])
    assert main() == 0
    described = json.loads((folder / "suite.json").read_text("utf-8"))
    assert (described["suite"], described["version"]) == ("standard", 1)
    assert {file.name for file in folder.iterdir()} == {
        "suite.json", *(name for one in described["instances"] for name in one["files"])
    }  # fmt: skip
    for one in described["instances"]:
        contents = [(folder / name).read_bytes() for name in one["files"]]
        assert hashlib.sha256(b"".join(contents)).hexdigest() == one["sha256"]
        W = load_matrix(folder / one["files"][0])
        b = load_vector(folder / one["files"][1]) if len(one["files"]) > 1 else None
        assert W.shape == (one["n"], one["d"])
        if one["count"] < 12_000:
            listed = (rankings if one["topic"] == RANKINGS else chambers)(W, b)
            assert len(listed) == one["count"]
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--only", "digits"])
    assert main() == 0
    assert "version" not in json.loads((folder / "suite.json").read_text("utf-8"))
    capfd.readouterr()
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--cap", "3"])
    assert main() == 2
    assert "--export goes with" in capfd.readouterr().err
    with pytest.raises(InputError, match="cannot make the folder"):
        standard.export([], str(folder / "suite.json" / "x"))
