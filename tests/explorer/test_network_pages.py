"""Pages about networks: what they draw and answer, without a browser."""

import json
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import Polyhedron, explore
from arrangements.errors import InputError, TooLargeError
from arrangements.explorer import network_view
from arrangements.explorer.network_page import stored_replies
from arrangements.explorer.network_state import network_state
from arrangements.explorer.network_view import NetworkSession
from arrangements.networks import Layer, Network, region_at

rng = np.random.default_rng(0)


def random_net(*sizes: int) -> Network:
    pairs = zip(sizes, sizes[1:], strict=False)
    return Network(
        [(rng.normal(size=(n, m)) / np.sqrt(m), rng.normal(size=n) / 4) for m, n in pairs]
    )


NETS = [random_net(2, 8, 8, 3) for _ in range(3)]
SPACE = random_net(4, 6, 2)
BOX = Polyhedron.box(-2, 2, dimension=2)


def session(networks: Any = NETS, **more: Any) -> NetworkSession:
    return NetworkSession(network_state(networks, **({"within": BOX} | more)))


def areas_of(reply: Any) -> list[float]:
    """The area of each polygon."""
    xs, ys = reply["areas"]["xs"], reply["areas"]["ys"]
    return [
        abs(sum(x[i - 1] * y[i] - x[i] * y[i - 1] for i in range(len(x)))) / 2
        for x, y in zip(xs, ys, strict=True)
    ]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("color", ["class", "pattern", "map"])
def test_all_regions_are_drawn(color: str) -> None:
    talk = session(color=color)
    for k, network in enumerate(NETS):
        reply = talk.handle({"do": "step", "position": k})
        assert reply["title"] == f"{network.count_regions(within=BOX)} regions of 16 units"
        assert sum(areas_of(reply)) == pytest.approx(16, rel=1e-4)
        if color == "map":  # no two regions of these networks have the same one
            numbers = [int(name.split()[1][:-1]) for name in reply["areas"]["name"]]
            assert len(set(numbers)) == network.count_regions(within=BOX)
    json.dumps(reply, allow_nan=False)


def test_colors_of_classes_are_right() -> None:
    reply = session(labels=["cat", "dog", "bird"]).handle({"do": "draw"})
    for xs, ys, name, color in zip(
        *(reply["areas"][k] for k in ("xs", "ys", "name", "color")), strict=True
    ):
        outputs = NETS[0].float_forward([[np.mean(xs), np.mean(ys)]])[0]
        if np.ptp(np.sort(outputs)[-2:]) > 1e-3:
            best = ["cat", "dog", "bird"][outputs.argmax()]
            assert name.startswith(best)
            assert [color, best] in reply["legend"]


def test_edges_have_the_layer_of_their_unit() -> None:
    reply = session().handle({"do": "draw"})
    edges = reply["edges"]
    assert len(edges["name"]) == len(edges["xs"]) == len(edges["color"]) > 20
    for xs, ys, name in zip(edges["xs"], edges["ys"], edges["name"], strict=True):
        _, unit, _, _, layer = name.split()
        x = np.array([np.mean(xs), np.mean(ys)])
        W, b = NETS[0].layers[0].weights, NETS[0].layers[0].offsets
        z = W @ x + b
        if layer == "1":
            z = NETS[0].layers[1].weights @ np.maximum(z, 0) + NETS[0].layers[1].offsets
        assert abs(z[int(unit)]) < 1e-3


def test_a_weight_is_moved_and_undone() -> None:
    talk = session()
    first = talk.handle({"do": "choose", "weight": [1, 3, 8]})
    assert first["weight"]["columns"][-1] == "offset"
    assert first["weight"]["value"] == NETS[0].layers[1].offsets[3]
    for value in (0.25, 0.5, 0.75):
        reply = talk.handle({"do": "set", "value": value})
    layers = list(NETS[0].layers)
    b = layers[1].offsets.copy()
    b[3] = 0.75
    layers[1] = Layer(layers[1].weights, b, slope=layers[1].slopes, inputs=layers[1].inputs)
    assert talk.state.network == Network(layers)
    assert reply["title"].startswith(f"{Network(layers).count_regions(within=BOX)} regions")
    assert reply["undo"] == 1  # a drag is one step
    assert talk.handle({"do": "undo"})["areas"] == first["areas"]
    assert talk.state.networks == tuple(NETS)


def test_whole_weights_stay_exact() -> None:
    state = network_state(Network([([[2**60, 1], [0, 1]], None), ([[1, 1]], None)]))
    changed = state.with_value(0.5).network.layers[0].weights
    assert changed[0, 0] == Fraction(1, 2) and changed.dtype == object
    state = network_state(Network([([[1, 1], [2**60 + 1, 1]], None), ([[1, 1]], None)]))
    assert state.with_value(0.5).network.layers[0].weights[1, 0] == 2**60 + 1


def test_the_point_is_described_exactly() -> None:
    talk = session()
    everything = talk.handle({"do": "draw"})
    reply = talk.handle({"do": "point", "to": [0.5, -0.25]})
    region = region_at(NETS[0], [Fraction(1, 2), Fraction(-1, 4)])
    signs = "".join("-0+"[s + 1] for s in region.pattern.tolist())
    assert f"{signs[:8]} {signs[8:]}" in reply["say"]
    assert reply["chosen"]
    assert all(everything["areas"]["name"][i].endswith(signs) for i in reply["chosen"])
    assert (
        "between regions"
        in session(Network([([[1, 0]], None), ([[1]], None)])).handle(
            {"do": "point", "to": [0, 1]}
        )["say"]
    )


def test_a_plane_moves() -> None:
    talk = session(SPACE, within=None)
    assert len(talk.state.shifts) == 2
    reply = talk.handle({"do": "shift", "vector": 1, "position": -5})
    origin = [0, 0, 0, Fraction(-1, 2)]
    plane = SPACE.slice([origin, [1, 0, *origin[2:]], [0, 1, *origin[2:]]])
    within = talk.state.within
    assert reply["title"].startswith(f"{plane.network.count_regions(within=within)} region")
    points = rng.normal(size=(4, 4))
    own = network_state(SPACE, plane=points)
    assert len(own.shifts) == 1 and own.drawn.dimension == 2
    through = SPACE.slice([points[0], points[0] + points[1], points[0] + points[2]])
    assert network_state(through).within == through.box()


@pytest.mark.slow
def test_steps_are_stored() -> None:
    stored = stored_replies(network_state(NETS, within=BOX))
    assert len(stored) == 9
    assert stored['["pattern",2]']["step"] == 2
    assert len(stored_replies(network_state(SPACE))) == 3 + 2 * 20


@pytest.mark.slow
def test_regions_follow_within_a_tenth_of_a_second() -> None:
    """60 regions: the time of the processor, of the fastest of some answers."""
    talk = session(random_net(2, 9, 8, 3))
    talk.handle({"do": "draw"})
    times = []
    for k in range(8):
        before = time.process_time()
        reply = talk.handle({"do": "set", "value": k / 100})
        times.append(time.process_time() - before)
    assert len(set(reply["areas"]["name"])) >= 60
    assert min(times) < 0.1


@pytest.mark.parametrize(
    "message",
    [
        *(None, 3, {}, {"do": "dance"}, {"do": "step", "position": 3}, {"do": "step"}),
        *({"do": "step", "position": True}, {"do": "shift", "vector": 0, "position": 0}),
        *({"do": "color", "color": "red"}, {"do": "choose", "weight": [9, 0, 0]}),
        *({"do": "choose", "weight": 3}, {"do": "set", "value": "x"}, {"do": "undo"}),
        *({"do": "set", "value": float("nan")}, {"do": "set", "value": 1e300}),
        *({"do": "point", "to": [99, 0]}, {"do": "point", "to": [1]}, {"do": "point"}),
    ],
)
def test_messages_that_are_refused(message: Any) -> None:
    talk = session()
    assert list(talk.handle(message)) == ["error"]
    assert talk.state.networks == tuple(NETS)


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="network 1 is .* other layers"):
        explore([NETS[0], SPACE])
    with pytest.raises(InputError, match="one input"):
        explore(random_net(1, 3, 1))
    with pytest.raises(InputError, match=r"plane has shape \(2, 4\)"):
        explore(SPACE, plane=np.eye(4)[:2])
    with pytest.raises(InputError, match="offsets was given for a network"):
        explore(SPACE, np.zeros(4))
    with pytest.raises(InputError, match="show is 'rankings'"):
        explore(SPACE, show="rankings")
    with pytest.raises(InputError, match="plane was given for a Slice"):
        explore(SPACE.slice(np.eye(4)[:3]), plane=np.eye(4)[:3])
    monkeypatch.setattr(network_view, "_MOST_REGIONS", 40)
    with pytest.raises(TooLargeError, match="more than 40 regions"):
        explore(random_net(2, 9, 9, 1))
