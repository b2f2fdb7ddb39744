"""The page about parameters agrees with the signatures."""

import inspect
import re
from collections import defaultdict
from pathlib import Path

import pytest

from arrangements.public import MODULE, find

PAGE = Path(__file__).parent.parent / "docs" / "parameters.md"
ROWS = re.findall(
    r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \| ([^|]+) \|$",
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)
USES: dict[str, dict[str, inspect.Parameter]] = defaultdict(dict)
for _name in MODULE:
    _value = find(_name)
    if inspect.isfunction(_value):
        for _parameter in inspect.signature(_value).parameters.values():
            USES[_parameter.name][_name] = _parameter
# Arguments that mean what the function says, or that belong to one folder.
OWN = {
    "k",
    "path",
    "text",
    "step",
    "n",
    "y",
    "W1",
    "W2",
    "base",
    "data",
    "rng",
    "seed",
    "network",
    "points",
    "X",
    "x",
}


@pytest.mark.parametrize(("name", "default", "functions"), ROWS)
def test_the_page_says_what_the_signatures_say(name: str, default: str, functions: str) -> None:
    defaults = {parameter.default for parameter in USES[name].values() if name != "W"}
    defaults -= {inspect.Parameter.empty}
    assert default.strip("`") == (repr(*defaults) if defaults else "required")
    if functions.startswith("`"):
        assert set(re.findall(r"\w+", functions)) == set(USES[name])


# Keywords of work, in their order.
EFFORT = ["workers", "client", "progress", "limit", "max_bytes", "max_hours", "time_limit"]
ONE_THREAD = {"kemeny_ranking"}  # its relaxations depend on one another
ONE_THREAD |= {"iter_decision_regions"}  # threads find parts of a piece at different times
METHODS = {
    f"{name}.{key}": inspect.signature(found)
    for name in MODULE
    if inspect.isclass(find(name))
    for key, found in inspect.getmembers(find(name), inspect.isfunction)
    if not key.startswith("_")
}


@pytest.mark.parametrize("name", [name for name in MODULE if inspect.isfunction(find(name))])
def test_keywords_of_work_come_together(name: str) -> None:
    """What foresees its time can be shared among threads; what can be shared shows a bar."""
    own = set(inspect.signature(find(name)).parameters)
    if own & {"max_hours", "client", "time_limit"} and name not in ONE_THREAD:
        assert "workers" in own
    if "workers" in own:
        assert "progress" in own


@pytest.mark.sampled(173)
@pytest.mark.parametrize("name", METHODS)
def test_methods_have_the_keywords_of_functions(name: str) -> None:
    own = {key: p for key, p in METHODS[name].parameters.items() if key in EFFORT}
    assert sorted(own, key=EFFORT.index) == list(own)
    for key, parameter in own.items():
        assert parameter.kind is parameter.KEYWORD_ONLY
        assert parameter.default == next(iter(USES[key].values())).default
    assert "workers" not in own or "progress" in own


def test_the_page_has_every_shared_parameter() -> None:
    shared = {name for name, functions in USES.items() if len(functions) > 3}
    assert shared - OWN <= {name for name, _, _ in ROWS}
