"""The commands ``polynomial``, ``f-vector``, ``flats`` and ``structure``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, characteristic_polynomial, errors, f_vector, flats, generators
from arrangements.algebra import exponents, whitney_numbers

BRAID = {"hyperplanes": 6, "dimension": 4, "central": True}
LINES = b"1 0 0\n0 1 0\n1 1 -1\n"


def test_polynomial(run: Any, tmp_path: Path) -> None:
    assert run("polynomial", "braid(4)") == (0, "t**4 - 6*t**3 + 11*t**2 - 6*t\n", "")
    found = json.loads(run("polynomial", "braid(4)", "--json", "--checkpoint", "kept")[1])
    assert found == BRAID | {
        "polynomial": "t**4 - 6*t**3 + 11*t**2 - 6*t",
        "coefficients": [0, -6, 11, -6, 1],
        "betti": [1, 6, 11, 6],
        "chambers": 24,
        "bounded": 0,
    }
    assert (tmp_path / "kept").is_dir()
    options = ["--offsets", "last-column", "--workers", "2"]
    assert run("polynomial", "-", *options, stdin=LINES)[1] == "t**2 - 3*t + 3\n"
    assert run("polynomial", "generic(60, 9, rng=0)", "--max-hours", "1e-9")[0] == 2


def test_f_vector(run: Any) -> None:
    expected = f_vector(generators.coxeter("D4"))
    out = run("f-vector", "coxeter('D4')")[1].splitlines()
    assert out[0].split() == ["dimension", "faces"]
    assert [int(line.split()[1]) for line in out[1:]] == list(expected)
    found = json.loads(run("f-vector", "-", "--offsets", "last-column", "--json", stdin=LINES)[1])
    assert found["f_vector"] == [3, 9, 7]


def test_flats(run: Any, tmp_path: Path) -> None:
    assert run("flats", "braid(3)") == (0, "0:\n1: 0\n1: 1\n1: 2\n2: 0 1 2\n", "")
    (tmp_path / "names.txt").write_text("a\nb\nc, d\n")
    named = run("flats", "braid(3)", "--labels", "names.txt")[1]
    assert named.splitlines()[-2:] == ['1: "c, d"', '2: a, b, "c, d"']
    found = json.loads(run("flats", "braid(4)", "--max-rank", "2", "--json")[1])
    expected = flats(generators.braid(4), max_rank=2)
    assert [tuple(flat["hyperplanes"]) for flat in found["flats"]] == list(expected)
    assert [flat["rank"] for flat in found["flats"]] == expected.ranks.tolist()
    assert (
        found["count"] == len(expected)
        and found["complete"] is False
        and found["flats"][0]
        == {
            "rank": 0,
            "dimension": 4,
            "hyperplanes": [],
        }
    )
    counts = json.loads(run("flats", "braid(6)", "--count", "--json")[1])
    assert counts["counts"] == list(whitney_numbers(generators.braid(6), kind=2))
    assert counts["count"] == 203
    assert (
        run("flats", "braid(3)", "--count")[1]
        == "rank  flats\n   0      1\n   1      3\n   2      1\n"
    )
    assert "--max-rank" in run("flats", "braid(3)", "--count", "--max-rank", "1")[2]
    assert "--workers" in run("flats", "braid(3)", "--workers", "2")[2]


def test_many_flats_come_in_blocks(run: Any) -> None:
    found = json.loads(run("flats", "boolean(13)", "--json")[1])
    assert (
        found["count"] == len(found["flats"]) == len(run("flats", "boolean(13)")[1].split("\n")) - 1
    )
    assert found["count"] == 2**13


FAMILIES = (
    "braid(4)",
    "catalan(3)",
    "coxeter('B3')",
    "generic(7, 3, 0)",
    "boolean(3)",
    "cyclic(6, 3)",
    "linial(2)",
)


@pytest.mark.parametrize("family", FAMILIES)
def test_structure(run: Any, family: str) -> None:
    A = eval(family, vars(generators) | {n: getattr(generators, n) for n in generators.__all__})
    found = json.loads(run("structure", family, "--json")[1])
    polynomial = characteristic_polynomial(A)
    roots = exponents(A)
    assert found == {
        "hyperplanes": A.n_hyperplanes,
        "dimension": A.dimension,
        "central": A.is_central,
        "distinct": A.n_hyperplanes,
        "rank": A.rank,
        "generic": A.is_generic,
        "polynomial": str(polynomial.as_expr()),
        "coefficients": [int(c) for c in polynomial.all_coeffs()[::-1]],
        "betti": [abs(w) for w in whitney_numbers(A)],
        "chambers": A.count_chambers(),
        "bounded": A.count_bounded(),
        "exponents": None if roots is None else list(roots),
        "flats": list(whitney_numbers(A, kind=2)),
        "f_vector": list(f_vector(A)),
    }
    text = run("structure", family)[1]
    assert f"chambers            {found['chambers']}\n" in text
    assert ("exponents" in text) == (roots is not None)


def test_structure_leaves_out_what_is_too_large(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise errors.TooLargeError("about 6.8e8 chambers are expected.")

    import arrangements

    monkeypatch.setattr(arrangements, "f_vector", refuse)
    status, out, err = run("structure", "braid(3)", "--json")
    assert status == 0 and json.loads(out)["f_vector"] is None
    assert err == (
        "arrangements: warning: f_vector is left out: about 6.8e8 chambers are expected.\n"
    )


@pytest.mark.parametrize(
    ("rows", "offsets"),
    [
        ([[1, 0], [0, 1], [1, 1]], [0, 0, 1]),
        ([[1, 0], [0, 1], [1, 1]], [0, 1, 1]),  # through one point
        ([[1, 0], [2, 0], [1, 1]], [0, 1, 1]),  # parallel
        ([[1, 0], [2, 0]], [0, 1]),
        ([[1, 1, 1], [1, 2, 4], [1, 3, 9], [0, 1, 1]], None),
        ([[1, 1, 1], [1, 2, 4], [1, 3, 9], [2, 3, 5]], None),
    ],
)
def test_structure_tells_general_position_from_flats(
    run: Any, tmp_path: Path, rows: Any, offsets: Any
) -> None:
    A = Arrangement(rows, offsets)
    whole = np.column_stack([A.normals, np.zeros(len(rows)) if offsets is None else offsets])
    np.savetxt(tmp_path / "rows.txt", whole)
    out = run("structure", str(tmp_path / "rows.txt"), "--offsets", "last-column", "--json")[1]
    assert json.loads(out)["generic"] is A.is_generic


@pytest.mark.parametrize(("rank", "complete"), [("1", False), ("2", False), ("3", True)])
def test_flats_of_some_ranks_are_not_all(run: Any, rank: str, complete: bool) -> None:
    status, out, _ = run("flats", "braid(4)", "--max-rank", rank, "--json")
    assert status == 0 and json.loads(out)["complete"] is complete


def test_long_counts(run: Any, tmp_path: Path) -> None:
    command = ("count", "resonance(5)", "--checkpoint", "levels", "--transcript", "--primes", "2")
    status, out, _ = run(*command)
    assert status == 0 and out == "11292\nBetti numbers: 1 31 375 2130 5270 3485\n"
    assert json.loads((tmp_path / "levels" / "record.json").read_text())["primes"] == 2
    status, out, _ = run("check", "levels", "--sample", "50%", "--json")
    assert status == 0 and json.loads(out)["problems"] == [] and json.loads(out)["redone"] == 2
    (tmp_path / "levels" / "record.json").write_text('{"whitney_numbers": [1]}')
    status, out, _ = run("check", "levels")
    assert status == 1 and "wrong: record.json has other numbers" in out
    for wrong in (
        ("count", "resonance(5)", "--transcript"),
        ("count", "resonance(5)", "--checkpoint", "a", "--box", "0", "1"),
        ("check", "levels", "--sample", "0%"),
        ("check", "levels", "--sample", "some"),
        ("check", "levels", "--repair"),
    ):
        assert run(*wrong)[0] == 2
