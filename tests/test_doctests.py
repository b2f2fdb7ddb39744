"""Every example in a docstring, in the README and in docs/ runs and gives what it shows."""

import ast
import doctest
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from everything import PUBLIC

import arrangements
import benchmarks
from arrangements.public import HOME

ROOT = Path(__file__).parent.parent
NAMES = [info.name for info in pkgutil.walk_packages(arrangements.__path__, "arrangements.")]
BENCHMARKS = [
    info.name
    for name in ("suites", "runs", "reports")
    for info in pkgutil.walk_packages([f"{benchmarks.__path__[0]}/{name}"], f"benchmarks.{name}.")
]
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts),
]


class Finder(doctest.DocTestFinder):
    """Finds cached properties, and public classes where they stand, though named otherwise."""

    def _find(
        self,
        tests: list[doctest.DocTest],
        obj: object,
        name: str,
        module: ModuleType,
        source_lines: list[str],
        globs: dict[str, object],
        seen: dict[int, int],
    ) -> None:
        rest = (module, source_lines, globs, seen)
        super()._find(tests, obj, name, *rest)  # type: ignore[misc]
        if inspect.isclass(obj):
            for key, value in vars(obj).items():
                if isinstance(value, cached_property):
                    self._find(tests, value.func, f"{name}.{key}", *rest)

    def _from_module(self, module: ModuleType, object: object) -> bool:
        if inspect.isclass(object) and PUBLIC.get(object.__name__) is object:
            return module.__name__ == f"arrangements.{HOME[object.__name__]}"
        own = inspect.unwrap(object) if callable(object) else object
        return super()._from_module(module, own)  # type: ignore[misc, no-any-return]


def with_examples(node: ast.AST, name: str) -> Iterator[str]:
    """Names of the module, classes, functions and methods whose docstrings have examples."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        if ">>> " in (ast.get_docstring(node) or ""):
            yield name
    if isinstance(node, ast.Module | ast.ClassDef):
        for child in node.body:
            yield from with_examples(child, f"{name}.{getattr(child, 'name', '')}")


@pytest.mark.parametrize("name", ["arrangements", *NAMES, *BENCHMARKS])
def test_docstrings(name: str) -> None:
    """Every example is found, and gives what it shows."""
    module, runner = import_module(name), doctest.DocTestRunner()
    tests = Finder().find(module)
    written = with_examples(ast.parse(Path(str(module.__file__)).read_text("utf-8")), name)
    assert {test.name for test in tests if test.examples} == set(written)
    for test in tests:
        runner.run(test)
    assert runner.summarize().failed == 0


def needed(text: str) -> list[str]:
    """Modules that the first line of a page asks for: ``<!-- needs: module .. -->``."""
    found = re.match(r"<!-- needs: (.+?) -->\n", text)
    return found[1].split() if found else []


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages(path: Path, in_empty_folder: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for module in needed(text):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    # A closing fence would be read as expected output.
    text = text.replace("```", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert doctest.DocTestRunner().run(examples).failed == 0
