"""How long counts by merged restrictions take, as random chains of flats tell beforehand."""

import itertools
import time
from collections.abc import Iterator
from typing import Any

import pytest

from arrangements import Arrangement, ScoreModel, count_rankings, generators
from arrangements.counting.polynomials import OPERATIONS_PER_SECOND, restrictions_of
from arrangements.counting.restrictions import Restrictions
from arrangements.enumeration.planning import plan
from arrangements.errors import TooLargeError


def cube_pairs(k: int) -> Arrangement:
    """Where two vertices of a cube tie."""
    corners = list(itertools.product((0, 1), repeat=k))
    return ScoreModel(corners).differences


def begin(A: Any) -> tuple[Restrictions, Iterator[int], float]:
    """A count, the rest of it, and the seconds that it takes as random chains tell at once."""
    found, _ = restrictions_of(Arrangement.coerce(A))
    portions = found.portions()
    next(portions)
    assert found.look_ahead()
    return found, portions, (found.operations + found.remaining()) / OPERATIONS_PER_SECOND


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "A", [generators.resonance(8), generators.threshold(8), cube_pairs(6)], ids=str
)
def test_random_chains_tell_how_long_a_count_takes(A: Any) -> None:
    """The levels that come, from the first portion."""
    found, portions, total = begin(A)
    for _ in portions:
        assert found.remaining() >= 0
    taken = found.operations / OPERATIONS_PER_SECOND
    assert taken / 2 < total < 2 * taken and found.storage is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "argument", "seconds"),
    [
        ("resonance", 9, 50),
        ("threshold", 9, 52),
        ("resonance", 10, 4 * 3600),
        ("threshold", 10, 8 * 3600),
    ],
)
def test_forecasts_of_long_counts(name: str, argument: int, seconds: float) -> None:
    """Seconds of one core, of the last one about."""
    began = time.process_time()
    _, _, total = begin(getattr(generators, name)(argument))
    assert seconds / 3 < total < 3 * seconds
    assert time.process_time() - began < 10


@pytest.mark.sampled(1)
@pytest.mark.parametrize("k", [7, 8])
def test_rankings_of_the_vertices_of_a_cube_are_refused_soon(k: int) -> None:
    began = time.process_time()
    with pytest.raises(TooLargeError, match="allowed"):
        count_rankings(list(itertools.product((0, 1), repeat=k)), max_hours=0.001)
    assert time.process_time() - began < 15


@pytest.mark.slow
def test_a_plan_of_a_count_that_takes_hours() -> None:
    found = plan(generators.threshold(10), seconds=6)
    assert found.counting_method == "characteristic" and found.counting_seconds is not None
    assert 8 / 4 < found.counting_seconds / 3600 < 8 * 4  # the processor may be another one
    assert found.polynomial_memory is not None and 3e9 < found.polynomial_memory < 3e10
    assert found.polynomial_disk is not None and 5e9 < found.polynomial_disk < 5e10


def test_arrangements_that_are_not_merged_are_left_to_their_first_restrictions() -> None:
    found, _ = restrictions_of(Arrangement.coerce(generators.generic(20, 6, 1)))
    assert not found.look_ahead() and found.storage is None
    next(found.portions())
    assert not found.look_ahead() and found.storage is None
