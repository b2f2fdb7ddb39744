"""An arrangement without hyperplanes is legal wherever one is asked for; no labels are not."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import sympy

import arrangements as ar
from arrangements import Arrangement, generators
from arrangements.errors import InputError

EMPTY: dict[str, Any] = {
    "array": np.empty((0, 3)),
    "point": np.empty((0, 0)),
    "arrangement": Arrangement(np.empty((0, 2)), []),
    "braid": generators.braid(1),
    "graph": generators.graphical(nx.empty_graph(4)),
    "shi": generators.shi(1),
}
METHODS = ("sweep", "incremental", "reverse_search")


def dimension(A: Any) -> int:
    return A.dimension if isinstance(A, Arrangement) else int(A.shape[1])


@pytest.fixture(params=EMPTY)
def empty(request: pytest.FixtureRequest) -> Any:
    return EMPTY[request.param]


def test_one_chamber(empty: Any, tmp_path: Path) -> None:
    d = dimension(empty)
    for method in METHODS:
        assert ar.chambers(empty, method=method).to_array().shape == (1, 0)
        assert [len(block) for block in ar.iter_chambers(empty, method=method)] == [1]
        assert ar.count_chambers(empty, method=method) == 1
    assert ar.count_chambers(empty, method="characteristic") == 1
    S = ar.chambers(empty, workers=2, limit=1)
    assert S.complete and S == ar.paper.sign_pattern(empty) and "" in S and [] in S
    assert S.witness(0) == (0,) * d and S.witnesses().shape == (1, d)
    assert ar.feasible(empty, "").verify()
    S.save(tmp_path / "empty.npz")
    assert ar.SignVectors.load(tmp_path / "empty.npz") == S


def test_one_flat_and_one_face(empty: Any) -> None:
    d, t = dimension(empty), sympy.Symbol("t")
    assert ar.characteristic_polynomial(empty) == sympy.Poly(t**d, t)
    assert ar.characteristic_polynomial(empty, symmetry=[[]]) == sympy.Poly(t**d, t)
    assert ar.betti_numbers(empty) == ar.algebra.whitney_numbers(empty) == (1,)
    assert ar.algebra.whitney_numbers(empty, kind=2) == ar.flats(empty).counts == (1,)
    assert ar.structure.intersection_poset(empty).number_of_nodes() == 1
    assert ar.f_vector(empty) == (0,) * d + (1,)
    assert (
        ar.structure.covectors(empty).shape
        == next(ar.structure.iter_faces(empty, d)).shape
        == (1, 0)
    )
    assert dict(ar.structure.face_lattice(empty).nodes(data="dimension")) == {0: d}
    assert ar.structure.vertices(empty) == ([] if d else [()]) and ar.structure.rays(empty) == []
    assert ar.sign_vector_at(empty, [Fraction(1, 3)] * d).shape == (0,)


def test_one_chamber_has_no_neighbors(empty: Any) -> None:
    assert (
        ar.structure.bounded_chambers(empty).tolist()
        == ar.structure.simplicial_chambers(empty).tolist()
        == [True]
    )
    assert ar.algebra.count_bounded(empty) == 1
    assert ar.structure.walls(empty).shape == (1, 0) and ar.structure.chamber_edges(empty)[
        0
    ].shape == (0, 2)
    assert [part.tolist() for part in ar.structure.neighbors(empty, "")] == [[], []]
    assert ar.structure.chamber_distance(empty, "", "") == 0
    assert ar.structure.chamber_distances(empty, 0).tolist() == [0] and not [
        *ar.structure.iter_chamber_edges(empty)
    ]
    assert ar.structure.chamber_graph(empty).number_of_nodes() == 1
    assert ar.structure.poset_of_chambers(empty, 0).number_of_nodes() == 1


def test_derived_arrangements(empty: Any) -> None:
    d, A = dimension(empty), Arrangement.coerce(empty)
    assert ar.structure.union(empty, empty).arrangement == ar.deletion(empty, []).arrangement == A
    assert ar.restriction(empty, []).arrangement == ar.structure.simplify(empty).arrangement == A
    assert ar.structure.localization(empty, point=[0] * d).arrangement == A
    assert ar.structure.product(empty, empty).arrangement.dimension == 2 * d
    assert ar.structure.change_of_basis(empty, np.eye(d)).arrangement == A
    assert ar.structure.essentialization(empty).arrangement.dimension == 0
    assert ar.structure.decone(ar.cone(empty).arrangement).arrangement == A
    assert ar.OrientedMatroid.from_matrix(empty).rank == 0
    assert ar.algebra.same_oriented_matroid(empty, empty)


LABELED: dict[str, Callable[[Any], object]] = {
    "rankings": ar.rankings,
    "iter_rankings": ar.iter_rankings,
    "count_rankings": ar.count_rankings,
    "argmax_labels": ar.argmax_labels,
    "top_k_sets": lambda W: ar.top_k_sets(W, 1),
    "top_k_rankings": lambda W: ar.top_k_rankings(W, 1),
    "tie_set": lambda W: ar.structure.tie_set(W, [0]),
    "tie_sets": ar.structure.tie_sets,
    "top_ties": ar.structure.top_ties,
    "ranking_pattern": ar.paper.ranking_pattern,
    "ranking_graph": ar.structure.ranking_graph,
    "plot_rankings": ar.plot_rankings,
    "SoftmaxClassifier": ar.models.SoftmaxClassifier,
    "cosine_matrix": ar.paper.cosine_matrix,
    "same_softmax": lambda W: ar.paper.same_softmax(W, W),
}


@pytest.mark.parametrize("name", LABELED)
def test_no_labels(name: str) -> None:
    with pytest.raises(InputError, match=r"shape \(0, 3\): no (labels|rows); expected"):
        LABELED[name](np.empty((0, 3)))
