"""The stand-alone checker: what it proves, what it refuses, and that each of its lines matters."""

import ast
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mutants import Source

from arrangements import checker

SOURCE = Path(checker.__file__)
EXAMPLES = Path(__file__).parent.parent / "docs" / "certificates"
Lines = list[Any]
# What became of a file: verdicts, the first line that was refused, and why.
Outcome = tuple[list[str], int, str]


def certificate(lines: Lines, version: int = 1, **end: Any) -> bytes:
    """The bytes of a file with these lines between the first and the last; text is put as it is."""
    body = [checker.HEADERS[version - 1].decode().rstrip("\n")]
    body += [line if isinstance(line, str) else json.dumps(line) for line in lines]
    text = "".join(f"{line}\n" for line in body).encode()
    claims = sum(isinstance(line, dict) and "claim" in line for line in lines)
    last = {"end": len(body), "claims": claims, "sha256": hashlib.sha256(text).hexdigest()}
    return text + (json.dumps(last | end) + "\n").encode()


def outcome(octets: bytes, module: Any = checker) -> Outcome:
    """What the checker says about a file."""
    reader, verdicts = module.Reader(io.BytesIO(octets)), []
    try:
        for verdict in module.check(reader):
            verdicts.append(verdict)
            assert len(verdicts) < 20, "it does not end"
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        first = next((verdict for verdict in verdicts if "NOT PROVED" in verdict), None)
        if first is None:
            return verdicts, reader.number, why
        return [*verdicts, why], int(first.split()[1].rstrip(":")), first
    return verdicts, reader.number, ""


def matrix(*rows: list[Any], name: str = "W", **fields: Any) -> Lines:
    return [{"input": name, "rows": len(rows), "columns": len(rows[0]) - 1, **fields}, *rows]


def claim(says: str, *rows: list[Any], of: str = "sign vectors", **fields: Any) -> Lines:
    """A claim about W, number 1, with its rows."""
    given = {"claim": 1, "says": says, "inputs": ["W"], "of": of, "rows": len(rows), **fields}
    return [{key: value for key, value in given.items() if value is not None}, *rows]


THREE = matrix([1, 0, 0], [0, 1, 0], [1, 1, 0])
LINES = matrix([1, 0, 0], [0, 1, 0], [1, 1, -1])
HALF = [["+++", [1, 1, 1]], ["+-+", [2, -1, 1]], ["+--", [1, -2, 1]]]
ALL = [*HALF, ["-++", [-1, 2, 1]], ["-+-", [-2, 1, 1]], ["---", [-1, -1, 1]]]
TRIANGLE = [
    ["+++", [1, 1, 1]],
    ["++-", [1, 1, 3]],
    ["+-+", [3, -1, 1]],
    ["+--", [1, -1, 1]],
    ["-++", [-1, 3, 1]],
    ["-+-", [-1, 1, 1]],
    ["---", [-1, -1, 1]],
]
LABELS = matrix([0, 0], [1, 0], [2, 0])
SEGMENT = matrix([0, 0], [1, 0], [2, -3])
PENTAGON = matrix([1, 0, 0], [2, -1, 0], [4, 0, 0], [3, 2, 0], [1, 2, 0])
TIES = [
    [[0, 4], [-4, -1, 4]],
    [[2, 0], [[2, 0, 4], [0, 1, 6], [0, 3, 3]]],
    [[4, 0], [-2, 1, 2]],
]
UNIT = matrix(["3/5", "4/5", 0], ["-3/5", "-4/5", 0])
ROOTED = matrix(["1/2", "1/2", 0], ["-1/2", "-1/2", 0], roots=[1, 3])


def paper(says: str, **fields: Any) -> Lines:
    return claim(says, of=None, rows=None, **fields)


GOOD: dict[str, Lines] = {
    "occurs": [*THREE, *claim("answers", ["+++", [1, 1, 1]])],
    "does not": [*THREE, *claim("answers", ["++-", [[0, 1], [1, 1], [2, 1]]])],
    "either": [*THREE, *claim("answers", ["0-0", [0, -1, 1]])],
    "batch": [*LINES, *claim("answers", TRIANGLE[1], ["--+", [[0, 1], [1, 1], [2, 1]]])],
    "opposites": [*THREE, *claim("answers", *HALF[:2], opposites=1)],
    "complete": [*THREE, *claim("complete", *ALL)],
    "complete half": [*THREE, *claim("complete", *HALF, opposites=1)],
    "complete affine": [*LINES, *claim("complete", *TRIANGLE)],
    "no row": [{"input": "W", "rows": 0, "columns": 2}, *claim("complete", ["", [0, 0, 1]])],
    "constant sign": [*matrix([0, 2], [1, 0]), *claim("complete", ["++", [1, 1]], ["+-", [-1, 1]])],
    "count": [*THREE, *claim("count", rows=None, number=6)],
    "count opposite rows": [
        *matrix([1, 2, 0], [-1, -2, 0], [0, 1, 0]),
        *claim("count", rows=None, number=4),
    ],
    "count affine": [*LINES, *claim("count", rows=None, number=7)],
    "count in space": [
        *matrix([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, 0], [2, 2, 2, 0]),
        *claim("count", rows=None, number=14),
    ],
    "count in four dimensions": [
        *matrix(*([int(i == j) for j in range(5)] for i in range(4))),
        *claim("count", rows=None, number=16),
    ],
    "count rankings": [*THREE, *claim("count", of="rankings", rows=None, number=6)],
    "first": [
        *LABELS,
        *claim("answers", [[1], [[1, 0, 1], [1, 2, 1]]], [[2], [1, 1]], of="rankings"),
    ],
    "set": [*LABELS, *claim("answers", [[[0, 2]], [[0, 1, 1], [2, 1, 1]]], of="rankings")],
    "prefix": [*SEGMENT, *claim("answers", [[[0, 1]], [1, 1]], [[1, 2], [2, 1]], of="rankings")],
    "rankings": [
        *LABELS,
        *claim("complete", [[0, 1, 2], [-1, 1]], [[2, 1, 0], [1, 1]], of="rankings"),
    ],
    "half rankings": [
        *matrix([0, 5], [1, 5], [2, 5]),
        *claim("complete", [[0, 1, 2], [-1, 1]], of="rankings", opposites=1),
    ],
    "affine rankings": [
        *SEGMENT,
        *claim(
            "complete",
            [[0, 1, 2], [-1, 1]],
            [[1, 0, 2], [1, 1]],
            [[1, 2, 0], [2, 1]],
            [[2, 1, 0], [4, 1]],
            of="rankings",
        ),
    ],
    "same": [
        *matrix([1, 0, 0], [0, 1, 0], [5, 3, 0], name="V"),
        *THREE,
        *claim("complete", *[[s, p, p] for s, p in HALF], opposites=1, inputs=["V", "W"]),
    ],
    "of inputs with other columns and offsets": [
        *matrix([1, 0, 0], [0, 1, 0], name="V"),
        *matrix([1, 1], [1, -1]),
        *claim(
            "answers",
            ["++", [1, 1, 1], [2, 1]],
            ["-+", [-1, 1, 1], [[0, 1], [1, 1]]],
            inputs=["V", "W"],
        ),
    ],
    "different": [
        *matrix([1, 0, 0], [0, 1, 0], [1, -1, 0], name="V"),
        *THREE,
        *claim("different", ["++-", [1, 2, 1], [[0, 1], [1, 1], [2, 1]]], inputs=["V", "W"]),
    ],
    "different rankings": [
        *matrix([1, 0], [0, 0], [2, 0], name="V"),
        *LABELS,
        *claim(
            "different",
            [[2, 0, 1], [1, 1], [[2, 0, 1], [0, 1, 2]]],
            of="rankings",
            inputs=["V", "W"],
        ),
    ],
    "same cosines": [
        *matrix([3, 4, 0], [1, 0, 2], name="V"),
        *matrix([6, 8, 1], [5, 0, 0]),
        *paper("same cosines", inputs=["V", "W"]),
    ],
    "constant column": [*matrix([2, 1, 0], [2, 5, 0]), *paper("constant column")],
    "centered": [*matrix([2, 1, 0], [-2, -1, 0]), *paper("centered")],
    "unit": [*UNIT, *paper("unit rows")],
    "unit with roots": [
        *ROOTED,
        *matrix([1, 0, 0], name="V"),
        *paper("unit rows", inputs=["W", "V"]),
    ],
    "misleading": [*PENTAGON, *claim("misleading cosines", *TIES, of="rankings")],
    "numbers": [
        *matrix(["0x1.8000000000000p+0", "-1/3", 0], [-7, "0x0.0000000000001p-1022", "-5/1"]),
        *claim("answers", ["+-", ["0x1", "-0x1", 1]]),
    ],
    "shared": [*LABELS, *claim("answers", [[1, [0, 2]], [[1, 0, 1], [1, 2, 1]]], of="rankings")],
    "notes": [*matrix([1, 0], note="made by hand"), *claim("answers", ["+", [1, 1]])],
    "two claims": [
        *THREE,
        *claim("count", rows=None, number=6),
        *claim("complete", *HALF, opposites=1, claim=2),
    ],
}


SQUARE = matrix([1, 0, 0], [0, 1, 0], [-1, 0, 1], [0, -1, 1], name="P", interior=[1, 1, 2])
DIAGONAL = matrix([1, -1, 0], name="E")
UNKNOWN = matrix(*SQUARE[1:], name="P")
# twice the square, around the origin
BOX = matrix([1, 0, 2], [0, 1, 2], [-1, 0, 2], [0, -1, 2], name="P", interior=[0, 0, 1])
IN_BOX = [[signs, [*point[:-1], 2]] for signs, point in ALL]
FLAT = matrix([0, 1, -1], [0, -1, 1], name="P", interior=[0, 1, 1], implicit=[[0, 1], [1, 1]])
# each halfway between the two before: of tangents to a parabola, each cuts off the last vertex
HALVES = [0, 2**26]
for _ in range(24):
    HALVES.append(sum(HALVES[-2:]) // 2)
COSTS = matrix([2, 0], [1, 0], [-4, 0], name="C")
CONFLICT = [[0, 1], [1, 1], [2, 1]]
OPPOSITE = matrix([1, 0], [-1, 0], [1, 0], [-1, 0], [1, -5])
ERRORS = matrix([0, 1], [0, 1], [0, 1], [0, 1], [1, 0], name="C")


def best(
    *nodes: Any,
    value: Any = -3,
    signs: Lines = ["-++", [-1, 2, 1]],  # noqa: B006
    rows: Lines = THREE,
    costs: Lines = COSTS,
    says: str = "least value",
    **fields: Any,
) -> Lines:
    """A claim about the best value, of three lines through 0, with its tree."""
    given = {"claim": 1, "says": says, "inputs": ["W"], "costs": "C", "value": value, **fields}
    return [*rows, *costs, given, signs, *nodes]


# Files of version 2.
GOOD_2: dict[str, Lines] = {
    "a star": [*THREE, *claim("answers", ["*-*", [0, -1, 1]])],
    "faces": [*THREE, *claim("answers", ["+-0", [1, -1, 1]], ["000", [0, 0, 1]])],
    "no face": [*THREE, *claim("answers", ["0+0", [[0, 1], [1, 1], [2, -1]]])],
    "no face, by offsets": [*LINES, *claim("answers", ["000", [[0, -1], [1, -1], [2, 1]]])],
    "half of the faces": [*THREE, *claim("answers", ["+-0", [1, -1, 1]], opposites=1)],
    "complete, again": [*THREE, *claim("complete", *ALL)],
    "equations": [
        *LINES,
        *matrix(["1/2", "-1/3", 0], name="E"),
        *claim(
            "answers",
            ["+++", [2, 3, 1]],
            ["-+*", [[0, 3], [1, 2], [3, 6]]],
            ["--+", [[0, 1], [1, 1], [2, 1]]],
            equations="E",
        ),
    ],
    "within": [
        *THREE,
        *SQUARE,
        *claim(
            "answers",
            ["*0*", [[1, -1], [4, 1]]],
            ["+++", [1, 1, 2]],
            ["+-*", [[1, 1], [4, 1]]],
            within="P",
        ),
    ],
    "a flat": [
        *THREE,
        *FLAT,
        *claim("answers", ["*+0", [-1, 1, 1]], ["*0*", [[1, -1], [3, 1]]], within="P"),
    ],
    "a flat by equations": [
        *THREE,
        *matrix([1, 0, 0], [0, 2, -2], name="P", equations=1, interior=[1, 1, 1]),
        *claim("answers", ["**0", [[2, -2], [3, 2], [4, 1]]], ["++*", [1, 1, 1]], within="P"),
    ],
    "flat by an equation": [
        *THREE,
        *matrix(
            *([0, 1, -1], [0, 1, -1]),
            name="P",
            equations=1,
            interior=[0, 1, 1],
            implicit=[[0, 1], [1, -1]],
        ),
        *claim("answers", ["*+0", [-1, 1, 1]], within="P"),
    ],
    "an empty polyhedron": [
        *THREE,
        *matrix([1, 0, -1], [-1, 0, 0], name="P"),
        *claim("answers", ["***", [[3, 1], [4, 1]]], within="P"),
    ],
    "everything": [
        *THREE,
        {"input": "P", "rows": 0, "columns": 2, "interior": [0, 0, 1]},
        *claim("answers", ["+++", [1, 1, 1]], within="P"),
    ],
    "equations within": [
        *THREE,
        *DIAGONAL,
        *SQUARE,
        *claim(
            "answers",
            ["*+*", [1, 1, 2]],
            ["+-*", [[0, 1], [1, 1], [3, -1]]],
            ["-**", [[0, 1], [4, 1]]],
            equations="E",
            within="P",
        ),
    ],
    "labels within": [
        *SEGMENT,
        *matrix([1, -1], [-1, 2], name="P", interior=[3, 2]),
        *claim("answers", [[0], [[0, 1, 1], [3, 1]]], [[1], [3, 2]], of="rankings", within="P"),
    ],
    "different within": [
        *matrix([1, 0, 0], name="V"),
        *matrix([0, 1, -2]),
        *SQUARE,
        *claim(
            "different",
            ["+", [1, 1, 2], [[0, 1], [4, 1]]],
            inputs=["V", "W"],
            within="P",
        ),
    ],
    "complete within": [
        *THREE,
        *BOX,
        *claim("complete", *IN_BOX, within="P"),
    ],
    "complete in a square": [*THREE, *SQUARE, *claim("complete", ["+++", [1, 1, 2]], within="P")],
    "complete in everything": [
        *THREE,
        {"input": "P", "rows": 0, "columns": 2, "interior": [0, 0, 1]},
        *claim("complete", *ALL, within="P"),
    ],
    "no row within": [
        {"input": "W", "rows": 0, "columns": 2},
        *SQUARE,
        *claim("complete", ["", [1, 1, 2]], within="P"),
    ],
    "a constant sign within": [
        *matrix([0, 2], [1, 0]),
        *matrix([1, 1], [-1, 1], name="P", interior=[0, 1]),
        *claim("complete", ["++", [1, 2]], ["+-", [-1, 2]], within="P"),
    ],
    "count within": [*THREE, *BOX, *claim("count", rows=None, number=6, within="P")],
    "count where less is known": [
        *THREE,
        *UNKNOWN,
        *claim("count", rows=None, number=1, within="P"),
    ],
    "count in a flat": [*THREE, *FLAT, *claim("count", rows=None, number=3, within="P")],
    "count on a ray": [
        *THREE,
        *matrix([1, 0, "3/2"], [0, 2, -2], name="P", equations=1),
        *claim("count", rows=None, number=3, within="P"),
    ],
    "count at a point": [
        *THREE,
        *matrix([1, 0, -1], [-1, 0, 1], [0, 1, -1], [0, -1, 1], name="P"),
        *claim("count", rows=None, number=1, within="P"),
    ],
    "count rankings within": [
        *SEGMENT,
        *matrix([1, -1], [-1, 2], name="P", interior=[3, 2]),
        *claim("count", of="rankings", rows=None, number=2, within="P"),
        *claim(
            "complete",
            [[1, 0, 2], [5, 4]],
            [[1, 2, 0], [7, 4]],
            of="rankings",
            within="P",
            claim=2,
        ),
    ],
    "count in a polygon of many sides": [
        *matrix([1, 0, -(2**25)], [2**26, -1, 0]),
        *matrix(*([-2 * t, 1, t * t] for t in HALVES), [0, -1, 4**26], name="P"),
        *claim("count", rows=None, number=4, within="P"),
    ],
    "least value": best([[1, CONFLICT]]),
    "largest value": best(
        [["1/2", CONFLICT]],
        value=2,
        costs=matrix([-1, 0], [0, "1/2"], [2, 0], name="C"),
        says="largest value",
    ),
    "least value by a division": best([0], [], [[1, CONFLICT]]),
    "least value by two divisions": best([2], [1], [], [[1, CONFLICT]], []),
    "least value, and signs that do not occur": best([0], [], [1], [], [2], [[0, CONFLICT]], []),
    "least value by several conflicts": best(
        [[1, [[0, 1], [1, 1]]], [1, [[2, 1], [3, 1]]]],
        value=2,
        signs=["+-+--", [1, 1]],
        rows=OPPOSITE,
        costs=ERRORS,
    ),
    "one value": best([], value=6, costs=matrix([1, 1], [2, 2], [3, 3], name="C")),
    "least value, rounded up": best(
        [["1/2", CONFLICT]], value=-6, costs=matrix([4, 0], [2, 0], [-8, 0], name="C")
    ),
    "least value within": best(
        [[2, [[0, 1], [3, 1]]], [1, [[1, 1], [4, 1]]]],
        value=-1,
        signs=["+++", [1, 1, 2]],
        rows=[*THREE, *SQUARE],
        within="P",
    ),
    "least value of no row": best(
        [],
        value=0,
        signs=["", [0, 0, 1]],
        rows=[{"input": "W", "rows": 0, "columns": 2}],
        costs=[{"input": "C", "rows": 0, "columns": 1}],
    ),
    # 0.2 seconds, and 10 if planes are not counted at once
    "count tangents": [
        *matrix(*([2 * k, -1, -k * k] for k in range(400))),
        *matrix([1, 0, 1], [-1, 0, 800], [0, 1, 1], [0, -1, 360_000], name="P"),
        *claim("count", rows=None, number=1 + 400 + 400 * 399 // 2, within="P"),
    ],
    "count in a cube of many vertices": [
        *matrix(*([1, k, k * k, 0, 0, 1, -k] for k in range(-2, 4))),
        *matrix(
            *([s * (i == j) for j in range(6)] + [1] for i in range(6) for s in (1, -1)), name="P"
        ),
        *claim("count", rows=None, number=20, within="P"),
    ],
}


@pytest.mark.sampled(33)
@pytest.mark.parametrize("name", [*GOOD, *GOOD_2])
def test_what_is_proved(name: str) -> None:
    lines, version = (GOOD[name], 1) if name in GOOD else (GOOD_2[name], 2)
    verdicts, number, error = outcome(certificate(lines, version))
    assert not error, (number, error)
    assert len(verdicts) == max(line.get("claim", 0) for line in lines if isinstance(line, dict))


def test_verdicts_say_what_is_proved() -> None:
    assert outcome(certificate(GOOD["batch"]))[0] == [
        "claim 1 is proved: answers, 2 sign vectors (1 occur), of 'W'"
    ]
    assert outcome(certificate(GOOD["same cosines"]))[0] == [
        "claim 1 is proved: same cosines, of 'V', 'W'"
    ]
    assert outcome(certificate(GOOD_2["largest value"], 2))[0] == [
        "claim 1 is proved: largest value 2, 1 nodes, of 'W'"
    ]
    assert outcome(certificate(GOOD["complete half"]))[0] == [
        "claim 1 is proved: complete, 6 sign vectors, of 'W'"
    ]


# ------------------------------------------------------------------ refusals


def refused(lines: Lines, *, why: str, line: int, **end: Any) -> tuple[bytes, str, int]:
    return certificate(lines, **end), why, line


def refused_2(lines: Lines, why: str, line: int) -> tuple[bytes, str, int]:
    return certificate(lines, 2), why, line


def inside(polyhedron: Lines, *rows: list[Any], says: str = "answers", **more: Any) -> Lines:
    """Answers about three lines within a polyhedron."""
    return [*THREE, *polyhedron, *claim(says, *rows, within="P", **more)]


def square(**fields: Any) -> Lines:
    return [{**SQUARE[0], **fields}, *SQUARE[1:]]


def asks(*rows: list[Any], of: str = "sign vectors", **fields: Any) -> Lines:
    """Answers about three lines through the origin."""
    return [*THREE, *claim("answers", *rows, of=of, **fields)]


GOOD_FILE = certificate(GOOD["complete"])
CUT = GOOD_FILE.splitlines(keepends=True)
BAD: dict[str, tuple[bytes, str, int]] = {
    # the file
    "empty": (b"", "no certificate file", 1),
    "no lines": (CUT[0] + CUT[-1], "last line does not fit", 2),
    "no claim": refused(THREE, why="last line does not fit", line=6),
    "another format": (b"{}\n" + GOOD_FILE, "no certificate file", 1),
    "another version": (GOOD_FILE.replace(b": 1}", b": 3}", 1), "no certificate file", 1),
    "no last line": (b"".join(CUT[:-1]), "ends too early", 13),
    "claims after a wrong one": refused(
        [
            *THREE,
            *claim("complete", ["+++", [-1, 1, 1]], *ALL[1:]),
            *claim("complete", *ALL, claim=2),
            *claim("complete", *ALL[1:], claim=3),
            *claim("count", rows=None, number=6, claim=4),
        ],
        why="wrong point",
        line=7,
    ),
    "cut in a line": (GOOD_FILE[:200], "ends too early", 7),
    "no newline": (GOOD_FILE[:-1], "ends too early", 13),
    "more lines": (GOOD_FILE + CUT[-1], "something after", 13),
    "a byte more": (GOOD_FILE + b" ", "something after", 13),
    "a line twice": (b"".join([*CUT[:8], *CUT[7:]]), "ascending", 9),
    "a line less": (b"".join([*CUT[:7], *CUT[8:]]), "is not 13", 0),
    "another byte": (GOOD_FILE.replace(b"[2, -1, 1]", b"[3, -1, 1]"), "last line does not", 13),
    "a longer line": (b" " * 2**23 + GOOD_FILE, "no certificate file", 1),
    "a long line": (CUT[0] + b" " * 2**23 + b"".join(CUT[1:]), "line is too long", 2),
    "text": (b"1 0\n0 1\n", "no certificate file", 1),
    "claims": refused(GOOD["count"], why="last line does not fit", line=7, claims=2),
    "claims as a truth": refused(GOOD["count"], why="last line does not fit", line=7, claims=True),
    "lines": refused(GOOD["count"], why="last line does not fit", line=7, end=5),
    "more in the last line": refused(GOOD["count"], why="does not fit", line=7, more=1),
    "no line": refused([*THREE, "", *claim("count", rows=None, number=6)], why="Expecting", line=6),
    "binary": (CUT[0] + b"\x00\xff\n", "ordinal not in range", 2),
    "nested": (CUT[0] + b"[" * 100_000 + b"\n", "recursion", 2),
    "a list": refused([[1, 2]], why="", line=2),
    "a number": refused(["7"], why="no len()", line=2),
    # inputs
    "an input twice": refused([*THREE, *THREE], why="an input is repeated", line=6),
    "unknown field": refused(matrix([1, 0], more=1), why="wrong fields", line=2),
    "short row": refused([*THREE[:-1], [1, 0]], why="d weights and an offset", line=5),
    "long row": refused([*THREE[:-1], [1, 0, 0, 0]], why="d weights and an offset", line=5),
    "row of text": refused([*THREE[:-1], "7"], why="no len()", line=5),
    "rows missing": refused([THREE[0] | {"rows": 9}, *THREE[1:]], why="", line=6),
    "negative root": refused(matrix([1, 0], roots=[-1]), why="d positive roots", line=2),
    "zero root": refused(matrix([1, 0], roots=[0]), why="d positive roots", line=2),
    "roots of other columns": refused(matrix([1, 0], roots=[1, 2]), why="d positive roots", line=2),
    "a root of a half": refused(matrix([1, 0], roots=["1/2"]), why="whole number", line=2),
    "true rows": refused([{"input": "W", "rows": True, "columns": 1}], why="whole number", line=2),
    **{
        f"entry {text[:20]}": refused([*THREE[:-1], f"[{text}, 1, 0]"], why=why, line=5)
        for text, why in {
            "1.5": "whole number",
            "1e3": "whole number",
            "NaN": "whole number",
            "Infinity": "whole number",
            "true": "whole number",
            "null": "whole number",
            "[1]": "whole number",
            '"1.5"': "exact number",
            '"1e3"': "",
            '"inf"': "Infinity",
            '"nan"': "NaN",
            '"0x1p0"': "exact number",
            '"0x1.00000000000001p+0"': "exact number",
            '"0x1.8000000000000p-1074"': "exact number",
            '"0x1.0000000000000p+99999"': "too large",
            '"1/0"': "Fraction(1, 0)",
            '"1/2/3"': "invalid hexadecimal",
            '"1.5/2"': "invalid hexadecimal",
            '"1e9999/2"': "invalid hexadecimal",
            '"1_0/3"': "invalid hexadecimal",
            '" 1/3"': "invalid hexadecimal",
            '"1/ 3"': "invalid hexadecimal",
            '"1/3\\n"': "invalid hexadecimal",
            '"+1/3"': "invalid hexadecimal",
            '"\\u0661/3"': "invalid hexadecimal",
            '{"1/2": 0}': "whole number",
            "9" * 10**6: "digits",
            '"1/' + "9" * 10**6 + '"': "hexadecimal",
        }.items()
    },
    "large denominators": refused(
        [{"input": "W", "rows": 1, "columns": 9}, [f"1/{7**4000 + k}" for k in range(10)]],
        why="denominator is too large",
        line=3,
    ),
    "a field twice": refused(
        ['{"input": "W", "rows": 3, "columns": 2, "rows": 1}', *THREE[1:]], why="twice", line=2
    ),
    "a row of fields": refused(
        [{"input": "W", "rows": 1, "columns": 1}, '{"1/2": 0, "1/3": 0}'], why="offset", line=3
    ),
    "rows below 0": refused([{"input": "W", "rows": -1, "columns": 1}], why="wrong", line=2),
    "very many columns": refused(
        [{"input": "W", "rows": 0, "columns": 2**40}], why="wrong fields", line=2
    ),
    "an input without a name": refused(matrix([1, 0], name=None), why="repeated", line=2),  # type: ignore[arg-type]
    # claims
    "a field of a claim twice": refused(
        [
            *THREE,
            '{"claim": 1, "says": "count", "of": "rankings", "of": "sign vectors", '
            '"inputs": ["W"], "number": 6}',
        ],
        why="a field is given twice",
        line=6,
        claims=1,
    ),  # fmt: skip
    "inputs as text": refused(
        [*THREE, *claim("count", rows=None, number=6, inputs="W")],
        why="expected a list of inputs",
        line=6,
    ),
    "claim 2": refused([*THREE, *claim("count", rows=None, number=6, claim=2)], why="1, 2", line=6),
    "claim 1 twice": refused(
        [*THREE, *claim("count", rows=None, number=6), *claim("count", rows=None, number=6)],
        why="numbered",
        line=7,
    ),
    "unknown input": refused([*THREE, *claim("count", number=6, inputs=["V"])], why="'V'", line=6),
    "no input": refused(
        [*THREE, *claim("count", rows=None, number=6, inputs=[])],
        why="expected a list of inputs",
        line=6,
    ),
    "claims nothing": refused([*THREE, {"claim": 1}], why="'says'", line=6),
    "unknown claim": refused([*THREE, *claim("wins", *HALF[:1])], why="not known", line=6),
    "unknown question": refused(
        [*THREE, *claim("answers", [["+"], [1, 1, 1]], of="faces")], why="sign vectors or", line=6
    ),
    "count of something else": refused(
        [*THREE, *claim("count", of="colors", rows=None, number=6)],
        why="sign vectors or",
        line=6,
    ),
    "cosines of something": refused(
        [*THREE, *claim("same cosines", of="rankings", inputs=["W", "W"])], why="not known", line=6
    ),
    "unknown field of a claim": refused(
        [*THREE, *claim("count", rows=None, number=6, fast=1)], why="unknown field", line=6
    ),
    "number of a list": refused([*THREE, *claim("complete", *ALL[:5], number=1)], why="", line=11),
    "rows of a count": refused([*THREE, *claim("count", number=6)], why="unknown field", line=6),
    "true number": refused(
        [*matrix([1], [2]), *claim("count", rows=None, number=True)], why="whole", line=5
    ),
    "rows of a property": refused([*UNIT, *paper("unit rows"), {}], why="", line=6),
    # sign vectors
    "on a line": refused(asks(["++-", [1, -1, 1]]), why="wrong point", line=7),
    "wrong sign": refused(asks(["+++", [1, -2, 1]]), why="wrong point", line=7),
    "point at infinity": refused(asks(["+++", [1, 1, 0]]), why="d numbers and q > 0", line=7),
    "point behind": refused(asks(["+++", [1, 1, -1]]), why="d numbers and q > 0", line=7),
    "short point": refused(asks(["+++", [1, 1]]), why="d numbers and q > 0", line=7),
    "long point": refused(asks(["+++", [1, 1, 1, 1]]), why="d numbers and q > 0", line=7),
    "no point": refused(asks(["+++", []]), why="a point or weights", line=7),
    "null point": refused(asks(["+++", None]), why="", line=7),
    "point of floats": refused(asks(["+++", [1.5, 1, 1]]), why="whole number", line=7),
    "point of truths": refused(asks(["+++", [True, True, True]]), why="whole number", line=7),
    "point of ratios": refused(asks(["+++", ["1/2", 1, 1]]), why="whole number", line=7),
    "point of very large numbers": refused(
        asks(["+++", ["0x" + "f" * 100_001, 1, 1]]), why="whole number", line=7
    ),
    "a point of fields": refused(asks(["+++", {"0": 1}]), why="a point or weights", line=7),
    "a question of fields": refused(
        asks('{"0": "+++", "1": [1, 1, 1]}', rows=1), why="proofs for all", line=7
    ),
    "no proof": refused(asks(["+++"]), why="proofs for all inputs", line=7),
    "two proofs": refused(asks(["+++", [1, 1, 1], [1, 1, 1]]), why="proofs for all inputs", line=7),
    "short sign vector": refused(asks(["++", [1, 1, 1]]), why="+-0 for each row", line=7),
    "long sign vector": refused(asks(["++++", [1, 1, 1]]), why="+-0 for each row", line=7),
    "other sign": refused(asks(["++*", [1, 1, 1]]), why="+-0 for each row", line=7),
    "list of signs": refused(asks([["+", "+", "+"], [1, 1, 1]]), why="+-0 for each row", line=7),
    "negative weight": refused(asks(["++-", [[0, 1], [1, 1], [2, -1]]]), why="a weight", line=7),
    "zero weight": refused(asks(["++-", [[0, 0], [1, 0]]]), why="a weight is wrong", line=7),
    "weight of no row": refused(asks(["++-", [[0, 1], [1, 1], [3, 1]]]), why="a weight", line=7),
    "weight of row -1": refused(asks(["++-", [[0, 1], [1, 1], [-1, 1]]]), why="a weight", line=7),
    "weight of either": refused(asks(["++0", [[0, 1], [1, 1], [2, 1]]]), why="a weight", line=7),
    "half a weight": refused(asks(["++-", [[0, "1/2"]]]), why="whole number", line=7),
    "weights of another": refused(asks(["+++", [[0, 1], [1, 1], [2, 1]]]), why="exclude", line=7),
    "weights in one column": refused(asks(["+++", [[0, 1]]]), why="exclude nothing", line=7),
    "no weights": refused(asks(["++-", [[]]]), why="", line=7),
    "weights with a positive sum": refused(
        [*LINES, *claim("answers", ["++-", [[0, 1], [1, 1], [2, 1]]])], why="exclude", line=7
    ),
    "a weight of a true row": refused(
        [*matrix([0, 0], [1, 0]), *claim("answers", ["0+", [[True, 1]]])], why="whole", line=6
    ),
    "descending": refused(asks(*HALF[1::-1]), why="ascending", line=8),
    "a row twice": refused(asks(*HALF[:1], *HALF[:1]), why="ascending", line=8),
    "rows of nothing": refused(asks(), why="", line=6),
    "row of text in a claim": refused(asks("7"), why="", line=7),
    "too few rows": refused(asks(*HALF[:1], rows=2), why="", line=8),
    "too many rows": refused(asks(*HALF, rows=2), why="", line=9),
    "rows as text": refused(asks(*HALF, rows="3"), why="whole number", line=6),
    # opposites
    "opposites of an affine arrangement": refused(
        [*LINES, *claim("answers", *TRIANGLE[:1], opposites=1)], why="offsets", line=6
    ),
    "an opposite": refused(
        asks(["+++", [1, 1, 1]], ["---", [-1, -1, 1]], opposites=1), why="the opposite", line=8
    ),
    "opposites of affine rankings": refused(
        [*SEGMENT, *claim("answers", [[0, 1, 2], [-1, 1]], of="rankings", opposites=1)],
        why="offsets",
        line=6,
    ),
    "a reversal": refused(
        [*LABELS, *claim("answers", [[2, 1, 0], [1, 1]], of="rankings", opposites=1)],
        why="the opposite",
        line=7,
    ),
    "the opposite of a prefix": refused(
        [
            *matrix([3, 0], [2, 0], [1, 0]),
            *claim("answers", [[0, 1], [1, 1]], of="rankings", opposites=1),
        ],
        why="the opposite",
        line=7,
    ),
    "opposites as text": refused(asks(*HALF[:1], opposites="no"), why="whole number", line=6),
    "opposites, twice": refused(asks(*HALF[:1], opposites=2), why="opposites", line=6),
    # complete
    "one short": refused([*THREE, *claim("complete", *ALL[1:])], why="their number", line=11),
    "half short": refused(
        [*THREE, *claim("complete", *HALF[1:], opposites=1)], why="their number", line=8
    ),
    "one short, affine": refused(
        [*LINES, *claim("complete", *TRIANGLE[1:])], why="there are more", line=12
    ),
    "too many": refused([*THREE, *claim("count", rows=None, number=7)], why="their number", line=6),
    "too few": refused([*THREE, *claim("count", rows=None, number=5)], why="their number", line=6),
    "negative": refused(
        [*THREE, *claim("count", rows=None, number=-1)], why="their number", line=6
    ),
    "complete with a refusal": refused(
        [*THREE, *claim("complete", GOOD["does not"][-1])], why="a row is none of them", line=7
    ),
    "complete with either": refused(
        [*THREE, *claim("complete", GOOD["either"][-1])], why="a row is none of them", line=7
    ),
    "complete with a prefix": refused(
        [*LABELS, *claim("complete", [[2], [1, 1]], of="rankings")],
        why="a row is none of them",
        line=7,
    ),
    "a zero row": refused(
        [*matrix([1, 0], [0, 0]), *claim("count", rows=None, number=2)], why="a row is zero", line=5
    ),
    "equal labels": refused(
        [*matrix([1, 0], [1, 0]), *claim("count", of="rankings", rows=None, number=2)],
        why="two labels are equal",
        line=5,
    ),
    "same, but one": refused(
        [*matrix([1, 0], name="V"), *THREE, *claim("complete", *ALL, inputs=["V", "W"])],
        why="differ in their rows",
        line=8,
    ),
    "same, other numbers of labels": refused(
        [
            *matrix([1, 0], [1, -1], [1, -2], name="V"),
            *matrix([1, 0], [1, -1]),
            *claim("complete", [[0, 1], [0, 1], [0, 1]], of="rankings", inputs=["V", "W"]),
        ],
        why="differ in their rows",
        line=9,
    ),
    "same, short": refused(
        [
            *matrix([1, 0, 0], [0, 1, 0], [5, 3, 0], name="V"),
            *THREE,
            *claim("complete", *[[s, p, p] for s, p in HALF], inputs=["V", "W"]),
        ],
        why="their number",
        line=13,
    ),
    # different
    "different with both": refused(
        [
            *matrix([1, 0, 0], [0, 1, 0], [5, 3, 0], name="V"),
            *THREE,
            *claim("different", ["+++", [1, 1, 1], [1, 1, 1]], inputs=["V", "W"]),
        ],
        why="not in exactly one input",
        line=11,
    ),
    "different with neither": refused(
        [
            *matrix([1, 0, 0], [0, 1, 0], [1, 1, 0], name="V"),
            *THREE,
            *claim("different", ["++-", *[[[0, 1], [1, 1], [2, 1]]] * 2], inputs=["V", "W"]),
        ],
        why="not in exactly one input",
        line=11,
    ),
    "different without a row": refused(
        [*matrix([1, 0], name="V"), *matrix([1, 0]), *claim("different", inputs=["V", "W"])],
        why="no rows",
        line=6,
    ),
    "different from nothing": refused(
        [*THREE, *claim("different", HALF[0])], why="not in exactly one input", line=7
    ),
    # several inputs
    "opposites of prefixes of longer rankings": refused(
        [
            *matrix([1, 0], [0, 0], [-1, 0], name="V"),
            *matrix([1, 0], [0, 0], [-1, 0], [2, 0]),
            *claim(
                "different",
                [[0, 1, 2], [1, 1], [[0, 1, 3], [2, 3, 1]]],
                of="rankings",
                opposites=1,
                inputs=["V", "W"],
            ),
        ],
        why="differ in their rows",
        line=11,
    ),
    "opposites of a prefix of one input": refused(
        [
            *matrix([1, 0], [0, 0], [-1, 0], name="V"),
            *matrix([1, 0], [0, 0], [-1, 0], [-2, 0]),
            *claim(
                "answers",
                [[0, 1, 2], [1, 1], [1, 1]],
                of="rankings",
                opposites=1,
                inputs=["V", "W"],
            ),
        ],
        why="differ in their rows",
        line=11,
    ),
    "opposites where one has offsets": refused(
        [
            *matrix([1, 0], name="V"),
            *matrix([1, 1]),
            *claim("answers", ["+", [1, 1], [1, 1]], opposites=1, inputs=["V", "W"]),
        ],
        why="offsets",
        line=6,
    ),
    # labels
    "no label": refused(asks([[3], [1, 1, 1]], of="rankings"), why="labels, each once", line=7),
    "label -1": refused(asks([[-1], [1, 1, 1]], of="rankings"), why="labels, each once", line=7),
    "label twice": refused(asks([[1, 1], [1, 1, 1]], of="rankings"), why="each once", line=7),
    "label in two sets": refused(
        asks([[[0, 1], [1, 2]], [1, 1, 1]], of="rankings"), why="each once", line=7
    ),
    "no set": refused(asks([[0, []], [1, 1, 1]], of="rankings"), why="each once", line=7),
    "true label": refused(asks([[True], [1, 1, 1]], of="rankings"), why="whole number", line=7),
    "ranking as text": refused(asks(["012", [1, 1, 1]], of="rankings"), why="whole", line=7),
    "another label first": refused(
        [*LABELS, *claim("answers", [[2], [-1, 1]], of="rankings")], why="wrong point", line=7
    ),
    "a tie": refused(
        [*LABELS, *claim("answers", [[2], [0, 1]], of="rankings")], why="wrong point", line=7
    ),
    "below the others": refused(
        [*LABELS, *claim("answers", [[0, 1], [1, 1]], of="rankings")], why="wrong point", line=7
    ),
    "only the prefix in order": refused(
        [*matrix([2, 0], [1, 0], [3, 0]), *claim("answers", [[0, 1], [1, 1]], of="rankings")],
        why="wrong point",
        line=7,
    ),
    "weights the other way": refused(
        [*LABELS, *claim("answers", [[1], [[0, 1, 1], [1, 2, 1]]], of="rankings")],
        why="a weight",
        line=7,
    ),
    "weights of other labels": refused(
        [*LABELS, *claim("answers", [[1], [[0, 2, 1]]], of="rankings")], why="a weight", line=7
    ),
    "equal rankings": refused(
        asks([[0], [2, 1, 1]], [[[0]], [2, 1, 1]], of="rankings"), why="", line=7
    ),
    "a ranking twice": refused(
        [*matrix([1, 0]), *claim("answers", [["0x0"], [1, 1]], [["0x00"], [1, 1]], of="rankings")],
        why="ascending",
        line=6,
    ),
    # the paper
    "a property that is not known": refused([*UNIT, *paper("wins")], why="not known", line=5),
    "cosines of one": refused([*UNIT, *paper("same cosines")], why="rows do not match", line=5),
    "cosines of single rows": refused(
        [
            *matrix([3, 4, 0], name="V"),
            *matrix([1, 0, 0]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="rows do not match",
        line=6,
    ),
    "cosines of other rows": refused(
        [
            *matrix([3, 0], [3, 0], [1, 0], name="V"),
            *matrix([1, 0], [1, 0]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="rows do not match",
        line=9,
    ),
    "constant or 0": refused([*matrix([0, 0], [5, 0]), *paper("constant column")], why="", line=5),
    "misleading sign vectors": refused(
        [*matrix([1, 0], [1, 0]), *claim("misleading cosines", ["+-", [1, 1]])],
        why="not larger",
        line=5,
    ),
    "a set in the place of an order": refused(
        [
            *matrix([4, 0, 0], [2, 0, 0], [0, 4, 0], [1, -3, 0], [3, -2, 0]),
            *claim(
                "misleading cosines",
                [[0, 1], [[1, 2, 2], [1, 4, 4]]],
                [[[1, 2]], [-3, 4, 3]],
                [[2, 1], [-3, 4, 3]],
                of="rankings",
            ),
        ],
        why="two labels in each row",
        line=10,
    ),
    "no column is constant": refused(
        [*matrix([5], [5]), *paper("constant column")], why="not so", line=5
    ),
    "equal labels always tie": refused(
        [
            *matrix(*PENTAGON[1:], PENTAGON[3]),
            *claim("misleading cosines", TIES[0], [[2, 5], [[2, 5, 1]]], TIES[2], of="rankings"),
        ],
        why="equal labels tie",
        line=12,
    ),
    "other cosines": refused(
        [
            *matrix([3, 4, 0], [1, 0, 2], name="V"),
            *matrix([6, 7, 1], [5, 0, 0]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="not so",
        line=8,
    ),
    "opposite cosines": refused(
        [
            *matrix([3, 4, 0], [1, 0, 2], name="V"),
            *matrix([6, 8, 1], [-5, 0, 0]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="not so",
        line=8,
    ),
    "a zero row has no cosine": refused(
        [
            *matrix([3, 4, 0], [0, 0, 2], name="V"),
            *matrix([6, 8, 1], [0, 0, 0]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="Fraction(0, 0)",
        line=8,
    ),
    "cosines of other roots": refused(
        [
            *matrix([3, 4, 0], [1, 0, 2], name="V"),
            *matrix([3, 4, 0], [1, 0, 2], roots=[1, 2]),
            *paper("same cosines", inputs=["V", "W"]),
        ],
        why="not so",
        line=8,
    ),
    "a column that is not constant": refused(
        [*matrix([2, 1, 0], [3, 1, 0]), *paper("constant column")], why="not so", line=5
    ),
    "a zero column": refused(
        [*matrix([0, 1, 0], [0, 1, 0]), *paper("constant column")], why="not so", line=5
    ),
    "constant in one": refused(
        [
            *matrix([1, 1, 0], [1, 2, 0]),
            *matrix([1, 1, 0], [2, 1, 0], name="V"),
            *paper("constant column", inputs=["W", "V"]),
        ],
        why="not so",
        line=8,
    ),
    "not centered": refused([*matrix([2, 1, 0], [-2, 0, 0]), *paper("centered")], why="", line=5),
    "not of unit length": refused([*matrix([1, 1, 0]), *paper("unit rows")], why="not so", line=4),
    "one of unit length": refused(
        [*matrix([1, 0, 0], [2, 0, 0]), *paper("unit rows")], why="not so", line=5
    ),
    "no labels apart": refused(
        [*PENTAGON, *claim("misleading cosines", *TIES[::2], of="rankings")],
        why="others can tie",
        line=10,
    ),
    "more that can tie": refused(
        [
            *PENTAGON,
            *claim("misleading cosines", *TIES, [[4, 3], [-1, 2, 2]], of="rankings"),
        ],
        why="others can tie",
        line=12,
    ),
    "they can tie": refused(
        [
            *PENTAGON,
            *claim(
                "misleading cosines",
                [[0, 1], [-2, -1, 2]],
                [[3, 4], [1, 2, 2]],
                [[4, 3], [-1, 2, 2]],
                of="rankings",
            ),
        ],
        why="others can tie",
        line=11,
    ),
    "they need not tie": refused(
        [
            *PENTAGON,
            *claim("misleading cosines", *TIES[:2], [[4, 3], [-1, 2, 2]], of="rankings"),
        ],
        why="others can tie",
        line=11,
    ),
    "cosines that do not mislead": refused(
        [
            *PENTAGON,
            *claim(
                "misleading cosines",
                TIES[0],
                [[1, 4], [[1, 4, 6], [4, 0, 7], [4, 2, 2]]],
                TIES[2],
                of="rankings",
            ),
        ],
        why="not larger",
        line=11,
    ),
}
BAD |= {
    "another sign": refused_2(asks(["++?", [1, 1, 1]]), "+-0* for each row", 7),
    "not on a line": refused_2(asks(["+-0", [2, -1, 1]]), "a wrong point", 7),
    "a face in a complete list": refused_2(
        [*THREE, *claim("complete", ["+-0", [1, -1, 1]])], "a row is none of them", 7
    ),
    "a star in a complete list": refused_2(
        [*THREE, *claim("complete", ["+-*", [2, -1, 1]])], "a row is none of them", 7
    ),
    "equations that agree": refused_2(
        asks(["000", [[0, 1], [1, 1], [2, -1]]]), "exclude nothing", 7
    ),
    "a weight of a star": refused_2(asks(["++*", [[0, 1], [1, 1], [2, -1]]]), "a weight is", 7),
    "faces have opposites": refused_2(asks(["0++", [0, 1, 1]], opposites=1), "the opposite", 7),
    "version 1 knows no polyhedron": refused(
        inside(SQUARE, ["+++", [1, 1, 2]]), why="wrong fields", line=6
    ),
    "version 1 knows no within": refused(
        inside(UNKNOWN, ["+++", [1, 1, 2]]), why="unknown field", line=12
    ),
    "an unknown polyhedron": refused_2(asks(["+++", [1, 1, 1]], within="P"), "'P'", 6),
    "unknown equations": refused_2(asks(["+++", [1, 1, 1]], equations="E"), "'E'", 6),
    "off the equations": refused_2(
        [
            *THREE,
            *DIAGONAL,
            *claim("answers", ["+++", [1, 2, 1]], equations="E"),
        ],
        "a wrong point",
        9,
    ),
    "equations of other columns": refused_2(
        [*THREE, *matrix([1, 0], name="E"), *claim("answers", ["+++", [1, 1, 1]], equations="E")],
        "other columns",
        9,
    ),
    "outside": refused_2(inside(SQUARE, ["+++", [1, 2, 1]]), "a wrong point", 12),
    "on the boundary": refused_2(inside(SQUARE, ["+++", [1, 1, 1]]), "a wrong point", 12),
    "off the flat": refused_2(inside(FLAT, ["+++", [1, 2, 1]]), "a wrong point", 10),
    "an interior that is not known": refused_2(
        inside(UNKNOWN, ["+++", [1, 1, 2]]), "a wrong point", 12
    ),
    "on the boundary of an empty one": refused_2(
        inside(matrix([1, 0, 0], [-1, 0, 0], name="P"), ["*+*", [0, 1, 1]]), "a wrong point", 10
    ),
    "a facet of what may be flat": refused_2(
        inside(UNKNOWN, ["*0*", [[1, -1], [4, 1]]]), "exclude nothing", 12
    ),
    "a flat needs no facet": refused_2(
        inside(
            matrix([0, 1, 0], [0, -1, 0], name="P", interior=[0, 0, 1], implicit=[[0, 1], [1, 1]]),
            ["*0*", [[1, -1], [3, 1]]],
        ),
        "exclude nothing",
        10,
    ),
    "a facet the other way": refused_2(
        inside(SQUARE, ["*+*", [[1, 1], [4, -1]]]), "a weight is wrong", 12
    ),
    "complete by equations": refused_2(
        [*THREE, *DIAGONAL, *claim("complete", ["+++", [1, 1, 1]], equations="E")],
        "no such claim can be about",
        8,
    ),
    "cosines within": refused_2(
        [*matrix([1, 0, 0], [-1, 0, 0]), *SQUARE, *paper("centered", within="P")],
        "no such claim can be about",
        10,
    ),
    "too many within": refused_2(inside(BOX, says="count", rows=None, number=7), "another one", 11),
    "too few within": refused_2(inside(BOX, says="count", rows=None, number=5), "are more", 11),
    "one short within": refused_2(inside(BOX, *IN_BOX[1:], says="complete"), "are more", 16),
    "a half within": refused_2(
        inside(BOX, *HALF, says="complete", opposites=1), "opposites need not", 11
    ),
    "a point outside of a box": refused_2(
        inside(BOX, ["+++", [2, 2, 1]], *ALL[1:], says="complete"), "a wrong point", 12
    ),
    "complete where the inside is not known": refused_2(
        inside(UNKNOWN, ["+++", [1, 1, 2]], says="complete"), "a wrong point", 12
    ),
    "a row that does not occur within": refused_2(
        inside(SQUARE, ["++-", [[0, 1], [1, 1], [2, 1]]], says="complete"), "is none of", 12
    ),
    "a count in an empty polyhedron": refused_2(
        inside(matrix([1, 0, -1], [-1, 0, 0], name="P"), says="count", rows=None, number=1),
        "is empty",
        9,
    ),
    "a count where a row is zero": refused_2(
        inside(
            matrix([1, -1, 0], [1, 1, 0], [-1, -1, 0], name="P"),
            says="count",
            rows=None,
            number=1,
        ),
        "a row is zero in the polyhedron",
        10,
    ),
    "a count where labels are equal": refused_2(
        [
            *THREE,
            *matrix([1, -1, 0], [-1, 1, 0], name="P"),
            *claim("count", of="rankings", rows=None, number=2, within="P"),
        ],
        "two labels are equal",
        9,
    ),
    "a count in other columns": refused_2(
        inside(matrix([1, 0], name="P"), says="count", rows=None, number=6), "other columns", 8
    ),
    "a count that version 1 does not know": refused(
        inside(UNKNOWN, says="count", rows=None, number=1), why="unknown field", line=11
    ),
    "opposites within": refused_2(
        inside(SQUARE, ["+++", [1, 1, 2]], opposites=1), "opposites need not", 11
    ),
    "equations below 0": refused_2(square(equations=-1), "wrong fields", 2),
    "more equations than rows": refused_2(square(equations=5), "wrong fields", 2),
    "a point of no polyhedron": refused_2(square(interior=[2, 1, 2]), "not inside", 6),
    "a point behind all": refused_2(square(interior=[0, 0, -1]), "q > 0", 6),
    "a short point of a polyhedron": refused_2(square(interior=[1, 2]), "q > 0", 6),
    "a point off the equations": refused_2(
        matrix([1, 0, 0], name="P", equations=1, interior=[1, 0, 1]), "not inside", 3
    ),
    "an implicit facet": refused_2(
        square(interior=[1, 0, 2], implicit=[[1, 1]]), "need not be equations", 6
    ),
    "implicit by a constant": refused_2(
        matrix([1, 0, 0], [-1, 0, 1], name="P", interior=[0, 0, 1], implicit=[[0, 1], [1, 1]]),
        "need not be equations",
        4,
    ),
    "implicit by a negative weight": refused_2(
        matrix([1, 0, 0], [1, 0, 0], name="P", interior=[0, 0, 1], implicit=[[0, 1], [1, -1]]),
        "a weight is wrong",
        4,
    ),
    "implicit by no row": refused_2(square(implicit=[[4, 1]]), "a weight is wrong", 6),
    "implicit by row -1": refused_2(
        matrix([1, 0, 0], [-1, 0, 0], name="P", interior=[0, 0, 1], implicit=[[0, 1], [-1, 1]]),
        "a weight is wrong",
        4,
    ),
    # the best value
    "a better value": refused_2(best([]), "a better value is possible", 12),
    "another value": refused_2(best([[1, CONFLICT]], value=-2), "the value is another", 11),
    "the second best": refused_2(
        best([[1, CONFLICT]], value=-2, signs=["+-+", [2, -1, 1]]), "a better value", 12
    ),
    "a best that does not occur": refused_2(
        best([], value=-4, signs=["--+", CONFLICT]), "signs that occur", 11
    ),
    "a best of some signs": refused_2(
        best([[1, CONFLICT]], signs=["-+*", [-1, 2, 1]]), "signs that occur", 11
    ),
    "a best at another point": refused_2(
        best([[1, CONFLICT]], signs=["-++", [-1, 1, 1]]), "a wrong point", 11
    ),
    "costs of two columns": refused_2(
        best([], costs=matrix([2, 1, 0], [1, 1, 0], [4, 1, 0], name="C")), "two costs a row", 10
    ),
    "costs of other rows": refused_2(best([], costs=matrix([2, 0], name="C")), "two costs", 8),
    "values of rankings": refused_2(
        best([[1, CONFLICT]], of="rankings"), "kind of claim is not known", 10
    ),
    "values of two inputs": refused_2(best([[1, CONFLICT]], inputs=["W", "W"]), "too many", 10),
    "values, and more": refused_2(best([[1, CONFLICT]], fast=1), "unknown field", 12),
    "values of version 1": refused(best([[1, CONFLICT]]), why="claim is not known", line=10),
    "a row divided twice": refused_2(best([0], [0], [], [], []), "divided twice", 13),
    "a division at row -1": refused_2(best([-1], [[1, CONFLICT]], []), "divided twice", 12),
    "a division at two rows": refused_2(best([0, 1], [], [[1, CONFLICT]]), "too many", 12),
    "a branch missing": refused_2(best([0], []), "a row that divides, or shares", 14),
    "no list of shares": refused_2(best([0], {}, [[1, CONFLICT]]), "row that divides", 13),
    "a branch too many": refused_2(best([[1, CONFLICT]], []), "more rows", 13),
    "a conflict that is none": refused_2(best([[1, CONFLICT[:2]]]), "exclude nothing", 12),
    "a conflict of other signs": refused_2(best([0], [[1, CONFLICT]], []), "exclude nothing", 13),
    "a conflict with a point": refused_2(best([[1, [-1, 2, 1]]]), "TypeError", 12),
    "a conflict of no row": refused_2(best([[1, [[-1, 1], *CONFLICT]]]), "a weight is", 12),
    "a share too large": refused_2(
        best([[2, CONFLICT]], value=-2, signs=["+-+", [2, -1, 1]]), "shares are too large", 12
    ),
    "shares too large together": refused_2(
        best([[1, CONFLICT], [1, CONFLICT]], value=-2, signs=["+-+", [2, -1, 1]]),
        "shares are too large",
        12,
    ),
    "a negative share": refused_2(
        best(
            [[-1, [[j, 1] for j in range(4)]], [2, [[0, 1], [1, 1]]], [2, [[2, 1], [3, 1]]]],
            value=3,
            signs=["+-+-+", [6, 1]],
            rows=OPPOSITE,
            costs=ERRORS,
        ),
        "shares are too large",
        16,
    ),
    "a share of text": refused_2(best([["0.5", CONFLICT]]), "exact number", 12),
}
# the row that is missing leaves the last line where a row should be
BAD["a line less"] = (BAD["a line less"][0], "", 12)


@pytest.mark.sampled(100)
@pytest.mark.parametrize("name", BAD)
def test_what_is_refused(name: str) -> None:
    octets, why, line = BAD[name]
    _, number, error = outcome(octets)
    assert error and why in error, (number, error)
    assert number == line, error


# ------------------------------------------------------------------ a program of its own


def test_it_is_short_and_needs_nothing() -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 600
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            assert module in sys.stdlib_module_names
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__")


def alone(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a copy of the checker without any installed package."""
    program = shutil.copy(SOURCE, folder / "copy.py")
    command = [sys.executable, "-S", "-I", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_it_runs_when_copied_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_bytes(GOOD_FILE)
    with gzip.open(tmp_path / "good.jsonl.gz", "wb") as packed:
        packed.write(GOOD_FILE)
    for name in ("good.jsonl", "good.jsonl.gz"):
        done = alone(tmp_path, str(tmp_path / name))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "claim 1 is proved: complete, 6 sign vectors, of 'W'\n"
    (tmp_path / "bad.jsonl").write_bytes(BAD["one short"][0])
    done = alone(tmp_path, str(tmp_path / "bad.jsonl"))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "line 11: claim 1 is NOT PROVED: ValueError: 'their number is another one'\n"
        "line 12: NOT PROVED: ValueError: '1 of 1 claims'\n"
    )
    (tmp_path / "cut.jsonl.gz").write_bytes((tmp_path / "good.jsonl.gz").read_bytes()[:-20])
    done = alone(tmp_path, str(tmp_path / "cut.jsonl.gz"))
    assert done.returncode == 1 and "NOT PROVED" in done.stdout


def test_what_is_no_file_gets_one_line(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "none", "FileNotFound"), (tmp_path, "IsADirectory")):
        done = alone(tmp_path, str(path))
        assert (done.returncode, done.stderr, done.stdout.count("\n")) == (1, "", 1)
        assert f"line 0: NOT PROVED: {why}" in done.stdout and str(path) in done.stdout
    done = alone(tmp_path)
    assert done.returncode == 2 and "FILE" in done.stderr


def test_names_of_any_alphabet_are_shown_on_any_terminal(tmp_path: Path) -> None:
    lines = [*matrix([1, 0], name="\u03c8"), *claim("answers", ["+", [1, 1]], inputs=["\u03c8"])]
    (tmp_path / "psi").write_bytes(certificate(lines))
    program = "import io, sys; sys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'ascii')\n"
    program += (
        f"from arrangements import checker; sys.exit(checker.main({str(tmp_path / 'psi')!r}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("of '\\u03c8'\n"), done.stderr


@pytest.mark.slow
def test_the_certificates_of_the_documentation(tmp_path: Path) -> None:
    files = sorted(EXAMPLES.iterdir())
    assert len(files) >= 5
    for file in files:
        done = alone(tmp_path, str(file))
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_verdicts_come_as_soon_as_they_are_proved() -> None:
    lines = [*THREE, *claim("count", rows=None, number=6), *claim("complete", *ALL[1:], claim=2)]
    verdicts, number, error = outcome(certificate(lines))
    assert verdicts[:1] == ["claim 1 is proved: count, 6 sign vectors, of 'W'"]
    assert number == 12 and "ValueError: 'their number is another one'" in error


@pytest.mark.parametrize(
    "rows", [ALL[1:], [["+++", [-1, 1, 1]], *ALL[1:]], [*ALL, *ALL], [["+++", [1, 1, 1]]]]
)
@pytest.mark.parametrize("said", [-1, 0, 1, 5])
def test_each_claim_has_a_verdict(rows: Lines, said: int) -> None:
    """Whether a claim is refused for its last row or an earlier one, or for rows more or less."""
    wrong = claim("complete", *rows)
    wrong[0]["rows"] += said
    lines = [*THREE, *wrong, *claim("count", rows=None, number=6, claim=2)]
    verdicts, number, error = outcome(certificate([*lines, *claim("complete", *ALL, claim=3)]))
    assert verdicts[1:] == [
        "claim 2 is proved: count, 6 sign vectors, of 'W'",
        "claim 3 is proved: complete, 6 sign vectors, of 'W'",
        "ValueError: 1 of 3 claims",
    ]
    assert verdicts[0] == error and f"line {number}: claim 1 is NOT PROVED: " in error


def test_names_are_shown_without_control_characters() -> None:
    lines = [*matrix([1, 0], name="\x1b[2J"), *claim("answers", ["+", [1, 1]], inputs=["\x1b[2J"])]
    (verdict,), _, error = outcome(certificate(lines))
    assert not error and verdict.isprintable()


@pytest.mark.slow
def test_it_counts_a_million_chambers() -> None:
    resonance = [[*map(int, f"{k:06b}"), 0] for k in range(1, 64)]
    lines = [*matrix(*resonance), *claim("count", rows=None, number=1_066_044)]
    assert outcome(certificate(lines))[2] == ""


# ------------------------------------------------------------------ every line matters

# The program and its limits are tested by running it, here and in tests/proofs.
PROGRAM = frozenset({"main", "used_memory", "watch", "program"})
OUTSIDE = ("MemoryError", "sys.exit", "NOT_PROVED", "Row =", "Normal =", "Ray =", "Condition =")


@pytest.mark.slow
def test_every_line_matters() -> None:
    files = [certificate(lines) for lines in GOOD.values()]
    files += [certificate(lines, 2) for lines in GOOD_2.values()]
    files += sorted((octets for octets, _, _ in BAD.values()), key=len)
    expected = [outcome(octets) for octets in files]

    def agrees(module: Any) -> bool:
        pairs = zip(files, expected, strict=True)
        return all(outcome(octets, module) == e for octets, e in pairs)

    idle = Source(SOURCE.read_text(), PROGRAM, OUTSIDE).idle(agrees)
    assert not idle, "\n".join(idle)
