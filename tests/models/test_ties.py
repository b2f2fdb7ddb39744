"""Ties for the first place: against maxima at exact points, f-vectors, and changes of labels."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements import Arrangement, argmax_labels, demo
from arrangements.errors import InputError, TiedLabelsError
from arrangements.structure import tie_set, tie_sets, top_ties

Point = tuple[Fraction, ...]


def best(W: Any, b: Any, point: Point) -> tuple[int, ...]:
    """Labels of the largest score, exactly."""
    scores = [
        sum(naive.fraction(w) * x for w, x in zip(row, point, strict=True)) + naive.fraction(c)
        for row, c in zip(W, b, strict=True)
    ]
    return tuple(i for i, score in enumerate(scores) if score == max(scores))


def points_of_all_faces(W: Any, b: Any) -> set[Point]:
    """A point of every face of the lines in the plane on which two labels tie."""
    rows = [(*map(naive.fraction, row), naive.fraction(c)) for row, c in zip(W, b, strict=True)]
    gaps = [[x - y for x, y in zip(r, s, strict=True)] for r, s in combinations(rows, 2)]
    points = set(naive.witnesses([g[:2] for g in gaps], [g[2] for g in gaps]).values())
    for u, v, c in (g for g in gaps if any(g[:2])):
        foot = [-c * u / (u * u + v * v), -c * v / (u * u + v * v)]
        crossings = sorted(
            {
                -(g[0] * foot[0] + g[1] * foot[1] + g[2]) / (g[1] * u - g[0] * v)
                for g in gaps
                if g[1] * u != g[0] * v
            }
        ) or [Fraction(0)]
        between = [(s + t) / 2 for s, t in zip(crossings, crossings[1:], strict=False)]
        for t in (crossings[0] - 1, *crossings, *between, crossings[-1] + 1):
            points.add((foot[0] - t * v, foot[1] + t * u))
    return points


def check(W: Any, b: Any) -> None:
    """All properties of the tie sets of a few labels in the plane."""
    found = tie_sets(W, b)
    offsets = [0] * len(W) if b is None else b
    assert {tie.labels for tie in found} == {
        best(W, offsets, x) for x in points_of_all_faces(W, offsets)
    }
    assert len({tie.labels for tie in found}) == len(found)
    for tie in found:
        assert best(W, offsets, tie.point) == tie.labels
        assert tie_set(W, tie.labels, offsets=b).labels == tie.labels
    alone = [tie.labels[0] for tie in found if len(tie.labels) == 1]
    assert alone == argmax_labels(W, b).tolist()


SMALL = st.integers(-3, 3)
DISTINCT = st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=2, max_size=5, unique=True)


@pytest.mark.slow
@given(DISTINCT)
def test_affine_labels_in_the_plane(rows: list[tuple[int, int, int]]) -> None:
    check([row[:2] for row in rows], [row[2] for row in rows])


@pytest.mark.slow
@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=6, unique=True))
def test_central_labels_in_the_plane(rows: list[tuple[int, int]]) -> None:
    check(rows, None)
    assert tie_sets(rows)[-1].labels == tuple(range(len(rows)))  # at x = 0


def test_faces_of_polytopes() -> None:
    # f-vectors: proper faces, then all labels at x = 0
    cube = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    assert Counter(len(tie.labels) for tie in tie_sets(cube)) == {1: 8, 2: 12, 4: 6, 8: 1}
    cross = [*np.eye(4, dtype=int).tolist(), *(-np.eye(4, dtype=int)).tolist()]
    sizes = Counter(len(tie.labels) for tie in tie_sets([*cross, [0] * 4]))
    assert sizes == {1: 8, 2: 24, 3: 32, 4: 16, 9: 1}
    simplex = np.eye(5, dtype=int)
    assert len(tie_sets(simplex)) == 2**5 - 1
    assert {tie.dimension + len(tie.labels) for tie in tie_sets(simplex)} == {6}


def test_pieces_of_space_have_its_euler_characteristic() -> None:
    # relatively open polyhedra that partition R^d: sum of (-1)^dimension is (-1)^d
    digits = demo.digits()
    found = tie_sets(digits.weights, digits.biases)
    assert sum((-1) ** tie.dimension for tie in found) == -1
    assert all(tie.dimension == 4 - len(tie.labels) for tie in found)  # in general position
    assert [tie.labels for tie in found if len(tie.labels) == 2] == [
        tuple(pair) for pair in top_ties(digits.weights, digits.biases).tolist()
    ]
    W = [[0, 0, 0], [2, 0, 1], [1, 0, 0], [1, 2, 2], [1, 1, 1], [3, 3, -1], [0, 5, 1]]
    for b in (None, [0, 1, 2, -1, 0, 1, 3]):
        assert sum((-1) ** tie.dimension for tie in tie_sets(W, b)) == -1


def test_size_cuts_the_search_short() -> None:
    W = np.eye(6, dtype=int)
    assert [t.labels for t in tie_sets(W, size=2)] == [t.labels for t in tie_sets(W)][:21]


def test_middle_of_an_edge_is_never_alone() -> None:
    W = [[0, 0], [2, 0], [1, 0], [1, 2], [1, 1]]
    assert tie_set(W, [2]).labels == (0, 1, 2)
    assert tie_set(W, [0, 1]) == tie_set(W, [2])
    assert tie_set(W, [4]).labels == (0, 1, 2, 3, 4)
    # one ulp outwards, and it is; one inwards, and it is not even on the edge
    W[2] = [1, -(2.0**-52)]
    assert tie_set(W, [2]).labels == (2,) and tie_set(W, [0, 1]).labels == (0, 1, 2, 3, 4)
    W[2] = [1, 2.0**-52]
    assert tie_set(W, [2]).labels == (0, 1, 2, 3, 4) and tie_set(W, [0, 1]).labels == (0, 1)


def test_never() -> None:
    assert tie_set([[1, 0], [1, 0]], [0, 1], offsets=[0, 1]) is None
    assert tie_set([[1, 0], [1, 0]], [0], offsets=[0, 1]) is None
    assert tie_set([[0], [1], [-1]], [0], offsets=[0, 1, 1]) is None


def test_numbers_of_the_caller() -> None:
    W = [[1, 0], [1, 0], [0, 1], [-1, -1]]
    with pytest.raises(TiedLabelsError, match="labels 0 and 1"):
        tie_sets(W)
    assert top_ties(W, ties="drop").tolist() == [[0, 2], [0, 3], [2, 3]]
    assert top_ties([[1, 2], [1, 2]], ties="drop").shape == (0, 2)
    assert [tie.labels for tie in tie_sets(W, ties="drop", size=1)] == [(0,), (2,), (3,)]
    lifted = Arrangement([[1, 0], [0, 1]], [5, 7])
    assert tie_set(lifted, [0, 1]).point == tie_set([[1, 0], [0, 1]], [0, 1], offsets=[5, 7]).point


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "empty"),
        ([3], "no label 3:"),
        ([-1], "no label -1:"),
        ([True], "expected a mask of 3 booleans"),
        ("0", "'0'"),
    ],
)
def test_bad_labels(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tie_set([[1], [2], [3]], labels)


def test_bad_size() -> None:
    with pytest.raises(InputError, match="size is 0"):
        tie_sets([[1], [2]], size=0)


def test_ties_of_rows_that_always_tie() -> None:
    W = [[1, 0], [0, 1], [1, 0], [-1, -1]]
    with pytest.raises(TiedLabelsError, match="ties='drop'"):
        tie_set(W, [2])
    for wanted in ([0, 1], [2, 1], ["c", "b"]):
        found = tie_set(W, wanted, ties="drop", labels="abcd")
        assert found is not None and (found.labels, found.names) == ((0, 1), ("a", "b"))
    assert [tie.labels for tie in tie_sets(W, ties="drop", size=1)] == [(0,), (1,), (3,)]


def test_progress_of_tie_sets(capsys: pytest.CaptureFixture[str]) -> None:
    square = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    assert tie_sets(square, progress=True) == tie_sets(square)
    assert "pairs of labels" in capsys.readouterr().err
