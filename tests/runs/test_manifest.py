"""Any changed bit of a complete run is found, and a repair ends with the bytes as they were."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrangements as ar
from arrangements.errors import InputError
from arrangements.files.folder import folder_at

pa = pytest.importorskip("pyarrow")
xxhash = pytest.importorskip("xxhash")

W = np.random.default_rng(0).normal(size=(8, 3))
BYTES = "Every file has the bytes with which the run was completed."


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an undisturbed run."""
    folder = tmp_path_factory.mktemp("whole")
    ar.write_chambers(W, folder, rows_per_part=10)
    return contents(folder)


@pytest.fixture
def run(whole: dict[str, bytes], tmp_path: Path) -> Path:
    """A folder with those files."""
    for name, content in whole.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def is_found(run: Path) -> bool:
    try:
        return not ar.check_run(run, points=0)
    except InputError as error:
        assert "check_run(path, repair=True)" in str(error)
        return True


def test_the_manifest_has_the_digest_of_every_file(whole: dict[str, bytes], run: Path) -> None:
    digests = json.loads(whole["complete.json"])["files"]
    assert digests == {
        name: xxhash.xxh3_128_hexdigest(content)
        for name, content in whole.items()
        if name != "complete.json"
    }
    assert sum("part-" in name for name in digests) > 2
    report = ar.check_run(run)
    assert report and BYTES in report.proofs and not report.unproved and not report.notes


def test_a_flipped_bit_of_any_file_is_found_and_repaired(
    whole: dict[str, bytes], run: Path
) -> None:
    rng = np.random.default_rng(1)
    for name, content in whole.items():
        places = rng.choice(8 * len(content), 6, replace=False).tolist()
        for place in places:
            flip(run / name, place)
            assert is_found(run), (name, place)
            if place in places[:2]:
                assert ar.check_run(run, points=0, repair=True)
                assert contents(run) == whole, (name, place)
            (run / name).write_bytes(content)


def test_a_type_that_was_changed_is_found(run: Path) -> None:
    """Rows, and the checksums of Parquet, are as they were."""
    import pyarrow.parquet as pq

    part = next(run.glob("part-*"))
    good = part.read_bytes()
    after = good.index(b"word0") + 5  # the types stand behind the name
    for place in range(8 * after, 8 * (after + 10)):
        flip(part, place)
        try:
            table = pq.read_table(part)
            if str(table.schema.field("word0").type) == "int64":
                assert is_found(run)
                return
        except (pa.ArrowException, OSError, ValueError, KeyError):
            pass
        part.write_bytes(good)
    pytest.fail("no bit changes the type")


@pytest.mark.parametrize("other", ["part", "run.json", "input.npz", "complete.json"])
def test_two_kinds_of_damage_are_repaired_together(
    other: str, whole: dict[str, bytes], run: Path
) -> None:
    first, second, *_ = sorted(run.glob("part-*"))
    first.unlink()
    damaged = second if other == "part" else run / other
    flip(damaged, 8 * len(damaged.read_bytes()) - 300)
    assert is_found(run)
    assert ar.check_run(run, repair=True) and contents(run) == whole


def test_what_changed_before_the_run_was_complete_is_found(
    whole: dict[str, bytes], run: Path
) -> None:
    """Each part of an interrupted run vouches for its own bytes."""
    first, second, *_ = sorted(run.glob("part-*"))
    (run / "complete.json").unlink()
    first.unlink()
    report = ar.check_run(run)
    assert report.problems == [f"{first.name} is missing."]
    assert "complete.json, which has those of the other files, is written when" in str(report)
    created = second.read_bytes().rindex(b"parquet-cpp")  # the name of the writer
    flip(second, 8 * created)
    assert f"{second.name} does not have the bytes that were written." in ar.check_run(run).problems
    with pytest.raises(InputError, match=r"bytes that were written\. .*repair=True"):
        ar.write_chambers(W, run)
    assert ar.check_run(run, repair=True) and contents(run) == whole


@pytest.mark.parametrize("name", ["run.json", "part"])
def test_a_run_that_was_complete_does_not_go_on_with_other_files(name: str, run: Path) -> None:
    first, second, *_ = sorted(run.glob("part-*"))
    first.unlink()
    if name == "part":
        write_again(second)
    else:
        edit_version(run, "9")
    with pytest.raises(InputError, match=r"with which the run was completed\. .*repair=True"):
        ar.write_chambers(W, run)


def edit_version(run: Path, version: str) -> None:
    text = (run / "run.json").read_text()
    assert f'"{ar.__version__}"' in text
    (run / "run.json").write_text(text.replace(f'"{ar.__version__}"', json.dumps(version)))


def test_a_version_that_was_edited_is_named(whole: dict[str, bytes], run: Path) -> None:
    edit_version(run, "9")
    (problem,) = ar.check_run(run).problems
    assert problem.startswith("run.json does not have the bytes with which the run was completed.")
    assert problem.endswith(f"Its version is '9', and was '{ar.__version__}'.")
    assert ar.check_run(run, repair=True) and contents(run) == whole


def write_again(part: Path) -> None:
    """Write a part with its rows and its seal as other bytes."""
    import pyarrow.parquet as pq

    table = pq.read_table(part)
    footer = json.loads(table.schema.metadata[b"arrangements"]) | {"seal": 32 * "0"}
    pq.write_table(table.replace_schema_metadata({"arrangements": json.dumps(footer)}), part)
    content = part.read_bytes()
    start = content.rindex(b'"seal": "') + len(b'"seal": "')
    digest = xxhash.xxh3_128_hexdigest(content).encode()
    part.write_bytes(content[:start] + digest + content[start + 32 :])


def test_files_of_others_are_named_and_stay(whole: dict[str, bytes], run: Path) -> None:
    """Only what other programs would read as a part, and what this package wrote, is removed."""
    names = ["notes.txt", ".mine.0123456789abcdef", "part-000000.parquet.bak"]
    removed = [".part-000001.parquet.0123456789abcdef", ".run.json.0123456789abcdef"]
    removed += ["part-000002 (copy).parquet"]
    for name in names + removed:
        (run / name).write_text("mine")
    report = ar.check_run(run)
    for name in removed:
        assert any(problem.startswith(f"{name} is ") for problem in report.problems)
    assert len(report.problems) == len(removed)
    assert "notes.txt does not belong to the run." in report.notes
    report = ar.check_run(run, repair=True)
    assert report and "notes.txt does not belong to the run." in str(report)
    assert contents(run) == whole | dict.fromkeys(names, b"mine")


def test_a_temporary_file_alone_is_reason_for_a_repair(whole: dict[str, bytes], run: Path) -> None:
    (run / ".part-000001.parquet.0123456789abcdef").write_bytes(b"PAR1")
    (problem,) = ar.check_run(run).problems
    assert "is unfinished: a process was killed" in problem
    assert ar.check_run(run, repair=True) and contents(run) == whole


def test_the_manifest_of_another_run_is_not_believed(whole: dict[str, bytes], run: Path) -> None:
    ar.write_chambers(W + 1, run / "other", rows_per_part=10)
    shutil.copy(run / "other" / "complete.json", run)
    shutil.rmtree(run / "other")
    assert "complete.json belongs to another run." in ar.check_run(run).problems
    assert ar.check_run(run, repair=True) and contents(run) == whole


def test_pieces_of_a_damaged_part_are_not_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arrangements.runs import writing
    from arrangements.search.parts import WHOLE

    monkeypatch.setattr(writing, "partition", lambda *given: [WHOLE])
    ar.write_chambers(W, tmp_path, rows_per_part=8)
    before = contents(tmp_path)
    (first,) = tmp_path.glob("part-000000-split-*")
    piece = min(tmp_path.glob("part-000000.*"))
    flip(first, 100)
    flip(piece, 100)
    assert len(ar.check_run(tmp_path).problems) == 2
    assert ar.check_run(tmp_path, repair=True) and contents(tmp_path) == before


def test_each_part_is_read_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = type(folder_at(run))
    read, names = kind.read, []

    def noted(self: Any, name: str) -> bytes:
        names.append(name)
        return read(self, name)

    monkeypatch.setattr(kind, "read", noted)
    assert ar.check_run(run, points=0)
    parts = [name for name in names if name.startswith("part-")]
    assert len(parts) == len(set(parts)) > 2
    names.clear()
    assert len(ar.open_run(run)) > 0
    assert not [name for name in names if name.startswith("part-")]


def test_a_run_in_a_store() -> None:
    """The same files, with and without threads; damage is found and repaired."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")

    def stored(name: str) -> dict[str, bytes]:
        paths = system.ls(f"/tests/{name}", detail=False)
        return {path.rsplit("/", 1)[1]: system.cat_file(path) for path in paths}

    for name, workers in (("one", 1), ("two", 3)):
        ar.write_chambers(W, f"memory://tests/{name}", rows_per_part=10, workers=workers)
    assert stored("one") == stored("two")
    for name, content in stored("one").items():
        damaged = bytearray(content)
        damaged[len(content) // 2] ^= 4
        system.pipe_file(f"/tests/two/{name}", bytes(damaged))
        system.pipe_file("/tests/two/.part-000000.parquet.0123456789abcdef", b"PAR1")
        assert ar.check_run("memory://tests/two", repair=True)
        assert stored("one") == stored("two")


@pytest.mark.parametrize(
    "content", [{"files": 7}, {"files": {}, "copies": {}}, {"files": {"run.json": 7}}]
)
def test_a_sealed_manifest_of_nonsense_is_damaged(
    content: dict[str, Any], whole: dict[str, bytes], run: Path
) -> None:
    plain = json.loads(whole["complete.json"])
    text = json.dumps({"digest": plain["digest"], **content, "seal": 32 * "0"})
    sealed = text.replace(32 * "0", xxhash.xxh3_128_hexdigest(text.encode()))
    (run / "complete.json").write_text(sealed)
    assert "complete.json does not have the bytes" in ar.check_run(run).problems[0]
    assert ar.check_run(run, repair=True) and contents(run) == whole
