"""A run that is killed, starved of disk or made by several at once ends with the same files."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import arrangements as ar

pytestmark = pytest.mark.slow

pytest.importorskip("pyarrow")
pytest.importorskip("xxhash")
resource = pytest.importorskip("resource", reason="signals and limits of POSIX")

ROWS = 300


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with W.npy and an undisturbed run of it."""
    folder = tmp_path_factory.mktemp("faults")
    W = np.random.default_rng(3).normal(size=(24, 5))
    np.save(folder / "W.npy", W)
    ar.write_chambers(W, folder / "whole", rows_per_part=ROWS)
    return folder


def contents(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in run.iterdir()}


def started(question: Path, run: Path, *options: str, **more: object) -> "subprocess.Popen[bytes]":
    """The command line, writing a run."""
    command = [sys.executable, "-m", "arrangements", "chambers", str(question / "W.npy")]
    with open(said(run), "wb") as stream:
        return subprocess.Popen(
            [*command, "-o", f"{run}/", "--rows-per-part", str(ROWS), *options],
            stderr=stream,
            **more,  # type: ignore[call-overload]
        )


def said(run: Path) -> Path:
    """Where a process leaves what it says."""
    return run.with_name(f"{run.name}.log")


def end(question: Path, run: Path) -> None:
    """Go on until the run is complete, remove what killed processes left, and compare it."""
    process = started(question, run)
    assert process.wait(60) == 0, said(run).read_text()
    assert ar.check_run(run, repair=True)
    assert contents(run) == contents(question / "whole")


def wait_for_parts(
    run: Path, number: int, process: "subprocess.Popen[bytes] | None" = None
) -> None:
    """Wait until so many parts are there, or the process has ended."""
    deadline = time.monotonic() + 60
    while len(list(run.glob("part-*"))) < number and time.monotonic() < deadline:
        if process is not None and process.poll() is not None:
            return
        time.sleep(0.002)


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_kills(
    sign: signal.Signals, question: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Three kills of each kind; with ``--rough 12`` a hundred in all."""
    for k in range(pytestconfig.getoption("--rough")):
        _kill_often(question, tmp_path / str(k), sign, 3)


def _kill_often(question: Path, run: Path, sign: signal.Signals, times: int) -> None:
    random.seed(int(sign))
    for _ in range(times):
        process = started(question, run, "--workers", "2")
        there = len(list(run.glob("part-*")))
        wait_for_parts(run, there + 1, process)
        time.sleep(random.random() * 0.05)
        process.send_signal(sign)
        process.wait(60)
        if sign != signal.SIGKILL:
            assert not [path for path in run.iterdir() if path.name.startswith(".")]
    end(question, run)


def test_two_clients_on_one_folder(question: Path, tmp_path: Path) -> None:
    both = [started(question, tmp_path / "run") for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert contents(tmp_path / "run") == contents(question / "whole")


def test_a_full_disk(question: Path, tmp_path: Path) -> None:
    largest = max(len(content) for content in contents(question / "whole").values())
    sizes = sorted(
        len(content) for name, content in contents(question / "whole").items() if "part" in name
    )
    assert sizes[0] < sizes[-1]

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (sizes[-1] - 1, largest))

    ar.write_chambers(np.load(question / "W.npy"), tmp_path / "run", rows_per_part=ROWS)
    for path in (tmp_path / "run").glob("part-*"):
        path.unlink()
    (tmp_path / "run" / "complete.json").unlink()
    process = started(question, tmp_path / "run", preexec_fn=limited)
    assert process.wait(60) == 2
    message = said(tmp_path / "run").read_text()
    assert "File too large" in message and message.count("\n") == 1
    assert not [path for path in (tmp_path / "run").iterdir() if path.name.startswith(".")]
    end(question, tmp_path / "run")


def test_a_dask_worker_that_dies(question: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    W = np.load(question / "W.npy")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with cluster, distributed.Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        import threading

        def kill() -> None:
            wait_for_parts(tmp_path / "run", 3)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        run = ar.write_chambers(W, tmp_path / "run", rows_per_part=ROWS, client=client)
        killer.join()
    assert run.complete
    assert ar.check_run(run, repair=True)
    assert contents(tmp_path / "run") == contents(question / "whole")


# A scheduler and a worker in one process, which can be killed.
CLUSTER = """
import time
from distributed import LocalCluster
cluster = LocalCluster(n_workers=1, processes=False, threads_per_worker=1, dashboard_address=":0",
                       protocol="tcp")
print(cluster.scheduler_address, flush=True)
time.sleep(600)
"""
FOLD = """
import sys
import numpy as np
from distributed import Client
from arrangements import ArrangementError, fold_chambers, feasible_many
W = np.random.default_rng(3).normal(size=(60, 6))
signs = 1 - 2 * np.random.default_rng(0).integers(0, 2, (3 * 10**5, 60), np.int8)
with Client(sys.argv[1]) as client:
    print("ready", flush=True)
    try:
        if {folds}:
            fold_chambers(np.tile(W, (2, 1)) + np.eye(120, 6), "positives", client=client)
        else:
            feasible_many(W, signs, client=client)
    except ArrangementError as error:
        print(error)
"""


@pytest.mark.parametrize("what", ["fold", "questions", "run"])
def test_a_scheduler_that_is_killed(what: str, tmp_path: Path) -> None:
    """One error that says so, and no traceback of Dask."""
    pytest.importorskip("distributed")
    python = [sys.executable, "-c"]
    with subprocess.Popen([*python, CLUSTER], stdout=subprocess.PIPE, text=True) as cluster:
        try:
            assert cluster.stdout is not None
            address = cluster.stdout.readline().strip()
            np.save(tmp_path / "W.npy", np.random.default_rng(3).normal(size=(60, 6)))
            command = [*python, FOLD.replace("{folds}", str(what == "fold")), address]
            if what == "run":
                command = [sys.executable, "-m", "arrangements", "chambers", "W.npy", "-o", "run/"]
                command += ["--rows-per-part", "300", "--max-bytes", "9" * 15]
                command += ["--scheduler", address]
            process = subprocess.Popen(
                command,
                cwd=tmp_path,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert process.stdout is not None
            if what == "run":
                wait_for_parts(tmp_path / "run", 2, process)
            else:
                assert process.stdout.readline() == "ready\n"
                time.sleep(2)
            cluster.kill()
            out, err = process.communicate(timeout=90)
        finally:
            cluster.kill()
    said = err if what == "run" else out
    assert f"the Dask scheduler {address} has ended or dropped the tasks" in said, err
    assert said.count("\n") == 1 and "Traceback" not in err, err
    assert process.returncode == (2 if what == "run" else 0)


# A file system of its own, which nobody else sees and which ends with the script: it is full, and
# then it grows. `$@` is the command that writes the run.
SMALL_DISK = """
set -u
mount -t tmpfs -o size=120k tmpfs "$RUN" || exit 77
"$@" 2> "$LEFT/said"; echo $? > "$LEFT/status"
ls -A "$RUN" > "$LEFT/there"
mount -o remount,size=64m "$RUN"
"$@" 2> "$LEFT/said-then"; echo $? > "$LEFT/status-then"
cp -r "$RUN" "$LEFT/run"
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare to mount a disk with")
def test_a_small_disk_that_is_full(question: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    left = tmp_path / "left"
    left.mkdir()
    command = [sys.executable, "-m", "arrangements", "chambers", str(question / "W.npy")]
    command += ["-o", f"{run}/", "--rows-per-part", str(ROWS)]
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL_DISK, "sh", *command],
        env=os.environ | {"RUN": str(run), "LEFT": str(left)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    if not (left / "status").exists():
        pytest.skip(f"this process may not mount a file system: {done.stderr.strip()}")
    message = (left / "said").read_text()
    assert (left / "status").read_text() == "2\n" and message.count("\n") == 1
    assert "No space left on device" in message
    there = (left / "there").read_text().split()
    assert "run.json" in there and "complete.json" not in there
    assert not [name for name in there if name.startswith(".")]
    assert (left / "status-then").read_text() == "0\n", (left / "said-then").read_text()
    assert contents(left / "run") == contents(question / "whole")
    assert ar.check_run(left / "run")
