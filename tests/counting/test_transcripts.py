"""Records of long counts, and checks that do their tasks again."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import betti_numbers, generators
from arrangements.algebra import check_count, whitney_numbers
from arrangements.counting import stored_restrictions
from arrangements.counting.records import check_numbers, pencil_sizes
from arrangements.counting.restriction_files import pack, read_states
from arrangements.counting.restriction_tasks import fingerprint, sum_of
from arrangements.counting.states import choose_states
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.residues import primes
from arrangements.files.folder import folder_at

RESONANCE = generators.resonance(6)


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_restrictions, "_TASK", 2e4)
    monkeypatch.setattr(stored_restrictions, "_SHARE", 1e5)


def count(folder: Path, A: Any = RESONANCE, **options: Any) -> tuple[int, ...]:
    return betti_numbers(A, checkpoint=folder, transcript=True, **options)


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("seed", [0, 5])
def test_a_count_and_its_check(seed: int, tmp_path: Path) -> None:
    betti = count(tmp_path, primes=seed)
    assert betti == (1, 63, 1652, 22435, 159460, 510524, 371909)
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["betti_numbers"] == list(betti) and record["chambers"] == sum(betti) == 1066044
    assert record["input"]["hyperplanes"] == 63 and record["input"]["rank"] == 6
    assert record["primes"] == seed and all(p > 2**30 for p in record["primes_of_rows"])
    assert (record["primes_of_rows"] == list(primes(1))) == (seed == 0)
    assert [level["codimension"] for level in record["levels"]] == [0, 1, 2]
    assert [level["states"] for level in record["levels"]][:2] == [1, 3]
    assert len(record["checks"]) == 4
    report = check_count(tmp_path, sample=1, workers=2)
    assert report and report.redone == report.tasks > 3 and report.levels == 3
    assert "All levels have the weights" in str(report)
    few = check_count(tmp_path, rng=0)
    assert few and few.redone == 3
    # the same call finds all done
    assert count(tmp_path, primes=seed) == betti
    with pytest.raises(InputError, match=f"primes={seed} and a transcript"):
        betti_numbers(RESONANCE, checkpoint=tmp_path, primes=seed)
    with pytest.raises(InputError, match=f"primes={seed} and a transcript"):
        count(tmp_path, primes=seed + 1)


def test_without_a_transcript(tmp_path: Path) -> None:
    shi = generators.shi(4)
    assert betti_numbers(shi, checkpoint=tmp_path) == betti_numbers(shi) == (1, 12, 48, 64)
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["chambers"] == 125 and record["input"] | {"sha256": 0} == {
        "sha256": 0,
        "hyperplanes": 12,
        "rank": 3,
    }
    report = check_count(tmp_path)
    assert report and report.redone == 0 and "no transcript" in str(report)
    with pytest.raises(InputError, match="transcript is given without checkpoint"):
        betti_numbers(shi, transcript=True)


def test_of_flats(tmp_path: Path) -> None:
    numbers = whitney_numbers(RESONANCE, kind=2, checkpoint=tmp_path)
    record = json.loads((tmp_path / "record.json").read_text())
    assert record["whitney_numbers"] == list(numbers) and "chambers" not in record
    assert check_count(tmp_path)


def test_of_a_field(tmp_path: Path) -> None:
    A = generators.coxeter("H4")
    assert count(tmp_path, A) == (1, 60, 1138, 7140, 6061)
    assert "not checked" in str(check_count(tmp_path, sample=1))


@pytest.mark.sampled(1)
@pytest.mark.usefixtures("small_tasks")
@pytest.mark.parametrize("kind", ["weight", "row", "lost", "sums", "report", "record", "root"])
def test_what_is_wrong(kind: str, tmp_path: Path) -> None:
    count(tmp_path)
    folder = folder_at(tmp_path)
    if kind in ("weight", "row", "lost", "root"):
        name = "level-06.part-000.npz" if kind == "root" else "level-05.part-000.npz"
        if kind != "root":  # a share that has states
            names = [f"level-05.part-{part:03}.npz" for part in range(20)]
            name = next(one for one in names if read_states(folder, one).used[0])
        states = read_states(folder, name)
        if kind == "weight":
            states.weight[0, 0, 0] += np.uint64(1)
        elif kind == "lost":
            states = choose_states(states, np.arange(1, int(states.used[0])))
        else:
            states.rows[3, 0] += np.uint32(1)
        folder.write(name, pack(states=states))
    elif kind == "sums":
        change(tmp_path / "restrictions.json", "sums", lambda sums: [*sums[:-1], [7]])
    elif kind == "report":
        path = min(tmp_path.glob("level-05.part-*.json"))
        report = json.loads(path.read_text())
        report[4][-1][0] += 1
        path.write_text(json.dumps(report))
    else:
        change(tmp_path / "record.json", "whitney_numbers", lambda numbers: [*numbers[:-1], 1])
    report = check_count(tmp_path, sample=1)
    assert not report and "wrong: " in str(report)


def change(path: Path, key: str, how: Any) -> None:
    found = json.loads(path.read_text())
    found[key] = how(found[key])
    path.write_text(json.dumps(found))


def test_states_that_were_exchanged_for_others(tmp_path: Path) -> None:
    """A level whose weights are right and whose rows are those of another arrangement."""
    other = tmp_path / "other"
    count(tmp_path / "one", generators.generic(9, 5, rng=0))
    count(other, generators.generic(9, 5, rng=1))
    name = "level-04.part-000.npz"
    (tmp_path / "one" / name).write_bytes((other / name).read_bytes())
    report = check_count(tmp_path / "one", sample=1)
    assert not report and "lacks a state" in str(report)


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="holds no count"):
        check_count(tmp_path)
    for sample in (0, 1.5, "1%", True, float("nan")):
        with pytest.raises(InputError, match="sample is"):
            check_count(tmp_path, sample=sample)  # type: ignore[arg-type]
    found = stored_restrictions.StoredRestrictions(
        RESONANCE.normals.tolist(), False, 10**9, tmp_path / "half"
    )
    portions = found.portions()
    next(portions)
    portions.close()
    with pytest.raises(InputError, match="is damaged: its sums"):
        change(tmp_path / "half" / "restrictions.json", "sums", lambda sums: [*sums[:-1], [7, 7]])
        check_count(tmp_path / "half")
    change(tmp_path / "half" / "restrictions.json", "sums", lambda sums: [*sums[:-1], [7]])
    with pytest.raises(InputError, match="not complete: it is at rank 6"):
        check_count(tmp_path / "half")
    monkeypatch.setattr(stored_restrictions, "_SPARE", 2**70)
    with pytest.raises(TooLargeError, match="GiB more for the restrictions of rank 6"):
        count(tmp_path / "full")
    monkeypatch.undo()
    assert sum(count(tmp_path / "full")) == 1066044  # it goes on


def test_theorems_are_compared() -> None:
    rows = [list(map(int, row)) for row in RESONANCE.normals.tolist()]
    good = [1, 63, 1652, 22435, 159460, 510524, 371909]
    assert check_numbers(rows, good, False)[1] == []
    for k, number in ((1, 64), (2, 1653), (3, 10**9), (3, 1), (6, 0)):
        wrong = [*good[:k], number, *good[k + 1 :]]
        assert check_numbers(rows, wrong, False)[1] != []


@pytest.mark.parametrize("seed", range(5))
def test_pencils(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(-2, 3, (12, 3)), axis=0)
    kept: list[list[int]] = []
    for row in rows.tolist():
        if any(row) and all(np.linalg.matrix_rank([row, one]) == 2 for one in kept):
            kept.append(row)
    flats = set()
    for i, j in combinations(range(len(kept)), 2):
        flat = [
            m for m in range(len(kept)) if np.linalg.matrix_rank([kept[i], kept[j], kept[m]]) == 2
        ]
        flats.add(tuple(flat))
    sizes = pencil_sizes(kept)
    assert sizes is not None
    assert {m: n for m, n in sizes.items()} == {
        m: sum(len(flat) == m for flat in flats) for m in {len(flat) for flat in flats}
    }
    assert pencil_sizes([[2**31, 1], [0, 1]]) is None


def test_fingerprints_do_not_see_order(tmp_path: Path) -> None:
    count(tmp_path)
    states = read_states(folder_at(tmp_path), "level-05.part-000.npz")
    moduli = np.array(primes(states.weight.shape[2]), np.uint64)
    whole = fingerprint(states, moduli)
    backwards = choose_states(states, np.arange(int(states.used[0]))[::-1])
    assert fingerprint(backwards, moduli) == whole
    halves = [choose_states(states, np.array([k])) for k in range(int(states.used[0]))]
    assert sum_of((fingerprint(half, moduli) for half in halves), moduli) == whole
