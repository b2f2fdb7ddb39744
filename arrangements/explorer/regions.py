"""The regions of a state, from the engine: which there are, and which of them share a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.enumeration.chambers import count_chambers
from arrangements.enumeration.rankings import count_rankings, rankings
from arrangements.errors import TooLargeError
from arrangements.explorer.state import Model, State
from arrangements.models.tops import top_k_rankings
from arrangements.plot.plane_regions import joined
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
    ties : list of list of int or of list of (int, int)
        For each wall the rows that vanish on it, or the pairs of labels that tie there.
    """

    model: Model
    k: int
    array: Ints
    edges: Ints
    walls: list[Row]
    ties: list[list[int]] | list[list[tuple[int, int]]]

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
        rows = names_of_rows(self.model)
        return [_named(self.model, self.k, key, rows) for key in self.keys]

    @property
    def wall_names(self) -> list[str]:
        """What each wall is called: its rows, or the labels that tie on it."""
        names = names_of_rows(self.model)
        if isinstance(self.model, Arrangement):
            return [", ".join(names[i] for i in rows) for rows in self.ties]  # type: ignore[index]
        pairs: list[list[tuple[int, int]]] = self.ties  # type: ignore[assignment]
        return [", ".join(f"{names[i]} = {names[j]}" for i, j in tied) for tied in pairs]


def names_of_rows(model: Model) -> tuple[str, ...]:
    """Names of all rows."""
    n = len(model) if isinstance(model, Arrangement) else model.n_labels
    return tuple(map(str, model.labels)) if model.labels else tuple(map(str, range(n)))


def named(model: Model, k: int, key: Key) -> str:
    """A sign vector, a ranking or a set of labels as text.

    Examples
    --------
    >>> model = ScoreModel([[1], [2], [3]], labels=["cat", "dog", "bird"])
    >>> named(model, 0, (2, 0, 1)), named(model, 1, (2,)), named(model, 2, (0, 2))
    ('bird > cat > dog', 'bird', '{cat, bird}')
    """
    return _named(model, k, key, names_of_rows(model))


def _named(model: Model, k: int, key: Key, names: Sequence[str]) -> str:
    if isinstance(model, Arrangement):
        return "".join("\N{MINUS SIGN}+"[sign > 0] for sign in key)
    chosen = [names[i] for i in key]
    if k == 0:
        return joined(chosen)
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
            return _listed(state.whole, state.k), True
        except TooLargeError:
            if state.is_flat:
                raise
    return _listed(state.section, state.k), False


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
            return int(count_chambers(state.whole, max_hours=_COUNT_HOURS))
        if state.k:
            return None
        model = state.whole
        return int(count_rankings(model.weights, model.offsets, max_hours=_COUNT_HOURS))
    except TooLargeError:
        return None


def _listed(model: Model, k: int) -> Regions:
    if isinstance(model, Arrangement):
        return _in_order(_chambers(model), -1)
    if model.n_labels == 1:
        return _only(model, k)
    return _tops(model, k) if k else _in_order(_rankings(model), 1)


def _in_order(found: Regions, sign: int) -> Regions:
    """Regions in lexicographic order, or the reverse one: equal ones of two panels are in line."""
    order = np.lexsort(sign * found.array.T[::-1])
    edges = found.edges.copy()
    edges[:, :2] = np.argsort(order)[edges[:, :2]]
    return replace(found, array=found.array[order], edges=edges)


def _only(model: ScoreModel, k: int) -> Regions:
    """One region with all labels, which is all there is."""
    every = np.arange(model.n_labels)[None]
    return Regions(model, k, every, np.empty((0, 3), np.int64), [], [])


def _chambers(model: Arrangement) -> Regions:
    found = model.chambers(limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise _too_many("chambers", f"{len(model)} hyperplanes", "fewer rows")
    edges, carriers = chamber_edges(found)
    classes = {group[0]: list(group) for group in model.coincident_classes}
    used = sorted(set(carriers.tolist()))
    return Regions(
        model,
        0,
        found.to_array().astype(np.int64),
        _numbered(edges, carriers, used),
        [model.integer_rows[i] for i in used],
        [classes[i] for i in used],
    )


def _rankings(model: ScoreModel) -> Regions:
    found = rankings(model.weights, model.offsets, limit=MOST_REGIONS + 1)
    if not found.complete or len(found) > MOST_REGIONS:
        raise _too_many("rankings", f"{model.n_labels} labels", "top-1, or fewer labels")
    edges, carriers = chamber_edges(found.to_sign_vectors())
    first, second = np.triu_indices(model.n_labels, 1)
    classes = {group[0]: group for group in model.differences.coincident_classes}
    used = sorted(set(carriers.tolist()))
    return Regions(
        model,
        0,
        found.to_array().astype(np.int64),
        _numbered(edges, carriers, used),
        [model.differences.integer_rows[i] for i in used],
        [[(int(first[j]), int(second[j])) for j in classes[i]] for i in used],
    )


def _tops(model: ScoreModel, k: int) -> Regions:
    """Sets of k labels. Two share a wall iff P + {i} and P + {j} do, the others P being above.

    The points where all of P are above i and j, and these above the rest, are convex; where i = j
    crosses them, that is the wall, and the labels i and j are in places k and k + 1 on its sides.
    """
    n = model.n_labels
    if k == n:
        return _only(model, k)
    try:
        orders = top_k_rankings(
            model.weights, k + 1, offsets=model.offsets, max_hours=_LIST_HOURS
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
    numbered = np.column_stack([np.array(edges, int).reshape(-1, 2), carriers]).astype(np.int64)
    return Regions(model, k, np.array(found), numbered, rows, [[pair] for pair in used])


def _numbered(edges: Ints, carriers: Ints, used: list[int]) -> Ints:
    return np.column_stack([edges, np.searchsorted(used, carriers)])


def _too_many(noun: str, of: str, remedy: str) -> TooLargeError:
    return TooLargeError(
        f"more than {MOST_REGIONS} {noun} of {of}: too many to show. Try {remedy}."
    )


def restricted(rows: Sequence[Row], state: State) -> list[list[Fraction]]:
    """Rows (w, b) of space as rows (a, b, c) of the plane: ``a s + b t + c``."""
    point, u, v = state.plane
    found = []
    for *w, b in rows:
        across, up, constant = (
            sum((x * y for x, y in zip(w, vector, strict=True)), Fraction(0))
            for vector in (u, v, point)
        )
        found.append([across, up, constant + b])
    return found
