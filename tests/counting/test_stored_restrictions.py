"""Restrictions in a folder: the same numbers, whatever the tasks, interruptions and workers."""

import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import betti_numbers, generators
from arrangements.algebra import count_bounded, whitney_numbers
from arrangements.counting import (
    descents,
    restriction_files,
    restriction_tasks,
    stored_restrictions,
)
from arrangements.counting.descents import Descent
from arrangements.counting.restriction_tasks import Key
from arrangements.counting.restrictions import MemoryRestrictions
from arrangements.counting.states import Chunk, Setting, gather_classes, sizes_of
from arrangements.counting.stored_restrictions import RECORD, StoredRestrictions
from arrangements.errors import InputError
from arrangements.exact.residues import primes
from arrangements.feasibility.cone_system import HomogeneousRows

MIXED = [
    *generators.resonance(5).normals.tolist(),
    [1, 2, 4, 8, 16],
    [1, -3, 9, 5, 0],
    [7, 1, 2, 0, 3],
]
NUMBERS = {second: MemoryRestrictions(MIXED, second, 10**9) for second in (False, True)}


def known(second: bool) -> list[int]:
    found = NUMBERS[second]
    if not found.numbers:
        for _ in found.portions():
            pass
    return found.numbers


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_restrictions, "_TASK", 2e3)
    monkeypatch.setattr(stored_restrictions, "_SHARE", 1e5)


def stored(rows: Any, second: bool, path: Path, most_bytes: int = 10**9, **more: Any) -> Any:
    return StoredRestrictions(rows, second, most_bytes, path, **more)


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("most_bytes", [0, 10**9])
def test_numbers(second: bool, workers: int, most_bytes: int, tmp_path: Path) -> None:
    found = stored(MIXED, second, tmp_path / "run", most_bytes, workers=workers)
    portions = list(found.portions())
    assert len(portions) > 20 and found.numbers == known(second) and found.remaining() == 0
    # what is left tells the numbers, and nothing is done again
    assert sorted(os.listdir(tmp_path / "run")) == [RECORD, "rows.json"]
    again = stored(MIXED, second, tmp_path / "run")
    assert list(again.portions()) == [] and again.numbers == known(second)


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_interrupted_at_every_task(tmp_path: Path) -> None:
    made, runs = [], 0
    while True:
        found = stored(MIXED, False, tmp_path / "run")
        portions = found.portions()
        made += [next(portions, None), next(portions, None)]
        portions.close()
        runs += 1
        if made[-1] is None:
            break
    assert runs > 10 and found.numbers == known(False)
    whole = stored(MIXED, False, tmp_path / "whole")
    # what was done is not done again; a task that ended in between was not told
    assert sum(filter(None, made)) <= sum(whole.portions())


_KILLED = """
import sys
from arrangements.counting import stored_restrictions
from arrangements.counting.stored_restrictions import StoredRestrictions
from arrangements.generators import resonance
stored_restrictions._TASK, stored_restrictions._SHARE = 1e6, 5e6
found = StoredRestrictions(resonance(7).normals.tolist(), False, 10**9, sys.argv[1], workers=2)
print("begun", flush=True)
for _ in found.portions():
    print("task", flush=True)
print(sum(found.numbers))
"""


@pytest.mark.slow
def test_killed(tmp_path: Path) -> None:
    path, command = tmp_path / "run", [sys.executable, "-c", _KILLED, str(tmp_path / "run")]
    for tasks in (1, 4):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(1 + tasks):
                assert process.stdout.readline()
            time.sleep(0.01 * tasks)
            process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "347326352"
    assert sorted(os.listdir(path)) == [RECORD, "rows.json"]


@pytest.mark.slow
def test_more_shares_than_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 16 rows that symmetries exchange: one state of codimension 1, for shares beyond number
    monkeypatch.setattr(stored_restrictions, "_SHARE", 10.0)
    rows = generators.threshold(4).normals.tolist()
    found = stored(rows, False, tmp_path / "run")
    assert sum(found.portions()) > 0
    alone = MemoryRestrictions(rows, False, 10**9)
    assert sum(alone.portions()) > 0 and found.numbers == alone.numbers


def test_a_task_done_twice_with_other_memory(tmp_path: Path) -> None:
    rows = np.random.default_rng(2).integers(-9, 9, (90, 5)).tolist()
    search = StoredRestrictions(rows, False, 10**9, tmp_path / "run")
    search._write_progress()
    progress = search.progress
    assert progress.pieces == (1,) and progress.shares == 1
    key = Key(str(tmp_path / "run"), progress.question, progress.primes, 0, progress.k)

    def gathered_of(done: Any) -> Any:
        sizes = stored_restrictions.gather_share(key, None, 0, ((0, 0, done.spills, done.token),))
        os.remove(tmp_path / "run" / stored_restrictions.part_name(progress.k - 1, 0))
        return sizes

    done = stored_restrictions.do_task(key, 10**9, 0, 0)
    alone = gathered_of(done)
    # without memory, the same is written in several files
    again = stored_restrictions.do_task(key, 1, 0, 0)
    assert again.spills > done.spills == 1
    assert gathered_of(done) == alone


def test_public_functions(tmp_path: Path) -> None:
    shi = generators.shi(4)
    assert whitney_numbers(shi, kind=2, checkpoint=tmp_path / "a") == whitney_numbers(shi, kind=2)
    assert count_bounded(shi, checkpoint=str(tmp_path / "b"), workers=2) == count_bounded(shi)
    assert betti_numbers([[1, 0], [0, 1]], checkpoint=tmp_path / "c") == (1, 2, 1)
    with pytest.raises(InputError, match="another arrangement"):
        betti_numbers(generators.resonance(5), checkpoint=tmp_path / "b")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"thesis\.tex and no restrictions"):
        betti_numbers(shi, checkpoint=tmp_path / "d")
    with pytest.raises(InputError, match="workers of a cluster must reach the folder"):
        stored_restrictions.do_task(Key(str(tmp_path / "e"), "", (), 0, 5), None, 0, 0)
    assert restriction_files.level_of("level-abc") is None
    with pytest.raises(InputError, match="is a file"):
        betti_numbers(shi, checkpoint=tmp_path / "d" / "thesis.tex")


@pytest.mark.slow
def test_on_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    W = generators.resonance(5)
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as client:
        assert betti_numbers(W, checkpoint=tmp_path, client=client) == betti_numbers(W)
        with pytest.raises(InputError, match="without checkpoint"):
            betti_numbers(W, client=client)


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("damage", ["cut", "flipped", "missing", "record", "done"])
def test_damaged_files(damage: str, tmp_path: Path) -> None:
    found = stored(MIXED, False, tmp_path)
    portions = found.portions()
    while len(list(tmp_path.glob("level-04.part-*.npz"))) == 0:
        next(portions)
    while damage == "done" and len(list(tmp_path.glob("level-04.*.piece-*.json"))) == 0:
        next(portions)
    portions.close()
    part = min(tmp_path.glob("level-04.part-*.npz"))
    content = bytearray(part.read_bytes())
    if damage == "missing":
        part.unlink()
    elif damage == "record":
        (tmp_path / RECORD).write_text('{"k": 4}')
    elif damage == "done":
        min(tmp_path.glob("level-04.*.piece-*.json")).write_text("[1, 2")
    elif damage == "cut":
        part.write_bytes(content[: len(content) // 2])
    else:
        content[len(content) // 2] ^= 16
        part.write_bytes(content)
    with pytest.raises(InputError, match="is damaged|is missing"):
        list(stored(MIXED, False, tmp_path).portions())


def test_other_primes(tmp_path: Path) -> None:
    q = primes(2)[1]
    rows = [[q, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [q, 1, 1, 1]]
    found = stored(rows, False, tmp_path)
    list(found.portions())
    assert found.numbers == [1, 4, 6, 3]
    search = StoredRestrictions(rows, False, 10**9, tmp_path)
    assert search.progress.attempt == 1


@pytest.mark.usefixtures("small_tasks")
def test_random_primes_stay_the_same(tmp_path: Path) -> None:
    """Those of a later attempt are random; tasks, and a computation that goes on, take its own."""
    search = StoredRestrictions(MIXED, False, 10**9, tmp_path)
    search.begin(1)
    portions = search.portions()
    for _ in range(20):
        next(portions)
    portions.close()
    restriction_tasks._setting.cache_clear()
    assert search.setting.primes != primes(1)
    again = StoredRestrictions(MIXED, False, 10**9, tmp_path)
    assert again.setting.primes == again.progress.primes == search.setting.primes
    task = restriction_tasks._setting(str(tmp_path), again.question, again.progress.primes, 0)
    assert task.primes == search.setting.primes
    list(again.portions())
    assert again.progress.attempt == 1 and again.numbers == known(False)


@pytest.mark.slow
def test_tasks_that_see_little_go_on_merging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Images of a state come from states of other tasks, too."""

    def levels(path: Path) -> list[tuple[float, bool]]:
        rows = generators.resonance(6).normals.tolist()
        search, seen = StoredRestrictions(rows, False, 10**9, path), []
        for _ in search.portions():
            seen.append((search.progress.totals[0], search.progress.merging))
        return sorted(set(seen))

    # each is willing to give up after every state
    monkeypatch.setattr(descents, "_QUARTER", 0)
    monkeypatch.setattr(descents, "_TRIED", 1)
    monkeypatch.setattr(descents, "_FIRST_OPERATIONS", 1)
    whole = levels(tmp_path / "whole")
    assert all(merging for _, merging in whole)
    monkeypatch.setattr(stored_restrictions, "_TASK", 1e4)
    assert levels(tmp_path / "small") == whole


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_tasks_decide_where_nothing_was_merged(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(-99, 100, (14, 6)).tolist()
    search = StoredRestrictions(rows, False, 10**9, tmp_path)
    merging = [search.progress.merging for _ in search.portions()]
    assert merging[0] and not merging[-1]


def test_shares_hold_each_class_once() -> None:
    setting = Setting.of(HomogeneousRows(MIXED), False, 0)
    root, halves = setting.root(), []
    for first, stop in ((0, 20), (20, len(MIXED))):
        descent = Descent(setting, 5, 10**9, stop - first)
        for _ in descent.steps(deque([Chunk(root, first, stop)])):
            pass
        halves.append(descent.classes)
    alone = gather_classes(setting, 4, halves)
    shares = [gather_classes(setting, 4, halves, share, 3) for share in range(3)]
    assert sum(len(sizes_of(part.states)) for part in shares) == len(sizes_of(alone.states))
    together = np.concatenate([part.keys.digest[: part.keys.used[0]] for part in shares])
    assert sorted(together) == sorted(alone.keys.digest[: alone.keys.used[0]])
    assert len(set(together.tolist())) == len(together)


@pytest.mark.parametrize(("found", "guess"), [(5, True), (80, False)])
def test_the_beginning_of_a_level_after_one_that_merged_is_a_guess(found: int, guess: bool) -> None:
    levels = MemoryRestrictions(MIXED, False, 10**9)
    levels.begin(0)
    first = levels.stage(5, 1, 100, 10_000)
    levels.stages.append(first)
    assert not levels.is_guess
    first.restricted = 100
    first.see(100, found, 50 * found)
    second = levels.stage(4, found, 50 * found, 2500 * found)
    levels.stages.append(second)
    assert levels.is_guess is guess and second.growth == found
    second.restricted = 0.2 * second.total
    assert levels.is_guess is guess
    second.restricted = 0.9 * second.total
    assert not levels.is_guess
