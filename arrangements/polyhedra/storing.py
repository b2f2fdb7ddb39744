"""A polyhedron in the .npz files of sets and runs: its inequalities and equations, exactly."""

from typing import Any

from arrangements.files import storage
from arrangements.polyhedra.polyhedron import Polyhedron

# Members that hold A, c, E and f of ``A @ x <= c`` and ``E @ x == f``.
_NAMES = ("within_A", "within_c", "within_E", "within_f")


def polyhedron_members(P: Polyhedron) -> storage.Members:
    """Members that hold a polyhedron.

    Examples
    --------
    >>> P = Polyhedron.simplex(3)
    >>> read_polyhedron_members(polyhedron_members(P)) == P
    True
    """
    members: storage.Members = {}
    for name, values in zip(_NAMES, (*P.inequalities, *P.equations), strict=True):
        members |= storage.number_members(name, values)
    return members


def read_polyhedron_members(members: storage.Members) -> Polyhedron | None:
    """The polyhedron that the members hold, if they hold one."""
    parts: list[Any] = [storage.numbers(name, members) for name in _NAMES]
    A, c, E, f = parts
    return None if A is None else Polyhedron(A, c, equations=(E, f))
