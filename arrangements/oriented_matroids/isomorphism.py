"""Isomorphism of oriented matroids up to relabelling and reorientation.

Signed elements and cocircuits are the two sides of a graph. The colours of its nodes are refined by
those of their neighbours, in the same way for both oriented matroids. If colours leave a choice,
one element gets a colour of its own, and so does each candidate for its image in turn. Colours are
hashes that are equal for isomorphic elements; a collision merges colours, which only costs time.
The resulting relabelling is verified exactly. Without orientation, the two sides of the graph are
elements and the supports of cocircuits, whose complements are the hyperplanes of the matroid.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.modular.hashing import hashed

Colours = NDArray[np.uint64]


class Isomorphism(NamedTuple):
    """How one oriented matroid becomes another: elements renamed, then some reversed.

    ``other.relabelling(relabelling).reorientation(reorientation) == self``.

    Attributes
    ----------
    relabelling : tuple of int
        Entry i is the element of the other that becomes element i.
    reorientation : tuple of int
        Elements, after relabelling, that are reversed.
    """

    relabelling: tuple[int, ...]
    reorientation: tuple[int, ...]


def find_isomorphism(M: Any, N: Any, oriented: bool = True) -> Isomorphism | None:
    """Relabelling and reorientation of N that give M, or None; see `OrientedMatroid.isomorphism`.

    Both are oriented matroids; their class imports this module, so it is not imported here.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    >>> find_isomorphism(M, M.reorientation([1]).relabelling([2, 0, 1])) is None
    False
    """
    if (M.n, M.rank) != (N.n, N.rank):
        return None
    if np.count_nonzero(M.chirotope) != np.count_nonzero(N.chirotope):
        return None
    graph = _Coloured if oriented else _Unsigned
    first, second = graph(M), graph(N)
    if first.plus.shape != second.plus.shape:
        return None
    return _search(first, second, first.start, second.start)


class _Coloured:
    """The graph of an oriented matroid, as matrices."""

    def __init__(self, M: Any) -> None:
        self.of = M
        rows = M.cocircuits()
        self.plus = (rows > 0).astype(np.uint64)
        self.minus = (rows < 0).astype(np.uint64)
        # how often two elements agree and differ in cocircuits; reorientation may exchange the two
        gram = np.abs(rows.T.astype(np.int64) @ rows).astype(np.uint64)
        # element e with + is node e, with - node n + e
        self.start = np.tile(hashed(gram).sum(axis=1, dtype=np.uint64), 2)

    def refined(self, colours: Colours) -> Colours:
        """Colours of the signed elements after one round through the cocircuits."""
        n = self.of.n
        turned = np.concatenate([colours[n:], colours[:n]])
        seen = self.plus @ hashed(colours[:n]) + self.minus @ hashed(colours[n:])
        # the opposite of a cocircuit is in the opposite row
        rows = hashed(hashed(seen) + (seen[::-1] << np.uint64(1)))
        back = np.concatenate([rows @ self.plus, rows @ self.minus])
        return hashed(hashed(colours) + (hashed(turned) << np.uint64(1)) + hashed(back))

    def same(self, other: Any) -> bool:
        """Whether another one is equal."""
        return bool(self.of == other)


class _Unsigned(_Coloured):
    """The graph of the matroid below: elements and supports of cocircuits, as a matrix."""

    def __init__(self, M: Any) -> None:
        self.of = M
        rows = M.cocircuits()
        # one of each pair: row m - 1 - i is the negative of row i
        self.plus = (rows[: len(rows) // 2] != 0).astype(np.uint64)
        self.start = hashed(self.plus.T @ self.plus).sum(axis=1, dtype=np.uint64)

    def refined(self, colours: Colours) -> Colours:
        """Colours of the elements after one round through the supports."""
        rows = hashed(self.plus @ hashed(colours))
        return hashed(hashed(colours) + hashed(rows @ self.plus))

    def same(self, other: Any) -> bool:
        """Whether another one has the same bases."""
        return np.array_equal(self.of.chirotope != 0, other.chirotope != 0)


def _search(M: _Coloured, N: _Coloured, a: Colours, b: Colours) -> Isomorphism | None:
    """Isomorphism that respects the colours of the signed elements, or None."""
    count = -1
    while True:
        if not np.array_equal(np.sort(a), np.sort(b)):
            return None
        _, first, sizes = np.unique(a, return_index=True, return_counts=True)
        if len(sizes) == count:
            break
        count = len(sizes)
        a, b = M.refined(a), N.refined(b)
    if count == len(a):
        return _read(M, N, a, b)
    node = int(first[np.argmin(np.where(sizes > 1, sizes, len(a) + 1))])
    own = a.copy()
    own[node] = hashed(~own[node : node + 1])[0]
    for image in np.flatnonzero(b == a[node]).tolist():
        other = b.copy()
        other[image] = own[node]
        found = _search(M, N, own, other)
        if found is not None:
            return found
    return None


def _read(M: _Coloured, N: _Coloured, a: Colours, b: Colours) -> Isomorphism | None:
    """The relabelling that distinct colours determine, if it is an isomorphism."""
    n = M.of.n
    images = np.argsort(b)[np.searchsorted(np.sort(b), a[:n])]
    relabelling = tuple((images % n).tolist())
    reorientation = tuple(np.flatnonzero(images >= n).tolist())
    if len(set(relabelling)) < n:
        return None
    turned = N.of.unlabelled.relabelling(relabelling).reorientation(reorientation)
    if not M.same(turned):
        return None
    return Isomorphism(relabelling, reorientation)
