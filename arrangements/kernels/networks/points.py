"""Points of regions, proved to be inside."""

import numpy as np

from arrangements.kernels.compilation import inlined, kernel
from arrangements.kernels.networks.rows import ROUNDING, TINY
from arrangements.kernels.networks.workspace import V0, V1

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def _find_facets(path, v0, v1):
    """Find the facets on which there are vertices, into ``path.used_facets``."""
    for w in range(path.tight.shape[0]):
        word = _ZERO
        for v in range(v0, v1):
            word |= path.tight[w, v]
        path.used_facets[w] = word


@inlined
def _mean(path, v0, v1, out):
    share = 1.0 / (v1 - v0)
    for c in range(out.shape[0]):
        total = 0.0
        for v in range(v0, v1):
            total += path.points[c, v]
        out[c] = total * share


@inlined
def _is_beyond(net, path, g, side, point):
    """Whether a row certainly has the sign `side` at a point."""
    d = point.shape[0]
    value = path.rows[d, g]
    size = abs(value)
    for c in range(d):
        value += path.rows[c, g] * point[c]
        size += abs(path.rows[c, g])
    return side * value > net.errors[g] + (d + 4) * ROUNDING * size + TINY


@kernel
def _is_inside(net, path, node, point):
    """Whether a point is certainly on the right side of all facets that were found."""
    for w in range(path.tight.shape[0]):
        word, b = path.used_facets[w], 64 * w
        while word != _ZERO:
            if word & _ONE != _ZERO:
                g = path.facets[node, b]
                if not _is_beyond(net, path, g, np.float64(path.signs[g]), point):
                    return False
            word >>= _ONE
            b += 1
    return True


@kernel
def find_point(net, path, node, out):
    """Put the mean of the vertices of a node into `out`; whether it is certainly inside."""
    v0, v1 = path.nodes[node, V0], path.nodes[node, V1]
    _find_facets(path, v0, v1)
    _mean(path, v0, v1, out)
    return _is_inside(net, path, node, out)


@inlined
def _mean_of_side(path, v0, v1, side, out):
    """Put the mean of the vertices of one mask into `out`; that of the values."""
    number, value = 0, 0.0
    for c in range(out.shape[0]):
        out[c] = 0.0
    for v in range(v0, v1):
        if path.masks[side, (v - v0) >> 6] >> np.uint64((v - v0) & 63) & _ONE != _ZERO:
            number += 1
            value += path.values[v - v0]
            for c in range(out.shape[0]):
                out[c] += path.points[c, v]
    share = 1.0 / number
    for c in range(out.shape[0]):
        out[c] *= share
    return value * share


@kernel
def find_two_points(net, path, node, g, out):
    """Points of both parts into which a unit splits a node; whether they certainly are.

    The mean of all vertices is inside, and so is what is between it and the mean of those on one
    side of the unit; where the former is on the other side, so is what is near the latter.

    out : (>= 2, d) float64, overwritten: first the negative side, as in a split
    """
    v0, v1, d = path.nodes[node, V0], path.nodes[node, V1], path.points.shape[0]
    _find_facets(path, v0, v1)
    _mean(path, v0, v1, path.point)
    middle = path.rows[d, g]
    for c in range(d):
        middle += path.rows[c, g] * path.point[c]
    for side in range(2):
        point = out[1 - side]
        value = _mean_of_side(path, v0, v1, side, point)
        share = 0.5
        if (middle < 0.0) == (side == 0):
            share = 0.5 * value / (value - middle)
        for c in range(d):
            point[c] += share * (path.point[c] - point[c])
        if not _is_beyond(net, path, g, 1.0 - 2.0 * side, point):
            return False
        if not _is_inside(net, path, node, point):
            return False
    return True
