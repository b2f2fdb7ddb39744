"""Processes: answers, exceptions of every kind, and processes that end."""

import os
import threading
from typing import Any

import pytest

from arrangements.errors import ArrangementError, InputError
from arrangements.execution.processes import Processes


class Unwritable(Exception):
    """Holds what cannot be pickled."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


class Unreadable(Exception):
    """Is pickled with one argument, and needs two."""

    def __init__(self, place: str, fault: str) -> None:
        super().__init__(f"{place}: {fault}")


class Unprintable(Unreadable):
    def __repr__(self) -> str:
        raise RuntimeError


def fail(kind: type[Exception], *arguments: str) -> None:
    raise kind(*arguments)


def lock() -> Any:
    """An answer that cannot be pickled."""
    return threading.Lock()


@pytest.mark.parametrize(
    "call",
    [
        (fail, Unwritable, "bad weight"),
        (fail, Unreadable, "layer 2", "bad weight"),
        (fail, Unprintable, "layer 2", "bad weight"),
        (lock,),
    ],
)
def test_what_cannot_be_pickled_is_named(call: Any) -> None:
    name = call[1].__name__ if len(call) > 1 else "lock"
    with Processes(1, None) as processes:
        with pytest.raises((ArrangementError, TypeError), match=name):
            processes.submit(*call).result()
        assert processes.submit(sum, [1, 2]).result() == 3


def test_other_exceptions_are_raised_as_they_are() -> None:
    with Processes(1, None) as processes:
        with pytest.raises(InputError, match="one line") as raised:
            processes.submit(fail, InputError, "one line").result()
        assert raised.type is InputError
        with pytest.raises(KeyError, match="name"):
            processes.submit(fail, KeyError, "name").result()


def test_a_call_that_cannot_be_pickled_is_not_sent() -> None:
    with Processes(1, None) as processes:
        with pytest.raises(TypeError, match="pickle"):
            processes.submit(sum, [threading.Lock()]).result()
        assert processes.submit(sum, [1, 2]).result() == 3


def test_a_process_that_ends() -> None:
    with Processes(1, None) as processes, pytest.raises(ArrangementError, match="lack of memory"):
        processes.submit(os._exit, 1).result()


def test_the_common_object_is_sent_once() -> None:
    common = {"network": 1}
    with Processes(1, common) as processes:
        assert processes.submit(dict.get, common, "network").result() == 1
