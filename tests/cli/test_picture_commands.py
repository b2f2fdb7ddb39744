"""Commands that draw, run as a user runs them."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import cli

MAGIC = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: Any, tmp_path: Path) -> Any:
    """Run the command line in this process, in a folder with some input."""
    monkeypatch.chdir(tmp_path)
    np.savetxt("plane.csv", [[1, 0], [0, 1], [-1, -1]], "%d", ",")
    np.savetxt("sphere.csv", np.eye(3), "%d", ",")
    np.savetxt("b.csv", [0, 0, 1], "%d")
    Path("names.txt").write_text("cat\ndog\nbird\n", encoding="utf-8")

    def run_(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arrangements", *arguments])
        status = cli.main()
        out, err = capfd.readouterr()
        return status, out, err

    return run_


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("plot", "plane.csv"),
        ("plot", "plane.csv", "--offsets", "b.csv", "--limits", "-2", "2", "-2", "2"),
        ("plot", "plane.csv", "--kind", "argmax", "--labels", "names.txt"),
        ("plot", "plane.csv", "--kind", "arrangement", "--offsets", "b.csv"),
        ("plot", "sphere.csv", "--kind", "arrangement", "--labels", "names.txt"),
        ("plot", "sphere.csv"),
        ("plot", "sphere.csv", "--box", "0", "1"),
        ("plot", "plane.csv", "--colors", "red, #00ff00,0.5"),
    ],
)
def test_plot(run: Any, arguments: tuple[str, ...]) -> None:
    assert run(*arguments, "-o", "out.svg") == (0, "", "")
    assert Path("out.svg").read_bytes().startswith(MAGIC[".svg"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(MAGIC))
def test_kinds_of_files(run: Any, kind: str) -> None:
    assert run("plot", "plane.csv", "-o", f"out{kind}") == (0, "", "")
    assert Path(f"out{kind}").read_bytes().startswith(MAGIC[kind])


@pytest.mark.slow
def test_bjorner(run: Any) -> None:
    status, out, err = run("bjorner", "-o", "out.svg")
    assert (status, err) == (0, "") and "10432*" in out
    assert Path("out.svg").read_bytes().startswith(MAGIC[".svg"])


def test_bjorner_as_json(run: Any) -> None:
    status, out, err = run("bjorner", "--json")
    assert (status, err) == (0, "") and not list(Path().glob("out*"))
    assert json.loads(out)["only_in_1"] == [[1, 0, 4, 3, 2], [2, 3, 4, 0, 1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plot", "plane.csv"), "Missing option '-o'"),
        (("plot", "plane.csv", "-o", "x.gif"), "expected .png, .pdf or .svg"),
        (("plot", "none.csv", "-o", "x.png"), "none.csv"),
        (("plot", "sphere.csv", "--offsets", "b.csv", "-o", "x.png"), "it has 3 columns"),
        (("plot", "plane.csv", "--colors", "red", "-o", "x.png"), "colors holds 1 colors"),
        (
            ("plot", "plane.csv", "--kind", "arrangement", "--colors", "red", "-o", "x.png"),
            "--colors is about labels",
        ),
        (("plot", "plane.csv", "-o", "none/x.png"), "none/x.png"),
        (("bjorner", "-o", "x.txt"), "expected .png, .pdf or .svg"),
    ],
)
def test_bad_arguments(run: Any, arguments: tuple[str, ...], message: str) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and message in err and len(err.splitlines()) == 1


def test_without_matplotlib(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    status, out, err = run("plot", "plane.csv", "-o", "x.png")
    assert (status, out) == (2, "") and "matplotlib is needed" in err and "[plot]" in err
    assert run("bjorner")[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--labels", "names.txt"), ("--rankings",)])
def test_summaries_are_drawn(more: tuple[str, ...], run: Any) -> None:
    pytest.importorskip("matplotlib")
    status, out, _ = run("summary", "plane.csv", "--plot", "out.png", *more)
    assert status == 0 and out.startswith("6 ")
    assert Path("out.png").read_bytes().startswith(MAGIC[".png"])


def test_nothing_is_written_if_the_picture_is_refused(run: Any, tmp_path: Path) -> None:
    assert run("bjorner", "-o", "x.txt", "--certificate", "c.jsonl")[0] == 2
    assert not (tmp_path / "c.jsonl").exists() and not (tmp_path / "x.txt").exists()


@pytest.mark.slow
def test_pictures_of_best_and_summary_are_as_wide_as_asked(run: Any, tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("1,0,0\n0,1,0\n1,1,1\n3,3,1\n")
    for given in (
        ["best", "w.csv", "--target", "2", "-o", "p.svg"],
        ["summary", "w.csv", "--plot", "p.svg"],
        ["summary", "w.csv", "--rankings", "--plot", "p.svg"],
    ):
        code, _, error = run(*given, "--width", "column")
        assert code == 0, error
        (points,) = re.findall(r'<svg[^>]* width="([\d.]+)pt"', (tmp_path / "p.svg").read_text())
        assert float(points) / 72 * 25.4 == pytest.approx(85)
    for command, option in (("best", "--output"), ("summary", "--plot")):
        target = ["--target", "2"] if command == "best" else []
        code, _, error = run(command, "w.csv", *target, "--width", "85")
        assert code == 2 and f"needs {option} OUT" in error
