"""A box around a polyhedron of inputs, each side with weights that prove it."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import as_objects
from arrangements.networks.output_system import Inputs, read_inputs
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.solving import solve_inside


def bounded_inputs(P: Polyhedron) -> Inputs:
    """The inputs in a bounded polyhedron, with a box around them.

    Raises
    ------
    InputError
        If it is not bounded.

    Examples
    --------
    >>> found = bounded_inputs(Polyhedron.simplex(2))
    >>> found.low, [x > 1 for x in found.high], len(found.lemmas)
    ([Fraction(0, 1), Fraction(0, 1)], [True, True], 2)
    """
    arrays = [*P.inequalities, *P.equations]
    if field_of_rows([as_objects(array).ravel().tolist() for array in arrays]) is not None:
        raise InputError(f"within is {P} with irrational numbers; expected rational ones.")
    inputs = read_inputs(P)
    if inputs.is_bounded or P.is_empty:
        return inputs if inputs.is_bounded else _of_nothing(inputs)
    if not P.is_bounded:
        raise InputError(
            f"within is {P}, which is not bounded; expected a bounded polyhedron, such as "
            "Polyhedron.box(low, high)."
        )
    low, high = list(inputs.low), list(inputs.high)
    lemmas = []
    for i in range(P.ambient_dimension):
        sides: list[tuple[int, Any]] = [(1, high[i]), (-1, low[i])]
        for side, end in sides:
            if abs(end) < inf:
                continue
            value = _end(P, i, side)
            lemmas.append((i, side, value, _weights(P, inputs, i, side, value)))
    for i, side, value, _ in lemmas:
        if side > 0:
            high[i] = value
        else:
            low[i] = -value
    return inputs._replace(low=low, high=high, lemmas=lemmas)


def _of_nothing(inputs: Inputs) -> Inputs:
    """Some box for inputs that are empty."""
    low = [x if x > -inf else Fraction(0) for x in inputs.low]
    high = [x if x < inf else Fraction(0) for x in inputs.high]
    return inputs._replace(low=low, high=high)


def _end(P: Polyhedron, i: int, side: int) -> Fraction:
    """A number that ``side * x_i`` does not reach."""
    from scipy.optimize import linprog  # loads slowly

    (A, c), (E, f) = ([np.array(x, float) for x in pair] for pair in (P.inequalities, P.equations))
    cost = np.zeros(P.ambient_dimension)
    cost[i] = -side
    found = linprog(cost, A_ub=A, b_ub=c, A_eq=E, b_eq=f, bounds=(None, None), method="highs")
    if found.status or not np.isfinite(found.fun):
        value = max(Fraction(side * x[i]) for x in P.vertices)
    else:
        value = Fraction(-float(found.fun))
    return value + (1 + abs(value)) / 2**20


def _weights(
    P: Polyhedron, inputs: Inputs, i: int, side: int, value: Fraction
) -> dict[int, Fraction]:
    """Weights of the rows of the inputs that prove a side of the box."""
    row = np.array(
        [[Fraction(side * (j == i)) for j in range(P.ambient_dimension)] + [-value]], object
    )
    found = solve_inside(row, [1], P).weights
    if not found or not found[0]:
        raise InputError(
            f"within is {P}, whose numbers are too far from floats; expected smaller ones."
        )
    A = P.inequalities[0]
    weights, place = {}, 0
    for k in range(len(A)):
        if np.count_nonzero(A[k]) != 1:
            if found[1 + k]:
                weights[place] = Fraction(found[1 + k]) / found[0]
            place += 1
    for k in range(len(P.equations[0])):
        if found[1 + len(A) + k]:
            weights[place + k] = Fraction(found[1 + len(A) + k]) / found[0]
    return weights
