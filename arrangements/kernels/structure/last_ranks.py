"""Flats of the last two ranks that are needed, from the lines of states in three coordinates.

A restriction of such a state is one of its rows, and a restriction of that is a line through the
row: two rows, or a line that `kernels.structure.lines` finds. What they add depends on three
numbers of hyperplanes only, so pairs of a row and a line are counted by these.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.modular.montgomery import mont_mul, mont_product
from arrangements.kernels.shared import zeros
from arrangements.kernels.structure.lines import LINES, TILE, find_lines, project
from arrangements.kernels.structure.states import BAD_PRIME, COUNT, DONE, add, load

_NONE = np.int64(-1)
_ZERO = np.uint64(0)


class Pairs(NamedTuple):
    """Numbers of pairs of a row and a line through it, in a state of an arrangement of n rows.

    Attributes
    ----------
    value : (V,) int64
        The multiplicities that occur in a state; as they add up to n, ``V (V - 1) / 2 <= n``.
    place : (n + 1,) int64
        Where a multiplicity stands in `value`; -1 if it does not occur.
    of_row, line : (n,) int64
        The places of the multiplicities of the rows, and of those on a line.
    often : (V,) int64
        Rows of each multiplicity.
    together : (V, V) int64
        Pairs of rows on one of the lines, by the places of the first row and of the second.
    number : (V, n + 1) int64
        Pairs by the multiplicity of the row and that of all other rows on the line together.
    """

    value: NDArray[np.int64]
    place: NDArray[np.int64]
    of_row: NDArray[np.int64]
    line: NDArray[np.int64]
    often: NDArray[np.int64]
    together: NDArray[np.int64]
    number: NDArray[np.int64]


def empty_pairs(n: int) -> Pairs:
    """Room for the pairs of states of arrangements of n rows."""
    values = 1
    while values * (values - 1) // 2 <= n:
        values += 1
    shapes = (values, "value often"), (n, "of_row line"), ((values, values), "together")
    place = np.full(n + 1, _NONE)
    return zeros(Pairs, *shapes, ((values, n + 1), "number"), place=place)


@kernel
def _count_multiplicities(multiplicity, count, pairs):
    """Fill `value`, `place`, `of_row` and `often`; the number of values."""
    values = 0
    for i in range(count):
        c = multiplicity[i]
        if pairs.place[c] == _NONE:
            pairs.place[c] = values
            pairs.value[values] = c
            pairs.often[values] = 0
            values += 1
        pairs.of_row[i] = pairs.place[c]
        pairs.often[pairs.place[c]] += 1
    return values


@kernel
def _count_pairs(values, lines, pairs):
    """Fill `number`: any two rows are on a line, unless they are on one of more rows.

    Returns the largest multiplicity of a row or a line, which is that of few of all rows.
    """
    most = 0
    for a in range(values):
        most = max(most, pairs.value[a])
    for a in range(values):
        for b in range(values):
            pairs.together[a, b] = 0
    for g in range(lines.used[LINES]):
        first, stop = lines.start[g], lines.start[g + 1]
        total = 0
        for u in range(first, stop):
            b = pairs.of_row[lines.member[u]]
            total += pairs.value[b]
            for w in range(first, u):
                pairs.together[pairs.line[w - first], b] += 1
            pairs.line[u - first] = b
        most = max(most, total)
        for u in range(stop - first):
            a = pairs.line[u]
            pairs.number[a, total - pairs.value[a]] += 1
    for a in range(values):
        for b in range(values):
            number = pairs.often[a] * (pairs.often[b] - (1 if a == b else 0))
            number -= pairs.together[a, b] + pairs.together[b, a]
            pairs.number[a, pairs.value[b]] += number
    return most


@kernel
def _weigh(numbers, factors, divisors, p, inv):
    """Sum of the products of all three; `numbers` are not residues: their sum is below 2**33."""
    total = _ZERO
    for e in range(numbers.shape[0]):
        total += np.uint64(numbers[e]) * mont_product(factors[e], divisors[e], p, inv)
    return total


@kernel
def _add_to_sums(weight, s, share, values, most, pairs, weights):
    """Add the weights of rows and lines of state s to the sums; leave `pairs` empty.

    share, most : hyperplanes of the flat of the state, and at most of a row or a line
    See `kernels.structure.restrictions` for the weights.
    """
    left = weights.total - share
    for a in range(values):
        c = pairs.value[a]
        stop = min(most, left - c) + 1
        pairs.place[c] = _NONE
        for q in range(weights.moduli.shape[0]):
            p, inv, square = weights.moduli[q, 0], weights.moduli[q, 1], weights.moduli[q, 2]
            number, inverse = weights.inverses[q, 0], weights.inverses[q, 1]
            others = pairs.number[a, 1:stop]
            if weight.shape[1] == 1:
                factor = mont_mul(number[c], inverse[share + c], p, inv)
                factor = passed = mont_mul(weight[s, 0, q], factor, p, inv)
                ratios = number[1:stop], inverse[share + c + 1 : share + c + stop]
            else:
                passed, factor = weight[s, share + c, q], number[c]
                ratios = weight[s, share + c + 1 : share + c + stop, q], inverse[c + 1 : c + stop]
            total = _weigh(others, ratios[0], ratios[1], p, inv)
            often = mont_mul(np.uint64(pairs.often[a]), square, p, inv)
            weights.sums[0, q] = add(weights.sums[0, q], mont_mul(often, passed, p, inv), p)
            weights.sums[1, q] = add(weights.sums[1, q], mont_mul(total % p, factor, p, inv), p)
        pairs.number[a, :stop] = 0


@entry
def add_last_ranks(states, fields, weights, pairs, scratch, position, budget):
    """Add the restrictions of states in three coordinates, and theirs, to ``weights.sums``.

    states : States in three coordinates; fields : (P, 4 + P) uint64, primes of the rows
    position : (2,) int64, state and row to go on with; advanced. Between two calls, `scratch` holds
        the lines of a state that is begun.
    budget : int, rows after which to return

    Returns DONE (at the end or out of budget) or BAD_PRIME.
    """
    moduli = fields.shape[0]
    for s in range(position[0], states.used[COUNT]):
        count = states.start[s + 1] - states.start[s]
        if position[1] == 0:
            load(states, s, 3, scratch)
            if not project(scratch.rows, count, 3, moduli, fields, scratch.lines):
                return BAD_PRIME
        while position[1] < count:
            if budget <= 0:
                return DONE
            begin, stop = position[1], min(position[1] + TILE, count)
            if not find_lines(begin, stop, count, moduli, fields, scratch.lines):
                return BAD_PRIME
            position[1] = stop
            budget -= stop - begin
        share = weights.total
        for i in range(count):
            share -= scratch.multiplicity[i]
        values = _count_multiplicities(scratch.multiplicity, count, pairs)
        most = _count_pairs(values, scratch.lines, pairs)
        _add_to_sums(states.weight, s, share, values, most, pairs, weights)
        position[0], position[1] = s + 1, 0
    return DONE
