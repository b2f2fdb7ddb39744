"""Sets listed inside a polyhedron: they keep it, and their points are in it."""

import copy
import pickle
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import sqrt

from arrangements import (
    Arrangement,
    Polyhedron,
    Rankings,
    ScoreModel,
    SignVectors,
    chambers,
    iter_chambers,
    iter_rankings,
    open_run,
    rankings,
    write_chambers,
    write_rankings,
)
from arrangements.errors import InputError, InputTypeError, WitnessWarning

Point = tuple[Fraction, ...]
BOX = Polyhedron.box(0, 1, dimension=2)
LINES = Arrangement([[1, -1], [2, -1], [1, 1]], [0, 0, -1])
SCORES = [[3, 1, 2], [2, 2, 2], [1, 3, 1]]


def segment(d: int) -> Polyhedron:
    return Polyhedron.hull([[0] * d, list(range(1, d + 1))])


# Polyhedra, and whether a point is in the relative interior.
SHAPES: dict[str, tuple[Callable[[int], Polyhedron], Callable[[Point], bool]]] = {
    "box": (lambda d: Polyhedron.box(-1, 2, dimension=d), lambda x: all(-1 < t < 2 for t in x)),
    "orthant": (lambda d: Polyhedron.cone(np.eye(d, dtype=int)), lambda x: all(t > 0 for t in x)),
    "half a space": (
        lambda d: Polyhedron([[1] * d], [1]),
        lambda x: sum(x) < 1,
    ),
    "simplex": (Polyhedron.simplex, lambda x: sum(x) == 1 and all(t > 0 for t in x)),
    "segment": (
        segment,
        lambda x: 0 < x[0] < 1 and all(t == (k + 1) * x[0] for k, t in enumerate(x)),
    ),
    "flat by inequalities": (
        lambda d: Polyhedron([[1] * d, [-1] * d, [1, *[0] * (d - 1)]], [3, -3, 1]),
        lambda x: sum(x) == 3 and x[0] < 1 or len(x) == 1,
    ),
    "point": (
        lambda d: Polyhedron.box([Fraction(1, 3)] * d, [Fraction(1, 3)] * d),
        lambda x: set(x) == {Fraction(1, 3)},
    ),
    "everything": (lambda d: Polyhedron(np.zeros((0, d), int), []), lambda x: True),
}


def scores(W: Any, b: Any, x: Point) -> list[Fraction]:
    return [
        sum((Fraction(w) * t for w, t in zip(row, x, strict=True)), Fraction(c))
        for row, c in zip(W, b, strict=True)
    ]


def right(pattern: Any, values: list[Fraction], ranked: bool) -> bool:
    if ranked:
        ordered = [values[i] for i in pattern]
        return all(a > b for a, b in zip(ordered, ordered[1:], strict=False))
    return all(int(s) * v > 0 for s, v in zip(pattern, values, strict=True))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_points_are_inside(shape: str, seed: int) -> None:
    make, inside = SHAPES[shape]
    rng = np.random.default_rng([11, seed])
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    W = rng.choice(40, (n, d), replace=False) - 17
    W[~W.any(axis=1), 0] = 1
    b = rng.integers(-3, 4, n) if seed % 2 else np.zeros(n, int)
    W, b = (W / 4, b / 4) if seed % 3 == 0 else (W, b)
    P = make(d)
    for found, ranked in ((chambers(W, b, within=P), False), (rankings(W, b, within=P), True)):
        assert found.within is P
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WitnessWarning)
            floats = found.witnesses()
        assert floats.shape == (len(found), d)
        missing = np.isnan(floats).any(axis=1)
        assert shape == "point" or not missing.any()
        for k, pattern in enumerate(found):
            points = [found.witness(k)]
            points += [] if missing[k] else [tuple(map(Fraction, floats[k].tolist()))]
            for x in points:
                assert inside(x) and right(pattern, scores(W.tolist(), b.tolist(), x), ranked)


def test_a_point_that_no_float_is() -> None:
    third = Polyhedron.box([Fraction(1, 3)], [Fraction(1, 3)])
    found = chambers([[1]], within=third)
    with pytest.warns(WitnessWarning, match="witness"):
        assert np.isnan(found.witnesses()).all()
    assert found.witness(0) == (Fraction(1, 3),)


def test_irrational_facets() -> None:
    P = Polyhedron([[sqrt(2), 1], [-1, 0], [0, -1]], [1, 0, 0])
    found = chambers(LINES, within=P)
    for k, signs in enumerate(found):
        x = found.witness(k)
        assert P.contains(np.array(x, object), interior=True)
        values = scores(LINES.normals.tolist(), LINES.offsets.tolist(), x)
        assert right(signs, values, False)
    assert P.contains(found.witnesses()[0], interior=True)


def test_blocks_and_parts_keep_it(tmp_path: Path) -> None:
    found = chambers(LINES, within=BOX)
    parts = [found[1:], found[::-1], *iter_chambers(LINES, within=BOX), copy.copy(found)]
    parts += [copy.deepcopy(found), pickle.loads(pickle.dumps(found))]
    parts += iter_rankings(SCORES, within=Polyhedron.simplex(3))
    parts += [
        chambers(LINES, within=BOX, limit=1),
        chambers(LINES, within=BOX, method="incremental"),
    ]
    for part in parts:
        assert part.within in (BOX, Polyhedron.simplex(3))
        assert part.within.contains(np.array(part.witness(-1), object), interior=True)
    assert chambers(LINES).within is None and "within" not in repr(chambers(LINES))
    assert repr(found) == "SignVectors(6 of 3 signs, affine, within a polyhedron, complete)"
    pairs = rankings(SCORES, within=Polyhedron.simplex(3)).to_sign_vectors()
    assert pairs.within == Polyhedron.simplex(3) and sum(pairs.witness(0)) == 1


@pytest.mark.parametrize("P", [BOX, Polyhedron.simplex(2), Polyhedron([[0.1, 2**70]], [sqrt(3)])])
def test_files_keep_it(tmp_path: Path, P: Polyhedron) -> None:
    lines = Arrangement([[1, -1], [2, -1], [1, 2]], [0, 0, -1.25])
    for name, found in (
        ("chambers", chambers(lines, within=P)),
        ("rankings", rankings([[1, 2], [3, 1], [0, 5]], [0, 1, 2], within=P)),
    ):
        found.save(tmp_path / f"{name}.npz")
        read = type(found).load(tmp_path / f"{name}.npz")
        assert read == found and read.within == P
        for mine, theirs in zip(read.within.inequalities, P.inequalities, strict=True):
            assert mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist()
        assert P.contains(np.array(read.witness(0), object), interior=True)
        everywhere = chambers(LINES)
        everywhere.save(tmp_path / "all.npz")
        assert SignVectors.load(tmp_path / "all.npz").within is None


def test_runs_keep_it(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("xxhash")
    write_chambers(LINES, tmp_path / "chambers", within=BOX, rows_per_part=2)
    write_rankings(SCORES, tmp_path / "rankings", within=Polyhedron.simplex(3))
    for name, P in (("chambers", BOX), ("rankings", Polyhedron.simplex(3))):
        run = open_run(tmp_path / name)
        for found in (*run, run.sample(2, rng=0)):
            assert found.within == P
            for k in range(len(found)):
                assert P.contains(np.array(found.witness(k), object), interior=True)


def test_algebra() -> None:
    left, top = Polyhedron.box([0, 0], [0.5, 1]), Polyhedron.box([0, 0.5], [1, 1])
    everywhere, S, T = chambers(LINES), chambers(LINES, within=left), chambers(LINES, within=top)
    again = chambers(LINES, within=(np.vstack([np.eye(2), -np.eye(2)]), [0.5, 1, 0, 0]))
    assert S == again and S <= everywhere and S != T
    for both in (S | again, S & again, S ^ again, S - again):
        assert both.within == left
    for one in (S & everywhere, everywhere & S, S - everywhere, S - T):
        assert one.within == left and one.arrangement is not None
    for none in (S | T, S & T, S ^ T, S | everywhere, everywhere - S, everywhere ^ S):
        assert none.within is None and none.arrangement is not None
    for found in (S | T, S & T, S - T):
        for k, signs in enumerate(found):
            x = found.witness(k)
            values = scores(LINES.normals.tolist(), LINES.offsets.tolist(), x)
            assert right(signs, values, False)
    other = chambers(Arrangement([[1, -1], [2, -1], [1, 1]], [0, 0, -0.75]), within=left)
    assert (S & other).within is None and (S - other).within is None
    by_hand = SignVectors.from_array(S.to_array())
    assert by_hand == S and (S & by_hand).within is None


def test_made_by_hand() -> None:
    found = chambers(LINES, within=BOX)
    made = SignVectors(
        found.packed,
        3,
        half=False,
        arrangement=LINES,
        within=(np.vstack([np.eye(2), -np.eye(2)]), [1, 1, 0, 0]),
    )
    assert made.within == BOX and made == found
    outside = SignVectors(
        SignVectors.from_array("+-+").packed, 3, half=False, arrangement=LINES, within=BOX
    )
    with pytest.raises(InputError, match="does not occur in the relative interior of within"):
        outside.witness(0)
    with pytest.raises(InputError, match="does not occur"):
        outside.witnesses()
    model = ScoreModel(SCORES)
    orders = np.array([[0, 1, 2]], np.uint8)
    kept = Rankings(orders, half=False, model=model, within=Polyhedron.simplex(3))
    assert sum(kept.witness(0)) == 1
    with pytest.raises(InputError, match="without model="):
        Rankings(orders, half=False, within=Polyhedron.simplex(3))
    with pytest.raises(InputError, match="without arrangement="):
        SignVectors(found.packed, 3, half=False, within=BOX)
    with pytest.raises(InputError, match="half=True"):
        Rankings(orders, half=True, model=model, within=Polyhedron.simplex(3))
    with pytest.raises(InputError, match="expected one in dimension 3"):
        Rankings(orders, half=False, model=model, within=BOX)
    with pytest.raises((InputError, InputTypeError), match="within is 3"):
        Rankings(orders, half=False, model=model, within=3)  # type: ignore[arg-type]


def test_no_row_and_one_label() -> None:
    empty = Polyhedron.box([0, 0], [1, 1]) & Polyhedron.box([2, 2], [3, 3])
    none = chambers(LINES, within=empty)
    assert len(none) == 0 and none.within is empty and none.witnesses().shape == (0, 2)
    assert chambers(np.zeros((0, 2)), within=BOX).witness(0) == (Fraction(1, 2), Fraction(1, 2))
    for P in (BOX, Polyhedron.simplex(2), Polyhedron(np.zeros((0, 2), int), [])):
        alone = rankings([[1, 2]], within=P)
        points = alone.witnesses()[0], np.array(alone.witness(0), object)
        assert all(P.contains(x, interior=True) for x in points)
