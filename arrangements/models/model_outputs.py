"""Outputs of a model of each kind: listed, sampled and proved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.core.rows import Rows
from arrangements.core.score_model import as_score_model, of_pairs
from arrangements.counting.ranking_counts import most_rankings
from arrangements.enumeration.chambers import chambers
from arrangements.enumeration.rankings import rankings
from arrangements.errors import TiedLabelsError
from arrangements.exact.numbers import ExactArray, nearest_floats
from arrangements.exact.scores import float_scores
from arrangements.forecast.sizes import most_chambers
from arrangements.models.tops import argmax_labels, top_k_sets
from arrangements.polyhedra.hull_coordinates import random_points
from arrangements.polyhedra.polyhedron import Polyhedron

Floats = NDArray[np.float64]


class OutputKind(ABC):
    """One kind of output of one model; outputs are rows of integers."""

    def __init__(self, rows: Rows, k: int, within: Polyhedron | None) -> None:
        self.rows, self.k, self.within = rows, k, within
        self.all_names = rows.names

    @abstractmethod
    def most(self) -> int:
        """Upper bound for the number of outputs."""

    @abstractmethod
    def list_all(self, workers: int, progress: bool) -> Any:
        """All outputs: a set that has a length, a difference, and iterates over rows."""

    @abstractmethod
    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        """Rows, and the signs that they have exactly where the model gives the output."""

    @abstractmethod
    def names(self, output: NDArray[Any]) -> tuple[str, ...]:
        """Labels that an output is made of."""

    @abstractmethod
    def read(self, scores: Floats, bounds: Floats) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Outputs of many inputs by their scores, and which of them the error bounds prove."""

    def at(self, points: ExactArray) -> tuple[NDArray[Any], ExactArray]:
        """Outputs at points, and those points; left out are those undecided, or not inside."""
        if self.within is not None:
            points = points[self.within.contains(points, interior=True)]
        blocks = float_scores(self.rows.weights, self.rows.offsets, points)
        read = [self.read(scores, bounds) for _, scores, bounds in blocks]
        if not read:
            return np.zeros((0, 1), np.int64), points
        sure = np.concatenate([sure for _, sure in read])
        return np.concatenate([outputs for outputs, _ in read])[sure], points[sure]

    def certificate(self, output: NDArray[Any], point: Any = None) -> Certificate:
        """Whether the model has an output, proved; if it is known at a point, by that point."""
        arrangement, signs = self.question(output)
        if point is None:
            return feasible(arrangement, signs, within=self.within)
        x = tuple(point.tolist())
        return Certificate(arrangement, tuple(signs.tolist()), True, x, within=self.within)

    def random_inputs(self, m: int, rng: np.random.Generator) -> ExactArray:
        """Normal inputs; with offsets, of random lengths near those where these matter.

        Inside a polyhedron, points of random walks.
        """
        if self.within is not None:
            return random_points(self.within, m, rng)
        points = rng.standard_normal((m, self.rows.weights.shape[1]))
        if self.rows.offsets is None:
            return points
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            W, b = nearest_floats(self.rows.weights), nearest_floats(self.rows.offsets)
            scale = np.abs(b).max() / np.abs(W).max()
        scale = scale if np.isfinite(scale) and scale > 0 else 1.0
        return points * scale * 2.0 ** rng.uniform(-3, 3, (m, 1))


class _LabelSetOutputs(OutputKind):
    """Sets of labels with positive scores, as signs."""

    def __init__(self, rows: Rows, k: int, within: Polyhedron | None) -> None:
        super().__init__(rows, k, within)
        self.arrangement = Arrangement(rows.weights, rows.offsets, rows.labels)

    def most(self) -> int:
        return most_chambers(self.arrangement)

    def list_all(self, workers: int, progress: bool) -> Any:
        options: Any = {"within": self.within, "workers": workers, "progress": progress}
        return chambers(self.arrangement, **options)

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        return self.arrangement, output

    def names(self, output: NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.all_names[i] for i in np.flatnonzero(output > 0))

    def read(self, scores: Floats, bounds: Floats) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        return np.where(scores > 0, 1, -1), _every(np.abs(scores) > bounds[:, None])


class _RankedOutputs(OutputKind):
    """What rankings and tops share: labels that never tie."""

    def __init__(self, rows: Rows, k: int, within: Polyhedron | None) -> None:
        super().__init__(rows, k, within)
        self.model = as_score_model(rows.weights, rows.offsets, rows.labels, droppable=False)

    def comparisons(
        self, above: NDArray[Any], below: NDArray[Any]
    ) -> tuple[Arrangement, NDArray[Any]]:
        """Differences of scores, and that all of them are positive."""
        return of_pairs(self.model, above, below), np.ones(len(above), np.int8)

    def names(self, output: NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.all_names[i] for i in output.tolist())


class _RankingOutputs(_RankedOutputs):
    """Orders of all labels."""

    def most(self) -> int:
        return most_rankings(self.model)

    def list_all(self, workers: int, progress: bool) -> Any:
        rows = self.rows
        options: Any = {"within": self.within, "workers": workers, "progress": progress}
        return rankings(rows.weights, rows.offsets, labels=rows.labels, **options)

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        order = output.astype(np.intp)
        return self.comparisons(order[:-1], order[1:])

    def read(self, scores: Floats, bounds: Floats) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        orders = np.argsort(-scores, axis=1, kind="stable")
        gaps = -np.diff(np.take_along_axis(scores, orders, axis=1), axis=1)
        return orders, _every(gaps > 2 * bounds[:, None])


class _TopOutputs(_RankedOutputs):
    """Sets of the k best labels, ascending."""

    def most(self) -> int:
        # of single labels, each is asked about; there are never too many of them
        return 1 if self.k == 1 else comb(len(self.rows.weights), self.k)

    def list_all(self, workers: int, progress: bool) -> Any:
        W, b = self.rows.weights, self.rows.offsets
        options: Any = {"within": self.within, "workers": workers, "progress": progress}
        if self.k == 1:
            tops = argmax_labels(W, b, **options)[:, None]
        else:
            tops = top_k_sets(W, self.k, offsets=b, **options)
        return RowSet(map(tuple, tops.tolist()))

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        rest = np.setdiff1d(np.arange(len(self.rows.weights)), output)
        return self.comparisons(np.repeat(output, len(rest)), np.tile(rest, len(output)))

    def read(self, scores: Floats, bounds: Floats) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        orders = np.argsort(-scores, axis=1, kind="stable")
        tops = np.sort(orders[:, : self.k], axis=1)
        if self.k == scores.shape[1]:
            return tops, np.ones(len(tops), np.bool_)
        edge = np.take_along_axis(scores, orders[:, self.k - 1 : self.k + 1], axis=1)
        return tops, edge[:, 0] - edge[:, 1] > 2 * bounds


def _every(holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(holds.all(axis=1))


class RowSet(frozenset[tuple[int, ...]]):
    """A set of rows."""

    def __sub__(self, other: Any) -> RowSet:
        return RowSet(frozenset(self) - frozenset(other))


OUTPUTS: dict[str, type[OutputKind]] = {
    "label sets": _LabelSetOutputs,
    "rankings": _RankingOutputs,
    "top labels": _TopOutputs,
}


def outputs_of(kind: str, rows: Rows, k: int, within: Polyhedron | None, number: int) -> OutputKind:
    """The outputs of this kind of a model, which an error names."""
    try:
        return OUTPUTS[kind](rows, k, within)
    except TiedLabelsError as error:
        raise TiedLabelsError(f"model{number}:", *error.args) from error
