"""Kernels that are called by address, and named tuples that are passed by reference."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, typeof, types

from arrangements.kernels.compilation import entry, inlined, late_entry, outlined
from arrangements.kernels.late import Late
from arrangements.kernels.shared import Shared, shared


class Inner(NamedTuple):
    x: np.ndarray


@shared
class Held(NamedTuple):
    y: np.ndarray


@shared
class Space(NamedTuple):
    numbers: np.ndarray
    inner: Inner
    held: Held
    late: np.ndarray


def space(n=3):
    numbers = np.arange(n, dtype=float)
    return Space(numbers, Inner(np.full(2, 7)), Held(np.ones((2, 2))), np.zeros(1, np.int64))


@late_entry
def weighted(ws, i, factor):
    ws.held.y[0, 0] += 1.0
    return ws.numbers[i] * factor + ws.inner.x[1]


WEIGHTED = Late(weighted, types.float64, (types.int64, types.float64))
_call = WEIGHTED.call


@outlined
def halved(ws, i):
    return ws.numbers[i] / 2


@inlined
def asked(ws, i):
    return -1.0 if ws.late[0] == 0 else _call(ws.late[0], (ws, i, 10.0))


@entry
def ask_all(ws, out):
    for i in range(out.shape[0]):
        out[i] = asked(ws, i) + halved(ws, np.uint64(i))


def test_calls_by_address():
    ws, out = space(), np.empty(3)
    ask_all(ws, out)
    assert out.tolist() == [-1.0, -0.5, 0.0]  # nobody there yet
    ws.late[0] = WEIGHTED.address(ws)
    ask_all(ws, out)
    assert out.tolist() == [7.0, 17.5, 28.0]
    assert ws.held.y[0, 0] == 4.0  # the arrays are those of the caller
    assert ws.late[0] == WEIGHTED.address(space(9))
    assert len(weighted.overloads) == len(ask_all.overloads) == 1


def test_what_is_returned_is_declared():
    wrong = Late(weighted, types.int64, (types.int64, types.float64))
    with pytest.raises(TypeError, match="weighted returns float64; expected int64"):
        wrong.address(space())


def test_references_are_told_apart_by_name():
    kind = typeof(space())
    assert isinstance(kind, Shared) and kind == typeof(space(8)) and len(kind.name) < 40
    assert isinstance(kind.members[2], Shared) and not isinstance(kind.members[1], Shared)


def test_all_instances_have_the_same_types():
    typeof(space())
    with pytest.raises(TypeError, match="a Space has members of the types"):
        typeof(space()._replace(numbers=np.arange(3)))


def test_unknown_members_are_refused():
    with pytest.raises(Exception, match="nothing"):
        njit(lambda ws: ws.nothing)(space())
