"""Runs of the regions of a network: the same as the listing, in any order, after interruptions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, check_run, open_run
from arrangements.networks import Layer, Network, regions, write_regions
from arrangements.runs import making

SQUARE = Polyhedron.box(-2, 3, dimension=2)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("within", [SQUARE, None])
def test_a_run_is_the_listing(kind: str, within: Any, tmp_path: Path) -> None:
    network = random_network(kind, np.random.default_rng(len(kind)), 2, [5, 4])
    run = write_regions(network, tmp_path / "run", within=within, rows_per_part=7)
    found = regions(network, within=within)
    assert len(run) == len(found) and run.complete and run.noun == "regions"
    blocks = list(run)
    assert {row.tobytes() for block in blocks for row in block.to_array()} == {
        row.tobytes() for row in found.to_array()
    }
    assert all(len(block) <= 7 for block in blocks)
    again = open_run(tmp_path / "run")
    assert again.network == network and again.within == within
    for block in again:
        assert (block.points is None) == (within is None)
        for region in block[:2]:
            assert region.pattern in again and region.proved_point() == region.point
            assert np.array_equal(network.pattern_at(region.point), region.pattern)
    assert check_run(tmp_path / "run", points=5)
    assert len(again.sample(min(5, len(found)), rng=0)) == min(5, len(found))


def test_files_do_not_depend_on_workers_or_interruptions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = random_network("generic", np.random.default_rng(3), 2, [30, 20])
    options: Any = {"within": SQUARE, "rows_per_part": 50}
    write_regions(network, tmp_path / "one", **options)
    expected = contents(tmp_path / "one")
    assert len(expected) > 10
    write_regions(network, tmp_path / "two", workers=2, **options)
    assert contents(tmp_path / "two") == expected

    written, store = 0, making.store

    def interrupted(*args: Any) -> Any:
        nonlocal written
        written += 1
        if written % 4 == 0:
            raise KeyboardInterrupt
        return store(*args)

    monkeypatch.setattr(making, "store", interrupted)
    for _ in range(200):
        try:
            write_regions(network, tmp_path / "three", **options)
            break
        except KeyboardInterrupt:
            assert not open_run(tmp_path / "three").complete
    assert written > 10 and contents(tmp_path / "three") == expected


def test_damage_is_repaired(tmp_path: Path) -> None:
    network = random_network("integer", np.random.default_rng(3), 2, [9, 5])
    write_regions(network, tmp_path, within=SQUARE, rows_per_part=20)
    expected = contents(tmp_path)
    part = sorted(name for name in expected if name.startswith("part"))[1]
    (tmp_path / part).write_bytes(expected[part][:-9])
    assert not check_run(tmp_path)
    assert check_run(tmp_path, repair=True)
    assert contents(tmp_path) == expected


@pytest.mark.slow
def test_other_questions_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    network, other = (random_network("generic", rng, 2, [5, 4]) for _ in range(2))
    run = write_regions(network, tmp_path, within=SQUARE)
    with pytest.raises(ArrangementError, match="the numbers of W and the offsets, or of the netw"):
        write_regions(other, tmp_path, within=SQUARE)
    with pytest.raises(ArrangementError, match="within"):
        write_regions(network, tmp_path)
    with pytest.raises(ArrangementError, match="resume=True"):
        write_regions(network, tmp_path, within=SQUARE, resume=False)
    with pytest.raises(ArrangementError, match="bytes"):
        write_regions(network, tmp_path / "new", within=SQUARE, max_bytes=10)
    wide = Network([Layer(np.eye(8)), (np.ones((1, 8)), None)])
    with pytest.raises(ArrangementError, match="at most 6 inputs"):
        write_regions(wide, tmp_path / "new")
    with pytest.raises(ArrangementError, match="pattern"):
        "+" in run  # noqa: B015
    every = [2 * np.array(pattern) - 1 for pattern in np.ndindex((2,) * 9)]
    assert sum(pattern in run for pattern in every) == len(run)


def test_all_kinds_of_layers_are_kept(tmp_path: Path) -> None:
    network = Network(
        [
            Layer([[1, 2], [0.5, -1]], [0, 1], slope=[0.1, -1]),
            ([[1, -1]], None),
            Layer([[1, 1, 1]], inputs=["x", 1]),
            ([[1]], None),
        ]
    )
    run = write_regions(network, tmp_path, within=SQUARE)
    assert open_run(tmp_path).network == network
    assert len(run) == len(regions(network, within=SQUARE))
    assert "<table" in run._repr_html_()
    empty = write_regions(network, tmp_path / "none", within=([[1, 0], [-1, 0]], [0, -1]))
    assert len(empty) == 0 and list(empty) == [] or all(len(block) == 0 for block in empty)


@pytest.mark.slow
def test_on_a_cluster(tmp_path: Path) -> None:
    from arrangements.execution.clusters import local_cluster

    network = random_network("generic", np.random.default_rng(3), 2, [30, 20])
    write_regions(network, tmp_path / "one", within=SQUARE, rows_per_part=200)
    with local_cluster(2) as client:
        write_regions(network, tmp_path / "two", within=SQUARE, rows_per_part=200, client=client)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
