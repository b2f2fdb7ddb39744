"""The command line: results on stdout, one line on stderr and status 2 for bad input."""

import ast
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest

import arrangements
from arrangements import generators
from arrangements.cli import application
from arrangements.cli.wording import REMEDIES
from arrangements.execution import limits
from arrangements.files.matrices import load_matrix

ROWS = [[1, 0], [0, 1], [1, 1]]
COMMAND = [sys.executable, "-m", "arrangements.cli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(arrangements.__file__).parent.parent)}


def lines(signs: set[tuple[int, ...]]) -> list[str]:
    return sorted("".join("+" if s > 0 else "-" for s in row) for row in signs)


@pytest.mark.parametrize("name", ["w.npy", "w.npz", "w.csv", "w.txt"])
def test_chambers_of_a_file(run: Any, tmp_path: Path, name: str) -> None:
    rows = np.array(ROWS)
    save = {".npy": np.save, ".npz": lambda path, a: np.savez(path, W=a)}.get(
        Path(name).suffix,
        lambda path, a: np.savetxt(path, a, "%d", "," if "csv" in name else " "),
    )
    save(tmp_path / name, rows)
    status, out, err = run("chambers", name)
    assert (status, err) == (0, "")
    assert sorted(out.splitlines()) == lines(naive.chambers(ROWS))
    assert run("count", name) == (0, "6\n", "")


def test_standard_input_and_offsets(run: Any, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("0 0 -1/2\n")
    status, out, err = run("chambers", "-", "--offsets", "b.txt", stdin=b"1 0\n0 1\n1 1\n")
    assert (status, err) == (0, "")
    assert sorted(out.splitlines()) == lines(naive.chambers(ROWS, [0, 0, -1]))


def test_keys(run: Any, tmp_path: Path) -> None:
    np.savez(tmp_path / "model.npz", W=ROWS, b=[0, 0, -1])
    options = ["--key", "W", "--offsets", "model.npz", "--offsets-key", "b"]
    assert run("count", "model.npz", *options) == (0, "7\n", "")


@pytest.mark.parametrize("method", ["auto", "sweep", "incremental", "reverse_search"])
def test_options_reach_the_library(run: Any, tmp_path: Path, method: str) -> None:
    np.save(tmp_path / "w.npy", generators.generic(9, 3, 0))
    expected = f"{naive.generic_count(9, 3)}\n"
    assert run("count", "w.npy", "--method", method) == (0, expected, "")


def test_rank_workers_and_limit(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", generators.generic(9, 3, 0))
    assert run("count", "w.npy", "--rank", "2") == (0, "18\n", "")
    assert run("count", "w.npy", "--workers", "2")[1] == f"{naive.generic_count(9, 3)}\n"
    assert len(run("chambers", "w.npy", "--limit", "5")[1].splitlines()) == 5


def test_json(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    head = {"hyperplanes": 3, "dimension": 2, "central": True}
    status, out, err = run("chambers", "w.npy", "--json")
    answer = json.loads(out)
    assert sorted(answer.pop("chambers")) == lines(naive.chambers(ROWS))
    assert answer == head | {"count": 6, "complete": True}
    assert json.loads(run("count", "w.npy", "--json")[1]) == head | {"count": 6}


@pytest.mark.parametrize("name", ["out.txt", "out.csv", "out.npz"])
def test_output_file(run: Any, tmp_path: Path, name: str) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    assert run("chambers", "w.npy", "-o", name) == (0, "", "")
    if name == "out.npz":
        found = arrangements.SignVectors.load(tmp_path / name)
        assert found == arrangements.chambers(ROWS)
        assert naive.signs_at(ROWS, None, found.witness(0)) == tuple(found.to_array()[0])
    else:
        assert len((tmp_path / name).read_text().splitlines()) == 6
    out = run("chambers", "w.npy", "-o", name, "--json")[1]
    assert json.loads(out)["count"] == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chambers", "none.npy"], "cannot read none.npy"),
        (["chambers", "w.npy", "-o", "out.pdf"], "out.pdf has an unknown extension"),
        (["chambers", "w.npy", "--workers", "0"], "workers"),
        (["count", "w.npy", "--rank", "7"], "rank"),
        (["count", "w.npy", "--rank", "x"], "'x' is not a valid positive integer"),
        (["count", "w.npy", "--method", "magic"], "magic"),
        (["count", "w.npy", "--magic"], "--magic"),
        (["count", "zero.txt"], "zero"),
        (["count", "nan.txt"], "nan.txt, line 2, entry 1 is 'nan'"),
        (["count", "large.csv"], "large.csv, line 1, entry 2 is '1e9999'"),
        (["count", "nan.npy"], "nan.npy, row 1, column 0, is nan"),
        (["count", "vector.npy"], "vector.npy holds an array of shape (3,); expected (n, d)"),
        (["count", "w.npy", "--offsets", "w.npy"], "offsets"),
        (["count", "w.npy", "--offsets-key", "b"], "--offsets"),
        (["count", "-", "--offsets", "-"], "standard input"),
        (["count"], "FILE"),
        (["magic"], "magic"),
    ],
)
def test_bad_input_is_one_line(
    run: Any, tmp_path: Path, arguments: list[str], message: str
) -> None:
    np.save(tmp_path / "w.npy", ROWS)
    (tmp_path / "zero.txt").write_text("1 0\n0 0\n")
    (tmp_path / "nan.txt").write_text("1 0\nnan 0\n")
    (tmp_path / "large.csv").write_text("1,1e9999\n")
    np.save(tmp_path / "nan.npy", [[1, 0], [np.nan, 0]])
    np.save(tmp_path / "vector.npy", [1, 2, 3])
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("arrangements: error: ")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("command", ["chambers", "rankings"])
@pytest.mark.parametrize("name", [None, "out.txt", "out.npz"])
def test_json_says_whether_that_was_all(
    run: Any, tmp_path: Path, command: str, name: str | None
) -> None:
    np.save(tmp_path / "w.npy", ROWS)  # six chambers, six rankings
    for limit, expected in ((4, (4, False)), (5, (5, False)), (6, (6, True)), (9, (6, True))):
        options = ["--limit", str(limit), "--json", *(["-o", name] if name else [])]
        status, out, _ = run(command, "w.npy", *options)
        answer = json.loads(out)
        assert (answer["count"], answer["complete"]) == expected
        if name is None:
            assert len(answer[command]) == answer["count"]


def test_remedies_are_options(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = run("rankings", "-", stdin=b"1\n2\n1\n")[2]
    assert "--ties drop" in out and "ties=" not in out
    rng = np.random.default_rng(0)
    np.save(tmp_path / "w.npy", rng.standard_normal((8, 2)) @ rng.standard_normal((2, 4)))
    out = run("chambers", "w.npy", "-o", "out.txt")[2]
    assert "--rank 2" in out and "rank=" not in out
    monkeypatch.setattr(limits, "available_bytes", lambda: 2**20)
    np.save(tmp_path / "w.npy", generators.generic(400, 4, 0))
    for command in ("chambers", "rankings"):
        status, _, err = run(command, "w.npy", "-o", "out.npz")
        assert status == application.BAD_INPUT and "are allowed. Write them to a .csv" in err
        assert "iter_" not in err and "max_bytes" not in err


def test_every_remedy_has_its_words() -> None:
    sources = (path.read_text("utf-8") for path in Path(arrangements.__file__).parent.rglob("*.py"))
    calls = [
        node
        for source in sources
        if "Remedy(" in source
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Remedy"
    ]
    names = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert len(names) > 3 and names == set(REMEDIES)


def test_low_rank_warning_is_one_line(run: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "w.npy", rng.standard_normal((8, 2)) @ rng.standard_normal((2, 4)))
    for command in (["count"], ["chambers"], ["rankings", "--count"], ["rankings", "--argmax"]):
        status, out, err = run(*command, "w.npy")
        assert status == 0 and out
        assert err.startswith("arrangements: warning: ") and err.count("\n") == 1


def test_help_and_version(run: Any) -> None:
    assert run("--version")[:2] == (0, f"arrangements, version {arrangements.__version__}\n")
    for arguments in (
        [],
        ["--help"],
        ["chambers", "--help"],
        ["count", "--help"],
        ["rankings", "--help"],
    ):
        status, out, err = run(*arguments)
        assert status == 0 and "Usage" in out and not err


def test_demo(run: Any) -> None:
    status, out, err = run("demo")
    assert (status, err) == (0, "")
    assert "UCI digits" in out and "impossible" in out
    assert "10366 of the 10! = 3628800 rankings" in out
    assert max(map(len, out.splitlines())) <= 110


def test_as_a_module() -> None:
    command = [sys.executable, "-m", "arrangements", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"arrangements, version {arrangements.__version__}\n"


def test_version_loads_nothing_heavy() -> None:
    code = "import sys; sys.argv = ['arrangements', '--version']\n"
    code += "from arrangements.cli import main; main(); print(*sys.modules)"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert not {"numba", "scipy", "sympy", "flint", "numpy"} & set(done.stdout.split())


@pytest.mark.slow
def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", generators.generic(60, 4, 0))
    with subprocess.Popen(
        [*COMMAND, "chambers", "w.npy"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert len(process.stdout.readline()) == 61
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == application.BROKEN_PIPE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGINT, application.INTERRUPTED, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_ctrl_c_and_sigterm(tmp_path: Path, number: int, status: int, word: str) -> None:
    np.save(tmp_path / "w.npy", generators.generic(300, 6, 0))
    process = started([*COMMAND, "chambers", "w.npy", "-o", "out.txt"], tmp_path)
    try:
        while process.poll() is None and not any(f.stat().st_size for f in tmp_path.glob(".out*")):
            time.sleep(0.05)  # until chambers have been written
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()  # else a listing of many gigabytes goes on
    assert (process.returncode, err) == (status, f"arrangements: error: {word}\n")
    assert os.listdir(tmp_path) == ["w.npy"]


def started(command: list[str], folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command,
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell starts background jobs with SIGINT ignored, and the tests may be in one
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


# One call that lasts an hour, holds no lock of Python's and heeds no signal, like a long kernel.
ENDLESS = """
import hashlib
from arrangements.cli.interruption import Interruption
from arrangements.files.atomic import atomic_write
with Interruption(), atomic_write("out.txt") as stream:
    stream.write(b"half")
    stream.flush()
    print("ready", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_ends_within_a_second_whatever_it_does(tmp_path: Path, number: int) -> None:
    with started([sys.executable, "-c", ENDLESS], tmp_path) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)  # the call has begun
        began = time.monotonic()
        process.send_signal(number)
        word = "interrupted" if number == signal.SIGINT else "terminated"
        try:
            assert process.wait(30) == 128 + number
        finally:
            process.kill()
        assert time.monotonic() - began < 5  # half a second on an idle machine
        assert process.stderr.read() == f"arrangements: error: {word}\n"
    assert os.listdir(tmp_path) == []


def test_ignored_signals_stay_ignored(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        assert run("count", "-", stdin=b"1 0\n0 1\n")[:2] == (0, "4\n")
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before[1])
    run("count", "-", stdin=b"1 0\n0 1\n")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.mark.parametrize("command", ["chambers", "rankings", "plot"])
def test_output_that_cannot_be_written_is_refused_first(
    run: Any, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = {"plot": "out.svg"}.get(command, "out.txt")
    (tmp_path / name).mkdir()
    assert run(command, "none.npy", "-o", name) == (
        application.BAD_INPUT,
        "",
        f"arrangements: error: cannot write {name}: it is a folder.\n",
    )


SQUARE = b"0 0\n1 0\n0 1\n1 1\n"


def test_rankings(run: Any, tmp_path: Path) -> None:
    status, out, err = run("rankings", "-", stdin=SQUARE)
    assert (status, err) == (0, "")
    expected = {
        " ".join(map(str, order)) for order in naive.rankings([[0, 0], [1, 0], [0, 1], [1, 1]])
    }
    assert set(out.splitlines()) == expected and len(out.splitlines()) == 8
    assert run("rankings", "-", "--count", stdin=SQUARE) == (0, "8\n", "")
    (tmp_path / "b.txt").write_text("0 0 0 1\n")
    assert run("rankings", "-", "--count", "--offsets", "b.txt", stdin=SQUARE) == (0, "16\n", "")
    for method in ("sweep", "pairs", "incremental"):
        out = run("rankings", "-", "--method", method, stdin=SQUARE)[1]
        assert set(out.splitlines()) == expected
    assert len(run("rankings", "-", "--limit", "3", stdin=SQUARE)[1].splitlines()) == 3


def test_named_rankings(run: Any, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text('cat\ndog\nold, grey "parrot"\n', encoding="utf-8")
    line = 'dog > "old, grey \\"parrot\\"" > cat'
    options = ("--labels", "names.txt")
    assert line in run("rankings", "-", *options, stdin=b"1\n3\n2\n")[1].splitlines()
    assert run("rankings", "-", *options, "-o", "out.csv", stdin=b"1\n3\n2\n") == (0, "", "")
    assert '"dog","old, grey ""parrot""","cat"' in (tmp_path / "out.csv").read_text().splitlines()
    assert run("rankings", "-", *options, "-o", "out.npz", stdin=b"1\n3\n2\n") == (0, "", "")
    found = arrangements.Rankings.load(tmp_path / "out.npz")
    assert len(found) == 2 and found.model.labels[1] == "dog"
    given = json.loads(run("rankings", "-", *options, "--json", stdin=b"1\n3\n2\n")[1])
    assert given["count"] == 2 and ["dog", 'old, grey "parrot"', "cat"] in given["rankings"]
    assert run("rankings", "-", *options, "--argmax", stdin=b"1\n3\n2\n") == (0, "cat\ndog\n", "")


def test_tops(run: Any) -> None:
    def ask(*options: str) -> Any:
        return run("rankings", "-", *options, stdin=SQUARE + b"1/2 0\n")

    assert ask("--argmax") == (0, "0\n1\n2\n3\n", "")
    assert ask("--top-k", "2")[1] == "0 2\n0 4\n1 3\n1 4\n2 3\n"
    assert ask("--top-k", "2", "--workers", "2") == ask("--top-k", "2")
    assert "1 4\n" in ask("--top-k", "2", "--ordered")[1]
    assert "4 1\n" not in ask("--top-k", "2", "--ordered")[1]
    given = json.loads(ask("--top-k", "1", "--json")[1])
    assert given["tops"] == [[0], [1], [2], [3]] and given["labels"] == 5


@pytest.mark.parametrize("name", ["out.txt", "out.csv", "out.npz"])
def test_tops_in_files(run: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "names.txt").write_text('a\nb\n"c"\nd\n', encoding="utf-8")
    for options, tops in (
        (["--argmax"], [[0], [1], [2], [3]]),
        (["--top-k", "2"], [[0, 1], [0, 2], [1, 3], [2, 3]]),
    ):
        assert run("rankings", "-", *options, "-o", name, stdin=SQUARE) == (0, "", "")
        if name == "out.npz":
            with np.load(tmp_path / name) as archive:
                assert archive["tops"].tolist() == tops
        else:
            assert load_matrix(tmp_path / name).tolist() == tops
    named = ["--top-k", "2", "--labels", "names.txt", "-o", name, "--json"]
    answer = json.loads(run("rankings", "-", *named, stdin=SQUARE)[1])
    assert (answer["count"], answer["output"]) == (4, name)
    last = {"out.txt": '"\\"c\\"", d', "out.csv": '"""c""","d"'}.get(name)
    if last is None:
        with np.load(tmp_path / name) as archive:
            assert archive["names"].tolist() == ["a", "b", '"c"', "d"]
    else:
        assert (tmp_path / name).read_text().splitlines()[-1] == last


def test_ties_of_rankings(run: Any) -> None:
    status, out, err = run("rankings", "-", stdin=b"1\n2\n1\n")
    assert (status, out) == (2, "") and "labels 0 and 2 have equal rows" in err
    status, out, err = run("rankings", "-", "--ties", "drop", stdin=b"1\n1\n2\n")
    assert (status, sorted(out.splitlines())) == (0, ["0 2", "2 0"])
    assert err == "arrangements: warning: label 1 ties with label 0: dropped\n"
    out = run("rankings", "-", "--ties", "drop", "--json", stdin=b"1\n1\n2\n")[1]
    assert sorted(json.loads(out)["rankings"]) == [[0, 2], [2, 0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--count", "--argmax"), "exclude each other"),
        (("--ordered",), "needs --top-k"),
        (("--count", "--limit", "1"), "cannot be combined with --limit"),
        (("--argmax", "--method", "pairs"), "cannot be combined with --method"),
        (("--top-k", "9"), "--top-k: 9 of 4 labels"),
        (("--top-k", "0"), "--top-k"),
        (("--limit", "0"), "--limit"),
        (("--labels", "none.txt"), "cannot read none.txt"),
        (("-o", "out.xyz"), "unknown extension"),
        (("--method", "reverse_search"), "reverse_search"),
    ],
)
def test_bad_ranking_options(run: Any, options: Any, message: str) -> None:
    status, out, err = run("rankings", "-", *options, stdin=SQUARE)
    assert (status, out) == (2, "") and message in err and len(err.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/rankings.md", "docs/pictures.md"])
def test_shell_examples_run_when_pasted(run: Any, page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```sh\n")[1:]]
    examples = "".join(block for block in blocks if "pip install" not in block).splitlines()
    assert sum("arrangements " in line for line in examples) >= 4
    for line in examples:
        piped = ""
        for part in line.split(" | "):
            words = shlex.split(part, comments=True)
            if words[0] == "arrangements":
                status, piped, err = run(*words[1:], stdin=piped.encode())
                assert (status, err) == (0, "")
                continue
            if words[0] == "python":
                part = shlex.join([sys.executable, *words[1:]])
            done = subprocess.run(part, shell=True, input=piped, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, "")
            piped = done.stdout


def test_input_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "w.txt"
    path.write_text("1 0\n0 1\n")
    for command in ("chambers", "rankings"):
        done = subprocess.run(
            [*COMMAND, command, "w.txt", "-o", "./w.txt"],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == application.BAD_INPUT and "another file" in done.stderr
    assert path.read_text() == "1 0\n0 1\n"


def program(arguments: str, module: str = "arrangements", **options: Any) -> Any:
    """Run the command line as a shell does; `arguments` may close its streams."""
    return subprocess.run(
        f"{shlex.quote(sys.executable)} -m {module} {arguments}",
        shell=True,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        **options,
    )


@pytest.mark.slow
def test_exit_status_of_the_package(tmp_path: Path) -> None:
    for module in ("arrangements", "arrangements.cli"):
        found = program("count nothing.csv", module, cwd=tmp_path)
        assert found.returncode == 2 and "cannot read nothing.csv" in found.stderr


@pytest.mark.slow
def test_closed_streams(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("1,0\n0,1\n1,1\n")
    for arguments, message in (
        ("count - <&-", "standard input is closed"),
        ("count w.csv >&-", "standard output is closed"),
    ):
        found = program(arguments, cwd=tmp_path)
        assert (found.returncode, found.stdout) == (2, "")
        assert message in found.stderr and found.stderr.count("\n") == 1
    assert program("chambers w.csv -o out.txt >&-", cwd=tmp_path).returncode == 0
    assert len((tmp_path / "out.txt").read_text().splitlines()) == 6
    assert program("count w.csv 2>&-", cwd=tmp_path).stdout == "6\n"


def test_no_rows(run: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.empty((0, 3)))
    assert run("count", "w.npy") == (0, "1\n", "")
    assert run("chambers", "w.npy") == (0, "\n", "")
    status, out, err = run("rankings", "w.npy")
    assert (status, out) == (2, "") and "no labels" in err


def test_errors_of_the_system_are_one_line(run: Any, tmp_path: Path) -> None:
    (tmp_path / "out.txt").mkdir()
    status, out, err = run("chambers", "-", "-o", "out.txt", stdin=b"1 0\n0 1\n")
    assert (status, out, err) == (
        2,
        "",
        "arrangements: error: cannot write out.txt: it is a folder.\n",
    )


@pytest.mark.parametrize("before", ["", "import os; del os.killpg"])
def test_processes_that_a_command_started_end_with_it(tmp_path: Path, before: str) -> None:
    script = before + ENDLESS.replace(
        "import hashlib\n", "import hashlib, multiprocessing, time\n"
    ).replace(
        '    print("ready"',
        "    child = multiprocessing.get_context('fork').Process(target=time.sleep, args=(3600,))\n"
        "    child.start()\n"
        '    print(child.pid, flush=True)\n    print("ready"',
    )
    with started([sys.executable, "-c", script], tmp_path) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(30) == 143
        finally:
            process.kill()
    for _ in range(100):
        if not _is_running(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("the child still runs")


def _is_running(pid: int) -> bool:
    """Whether there is such a process; one that only waits to be collected does not run."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.slow
def test_nobody_can_be_told(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("1,0\n0,1\n")
    assert program("count w.csv >&- 2> /dev/full", cwd=tmp_path).returncode == 2


def test_no_report_of_statements_that_there_are_not(run: Any, tmp_path: Path) -> None:
    status, _, err = run("verify", "--only", "nothing", "--report", "folder")
    assert status == 2 and "'nothing' is in no name" in err and not os.listdir(tmp_path)
    status, _, err = run("verify", "--only", "H.1", "--report", "")
    assert (status, err) == (2, "arrangements: error: the name of a file is empty.\n")


def test_long_values_are_cut(run: Any) -> None:
    for option in ("--limit", "--rank", "--method"):
        status, out, err = run("chambers", "-", option, "x" * 5000)
        assert (status, out) == (2, "") and err.count("\n") == 1 and len(err) < 300


# Ctrl-C while text is executed, as dataclasses and namedtuple do when modules are loaded.
IN_EXEC = """
import os, signal, sys
from arrangements.cli import application, main
class Commands:
    def make_context(self, *arguments):
        exec("os.kill(os.getpid(), signal.SIGINT)")
application.cli = Commands()
sys.exit(main())
"""


def test_ctrl_c_while_text_is_executed(tmp_path: Path) -> None:
    (tmp_path / "executed.py").write_text(IN_EXEC)
    process = started([sys.executable, "-m", "executed"], tmp_path)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (
        application.INTERRUPTED,
        "arrangements: error: interrupted\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("count", "w.csv", "--workers", "two"), "'two' is not a valid positive integer"),
        (("count", "w.csv", "--max-hours", "x"), "'x' is not a valid positive number"),
        (("count", "w.csv", "--offsets", "0,0,-1"), "the name of a file of these numbers"),
    ],
)
def test_options_that_are_no_numbers_or_files(
    run: Any, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "w.csv").write_text("1,0\n0,1\n1,1\n")
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


# A signal while a module is imported.
IN_IMPORT = """
import importlib.abc, os, sys
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Finder())
from arrangements.cli import main
sys.argv = ["arrangements", "count", "-"]
sys.exit(main())
"""
# As text that is executed, which namedtuple does, too.
EXECUTED = "exec('os.kill(os.getpid(), {number})')"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "module",
    ["click", "arrangements.errors", "arrangements.cli.wording", "numpy", "arrangements.core"],
)
def test_a_signal_while_modules_are_imported(module: str, number: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IN_IMPORT.format(module=module, number=int(number))],
        capture_output=True,
        text=True,
        input="1 0\n0 1\n",
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    said = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}[number]
    assert (done.returncode, done.stderr) == (128 + number, f"arrangements: error: {said}\n")


@pytest.mark.parametrize("kill", ["os.kill(os.getpid(), {number})", EXECUTED])
def test_ctrl_c_before_signals_are_handled(kill: str) -> None:
    script = IN_IMPORT.replace("os.kill(os.getpid(), {number})", kill).format(
        module="arrangements.cli.interruption", number=int(signal.SIGINT)
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stderr) == (130, "arrangements: error: interrupted\n")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_comes_too_late_changes_nothing(number: int) -> None:
    """Python gives up its handlers when it ends; what is registered first comes last then."""
    script = (
        "import atexit, os, sys\n"
        f"atexit.register(lambda: os.kill(os.getpid(), {int(number)}))\n"
        "from arrangements.cli import main\n"
        "sys.argv = ['arrangements', '--version']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("arrangements, version")


def test_names_of_the_rows_that_are_on(run: Any, tmp_path: Path) -> None:
    (tmp_path / "W.txt").write_text("1 0\n0 1\n")
    (tmp_path / "names.txt").write_text("cat\nold, grey dog\n")
    command = ("chambers", "W.txt", "--labels", "names.txt")
    status, out, _ = run(*command)
    assert status == 0
    assert sorted(out.splitlines()) == ["", '"old, grey dog"', "cat", 'cat, "old, grey dog"']
    status, out, _ = run(*command, "--json")
    found = json.loads(out)["chambers"]
    assert sorted(found) == [[], ["cat"], ["cat", "old, grey dog"], ["old, grey dog"]]
    assert run(*command, "-o", "out.txt")[0] == run(*command, "-o", "out.npz")[0] == 0
    assert (tmp_path / "out.txt").read_text().splitlines().count("cat") == 1
    assert arrangements.SignVectors.load(tmp_path / "out.npz").label_names == (
        "cat",
        "old, grey dog",
    )
    assert run(*command, "-o", "out.csv")[0] == 0
    assert sorted((tmp_path / "out.csv").read_text().split()) == ["-1,-1", "-1,1", "1,-1", "1,1"]
    status, _, err = run(*command, "-o", "names.txt")
    assert status == 2 and "is an input" in err


# ------------------------------------------------------------------ summaries


def test_a_summary_of_chambers(run: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", ROWS, "%d")
    (tmp_path / "b.txt").write_text("0 0 -1")
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\n")
    status, out, err = run("summary", "w.txt", "--offsets", "b.txt", "--labels", "names.txt")
    assert (status, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        *(["7", "chambers"], [], ["signs", "+", "chambers"]),
        *(["0", "1"], ["1", "2"], ["2", "3"], ["3", "1"], []),
        ["row", "chambers", "where", "it", "is", "+"],
        *(["cat", "4"], ["dog", "4"], ["bird", "3"]),
    ]
    status, out, _ = run("summary", "w.txt", "--pairs", "2", "--json", "--workers", "2")
    assert status == 0 and json.loads(out) == {
        "count": 6,
        "labels": ["0", "1", "2"],
        "positives": [1, 2, 2, 1],
        "on": [3, 3, 3],
        "pairs": [["0", "2", 2], ["1", "2", 2]],
    }
    assert json.loads(run("summary", "w.txt", "--json")[1])["on"] == [3, 3, 3]


def test_a_summary_of_rankings(run: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", [[0, 0], [1, 0], [0, 0], [1, 1]], "%d")
    status, out, err = run("summary", "w.txt", "--rankings", "--ties", "drop")
    assert status == 0 and "label 2 ties with label 0: dropped" in err
    assert out.startswith("6 rankings\n") and out.splitlines()[-1].split() == ["3", *"222"]
    status, out, _ = run("summary", "w.txt", "--rankings", "--ties", "drop", "--json")
    assert json.loads(out) == {"count": 6, "labels": ["0", "1", "3"], "places": 3 * [[2, 2, 2]]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rankings", "--pairs", "3"], "leave it out with --rankings"),
        (["--ties", "drop"], "it needs --rankings"),
        (["--plot", "out.txt"], "unknown extension"),
    ],
)
def test_bad_options_of_a_summary(
    arguments: list[str], message: str, run: Any, tmp_path: Path
) -> None:
    np.savetxt(tmp_path / "w.txt", ROWS, "%d")
    status, out, err = run("summary", "w.txt", *arguments)
    assert (status, out) == (2, "") and message in err


def test_a_summary_of_a_run(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    np.savetxt(tmp_path / "w.txt", ROWS, "%d")
    (tmp_path / "b.txt").write_text("0 0 -1")
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\n")
    given = ("w.txt", "--offsets", "b.txt", "--labels", "names.txt")
    for command, flags in (("chambers", ()), ("rankings", ("--rankings",))):
        assert run(command, *given, "-o", f"{command}/")[0] == 0
        assert run("summary", f"{command}/") == run("summary", *given, *flags)
    for arguments, message in [
        (("chambers/", "--rankings"), "a run of chambers"),
        (("rankings/", "--pairs", "3"), "a run of rankings"),
        (("chambers/", "--labels", "names.txt"), "cannot be combined with --labels"),
        (("chambers/", "--rank", "2"), "cannot be combined with --rank"),
        (("nothing/",), "holds no run"),
    ]:
        status, out, err = run("summary", *arguments)
        assert (status, out) == (2, "") and message in err


@pytest.mark.parametrize("more", [(), ("--pairs", "2")])
def test_a_summary_sweeps_once(
    more: tuple[str, ...], run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arrangements.runs import folding

    np.savetxt(tmp_path / "w.txt", ROWS, "%d")
    (tmp_path / "b.txt").write_text("0 0 -1")
    begun, begin = [], folding._begun
    monkeypatch.setattr(folding, "_begun", lambda *args: begun.append(1) or begin(*args))
    status, out, _ = run("summary", "w.txt", "--offsets", "b.txt", "--json", *more)
    assert status == 0 and json.loads(out)["on"] == [4, 4, 3] and len(begun) == 1


# ------------------------------------------------------------------ certificates


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "proved"),
    [
        ("chambers w.txt", "complete, 6 sign vectors"),
        ("chambers w.txt --json", "complete, 6 sign vectors"),
        ("chambers w.txt -o out.npz", "complete, 6 sign vectors"),
        ("chambers w.txt -o out.csv", "complete, 6 sign vectors"),
        ("chambers w.txt --limit 2", "answers, 2 sign vectors (2 occur)"),
        ("chambers w.txt --offsets b.txt", "complete, 7 sign vectors"),
        ("count w.txt", "count, 6 sign vectors"),
        ("count w.txt --rank 1", "count, 2 sign vectors"),
        ("rankings w.txt", "complete, 6 rankings"),
        ("rankings w.txt --limit 2", "answers, 2 rankings (2 occur)"),
        ("rankings w.txt -o out.npz", "complete, 6 rankings"),
        ("rankings w.txt -o out.txt", "complete, 6 rankings"),
        ("rankings w.txt --count", "count, 6 rankings"),
        ("rankings w.txt --argmax", "answers, 3 rankings (3 occur)"),
        ("rankings tied.txt --argmax --ties drop", "answers, 3 rankings (2 occur)"),
        ("rankings w.txt --top-k 2", "answers, 3 rankings (3 occur)"),
        ("rankings w.txt --top-k 2 --ordered", "answers, 6 rankings (6 occur)"),
        ("audit tied.txt", "answers, 4 rankings (1 occur)"),
    ],
)
def test_certificates(run: Any, tmp_path: Path, arguments: str, proved: str) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    (tmp_path / "b.txt").write_text("0 0 -1\n")
    (tmp_path / "tied.txt").write_text("0 0\n1 1\n1 1\n2 2\n")
    if "audit" in arguments:
        (tmp_path / "tied.txt").write_text("0 0\n0 0\n1 1\n1 1\n")
        proved = "answers, 4 rankings (0 occur)"
    before = run(*arguments.split())
    for name in ("c.jsonl", "c.jsonl.gz"):
        status, out, err = run(*arguments.split(), "--certificate", name)
        assert status == 0 and err == before[2]
        assert "limit" in arguments or "audit" in arguments or sorted(out) == sorted(before[1])
        assert run("check", name) == (0, f"claim 1 is proved: {proved}, of 'W'\n", "")
    found = json.loads(run("check", name, "--json")[1])
    assert found == {"proved": True, "verdicts": [f"claim 1 is proved: {proved}, of 'W'"]}


def test_a_certificate_that_proves_nothing(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    run("count", "w.txt", "--certificate", "c.jsonl")
    text = (tmp_path / "c.jsonl").read_text()
    (tmp_path / "c.jsonl").write_text(text.replace('"number": 6', '"number": 7'))
    status, out, err = run("check", "c.jsonl")
    assert status == 1 and "line 6: claim 1 is NOT PROVED" in out and not err
    status, out, err = run("check", "c.jsonl", "--json")
    found = json.loads(out)
    assert status == 1 and not found["proved"] and "NOT PROVED" in found["verdicts"][0]
    assert run("check", "c.jsonl", "--repair")[0] == 2
    assert run("chambers", "w.txt", "--certificate", "w.txt")[0] == 2
    assert run("chambers", "w.txt", "--certificate", "none/c.jsonl")[0] == 2
    assert run("chambers", "w.txt", "-o", "run/", "--certificate", "c.jsonl")[0] == 2
    assert run("rankings", "w.txt", "-o", "run/", "--certificate", "c.jsonl")[0] == 2
    assert (tmp_path / "w.txt").read_text() == "1 0\n0 1\n1 1\n"


def test_what_is_no_certificate(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    np.savez(tmp_path / "w.npz", np.eye(2))
    (tmp_path / "empty").touch()
    (tmp_path / "other.json").write_text("{}\n")
    for name in ("w.txt", "w.npz"):
        status, out, err = run("check", name)
        assert (status, out) == (2, "") and f"{name} is neither a certificate nor a run" in err
    for name in ("empty", "other.json"):
        status, out, err = run("check", name)
        assert status == 1 and not err
        assert out.startswith("line 1: NOT PROVED: ValueError: 'this is no certificate file")
        assert json.loads(run("check", name, "--json")[1])["proved"] is False
    (tmp_path / "packed.gz").write_text("text")
    assert "Not a gzipped file" in run("check", "packed.gz")[1]
    status, out, err = run("check", "none")
    assert (status, out) == (2, "") and "none does not exist; expected a file that" in err
    (tmp_path / "folder").mkdir()
    assert "holds no run" in run("check", "folder")[2]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_certificate_is_read_from_a_pipe(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    run("count", "w.txt", "--certificate", "c.jsonl")
    os.mkfifo(tmp_path / "pipe")
    octets = (tmp_path / "c.jsonl").read_bytes()
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(octets,))
    writer.start()
    assert run("check", "pipe")[0] == 0
    writer.join()


def test_certificates_of_the_paper(run: Any) -> None:
    assert run("bjorner", "--certificate", "h.1.jsonl")[0] == 0
    assert run("check", "h.1.jsonl")[1].count("is proved") == 3
    assert run("verify", "--only", "C.3", "--certificate", "c.3.jsonl")[0] == 0
    assert run("check", "c.3.jsonl")[1].count("is proved") == 3
    status, _, err = run("verify", "--only", "3.1", "--certificate", "none.jsonl")
    assert status == 2 and "none of these statements" in err


def test_a_rank_of_too_many_digits_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.eye(3))
    status = subprocess.run(
        [sys.executable, "-m", "arrangements", "rankings", "w.npy", "--rank", "9" * 5000],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert status.returncode == 2 and "is not a valid positive integer" in status.stderr
