"""Completion in shells, ``--verbose``, and which commands answer in JSON."""

import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import arrangements
from arrangements.cli.application import COMMANDS

ROOT = Path(arrangements.__file__).parent.parent


def complete(run: Any, monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    """What bash is told about the last of some words."""
    monkeypatch.setenv("_ARRANGEMENTS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", " ".join(["arrangements", *words]))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    status, out, err = run()
    monkeypatch.delenv("_ARRANGEMENTS_COMPLETE")
    assert (status, err) == (0, "")
    return list(out.splitlines())


def test_completion(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete(run, monkeypatch, "pol") == ["plain,polynomial"]
    assert "plain,--max-hours" in complete(run, monkeypatch, "polynomial", "--")
    assert complete(run, monkeypatch, "count", "reson") == ["plain,resonance("]
    assert complete(run, monkeypatch, "count", "w.csv", "--offsets", "last-r") == ["plain,last-row"]
    Path("resonance.csv").touch()  # in an empty folder
    assert complete(run, monkeypatch, "count", "reson") == ["file,reson"]
    assert "plain,sweep" in complete(run, monkeypatch, "count", "--method", "s")
    assert complete(run, monkeypatch, "rankings", "w.csv", "--labels", "n") == ["file,n"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(run: Any, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    status, script, err = run("completion", shell)
    assert (status, err) == (0, "") and f"_ARRANGEMENTS_COMPLETE={shell}_complete" in script
    monkeypatch.setenv("_ARRANGEMENTS_COMPLETE", f"{shell}_source")
    assert run()[1] == script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_takes_the_script(tmp_path: Path) -> None:
    program = tmp_path / "arrangements"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m arrangements.cli "$@"\n')
    program.chmod(0o755)
    script = (
        'eval "$(arrangements completion bash)"; COMP_WORDS=(arrangements struc); COMP_CWORD=1; '
        '_arrangements_completion arrangements; echo "${COMPREPLY[@]}"'
    )
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    command = ["bash", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "structure\n"


def test_verbose(run: Any) -> None:
    plan = run("chambers", "generic(20, 3, rng=0)", "--limit", "1", "-v")[2].splitlines()
    assert plan == [
        "arrangements: generic(20, 3, rng=0): 20 rows in dimension 3",
        "arrangements: listing chambers, at most 382; method sweep, threads: 1",
    ]
    steps = run("polynomial", "resonance(4)", "-vv")[2]
    assert "restricting 15 hyperplanes to all flats" in steps and "restrictions of rank 4" in steps
    assert run("count", "braid(3)") == (0, "6\n", "")  # the handler is gone


def test_the_logger_is_silent_by_default(caplog: pytest.LogCaptureFixture, capfd: Any) -> None:
    arrangements.characteristic_polynomial(arrangements.generators.resonance(4))
    assert capfd.readouterr() == ("", "")
    with caplog.at_level(logging.INFO, "arrangements"):
        arrangements.chambers([[1, 0], [0, 1]])
    assert caplog.messages == ["listing chambers, at most 4; method sweep, threads: 1"]


def test_all_commands_with_a_result_answer_in_json() -> None:
    without = {
        command.name
        for command in COMMANDS
        if not any(parameter.name == "as_json" for parameter in command.params)
    }
    assert without == {"plot", "explore", "completion", "demo"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("regions", "chambers"),
        ("n_regions", "count"),
        ("count_chambers", "count"),
        ("f_vector", "f-vector"),
        ("FACETS", None),
        ("poincare", None),
        ("face-vector", "f-vector"),
        ("isCentral", None),
    ],
)
def test_commands_of_other_systems(run: Any, name: str, meant: str | None) -> None:
    status, out, err = run(name)
    assert (status, out) == (2, "") and err.count("\n") == 1
    assert f"No such command '{name}'" in err and ("; use " in err) == (meant is not None)
    assert meant is None or err.endswith(f"; use {meant}.\n")
