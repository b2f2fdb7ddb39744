"""Runs and folds inside a polyhedron hold what listings inside it hold."""

import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import sqrt

import arrangements as ar
from arrangements import Polyhedron
from arrangements.errors import InputError, TooLargeError
from arrangements.runs import folding
from arrangements.runs.planning import plan_run

pytest.importorskip("pyarrow")
pytest.importorskip("xxhash")

RNG = np.random.default_rng(7)
Question = tuple[Any, Any, Any]
CASES: dict[str, Question] = {
    "box": (RNG.normal(size=(9, 3)), RNG.normal(size=9), Polyhedron.box(-1, 1, dimension=3)),
    "cone": (
        RNG.integers(-2, 3, (9, 4)) + np.eye(9, 4, dtype=int) * 5,
        None,
        (-np.eye(4), [0] * 4),
    ),
    "simplex": (RNG.normal(size=(8, 4)), None, Polyhedron.simplex(4)),
    "strip": (RNG.normal(size=(8, 3)), RNG.normal(size=8), ([[1, 0, 0], [-1, 0, 0]], [1, 1])),
    "whole space": (RNG.normal(size=(6, 3)), None, ([[0, 0, 0]], [1])),
    "two words": (RNG.normal(size=(66, 2)), RNG.normal(size=66), ([[1, 1], [-1, 2]], [0.1, 0])),
    "a facet is a row": ([[1, 0], [0, 1], [1, 1]], [0, 0, -1], ([[-1, 0], [0, -1]], [0, 0])),
    "segment": (RNG.normal(size=(6, 2)), None, Polyhedron.hull([[0, 1], [3, -1]])),
    "point": (RNG.normal(size=(6, 2)), None, Polyhedron.hull([[1, 2]])),
    "in a row": ([[1, 1], [1, 0]], None, Polyhedron.hull([[1, -1], [2, -2]])),
    "empty": (RNG.normal(size=(6, 2)), None, ([[1, 0], [-1, 0]], [0, -1])),
    "irrational": ([[1, sqrt(2)], [sqrt(2), -1], [1, 1]], None, ([[1, sqrt(2)]], [1])),
    "fractions": (
        [[1, 2, 3], [3, -1, 1], [1, 1, -1]],
        [Fraction(1, 3), 0, 1],
        ([[1, 1, 1]], [Fraction(1, 7)]),
    ),
}


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rows", [None, 7])
@pytest.mark.parametrize("name", CASES)
def test_a_run_has_the_chambers_of_the_incremental_method(
    name: str, rows: int | None, tmp_path: Path
) -> None:
    W, b, P = CASES[name]
    right = ar.chambers(W, b, within=P, method="incremental")
    run = ar.write_chambers(W, tmp_path / "run", offsets=b, within=P, rows_per_part=rows)
    assert run.complete and len(run) == len(right) and not run.half
    for block in run:
        assert all(signs in right for signs in block)
    report = ar.check_run(run)
    assert report, str(report)
    again = ar.open_run(run)
    assert again.within is not None and again.within == run.within
    for signs in right.to_array()[:4]:
        assert signs in again and again.within.contains(again.witness(signs), interior=True)
    for signs in ar.chambers(W, b).to_array()[:20]:
        assert (signs in run) == (signs in right)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", [name for name in CASES if name != "in a row"])
def test_a_run_has_the_rankings_of_the_listing(name: str, tmp_path: Path) -> None:
    W, b, P = CASES[name]
    W, b = W[:6], None if b is None else b[:6]
    right = ar.rankings(W, b, within=P)
    run = ar.write_rankings(W, tmp_path / "run", offsets=b, within=P, rows_per_part=20)
    assert len(run) == len(right) and all(order in right for block in run for order in block)
    assert ar.check_run(run)
    for order in right.to_array()[:3]:
        assert order in run and run.within.contains(run.witness(order), interior=True)  # type: ignore[union-attr]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["box", "cone", "two words", "empty"])
def test_an_interrupted_run_ends_with_the_same_files(name: str, tmp_path: Path) -> None:
    W, b, P = CASES[name]
    question = {"W": W, "offsets": b, "within": P}
    ar.write_chambers(path=tmp_path / "a", rows_per_part=9, **question)
    ar.write_chambers(path=tmp_path / "b", rows_per_part=9, workers=3, **question)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    for path in sorted((tmp_path / "b").glob("part-*"))[::2]:
        path.unlink()
    (tmp_path / "b" / "complete.json").unlink()
    assert not ar.open_run(tmp_path / "b").complete
    ar.write_chambers(path=tmp_path / "b", **question)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    (tmp_path / "b" / "input.npz").unlink()
    assert ar.check_run(tmp_path / "b", repair=True)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_another_polyhedron_is_another_question(tmp_path: Path) -> None:
    W, square = np.eye(2, dtype=int), ([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, 1, 1])
    ar.write_chambers(W, tmp_path / "a", within=square)
    before = contents(tmp_path / "a")
    for within in (None, (square[0], [1, 1, 1, 2]), (square[0][:3], square[1][:3])):
        with pytest.raises(InputError, match=r"not the same: the inequalities of within\. Choose"):
            ar.write_chambers(W, tmp_path / "a", within=within)
    assert contents(tmp_path / "a") == before
    same = ([[Fraction(x) for x in row] for row in square[0]], [1.0] * 4)
    assert len(ar.write_chambers(W, tmp_path / "a", within=same)) == 4
    ar.write_chambers(W, tmp_path / "b")
    with pytest.raises(InputError, match="the inequalities of within"):
        ar.write_chambers(W, tmp_path / "b", within=square)
    shutil.copy(tmp_path / "b" / "input.npz", tmp_path / "a")
    with pytest.raises(InputError, match="not the input of this run"):
        ar.open_run(tmp_path / "a")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CASES)
def test_folds(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_part_rows", lambda source, expected: 20)
    W, b, P = CASES[name]
    on = (ar.chambers(W, b, within=P, method="incremental").to_array() > 0).astype(int)
    right = {
        "positives": np.bincount(on.sum(axis=1), minlength=len(W) + 1),
        "on": on.sum(axis=0),
        "pairs": on.T @ on,
    }
    for step, expected in right.items():
        saved = tmp_path / f"{step}.npz"
        for _ in range(2):
            found = ar.fold_chambers(W, step, offsets=b, within=P, checkpoint=saved)  # type: ignore[arg-type]
            assert (found == expected).all()
        with pytest.raises(InputError, match="the inequalities of within"):
            ar.fold_chambers(W, step, offsets=b, checkpoint=saved)  # type: ignore[arg-type]
    if len(on):
        assert ar.fold_chambers(W, len, offsets=b, within=P, workers=2) == len(on)
    else:
        with pytest.raises(InputError, match="meets none of the chambers.*count_chambers"):
            ar.fold_chambers(W, len, offsets=b, within=P)


@pytest.mark.parametrize("name", ["box", "cone", "segment", "empty"])
def test_places(name: str) -> None:
    W, b, P = CASES[name]
    orders = ar.rankings(W, b, within=P).to_array()
    places = [[(orders[:, r] == i).sum() for r in range(len(W))] for i in range(len(W))]
    assert (ar.fold_rankings(W, "places", offsets=b, within=P) == places).all()


@pytest.mark.slow
def test_a_small_part_of_a_huge_arrangement_is_written(tmp_path: Path) -> None:
    W, b = RNG.normal(size=(400, 8)), RNG.normal(size=400)
    small = Polyhedron.box(0, 0.004, dimension=8)
    run = ar.write_chambers(W, tmp_path / "run", offsets=b, within=small)
    assert len(run) == ar.count_chambers(W, b, within=small, method="incremental")
    with pytest.raises(TooLargeError, match=r"chambers are expected.*max_bytes"):
        large = Polyhedron.box(-1, 1, dimension=8)
        ar.write_chambers(W, tmp_path / "huge", offsets=b, within=large, max_bytes=10**6)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CASES)
def test_what_is_planned_can_be_written(name: str) -> None:
    W, b, P = CASES[name]
    number = ar.count_chambers(W, b, within=P)
    found = plan_run(W, b, within=P, workers=3, rows_per_part=5)
    assert found.expected == pytest.approx(number, rel=0.5) and 0 <= found.efficiency <= 1
    if name != "in a row":
        number = ar.count_rankings(W[:6], None if b is None else b[:6], within=P)
        found = plan_run(W[:6], None if b is None else b[:6], rankings=True, within=P)
        assert found.expected >= number > 0 or found.expected == number
