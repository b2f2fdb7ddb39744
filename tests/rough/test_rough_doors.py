"""Closed doors: requests to the explorer, names on a terminal, kept code, signals from the start.

Every case is drawn by a seed. Servers and commands are processes of their own.
"""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest
from oracle import report

import arrangements
from arrangements import cli

pytestmark = pytest.mark.slow

ROOT = Path(arrangements.__file__).parent.parent
WEIGHTS = "1 0\n0 1\n-1 -1\n0.1 0.1\n"
COMMAND = [sys.executable, "-m", "arrangements"]


def environment(**variables: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **variables}


def take_signals() -> None:
    """A shell starts background jobs with SIGINT ignored, and the tests may be in one."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


# ------------------------------------------------------------------ the explorer


@contextmanager
def explorer(folder: Path) -> Iterator[tuple[int, str]]:
    """Port and token of a server, which must end by Ctrl-C as if nothing had happened."""
    (folder / "w.txt").write_text(WEIGHTS)
    (folder / "names.txt").write_text("cat\ndog\nbird\nlion\n")
    with subprocess.Popen(
        [*COMMAND, "explore", "w.txt", "--labels", "names.txt", "--no-open"],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=take_signals,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://localhost:(\d+)/([^/]+)/", process.stdout.readline())
            assert found is not None
            yield int(found[1]), found[2]
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
    assert process.returncode == 130


def reply_to(port: int, request: bytes, patience: float = 1) -> bytes:
    """The first bytes of an answer; of none within a second, nothing."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as stream:
        try:
            stream.sendall(request)
            received = b""
            while select.select([stream], [], [], patience)[0] and len(received) < 2**20:
                part = stream.recv(2**16)
                received += part
                if not part:
                    break
            return received
        except ConnectionError:  # refused while it was sent
            return b""


def request_of(random: Random, port: int, token: str) -> tuple[bytes, bool]:
    """A request, and whether it knows host and token."""
    odd = [token[:-1], token[1:], token.swapcase(), token + "x", "", ".", "%2e%2e", "x" * 9000]
    tokens = [*odd, token, token]
    hosts = [f"localhost:{port}", f"127.0.0.1:{port}", "localhost", "evil.example", "", "[::1]"]
    hosts += [
        f"evil.example:{port}",
        f"localhost:{port}.evil.example",
        f"LOCALHOST.:{port}",
        "\xff",
    ]
    hosts += [f"localhost:{port}@evil.example", f"localhost:{port + 1}", "0.0.0.0", "\xff"]
    ends = ["/", "", "/ws", "/autoload.js", "/metadata", "/static/js/bokeh.min.js", "/../", "//"]
    secret, host, end = random.choice(tokens), random.choice(hosts), random.choice(ends)
    method = random.choice(["GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PUT", "X", "\0"])
    target = random.choice(["", "", "", "/", "http://localhost", "\\"]) + f"/{secret}{end}"
    lines = [f"{method} {target} HTTP/1.{random.choice('01')}", f"Host: {host}"]
    if random.random() < 0.2:
        lines.append(f"Host: {random.choice(hosts)}")
    if random.random() < 0.2:
        lines.append(f"X-Forwarded-Host: localhost:{port}")
    if end == "/ws":
        lines += ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"]
        lines += ["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", f"Origin: {random.choice(hosts)}"]
    else:
        lines.append("Connection: close")
    text = "\r\n".join([*lines, "", ""]).encode("latin-1")
    known = secret == token and host in hosts[:2] and method in ("GET", "HEAD")
    return text, known


def test_requests(tmp_path: Path, rough: int, rough_seed: int) -> None:
    """Nobody without host and token gets anything; the page is still there afterwards."""
    random, problems = Random(f"{rough_seed} requests"), []
    with explorer(tmp_path) as (port, token):
        for _ in range(40 * rough):
            request, known = request_of(random, port, token)
            answer = reply_to(port, request)
            status = answer.split(b" ")[1:2]
            told = token.encode() in answer
            if b"site-packages" in answer or b"Traceback" in answer:
                problems.append(f"{request!r} is told a path: {answer[-300:]!r}")
            if not known and (status in ([b"200"], [b"101"]) or told):
                problems.append(f"{request!r} is answered with {answer[:300]!r}")
        right = f"GET /{token}/ HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
        assert reply_to(port, right.encode(), 60).startswith(b"HTTP/1.1 200 OK")
    report(problems)


# ------------------------------------------------------------------ names on a terminal

PIECES = [
    *(
        "\x1b[31m",
        "\x1b]0;title\x07",
        "\x9b2J",
        "\u202e",
        "\u2066",
        "\r",
        "\n",
        "\x00",
        "\x7f",
        "\x85",
    ),
    *("\u2028", "\u200f", "cat", "dog", "é", " ", '"', ">", ",", "#", "<b>", "=1+1", "{0}", "%s"),
]
PRINTS = [
    "rankings w.txt --labels names.json",
    "rankings w.txt --labels names.json --json",
    "rankings w.txt --labels names.json --argmax",
    "rankings w.txt --labels names.json --top-k 2",
    "chambers w.txt --labels names.json",
    "audit w.txt --labels names.json",
    "places w.txt --labels names.json",
    "summary w.txt --rankings --labels names.json",
    "compare w.txt v.txt --labels names.json --of rankings",
    "feasible w.txt +++- --labels names.json",
    "rankings names.json --labels w.txt",
    "count {name}.txt",
    "rankings w.txt --labels {name}",
    "check {name}",
]
# What commands a terminal, hides text, or turns it around.
ODD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def test_names_on_a_terminal(
    in_empty_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    rough: int,
    rough_seed: int,
) -> None:
    random, problems = Random(f"{rough_seed} terminal"), []
    Path("w.txt").write_text(WEIGHTS)
    Path("v.txt").write_text(WEIGHTS.replace("0.1 0.1", "2 -1"))
    for _ in range(25 * rough):
        names = ["".join(random.choices(PIECES, k=3)) + str(i) for i in range(4)]
        Path("names.json").write_text(json.dumps(names))
        name = names[0].replace("\0", "").replace("/", "")
        command = [part.replace("{name}", name) for part in random.choice(PRINTS).split()]
        monkeypatch.setattr(sys, "argv", ["arrangements", *command])
        status = cli.main()
        out, err = capfd.readouterr()
        if status not in (0, 1, 2) or ODD.search(out + err):
            problems.append(f"{command} with {names!r} ends with {status}, prints {out + err!r}")
    report(problems)


# ------------------------------------------------------------------ kept code

COUNT = """
import numpy as np
from arrangements.kernels.modular.montgomery import mont_determinant
one, p = np.uint64(2**32 % 7), np.uint64(7)
constants = np.uint64(-pow(7, -1, 2**32) % 2**32), np.uint64(2**64 % 7)
print(mont_determinant(np.full((1, 1), one), 1, p, *constants))
"""


def test_flips_of_kept_code(tmp_path: Path, rough: int, rough_seed: int) -> None:
    """Damaged code is made again, and never runs."""
    random, problems = Random(f"{rough_seed} code"), []
    fresh, damaged = tmp_path / "fresh", tmp_path / "damaged"

    def counted(folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", COUNT],
            env=environment(NUMBA_CACHE_DIR=str(folder)),
            capture_output=True,
            text=True,
            timeout=120,
        )

    right = counted(fresh)
    assert right.returncode == 0 and list(fresh.rglob("*.nbc"))
    for _ in range(2 * rough):
        shutil.copytree(fresh, damaged)
        chosen = random.choice(sorted(p for p in damaged.rglob("*.nb?")))
        content = bytearray(chosen.read_bytes())
        places = [random.randrange(8 * len(content)) for _ in range(random.choice([1, 1, 2, 50]))]
        for place in places:
            content[place // 8] ^= 1 << place % 8
        if random.random() < 0.2:
            del content[random.randrange(len(content)) :]
        chosen.write_bytes(content)
        done = counted(damaged)
        if (done.returncode, done.stdout, done.stderr) != (0, right.stdout, ""):
            problems.append(
                f"bits {places} of {chosen.name}, {len(content)} bytes: "
                f"{done.returncode}, {done.stdout!r}, {done.stderr[-300:]!r}"
            )
        shutil.rmtree(damaged)
    report(problems)


# ------------------------------------------------------------------ signals from the start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_from_the_start(
    number: signal.Signals, tmp_path: Path, rough: int, rough_seed: int
) -> None:
    """From when the command is imported until after its end: one line and its status, or all."""
    random, problems = Random(f"{rough_seed} {number} start"), []
    np.savetxt(tmp_path / "w.txt", [[1, 0], [0, 1], [1, 1]])
    # until here the interpreter starts, and whatever the environment lets it import
    start = "import os; os.write(1, b'!'); from arrangements.cli import main; import sys; "
    for _ in range(6 * rough):
        process = subprocess.Popen(
            [sys.executable, "-c", f"{start}sys.exit(main())", "count", "w.txt"],
            cwd=tmp_path,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=take_signals,
        )
        try:
            assert process.stdout is not None and process.stdout.read(1) == b"!"
            wait = 0.01 + random.choice([0.05, 0.3, 1.5]) * random.random()
            time.sleep(wait)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
        word = {signal.SIGINT: b"interrupted", signal.SIGTERM: b"terminated"}[number]
        ended = process.returncode, out, err
        stopped = 128 + number, b"arrangements: error: " + word + b"\n"
        if ended != (0, b"6\n", b"") and (ended[0], err) != stopped:
            problems.append(f"signal {number} after {wait:.3f} s: {ended}")
    report(problems)
