"""Every example in a docstring, in the README and in docs/ runs and gives what it shows."""

import doctest
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

import arrangements

ROOT = Path(__file__).parent.parent
NAMES = [
    info.name
    for info in pkgutil.walk_packages(arrangements.__path__, "arrangements.")
    if not info.name.startswith("arrangements.data")
]
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts),
]


@pytest.mark.parametrize("name", ["arrangements", *NAMES])
def test_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_pages(path: Path) -> None:
    # A closing fence would be read as expected output.
    text = path.read_text(encoding="utf-8").replace("```", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert doctest.DocTestRunner().run(examples).failed == 0
