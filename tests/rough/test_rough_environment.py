"""The command line in odd environments: streams, folders, caches, languages, signals.

Every case is a process of its own. It ends with the right answer or with one line on standard
error, and leaves no file but the one asked for, whole.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import numpy as np
import pytest
from oracle import report

import arrangements
from arrangements import SignVectors, generators
from arrangements.cli import application

pytestmark = pytest.mark.slow

ROOT = Path(arrangements.__file__).parent.parent
PYTHON = f"{sys.executable} -m arrangements"
# Commands on w.csv with what they print; %s stands for a redirection.
ANSWERS = {
    "count w.csv": "8\n",
    "count - < w.csv": "8\n",
    "chambers w.csv --limit 1": "",
    "chambers w.csv -o out.txt": "",
    "rankings w.csv --count": "8\n",
    "rankings w.csv --json": "",
}
# How a shell may start the command: streams that are closed, full or gone, and limits.
STREAMS = [
    *("{}", "{} <&-", "{} >&-", "{} 2>&-", "{} <&- >&- 2>&-", "{} > /dev/full", "{} 2> /dev/full"),
    *("{} >&- 2> /dev/full", "{} | true", "trap '' PIPE; {} | true"),
    *("ulimit -f 0; {}", "ulimit -n 20; {}", "ulimit -v 4000000; {}", "umask 777; {}"),
]
VARIABLES = {
    "LANG": ["C", "POSIX", ""],
    "LC_ALL": ["C", "C.UTF-8"],
    "HOME": ["", "/nowhere", "/dev/null", "folder", "."],
    "XDG_CACHE_HOME": ["/nowhere", "/dev/null"],
    "NUMBA_CACHE_DIR": ["", "/dev/null", "/nowhere/at/all", "folder", "w.csv", "x" * 300, "/proc"],
    "PYTHONIOENCODING": ["ascii", "latin-1", "utf-16"],
    "PYTHONUTF8": ["0", "1"],
    "PYTHONWARNINGS": ["error", "ignore"],
    "PYTHONOPTIMIZE": ["2"],
    "PYTHONDONTWRITEBYTECODE": ["1"],
    "PYTHONHASHSEED": ["0"],
    "COLUMNS": ["0", "1", "x"],
    "TERM": ["dumb", ""],
    "NO_COLOR": ["1"],
    "MPLCONFIGDIR": ["/dev/null"],
    "TMPDIR": ["/nowhere"],
    "NUMBA_NUM_THREADS": ["1"],
    "OMP_NUM_THREADS": ["1"],
}
STATUSES = {0, application.BAD_INPUT, application.BROKEN_PIPE}


@pytest.fixture
def folder(in_empty_folder: Path) -> Path:
    Path("w.csv").write_text("1,0\n0,1\n1,1\n2,-1\n")
    Path("folder").mkdir()
    return in_empty_folder


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def ended(shell: str, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", shell],
        env=environment(**variables),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        errors="replace",
        timeout=120,
    )


def test_streams_and_variables(folder: Path, rough: int, rough_seed: int) -> None:
    random, problems = Random(f"{rough_seed} environment"), []
    for _ in range(10 * rough):
        command, stream = random.choice(list(ANSWERS)), random.choice(STREAMS)
        names = random.sample(list(VARIABLES), random.randrange(3))
        variables = {name: random.choice(VARIABLES[name]) for name in names}
        shell = "set -o pipefail; " + stream.replace("{}", f"{PYTHON} {command}")
        problem = judged_process(ended(shell, variables), command, folder)
        if problem is not None:
            problems.append(f"{variables} {shell}  # {problem}")
        for name in set(os.listdir()) - {"w.csv", "folder"}:
            os.chmod(name, 0o600)
            os.unlink(name) if os.path.isfile(name) else None
    report(problems)


def judged_process(
    done: subprocess.CompletedProcess[str], command: str, folder: Path
) -> str | None:
    """What is wrong with a process that ended."""
    said = [line for line in done.stderr.splitlines() if "arrangements: warning: " not in line]
    left = set(os.listdir(folder)) - {"w.csv", "folder"}
    if done.returncode not in STATUSES or len(said) > 1:
        return f"ends with {done.returncode}: {done.stderr[-400:]!r}"
    if said and not said[0].startswith("arrangements: error: "):
        return f"says {said[0]!r}"
    if done.stdout not in ("", ANSWERS[command]) and ANSWERS[command]:
        return f"prints {done.stdout!r}"
    if done.returncode == 0 and command.endswith("out.txt"):
        left -= {"out.txt"}
        lines = Path("out.txt").stat().st_size
        if lines != 40:
            return f"out.txt has {lines} bytes"
    return f"leaves {sorted(left)}" if left else None


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("end", [".txt", ".npz"])
def test_signals(folder: Path, number: int, end: str, rough: int, rough_seed: int) -> None:
    """At any time the process ends, with its status; the file is the old one, or whole."""
    random, problems = Random(f"{rough_seed} {number} {end}"), []
    # too many chambers to end, but for a set of them in one piece, which must fit
    np.save("w.npy", generators.generic(300 if end == ".txt" else 90, 5, 0))
    old = Path(f"out{end}")
    for _ in range(rough):
        old.write_bytes(b"old")
        wait = random.choice([1, 2, 4]) * random.random() + 0.5
        process = subprocess.Popen(
            [sys.executable, "-m", "arrangements", "chambers", "w.npy", "-o", str(old)],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # a shell starts background jobs with SIGINT ignored, and the tests may be in one
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            time.sleep(wait)
            began = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        late = time.monotonic() - began
        left = set(os.listdir()) - {"w.csv", "folder", "w.npy", old.name}
        right = (process.returncode, out, err.count("\n")) == (128 + number, "", 1)
        if process.returncode == 0:  # it came too late
            assert end == ".npz" and SignVectors.load(old).n == 90
        elif not right or late > 5 or left or old.read_bytes() != b"old":
            problems.append(
                f"signal {number} after {wait:.2f} s: status {process.returncode} after "
                f"{late:.1f} s, leaves {left}, says {err[-300:]!r}"
            )
    report(problems)
