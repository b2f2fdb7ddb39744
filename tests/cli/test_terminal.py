"""Names that somebody else chose do not command the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

NAMES = ["\x1b[31mred", "b\x9b2J", "over\u202eturned", "bell\x07", "two\nlines"]
WEIGHTS = "1 0\n0 1\n-1 -1\n0.1 0.1\n2 -1\n"
COMMANDS = (
    "audit w.txt --labels names.json",
    "places w.txt --labels names.json",
    "rankings w.txt --labels names.json",
    "rankings w.txt --labels names.json --argmax",
    "compare w.txt v.txt --labels names.json --of rankings",
    "compare w.txt v.txt --labels names.json --of tops",
    "plot w.txt --labels names.json -o p.svg",
    "summary w.txt --rankings --labels names.json",
    "explore w.txt --labels names.json -o p.html",
    "feasible w.txt ++++- --labels names.json",
)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_names_do_not_command_the_terminal(command: str, run: Any, in_empty_folder: Path) -> None:
    Path("w.txt").write_text(WEIGHTS)
    Path("v.txt").write_text(WEIGHTS.replace("2 -1", "2 1"))
    Path("names.json").write_text(json.dumps(NAMES))
    status, out, err = run(*command.split())
    assert status in (0, 1), err
    assert set("\x1b\x9b\x07\u202e").isdisjoint(out + err)
