"""What a count says before it starts."""

from typing import Any

import pytest
from ranking_examples import cube

from arrangements import count_chambers, count_rankings, generators, listing
from arrangements.enumeration import _ask as ask_chambers
from arrangements.errors import SlowCountWarning
from arrangements.ranking.enumeration import _ask as ask_rankings
from arrangements.ranking.scores import score_model


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that counts one pattern in 36 seconds, one in an hour if degenerate."""
    monkeypatch.setattr(listing, "_GENERIC_PACE", 1 / 36)
    monkeypatch.setattr(listing, "_DEGENERATE_PACE", 1 / 3600)


@pytest.mark.usefixtures("slow")
def test_a_slow_count_warns_and_counts() -> None:
    with pytest.warns(SlowCountWarning, match=r"about 382 chambers are expected.* takes about 3 h"):
        assert count_chambers(generators.generic(20, 3, 0)) == 382
    with pytest.warns(SlowCountWarning, match="about 1742 rankings are expected.* 17 hours.*work"):
        assert count_rankings(generators.generic(10, 3, 0)) == 1742
    with pytest.warns(SlowCountWarning, match="about 1742 rankings are expected.* 8 hours"):
        assert count_rankings(generators.generic(10, 3, 0), workers=2) == 1742
    with pytest.warns(SlowCountWarning, match="rankings are expected.* days"):
        assert count_rankings(cube(3), method="pairs") == 96
    with pytest.warns(SlowCountWarning, match="chambers are expected.* days"):
        assert count_chambers(generators.resonance(4)) == 370


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("W", [generators.boolean(9), [[1], [2]], [[1, 2], [3, 1], [0, 1]]])
def test_what_is_known_or_small_does_not_warn(W: Any) -> None:
    count_rankings(W)


def test_no_warning_at_the_real_pace() -> None:
    assert count_chambers(generators.generic(100, 4, 0)) == 2 * (1 + 99 + 4851 + 156849)
    assert count_rankings(cube(3)) == 96


def test_the_estimate_is_near() -> None:
    # Betti numbers of resonance(6) add up to 1066044; the rankings of {0, 1}^4 are 5376
    chambers = ask_chambers(generators.resonance(6), None, "sweep", "exact", None, None, 1)
    expected = chambers.forecast(True)
    assert expected is not None and 0.5 < expected / 533022 < 2 < chambers.bound() / 533022
    rankings = ask_rankings(score_model(cube(4)), "sweep", 1)
    expected = rankings.forecast(True)
    assert expected is not None and 0.5 < expected / 2688 < 2 < rankings.bound() / 2688


def test_hopeless_counts_are_told() -> None:
    W = generators.generic(300, 9, 0)
    for question, unit in (
        (ask_chambers(W, None, "sweep", "exact", None, None, 1), "days"),
        (ask_rankings(score_model(cube(6)), "sweep", 1), "hours"),
        (ask_rankings(score_model(generators.generic(60, 12, 0)), "sweep", 1), "years"),
    ):
        with pytest.warns(SlowCountWarning, match=unit):
            question.forecast(False)
