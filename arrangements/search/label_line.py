"""Rankings along a line, in integers: for numbers whose sizes differ too much for floats.

The scores of labels on a line (for central labels in a plane, on a line that misses the origin) are
``a_i t + b_i``. Along the line the order changes where scores cross: every group of labels that
meet there is reversed. The sweep compares each crossing with all others, exactly where floats do
not suffice; here crossings are sorted, which takes far fewer exact comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby, islice
from math import frexp

import numpy as np

from arrangements.core.score_model import ScoreModel
from arrangements.exact.numbers import nearest_float, quotient, size_in_bits
from arrangements.sets.orders import Orders, order_dtype

# Floats tell entries of fewer bits apart, except for a few that are close or equal.
_MOST_BITS, _FLOAT_BITS = 128, 53
# Distance of entries between -1 and 1 at which differences of scores are hard to tell apart.
_CLOSE = 2.0**-40
_FEW_CLOSE = 0.125

Pair = tuple[int, int]


def needs_integers(model: ScoreModel) -> bool:
    """Whether the model lies on a line, and floats hardly tell its entries apart.

    Examples
    --------
    >>> sizes = [2.0**k for k in range(-600, 601, 100)]
    >>> needs_integers(ScoreModel([[x] for x in sizes], sizes[::-1]))
    True
    >>> needs_integers(ScoreModel([[0], [1], [2]], [0, 0, 1]))
    False
    """
    if model.rank + (not model.is_central) != 2 or _has_few_bits(model):
        return False
    return any(map(_crowded, zip(*_scores(model), strict=True)))


def _has_few_bits(model: ScoreModel) -> bool:
    """Whether exponents of floats show that integer multiples are short."""
    W = model.weights
    if not model.is_central or W.dtype != np.float64:
        return False
    sizes = [abs(entry) for entry in W.ravel().tolist() if entry]
    return frexp(max(sizes))[1] - frexp(min(sizes))[1] + _FLOAT_BITS < _MOST_BITS


def iter_line(model: ScoreModel, rows: int) -> Iterator[Orders]:
    """Rankings of a model on a line, in blocks; meant for those that `needs_integers`.

    Yields
    ------
    (m, n) ndarray of unsigned integers
        Distinct rankings, the best label first: one of each reversed pair if the model is central.

    Notes
    -----
    Exact. O(n^2 log n) comparisons of fractions.

    Examples
    --------
    >>> [block.tolist() for block in iter_line(ScoreModel([[0], [1], [2]], [0, 0, -1]), 3)]
    [[[0, 1, 2], [1, 0, 2], [1, 2, 0]], [[2, 1, 0]]]
    """
    found = _orders(model)
    while block := list(islice(found, rows)):
        yield np.array(block, order_dtype(model.n_labels))


def _orders(model: ScoreModel) -> Iterator[list[int]]:
    """Rankings from one end of the line to the other."""
    scores = _scores(model)
    order = sorted(range(len(scores)), key=lambda i: (scores[i][0], -scores[i][1]))
    place = np.argsort(order).tolist()
    crossings = []
    for i, j in combinations(range(len(scores)), 2):
        (a, b), (c, d) = scores[i], scores[j]
        if a != c:
            crossings.append((quotient(d - b, a - c), (i, j)))
    crossings.sort()
    yield list(order)
    met = [[pair for _, pair in group] for _, group in groupby(crossings, lambda c: c[0])]
    if model.is_central and 2 * len(crossings) == len(scores) * (len(scores) - 1):
        met.pop()  # the other end is the first one, reversed
    for pairs in met:
        _cross(order, place, pairs)
        yield list(order)


def _cross(order: list[int], place: list[int], pairs: list[Pair]) -> None:
    """Reverse the groups of labels whose scores meet, given all pairs of each group."""
    last: dict[int, int] = {}
    for i, j in pairs:
        first, second = sorted((place[i], place[j]))
        last[first] = max(last.get(first, 0), second)
    done = -1
    for first in sorted(last):
        if first > done:
            done = last[first]
            order[first : done + 1] = order[first : done + 1][::-1]
            for r in range(first, done + 1):
                place[order[r]] = r


def _scores(model: ScoreModel) -> list[tuple[int, int]]:
    """Slope and constant of each label's score."""
    columns = [*model.columns, *([] if model.is_central else [-1])]
    return [(row[columns[0]], row[columns[1]]) for row in model.integer_rows]


def _crowded(column: tuple[int, ...]) -> bool:
    """Whether many entries are hard to tell apart, relative to the size of the largest."""
    size = max(map(size_in_bits, column)) + 1
    if size <= _MOST_BITS:
        return False
    scaled = np.sort([nearest_float(quotient(entry, 1 << size)) for entry in column])
    return int((np.diff(scaled) < _CLOSE).sum()) > _FEW_CLOSE * len(column)
