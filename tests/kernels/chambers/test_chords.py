"""Counts by chords of sections, against sweeps of facets and hyperplanes, and incrementally."""

from collections.abc import Iterator

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, count_chambers
from arrangements.kernels.chambers import chords, within_search
from arrangements.search.chord_count import ChordCount
from arrangements.search.flag import Flag
from arrangements.search.parts import WHOLE, cut
from arrangements.search.within_sweep import WithinSweep, rows_inside
from kernels import compiled


@pytest.fixture
def no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts by lines fail."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("a count by lines")

    monkeypatch.setattr(within_search, "advance", refuse)


def sweep_of(arrangement: Arrangement, P: Polyhedron, part: object = WHOLE) -> WithinSweep:
    inside = rows_inside(arrangement, P)
    assert inside is not None
    return WithinSweep(Flag(inside.rows, True), inside, part)  # type: ignore[arg-type]


def generic(n: int, d: int, seed: int = 0) -> Arrangement:
    rng = np.random.default_rng([n, d, seed])
    return Arrangement(rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n))


def listed(arrangement: Arrangement, P: Polyhedron) -> int:
    return sum(map(len, sweep_of(arrangement, P).blocks(10_000)))


@pytest.mark.parametrize(
    ("n", "d"), [(1, 3), (10, 3), (60, 3), (130, 3), (12, 4), (62, 4), (14, 5), (11, 6), (10, 8)]
)
def test_boxes_in_general_position(n: int, d: int, request: pytest.FixtureRequest) -> None:
    A, P = generic(n, d), Polyhedron.box(-1, 1, dimension=d)
    expected = listed(A, P)
    request.getfixturevalue("no_lines")
    assert sum(sweep_of(A, P).counts()) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("k", [6, 9])
def test_cones_and_polytopes(k: int) -> None:
    rng = np.random.default_rng(k)
    for d in (3, 4, 5):
        A = generic(12, d, k)
        for P in (
            Polyhedron(rng.standard_normal((k, d)), np.ones(k)),
            Polyhedron.cone(rng.standard_normal((k, d + 1)) + 2 * np.eye(d + 1)[0]),
            Polyhedron.hull(rng.integers(-9, 10, (2 * k, d))),
        ):
            B = A if P.ambient_dimension == d else Arrangement(generic(12, d + 1, k).normals)
            expected = count_chambers(B, within=P, method="incremental")
            assert sum(sweep_of(B, P).counts()) == expected == listed(B, P)


def degenerate() -> Iterator[tuple[str, Arrangement, Polyhedron]]:
    rng, box = np.random.default_rng(0), Polyhedron.box(-1, 1, dimension=3)
    W, b = rng.standard_normal((12, 3)), rng.uniform(-0.5, 0.5, 12)
    line = W.copy(), b.copy()
    line[0][7], line[1][7] = W[2] + W[5], b[2] + b[5]
    yield "three in a line", Arrangement(*line), box
    point = b.copy()
    point[:5] = -(W[:5] * [0.125, 0.25, -0.5]).sum(axis=1)
    yield "five near a point", Arrangement(W, point), box
    rows = rng.integers(-2, 3, (14, 3))
    rows[~rows.any(axis=1), 0] = 1
    yield "small integers", Arrangement(rows, rng.integers(-2, 3, 14)), box
    yield "all through the center", Arrangement(W, np.zeros(12)), Polyhedron.box(-1, 2, dimension=3)
    parallel = W.copy()
    parallel[6:] = 2 * W[:6]
    yield "parallel", Arrangement(parallel, b), box
    corner = b.copy()
    corner[3] = -(W[3]).sum()
    yield "through a corner", Arrangement(W, corner), box
    twice = np.concatenate([W, W + 2.0**-52 * rng.standard_normal((12, 3))])
    yield "almost equal", Arrangement(twice, np.concatenate([b, b])), box
    facets = np.concatenate([W, np.eye(3)]), np.concatenate([b, [1, -1, 1]])
    yield "facets", Arrangement(*facets), box
    rows = [[-1, 0, 1, 1]] * 2 + [[-2, 0, 2, 2], [-1, 2, 0, -1], [2, -2, -1, 0], [2, 0, -2, -2]]
    small = Polyhedron.box(-1, 1, dimension=4)
    yield "equal hyperplanes in R^4", Arrangement(rows, [2, 2, 0, -2, -2, 1]), small
    yield "tiny box", Arrangement(W, b), Polyhedron.box(-(2.0**-60), 2.0**-60, dimension=3)


def test_sections_with_vertices_on_many_facets() -> None:
    rng = np.random.default_rng(0)
    for _ in range(12):
        rows = rng.integers(-2, 3, (11, 5))
        rows[~rows.any(axis=1), 0] = 1
        A, P = Arrangement(rows, rng.integers(-2, 3, 11)), Polyhedron.box(-3, 3, dimension=5)
        assert count_chambers(A, within=P) == listed(A, P)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", list(degenerate()), ids=lambda case: case[0])
def test_what_floats_leave_open(case: tuple[str, Arrangement, Polyhedron]) -> None:
    _, A, P = case
    expected = count_chambers(A, within=P, method="incremental")
    assert sum(sweep_of(A, P).counts()) == expected
    slow = sweep_of(A, P)
    slow._budget = 1  # of nodes, in a call
    assert sum(slow.counts()) == expected
    assert count_chambers(A, within=P, workers=2) == expected


def test_rows_left_open_are_counted_before_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines would overwrite the sections that a count is in."""
    rng = np.random.default_rng(1)
    W, b = rng.standard_normal((7, 5)), rng.uniform(-0.5, 0.5, 7)
    b[6] = -(W[6] * rng.choice([-1, 1], 5)).sum()  # almost through a corner
    A, P = Arrangement(W, b), Polyhedron.box(-1, 1, dimension=5)
    sweep, advance, calls = sweep_of(A, P), ChordCount.advance, []
    assert ChordCount(sweep.space, sweep.sections, sweep.polygon, 0, sweep.flag.n).open

    def checked(found: ChordCount, budget: int) -> tuple[bool, int]:
        assert not found.open
        calls.append(budget)
        return advance(found, budget)

    monkeypatch.setattr(ChordCount, "advance", checked)
    sweep._budget = 3 * sweep.flag.n
    assert sum(sweep.counts()) == count_chambers(A, within=P, method="incremental")
    assert len(calls) > 3


def test_an_open_node_is_left_to_lines() -> None:
    A, P = next((A, P) for name, A, P in degenerate() if name == "three in a line")
    sweep = sweep_of(A, P)
    found = ChordCount(sweep.space, sweep.sections, sweep.polygon, 0, sweep.flag.n)
    finished, total, nodes = False, 1, []
    while not finished:
        finished, count = found.advance(1)
        total += count
        nodes += found.open
        found.open.clear()
    assert nodes and total < listed(A, P)
    for part in nodes:
        sweep.restart(part)
        total += sum(sweep._counts_by_lines())
    assert total == listed(A, P)


def test_parts_add_up() -> None:
    A, P = generic(20, 4), Polyhedron.box(-1, 1, dimension=4)
    flag = sweep_of(A, P).flag
    for workers in (2, 5):
        parts = cut(flag.most_below(0), workers)
        counts = [sum(sweep_of(A, P, part).counts()) for part in parts]
        assert sum(counts) == listed(A, P) and min(counts) < max(counts)


def test_a_count_goes_on_where_it_paused() -> None:
    A, P = generic(20, 4), Polyhedron.box(-1, 1, dimension=4)
    sweep = sweep_of(A, P)
    found = ChordCount(sweep.space, sweep.sections, sweep.polygon, 0, sweep.flag.n)
    counts, finished = [], False
    while not finished:
        finished, count = found.advance(3)
        counts.append(count)
    assert sum(counts) + 1 == listed(A, P) and len(counts) > 50


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [0, 1, 2, 7, 8, 9, 31, 33, 70])
def test_points_on_a_chord(number: int) -> None:
    differ = compiled(chords._differ)
    rng = np.random.default_rng(number)
    for width in (0.0, 1e-3, 1e-2, 0.3):
        places = np.zeros((4, 80))
        places[1] = places[3] = 0.5
        places[2, :number] = rng.random(number)
        places[3, :number] = width * rng.random(number) + 1e-16
        pairs = np.abs(places[2, :number, None] - places[2, None, :number])
        sums = places[3, :number, None] + places[3, None, :number]
        apart = bool((pairs > sums)[~np.eye(number, dtype=bool)].all())
        assert differ(places, number) == apart


@pytest.mark.parametrize("distance", [1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("d", [3, 4])
def test_points_that_singles_do_not_tell_apart(
    d: int, distance: float, request: pytest.FixtureRequest
) -> None:
    rng = np.random.default_rng(d)
    W, inner = rng.standard_normal((11, d)), np.linspace(-0.25, 0.25, d)
    b = -W @ inner + distance * rng.standard_normal(11)
    A, P = Arrangement(W, b), Polyhedron.box(-1, 1, dimension=d)
    expected = count_chambers(A, within=P, method="incremental")
    request.getfixturevalue("no_lines")
    assert sum(sweep_of(A, P).counts()) == expected


@pytest.mark.parametrize(
    ("n", "d", "k"), [(12, 5, 3), (9, 5, 4), (9, 6, 4), (14, 4, 3), (70, 4, 3)]
)
def test_cones_with_lines(n: int, d: int, k: int, request: pytest.FixtureRequest) -> None:
    rng = np.random.default_rng([n, d, k])
    A = Arrangement(rng.standard_normal((n, d)))
    P = Polyhedron(rng.standard_normal((k, d)), np.zeros(k))
    expected = listed(A, P)
    if n < 20:
        assert expected == count_chambers(A, within=P, method="incremental")
    request.getfixturevalue("no_lines")
    assert sum(sweep_of(A, P).counts()) == expected


def test_degenerate_rows_in_cones_with_lines() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        d = int(rng.integers(4, 6))
        rows = rng.integers(-2, 3, (10, d))
        rows[~rows.any(axis=1), 0] = 1
        A = Arrangement(rows)
        P = Polyhedron(rng.integers(-2, 3, (d - 2, d)), np.zeros(d - 2, int))
        expected = count_chambers(A, within=P, method="incremental")
        assert count_chambers(A, within=P) == count_chambers(A, within=P, workers=2) == expected
