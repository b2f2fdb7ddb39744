"""Certificate files changed in one place are refused, or what they claim is still true.

Truth is decided by the engine and by fractions, which share no code with the checker.
"""

import hashlib
import io
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Polyhedron,
    ScoreModel,
    chambers,
    checker,
    count_chambers,
    count_rankings,
    feasible,
    rankings,
    write_certificate,
)
from arrangements.paper import examples

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(7)
SPACE, FLOATS = RNG.integers(-9, 10, (5, 3)), RNG.standard_normal((4, 2))
PLANE, OFFSETS = np.array([[1, 0], [0, 1], [1, 1], [2, -1]]), np.array([1, -2, 3, 0])
BOX = Polyhedron.box(0, 3, dimension=2)
ANSWERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "sign vectors": (chambers(SPACE), {}),
    "affine": (chambers(PLANE, OFFSETS), {}),
    "floats": (chambers(FLOATS), {}),
    "some": (chambers(SPACE)[2:9], {}),
    "rankings": (rankings(SPACE), {}),
    "affine rankings": (rankings(PLANE, OFFSETS), {}),
    "questions": (
        [feasible(PLANE, s, offsets=OFFSETS) for s in ("++++", "+-+-", "--++", "-+*-")],
        {},
    ),
    "faces": ([feasible(SPACE, s) for s in ("+0*-*", "00000", "0000+", "-*0*0")], {}),
    "within": (
        [
            feasible(PLANE, s, offsets=OFFSETS, within=BOX)
            for s in ("++++", "+-+-", "--++", "*0*+", "+**0")
        ],
        {},
    ),
    "equations": (
        [
            feasible(PLANE, s, offsets=OFFSETS, equations=([[1, -2]], [1]))
            for s in ("++++", "+-+-", "--++", "*0*+", "+**0")
        ],
        {},
    ),
    "both": (
        [
            feasible(SPACE[:3], s, equations=([[1, -1, 0]], [0]), within=Polyhedron.simplex(3))
            for s in ("+++", "+*-", "*0*", "--*", "***")
        ],
        {},
    ),
    "chambers within": (chambers(PLANE, OFFSETS, within=BOX), {}),
    "rankings within": (rankings(SPACE, within=Polyhedron.simplex(3)), {}),
    "count within": (
        count_chambers(PLANE, OFFSETS, within=BOX),
        {"W": PLANE, "offsets": OFFSETS, "within": BOX},
    ),
    "count": (count_chambers(SPACE), {"W": SPACE}),
    "count of rankings": (count_rankings(PLANE), {"W": ScoreModel(PLANE)}),
    "5.5": (examples.shortened_row(), {}),
    "H.1": (examples.bjorner(), {}),
    "C.1": (examples.unrestricted(), {}),
    "C.3": (examples.centered_unit_length(), {}),
}


# ------------------------------------------------------------------ what is true


class Input:
    """Rows (W | b) as fractions, and the squares of the scales of columns."""

    def __init__(self, fields: dict[str, Any], rows: list[list[Any]]) -> None:
        d = fields["columns"]
        self.rows = [[self._number(entry) for entry in row] for row in rows]
        assert all(len(row) == d + 1 for row in self.rows)
        self.W = np.array([row[:-1] for row in self.rows], object).reshape(len(rows), d)
        self.b = np.array([row[-1] for row in self.rows], object)
        self.roots = fields.get("roots", [1] * d)
        m = len(rows) - fields.get("equations", 0)
        self.options: dict[str, Any] = {}
        parts = self.W[:m], self.b[:m], self.W[m:], self.b[m:]
        self.polyhedron = partial(Polyhedron, -parts[0], parts[1], equations=(-parts[2], parts[3]))

    @staticmethod
    def _number(entry: Any) -> Fraction:
        if isinstance(entry, str) and "x" in entry:
            return Fraction(float.fromhex(entry))
        return Fraction(entry)

    def has(self, question: Any) -> bool:
        """Whether a sign vector occurs, or labels can be on top."""
        if isinstance(question, str):
            return bool(feasible(self.W, question, offsets=self.b, **self.options))
        groups = [set(g) if isinstance(g, list) else {g} for g in question]
        groups.append(set(range(len(self.W))) - set().union(*groups))
        pairs = [
            (i, j) for k, g in enumerate(groups) for i in g for h in groups[k + 1 :] for j in h
        ]
        if not pairs:
            return True
        first, second = map(list, zip(*pairs, strict=True))
        W, b = self.W[first] - self.W[second], self.b[first] - self.b[second]
        return bool(feasible(W, [1] * len(pairs), offsets=b, **self.options))

    def everything(self, of: str) -> set[Any]:
        if of == "sign vectors":
            found = chambers(self.W, self.b, **self.options).to_array()
            return {"".join("-+"[int(s > 0)] for s in row) for row in found}
        return {tuple(row) for row in rankings(self.W, self.b, **self.options).to_array().tolist()}

    def cosine(self, i: int, j: int) -> Fraction:
        u, v = self.W[i], self.W[j]
        uv, uu, vv = (sum(a * b * r for a, b, r in zip(x, y, self.roots, strict=True))
                      for x, y in ((u, v), (u, u), (v, v)))  # fmt: skip
        return uv * abs(uv) / (uu * vv)


def opposite(question: Any) -> Any:
    if isinstance(question, str):
        return question.translate(str.maketrans("+-", "-+"))
    return question[::-1]


def is_true(claim: dict[str, Any], rows: list[list[Any]], inputs: list[Input]) -> bool:
    """Whether a claim holds, whatever its proof is worth."""
    says, of = claim["says"], claim.get("of", "")
    proved = [[not isinstance(proof[0], list) for proof in row[1:]] for row in rows]
    if says == "count":
        return all(len(one.everything(of)) == claim["number"] for one in inputs)
    if says == "constant column":
        return all(len(set(one.W[:, 0])) == 1 and one.W[0, 0] for one in inputs)
    if says == "centered":
        return not any(one.W.sum(axis=0).any() for one in inputs)
    if says == "unit rows":
        return all(sum(r * x * x for r, x in zip(one.roots, row, strict=True)) == 1
                   for one in inputs for row in one.W)  # fmt: skip
    pairs = [(i, j) for i in range(len(inputs[0].rows)) for j in range(i)]
    if says == "same cosines":
        return all(len({one.cosine(*pair) for one in inputs}) == 1 for pair in pairs)
    for row, answers in zip(rows, proved, strict=True):
        asked = [row[0], opposite(row[0])] if claim.get("opposites") else [row[0]]
        if any(one.has(q) != a for q in asked for one, a in zip(inputs, answers, strict=True)):
            return False
    if says == "complete":
        listed = {tuple(row[0]) if of == "rankings" else row[0] for row in rows}
        listed |= {opposite(question) for question in listed} if claim.get("opposites") else set()
        return all(listed == one.everything(of) for one in inputs)
    if says == "different":
        return bool(rows) and all(sum(answers) == 1 for answers in proved)
    if says == "misleading cosines":
        top = {tuple(row[0]): answer for row, (answer,) in zip(rows, proved, strict=True)}
        (apart,) = [pair for pair, answer in top.items() if not answer]
        tie = next(pair for pair, answer in top.items() if answer)
        return top[tie[::-1]] and inputs[0].cosine(*apart) > inputs[0].cosine(*tie)
    return says == "answers"


def claims_hold(octets: bytes) -> bool:
    """Whether all claims of a file are true."""
    lines = [json.loads(line) for line in octets.splitlines()]
    inputs: dict[str, Input] = {}
    k = 1
    while "end" not in lines[k]:
        fields, rows = lines[k], lines[k + 1 : k + 1 + lines[k].get("rows", 0)]
        k += 1 + len(rows)
        if "input" in fields:
            inputs[fields["input"]] = Input(fields, rows)
        else:
            options: dict[str, Any] = {}
            if "equations" in fields:
                E = inputs[fields["equations"]]
                options["equations"] = E.W, -E.b
            if "within" in fields:
                options["within"] = inputs[fields["within"]].polyhedron()
            about = [inputs[name] for name in fields["inputs"]]
            for one in about:
                one.options = options
            if not is_true(fields, rows, about):
                return False
    return True


# ------------------------------------------------------------------ changes

Lines = list[str]


def is_row(line: str) -> bool:
    return line.startswith("[")


def digit(line: str, rng: Random) -> str:
    places = [k for k, c in enumerate(line) if c.isdigit()]
    k = rng.choice(places)
    return line[:k] + rng.choice([c for c in "0123456789" if c != line[k]]) + line[k + 1 :]


def sign(line: str, rng: Random) -> str:
    """Turn one sign: of a sign vector, or of a number."""
    starts = [k for k, c in enumerate(line) if c.isdigit() and line[k - 1] in "[, -"]
    places = [k for k, c in enumerate(line) if c == "+" or (c == "-" and not line[k + 1].isdigit())]
    k = rng.choice(starts + places)
    if line[k] in "+-":
        return line[:k] + ("-" if line[k] == "+" else "+") + line[k + 1 :]
    return line[: k - 1] + line[k:] if line[k - 1] == "-" else f"{line[:k]}-{line[k:]}"


def changed_line(lines: Lines, rng: Random) -> Lines:
    """One digit or sign of one line."""
    k = rng.randrange(len(lines))
    return [*lines[:k], rng.choice((digit, sign))(lines[k], rng), *lines[k + 1 :]]


def header_of(lines: Lines, k: int) -> int:
    return max(h for h in range(k) if not is_row(lines[h]))


def resized(lines: Lines, header: int, by: int) -> Lines:
    fields = json.loads(lines[header])
    fields["rows"] += by
    return [*lines[:header], json.dumps(fields), *lines[header + 1 :]]


def removed(lines: Lines, rng: Random) -> Lines:
    """A row less; the number of rows fits."""
    k = rng.choice([k for k, line in enumerate(lines) if is_row(line)])
    return [*resized(lines, header_of(lines, k), -1)[:k], *lines[k + 1 :]]


def doubled(lines: Lines, rng: Random) -> Lines:
    """A row twice; the number of rows fits."""
    k = rng.choice([k for k, line in enumerate(lines) if is_row(line)])
    return [*resized(lines, header_of(lines, k), 1)[: k + 1], *lines[k:]]


def dropped_line(lines: Lines, rng: Random) -> Lines:
    k = rng.randrange(len(lines))
    return lines[:k] + lines[k + 1 :]


def repeated_line(lines: Lines, rng: Random) -> Lines:
    k = rng.randrange(len(lines))
    return lines[: k + 1] + lines[k:]


def exchanged(lines: Lines, rng: Random) -> Lines:
    """Two lines in each other's place."""
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines = list(lines)
    lines[i], lines[j] = lines[j], lines[i]
    return lines


def other_proof(lines: Lines, rng: Random) -> Lines:
    """The proof of another row."""
    rows = [k for k, line in enumerate(lines) if is_row(line) and not is_input(lines, k)]
    if not rows:
        return changed_line(lines, rng)
    i, j = rng.choice(rows), rng.choice(rows)
    row = [json.loads(lines[i])[0], *json.loads(lines[j])[1:]]
    return [*lines[:i], json.dumps(row), *lines[i + 1 :]]


def is_input(lines: Lines, k: int) -> bool:
    return "input" in json.loads(lines[header_of(lines, k)])


def other_field(lines: Lines, rng: Random) -> Lines:
    """A claim about another input, of another kind, or with opposites or without."""
    k = rng.choice([k for k, line in enumerate(lines) if "claim" in line])
    fields = json.loads(lines[k])
    values: dict[str, list[Any]] = {
        "inputs": [["W"], ["W1"], ["W2"], ["W2", "W1"], ["W1", "W1"], []],
        "says": ["answers", "complete", "different", "count", "centered", "same cosines"],
        "of": ["sign vectors", "rankings"],
        "opposites": [0, 1],
        "within": ["P", "E", "W"],
        "equations": ["P", "E", "W"],
    }
    name = rng.choice(list(values))
    fields[name] = rng.choice(values[name])
    return [*lines[:k], json.dumps(fields), *lines[k + 1 :]]


CHANGES: list[Callable[[Lines, Random], Lines]] = [
    *[changed_line] * 6,
    *(removed, doubled, dropped_line, repeated_line, exchanged, other_proof, other_field),
]


def fitted(lines: Lines) -> bytes:
    """The file of these lines, with a last line that fits."""
    text = "".join(f"{line}\n" for line in lines).encode()
    claims = sum('"claim"' in line for line in lines)
    end = {"end": len(lines), "claims": claims, "sha256": hashlib.sha256(text).hexdigest()}
    return text + json.dumps(end).encode() + b"\n"


def accepted(octets: bytes) -> bool:
    try:
        return bool(list(checker.check(checker.Reader(io.BytesIO(octets)))))
    except Exception:
        return False


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lines]:
    """Lines of a file of each kind, without the last one."""
    path, found = tmp_path_factory.mktemp("certificates") / "file.jsonl", {}
    for name, (answer, given) in ANSWERS.items():
        write_certificate(answer, path, **given)
        assert accepted(path.read_bytes()) and claims_hold(path.read_bytes())
        found[name] = path.read_text().splitlines()[:-1]
    return found


def mutations(written: dict[str, Lines], number: int, seed: int) -> Counter[str]:
    """Change files at random; how many were refused, and how many are still true."""
    rng, tally = Random(seed), Counter[str]()
    while sum(tally.values()) < number:
        for name, lines in written.items():
            changed = rng.choice(CHANGES)(lines, rng)
            if [*map(json_or_text, changed)] == [*map(json_or_text, lines)]:
                continue
            octets = fitted(changed)
            if not accepted(octets):
                tally["refused"] += 1
                continue
            assert claims_hold(octets), (name, octets.decode())
            tally["still true"] += 1
    return tally


def json_or_text(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def test_changed_files_are_refused(written: dict[str, Lines]) -> None:
    tally = mutations(written, 500, 0)
    assert tally["still true"] < tally["refused"] / 5


def test_ten_thousand_changed_files_are_refused(written: dict[str, Lines]) -> None:
    tally = mutations(written, 10_000, 1)
    assert tally["still true"] < tally["refused"] / 5


def test_the_oracle_sees_what_is_wrong(written: dict[str, Lines]) -> None:
    """Otherwise the tests above could not fail."""
    for name in ("sign vectors", "affine", "rankings", "H.1"):
        lines = written[name]
        header = max(k for k, line in enumerate(lines) if '"complete"' in line)
        shorter = resized(lines, header, -1)
        assert not claims_hold(fitted([*shorter[: header + 1], *lines[header + 2 :]]))
    count = [line.replace('"number": ', '"number": 1') for line in written["count"]]
    assert not claims_hold(fitted(count))
    for k, line in enumerate(written["questions"]):
        if line.startswith('["'):
            question, proof = json.loads(line)
            other = [1, 1, 1] if isinstance(proof[0], list) else [[0, 1]]
            lines = [*written["questions"]]
            lines[k] = json.dumps([question, other])
            assert not claims_hold(fitted(lines))
