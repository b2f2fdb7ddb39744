"""What tests of commands share."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from arrangements import cli


class Stream(io.TextIOWrapper):
    """A stdin with bytes behind it."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: Any, tmp_path: Path) -> Any:
    """Run the command line in this process, in an empty folder: (status, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run_(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["arrangements", *arguments])
        monkeypatch.setattr(sys, "stdin", Stream(io.BytesIO(stdin)))
        status = cli.main()
        out, err = capfd.readouterr()
        return status, out, err

    return run_
