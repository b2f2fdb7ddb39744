"""Points where some labels score higher than others, against Fourier-Motzkin elimination."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements.core.score_model import ScoreModel
from arrangements.feasibility.label_rows import LabelRows, _differences
from arrangements.kernels.cone import label_differences
from arrangements.kernels.cone.cone_test import UNDECIDED
from arrangements.kernels.cone.label_differences import find_points
from kernels import compiled
from kernels.plain import dot, rank, residues_of


def questions(rng, n, pairs, m):
    """Random pairs of distinct labels that connect all of them."""
    chain = np.array([rng.permutation(n) for _ in range(m)])
    above, below = chain[:, :-1], chain[:, 1:]
    more = np.array([[rng.permutation(n)[:2] for _ in range(pairs - n + 1)] for _ in range(m)])
    return np.hstack([above, more[:, :, 0]]), np.hstack([below, more[:, :, 1]])


@pytest.mark.parametrize("exact", [False, True])
def test_differencess(exact):
    rng = np.random.default_rng(3)
    labels = [[0, 0, 1], [1, 0, 0], [0, 1, 0], [2, 1, 1], [-1, 2, 0]]
    rows = LabelRows(ScoreModel(labels))
    table = rows._table if exact else rows._float_table
    above, below = questions(rng, len(labels), 6, 120)
    points, status = np.zeros((len(above), rows.dimension)), np.full(len(above), 9)
    find_points(table, above, below, False, _differences(table, 6), points, status)
    for i in range(len(above)):
        differences = [
            [a - b for a, b in zip(labels[p], labels[q], strict=True)]
            for p, q in zip(above[i], below[i], strict=True)
        ]
        expected = naive.positive_somewhere([naive.integer_row([*row, 0]) for row in differences])
        assert status[i] == expected or (status[i] == UNDECIDED and not exact)
        if status[i] == 1:
            # columns are scaled by powers of two
            point = [Fraction(x) for x in points[i].tolist()]
            scaled = [
                [Fraction(e) for e in table.floats[:, p] - table.floats[:, q]]
                for p, q in zip(above[i], below[i], strict=True)
            ]
            assert all(dot(row, point) > 0 for row in scaled)
    assert {0, 1} <= set(status.tolist()) <= {0, 1, UNDECIDED}


@pytest.mark.slow
def test_independent_rows_come_first():
    independent_first = compiled(label_differences._independent_first)
    rng = np.random.default_rng(0)
    for d, pairs in [(1, 1), (2, 5), (3, 6), (4, 5)]:
        for _ in range(10):
            rows = rng.integers(-1, 2, (pairs, d)).tolist()
            residues, fields = residues_of(rows, 2)
            labels = LabelRows(ScoreModel(np.vstack([np.eye(d), np.zeros((1, d))]).astype(int)))
            question = _differences(labels._table, pairs)
            table = question.table._replace(
                floats=np.array(rows, np.float64).T.copy(), residues=residues, fields=fields
            )
            question = question._replace(table=table)
            found = independent_first(question, fields[0])
            assert found == rank(rows)
            moved = table.floats.T.tolist()
            assert rank(moved[:found]) == found and sorted(moved) == sorted(rows)
            again, _ = residues_of([[int(e) for e in row] for row in moved], 2)
            assert (again == table.residues).all()
