"""Counterexamples to properties, against all regions of the network."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements import ArrangementError, Polyhedron
from arrangements.exchange import from_vnnlib
from arrangements.exchange.vnnlib import NetworkProperty, PropertyCase
from arrangements.networks import Network, counterexamples, regions

HEAD = "".join(f"(declare-const {name} Real)" for name in ("X_0", "X_1", "Y_0", "Y_1"))


def exists(net: Network, found: NetworkProperty) -> bool:
    """Whether a point of a region, a polyhedron, is a counterexample: no branch and bound."""
    for case in found.cases:
        for region in regions(net, within=case.inputs):
            M, v = region.affine_map
            A, c = (values.astype(object) for values in case.outputs.inequalities)
            closed = region.polyhedron & Polyhedron(A @ M, c - A @ v)
            if not closed.is_empty:
                return True
    return False


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_counterexample_is_found_or_there_is_none(seed: int) -> None:
    rng = np.random.default_rng(seed)
    layers = [(rng.integers(-3, 4, (n, m)), rng.integers(-3, 4, n)) for n, m in ((4, 2), (3, 4))]
    net = Network([*layers, (rng.integers(-2, 3, (2, 3)), None)])
    top = int(rng.integers(-4, 30))
    text = HEAD + "(assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 -1))"
    text += "(assert (or (<= X_1 0) (<= X_1 0.5)))"
    text += f"(assert (or (and (>= Y_0 {top}) (>= Y_1 {top})) (>= (+ Y_0 Y_1) {2 * top + 5})))"
    asked = from_vnnlib(text)
    found = counterexamples(net, asked)
    assert len(found) == 2 and all(one.verify() for one in found)
    assert any(one.feasible for one in found) == exists(net, asked)
    for one in found:
        if one.feasible:
            assert one.outputs is not None and one.point is not None
            x = np.array(one.point, object)
            assert asked.is_met(x, np.array(one.outputs, object))


def test_inequalities_are_not_strict() -> None:
    net = Network([([[1, 1], [1, -1]], None), ([[1, 0], [0, 1]], None)])
    box = "(assert (>= X_0 0)) (assert (<= X_0 1)) (assert (>= X_1 0)) (assert (<= X_1 1))"
    for end, there in ("2", True), ("2.0001", False):
        asked = from_vnnlib(HEAD + box + f"(assert (>= Y_0 {end}))")
        (found,) = net.counterexamples(asked)
        assert found.feasible is there and found.verify()
    assert found.point is None
    assert counterexamples(net, from_vnnlib(HEAD + box + "(assert (or))")) == ()


def test_outputs_may_have_equations() -> None:
    net = Network([([[1], [-1]], None), ([[1, 1]], None)])
    box = Polyhedron.box(-1, 1, dimension=1)
    for value, there in (Fraction(1, 3), True), (Fraction(4, 3), False):
        outputs = Polyhedron(np.zeros((0, 1), int), np.zeros(0, int), equations=([[1]], [value]))
        (found,) = counterexamples(net, NetworkProperty((PropertyCase(box, outputs),)))
        assert found.feasible is there and found.verify()
        assert found.outputs == ((value,) if there else None)


@pytest.mark.slow
def test_a_network_of_six_layers_is_beyond_a_list_but_not_beyond_questions() -> None:
    """Like those of ACAS Xu: 5 inputs, six layers of 50 units, 5 outputs."""
    rng, sizes = np.random.default_rng(0), [5, *[50] * 6, 5]
    net = Network(
        [
            ((rng.normal(size=(n, m)) * (2 / m) ** 0.5).astype(np.float32), rng.normal(size=n) / 10)
            for m, n in zip(sizes, sizes[1:], strict=False)
        ]
    )
    top = int(net.float_forward(np.zeros(5)).argmax())
    declared = "".join(f"(declare-const {v}_{i} Real)" for v in "XY" for i in range(5))
    box = "".join(f"(assert (<= X_{i} 1e-3)) (assert (>= X_{i} -1e-3))" for i in range(5))
    other = "".join(f"(and (>= Y_{j} Y_{top}))" for j in range(5) if j != top)
    asked = from_vnnlib(f"{declared}{box}(assert (or {other}))")
    (found,) = counterexamples(net, asked, time_limit=60)
    assert found.feasible is False and found.verify()
    (found,) = counterexamples(net, from_vnnlib(f"{declared}{box}(assert (<= Y_0 -99))"), limit=1)
    assert found.feasible in (False, None)
    plane = net.slice(rng.uniform(-1, 1, (3, 5)))
    assert plane.network.count_regions(within=plane.box(0)) > 1000


def test_what_does_not_fit() -> None:
    net = Network([([[1, 1]], None), ([[1]], None)])
    case = PropertyCase(Polyhedron.box(0, 1, dimension=2), Polyhedron.box(0, 1, dimension=2))
    with pytest.raises(ArrangementError, match="about 2 inputs and 2 outputs; expected 2 and 1"):
        counterexamples(net, NetworkProperty((case,)))
    unbounded = PropertyCase(Polyhedron([[1, 0]], [0]), Polyhedron([[1]], [Fraction(1)]))
    with pytest.raises(ArrangementError, match="not bounded"):
        counterexamples(net, NetworkProperty((unbounded,)))
    with pytest.raises(ArrangementError, match="property is"):
        counterexamples(net, "text")
