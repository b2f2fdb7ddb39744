"""The largest part of a system of inequalities that has a solution."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.certificates.certificate_table import Certificates
from arrangements.certificates.many import feasible_many
from arrangements.checks import check_flag, check_max_hours
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import align
from arrangements.core.questions import as_arrangement
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_vector
from arrangements.exact.numbers import ExactArray, as_objects, check_rational, fractions, negative
from arrangements.exact.text import brief_text
from arrangements.optimize.chamber_search import best_chamber
from arrangements.optimize.closed_systems import widened
from arrangements.optimize.optimum import Optimum
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron


@public_class
@dataclass(frozen=True, repr=False)
class Subsystem(Optimum):
    """The largest part of a system of inequalities that has a solution, by `max_feasible`.

    An `Optimum` whose rows with sign + are the part, and whose `point` is a solution. With ``>=``,
    rows with sign 0 belong to the part, and the point may lie on the boundary of `within`.
    """

    _strict: Optimum | None = None  # with >=: the answer for the system of larger offsets

    @property
    def left_out(self) -> NDArray[np.int64]:
        """The rows that do not hold at the point, ascending."""
        return np.flatnonzero(self.signs < 0)

    def verify(self, *, optimal: bool = False, max_hours: float | None = None) -> bool:
        """Check that the part has the point and the value; with `optimal`, that none is better.

        As `Optimum.verify`. With ``>=``, the listing is that of the chambers of the strict system
        with the same feasible parts (see `max_feasible`).
        """
        if self._strict is None:
            return super().verify(optimal=optimal, max_hours=max_hours)
        optimal = check_flag("optimal", optimal)
        check_max_hours(max_hours)
        same = self.certificate.signs == tuple(self.signs.tolist())
        worth = self._objective.value(np.where(self.signs < 0, -1, 1))
        inside = self.within is None or self.within.contains(np.array(self.point, object))
        holds = bool(same and inside and worth == self.value and self.certificate.verify())
        if not (optimal and holds):
            return holds
        best = self._strict.value == self.value
        return best and self._strict.verify(optimal=True, max_hours=max_hours)

    def conflicts(self, *, workers: int = 1, progress: bool = False) -> Certificates:
        """Why each row is left out: it is not positive together with all rows of the part.

        Parameters
        ----------
        workers : int
            Threads.
        progress : bool
            Show a bar on standard error.

        Returns
        -------
        Certificates
            One for each of `left_out`, in their order: weights of rows of the part and of that row
            whose sum is impossible (Farkas), with `within` also weights of its inequalities. A row
            that could be added has a point instead, which happens only if some weights are not
            positive or the search was ended early. With ``>=``, they are about the strict system
            with the same feasible parts.

        Examples
        --------
        >>> part = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
        >>> part.left_out.tolist(), part.conflicts().feasible.tolist()
        ([1], [False])
        >>> part.conflicts().verify()
        True
        """
        either = np.tile(self.signs < 0, (len(self.left_out), 1))
        either[np.arange(len(either)), self.left_out] = False
        positive = np.ma.MaskedArray(np.ones(either.shape, np.int8), mask=either)
        system = self._strict or self
        return feasible_many(
            system.certificate.arrangement,
            positive,
            within=system.within,
            workers=workers,
            progress=progress,
        )


def max_feasible(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    strict: bool = True,
    weights: ArrayLike | None = None,
    method: str = "auto",
    rank: int | None = None,
    within: Within | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> Subsystem:
    """Find a point at which as many entries of ``W @ x + offsets`` as possible are positive.

    Or, with ``strict=False``, are not negative.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    strict : bool
        Inequalities are ``>``; with False ``>=``, also those of `within`.
    weights : (n,) array_like, optional
        What each row counts; default 1. With ``>=``, not negative.
    method, rank, within, workers, client, progress, max_hours, time_limit
        As in `best_chamber`.

    Returns
    -------
    Subsystem
        Its `value` is the number (or the weight) of the rows that hold, which are those with sign +
        (or 0, with ``>=``) in its `signs`; its `point` proves them. `Subsystem.conflicts` proves of
        each other row that it cannot be added.

    Raises
    ------
    InputError, TooLargeError
        As `best_chamber`; with ``>=`` also if a weight is negative or a number irrational.

    Notes
    -----
    Strict inequalities that hold at once hold in a chamber. With ``>=``, faces of lower dimension
    are better: the origin satisfies all rows of a central arrangement. But a part is feasible
    if and only if it is with ``> -e`` for all e > 0, and some e is small enough for all parts at
    once: by Farkas' lemma any e below 1 / ((d + 1) m), in integers, m being the largest minor of
    rows and sides of `within` [1]_. So the best chamber of the rows with these offsets is
    looked for, and an exact point of its part that satisfies it with ``>=``.

    References
    ----------
    .. [1] A. Schrijver, Theory of Linear and Integer Programming, Wiley 1986, section 10.2.

    Examples
    --------
    >>> best = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
    >>> best.value, best.signs.tolist()
    (Fraction(3, 1), [1, -1, 1, 1])
    >>> quadrant = Polyhedron.box(0, None, dimension=2)
    >>> best = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]], within=quadrant)
    >>> best.left_out.tolist(), best.conflicts()[0]
    ([2, 3], Certificate('+++*', infeasible, rows 0, 1, 2 with weights 1, 1, 1))
    """
    strict = check_flag("strict", strict)
    arrangement = as_arrangement(W, offsets, rank)
    n = arrangement.n_hyperplanes
    costs = [1] * n if weights is None else align(weights, arrangement.labels, "weights")
    costs = as_exact_vector(costs, n, "weights")
    check_rational("weights", costs)
    options: dict[str, Any] = {"sense": "max", "method": method, "workers": workers}
    options |= {"client": client, "progress": progress}
    options |= {"time_limit": time_limit, "max_hours": max_hours}
    if not strict:
        return _closed(arrangement, costs, within, options)
    found = best_chamber(arrangement, costs, within=within, **options)
    return Subsystem(**_content(found))


def _content(found: Optimum) -> dict[str, Any]:
    return {field.name: getattr(found, field.name) for field in fields(found)}


def _closed(
    arrangement: Arrangement, weights: ExactArray, within: Any, options: dict[str, Any]
) -> Subsystem:
    """The largest part with >=, from the strict system that has the same feasible parts."""
    shares = fractions(weights)
    if any(share < 0 for share in shares):
        k = next(k for k, share in enumerate(shares) if share < 0)
        raise InputError(
            f"weights[{k}] is {brief_text(shares[k])}; expected 0 or more, since strict is "
            "False: leave out the row."
        )
    P = None if within is None else read_polyhedron(within, arrangement)
    wide, wide_P = widened(arrangement, P)
    found = best_chamber(wide, weights, within=wide_P, **options)
    part = found.signs > 0
    rows, offsets = as_objects(arrangement.normals), arrangement.offsets
    right = np.zeros(len(rows), np.int64) if offsets is None else as_objects(offsets)
    solutions = Polyhedron(negative(rows[part]), right[part])
    point = (solutions if P is None else solutions & P).interior_point
    assert point is not None  # the part is feasible
    values = (
        sum((w * x for w, x in zip(row, point, strict=True)), Fraction(b))
        for row, b in zip(rows.tolist(), right.tolist(), strict=True)
    )
    signs = np.array([(value > 0) - (value < 0) for value in values], np.int8)
    certificate = Certificate(arrangement, tuple(signs.tolist()), True, point=point)
    value = sum((s for s, sign in zip(shares, signs, strict=True) if sign >= 0), Fraction(0))
    bound = None if found.bound is None else max(found.bound, value)
    content = _content(found) | {"value": value, "signs": signs, "certificate": certificate}
    return Subsystem(**content | {"bound": bound, "within": P, "_strict": found})
