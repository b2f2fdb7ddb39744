"""Conventions that hold for all public names: the address of classes, and signatures."""

import inspect
import pickle
from importlib import import_module

import pytest

import arrangements
from arrangements import Arrangement, InputError, Rankings, SignVectors

PUBLIC = {name: getattr(arrangements, name) for name in arrangements.__all__}
CLASSES = {name: found for name, found in PUBLIC.items() if inspect.isclass(found)}


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_is_known_by_its_public_name(name: str) -> None:
    found = CLASSES[name]
    home = import_module(f"arrangements.{arrangements._HOME[name]}")
    assert (found.__module__, found.__qualname__) == ("arrangements", name)
    assert getattr(home, name) is found
    assert pickle.loads(pickle.dumps(found)) is found
    # as a pickle by the module where it stands has it
    assert pickle.loads(f"c{home.__name__}\n{name}\n.".encode()) is found


def test_pickles_name_no_file() -> None:
    for value in (
        SignVectors.from_array(["+-"]),
        Rankings.from_array([[0, 1]]),
        arrangements.feasible([[1]], "+"),
        arrangements.simplify([[1]]),
        arrangements.flats([[1]]),
        arrangements.tie_set([[1], [2]], 0),
        InputError("k is 0."),
    ):
        assert b"carrangements\n" in pickle.dumps(value, 0)
        copy = pickle.loads(pickle.dumps(value))
        assert type(copy) is type(value) and repr(copy) == repr(value)
    A = Arrangement([[1, 2]], [3], ["a"])
    assert pickle.loads(pickle.dumps(A)) == A
