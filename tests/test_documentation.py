"""The pages are complete: every public name, command, citation and link, and the picture."""

import json
import os
import re
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from everything import PATHS

import arrangements
from arrangements import generators
from arrangements.cli.application import COMMANDS
from arrangements.paper import examples

ROOT = Path(arrangements.__file__).parent.parent
DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    *(DOCS.parent / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *(page for page in sorted(DOCS.rglob("*.md")) if "_build" not in page.parts),
]
TEXTS = [*PAGES, *sorted(Path(arrangements.__file__).parent.rglob("*.py"))]
SUBMODULES = {"arrangements.paper.examples": examples, "arrangements.generators": generators}


def described() -> list[str]:
    """Full names of what the reference describes."""
    names = []
    for page in sorted((DOCS / "reference").glob("*.rst")):
        text = page.read_text(encoding="utf-8")
        (module,) = re.findall(r"^\.\. (?:current|auto)module:: (\S+)$", text, re.MULTILINE)
        for name in re.findall(r"^\.\. auto(?:function|class|exception):: (\S+)$", text, re.M):
            names.append(name if name.startswith("arrangements.") else f"{module}.{name}")
    return names


def public_names() -> set[str]:
    full = {path for name, path in PATHS.items() if name != "__version__"}
    for module in SUBMODULES.values():
        # families are imported when they are asked for
        names = getattr(module, "__all__", vars(module))
        own = {name for name in names if is_own(module, name, getattr(module, name))}
        full |= {f"{module.__name__}.{name}" for name in own}
    return full


def is_own(module: Any, name: str, value: object) -> bool:
    """Whether a public name of a module is a function or class that belongs to it."""
    home = getattr(value, "__module__", "") or ""
    return callable(value) and name[0] != "_" and f"{home}.".startswith(f"{module.__name__}.")


def test_the_reference_describes_every_public_name_once() -> None:
    names = described()
    assert public_names() <= set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [command.name for command in COMMANDS])
def test_every_command_has_an_example(name: str) -> None:
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert re.search(rf"^\$ .*\barrangements {name}\b", text, re.MULTILINE)


def test_the_manual_is_that_of_the_commands() -> None:
    """Else run ``python docs/man_page.py``."""
    manual = runpy.run_path(str(DOCS / "man_page.py"))
    assert (DOCS / "arrangements.1").read_text(encoding="utf-8") == manual["page"]()


def console_examples() -> list[list[tuple[str, str]]]:
    """Commands and their output, page by page."""
    pages = []
    for page in PAGES:
        blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
        split = [part.partition("\n") for part in parts]
        if split:
            pages.append([(command, output) for command, _, output in split])
    return pages


@pytest.mark.slow
@pytest.mark.parametrize("commands", console_examples())
def test_console_examples(commands: list[tuple[str, str]], tmp_path: Path) -> None:
    program = tmp_path / "bin" / "arrangements"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m arrangements.cli "$@"\n')
    program.chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    for command, output in commands:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert (command, done.stdout) == (command, output)
        assert done.returncode == (2 if output.startswith("arrangements: error") else 0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_links_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(("http", "#")):
            assert (page.parent / target.partition("#")[0]).is_file(), target


CITATION = re.compile(r"(?:\b[A-Z]-)?\b(\d+) \(((?:18|19|20)\d\d)\),? (\d+)[-–]\d+")


def citations(path: Path) -> set[tuple[str, ...]]:
    """Volume, year and first page of the articles that a file cites."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return set(CITATION.findall(" ".join(line.strip(" #") for line in lines)))


def test_references_hold_every_article_cited() -> None:
    known = citations(DOCS / "references.md")
    assert len(known) > 20
    for path in TEXTS:
        assert citations(path) <= known, path


def test_picture_shows_the_chambers() -> None:
    space = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(DOCS / "images" / "three-lines.svg").getroot()

    def sides(element: ElementTree.Element, x: str = "x", y: str = "y") -> list[int]:
        # one unit is 100, and the y axis points down
        right, up = int(element.attrib[x]), -int(element.attrib[y])
        return [right, up, right + up - 100]

    for i, line in enumerate(root.iter(f"{space}line")):
        assert sides(line, "x1", "y1")[i] == sides(line, "x2", "y2")[i] == 0
    labels = [text for text in root.iter(f"{space}text") if text.get("class") == "signs"]
    for label in labels:
        assert label.text == "".join("\N{MINUS SIGN}+"[int(side > 0)] for side in sides(label))
    found = arrangements.chambers([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    assert {label.text for label in labels} == {
        "".join("\N{MINUS SIGN}+"[int(sign > 0)] for sign in signs) for signs in found
    }


def pictures() -> list[str]:
    """The code of all pictures that the site draws."""
    return [
        code
        for page in PAGES
        for code in re.findall(
            r"```\{picture\} [^\n]+\n(.*?)```", page.read_text("utf-8"), re.DOTALL
        )
    ]


@pytest.mark.slow
@pytest.mark.parametrize("code", pictures(), ids=lambda code: code.strip().splitlines()[-1])
def test_pictures_of_the_site_are_drawn(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS))
    site: Any = import_module("site_extension")
    site.save_picture(code, tmp_path / "picture.svg")
    assert ElementTree.parse(tmp_path / "picture.svg").getroot().tag.endswith("svg")


def test_the_notebook_is_executed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    site: Any = import_module("notebook_page")
    text = (DOCS / "tutorials" / "first-look.ipynb").read_text("utf-8")
    plain = json.loads(text)
    assert (plain["nbformat"], plain["nbformat_minor"]) == (4, 5)
    assert all(not cell.get("outputs") for cell in plain["cells"])  # they would grow old
    page = site.markdown(text)
    assert page.count("arrangements-card") > 8 and "68,560 chambers" in page
    assert "t^{6} - 15 t^{5}" in page
    with pytest.raises(ZeroDivisionError):
        site.markdown('{"cells": [{"cell_type": "code", "source": ["1 / 0"]}]}')


def test_pages_show_their_pictures() -> None:
    for page, least in (("pictures", 5), ("paper", 4)):
        assert (DOCS / f"{page}.md").read_text("utf-8").count("```{picture}") >= least


@pytest.mark.parametrize("page", ["architecture", "algorithms", "exactness"])
def test_modules_that_pages_name_exist(page: str) -> None:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    package = ROOT / "arrangements"
    folders = "|".join(path.name for path in package.iterdir() if path.is_dir())
    for name in re.findall(rf"`((?:{folders})\.[a-z_.]+)`", text):
        parent, _, last = name.rpartition(".")
        holder = package / parent.replace(".", "/")
        module = holder / last
        inside = holder.with_suffix(".py")  # a function of a module
        known = module.is_dir() or module.with_suffix(".py").is_file()
        assert known or f"def {last}(" in inside.read_text("utf-8"), name
    for name in re.findall(rf"`((?:{folders})/[\w/]+\.py)`", text):
        assert (package / name).is_file(), name
    for name in re.findall(r"`((?:tests|benchmarks|docs)/[\w/]+\.\w+)`", text):
        assert (ROOT / name).exists(), name
