"""What one model can say and another cannot: by listing, else by proved sampling."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import comb, sqrt
from numbers import Integral
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import (
    as_list,
    check_flag,
    check_integer,
    check_option,
    random_generator,
)
from arrangements.core.alignment import align_columns
from arrangements.core.arrangement import Arrangement
from arrangements.core.rows import Rows
from arrangements.core.score_model import as_score_model, of_pairs
from arrangements.counting.ranking_counts import most_rankings
from arrangements.enumeration.chambers import chambers
from arrangements.enumeration.rankings import rankings
from arrangements.errors import InputError, TiedLabelsError
from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray, nearest_floats
from arrangements.exact.scores import float_scores
from arrangements.execution.progress import with_progress
from arrangements.feasibility.certificates import Certificate
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.forecast.sizes import most_chambers
from arrangements.messages import quote
from arrangements.models.rows import own_outputs, rows_of_model
from arrangements.models.tops import argmax_labels, top_k_sets

Outputs = Literal["label sets", "rankings", "top labels"]

# Two standard deviations of a share, for intervals of 95%.
_Z = 1.96


@public_class
@dataclass(frozen=True)
class ModelDifference:
    """An output that one of two models has and the other has not, with both proofs.

    Attributes
    ----------
    names : tuple of str
        The labels that are on, or the ranking, best first, or the labels on top.
    has : Certificate
        Of the model that has it, with the input ``has.point``.
    lacks : Certificate
        Of the other model: Farkas weights.
    """

    names: tuple[str, ...]
    has: Certificate
    lacks: Certificate

    @property
    def input(self) -> tuple[Fraction, ...]:
        """An input for which the one model gives this output."""
        assert self.has.point is not None
        return self.has.point

    def verify(self) -> bool:
        """Check both proofs in exact arithmetic."""
        proved = self.has.feasible and not self.lacks.feasible
        return proved and self.has.verify() and self.lacks.verify()


@public_class
@dataclass(frozen=True)
class ModelComparison:
    """What two models can say; pairs of values are about the first model and the second.

    Attributes
    ----------
    outputs : {"label sets", "rankings", "top labels"}
        What was compared.
    method : {"listed", "sampled"}
        Whether all outputs were compared, or those at random inputs. Then numbers are numbers of
        inputs, and shares are shares of inputs.
    numbers : (int, int)
        Outputs of each model, or inputs at which it was asked.
    only : (int, int)
        Those that only this model has; each is proved.
    intervals : pair of (float, float), or None
        If sampled: 95% confidence intervals of the shares (Wilson).
    examples : pair of tuples of ModelDifference
        Some of those that only this model has.

    Examples
    --------
    >>> from arrangements import compare
    >>> found = compare([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, -1]], "label sets")
    >>> print(found.summary())
    label sets, all of them listed
    model 1 has 6, of which the other lacks 2 (33.3%), such as {0}
    model 2 has 6, of which the other lacks 2 (33.3%), such as {0, 1}
    >>> found.examples[0][0].verify()
    True
    """

    outputs: str
    method: str
    numbers: tuple[int, int]
    only: tuple[int, int]
    intervals: tuple[tuple[float, float], tuple[float, float]] | None
    examples: tuple[tuple[ModelDifference, ...], tuple[ModelDifference, ...]]

    @property
    def shares(self) -> tuple[float, float]:
        """Shares of ``only`` in ``numbers``."""
        first, second = (a / max(b, 1) for a, b in zip(self.only, self.numbers, strict=True))
        return first, second

    @property
    def same(self) -> bool | None:
        """Whether both have the same outputs; None if samples found no difference."""
        if any(self.only):
            return False
        return True if self.method == "listed" else None

    def verify(self) -> bool:
        """Check the proofs of all examples in exact arithmetic."""
        return all(example.verify() for examples in self.examples for example in examples)

    def _repr_html_(self) -> str:
        rows = (
            [i + 1, self.numbers[i], self.only[i], f"{self.shares[i]:.1%}", self._example(i)]
            for i in range(2)
        )
        listed = self.method == "listed"
        head = [
            "model",
            self.outputs if listed else "inputs",
            "only this model",
            "share",
            "such as",
        ]
        how = "all of them listed" if listed else "at random inputs, each answer proved"
        return notebook.card(
            f"What two models can say: {self.outputs}, {how}", (), notebook.table(head, rows)
        )

    def _example(self, i: int) -> str:
        names = [example.names for example in self.examples[i][:1]]
        return notebook.text(_written(self.outputs, *names), 60) if names else ""

    def summary(self) -> str:
        """Three lines: what was compared and how, and what only each of the models has."""
        listed = self.method == "listed"
        how = "all of them listed" if listed else "at random inputs, each answer proved"
        lines = [f"{self.outputs}, {how}"]
        for i in range(2):
            number, only, share = self.numbers[i], self.only[i], f"{self.shares[i]:.1%}"
            if self.intervals is not None:
                low, high = self.intervals[i]
                share += f", 95% interval {low:.1%} to {high:.1%}"
            if listed:
                line = f"model {i + 1} has {number}, of which the other lacks {only} ({share})"
            else:
                line = (
                    f"model {i + 1} was asked at {number} inputs: the other lacks what it says at "
                    f"{only} of them ({share})"
                )
            if self.examples[i]:
                line += f", such as {_written(self.outputs, self.examples[i][0].names)}"
            lines.append(line)
        return "\n".join(lines)


def _written(outputs: str, names: tuple[str, ...]) -> str:
    """An output in a line, cut if it is long."""
    text = (" > " if outputs == "rankings" else ", ").join(names)
    text = text if len(text) <= 60 else f"{text[:57]}.."
    return text if outputs == "rankings" else f"{{{text}}}"


@overload
def compare(
    model1: Any,
    model2: Any,
    outputs: Outputs | None = None,
    *,
    k: int = 1,
    inputs: int | ArrayLike | tuple[ArrayLike, ArrayLike] = 1000,
    rng: int | np.random.Generator | None = None,
    most_listed: int = 1_000_000,
    examples: int = 5,
    workers: int = 1,
    progress: bool = False,
) -> ModelComparison: ...
@overload
def compare(
    model1: Any,
    model2: Any,
    outputs: Iterable[Outputs],
    *,
    k: int = 1,
    inputs: int | ArrayLike | tuple[ArrayLike, ArrayLike] = 1000,
    rng: int | np.random.Generator | None = None,
    most_listed: int = 1_000_000,
    examples: int = 5,
    workers: int = 1,
    progress: bool = False,
) -> dict[str, ModelComparison]: ...
def compare(
    model1: Any,
    model2: Any,
    outputs: Outputs | Iterable[Outputs] | None = None,
    *,
    k: int = 1,
    inputs: int | ArrayLike | tuple[ArrayLike, ArrayLike] = 1000,
    rng: int | np.random.Generator | None = None,
    most_listed: int = 1_000_000,
    examples: int = 5,
    workers: int = 1,
    progress: bool = False,
) -> ModelComparison | dict[str, ModelComparison]:
    """Label sets, rankings or top labels that only one of two models has, with proofs.

    Parameters
    ----------
    model1, model2 : SigmoidClassifier, SoftmaxClassifier, Arrangement, or (n, d) array_like
        The same labels, in inputs of any dimensions. If both have names, these tell which rows
        belong together.
    outputs : {"label sets", "rankings", "top labels"}, or several of these, optional
        Label sets are the sign vectors of the scores. Default "label sets" for sigmoid and
        "rankings" for softmax classifiers.
    k : int
        Of "top labels": the sets of k labels that can be the best ones.
    inputs : int, (m, d) array_like, or a pair of arrays
        If there are too many outputs to list, the number of random inputs of each model. They are
        normal with independent coordinates; with offsets, of random lengths at which these and the
        weights matter. An array, such as the inputs of a test set: compare what the models say
        there, and not all that they can say. A pair has inputs of each model, if they differ.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random inputs; default fresh entropy.
    most_listed : int
        List all outputs if each model is known to have at most this many.
    examples : int
        Most examples for each model.
    workers, progress
        As in `chambers`.

    Returns
    -------
    ModelComparison, or dict of str to ModelComparison
        One for each of several outputs.

    Raises
    ------
    InputError
        If the labels differ, or `outputs` is needed and missing.
    TiedLabelsError
        If two labels of a model always tie, except for label sets.
    DegenerateArrangementError
        If a row and its offset are zero, for label sets.

    See Also
    --------
    same_softmax : whether the probabilities are the same everywhere.

    Notes
    -----
    Exact. If there are too many outputs to list, each model is asked at inputs, and for what it
    says there the other model has a point or Farkas weights: a difference that is counted is
    proved, but that none was found proves nothing. Inputs where rounding leaves open what a model
    says are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from arrangements import demo
    >>> from arrangements.models import SoftmaxClassifier
    >>> digits = demo.digits()
    >>> coarse = np.round(4 * digits.weights) / 4, np.round(4 * digits.biases) / 4
    >>> trained = SoftmaxClassifier(digits.weights, digits.biases, digits.labels)
    >>> found = compare(trained, SoftmaxClassifier(*coarse, digits.labels))
    >>> found.numbers, found.only, found.verify()
    ((10366, 10237), (2163, 2034), True)
    >>> both = compare(digits.weights, coarse[0], ["label sets", "top labels"])
    >>> both["label sets"].only, both["top labels"].same
    ((8, 8), True)
    """
    first, second = _aligned(rows_of_model(model1, "model1"), rows_of_model(model2, "model2"))
    kinds = _asked_kinds(outputs, model1, model2)
    k = check_integer("k", k, 1, len(first.weights), of="the number of labels")
    if k > 1 and "top labels" not in kinds:
        raise InputError(f"k is {k}, but it is about top labels; expected outputs='top labels'.")
    most_listed = check_integer("most_listed", most_listed, 0)
    most, workers = check_integer("examples", examples, 0), check_integer("workers", workers, 1)
    progress, generator = check_flag("progress", progress), random_generator(rng)
    number = _number_of_inputs(inputs)

    def compared(kind: str) -> ModelComparison:
        ours, theirs = (_of_kind(kind, rows, k, i) for i, rows in enumerate((first, second), 1))
        if number is None:
            points = _given_inputs(inputs, (ours, theirs))
        elif max(ours.most(), theirs.most()) <= most_listed:
            return _listed(kind, ours, theirs, most, workers, progress)
        else:
            points = [model.random_inputs(number, generator) for model in (ours, theirs)]
        return _sampled(kind, ours, theirs, points, most, progress)

    found = {kind: compared(kind) for kind in kinds}
    return found if _are_several(outputs) else found[kinds[0]]


def _aligned(first: Rows, second: Rows) -> tuple[Rows, Rows]:
    """Both with the labels of the first, in its order."""
    n = len(first.weights)
    if n != len(second.weights):
        raise InputError(
            f"model1 has {n} labels and model2 has {len(second.weights)}; expected the same."
        )
    if first.labels is None or second.labels is None:
        labels = second.labels if first.labels is None else first.labels
        return first._replace(labels=labels), second._replace(labels=labels)
    places = {str(label): i for i, label in enumerate(second.labels)}
    alien = next((label for label in first.labels if str(label) not in places), None)
    if alien is not None:
        raise InputError(f"model2 has no label {quote(alien)}; expected the labels of model1.")
    order = [places[str(label)] for label in first.labels]
    offsets = None if second.offsets is None else second.offsets[order]
    return first, Rows(second.weights[order], offsets, first.labels, second.columns)


def _are_several(outputs: Any) -> bool:
    return isinstance(outputs, Iterable) and not isinstance(outputs, str)


def _asked_kinds(outputs: Any, model1: Any, model2: Any) -> list[str]:
    if _are_several(outputs):
        kinds = as_list("outputs", outputs)
        for kind in kinds:
            check_option("outputs", kind, tuple(_KINDS))
        if not kinds:
            raise InputError("outputs is empty; expected 'label sets', 'rankings' or 'top labels'.")
        return list(dict.fromkeys(kinds))
    if outputs is not None:
        check_option("outputs", outputs, tuple(_KINDS))
        return [outputs]
    own = {own_outputs(model) for model in (model1, model2)} - {None}
    if len(own) != 1:
        given = "are of different kinds" if own else "are no classifiers"
        raise InputError(
            f"the models {given}: expected outputs='label sets', 'rankings' or 'top labels'."
        )
    return [str(own.pop())]


class _Kind(ABC):
    """One kind of output of one model; outputs are rows of integers."""

    def __init__(self, rows: Rows, k: int) -> None:
        self.rows, self.k = rows, k
        self.all_names = rows.names

    @abstractmethod
    def most(self) -> int:
        """Upper bound for the number of outputs."""

    @abstractmethod
    def listed(self, workers: int, progress: bool) -> Any:
        """All outputs: a set that has a length, a difference, and iterates over rows."""

    @abstractmethod
    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        """Rows, and the signs that they have exactly where the model gives the output."""

    @abstractmethod
    def names(self, output: NDArray[Any]) -> tuple[str, ...]: ...

    @abstractmethod
    def read(
        self, scores: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Outputs of many inputs by their scores, and which of them the error bounds prove."""

    def at(self, points: ExactArray) -> tuple[NDArray[Any], ExactArray]:
        """Outputs at points, and those points; undecided ones are left out."""
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
            return feasible(arrangement, signs)
        return Certificate(arrangement, tuple(signs.tolist()), True, point=tuple(point.tolist()))

    def random_inputs(self, m: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Normal inputs; with offsets, of random lengths near those where these matter."""
        points = rng.standard_normal((m, self.rows.weights.shape[1]))
        if self.rows.offsets is None:
            return points
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            W, b = nearest_floats(self.rows.weights), nearest_floats(self.rows.offsets)
            scale = np.abs(b).max() / np.abs(W).max()
        scale = scale if np.isfinite(scale) and scale > 0 else 1.0
        return points * scale * 2.0 ** rng.uniform(-3, 3, (m, 1))


class _LabelSets(_Kind):
    """Sets of labels with positive scores, as signs."""

    def __init__(self, rows: Rows, k: int) -> None:
        super().__init__(rows, k)
        self.arrangement = Arrangement(rows.weights, rows.offsets, rows.labels)

    def most(self) -> int:
        return most_chambers(self.arrangement)

    def listed(self, workers: int, progress: bool) -> Any:
        return chambers(self.arrangement, workers=workers, progress=progress)

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        return self.arrangement, output

    def names(self, output: NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.all_names[i] for i in np.flatnonzero(output > 0))

    def read(
        self, scores: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        return np.where(scores > 0, 1, -1), _every(np.abs(scores) > bounds[:, None])


class _Ranked(_Kind):
    """What rankings and tops share: labels that never tie."""

    def __init__(self, rows: Rows, k: int) -> None:
        super().__init__(rows, k)
        self.model = as_score_model(rows.weights, rows.offsets, rows.labels, droppable=False)

    def comparisons(
        self, above: NDArray[Any], below: NDArray[Any]
    ) -> tuple[Arrangement, NDArray[Any]]:
        """Differences of scores, and that all of them are positive."""
        return of_pairs(self.model, above, below), np.ones(len(above), np.int8)

    def names(self, output: NDArray[Any]) -> tuple[str, ...]:
        return tuple(self.all_names[i] for i in output.tolist())


class _Rankings(_Ranked):
    """Orders of all labels."""

    def most(self) -> int:
        return most_rankings(self.model)

    def listed(self, workers: int, progress: bool) -> Any:
        rows = self.rows
        return rankings(
            rows.weights, rows.offsets, labels=rows.labels, workers=workers, progress=progress
        )

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        order = output.astype(np.intp)
        return self.comparisons(order[:-1], order[1:])

    def read(
        self, scores: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        orders = np.argsort(-scores, axis=1, kind="stable")
        gaps = -np.diff(np.take_along_axis(scores, orders, axis=1), axis=1)
        return orders, _every(gaps > 2 * bounds[:, None])


class _Tops(_Ranked):
    """Sets of the k best labels, ascending."""

    def most(self) -> int:
        # of single labels, each is asked about; there are never too many of them
        return 1 if self.k == 1 else comb(len(self.rows.weights), self.k)

    def listed(self, workers: int, progress: bool) -> Any:
        W, b = self.rows.weights, self.rows.offsets
        if self.k == 1:
            tops = argmax_labels(W, b, workers=workers, progress=progress)[:, None]
        else:
            tops = top_k_sets(W, self.k, offsets=b, workers=workers, progress=progress)
        return _RowSet(map(tuple, tops.tolist()))

    def question(self, output: NDArray[Any]) -> tuple[Arrangement, NDArray[Any]]:
        rest = np.setdiff1d(np.arange(len(self.rows.weights)), output)
        return self.comparisons(np.repeat(output, len(rest)), np.tile(rest, len(output)))

    def read(
        self, scores: NDArray[np.float64], bounds: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        orders = np.argsort(-scores, axis=1, kind="stable")
        tops = np.sort(orders[:, : self.k], axis=1)
        if self.k == scores.shape[1]:
            return tops, np.ones(len(tops), np.bool_)
        edge = np.take_along_axis(scores, orders[:, self.k - 1 : self.k + 1], axis=1)
        return tops, edge[:, 0] - edge[:, 1] > 2 * bounds


def _every(holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray(holds.all(axis=1))


class _RowSet(frozenset[tuple[int, ...]]):
    """A set of rows."""

    def __sub__(self, other: Any) -> _RowSet:
        return _RowSet(frozenset(self) - frozenset(other))


_KINDS: dict[str, type[_Kind]] = {
    "label sets": _LabelSets,
    "rankings": _Rankings,
    "top labels": _Tops,
}


def _of_kind(kind: str, rows: Rows, k: int, number: int) -> _Kind:
    """The outputs of this kind of a model, which an error names."""
    try:
        return _KINDS[kind](rows, k)
    except TiedLabelsError as error:
        raise TiedLabelsError(f"model{number}:", *error.args) from error


def _listed(
    kind: str, first: _Kind, second: _Kind, most: int, workers: int, progress: bool
) -> ModelComparison:
    found1, found2 = first.listed(workers, progress), second.listed(workers, progress)
    alone1, alone2 = found1 - found2, found2 - found1
    examples = _differences(first, second, alone1, most), _differences(second, first, alone2, most)
    numbers, only = (len(found1), len(found2)), (len(alone1), len(alone2))
    return ModelComparison(kind, "listed", numbers, only, None, examples)


def _differences(ours: _Kind, theirs: _Kind, alone: Any, most: int) -> tuple[ModelDifference, ...]:
    """Some of the outputs that only one model has, with proofs."""
    rows = map(np.asarray, sorted(alone) if isinstance(alone, _RowSet) else alone)
    return tuple(
        ModelDifference(ours.names(row), ours.certificate(row), theirs.certificate(row))
        for row in islice(rows, most)
    )


def _sampled(
    kind: str, first: _Kind, second: _Kind, points: list[ExactArray], most: int, progress: bool
) -> ModelComparison:
    total1, only1, examples1 = _one_way(first, second, points[0], most, progress)
    total2, only2, examples2 = _one_way(second, first, points[1], most, progress)
    return ModelComparison(
        kind,
        "sampled",
        (total1, total2),
        (only1, only2),
        (_interval(only1, total1), _interval(only2, total2)),
        (examples1, examples2),
    )


def _one_way(
    ours: _Kind, theirs: _Kind, points: ExactArray, most: int, progress: bool
) -> tuple[int, int, tuple[ModelDifference, ...]]:
    """Inputs asked at, those whose output the other model lacks, and examples."""
    outputs, used = ours.at(points)
    distinct, places, counts = np.unique(outputs, axis=0, return_index=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")  # the most frequent are the first examples
    only, examples = 0, list[ModelDifference]()
    for j in with_progress(iter(order.tolist()), progress, len(order), lambda _: 1, "outputs"):
        lacks = theirs.certificate(distinct[j])
        if lacks:
            continue
        only += int(counts[j])
        if len(examples) < most:
            has = ours.certificate(distinct[j], used[places[j]])
            examples.append(ModelDifference(ours.names(distinct[j]), has, lacks))
    return len(used), only, tuple(examples)


def _interval(found: int, total: int) -> tuple[float, float]:
    """Wilson's confidence interval of a share."""
    if not total:
        return 0.0, 1.0
    share, z2 = found / total, _Z**2
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def _number_of_inputs(inputs: Any) -> int | None:
    """How many random inputs are asked for; None if the inputs are given."""
    return check_integer("inputs", inputs, 1) if isinstance(inputs, Integral) else None


def _given_inputs(inputs: Any, models: tuple[_Kind, _Kind]) -> list[ExactArray]:
    pair = inputs if isinstance(inputs, tuple) and len(inputs) == 2 else (inputs, inputs)
    names = [model.rows.columns for model in models]
    if pair[0] is pair[1]:  # the coordinates of both models are the same
        names = [names[0] or names[1], names[1] or names[0]]
    found = []
    for model, given, columns in zip(models, pair, names, strict=True):
        given = align_columns(given, columns, "inputs", "columns of a model")
        points = coercion.as_exact_matrix(given, "inputs")
        d = model.rows.weights.shape[1]
        if points.shape[1] != d:
            raise InputError(
                f"inputs have {points.shape[1]} coordinates, and a model has dimension {d}; "
                "expected the same, or a pair of inputs of each model."
            )
        found.append(points)
    return found
