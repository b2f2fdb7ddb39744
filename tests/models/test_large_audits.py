"""Audits of rows that are kept in float32, against those of the same rows in float64."""

import numpy as np
import pytest

from arrangements import audit
from arrangements.core import short_rows
from arrangements.errors import TooLargeError
from arrangements.execution import limits
from arrangements.feasibility import wide_rows
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.wide_rows import WideRows
from arrangements.models import audits


def head(seed: int, kind: str) -> np.ndarray:
    """Rows of which many are held down; one twice, and one again with -0.0 for 0.0."""
    W = np.random.default_rng(seed).standard_normal((700, 11)).astype(np.float32)
    W[5:200] *= 0.02
    W[300, 0], W[301] = 0.0, W[300]
    W[302], W[302, 0], W[400] = W[300], -0.0, W[300]
    if kind == "bfloat16":
        return W.astype(pytest.importorskip("ml_dtypes").bfloat16)
    return W.astype(kind)


def without_time(facts: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if name != "seconds"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("biases", [False, True])
def test_answers_are_those_in_float64(
    kind: str, biases: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    W = head(0, kind)
    b = np.random.default_rng(1).standard_normal(len(W)).astype(np.float32) if biases else None
    expected = audit(W, b)
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    monkeypatch.setattr(wide_rows, "_ENTRIES", 2**12)
    made: list[int] = []
    widen = WideRows.__init__

    def note(self: WideRows, rows: np.ndarray) -> None:
        made.append(len(rows))
        widen(self, rows)

    monkeypatch.setattr(WideRows, "__init__", note)
    found = audit(W, b)
    assert made
    assert found.can_win.tolist() == expected.can_win.tolist()
    assert 0 < found.can_win.sum() < len(W)
    assert found.held_down_by.keys() == expected.held_down_by.keys()
    assert found.duplicates == expected.duplicates
    assert biases or found.duplicates == ((300, 301, 302, 400),)
    assert without_time(found.facts) == without_time(expected.facts)
    exact = W.astype(float)
    for i, shares in found.held_down_by.items():
        rows, weights = zip(*shares, strict=True)
        if not biases:
            assert np.allclose(np.array(weights) @ exact[list(rows)], exact[i], atol=1e-5)


def test_rows_that_may_have_a_low_rank_become_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    W = (rng.standard_normal((300, 3)) @ rng.standard_normal((3, 8))).astype(np.float32)
    with pytest.warns(UserWarning, match="numerical rank 3"):
        expected = audit(W)
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    with pytest.warns(UserWarning, match="numerical rank 3"):
        found = audit(W)
    assert found.can_win.tolist() == expected.can_win.tolist()
    assert without_time(found.facts) == without_time(expected.facts)


def test_offsets_that_are_no_floats_of_32_bits_widen_the_rows() -> None:
    W = head(0, "float32")
    assert ScoreRows(W, compared=True).short is W
    assert ScoreRows(W, np.full(len(W), 0.1), compared=True).short is W  # equal ones change nothing
    assert ScoreRows(W, np.arange(len(W)) / 4, compared=True).short is not None
    assert ScoreRows(W, np.arange(len(W)) / 10, compared=True).short is None


def test_what_does_not_fit_is_refused_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    monkeypatch.setattr(limits, "free_bytes", lambda: 2**20)
    with pytest.raises(TooLargeError, match="an audit of 700 rows of 11 numbers: 2.685e.08 bytes"):
        audit(head(0, "float32"))


def test_an_interrupted_audit_goes_on(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    W, path = head(2, "float32"), tmp_path / "kept"
    expected = audit(W)
    partial = audit(W, checkpoint=path, time_limit=0)
    assert (partial.can_win < 0).any()
    with monkeypatch.context() as patch:
        patch.setattr("arrangements.models.audit_answers._LABELS", 100)
        decide, calls = audits.AuditAnswers._decide, []

        def stop_later(self, questions):
            if len(calls) == 3:
                raise KeyboardInterrupt
            calls.append(len(questions))
            return decide(self, questions)

        patch.setattr(audits.AuditAnswers, "_decide", stop_later)
        with pytest.raises(KeyboardInterrupt):
            audit(W, checkpoint=path)
    assert path.exists()
    asked = []
    monkeypatch.setattr(
        audits.AuditAnswers,
        "_decide",
        lambda self, questions: asked.append(len(questions)) or decide(self, questions),
    )
    assert audit(W, checkpoint=path).can_win.tolist() == expected.can_win.tolist()
    assert sum(asked) == len(W) - 300 and not path.exists()
