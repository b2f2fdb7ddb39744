"""Layers and networks: values, the graph, composed functions, messages."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from naive_networks import evaluate, functions, plain

from arrangements import ArrangementError
from arrangements.networks import Layer, Network
from arrangements.networks.affine_maps import AffineMap, compose

RANDOM = np.random.default_rng(0)


def random_network(rng: np.random.Generator) -> Network:
    """A small graph with every kind of layer."""
    d = int(rng.integers(1, 4))
    sizes: list[Any] = [d]
    layers: list[Any] = []
    for k in range(int(rng.integers(1, 5))):
        n = int(rng.integers(1, 4))
        names = ["x", *range(k)]
        inputs = [name for name in names if rng.random() < 0.5] if k else ["x"]
        inputs = inputs or [names[-1]]
        width = sum(sizes[names.index(name)] for name in inputs)
        add = [names[i] for i, size in enumerate(sizes) if size == n and rng.random() < 0.3 and k]
        kind = rng.integers(4)
        W: Any = rng.standard_normal((n, width))
        if kind == 1:
            W = rng.integers(-2, 3, (n, width))
        elif kind == 2:
            W = np.float16(W)
        elif kind == 3:
            W = [[Fraction(int(x), 3) for x in row] for row in rng.integers(-2, 3, (n, width))]
        slope = [None, 0, 0.01, -1, Fraction(1, 3), 1][rng.integers(6)]
        b = None if rng.random() < 0.3 else rng.integers(-2, 3, n)
        layers.append(Layer(W, b, slope=slope, inputs=inputs, add=add))
        sizes.append(n)
    return Network(layers, slope=[0, 0.25][rng.integers(2)])


@pytest.mark.sampled(40)
@pytest.mark.parametrize("seed", range(200))
def test_values_and_composed_functions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    x = rng.integers(-3, 4, network.dimension) / rng.integers(1, 4, network.dimension)
    point = [Fraction(y) for y in x.tolist()]
    signs, outputs = evaluate(plain(network), point)
    assert network.pattern_at(x).tolist() == signs
    assert network.forward(x) == tuple(outputs)
    floats = network.float_forward([x, x])
    assert np.allclose(floats, [[float(y) for y in outputs]] * 2)
    assert np.allclose(network.float_forward(x), floats[0])

    units, rows = functions(plain(network), signs, network.dimension)
    by_layer, found = compose(network.layers, signs)
    assert scaled(found) == rows
    assert [
        row
        for layer, z in zip(network.layers, by_layer, strict=True)
        if not layer.is_linear
        for row in scaled(z)
    ] == units
    assert len(units) == network.n_units == len(network.units)
    assert pickle.loads(pickle.dumps(network)) == network


def scaled(found: AffineMap) -> list[tuple[Fraction, ...]]:
    return [tuple(Fraction(x, found.scale) for x in row) for row in found.rows]


def test_values_at_irrational_and_large_points() -> None:
    from sympy import sqrt

    network = Network([([[1, 2], [-1, 0]], [0, 1]), ([[1, 0.5], [1, -1]], None)])
    assert network.pattern_at([sqrt(2), -sqrt(2) / 2]).tolist() == [0, -1]
    assert network.forward([sqrt(2), 0])[0] == sqrt(2)
    assert network.forward([sqrt(2) - 2, 1]) == (Fraction(3, 2) + sqrt(2) / 2, 2 * sqrt(2) - 3)
    x = [10**400 + Fraction(1, 3**300), -Fraction(1, 7)]
    signs, outputs = evaluate(plain(network), x)
    assert network.pattern_at(x).tolist() == signs and network.forward(x) == tuple(outputs)


def test_composed_in_other_coordinates() -> None:
    network = Network([([[1, 2], [0.5, -1]], [1, -3]), ([[1, -1]], [0.25])])
    basis = [[1, 1, 0], [0, 3, 2]]  # x = (y_0, y_0 + 3 y_1), 1 = 2 y_1
    (z, _), out = compose(network.layers, [1, 1], basis)
    assert scaled(z) == [(3, 8), (Fraction(-1, 2), -9)]
    assert scaled(out) == [(Fraction(7, 2), 17 + Fraction(1, 2))]


def test_what_is_added_becomes_columns() -> None:
    W = RANDOM.standard_normal((3, 2))
    first = (RANDOM.standard_normal((2, 3)), [1, 2])
    network = Network([first, Layer(W, add=["x"]), Layer(np.eye(3), add=[1], slope=0), (W.T, None)])
    assert network.layers[1].inputs == (0, "x") and network.layers[1].add == ()
    assert network.layers[1].weights.dtype == np.float64
    assert network.layers[1].weights.tolist() == np.hstack([W, np.eye(3)]).tolist()
    assert network.layers[2].weights.tolist() == (2 * np.eye(3)).tolist()
    assert Network(network.layers) == network
    assert network.widths == (2, 3, 3, 0) and network.starts == (0, 2, 5, 8, 8)


def test_equal_networks() -> None:
    network = Network([([[1, 2]], [3]), ([[1]], None)])
    same = Network([([[1.0, 2.0]], [3.0]), ([[Fraction(1)]], [0])])
    assert network == same and hash(network) == hash(same)
    assert network != Network([([[1, 2]], [3]), ([[1]], None)], slope=0.5)
    assert network != Network([([[1, 2]], [4]), ([[1]], None)])
    assert network != 3 and network.layers[0] != 3


def test_slopes() -> None:
    layers = [([[1]], None), ([[2]], None)]
    assert Network(layers, slope=0.5).forward([-1]) == (-1,)
    assert Network(layers, slope=1).n_units == 0
    last = Network([([[1]], None), Layer([[2]], slope=0)])
    assert last.n_units == 2 and last.forward([-1]) == (0,)
    assert Network([Layer([[1], [1]], slope=[0, -1]), ([[1, 1]], None)]).forward([-2]) == (2,)


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "layers is empty"),
        (3, "layers is 3; expected a list of pairs"),
        ([3], r"layers\[0\] is 3; expected a pair \(W, b\), or a Layer"),
        ([([[1]], None, None)], r"layers\[0\] is .*; expected a pair"),
        ([([1, 2], None)], r"W of layers\[0\] has shape \(2,\)"),
        ([([[1, 2]], [1, 2])], r"b of layers\[0\] has shape \(2,\); expected \(1,\)"),
        ([([[1]], None), ([[np.nan]], None)], r"W of layers\[1\], row 0, column 0, is nan"),
        ([([[1]], None), ([[1, 2]], None)], r"W of layers\[1\] has 2 columns; expected 1, the num"),
        ([Layer([[1]], inputs=[0])], r"layers\[0\] takes layer 0; expected an earlier one"),
        ([Layer([[1]], add=[4])], r"layers\[0\] takes layer 4"),
        (
            [([[1]], None), Layer([[1], [2]], add=["x"])],
            r"layers\[1\] has 2 outputs and adds the 1",
        ),
    ],
)
def test_layers_that_do_not_fit(layers: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        Network(layers)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"slope": [0, 1]}, "slope is 1 for 1 of 2 units"),
        ({"slope": [0]}, r"slope has shape \(1,\)"),
        ({"slope": np.inf}, "slope, entry 0, is inf"),
        ({"inputs": []}, "inputs is empty"),
        ({"inputs": ["y"]}, "inputs has 'y'; expected numbers of earlier layers"),
        ({"inputs": [-1]}, "inputs has -1"),
        ({"add": [True]}, "add has True"),
        ({"add": [0, 0]}, "each layer at most once"),
        ({"inputs": 2.5}, "inputs is 2.5; expected numbers of layers"),
    ],
)
def test_malformed_layers(arguments: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        Layer([[1], [2]], **arguments)


def test_irrational_and_other_numbers() -> None:
    from sympy import sqrt

    with pytest.raises(ArrangementError, match="W has irrational numbers"):
        Layer([[sqrt(2)]])
    with pytest.raises(ArrangementError, match=r"slope is \[0, 1\]; expected a number"):
        Network([([[1]], None)], slope=[0, 1])
    network = Network([([[1, 2]], None)])
    with pytest.raises(ArrangementError, match="x has 1 entries; expected 2"):
        network.forward([1])
    with pytest.raises(ArrangementError, match=r"X has shape \(1, 3\); expected \(m, 2\)"):
        network.float_forward([[1, 2, 3]])
    with pytest.raises(AttributeError, match="immutable"):
        network.layers = ()  # type: ignore[misc]
