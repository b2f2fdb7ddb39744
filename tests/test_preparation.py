"""Kernels compiled ahead: all of them, each in one place, and what the command says."""

import importlib
import os
import pkgutil
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import arrangements.kernels
from arrangements import preparation
from arrangements.cli.application import cli
from arrangements.errors import InputError
from arrangements.kernels.compilation import _Entry
from arrangements.kernels.statistics.sorting import has_vectors

# What only unusual input needs: a table that grows, signs that are no chirotope, a cone or a vertex
# that is badly conditioned.
SELDOM = {
    "structure.states.enter_slots",
    "structure.chirotopes.find_basis_within",
    "cone.cone_test.cone_test",
    "networks.vertices.solve",
}


def entries():
    found = {}
    for module in pkgutil.walk_packages(arrangements.kernels.__path__, "arrangements.kernels."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, _Entry):
                name = value.py_func.__module__.removeprefix("arrangements.kernels.")
                found[f"{name}.{value.py_func.__name__}"] = value
    return found


@pytest.mark.slow
def test_the_command_compiles_a_kind():
    result = CliRunner().invoke(cli, ["compile", "structure", "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith("compiled the kernels of structure in ")
    assert result.output.endswith(f"they are in {preparation.cache_folder()}\n")


def test_unknown_kinds_are_refused():
    result = CliRunner().invoke(cli, ["compile", "everything"])
    assert isinstance(result.exception, InputError) and "oriented matroids" in str(result.exception)


def test_a_folder_that_cannot_be_written_to_is_refused(monkeypatch):
    monkeypatch.setattr(preparation, "cache_folder", lambda: "")
    result = CliRunner().invoke(cli, ["compile"])
    assert result.exit_code != 0 and "NUMBA_CACHE_DIR" in str(result.exception)


# Prints the entries that have code after the questions of some kinds, asked in this process.
ASKED = """
import sys
from arrangements.preparation import DEMO, KINDS
from test_preparation import entries
for kind in sys.argv[1:] or KINDS:
    (KINDS | DEMO)[kind]()
print(*(name for name, entry in entries().items() if entry.overloads))
"""


def compiled_by(*kinds):
    """The entries that questions of these kinds compile, or load from the cache."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", ASKED, *kinds]
    return set(subprocess.check_output(command, env=environment, text=True).split())


@pytest.mark.slow
def test_all_kernels_are_compiled():
    """Afterwards every kernel has code."""
    unneeded = {"modular.montgomery.mont_determinant", "chambers.tableau.pivot"}  # linked instead
    if not has_vectors():  # NumPy sorts here
        unneeded.add("statistics.sorting.sort_words")
    assert {name for name in entries() if name not in SELDOM | unneeded} <= compiled_by()


@pytest.mark.slow
def test_first_questions_need_few_kernels():
    """What the demo compiles beforehand: both sweeps, and nothing that decides exactly."""
    compiled = compiled_by(*preparation.DEMO)
    assert {
        "chambers.search.advance",
        "rankings.search.advance",
        "cone.interior_points.find_witness",
    } <= compiled
    assert not {name for name in compiled if name.endswith((".answer", ".walk"))}


def kept_in(folder):
    """The entries of which a cache has code."""
    return {
        f"{part.name.rsplit('_', 1)[0]}.{path.name.split('-')[0]}"
        for part in folder.iterdir()
        for path in part.glob("*.nbi")
    }


@pytest.mark.slow
def test_ctrl_c_ends_the_processes_too(tmp_path):
    """It does not wait for what is being compiled, which takes 10 s, and leaves no file behind."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arrangements", "compile", "rankings", "chambers"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    time.sleep(4.0)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)  # until nobody has the pipe
    assert process.returncode == 130 and "Traceback" not in said, said
    assert time.monotonic() - began < 5.0
    assert "rankings.search.advance" not in kept_in(tmp_path)


@pytest.mark.slow
def test_new_is_known_without_numba(tmp_path):
    """A copy without compiled code is new, unless its cache has a file or is elsewhere."""
    root = Path(arrangements.__file__).parent
    shutil.copytree(root, tmp_path / "arrangements", ignore=shutil.ignore_patterns("*.nb[ic]"))
    ask = "import sys; from arrangements.preparation import is_new; print(is_new()); "
    command = [sys.executable, "-c", ask + "print('numba' in sys.modules)"]

    def answer(**more):
        environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
        environment |= {"PYTHONPATH": str(tmp_path)} | more
        return subprocess.check_output(command, env=environment, text=True, cwd=tmp_path).split()

    assert answer() == ["True", "False"]
    assert answer(NUMBA_CACHE_DIR=str(tmp_path)) == ["False", "False"]
    (tmp_path / "arrangements/kernels/cone/some.nbi").touch()
    assert answer() == ["False", "False"]
