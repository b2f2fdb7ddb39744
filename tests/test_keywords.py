"""Arguments by the names that other libraries give them are answered with the names here."""

import inspect
import pickle
from typing import Any

import pytest
from everything import PUBLIC

import arrangements
from arrangements import generators, models, optimize
from arrangements.keywords import OTHER_NAMES

W = [[1, 0], [0, 1], [-1, -1]]


@pytest.mark.parametrize(
    ("call", "name", "meant"),
    [
        (arrangements.audit, "bias", "offsets"),
        (arrangements.chambers, "biases", "offsets"),
        (arrangements.rankings, "names", "labels"),
        (arrangements.compare, "seed", "rng"),
        (arrangements.can_be_top, "timeout", "time_limit"),
        (arrangements.count_chambers, "n_jobs", "workers"),
        (arrangements.Arrangement, "bias", "offsets"),
        (arrangements.ScoreModel, "names", "labels"),
        (models.SoftmaxClassifier, "intercept", "offsets"),
        (models.SigmoidClassifier, "classes", "labels"),
        (models.leads, "bias", "offsets"),
    ],
)
def test_the_name_here_is_told(call: Any, name: str, meant: str) -> None:
    text = rf"^{call.__name__}\(\) has no argument '{name}'; it is called '{meant}'$"
    with pytest.raises(TypeError, match=text):
        call(W, **{name: None})


def test_a_function_keeps_its_own_argument_of_such_a_name() -> None:
    assert generators.generic(3, 2, rng=0).n_hyperplanes == 3
    with pytest.raises(TypeError, match="called 'rng'"):
        generators.generic(3, 2, seed=0)
    for name, found in PUBLIC.items():
        if callable(found) and not isinstance(found, type):
            own = inspect.signature(found).parameters
            assert name == "generic_ranking_count" or not own.keys() & OTHER_NAMES.keys()


def test_functions_are_what_they_were() -> None:
    assert pickle.loads(pickle.dumps(arrangements.audit)) is arrangements.audit
    assert pickle.loads(pickle.dumps(optimize.halfspace_depth)) is optimize.halfspace_depth
    assert inspect.signature(arrangements.chambers).parameters["offsets"].default is None
    assert "sign vectors" in (arrangements.chambers.__doc__ or "").lower()
    with pytest.raises(TypeError, match="unexpected keyword argument 'banana'"):
        arrangements.chambers(W, banana=1)
