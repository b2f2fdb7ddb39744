"""What commands read: families by name, columns as rows, offsets in the file of W."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import cli, count_chambers, generators
from arrangements.cli.families import FAMILIES, is_family, parse_family

COLUMNS = b"1 0 1 1\n0 1 1 -1\n0 0 -1 2\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resonance(4)", generators.resonance(4)),
        (' coxeter( "D4" ) ', generators.coxeter("D4")),
        ("coxeter('B', n=3)", generators.coxeter("B", 3)),
        ("generic(9, 3, rng=0)", generators.generic(9, 3, 0)),
        ("generic(9, 3, 0, kind='integer')", generators.generic(9, 3, 0, kind="integer")),
        ("catalan(3)", generators.catalan(3)),
        ("deformation(3, [-1, 0, 1])", generators.deformation(3, [-1, 0, 1])),
        ("graphical([(0, 1), (1, 2)])", generators.graphical([(0, 1), (1, 2)])),
        ("discriminantal(cyclic(5, 2))", generators.discriminantal(generators.cyclic(5, 2))),
    ],
)
def test_families(run: Any, text: str, expected: Any) -> None:
    assert is_family(text) and parse_family(text) == expected
    assert run("count", text) == (0, f"{count_chambers(expected)}\n", "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("resonanz(4)", "no family 'resonanz'; did you mean resonance?"),
        ("resonance()", "missing a required argument: 'k'; expected resonance(k)"),
        ("resonance(4, 5)", "too many positional arguments"),
        ("resonance(4, n=5)", "unexpected keyword argument 'n'"),
        ("resonance(0)", "k is 0; expected a positive integer"),
        ("resonance(2 ** 9)", "'2 ** 9' in resonance is no number, text or list"),
        ("resonance(x)", "'x' in resonance"),
        ("resonance(*[4])", "'*[4]' in resonance"),
        ("resonance(**{})", "** cannot be used in resonance"),
        ("resonance(__import__('os').getpid())", "no call of a family"),
        ("__import__('os')", "no family '__import__'"),
        ("positive_roots('B3')", "no family 'positive_roots'"),
        ("open('w.txt')", "no family 'open'"),
        ("braid(4) or braid(5)", "is no call of a family"),
        ("braid(4)(5)", "is no call of a family"),
        ("braid(" + 5000 * "(" + "4" + 5000 * ")" + ")", "is no call of a family"),
        ("braid(n=4, n=5)", "braid has an argument twice; expected braid(n)"),
        ("braid", "braid is a family of arrangements; expected braid(n)"),
        ("generic", "expected generic(n, d, rng=None, kind='gaussian')"),
    ],
)
def test_families_are_parsed_and_not_evaluated(run: Any, text: str, message: str) -> None:
    status, out, err = run("count", text)
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


def test_every_family_is_known() -> None:
    assert set(FAMILIES) == set(generators.__all__) - {"positive_roots"}


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (["chambers", "boolean(1)"], "+"),
        (["rankings", "boolean(3)", "--count"], "6"),
        (["summary", "boolean(3)"], "8 chambers"),
        (["feasible", "boolean(2)", "+-"], "feasible"),
        (["places", "boolean(2)"], "label  best  worst"),
        (["depth", "boolean(2)"], "1"),
        (["audit", "boolean(2)"], "labels: 2 in dimension 2, int64, without biases"),
        (["plan", "boolean(3)"], "chambers  8 (listed to the end)"),
        (["compare", "boolean(2)", "boolean(2)", "--of", "sets"], "label sets, all of them listed"),
        (["flats", "catalan(2)"], "0:"),
    ],
)
def test_families_wherever_a_matrix_is_read(run: Any, command: list[str], first: str) -> None:
    status, out, err = run(*command)
    assert (status, err) == (0, "") and first in out.splitlines()


def test_families_with_offsets(run: Any, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("0 0 1\n")
    assert run("count", "braid(3)", "--offsets", "b.txt")[1] == "7\n"
    assert "catalan(3) has offsets" in run("count", "catalan(3)", "--offsets", "b.txt")[2]
    assert "catalan(3) has offsets" in run("audit", "catalan(3)", "--offsets", "b.txt")[2]
    assert "catalan(3) has offsets" in run("depth", "catalan(3)")[2]
    for option in (["--transpose"], ["--key", "W"], ["--offsets", "last-column"]):
        assert "braid(3) is a family" in run("count", "braid(3)", *option)[2]


def test_columns_as_rows(run: Any, tmp_path: Path) -> None:
    W, b = [[1, 0], [0, 1], [1, 1], [1, -1]], [0, 0, -1, 2]
    rows = b"1 0 0\n0 1 0\n1 1 -1\n1 -1 2\n"
    count = f"{count_chambers(W, b)}\n"
    assert run("count", "-", "--transpose", "--offsets", "last-row", stdin=COLUMNS)[1] == count
    assert run("count", "-", "--offsets", "last-column", stdin=rows)[1] == count
    (tmp_path / "first.csv").write_text("0,1,0\n0,0,1\n-1,1,1\n2,1,-1\n")
    assert run("count", "first.csv", "--offsets", "first-column") == (0, count, "")
    np.save(tmp_path / "columns.npy", np.column_stack([b, W]).T)
    first = ["--transpose", "--offsets", "first-row"]
    assert run("count", "columns.npy", *first) == (0, count, "")
    assert run("rankings", "columns.npy", *first, "--argmax")[0] == 0
    audit = run("audit", "columns.npy", "--transpose", "--offsets", "first-row")
    assert audit[1].startswith("labels: 4 in dimension 2, int64, with biases")
    both = ["--transpose", "--transpose-b", "--of", "sets"]
    assert "all of them listed" in run("compare", "columns.npy", "columns.npy", *both)[1]
    summary = run("summary", "run", "--transpose")
    assert summary[0] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--offsets", "last-row"], "with --transpose the offsets of a file are its last or first"),
        (["--transpose", "--offsets", "last-column"], "row, and without it a column"),
        (["--offsets", "last-row", "--offsets-key", "b"], "--offsets-key needs --offsets FILE"),
        (["--offsets", "last"], "last has an unknown extension"),
    ],
)
def test_offsets_that_do_not_fit(run: Any, options: list[str], message: str) -> None:
    status, out, err = run("count", "-", *options, stdin=COLUMNS)
    assert (status, out) == (2, "") and message in err


def test_a_file_of_offsets_only(run: Any) -> None:
    assert (
        "leaves nothing of -" in run("count", "-", "--offsets", "last-column", stdin=b"1\n2\n")[2]
    )


def test_fewer_rows_than_columns(run: Any) -> None:
    status, out, err = run("count", "-", stdin=COLUMNS)
    assert (status, out) == (0, "8\n")
    assert err.startswith("arrangements: warning: 3 hyperplanes in dimension 4: ")
    assert "--transpose" in err and err.count("\n") == 1
    assert run("count", "-", "--transpose", stdin=b"1\n2\n") == (0, "2\n", "")
    assert run("rankings", "-", "--count", stdin=COLUMNS) == (0, "6\n", "")


def test_rounding_of_printed_decimals_is_known(run: Any) -> None:
    rng = np.random.default_rng(0)
    W = rng.standard_normal((8, 2)) @ rng.standard_normal((2, 4))
    rows, columns = ("\n".join(" ".join(f"{x:.5f}" for x in row) for row in M) for M in (W, W.T))
    plain = run("count", "-", stdin=rows.encode())
    assert run("count", "-", "--transpose", stdin=columns.encode()) == plain
    assert "--rank 2" in plain[2]


def test_rows_and_columns_are_said(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    options = ["--transpose", "--offsets", "last-row"]
    line = "arrangements: standard input: 4 columns in dimension 2, with offsets\n"
    assert run("count", "-", *options, "-v", stdin=COLUMNS)[2].startswith(line)
    assert run("count", "-", *options, stdin=COLUMNS)[2] == ""
    monkeypatch.setattr(cli.output, "is_terminal", lambda stream: True)
    assert line in run("chambers", "-", *options, "--limit", "1", stdin=COLUMNS)[2]


def test_json_of_a_family(run: Any) -> None:
    assert json.loads(run("count", "catalan(3)", "--json")[1]) == {
        "hyperplanes": 9,
        "dimension": 3,
        "central": False,
        "count": 30,
    }
