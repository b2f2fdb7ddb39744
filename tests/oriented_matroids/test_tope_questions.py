"""Questions about the topes of an oriented matroid: as those about the chambers of a matrix."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import naive_matroids
import numpy as np
import pytest

from arrangements import (
    Arrangement,
    OrientedMatroid,
    chambers,
    count_chambers,
    f_vector,
    generators,
)
from arrangements.algebra import (
    chamber_walk,
    count_bounded,
    inductive_chain,
    is_inductively_free,
    log_canonical_threshold,
    sample_chambers,
    varchenko_determinant,
    varchenko_matrix,
)
from arrangements.errors import DegenerateArrangementError, InputError
from arrangements.structure import (
    bounded_chambers,
    chamber_diameter,
    chamber_distance,
    chamber_distances,
    chamber_edges,
    count_monotone_paths,
    face_lattice,
    iter_chamber_edges,
    iter_faces,
    neighbors,
    simplicial_chambers,
    walls,
)

# Rows without zeros among them: parallel and opposite ones, coloops, sums, of lower rank, no rows.
MATRICES: list[Any] = [
    np.zeros((0, 0), int),
    np.zeros((0, 2), int),
    [[2]],
    [[1], [-3], [2]],
    [[1, 2, 3]],
    [[1, 0], [0, 1]],
    [[1, 1, 0], [-1, -1, 0], [2, 2, 0], [0, 0, 1], [0, 0, -2]],
    [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, -1], [0, 0, 0, 2]],
    [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [1, 2, 4]],
    [[1, -1, 0, 0], [1, 0, -1, 0], [1, 0, 0, -1], [0, 1, -1, 0], [0, 1, 0, -1], [0, 0, 1, -1]],
    [[1, 0, 1], [0, 1, 1], [1, 1, 2], [1, -1, 0]],
]


def without_matrix(M: OrientedMatroid) -> OrientedMatroid:
    """The same signs of minors, of which nobody knows that a matrix has them."""
    return OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)


def non_pappus() -> OrientedMatroid:
    M = OrientedMatroid.from_matrix(generators.named("Pappus"))
    values = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    return OrientedMatroid.from_chirotope(9, 3, values | {(6, 7, 8): 1})


def by_signs(S: Any, values: Any) -> dict[tuple[int, ...], Any]:
    """Answers about chambers, by their sign vectors."""
    return dict(zip(map(tuple, S.to_array().tolist()), np.asarray(values).tolist(), strict=True))


@pytest.mark.parametrize("W", MATRICES)
def test_answers_are_those_of_the_matrix(W: Any) -> None:
    A = Arrangement(W)
    S, n = chambers(A), len(A)
    of_matrix = OrientedMatroid.from_matrix(A)
    for M in (of_matrix, without_matrix(of_matrix)):
        T = M.topes()
        assert chambers(M) == T == S and count_chambers(M) == M.count_chambers() == len(S)
        assert count_bounded(M) == M.count_bounded() == count_bounded(A)
        for ask in (bounded_chambers, simplicial_chambers, walls):
            assert by_signs(T, ask(M)) == by_signs(S, ask(S))
            assert (getattr(M, ask.__name__)() == ask(M)).all()
        base = S[len(S) // 2]
        assert by_signs(T, chamber_distances(M, base)) == by_signs(S, chamber_distances(S, base))
        assert (M.chamber_distances(base) == chamber_distances(M, base)).all()
        for signs in S.to_array()[:9]:
            expected = chamber_distance(A, base, signs)
            assert chamber_distance(M, base, signs) == M.chamber_distance(base, signs) == expected
        assert chamber_diameter(M) == M.chamber_diameter() == chamber_diameter(A)
        assert count_monotone_paths(M, base) == count_monotone_paths(A, base)
        numbers, between = neighbors(M, base)
        assert {tuple(T[k].tolist()) for k in numbers} == {
            tuple(S[k].tolist()) for k in neighbors(S, base).numbers
        }
        assert between.tolist() == neighbors(S, base).hyperplanes.tolist()
        assert len(chamber_edges(M).edges) == len(chamber_edges(A).edges)
        assert sum(len(edges) for edges, _ in iter_chamber_edges(M)) == len(chamber_edges(A).edges)
        assert varchenko_determinant(M) == varchenko_determinant(A)
        V, U = varchenko_matrix(M), varchenko_matrix(S)
        for i, j in ((0, -1), (0, 0), (len(S) // 2, 0)):
            a, b = (U.chambers.index(V.chambers[k % len(S)]) for k in (i, j))
            assert V[i, j] == U[a, b] and V.separating(i, j) == U.separating(a, b)
        assert is_inductively_free(M) == is_inductively_free(A)
        chain, own = inductive_chain(A), inductive_chain(M)
        if chain is not None and own is not None:
            lines = A.dimension - A.rank
            assert [exponents[lines:] for _, exponents in chain] == [e for _, e in own]
        if n:
            assert log_canonical_threshold(M) == log_canonical_threshold(A)
            twice = [2] * (n - 1) + [5]
            assert log_canonical_threshold(M, multiplicities=twice) == log_canonical_threshold(
                A, multiplicities=twice
            )


@pytest.mark.parametrize("W", [W for W in MATRICES if len(W)])
def test_dimensions_are_ranks(W: Any) -> None:
    faces = naive_matroids.covectors(W)
    of_matrix = OrientedMatroid.from_matrix(W)
    ranks: dict[int, set[tuple[int, ...]]] = {}
    for face in faces:
        zeros = [i for i, sign in enumerate(face) if not sign]
        rank = of_matrix.rank - naive_matroids.rank([W[i] for i in zeros])
        ranks.setdefault(rank, set()).add(face)
    numbers = tuple(len(ranks[k]) for k in range(of_matrix.rank + 1))
    for M in (of_matrix, without_matrix(of_matrix)):
        assert f_vector(M) == M.f_vector() == numbers
        for k in range(M.rank + 1):
            found = [tuple(row.tolist()) for block in iter_faces(M, k) for row in block]
            assert len(found) == len(set(found)) and set(found) == ranks[k]
        with pytest.raises(InputError, match=r"dimension is \d+; expected"):
            list(M.iter_faces(M.rank + 1))
        dimensions = [dimension for _, dimension in face_lattice(M).nodes(data="dimension")]
        assert tuple(dimensions.count(k) for k in range(M.rank + 1)) == numbers


def test_no_matrix_has_it() -> None:
    M = non_pappus()
    T, covectors = M.topes(), {tuple(row) for row in M.covectors().tolist()}
    assert count_chambers(M) == len(T) == 58 and not M.bounded_chambers().any()
    simplicial = M.simplicial_chambers()
    cocircuits = [row for row in M.cocircuits().tolist()]
    for signs, marked in zip(T.to_array().tolist(), simplicial, strict=True):
        corners = [c for c in cocircuits if all(a in (0, b) for a, b in zip(c, signs, strict=True))]
        assert marked == (len(corners) == 3)
    assert {tuple(row) for block in M.iter_faces(2) for row in block.tolist()} == {
        row for row in covectors if sum(s == 0 for s in row) == 1
    }
    assert M.chamber_diameter() == 9 and M.count_monotone_paths() > 0
    assert M.log_canonical_threshold() == Fraction(1, 3) and not M.is_inductively_free()
    weighted = M.varchenko_matrix(weights=[2] * 9)
    assert weighted[0, T.index(-T[0])] == 2**9
    small = OrientedMatroid.from_chirotope(4, 2, "++++++")
    table = small.varchenko_matrix(weights=[2, 3, 5, 7]).to_array().tolist()
    by_definition = naive_matroids.determinant([[Fraction(c) for c in row] for row in table])
    assert small.varchenko_determinant(weights=[2, 3, 5, 7]) == by_definition


def test_random_chambers() -> None:
    M = non_pappus()
    sample = M.sample_chambers(400, rng=1)
    assert sample.n == 9 and sample.arrangement is M and len(sample) == 400
    found = {tuple(row) for row in sample.to_array().tolist()}
    assert len(found) > 50 and all(row in M.topes() for row in found)
    assert len(sample_chambers(OrientedMatroid.from_matrix(np.zeros((0, 0), int)), 2)) == 2


def test_random_walks() -> None:
    """The Tsetlin library, with the braid arrangement as an oriented matroid."""
    A, faces = generators.braid(3), ["++0", "-0+", "0--"]
    expected = chamber_walk(A, faces, weights=[3, 2, 1])
    of_matrix = OrientedMatroid.from_matrix(A)
    for M in (of_matrix, without_matrix(of_matrix)):
        walk = M.chamber_walk(faces, weights=[3, 2, 1])
        assert walk.eigenvalues() == expected.eigenvalues()
        assert walk.transition_matrix().sum(axis=1).tolist() == [1] * 6
        path = walk.path(M.topes()[0], 5, rng=0)
        assert all(row in M.topes() for row in path.to_array())
        with pytest.raises(InputError, match="not a chamber"):
            walk.path("+-+", 1)
        with pytest.raises(InputError, match=r"faces\[1\] is .* no face"):
            chamber_walk(M, ["++0", "+-+"])
    walk = non_pappus().chamber_walk(non_pappus().cocircuits())
    trace = walk.transition_matrix().trace()
    assert trace == sum(value * times for value, times in walk.eigenvalues())


def test_loops_are_refused() -> None:
    M = OrientedMatroid.from_chirotope(3, 2, {(0, 2): 1})
    for ask in (
        M.count_chambers,
        M.bounded_chambers,
        M.simplicial_chambers,
        M.chamber_diameter,
        M.chamber_edges,
        M.varchenko_matrix,
        M.varchenko_determinant,
        M.inductive_chain,
        M.log_canonical_threshold,
        lambda: M.sample_chambers(1),
        lambda: M.chamber_walk(["+0+"]),
        lambda: M.chamber_distance("+0+", "+0-"),
        lambda: chambers(M),
    ):
        with pytest.raises(DegenerateArrangementError, match=r"elements \(1,\) are loops"):
            ask()
    assert M.count_bounded() == 0
    assert M.deletion(M.loops).count_chambers() == 4


def test_options_of_a_matrix_are_refused() -> None:
    M = non_pappus()
    box = ([[1, 0, 0]], [1])
    for ask, options in (
        (count_chambers, {"within": box}),
        (chambers, {"limit": 3}),
        (chambers, {"method": "sweep"}),
        (chambers, {"prune": len}),
        (count_chambers, {"offsets": [0] * 9}),
        (bounded_chambers, {"rank": 3}),
    ):
        with pytest.raises(InputError, match="given with an OrientedMatroid"):
            ask(M, **options)
    with pytest.raises(InputError, match="within was given with an OrientedMatroid"):
        chamber_distance(M, M.topes()[0], M.topes()[1], within=box)
    with pytest.raises(InputError, match="within was given with an OrientedMatroid"):
        sample_chambers(M, 1, within=box)
