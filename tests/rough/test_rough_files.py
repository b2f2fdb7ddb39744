"""Damaged and odd files and options, read by the library and by the command line.

Numbers that are read are compared with what NumPy or a few lines here make of the same bytes,
counts with the naive oracle, sets with the one that was saved.
"""

import io
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import click
import naive
import numpy as np
import pytest
from damage import damaged
from oracle import judged, report

from arrangements import Rankings, SignVectors, chambers, cli, rankings
from arrangements.cli import application
from arrangements.cli.application import COMMANDS
from arrangements.files.matrices import load_matrix, load_vector

pytestmark = pytest.mark.slow

ROWS = [[1, 0], [0, 1], [1, 1], [2, -1]]
TEXTS = [
    b"1 0\n0 1\n1 1\n2 -1\n",
    b"1,0\n0,1\n1,1\n2,-1\n",
    b"1.5;0\n1/3;1e-3\n1;1\n2;-1\n",
    b'# rows\nfirst,second\n"1","0"\n0,1\n1e400,1,\n',
    b"\xef\xbb\xbf1\t0.1\r\n-3\t4\r\n",
]
DTYPES = ["i8", ">i4", "u1", "f8", "f4", "f2", "g", "c16", "?", "U3", "S3", "M8[D]", "i4,f8", "V4"]


def npy(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, **options)
    return stream.getvalue()


def npz(members: dict[str, Any]) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **members)
    return stream.getvalue()


def binaries() -> list[tuple[str, bytes]]:
    found = [(".npz", npz({"W": np.array(ROWS)})), (".npz", npz({"W": ROWS, "b": [1]}))]
    for dtype in DTYPES:
        array = np.zeros((4, 2), dtype) if "," in dtype or dtype == "V4" else None
        found.append((".npy", npy(np.array(ROWS).astype(dtype) if array is None else array)))
    found.append((".npy", npy(np.asfortranarray(ROWS))))
    found.append((".npy", npy(np.array(ROWS, object), allow_pickle=True)))
    found += [(".npy", npy(np.array(shape))) for shape in (1, [1, 2], [[[1]]], [[]], [])]
    return found


FILES = [*((end, text) for text in TEXTS for end in (".csv", ".txt")), *binaries()]


def read(content: bytes) -> list[list[Any]]:
    """Numbers of a text that the library takes: exact, but for the float64 that a decimal means."""
    lines = [line.partition("#")[0] for line in content.decode("utf-8-sig").split("\n")]
    table = [re.split(r"[ \t]*[,;][ \t]*|[ \t]+", line.strip(" \t\r")) for line in lines]
    table = [[entry.strip(' \t"') for entry in row] for row in table if any(row)]
    if len(table) > 1 and not re.search(
        r"\d", "".join(re.findall(r"^[^\W\d].*", table[0][0]) or "1")
    ):
        table = table[1:]
    if all(len(row) > 1 and not row[-1] for row in table):
        table = [row[:-1] for row in table]
    if len(table) > 1 and not table[0][0] and all(table[0][1:]) and len(table[0]) > 1:
        table = [row[1:] for row in table[1:]]  # the index of pandas
    elif all(len(row) > 1 and re.match(r"[^\W\d]", row[0]) for row in table):
        table = [row[1:] for row in table]  # names of rows
    return [[number(entry) for entry in row] for row in table]


def number(text: str) -> Any:
    if re.fullmatch(r"[+-]?\d+(/\d+)?", text):
        sys.set_int_max_str_digits(0)
        try:
            return Fraction(text)
        finally:
            sys.set_int_max_str_digits(4300)
    near = float(text)
    return Fraction(near) if near and abs(near) != np.inf else Fraction(text)


def shown(content: bytes) -> str:
    return repr(content) if len(content) < 300 else f"{content[:200]!r} .. ({len(content)} bytes)"


class Shell:
    """The command line, run in this process with its streams in memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def run(self, *arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
        with self._patch.context() as patch:
            patch.setattr(sys, "argv", ["arrangements", *arguments])
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            status = cli.main()
        return status, *(s.buffer.getvalue().decode("utf-8", "replace") for s in (out, err))  # type: ignore[return-value, attr-defined]

    def problem(self, *arguments: str, stdin: bytes = b"") -> tuple[str | None, str | None]:
        """What is printed if all is well, and what is wrong: status, streams, files left behind."""
        before = {name: os.stat(name).st_mtime_ns for name in os.listdir()}
        answer, _, problem = judged(lambda: self.run(*arguments, stdin=stdin))
        if problem is not None:
            return None, problem
        status, out, err = answer
        new = set(os.listdir()) - set(before)
        said = [line for line in err.splitlines() if not line.startswith("arrangements: warning: ")]
        if status == 0:
            odd = [name for name in new if name.startswith(".")]
            return out, f"leaves {odd}" if odd else f"says {said[0]}" if said else None
        if status == 1 and arguments[0] == "check" and out and not err:
            return out, None  # a file that is no certificate: that is its verdict
        if status != application.BAD_INPUT:
            return None, f"ends with {status}: {err[-200:]}"
        if len(said) != 1 or not said[0].startswith("arrangements: error: ") or len(err) > 700:
            return None, f"says {len(err.splitlines())} lines, {len(err)} characters: {err[:200]!r}"
        if out or new:
            return None, f"fails and leaves {sorted(new)} and {out[:100]!r}"
        return None, None


@pytest.fixture
def shell(in_empty_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(monkeypatch)


@pytest.mark.parametrize("kind", ["text", "binary"])
def test_matrices(kind: str, shell: Shell, rough: int, rough_seed: int) -> None:
    random, problems = Random(f"{rough_seed} {kind}"), []
    for _ in range(400 * rough):
        end, content = random.choice(FILES[: 2 * len(TEXTS)] if kind == "text" else FILES)
        content = damaged(content, random)
        name = f"w{end}"
        Path(name).write_bytes(content)
        matrix, _, problem = judged(lambda name=name: load_matrix(name))
        if problem is None and matrix is not None:
            problem = misread(matrix, content, end) or miscounted(shell, name, matrix, random)
        elif problem is None:
            out, problem = shell.problem("count", name)
            problem = problem or (f"counts {out}" if out is not None else None)
        _, _, vector = judged(lambda name=name: load_vector(name))
        if problem or vector:
            problems.append(f"{name} with {shown(content)}  # {problem or vector}")
    report(problems)


def misread(matrix: Any, content: bytes, end: str) -> str | None:
    """Whether the numbers are others than those in the file."""
    if end in (".csv", ".txt"):
        try:
            expected = read(content)
        except ValueError as error:
            return f"is read as {matrix.tolist()}, {error}"
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = np.load(io.BytesIO(content))
            (expected,) = (a.tolist() for a in ([held] if end == ".npy" else held.values()))
    found = matrix.tolist()
    return None if found == expected else f"is read as {str(found)[:200]}"


def miscounted(shell: Shell, name: str, matrix: Any, random: Random) -> str | None:
    """Whether the command line does not say how many chambers there are, or list them."""
    out, problem = shell.problem("count", name)
    if problem is not None or out is None:
        return problem
    n, d = matrix.shape
    if matrix.dtype.kind in "iufbO" and n <= 6 and d <= 3 and max(map(size, matrix.flat)) < 10**6:
        known = naive.count(matrix.tolist()) if d else 1
        if int(out) != known:
            return f"counts {out.strip()}; there are {known}"
        target = random.choice(["out.txt", "out.csv", "out.npz"])
        listed, problem = shell.problem("chambers", name, "-o", target)
        if problem is not None or listed is None:
            return problem or "cannot be listed"
        held = len(SignVectors.load(target)) if target == "out.npz" else written(target)
        os.unlink(target)
        return None if held == known else f"{target} holds {held} of {known}"
    return None


def size(entry: Any) -> int:
    """What the naive oracle has to calculate with."""
    exact = naive.fraction(entry)
    return max(abs(exact.numerator), exact.denominator)


def written(name: str) -> int:
    return len(Path(name).read_text().splitlines())


def test_names_and_offsets(shell: Shell, rough: int, rough_seed: int) -> None:
    random, problems = Random(f"{rough_seed} names"), []
    np.save("w.npy", ROWS)
    for _ in range(60 * rough):
        names = damaged(b"cat\ndog\nbird\nlion\n", random)
        Path("names.txt").write_bytes(names)
        format_ = random.choice([[], ["--json"], ["-o", "r.txt"], ["-o", "r.csv"], ["-o", "r.npz"]])
        arguments = ["rankings", "w.npy", "--labels", "names.txt", *format_]
        out, problem = shell.problem(*arguments)
        if problem is None and out is not None:
            problem = wrong_rankings(out, arguments[-1])
        end, offsets = random.choice(FILES)
        Path(f"b{end}").write_bytes(damaged(offsets, random))
        _, also = shell.problem("count", "w.npy", "--offsets", f"b{end}")
        if problem or also:
            problems.append(f"{arguments} with {shown(names)}  # {problem or also}")
    report(problems)


def wrong_rankings(out: str, form: str) -> str | None:
    """Whether there are not as many rankings as without names."""
    known = len(rankings(ROWS))
    if form == "--json":
        found = json.loads(out)["count"]
    elif form.startswith("r."):
        found = len(Rankings.load(form)) if form == "r.npz" else written(form)
        os.unlink(form)
    else:
        found = out.count("\n")
    return None if found == known else f"gives {found} rankings of {known}"


SAVED: list[Callable[[], Any]] = [
    lambda: chambers(ROWS),
    lambda: chambers(ROWS, [0, Fraction(1, 3), 10**30, 1]),
    lambda: chambers(np.random.default_rng(0).standard_normal((5, 3)), rank=2),
    lambda: rankings(ROWS, labels=["cat", "dog", 7, "é"]),
    lambda: rankings([*ROWS, ROWS[0]], [0, 1, 0, 1, 0], ties="drop"),
]
MEMBERS: list[Any] = [
    *(np.array(0), np.array(-1), np.array(2**62), np.array(True), np.array("x"), np.array(2.5)),
    *(np.zeros((0, 2)), np.zeros((4, 2)), np.full((4, 2), np.nan), np.zeros((6, 1), np.uint64)),
    *(np.array([[0, 1, 2, 3]], np.uint8), np.arange(12, dtype=np.uint8).reshape(3, 4)),
    *(
        np.frombuffer(text, np.uint8)
        for text in (b"", b"[]", b"{}", b"null", b"[1,2,3,4]", b"\xff")
    ),
    *(np.frombuffer(text, np.uint8) for text in (b"1/0", b"zz", b"1 2 3", b"f" * 10**5, b"[[")),
    *(np.array([[0, 0]]), np.array([4, 2]), np.array([[1, 2], [3, 4]], "i4,i4")),
]


@pytest.mark.parametrize("number", range(len(SAVED)))
def test_saved_sets(number: int, in_empty_folder: Path, rough: int, rough_seed: int) -> None:
    random, problems = Random(f"{rough_seed} {number}"), []
    original = SAVED[number]()
    original.save("set.npz")
    whole = Path("set.npz").read_bytes()
    members = dict(np.load("set.npz"))
    for case in range(60 * rough):
        if case % 2:
            changed, how = damaged(whole, random), "bytes"
        else:
            key, member = random.choice(sorted(members)), random.choice([None, *MEMBERS])
            kept = {k: v for k, v in members.items() if k != key}
            changed = npz(kept if member is None else kept | {key: member})
            how = f"{key} is {str(member)[:100]!r}"
        Path("set.npz").write_bytes(changed)
        for kind in (SignVectors, Rankings):
            found, _, problem = judged(lambda kind=kind: kind.load("set.npz"))
            if problem is None and found is not None:
                _, _, problem = judged(lambda found=found: used(found))
                if case % 2 and not problem and found != original:
                    problem = "is another set"
            if problem:
                problems.append(f"{kind.__name__}.load, {how}  # {problem}")
    assert os.listdir() == ["set.npz"]
    report(problems)


def used(patterns: Any) -> None:
    """Ask a set that was read what sets are asked."""
    rows = patterns.to_array()
    assert len(rows) == len(patterns)
    repr(patterns), patterns == patterns, patterns.save("again.npz")
    os.unlink("again.npz")
    if len(patterns):
        assert patterns[0] in patterns
        if (source := vars(patterns).get("arrangement") or vars(patterns).get("model")) is not None:
            patterns.witness(0)
            assert source.dimension >= 0


# Values of options, as they come from a shell.
OPTIONS = [
    *("", " ", "-", "--", "0", "1", "2", "3", "-1", "4", "1.5", "1e3", "nan", "inf", "-inf", "1_0"),
    *("9" * 30, "9" * 5000, "x", "None", "exact", "auto", "sweep", "pairs", "incremental", "quick"),
    *("w.npy", "w.csv", "b.txt", "names.txt", "set.npz", "nothing.npy", "folder", "folder/x.txt"),
    *("o.txt", "o.csv", "o.npz", "o.svg", "o.png", "o.json", ".txt", "none/o.txt", "o.txt/o"),
    *("x" * 251 + ".txt", "x" * 255 + ".txt", "x" * 5000, "/dev/null", "/dev/full", "/dev/stdin"),
    *("w.npy/w.npy", "\ud800.txt", "\udcff.npy", "\n", "a\nb.txt", "\u2028.csv", "%s", "{}", "*"),
]
# These ask for as much work as one likes.
LONG = {"--seconds", "--samples", "--cap", "--n", "--d", "--max-hours", "--workers"}
# Commands and options that take long whatever is given; the explorer serves until Ctrl-C.
SLOW = {"compile", "demo", "explore", "only", "report"}


def test_options(shell: Shell, rough: int, rough_seed: int) -> None:
    random, problems = Random(f"{rough_seed} options"), []
    for _ in range(120 * rough):
        prepared()
        command = random.choice([c for c in COMMANDS if c.name not in SLOW])
        arguments = [str(command.name)]
        for parameter in command.params:
            values = OPTIONS if random.random() < 0.5 else [plain_value(parameter)]
            if isinstance(parameter, click.Argument):
                arguments.append(random.choice(values))
            elif parameter.name in SLOW:
                continue
            elif parameter.required or random.random() < 0.2:
                arguments.append(option := parameter.opts[-1])
                if option in LONG:
                    values = [value for value in OPTIONS if len(value) < 2]
                if not parameter.is_flag:
                    arguments += random.choices(values, k=parameter.nargs)
        if arguments[0] == "verify":
            arguments += ["--only", "H.1"]
        if arguments[0] == "plan":
            arguments += ["--seconds", "0.1"]
        _, problem = shell.problem(*arguments, stdin=TEXTS[0])
        if problem:
            problems.append(
                f"{[a if len(a) < 99 else (a[:9], len(a)) for a in arguments]}  # {problem}"
            )
    report(problems)


def prepared() -> None:
    """A folder with files that can be read, and nothing else."""
    for name in os.listdir():
        shutil.rmtree(name) if os.path.isdir(name) else os.unlink(name)
    os.makedirs("folder", exist_ok=True)
    np.save("w.npy", ROWS)
    Path("w.csv").write_bytes(TEXTS[1])
    Path("b.txt").write_text("0 1 -1 2")
    Path("names.txt").write_text("cat\ndog\nbird\nlion\n")
    Path("set.npz").write_bytes(npz({"W": ROWS, "b": [1, 2, 3, 4]}))


def plain_value(parameter: click.Parameter) -> str:
    """A value that an option or argument is meant for."""
    named = {"file": "w.npy", "offsets": "b.txt", "labels": "names.txt", "output": "o.txt"}
    return named.get(str(parameter.name), "1")
