"""Matrices, families and methods of others: functions, entry points and programs."""

import re
import shlex
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import chambers, rankings
from arrangements.errors import InputError, MissingDependencyError
from benchmarks import Found, register_family, register_method
from benchmarks.command import main
from benchmarks.runs import processes, run_files, runner
from benchmarks.suites import cases, extension, methods, suites
from benchmarks.suites.cases import CHAMBERS, FAMILIES, RANKINGS, Case
from benchmarks.suites.suites import Job

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "benchmarking.md").read_text("utf-8")
LINES = np.array([[1, 0], [0, 1], [1, 1], [0.5, -0.25]])


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    for topic in (CHAMBERS, RANKINGS):
        monkeypatch.setitem(FAMILIES, topic, dict(FAMILIES[topic]))
    known = dict(extension.PEERS)
    yield
    extension.PEERS.clear()
    extension.PEERS.update(known)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The modules of the page, in the current folder."""
    for name, text in re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_the_commands_of_the_page(
    files: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All at once: a method of this package, a function and a program on one matrix."""
    for name in ("_LEAST_LAPS", "_MOST_LAPS"):
        monkeypatch.setattr(runner, name, 1)
    monkeypatch.setattr(processes, "PROCESSES", 1)
    np.save("W.npy", LINES)
    commands = re.findall(r"^python -m benchmarks --file W.npy (.*)$", PAGE, re.MULTILINE)
    assert len(commands) == 3
    options = [word for line in commands for word in shlex.split(line)]
    options = [word.replace("python brute.py", f"{sys.executable} brute.py") for word in options]
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--file", "W.npy", *options])
    assert main() == 0
    lines = capfd.readouterr().out.splitlines()
    for name in ("sweep", "count", "sampled:signs", "brute.py"):
        assert any(f"{name}: " in line and " 8 at " in line for line in lines), name
    assert len(run_files.load_run("run.json")["cases"]) == 4
    report = ["benchmarks", "--from", "run.json", "--markdown", "page.md"]
    monkeypatch.setattr(sys, "argv", report)
    assert main() == 0
    page = Path("page.md").read_text("utf-8")
    assert "```sh\npython -m benchmarks --file W.npy --method count" in page
    assert "| sampled:signs | 1 |" in page and "- *sampled:signs*" in page


def test_entry_points(files: Path) -> None:
    folder = files / "mine-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(
        f"[{extension.ENTRY_POINTS}]\na = moments\nb = no_such_module_anywhere\n"
    )
    sys.path.insert(0, str(files))
    with pytest.warns(UserWarning, match="no_such_module_anywhere .* is left out: ModuleNotFound"):
        extension.load_installed()
    case = Case(CHAMBERS, "moments", 6, 3)
    assert case.known == 32 == len(chambers(case.W))
    (record,) = runner.run_jobs([Job(case, "sweep")], 30, 0.01)
    assert record["status"] == "ok" and record["chambers"] == 32


def answers(topic: str, method: str, answer: Any, W: Any = LINES, b: Any = None) -> int:
    register_family("lines", suites.partial(suites._given, W if b is None else (W, b)), topic=topic)
    return methods.check(Case(topic, "lines", *W.shape), method, answer)


def test_answers_of_others() -> None:
    register_method("theirs", print)
    listed = chambers(LINES).to_array()
    for answer in (8, np.int64(8), listed, listed.tolist(), Found(8), chambers(LINES)):
        assert answers(CHAMBERS, "theirs", answer) == 8
    assert answers(CHAMBERS, "theirs", Found(6, complete=False)) == 6
    affine = chambers(LINES, [0, 0, 1, 0])
    assert answers(CHAMBERS, "theirs", affine.to_array(), b=[0, 0, 1, 0]) == len(affine) == 10
    for answer, said in (
        (7, "7 found, 8 are right"),
        (listed[:-1], "7 found, 8 are right"),
        (np.vstack([listed[:-1], listed[:1]]), "other sign vectors|twice"),
        (listed[:, :3], r"expected a number, or \(m, 4\)"),
        (-0.5 * listed, "sign"),
        (["eight"], "expected a number"),
    ):
        with pytest.raises(methods.WrongAnswerError, match=said):
            answers(CHAMBERS, "theirs", answer)
    register_method("theirs", print, "count")
    with pytest.raises(methods.WrongAnswerError, match="not of the kind 'count'"):
        answers(CHAMBERS, "theirs", listed)
    register_method("orders", print, topic=RANKINGS)
    orders = rankings(LINES).to_array()
    assert answers(RANKINGS, "orders", orders) == len(orders)
    assert answers(RANKINGS, "orders", orders, b=[2, 2, 2, 2]) == len(orders)  # moves all scores
    wrong = np.vstack([orders[:-1], [[0, 0, 1, 2]]])
    with pytest.raises(methods.WrongAnswerError):
        answers(RANKINGS, "orders", wrong)


def test_what_cannot_be_registered() -> None:
    with pytest.raises(InputError, match="already have a family 'shi'"):
        register_family("shi", print)
    with pytest.raises(InputError, match="functions of n and d"):
        register_family("new", 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="there is a method 'sweep'"):
        register_method("sweep", print)
    for options in ({"kind": "tea"}, {"topic": "tea"}):
        with pytest.raises(InputError, match="is 'tea'; expected"):
            register_method("new", print, **options)
    with pytest.raises(InputError, match="expected a function"):
        register_method("new", 3)  # type: ignore[arg-type]
    for text in ("no_such_module:f", "math:no_such", ":", "math:"):
        with pytest.raises(InputError, match="Expected module:function"):
            extension.register_function(text, CHAMBERS)
    for text, said in (("a {inpt}", "Only {input}"), ("a '{input}", "cannot be read")):
        with pytest.raises(InputError, match=said):
            extension.register_command(text, CHAMBERS)
    register_method("known", print, module="no_such_module", install="pip install it")
    with pytest.raises(MissingDependencyError, match="no_such_module is not installed: pip"):
        extension.PEERS["known"].version()
    assert extension.OWN_NAMES == {m for t in (CHAMBERS, RANKINGS) for m in methods.METHODS[t]}
    assert not cases._OWN ^ {(topic, name) for topic in FAMILIES for name in FAMILIES[topic]}


def test_a_lambda_is_told() -> None:
    register_family("lines", lambda n, d: LINES)
    (record,) = runner.run_jobs([Job(Case(CHAMBERS, "lines", 4, 2), "sweep")], 30, 0.01)
    assert record["status"] == "failed" and "no lambdas" in record["message"]


def test_commands(tmp_path: Path) -> None:
    """Programs with and without offsets, with their own time, and those that fail."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "assert open(sys.argv[1]).read().startswith('1.0,0.0\\n'), 'numbers'\n"
        "if len(sys.argv) > 2: assert open(sys.argv[2]).read() == '0\\n0\\n1\\n0\\n'\n"
        "print('# seconds 0.5\\n#\\n10')\n"
    )
    run = f"{sys.executable} {program}"
    case = Job(suites.of_matrix("lines", LINES, [0, 0, 1, 0]).jobs()[0].case, "")
    name = extension.register_command(f"{run} {{input}} {{offsets}}", CHAMBERS)
    assert name == run and extension.PEERS[name].version() is None
    assert extension.PEERS[name].answer(case.case) == Found(10, seconds=0.5)
    extension.register_command(f"{run} {{input}}", CHAMBERS)
    with pytest.raises(InputError, match="has offsets; this method gets cases without"):
        extension.PEERS[name].answer(case.case)
    with pytest.raises(InputError, match="exit status 1; it says: Traceback"):
        extension.PEERS[name].run(LINES + 1)
    extension.register_command("no-such-program {input}", CHAMBERS)
    with pytest.raises(MissingDependencyError, match="no-such-program is not installed"):
        extension.PEERS["no-such-program"].version()


def test_text_of_answers() -> None:
    assert extension.read_answer("0 2 1\n2,0,1\n").rows.tolist() == [[0, 2, 1], [2, 0, 1]]  # type: ignore[union-attr]
    assert extension.read_answer("1\n", "rows").rows.tolist() == [[1]]  # type: ignore[union-attr]
    for text, kind in (("a b", None), ("1 2\n3", None), ("1 2", "count"), ("", "count")):
        with pytest.raises(InputError, match="expected a number"):
            extension.read_answer(text, kind)
    exact = np.array([[1, Fraction(1, 3)], [2**70, 0]], object)
    assert extension.numbers_text(exact) == f"1,1/3\n{2**70},0\n"
    assert extension.numbers_text(np.array([[0.1]], np.float32)) == "0.10000000149011612\n"
