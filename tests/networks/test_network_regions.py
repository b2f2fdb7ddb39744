"""Regions against exact feasibility of all patterns, and what must hold between answers."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from naive_networks import all_patterns, evaluate, functions, patterns_in_box, plain
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, chambers
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.networks import (
    Layer,
    Network,
    Region,
    Regions,
    count_regions,
    iter_regions,
    region_at,
    regions,
)
from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import read_domain
from arrangements.networks.enumeration import blocks_by_programs
from arrangements.search.parts import WHOLE
from arrangements.sets.ternary import decode

TENT = Network([([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], [0])])


def patterns(found: Regions) -> set[tuple[int, ...]]:
    rows = [tuple(row) for row in found.to_array().tolist()]
    assert len(set(rows)) == len(rows)
    return set(rows)


def check(network: Network, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, exact = network.dimension, plain(network)
    inside = regions(network, within=Polyhedron.box(-2, 3, dimension=d))
    assert patterns(inside) == patterns_in_box(exact, -2, 3, d)
    domain = read_domain(Polyhedron.box(-2, 3, dimension=d), network)
    assert domain is not None
    blocks = [decode(block.codes, network.n_units) for block in blocks_by_programs(network, domain)]
    assert set(map(tuple, np.concatenate(blocks).tolist())) == patterns(inside)
    for region in inside[:10]:
        check_region(region, inside)
    everywhere = regions(network)
    if d < 3 and network.n_units <= 6:
        assert patterns(everywhere) == all_patterns(exact, [], d)
    assert inside <= everywhere
    assert count_regions(network) == len(everywhere)
    for region in everywhere:
        check_region(region, everywhere)
    for _ in range(5):
        x = [Fraction(int(n), 97) for n in rng.integers(-300, 300, d)]
        signs, _ = evaluate(exact, x)
        if not np.array_equal(signs, np.abs(signs)) and all(signs):
            assert signs in everywhere
            assert region_at(network, x) == everywhere[everywhere.index(signs)]


def check_region(region: Region, found: Regions) -> None:
    network, d = region.network, region.network.dimension
    units, outputs = functions(plain(network), region.pattern.tolist(), d)
    M, v = region.affine_map
    assert [(*row, c) for row, c in zip(M.tolist(), v.tolist(), strict=True)] == outputs
    values = [
        sum((a * x for a, x in zip(r, (*region.point, 1), strict=True)), Fraction(0)) for r in units
    ]
    assert [(y > 0) - (y < 0) for y in values] == region.pattern.tolist()
    assert network.forward(region.point) == tuple(M @ np.array(region.point, object) + v)
    own = found.index(region)
    for neighbor in region.neighbors:
        assert own in [found.index(other) for other in neighbor.neighbors]
    assert region.polyhedron.contains(region.point, interior=True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(k, marks=pytest.mark.slow) for k in range(2, 6))]
)
def test_small_networks(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    widths = [int(rng.integers(1, 4)) for _ in range(int(rng.integers(1, 4)))]
    check(random_network(kind, rng, d, widths), seed)


UNBOUNDED = {
    "half-plane": Polyhedron([[1, 1]], [1]),
    "wedge": Polyhedron([[1, 1], [1, -2], [3, 1]], [1, 0, 9]),
    "strip": Polyhedron([[1, -1], [-1, 1]], [2, 1]),
    "line": Polyhedron(np.zeros((0, 2), int), [], equations=([[1, 2]], [Fraction(1, 3)])),
    "ray": Polyhedron([[1, 0]], [Fraction(1, 7)], equations=([[1, 2]], [0])),
    "segment": Polyhedron([[1, 0], [-1, 0]], [1, 1], equations=([[1, 2]], [0])),
    "point": Polyhedron(np.zeros((0, 2), int), [], equations=([[1, 2], [0, 1]], [1, 0])),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", UNBOUNDED)
def test_unbounded_and_flat_polyhedra(kind: str, name: str) -> None:
    """Sections of cones against linear programs."""
    rng = np.random.default_rng([len(kind), len(name)])
    for _ in range(2):
        network = random_network(kind, rng, 2, rng.integers(1, 5, int(rng.integers(1, 4))).tolist())
        domain = read_domain(UNBOUNDED[name], network)
        assert domain is not None
        blocks = [
            decode(block.codes, network.n_units) for block in blocks_by_programs(network, domain)
        ]
        expected = set(map(tuple, np.concatenate(blocks).tolist()))
        assert patterns(regions(network, within=UNBOUNDED[name])) == expected
        assert count_regions(network, within=UNBOUNDED[name], workers=2) == len(expected)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("d", [4, 5])
def test_everywhere_in_more_dimensions(d: int) -> None:
    rng = np.random.default_rng(d)
    for widths in ([d + 1, 2], [d - 1, 2]):
        network = random_network("generic", rng, d, widths)
        domain = read_domain(None, network)
        assert domain is not None
        blocks = [
            decode(block.codes, network.n_units) for block in blocks_by_programs(network, domain)
        ]
        expected = set(map(tuple, np.concatenate(blocks).tolist()))
        assert patterns(regions(network)) == expected


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_threads_find_the_same(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    network, square = random_network(kind, rng, 2, [40, 40]), Polyhedron.box(-2, 3, dimension=2)
    found = regions(network, within=square)
    assert regions(network, within=square, workers=2) == found
    assert count_regions(network, within=square, workers=3) == len(found)
    assert sum(map(len, iter_regions(network, within=square, workers=2))) == len(found)


def test_time_limit() -> None:
    network = random_network(KINDS[0], np.random.default_rng(0), 3, [40, 40])
    cube = Polyhedron.box(-2, 3, dimension=3)
    found = regions(network, within=cube, time_limit=0)
    assert not found.complete and len(found) > 0
    large = random_network(KINDS[0], np.random.default_rng(0), 3, [400, 400])
    *others, last = iter_regions(large, within=cube, time_limit=0.05)
    assert not last.complete and all(block.complete for block in others)
    with pytest.raises(InputError, match="time_limit"):
        regions(network, time_limit=-1)
    with pytest.raises(InputError, match="workers"):
        count_regions(network, workers=0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_small_networks(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    widths = [int(rng.integers(1, 5)) for _ in range(int(rng.integers(1, 4)))]
    check(random_network(kind, rng, d, widths), seed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_on_a_plane(kind: str) -> None:
    """A flat polyhedron is a change of coordinates of the inputs."""
    rng = np.random.default_rng(len(kind))
    network = random_network(kind, rng, 3, [3, 3])
    B, c = rng.integers(-2, 3, (3, 2)), rng.integers(-1, 2, 3)
    if np.linalg.matrix_rank(B) < 2:
        B[0], B[1] = [1, 0], [0, 1]
    normal = np.cross(B[:, 0], B[:, 1])
    plane = Polyhedron(np.zeros((0, 3), int), [], equations=([normal], [normal @ c]))
    restricted = Network([Layer(B, c, slope=1), *shifted(network)])
    flat = regions(network, within=plane)
    assert patterns(flat) == patterns(regions(restricted)) == all_patterns(plain(restricted), [], 2)
    for region in flat:
        assert plane.contains(region.point)
        assert region.polyhedron.dimension == 2
        assert region.polyhedron.contains(region.point, interior=True)
        assert region.polyhedron.verify()
        assert all(neighbor in flat for neighbor in region.neighbors)
        assert region_at(network, region.point, within=plane) == region


def shifted(network: Network) -> list[Layer]:
    """The layers after one more, which takes the place of the inputs."""
    return [
        Layer(
            layer.weights,
            layer.offsets,
            slope=layer.slopes,
            inputs=[0 if source == "x" else int(source) + 1 for source in layer.inputs or ()],
        )
        for layer in network.layers
    ]


def test_one_point_and_no_point() -> None:
    point = Polyhedron.box(1, 1, dimension=1)
    (region,) = regions(TENT, within=point)
    assert region.pattern.tolist() == [1, 1, 0, -1]
    assert region.point == (1,) and region.walls == region.neighbors == ()
    empty = regions(TENT, within=([[0]], [-1]))
    assert len(empty) == 0 and empty.complete and empty.within is None
    assert count_regions(TENT, within=([[0]], [-1])) == 0
    assert empty.to_array().shape == (0, 4) and list(empty) == []


def test_the_last_layer_may_have_units() -> None:
    network = Network([([[1, 2], [3, -1]], [0, 1]), Layer([[1, -1]], [0], slope=0)])
    square = Polyhedron.box(-2, 3, dimension=2)
    assert patterns(regions(network, within=square)) == patterns_in_box(plain(network), -2, 3, 2)
    assert count_regions(network, within=square) == len(regions(network, within=square))


def test_regions_smaller_than_floats() -> None:
    """Some regions have no point in floats: the exact one is found when it is asked for."""
    tiny = Fraction(1, 2**1080)
    network = Network([([[1], [1]], [0, -tiny]), ([[1, 1]], None)])
    found = regions(network, within=Polyhedron.box(-1, 1, dimension=1))
    assert len(found) == 3
    (x,) = found[found.index("+-")].point
    assert 0 < x < tiny


def test_no_units() -> None:
    (region,) = regions(Network([([[1, 2]], [3])]))
    assert region.pattern.shape == (0,) and region.point == (0, 0) and region.walls == ()
    assert region.affine_map[0].tolist() == [[1, 2]]
    assert [len(signs) for signs in region.by_layer] == [0]


@pytest.mark.parametrize("seed", range(10))
def test_one_layer_is_an_arrangement(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W, b = rng.integers(-2, 3, (5, 3)), rng.integers(-1, 2, 5)
    W[~W.any(axis=1), 0] = 1
    network = Network([(W, b), (np.ones((1, 5)), None)])
    P = Polyhedron.simplex(3) if seed % 2 else None
    signs = chambers(W, b, within=P).to_array().tolist()
    found = patterns(regions(network, within=P))
    assert found == set(map(tuple, signs)) or (P and any(0 in row for row in found))


def test_permuted_scaled_and_moved() -> None:
    rng = np.random.default_rng(7)
    network = random_network("generic", rng, 2, [4, 4])
    (W1, b1), (W2, b2), (W3, _) = ((layer.weights, layer.offsets) for layer in network.layers)
    order, scales = rng.permutation(4), 2.0 ** rng.integers(-3, 4, 4)
    other = Network(
        [
            (scales[:, None] * W1[order], scales * b1[order]),
            (W2[:, order] / scales, b2),
            (W3, None),
        ]
    )
    found = regions(network).to_array()
    assert patterns(regions(other)) == {(*row[order], *row[4:]) for row in found.tolist() and found}
    moved = Network([Layer([[2, 1], [0, -3]], [5, -0.25], slope=1), *shifted(network)])
    assert regions(moved) == regions(network)


def test_counts_are_sums_over_the_layer_before() -> None:
    network = random_network("generic", np.random.default_rng(2), 3, [4, 4])
    first = Network([network.layers[0], (np.ones((1, 4)), None)])
    total = 0
    for region in regions(first):
        units = functions(plain(network), [*region.pattern.tolist(), *[1] * 4], 3)[0][4:]
        A = np.array([row for row in units if any(row[:-1])], object)
        if len(A):
            total += len(chambers(A[:, :-1], A[:, -1], within=region.polyhedron))
        else:
            total += 1
    assert count_regions(network) == total


def test_blocks_and_limits() -> None:
    network = random_network("generic", np.random.default_rng(3), 2, [5, 5])
    whole = regions(network)
    blocks = list(iter_regions(network))
    assert sum(map(len, blocks)) == len(whole)
    assert all(region in whole for block in blocks for region in block)
    some = regions(network, limit=5)
    assert len(some) == 5 and not some.complete
    assert repr(some) == "Regions(5 of 10 units, truncated)"
    with pytest.raises(IncompleteError):
        _ = some == whole
    with pytest.raises(IncompleteError):
        _ = [row for row in whole.to_array() if row.tolist() in some]
    assert sum(map(len, iter_regions(network, limit=7))) == 7
    assert regions(network, limit=len(whole)).complete
    with pytest.raises(TooLargeError, match="regions were found so far"):
        regions(network, max_bytes=8)
    assert network.count_regions() == len(whole) == len(network.regions())


def test_sets_of_regions() -> None:
    whole, half = regions(TENT), regions(TENT, within=([[-1]], [0]))
    assert len(whole) == 6 and len(half) == 5 and half < whole
    assert len(whole - half) == 1 and whole & half == half and whole | half == whole
    assert (whole & half).within != half.within and (half - whole).within == half.within
    assert (regions(TENT, within=([[0]], [-1])) | half).within == half.within
    with pytest.raises(ArrangementError, match="of which one is flat"):
        _ = half & regions(TENT, within=Polyhedron.box(1, 1, dimension=1))
    other = Network([(layer.weights, layer.offsets) for layer in TENT.layers[:2]])
    with pytest.raises(ArrangementError, match="of 4 and 2 units"):
        _ = half & regions(other)
    double = Network([(2 * layer.weights, layer.offsets) for layer in TENT.layers])
    with pytest.raises(ArrangementError, match="different networks"):
        _ = half | regions(double)
    assert whole[-1] == whole[5] and len(whole[2:4]) == 2 and list(whole)[3] == whole[3]
    assert "++++" not in half or "++++" in whole
    with pytest.raises(IndexError, match="row 6 of 6 regions"):
        whole[6]
    with pytest.raises(ArrangementError, match="expected 4 signs"):
        _ = "+++" in whole
    with pytest.raises(ArrangementError, match="expected signs"):
        whole.index("abcd")
    with pytest.raises(ArrangementError, match="is not in Regions"):
        whole.index("-+++")
    assert "Regions(6 of 4 units, complete)" in whole._repr_html_()


def test_walls() -> None:
    """A unit that copies another shares its wall; the boundary has no neighbor."""
    network = Network([([[1, 0], [2, 0], [0, 1]], None), ([[1, 0, 0]], None), ([[1]], None)])
    region = region_at(network, [1, 1], within=Polyhedron.box(0, 4, dimension=2))
    walls = {wall.normal: (wall.units, wall.inequalities) for wall in region.walls}
    assert walls == {
        (1, 0): ((0, 1, 3), (0,)),
        (0, 1): ((2,), (1,)),
        (-1, 0): ((), (2,)),
        (0, -1): ((), (3,)),
    }
    assert region.neighbors == ()
    (left, below) = region_at(network, [1, 1]).neighbors
    assert left.pattern.tolist() == [-1, -1, 1, 0] and below.pattern.tolist() == [1, 1, -1, 1]
    assert left.neighbors[0].pattern.tolist() == [1, 1, 1, 1]
    assert hash(left) == hash(region_at(network, [-1, 1])) and left != below and left != 3


def test_points_between_regions() -> None:
    with pytest.raises(ArrangementError, match=r"unit 1 of layers\[0\] is 0"):
        region_at(TENT, [0.5])
    with pytest.raises(ArrangementError, match="relative interior of within"):
        region_at(TENT, [0], within=([[1]], [0]))
    with pytest.raises(ArrangementError, match="x has 2 entries; expected 1"):
        region_at(TENT, [0, 1])
    assert region_at(TENT, [-1]).pattern.tolist() == [-1, -1, 0, -1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"network": 3}, "network is 3; expected an instance of Network"),
        ({"within": Polyhedron.box(0, 1, dimension=2)}, "expected one in dimension 1"),
        ({"within": 3}, "within is 3; expected a Polyhedron"),
        ({"limit": 0}, "limit is 0"),
        ({"progress": "x"}, "progress is 'x'"),
        ({"max_bytes": 0}, "max_bytes is 0"),
    ],
)
def test_malformed_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        regions(**{"network": TENT, **arguments})


def test_an_irrational_polyhedron() -> None:
    from sympy import sqrt

    with pytest.raises(ArrangementError, match="irrational numbers; expected rational"):
        regions(TENT, within=([[1]], [sqrt(2)]))


def test_a_count_solves_for_vertices_as_soon_as_a_list_does() -> None:
    network = random_network("generic", np.random.default_rng(0), 5, [10, 10])
    domain = read_domain(None, network)
    assert domain is not None
    searches = sweeps_of(network, domain)
    assert searches is not None and len(searches) == 32
    of_counts = of_lists = 0
    for k in range(0, 32, 8):
        sweep = searches[k]
        number = sum(sweep.counts())
        of_counts += sweep.exact_signs
        assert sum(len(block.patterns) for block in sweep.blocks(50)) == number
        of_lists += sweep.exact_signs
    assert of_counts <= 2 * of_lists


def test_searches_are_made_one_by_one() -> None:
    network = random_network("generic", np.random.default_rng(0), 3, [6, 6])
    domain = read_domain(None, network)
    assert domain is not None
    searches = sweeps_of(network, domain)
    assert searches is not None
    counts = [sum(sweep.counts()) for sweep in searches]
    assert len(counts) == len(searches.charts) == 8
    assert sum(counts) == count_regions(network) == count_regions(network, workers=2)
    assert sum(sum(sweep.counts()) for sweep in searches[3:]) == sum(counts[3:])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", KINDS)
def test_every_part_of_a_count_goes_on(kind: str) -> None:
    """With a search of its own, which has no residues yet, as where threads take turns."""
    network = random_network(kind, np.random.default_rng(1), 2, [6, 6])
    domain = read_domain(None, network)
    assert domain is not None
    searches = sweeps_of(network, domain)
    assert searches is not None
    for k, sweep in enumerate(searches):
        parts, found, visits = [WHOLE], 0, 0
        while parts:
            own = searches[k].another()
            own.restart(False, part=parts.pop())
            found += own.count(2)
            parts += own.rest()
            visits += 1
            assert visits < 2000
        assert found == sum(sweep.counts())
