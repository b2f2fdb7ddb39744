"""Counts inside a polytope by its sections alone, as far as floats are certain."""

from __future__ import annotations

import numpy as np

from arrangements.kernels.chambers import chords, solids, workspace
from arrangements.kernels.chambers.chords import Chords
from arrangements.kernels.chambers.sections import Sections
from arrangements.kernels.chambers.solids import Polygon
from arrangements.kernels.shared import zeros
from arrangements.search.parts import ALL, Part
from arrangements.sets.packed import pack_signs

# Give up if more nodes are open than this, and than one in so many chambers.
_MOST_OPEN, _CHAMBERS = 4, 1000


def suits_chords(sections: Sections, part: Part) -> bool:
    """Whether sections of a cone may be known down to polygons."""
    (size, lines), levels = sections.sizes[0, :2].tolist(), len(sections.sizes)
    few = int(sections.facets[-1]) <= solids.MOST_FACETS and levels + 2 <= solids.MOST_DIMENSIONS
    known = bool(size > 0 and (sections.is_apart or lines > 0) and lines < levels > 1)
    return few and known and part.prefix == ()


class ChordCount:
    """The chambers of a cone below some rows at the root, counted node by node.

    Parameters
    ----------
    space : workspace.Workspace
    sections : Sections
    polygon : Polygon
    first, stop : int
        These rows; of them the facets count nothing.
    """

    def __init__(
        self,
        space: workspace.Workspace,
        sections: Sections,
        polygon: Polygon,
        first: int,
        stop: int,
    ) -> None:
        self._arrays = space, sections, polygon
        levels, _, words = sections.zeros.shape
        self._chords = zeros(
            Chords,
            ((2,), "state"),
            ((levels,), "chain"),
            ((levels, words), "left"),
            ((words,), "crossing"),
            ((4, 64 * words + 8), "places"),
        )
        (number, lines), rows = sections.sizes[0, :2].tolist(), np.arange(sections.values.shape[2])
        values, errors = sections.values[0, :number], sections.errors[0, :number, None]
        values = np.concatenate([values, -values[:lines]])  # a line has two directions
        errors = np.concatenate([errors, errors[:lines]])
        crossing = (values > errors).any(axis=0) & (values < -errors).any(axis=0)
        above, below = (values > -errors) & (values != 0), (values < errors) & (values != 0)
        unclear = above.any(axis=0) & below.any(axis=0) & ~crossing
        own = (rows >= max(first, int(sections.facets[-1]))) & (rows < stop)
        signs = np.where(crossing & own, 1, -1).astype(np.int8)
        self._chords.left[0] = pack_signs(signs[None])[0][:words]
        self.open = [Part((), j, j + 1) for j in np.flatnonzero(unclear & own).tolist()]
        self._total, self._misses = 0, 0

    def advance(self, budget: int) -> tuple[bool, int]:
        """Visit some nodes: (finished, chambers found). Adds to `open` what is left to others."""
        state, chain, left = self._chords.state, self._chords.chain, self._chords.left
        before = int(state[1])
        status = chords.count(*self._arrays, self._chords, budget)
        found = int(state[1]) - before
        if status != chords.UNCERTAIN:
            return status == workspace.DONE, found
        depth, rows = int(state[0]), chain.tolist()
        self.open.append(Part(tuple(rows[: depth + 1]), 0, ALL, own=True))
        self._misses += 1
        if self._misses <= max(_MOST_OPEN, int(state[1]) // _CHAMBERS):
            return False, found
        for e in range(depth + 1):
            bits = np.unpackbits(left[e].view(np.uint8), bitorder="little")
            self.open += [Part(tuple(rows[:e]), j, j + 1) for j in np.flatnonzero(bits).tolist()]
        return True, found
