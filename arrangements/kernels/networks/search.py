"""The regions of a network, depth first: each node is split by one unit, or is a region."""

from arrangements.kernels.compilation import entry, inlined, kernel
from arrangements.kernels.networks.points import find_point, find_two_points
from arrangements.kernels.networks.rows import classify, compose
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
    LATE_SOLVE,
    LAYER,
    MOST_UNSOLVED,
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
    UNSOLVED,
    V0,
    V1,
)

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
    """Split the last node: ``PAUSED``; or it is a region: ``DONE``; or two: ``FULL``.

    Then the unit that splits it is the first free candidate.
    """
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
        if end == c1 + 1 and layer == path.state[LAST] and path.state[FORCED] == 0:
            return FULL
        return _split(net, path, node, end)


@kernel
def _split(net, path, node, end):
    """Split a node by the last of the candidates that do."""
    if _sides_of(net, path, node, path.candidates[end - 1], True) & DOUBTFUL:
        return NEEDS_RESIDUES
    return split(net, path, node, path.nodes[node, C1], end - 1)


@kernel
def _write(net, path, signs, outputs):
    """Write the signs and outputs of a region."""
    at, last = 0, path.points.shape[0]
    for layer in range(path.state[LAST] + 1):
        first = net.table[layer, FIRST]
        for u in range(net.table[layer, NUMBER]):
            signs[at] = path.signs[first + u]
            at += 1
    if path.state[OUTPUTS] != 0:
        layer = net.table.shape[0] - 1
        for between in range(path.state[LAST] + 1, layer + 1):
            compose(net, path, between)
        first = net.table[layer, FIRST]
        for u in range(net.table[layer, ROWS]):
            for c in range(last):
                outputs[u, c] = path.rows[c, first + u] * net.scales[0]
            outputs[u, last] = path.rows[last, first + u] * net.scales[1]


@inlined
def _write_one(net, path, signs, point, outputs):
    """Write the last node, a region; whether its point is known."""
    node = path.state[NODES] - 1
    if path.state[POINT] != 0:
        for c in range(point.shape[0]):
            point[c] = path.point[c]
        path.state[POINT] = 0
    elif not find_point(net, path, node, point):
        return False
    _write(net, path, signs, outputs)
    return True


@inlined
def _write_two(net, path, signs, points, outputs):
    """Write the two regions of the last node; whether their points were found."""
    node = path.state[NODES] - 1
    g = path.candidates[path.nodes[node, C1]]
    _sides_of(net, path, node, g, False)
    if not find_two_points(net, path, node, g, points):
        return False
    for k in range(2):
        path.signs[g] = 2 * k - 1
        _write(net, path, signs[k], outputs[k])
    return True


@kernel
def _finish(net, path, status, signs, points, outputs):
    """Write the regions of the last node: ``DONE``, or what else is to be done."""
    if status == DONE:
        return DONE if _write_one(net, path, signs[0], points[0], outputs[0]) else NEEDS_POINT
    if signs.shape[0] > 1 and _write_two(net, path, signs, points, outputs):
        return DONE
    node = path.state[NODES] - 1
    return _split(net, path, node, path.nodes[node, C1] + 1)


@entry
def find_regions(net, path, signs, points, outputs, count, budget):
    """Go on until the arrays may be full: (status, rows in use).

    signs : (m, units) int8, points : (m, d) float64, outputs : (m, k, d + 1) float64
        The last one is used if ``state[OUTPUTS]``; nothing is written without ``state[STORE]``. One
        row may stay free.
    budget : nodes to visit at most, fewer if vertices need the kernel that solves for them
    """
    state, rows = path.state, signs.shape[0]
    for _ in range(budget):
        if state[NODES] == 0:
            return DONE, count
        if state[STORE] != 0 and (count == rows or (count == rows - 1 and rows > 1)):
            return FULL, count
        if state[UNSOLVED] > MOST_UNSOLVED and path.late[LATE_SOLVE] == 0:
            return PAUSED, count
        status = _visit(net, path)
        made = 2 if status == FULL else 1
        if state[STORE] != 0 and (status == DONE or status == FULL):
            status = _finish(net, path, status, signs[count:], points[count:], outputs[count:])
        if status == PAUSED:
            continue
        if status != DONE and status != FULL:
            return status, count
        count += made if state[STORE] != 0 else 0
        state[FOUND] += made
        state[NODES] -= 1
    return PAUSED, count
