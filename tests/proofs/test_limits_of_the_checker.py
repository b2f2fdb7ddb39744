"""Files made to take the checker's time or memory end within its limits, with one line."""

import gzip
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arrangements import checker

PROVED, NOT_PROVED, STOPPED = 0, 1, 3
SECONDS, MEGABYTES = 0.3, 60
HEADER = '{"certificate": "arrangements", "version": 1}\n'
Lines = Iterable[Any]


def write(path: Path, lines: Lines) -> Path:
    """A file of these lines between the first and the last; text is put as it is."""
    digest, number, claims = hashlib.sha256(), 0, 0
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for line in chain([HEADER], lines):
            octets = (line if isinstance(line, str) else json.dumps(line) + "\n").encode()
            claims += octets.startswith(b'{"claim"')
            number += octets.count(b"\n")
            digest.update(octets)
            stream.write(octets)
        end = {"end": number, "claims": claims, "sha256": digest.hexdigest()}
        stream.write(f"{json.dumps(end)}\n".encode())
    return path


def matrix(n: int, d: int, row: Callable[[int], Any], name: str = "W") -> Iterator[Any]:
    yield {"input": name, "rows": n, "columns": d}
    yield from map(row, range(n))


def generic(n: int, d: int, size: int = 99) -> Iterator[Any]:
    rng = Random(0)
    return matrix(n, d, lambda i: [*(rng.randint(-size, size) for _ in range(d)), 0])


def claim(says: str, inputs: Any = ("W",), **fields: Any) -> dict[str, Any]:
    return {"claim": 1, "says": says, "inputs": [*inputs]} | fields


def count(number: int, of: str = "sign vectors") -> dict[str, Any]:
    return claim("count", of=of, number=number)


def answer(row: str, of: str = "sign vectors", rows: int = 1) -> list[Any]:
    return [claim("answers", of=of, rows=rows), *[row] * rows]


PRIMES = [p for p in range(2**13, 2**14) if all(p % q for q in range(2, 130))]
HEX = "0x" + "f" * 90_000
REFUSED: dict[str, tuple[Callable[[], Lines], str]] = {
    "a long whole number": (lambda: [f"[{'9' * 8_000_000}]\n"], "4300 digits"),
    "a long number in hexadecimal": (
        lambda: [*matrix(1, 1, lambda i: [1, 0]), *answer(f'["+", ["0x{"f" * 8_000_000}", 1]]\n')],
        "1 of 1 claims",
    ),
    "a long ratio": (
        lambda: matrix(1, 1, lambda i: [f"1/{'9' * 8_000_000}", 0]),
        "hexadecimal",
    ),
    "an exponent": (lambda: matrix(1, 1, lambda i: "[1e999999999, 0]\n"), "whole number"),
    "a long exponent": (
        lambda: matrix(1, 1, lambda i: f"[1e{'9' * 8_000_000}, 0]\n"),
        "whole number",
    ),
    "an exponent of a float": (
        lambda: matrix(1, 1, lambda i: ["0x1.0000000000000p+99999999999", 0]),
        "too large",
    ),
    "lists in lists": (lambda: [f"{'[' * 4_000_000}\n"], "recursion"),
    "fields in fields": (lambda: ['{"":' * 1_000_000 + "\n"], "recursion"),
    "a line without an end": (lambda: ["0" * 10**6] * 200, "the line is too long"),
    "lists in a row": (lambda: matrix(1, 0, lambda i: f"[{'[],' * 2_700_000}0]\n"), "d weights"),
    "fields in a line": (
        lambda: ["{" + ",".join(map('"{}":0'.format, range(200_000))) + "}\n"],
        "does not fit",
    ),
    "a long text": (lambda: [f'"{"x" * 8_000_000}"\n'] * 3, ""),
    "rows that are not there": (
        lambda: [
            *matrix(1, 1, lambda i: [1, 0]),
            claim("answers", of="sign vectors", rows=10**18),
            '["+", [1, 1]]\n',
        ],
        "1 of 1 claims",
    ),
    "columns without rows": (lambda: matrix(0, 2**60, lambda i: []), "wrong fields"),
    "roots of columns without rows": (
        lambda: [{"input": "W", "rows": 0, "columns": 2**22, "roots": [1]}],
        "positive roots",
    ),
    "a huge number of few chambers": (lambda: [*generic(8, 3), count(10**4000)], "1 of 1 claims"),
    "a small number of many chambers": (lambda: [*generic(60, 9), count(5)], "1 of 1 claims"),
}
ENDLESS: dict[str, Callable[[], Lines]] = {
    "chambers": lambda: [*generic(60, 12), count(10**30)],
    "rankings": lambda: [*generic(300, 4, 10**6), count(10**30, "rankings")],
    "chambers in many dimensions": lambda: [
        *matrix(300, 300, lambda i: [*(int(i == j) for j in range(300)), 0]),
        count(2**300),
    ],
    "numbers that grow": lambda: [*generic(12, 10, 2**14_000), count(10**30)],
    "weights of long rows": lambda: [
        *matrix(1, 10_000, lambda i: [0] * 10_001),
        *answer(f'["+", [{"[0,1]," * 100_000}[0,1]]]\n'),
    ],
    "points of large numbers": lambda: [
        *matrix(10, 80, lambda i: [2**13_000] * 81),
        *answer(json.dumps(["+" * 10, [HEX] * 80 + [1]]) + "\n", rows=20),
    ],
    "cosines": lambda: [*generic(2000, 9), claim("same cosines", inputs=["W"] * 300)],
    "claims": lambda: chain(
        generic(3, 2),
        (count(6) | {"claim": k + 1} for k in range(20_000)),
    ),
    "claims that are wrong": lambda: chain(generic(3, 2), ['{"claim": 0}\n'] * 100_000),
    "inputs": lambda: (matrix_of_nothing(k) for k in range(200_000)),
    "claims about many inputs": lambda: [
        *generic(3, 2),
        claim("count", inputs=["W"] * 1_000_000, of="sign vectors", number=6),
    ],
}
LARGE: dict[str, Callable[[], Lines]] = {
    "rows": lambda: matrix(10**5, 9, lambda i: "[0,0,0,0,0,0,0,0,0,0]\n"),
    "a long row": lambda: matrix(1, 2_000_000, lambda i: f"[{'0,' * 2_000_000}0]\n"),
    "common denominators": lambda: matrix(
        60, 700, lambda i: [*(f"1/{p}" for p in PRIMES[:700]), 0]
    ),
    "two halves of labels": lambda: [
        *matrix(8000, 0, lambda i: [i]),
        *answer(json.dumps([[[*range(4000)]], [1]]) + "\n", "rankings"),
    ],
    "rankings of many labels": lambda: [*generic(3000, 5, 10**9), count(10**30, "rankings")],
}


def matrix_of_nothing(k: int) -> dict[str, Any]:
    return {"input": str(k), "rows": 0, "columns": 8_000_000}


def run(*arguments: Any, program: list[str] | None = None) -> tuple[int, str, str, float]:
    """Exit status, output and the time that it took, of the checker by itself."""
    command = [sys.executable, "-S", "-I", *(program or [checker.__file__]), *map(str, arguments)]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr, time.monotonic() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_at_once(name: str, tmp_path: Path) -> None:
    lines, why = REFUSED[name]
    status, out, err, _ = run(write(tmp_path / "c.gz", lines()), "--max-seconds", 60)
    assert (status, err) == (NOT_PROVED, "")
    assert why in out.splitlines()[-1] and len(out) < 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", ENDLESS)
def test_the_limit_of_time(name: str, tmp_path: Path) -> None:
    file = write(tmp_path / "c.gz", ENDLESS[name]())
    status, out, err, seconds = run(file, "--max-seconds", SECONDS)
    assert (status, err) == (STOPPED, "")
    assert out.splitlines()[-1] == "STOPPED: 0.3 seconds are over; --max-seconds allows more"
    assert seconds < 20  # far less where nothing else runs


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_the_limit_of_memory(name: str, tmp_path: Path) -> None:
    file = write(tmp_path / "c.gz", LARGE[name]())
    status, out, err, _ = run(file, "--max-seconds", 60, "--max-megabytes", MEGABYTES)
    assert (status, err) == (STOPPED, "")
    assert out.splitlines()[-1].endswith(
        "STOPPED: 60 megabytes are full; --max-megabytes allows more"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_without_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    status, out, _, _ = run(tmp_path / "pipe", "--max-seconds", SECONDS)
    assert status == STOPPED and out.startswith("STOPPED: 0.3 seconds")


@pytest.mark.slow
def test_what_is_proved_before_a_limit_is_said(tmp_path: Path) -> None:
    some = [claim("answers", of="rankings", rows=1), [[], [0] * 12 + [1]]]
    lines = [*generic(60, 12), *some, count(10**30) | {"claim": 2}]
    status, out, _, _ = run(write(tmp_path / "c.gz", lines), "--max-seconds", 2)
    first, last = out.splitlines()
    assert status == STOPPED and last.startswith("STOPPED")
    assert first == "claim 1 is proved: answers, 1 rankings (1 occur), of 'W'"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("limit", ["0", "-1", "nan", "text"])
@pytest.mark.parametrize("option", ["--max-seconds", "--max-megabytes"])
def test_limits_that_are_none(option: str, limit: str, tmp_path: Path) -> None:
    status, out, err, _ = run("none", f"{option}={limit}")
    assert (status, out) == (2, "") and "Traceback" not in err
    assert err.startswith("usage:") if limit == "text" else err == "a limit must be above 0\n"


def test_limits_without_an_end(tmp_path: Path) -> None:
    file = write(tmp_path / "c.gz", [*generic(3, 2), count(6)])
    status, out, err, _ = run(file, "--max-seconds=inf", "--max-megabytes=1e300")
    assert (status, out, err) == (0, "claim 1 is proved: count, 6 sign vectors, of 'W'\n", "")


def test_a_system_without_a_limit_of_memory_says_so(tmp_path: Path) -> None:
    file = write(tmp_path / "c.gz", [*generic(3, 2), count(6)])
    program = f"""
import builtins, runpy
def without_processes(path, *arguments, before=open, **more):
    if str(path).startswith("/proc"):
        raise FileNotFoundError(path)
    return before(path, *arguments, **more)
builtins.open = without_processes
runpy.run_path({checker.__file__!r}, run_name="__main__")
"""
    status, out, err, _ = run(file, "--max-megabytes", 1, program=["-c", program])
    assert (status, out) == (0, "claim 1 is proved: count, 6 sign vectors, of 'W'\n")
    assert err == "This system does not say how much memory is used: no limit.\n"


# ------------------------------------------------------------------ arrangements check


def command(*arguments: Any) -> list[str]:
    return [sys.executable, "-m", "arrangements", *map(str, arguments)]


@pytest.mark.slow
def test_the_command_has_the_same_limits(tmp_path: Path) -> None:
    file = write(tmp_path / "c.gz", ENDLESS["chambers"]())
    done = subprocess.run(
        command("check", file, "--max-seconds", SECONDS), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (STOPPED, "")
    assert done.stdout == "STOPPED: 0.3 seconds are over; --max-seconds allows more\n"
    file = write(tmp_path / "d.gz", LARGE["rows"]())
    done = subprocess.run(
        command("check", file, "--max-megabytes", MEGABYTES, "--json"),
        capture_output=True,
        text=True,
    )
    found = json.loads(done.stdout)
    assert done.returncode == STOPPED and not found["proved"]
    assert "60 megabytes are full" in found["verdicts"][0]


def test_limits_are_of_certificates(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for option in ("--max-seconds", "--max-megabytes"):
        done = subprocess.run(
            command("check", tmp_path / "run", option, 5), capture_output=True, text=True
        )
        assert done.returncode == 2 and f"cannot be combined with {option}" in done.stderr


def is_running(process: str) -> bool:
    """Whether a process is there; one that has ended may wait for its status to be read."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.sampled(1)
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of processes")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_command_ends_the_checker(
    number: signal.Signals, status: int, tmp_path: Path
) -> None:
    file = write(tmp_path / "c.gz", ENDLESS["chambers"]())
    process = subprocess.Popen(
        command("check", file), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    until = time.monotonic() + 60
    while not (found := children.read_text().split()) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, "") and "Traceback" not in err
    assert found
    until = time.monotonic() + 30
    while is_running(found[0]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(found[0])
