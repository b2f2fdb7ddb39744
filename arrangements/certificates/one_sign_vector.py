"""The question whether one sign vector occurs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from arrangements.certificates.certificate import Certificate
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import (
    as_arrangement,
    coerce_with_zero_rows,
    unify_fields_with,
)
from arrangements.core.signs import SomeSigns, as_signs, open_signs
from arrangements.exact.numbers import append_column, stack_rows
from arrangements.feasibility.one_sign_vector import solve
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Equations, Within, read_equations, read_polyhedron
from arrangements.polyhedra.solving import solve_inside


def feasible(
    W: ArrangementLike,
    signs: SomeSigns,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    equations: Equations | None = None,
    within: Within | None = None,
) -> Certificate:
    """Decide whether some x has the given signs of ``W @ x + offsets``, with an exact proof.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or Arrangement
        A float counts as the exact dyadic number it is.
    signs : (n,) sequence of -1, 0, 1 and None, or str of "-", "0", "+" and "*", or mapping
        0 means on the hyperplane, so that all faces can be asked for. None means any sign, and so
        do "*", also in a string, and a masked entry of a NumPy array. A mapping gives the signs of
        some rows or labels; all others may have any. A sequence of 0 and 1 without -1 is refused,
        since its zeros probably stand for -. A row of zeros with offset zero has the sign 0.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`: an integer asks about the matrix of that rank that W was meant to be;
        the proof is in the coordinates of its factor, ``certificate.arrangement.normals``.
    equations : (E, f), optional
        Only points with ``E @ x == f``.
    within : Polyhedron, or (A, c), optional
        Only points of the relative interior of this polyhedron, or of ``A @ x <= c``.

    Returns
    -------
    Certificate
        True in a boolean context iff the sign vector occurs. It holds an exact interior point or
        exact Farkas weights on a circuit, and ``verify()`` checks them.

    Raises
    ------
    InputError
        If `signs` has the wrong length or other entries.

    Warns
    -----
    LowRankWarning
        If W looks like a product of low rank stored in floats.

    See Also
    --------
    feasible_many : many sign vectors of one matrix.

    Notes
    -----
    Exact. Few rows take at most d + 2 cone tests (see ``kernels.cone.cone_test``), each a few
    pivots of O(n d). Many are asked about as `feasible_many` does it: a search among few of them
    proposes points and circuits, and an error bound, or exact arithmetic, proves these. Equations
    are eliminated first; facets of `within` are further rows.

    Examples
    --------
    >>> from arrangements import Arrangement
    >>> triangle = [[1, 0], [0, 1], [-1, -1]]
    >>> feasible(triangle, "+++", offsets=[0, 0, 3])
    Certificate('+++', feasible, point (1, 1))
    >>> feasible(triangle, "+++").weights
    (Fraction(1, 1), Fraction(1, 1), Fraction(1, 1))
    >>> feasible(triangle, [1, 1, None])
    Certificate('++*', feasible, point (1, 1))
    >>> feasible(Arrangement([[1], [3]], [0, -3], labels=["cat", "dog"]), {"cat": -1, "dog": 1})
    Certificate('-+', infeasible, rows 'cat', 'dog' with weights 3, 1)
    >>> feasible(triangle, "+0-")
    Certificate('+0-', feasible, point (1, 0))
    >>> feasible(triangle, "-+*", equations=([[1, 1]], [2]), within=([[0, 1]], [2]))
    Certificate('-+*', infeasible, rows 0, equation 0, inequality 0 of within with weights 1, 1, 1)
    """
    arrangement, flats, P = read_question(W, offsets, rank, equations, within)
    entries = as_signs(signs, len(arrangement), arrangement.labels, partial=True)
    return certify_one(arrangement, open_signs(entries), flats, P)


def read_question(
    W: ArrangementLike,
    offsets: ArrayLike | None,
    rank: int | None,
    equations: Equations | None,
    within: Within | None,
) -> tuple[Arrangement, Arrangement | None, Polyhedron | None]:
    """The rows, equations and polyhedron of a question, with numbers of one field."""
    arrangement = as_arrangement(W, offsets, rank, zero_rows=True)
    if equations is None and within is None:
        return arrangement, None, None
    flats = None if equations is None else read_equations(equations, arrangement)
    P = None if within is None else read_polyhedron(within, arrangement)
    own = [] if flats is None else [flats.normals, flats.offsets]
    given = own if P is None else [*own, *P.inequalities, *P.equations]
    arrangement, *found = unify_fields_with(arrangement, *given)
    if any(new is not old for new, old in zip(found, given, strict=True)):
        flats = flats and coerce_with_zero_rows(*found[:2])
        P = P and Polyhedron(found[-4], found[-3], equations=(found[-2], found[-1]))
    return arrangement, flats, P


def certify_one(
    arrangement: Arrangement,
    signs: tuple[int | None, ...],
    equations: Arrangement | None,
    within: Polyhedron | None,
) -> Certificate:
    """Answer a question of `read_question`."""
    if equations is None and within is None and 0 not in signs:
        return Certificate._found(arrangement, signs, solve(arrangement, signs))
    rows = append_column(arrangement.normals, arrangement.offsets)
    zeros: tuple[int, ...] = ()
    if equations is not None:
        rows = stack_rows(rows, append_column(equations.normals, equations.offsets))
        zeros = (0,) * len(equations)
    P = within
    if P is None:  # the whole space
        P = Polyhedron(np.zeros((0, arrangement.dimension), np.int64), [])
    solution = solve_inside(rows, (*signs, *zeros), P)
    return Certificate._found(arrangement, signs, solution, equations, within)
