"""Folds see every pattern once, and what they say does not depend on who folds which part when."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import arrangements as ar
from arrangements.errors import InputError, InputTypeError, TooLargeError
from arrangements.execution.progress import ProgressBar
from arrangements.runs import checkpoints, folding

RNG = np.random.default_rng(0)
CUBE = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
MATRICES: dict[str, tuple[Any, Any]] = {
    "generic": (RNG.normal(size=(10, 4)), None),
    "affine": (RNG.normal(size=(8, 3)), np.arange(8) - 3),
    "resonance": (np.asarray(ar.generators.resonance(4)), None),
    "semiorder": (ar.generators.semiorder(4), None),
    "two words": (RNG.integers(-9, 10, (70, 3)), None),
    "two words, affine": (RNG.integers(-9, 10, (70, 3)), RNG.integers(-9, 10, 70)),
    "independent": (np.eye(5), None),
    "plane": (RNG.normal(size=(6, 2)), None),
    "line": ([[1], [2]], [0, 3]),
    "one": ([[1, 2]], None),
    "no row": (np.zeros((0, 3)), None),
    "loop": ([[0, 0], [1, 0]], [1, 0]),
}
MODELS: dict[str, tuple[Any, Any]] = {
    "generic": (RNG.normal(size=(8, 3)), None),
    "affine": (RNG.normal(size=(7, 2)), RNG.normal(size=7)),
    "cube": (CUBE, None),
    "plane": (RNG.normal(size=(6, 2)), None),
    "one": ([[1, 2]], None),
}


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many small parts, which are split, and many blocks."""
    monkeypatch.setattr(folding, "_part_rows", lambda source, expected: 40)
    monkeypatch.setattr(folding, "_BLOCK_BYTES", 100)


@pytest.mark.slow
@pytest.mark.parametrize("name", MATRICES)
def test_built_in_steps_say_what_numpy_says(name: str) -> None:
    W, b = MATRICES[name]
    on = (ar.chambers(W, b).to_array() > 0).astype(int)
    n = on.shape[1]
    assert (
        ar.fold_chambers(W, "positives", offsets=b) == np.bincount(on.sum(axis=1), minlength=n + 1)
    ).all()
    assert (ar.fold_chambers(W, "on", offsets=b) == on.sum(axis=0)).all()
    assert (ar.fold_chambers(W, "pairs", offsets=b, workers=2) == on.T @ on).all()


@pytest.mark.parametrize("name", MODELS)
def test_places_are_those_of_all_rankings(name: str) -> None:
    W, b = MODELS[name]
    orders = ar.rankings(W, b).to_array()
    labels = np.arange(orders.shape[1])
    places = [[(orders[:, r] == i).sum() for r in labels] for i in labels]
    assert (ar.fold_rankings(W, "places", offsets=b) == places).all()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MATRICES)
def test_own_steps_see_each_chamber_once(name: str) -> None:
    W, b = MATRICES[name]
    seen: list[ar.SignVectors] = []

    def step(block: ar.SignVectors) -> int:
        seen.append(block)
        assert not block.half and len(block.packed) == len(block)
        return len(block)

    A = ar.Arrangement(W, b) if b is not None else W
    number = ar.fold_chambers(A, step)
    assert number.shape == () and number == sum(map(len, seen))
    listed = ar.chambers(A)
    assert number == len(listed)
    assert ar.SignVectors.from_array(np.concatenate([x.to_array() for x in seen])) == listed


@pytest.mark.parametrize("name", MODELS)
def test_own_steps_see_each_ranking_once(name: str) -> None:
    W, b = MODELS[name]
    names = [f"label {i}" for i in range(len(W))]
    seen: list[ar.Rankings] = []

    def step(block: ar.Rankings) -> int:
        seen.append(block)
        return len(block)

    listed = ar.rankings(W, b)
    assert ar.fold_rankings(W, step, offsets=b, labels=names) == len(listed)
    found = ar.Rankings.from_array(np.concatenate([x.to_array() for x in seen]))
    assert found == listed
    assert seen[0].label_names == tuple(names)


def _bits(row: Any) -> Any:
    total = 0
    for word in row:
        while word:
            word &= word - np.uint64(1)
            total += 1
    return total


COMPILED: dict[str, tuple[Callable[..., Any], Any]] = {
    "bits": (_bits, np.add),
    "most bits": (_bits, np.maximum),
    "as floats": (lambda row: 0.5 * row[0], np.add),
    "large": (lambda row: row[0] << np.uint64(40), np.add),
    "truth": (lambda row: row[0] & np.uint64(1) == 1, np.logical_or),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["generic", "two words, affine"])
@pytest.mark.parametrize("step", COMPILED)
def test_compiled_steps_are_asked_about_rows(step: str, name: str) -> None:
    function, combine = COMPILED[step]
    W, b = MATRICES[name]
    rows = [row for block in ar.iter_chambers(W, b) for row in block.packed]
    if b is None:
        rows += [row ^ np.uint64(2**10 - 1) for row in rows]
    found = ar.fold_chambers(W, numba.njit(function), combine, offsets=b)
    values = [int(row[0]) << 40 if step == "large" else function(row) for row in rows]
    if step == "large" and name != "generic":  # what an unsigned word holds of it
        values = [value % 2**64 for value in values]
        assert found.dtype == object
    total = {np.add: sum, np.maximum: max, np.logical_or: any}[combine](values)
    assert found == (pytest.approx(total) if step == "as floats" else total)


def test_compiled_steps_about_rankings() -> None:
    W, b = MODELS["affine"]
    first = numba.njit(lambda order: order[0] == 2)
    orders = ar.rankings(W, b).to_array()
    assert ar.fold_rankings(W, first, offsets=b) == (orders[:, 0] == 2).sum()


@pytest.mark.parametrize("name", ["generic", "resonance", "affine", "plane"])
def test_results_are_combined_in_one_order(name: str) -> None:
    """With any number of workers: text is joined, and sums of floats round the same way."""
    W, b = MATRICES[name]

    def rows(block: ar.SignVectors) -> Any:
        if hash(block.packed.tobytes()) % 3 == 0:
            time.sleep(0.002)
        return block.packed[:, 0]

    def roots(block: ar.SignVectors) -> Any:
        return np.sqrt(block.packed).sum()

    def joined(first: Any, second: Any) -> Any:
        return np.concatenate([first, second])

    found = [ar.fold_chambers(W, rows, joined, offsets=b, workers=k) for k in (1, 2, 3)]
    assert len(found[0]) == len(ar.chambers(W, b)) == len(set(found[0].tolist()))
    sums = {float(ar.fold_chambers(W, roots, offsets=b, workers=k)) for k in (1, 2, 3)}
    assert all((found[0] == other).all() for other in found) and len(sums) == 1


def test_sums_of_integers_are_exact() -> None:
    W = MATRICES["generic"][0]
    number = ar.count_chambers(W)
    for large in (2**62, np.int64(2**62), np.uint64(2**63), 2**70, Fraction(2**70, 3)):
        assert ar.fold_chambers(W, lambda block, x=large: [x, len(block)]).tolist()[1] == number
        found = ar.fold_chambers(W, numba.njit(lambda row: 2**62)) if large == 2**62 else None
        assert found is None or found == number * 2**62
    assert ar.fold_chambers(W, lambda block: len(block) > 0).dtype == int
    assert ar.fold_chambers(np.eye(1), lambda block: True).dtype == int


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"step": "place"}, InputError, "step is 'place'.*expected 'positives', 'on' or 'pairs'"),
        ({"step": 7}, InputError, "step is 7"),
        ({"step": "on", "combine": np.maximum}, InputError, "leave out combine and name"),
        ({"step": "on", "name": "on"}, InputError, "leave out combine and name"),
        ({"step": len, "combine": "add"}, InputTypeError, "combine is 'add'"),
        ({"step": len, "name": 7}, InputTypeError, "name is 7"),
        ({"step": len, "name": ""}, InputTypeError, "name is ''"),
        ({"step": lambda block: None}, InputTypeError, "step returned None; expected a number"),
        ({"step": lambda block: "x"}, InputTypeError, "step returned 'x'"),
        ({"step": lambda block: [[1], [1, 2]]}, InputTypeError, "step returned"),
        ({"step": len, "combine": lambda a, b: None}, InputTypeError, "combine returned None"),
        ({"step": lambda block: block.packed}, InputError, "one shape, or a combine that copes"),
        ({"step": numba.njit(lambda a, b: 1)}, InputTypeError, "one packed row that returns one"),
        ({"step": numba.njit(lambda row: row)}, InputTypeError, "one packed row that returns one"),
        ({"step": numba.njit(_bits), "combine": max}, InputError, "expected a ufunc"),
        ({"step": "on", "client": 7}, InputTypeError, "client is 7"),
        ({"step": numba.njit(lambda row: row.foo)}, InputTypeError, "Unknown attribute 'foo'"),
        ({"step": "on", "workers": 0}, InputError, "workers is 0"),
        ({"step": "on", "max_hours": -1}, InputError, "max_hours is -1"),
        ({"step": len, "checkpoint": "x.npz"}, InputError, "pass name="),
        ({"step": "on", "checkpoint": "x.txt"}, InputError, "expected a name in .npz"),
    ],
)
def test_bad_input(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        ar.fold_chambers(np.random.default_rng(0).normal(size=(9, 4)), **options)


def test_a_fold_of_years_is_refused() -> None:
    with pytest.raises(TooLargeError, match="hours"):
        ar.fold_chambers(ar.generators.generic(200, 12, 0), "on")


def test_errors_of_a_step_reach_the_caller() -> None:
    def step(block: ar.SignVectors) -> int:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ar.fold_chambers(np.eye(3), step, workers=2)


def test_no_thread_goes_on_after_an_error() -> None:
    called = []

    def step(block: ar.SignVectors) -> int:
        called.append(block)
        time.sleep(0.001)
        return len(block)

    def combine(first: Any, second: Any) -> Any:
        if threading.current_thread() is threading.main_thread():  # of several parts
            raise KeyError("mine")
        return first + second

    with pytest.raises(KeyError) as error:  # which is still held, with what it holds
        W = np.random.default_rng(0).normal(size=(16, 5))
        ar.fold_chambers(W, step, combine, workers=2, progress=True)
    before = len(called)
    time.sleep(0.05)
    assert len(called) == before and error.value.args == ("mine",)


@pytest.mark.slow
def test_only_a_bar_needs_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two planes with 300 lines each have 600 * 600 chambers, 71 million in general position."""
    totals = []

    class Bar(ProgressBar):
        def __init__(self, total: float, noun: str, done: int = 0) -> None:
            totals.append(total)
            super().__init__(total, noun, done)

    def estimate(arrangement: ar.Arrangement) -> int:
        raise AssertionError("an estimate that nobody needs")

    monkeypatch.setattr("arrangements.execution.progress.ProgressBar", Bar)
    monkeypatch.setattr(folding, "_part_rows", lambda source, expected: 2**21)
    monkeypatch.setattr(folding, "_BLOCK_BYTES", 2**18)
    W = np.kron(np.eye(2, dtype=int), [[1, k] for k in range(300)])
    assert (ar.fold_chambers(W, "on", progress=True) == 300 * 600).all()
    assert 300 * 600 < totals[0] < 1200 * 600 and len(totals) == 1
    monkeypatch.setattr("arrangements.enumeration.chambers.expected_chambers", estimate)
    assert (ar.fold_chambers(W, "on") == 300 * 600).all()


def test_other_coordinates_begin_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrangements.errors import NotGenericFlagError

    fold, seeds = folding.PartFold.fold, []

    def unlucky(self: Any, task: Any) -> Any:
        seeds.append(self._seed)
        if self._seed == 0 and task[0] == (3,):
            raise NotGenericFlagError("unlucky")
        return fold(self, task)

    made = folding.PartFold.__init__

    def remembering(self: Any, source: Any, step: Any, record: Any, *more: Any) -> None:
        self._seed = record.seed
        made(self, source, step, record, *more)

    monkeypatch.setattr(folding.PartFold, "__init__", remembering)
    monkeypatch.setattr(folding.PartFold, "fold", unlucky)
    W = MATRICES["generic"][0]
    found = ar.fold_chambers(W, "on", checkpoint=tmp_path / "on.npz")
    assert found.tolist() == 10 * [ar.count_chambers(W) // 2] and set(seeds) == {0, 1}


@pytest.mark.parametrize("dtype", [float, int, object])
def test_a_step_may_use_its_result_again(dtype: Any) -> None:
    W, found = MATRICES["generic"][0], np.zeros(1, dtype)

    def size(block: ar.SignVectors) -> Any:
        found[0] = len(block)
        return found

    def larger(first: Any, second: Any) -> Any:
        return np.maximum(first, second, out=found)

    assert ar.fold_chambers(W, size) == ar.count_chambers(W)
    assert ar.fold_chambers(W, size, larger) == ar.fold_chambers(W, len, np.maximum)


# ------------------------------------------------------------------ checkpoints


class Interrupted:
    """A step that joins rows, and fails at one block after the other."""

    def __init__(self) -> None:
        self.blocks = self.last = 0

    def __call__(self, block: ar.SignVectors) -> Any:
        self.blocks += 1
        if self.blocks > self.last:
            raise KeyboardInterrupt
        return block.packed[:, 0]


@pytest.mark.parametrize("name", ["generic", "resonance", "affine"])
def test_an_interrupted_fold_goes_on(name: str, tmp_path: Path) -> None:
    W, b = MATRICES[name]
    step, path = Interrupted(), tmp_path / "rows.npz"
    options: dict[str, Any] = {
        "combine": lambda first, second: np.concatenate([first, second]),
        "offsets": b,
        "name": "rows",
    }
    for k in range(100):
        step.last += 8  # more than a part has, so that each try gets on
        try:
            found = ar.fold_chambers(W, step, checkpoint=path, workers=1 + k % 2, **options)
            break
        except KeyboardInterrupt:
            assert path.exists()
    assert k > 0
    whole = ar.fold_chambers(W, lambda block: block.packed[:, 0], **options)
    assert (found == whole).all()
    step.last = 0  # no block is asked for again
    assert (ar.fold_chambers(W, step, checkpoint=path, **options) == whole).all()


@pytest.mark.parametrize("value", [1, 2**70, Fraction(1, 3), 0.5, 1j, True])
def test_checkpoints_keep_numbers(value: Any, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"checkpoint": tmp_path / "x.npz", "name": "value"}
    first = ar.fold_chambers(np.eye(5), lambda block: [value, 0], **asked)
    again = ar.fold_chambers(np.eye(5), lambda block: 1 / 0, **asked)
    assert again.tolist() == first.tolist()


def test_checkpoints_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    ar.fold_chambers(np.eye(3), "on", checkpoint=path)
    for W, step, message in [
        (np.eye(4), "on", r"not the same: the number of rows \(3, and now 4\)"),
        (2 * np.eye(3), "on", "not the same: the numbers of W and the offsets"),
        (np.eye(3), "pairs", r"not the same: the step \(on, and now pairs\)"),
    ]:
        with pytest.raises(InputError, match=message):
            ar.fold_chambers(W, step, checkpoint=path)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not the same: the step"):
        ar.fold_chambers(np.eye(3), len, name="own on", checkpoint=path)
    with pytest.raises(InputError, match="what is listed"):
        ar.fold_rankings(np.eye(3), len, name="on", checkpoint=path)
    content = path.read_bytes()
    for damaged in (content[:-30], b"", content[:300] + b"x" + content[301:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="no checkpoint, or damaged.*Remove it"):
            ar.fold_chambers(np.eye(3), "on", checkpoint=path)


def test_a_name_of_ones_own_is_no_built_in_step(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    ar.fold_chambers(np.eye(3), len, name="on", checkpoint=path)
    with pytest.raises(InputError, match="not the same: the step"):
        ar.fold_chambers(np.eye(3), "on", checkpoint=path)


def test_checkpoints_by_url_and_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ar.fold_chambers(np.eye(3), "on", checkpoint="on.npz")
    assert (tmp_path / "on.npz").exists()
    pytest.importorskip("fsspec")
    for _ in range(2):
        found = ar.fold_chambers(np.eye(3), "on", checkpoint="memory://folds/on.npz")
        assert found.tolist() == [4, 4, 4]


def test_checkpoints_are_written_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "_EVERY", 0)
    path, there = tmp_path / "x.npz", set()

    def step(block: ar.SignVectors) -> int:
        time.sleep(0.01)
        there.add(path.read_bytes())
        return len(block)

    ar.fold_chambers(MATRICES["generic"][0], step, name="size", checkpoint=path)
    assert len(there) > 2  # more than that of the beginning


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="no folder that nobody may write to")
def test_no_work_is_done_for_a_checkpoint_that_cannot_be_written() -> None:
    def step(block: ar.SignVectors) -> int:
        raise AssertionError("work")

    with pytest.raises(InputError, match="cannot make /proc/none: "):
        ar.fold_chambers(np.eye(4), step, name="x", checkpoint="/proc/none/x.npz")


KILLED = """
import sys
import numpy as np
import arrangements as ar
from arrangements.runs import checkpoints, folding

folding._part_rows = lambda source, expected: 300
checkpoints._EVERY = 0
W = np.random.default_rng(3).normal(size=(24, 5))
print(ar.fold_chambers(W, "positives", checkpoint=sys.argv[1], workers=2).tolist())
"""


@pytest.mark.slow
def test_a_killed_fold_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    command = [sys.executable, "-c", KILLED, str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not path.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(60)
    assert [p.name for p in tmp_path.iterdir() if p.suffix == ".npz"] == ["x.npz"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    W = np.random.default_rng(3).normal(size=(24, 5))
    assert said.strip() == str(ar.fold_chambers(W, "positives").tolist())


# ------------------------------------------------------------------ Dask


@pytest.mark.slow
def test_folds_on_a_cluster(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    W, b = MATRICES["affine"]
    first = 3
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for step in ("positives", "on", "pairs"):
            asked: dict[str, Any] = {"offsets": b, "client": client}
            found = ar.fold_chambers(W, step, **asked)  # type: ignore[arg-type]
            assert (found == ar.fold_chambers(W, step, offsets=b)).all()  # type: ignore[arg-type]
        rows = ar.fold_chambers(
            W,
            lambda block: block.packed[first:, 0],
            lambda x, y: np.concatenate([x, y]),
            offsets=b,
            client=client,
            name="rows",
            checkpoint=tmp_path / "rows.npz",
        )
        assert (
            rows.tolist()
            == ar.fold_chambers(
                W, lambda block: block.packed[3:, 0], lambda x, y: np.concatenate([x, y]), offsets=b
            ).tolist()
        )
        size = ar.fold_chambers(W, numba.njit(lambda row: 1), offsets=b, client=client)
        assert size == len(ar.chambers(W, b))
        places = ar.fold_rankings(CUBE, "places", client=client)
        assert (places == ar.fold_rankings(CUBE, "places")).all()
    with pytest.raises(InputError, match="client is closed"):
        ar.fold_chambers(W, "on", client=client)
