"""The two parts into which a unit splits the polytope of a node.

Two vertices are the ends of an edge iff no third one lies on all facets that both lie on.
"""

import numpy as np

from arrangements.kernels.compilation import inlined, kernel
from arrangements.kernels.llvm.vectors import load, population, splat, trailing_zeros, zero_words
from arrangements.kernels.networks.vertices import place_between, solve_vertex
from arrangements.kernels.networks.workspace import (
    C0,
    C1,
    FORCED,
    LAYER,
    NEEDS_ROOM,
    NODES,
    PAUSED,
    SIDE,
    UNIT,
    V0,
    V1,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def _sort_vertices(path, v0, v1):
    """List vertices where the unit is positive, negative and 0; how many."""
    above, below, onto = 0, 0, 0
    for v in range(v0, v1):
        w, shift = (v - v0) >> 6, np.uint64((v - v0) & 63)
        plus, minus = path.masks[0, w] >> shift & _ONE, path.masks[1, w] >> shift & _ONE
        path.above[above] = path.below[below] = path.onto[onto] = v
        above += np.int64(plus)
        below += np.int64(minus)
        onto += np.int64(plus | minus == _ZERO)
    return above, below, onto


@inlined
def _facets_at(path, v):
    number = 0
    for w in range(path.tight.shape[0]):
        number += population(path.tight[w, v])
    return number


@inlined
def _common_facets(path, p, q):
    number = 0
    for w in range(path.tight.shape[0]):
        number += population(path.tight[w, p] & path.tight[w, q])
    return number


@kernel
def _no_third(path, p, q, v0, v1):
    """Whether no other vertex lies on all common facets of p and q."""
    for v in range(v0, v1):
        if v != p and v != q:
            missing = _ZERO
            for w in range(path.tight.shape[0]):
                missing |= path.tight[w, p] & path.tight[w, q] & ~path.tight[w, v]
            if missing == _ZERO:
                return False
    return True


@inlined
def _neighbors(path, p, below, v0, v1):
    """Find the vertices below that are joined with p, into the end of ``path.onto``; how many."""
    d, matches, start = path.points.shape[0], 0, path.onto.shape[0] // 2
    simple = _facets_at(path, p) == d
    if simple and path.tight.shape[0] == 1:
        own, every = splat(path.tight[0, p]), splat(~_ZERO)
        for b in range(0, below, 8):
            differ = own & (load(path.near, (b,)) ^ every)
            found = zero_words(differ & (differ + every))  # at most one bit
            while found != _ZERO:
                q = b + trailing_zeros(found)
                found &= found - _ONE
                path.onto[start + matches] = path.below[min(q, below - 1)]
                matches += np.int64(q < below)
        return matches
    for b in range(below):
        q = path.below[b]
        if _common_facets(path, p, q) >= d - 1:
            joined = simple or _facets_at(path, q) == d or _no_third(path, p, q, v0, v1)
            path.onto[start + matches] = q
            matches += np.int64(joined)
    return matches


@inlined
def _copy_vertex(path, v, made):
    for c in range(path.points.shape[0]):
        path.points[c, made] = path.points[c, v]
    path.doubts[made] = path.doubts[v]
    for w in range(path.tight.shape[0]):
        path.tight[w, made] = path.tight[w, v]
    path.known[made] = path.known[v]
    if path.known[v] != 0:
        for k in range(path.cofactors.shape[1]):
            for c in range(path.cofactors.shape[2]):
                path.cofactors[made, k, c] = path.cofactors[v, k, c]


@inlined
def _is_central(net, path, node, v):
    """Whether all facets through a vertex contain the origin."""
    for w in range(path.tight.shape[0]):
        word, b = path.tight[w, v], 64 * w
        while word != _ZERO:
            if word & _ONE != _ZERO and net.central[path.facets[node, b]] == 0:
                return False
            word >>= _ONE
            b += 1
    return True


@kernel
def _make_vertex(net, path, node, g, bit, v0, p, q, made):
    """The vertex where unit g is 0 between p and q."""
    good = place_between(path, g, v0, p, q, made)
    for w in range(path.tight.shape[0]):
        path.tight[w, made] = path.tight[w, p] & path.tight[w, q]
    path.tight[bit >> 6, made] |= _ONE << np.uint64(bit & 63)
    path.known[made] = 0
    if net.central[g] != 0 and _is_central(net, path, node, made):
        for c in range(path.points.shape[0]):
            path.points[c, made] = 0.0
        path.doubts[made] = 0.0
    elif not good:
        solve_vertex(net, path, node, made)


@inlined
def _free_bit(path, v0, v1):
    """The number of a facet on which no vertex lies, or -1."""
    for w in range(path.tight.shape[0]):
        used = _ZERO
        for v in range(v0, v1):
            used |= path.tight[w, v]
        if used != ~_ZERO:
            return 64 * w + trailing_zeros(~used)
    return -1


@kernel
def _fill_section(net, path, node, g, bit, v0, v1):
    """Put the vertices where unit g is 0 behind those of the node: (end, above, below)."""
    above, below, onto = _sort_vertices(path, v0, v1)
    made, most = (v1 + 7) & ~7, path.doubts.shape[0] - 16
    for i in range(onto):
        if made >= most:
            return -1, above, below
        _copy_vertex(path, path.onto[i], made)
        path.tight[bit >> 6, made] |= _ONE << np.uint64(bit & 63)
        made += 1
    for b in range(below):
        path.near[b] = path.tight[0, path.below[b]]
    start = path.onto.shape[0] // 2
    for a in range(above):
        p = path.above[a]
        for i in range(_neighbors(path, p, below, v0, v1)):
            if made >= most:
                return -1, above, below
            _make_vertex(net, path, node, g, bit, v0, p, path.onto[start + i], made)
            made += 1
    return made, above, below


@inlined
def _note_part(path, node, v0, v1, c0, c1, side):
    path.nodes[node, V0], path.nodes[node, V1] = v0, v1
    path.nodes[node, C0], path.nodes[node, C1] = c0, c1
    path.nodes[node, UNIT], path.nodes[node, SIDE] = path.candidates[c1], side


@kernel
def split(net, path, node, c0, c1):
    """Replace the last node by its two parts; the masks are those of the unit, without doubts.

    The unit follows the units from c0 to c1, which may split the parts. ``PAUSED`` if that is done,
    or ``NEEDS_ROOM``.
    """
    v0, v1, g = path.nodes[node, V0], path.nodes[node, V1], path.candidates[c1]
    bit = _free_bit(path, v0, v1)
    if bit < 0 or node + 2 > path.nodes.shape[0]:
        return NEEDS_ROOM
    path.facets[node, bit] = g
    first = (v1 + 7) & ~7
    made, above, below = _fill_section(net, path, node, g, bit, v0, v1)
    if made < 0:
        return NEEDS_ROOM
    onto, second = made - first, (made + above + 7) & ~7
    if second + onto + below + 16 > path.doubts.shape[0]:
        return NEEDS_ROOM
    for i in range(above):
        _copy_vertex(path, path.above[i], made + i)
    for i in range(onto):
        _copy_vertex(path, first + i, second + i)
    for i in range(below):
        _copy_vertex(path, path.below[i], second + onto + i)
    for b in range(path.facets.shape[1]):
        path.facets[node + 1, b] = path.facets[node, b]
    path.nodes[node + 1, LAYER] = path.nodes[node, LAYER]
    _note_part(path, node + 1, second, second + onto + below, c0, c1, -1)
    _note_part(path, node, first, made + above, c0, c1, 1)
    path.state[NODES] = node + 2
    if path.state[FORCED] != 0 and path.forced[g] != 0:
        _keep_one(path, node, path.forced[g])
    return PAUSED


@kernel
def _keep_one(path, node, side):
    """Drop the part on the other side of the last two nodes."""
    if side < 0:
        for column in range(path.nodes.shape[1]):
            path.nodes[node, column] = path.nodes[node + 1, column]
    path.state[NODES] = node + 1
