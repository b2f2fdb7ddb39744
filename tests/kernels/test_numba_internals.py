"""The parts of numba and llvmlite that are not public: each is there, and used in one file only."""

import ast
import importlib
from pathlib import Path
from typing import Any

import pytest

import arrangements

PACKAGE = Path(arrangements.__file__).parent
INTERNALS = PACKAGE / "kernels" / "numba_internals.py"
PRIVATE = ("numba.core", "numba.np", "numba.cpython", "numba._", "llvmlite.binding")

# Private members that the file overrides or uses, by class.
MEMBERS = {
    "numba.core.codegen:JITCodeLibrary": (
        "add_ir_module",
        "codegen",
        "enable_object_caching",
        "get_pointer_to_function",
        "_ensure_finalized",
        "_finalize_dynamic_globals",
        "_finalize_final_module",
        "_optimize_final_module",
        "_optimize_functions",
    ),
    "numba.core.codegen:JITCPUCodegen": ("magic_tuple", "set_env", "_function_pass_manager"),
    "numba.core.compiler:Compiler": ("define_pipelines",),
    "numba.core.registry:CPUDispatcher": ("compile", "get_call_template"),
    "numba.core.caching:CompileResultCacheImpl": ("_locator_classes", "filename_base", "locator"),
    "numba.core.caching:FunctionCache": ("load_overload", "save_overload", "_impl_class"),
    "numba.core.caching:InTreeCacheLocator": ("ensure_cache_path", "from_function"),
    "numba.core.caching:IndexDataCacheFile": (
        "load",
        "save",
        "_data_name",
        "_data_path",
        "_dump",
        "_load_data",
        "_load_index",
        "_open_for_write",
        "_save_data",
        "_save_index",
    ),
}


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
    """The private names that the file uses, and members of classes, read without an import."""
    names = [pair for pair in imported(INTERNALS) if pair[0].startswith(PRIVATE)]
    return names + [(owner, name) for owner, of_it in MEMBERS.items() for name in of_it]


@pytest.mark.parametrize(("owner", "name"), members())
def test_this_release_has(owner: str, name: str) -> None:
    module, _, cls = owner.partition(":")
    found = importlib.import_module(module)
    found = getattr(found, cls) if cls else found
    # attributes of instances: the source of the class sets them
    source = Path(importlib.import_module(module).__file__ or "").read_text()
    assert hasattr(found, name) or f"self.{name} =" in source, f"{owner} has no {name}"


def test_members_are_of_the_classes_used() -> None:
    """Each class of the list is imported, and each of its members occurs in the file."""
    source = INTERNALS.read_text()
    for owner, names in MEMBERS.items():
        module, _, cls = owner.partition(":")
        assert cls == "JITCPUCodegen" or (module, cls) in imported(INTERNALS), owner
        assert all(name in source for name in names), owner


@pytest.mark.slow
def test_nothing_else_is_private() -> None:
    private: dict[Path, Any] = {
        path.relative_to(PACKAGE): [pair for pair in imported(path) if pair[0].startswith(PRIVATE)]
        for path in PACKAGE.rglob("*.py")
    }
    # bars are below kernels, and the events are described in numba's manual
    assert private.pop(Path("execution/progress.py")) == [("numba.core", "event")]
    assert {path for path, names in private.items() if names} == {INTERNALS.relative_to(PACKAGE)}
