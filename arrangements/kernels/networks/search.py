"""The regions of a network, depth first: each node is split by one unit, or is a region."""

import numpy as np

from arrangements.kernels.compilation import entry, inlined, kernel
from arrangements.kernels.networks.rows import ROUNDING, TINY, classify, compose
from arrangements.kernels.networks.splitting import split
from arrangements.kernels.networks.vertices import DOUBTFUL, MINUS, PLUS, find_sides, settle
from arrangements.kernels.networks.workspace import (
    C0,
    C1,
    DONE,
    FIRST,
    FORCED,
    FOUND,
    FULL,
    LAST,
    LAYER,
    NEEDS_POINT,
    NEEDS_RESIDUES,
    NEEDS_ROOM,
    NODES,
    NUMBER,
    OUTPUTS,
    PAUSED,
    POINT,
    ROWS,
    SIDE,
    STORE,
    UNIT,
    V0,
    V1,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BOTH = PLUS | MINUS


@kernel
def _sides_of(net, path, node, g, all_of_them):
    """`find_sides` of a node; doubts are settled if they matter, or `all_of_them`."""
    v0, v1 = path.nodes[node, V0], path.nodes[node, V1]
    found = find_sides(path, g, v0, v1)
    if found & DOUBTFUL and (all_of_them or found & _BOTH != _BOTH):
        found = settle(net, path, node, g, v0, v1)
    return found


@kernel
def _keep_splitting(net, path, node):
    """Copy the candidates that split a node behind the list; its end, or -1 for want of residues.

    The others get their signs.
    """
    c0, c1 = path.nodes[node, C0], path.nodes[node, C1]
    at = c1
    for i in range(c0, c1):
        g = path.candidates[i]
        found = _sides_of(net, path, node, g, False)
        if found & _BOTH == _BOTH:
            path.candidates[at] = g
            at += 1
        elif found & DOUBTFUL:
            return -1
        else:
            path.signs[g] = found & PLUS if found != MINUS else -1
    return at


@kernel
def _descend(net, path, node):
    """Go on with the next layer of a node: ``PAUSED``, or ``NEEDS_ROOM``."""
    layer, at = path.nodes[node, LAYER] + 1, path.nodes[node, C1]
    if at + 2 * net.table[layer, NUMBER] > path.candidates.shape[0]:
        return NEEDS_ROOM
    compose(net, path, layer)
    end = classify(net, path, layer, path.nodes[node, V0], path.nodes[node, V1], at)
    path.nodes[node, LAYER], path.nodes[node, C0], path.nodes[node, C1] = layer, at, end
    return PAUSED


@kernel
def _visit(net, path):
    """Split the last node: ``PAUSED``; or it is a region: ``DONE``; or counted: ``FULL``."""
    node = path.state[NODES] - 1
    if path.nodes[node, UNIT] >= 0:
        path.signs[path.nodes[node, UNIT]] = path.nodes[node, SIDE]
    while True:
        c1, layer = path.nodes[node, C1], path.nodes[node, LAYER]
        if 2 * c1 - path.nodes[node, C0] > path.candidates.shape[0]:
            return NEEDS_ROOM
        end = _keep_splitting(net, path, node)
        if end < 0:
            return NEEDS_RESIDUES
        if end == c1:
            if layer == path.state[LAST]:
                return DONE
            status = _descend(net, path, node)
            if status != PAUSED:
                return status
            continue
        if end == c1 + 1 and layer == path.state[LAST] and _only_counts(path):
            return FULL
        if _sides_of(net, path, node, path.candidates[end - 1], True) & DOUBTFUL:
            return NEEDS_RESIDUES
        return split(net, path, node, c1, end - 1)


@inlined
def _only_counts(path):
    return path.state[STORE] == 0 and path.state[FORCED] == 0


@kernel
def _is_inside(net, path, node, out):
    """Put the mean of the vertices of a region into `out`; whether it is certainly inside."""
    v0, v1, d = path.nodes[node, V0], path.nodes[node, V1], out.shape[0]
    share = 1.0 / (v1 - v0)
    for c in range(d):
        total = 0.0
        for v in range(v0, v1):
            total += path.points[c, v]
        out[c] = total * share
    for w in range(path.tight.shape[0]):
        word, b = _ZERO, 64 * w
        for v in range(v0, v1):
            word |= path.tight[w, v]
        while word != _ZERO:
            if word & _ONE != _ZERO:
                g = path.facets[node, b]
                value = path.rows[d, g]
                size = abs(value)
                for c in range(d):
                    value += path.rows[c, g] * out[c]
                    size += abs(path.rows[c, g])
                side = np.float64(path.signs[g]) * value
                if not side > net.errors[g] + (d + 4) * ROUNDING * size + TINY:
                    return False
            word >>= _ONE
            b += 1
    return True


@kernel
def _write(net, path, node, signs, point, outputs):
    """Write a region; whether its point is known."""
    if path.state[POINT] != 0:
        for c in range(point.shape[0]):
            point[c] = path.point[c]
        path.state[POINT] = 0
    elif not _is_inside(net, path, node, point):
        return False
    at = 0
    for layer in range(path.state[LAST] + 1):
        first = net.table[layer, FIRST]
        for u in range(net.table[layer, NUMBER]):
            signs[at] = path.signs[first + u]
            at += 1
    if path.state[OUTPUTS] != 0:
        layer, last = net.table.shape[0] - 1, point.shape[0]
        for between in range(path.state[LAST] + 1, layer + 1):
            compose(net, path, between)
        first = net.table[layer, FIRST]
        for u in range(net.table[layer, ROWS]):
            for c in range(last):
                outputs[u, c] = path.rows[c, first + u] * net.scales[0]
            outputs[u, last] = path.rows[last, first + u] * net.scales[1]
    return True


@entry
def find_regions(net, path, signs, points, outputs, count, budget):
    """Go on until the arrays are full: (status, rows in use).

    signs : (m, units) int8, points : (m, d) float64, outputs : (m, k, d + 1) float64
        The last one is used if ``state[OUTPUTS]``; nothing is written without ``state[STORE]``.
    budget : nodes to visit at most
    """
    state = path.state
    for _ in range(budget):
        if state[NODES] == 0:
            return DONE, count
        if state[STORE] != 0 and count == signs.shape[0]:
            return FULL, count
        status = _visit(net, path)
        if status == PAUSED:
            continue
        if status != DONE and status != FULL:
            return status, count
        if state[STORE] != 0:
            if not _write(net, path, state[NODES] - 1, signs[count], points[count], outputs[count]):
                return NEEDS_POINT, count
            count += 1
        state[FOUND] += 1 if status == DONE else 2
        state[NODES] -= 1
    return PAUSED, count
