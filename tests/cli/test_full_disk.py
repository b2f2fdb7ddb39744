"""Where a disk is full, one line names the file, and nothing is left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import arrangements

pytestmark = pytest.mark.slow
resource = pytest.importorskip("resource")

ROOT = Path(arrangements.__file__).parent.parent
WEIGHTS = "".join(f"{i} {i * i % 97}\n" for i in range(1, 31))
TABLE = "x,y,kind\n0,0,cat\n1,0,cat\n1,1,dog\n2,0,cat\n0,3,cat\n3,3,dog\n"
COMMANDS = [
    *(f"chambers w.txt -o out{end}" for end in (".txt", ".csv", ".npz")),
    *(f"rankings w.txt -o out{end}" for end in (".txt", ".npz")),
    "rankings w.txt --top-k 2 -o out.npz",
    "audit w.txt -o out.html",
    "audit w.txt -o out.json",
    "explore w.txt -o out.html",
    "plot w.txt -o out.svg",
    "plot w.txt -o out.png",
    "plot w.txt -o out.pdf",
    "bjorner -o out.svg",
    "summary w.txt --plot out.svg",
    "best table.csv --target kind -o out.svg",
    "depth w.txt --median -o out.svg",
    "chambers w.txt --certificate out.jsonl",
    "chambers w.txt --certificate out.jsonl.gz",
    "chambers w.txt --max-bytes 100000 -o out/",
]
_BYTES = 300


@contextmanager
def small_disk() -> Iterator[None]:
    """Let this process write files of 300 bytes at most, which messages fit into."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_file_is_named(command: str, run: Any, in_empty_folder: Path) -> None:
    if ".svg" in command or ".p" in command:
        pytest.importorskip("matplotlib.pyplot")
    if "explore" in command:
        pytest.importorskip("bokeh")
    if command.endswith("/"):
        pytest.importorskip("pyarrow")
    Path("w.txt").write_text(WEIGHTS)
    Path("table.csv").write_text(TABLE)
    with small_disk():
        status, _, err = run(*command.split())
    assert (status, err.count("\n")) == (2, 1), err
    output = command.split()[-1]
    assert err.startswith("arrangements: error: ") and "File too large" in err
    assert output in err
    left = [path for path in Path(".").rglob("*") if path.name.startswith(".")]
    assert not left and not Path(output).is_file()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_device_that_is_full(run: Any, in_empty_folder: Path) -> None:
    Path("w.txt").write_text(WEIGHTS)
    Path("out.txt").symlink_to("/dev/full")
    status, out, err = run("chambers", "w.txt", "-o", "out.txt")
    assert (status, out) == (2, "")
    assert err == "arrangements: error: out.txt: No space left on device.\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["count", "w.txt"]])
def test_standard_output_that_is_full(arguments: list[str], in_empty_folder: Path) -> None:
    Path("w.txt").write_text(WEIGHTS)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "arrangements", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    message = "arrangements: error: standard output: No space left on device.\n"
    assert (done.returncode, done.stderr) == (2, message)
