"""What kernels of `arrangements.kernels.llvm` compute, in plain NumPy: oracles for their tests."""

import numpy as np

from arrangements.kernels.llvm.crossings import (
    BLOCK_BITS,
    CHUNK,
    CODE,
    POINT_BITS,
    PROVED,
    TILE,
    UNITS,
    WIDTH,
)
from arrangements.kernels.llvm.label_lines import (
    GROUP,
    LABEL_BITS,
    LOW_BITS,
    MOST_MARGIN,
    NEGATIVE_BIT,
    REACH,
    ROUNDINGS,
)


def aim(line, e, last):
    columns, errors, factor = line.columns, line.errors, line.factor
    code_and_margin = line.code_and_margin
    for c in range(1, last):
        pairs = slice(c * (c - 1) // 2, c * (c + 1) // 2)
        found = columns[: e + 2, :c] - columns[: e + 2, c : c + 1]
        sizes = np.abs(found)
        with np.errstate(all="ignore"):
            scale = 2.0 * REACH / (sizes[0] + sizes[1])
            wrong = (1.02 + sizes[1]) * errors[0] + (1.02 + sizes[0]) * errors[1]
            wrong = 1.01 * wrong * scale + ROUNDINGS
            certain = sizes > errors[: e + 2, None]
            proved = (wrong < MOST_MARGIN) & certain[[0, *range(2, e + 2)]].all(axis=0)
            negative = found[0] < 0
            scale = np.where(negative, -scale, scale)
            factor[0, pairs], factor[1, pairs] = found[0] * scale, found[1] * scale
            margin = np.where(proved, wrong, 0.0).astype(np.int32)
            code_and_margin[1, pairs] = (margin + 2 << LOW_BITS) - 1
        code = np.where(negative, NEGATIVE_BIT, 0)
        for q in range(e):
            code |= ((found[2 + q] < 0) != negative).astype(np.int32) << q
        code_and_margin[0, pairs] = np.where(proved, code, -1)


def cross_all(walk, bound, at, block, blocks, first, merges):
    slope, constant, mark, multiplier = walk.slope, walk.constant, walk.mark, walk.multiplier
    others = slice(block + 1, blocks)
    *least, e_a, e_k = bound.reshape(-1)[at : at + merges + 2]
    a = slope[others] - slope[block]
    k = constant[others] - constant[block]
    with np.errstate(all="ignore"):
        size = a + np.abs(k)
        wrong = 1.35 * (e_k * a + e_a * np.abs(k)) / size / size
        good = (a > 16.0 * e_a) & (size > 16.0 * e_k) & (wrong < WIDTH)
        key = np.where(good, k / size * -UNITS, 0.0).astype(np.int64) + 2**31
    pairs = mark[others] & (mark[block] | ((1 << BLOCK_BITS) - 1))
    pairs |= (mark[block] & ((1 << BLOCK_BITS) - 1)) << BLOCK_BITS
    for q in range(merges):
        value = multiplier[q, others] - multiplier[q, block]
        pairs &= np.where(np.abs(value) > least[q], -1, ~(1 << PROVED))
        pairs |= np.signbit(value).astype(np.int64) << CODE + q
    words = (key.astype(np.uint64) << np.uint64(64 - POINT_BITS)) | pairs.astype(np.uint64)
    walk.event.reshape(-1)[first : first + blocks - block - 1] = words
    return int((~good).sum())


def steps_down(event, start):
    words = event.reshape(-1)[start : start + TILE + 1]
    return int(np.dot(words[:-1] > words[1:], 1 << np.arange(TILE)))


def exchange(row, window, place, difference, width):
    labels = row.view(np.uint8 if width == 1 else np.uint16)
    labels[place : place + 2] = labels[place : place + 2][::-1].copy()


def load_labels(row):
    return row[:CHUNK].copy()


def store_labels(labels, out, start):
    out.reshape(-1)[start : start + CHUNK] = labels


def exchange_labels(labels, window, place, difference):
    changed = labels.copy()
    changed[place : place + 2] ^= np.uint8(difference)
    return changed


def copy_row(row, out, start, size):
    stop = min(-(-size // CHUNK) * CHUNK, out.size - start)
    out.reshape(-1)[start : start + stop] = row[:stop]


def merge(block, size, shift, e, a, c, upper, lower):
    below, above = size[e, lower], size[e, upper]
    shift[e, 0] = np.where(block[e] == upper, below, 0)
    shift[e, 1] = np.where(block[e] == lower, above, 0)
    block[e + 1] = np.where(block[e] == c, a, block[e])
    size[e + 1] = size[e]
    size[e + 1, a] = below + above


def sum_shifts(shift, inner, merges):
    inner[0] = np.arange(inner.shape[1])
    for q in range(merges):
        first, half = q // GROUP << GROUP, 1 << q % GROUP
        table = inner[first : first + 2 * half]
        if half == 1 and q > 0:
            table[0] = 0
        backward, forward = shift[q].astype(np.int32) << LABEL_BITS
        table[half:] = table[:half] + forward
        table[:half] += backward


def combine(table, target, u, v, alpha, beta, lanes):
    flat = table.reshape(-1)
    value = alpha * flat[u : u + lanes] - beta * flat[v : v + lanes]
    flat[target : target + lanes] = value
    return float(np.abs(value).max(initial=0.0))


def narrow(table, source, line, target, factor, lanes):
    line.reshape(-1)[target : target + lanes] = table.reshape(-1)[source : source + lanes] * factor


def find_rankings(line, blocks, pairs, out, count, registers=0, fine=True):
    block, size, depth, groups, gaps, rows = blocks
    first, a, c, number = pairs
    members = block[depth, :rows]
    for k in range(number):
        code = int(line.code_and_margin[0, first + k])
        if code < 0:
            return k
        by, less = line.factor[:, first + k]
        score = line.columns[0] * less - line.columns[1] * by
        words = np.rint(score[:rows]).astype(np.int64)
        words[members == c] = words[a]
        words <<= LOW_BITS
        upper, lower = (c, a) if code >= NEGATIVE_BIT else (a, c)
        words += np.where(members == lower, int(size[depth, upper]) << LABEL_BITS, 0)
        for g in range(max(groups, 1)):
            words += line.inner[(g << GROUP) + (code >> GROUP * g) % (1 << GROUP), :rows]
        words.sort()
        if np.count_nonzero(np.diff(words) > line.code_and_margin[1, first + k]) != gaps:
            return k
        if count >= 0:
            out[count + k] = words & (1 << LABEL_BITS) - 1
        a, c = (0, c + 1) if a + 1 == c else (a + 1, c)
    return number
