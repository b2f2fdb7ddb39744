"""The order of the faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.signs import sign_text
from arrangements.execution import limits
from arrangements.polyhedra.reading import Within
from arrangements.sets.packed import positions, used_bits
from arrangements.structure import chamber_sets
from arrangements.structure.chamber_graphs import name_signs
from arrangements.structure.faces import (
    STREAM,
    Faces,
    Integers,
    check_faces,
    face_levels,
    first_faces,
)

if TYPE_CHECKING:
    import networkx as nx


def face_lattice(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> nx.DiGraph[int]:
    """Faces ordered by inclusion of their closures: the cover relations.

    Parameters
    ----------
    W, offsets, rank, within
        As in `covectors`. Inside a polyhedron the dimension is that of the parts of the faces in
        it, and the faces of its boundary are none.
    max_bytes : int, optional
        Refuse a lattice that takes more, at 2500 bytes for each face; default half of the free
        memory.

    Returns
    -------
    networkx.DiGraph
        Nodes are the rows of `covectors`, with the attributes `signs` (such as "+0-") and
        `dimension`. An edge leads from a face to each face of the next dimension whose closure
        contains it. If the hyperplanes have labels, the graph has the attribute `names`. With a
        greatest element added, and a least one if the arrangement is affine, this is a lattice.

    Raises
    ------
    IncompleteError
        If the sign vectors given are not all chambers.
    TooLargeError
        If the lattice would not fit.

    Notes
    -----
    Exact. Meant for small arrangements: a face takes a few microseconds and about a kilobyte.

    Examples
    --------
    >>> L = face_lattice([[1, 0], [0, 1]])
    >>> L.number_of_nodes(), L.number_of_edges()
    (9, 12)
    >>> [L.nodes[k]["signs"] for k in L.successors(0)]
    ['0+', '+0', '0-', '-0']
    """
    import networkx as nx  # loads slowly

    subject = chamber_sets.arrangement_or_set(W, offsets, rank)
    room = chamber_sets.bytes_allowed(max_bytes)
    check_faces(subject, room, chamber_sets.NODE_BYTES, within)
    start = first_faces(subject, None, None, within)
    found = face_levels(start.chambers, room)
    total = sum(map(len, found))
    limits.check_bytes(
        f"a lattice of {total} faces", chamber_sets.NODE_BYTES * total, STREAM, allowed=room
    )
    top = len(found) - 1 if start.dimension is None else start.dimension
    lowest = top + 1 - len(found)
    L: nx.DiGraph[int] = nx.DiGraph()
    name_signs(L, subject)
    count = 0
    for k, faces in enumerate(reversed(found)):
        names = map(sign_text, start.extend(faces.signs()).tolist())
        L.add_nodes_from(
            (count + i, {"signs": name, "dimension": lowest + k}) for i, name in enumerate(names)
        )
        count += len(faces)
        if k:
            first = count - len(faces)
            covers = _covers(found[-k], faces) + [first - len(found[-k]), first]
            L.add_edges_from(covers.tolist())
    return L


def _covers(lower: Faces, upper: Faces) -> Integers:
    """Rows of `lower` and `upper` (opposites in the second half) that cover each other."""
    everything, stored = used_bits(upper.n), len(upper.words)
    traces, ends = [], []
    for flat, start, stop in zip(upper.flats, upper.starts, upper.starts[1:], strict=False):
        words = upper.words[start:stop]
        rows = np.arange(start, stop)
        if upper.half:
            words = np.concatenate([words, words ^ (everything & ~flat)])
            rows = np.concatenate([rows, rows + stored])
        pairs, masks = chamber_sets.neighbors_in(words, everything & ~flat)
        ends.append(rows[pairs])
        traces.append(np.hstack([words[pairs[:, 0]] & ~masks, flat | masks]))
    faces = np.hstack([lower.words, lower.zero_masks()])
    if len(lower) > len(lower.words):
        opposite = lower.words ^ (everything & ~lower.zero_masks())
        faces = np.concatenate([faces, np.hstack([opposite, lower.zero_masks()])])
    below = positions(np.concatenate(traces), faces)
    above = np.concatenate(ends)
    return np.concatenate([np.column_stack([below, side]) for side in above.T])
