"""Answers to a batch of questions and their proofs, in the memory that the proofs take."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import fractions, nearest_float
from arrangements.feasibility.batch import Numbers
from arrangements.feasibility.interior import Point
from arrangements.files import storage

YES, NO, UNDECIDED = 1, 0, -1
# The support of a label that is inside the hull of the others, where no circuit was looked for.
INSIDE = np.array([-2], np.int32)


class Proofs(NamedTuple):
    """Answers and proofs, without the rows that they are about.

    Attributes
    ----------
    status : (m,) ndarray of int8
        YES, NO or UNDECIDED.
    points : (k, d) ndarray of float
    places : (m,) ndarray of int
        Row of the point of each question, or -1.
    exact : dict of int to Point
        Points that are no floats.
    supports : dict of int to ndarray of int32
        Rows of a circuit that refutes a question, or INSIDE.
    """

    status: NDArray[np.int8]
    points: NDArray[np.floating[Any]]
    places: Numbers
    exact: dict[int, Point]
    supports: dict[int, NDArray[np.int32]]

    @property
    def feasible(self) -> NDArray[np.bool_]:
        """The answers, False where there is none."""
        return np.asarray(self.status == YES)

    def has_circuit(self, i: int) -> bool:
        """Whether a circuit refutes question i, whose answer is no."""
        return self.supports[i].tolist() != INSIDE.tolist()

    def point(self, i: int) -> Point:
        """The point of question i, whose answer is yes."""
        if i in self.exact:
            return self.exact[i]
        return tuple(map(Fraction, self.points[self.places[i]].tolist()))

    def float_points(self) -> NDArray[np.float64]:
        """Points of all questions, rounded where they are rational, NaN where there is none."""
        found = np.full((len(self.status), self.points.shape[1]), np.nan)
        held = self.places >= 0
        found[held] = self.points[self.places[held]]
        for i, point in self.exact.items():
            found[i] = [nearest_float(x) for x in point]
        return found

    def part(self, chosen: Numbers) -> Proofs:
        """Those of some questions, all distinct."""
        new = {int(old): k for k, old in enumerate(chosen)}
        places = self.places[chosen]
        held = places >= 0
        return Proofs(
            self.status[chosen],
            self.points[places[held]],
            np.where(held, np.cumsum(held) - 1, -1),
            {new[i]: point for i, point in self.exact.items() if i in new},
            {new[i]: support for i, support in self.supports.items() if i in new},
        )

    @classmethod
    def joined(cls, parts: Sequence[Proofs]) -> Proofs:
        """The proofs of successive parts of the questions as one."""
        exact: dict[int, Point] = {}
        supports: dict[int, NDArray[np.int32]] = {}
        places, number, points = [], 0, 0
        for part in parts:
            exact |= {number + i: point for i, point in part.exact.items()}
            supports |= {number + i: support for i, support in part.supports.items()}
            places.append(np.where(part.places >= 0, part.places + points, -1))
            number, points = number + len(part.status), points + len(part.points)
        return cls(
            np.concatenate([part.status for part in parts]),
            np.concatenate([part.points for part in parts]),
            np.concatenate(places),
            exact,
            supports,
        )

    @classmethod
    def without(cls, feasible: NDArray[np.bool_], d: int) -> Proofs:
        """Answers about points of d coordinates whose proofs nobody keeps."""
        points, places = np.zeros((0, d), np.float32), np.full(len(feasible), -1)
        return cls(feasible.astype(np.int8), points, places, {}, {})

    def members(self) -> storage.Members:
        """Arrays of a file that hold the proofs, exactly."""
        exact = np.array(list(self.exact.values()), dtype=object)
        sizes = [len(support) for support in self.supports.values()]
        members = {
            "status": self.status,
            "points": self.points,
            "places": self.places,
            "exact_questions": np.array(list(self.exact), np.int64),
            "refused": np.array(list(self.supports), np.int64),
            "support_sizes": np.array(sizes, np.int64),
            "supports": np.concatenate([np.zeros(0, np.int32), *self.supports.values()]),
        }
        rows = exact.reshape(-1, self.points.shape[1])
        return members | storage.number_members("exact", rows)

    @classmethod
    def of_members(cls, members: storage.Members) -> Proofs:
        """What the arrays of a file hold."""
        exact = storage.numbers("exact", members)
        assert exact is not None
        ends = np.cumsum(members["support_sizes"])
        supports = np.split(members["supports"], ends[:-1]) if len(ends) else []
        return cls(
            members["status"].astype(np.int8),
            members["points"],
            members["places"],
            dict(zip(members["exact_questions"].tolist(), map(fractions, exact), strict=True)),
            dict(zip(members["refused"].tolist(), supports, strict=True)),
        )
