"""Polygons: corners, sides and chords against a sweep without them."""

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron
from arrangements.kernels.chambers import solids
from arrangements.kernels.chambers import workspace as registers
from arrangements.search.flag import Flag
from arrangements.search.within_sweep import WithinSweep, rows_inside


def sweep_of(n: int, d: int, P: Polyhedron) -> WithinSweep:
    rng = np.random.default_rng([n, d])
    A = Arrangement(rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n))
    inside = rows_inside(A, P)
    assert inside is not None
    return WithinSweep(Flag(inside.rows, True), inside)


@pytest.mark.parametrize(("n", "d"), [(20, 3), (70, 3), (14, 4), (11, 5)])
def test_corners_sides_and_chords(n: int, d: int) -> None:
    sweep = sweep_of(n, d, Polyhedron.box(-1, 1, dimension=d))
    out, count, finished, seen = np.zeros((10**6, sweep.row[0]), np.uint64), 0, False, 0
    flat, k = sweep.polygon, int(sweep.sections.facets[-1])
    while not finished and seen < 12:
        flat.sides[:] = 0
        finished, _, count = sweep.advance(out, count, True, budget=1)
        e = int(sweep.state[registers.DEPTH])
        if e == d - 2 and not finished and flat.state[solids.FLAT]:
            sides = [s for s in flat.sides.tolist() if any(s)]
            if sides:  # it was made in this step
                check_polygon(flat, sides, n, int(sweep.space.chain[e - 1]) - k)
                seen += 1
    assert seen == 12


def check_polygon(flat: solids.Polygon, sides: list[list[int]], n: int, j: int) -> None:
    """Each corner is on two sides, row j is 0, and chords are the rows below j that cross."""
    total = len(sides)
    ends = [corner for p, q, _ in sides for corner in (p, q)]
    assert sorted(ends) == sorted(2 * list(range(total)))
    for p, q, f in sides:
        assert (int(flat.facets[p]) & int(flat.facets[q])) >> f & 1
    values, errors = flat.values[:total, :n], flat.errors[:total, None]
    assert (abs(values[:, j]) <= errors[:, 0]).all()
    crossing = (values > errors).any(axis=0) & (values < -errors).any(axis=0)
    chords = np.unpackbits(flat.chords.view(np.uint8), bitorder="little")[:n] > 0
    assert (chords == (crossing & (np.arange(n) < j))).all()
    for row in np.flatnonzero(chords):
        for s in flat.ends[row]:
            assert values[sides[s][0], row] * values[sides[s][1], row] < 0
