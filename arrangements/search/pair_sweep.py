"""Rankings as chambers of the hyperplanes where two labels tie: best if many of these coincide.

The ranking sweep (`search.ranking_sweep`) settles each point with ties by itself. Where most points
have ties, as for labels with small integer entries, the chamber sweep is several times as fast: it
has one row for all pairs of labels with the same hyperplane, and finds the ties of a line together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.hyperplane import proportional_rows
from arrangements.core.score_model import ScoreModel, reduced_differences
from arrangements.exact.numbers import integer_rows
from arrangements.execution import limits
from arrangements.kernels.chambers.minors import MOST
from arrangements.kernels.chambers.workspace import ENOUGH
from arrangements.kernels.rankings.from_signs import AT_ONCE, LANES, write_orders
from arrangements.search.chamber_sweep import ChamberSweep, Packed
from arrangements.search.flag import Flag, arrangement_flag
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import WHOLE, Part
from arrangements.search.within_sweep import Inside, WithinSweep
from arrangements.sets.orders import order_dtype

# Memory of an entry of the row of a pair: integers of Python and copies.
_PAIR_BYTES = 128
# Rows of signs that become rankings while they are in a cache of the processor.
_ROWS = 2048
# This sweep is taken if so many of 16 random points have ties: measured, both sweeps take the same
# time if a tenth of all points have.
_POINTS, _WITH_TIES = 16, 2
# There, scores tie if they differ by less than this share of all differences.
_CLOSE = 1e-8


@dataclass(frozen=True, eq=False)
class PairHyperplanes:
    """The different hyperplanes where two labels tie, and what their signs say about places.

    Attributes
    ----------
    n : int
        Labels.
    arrangement : Arrangement
        The hyperplanes, with + where the smaller label of their first pair scores higher. Pairs are
        ordered by the larger label, then the smaller one.
    word : (k,) ndarray of int64
    mask, flip : (k, pad) ndarray of uint64
        As in ``kernels.rankings.from_signs``. If a label ties with several others on one
        hyperplane, there is a row for each of them.
    pairs : (2, k) ndarray of int64
        The larger and the smaller label of the first pair of each hyperplane.
    """

    n: int
    arrangement: Arrangement
    word: NDArray[np.int64]
    mask: Packed
    flip: Packed
    pairs: NDArray[np.int64]


def pair_hyperplanes(model: ScoreModel) -> PairHyperplanes:
    """The hyperplanes of the pairs of at least two labels.

    Examples
    --------
    >>> found = pair_hyperplanes(ScoreModel([[0, 0], [1, 0], [0, 1], [1, 1]]))
    >>> found.arrangement.normals.tolist()
    [[-1, 0], [0, -1], [1, -1], [-1, -1]]

    Raises
    ------
    TooLargeError
        If the differences do not fit into memory.
    """
    n = model.n_labels
    pairs = n * (n - 1) // 2
    needed = pairs * _PAIR_BYTES * (model.rank + 2)
    limits.check_workspace(f"the differences of {pairs} pairs of labels", needed)
    lower, upper = np.tril_indices(n, -1)
    rows = reduced_differences(model, upper, lower)
    first, hyperplane, negative = (_group if rows.dtype == np.int64 else _group_objects)(rows)
    opposite = negative != negative[first][hyperplane]
    # of each label, which bit being 1 says that the other one is above it
    labels, bits = np.concatenate([upper, lower]), np.tile(hyperplane, 2)
    word, mask, flip = _bits_above(n, labels, bits, np.concatenate([opposite, ~opposite]))
    different = rows[first]
    arrangement = Arrangement(different[:, :-1], None if model.is_central else different[:, -1])
    return PairHyperplanes(n, arrangement, word, mask, flip, np.array([upper[first], lower[first]]))


def _group(
    rows: NDArray[np.int64],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """The first row of each class of proportional rows, the class of each row, and signs.

    A row is negative if its first entry other than zero is.
    """
    primitive = rows // np.gcd.reduce(rows, axis=1)[:, None]
    lead = primitive[np.arange(len(rows)), (primitive != 0).argmax(axis=1)]
    negative = lead < 0
    primitive[negative] *= -1
    _, first, group = np.unique(primitive, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[group.reshape(-1)], negative


def _group_objects(
    rows: NDArray[Any],
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    """As `_group`, for integers of any size and for numbers of a field."""
    groups = list(proportional_rows(integer_rows(rows)).values())
    group = np.empty(len(rows), np.intp)
    for k, members in enumerate(groups):
        group[members] = k
    negative = np.array([next(entry for entry in row if entry) < 0 for row in rows.tolist()])
    return np.array([members[0] for members in groups], np.intp), group, negative


def _bits_above(
    n: int, labels: NDArray[np.intp], bits: NDArray[np.int64], is_one: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], Packed, Packed]:
    """`word`, `mask` and `flip`: where bits are 1, or 0 if not `is_one`, another label is above."""
    order = np.lexsort((bits, labels))
    labels, bits, is_one = labels[order], bits[order], is_one[order]
    # the same bit of the same label again: one more row
    again = np.flatnonzero((np.diff(labels) != 0) | (np.diff(bits) != 0)) + 1
    starts = np.concatenate([[0], again])
    repeat = np.arange(len(bits)) - np.repeat(starts, np.diff([*starts, len(bits)]))
    rows, row = np.unique(np.stack([bits // 64, repeat], axis=1), axis=0, return_inverse=True)
    mask = np.zeros((len(rows), -(-n // LANES) * LANES), np.uint64)
    flip = np.zeros_like(mask)
    bit = np.uint64(1) << (bits % 64).astype(np.uint64)
    place = row.reshape(-1), labels
    np.bitwise_or.at(mask, place, bit)
    np.bitwise_or.at(flip, place, np.where(is_one, np.uint64(0), bit))
    return np.ascontiguousarray(rows[:, 0]), mask, flip


class _WritesRankings(ChamberSweep):
    """What a sweep of the hyperplanes of pairs writes in place of sign vectors."""

    def _write(self, hyperplanes: PairHyperplanes) -> None:
        self._hyperplanes = hyperplanes
        words = self.row[0]
        self.row: tuple[int, np.dtype[Any]] = hyperplanes.n, order_dtype(hyperplanes.n)
        self._place = np.empty((AT_ONCE, hyperplanes.mask.shape[1]), np.uint64)
        self._signs = np.empty((max(_ROWS, self.line_rows), words), np.uint64)

    def blocks(self, rows: int, growing: bool = False) -> Iterator[NDArray[Any]]:
        """Blocks of at most `rows` rankings."""
        for block in super().blocks(rows, growing):
            for start in range(0, len(block), rows):
                yield block[start : start + rows]

    def advance(
        self, out: NDArray[Any], count: int, store: bool, budget: int | None = None
    ) -> tuple[bool, bool, int]:
        """One call of the kernel: (finished, `out` may be full, rankings in `out`)."""
        if not store:
            return super().advance(self._signs, count, False, budget)
        signs, state = self._signs[: len(out) - count], self.state
        state[ENOUGH] -= count  # the kernel counts the rows of `signs`
        finished, full, found = super().advance(signs, 0, True, budget)
        state[ENOUGH] += count
        stop = count + found
        write_rankings(self._hyperplanes, signs[:found], self._place, out[count:stop])
        # `signs` may be full while there is room in `out`
        full = full and (len(signs) < len(self._signs) or stop >= state[ENOUGH])
        return finished, full, stop


class PairSweep(_WritesRankings):
    """A sweep over the hyperplanes of pairs that writes rankings.

    Parameters
    ----------
    flag : Flag
        Of ``hyperplanes.arrangement``.
    hyperplanes : PairHyperplanes
    part : Part, optional
    """

    def __init__(self, flag: Flag, hyperplanes: PairHyperplanes, part: Part = WHOLE) -> None:
        super().__init__(flag, part)
        self._write(hyperplanes)


class PairSweepWithin(_WritesRankings, WithinSweep):
    """The same inside a polyhedron.

    Parameters
    ----------
    flag : Flag
        Of ``inside.rows``.
    inside : Inside
        Of the hyperplanes in all columns.
    part : Part, optional
    hyperplanes : PairHyperplanes
    """

    def __init__(
        self, flag: Flag, inside: Inside, part: Part = WHOLE, *, hyperplanes: PairHyperplanes
    ) -> None:
        WithinSweep.__init__(self, flag, inside, part)
        self._write(hyperplanes)


def write_rankings(
    hyperplanes: PairHyperplanes, signs: Packed, place: Packed | None, out: NDArray[Any]
) -> None:
    """Rankings of sign vectors of the hyperplanes; `place` is work space."""
    if place is None:
        place = np.empty((AT_ONCE, hyperplanes.mask.shape[1]), np.uint64)
    write_orders(signs, hyperplanes.word, hyperplanes.mask, hyperplanes.flip, place, out)


def pair_flag(hyperplanes: PairHyperplanes, seed: int) -> Flag:
    """Flag coordinates of the hyperplanes, in rank at least 2."""
    flag = arrangement_flag(hyperplanes.arrangement, seed)
    assert flag is not None
    return flag


def has_small_minors(hyperplanes: PairHyperplanes) -> bool:
    """Whether the sweep finds ties in floats, so that it is fast where they are frequent.

    Numbers such as multiples of 0.1 as floats nearly tie everywhere. Then nearly all signs are
    decided exactly by both sweeps, and that over labels needs fewer.
    """
    return pair_flag(hyperplanes, 0).small_integers(MOST) is not None


def often_tied(flag: LabelFlag) -> bool:
    """Whether more labels tie than need to, or nearly tie, at some of a few random vertices.

    A guess, which costs nothing but time if it is wrong: scores are compared in floats.

    At a vertex of the arrangement d - 1 independent pairs tie, so that n labels have at most
    n - d + 1 different scores, and in general position as many.
    """
    n, pairs = flag.n, flag.d - 1
    rng = np.random.default_rng(n)
    labels = rng.permuted(np.tile(np.arange(n), (_POINTS, 1)), axis=1)
    first, step = labels[:, :pairs], pairs if 2 * pairs <= n else 1
    second = labels[:, step : step + pairs]
    rows = flag.columns.T
    normals, _ = np.linalg.qr((rows[first] - rows[second]).transpose(0, 2, 1), mode="complete")
    scores = np.sort(normals[:, :, -1] @ flag.columns, axis=1)
    gaps = np.diff(scores, axis=1)
    different = 1 + (gaps > _CLOSE * gaps.sum(axis=1, keepdims=True)).sum(axis=1)
    return int((different < n - pairs).sum()) >= _WITH_TIES
