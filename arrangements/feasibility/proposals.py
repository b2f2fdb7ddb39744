"""Points that may answer questions with yes, for many questions by a few matrix products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.score_rows import Regression

Points = NDArray[np.float32]
Propose = Callable[[Numbers], Points]


def proposals(questions: FeasibilityBatch) -> Iterator[Propose]:
    """Functions that make a point, in float32, for each of some questions.

    The direction of a question is the sum of its rows with their signs, and for labels the listed
    rows minus their mean over all rows. Whitened, it is the point at which a regression would have
    these signs as values; it takes correlations of the columns into account.
    """
    regression = questions.rows.regression(questions.kind != "signs")
    if regression is None or not len(questions):
        return
    found = regression

    def whitened(numbers: Numbers) -> Points:
        return _unit(_sums(questions, numbers, found) @ found.inverse)

    def plain(numbers: Numbers) -> Points:
        return _unit(_sums(questions, numbers, found))

    yield whitened
    yield plain


def _sums(questions: FeasibilityBatch, numbers: Numbers, found: Regression) -> NDArray[np.float64]:
    """Sums of rows with their signs; those of the listed ones count as much as all others."""
    sizes = questions.sizes[numbers]
    W = questions.rows.floats[:, : questions.rows.dimension]
    if questions.kind != "signs" and (sizes == 1).all():
        return W[questions.listed[questions.starts[numbers]]] / found.scale - found.mean
    part = questions.part(numbers)
    owner = np.repeat(np.arange(len(numbers)), sizes)
    others = np.maximum(1, len(W) - sizes)
    default = part.default if questions.kind == "signs" else np.zeros(len(numbers), np.int8)
    weight = np.where(default == 0, 1.0, others / np.maximum(1, sizes))
    factor: NDArray[Any] = part.signs * weight[owner] - default[owner]
    if questions.kind == "orders":  # the first ones more
        place: NDArray[Any] = np.arange(len(part.listed)) - part.starts[owner]
        factor = 1.0 + 0.5 * (sizes[owner] - place)
    shares = csr_array(
        (factor.astype(np.float64), part.listed, part.starts), (len(numbers), len(W))
    )
    sums = shares @ W / found.scale - shares.sum(axis=1)[:, None] * found.mean
    return np.asarray(sums + default[:, None] * found.total)


def _unit(directions: NDArray[np.float64]) -> Points:
    """Directions of norm about 1, rounded to float32."""
    with np.errstate(all="ignore"):  # of rows that are equal but for rounding
        norms = np.linalg.norm(directions, axis=1, keepdims=True)
        return (directions / np.where(norms > 0, norms, 1.0)).astype(np.float32)
