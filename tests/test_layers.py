"""Imports point down only: public -> algorithms -> kernels -> primitives, and exact beside them."""

import ast
from pathlib import Path

import pytest

import arrangements

PACKAGE = Path(arrangements.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Full names of all modules a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module or ""}
    return names


def within(names: set[str], *packages: str) -> set[str]:
    """The names inside one of the packages."""
    return {name for name in names if any(f"{name}.".startswith(f"{p}.") for p in packages)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_layers(path: Path) -> None:
    names, folder = imported(path), path.parent.name
    own = within(names, "arrangements")
    if folder == "kernels":
        assert own <= within(names, "arrangements.kernels")
        assert not within(names, "sympy", "flint", "fractions")
    if folder == "exact":
        assert own <= within(names, "arrangements.exact", "arrangements.errors")
        assert not within(names, "numba")
    if path.stem in ("bits", "perms") and folder == "kernels":
        assert not own
    if folder != "cli" and path.stem not in ("demo", "__main__"):
        assert not within(names, "arrangements.cli", "arrangements.demo", "click")
