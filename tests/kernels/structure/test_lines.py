"""Lines through rows of states against ranks of triples, in any number of coordinates."""

from itertools import combinations, product

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure import lines as kernel
from arrangements.kernels.structure.lines import LINES, TILE, empty_lines
from kernels import compiled
from kernels.plain import rank
from kernels.structure.plain_states import PRIMES, residue_rows, row_fields

project, find_lines = compiled(kernel.project), compiled(kernel.find_lines)


def plain_lines(rows):
    """Maximal sets of at least three rows of rank 2."""
    found = set()
    for i, j in combinations(range(len(rows)), 2):
        line = [k for k in range(len(rows)) if rank([rows[i], rows[j], rows[k]]) == 2]
        if len(line) > 2:
            found.add(tuple(line))
    return found


def lines_of(rows, tile=TILE, planes=PRIMES):
    """Lines that the kernel finds, and whether all points were different."""
    n, k = len(rows), len(rows[0])
    lines, residues = empty_lines(n, k, PRIMES), np.array(residue_rows(rows), np.uint64)
    assert project(residues, n, k, planes, row_fields(), lines)
    different = True
    for begin in range(0, n, tile):
        stop = min(begin + tile, n)
        different &= find_lines(begin, stop, n, planes, row_fields(), lines)
    starts = lines.start[: lines.used[LINES] + 1].tolist()
    found = [
        tuple(sorted(lines.member[a:b].tolist())) for a, b in zip(starts, starts[1:], strict=False)
    ]
    assert len(set(found)) == len(found)
    return set(found), different


CUBE = [row for row in product((0, 1, 2), repeat=3) if any(row) and next(filter(None, row)) == 1]
BITS = [row for row in product((0, 1), repeat=4) if any(row)]
GRID = [(1, x, y) for x in range(5) for y in range(5)]


@pytest.mark.slow
@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("tile", [1, 4, TILE])
@pytest.mark.parametrize("rows", [CUBE, BITS, GRID])
def test_lines(rows, tile, planes):
    assert lines_of(rows, tile, planes) == (plain_lines(rows), True)


@pytest.mark.slow
def test_many_rows():
    """More than one tile, and more than one word of rows that are known."""
    rows = [(1, i, i * i) for i in range(70)] + [(0, 0, 1), (0, 1, 0), (1, -1, -1), (1, -2, -8)]
    assert lines_of(rows) == (plain_lines(rows), True)


@pytest.mark.slow
def test_lines_modulo_one_prime_only():
    """Three points that are on a line modulo a prime are on none if they are not modulo another."""
    p, q = primes(2)
    for m in (p, q):
        rows = [(1, 0, 0), (0, 1, 0), (1, 1, m), (1, 2, 5)]
        assert lines_of(rows) == (set(), True)
    assert lines_of([(1, 0, 0), (0, 1, 0), (1, 1, p * q), (1, 2, 5)])[0] == {(0, 1, 2)}


@pytest.mark.slow
def test_points_that_are_the_same_modulo_one_prime():
    for m in primes(2):
        assert not lines_of([(1, 0, 0), (1, m, 0), (0, 1, 0), (0, 0, 1)])[1]


@pytest.mark.slow
def test_bad_primes():
    p = primes(1)[0]
    rows = np.array(residue_rows([(p, 0, p), (0, 1, 0)]), np.uint64)
    assert not project(rows, 2, 3, 1, row_fields(), empty_lines(2, 3, PRIMES))
