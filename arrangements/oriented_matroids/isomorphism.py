"""Isomorphism of oriented matroids up to relabeling and reorientation.

Signed elements and cocircuits are the two sides of a graph. The colors of its nodes are refined by
those of their neighbors, in the same way for both oriented matroids. If colors leave a choice,
one element gets a color of its own, and so does each candidate for its image in turn. Colors are
hashes that are equal for isomorphic elements; a collision merges colors, which only costs time.
The resulting relabeling is verified exactly. Without orientation, the two sides of the graph are
elements and the supports of cocircuits, whose complements are the hyperplanes of the matroid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.kernels.modular.hashing import hash_words

Colors = NDArray[np.uint64]


@public_class
class Isomorphism(NamedTuple):
    """How one oriented matroid becomes another: elements renamed, then some reversed.

    ``other.relabeling(relabeling).reorientation(reorientation) == self``.

    Attributes
    ----------
    relabeling : tuple of int
        Entry i is the element of the other that becomes element i.
    reorientation : tuple of int
        Elements, after relabeling, that are reversed.
    """

    relabeling: tuple[int, ...]
    reorientation: tuple[int, ...]


def find_isomorphism(
    M: Any, N: Any, oriented: bool = True, fixed: Sequence[int] = ()
) -> Isomorphism | None:
    """Relabeling and reorientation of N that give M, or None; see `OrientedMatroid.isomorphism`.

    Both are oriented matroids; their class imports this module, so it is not imported here. The
    elements `fixed` keep their numbers and their orientation.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    >>> find_isomorphism(M, M.reorientation([1]).relabeling([2, 0, 1])) is None
    False
    """
    if (M.n, M.rank) != (N.n, N.rank):
        return None
    if np.count_nonzero(M.chirotope) != np.count_nonzero(N.chirotope):
        return None
    graph = _Colored if oriented else _Unsigned
    first, second = graph(M), graph(N)
    if first.plus.shape != second.plus.shape:
        return None
    return _search(first, second, first.marked(fixed), second.marked(fixed))


def find_automorphisms(
    M: Any, fixed: Sequence[int] = (), oriented: bool = True
) -> tuple[list[Isomorphism], int]:
    """Generators of the group of automorphisms of an oriented matroid, and its order.

    Not `oriented`, of the matroid below.

    A chain of stabilizers: one signed element after the other gets a color of its own, until no
    choice is left. From the last to the first, its orbit under those that fix the earlier ones is
    found; the order is the product of the sizes of these orbits.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> find_automorphisms(OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]))[1]
    12
    """
    graph = _Colored(M) if oriented else _Unsigned(M)
    colors, chain = graph.marked(fixed), []
    while True:
        count = -1
        while count != (count := len(np.unique(colors))):
            colors = graph.refined(colors)
        node = _choice(colors)
        if node is None:
            break
        chain.append((colors, node))
        colors = _with_own(colors, node, node)
    order, generators, nodes = 1, list[Isomorphism](), list[NDArray[np.int64]]()
    for colors, node in reversed(chain):
        orbit = _orbit(node, nodes)
        for image in np.flatnonzero(colors == colors[node]).tolist():
            if image in orbit:
                continue
            own, other = _with_own(colors, node, node), _with_own(colors, node, image)
            found = _search(graph, graph, own, other)
            if found is not None:
                generators.append(found)
                nodes.append(_map_of_nodes(found, M.n, oriented))
                orbit = _orbit(node, nodes)
        order *= len(orbit)
    return generators, order


def canonical_relabelings(
    M: Any, oriented: bool
) -> Iterator[tuple[list[int], NDArray[np.int8] | None]]:
    """Orders of the elements, and signs of them, that colors determine.

    Those of isomorphic oriented matroids correspond.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    >>> len(list(canonical_relabelings(M, True)))
    12
    """
    graph = _Colored(M) if oriented else _Unsigned(M)

    def orders(colors: Colors) -> Iterator[tuple[list[int], NDArray[np.int8] | None]]:
        count = -1
        while count != (count := len(np.unique(colors))):
            colors = graph.refined(colors)
        node = _choice(colors)
        if node is not None:
            for image in np.flatnonzero(colors == colors[node]).tolist():
                yield from orders(_with_own(colors, image, image))
            return
        nodes = np.argsort(colors)
        order = list(dict.fromkeys((nodes % M.n).tolist())) if M.n else []
        if not oriented:
            yield order, None
            return
        first = np.argsort(nodes)[: M.n] < np.argsort(nodes)[M.n :]
        yield order, np.where(first, 1, -1).astype(np.int8)[order]

    return orders(graph.start)


def _map_of_nodes(found: Isomorphism, n: int, oriented: bool) -> NDArray[np.int64]:
    """Where it takes the nodes of the graph."""
    images = np.array(found.relabeling, np.int64)
    if not oriented:
        return images
    images[list(found.reorientation)] += n
    return np.concatenate([images, (images + n) % (2 * n)])


def _choice(colors: Colors) -> int | None:
    """A node of a smallest class of several; None if all colors are distinct."""
    _, first, sizes = np.unique(colors, return_index=True, return_counts=True)
    if len(sizes) == len(colors):
        return None
    return int(first[np.argmin(np.where(sizes > 1, sizes, len(colors) + 1))])


def _with_own(colors: Colors, node: int, image: int) -> Colors:
    """Colors where the image of a node gets the color that only this node has."""
    own = colors.copy()
    own[image] = hash_words(~colors[node : node + 1])[0]
    return own


def _orbit(node: int, moved: list[NDArray[np.int64]]) -> set[int]:
    """Orbit of a node under maps of the nodes."""
    orbit, new = {node}, [node]
    while new:
        images = {int(m[i]) for i in new for m in moved}
        new = list(images - orbit)
        orbit |= images
    return orbit


class _Colored:
    """The graph of an oriented matroid, as matrices."""

    def __init__(self, M: Any) -> None:
        self.of = M
        rows = M.cocircuits()
        self.plus = (rows > 0).astype(np.uint64)
        self.minus = (rows < 0).astype(np.uint64)
        # how often two elements agree and differ in cocircuits; reorientation may exchange the two
        gram = np.abs(rows.T.astype(np.int64) @ rows).astype(np.uint64)
        # element e with + is node e, with - node n + e
        self.start = np.tile(hash_words(gram).sum(axis=1, dtype=np.uint64), 2)

    def marked(self, fixed: Sequence[int]) -> Colors:
        """Colors of the signed elements, where each of some has its own."""
        marked, n = self.start.copy(), self.of.n
        for k, e in enumerate(fixed):
            marked[e::n] = hash_words(~np.arange(2 * k, 2 * k + 2, dtype=np.uint64))
        return marked

    def refined(self, colors: Colors) -> Colors:
        """Colors of the signed elements after one round through the cocircuits."""
        n = self.of.n
        turned = np.concatenate([colors[n:], colors[:n]])
        seen = self.plus @ hash_words(colors[:n]) + self.minus @ hash_words(colors[n:])
        # the opposite of a cocircuit is in the opposite row
        rows = hash_words(hash_words(seen) + (seen[::-1] << np.uint64(1)))
        back = np.concatenate([rows @ self.plus, rows @ self.minus])
        turned = hash_words(turned) << np.uint64(1)
        return hash_words(hash_words(colors) + turned + hash_words(back))

    def same(self, other: Any) -> bool:
        """Whether another one is equal."""
        return bool(self.of == other)


class _Unsigned(_Colored):
    """The graph of the matroid below: elements and supports of cocircuits, as a matrix."""

    def __init__(self, M: Any) -> None:
        self.of = M
        rows = M.cocircuits()
        # one of each pair: row m - 1 - i is the negative of row i
        self.plus = (rows[: len(rows) // 2] != 0).astype(np.uint64)
        self.start = hash_words(self.plus.T @ self.plus).sum(axis=1, dtype=np.uint64)

    def marked(self, fixed: Sequence[int]) -> Colors:
        """Colors of the elements, where each of some has its own."""
        marked = self.start.copy()
        marked[list(fixed)] = hash_words(~np.arange(len(fixed), dtype=np.uint64))
        return marked

    def refined(self, colors: Colors) -> Colors:
        """Colors of the elements after one round through the supports."""
        rows = hash_words(self.plus @ hash_words(colors))
        return hash_words(hash_words(colors) + hash_words(rows @ self.plus))

    def same(self, other: Any) -> bool:
        """Whether another one has the same bases."""
        return np.array_equal(self.of.chirotope != 0, other.chirotope != 0)


def _search(M: _Colored, N: _Colored, a: Colors, b: Colors) -> Isomorphism | None:
    """Isomorphism that respects the colors of the signed elements, or None."""
    count = -1
    while True:
        if not np.array_equal(np.sort(a), np.sort(b)):
            return None
        if count == (count := len(np.unique(a))):
            break
        a, b = M.refined(a), N.refined(b)
    node = _choice(a)
    if node is None:
        return _read(M, N, a, b)
    own = _with_own(a, node, node)
    for image in np.flatnonzero(b == a[node]).tolist():
        other = b.copy()
        other[image] = own[node]
        found = _search(M, N, own, other)
        if found is not None:
            return found
    return None


def _read(M: _Colored, N: _Colored, a: Colors, b: Colors) -> Isomorphism | None:
    """The relabeling that distinct colors determine, if it is an isomorphism."""
    n = M.of.n
    images = np.argsort(b)[np.searchsorted(np.sort(b), a[:n])]
    relabeling = tuple((images % n).tolist())
    reorientation = tuple(np.flatnonzero(images >= n).tolist())
    if len(set(relabeling)) < n:
        return None
    turned = N.of.unlabeled.relabeling(relabeling).reorientation(reorientation)
    if not M.same(turned):
        return None
    return Isomorphism(relabeling, reorientation)
