"""Commands where the system lacks what only POSIX or Linux has."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from arrangements import checker, count_chambers
from arrangements.cli import memory
from arrangements.execution import limits
from arrangements.files import folder

LINES = "1 0\n0 1\n1 1\n"


def without_proc(path: Any, *arguments: Any, **options: Any) -> Any:
    if str(path).startswith("/proc/"):
        raise FileNotFoundError(2, "No such file or directory", path)
    return open(path, *arguments, **options)


@pytest.fixture(autouse=True)
def other_system(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("resource", "fcntl", "termios"):
        monkeypatch.setitem(sys.modules, module, None)
    for name in ("fork", "killpg", "mkfifo", "posix_fadvise", "sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name, raising=False)
    for name in ("SIGALRM", "SIGHUP", "SIGPIPE", "setitimer"):
        monkeypatch.delattr(signal, name, raising=False)
    for module in (checker, limits):
        monkeypatch.setattr(module, "open", without_proc, raising=False)


def test_commands(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text(LINES)
    assert run("count", "w.txt") == (0, "6\n", "")
    assert run("chambers", "w.txt", "-o", "c.npz")[0] == 0
    assert run("chambers", "w.txt", "-o", "c.npz")[0] == 0  # replaces the file
    assert run("count", "w.txt", "--certificate", "c.jsonl")[0] == 0
    status, out, err = run("check", "c.jsonl", "--json")
    assert (status, err) == (0, "") and json.loads(out)["proved"]


def test_runs(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("xxhash")
    monkeypatch.setattr(folder, "_LARGE", 0)
    (tmp_path / "w.txt").write_text(LINES)
    assert run("chambers", "w.txt", "-o", "run/")[0] == 0
    assert run("check", "run")[0] == 0


def test_memory_that_nobody_knows() -> None:
    assert limits.free_bytes() == 2**33
    assert checker.used_memory() == 0
    assert memory.memory_limit() is None
    assert count_chambers([[1, 0], [0, 1]]) == 4
