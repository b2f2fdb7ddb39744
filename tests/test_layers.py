"""Floors: a folder imports only from folders below it, and no files import each other in a circle.

Every import counts, those inside functions and under ``TYPE_CHECKING`` too. The one look upwards is
`arrangements.public.find`, for methods that are shortcuts for public functions.
"""

import ast
import inspect
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import arrangements
from arrangements.core.methods import NAMES
from arrangements.public import HOME, find

PACKAGE = Path(arrangements.__file__).parent
# From the ground up: folders, or single files at the root.
FLOORS = (
    "checker",  # imports nothing of the package, and nothing but the command imports it
    "network_checker",  # the same for networks
    "version",
    "other_systems",
    "keywords",
    "public",
    "addresses",
    "palette",
    "errors",
    "log",
    "messages",
    "checks",
    "execution",
    "exact",
    "heads",
    "notebook",
    "kernels",
    "core",
    "forecast",
    "files",
    "generators",
    "feasibility",
    "polyhedra",
    "certificates",
    "sets",
    "search",
    "counting",
    "enumeration",
    "structure",
    "oriented_matroids",
    "algebra",
    "exchange",
    "networks",
    "runs",
    "models",
    "optimize",
    "plot",
    "paper",
    "proofs",
    "explorer",
    "__init__",  # the public names, which the floors above may use
    "demo",
    "preparation",
    "cli",
    "__main__",
)
KERNEL_FLOORS = (
    "cache",
    "numba_internals",
    "compilation",
    "shared",
    "late",
    "llvm",
    "modular",
    "chambers",
    "rankings",
    "cone",
    "networks",
    "structure",
    "statistics",
)


def module_of(path: Path) -> str:
    """Dotted name below the package; a folder's ``__init__`` is the folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


FILES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(module: str) -> set[str]:
    """Modules of the package that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: imports are absolute"
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {name for name in whole if name.removeprefix("arrangements.") in FILES}
            names |= modules or {node.module or ""}
    own = {name for name in names if f"{name}.".startswith("arrangements.")}
    return {name.removeprefix("arrangements.").replace("arrangements", "__init__") for name in own}


@cache
def imports() -> dict[str, set[str]]:
    """What each file of the package imports."""
    return {module: imported(module) for module in FILES}


def floor(module: str, floors: tuple[str, ...]) -> int:
    """Number of the floor; a folder that is in no tuple has none."""
    name = module.split(".")[0]
    assert name in floors, f"{module} stands on no floor: add its folder to the tuple"
    return floors.index(name)


def test_imports_point_down() -> None:
    for module, names in imports().items():
        above = {name for name in names if floor(name, FLOORS) > floor(module, FLOORS)}
        assert not above, f"{module} imports {above} from above"


def test_kernels_point_down() -> None:
    kernels = {
        module.removeprefix("kernels."): {name.removeprefix("kernels.") for name in names}
        for module, names in imports().items()
        if module.startswith("kernels.")
    }
    for module, names in kernels.items():
        for name in names:
            assert name in kernels, f"kernels.{module} imports {name}: kernels import kernels only"
            assert floor(name, KERNEL_FLOORS) <= floor(module, KERNEL_FLOORS), (module, name)


def test_no_circles_of_files() -> None:
    graph = nx.DiGraph((module, name) for module, names in imports().items() for name in names)
    circles = [names for names in nx.strongly_connected_components(graph) if len(names) > 1]
    assert not circles


def test_what_the_floors_are_for() -> None:
    outside = {
        "kernels": ("sympy", "flint", "fractions"),
        "exact": ("numba",),
        **{name: ("click",) for name in FLOORS if name != "cli"},
    }
    for module, path in FILES.items():
        for name in outside.get(module.split(".")[0], ()):
            assert f"import {name}" not in path.read_text("utf-8"), (module, name)
            assert f"from {name}" not in path.read_text("utf-8"), (module, name)


def looks_upwards() -> list[tuple[str, str, str]]:
    """Module, method and name of each call of `find` in a method."""
    found = []
    for module, path in FILES.items():
        if module == "core.shortcuts" or "public" not in imports()[module]:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for call in ast.walk(node):
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "find":
                        (name,) = call.args
                        assert isinstance(name, ast.Constant), f"{module}: name the function"
                        found.append((module, node.name, name.value))
    return found


def test_looks_upwards_name_what_is_public() -> None:
    assert {module.split(".")[0] for module, _, _ in looks_upwards()} <= {"core", "sets"}
    for _, method, name in looks_upwards():
        assert name in HOME
        assert name.lower().replace("_", "") == method.replace("_", "")


@pytest.mark.parametrize("name", NAMES.split())
def test_shortcuts(name: str) -> None:
    function = inspect.signature(find(name)).parameters
    own = inspect.signature(getattr(arrangements.Arrangement, name)).parameters
    assert list(own) == ["self", *(key for key in function if key not in ("W", "offsets"))]
    assert all(own[key] == function[key] for key in own if key != "self")
    # the arrangement comes first; offsets follow by position only if nothing stands between them
    positional = [key for key, p in function.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional[:1] == ["W"] or not positional
    assert "offsets" not in positional or positional == ["W", "offsets"]


# Commands import what they call within themselves (``cli/__init__.py`` says why), and a shortcut
# looks up a public name.
LAZY = ("__init__", "__main__", "cli", "core.shortcuts")


@pytest.mark.slow
@pytest.mark.parametrize("module", [m for m in FILES if not m.startswith(LAZY)])
def test_an_import_within_a_function_says_why(module: str) -> None:
    source = FILES[module].read_text(encoding="utf-8")
    lines = source.splitlines()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Import | ast.ImportFrom):
                said = lines[node.lineno - 2 : node.lineno]
                assert any("#" in line for line in said), f"{module}, line {node.lineno}"
