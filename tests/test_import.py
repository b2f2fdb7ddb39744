"""The package is cheap to import and complete when used."""

import subprocess
import sys
from pathlib import Path

import pytest

import arrangements

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


@pytest.mark.parametrize("name", arrangements.__all__)
def test_every_public_name_exists(name: str) -> None:
    assert getattr(arrangements, name) is not None
    assert name in dir(arrangements)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'regions'"):
        _ = arrangements.regions  # type: ignore[attr-defined]


def test_no_module_has_the_name_of_a_public_function() -> None:
    stems = {path.stem for path in Path(arrangements.__file__).parent.glob("*.py")}
    public = set(arrangements.__all__) - {"examples", "generators"}
    assert not stems & public
