"""Faces of the complex of regions against a subdivision in Fractions."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from naive_networks import functions, plain
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, f_vector
from arrangements.networks import Layer, Network, count_regions, region_f_vector

# A face is open, and kept as its vertices, each with the facets on which it lies.
Face = list[tuple[tuple[Fraction, ...], frozenset[Any]]]


def adjacent(face: Face, common: frozenset[Any]) -> bool:
    return sum(common <= tight for _, tight in face) == 2


def divided(face: Face, row: Any, name: Any) -> list[tuple[int, int, Face]]:
    """Signs, changes of dimension and parts of a face where a function has these signs."""
    values = [sum(map(Fraction.__mul__, row, (*p, Fraction(1))), Fraction(0)) for p, _ in face]
    if not (any(y > 0 for y in values) and any(y < 0 for y in values)):
        return [(any(y > 0 for y in values) - any(y < 0 for y in values), 0, face)]
    section = [(p, t | {name}) for (p, t), y in zip(face, values, strict=True) if y == 0]
    for ((p, s), y), ((q, t), z) in product(zip(face, values, strict=True), repeat=2):
        if y > 0 > z and adjacent(face, s & t):
            w = y / (y - z)
            point = tuple(a + w * (b - a) for a, b in zip(p, q, strict=True))
            section.append((point, (s & t) | {name}))
    parts = [(0, -1, section)]
    for sign in (1, -1):
        own = [v for v, y in zip(face, values, strict=True) if sign * y > 0]
        parts.append((sign, 0, own + section))
    return parts


def naive_f_vector(network: Network, low: int, high: int) -> list[int]:
    """Faces that meet the interior of a box, unit by unit."""
    d, exact, found = network.dimension, plain(network), Counter[int]()
    corners: Face = [
        (tuple(map(Fraction, p)), frozenset((i, x) for i, x in enumerate(p)))
        for p in product((low, high), repeat=d)
    ]
    waiting: list[tuple[tuple[int, ...], int, Face]] = [((), d, corners)]
    while waiting:
        pattern, dimension, face = waiting.pop()
        k = len(pattern)
        if k == network.n_units:
            found[dimension] += 1
            continue
        row = functions(exact, [*pattern, *[0] * (network.n_units - k)], d)[0][k]
        for sign, less, part in divided(face, row, k):
            waiting.append(((*pattern, sign), dimension + less, part))
    return [found[k] for k in range(d + 1)]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_small_networks(kind: str, d: int) -> None:
    rng = np.random.default_rng([d, len(kind)])
    for _ in range(4 - d):
        widths = rng.integers(1, 6 - d, int(rng.integers(1, 4))).tolist()
        network = random_network(kind, rng, d, widths)
        box = Polyhedron.box(-2, 3, dimension=d)
        found = region_f_vector(network, within=box)
        assert found == naive_f_vector(network, -2, 3)
        assert sum((-1) ** k * n for k, n in enumerate(found)) == (-1) ** d
        assert found[-1] == count_regions(network, within=box)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", KINDS)
def test_everywhere_is_a_large_box(kind: str) -> None:
    """All vertices of these networks are in it."""
    rng = np.random.default_rng(len(kind))
    network = random_network(kind, rng, 2, [3, 2])
    found = region_f_vector(network)
    assert found == naive_f_vector(network, -(10**6), 10**6)
    assert found[0] - found[1] + found[2] == 1


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_one_layer_is_an_arrangement(d: int) -> None:
    rng = np.random.default_rng(d)
    W, b = rng.integers(-2, 3, (6, d)), rng.integers(-2, 3, 6)
    W[~W.any(axis=1)] = 1
    network = Network([(W, b), (np.ones((1, 6)), None)])
    simplex = Polyhedron.simplex(d) if d > 1 else None
    orthant = Polyhedron(-np.eye(d, dtype=int), np.ones(d, int))
    for within in (None, Polyhedron.box(-2, 3, dimension=d), simplex, orthant):
        assert region_f_vector(network, within=within) == list(f_vector(W, b, within=within))


def test_faces_with_lines_and_no_units() -> None:
    stripes = Network([([[1, 1], [2, 2]], [0, 1]), ([[1, -1]], [0]), ([[1]], None)])
    assert region_f_vector(stripes) == [0, 2, 3]
    assert region_f_vector(Network([([[1, 1]], None)])) == [0, 0, 1]
    assert region_f_vector(stripes, within=([[1, 0], [-1, 0]], [0, -1])) == [0, 0, 0]
    flat = Polyhedron(np.zeros((0, 2), int), [], equations=([[1, 0]], [0]))
    assert region_f_vector(stripes, within=flat) == [2, 3]
    wide = Network([Layer(np.eye(8)), (np.ones((1, 8)), None)])
    with pytest.raises(ArrangementError, match="at most 6 inputs"):
        region_f_vector(wide)


def test_faces_after_linear_layers() -> None:
    W, V = [[1, 2], [3, 1], [1, 1]], [[2, 1], [1, 1]]
    last = ([[1, -1, 1]], [1])
    network = Network([Layer(V, [1, 0], slope=1), (W, [0, 1, 2]), (*last,)])
    composed = Network([(np.dot(W, V), np.dot(W, [1, 0]) + [0, 1, 2]), (*last,)])
    assert region_f_vector(network) == region_f_vector(composed) == [3, 9, 7]
    flat = Network([Layer([[1, 1]], slope=1), ([[1], [1]], [0, 1]), ([[1, 1]], None)])
    assert region_f_vector(flat) == [0, 2, 3]


def test_where_faces_are_refused() -> None:
    skip = Network([([[1, 1]], None), Layer([[1, 2, 3]], inputs=[0, "x"]), ([[1]], None)])
    with pytest.raises(ArrangementError, match="a later layer of .* takes inputs. Pass a bounded"):
        region_f_vector(skip)
    assert region_f_vector(skip, within=Polyhedron.box(-1, 1, dimension=2))[2] == 4
    many = np.vstack([np.eye(2, dtype=int), -np.eye(2, dtype=int), [[1, k] for k in range(80)]])
    with pytest.raises(ArrangementError, match="within has 84 inequalities; .* at most 63"):
        region_f_vector(skip, within=(many, [100] * len(many)))
