"""What a time is compared with: NumPy evaluating at given points, and copying the answer once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import Rankings, SignVectors
from arrangements.errors import WitnessWarning
from arrangements.sets.packed import words_for
from benchmarks.suites.cases import RANKINGS, Case

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Action = Callable[[], Any]

# Of the points, where they are no witnesses.
SEED = 4
# Rows of a block of the evaluation; the best of them is what counts.
BLOCKS = (256, 1024, 4096, 16384)
# Rows on which the best block is chosen, and at which the points are true witnesses.
_TRIED_ROWS = 20_000
# More rows than this are not evaluated: the time is scaled up, for it grows in proportion.
_MOST_ROWS = 4_000_000
_MOST_BYTES = 2**29


@dataclass(frozen=True)
class Reference:
    """Something to be timed beside a method.

    Attributes
    ----------
    action : callable
        What is timed.
    scale : float
        By how much the work for the whole answer is larger.
    at_witnesses : bool
        It evaluates at a point of every stored pattern, so its answer is the stored one.
    """

    action: Action
    scale: float = 1.0
    at_witnesses: bool = False


def references(
    case: Case, count: int, found: SignVectors | Rankings | None
) -> dict[str, Reference]:
    """References for an answer of `count` patterns, half of which are stored if it is symmetric.

    "evaluation" is NumPy, as one writes it, with a point of every stored pattern given and in
    blocks of the best size; "copy" is one copy of the stored answer. Sign vectors have a "tuned
    evaluation" with buffers that are used again, rankings "one call" without blocks. Offsets are
    one more column of W, and 1 of X.
    """
    stored = max(1, count // case.sides)
    row_bytes = _row_bytes(case)
    points = _witnesses(stored, found)
    at_witnesses = points is not None
    if points is None:
        rows = min(stored, _MOST_ROWS)
        points = np.random.default_rng(SEED).standard_normal((rows, case.d))
    scale = stored / len(points)
    copied = min(stored * row_bytes, _MOST_BYTES)
    answer = np.ones(-(-copied // 8), np.uint64)
    W = np.asarray(case.W, np.float64)
    if case.offsets is not None:
        W = np.column_stack([W, case.offsets])
        points = np.column_stack([points, np.ones(len(points))])
    if case.topic == RANKINGS:
        evaluations: dict[str, Action] = {
            "evaluation": _fastest(numpy_rankings, points, W, [(block,) for block in BLOCKS]),
            "one call": partial(numpy_rankings, points, W, len(points)),
        }
    else:
        tuned = [(block, flat) for block in BLOCKS for flat in (False, True)]
        evaluations = {
            "evaluation": _fastest(plain_numpy, points, W, [(block,) for block in BLOCKS]),
            "tuned evaluation": _fastest(tuned_numpy, points, W, tuned),
        }
    chosen = {name: Reference(action, scale, at_witnesses) for name, action in evaluations.items()}
    return chosen | {"copy": Reference(answer.copy, stored * row_bytes / answer.nbytes)}


def stored_bytes(case: Case, count: int) -> int:
    """Bytes of the packed answer: one of each pair of opposites."""
    return max(1, count // case.sides) * _row_bytes(case)


def _row_bytes(case: Case) -> int:
    if case.topic == RANKINGS:
        return case.n * np.min_scalar_type(case.n - 1).itemsize
    return 8 * words_for(case.n)


def _witnesses(stored: int, found: SignVectors | Rankings | None) -> Floats | None:
    """A point of every stored row of a small answer; None if one has no point in float64."""
    if found is None or stored > _TRIED_ROWS:
        return None
    signs = found.to_sign_vectors() if isinstance(found, Rankings) else found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WitnessWarning)
        points = signs.witnesses()[:stored]
    return None if np.isnan(points).any() else np.ascontiguousarray(points)


def plain_numpy(X: Floats, W: Floats, block: int) -> Words:
    """Sign vectors of the rows of X in packed form, as one writes it in NumPy."""
    packed = np.zeros((len(X), words_for(len(W))), np.uint64)
    octets = packed.view(np.uint8)[:, : -(-len(W) // 8)]
    for start in range(0, len(X), block):
        signs = X[start : start + block] @ W.T > 0
        octets[start : start + block] = np.packbits(signs, axis=1, bitorder="little")
    return packed


def tuned_numpy(X: Floats, W: Floats, block: int, flat: bool) -> Words:
    """The same with reused buffers; `flat` pads W to whole words, for packbits is slow by rows."""
    words = words_for(len(W))
    packed = np.zeros((len(X), words), np.uint64)
    octets = packed.view(np.uint8)
    columns = np.zeros((W.shape[1], 64 * words if flat else len(W)))
    columns[:, : len(W)] = W.T
    values = np.empty((block, columns.shape[1]))
    signs = np.empty(values.shape, np.bool_)
    for start in range(0, len(X), block):
        m = min(block, len(X) - start)
        np.matmul(X[start : start + m], columns, out=values[:m])
        np.greater(values[:m], 0, out=signs[:m])
        bits = np.packbits(signs[:m], axis=None if flat else 1, bitorder="little").reshape(m, -1)
        octets[start : start + m, : bits.shape[1]] = bits
    return packed


def numpy_rankings(X: Floats, W: Floats, block: int) -> NDArray[Any]:
    """Rankings at the rows of X in compact form, as one writes it in NumPy."""
    orders = np.empty((len(X), len(W)), np.min_scalar_type(len(W) - 1))
    columns = -W.T  # argsort is ascending
    for start in range(0, len(X), block):
        orders[start : start + block] = np.argsort(X[start : start + block] @ columns, axis=1)
    return orders


def _fastest(
    evaluate: Callable[..., Any], X: Floats, W: Floats, choices: Iterable[tuple[Any, ...]]
) -> Action:
    """`evaluate` of all points, with the choice that is fastest on some of them."""
    sample = X[:_TRIED_ROWS]
    best = min(choices, key=lambda choice: min(seconds(partial(evaluate, sample, W, *choice), 2)))
    return partial(evaluate, X, W, *best)


def seconds(action: Action, repeats: int) -> list[float]:
    """Times of calls of `action`; what it returns is freed outside."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        kept = action()
        times.append(time.perf_counter() - began)
        del kept
    return times
