"""The least weight that a closed side of a hyperplane through the origin can have.

Row i has one weight where ``rows[i] . u > 0`` and another where it is negative; their sum is a
function of the direction u. A simplicial cone of directions, whose corners are exact floats, is
bisected until the rows of one sign all over it, and the lesser weights of the others, weigh at
least as much as the best direction found. Each cone stands for the opposite one, too.

In the plane and in space, a cone with few such rows is decided at once: a chamber within it has a
side on one of them, or is all of it. On that line, the rows change their signs at points, whose
places are known up to an error; that a row becomes cheaper counts from the first place where it
may, and that it becomes dearer from the last. So sums are lower bounds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, inlined, outlined

# Fields of a node: its rows are ``lists[first:stop]``, those of its children are written from
# `free` on; the weight of all other rows on the cone, and on the opposite one.
FIRST, STOP, FREE, HERE, THERE = range(5)
# Answers.
FOUND, UNDECIDED = range(2)
# Corners have at most this many binary digits, so that their middles are floats.
_MOST_BITS = 50
_ROUNDING = 2.0**-53
# Most rows of a node that is decided at once.
MOST = 24


class Directions(NamedTuple):
    """A search of n rows in d dimensions.

    Attributes
    ----------
    rows : (n, d) float64
        Entries between -1 and 1, each off by at most a relative 2**-53 and an absolute 2**-1000.
    weights : (n, 2) int64
        Where negative, and where positive; >= 0.
    corners : (s, d, d) float64, bits : (s, d) int64, nodes : (s, 5) int64
        The nodes that wait: corners, and the binary digits of each.
    lists : (k,) int64, k >= 2 n
        Rows of the nodes that wait.
    least, looks : (1,) int64
        The least weight found; how many rows were looked at.
    values : (MOST, 3) float64
        Of the rows of a node at its corners.
    ends : (MOST, 3) float64
        Their values at both ends of a segment, and the error of these.
    times : (MOST,) float64, changes : (MOST,) int64
        Where on it a sum changes, and by how much.
    """

    rows: NDArray[np.float64]
    weights: NDArray[np.int64]
    corners: NDArray[np.float64]
    bits: NDArray[np.int64]
    nodes: NDArray[np.int64]
    lists: NDArray[np.int64]
    least: NDArray[np.int64]
    looks: NDArray[np.int64]
    values: NDArray[np.float64]
    ends: NDArray[np.float64]
    times: NDArray[np.float64]
    changes: NDArray[np.int64]


@inlined
def value_at(space, i, node, corner):
    """The value of row i at a corner of a node."""
    value = 0.0
    for x in range(space.rows.shape[1]):
        value += space.rows[i, x] * space.corners[node, corner, x]
    return value


@inlined
def weigh(space, node, first, stop, to):
    """Sort the rows ``lists[first:stop]`` by their signs on the cone of `node`, whose sums are set.

    Rows without one sign go to ``lists[to:]``, and the directions through the middle of the cone
    are tried. Returns the lower bound for the weights of both cones, and where the rows end.
    """
    d = space.rows.shape[1]
    space.looks[0] += stop - first
    error = (d + 5) * _ROUNDING
    here = there = low = up = down = np.int64(0)
    for k in range(first, stop):
        i = space.lists[k]
        least, most, middle = np.inf, -np.inf, 0.0
        for c in range(d):
            value = value_at(space, i, node, c)
            least, most, middle = min(least, value), max(most, value), middle + value
        minus, plus = space.weights[i, 0], space.weights[i, 1]
        if least > error:
            here, there = here + plus, there + minus
        elif most < -error:
            here, there = here + minus, there + plus
        else:
            low += min(minus, plus)
            # on the hyperplane through the middle, both sides may count
            sure = abs(middle) > 2 * d * error
            here_too, there_too = (plus, minus) if middle > 0.0 else (minus, plus)
            up += here_too if sure else plus + minus
            down += there_too if sure else plus + minus
            space.lists[to] = i
            to += 1
    space.nodes[node, HERE] += here
    space.nodes[node, THERE] += there
    here, there = space.nodes[node, HERE], space.nodes[node, THERE]
    space.least[0] = min(space.least[0], here + up, there + down)
    return min(here, there) + low, to


@inlined
def crossings(space, first, rows, skipped, side):
    """Where the weight of the rows ``lists[first:first + rows]`` changes on a segment.

    side : 0 or 1, whether the weights of the directions themselves or of the opposite ones count
    Returns (weight at the beginning, number of changes), the changes being in order.
    """
    weight, number = np.int64(0), 0
    for k in range(rows):
        minus = space.weights[space.lists[first + k], side]
        plus = space.weights[space.lists[first + k], 1 - side]
        start, stop, error = space.ends[k, 0], space.ends[k, 1], space.ends[k, 2]
        if k == skipped or not min(abs(start), abs(stop)) > 4.0 * error:
            weight += min(minus, plus)
            continue
        weight += plus if start > 0.0 else minus
        if (start > 0.0) == (stop > 0.0) or plus == minus:
            continue
        change = minus - plus if start > 0.0 else plus - minus
        length = abs(start) + abs(stop)
        width = 4.0 * (error / length + _ROUNDING)
        time = abs(start) / length + (width if change > 0 else -width)
        place = number
        while place > 0 and space.times[place - 1] > time:
            space.times[place] = space.times[place - 1]
            space.changes[place] = space.changes[place - 1]
            place -= 1
        space.times[place], space.changes[place] = time, change
        number += 1
    return weight, number


@inlined
def try_point(space, first, rows, skipped, side, time, others):
    """Lower the least weight to that at a point of the segment, if it is certain."""
    if not 0.0 < time < 1.0:
        return
    weight = others
    for k in range(rows):
        minus = space.weights[space.lists[first + k], side]
        plus = space.weights[space.lists[first + k], 1 - side]
        value = (1.0 - time) * space.ends[k, 0] + time * space.ends[k, 1]
        if k == skipped:
            weight += min(minus, plus)
        elif abs(value) > 2.0 * space.ends[k, 2]:
            weight += plus if value > 0.0 else minus
        else:
            return
    space.least[0] = min(space.least[0], weight)


@inlined
def segment_bound(space, node, first, rows, skipped):
    """A lower bound for the weights along the segment with these `ends`; the best is tried."""
    bound = np.int64(2**62)
    for side in range(2):
        others = space.nodes[node, HERE + side]
        weight, number = crossings(space, first, rows, skipped, side)
        least, low, high = weight, 0.0, space.times[0] if number > 0 else 1.0
        for k in range(number):
            weight += space.changes[k]
            if weight < least:
                least, low = weight, space.times[k]
                high = space.times[k + 1] if k + 1 < number else 1.0
        if others + least < space.least[0]:
            try_point(space, first, rows, skipped, side, 0.5 * (low + high), others)
        bound = min(bound, others + least)
    return bound


@inlined
def cut_edge(space, rows, pivot, end, a, b):
    """One end of a segment: where the row `pivot` meets the edge between the corners a and b."""
    alpha, beta = abs(space.values[pivot, b]), abs(space.values[pivot, a])
    for k in range(rows):
        space.ends[k, end] = alpha * space.values[k, a] + beta * space.values[k, b]


@outlined
def is_decided(space, node, first, rows):
    """Whether no direction of the cone, with so few rows, is better than the best found."""
    d = space.rows.shape[1]
    space.looks[0] += rows
    error = (d + 5) * _ROUNDING
    for k in range(rows):
        i = space.lists[first + k]
        for c in range(d):
            value = space.values[k, c] = value_at(space, i, node, c)
            if not abs(value) > error:
                return False
    if d == 2:
        for k in range(rows):
            space.ends[k, 0], space.ends[k, 1] = space.values[k, 0], space.values[k, 1]
            space.ends[k, 2] = error
        return segment_bound(space, node, first, rows, -1) >= space.least[0]
    for pivot in range(rows):
        space.looks[0] += 2 * rows
        alone = 0  # the corner that the row separates from the others
        first_side = space.values[pivot, 0] > 0.0
        if (space.values[pivot, 1] > 0.0) == first_side:
            alone = 2
        elif (space.values[pivot, 2] > 0.0) == first_side:
            alone = 1
        cut_edge(space, rows, pivot, 0, alone, (alone + 1) % 3)
        cut_edge(space, rows, pivot, 1, alone, (alone + 2) % 3)
        for k in range(rows):
            # values are below 2, and their products are off by the errors of both factors
            space.ends[k, 2] = 16.0 * error * size_of(space, pivot, k)
        if segment_bound(space, node, first, rows, pivot) < space.least[0]:
            return False
    return True


@inlined
def size_of(space, first, second):
    """The largest value of two rows at a corner."""
    size = 0.0
    for c in range(3):
        size = max(size, abs(space.values[first, c]), abs(space.values[second, c]))
    return size


@inlined
def longest_edge(corners, node):
    """The two corners that are farthest from each other."""
    d = corners.shape[1]
    first, second, longest = 0, d - 1, -1.0
    for a in range(d):
        for b in range(a):
            length = 0.0
            for x in range(d):
                length += (corners[node, a, x] - corners[node, b, x]) ** 2
            if length > longest:
                first, second, longest = b, a, length
    return first, second


@inlined
def bisect(space, node):
    """Replace the last node by its halves that may be better; how many wait then, -1: give up."""
    nodes, d = space.nodes, space.rows.shape[1]
    first, stop, free = nodes[node, FIRST], nodes[node, STOP], nodes[node, FREE]
    a, b = longest_edge(space.corners, node)
    bits = 1 + max(space.bits[node, a], space.bits[node, b])
    if bits > _MOST_BITS or node + 2 >= len(nodes) or free + 2 * (stop - first) > len(space.lists):
        return -1
    # the node itself is kept below its halves until both are made
    at, end = node + 1, free
    for corner in (a, b):
        move(space, node, at)
        space.bits[at, corner] = bits
        for x in range(d):
            ends = space.corners[node, a, x] + space.corners[node, b, x]
            space.corners[at, corner, x] = 0.5 * ends
        bound, to = weigh(space, at, first, stop, end)
        few = d <= 3 and to - end <= MOST
        if bound < space.least[0] and not (few and is_decided(space, at, end, to - end)):
            nodes[at, FIRST], nodes[at, STOP] = end, to
            at, end = at + 1, to
    for child in range(node + 1, at):
        nodes[child, FREE] = end
        move(space, child, child - 1)
    return at - 1


@inlined
def move(space, node, to):
    """Put a node elsewhere."""
    for c in range(space.corners.shape[1]):
        space.bits[to, c] = space.bits[node, c]
        for x in range(space.corners.shape[1]):
            space.corners[to, c, x] = space.corners[node, c, x]
    for field in range(space.nodes.shape[1]):
        space.nodes[to, field] = space.nodes[node, field]


@entry
def least_side(space, corners, bits, most_looks):
    """Search a cone of directions, and the opposite one.

    space : Directions; `least` has a weight that a direction is known to have, and is lowered
    corners : (d, d) float64, of the cone; multiples of ``2**-bits`` with sums of sizes up to 1.5
    most_looks : int, at which the search is given up

    Returns the status.
    """
    n, d = space.rows.shape
    for c in range(d):
        space.bits[0, c] = bits
        for x in range(d):
            space.corners[0, c, x] = corners[c, x]
    space.nodes[0, HERE] = space.nodes[0, THERE] = 0
    for i in range(n):
        space.lists[i] = i
    bound, stop = weigh(space, 0, 0, n, n)
    space.nodes[0, FIRST], space.nodes[0, STOP], space.nodes[0, FREE] = n, stop, stop
    waiting = 1 if bound < space.least[0] else 0
    while waiting > 0:
        waiting = bisect(space, waiting - 1)
        if waiting < 0 or space.looks[0] > most_looks:
            return UNDECIDED
    return FOUND
