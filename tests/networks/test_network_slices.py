"""Networks on lines and planes: values, patterns and regions of the whole network."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import ArrangementError, Polyhedron
from arrangements.networks import Layer, Network, regions, slice_network

RNG = np.random.default_rng(0)
NETWORKS = {
    "plain": Network(
        [
            (RNG.integers(-4, 5, (6, 4)), RNG.integers(-3, 4, 6)),
            (RNG.normal(size=(3, 6)), [1, 0, 2]),
        ]
    ),
    "the inputs again": Network(
        [
            (RNG.integers(-4, 5, (4, 4)), None),
            Layer(RNG.integers(-4, 5, (3, 8)), [1, -1, 0], slope=0.25, inputs=[0, "x"]),
            Layer(RNG.integers(-4, 5, (2, 7)), inputs=["x", 1]),
        ]
    ),
    "added inputs": Network(
        [(RNG.integers(-4, 5, (4, 4)), None), Layer(RNG.integers(-4, 5, (4, 4)), add=["x"])]
    ),
}


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_slice_has_the_values_of_the_network(name: str, k: int) -> None:
    net = NETWORKS[name]
    points = RNG.integers(-8, 9, (k + 1, 4)) / 4
    found = net.slice(points)
    assert found.network.dimension == k and found.network.widths == net.widths
    assert found.point([0] * k) == found.origin == tuple(map(Fraction, points[0]))
    for j in range(k):
        assert found.point(np.eye(k)[j]) == tuple(map(Fraction, points[j + 1]))
    for _ in range(10):
        u = [Fraction(int(n), 3) for n in RNG.integers(-9, 10, k)]
        x = found.point(u)
        assert found.network.forward(u) == net.forward(x)
        assert np.array_equal(found.network.pattern_at(u), net.pattern_at(x))
        assert found.coordinates(x) == tuple(u)
    if k < 4:
        with pytest.raises(ArrangementError, match="x does not lie on the slice"):
            found.coordinates([99, 98, -97, 1])


@pytest.mark.parametrize("name", NETWORKS)
def test_its_regions_are_those_in_a_flat_polyhedron(name: str) -> None:
    net = NETWORKS[name]
    points = RNG.integers(-8, 9, (3, 4))
    found = net.slice(points)
    inside = regions(found.network, within=TRIANGLE)
    flat = regions(net, within=Polyhedron.hull(points))
    assert {p.tobytes() for p in inside.to_array()} == {p.tobytes() for p in flat.to_array()}


TRIANGLE = Polyhedron([[-1, 0], [0, -1], [1, 1]], [0, 0, 1])


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, 0, 0, 0]], r"points has shape \(1, 4\); expected \(k \+ 1, 4\)"),
        ([[0, 0], [1, 1]], r"points has shape \(2, 2\)"),
        ([[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2]], "3 points of which one lies on"),
        ([[0, 0, 0, 0]] * 2, "2 points of which one"),
        ("plane", "points is 'plane'"),
    ],
)
def test_points_that_make_no_slice(points: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        slice_network(NETWORKS["plain"], points)


def test_coordinates_and_boxes_are_checked() -> None:
    found = NETWORKS["plain"].slice([[0, 0, 0, 0], [1, 0, 0, 0]])
    assert found.box().vertices == [(Fraction(-1, 2),), (Fraction(3, 2),)]
    assert found.box(0).vertices == [(0,), (1,)]
    assert repr(found) == "Slice(Network(1 input, 6 units, 3 outputs), through 2 points)"
    again = NETWORKS["plain"].slice([[0, 0, 0, 0], [1, 0, 0, 0]])
    assert again == found and hash(again) == hash(found) and found != 1
    assert found != NETWORKS["plain"].slice([[0, 0, 0, 0], [2, 0, 0, 0]])
    for call, message in (
        (lambda: found.box(-1), "margin is -1; expected a number above"),
        (lambda: found.point([1, 2]), "u has 2 entries; expected 1"),
        (lambda: found.coordinates([1, 2]), "x has 2 entries; expected 4"),
    ):
        with pytest.raises(ArrangementError, match=message):
            call()


@pytest.mark.slow
def test_a_plane_through_three_images_of_digits() -> None:
    """784-128-128-10: thousands of regions, each with the outputs of the whole network."""
    networks = pytest.importorskip("sklearn.neural_network")
    X, y = pytest.importorskip("sklearn.datasets").load_digits(return_X_y=True)
    large = np.kron(X.reshape(-1, 8, 8), np.ones((1, 3, 3))) / 16
    images = np.pad(large, ((0, 0), (2, 2), (2, 2))).reshape(len(X), -1).astype(np.float32)
    with warnings.catch_warnings(action="ignore"):
        fitted = networks.MLPClassifier((128, 128), max_iter=2, random_state=0).fit(images, y)
    net = Network.from_estimator(fitted)
    assert (net.dimension, net.widths) == (784, (128, 128, 0))
    plane = net.slice(images[[0, 11, 25]])
    found = regions(plane.network, within=plane.box())
    assert found.complete and len(found) > 1000
    assert len(found) == plane.network.count_regions(within=plane.box())
    for i in RNG.integers(0, len(found), 3).tolist():
        region = found[i]
        assert np.array_equal(net.pattern_at(plane.point(region.point)), region.pattern)
