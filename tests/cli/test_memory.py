"""A limit on memory that is too low: one line, and no message of another library."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arrangements

pytestmark = pytest.mark.slow
resource = pytest.importorskip("resource")

ROOT = Path(arrangements.__file__).parent.parent
WEIGHTS = "1 0\n0 1\n1 1\n"


def limited(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    size = megabytes * 10**6
    return subprocess.run(
        [sys.executable, "-m", "arrangements", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=WEIGHTS,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit has no effect")
@pytest.mark.parametrize("megabytes", [150, 200, 250, 400])
@pytest.mark.parametrize("command", ["count", "chambers", "rankings"])
def test_too_little_memory_is_one_line(command: str, megabytes: int) -> None:
    done = limited(megabytes, command, "-")
    if done.returncode == 0:  # other versions of the libraries may need less
        assert done.stdout.count("\n") in (1, 6) and megabytes > 200
        return
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    said = f"arrangements: error: this needs more memory than the limit of {megabytes} MB allows"
    assert done.stderr.startswith(said)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit has no effect")
@pytest.mark.parametrize("arguments", [("--version",), ("count", "--help")])
def test_what_loads_nothing_needs_little(arguments: tuple[str, ...]) -> None:
    assert limited(100, *arguments).returncode == 0
