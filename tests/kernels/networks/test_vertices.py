"""Vertices against exact ones: distances are below the bounds."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.kernels.networks import vertices
from arrangements.kernels.networks.workspace import NODES
from kernels.networks.small_networks import KINDS
from kernels.networks.stopped import stopped_sweeps


def doubts_of(kind, d, stops):
    """Bounds of all vertices at stops of a sweep, which hold."""
    found = []
    for sweep in stopped_sweeps(kind, [d, 8, 7, 2], stops):
        path = sweep._path
        assert path.state[NODES] > 0
        rows = sweep._facet_rows()
        for v in sweep._vertices():
            exact = sweep._vertex(v, rows)
            for x, y in zip(exact, path.points[:, v].tolist(), strict=True):
                assert abs(x - Fraction(y)) <= path.doubts[v]
            found.append(path.doubts[v])
    return np.array(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_vertices_are_exact_up_to_their_errors(kind, d):
    doubts = doubts_of(kind, d, [2, 3, 1, 1, 40, 1, 60])
    assert len(doubts) and doubts.max() < 2 * vertices._LARGE


def test_vertices_that_are_solved_for():
    assert doubts_of("normal", 3, [400, 300, 200, 100]).max() < 4 * vertices._LARGE
