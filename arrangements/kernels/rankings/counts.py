"""Whether the points of a line are all different: then they need only be counted."""

from arrangements.kernels.compilation import inlined, kernel

_U64 = 2.0**-53
# A cell holds a stamp in its upper 32 bits, and is not negative.
MOST_STAMPS = 2**31 - 1


@inlined
def place_points(table, bound, e, turn, c, points):
    """Intervals of the points of the pairs (a, c) in s = K / (|A| + |K|), its sign that of A.

    As in ``kernels.chambers.tableau.intervals``: with errors E of A and F of K below a sixteenth of
    |A| and of |A| + |K|, that of s is below 1.35 (F |A| + E |K|) / (|A| + |K|)^2, and five
    roundings. An interval without these is endless.
    """
    e_a, e_k = bound[e, 0, e], bound[e, 0, e + 1]
    row = c * (c - 1) // 2
    for a in range(c):
        slope = table[e, e, a] - table[e, e, c]
        constant = turn * (table[e, e + 1, a] - table[e, e + 1, c])
        a_size, k_size = abs(slope), abs(constant)
        inverse = 1.0 / (a_size + k_size)
        s = constant * inverse
        s = -s if slope < 0.0 else s
        width = 1.35 * (e_k * a_size + e_a * k_size) * inverse * inverse + 8.0 * _U64
        certain = a_size > 16.0 * e_a and a_size + k_size > 16.0 * e_k
        points[0, row + a] = s - width if certain else -2.0
        points[1, row + a] = s + width if certain else 2.0


@kernel
def points_distinct(table, bound, cells, e, turn, first, last, stamp):
    """Whether the points of the pairs (a, c), a < c, first <= c < last, are proved distinct.

    Every interval is entered in the one or two cells of the line that it meets, and compared with
    those that are there. ``cell[k]`` is the last of cell k, if it carries the stamp of this line,
    1 to MOST_STAMPS and larger than all that are there; ``after[2 p + k % 2]`` is the pair
    there before p.
    """
    points, after, cell = cells.points, cells.after, cells.cell
    scale = (cell.shape[0] - 1) / 2.02
    mark = stamp << 32
    for c in range(first, last):
        place_points(table, bound, e, turn, c, points)
        row = c * (c - 1) // 2
        for p in range(row, row + c):
            low, high = points[0, p], points[1, p]
            if high - low > 1.0:
                return False
            k, stop = int((low + 1.01) * scale), int((high + 1.01) * scale)
            if stop > k + 1:
                return False
            while k <= stop:
                q = cell[k] - mark
                before = q
                while q >= 0:
                    if low <= points[1, q] and points[0, q] <= high:
                        return False
                    q = after[2 * q + (k & 1)]
                after[2 * p + (k & 1)] = max(before, -1)
                cell[k] = mark + p
                k += 1
    return True
