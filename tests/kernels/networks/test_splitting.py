"""Polytopes of nodes: each vertex has all facets on which it lies, and enough of them."""

import pytest

from arrangements.exact.linear import rank
from kernels.networks.small_networks import KINDS
from kernels.networks.stopped import stopped_sweeps


@pytest.mark.sampled(12)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_facets_of_vertices(kind, d):
    seen = 0
    for sweep in stopped_sweeps(kind, [d, 7, 6, 1], [1, 2, 3, 5, 8, 13, 21, 34]):
        rows = sweep._facet_rows()
        points = []
        for v in sweep._vertices():
            tight = sweep._facets_at(v)
            point = sweep._vertex(v, rows)
            values = {
                b: sum(a * x for a, x in zip(row, (*point, 1), strict=True))
                for b, (row, _) in rows.items()
            }
            assert min(values.values()) == 0 and sorted(tight) == [
                b for b in sorted(values) if values[b] == 0
            ]
            assert rank([rows[b][0][:-1] for b in tight]) == d
            points.append(point)
        assert len(set(points)) == len(points) > d
        seen += 1
    assert seen
