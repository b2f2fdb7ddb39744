"""The tableau of a node in fractions, the columns chosen as the kernel chooses them by floats."""

from fractions import Fraction

import numpy as np

from arrangements.kernels.chambers import nodes, tableau
from arrangements.kernels.chambers.workspace import (
    DEPTH,
    NEEDS_EXACT,
    NEEDS_SIGNS,
    ROWS,
    STAGE,
)
from arrangements.search import chamber_sweep
from arrangements.search.flag import Flag
from kernels import compiled

UNIT = Fraction(1, 2**30)
choose = compiled(nodes.choose)


def affine_flag(W, b, seed=0):
    return Flag(np.column_stack([np.array(W, float), np.array(b, float)]), False, seed)


def flag_columns(flag):
    """Exact coordinates of the rows of an affine flag, (d, n)."""
    assert not flag.central
    rows = [[Fraction(x) for x in row] for row in flag.scaled.tolist()]
    mix = [[int(x) * UNIT + (i == k) for k, x in enumerate(r)] for i, r in enumerate(flag.mix)]
    columns = [[sum(m * x for m, x in zip(r, row, strict=False)) for row in rows] for r in mix]
    return [*columns, [row[-1] for row in rows]]


def eliminated(u, v, p):
    """``alpha u - beta v``, zero at p, alpha > 0, the larger of |alpha|, |beta| being 1."""
    up, vp = u[p], v[p]
    larger = max(abs(up), abs(vp))
    alpha, beta = abs(vp) / larger, (up if vp > 0 else -up) / larger
    return [alpha * x - beta * y for x, y in zip(u, v, strict=True)]


def pivoted(columns, e, p, table):
    """Columns of the node R + p from those of R, whose floats are `table`, (d, pad)."""
    d, best, new = len(columns), e, list(columns)
    for c in range(e + 1, d):
        new[c] = eliminated(columns[c], columns[best], p)
        if abs(table[c, p]) > abs(table[best, p]):
            best = c
    for q in range(e):
        new[q] = eliminated(columns[q], columns[e], p)
    return new


def sign(value):
    return (value > 0) - (value < 0)


def points(columns, e):
    """t of each row on the line of the node of depth e, None for those that have no point."""
    turn = 1 if e < len(columns) - 2 else -1
    pairs = zip(columns[e], columns[e + 1], strict=True)
    return [turn * c / a if a else None for a, c in pairs]


def ordered_points(columns, e):
    """What orders the points of the line, the same for rows that meet it in one point: on the inner
    levels t is that to leading order, and the last column decides between equal ones.
    """
    if e == len(columns) - 2:
        return points(columns, e)
    return [
        (t, -x / a) if a else None
        for t, x, a in zip(points(columns, e), columns[-1], columns[e], strict=True)
    ]


def exact_sweep(flag):
    """A sweep that has residues from the beginning."""
    sweep = chamber_sweep.ChamberSweep(flag)
    for status in (NEEDS_EXACT, NEEDS_SIGNS):
        sweep._provide(status)
    return sweep


def small_integers(seed, n, d, high=2):
    """Rows and offsets with many coincidences, no row zero."""
    rng = np.random.default_rng(seed)
    W = rng.integers(-high, high + 1, (4 * n, d))
    W = W[W.any(axis=1)][:n]
    assert len(W) == n and np.linalg.matrix_rank(W) == d
    return W.tolist(), rng.integers(-high, high + 1, n).tolist()


def line(sweep, out):
    """The line of the current node only; its children are then known."""
    sweep.advance(out, 0, False, budget=1)


def pivot(space, e, p, last):
    """The tableau of the child p of a node of depth e."""
    lanes = space.state[ROWS] + 15 & ~15
    work = space.factors, space.eliminator, space.largest
    tableau.pivot(space.table, space.bound, *work, e, p, lanes, last)


def descend(sweep, e, j):
    """Make the child j of the node of depth e, whose line was the last, the current node."""
    space = sweep.space
    choose(space.masks, space.ties, space.chain, space.state, e, j)
    if e < sweep.flag.d - 3:
        pivot(space, e, j, j)
    space.state[DEPTH] = e + 1
    space.state[STAGE] = 0
