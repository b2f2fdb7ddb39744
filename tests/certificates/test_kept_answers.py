"""Calls that are interrupted and go on from a file, and rows that stay in float32."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import Certificates, Polyhedron, argmax_labels, can_be_top, feasible_many
from arrangements.certificates import many
from arrangements.core import short_rows
from arrangements.errors import InputError, TooLargeError
from arrangements.execution import limits
from arrangements.feasibility import kept_answers, wide_rows
from arrangements.feasibility.wide_rows import WideRows

RNG = np.random.default_rng(0)
HEAD = RNG.standard_normal((400, 9)).astype(np.float32)
HEAD[5:150] *= np.float32(0.02)
BIASES = RNG.standard_normal(400).astype(np.float32)


def questions(name: str, path: Path | None, **options: Any) -> Any:
    """One of the questions with a checkpoint."""
    if name == "argmax_labels":
        return argmax_labels(HEAD, BIASES, checkpoint=path, **options).tolist()
    if name == "can_be_top":
        sets = [[i, (i + k) % 400] for i in range(100) for k in (1, 7)] + [[i] for i in range(200)]
        return can_be_top(HEAD, sets, offsets=BIASES, checkpoint=path, **options)
    if name == "inside":
        box = Polyhedron.box(-1, 1, dimension=9)
        return can_be_top(HEAD, ordered=True, within=box, checkpoint=path, **options)
    signs = np.sign(RNG.standard_normal((60, 3)) @ HEAD[:12, :3].T.astype(float)).astype(int)
    signs[::2, 0] *= -1
    signs[::15, 5] = 0
    return feasible_many(HEAD[:12, :3], signs.tolist(), checkpoint=path, **options)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["argmax_labels", "can_be_top", "inside", "feasible_many"])
def test_an_interrupted_call_goes_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    global RNG
    RNG = np.random.default_rng(1)
    expected, path = questions(name, None), tmp_path / "kept"
    monkeypatch.setattr(kept_answers, "_BLOCK", 40 if name != "feasible_many" else 9)
    asked: list[int] = []
    decide = kept_answers._decide

    def stopping(batch: Any, answer: Any, left: Any, end: Any) -> Any:
        for part in decide(batch, answer, left, end):
            if len(asked) == 3:
                raise KeyboardInterrupt
            asked.append(len(part[0]))
            yield part

    with monkeypatch.context() as patched:
        patched.setattr(kept_answers, "_decide", stopping)
        RNG = np.random.default_rng(1)
        with pytest.raises(KeyboardInterrupt):
            questions(name, path)
    with open(path, "ab") as stream:
        stream.write(b'{"questions": [1')  # a line that was cut
    left: list[int] = []
    monkeypatch.setattr(
        kept_answers,
        "_decide",
        lambda batch, answer, some, end: left.append(len(some)) or decide(batch, answer, some, end),
    )
    RNG = np.random.default_rng(1)
    found = questions(name, path)
    assert not path.exists()
    if name == "argmax_labels":
        assert found == expected and 0 < len(found) < 400
        assert left == [400 - sum(asked)]
        return
    assert left == [len(found) - sum(asked)]
    assert found.feasible.tolist() == expected.feasible.tolist()
    assert 0 < found.feasible.sum() < len(found)
    assert found.decided.all() and found.verify()


def test_what_the_time_leaves_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_answers, "_BLOCK", 40)
    path = tmp_path / "kept"
    nothing = can_be_top(HEAD, checkpoint=path, time_limit=0)
    assert not nothing.decided.any() and path.exists() and len(nothing) == 400
    assert repr(nothing) == "Certificates(400 questions: 0 feasible, 0 infeasible, 400 undecided)"
    whole = can_be_top(HEAD, checkpoint=path)
    assert whole.decided.all() and not path.exists()


def test_checkpoints_of_other_questions(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    can_be_top(HEAD, checkpoint=path, time_limit=0)
    for call in (
        lambda: can_be_top(HEAD, [[0, 1]], checkpoint=path),
        lambda: can_be_top(HEAD * 2, checkpoint=path),
        lambda: can_be_top(HEAD, within=Polyhedron.box(0, 1, dimension=9), checkpoint=path),
        lambda: argmax_labels(HEAD, checkpoint=path),
        lambda: feasible_many(HEAD, ["+" * 400], checkpoint=path),
    ):
        with pytest.raises(InputError, match="kept keeps answers of other numbers or questions"):
            call()
    (tmp_path / "w.csv").write_text("1,2\n")
    with pytest.raises(InputError, match="w.csv does not keep answers; choose another name"):
        argmax_labels(HEAD, checkpoint=tmp_path / "w.csv")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("biases", [None, BIASES])
def test_rows_of_large_heads_stay_in_float32(
    kind: str, biases: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dtype = pytest.importorskip("ml_dtypes").bfloat16 if kind == "bfloat16" else kind
    W = HEAD.astype(dtype)
    expected = can_be_top(W, offsets=biases)
    winners = argmax_labels(W, biases).tolist()
    assert winners == np.flatnonzero(expected.feasible).tolist() and 0 < len(winners) < 400
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    monkeypatch.setattr(wide_rows, "_ENTRIES", 2**10)
    made: list[tuple[int, int]] = []
    widen = WideRows.__init__

    def note(self: WideRows, rows: np.ndarray) -> None:
        made.append(rows.shape)
        widen(self, rows)

    monkeypatch.setattr(WideRows, "__init__", note)
    assert argmax_labels(W, biases).tolist() == winners
    assert len(made) == 1
    found = can_be_top(W, offsets=biases, labels=[f"w{i}" for i in range(400)])
    assert len(made) == 2
    assert found.feasible.tolist() == expected.feasible.tolist()
    some = found[np.random.default_rng(0).choice(400, 30, replace=False)]
    assert some.verify() and found.arrangement.normals.dtype == np.float64
    found.save(tmp_path / "c.npz")
    again = Certificates.load(tmp_path / "c.npz")
    assert again.feasible.tolist() == expected.feasible.tolist() and again[:20].verify()
    refused = int(np.flatnonzero(~found.feasible)[0])
    assert again[refused].blockers == found[refused].blockers


def test_equal_labels_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    W = HEAD.copy()
    W[300], W[301, :] = W[200], W[200]
    expected = argmax_labels(W, ties="drop").tolist()
    with_ties = can_be_top(W).feasible.tolist()
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    assert argmax_labels(W, ties="drop").tolist() == expected
    assert can_be_top(W).feasible.tolist() == with_ties


def test_low_ranks_are_looked_for_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    W = (rng.standard_normal((300, 3)) @ rng.standard_normal((3, 8))).astype(np.float32)
    for ask in (argmax_labels, lambda W: np.flatnonzero(can_be_top(W).feasible)):
        with pytest.warns(UserWarning, match="numerical rank 3"):
            expected = ask(W)
        with monkeypatch.context() as patched:
            patched.setattr(short_rows, "_LARGE", 1)
            with pytest.warns(UserWarning, match="numerical rank 3"):
                assert ask(W).tolist() == expected.tolist()


def test_heads_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_rows, "_LARGE", 1)
    monkeypatch.setattr(limits, "free_bytes", lambda: 2**20)
    for ask in (argmax_labels, can_be_top):
        with pytest.raises(TooLargeError, match="a question about each of 400 rows of 9 numbers"):
            ask(HEAD)


def test_a_client_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "check_client", lambda client: None)
    with pytest.raises(InputError, match="checkpoint and client were given"):
        can_be_top(HEAD, checkpoint=tmp_path / "kept", client=object())


def test_a_bar_counts_checked_proofs(capsys: pytest.CaptureFixture[str]) -> None:
    found = can_be_top(HEAD, [[0], [1]])
    assert found.verify(progress=True)
    assert "/2.00 proofs" in capsys.readouterr().err
    assert found.verify() and capsys.readouterr().err == ""
