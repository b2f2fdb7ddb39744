"""Generators of sections: which rows cross them, and what happens without them."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron
from arrangements.exact.numbers import integer_rows
from arrangements.kernels.chambers import workspace as registers
from arrangements.polyhedra.double_description import cone_of
from arrangements.search.flag import Flag
from arrangements.search.within_sweep import Inside, WithinSweep, rows_inside, sections_of


def test_values_at_the_root_are_exact_up_to_a_rounding() -> None:
    rng = np.random.default_rng(3)
    v, W = rng.standard_normal(3), rng.standard_normal((5, 3))
    inside = rows_inside(Arrangement(W, -(W @ v)), Polyhedron.box(v - 1e-9, v + 1e-9))
    assert inside is not None and inside.cone is not None
    found = sections_of(inside, Flag(inside.rows, True))
    number, lines = found.sizes[0, :2].tolist()
    assert (number, lines) == (8, 0)
    values = found.values[0, :8, : len(inside.rows)]
    rows, rays = integer_rows(inside.rows), inside.cone.rays.tolist()
    for g, i in np.ndindex(values.shape):
        exact = sum(a * b for a, b in zip(rows[i], rays[g], strict=True))
        assert np.sign(values[g, i]) == np.sign(float(exact > 0) - float(exact < 0))
        assert bool(found.zeros[0, g, 0] >> np.uint64(i) & np.uint64(1)) == (exact == 0)
    assert (abs(values).max(axis=0) > 0.2).all() and abs(values).max() <= 1


@pytest.mark.parametrize(("n", "d"), [(12, 3), (10, 5), (60, 3)])
def test_no_line_without_a_chamber(n: int, d: int) -> None:
    rng = np.random.default_rng([n, d])
    arrangement = Arrangement(rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n))
    inside = rows_inside(arrangement, Polyhedron.box(-1, 1, dimension=d))
    assert inside is not None and inside.is_apart
    sweep = WithinSweep(Flag(inside.rows, True), inside)
    out, count, finished = np.zeros((10**6, *sweep.row[:1]), np.uint64), 0, False
    while not finished:
        before = count
        finished, _, count = sweep.advance(out, count, True, budget=1)
        assert finished or count > before


def test_a_cone_of_more_generators_than_are_kept() -> None:
    rows = np.random.default_rng([30, 4]).standard_normal((30, 4))
    rows[:6, 3] = 5  # so that the cone has inner points
    cones = None, cone_of(integer_rows(rows[:6]), 4)
    found = [
        np.concatenate(list(WithinSweep(Flag(rows, True), Inside(rows, 6, cone, False)).blocks(10)))
        for cone in cones
    ]
    assert len(found[0]) > 10 and sorted(found[0][:, 0]) == sorted(found[1][:, 0])


@pytest.mark.parametrize("radius", [1.0, 1e-12])
def test_rows_of_a_node_vanish_on_its_section_up_to_the_error(radius: float) -> None:
    rng = np.random.default_rng(4)
    v, W = rng.standard_normal(5), rng.standard_normal((9, 5))
    ends = [[Fraction(x) + side * Fraction(radius) for x in v.tolist()] for side in (-1, 1)]
    inside = rows_inside(Arrangement(W, -(W @ v)), Polyhedron.box(*ends))
    assert inside is not None
    sweep = WithinSweep(Flag(inside.rows, True), inside)
    cone, out = sweep.sections, np.zeros((10**5, 1), np.uint64)
    count, seen, finished = 0, 0, False
    while not finished:
        finished, _, count = sweep.advance(out, count, True, budget=1)
        e = int(sweep.state[registers.DEPTH])
        if 0 < e < len(cone.sizes) - 1:  # of the last depth, values are not kept
            for g in range(cone.sizes[e, 0]):
                values = cone.values[e, g, sweep.space.chain[:e]]
                assert (abs(values) <= cone.errors[e, g]).all()
                seen += 1
    assert seen > 100
