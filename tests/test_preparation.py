"""Kernels compiled ahead: all of them, each in one place, and what the command says."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

import arrangements.kernels
from arrangements import preparation
from arrangements.cli.application import cli
from arrangements.errors import InputError
from arrangements.kernels.compilation import _Entry

# What only unusual input needs: a table that grows, signs that are no chirotope.
SELDOM = {"structure.states.enter_slots", "structure.chirotopes.find_basis_within"}


def entries():
    found = {}
    for module in pkgutil.walk_packages(arrangements.kernels.__path__, "arrangements.kernels."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, _Entry):
                name = value.py_func.__module__.removeprefix("arrangements.kernels.")
                found[f"{name}.{value.py_func.__name__}"] = value
    return found


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


@pytest.mark.parametrize("kind", [*preparation.KINDS, *preparation.FIRST])
def test_kinds_can_be_asked(kind):
    (preparation.KINDS | preparation.FIRST)[kind]()


@pytest.mark.slow
def test_all_kernels_are_compiled_once(tmp_path):
    """In a new cache every kernel has code afterwards, and no process had to replace another's."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "arrangements", "compile"]
    subprocess.run(command, env=environment, check=True)
    kept = {
        f"{folder.name.rsplit('_', 1)[0]}.{path.name.split('-')[0]}"
        for folder in tmp_path.iterdir()
        for path in folder.glob("*.nbi")
    }
    linked = {"modular.montgomery.mont_determinant", "chambers.tableau.pivot"}
    assert {name for name in entries() if name not in SELDOM | linked} <= kept
