"""What `Optimum.verify` proves: the value of the chamber and, if asked, that none is better."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from arrangements import Arrangement, best_chamber, chambers, feasible
from arrangements.errors import InputError, TooLargeError
from arrangements.generators import generic
from arrangements.optimize import max_feasible

W = generic(9, 3, 5).normals
COSTS = np.arange(9) - Fraction(7, 2)


def doubled_positives(block):
    return 2.5 * (block.to_array() > 0).sum(axis=1)


QUESTIONS = {
    "costs": {"costs": COSTS},
    "offsets": {"costs": COSTS, "offsets": [1, 0, 2, -1, 0, 3, 1, 1, 2]},
    "step": {"step": doubled_positives},
    "statistic": {
        "statistic": np.arange(18).reshape(9, 2),
        "objective": lambda sums: abs(sums[:, 0] - 3 * sums[:, 1]),
    },
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("within", [None, ([[-1, 0, 0], [0, -1, -1]], [0, 1])])
@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_best_chambers_are_proved(name, sense, within):
    question = QUESTIONS[name] | {"sense": sense, "within": within}
    for method in ("sweep", "bounds") if "costs" in question else ("sweep",):
        found = best_chamber(W, **question, method=method)
        assert found.method == method and found.verify() and found.verify(optimal=True)
    counted = best_chamber(W, **question, count_best=True)
    assert counted.verify(optimal=True)
    wrong = replace(counted, n_best=counted.n_best + 1)
    assert wrong.verify() and not wrong.verify(optimal=True)


@pytest.mark.parametrize("method", ["sweep", "bounds"])
def test_another_chamber_is_refused(method):
    found = best_chamber(W, COSTS, method=method)
    for signs in chambers(W).to_array()[::7]:
        value = found._objective.value(signs)
        other = replace(found, signs=signs, certificate=feasible(W, signs), value=value)
        assert other.verify() and other.verify(optimal=True) == (value == found.value)
        assert not replace(other, value=value + 1).verify(optimal=True)


def test_a_part_of_a_system():
    part = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
    assert part.verify(optimal=True)
    smaller = feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]], "++--")
    signs = np.array(smaller.signs, np.int8)
    fewer = replace(part, value=Fraction(2), signs=signs, certificate=smaller)
    assert fewer.verify() and not fewer.verify(optimal=True)


def test_degenerate_arrangements():
    for A in (np.zeros((0, 2)), [[1, 2], [-2, -4]], Arrangement([[0, 0], [1, 0]], [-1, 2])):
        n = Arrangement.coerce(A).n_hyperplanes
        for method in ("sweep", "bounds"):
            assert best_chamber(A, [1] * n, method=method).verify(optimal=True)


def test_what_takes_long_is_refused():
    X = np.random.default_rng(0).standard_normal((100, 6))
    found = best_chamber(X, np.ones(100), time_limit=0.1)
    assert found.verify()
    with pytest.raises(TooLargeError, match=r"a proof that none of about .* chambers is better"):
        found.verify(optimal=True, max_hours=1e-5)
    with pytest.raises(InputError, match="max_hours is 0; expected a positive number"):
        found.verify(optimal=True, max_hours=0)
    with pytest.raises(InputError, match="optimal is 'yes'; expected"):
        found.verify(optimal="yes")
