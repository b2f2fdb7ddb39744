"""States of a level: in chunks of equal work, gathered by digest, and joined."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.counting.setting import Setting
from arrangements.kernels.structure import images
from arrangements.kernels.structure import states as kernel
from arrangements.kernels.structure.states import Classes, States


class Chunk(NamedTuple):
    """States to be restricted to some of their rows: first..stop-1 of all that they have."""

    states: States
    first: int
    stop: int


def sizes_of(states: States) -> NDArray[np.int64]:
    """Rows of each state."""
    return np.diff(states.start[: states.used[kernel.COUNT] + 1])


def gathered(
    setting: Setting, k: int, sources: list[Classes], share: int = 0, shares: int = 1
) -> Classes:
    """The classes whose digests belong to one of this many shares, each once, from all sources."""
    chosen = [(c.keys.digest[: c.keys.used[0]] >> np.uint64(32)) % shares == share for c in sources]
    states = sum(int(mask.sum()) for mask in chosen)
    rows = sum(
        int(np.diff(c.keys.start[: len(mask) + 1])[mask].sum())
        for c, mask in zip(sources, chosen, strict=True)
    )
    classes, scratch = setting.empty_classes(k, states + 1, rows), setting.scratch(k)
    for source in sources:
        position = np.zeros(1, np.int64)
        images.gather(
            source, k, share, shares, setting.moduli, classes, scratch, position, states + 1
        )
    return classes


def joined(parts: list[States]) -> States:
    """The states of all parts, without a hash table and spare room."""
    used = [part.used.tolist() for part in parts]
    starts = [part.start[1 : count + 1] for part, (count, _) in zip(parts, used, strict=True)]
    offsets = np.cumsum([0, *(rows for _, rows in used)])
    shifted = [start + offset for start, offset in zip(starts, offsets, strict=False)]
    return States(
        rows=np.concatenate([p.rows[:rows] for p, (_, rows) in zip(parts, used, strict=True)]),
        multiplicity=np.concatenate(
            [p.multiplicity[:rows] for p, (_, rows) in zip(parts, used, strict=True)]
        ),
        start=np.concatenate([[0], *shifted]),
        digest=np.concatenate(
            [p.digest[:count] for p, (count, _) in zip(parts, used, strict=True)]
        ),
        weight=np.concatenate(
            [p.weight[:count] for p, (count, _) in zip(parts, used, strict=True)]
        ),
        slots=np.full(1, -1),
        used=np.sum(used, axis=0),
    )


def chunks_of(states: States, pieces: int, whole: bool = False) -> deque[Chunk]:
    """The states' rows in about this many chunks of equal work.

    Orbits are not looked for in a state of which two chunks have rows. With `whole`, there is none.
    """
    sizes = sizes_of(states)
    work = np.cumsum(np.repeat(sizes, sizes))  # a row of a state of m rows takes m steps
    goals = work[-1] * np.arange(1, pieces) / pieces
    cuts = np.searchsorted(work, goals) + 1
    if whole:
        start = states.start[: len(sizes) + 1]
        cuts = start[np.searchsorted(start, cuts)]
    edges = np.unique([0, *cuts, len(work)]).tolist()
    return deque(Chunk(states, a, b) for a, b in zip(edges, edges[1:], strict=False))
