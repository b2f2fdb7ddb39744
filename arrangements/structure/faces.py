"""Faces of every dimension, from the chambers alone.

The faces on a flat X are the chambers of the restriction to X. Let C be a class of hyperplanes that
cut X in the same hyperplane Y of X. Take the chambers s of X that remain chambers of X when the
signs of C are flipped, and drop the signs of C: these are the chambers of the restriction to Y.
Indeed, a segment between points of the two chambers crosses Y, and at the crossing all other signs
are those of its ends; conversely, points next to a face on Y lie on both sides of Y. So it suffices
to find neighbors in a set of sign vectors (``kernels.structure.adjacency``), and the faces are as
exact as the chambers. Nothing here needs coordinates: for oriented matroids this is the description
of the topes of a contraction (Bjorner et al., Oriented Matroids, 1999, section 4.2).

Of the space, only its convexity is used. So all this also holds in the relative interior of a
polyhedron, for the chambers and faces that meet it.

Two hyperplanes belong to one class on X iff the product of their signs is the same in all chambers
of X (crossing only one of them changes it), and a hyperplane misses X iff its own sign is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.enumeration.inside import HyperplanesInside
from arrangements.errors import InputError
from arrangements.execution import limits
from arrangements.forecast.sizes import expected_faces, most_faces
from arrangements.kernels.structure import adjacency as kernel
from arrangements.messages import Remedy, short_number
from arrangements.polyhedra.inner_points import vanishing_rows
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.sets.packed import Signs, Words, unpack_signs, used_bits
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure import chamber_sets

Integers = NDArray[np.int64]

# Faces of a block unless the caller says otherwise.
BLOCK_FACES = 16384
# Larger blocks (one of each dimension is in memory) would not be faster.
_MOST_BLOCK_FACES = 2**22
STREAM = Remedy(
    "stream faces", "Use iter_faces to stream them, f_vector to count them, or raise max_bytes."
)


@dataclass(frozen=True)
class Faces:
    """Packed faces of one dimension, grouped by flat.

    Attributes
    ----------
    words : (m, w) uint64 ndarray
        Bit i is set iff sign i is +; zero on the flat.
    starts : (f + 1,) int64 ndarray
        The faces on flat k are the rows starts[k]..starts[k+1]-1.
    flats : (f, w) uint64 ndarray
        Masks of the hyperplanes that contain them.
    lasts : (f,) int64 ndarray
        Last hyperplane of the lexicographically first basis of the flat; -1 if that is empty.
    n : int
        Number of hyperplanes.
    half : bool
        One of each pair of opposite faces is stored.
    """

    words: Words
    starts: Integers
    flats: Words
    lasts: Integers
    n: int
    half: bool

    def zero_masks(self, first: int = 0, stop: int | None = None) -> Words:
        """Masks of the zeros of some of the stored faces."""
        rows = np.arange(len(self.words))[first:stop]
        return self.flats[np.searchsorted(self.starts, rows, side="right") - 1]

    def __len__(self) -> int:
        # the sign vector 0 is its own opposite
        origin = len(self.words) == 1 and int(np.bitwise_count(self.flats).sum()) == self.n
        return len(self.words) * (1 + (self.half and not origin))

    def stored(self, first: int = 0, stop: int | None = None) -> Signs:
        """Sign vectors of some of the stored faces, int8."""
        signs = unpack_signs(self.words[first:stop], self.n)
        signs[unpack_signs(self.zero_masks(first, stop), self.n) > 0] = 0
        return signs

    def signs(self) -> Signs:
        """Sign vectors of all faces, int8; opposites in the second half."""
        signs = self.stored()
        return np.concatenate([signs, -signs]) if len(self) > len(self.words) else signs

    def below(self, rows: int = 0) -> Iterator[Faces]:
        """Faces of one dimension less, each once, in blocks of about `rows` stored ones."""
        longest = int(np.diff(self.starts).max(initial=0))
        size = max(rows, longest, 1)
        width = self.flats.shape[1]
        table, masks = chamber_sets.scratch(longest), np.zeros((self.n + 1, width), np.uint64)
        faces = kernel.FaceRows(self.words, self.starts, self.flats, self.lasts)
        place = np.zeros(2, np.int64)
        keys, everything = chamber_sets.random_keys(self.n), used_bits(self.n)
        while place[0] < len(self.flats):
            out = kernel.FaceRows(
                np.empty((size, width), np.uint64),
                np.empty(size + 1, np.int64),
                np.empty((size, width), np.uint64),
                np.empty(size, np.int64),
            )
            count = kernel.fill_faces(faces, everything, self.half, keys, place, table, masks, out)
            if count:
                words, starts, flats, lasts = out
                words, starts = words[: starts[count]], starts[: count + 1]
                yield Faces(words, starts, flats[:count], lasts[:count], self.n, self.half)


def _joined(parts: list[Faces]) -> Faces:
    """Blocks of faces of one dimension, joined into one."""
    if len(parts) == 1:
        return parts[0]
    sizes = np.concatenate([np.diff(part.starts) for part in parts])
    return Faces(
        np.concatenate([part.words for part in parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.flats for part in parts]),
        np.concatenate([part.lasts for part in parts]),
        parts[0].n,
        parts[0].half,
    )


def faces_of(S: SignVectors) -> Faces:
    """The chambers as faces, to start from."""
    words = chamber_sets.ChamberTable(S).words
    width = words.shape[1]
    return Faces(
        words,
        np.array([0, len(words)], np.int64),
        np.zeros((1, width), np.uint64),
        np.array([-1], np.int64),
        S.n,
        S.half,
    )


def descend(
    faces: Faces, depth: int = -1, rows: int = BLOCK_FACES, codimension: int = 0
) -> Iterator[tuple[int, Faces]]:
    """Blocks of faces of every codimension, at most `depth` if that is not negative.

    Depth first: one block of each codimension is in memory.
    """
    yield codimension, faces
    if codimension != depth:
        for part in faces.below(rows):
            yield from descend(part, depth, rows, codimension + 1)


class _Start(NamedTuple):
    """The chambers from which faces are found.

    Attributes
    ----------
    chambers : SignVectors
    rows : (k,) ndarray of int64
        The rows that their signs are about; the others vanish on the polyhedron.
    n : int
        All rows.
    dimension : int or None
        Of the polyhedron, or of the space; None if there is no arrangement.
    """

    chambers: SignVectors
    rows: Integers
    n: int
    dimension: int | None

    def extend(self, signs: Signs) -> Signs:
        """Signs of all rows from those of `rows`."""
        if len(self.rows) == self.n:
            return signs
        found = np.zeros((len(signs), self.n), np.int8)
        found[:, self.rows] = signs
        return found


def first_faces(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None,
    rank: int | None,
    within: Within | None,
) -> _Start:
    """All chambers, or those that meet a polyhedron, of the rows that do not vanish on it."""
    if within is None:
        S = chamber_sets.list_all_chambers(W, offsets, rank, parts=True)
        if S.arrangement is not None and S.within is not None:
            return first_faces(S.arrangement, None, None, S.within)
        dimension = None if S.arrangement is None else S.arrangement.dimension
        return _Start(S, np.arange(S.n), S.n, dimension)
    A = chamber_sets.arrangement_or_set(W, offsets, rank)
    if isinstance(A, SignVectors):
        raise InputError(chamber_sets.WITHIN_A_SET)
    P = read_polyhedron(within, A)
    rows = np.setdiff1d(np.arange(A.n_hyperplanes), vanishing_rows(A, P))
    return _Start(chamber_sets.list_chambers(A[rows], within=P), rows, A.n_hyperplanes, P.dimension)


def expected_faces_within(W: Arrangement, within: Within | None) -> int | None:
    """Estimate of the number of faces; None if nothing is known."""
    if within is None:
        return expected_faces(W)
    chains = HyperplanesInside(W, within).chains
    return None if chains is None else sum(chains.faces())


def check_faces(
    W: Arrangement | SignVectors, room: int, each: int = 1, within: Within | None = None
) -> None:
    """Refuse faces that are not expected to fit, with n signs and at least `each` bytes each."""
    if isinstance(W, SignVectors):
        return
    each = max(each, W.n_hyperplanes)
    if most_faces(W) * each > room and (number := expected_faces_within(W, within)):
        what = f"about {short_number(number)} faces are expected"
        limits.check_bytes(what, number * each, STREAM, allowed=room)


def face_levels(S: SignVectors, room: int) -> list[Faces]:
    """All faces by codimension; refused if they take more than `room` bytes when packed.

    `S` are all topes of an oriented matroid.
    """
    parts: list[list[Faces]] = []
    total = 0
    for codimension, faces in descend(faces_of(S)):
        if codimension == len(parts):
            parts.append([])
        parts[codimension].append(faces)
        total += faces.words.nbytes
        limits.check_bytes("the packed faces found so far", total, STREAM, allowed=room)
    return [_joined(level) for level in parts]


def covectors(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> Signs:
    """Sign vectors of all faces: of every point of the space, hyperplanes included.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        SignVectors must be all chambers of their arrangement, or all that meet the polyhedron
        inside which they were listed. Those without an arrangement may be the topes of an oriented
        matroid.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`; SignVectors have been asked about already.
    within : Polyhedron, or (A, c), optional
        Only the faces that meet the relative interior of this polyhedron, or of ``A @ x <= c``.
    max_bytes : int, optional
        Refuse a result that takes more; default half of the free memory.

    Returns
    -------
    (m, n) ndarray of int8
        Entries -1, 0, 1. Rows are distinct, and faces of small dimension come first; `f_vector`
        counts the faces of each dimension. Hyperplanes that coincide have proportional columns.

    Raises
    ------
    IncompleteError
        If the sign vectors given are not all chambers.
    TooLargeError
        If the result would not fit.

    See Also
    --------
    iter_faces : of one dimension, in blocks.
    f_vector : how many of each dimension.
    OrientedMatroid.covectors : from a chirotope, without a matrix; in lexicographic order.

    Notes
    -----
    Exact. Starting from the chambers, pairs of neighbors among the faces on each flat give the
    faces of one dimension less (see the notes of the module). A face costs at most O(n^2 / 64).

    Examples
    --------
    >>> covectors([[1, 0], [0, 1]])[:3].tolist()
    [[0, 0], [0, 1], [1, 0]]
    >>> len(covectors([[1, 0], [0, 1], [1, 1]], [0, 0, -1]))
    19
    """
    room = chamber_sets.bytes_allowed(max_bytes)
    subject = chamber_sets.arrangement_or_set(W, offsets, rank)
    check_faces(subject, room, within=within)
    start = first_faces(subject, None, None, within)
    found = face_levels(start.chambers, room)
    n, total = start.n, sum(map(len, found))
    limits.check_bytes(f"{total} faces of {n} signs", n * total, STREAM, allowed=room)
    return start.extend(np.concatenate([faces.signs() for faces in reversed(found)]))


def iter_faces(
    W: chamber_sets.ChambersLike,
    dimension: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    block_size: int = BLOCK_FACES,
) -> Iterator[Signs]:
    """Sign vectors of the faces of one dimension, in blocks.

    Parameters
    ----------
    W, offsets, rank, within
        As in `covectors`.
    dimension : int
        From 0 to d; the faces of dimension d are the chambers. There are none below d minus the
        rank. Of an oriented matroid, from 0 to its rank. Inside a polyhedron it is that of their
        parts in it, and d that of the polyhedron.
    block_size : int
        Most faces in a block; but the faces on one flat always stay in one block.

    Yields
    ------
    (m, n) ndarray of int8
        Disjoint blocks of rows.

    Raises
    ------
    InputError
        If there is no such dimension.

    See Also
    --------
    covectors : of all dimensions at once.
    vertices, rays : points of the faces of least dimension.

    Notes
    -----
    Exact. The faces of all larger dimensions are found on the way. The chambers and one block of
    each dimension stay in memory.

    Examples
    --------
    >>> [block.tolist() for block in iter_faces([[1, 0], [0, 1]], 1)]
    [[[0, 1], [1, 0], [0, -1], [-1, 0]]]
    """
    block_size = min(check_integer("block_size", block_size, 1), _MOST_BLOCK_FACES)
    start = first_faces(W, offsets, rank, within)
    if start.dimension == -1:  # the polyhedron is empty
        check_integer("dimension", dimension, 0)
        return iter(())
    top, of = start.dimension, "" if within is None else "the dimension of within"
    if top is None:
        top = _rank(start.chambers)
    codimension = top - check_integer("dimension", dimension, 0, top, of)
    return map(start.extend, _iter_faces(start.chambers, codimension, block_size))


def _rank(S: SignVectors) -> int:
    """Rank of an oriented matroid with these topes: all chains of faces are equally long."""
    *_, (rank, _) = enumerate(_chain(faces_of(S)))
    return rank


def _chain(faces: Faces) -> Iterator[Faces]:
    yield faces
    for part in islice(faces.below(), 1):
        yield from _chain(part)


def _iter_faces(S: SignVectors, codimension: int, block_size: int) -> Iterator[Signs]:
    for reached, faces in descend(faces_of(S), codimension, block_size):
        if reached < codimension:
            continue
        stored = len(faces.words)
        size = max(1, block_size // 2) if len(faces) > stored else block_size
        for first in range(0, stored, size):
            signs = faces.stored(first, first + size)
            yield np.concatenate([signs, -signs]) if len(faces) > stored else signs
