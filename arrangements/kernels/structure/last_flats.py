"""Flats of the last three ranks that are needed, from states in four coordinates with small minors.

The hyperplanes of such a state are seen as points of projective space. Its flats of rank 1, 2 and 3
are the points, the lines and the planes that they span. Seen from a point, lines through it are
points of a plane, and planes are lines. So one point after the other is looked from, and the
planes through a line are told apart by the slopes under which the line, now a point, sees the
others. Each line is looked at from the first of its points only; and of points that symmetries
exchange, only from the first.

All of this is done modulo one prime above every minor, so small that inverses and what is counted
for each slope are looked up in tables.
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined, kernel
from arrangements.kernels.modular.montgomery import mont_mul
from arrangements.kernels.structure.pencils import _SPARSE, GROUPS
from arrangements.kernels.structure.states import COUNT, DONE, add

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_NONE = np.int64(-1)
_NO_RESIDUE = np.uint32(0)
_NO_MULTIPLICITY = np.uint16(0)
# Entries in a row that are cleared in the time of one anywhere.
_CLEARED = 16
_LOW, _16 = np.uint32(0xFFFF), np.uint32(16)
_GOLDEN = np.uint64(0x9E3779B1)  # 2**32 over the golden ratio

_GROUP_SHIFT = np.uint64(24)  # from 32 bits to a slot of 2 GROUPS
_32_BITS = np.uint64(0xFFFFFFFF)


@inlined
def _short(number):
    """32 bits of it: numba computes with 64, of which a vector holds half as many."""
    return np.uint32(number)


@inlined
def _times(a, b, q, negative_inverse):
    """``a b / 2**16`` modulo q."""
    product = _short(a * b)
    quotient = _short(product * negative_inverse) & _LOW
    result = _short(product + _short(quotient * q)) >> _16
    return min(_short(result), _short(result - q))


@inlined
def _minus(a, b, q):
    result = _short(a + q - b)
    return min(result, _short(result - q))


@entry
def small_residues(rows, fields, small, out):
    """Residues modulo q of fractions of minors, given modulo p.

    Numerator and denominator come from Euclid's algorithm. They are determined by their size, as p
    exceeds 2 bound**2.

    rows : (R, 4, 1) uint32; fields : (1, 5) uint64, the prime p; small : SmallField
    out : (4, R) uint32

    Returns False if one of them is no such fraction, which takes a bad prime.
    """
    p, inv, q = fields[0, 0], fields[0, 1], np.int64(small.constants[0])
    for i in range(rows.shape[0]):
        for c in range(rows.shape[1]):
            # r = t x modulo p, r smaller and t larger from step to step
            before, r = np.int64(p), np.int64(mont_mul(np.uint64(rows[i, c, 0]), _ONE, p, inv))
            other, t = np.int64(0), np.int64(1)
            while r > small.bound:
                quotient = before // r
                before, r = r, before - quotient * r
                other, t = t, other - quotient * t
            if t % q == 0 or abs(t) > small.bound:
                return False
            scaled = np.int64(small.inverse[t % q]) * (r % q)  # 2**16 times the fraction
            out[c, i] = _times(
                np.uint32(scaled % q), np.uint32(1), small.constants[0], small.constants[1]
            )
    return True


@kernel
def _pass_on(states, s, share, weights, pencils):
    """Fill `passed` and `product`, of a state whose flat has `share` hyperplanes."""
    first, stop = states.start[s], states.start[s + 1]
    for q in range(weights.moduli.shape[0]):
        p, inv = weights.moduli[q, 0], weights.moduli[q, 1]
        number, inverse = weights.inverses[q, 0], weights.inverses[q, 1]
        for i in range(stop - first):
            c = states.multiplicity[first + i]
            part = mont_mul(number[c], inverse[share + c], p, inv)
            pencils.passed[i, q] = mont_mul(states.weight[s, 0, q], part, p, inv)
            pencils.product[i, q] = mont_mul(pencils.passed[i, q], number[c], p, inv)


@kernel
def _look_from(h, rows, begin, stop, small, pencils):
    """Coordinates `z`, `x` and `y` of the rows begin..stop - 1, seen from row h."""
    q, inv, square = small.constants[0], small.constants[1], small.constants[2]
    pivot = 3
    while rows[pivot, h] == _NO_RESIDUE:
        pivot -= 1
    inverse = small.inverse[rows[pivot, h]]
    a, b, c = 0 if pivot > 0 else 1, 1 if pivot > 1 else 2, 2 if pivot > 2 else 3
    factor = rows[pivot, begin:stop]
    for column, target in ((a, pencils.z), (b, pencils.x), (c, pencils.y)):
        share = _times(_times(rows[column, h], inverse, q, inv), square, q, inv)
        source = rows[column, begin:stop]
        for i in range(stop - begin):
            target[i] = _minus(source[i], _times(factor[i], share, q, inv), q)


@kernel
def _scale(count, small, pencils):
    """Divide the rows by their first entry other than 0, which is 1 then."""
    q, inv = small.constants[0], small.constants[1]
    z, x, y, scale = pencils.z, pencils.x, pencils.y, pencils.scale
    for i in range(count):
        scale[i] = small.inverse[z[i] if z[i] != _NO_RESIDUE else x[i]]
    for i in range(count):
        u, v = _times(x[i], scale[i], q, inv), _times(y[i], scale[i], q, inv)
        infinite = z[i] == _NO_RESIDUE
        y[i] = q if infinite and x[i] == _NO_RESIDUE else v
        x[i] = q if infinite else u


@kernel
def _gather_points(h, copies, count, multiplicity, small, pencils):
    """Put rows other than h that are equal now together; the numbers of points, z = 1 and all.

    copies : rows of the orbit of row h, of which it is the first

    There is hardly a branch here: whether a row is equal to one before cannot be predicted.
    """
    near, far = 0, 0
    for i in range(count):
        finite = pencils.z[i] != _NO_RESIDUE
        pencils.near[near], pencils.far[far] = i, i
        near += 1 if finite and i != h else 0
        far += 0 if finite or i == h else 1
    pencils.multiplicity[:count] = 0
    pencils.first[:count] = count
    pencils.own[:count] = 0
    pencils.passed_there[:count] = _ZERO
    pencils.product_there[:count] = _ZERO
    own = h + copies
    finite = _enter_rows(pencils.near[:near], 0, own, count, multiplicity, small, pencils)
    points = _enter_rows(pencils.far[:far], finite, own, count, multiplicity, small, pencils)
    for b in range(points):
        pencils.slots[pencils.slot[b]] = _NONE
    return finite, points


@kernel
def _enter_rows(rows, points, own, count, multiplicity, small, pencils):
    """Add some rows to their points; the number of points then, of which there were `points`.

    own : rows before this number are counted apart
    """
    q, size, shift = np.uint64(small.constants[0]), 2, np.uint64(31)
    while size < _SPARSE * count:
        size, shift = 2 * size, shift - _ONE
    for i in rows:
        key = np.uint64(pencils.x[i]) * (q + _ONE) + np.uint64(pencils.y[i])
        pencils.key[points] = np.uint32(key)  # there it stays if it is new
        pencils.point_x[points], pencils.point_y[points] = pencils.x[i], pencils.y[i]
        slot = np.int64(((key * _GOLDEN) & _32_BITS) >> shift)
        j = pencils.slots[slot]
        j = points if j == _NONE else j
        while pencils.key[j] != key:
            slot = (slot + 1) & (size - 1)
            j = pencils.slots[slot]
            j = points if j == _NONE else j
        pencils.slots[slot], pencils.slot[j] = j, slot
        points += 1 if j == points else 0
        pencils.multiplicity[j] += np.uint32(multiplicity[i])
        pencils.first[j] = min(pencils.first[j], i)
        pencils.own[j] += 1 if i < own else 0
        for k in range(pencils.passed.shape[1]):
            pencils.passed_there[j, k] += pencils.passed[i, k]
            pencils.product_there[j, k] += pencils.product[i, k]
    return points


@kernel
def _find_slopes(b, near, points, small, pencils):
    """Slopes from point b to all others; `near` points have z = 1."""
    q, inv, square = small.constants[0], small.constants[1], small.constants[2]
    x, y = pencils.point_x[:near], pencils.point_y[:near]
    rise, run, slope = pencils.rise[:near], pencils.run[:near], pencils.slope[:near]
    x0, y0 = pencils.point_x[b], pencils.point_y[b]
    if b < near:
        for c in range(near):
            run[c] = _minus(x[c], x0, q)
            rise[c] = _minus(y[c], y0, q)
        for c in range(near):
            slope[c] = small.inverse[run[c]]
        for c in range(near):
            finite = _times(rise[c], slope[c], q, inv)
            slope[c] = q if run[c] == _NO_RESIDUE else finite
        for c in range(near, points):
            pencils.slope[c] = pencils.point_y[c]
        return
    # lines through a point at infinity are told apart by where they meet an axis
    direction = _times(y0, square, q, inv)
    for c in range(near):
        slope[c] = x[c] if y0 == q else _minus(y[c], _times(direction, x[c], q, inv), q)
    for c in range(near, points):
        pencils.slope[c] = q


@kernel
def _enter_line(h, b, size, copies, pencils):
    """Put the line through h and point b, of `size` hyperplanes, into a group.

    It stands for the lines through all `copies` rows of the orbit of h.
    Returns its group, or -1 if there is no room for another one, or for another line.
    """
    if pencils.groups[1] == pencils.groups[2]:
        return _NONE
    own = pencils.own[b] + 1
    key = pencils.passed_there[b, 0] + pencils.passed[h, 0] + np.uint64(size + own)
    slot = np.int64((key * _GOLDEN & _32_BITS) >> _GROUP_SHIFT)
    group = pencils.group_slots[slot]
    while group != _NONE and not _is_in_group(h, b, size, own, copies, group, pencils):
        slot = (slot + 1) & (2 * GROUPS - 1)
        group = pencils.group_slots[slot]
    if group == _NONE:
        group = pencils.groups[0]
        if group == GROUPS:
            return _NONE
        pencils.groups[0] = group + 1
        pencils.group_slots[slot], pencils.group_slot[group] = group, slot
        pencils.size[group], pencils.lines[group] = size, 0
        pencils.own_rows[group], pencils.copies[group] = own, copies
        for q in range(pencils.passed.shape[1]):
            pencils.share[group, q] = pencils.passed_there[b, q] + pencils.passed[h, q]
            pencils.part[group, q] = pencils.product_there[b, q] + pencils.product[h, q]
    pencils.groups[1] += 1
    pencils.lines[group] += 1
    return group


@inlined
def _is_in_group(h, b, size, own, copies, group, pencils):
    same = pencils.size[group] == size and pencils.own_rows[group] == own
    same = same and pencils.copies[group] == copies
    for q in range(pencils.passed.shape[1]):
        share = pencils.passed_there[b, q] + pencils.passed[h, q]
        part = pencils.product_there[b, q] + pencils.product[h, q]
        same = same and pencils.share[group, q] == share and pencils.part[group, q] == part
    return same


@kernel
def _count_planes(points, number, pencils):
    """Add the multiplicity of each point to `number`, at that of its plane through the line."""
    slope, total, multiplicity = pencils.slope, pencils.total, pencils.multiplicity
    for c in range(points):
        total[slope[c]] += np.uint16(multiplicity[c])
    for c in range(points):
        number[total[slope[c]]] += multiplicity[c]
    if total.shape[0] < _CLEARED * points:
        total[:] = _NO_MULTIPLICITY
    else:
        for c in range(points):
            total[slope[c]] = _NO_MULTIPLICITY


@kernel
def _add_groups(share, weights, pencils):
    """Add the lines of all groups, with their counts, to the sums; forget the groups.

    A line of a group gives a plane of m more hyperplanes m / (size + m) of its weight. From each of
    the rows of an orbit on it, it is seen once.

    share : int, hyperplanes that contain the flat of the state
    """
    for group in range(pencils.groups[0]):
        size, number, kinds = pencils.size[group], pencils.number[group], 0
        pencils.group_slots[pencils.group_slot[group]] = _NONE
        for m in range(weights.total - size + 1):  # at most as many hyperplanes as there are
            pencils.kinds[kinds] = m
            kinds += 1 if number[m] else 0
        for q in range(weights.moduli.shape[0]):
            p, inv = weights.moduli[q, 0], weights.moduli[q, 1]
            count, inverse = weights.inverses[q, 0], weights.inverses[q, 1]
            weight = mont_mul(count[size - share], pencils.share[group, q] % p, p, inv)
            weight += p - pencils.part[group, q] % p
            weight = mont_mul(weight - p if weight >= p else weight, inverse[size], p, inv)
            seen = mont_mul(count[pencils.copies[group]], inverse[pencils.own_rows[group]], p, inv)
            weight = mont_mul(weight, seen, p, inv)
            lines = np.uint64(pencils.lines[group]) * weight % p
            weights.sums[1, q] = add(weights.sums[1, q], lines, p)
            total = _ZERO
            for m in pencils.kinds[:kinds]:
                total += np.uint64(number[m]) * inverse[size + m]
            planes = mont_mul(total % p, weight, p, inv)
            weights.sums[2, q] = add(weights.sums[2, q], planes, p)
        for m in pencils.kinds[:kinds]:
            number[m] = 0
    pencils.groups[:2] = 0


@entry
def add_last_flats(states, copies, rows, small, weights, pencils, position, budget):
    """Add the flats of ranks 1 to 3 above those of states in four coordinates to ``weights.sums``.

    copies : (R,) int64, the number of rows of an orbit at the first of them, which the others
        follow, with 0
    rows : (4, R) uint32, the rows of the states modulo q; small : SmallField
    position : (2,) int64, state and row to go on with; advanced
    budget : int, rows after which to return

    Returns DONE (at the end or out of budget).
    """
    for s in range(position[0], states.used[COUNT]):
        if budget <= 0:
            return DONE
        begin, stop = states.start[s], states.start[s + 1]
        share = weights.total
        for i in range(begin, stop):
            share -= states.multiplicity[i]
        _pass_on(states, s, share, weights, pencils)
        for h in range(position[1], stop - begin):
            if budget <= 0:
                _add_groups(share, weights, pencils)
                return DONE
            alike = copies[begin + h]
            if alike == 0:
                budget -= 1
                position[1] += 1
                continue
            for q in range(weights.moduli.shape[0]):
                p, inv = weights.moduli[q, 0], weights.moduli[q, 1]
                own = mont_mul(pencils.passed[h, q], weights.inverses[q, 0, alike], p, inv)
                weights.sums[0, q] = add(weights.sums[0, q], own, p)
            _look_from(begin + h, rows, begin, stop, small, pencils)
            _scale(stop - begin, small, pencils)
            multiplicity = states.multiplicity[begin:stop]
            finite, points = _gather_points(h, alike, stop - begin, multiplicity, small, pencils)
            for b in range(points):
                if pencils.first[b] < h:
                    continue
                kept = pencils.multiplicity[b]
                size = share + states.multiplicity[begin + h] + np.int64(kept)
                group = _enter_line(h, b, size, alike, pencils)
                if group == _NONE:
                    _add_groups(share, weights, pencils)
                    group = _enter_line(h, b, size, alike, pencils)
                pencils.multiplicity[b] = 0
                _find_slopes(b, finite, points, small, pencils)
                _count_planes(points, pencils.number[group], pencils)
                pencils.multiplicity[b] = kept
            budget -= 1
            position[1] += 1
        _add_groups(share, weights, pencils)
        position[0], position[1] = s + 1, 0
    return DONE
