"""Which method counts: right whatever is chosen, and chosen as it should be."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from naive import count as naive_count

from arrangements import characteristic_polynomial, count_chambers, flats, generators
from arrangements.algebra import count_bounded, whitney_numbers
from arrangements.core.arrangement import Arrangement
from arrangements.counting import chamber_counts, descents, nbc_counts, restrictions
from arrangements.counting.chamber_counts import Count
from arrangements.counting.nbc_counts import known_count
from arrangements.counting.polynomials import restrictions_of
from arrangements.errors import NotGenericFlagError, SlowCountWarning, TooLargeError
from arrangements.kernels.chambers.search import advance
from arrangements.kernels.numba_internals import is_ready
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.structure import intersection_poset

# Arrangements, and how many chambers they have.
KNOWN = [
    (generators.resonance(5), 11_292),
    (generators.braid(6), 720),
    (generators.threshold(4), 1_882),
    (generators.shi(4), 125),
    (generators.catalan(4), 336),
    (generators.low_rank_braid(8, 3, 1), None),
    (Arrangement([[1, 0], [1, 0], [0, 1], [1, 1], [0, 0]], [0, 1, 0, -1, 5], labels="abcde"), 10),
    (Arrangement([[1, 2, 3], [2, 4, 6], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 1, 1]]), None),
]


def run(W: Any, workers: int = 1) -> Count:
    counting = Count(Arrangement.coerce(W), workers)
    for _ in counting.portions():
        assert counting.total() >= 0 and 0 <= counting.sweep.seen() <= 1
    return counting


@pytest.mark.sampled(4)
@pytest.mark.parametrize("lanes", [1, 300, 40_000])
@pytest.mark.parametrize("trial", [0.0, 0.25, math.inf])
def test_every_course_counts_alike(
    monkeypatch: pytest.MonkeyPatch, lanes: int, trial: float
) -> None:
    monkeypatch.setattr(chamber_counts, "_FIRST_LANES", lanes)
    monkeypatch.setattr(chamber_counts, "_TRIAL", trial)
    monkeypatch.setattr(chamber_counts, "_ESTIMATED", 0.0)
    monkeypatch.setattr(descents, "_OPERATIONS_PER_CALL", 1000)
    for W, number in KNOWN:
        A = Arrangement.coerce(W)
        if number is None:
            rows = A.normals.tolist()
            number = naive_count(rows) if len(A) < 10 else count_chambers(A, method="incremental")
        assert run(A).count == number == count_chambers(A)


def test_the_better_method_is_taken() -> None:
    for W in (generators.resonance(7), generators.threshold(6), generators.coxeter("E", 7)):
        assert run(W).leader.method == "characteristic"
    generic = run(generators.generic(40, 5, 1))
    assert generic.leader.method == "sweep" and generic.polynomial is None
    lines = run(generators.low_rank_braid(10, 6, 1))
    assert lines.leader.method == "sweep" and lines.polynomial is not None
    assert lines.polynomial.seconds < lines.sweep.seconds


def test_the_same_course_every_time() -> None:
    first, second = (run(generators.shi(6)) for _ in range(2))
    assert (first.leader.method, first.seconds) == (second.leader.method, second.seconds)


def test_rank_and_workers() -> None:
    W = np.asarray(generators.low_rank_braid(16, 4, 1))
    number = count_chambers(W, method="sweep")
    assert count_chambers(W, workers=2) == count_chambers(W, rank=4) == number
    assert count_chambers(generators.generic(60, 5, 1), workers=2) == 2 * sum(
        math.comb(59, k) for k in range(5)
    )
    assert count_chambers(generators.resonance(6), workers=3) == 1_066_044


def test_another_flag_if_one_is_not_generic(monkeypatch: pytest.MonkeyPatch) -> None:
    advance, calls = ChamberSweep.advance, []

    def failing(self: ChamberSweep, *arguments: Any, **options: Any) -> tuple[bool, bool, int]:
        calls.append(1)
        if len(calls) == 2:
            raise NotGenericFlagError("by chance")
        return advance(self, *arguments, **options)

    monkeypatch.setattr(ChamberSweep, "advance", failing)
    monkeypatch.setattr(chamber_counts, "_FIRST_LANES", 1)
    monkeypatch.setattr(chamber_counts, "_TRIAL", 0.0)
    number = 2 * sum(math.comb(11, k) for k in range(4))
    assert run(generators.generic(12, 4, 1)).count == number and len(calls) > 2


def test_closed_form_of_one_hyperplane_too_many() -> None:
    rng = np.random.default_rng(0)
    met = set()
    for _ in range(60):
        n = int(rng.integers(1, 7))
        rows = [row for row in rng.integers(-1, 2, (n, max(1, n - 1))).tolist() if any(row)]
        offsets = rng.integers(-1, 2, len(rows)).tolist()
        for b in (None, offsets):
            if not rows:
                continue
            A = Arrangement(rows, b)
            known = known_count(A)
            met.add((known is None, len(A) - A.rank))
            if known is not None:
                assert known == naive_count(rows, b)
    assert (False, 0) in met and (False, 1) in met
    assert known_count(Arrangement(np.zeros((0, 2)))) == 1
    assert count_chambers(generators.generic(101, 100, 1)) == 2**101 - 2


@pytest.mark.slow
def test_a_count_too_long_by_both_methods_is_refused_at_once() -> None:
    W = np.random.default_rng(0).integers(-1, 2, (120, 12))
    for ask in (count_chambers, characteristic_polynomial, flats, intersection_poset):
        with pytest.raises(TooLargeError, match="(takes about .*years|flats are expected)"):
            ask(W)
    with pytest.raises(TooLargeError, match="takes about .*years"):
        whitney_numbers(W, kind=2)
    assert len(flats(W, max_rank=1)) == 121


@pytest.mark.slow
def test_a_count_that_takes_hours_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chamber_counts.Count, "total_of", lambda self, number: 7200.0)
    monkeypatch.setattr(chamber_counts.Count, "is_predictable", lambda self: True)
    with pytest.warns(
        SlowCountWarning, match="chambers are expected; counting them takes.*2 hours"
    ):
        assert count_chambers(generators.resonance(7)) == 347_326_352
    with pytest.raises(TooLargeError, match="2 hours, but an hour is allowed"):
        count_chambers(generators.resonance(7), max_hours=1)


def test_what_remains_of_restrictions() -> None:
    """Exact in general position, near the truth once the first states were merged."""
    for W, factor in ((generators.generic(20, 6, 1), 1.7), (generators.resonance(7), 8.0)):
        found, _ = restrictions_of(Arrangement.coerce(W))
        foreseen = []
        for _ in found.portions():
            assert found.remaining() >= 0
            foreseen.append((found.operations, found.operations + found.remaining()))
        total = found.operations
        later = [guess for done, guess in foreseen if done > total / 2]
        assert later and all(total / factor < guess < factor * total for guess in later)


def test_nbc_sets_count_as_long_as_the_sweep_is_not_compiled(monkeypatch) -> None:
    """Also what it would count faster, up to a total; hard cases are left to it."""
    rng = np.random.default_rng(0)
    ready = [False]
    monkeypatch.setattr(nbc_counts, "is_ready", lambda entry: ready[0])
    monkeypatch.setattr(nbc_counts, "_uncompiled", [0])
    W = Arrangement(rng.standard_normal((60, 4)))
    known = generic_count(60, 4)
    entries = nbc_counts.entries_to_reduce(60, 4)
    assert entries > nbc_counts.MOST_ENTRIES
    assert nbc_counts.count_small(W) == count_chambers(W) == known
    assert nbc_counts._uncompiled == [2 * entries]
    degenerate = rng.integers(-2, 3, (40, 4)) * rng.choice([1.0, 3.0, 5.0], (40, 1))
    assert nbc_counts.count_small(Arrangement(degenerate)) == count_chambers(
        degenerate, method="sweep"
    )
    near = np.vstack([W.normals, W.normals[0] + 1e-16 * W.normals[1]])
    assert nbc_counts.count_small(Arrangement(near)) is None
    assert count_chambers(near) == count_chambers(near, method="sweep")
    monkeypatch.setattr(nbc_counts, "_ALL_UNCOMPILED", entries)
    assert nbc_counts.count_small(W) is None and count_chambers(W) == known
    monkeypatch.setattr(nbc_counts, "_uncompiled", [0])
    ready[0] = True
    assert nbc_counts.count_small(W) is None and nbc_counts._uncompiled == [0]


def test_an_entry_is_ready_once_it_is_compiled() -> None:
    count_chambers(generators.generic(20, 3, 0), method="sweep")
    assert is_ready(advance)


def generic_count(n: int, d: int) -> int:
    return 2 * sum(math.comb(n - 1, k) for k in range(d))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "argument", "hours"),
    [("threshold", 10, 0.0005), ("shi", "E8", 24), ("resonance", 9, 0.0005)],
)
@pytest.mark.parametrize("count", [count_chambers, count_bounded])
def test_long_counts_are_refused_soon(
    name: str, argument: Any, hours: float, count: Callable[..., int]
) -> None:
    A = getattr(generators, name)(argument)
    began = time.process_time()
    with pytest.raises(TooLargeError, match="allowed"):
        count(A, max_hours=hours)
    assert time.process_time() - began < 15


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [count_chambers, characteristic_polynomial])
def test_restrictions_are_made_in_all_threads(
    monkeypatch: pytest.MonkeyPatch, count: Callable[..., Any]
) -> None:
    """Also where "auto" chooses the polynomial while it is tried."""
    threads, run_tasks = [], restrictions.run_tasks

    def noted(*arguments: Any, **options: Any) -> Any:
        threads.append(options["workers"])
        return run_tasks(*arguments, **options)

    monkeypatch.setattr(restrictions, "run_tasks", noted)
    A = generators.resonance(7)
    assert count(A, workers=3) == count(A) and set(threads) == {3}
