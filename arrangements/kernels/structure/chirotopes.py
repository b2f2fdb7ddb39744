"""Loops over all r-subsets of n elements, in lexicographic order: minors, chirotopes, axioms.

Common to the kernels here: ``choose[a, b]`` is the binomial coefficient "a choose b", int64, for
a <= n and b <= r + 1; a chirotope `chi` is (choose[n, r],) int8, entries -1, 0 and 1.
"""

import numpy as np

from arrangements.kernels.compilation import allocating_entry, entry, kernel
from arrangements.kernels.llvm.vectors import trailing_zeros
from arrangements.kernels.modular.determinants import determinant_sign

UNDECIDED = 2

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@kernel
def next_subset(subset, size, n):
    """Replace an ascending subset of range(n) by the next one; False if it was the last."""
    t = size - 1
    while t >= 0 and subset[t] == n - size + t:
        t -= 1
    if t < 0:
        return False
    subset[t] += 1
    for s in range(t + 1, size):
        subset[s] = subset[s - 1] + 1
    return True


@kernel
def subset_index(subset, size, n, choose):
    """Place of an ascending subset of range(n) among those of its size."""
    index = choose[n, size] - 1
    for t in range(size):
        index -= choose[n - 1 - subset[t], size - t]
    return index


@entry
def tuple_sign(chi, elements, r, n, choose):
    """Value of an alternating map at r elements, which are sorted in place; 0 if two are equal."""
    odd = False
    for t in range(1, r):
        e = elements[t]
        s = t
        while s > 0 and elements[s - 1] > e:
            elements[s] = elements[s - 1]
            s -= 1
            odd = not odd
        elements[s] = e
        if s > 0 and elements[s - 1] == e:
            return 0
    value = chi[subset_index(elements, r, n, choose)]
    return -value if odd else value


@kernel
def _expand_minor(column, lower, subset, k, n, choose):
    """Minor of k rows, expanded along its last column.

    lower : (choose[n, k - 1],) minors of k - 1 rows without that column
    """
    index = choose[n, k - 1] - 1
    for t in range(k - 1):
        index -= choose[n - 1 - subset[t], k - 1 - t]
    total = column[subset[k - 1]] * lower[index]
    for t in range(k - 1, 0, -1):
        # leave out element t - 1 instead of element t
        index += choose[n - 1 - subset[t - 1], k - t] - choose[n - 1 - subset[t], k - t]
        term = column[subset[t - 1]] * lower[index]
        total = total + term if (k - t) % 2 == 0 else total - term
    return total


@allocating_entry
def fill_minors(column, lower, k, n, choose, out):
    """Minors of every k rows in the first k columns, from those in the first k - 1.

    column : (n,) int64 or float64, column k - 1
    lower : (choose[n, k - 1],) of the same type
    out : (choose[n, k],) of the same type, overwritten
    """
    subset = np.arange(k)
    for i in range(out.shape[0]):
        out[i] = _expand_minor(column, lower, subset, k, n, choose)
        next_subset(subset, k, n)


@allocating_entry
def fill_minor_signs(column, lower, k, n, choose, bound, small, out):
    """Signs of the minors of `fill_minors`; `small` for those of absolute value <= bound.

    out : (choose[n, k],) int8, overwritten
    """
    subset = np.arange(k)
    for i in range(out.shape[0]):
        value = _expand_minor(column, lower, subset, k, n, choose)
        out[i] = 1 if value > bound else (-1 if value < -bound else small)
        next_subset(subset, k, n)


@allocating_entry
def decide_minor_signs(residues, fields, r, n, chi):
    """Replace every UNDECIDED entry of `chi` by the exact sign of the minor.

    residues : (P, n, r) uint64 Montgomery residues; fields : (P, 4 + P) uint64, with primes
        whose product exceeds twice every minor
    """
    primes = residues.shape[0]
    matrix = np.empty((r, r), np.uint64)
    pivots = np.empty(r, np.int64)
    cofactors = np.empty((primes, r), np.uint64)
    residue = np.empty(primes, np.uint64)
    subset = np.arange(r)
    for i in range(chi.shape[0]):
        if chi[i] == UNDECIDED:
            chi[i] = determinant_sign(
                residues, subset, r, fields, matrix, pivots, cofactors, residue
            )
        next_subset(subset, r, n)


@allocating_entry
def fill_minor(chi, n, r, choose, kept, signs, appended, out):
    """Chirotope on the elements `kept`, each times its sign, with `appended` put behind them.

    kept : (m,) int64, distinct; signs : (m,) int8, a zero makes a loop
    appended : (b,) int64, none of them kept
    out : ("m choose r - b",) int8, overwritten
    """
    b, m = appended.shape[0], kept.shape[0]
    size = r - b
    subset = np.arange(size)
    elements = np.empty(r, np.int64)
    for i in range(out.shape[0]):
        sign = 1
        for t in range(size):
            elements[t] = kept[subset[t]]
            sign *= signs[subset[t]]
        for t in range(b):
            elements[size + t] = appended[t]
        out[i] = sign * tuple_sign(chi, elements, r, n, choose) if sign != 0 else 0
        next_subset(subset, size, m)


@allocating_entry
def fill_cocircuits(chi, n, r, choose, out):
    """Row T holds the signs of (T, e) for all e; T runs over the (r - 1)-subsets, r >= 1.

    out : (choose[n, r - 1], n) int8, overwritten; the row of a dependent T is zero
    """
    subset = np.arange(r - 1)
    elements = np.empty(r, np.int64)
    for i in range(out.shape[0]):
        for e in range(n):
            elements[: r - 1] = subset
            elements[r - 1] = e
            out[i, e] = tuple_sign(chi, elements, r, n, choose)
        next_subset(subset, r - 1, n)


@allocating_entry
def fill_from_cocircuits(table, subsets, n, r, choose, out):
    """The chirotope whose rows of `fill_cocircuits` are those of `table`, each up to sign.

    table : (choose[n, r - 1], n) int8, not zero everywhere, zero at the members of its subset
    subsets : (choose[n, r - 1], r - 1) int64, ascending, in lexicographic order
    out : (choose[n, r],) int8, overwritten
    Returns False if there is none: two rows ask for opposite signs of one basis.
    """
    out[:] = 0
    side = np.zeros(table.shape[0], np.int8)
    queue = np.empty(table.shape[0], np.int64)
    elements = np.empty(r, np.int64)
    facet = np.empty(r, np.int64)
    queue[0] = 0
    while not table[queue[0]].any():
        queue[0] += 1
    side[queue[0]] = 1
    head, tail = 0, 1
    while head < tail:
        i = queue[head]
        head += 1
        for e in range(n):
            if table[i, e] == 0:
                continue
            place = r - 1
            while place > 0 and subsets[i, place - 1] > e:
                place -= 1
            elements[:place] = subsets[i, :place]
            elements[place] = e
            elements[place + 1 :] = subsets[i, place:]
            sign = side[i] * table[i, e] * (1 - 2 * ((r - 1 - place) % 2))
            basis = subset_index(elements, r, n, choose)
            if out[basis] == -sign:
                return False
            if out[basis] == sign:
                continue
            out[basis] = sign
            for t in range(r):
                facet[:t] = elements[:t]
                facet[t : r - 1] = elements[t + 1 :]
                j = subset_index(facet, r - 1, n, choose)
                if side[j] == 0 and table[j, elements[t]] != 0:
                    side[j] = sign * table[j, elements[t]] * (1 - 2 * ((r - 1 - t) % 2))
                    queue[tail] = j
                    tail += 1
    return True


@kernel
def _above(c, word):
    """Bits of a word of a mask that belong to elements larger than c."""
    first = c + 1 - 64 * word
    return ~_ZERO if first <= 0 else ~_ZERO << np.uint64(first)


@allocating_entry
def find_violation(chi, n, r, choose, out):
    """Search a three-term Grassmann-Plucker relation that fails; r >= 2.

    Of a relation (common, a, b, c, d) the last element is a bit: 64 are looked at together.

    out : (r + 2,) int64: the common r - 2 elements, then a, b, c, d ascending
    """
    common = np.arange(r - 2)
    elements = np.empty(r, np.int64)
    signs = np.zeros((n, n), np.int8)
    width = (n + 63) >> 6
    # bits[1 + s, a]: the d > a for which s times the sign of (common, a, d) is +
    bits = np.zeros((3, n, width), np.uint64)
    while True:
        bits[:] = _ZERO
        for a in range(n):
            for b in range(a + 1, n):
                elements[: r - 2] = common
                elements[r - 2], elements[r - 1] = a, b
                sign = tuple_sign(chi, elements, r, n, choose)
                signs[a, b] = sign
                if sign != 0:
                    bits[1 + sign, a, b >> 6] |= _ONE << np.uint64(b & 63)
        for a in range(n):
            for b in range(a + 1, n):
                for c in range(b + 1, n - 1):
                    # ab cd - ac bd + ad bc for all d
                    x, y, z = signs[a, b], -signs[a, c], signs[b, c]
                    for w in range((c + 1) >> 6, width):
                        plus = bits[1 + x, c, w] | bits[1 + y, b, w] | bits[1 + z, a, w]
                        minus = bits[1 - x, c, w] | bits[1 - y, b, w] | bits[1 - z, a, w]
                        one_sided = (plus ^ minus) & _above(c, w)
                        if one_sided:
                            out[: r - 2] = common
                            out[r - 2], out[r - 1], out[r] = a, b, c
                            out[r + 1] = 64 * w + trailing_zeros(one_sided)
                            return True
        if not next_subset(common, r - 2, n):
            return False


@allocating_entry
def find_basis_within(chi, n, r, choose, members, out):
    """Search a basis all of whose elements are among `members`, ascending.

    out : (r,) int64, the basis if found
    """
    m = members.shape[0]
    if m < r:
        return False
    subset = np.arange(r)
    while True:
        for t in range(r):
            out[t] = members[subset[t]]
        if chi[subset_index(out, r, n, choose)] != 0:
            return True
        if not next_subset(subset, r, m):
            return False


@allocating_entry
def find_best_basis(chi, n, r, mark, out):
    """First basis with the most elements marked.

    mark : (n,) int64, 0 or 1
    out : (r,) int64, overwritten; chi is not zero everywhere
    """
    subset = np.arange(r)
    best = -1
    for i in range(chi.shape[0]):
        if chi[i] != 0:
            count = 0
            for t in range(r):
                count += mark[subset[t]]
            if count > best:
                best = count
                out[:] = subset
                if best == r:
                    return
        next_subset(subset, r, n)
