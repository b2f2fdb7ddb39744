"""Runs on disk hold what listings hold, in files that depend on nothing but the question."""

import json
import shutil
import sys
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrangements as ar
from arrangements.errors import IncompleteError, InputError, MissingDependencyError, TooLargeError
from arrangements.files.folder import folder_at
from arrangements.runs.part_files import read_part
from arrangements.runs.partition import most_rows, partition
from arrangements.runs.planning import plan_run, simulate
from arrangements.runs.reading import draw
from arrangements.runs.record import read_record
from arrangements.runs.sources import ChamberSource, RankingSource
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import WHOLE, Part

pytest.importorskip("pyarrow")
pytest.importorskip("xxhash")

RNG = np.random.default_rng(0)
CUBE = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
MATRICES: dict[str, tuple[Any, Any]] = {
    "generic": (RNG.normal(size=(10, 4)), None),
    "affine": (RNG.normal(size=(8, 3)), np.arange(8) - 3),
    "resonance": (np.asarray(ar.generators.resonance(4)), None),
    "braid": (np.asarray(ar.generators.braid(5)), None),
    "two words": (RNG.integers(-9, 10, (70, 3)), None),
    "cube": (CUBE, None),
    "independent": (np.eye(5), None),
    "plane": (RNG.normal(size=(6, 2)), None),
    "line": ([[1], [2]], None),
    "one": ([[1, 2]], [3]),
}
CHAMBERS = [name for name in MATRICES if name != "cube"]
RANKINGS = ["generic", "affine", "cube", "independent", "plane", "line", "one"]


def contents(folder: Path) -> dict[str, bytes]:
    """Every file."""
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("rows", [None, 1, 40])
@pytest.mark.parametrize("name", CHAMBERS)
def test_chambers_of_a_run_are_those_of_the_listing(
    name: str, rows: int | None, tmp_path: Path
) -> None:
    W, b = MATRICES[name]
    if name == "cube":
        W = W[1:]
    run = ar.write_chambers(W, tmp_path / "run", offsets=b, rows_per_part=rows)
    listed = ar.chambers(W, b)
    assert run.complete and len(run) == len(listed)
    blocks = list(run)
    assert sum(map(len, blocks)) == len(listed)
    assert ar.SignVectors.from_array(np.concatenate([x.to_array() for x in blocks])) == listed
    assert run.to_dataset().count_rows() == run.rows == len(listed) // (1 + run.half)
    assert ar.check_run(tmp_path / "run")
    found = run.sample(min(5, len(run)), rng=1)
    assert len(found) == min(5, len(run)) and all(signs in listed for signs in found)
    assert listed[0] in run
    values = np.asarray(W, object) @ np.array(run.witness(listed[0]), object)
    values = values + (0 if b is None else np.asarray(b, object))
    assert np.array_equal(np.sign(values.astype(float)), listed[0])


@pytest.mark.slow
@pytest.mark.parametrize("rows", [None, 1, 40])
@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_of_a_run_are_those_of_the_listing(
    name: str, rows: int | None, tmp_path: Path
) -> None:
    W, b = MATRICES[name]
    if name == "one":
        W, b = [[1, 2], [0, 1]], [3, 0]
    names = [f"label {i}" for i in range(len(W))]
    run = ar.write_rankings(W, tmp_path / "run", offsets=b, labels=names, rows_per_part=rows)
    listed = ar.rankings(W, b, labels=names)
    assert run.complete and len(run) == len(listed)
    assert ar.Rankings.from_array(np.concatenate([x.to_array() for x in run])) == (
        ar.Rankings.from_array(listed.to_array())
    )
    assert ar.check_run(tmp_path / "run")
    assert [names[i] for i in listed[0]] in run
    assert run.to_dataset().count_rows() == run.rows
    scores = np.asarray(W, object) @ np.array(run.witness(listed[0]), object)
    scores = scores + (0 if b is None else np.asarray(b, object))
    assert (np.diff(scores[listed[0]].astype(float)) < 0).all()


TIED = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rows", [None, 100])
@pytest.mark.parametrize("b", [None, np.arange(16) % 2])
def test_a_run_of_labels_that_often_tie_sweeps_over_pairs(
    rows: int | None, b: Any, tmp_path: Path
) -> None:
    source = RankingSource(ar.ScoreModel(TIED, b))
    assert not isinstance(source.flag(0), LabelFlag)
    run = ar.write_rankings(TIED, tmp_path / "a", offsets=b, rows_per_part=rows)
    listed = ar.rankings(TIED, b, method="sweep")
    found = np.concatenate([block.to_array() for block in run])
    assert len(found) == len(listed) and ar.Rankings.from_array(found) == listed
    report = ar.check_run(tmp_path / "a")
    assert report and "characteristic polynomial" in str(report)
    again = ar.write_rankings(TIED, tmp_path / "b", offsets=b, rows_per_part=rows, workers=3)
    assert again.complete and contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("begun_with_pairs", [False, True])
def test_a_run_goes_on_with_the_sweep_that_began_it(
    begun_with_pairs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = RankingSource(ar.ScoreModel(TIED))
    both = [source.bound(flag) for flag in source.flags(0)]
    assert len(set(both)) == 2 and both[1] == source.question.bound()
    now = "arrangements.search.pair_sweep.often_tied"
    monkeypatch.setattr(now, lambda flag: begun_with_pairs)
    ar.write_rankings(TIED, tmp_path / "a", rows_per_part=100)
    begun = contents(tmp_path / "a")
    for k, path in enumerate(sorted((tmp_path / "a").glob("part-*"))):
        if k % 2:
            path.unlink()
    (tmp_path / "a" / "complete.json").unlink()
    monkeypatch.setattr(now, lambda flag: not begun_with_pairs)
    run = ar.write_rankings(TIED, tmp_path / "a")
    assert run.complete and contents(tmp_path / "a") == begun
    ar.write_rankings(TIED, tmp_path / "b", rows_per_part=100)
    assert contents(tmp_path / "b").keys() != begun.keys()
    saved = tmp_path / "places.npz"
    right = ar.fold_rankings(TIED, "places", checkpoint=saved)
    monkeypatch.setattr(now, lambda flag: begun_with_pairs)
    assert (ar.fold_rankings(TIED, "places", checkpoint=saved) == right).all()
    assert (ar.fold_rankings(TIED, "places") == right).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["generic", "resonance", "two words"])
def test_files_do_not_depend_on_workers_or_order(name: str, tmp_path: Path) -> None:
    W, b = MATRICES[name]
    ar.write_chambers(W, tmp_path / "a", offsets=b, rows_per_part=30)
    ar.write_chambers(W, tmp_path / "b", offsets=b, rows_per_part=30, workers=3)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    for k, path in enumerate(sorted((tmp_path / "b").glob("part-*"))):
        if k % 3 == 1:
            path.unlink()
    (tmp_path / "b" / "complete.json").unlink()
    assert not ar.open_run(tmp_path / "b").complete
    ar.write_chambers(W, tmp_path / "b", offsets=b)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_float_matrix_and_its_fractions_are_one_question(tmp_path: Path) -> None:
    from fractions import Fraction

    W = MATRICES["generic"][0]
    ar.write_chambers(W, tmp_path / "run")
    same = [[Fraction(x) for x in row] for row in W.tolist()]
    assert len(ar.write_chambers(same, tmp_path / "run")) == len(ar.chambers(W))


def test_parts_are_small_and_balanced() -> None:
    for source in (
        ChamberSource(ar.generators.generic(40, 6, 1)),
        RankingSource(ar.ScoreModel(np.asarray(ar.generators.generic(14, 4, 1)))),
    ):
        flag = source.flag(0)
        assert flag is not None
        expected = source.question.expected(0)
        assert expected == source.question.bound()
        rows = expected // 100
        parts = partition(source, flag, expected, rows)
        sweep = source.sweep(flag)
        sizes = []
        for part in parts:
            sweep.restart(part)
            sizes.append(sum(map(len, sweep.blocks(10**6))))
        assert sum(sizes) == expected
        assert max(sizes) <= rows + source.line_rows


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"W": [[1, 0], [0, 1], [1, 2]]}, "not the same: the numbers of W and the offsets"),
        ({"offsets": [0, 0, 1]}, "the numbers of W"),
        ({"W": [[1, 0], [0, 1]]}, r"not the same: the number of rows \(3, and now 2\)"),
        ({"rows_per_part": 7}, "not the same: rows_per_part"),
        ({"resume": False}, "holds a run already"),
    ],
)
def test_another_question_is_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    ar.write_chambers([[1, 0], [0, 1], [1, 1]], tmp_path)
    before = contents(tmp_path)
    with pytest.raises(InputError, match=message):
        ar.write_chambers(**{"W": [[1, 0], [0, 1], [1, 1]], "path": tmp_path} | change)
    with pytest.raises(InputError, match="what is listed"):
        ar.write_rankings([[1, 0], [0, 1], [1, 1]], tmp_path)
    assert contents(tmp_path) == before


def test_folders_and_sizes_are_checked_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"no run, and holds notes\.txt"):
        ar.write_chambers([[1, 0]], tmp_path)
    with pytest.raises(InputError, match="is a file"):
        ar.write_chambers([[1, 0]], tmp_path / "notes.txt")
    with pytest.raises(TooLargeError, match="chambers are expected.*max_bytes"):
        ar.write_chambers(ar.generators.generic(40, 5, 0), tmp_path / "run", max_bytes=1000)
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match="holds no run"):
        ar.open_run(tmp_path)


def test_a_run_with_missing_parts_says_so(tmp_path: Path) -> None:
    W = MATRICES["generic"][0]
    run = ar.write_chambers(W, tmp_path, rows_per_part=30)
    signs = ar.chambers(W)[0]
    sorted(tmp_path.glob("part-*"))[2].unlink()
    (tmp_path / "complete.json").unlink()
    run = ar.open_run(tmp_path)
    assert not run.complete and "missing" in repr(run)
    with pytest.raises(IncompleteError, match="parts of the run are missing"):
        signs in run  # noqa: B015 the question raises
    assert not ar.check_run(tmp_path)


def test_a_missing_library_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ar.write_chambers([[1, 0], [0, 1]], tmp_path / "there")
    monkeypatch.setitem(sys.modules, "xxhash", None)
    for ask in (
        lambda: ar.write_chambers([[1, 0], [0, 1]], tmp_path / "new"),
        lambda: ar.check_run(tmp_path / "there", repair=True),
    ):
        with pytest.raises(MissingDependencyError, match=r"xxhash is needed .* install '.*scale"):
            ask()
    assert not (tmp_path / "new").exists()
    assert len(ar.open_run(tmp_path / "there")) == 4  # reading needs none


DAMAGE = {
    "missing": lambda run, parts: parts[1].unlink(),
    "truncated": lambda run, parts: parts[1].write_bytes(parts[1].read_bytes()[:-50]),
    "empty": lambda run, parts: parts[1].write_bytes(b""),
    "swapped": lambda run, parts: shutil.copy(parts[2], parts[1]),
    "foreign": lambda run, parts: shutil.copy(parts[2], run / "part-000077.parquet"),
    "split by name": lambda run, parts: parts[-1].rename(run / "part-000000-split-9.parquet"),
    "totals": lambda run, parts: (run / "complete.json").unlink(),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_and_repaired(damage: str, tmp_path: Path) -> None:
    ar.write_chambers(MATRICES["generic"][0], tmp_path, rows_per_part=30)
    before = contents(tmp_path)
    DAMAGE[damage](tmp_path, sorted(tmp_path.glob("part-*")))
    report = ar.check_run(tmp_path)
    assert not report and report.problems
    report = ar.check_run(tmp_path, repair=True)
    assert report and contents(tmp_path) == before


def test_rows_that_occur_twice_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrangements.runs import making

    swept = making.Maker._sweep_part

    def twice(self: Any, what: Part) -> Any:
        rows, left = swept(self, what)
        return rows[np.maximum(np.arange(len(rows)), 1)], left

    monkeypatch.setattr(making.Maker, "_sweep_part", twice)
    ar.write_chambers(MATRICES["two words"][0], tmp_path)
    assert "some rows occur more than once." in ar.check_run(tmp_path).problems


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d | {"seed": 1}, "its digest is another"),
        (lambda d: d | {"format": 1}, "its format is 1; this version reads 2"),
        (lambda d: {k: v for k, v in d.items() if k != "parts"}, "no entry 'parts'"),
        (lambda d: [], "not the record of a run"),
    ],
)
def test_a_changed_record_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    ar.write_chambers([[1, 0], [0, 1]], tmp_path)
    record = tmp_path / "run.json"
    record.write_text(json.dumps(change(json.loads(record.read_text()))))
    for ask in (ar.open_run, ar.check_run, lambda path: ar.write_chambers(np.eye(2), path)):
        with pytest.raises(InputError, match=message):
            ask(tmp_path)


def test_a_record_of_another_version_is_read(tmp_path: Path) -> None:
    ar.write_chambers([[1, 0], [0, 1]], tmp_path)
    record = tmp_path / "run.json"
    record.write_text(
        record.read_text().replace(f'"version": "{ar.__version__}"', '"version": "9"')
    )
    assert len(ar.open_run(tmp_path)) == 4


def test_another_input_is_refused(tmp_path: Path) -> None:
    for k in (1, 2):
        ar.write_chambers([[1, 0], [0, k]], tmp_path / str(k))
    shutil.copy(tmp_path / "1" / "input.npz", tmp_path / "2")
    with pytest.raises(InputError, match="not the input of this run"):
        ar.open_run(tmp_path / "2")


def test_an_input_that_is_lost_is_written_again(tmp_path: Path) -> None:
    W = MATRICES["generic"][0]
    ar.write_chambers(W, tmp_path, rows_per_part=30)
    (tmp_path / "input.npz").unlink()
    with pytest.raises(InputError, match="the call that began the run writes it again"):
        ar.check_run(tmp_path)
    run = ar.write_chambers(W, tmp_path)
    assert ar.check_run(run) and len(ar.open_run(run)) == len(run)


def test_a_part_that_is_lost_does_not_count(tmp_path: Path) -> None:
    ar.write_chambers(MATRICES["generic"][0], tmp_path, rows_per_part=30)
    sorted(tmp_path.glob("part-*"))[2].unlink()
    run = ar.open_run(tmp_path)
    assert len(run) == sum(map(len, run)) and not run.complete


def test_a_run_in_memory() -> None:
    pytest.importorskip("fsspec")
    run = ar.write_chambers(MATRICES["generic"][0], "memory://tests/run", rows_per_part=30)
    assert ar.check_run("memory://tests/run")
    assert len(run) == len(ar.chambers(MATRICES["generic"][0]))


def test_another_flag_is_taken_if_the_first_is_not_generic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arrangements.errors import NotGenericFlagError
    from arrangements.runs import making

    encode = making.Maker.encode

    def unlucky(self: Any, task: Any) -> Any:
        if self.record.seed == 0 and task[0] == (3,):
            raise NotGenericFlagError("unlucky")
        return encode(self, task)

    monkeypatch.setattr(making.Maker, "encode", unlucky)
    ar.write_chambers(MATRICES["generic"][0], tmp_path, rows_per_part=30)
    record = read_record(ar.open_run(tmp_path).folder)
    assert record is not None and record.seed == 1
    assert ar.check_run(tmp_path)


def test_stored_rows_through_other_libraries(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    W = MATRICES["affine"][0], MATRICES["affine"][1]
    run = ar.write_chambers(W[0], tmp_path, offsets=W[1], rows_per_part=20)
    signs = ar.chambers(*W).to_array()
    together = duckdb.sql(
        f"SELECT count(*) FROM '{tmp_path}/part-*.parquet' WHERE word0 & 5 = 5"
    ).fetchall()
    assert together == [(int(((signs[:, 0] > 0) & (signs[:, 2] > 0)).sum()),)]
    pytest.importorskip("dask")
    assert run.to_dask().compute().shape == (run.rows, 1)


def test_labels_that_are_integers_are_not_taken_for_rows(tmp_path: Path) -> None:
    W = [[0, 0], [1, 0], [0, 1], [1, 2]]
    run = ar.write_rankings(W, tmp_path / "a", labels=[3, 2, 1, 0])
    assert ar.check_run(run)
    order = ar.rankings(W, labels=[3, 2, 1, 0]).names(0)
    assert list(order) in run and len(run.witness(list(order))) == 2
    A = ar.Arrangement([[1, 0], [0, 1], [1, 1]], labels=[2, 1, 0])
    assert {"2": 1, "1": 1, "0": 1} in ar.write_chambers(A, tmp_path / "b")


def test_what_is_dropped_or_called_otherwise_is_another_question(tmp_path: Path) -> None:
    a, b, c = [0, 1], [1, 0], [2, 2]
    ar.write_rankings([a, a, b, c], tmp_path / "a", ties="drop")
    for W in ([a, b, b, c], [a, b, c]):
        with pytest.raises(InputError, match="the labels, or those dropped"):
            ar.write_rankings(W, tmp_path / "a", ties="drop")
    for names in ("xyz", "zyx"):
        ar.write_rankings([a, b, c], tmp_path / names, labels=names)
    shutil.copy(tmp_path / "zyx" / "input.npz", tmp_path / "xyz")
    with pytest.raises(InputError, match="its numbers or labels differ"):
        ar.check_run(tmp_path / "xyz")


def test_the_dimension_is_part_of_the_question(tmp_path: Path) -> None:
    ar.write_chambers(np.zeros((2, 1)), tmp_path, offsets=[1, -2])
    with pytest.raises(InputError, match="the numbers of W"):
        ar.write_chambers(np.zeros((2, 3)), tmp_path, offsets=[1, -2])


def test_parts_of_other_runs_do_not_count(tmp_path: Path) -> None:
    W = MATRICES["generic"][0]
    run = ar.write_chambers(W, tmp_path / "a", rows_per_part=30)
    shutil.copy(run.files()[-1], tmp_path / "a" / "part-000900.parquet")
    (tmp_path / "a" / "complete.json").unlink()
    assert len(ar.write_chambers(W, tmp_path / "a")) == len(run)
    other = ar.write_chambers(W + 1, tmp_path / "b", rows_per_part=30)
    shutil.copy(other.files()[0], run.files()[0])
    (tmp_path / "a" / "complete.json").unlink()
    with pytest.raises(InputError, match=r"another run\. check_run\(path, repair=True\) makes"):
        ar.write_chambers(W, tmp_path / "a")
    Path(run.files()[0]).write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"not a part of a run: .* repair=True"):
        ar.write_chambers(W, tmp_path / "a")
    with pytest.raises(InputError, match=r"not a part of a run: .* repair=True"):
        list(run)


def test_copies_of_parts_are_foreign(tmp_path: Path) -> None:
    W = MATRICES["generic"][0]
    run = ar.write_chambers(W, tmp_path, rows_per_part=30)
    first = Path(run.files()[0])
    shutil.copy(first, first.with_name("part-000000 (copy).parquet"))
    report = ar.check_run(tmp_path)
    assert report.problems == ["part-000000 (copy).parquet is no part of this run."]
    assert ar.check_run(tmp_path, repair=True) and len(run.files()) == len(
        list(tmp_path.glob("part*"))
    )


def test_missing_parts_are_named_or_counted(tmp_path: Path) -> None:
    run = ar.write_chambers(MATRICES["generic"][0], tmp_path, rows_per_part=5)
    names = run.files()
    for name in names[:13]:
        Path(name).unlink()
    problems = ar.check_run(tmp_path).problems
    assert problems[:2] == ["part-000000.parquet is missing.", "part-000001.parquet is missing."]
    assert len(problems) == 11 and "more parts are missing: the call" in problems[10]


def test_a_number_that_is_not_checked(tmp_path: Path) -> None:
    ar.write_rankings(np.random.default_rng(0).standard_normal((7, 4)), tmp_path)
    report = ar.check_run(tmp_path)
    said = "The number of rankings is not compared with another count: none is cheap."
    assert report and report.unproved == [said] and said in str(report)


def test_parts_of_any_length(tmp_path: Path) -> None:
    W = MATRICES["generic"][0]
    plain = ar.write_chambers(W, tmp_path / "a")
    whole = ar.write_chambers(W, tmp_path / "b", rows_per_part=10**8)  # no more than there are
    assert len(whole) == len(plain) and len(whole.files()) == 1
    W = np.random.default_rng(1).standard_normal((200, 12))
    with pytest.raises(TooLargeError, match=r"a part of 1e\+15 rows: .* fewer rows_per_part"):
        ar.write_chambers(W, tmp_path / "c", rows_per_part=10**15, max_bytes=10**30)
    assert not list(tmp_path.glob("c/*"))


def test_other_coordinates_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arrangements.runs import sources

    W = MATRICES["generic"][0]
    run = ar.write_chambers(W, tmp_path, rows_per_part=30)
    Path(run.files()[0]).unlink()
    made = sources.arrangement_flag
    monkeypatch.setattr(sources, "arrangement_flag", lambda A, seed: made(A, seed + 1))
    with pytest.raises(InputError, match="coordinates of this run come out differently"):
        ar.write_chambers(W, tmp_path)


def test_parts_that_are_split_often_keep_short_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arrangements.runs import writing

    monkeypatch.setattr(writing, "partition", lambda *given: [WHOLE])
    rows = np.random.default_rng(1).integers(-9, 10, (20, 4))
    run = ar.write_chambers(rows, tmp_path, rows_per_part=5)
    names = [Path(name).name for name in run.files()]
    assert max(map(len, names)) < 60 and any(".x" in name for name in names)
    assert ar.check_run(run) and len(run) == ar.count_chambers(rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "content", ['{"rows": Infinity}', "[" * 10**5, "7", '{"rows": 7}', "null", "\x00"]
)
def test_damaged_totals_are_not_believed(content: str, tmp_path: Path) -> None:
    run = ar.write_chambers(MATRICES["generic"][0], tmp_path)
    (tmp_path / "complete.json").write_text(content)
    assert not ar.check_run(tmp_path) and len(ar.open_run(tmp_path)) == len(run)
    assert ar.check_run(tmp_path, repair=True)


def test_threads_are_not_more_than_are_of_use(tmp_path: Path) -> None:
    assert ar.write_chambers([[1, 0], [0, 1]], tmp_path, workers=10**30).complete


def test_a_name_that_no_folder_has() -> None:
    with pytest.raises(InputError, match="cannot read .*name too long"):
        ar.open_run("x" * 10**5)


def test_rows_are_drawn_evenly_from_any_number() -> None:
    counts = [2 * 10**9, 0, 10**9]
    found = list(draw(counts, 3000, np.random.default_rng(0)))
    assert [box for box, _ in found] == [0, 2]
    assert [len(places) for _, places in found] == pytest.approx([2000, 1000], abs=120)
    for box, places in found:
        assert 0 <= places.min() and places.max() < counts[box]
        assert (np.diff(places) > 0).all()
        assert places.mean() == pytest.approx(counts[box] / 2, rel=0.1)
    assert list(draw([], 0, np.random.default_rng(0))) == []
    whole = [(box, places.tolist()) for box, places in draw([1, 0, 2], 3, np.random.default_rng(0))]
    assert whole == [(0, [0]), (2, [0, 1])]


@pytest.mark.slow
def test_what_fits_nowhere_is_refused_everywhere() -> None:
    W = np.random.default_rng(0).normal(size=(1200, 500))
    with pytest.raises(TooLargeError, match="chambers are expected"):
        ar.write_chambers(W, "memory://tests/vast")


@pytest.mark.slow
def test_bounds_beyond_floats_are_cut_into_parts() -> None:
    source = ChamberSource(ar.Arrangement(np.random.default_rng(0).normal(size=(1100, 3))))
    flag = source.flag(0)
    assert flag is not None
    flag.d = 600  # weights of a sweep of that rank
    weights = flag.most_below(0)
    assert np.isfinite(np.cumsum(weights)).all() and weights.max() == 2.0**1000


def test_a_worker_makes_no_part_of_a_run_that_was_replaced(tmp_path: Path) -> None:
    from arrangements.runs.making import make_part

    run = ar.write_chambers([[1, 0], [0, 1]], tmp_path)
    (part,) = run.record.parts
    assert make_part(run.path, run.record.digest, (0,), tuple(part)).rows == run.rows
    with pytest.raises(InputError, match="replaced, or the workers"):
        make_part(run.path, "0" * 64, (0,), tuple(part))


def test_an_empty_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, 0))
    with pytest.raises(TooLargeError, match="but 0 are allowed"):
        ar.write_chambers([[1, 0], [0, 1]], tmp_path / "run")


class Bar:
    """Notes what a progress bar is told."""

    made: list["Bar"] = []

    def __init__(self, total: float, noun: str, done: int = 0) -> None:
        self.total, self.done, self.added = total, done, []
        Bar.made.append(self)

    def add(self, amount: float) -> None:
        self.added.append(amount)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *what: object) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize("on_dask", [False, True])
def test_the_bar_moves_with_each_part(
    on_dask: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arrangements.execution.progress.ProgressBar", Bar)
    monkeypatch.setattr(Bar, "made", [])
    W = RNG.normal(size=(14, 4))
    client = None
    if on_dask:
        distributed = pytest.importorskip("distributed")
        client = distributed.Client(processes=False, n_workers=2, dashboard_address=":0")
    try:
        options = {"rows_per_part": 40, "client": client, "progress": True}
        run = ar.write_chambers(W, tmp_path, **options)
        parts = [path.name for path in tmp_path.glob("part-*")]
        for name in parts[::3]:
            (tmp_path / name).unlink()
        there = len(ar.open_run(tmp_path))
        ar.write_chambers(W, tmp_path, **options)
    finally:
        if client is not None:
            client.close()
    first, second = Bar.made
    assert len(first.added) == len(parts) and sum(first.added) == first.total == len(run)
    assert second.done == there and len(second.added) == len(parts[::3])
    assert second.done + sum(second.added) == second.total == len(run)


def sizes_swept(source: Any, flag: Any, parts: list[Part]) -> list[int]:
    """Rows of each part."""
    sweep, found = source.sweep(flag), []
    width, dtype = source.width, source.dtype
    out = np.empty((10**4 + source.line_rows, width), dtype)
    for part in parts:
        sweep.restart(part)
        rows, finished = 0, False
        while not finished:
            finished, _, count = sweep.advance(out, 0, True)
            rows += count
        found.append(rows)
    return found


@pytest.mark.parametrize(
    "source",
    [
        ChamberSource(ar.Arrangement(RNG.normal(size=(18, 5)))),
        ChamberSource(ar.Arrangement(RNG.normal(size=(14, 4)), RNG.normal(size=14))),
        ChamberSource(ar.Arrangement([*np.eye(4, 3), [1, 2, 3], [1, 1, 5]], [3, 1, 1, 2, 7, 1])),
        ChamberSource(ar.Arrangement([[1, 2], [3, 4], [1, 1]])),
        RankingSource(ar.ScoreModel(RNG.normal(size=(9, 4)))),
        RankingSource(ar.ScoreModel(RNG.normal(size=(7, 3)), RNG.normal(size=7))),
    ],
)
@pytest.mark.parametrize("rows", [7, 60, 10**6])
def test_sizes_of_parts_in_general_position_are_known(source: Any, rows: int) -> None:
    flag, bound = source.flag(0), source.question.bound()
    parts = partition(source, flag, bound, rows)
    most = most_rows(source, flag, parts)
    assert most.sum() == bound
    if flag is not None:
        assert most.tolist() == sizes_swept(source, flag, parts)


@pytest.mark.slow
def test_a_plan_of_a_large_generic_run_keeps_the_workers_busy() -> None:
    found = plan_run(ar.generators.generic(100, 9, 1), workers=64)
    assert found.parts > 10**5 and found.efficiency > 0.99 and found.largest < 1e-4
    assert found.expected == 2 * sum(comb(99, k) for k in range(9))
    assert "closed form" in found.assumed and found.hours > 0 and found.bytes > found.expected
    alone = plan_run(ar.generators.generic(30, 5, 1), rankings=True, workers=1)
    assert alone.efficiency == pytest.approx(1)


def test_a_plan_of_too_many_parts_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    W = ar.generators.generic(30, 6, 0)
    every = plan_run(W, workers=3, rows_per_part=20)
    monkeypatch.setattr("arrangements.runs.planning._MOST_PARTS", 100)
    few = plan_run(W, workers=3, rows_per_part=20)
    assert few.parts == pytest.approx(every.parts, rel=0.3) and every.parts > 6000
    assert few.efficiency == pytest.approx(every.efficiency, abs=0.05)


def test_a_plan_of_a_degenerate_run_comes_from_beginnings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrangements.runs.planning._PROBES", 10**6)
    for W, rows in ((ar.generators.threshold(5), 3000), (ar.generators.resonance(5), 300)):
        source = ChamberSource(W)
        flag, expected = source.flag(0), source.question.expected(0)
        assert expected is not None
        sizes = sizes_swept(source, flag, partition(source, flag, expected, rows))
        found = plan_run(W, workers=4, rows_per_part=rows)
        assert "beginnings" in found.assumed and 0.5 < found.efficiency <= 1
        assert found.largest == pytest.approx(max(sizes) / sum(sizes), rel=0.5)
        assert found.parts >= len(sizes)
    tied = plan_run(TIED, rankings=True, workers=2, rows_per_part=100)
    assert "beginnings" in tied.assumed and 0.5 < tied.efficiency <= 1 and tied.parts > 20
    assert tied.expected == pytest.approx(5376, rel=0.3)
    again = plan_run(W, workers=4, rows_per_part=rows)
    assert (again.parts, again.efficiency) == (found.parts, found.efficiency)


@pytest.mark.parametrize("workers", [1, 3, 7])
def test_the_simulated_schedule(workers: int) -> None:
    sizes = RNG.integers(1, 50, 200).tolist()
    free = [0] * workers
    for size in sizes:
        free[free.index(min(free))] += size
    assert simulate(sizes, 100, workers) == max(free)
    assert simulate([250, 1, 1], 100, 2) == 250
    assert simulate([], 5, 2) == 0


DEGENERATE = {
    "braid": ar.generators.braid(8),
    "resonance": ar.generators.resonance(5),
    "threshold": ar.generators.threshold(5),
    "a pencil": ar.Arrangement(
        [*([1, k, 0, 0, 0] for k in range(60)), *RNG.integers(-9, 10, (9, 5))]
    ),
    "parallel classes": ar.Arrangement(np.repeat(np.eye(3), 40, axis=0), 3 * [*range(40)]),
    "a large parallel class": ar.Arrangement(
        np.concatenate([np.tile([[1, 0, 0, 0]], (150, 1)), RNG.integers(-9, 10, (10, 4))]),
        np.arange(160) ** 2,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEGENERATE)
def test_no_part_of_a_degenerate_run_is_long(name: str, tmp_path: Path) -> None:
    """At most a hundredth of the rows, and those of a line that was begun."""
    W = DEGENERATE[name]
    source = ChamberSource(W)
    rows = ar.count_chambers(W) // source.question.sides
    run = ar.write_chambers(W, tmp_path, rows_per_part=rows // 100)
    assert run.rows == rows
    longest = max(read_part(folder_at(tmp_path), p.name)[0].rows for p in tmp_path.glob("part-*"))
    assert longest <= rows // 100 + source.line_rows


def test_plans_need_no_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from arrangements.runs.planning import plan_run

    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = plan_run(MATRICES["generic"][0], workers=2, rows_per_part=30)
    assert found.parts > 1 and "not compressed" in str(found)
