"""Labels inside the hull of all others, proved without a circuit."""

from typing import Any

import numpy as np
import pytest

from arrangements import Certificates, argmax_labels, audit, can_be_top
from arrangements.core import short_rows
from arrangements.feasibility import deciding, inner_labels
from arrangements.feasibility.inner_labels import InnerLabels
from arrangements.feasibility.score_rows import ScoreRows


def head(seed: int, n: int = 60, d: int = 4, inner: int = 25) -> np.ndarray:
    W = np.random.default_rng(seed).standard_normal((n, d))
    W[:inner] *= np.linspace(0.05, 1.2, inner)[:, None]
    return W


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["float64", "float32", "offsets"])
def test_answers_are_those_with_circuits(
    seed: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    W: Any = head(seed).astype("float32" if kind == "float32" else "float64")
    b = np.random.default_rng(seed).standard_normal(60) / 4 if kind == "offsets" else None
    expected = can_be_top(W, offsets=b, time_limit=1000)
    monkeypatch.setattr(deciding, "_WIDE", 1)
    if kind == "float32":
        monkeypatch.setattr(short_rows, "_LARGE", 1)
    found = can_be_top(W, offsets=b, time_limit=1000)
    assert found.feasible.tolist() == expected.feasible.tolist()
    assert "inside the hull of the others" in found.summary()
    assert argmax_labels(W, b, progress=True).tolist() == np.flatnonzero(found.feasible).tolist()
    assert found.verify()  # which makes a circuit of each refusal


def test_labels_near_the_boundary_are_left_to_the_search() -> None:
    # the corners of a cube, and points on a facet, just inside it, and just outside
    corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    for gap in (2.0**-20, 2.0**-40, 2.0**-52):
        near = [[1, 0, 0, 0], [1 - gap, 0.25, 0, 0], [1 + gap, 0.25, 0, 0], [0, 0.5, 0, 0.25]]
        rows = ScoreRows(np.vstack([corners, near]), compared=True)
        found = InnerLabels(rows).find(np.arange(len(corners) + 4))
        assert not found[: len(corners)].any()
        assert not found[len(corners)] and not found[len(corners) + 2]
        assert found[-1]


def test_dependent_rows_prove_nothing() -> None:
    W = head(0)
    flat = np.hstack([W, W.sum(axis=1, keepdims=True)])
    assert not InnerLabels(ScoreRows(flat, compared=True)).is_usable
    assert not InnerLabels(ScoreRows(W[:4], compared=True)).is_usable
    almost = np.hstack([W, W[:, :1] * (1 + 1e-12 * np.arange(60)[:, None])])
    assert not InnerLabels(ScoreRows(almost, compared=True)).is_usable
    assert not InnerLabels(ScoreRows(W * 1e-200, compared=True)).is_usable
    assert InnerLabels(ScoreRows(W * [1e-30, 1, 1e30, 1], compared=True)).is_usable
    assert not InnerLabels(ScoreRows(flat, compared=True)).find(np.arange(60)).any()


def test_only_some_rows_of_many_are_combined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inner_labels, "_ENTRIES", 1)
    monkeypatch.setattr(inner_labels, "_TIMES", 5)
    monkeypatch.setattr(inner_labels, "_AT_ONCE", 7)
    monkeypatch.setattr(inner_labels, "_TOGETHER", 3)
    W = head(1, 200)
    rows = InnerLabels(ScoreRows(W, compared=True))
    assert len(rows._chosen) == 25
    found = rows.find(np.arange(200))
    assert 0 < found.sum()
    assert not np.intersect1d(np.flatnonzero(found), argmax_labels(W)).size


def test_audits_and_files_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    W = head(2)
    expected = audit(W, time_limit=1000)
    monkeypatch.setattr(deciding, "_WIDE", 1)
    found = audit(W, time_limit=1000)
    assert found.can_win.tolist() == expected.can_win.tolist()
    assert found.held_down_by.keys() == expected.held_down_by.keys()
    empty = [i for i, proof in found.held_down_by.items() if not proof]
    assert empty
    assert f"{empty[0]} (held down by many labels together)" in found.summary()
    found.save(tmp_path / "r.md")
    assert "many labels together" in (tmp_path / "r.md").read_text()
    proofs = can_be_top(W, time_limit=1000)
    assert "inside the hull" in proofs._repr_html_()
    proofs.save(tmp_path / "c.npz")
    again = Certificates.load(tmp_path / "c.npz")
    assert again.summary() == proofs.summary() and again.verify()


@pytest.mark.slow
def test_hundreds_of_dimensions() -> None:
    rng = np.random.default_rng(0)
    W = rng.standard_normal((2000, 500)).astype(np.float32)
    W[:4] *= np.float32(0.02)
    found = can_be_top(W, [[i] for i in range(8)])
    assert found.feasible.tolist() == [False] * 4 + [True] * 4
    assert "4 inside the hull of the others" in found.summary()
    assert found[1].verify() and len(found[1].blockers) == 501
