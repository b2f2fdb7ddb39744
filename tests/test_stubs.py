"""Type checkers see what is there: stubs are up to date, and methods have types."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from stubs import PACKAGE, stubs

SCRIPT = """
from arrangements import Arrangement, SignVectors, count_chambers, generators
from arrangements.optimize import Optimum
from arrangements.structure import Derived, Flats, Zonotope

A: Arrangement = generators.braid(3)
patterns: SignVectors = A.chambers()
number: int = A.count_chambers() + count_chambers([[1, 0]])
flats: Flats = A.flats()
numbers: tuple[int, ...] = A.f_vector()
part: Derived = A.deletion([0])
solid: Zonotope = A.zonotope()
best: Optimum = A.best_chamber([1, 2, 3])
A.count_chambers(method="swoop")
A.chambers() + 1
A.walls(1, 2, 3)
"""


@pytest.mark.parametrize("path", stubs(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_stubs_are_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == stubs()[path], "run python tests/stubs.py"


@pytest.mark.slow
def test_a_script_is_checked(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "script.py"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    wrong = {line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line}
    assert wrong == {"14", "15", "16"}, done.stdout
