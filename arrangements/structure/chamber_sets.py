"""The chambers that a question of structure is about, and the table of their neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.low_rank import check_rank
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.enumeration.chambers import count_chambers, request_chambers
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.exact import linear
from arrangements.execution import limits
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.kernels.structure import adjacency as kernel
from arrangements.messages import Remedy, short_number
from arrangements.polyhedra.inner_points import classes_inside
from arrangements.polyhedra.reading import Within
from arrangements.sets.packed import (
    Words,
    orient,
    pack_signs,
    unpack_signs,
    used_bits,
    words_for,
)
from arrangements.sets.sign_vectors import SignVectors

ChambersLike = MatroidLike | SignVectors

_MOST_ROWS = 2**32 - 2  # a slot of the table holds 32 bits of an index
# Least memory for each chamber: in the table of neighbors, and as a node of a graph with its
# attributes and edges.
TABLE_BYTES, NODE_BYTES = 20, 2500
_SMALLER = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")
WITHIN_A_SET = (
    "within was given with SignVectors, which are already listed; list them with within, or pass "
    "the arrangement."
)
_SMALLER_GRAPH = Remedy(
    "fewer rows", "Leave out rows, ask about a part of them, or raise max_bytes."
)


def arrangement_or_set(
    W: ChambersLike, offsets: ArrayLike | None, rank: int | None
) -> Arrangement | SignVectors:
    """The sign vectors given, or the arrangement."""
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        return _topes(matroid)
    if not isinstance(W, SignVectors):
        return as_arrangement(W, offsets, rank)
    if offsets is not None or check_rank(rank) is not None:
        what = "rank was" if offsets is None else "offsets were"
        raise InputError(f"{what} given with SignVectors, which know their arrangement.")
    return W


def _topes(matroid: Any) -> SignVectors:
    """Topes of an oriented matroid; if it has a matrix, of columns that make it essential."""
    S: SignVectors = matroid.topes()
    if S.arrangement is None or S.arrangement.is_essential:
        return S
    A = S.arrangement
    columns = linear.column_basis([row[:-1] for row in A.integer_rows])
    essential = Arrangement(A.normals[:, columns], labels=A.labels)
    return SignVectors(S.packed, S.n, half=S.half, arrangement=essential)


def bytes_allowed(max_bytes: int | None) -> int:
    """Bytes that an answer may take."""
    if max_bytes is None:
        return limits.available_bytes()
    return check_integer("max_bytes", max_bytes, 1)


def list_chambers(
    W: ChambersLike,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
) -> SignVectors:
    """The chambers given, or those of an arrangement, or those that meet a polyhedron.

    Raises TooLargeError, before anything is listed, if a table of the chambers would not fit.
    """
    subject = arrangement_or_set(W, offsets, rank)
    return _list(subject, within, TABLE_BYTES, limits.available_bytes(), _SMALLER)


def list_for_graph(
    W: ChambersLike,
    offsets: ArrayLike | None,
    rank: int | None,
    max_bytes: int | None,
    within: Within | None = None,
) -> SignVectors:
    """As `list_chambers`, if a graph with a node for each chamber takes at most `max_bytes`."""
    room = bytes_allowed(max_bytes)
    S = _list(arrangement_or_set(W, offsets, rank), within, NODE_BYTES, room, _SMALLER_GRAPH)
    needed = NODE_BYTES * len(S)
    limits.check_bytes(f"a graph of {len(S)} chambers", needed, _SMALLER_GRAPH, allowed=room)
    return S


def list_all_chambers(
    W: ChambersLike,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    *,
    parts: bool = False,
) -> SignVectors:
    """As `list_chambers`, for questions that need all chambers.

    If `parts`, they are about parts of chambers in a polyhedron: then those of a set that was
    listed in it are all.
    """
    S = list_chambers(W, offsets, rank, within)
    if S is W and S.arrangement is not None:
        number = count_chambers(S.arrangement, within=S.within if parts else None)
        if len(S) != number:
            raise IncompleteError(
                f"{len(S)} of the {number} chambers were given (listed with within or prune, or "
                "made by set algebra); all are needed. Pass the arrangement itself."
            )
    return S


def _list(
    W: Arrangement | SignVectors, within: Within | None, each: int, room: int, smaller: Remedy
) -> SignVectors:
    """Chambers for an answer of `each` bytes for each chamber, which must fit into `room`."""
    if not isinstance(W, SignVectors):
        request = request_chambers(W, within=within)
        each = request.sides * each + request.row_bytes
        rows = request.expected(room // each) or 0
        what = f"an answer about {short_number(rows * request.sides)} chambers"
        limits.check_bytes(what, rows * each, smaller, allowed=room)
        return request.collect()
    if within is not None:
        raise InputError(WITHIN_A_SET)
    if not W.complete:
        raise IncompleteError(
            f"{W!r} was cut short: neighbors would be missing. List without limit."
        )
    return W


def arrangement_of(S: SignVectors, what: str) -> Arrangement:
    """The arrangement of the chambers, which `what` needs."""
    if S.arrangement is None:
        raise InputError(
            f"{what} needs numbers, and these sign vectors belong to no arrangement; "
            "pass the arrangement itself."
        )
    return S.arrangement


def ambient_dimension(S: SignVectors, rank: int = 0) -> int:
    """Dimension of the space; `rank` for sign vectors without an arrangement."""
    return rank if S.arrangement is None else S.arrangement.dimension


@dataclass(frozen=True)
class ChamberTable:
    """Stored chambers of a set, oriented, with what the kernels need to find neighbors.

    Chamber k < m is row k of `words`; if `half`, chamber m + k is its negation. The numbers of
    the set itself are ``numbers[k]``.

    Attributes
    ----------
    chambers : SignVectors
        Those that were listed inside a polyhedron are neighbors by their parts in it.
    """

    chambers: SignVectors

    @cached_property
    def words(self) -> Words:
        """Rows with + on hyperplane 0 if half, else as stored."""
        S = self.chambers
        if len(S.packed) > _MOST_ROWS:
            raise TooLargeError(f"{len(S.packed)} stored chambers; expected at most {_MOST_ROWS}.")
        # always a copy: read-only rows are another type to numba, which would compile all again
        return orient(S.packed, S.n) if S.half else S.packed.copy()

    @cached_property
    def numbers(self) -> NDArray[np.int64] | None:
        """Row of the set for each chamber k; None if it is k for all k."""
        S = self.chambers
        turned = (self.words != S.packed).any(axis=1)
        if not turned.any():
            return None
        m = len(S.packed)
        plus = np.arange(m) + m * turned
        return np.concatenate([plus, (plus + m) % (2 * m)])

    @cached_property
    def everything(self) -> Words:
        """Mask of all hyperplanes."""
        return used_bits(self.chambers.n)

    @cached_property
    def classes(self) -> Words:
        """Masks of the classes of coinciding hyperplanes, whose signs flip together."""
        S, words = self.chambers, self.words
        if S.arrangement is not None:
            groups = S.arrangement.coincident_classes
            if S.within is not None:
                groups = classes_inside(S.arrangement, S.within)
            return np.array([mask(group, S.n) for group in groups], np.uint64).reshape(
                len(groups), words.shape[1]
            )
        masks = np.zeros((S.n + 1, words.shape[1]), np.uint64)
        count = kernel.fill_classes(words, self.everything, S.half, masks)
        if not count:
            return masks[:0]
        leads = (unpack_signs(masks[:count], S.n) > 0).argmax(axis=1)
        return masks[:count][np.argsort(leads)]

    @cached_property
    def members(self) -> list[list[int]]:
        """Hyperplanes of each class, ascending."""
        bits = unpack_signs(self.classes, self.chambers.n) > 0
        return [np.flatnonzero(row).tolist() for row in bits]

    @cached_property
    def flips(self) -> kernel.Flips:
        """For each class the bits to flip, the change of the hash, and the lowest hyperplane."""
        return _flips(self.classes, self.everything, self.chambers.half, self.keys)

    @property
    def leads(self) -> NDArray[np.int64]:
        """Lowest hyperplane of each class."""
        return self.flips.leads

    @cached_property
    def keys(self) -> Words:
        """A random word for each bit."""
        return random_keys(self.chambers.n)

    @cached_property
    def table(self) -> kernel.RowTable:
        """Hashes of the rows, and the slots and marks that lead to them."""
        return _table(self.words, self.keys)


def mask(hyperplanes: NDArray[np.int64] | Sequence[int], n: int) -> Words:
    """The bits of some of n hyperplanes.

    Examples
    --------
    >>> mask([0, 2], 3)
    array([5], dtype=uint64)
    """
    signs = np.full((1, n), -1)
    signs[0, np.asarray(hyperplanes, np.int64)] = 1
    return pack_signs(signs)[0]


def random_keys(n: int) -> Words:
    """One word for each bit of n signs, the same in every call."""
    size = 64 * words_for(n)
    return np.random.default_rng(0).integers(2**64, size=size, dtype=np.uint64)


def scratch(rows: int) -> kernel.RowTable:
    """Memory for the hashes of this many rows, for their slots and for their marks."""
    slots = 1 << (2 * rows - 1).bit_length()
    sizes = rows, slots, max(1, slots // 8)
    return kernel.RowTable(*(np.empty(size, np.uint64) for size in sizes))


def _table(words: Words, keys: Words) -> kernel.RowTable:
    """Hashes of rows, and the slots and marks that lead to them."""
    table = scratch(len(words))
    answering_ctrl_c(partial(kernel.fill_table, words, keys, table), 20.0 * words.size)
    return table


def _flips(masks: Words, everything: Words, half: bool, keys: Words) -> kernel.Flips:
    """For each class the bits to flip, the change of the hash, and the lowest hyperplane."""
    m = len(masks)
    flips = kernel.Flips(np.empty_like(masks), np.empty(m, np.uint64), np.empty(m, np.int64))
    kernel.fill_flips(masks, everything, half, keys, flips)
    return flips


def neighbors_in(words: Words, active: Words) -> tuple[NDArray[np.int64], Words]:
    """All pairs of rows that differ in one class, and the masks of these classes.

    The rows are all chambers of the hyperplanes in `active`.
    """
    masks = np.zeros((int(np.bitwise_count(active).sum()) + 1, len(active)), np.uint64)
    masks = masks[: kernel.fill_classes(words, active, False, masks)]
    keys = random_keys(64 * len(active))
    table = _table(words, keys)
    flips, classes = _flips(masks, active, False, keys), np.full(64 * len(active), -1)
    classes[flips.leads] = np.arange(len(masks))
    edges = np.empty((len(masks) * len(words), 2), np.int64)
    labels = np.empty(len(edges), np.int64)
    found = partial(kernel.fill_edges, words, 0, len(words), flips, False, table, edges, labels)
    count = answering_ctrl_c(found, 20.0 * len(edges))
    return edges[:count], masks[classes[labels[:count]]]
