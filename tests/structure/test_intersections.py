"""Flats, their order, and exact points: against the naive oracle and published numbers."""

from fractions import Fraction
from math import comb, factorial
from typing import Any

import naive
import numpy as np
import pytest
from examples import EXAMPLES, Example
from hypothesis import given
from strategies import arrangements as some_arrangement
from test_faces import stirling

from arrangements import Arrangement, f_vector, flats, generators, sign_vector_at
from arrangements.errors import InputError, TooLargeError
from arrangements.structure import (
    Flats,
    essentialization,
    intersection_poset,
    iter_faces,
    rays,
    vertices,
)

pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")

SMALL = [example for example in EXAMPLES if example.count <= 60]


def as_dict(found: Flats) -> dict[tuple[int, ...], int]:
    dimensions = dict(zip(found, found.dimensions.tolist(), strict=True))
    assert len(dimensions) == len(found)
    return dimensions


@pytest.mark.sampled(15)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_flats_equal_naive(example: Example) -> None:
    found = flats(*example.arguments)
    assert as_dict(found) == example.flats
    assert found[0] == () and (np.diff(found.ranks) >= 0).all()
    assert [tuple(np.flatnonzero(row)) for row in found.to_array()] == list(found)
    assert sum(found.counts) == len(found)


@given(some_arrangement())
def test_flats_of_random_arrangements(given_rows: Any) -> None:
    W, b = given_rows
    assert as_dict(flats(W, b)) == Example("random", W, b).flats


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_intersection_poset(example: Example) -> None:
    poset = intersection_poset(*example.arguments)
    expected = example.flats
    nodes = dict(poset.nodes(data="hyperplanes"))
    assert list(nodes.values()) == list(flats(*example.arguments))
    assert {nodes[k]: d for k, d in poset.nodes(data="dimension")} == expected
    covers = {
        (low, high)
        for low in expected
        for high in expected
        if expected[low] == expected[high] + 1 and set(low) < set(high)
    }
    assert {(nodes[u], nodes[v]) for u, v in poset.edges} == covers
    mobius = dict(poset.nodes(data="mobius"))
    for node, members in nodes.items():
        below = sum(mobius[k] for k in nodes if set(nodes[k]) <= set(members))
        assert below == (node == 0)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_mobius_counts_chambers(example: Example) -> None:
    poset = intersection_poset(*example.arguments)
    values = [value for _, value in poset.nodes(data="mobius")]
    assert sum(map(abs, values)) == example.count
    polynomial = naive.characteristic_polynomial(*example.arguments)
    by_dimension = [0] * (example.dimension + 1)
    for _, data in poset.nodes(data=True):
        by_dimension[data["dimension"]] += data["mobius"]
    assert tuple(by_dimension) == polynomial


def test_mobius_beyond_the_proven_range_of_int64() -> None:
    # many equal rows: the bound for the values is large, not they
    distinct = np.vstack([np.eye(8, dtype=int), np.ones((1, 8), int)])
    poset = intersection_poset(np.tile(distinct, (110, 1)))
    values = [value for _, value in poset.nodes(data="mobius")]
    assert all(type(value) is int for value in values)
    assert sum(map(abs, values)) == naive.generic_count(9, 8)


@pytest.mark.parametrize("n", range(2, 8))
def test_flats_of_braid_are_set_partitions(n: int) -> None:
    found = flats(generators.braid(n))
    assert found.counts == tuple(stirling(n, n - k) for k in range(n))
    poset = intersection_poset(generators.braid(min(n, 5)))
    assert poset.nodes[len(poset) - 1]["mobius"] == (-1) ** (min(n, 5) - 1) * factorial(
        min(n, 5) - 1
    )


def test_braid_4() -> None:
    poset = intersection_poset(generators.braid(4))
    assert len(poset) == 15  # Bell number
    values = [value for _, value in poset.nodes(data="mobius")]
    assert values[:7] == [1] + [-1] * 6 and values[14] == -6
    assert sorted(values[7:14]) == [1] * 3 + [2] * 4  # two pairs; three labels of one score


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_flats_of_type_b_are_signed_partitions(n: int) -> None:
    # Dowling lattice of the group of order 2
    expected = [
        sum(comb(n, i) * 2 ** (i - k) * stirling(i, k) for i in range(k, n + 1))
        for k in range(n, -1, -1)
    ]
    assert flats(generators.type_b(n)).counts == tuple(expected)


def test_generic_flats() -> None:
    W = generators.generic(70, 3, 2).normals
    assert flats(W).counts == (1, 70, comb(70, 2), 1)
    b = np.arange(1.0, 71.0)
    assert flats(W, b).counts == (1, 70, comb(70, 2), comb(70, 3))
    assert flats(W, max_rank=1).counts == (1, 70)
    assert flats(W, max_rank=0).counts == (1,)


def test_primes_are_checked() -> None:
    # coincidences modulo 2**31 - 1 and the next prime below, the first ones tried
    p, q = 2**31 - 1, 2**31 - 19
    for e in (p, q, p * q):
        assert flats([[1, 0], [0, 1], [1, e]]).counts == (1, 3, 1)
        assert flats([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, e]]).counts == (1, 4, 6, 1)
        assert flats([[1, 1], [1, 1 + e]]).counts == (1, 2, 1)
        assert flats([[1], [1], [1]], [0, 1, e]).counts == (1, 3)
        assert flats([[1, 0], [0, 1], [1, 1]], [0, 0, e]).counts == (1, 3, 3)


def test_no_hyperplanes() -> None:
    A = Arrangement(np.zeros((0, 2)))
    assert list(flats(A)) == [()]
    assert dict(intersection_poset(A).nodes(data="mobius")) == {0: 1}
    assert vertices(A) == [] and rays(A) == []
    assert sign_vector_at(A, [1, 2]).shape == (0,)
    assert list(flats([[0, 0]], [3])) == [()]


def test_flats_are_a_sequence() -> None:
    found = flats([[1, 0], [0, 1], [2, 0]])
    assert found[1:3] == [(0, 2), (1,)] and (0, 2) in found and found.index((1,)) == 2
    assert found.of_rank(1) == [(0, 2), (1,)] and found[-1] == (0, 1, 2)
    assert repr(found) == "Flats(4 of 3 hyperplanes, by rank (1, 2, 1))"


def test_too_many_flats() -> None:
    with pytest.raises(TooLargeError, match="small rank"):
        flats(generators.generic(60, 4, 0), max_bytes=10_000)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_vertices_lie_on_their_flats(example: Example) -> None:
    W, b = example.arguments
    lowest = min(example.flats.values())
    E = essentialization(W, b)
    points = [E.to_original(point) for point in vertices(E.arrangement)]
    assert vertices(W, b) == ([] if lowest else points)
    assert len(vertices(W, b)) == f_vector(W, b)[0]
    signs = sign_vector_at(W, points, offsets=b)
    assert [tuple(row) for row in signs.tolist()] == [
        naive.signs_at(W, b, point) for point in points
    ]
    faces = np.concatenate(list(iter_faces(W, lowest, offsets=b)))
    assert sorted(signs.tolist()) == sorted(faces.tolist())


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_rays_are_faces_of_the_normals(example: Example) -> None:
    W, b = example.arguments
    found = rays(W, b)
    used = [row for row in W if any(row)]
    signs = [naive.signs_at(used, None, ray) for ray in found]
    covectors = naive.covectors(used) if used else {}
    lowest = min(covectors.values(), default=0)
    assert sorted(signs) == sorted(s for s, k in covectors.items() if k == lowest + 1)


@pytest.mark.parametrize("rank", [-1, 1.5, "2", True])
def test_no_such_rank(rank: object) -> None:
    with pytest.raises(InputError, match=f"rank is {rank!r}; expected an integer of at least 0"):
        flats(generators.braid(3), max_rank=rank)  # type: ignore[arg-type]


def test_the_point_of_a_space_of_dimension_zero() -> None:
    A = Arrangement(np.zeros((2, 0)), [1, -1])
    assert sign_vector_at(A, []).tolist() == [1, -1]
    assert sign_vector_at(A, np.zeros((3, 0))).shape == (3, 2)


def test_region_containing() -> None:
    W = [[Fraction(1, 3), 0.1], [2**60, 1]]
    assert sign_vector_at(W, [Fraction(3), 0]).tolist() == [1, 1]
    assert sign_vector_at(W, [0.1, Fraction(-1, 3)]).tolist() == [0, 1]
    assert sign_vector_at(W, [[-1, 2**60], [1, 0]]).tolist() == [[1, 0], [1, 1]]
    with pytest.raises(InputError, match="3 coordinates; expected 2"):
        sign_vector_at(W, [1, 2, 3])


@pytest.mark.parametrize("seed", range(5))
def test_sandwiched_hyperplanes(seed: int) -> None:
    """Of each class of parallel lines the outermost, in the order of their values at the origin."""
    rng = np.random.default_rng(seed)
    directions = [(1, 0), (0, 1), (1, 1)]
    rows = [
        (s * a, s * b, s * c)
        for a, b in directions
        for c in rng.integers(-3, 4, 4).tolist()
        for s in [int(rng.choice([-2, 1]))]
    ]
    kept = []
    for a, b in directions:
        own = [r for r in rows if r[0] * b == r[1] * a]
        value = {r: Fraction(r[2], r[0] or r[1]) for r in own}
        kept += [min(own, key=value.__getitem__), max(own, key=value.__getitem__)]
    table, outer = np.array(rows), np.array(kept)
    found = vertices(table[:, :2], table[:, 2], exclude_sandwiched=True)
    assert set(found) == set(vertices(outer[:, :2], outer[:, 2]))
    assert set(found) <= set(vertices(table[:, :2], table[:, 2]))
