"""Rows of zeros with offset zero: accepted where nothing is asked of them, refused elsewhere."""

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from arrangements import (
    Arrangement,
    Certificates,
    chambers,
    deletion,
    feasible,
    feasible_many,
    flats,
    generators,
    restriction,
    sign_vector_at,
)
from arrangements.errors import DegenerateArrangementError
from arrangements.feasibility import one_sign_vector
from arrangements.structure import simplify

Z = [[1, 0], [0, 0], [1, 1]]


def systems(number: int) -> Any:
    """Random rows, many of them zero, offsets, and signs of which some are open."""
    draw = random.Random(0)
    for _ in range(number):
        n, d = draw.randint(1, 5), draw.randint(1, 3)
        W = [[draw.randint(-2, 2) * (draw.random() < 0.6) for _ in range(d)] for _ in range(n)]
        b = draw.choice([None, [draw.choice([0, 0, 1, -1]) for _ in range(n)]])
        yield W, b, [draw.choice([1, -1, None]) for _ in range(n)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("few", [True, False])
def test_signs_at_zero_rows(monkeypatch: pytest.MonkeyPatch, few: bool) -> None:
    """An open sign asks nothing, and no sign occurs: by the other rows alone."""
    monkeypatch.setattr(one_sign_vector, "_FEW", 10**9 if few else 1)
    for W, b, signs in systems(60):
        kept = [i for i, row in enumerate(W) if any(row) or (b is not None and b[i])]
        expected = all(signs[i] is None for i in set(range(len(W))) - set(kept))
        if kept and expected:
            offsets = None if b is None else [b[i] for i in kept]
            expected = bool(
                feasible([W[i] for i in kept], [signs[i] for i in kept], offsets=offsets)
            )
        found = feasible(W, signs, offsets=b)
        assert found.feasible == expected
        assert found.verify()
        many = feasible_many(W, [signs], offsets=b)
        assert many.feasible.tolist() == [expected]
        assert many.verify()
        assert many[0].verify()


def test_label_sets_and_files(tmp_path: Path) -> None:
    many = feasible_many(Z, on=[[0], [0, 2], [1]], others="free")
    assert many.feasible.tolist() == [True, True, False]
    many.save(tmp_path / "proofs.npz")
    assert Certificates.load(tmp_path / "proofs.npz").verify()
    proof = feasible(Arrangement([[1, 0], [1, 1]]), "++")
    with_zero = feasible(Z, "+*+")
    assert pickle.loads(pickle.dumps(with_zero)) == with_zero != proof
    assert feasible(with_zero.arrangement, "-*+").verify()


def test_they_are_left_out() -> None:
    found = simplify([[0, 0], [1, 0], [0, 0], [2, 0], [0, 0]], [0, 1, 3, 2, -1])
    assert found.rows == (1,)
    assert found.position == (-1, 0, -1, 0, -1)
    assert found.orientation == (0, 1, 1, 1, -1)
    assert found.restore([[1], [-1]]).tolist() == [[0, 1, 1, 1, -1], [0, -1, 1, -1, -1]]
    assert simplify([[0, 0]]).restore([]).tolist() == [0]
    assert deletion(Z, 1).rows == (0, 2)
    on_line = restriction(Z, 0)
    assert on_line.rows == (2,)
    assert on_line.restore([1]).tolist() == [0, 0, 1]
    assert sign_vector_at(Z, [[1, -3], [0, 0]]).tolist() == [[1, 0, -1], [0, 0, 0]]
    square = [[1, 0], [0, 0], [-1, 0], [0, 1], [0, -1]], [1, 0, 1, 1, 1]
    assert len(generators.facet_arrangement(inequalities=square)) == 4


def test_other_questions_refuse_them() -> None:
    rows = feasible(Z, "+*+").arrangement
    for question in (
        lambda: chambers(Z),
        lambda: chambers(rows),
        lambda: rows.chambers(),
        lambda: flats(rows),
        lambda: Arrangement(rows),
        lambda: rows[[0, 1]],
        lambda: deletion(Z, 0),
    ):
        with pytest.raises(DegenerateArrangementError, match="row 1 is zero"):
            question()
