"""The regions of a state, from the engine: which there are, and which of them share a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import names_of
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.enumeration.chambers import count_chambers
from arrangements.enumeration.rankings import count_rankings, rankings
from arrangements.errors import TooLargeError
from arrangements.explorer.state import Model, State, dot
from arrangements.models.tops import top_k_rankings
from arrangements.plot.plane_regions import name_chamber, name_ranking
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.chamber_graphs import chamber_edges

# Beyond these a page is neither seen apart nor quick.
MOST_REGIONS = 4000
# From this dimension on regions of space are listed only of this many rows.
_HIGH = 6
# A count beside a listing takes a second at most, and a listing of tops half a minute.
_COUNT_HOURS, _LIST_HOURS = 1 / 3600, 30 / 3600

Key = tuple[int, ...]
Row = list[int]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Regions:
    """Regions of space, or of a plane through it.

    Attributes
    ----------
    model : Arrangement or ScoreModel
        What has the regions.
    k : int
        The size of tops, or 0.
    array : (regions, entries) ndarray of int
        Signs -1 and +1, or labels, the best first; the labels of a top ascend. In order, + first.
    edges : (edges, 3) ndarray of int
        Two regions that share a wall, and its number in `walls`; the first is on the + side.
    walls : list of list of int
        Integer rows (w, b) of the hyperplanes that carry walls.
    wall_names : list of str
        For each wall the rows that vanish on it, or the labels that tie there.
    within : Polyhedron or None
        In the space of the model: these are the regions that meet its relative interior.
    """

    model: Model
    k: int
    array: Ints
    edges: Ints
    walls: list[Row]
    wall_names: list[str]
    within: Polyhedron | None = None

    @cached_property
    def keys(self) -> list[Key]:
        """The rows of the array as tuples."""
        return list(map(tuple, self.array.tolist()))

    @property
    def names(self) -> list[str]:
        """What each region is called.

        Examples
        --------
        >>> from arrangements.explorer.state import state_of
        >>> sorted(regions_of(state_of([[1], [2], [3]]))[0].names)
        ['012', '210']
        """
        rows = row_names(self.model)
        return [name_region(self.model, self.k, key, rows) for key in self.keys]


def row_names(model: Model) -> tuple[str, ...]:
    """Names of all rows."""
    return names_of(model.labels, len(model) if isinstance(model, Arrangement) else model.n_labels)


def name_region(model: Model, k: int, key: Key, names: Sequence[str] | None = None) -> str:
    """A sign vector, a ranking or a set of labels as text.

    Examples
    --------
    >>> model = ScoreModel([[1], [2], [3]], labels=["cat", "dog", "bird"])
    >>> name_region(model, 0, (2, 0, 1)), name_region(model, 1, (2,))
    ('bird > cat > dog', 'bird')
    >>> name_region(model, 2, (0, 2))
    '{cat, bird}'
    """
    if isinstance(model, Arrangement):
        return name_chamber(key)
    names = names or row_names(model)
    chosen = [names[i] for i in key]
    if k == 0:
        return name_ranking(chosen)
    return chosen[0] if k == 1 else f"{{{', '.join(chosen)}}}"


def regions_of(state: State) -> tuple[Regions, bool]:
    """All regions, or those that the plane meets where all are too many; and whether it is all.

    Raises
    ------
    TooLargeError
        If those that the plane meets are too many, too.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> found, whole = regions_of(state_of([[1, 0], [0, 1], [1, 1]], show="chambers"))
    >>> len(found.keys), len(found.edges), found.wall_names, whole
    (6, 6, ['0', '1', '2'], True)
    """
    n, d = len(state.rows), state.dimension
    if state.is_flat or d < _HIGH or n < _HIGH:
        try:
            return _list(state.whole, state.k, state.inside), True
        except TooLargeError:
            if state.is_flat:
                raise
    return _list(state.section, state.k, state.inside_section), False


def total(state: State) -> int | None:
    """How many regions space has, where that takes less than a second.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> rows = np.random.default_rng(0).integers(-99, 99, (10, 3))
    >>> total(state_of(rows, range(10)))
    10366
    """
    try:
        if isinstance(state.whole, Arrangement):
            return int(count_chambers(state.whole, within=state.inside, max_hours=_COUNT_HOURS))
        if state.k:
            return None
        model, P = state.whole, state.inside
        return int(count_rankings(model.weights, model.offsets, within=P, max_hours=_COUNT_HOURS))
    except TooLargeError:
        return None


def _list(model: Model, k: int, P: Polyhedron | None) -> Regions:
    if isinstance(model, Arrangement):
        return _list_chambers(model, P)
    if not k and model.n_labels > 1:
        return _list_rankings(model, P)
    return _list_tops(model, k, P) if k < model.n_labels > 1 else _list_one(model, k, P)


def _list_one(model: ScoreModel, k: int, P: Polyhedron | None) -> Regions:
    """One region with all labels, which is all there is."""
    every = np.arange(model.n_labels)[None][: P is None or not P.is_empty]
    return Regions(model, k, every, np.empty((0, 3), np.int64), [], [], P)


def _list_chambers(model: Arrangement, P: Polyhedron | None) -> Regions:
    found = model.chambers(within=P, limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise _too_many("chambers", f"{len(model)} hyperplanes", "fewer rows")
    return _with_walls(model, P, found.to_array(), found, row_names(model))


def _list_rankings(model: ScoreModel, P: Polyhedron | None) -> Regions:
    found = rankings(model.weights, model.offsets, within=P, limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise _too_many("rankings", f"{model.n_labels} labels", "top-1, or fewer labels")
    names = [f"{a} = {b}" for a, b in combinations(row_names(model), 2)]
    return _with_walls(model, P, found.to_array(), found.to_sign_vectors(), names)


def _with_walls(
    model: Model,
    P: Polyhedron | None,
    patterns: NDArray[Any],
    signs: SignVectors,
    names: Sequence[str],
) -> Regions:
    """Regions in order, so that equal ones of two panels are in line, and their walls."""
    arrangement = model if isinstance(model, Arrangement) else model.differences
    edges, carriers = chamber_edges(signs)
    groups = {group[0]: group for group in arrangement.coincident_classes}
    used = sorted(set(carriers.tolist()))
    array = patterns.astype(np.int64)
    order = np.lexsort((-1 if model is arrangement else 1) * array.T[::-1])
    return Regions(
        model,
        0,
        array[order],
        np.column_stack([np.argsort(order)[edges], np.searchsorted(used, carriers)]),
        [arrangement.integer_rows[i] for i in used],
        [", ".join(names[j] for j in groups[i]) for i in used],
        P,
    )


def _list_tops(model: ScoreModel, k: int, P: Polyhedron | None) -> Regions:
    """Sets of k labels. Two share a wall iff T + {i} and T + {j} do, the others T being above.

    The points of P where all of T are above i and j, and these above the rest, are convex; where
    i = j crosses them, that is the wall, and i and j are in places k and k + 1 on its sides.
    """
    n = model.n_labels
    try:
        orders = top_k_rankings(
            model.weights, k + 1, offsets=model.offsets, within=P, max_hours=_LIST_HOURS
        ).tolist()
    except TooLargeError as error:
        raise TooLargeError(
            f"sets of {k} of {n} labels: too long a search to show them. Try a smaller k, or fewer "
            "labels."
        ) from error
    found = sorted({tuple(sorted(order[:k])) for order in orders})
    if len(found) > MOST_REGIONS:
        raise _too_many(f"sets of {k} labels", f"{n} labels", "a smaller k, or fewer labels")
    number = {key: i for i, key in enumerate(found)}
    ends = {(frozenset(order[: k - 1]), order[k - 1], order[k]) for order in orders}
    edges, pairs = [], []
    for above, i, j in sorted(ends, key=lambda end: (sorted(end[0]), *end[1:])):
        if i < j and (above, j, i) in ends:
            with_i, with_j = (tuple(sorted(above | {x})) for x in (i, j))
            edges.append([number[with_i], number[with_j]])
            pairs.append((i, j))
    used = sorted(set(pairs))
    rows = of_pairs(model, [i for i, _ in used], [j for _, j in used]).integer_rows if used else []
    carriers = [used.index(pair) for pair in pairs]
    array = np.column_stack([np.array(edges, int).reshape(-1, 2), carriers]).astype(np.int64)
    names = row_names(model)
    walls = [f"{names[i]} = {names[j]}" for i, j in used]
    return Regions(model, k, np.array(found, int).reshape(-1, k), array, rows, walls, P)


def _too_many(noun: str, of: str, remedy: str) -> TooLargeError:
    return TooLargeError(
        f"more than {MOST_REGIONS} {noun} of {of}: too many to show. Try {remedy}."
    )


def restrict(rows: Sequence[Row], state: State) -> list[list[Fraction]]:
    """Rows (w, b) of space as rows (a, b, c) of the plane: ``a s + b t + c``."""
    point, u, v = state.plane
    return [[dot(w, u), dot(w, v), dot(w, point) + b] for *w, b in rows]
