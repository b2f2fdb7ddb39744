"""The parts of numba and llvmlite that are not public: each is there, and used in one file only."""

import ast
import importlib
from pathlib import Path

import pytest

import arrangements

PACKAGE = Path(arrangements.__file__).parent
INTERNALS = PACKAGE / "kernels" / "numba_internals.py"
PRIVATE = ("numba.core", "numba.np", "numba.cpython", "numba._", "llvmlite.binding")


def imported(path: Path) -> list[tuple[str, str]]:
    """(module, name) of all imports from others in a file, also of modules as a whole."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return found


def members() -> list[tuple[str, str]]:
    """The private names that the file uses, and members of classes, without importing it."""
    names = [pair for pair in imported(INTERNALS) if pair[0].startswith(PRIVATE)]
    for node in ast.parse(INTERNALS.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "MEMBERS":
            table = ast.literal_eval(node.value)
            names += [(owner, name) for owner, of_it in table.items() for name in of_it]
    return names


@pytest.mark.parametrize(("owner", "name"), members())
def test_this_release_has(owner: str, name: str) -> None:
    module, _, cls = owner.partition(":")
    found = importlib.import_module(module)
    found = getattr(found, cls) if cls else found
    # attributes of instances: the source of the class sets them
    source = Path(importlib.import_module(module).__file__ or "").read_text()
    assert hasattr(found, name) or f"self.{name} =" in source, f"{owner} has no {name}"


def test_members_are_of_the_classes_used() -> None:
    assert {owner for owner, _ in members() if ":" in owner} >= {
        "numba.core.codegen:JITCodeLibrary",
        "numba.core.caching:IndexDataCacheFile",
    }


def test_nothing_else_is_private() -> None:
    private = {
        path.relative_to(PACKAGE): [pair for pair in imported(path) if pair[0].startswith(PRIVATE)]
        for path in PACKAGE.rglob("*.py")
    }
    assert {path for path, names in private.items() if names} == {INTERNALS.relative_to(PACKAGE)}
