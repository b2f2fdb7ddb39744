"""Flats and their order: the intersections of the hyperplanes, with rank and Mobius function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_integer
from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.labels import Label, names_of
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.enumeration.inside import HyperplanesInside
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import deciding_residues
from arrangements.exact.residues import ATTEMPTS, fields, moduli_above, montgomery
from arrangements.execution import limits
from arrangements.feasibility.cone_system import homogeneous_rows
from arrangements.forecast.sizes import expected_flats, most_flats
from arrangements.kernels.structure import flats as kernel
from arrangements.messages import Remedy, quote, short_number
from arrangements.polyhedra.reading import Within
from arrangements.sets.packed import Words, positions, unpack_signs, used_bits, words_for
from arrangements.structure.chamber_sets import NODE_BYTES, bytes_allowed
from arrangements.structure.flats_inside import Meets, flats_that_meet

if TYPE_CHECKING:
    import networkx as nx

Integers = NDArray[np.int64]

# Covers of a block: this many fit into a cache together with their parents.
_BLOCK_COVERS = 16384
_FEWER = Remedy(
    "flats of small rank", "Ask flats(.., max_rank=k) for those of small rank, or raise max_bytes."
)


@public_class
@dataclass(frozen=True, eq=False)
class Flats(Sequence[tuple[int, ...]]):
    """Flats of an arrangement; flat k is the tuple of the hyperplanes that contain it.

    Attributes
    ----------
    masks : (m, words) ndarray of uint64
        Bit i % 64 of word i // 64 of row k is set iff hyperplane i contains flat k.
    ranks : (m,) ndarray of int64
        Codimensions, ascending.
    n : int
        Number of hyperplanes.
    dimension : int
        Dimension of the space.
    labels : tuple of int or str, or None
        Labels of the hyperplanes; ``==`` ignores them.

    Examples
    --------
    >>> F = flats([[1, 0], [0, 1], [2, 0]])
    >>> list(F), F.ranks.tolist()
    ([(), (0, 2), (1,), (0, 1, 2)], [0, 1, 1, 2])
    >>> F.of_rank(1), F.counts
    ([(0, 2), (1,)], (1, 2, 1))
    >>> flats(Arrangement([[1, 0], [0, 1], [2, 0]], labels="abc")).names(1)
    ('a', 'c')
    """

    masks: Words
    ranks: Integers
    n: int
    dimension: int
    labels: tuple[Label, ...] | None = field(default=None, compare=False)

    @property
    def dimensions(self) -> Integers:
        """Dimension of each flat."""
        return self.dimension - self.ranks

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of flats by rank (Whitney numbers of the second kind)."""
        return tuple(np.bincount(self.ranks).tolist())

    def names(self, k: int) -> tuple[str, ...]:
        """Names of the hyperplanes that contain flat k; without labels, their numbers as text."""
        names = names_of(self.labels, self.n)
        return tuple(names[i] for i in self[k])

    def of_rank(self, rank: int) -> list[tuple[int, ...]]:
        """Flats of one rank."""
        rank = check_integer("rank", rank, 0)
        return [self[k] for k in np.flatnonzero(self.ranks == rank).tolist()]

    def to_array(self) -> NDArray[np.bool_]:
        """Which hyperplanes contain which flat, (m, n) bool."""
        return unpack_signs(self.masks, self.n) > 0

    def __len__(self) -> int:
        return len(self.masks)

    @overload
    def __getitem__(self, index: int) -> tuple[int, ...]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[int, ...]]: ...

    def __getitem__(self, index: int | slice) -> tuple[int, ...] | list[tuple[int, ...]]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        row = check_integer("the number of a flat", index)
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {quote(row)} of {len(self)} flats")
        return tuple(np.flatnonzero(unpack_signs(self.masks[[row]], self.n) > 0).tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Flats):
            return NotImplemented
        same_space = self.n == other.n and self.dimension == other.dimension
        return same_space and np.array_equal(self.masks, other.masks)

    def __hash__(self) -> int:
        return hash((self.n, self.dimension, self.masks.tobytes()))

    def __repr__(self) -> str:
        return f"Flats({len(self)} of {self.n} hyperplanes, by rank {self.counts})"

    def _repr_html_(self) -> str:
        every = names_of(self.labels, self.n)
        rows = (
            [k, self.ranks[k], notebook.listing([every[i] for i in self[k]])]
            for k in range(len(self))
        )
        head = ["", "rank", "hyperplanes through it"]
        return notebook.card(repr(self), (), notebook.table(head, rows, len(self)))


def flats(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    max_rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> Flats:
    """Flats of an arrangement: the nonempty intersections of its hyperplanes.

    A flat is given by all hyperplanes that contain it. The whole space is the flat of rank 0.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A float counts as the exact dyadic number it is.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        Of W, as in `chambers`.
    max_rank : int, optional
        Largest rank (codimension) of the flats to list; default all.
    within : Polyhedron, or (A, c), optional
        Only the flats that meet the relative interior of this polyhedron, or of ``A @ x <= c``.
    max_bytes : int, optional
        Refuse a listing that takes more; default half of the free memory.

    Returns
    -------
    Flats
        A sequence of tuples of hyperplanes, ordered by rank and, within a rank, lexicographically
        by the first basis. Hyperplanes that coincide are in the same flats; rows with zero normal
        are in none.

    Raises
    ------
    InputError, DegenerateArrangementError
        As in `chambers`.
    TooLargeError
        If the listing does not fit.

    See Also
    --------
    intersection_poset : with their order.

    Notes
    -----
    Exact. Each flat is reached once, from the flat spanned by all but the last of its
    lexicographically first basis. The flats that cover one flat are the classes of proportional
    rows modulo its span, found by elimination modulo primes in O(r^2 n) each [1]_. Why the primes
    prove the result: docs/structure.md. Inside a polyhedron, only flats that meet it are followed:
    those of the faces that meet it, or those where a linear program has a point.

    References
    ----------
    .. [1] P. Orlik, H. Terao, Arrangements of Hyperplanes, Springer 1992, section 2.1.

    Examples
    --------
    >>> from arrangements import generators
    >>> flats(generators.braid(4)).counts
    (1, 6, 7, 1)
    >>> flats([[1, 0], [1, 0], [0, 1]], offsets=[0, 1, 0]).of_rank(2)
    [(0, 2), (1, 2)]
    >>> flats([[1, 0], [1, 0], [0, 1]], [0, 1, 0], within=([[-1, 0]], [0])).of_rank(1)
    [(2,)]
    """
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        _refuse_points(within)
        listed: Flats = matroid.flats(max_rank)
        return listed
    arrangement = as_arrangement(W, offsets, rank)
    top = arrangement.rank
    if max_rank is not None:
        top = min(top, check_integer("max_rank", max_rank, 0))
    each = 8 * words_for(arrangement.n_hyperplanes) + 8 * top + 24
    return _search(arrangement, top, False, bytes_allowed(max_bytes), each, within)[0]


def intersection_poset(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> nx.DiGraph[int]:
    """Intersection poset: the flats ordered by reverse inclusion, as a Hasse diagram.

    Parameters
    ----------
    W, offsets, rank, within, max_bytes
        As in `flats`. The flats that meet a polyhedron are an order ideal: with a flat it has all
        flats that contain it, so that the Mobius function has the same values.

    Returns
    -------
    networkx.DiGraph
        Nodes are numbers of flats in the order of ``flats(W, offsets)``, 0 being the whole
        space, with the attributes `hyperplanes` (tuple of those that contain the flat), `rank`,
        `dimension` and `mobius`, the Mobius function between the whole space and the flat; if the
        hyperplanes have labels, also `names` (those of `hyperplanes`). Edges lead from each flat to
        the flats of the next rank that it contains. Central arrangements give a geometric lattice,
        affine ones a geometric semilattice.

    See Also
    --------
    flats : without the order.
    characteristic_polynomial, whitney_numbers : its sums over the flats, without listing.

    Notes
    -----
    Exact. Intervals below a flat X are geometric lattices. If a is an atom below X, then
    ``mobius(X)`` is minus the sum of the values at the flats that X covers and that do not lie
    above a (Weisner's theorem [1]_).

    References
    ----------
    .. [1] R. P. Stanley, Enumerative Combinatorics 1, 2nd ed., Cambridge 2012, section 3.9.

    Examples
    --------
    >>> P = intersection_poset([[1, 0], [0, 1], [1, 1]])
    >>> [P.nodes[k]["mobius"] for k in P]
    [1, -1, -1, -1, 2]
    >>> sorted(P.predecessors(4))
    [1, 2, 3]
    """
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        _refuse_points(within)
        poset: nx.DiGraph[int] = matroid.intersection_poset()
        return poset
    arrangement = as_arrangement(W, offsets, rank)
    room = bytes_allowed(max_bytes)
    found, covers, atoms = flats_and_covers(arrangement, room, NODE_BYTES, within)
    return hasse_diagram(found, covers, mobius_values(found, covers, atoms, arrangement))


def _refuse_points(within: Within | None) -> None:
    if within is not None:
        raise InputError("within was given with an OrientedMatroid, which has no points.")


def hasse_diagram(found: Flats, covers: Integers, values: Integers) -> nx.DiGraph[int]:
    """The graph of `intersection_poset`, of flats with their covers and Möbius numbers.

    Examples
    --------
    >>> F = flats([[1], [1]])
    >>> hasse_diagram(F, np.array([[0, 1]]), np.array([1, -1])).nodes[1]
    {'hyperplanes': (0, 1), 'rank': 1, 'dimension': 0, 'mobius': -1}
    """
    import networkx as nx  # loads slowly

    P: nx.DiGraph[int] = nx.DiGraph()
    names = ("hyperplanes", "rank", "dimension", "mobius")
    columns = (found, found.ranks.tolist(), found.dimensions.tolist(), values.tolist())
    rows = zip(*columns, strict=True)
    P.add_nodes_from((k, dict(zip(names, row, strict=True))) for k, row in enumerate(rows))
    for k, node in P.nodes(data=True) if found.labels else ():
        node["names"] = found.names(k)
    P.add_edges_from(covers.tolist())
    return P


def flats_and_covers(
    arrangement: Arrangement, room: int, each: int = 100, within: Within | None = None
) -> tuple[Flats, Integers, Integers]:
    """All flats, the pairs of numbers of flats that cover each other, and their least hyperplanes.

    The higher rank is second in a pair. Refuses what takes more than `room`, with `each` bytes for
    a flat.

    Examples
    --------
    >>> flats_and_covers(Arrangement([[1, 0], [0, 1]]), 10**6)[1].tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    return _search(arrangement, arrangement.rank, True, room, each, within)


def mobius_values(
    found: Flats, covers: Integers, atoms: Integers, arrangement: Arrangement
) -> NDArray[Any]:
    """Mobius function from the whole space to each flat, by Weisner's theorem.

    covers : (m, 2) int64, numbers of flats, the higher rank second
    atoms : (flats,) int64, the least hyperplane that contains each flat
    """
    n, top = found.n, int(found.ranks.max(initial=0))
    # |mobius| counts bases without broken circuits, so this bounds it
    fits = max(comb(n, k) for k in range(top + 1)) < 2**62
    values = np.zeros(len(found), np.int64 if fits else object)
    values[:1] = 1
    lower, upper = covers.T
    atom = atoms[upper]
    word = np.take_along_axis(found.masks[lower], (atom >> 6)[:, None], axis=1)[:, 0]
    apart = (word >> (atom & 63).astype(np.uint64)) & np.uint64(1) == 0
    for k in range(1, top + 1):
        used = apart & (found.ranks[upper] == k)
        np.subtract.at(values, upper[used], values[lower[used]])
    return values


# ------------------------------------------------------------------ search


def _search(
    arrangement: Arrangement,
    top: int,
    every: bool,
    room: int,
    each: int,
    within: Within | None,
) -> tuple[Flats, Integers, Integers]:
    """As `_attempts`, of the flats that meet a polyhedron; refuses what is not expected to fit."""
    inside = None if within is None else HyperplanesInside(arrangement, within)
    _check_flats(arrangement, top, each, room, inside)
    meets = None if inside is None else flats_that_meet(inside, arrangement, top)
    return _attempts(arrangement, top, every, room, meets)


def _check_flats(
    arrangement: Arrangement,
    top: int,
    each: int,
    room: int,
    inside: HyperplanesInside | None = None,
) -> None:
    """Refuse a listing that is not expected to fit, with this many bytes for each flat."""
    if most_flats(arrangement, top) * each <= room:
        return
    if inside is None:
        number = expected_flats(arrangement, top)
    elif inside.chains is None:
        return
    else:
        number = sum(inside.chains.flats()[: top + 1])
    what = f"about {short_number(number)} flats are expected"
    limits.check_bytes(what, number * each, _FEWER, allowed=room)


def _attempts(
    arrangement: Arrangement, top: int, every: bool, room: int, meets: Meets | None = None
) -> tuple[Flats, Integers, Integers]:
    """Flats up to a rank, the covers between them if `every`, and their least hyperplanes.

    meets : which flats to follow; None: all
    """
    for attempt in range(ATTEMPTS):
        found = _Search(arrangement, attempt, room).run(top, every, meets)
        if found is not None:
            return found
    raise TooLargeError(
        f"{ATTEMPTS} sets of random primes gave a coincidence that is not the arrangement's: there "
        "are too many flats for 31-bit primes."
    )


class _Search:
    """Flats rank by rank, modulo enough primes to prove every dependence."""

    def __init__(self, arrangement: Arrangement, attempt: int, room: int) -> None:
        self.arrangement, self.room = arrangement, room
        rows, affine = homogeneous_rows(arrangement)
        self.shift = int(affine)
        columns = linear.column_basis(rows) if rows else ()
        self.rows = [[row[c] for c in columns] for row in rows]
        field = field_of_rows(self.rows)
        if field is None:
            moduli = moduli_above(linear.minor_bits(self.rows), attempt)
            self.residues = _residues(self.rows, moduli)
        else:
            moduli, found = deciding_residues(self.rows, field, len(columns), attempt)
            self.residues = np.array(
                [montgomery(part, np.uint64(p)) for p, part in zip(moduli, found, strict=True)]
            )
        self.fields = fields(moduli).copy()

    def run(
        self, top: int, every: bool, meets: Meets | None
    ) -> tuple[Flats, Integers, Integers] | None:
        """All flats of rank up to `top`; None if a prime is bad."""
        n, rank = self.arrangement.n_hyperplanes, self.arrangement.rank
        masks: Words = np.zeros((1, words_for(n)), np.uint64)
        bases: Integers = np.zeros((1, 0), np.int64)
        if meets is not None:
            met = meets(masks)
            masks, bases = masks[met], bases[met]
        levels: list[Words] = [masks]
        atoms: list[Integers] = [np.full(len(masks), n, np.int64)]
        covers: list[Integers] = [np.zeros((0, 2), np.int64)]
        start = 0
        for k in range(top if len(masks) else 0):
            if not self.shift and k + 1 == rank:
                # all lines of a central arrangement meet in one flat
                new, pairs = used_bits(n)[None], np.zeros((len(masks), 2), np.int64)
                pairs[:, 0] = np.arange(len(masks))
                bases = np.zeros((1, 1), np.int64)
            else:
                found = self._covers(masks, bases, every)
                if found is None:
                    return None
                reached, parents, added = found
                fresh = added > (bases[parents, -1] if k else -1)
                new, pairs = reached[fresh], np.zeros((0, 2), np.int64)
                if every:
                    pairs = np.column_stack([parents, positions(reached, new)])
                bases = np.column_stack([bases[parents[fresh]], added[fresh]])
            if meets is not None:
                met = meets(new)
                if not met.any():
                    break
                new, bases = new[met], bases[met]
                # -1, also of those that no flat that meets led to first
                places = np.append(np.where(met, np.cumsum(met) - 1, -1), -1)[pairs[:, 1]]
                pairs = np.column_stack([pairs[:, 0], places])[places >= 0]
            covers.append(pairs + np.array([start, start + len(masks)]))
            start, masks = start + len(masks), new
            levels.append(masks)
            atoms.append(bases[:, 0])
        ranks = np.repeat(np.arange(len(levels)), [len(part) for part in levels])
        A = self.arrangement
        flats_found = Flats(np.concatenate(levels), ranks, n, A.dimension, A.labels)
        return flats_found, np.concatenate(covers), np.concatenate(atoms)

    def _covers(
        self, masks: Words, bases: Integers, every: bool
    ) -> tuple[Words, Integers, Integers] | None:
        """Covers of flats of one rank, their parents, and what was added; None: bad prime."""
        height, width = self.residues.shape[1:]
        size = max(_BLOCK_COVERS, 2 * height)
        scratch = kernel.scratch_for(height, width)
        place = np.zeros(1, np.int64)
        parts: list[tuple[Words, Integers, Integers]] = []
        while place[0] < len(masks):
            parents, added = np.empty((2, size), np.int64)
            out = kernel.Covers(np.empty((size, masks.shape[1]), np.uint64), parents, added)
            count = kernel.fill_covers(
                self.residues, self.fields, self.shift, masks, bases, every, place, scratch, out
            )
            if count == kernel.BAD_PRIME:
                return None
            parts.append((out.masks[:count], parents[:count], added[:count]))
            needed = sum(array.nbytes for part in parts for array in part)
            number = sum(len(part[0]) for part in parts)
            what = f"more than {number} flats of one rank"
            limits.check_bytes(what, needed, _FEWER, allowed=self.room)
        reached, parents, added = (np.concatenate(column) for column in zip(*parts, strict=True))
        return reached, parents, added


def _residues(rows: list[list[int]], moduli: Sequence[int]) -> Words:
    """Montgomery residues (times 2**32) of the entries, (m, N, D)."""
    if not rows:
        return np.zeros((len(moduli), 0, 0), np.uint64)
    entries = np.array(rows, dtype=object)
    return np.array([montgomery(entries, p).astype(np.uint64) for p in moduli])
