"""`explore`, its files and its command."""

import asyncio
import builtins
import gc
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    Polyhedron,
    count_chambers,
    count_rankings,
    explore,
    generators,
)
from arrangements.errors import InputError, MissingDependencyError, TiedLabelsError, TooLargeError
from arrangements.explorer.page import Panel, add_page, answer_message
from arrangements.explorer.session import Session
from arrangements.explorer.state import state_of
from arrangements.explorer.steps import precompute_steps
from arrangements.plot import Explorer

FIVE = [[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]]


def test_what_is_shown() -> None:
    assert repr(explore(FIVE)) == "Explorer('20 rankings of 5 labels')"
    assert repr(explore(FIVE, show="top-1")) == "Explorer('4 of 5 labels can be first')"
    assert repr(explore(Arrangement(FIVE[1:]))) == "Explorer('8 chambers of 4 hyperplanes')"
    assert repr(generators.braid(3).explore()) == "Explorer('6 chambers of 3 hyperplanes')"
    assert repr(explore(FIVE[1:], [1, 2, 3, 4], show="chambers")).startswith("Explorer('11 cham")
    assert (
        repr(explore([[1, 2], [1, 2], [3, 4]], ties="drop")) == "Explorer('2 rankings of 2 labels')"
    )


def test_what_is_shown_inside_a_polyhedron() -> None:
    box = Polyhedron.box(0, 1, dimension=2)
    page = explore(FIVE[1:], [-1, 2, -3, 1], show="chambers", within=box)
    number = count_chambers(FIVE[1:], [-1, 2, -3, 1], within=box)
    assert repr(page) == f"Explorer('{number} chambers of 4 hyperplanes inside the polyhedron')"
    pair = explore(Arrangement(FIVE[1:], [-1, 2, -3, 1]), within=box.inequalities)
    assert repr(pair) == repr(page)
    with pytest.raises(
        InputError, match=r"within is Polyhedron\(.*empty\); expected one with points"
    ):
        explore(FIVE, within=([[1, 0], [-1, 0]], [0, -1]))
    with pytest.raises(InputError, match="expected one in dimension 2"):
        explore(FIVE, within=Polyhedron.simplex(3))


def test_what_cannot_be_shown() -> None:
    with pytest.raises(TiedLabelsError):
        explore([[1, 2], [1, 2]])
    with pytest.raises(InputError, match="show is 'top-6'; expected top-1 to top-5"):
        explore(FIVE, show="top-6")
    with pytest.raises(InputError, match="NaN|nan"):
        explore([[np.nan, 1]])
    started = time.monotonic()
    with pytest.raises(TooLargeError, match="more than 4000 rankings of 200 labels"):
        explore(np.random.default_rng(0).normal(size=(200, 2)), np.arange(200.0))  # 10^8
    with pytest.raises(TooLargeError, match="more than 4000 chambers"):
        explore(generators.generic(300, 2, 0).normals, np.arange(300), show="chambers")
    assert time.monotonic() - started < 20


@pytest.mark.slow
def test_a_page_of_its_own(tmp_path: Path) -> None:
    explore(FIVE[:3], labels=["</script><b>", "dog & cat", "bird"]).save(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text()
    head = re.sub(r"(?s)<script.*?</script>", "", html)
    assert not re.findall(r"(?:src|href)=[\"'](?!data:)", head)
    assert "</script><b>" not in html.split("<body>")[1].split("application/json")[0]
    with pytest.raises(InputError, match="must end in .html"):
        explore(FIVE).save("page.pdf")


@pytest.mark.slow
def test_a_page_of_many_rows_holds_few_steps() -> None:
    session = Session(state_of(np.random.default_rng(0).integers(-99, 100, (60, 2)), show="top-1"))
    stored = precompute_steps(session)
    assert 0 < sum(map(len, stored["steps"])) <= 4000 / 60


def test_without_bokeh(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any) -> Any:
        if name.split(".")[0] == "bokeh":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingDependencyError, match=r"pip install '.*\[explore\]'"):
        explore(FIVE)


COMMAND = [sys.executable, "-m", "arrangements", "explore"]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=90
    )


@pytest.mark.slow
def test_the_command_writes_a_page(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\n")
    done = run("w.txt", "--labels", "names.txt", "--show", "top-1", "-o", "p.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "<title>3 of 3 labels can be first" in (tmp_path / "p.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("options", [["--box", "0", "1"], ["--within", "p.txt"]])
def test_the_command_opens_a_polyhedron(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 -1\n2 0\n1 1\n")
    (tmp_path / "p.txt").write_text("1 0 1\n0 1 1\n-1 0 0\n0 -1 0\n")
    done = run("w.txt", *options, "-o", "p.html", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    number = count_rankings([[1, -1], [2, 0], [1, 1]], within=Polyhedron.box(0, 1, dimension=2))
    title = f"<title>{number} rankings of 3 labels inside the polyhedron"
    assert title in (tmp_path / "p.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--box", "0", "1", "-o", "p.html"], "--within and --box are about a FILE"),
        (["w.txt", "--box", "0", "1", "--within", "w.txt", "-o", "p.html"], "exclude each other"),
        (["w.txt", "--preset", "bjorner"], "cannot both be given"),
        (["--labels", "w.txt"], "--labels is about a FILE"),
        (["w.txt", "-o", "w.txt"], "must end in .html"),
        (["w.txt", "-o", "p.html", "--no-open"], "starts no server"),
        (["none.txt", "-o", "p.html"], "none.txt"),
        (["w.txt", "--show", "top-9", "-o", "p.html"], "expected top-1 to top-3"),
        (["w.txt", "--port", "99999", "--no-open"], "port is 99999"),
    ],
)
def test_bad_options(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "p.html").exists()


@pytest.mark.slow
def test_the_server_hears_only_messages() -> None:
    document = pytest.importorskip("bokeh.document").Document()
    panels = [Panel(state_of([[1, 0], [0, 1]])), Panel(state_of([[1], [2]]))]
    add_page(document, panels, "two", "", live=True)
    heard = [model for model in document.models if model.syncable]
    assert [list(model.data) for model in heard] == [["message"]] * 2


@contextmanager
def served(*arguments: str, cwd: Path, refuses: bool = False) -> Iterator[str]:
    """The address of a server, which Ctrl-C ends; it says so, and what it refused."""
    errors = cwd / "errors.txt"
    with (
        open(errors, "w") as stream,
        subprocess.Popen(
            [*COMMAND, "--no-open", *arguments],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=stream,
            text=True,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            yield re.findall(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(10)
    assert process.returncode == 130
    said = errors.read_text()
    assert said.endswith("arrangements: error: interrupted\n")
    assert (said.count("\n") > 1) == refuses, said


@pytest.mark.slow
def test_the_server_is_for_this_machine_and_ends(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    with served("w.txt", cwd=tmp_path) as address:
        port = urllib.parse.urlsplit(address).port
        assert port is not None
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert b"6 rankings of 3 labels" in answer.read()
        taken = run("w.txt", "--no-open", "--port", str(port), cwd=tmp_path)
        assert taken.returncode == 2 and f"port {port} cannot be used" in taken.stderr
        listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
        hosts = [line.split()[1].split(":") for line in listening]
        assert {host for host, at in hosts if int(at, 16) == port} == {"0100007F"}
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        pass


def test_odd_messages_have_a_reply_without_paths() -> None:
    session = Session(state_of([[1, 0], [0, 1]]))
    numbers = (10**400, -(10**10), 1e300, float("inf"), float("nan"), True)
    moves = [{"do": "move", "row": 0, "to": [x, 1], "number": 1} for x in numbers]
    texts = ["", "{", "[]", "1", "null", '{"do":"draw"}', "[" * 10**5, *map(json.dumps, moves)]
    texts.append('{"do":"move","row":0,"to":[1e400,1],"number":3}')
    for data in [*({"message": [text]} for text in texts), {}, {"message": []}, {"message": 3}, 7]:
        reply = json.loads(answer_message(session, data))
        assert set(reply) <= {"error", "number"} and "/" not in reply["error"], data


def status(address: str, **headers: str) -> int:
    """The status of a GET."""
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.mark.slow
def test_the_server_answers_nobody_without_its_token_or_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    with served("w.txt", cwd=tmp_path, refuses=True) as address:
        parts = urllib.parse.urlsplit(address)
        own, token = f"http://localhost:{parts.port}", parts.path.strip("/")
        assert len(token) >= 32 and status(address) == 200
        assert status(f"http://127.0.0.1:{parts.port}/{token}/") == 200
        for path in (
            "",
            "/",
            "/autoload.js",
            "/metadata",
            "/ws",
            f"/{token[:-1]}/",
            "/static/js/bokeh.min.js",
        ):
            assert status(own + path) == 404, path
        for host in ("evil.example", f"evil.example:{parts.port}", "localhost", ""):
            assert status(address, Host=host) == 403, host
            assert status(f"{address}ws", Host=host) == 403, host
            assert status(address.rstrip("/"), Host=host) == 403, host
        with socket.create_connection(("127.0.0.1", parts.port), timeout=30) as stream:
            stream.sendall(b"GET /\x9b31mcat HTTP/1.0\r\nHost: evil.example\r\n\r\n")
            assert b" 403 " in stream.recv(2**16)
        end = time.monotonic() + 30
        while "cat" not in (said := (tmp_path / "errors.txt").read_text("latin-1")):
            assert time.monotonic() < end
            time.sleep(0.05)
    assert token not in said and "\\x9b31mcat" in said and not re.search("[\x7f-\x9f]", said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("host", "origin", "opens"),
    [
        ("localhost", "localhost", True),
        ("evil.example", "evil.example", False),
        ("localhost", "evil.example", False),
    ],
)
def test_a_socket_is_opened_by_the_page_alone(
    host: str, origin: str, opens: bool, tmp_path: Path
) -> None:
    tornado = pytest.importorskip("tornado.websocket")
    (tmp_path / "w.txt").write_text("1 0\n0 1\n1 1\n")
    with served("w.txt", cwd=tmp_path, refuses=True) as address:
        with urllib.request.urlopen(address, timeout=30) as answer:
            page = answer.read().decode()
        (session,) = set(re.findall(r'"token":"([^"]+)"', page))
        port = urllib.parse.urlsplit(address).port

        async def first_message(sent: str | None) -> Any:
            request = tornado.httpclient.HTTPRequest(
                address.replace("http", "ws") + "ws",
                headers={"Host": f"{host}:{port}", "Origin": f"http://{origin}:{port}"},
            )
            socket = await tornado.websocket_connect(request, subprotocols=["bokeh", session])
            found = [await socket.read_message() for _ in range(3)]
            if sent is not None:
                for part in ('{"msgid":"1","msgtype":"PATCH-DOC"}', "{}", sent):
                    await socket.write_message(part)
                found = [await socket.read_message() for _ in range(3)]
            socket.close()
            while await socket.read_message() is not None:
                pass
            return found

        if opens:
            assert "ACK" in asyncio.run(first_message(None))[0]
            bad = '{"events":[{"kind":"ModelChanged","model":{"id":"x"},"attr":"y","new":1}]}'
            reply = asyncio.run(first_message(bad))
            assert "ERROR" in reply[0] and "site-packages" not in "".join(map(str, reply))
            assert "Traceback" not in "".join(map(str, reply))
        else:
            with pytest.raises(tornado.httpclient.HTTPClientError, match="403"):
                asyncio.run(first_message(None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of a connection that was refused
        gc.collect()


def test_of_preset() -> None:
    assert repr(Explorer.of_preset("unrestricted")).startswith("Explorer('Appendix C.1")
