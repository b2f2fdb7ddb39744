"""Many questions at once give the answers of the functions for one question, or of a listing."""

from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Certificates,
    argmax_labels,
    can_be_top,
    chambers,
    feasible_many,
    generators,
    rankings,
    top_k_rankings,
    top_k_sets,
)
from arrangements.errors import InputError

MODELS: list[tuple[Any, Any]] = [
    ([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], None),
    ([[1, 0], [0, 1], [1, 1], [0, 0]], [0, 0, -1, 0.25]),
    ([[1], [5], [-2], [3]], [0, 1, 0, 7]),
    (generators.generic(7, 3, 1).normals, None),
    (generators.generic(6, 2, 2).normals / 3.0, [0.1, 0.2, 0.3, 0, 0, 1]),
    ([[Fraction(1, 3), 0, 1], [0, 2**70, 1], [1, 1, 1], [-1, 0, 1], [3, 5, 1]], None),
    ([[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]], None),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("W", "b"), MODELS)
def test_signs_equal_a_listing(W: Any, b: Any) -> None:
    signs = np.array(list(product([-1, 1], repeat=len(W))), np.int8)
    found = feasible_many(W, signs, offsets=b)
    assert found.decided.all() and found.verify()
    listing = chambers(W, b)
    assert found.feasible.tolist() == [row in listing for row in signs]
    partial = np.array(list(product([-1, 0, 1], repeat=3)), np.int8)
    partial = np.hstack([partial, np.zeros((27, len(W) - 3), np.int8)])
    found = feasible_many(W, np.ma.masked_equal(partial, 0), offsets=b)
    rows = listing.to_array()[:, :3]
    expected = [
        bool(((rows == asked) | (asked == 0)).all(axis=1).any()) for asked in partial[:, :3]
    ]
    assert found.verify() and found.feasible.tolist() == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("W", "b"), MODELS)
def test_tops_equal_a_listing(W: Any, b: Any) -> None:
    orders = rankings(W, b).to_array()
    n = len(W)
    for k in range(1, min(n, 4) + 1):
        tops = {tuple(order) for order in orders[:, :k].tolist()}
        asked = list(permutations(range(n), k))
        found = can_be_top(W, asked, offsets=b, ordered=True)
        assert found.verify()
        assert found.feasible.tolist() == [top in tops for top in asked]
        sets = {tuple(sorted(top)) for top in tops}
        chosen = list(combinations(range(n), k))
        found = can_be_top(W, chosen, offsets=b)
        assert found.verify()
        assert found.feasible.tolist() == [top in sets for top in chosen]
        for function, answer in ((top_k_sets, sets), (top_k_rankings, tops)):
            assert sorted(map(tuple, function(W, k, offsets=b).tolist())) == sorted(answer)
    proved = can_be_top(W, offsets=b)
    assert np.flatnonzero(proved.feasible).tolist() == argmax_labels(W, b).tolist()


def test_on_and_others() -> None:
    W = [[1, 0], [0, 1], [-1, -1]]
    assert feasible_many(W, on=[[0, 1], [0, 1, 2], []]).feasible.tolist() == [True, False, False]
    assert feasible_many(W, on=[[0, 1, 2], []], others="free").feasible.tolist() == [False, True]
    free = feasible_many(W, on=[[0], [0, 2], [1]], others="free")
    assert free.feasible.all() and free.verify()


def test_tied_labels() -> None:
    W = [[1, 0], [1, 0], [0, 1]]
    found = can_be_top(W, [[0], [1], [0, 1], [2]])
    assert found.feasible.tolist() == [False, False, True, True] and found.verify()
    assert found[0].blockers == {"1": 1}
    assert can_be_top(W, [[0], [1]], offsets=[0, 1, 0]).feasible.tolist() == [False, True]
    assert not can_be_top(W, [[0, 1], [1, 0]], ordered=True).feasible.any()


def test_names_and_blockers() -> None:
    W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    found = can_be_top(W, [["d"], ["a", "b"]], labels="abcd")
    no = found[0]
    assert (no.names, no.blockers) == (("d",), {"a": 1 / 2, "b": 1 / 4, "c": 1 / 4})
    assert list(no.shares.values()) == [0.5, 0.25, 0.25]
    assert found.names(1) == ("a", "b")


@pytest.mark.parametrize(("W", "b"), MODELS)
def test_save_and_load(W: Any, b: Any, tmp_path: Path) -> None:
    for found in (
        feasible_many(W, on=[[0], [1, 2], []], offsets=b),
        can_be_top(W, [[0], [1, 2], [0, 1]], offsets=b, labels=[f"l{i}" for i in range(len(W))]),
    ):
        found.save(tmp_path / "proofs.npz")
        loaded = Certificates.load(tmp_path / "proofs.npz")
        assert loaded.verify() and list(map(repr, loaded)) == list(map(repr, found))
        assert loaded.labels == found.labels
        some = found[[2, 0]]
        assert [repr(one) for one in some] == [repr(found[2]), repr(found[0])] and some.verify()


def test_time_limit() -> None:
    W = generators.generic(30, 5, 3).normals
    asked = [[i, j] for i in range(30) for j in range(i)]
    found = can_be_top(W, asked, time_limit=0)
    assert not found.decided.any() and not found.feasible.any()
    assert "undecided" in found.summary() and "undecided" in repr(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1], [2]], ["++", "+"]), r"signs\[1\]: signs has shape \(1,\); expected \(2,\)"),
        (([[1], [2]], [[1, 2], [1, -1]]), r"signs\[0, 1\] is 2"),
        (([[1], [2]], [[1, -1, 1]]), r"signs has shape \(1, 3\); expected \(m, 2\)"),
        (([[1], [2]], "++"), r"expected several"),
        (([[1], [2]],), "expected either signs or on"),
    ],
)
def test_refusals(arguments: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        feasible_many(*arguments)


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([[0], []], r"sets\[1\] is empty"),
        ([[0], [1, 1]], r"sets\[1\] is \[1, 1\]; expected distinct labels"),
        ([[0], [2]], "no label 2: rows are numbered from 0 to 1"),
        (np.array([[0, 0]]), r"sets\[0\] is \[0, 0\]; expected distinct labels"),
        (np.array([[0, 5]]), r"sets\[0\] is \[0, 5\]; expected rows of 2"),
    ],
)
def test_refused_sets(sets: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        can_be_top([[1], [2]], sets)


@pytest.mark.slow
def test_on_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    distributed = pytest.importorskip("distributed")
    W = generators.generic(30, 3, 4).normals
    asked = [[i, j] for i in range(30) for j in range(i)]
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.LocalCluster(processes=False, **options) as cluster:
        with distributed.Client(cluster) as client:
            for ask in (can_be_top, lambda W, sets, **more: feasible_many(W, on=sets, **more)):
                found = ask(W, asked, client=client, progress=True)
                here = ask(W, asked)
                assert (found.feasible == here.feasible).all() and found.verify()
                assert found.decided.all() and len(found) == len(asked)
    assert "questions" in capsys.readouterr().err
    with pytest.raises(InputError, match="client is 3"):
        can_be_top(W, asked, client=3)


EXTREMES: list[float] = [1e300, -1e-300, 5e-324, 0.0, 1.0, -5.9e-309]
EXTREME: list[tuple[Any, Any]] = [
    ([[5e-324, -9e-309, 1e300], [-1e-300, -5.9e-309, 1.0]], [1e300, -5.7e-309]),
    ([[0, 0, 0], [-1e-300, 1.0, 5e-324], [0.0, -8.9e-310, -1e-300]], [-2.3e-309, 1e300, 5e-324]),
    *((np.random.default_rng(seed).choice(EXTREMES, (4, 3)), None) for seed in range(8)),
    *((np.random.default_rng(seed).choice(EXTREMES, (4, 2)), EXTREMES[:4]) for seed in range(8)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("W", "b"), EXTREME)
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_entries_whose_products_overflow(W: Any, b: Any) -> None:
    """Rows without a condition are not taken for violated ones where floats say nothing."""
    for size, ordered in ((1, False), (2, False), (2, True)):
        asked = list((permutations if ordered else combinations)(range(len(W)), size))
        found = can_be_top(W, asked, offsets=b, ordered=ordered)
        assert found.decided.all() and found.verify() and all(map(repr, found))


@pytest.mark.parametrize("b", [None, [0.5]])
def test_one_row_of_zeros(b: Any) -> None:
    assert can_be_top([[0, 0]], [[0]], offsets=b).feasible.tolist() == [True]
    if b is not None:
        assert feasible_many([[0, 0]], ["+", "-"], offsets=b).feasible.tolist() == [True, False]
        assert feasible_many([[0, 0]], on=[[0], []], offsets=b).feasible.tolist() == [True, False]


def test_equal_offsets_are_kept(tmp_path: Path) -> None:
    """They change no answer, but they are what was asked about."""
    W = [[1, 0], [0, 1], [1, 1]]
    found, plain = can_be_top(W, [[0], [2]], offsets=[3, 3, 3]), can_be_top(W, [[0], [2]])
    assert found.feasible.tolist() == plain.feasible.tolist() and found.verify()
    found.save(tmp_path / "found.npz")
    for proofs in (found, Certificates.load(tmp_path / "found.npz")):
        assert proofs[0].rows.offsets.tolist() == [3, 3, 3] and proofs.verify()


def test_rows_that_are_all_zero_and_no_rows():
    found = can_be_top(np.zeros((3, 2)), [[0], [0, 1], [0, 1, 2]])
    assert found.feasible.tolist() == [False, False, True]
    assert found.verify()
    none = feasible_many(np.zeros((0, 2)), [[], []])
    assert none.feasible.tolist() == [True, True]
    assert none.verify()


@pytest.mark.parametrize("kind", ["sparse", "frame", "bytes"])
def test_signs_in_other_forms(kind: str) -> None:
    W, signs = [[1, 0], [0, 1], [1, 1]], np.array([[1, 1, -1], [1, -1, 1]])
    forms: dict[str, Any] = {"bytes": signs.astype(">i2")}
    if kind == "sparse":
        forms["sparse"] = pytest.importorskip("scipy.sparse").csr_matrix(signs)
    if kind == "frame":
        forms["frame"] = pytest.importorskip("pandas").DataFrame(signs, columns=list("abc"))
    assert feasible_many(W, forms[kind]).feasible.tolist() == [False, True]
