"""Labels with numbers at the ends of the range of floats, and beyond: floats only propose."""

import random
import warnings
from fractions import Fraction
from itertools import permutations
from typing import Any

import naive
import numpy as np
import pytest

from arrangements import audit, can_be_top, feasible_many

POWERS = (-1074, -1072, -1022, -500, 0, 0, 300, 1019, 1020)


def extreme(rng: random.Random, kind: str) -> Any:
    number = rng.choice([0, 1, -1, 2, -2, 3, -3, 5, 7])
    if kind == "floats":
        number *= rng.choice([1.0, 1 + 2.0**-52, 1 - 2.0**-53])
        return float(np.ldexp(number, rng.choice(POWERS)))
    size = 10 ** rng.choice([0, 0, rng.randint(0, 400), 307, 308])
    return number * size if kind == "integers" else Fraction(number, size)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["floats", "integers", "fractions"])
def test_labels_of_any_size(kind: str) -> None:
    rng = random.Random(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", UserWarning)  # about the rank
        for _ in range(20):
            n, d = rng.randint(2, 4), rng.randint(1, 3)
            W = [[extreme(rng, kind) for _ in range(d)] for _ in range(n)]
            b = [extreme(rng, kind) for _ in range(n)] if rng.random() < 0.5 else None
            scores = {tuple(map(Fraction, row + ([b[i]] if b else []))) for i, row in enumerate(W)}
            if len(scores) < n:
                continue
            orders = naive.rankings(W, b)
            can_win = {order[0] for order in orders}
            found = can_be_top(W, offsets=b)
            assert found.verify()
            assert {i for i in range(n) if found[i].feasible} == can_win
            pairs = list(permutations(range(n), 2))
            found = can_be_top(W, pairs, offsets=b, ordered=True)
            assert found.verify()
            possible = {pair for i, pair in enumerate(pairs) if found[i].feasible}
            assert possible == {order[:2] for order in orders}
            assert set(np.flatnonzero(audit(W, b).can_win)) == can_win


@pytest.mark.parametrize(
    "W",
    [
        [[1e308, 1, 0], [1e308, 2, 1], [1e308, 0, 0]],
        [[1e308, -1.5e308], [-1e-320, 3e207], [1.7e308, 1.7e308]],
        [[10**400], [3 * 10**400], [1]],
    ],
)
def test_proofs_of_huge_numbers(W: list[list[Any]]) -> None:
    orders = naive.rankings(W)
    found = can_be_top(W)
    assert [bool(c.feasible) for c in found] == [
        any(order[0] == i for order in orders) for i in range(3)
    ]
    assert found.verify()
    signs = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]]
    answers = feasible_many(W, signs)
    assert answers.verify()
    assert [bool(c.feasible) for c in answers] == [tuple(s) in naive.chambers(W) for s in signs]
