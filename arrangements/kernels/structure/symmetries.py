"""Orbits of the rows of a state under linear maps that take it to itself.

Two ways to choose among rows that look alike, if they end in the same common form of the state,
differ by such a map. So the choices of one way are exchanged for others, the last one first. Rows
that no map was found to exchange stay apart; that only costs time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.shared import zeros
from arrangements.kernels.structure.images import choose_basis, color_rows
from arrangements.kernels.structure.states import (
    BAD_PRIME,
    COUNT,
    DONE,
    GIVEN,
    MADE,
    Choices,
    copy_rows,
    empty_choices,
    same_rows,
    sort_rows,
)

# So many ways may end in another form before a state is left.
_FAILURES = 2


class FirstForm(NamedTuple):
    """Work space: a state of at most N rows before its choices, and the form to which these led.

    Attributes
    ----------
    rows, form : (N, k, P) uint64
        The rows, and those of the form.
    multiplicity : (N,) int64
        Of the rows of the form.
    color : (N,) uint64
    order : (N,) int64
        Which row each of the form is.
    choices : Choices
    """

    rows: NDArray[np.uint64]
    form: NDArray[np.uint64]
    multiplicity: NDArray[np.int64]
    color: NDArray[np.uint64]
    order: NDArray[np.int64]
    choices: Choices


def empty_form(n: int, k: int, moduli: int) -> FirstForm:
    """Room for a state of at most n rows in k coordinates."""
    shapes = ((n, k, moduli), "rows form"), (n, "multiplicity color order")
    return zeros(FirstForm, *shapes, choices=empty_choices(n, k))


@kernel
def _root(orbit, i):
    """The first row of the orbit of row i."""
    while orbit[i] != i:
        i = orbit[i]
    return i


@kernel
def _join(orbit, i, j):
    """Make one orbit of those of rows i and j."""
    a, b = _root(orbit, i), _root(orbit, j)
    orbit[max(a, b)] = min(a, b)


@kernel
def _keep(scratch, count, k, form):
    """Keep the form in `scratch`, and the choices that led to it."""
    for i in range(count):
        form.order[i] = scratch.order[i]
    multiplicity = scratch.sorted_multiplicity[:count]
    copy_rows(scratch.sorted_rows, multiplicity, k, form.form, form.multiplicity)
    made, kept = scratch.choices, form.choices
    kept.used[MADE] = made.used[MADE]
    for at in range(made.used[MADE]):
        kept.row[at], kept.size[at] = made.row[at], made.size[at]
        for u in range(made.size[at]):
            kept.alike[at, u] = made.alike[at, u]


@kernel
def _take_way(scratch, count, k, fields, colors, given, form):
    """Go the way that begins with some choices to a form; False if a prime is bad."""
    copy_rows(form.rows, form.color[:count], k, scratch.rows, scratch.color)
    scratch.choices.used[GIVEN] = given
    if not choose_basis(scratch, count, k, fields, colors):
        return False
    return sort_rows(scratch, count, k, fields)[1]


@kernel
def _exchange(scratch, count, k, fields, colors, form, orbit):
    """Exchange each choice for others, and join the orbits of rows; False if a prime is bad.

    The maps found before, at later choices, fix the rows of the earlier choices.
    """
    kept, choices, failures = form.choices, scratch.choices, 0
    for at in range(kept.used[MADE] - 1, -1, -1):
        for u in range(kept.size[at]):
            i = kept.alike[at, u]
            known = _root(orbit, kept.row[at]) == _root(orbit, i)
            for v in range(u):
                known = known or _root(orbit, kept.alike[at, v]) == _root(orbit, i)
            if known:
                continue
            if failures == _FAILURES:
                return True
            for v in range(at):
                choices.row[v] = kept.row[v]
            choices.row[at] = i
            if not _take_way(scratch, count, k, fields, colors, at + 1, form):
                return False
            if not same_rows(form.form, form.multiplicity[:count], k, scratch):
                failures += 1
                continue
            for v in range(count):
                _join(orbit, form.order[v], scratch.order[v])
    return True


@entry
def find_orbits(states, k, fields, scratch, form, position, budget, orbit):
    """Orbits of the rows of states, from number position[0] on.

    position : (1,) int64, advanced
    budget : int, states after which to return
    orbit : (R,) int64, out: the first row of the orbit of each, numbered within its state

    Returns DONE or BAD_PRIME.
    """
    for s in range(position[0], states.used[COUNT]):
        if budget == 0:
            return DONE
        first = states.start[s]
        count, colors = color_rows(states, s, k, fields, scratch)
        if colors == 0:
            return BAD_PRIME
        own = orbit[first : first + count]
        for i in range(count):
            own[i] = i
        if colors < count:
            copy_rows(scratch.rows, scratch.color[:count], k, form.rows, form.color)
            if not _take_way(scratch, count, k, fields, colors, 0, form):
                return BAD_PRIME
            _keep(scratch, count, k, form)
            if not _exchange(scratch, count, k, fields, colors, form, own):
                return BAD_PRIME
            for i in range(count):
                own[i] = _root(own, i)
        position[0] = s + 1
        budget -= 1
    return DONE
