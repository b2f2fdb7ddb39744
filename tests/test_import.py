"""The package is cheap to import and complete when used."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from everything import MODULE_NAMES, PATHS

import arrangements
from arrangements.public import MODULES, OWN, address

ROOT = Path(arrangements.__file__).parent.parent
HEAVY = ("numba", "sympy", "networkx", "scipy", "matplotlib", "flint", "click", "tqdm", "sklearn")


def run(code: str) -> str:
    """Standard output of `code` in a fresh interpreter."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_import_is_lazy() -> None:
    loaded = run("import sys, arrangements; print(*sys.modules)").split()
    assert not set(HEAVY) & set(loaded)


def test_ctrl_c_is_handled_before_much_is_loaded() -> None:
    code = f"import sys; sys.path.append({str(ROOT)!r}); import arrangements.cli; "
    code += "print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"typing", "re", "enum", "collections"} & set(loaded)


def test_generators_are_a_submodule() -> None:
    assert (
        run("import arrangements as a; print(a.generators.braid(2).normals.tolist())")
        == "[[1, -1]]\n"
    )


@pytest.mark.parametrize("name", PATHS)
def test_every_public_name_exists(name: str) -> None:
    module = import_module(address(name))
    assert getattr(module, name) is not None
    assert name in dir(module)


@pytest.mark.parametrize("module", MODULE_NAMES)
def test_a_public_module_shows_its_names_only(module: str) -> None:
    names = {name for name, path in PATHS.items() if path == f"{module}.{name}"}
    modules = {*MODULES, *OWN} - {""} if module == "arrangements" else set()
    assert set(dir(import_module(module))) == names | modules


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'regions'"):
        _ = arrangements.regions  # type: ignore[attr-defined]


def test_no_module_has_the_name_of_a_public_function() -> None:
    for module in MODULE_NAMES:
        found = import_module(module)
        folder = getattr(found, "__path__", [None])[0]
        stems = {path.stem for path in Path(folder).iterdir()} if folder else set()
        assert not stems & {name for name in dir(found) if name not in (*MODULES, *OWN)}
