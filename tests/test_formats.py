"""Files that a release wrote are read for ever: every folder in tests/data is one format.

`tests/data/write.py` wrote them; its questions are asked again, and the answers compared.
"""

import importlib.util
import json
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from arrangements import (
    Certificates,
    Rankings,
    SignVectors,
    audit,
    can_be_top,
    chambers,
    check_run,
    checker,
    feasible_many,
    open_run,
    rankings,
)
from arrangements.models import SigmoidClassifier, SoftmaxClassifier

DATA = Path(__file__).parent / "data"
spec = importlib.util.spec_from_file_location("data_writer", DATA / "write.py")
given = importlib.util.module_from_spec(spec)
spec.loader.exec_module(given)

FORMATS = sorted(path for path in DATA.iterdir() if path.is_dir() and path.name[0].isdigit())
each_format = pytest.mark.parametrize("folder", FORMATS, ids=lambda path: path.name)


def rows(patterns) -> set[tuple[int, ...]]:
    return set(map(tuple, patterns.to_array().tolist()))


@each_format
def test_sets(folder: Path) -> None:
    for name, about in (("sign-vectors", given.LINES), ("sign-vectors-roots", given.ROOTS)):
        found = SignVectors.load(folder / f"{name}.npz")
        assert found.complete and rows(found) == rows(chambers(about))
        assert found.witness(0) is not None
    orders = Rankings.load(folder / "rankings.npz")
    assert orders.complete and rows(orders) == rows(rankings(given.WEIGHTS, **given.MODEL))
    inside = SignVectors.load(folder / "sign-vectors-within.npz")
    assert inside == chambers(given.LINES, within=given.BOX) and inside.within == given.BOX
    ordered = Rankings.load(folder / "rankings-within.npz")
    assert ordered == rankings(given.WEIGHTS, within=given.BOX, **given.MODEL)
    assert all(Fraction(1, 3) < x < Fraction(3, 4) for x in ordered.witness(0) + inside.witness(0))


@each_format
def test_certificates(folder: Path) -> None:
    found = Certificates.load(folder / "certificates.npz")
    again = feasible_many(given.LINES, given.QUESTIONS)
    assert found.verify() and [bool(one) for one in found] == [bool(one) for one in again]
    found = Certificates.load(folder / "certificates-within.npz")
    again = feasible_many(given.LINES, given.FACES, **given.INSIDE)
    assert found.verify() and [bool(one) for one in found] == [bool(one) for one in again]
    assert found[0].within == given.INSIDE["within"]
    found = Certificates.load(folder / "top-certificates.npz")
    again = can_be_top(given.WEIGHTS, [["a"], ["-"], ["b", "ü"]], **given.MODEL)
    assert found.verify() and [bool(one) for one in found] == [bool(one) for one in again]


@each_format
@pytest.mark.parametrize("kind", [SigmoidClassifier, SoftmaxClassifier])
def test_classifiers(folder: Path, kind) -> None:
    found = kind.load(folder / f"{kind.__name__}.npz")
    assert found.weights.tolist() == given.WEIGHTS and found.labels == tuple(given.LABELS)


@each_format
def test_audit(folder: Path) -> None:
    before = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    now = audit(**given.AUDITED)
    after = now.to_dict()
    assert before["facts"].keys() <= after["facts"].keys()
    assert before.keys() <= after.keys() and before["sets"] == after["sets"]
    for old, new in zip(before["labels"], after["labels"], strict=True):
        assert {**old, "lead": None} == {key: new[key] for key in old} | {"lead": None}
        assert old["lead"] is None or old["lead"][0] <= new["lead"][1]
        assert old["lead"] is None or new["lead"][0] <= old["lead"][1]
    changed = now.changes_since(before)
    assert changed.changes["leads"] == [] and "The same labels can win." in changed.summary()


@each_format
def test_runs(folder: Path, tmp_path: Path) -> None:
    for name, expected in (
        ("run-chambers", chambers(given.LINES)),
        ("run-rankings", rankings(given.WEIGHTS, **given.MODEL)),
    ):
        shutil.copytree(folder / name, tmp_path / name)
        run = open_run(tmp_path / name)
        assert run.complete and set().union(*map(rows, run)) == rows(expected)
        check_run(tmp_path / name)


@each_format
@pytest.mark.parametrize(
    "name",
    [
        *("complete.jsonl", "complete-rankings.jsonl.gz", "answer.jsonl", "tops.jsonl"),
        *("count.jsonl", "within.jsonl", "complete-within.jsonl"),
    ],
)
def test_certificate_files(folder: Path, name: str) -> None:
    assert checker.main(str(folder / name)) == 0
    # both versions of the format are kept
    assert (b'"version": 2' in (folder / name).read_bytes()) == ("within" in name)
