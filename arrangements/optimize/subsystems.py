"""The largest part of a system of strict inequalities that has a solution."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_flag
from arrangements.core.alignment import align
from arrangements.core.arrangement import ArrangementLike, as_arrangement
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_vector
from arrangements.feasibility.certificate_table import Certificates
from arrangements.feasibility.many import feasible_many
from arrangements.optimize.chamber_search import best_chamber
from arrangements.optimize.optimum import Optimum


@public_class
@dataclass(frozen=True, repr=False)
class Subsystem(Optimum):
    """The largest part of a system of strict inequalities that has a solution, by `max_feasible`.

    An `Optimum` whose rows with sign + are the part, and whose `point` is a solution.
    """

    @property
    def left_out(self) -> NDArray[np.int64]:
        """The rows that are not positive at the point, ascending."""
        return np.flatnonzero(self.signs < 0)

    def conflicts(self, workers: int = 1) -> Certificates:
        """Why each row is left out: it is not positive together with all rows of the part.

        Parameters
        ----------
        workers : int
            Threads.

        Returns
        -------
        Certificates
            One for each of `left_out`, in their order: weights of rows of the part and of that row
            whose sum is impossible (Farkas). A row that could be added has a point instead, which
            happens only if some weights are not positive or the search was ended early.

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
        return feasible_many(self.certificate.arrangement, positive, workers=workers)


def max_feasible(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    strict: bool = True,
    weights: ArrayLike | None = None,
    method: str = "auto",
    rank: int | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> Subsystem:
    """Find a point at which as many entries of ``W @ x + offsets`` as possible are positive.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    strict : True
        Inequalities with ``>=`` are not offered: see Notes.
    weights : (n,) array_like, optional
        What each row counts; default 1.
    method, rank, workers, client, progress, max_hours, time_limit
        As in `best_chamber`.

    Returns
    -------
    Subsystem
        Its `value` is the number (or the weight) of the positive rows, which are those with sign +
        in its `signs`; its `point` proves them. `Subsystem.conflicts` proves of each other row that
        it cannot be added.

    Raises
    ------
    InputError, TooLargeError
        As `best_chamber`, or if `strict` is False.

    Notes
    -----
    Inequalities are strict, so the best point may be chosen within a chamber. With ``>=``, faces
    of lower dimension are better: the origin satisfies all rows of a central arrangement. If the
    rows span the space, some vertex is best then, and ``iter_faces(W, 0, offsets)`` has the signs
    of all vertices.

    Examples
    --------
    >>> best = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
    >>> best.value, best.signs.tolist()
    (Fraction(3, 1), [1, -1, 1, 1])
    """
    if not check_flag("strict", strict):
        raise InputError(
            "strict is False; expected True: with >= the best point may lie on hyperplanes, not in "
            "a chamber. If the rows span the space, iter_faces(W, 0, offsets) has the signs of all "
            "vertices, of which one is best."
        )
    arrangement = as_arrangement(W, offsets, rank)
    n = arrangement.n_hyperplanes
    costs = (
        np.ones(n, np.int64) if weights is None else align(weights, arrangement.labels, "weights")
    )
    costs = as_exact_vector(costs, n, "weights")
    found = best_chamber(
        arrangement,
        costs,
        sense="max",
        method=method,
        workers=workers,
        client=client,
        progress=progress,
        time_limit=time_limit,
        max_hours=max_hours,
    )
    return Subsystem(**{field.name: getattr(found, field.name) for field in fields(found)})
