"""`within` in two forms: each function refuses the other form and says what to write."""

from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, best_chamber, chambers
from arrangements.errors import InputError
from arrangements.optimize import place_range

W = [[1, 0], [0, 1], [1, 1], [1, -2]]
A, C = np.array([[-1, 0], [1, 1], [0, -1]]), np.array([0, 3, 1])


@pytest.mark.parametrize(
    "within",
    [
        [[1, 0], [0, 1]],
        ([1, 0], [0, 1]),
        ([1], [3]),
        np.eye(2),
        np.eye(3, 2),
        Arrangement([[1, 0], [0, 1]]),
        Arrangement([[1, 0], [0, 1]], [1, 1]),
    ],
)
def test_chambers_refuse_rows_that_shall_be_positive(within: Any) -> None:
    with pytest.raises(InputError, match=r"a pair \(A, c\).*pass \(-W, b\)"):
        chambers(W, within=within)


@pytest.mark.parametrize(
    "within",
    [(A, C), [A, C], (A.tolist(), C.tolist()), [A.tolist(), C.tolist()], ([1, 0], [0, 1]), (A, 3)],
)
def test_optima_refuse_pairs(within: Any) -> None:
    for question in (
        lambda: best_chamber(W, [1, 2, 3, 4], within=within),
        lambda: place_range(W, within=within),
    ):
        with pytest.raises(InputError, match=r"a pair; expected rows.*pass Arrangement\(-A, c\)"):
            question()


def test_what_the_messages_say_to_write() -> None:
    costs = np.array([5, -2, 1, 3])
    listed = chambers(W, within=(A, C)).to_array()
    best = best_chamber(W, costs, within=Arrangement(-A, C))
    assert best.value == min((listed > 0) @ costs)
    R = Arrangement([[1, 1], [1, -1]], [-1, 2])
    assert R.offsets is not None
    listed = chambers(W, within=(-R.normals, R.offsets)).to_array()
    assert best_chamber(W, costs, within=R).value == min((listed > 0) @ costs)
    scores = [[1, 0], [0, 1], [-1, -1]]
    assert (place_range(scores, within=[[1, 0], [0, 1]])[2] == 2).all()
