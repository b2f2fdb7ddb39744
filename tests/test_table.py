"""The oracle agrees with itself: listing, characteristic polynomial, witnesses, known counts."""

import naive
import pytest
from examples import EXAMPLES, LARGE, Example


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_listing_agrees_with_count(example: Example) -> None:
    assert len(example.chambers) == naive.count(*example.arguments) == example.count
    if example.is_central and example.n:
        assert {tuple(-s for s in signs) for signs in example.chambers} == example.chambers


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_witnesses_have_their_signs(example: Example) -> None:
    for signs, point in naive.witnesses(*example.arguments).items():
        assert naive.signs_at(*example.arguments, point) == signs


@pytest.mark.slow
@pytest.mark.parametrize("example", LARGE, ids=repr)
def test_known_counts(example: Example) -> None:
    assert naive.count(*example.arguments) == example.known


def test_published_polynomials() -> None:
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert naive.characteristic_polynomial(rows) == (-1, 3, -3, 1)
    assert naive.characteristic_polynomial([[1, -1, 0], [1, 0, -1], [0, 1, -1]]) == (0, 2, -3, 1)
    assert naive.cover(4, 2) == 12
    assert naive.cover(10, 3) == 1742
