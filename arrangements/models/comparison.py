"""What one model can say and another cannot: by listing, else by proved sampling."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import sqrt
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.certificates.certificate import Certificate
from arrangements.checks import check_flag, check_integer, check_option, random_generator
from arrangements.core.labels import align_columns
from arrangements.core.rows import Rows, read_rows
from arrangements.errors import InputError
from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.messages import quote
from arrangements.models.model_outputs import OUTPUTS, OutputKind, RowSet, outputs_of
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron


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
    within : Polyhedron or None
        The inputs that count.

    Examples
    --------
    >>> from arrangements import compare
    >>> found = compare([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, -1]], "label sets")
    >>> print(found.summary())
    label sets, all of them listed
    model 1 has 6 outputs; model 2 lacks 2 of them (33.3%), such as {0}
    model 2 has 6 outputs; model 1 lacks 2 of them (33.3%), such as {0, 1}
    >>> found.examples[0][0].verify()
    True
    """

    outputs: str
    method: str
    numbers: tuple[int, int]
    only: tuple[int, int]
    intervals: tuple[tuple[float, float], tuple[float, float]] | None
    examples: tuple[tuple[ModelDifference, ...], tuple[ModelDifference, ...]]
    within: Polyhedron | None = None

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
        first, *lines = self._lines()
        table = notebook.table([first], [[notebook.text(line, 300)] for line in lines])
        return notebook.card("What two models can say", (), table)

    def summary(self) -> str:
        """Three lines: what was compared and how, and what only each of the models has."""
        return "\n".join(self._lines())

    def _lines(self) -> list[str]:
        listed = self.method == "listed"
        how = "all of them listed" if listed else "at random inputs, each answer proved"
        where = "" if self.within is None else f", in the interior of {self.within}"
        lines = [f"{self.outputs}, {how}{where}"]
        for i in range(2):
            number, only, share = self.numbers[i], self.only[i], f"{self.shares[i]:.1%}"
            if self.intervals is not None:
                low, high = self.intervals[i]
                share += f", 95% interval {low:.1%} to {high:.1%}"
            model, other = f"model {i + 1}", f"model {2 - i}"
            if listed:
                line = f"{model} has {number} outputs; {other} lacks {only} of them ({share})"
            else:
                line = f"of {number} inputs, {only} ({share}) give {model} an output that "
                line += f"{other} lacks"
            if self.examples[i]:
                line += f", such as {_format_output(self.outputs, self.examples[i][0].names)}"
            lines.append(line)
        return lines


def _format_output(outputs: str, names: tuple[str, ...]) -> str:
    """An output in a line, cut if it is long."""
    text = (" > " if outputs == "rankings" else ", ").join(names)
    text = text if len(text) <= 60 else f"{text[:57]}.."
    return text if outputs == "rankings" else f"{{{text}}}"


Outputs = Literal["label sets", "rankings", "top labels"]

# Two standard deviations of a share, for intervals of 95%.
_Z = 1.96


def compare(
    model1: Any,
    model2: Any,
    outputs: Outputs | None = None,
    *,
    k: int = 1,
    inputs: int | ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
    within: Within | None = None,
    rng: int | np.random.Generator | None = None,
    most_listed: int = 1_000_000,
    examples: int = 5,
    workers: int = 1,
    progress: bool = False,
) -> ModelComparison:
    """Label sets, rankings or top labels that only one of two models has, with proofs.

    Parameters
    ----------
    model1, model2 : SigmoidClassifier, SoftmaxClassifier, Arrangement, or (n, d) array_like
        The same labels, in inputs of any dimensions. If both have names, these tell which rows
        belong together.
    outputs : {"label sets", "rankings", "top labels"}, optional
        What is compared. Label sets are the sign vectors of the scores. Default "label sets" for
        sigmoid and "rankings" for softmax classifiers.
    k : int
        Of "top labels": the sets of k labels that can be the best ones.
    inputs : int, (m, d) array_like, or a pair of arrays
        If there are too many outputs to list, the number of random inputs of each model, default
        1000. They are
        normal with independent coordinates; with offsets, of random lengths at which these and the
        weights matter. An array, such as the inputs of a test set: compare what the models say
        there, and not all that they can say. A pair has inputs of each model, if they differ.
    within : Polyhedron, or (A, c), optional
        Only inputs in the relative interior of this polyhedron, or of ``A @ x <= c``, exactly;
        others are left out. Random ones are points of random walks in it. Both models have inputs
        of its dimension.
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
    ModelComparison

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
    >>> kinds = "label sets", "top labels"
    >>> [compare(digits.weights, coarse[0], kind).only for kind in kinds]
    [(8, 8), (0, 0)]
    """
    models = (
        read_rows(model, name=f"model{i}", allow_no_rows=False)
        for i, model in enumerate((model1, model2), 1)
    )
    first, second = _align_labels(*models)
    kind = _read_kind(outputs, model1, model2)
    k = check_integer("k", k, 1, len(first.weights), of="the number of labels")
    if k > 1 and kind != "top labels":
        raise InputError(f"k is {k}, but it is about top labels; expected outputs='top labels'.")
    most_listed = check_integer("most_listed", most_listed, 0)
    most, workers = check_integer("examples", examples, 0), check_integer("workers", workers, 1)
    progress, generator = check_flag("progress", progress), random_generator(rng)
    inputs = 1000 if inputs is None else inputs
    number = check_integer("inputs", inputs, 1) if isinstance(inputs, Integral) else None
    P = None
    if within is not None:
        P, _ = (
            read_polyhedron(within, ScoreRows(rows.weights), rows.columns)
            for rows in (first, second)
        )
    ours, theirs = (outputs_of(kind, rows, k, P, i) for i, rows in enumerate((first, second), 1))
    if number is None:
        points = _read_inputs(inputs, (ours, theirs))
        if P is not None and not any(P.contains(part, interior=True).any() for part in points):
            raise InputError(
                f"no input lies in the relative interior of within, {P}. Rounded numbers seldom "
                "satisfy an equation: pass Fractions, or the inputs without within."
            )
    elif max(ours.most(), theirs.most()) <= most_listed:
        return _compare_lists(kind, ours, theirs, most, workers, progress)
    else:
        points = [model.random_inputs(number, generator) for model in (ours, theirs)]
    return _compare_samples(kind, ours, theirs, points, most, workers, progress)


def _align_labels(first: Rows, second: Rows) -> tuple[Rows, Rows]:
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


def _read_kind(outputs: Any, model1: Any, model2: Any) -> str:
    if outputs is not None:
        check_option("outputs", outputs, tuple(OUTPUTS))
        return str(outputs)
    # classifiers stand on a floor above: their class says what they put out
    own = {getattr(type(model), "outputs", None) for model in (model1, model2)} - {None}
    if len(own) != 1:
        problem = "are of different kinds" if own else "are no classifiers"
        raise InputError(
            f"the models {problem}: expected outputs='label sets', 'rankings' or 'top labels'."
        )
    return str(own.pop())


def _compare_lists(
    kind: str, first: OutputKind, second: OutputKind, most: int, workers: int, progress: bool
) -> ModelComparison:
    found1, found2 = first.list_all(workers, progress), second.list_all(workers, progress)
    alone1, alone2 = found1 - found2, found2 - found1
    examples = _differences(first, second, alone1, most), _differences(second, first, alone2, most)
    numbers, only = (len(found1), len(found2)), (len(alone1), len(alone2))
    return ModelComparison(kind, "listed", numbers, only, None, examples, first.within)


def _differences(
    ours: OutputKind, theirs: OutputKind, alone: Any, most: int
) -> tuple[ModelDifference, ...]:
    """Some of the outputs that only one model has, with proofs."""
    rows = map(np.asarray, sorted(alone) if isinstance(alone, RowSet) else alone)
    return tuple(
        ModelDifference(ours.names(row), ours.certificate(row), theirs.certificate(row))
        for row in islice(rows, most)
    )


def _compare_samples(
    kind: str,
    first: OutputKind,
    second: OutputKind,
    points: list[ExactArray],
    *effort: Any,
) -> ModelComparison:
    total1, only1, examples1 = _sample_outputs(first, second, points[0], *effort)
    total2, only2, examples2 = _sample_outputs(second, first, points[1], *effort)
    return ModelComparison(
        kind,
        "sampled",
        (total1, total2),
        (only1, only2),
        (_interval(only1, total1), _interval(only2, total2)),
        (examples1, examples2),
        first.within,
    )


def _sample_outputs(
    ours: OutputKind,
    theirs: OutputKind,
    points: ExactArray,
    most: int,
    workers: int,
    progress: bool,
) -> tuple[int, int, tuple[ModelDifference, ...]]:
    """Inputs asked at, those whose output the other model lacks, and examples."""
    outputs, used = ours.at(points)
    distinct, places, counts = np.unique(outputs, axis=0, return_index=True, return_counts=True)
    # the most frequent are the first examples
    order = np.argsort(-counts, kind="stable").tolist()
    proofs = in_order(theirs.certificate, distinct[order], workers)
    proofs = with_progress(proofs, progress, len(order), lambda _: 1, "outputs")
    only, examples = 0, list[ModelDifference]()
    for j, lacks in zip(order, proofs, strict=True):
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


def _read_inputs(inputs: Any, models: tuple[OutputKind, OutputKind]) -> list[ExactArray]:
    pair = inputs if isinstance(inputs, tuple) and len(inputs) == 2 else (inputs, inputs)
    names = [model.rows.columns for model in models]
    if pair[0] is pair[1]:  # the coordinates of both models are the same
        names = [names[0] or names[1], names[1] or names[0]]
    found = []
    for model, values, columns in zip(models, pair, names, strict=True):
        values = align_columns(values, columns, "inputs", "columns of a model")
        points = coercion.as_exact_matrix(values, "inputs")
        d = model.rows.weights.shape[1]
        if points.shape[1] != d:
            raise InputError(
                f"inputs have {points.shape[1]} coordinates, and a model has dimension {d}; "
                "expected the same, or a pair of inputs of each model."
            )
        found.append(points)
    return found
