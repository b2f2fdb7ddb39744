"""The statements of the paper as pages: what they say holds, and is said."""

import re

import pytest

from arrangements import rankings
from arrangements.cli.explorer_commands import PRESET_NAMES
from arrangements.errors import InputError
from arrangements.explorer.answers import find_impossible
from arrangements.explorer.presets import PRESETS, preset
from arrangements.explorer.views import View, cosines
from arrangements.plot import Explorer


def test_the_command_knows_them_all() -> None:
    assert PRESET_NAMES == tuple(PRESETS)
    with pytest.raises(InputError, match="preset is 'x'; expected one of translation"):
        Explorer.of_preset("x")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PRESETS)
def test_each_says_a_statement_numbers_and_a_proof(name: str) -> None:
    page = preset(name)
    assert re.match(r"(Theorem|Appendix) [A-Z0-9.]+: ", page.title)
    assert page.about.count("<li>") >= 3 and "<details>" in page.about
    for panel in page.panels:
        assert View(panel.state).names


def test_examples_to_press_are_possible_in_one_panel_only() -> None:
    for name in ("bjorner", "shortened-row"):
        page = preset(name)
        one, other = (set(View(panel.state).names) for panel in page.panels)
        assert set(re.findall('data-ask="(.*?)"', page.about)) == one ^ other


def test_a_translation_changes_cosines_only() -> None:
    one, other = (panel.state for panel in preset("translation").panels)
    assert set(View(one).names) == set(View(other).names)
    assert cosines(one)[0][1] == 1 and cosines(other)[0][1] == -1


def test_a_shortened_row_changes_rankings_only() -> None:
    one, other = (panel.state for panel in preset("shortened-row").panels)
    assert cosines(one) == cosines(other)
    assert len(set(View(one).names) - set(View(other).names)) == 4


def test_the_pair_of_bjorner() -> None:
    one, other = (View(panel.state) for panel in preset("bjorner").panels)
    only = set(one.names) - set(other.names)
    assert only == {"10432", "23401"} and only <= set(find_impossible(other, 120))
    assert all(name in preset("bjorner").about for name in only)


def test_cosines_of_unit_rows_are_those_of_the_true_rows() -> None:
    (panel,) = preset("centered-unit-length").panels
    found = cosines(panel.state)
    assert found[2][4] == round(-97 / 266, 4) and found[0][4] == round(-347 / 494, 4)


def test_differences_of_rows() -> None:
    one, other = (panel.state for panel in preset("differences").panels)
    rows = [[[int(x) for x in row] for row in state.rows] for state in (one, other)]
    assert rankings(rows[0]) == rankings(rows[1])
    assert cosines(one) != cosines(other)
