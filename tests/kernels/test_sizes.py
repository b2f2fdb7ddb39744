"""Kernels are short and take few arguments, and every file of them has a test of its name."""

import ast
from pathlib import Path

import pytest

import arrangements.kernels

KERNELS = Path(arrangements.kernels.__path__[0])
FOLDERS = ("modular", "cone", "structure")
FILES = [path for name in FOLDERS for path in sorted((KERNELS / name).glob("[!_]*.py"))]
MOST_LINES, MOST_ARGUMENTS = 60, 9


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_file_of_kernels(path):
    functions = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
    ]
    assert functions
    for function in functions:
        assert function.end_lineno - function.lineno < MOST_LINES, function.name
        assert len(function.args.args) <= MOST_ARGUMENTS, function.name
    assert (Path(__file__).parent / path.parent.name / f"test_{path.name}").exists()
