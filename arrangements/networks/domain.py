"""The argument ``within`` of questions about networks: the inputs that count, in coordinates."""

from __future__ import annotations

from math import inf
from operator import mul
from typing import Any, NamedTuple

from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import integer_rows, quotient
from arrangements.networks.network import Network, Point
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

IntRows = list[list[int]]


class Domain(NamedTuple):
    """A polyhedron that is not empty, in homogeneous coordinates y of its affine hull.

    Attributes
    ----------
    polyhedron : Polyhedron
    basis : list of lists of int
        Vectors (t x, t); y stands for their combination. Those of the standard basis if the
        polyhedron has full dimension.
    positive : list of lists of int
        Rows that are positive in the relative interior; last that of the row at infinity.
    inequalities : list of int
        The inequality of each row but the last.
    """

    polyhedron: Polyhedron
    basis: IntRows
    positive: IntRows
    inequalities: list[int]

    @property
    def is_full(self) -> bool:
        """Whether it has full dimension."""
        return len(self.basis) == self.polyhedron.ambient_dimension + 1

    def point(self, y: Any) -> Point:
        """The point with these coordinates."""
        if not self.is_full:
            y = [sum(map(mul, y, column)) for column in zip(*self.basis, strict=True)]
        return tuple(quotient(entry, y[-1]) for entry in y[:-1])


def read_domain(within: Within | None, network: Network) -> Domain | None:
    """The domain that the argument ``within`` means, by default everything; None if it is empty.

    Examples
    --------
    >>> net = Network([([[1, 1]], None)])
    >>> read_domain(Polyhedron.simplex(2), net)[1:]
    ([[-1, 1, 0], [1, 0, 1]], [[-1, 1], [1, 0], [0, 1]], [0, 1])
    >>> read_domain(None, net).positive
    [[0, 0, 1]]
    """
    if within is None:
        within = Polyhedron.box(-inf, inf, dimension=network.dimension)
    P = read_polyhedron(within, network)
    found = P.strict_rows()
    if found is None:
        return None
    rows, basis = found
    positive = integer_rows(rows)
    if field_of_rows([*positive, *basis]) is not None:
        raise InputError(f"within is {P} with irrational numbers; expected rational ones.")
    implicit = set(P.implicit_equations)
    inequalities = [j for j in range(len(P.inequalities[0])) if j not in implicit]
    return Domain(P, basis, positive, inequalities)
