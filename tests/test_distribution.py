"""What indices, forges and packagers read says the same as setup.cfg and the version."""

import configparser
import importlib.util
import re
from pathlib import Path

import pytest
import yaml

import arrangements

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\(([^)\s]+)\)")
SETTINGS = configparser.ConfigParser(interpolation=None)
SETTINGS.read(ROOT / "setup.cfg", encoding="utf-8")
# Files that cannot read the address of the project from setup.cfg, and repeat it.
REPEATING = ["CITATION.cff", "conda/recipe.yaml", ".github/ISSUE_TEMPLATE/config.yml"]
RELEASE = re.match(r"\d+\.\d+\.\d+", arrangements.__version__)[0]


def requirements(text: str) -> dict[str, str]:
    """Name and bounds of each requirement of a list in setup.cfg."""
    lines = [line.replace(" ", "") for line in text.split("\n") if line.strip()]
    return dict(re.match(r"([\w.-]+)(?:\[\w+\])?(.*)", line).groups() for line in lines)


def every_requirement() -> dict[str, str]:
    found = requirements(SETTINGS["options"]["install_requires"])
    for extra in SETTINGS["options.extras_require"].values():
        found |= requirements(extra)
    return found


def absolute_readme(revision: str) -> str:
    spec = importlib.util.spec_from_file_location("arrangements_setup", ROOT / "setup.py")
    setup = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(setup)
    return setup.absolute_links(README, "https://x.org/a", revision)


def test_links_of_the_readme_are_absolute_on_an_index() -> None:
    before, after = LINK.findall(README), LINK.findall(absolute_readme("v1.0.0"))
    assert len(before) == len(after) > 20
    for old, new in zip(before, after, strict=True):
        if re.match("https?:|#", old):
            assert new == old
        else:
            folder = "raw" if old.endswith(".svg") else "blob"
            assert new == f"https://x.org/a/{folder}/v1.0.0/{old}"


def test_the_minimum_versions_are_those_of_setup_cfg() -> None:
    lines = (ROOT / ".ci" / "minimum-versions.txt").read_text(encoding="utf-8").split("\n")
    stated, _, others = "\n".join(lines).partition("# Not ours:")
    pins = dict(line.split("==") for line in stated.split("\n") if line and line[0] != "#")
    assert pins == {
        name: re.match(r">=([\d.]+)", bounds)[1] for name, bounds in every_requirement().items()
    }
    assert others


@pytest.mark.parametrize("name", REPEATING)
def test_the_address_is_that_of_setup_cfg(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert SETTINGS["metadata"]["url"] in text


def test_reports_of_conduct_go_to_the_address_of_setup_cfg() -> None:
    text = (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8")
    assert f"<{SETTINGS['metadata']['author_email']}>" in text


def test_the_recipe_is_that_of_setup_cfg() -> None:
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    run = {line.split(" ")[0]: line.partition(" ")[2] for line in recipe["requirements"]["run"]}
    assert run.pop("python") == ">=${{ python_min }}"
    assert run == requirements(SETTINGS["options"]["install_requires"])
    assert recipe["context"]["version"] == RELEASE
    assert recipe["context"]["python_min"] in SETTINGS["options"]["python_requires"]
    known = every_requirement()
    for line in recipe["requirements"]["run_constraints"]:
        name, _, bounds = line.partition(" ")
        assert known[name.removesuffix("-base")] == bounds
    (script,) = recipe["build"]["python"]["entry_points"]
    assert script == SETTINGS["options.entry_points"]["console_scripts"].strip()


def test_the_changelog_has_the_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, re.MULTILINE)[0] == RELEASE


def test_actions_are_pinned() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert len(workflows) == 3
    for path in workflows:
        for action in re.findall(r"uses: (.*)", path.read_text(encoding="utf-8")):
            assert action.startswith("./") or re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", action)


def test_workflows_test_interpreters_that_are_supported() -> None:
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    supported = set(re.findall(r"Python :: (3\.\d+)", SETTINGS["metadata"]["classifiers"]))
    assert set(re.findall(r'"(3\.\d+)"', text)) <= supported


def test_the_image_gets_every_file_that_its_installation_needs() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert lines[0] == "*"
    kept = {line[1:] for line in lines if line[0] == "!"}
    needed = {"arrangements", "LICENSE", "README.md", "pyproject.toml", "setup.cfg", "setup.py"}
    needed.update(file.strip() for file in SETTINGS["options.data_files"].values())
    assert kept == needed
