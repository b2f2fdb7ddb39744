"""Claims about all that occurs in a polyhedron: true ones are proved, and no other.

What is true is decided by elimination in fractions (`claims.decide`), in coordinates in which the
polyhedron has full dimension.
"""

import io
import json
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from claims import decide

from arrangements import (
    Arrangement,
    Polyhedron,
    Rankings,
    ScoreModel,
    SignVectors,
    chambers,
    checker,
    count_chambers,
    count_rankings,
    generators,
    rankings,
    write_certificate,
)
from arrangements.errors import InputError, TooLargeError

Numbers = list[Fraction]


class Case:
    """Random rows, and a polyhedron: of facets in k coordinates u, and the others from these."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        self.n, self.k = rng.randint(1, 4), rng.randint(0, 3)
        self.d = self.k + rng.choice([0, 0, 1])
        if not self.d:
            self.k = self.d = 1
        size = rng.choice([1, 2, 4])

        def numbers(length: int) -> Numbers:
            scale = rng.choice([1, 1, 4, 6])
            return [Fraction(rng.randint(-size, size), scale) for _ in range(length)]

        self.W = [numbers(self.d) for _ in range(self.n)]
        self.b = [rng.choice([Fraction(0), *numbers(1)]) for _ in range(self.n)]
        self.facets = [numbers(self.k + 1) for _ in range(rng.randint(0, 5))]
        self.shift = [numbers(self.k + 1) for _ in range(self.d - self.k)]
        if rng.random() < 0.3 and self.facets and self.d == self.k:  # a facet is a row
            self.W[0], self.b[0] = self.facets[0][:-1], self.facets[0][-1]
        self.by_pairs = rng.random() < 0.5

    @property
    def is_good(self) -> bool:
        """Whether the facets leave inner points."""
        return decide(tuple(map(tuple, self.facets)), self.k)[0]

    @cached_property
    def polyhedron(self) -> Polyhedron:
        more = self.d - self.k
        A = [[-x for x in f[:-1]] + [Fraction(0)] * more for f in self.facets]
        c = [f[-1] for f in self.facets]
        E = [[-x for x in s[:-1]] + [Fraction(int(i == j)) for j in range(more)]
             for i, s in enumerate(self.shift)]  # fmt: skip
        f = [s[-1] for s in self.shift]
        if self.by_pairs:
            A, c = A + E + [[-x for x in row] for row in E], c + f + [-x for x in f]
            E, f = [], []
        shape = -1, self.d
        return Polyhedron(
            np.array(A, object).reshape(shape),
            np.array(c, object),
            equations=(np.array(E, object).reshape(shape), np.array(f, object)),
        )

    @cached_property
    def rows(self) -> list[Numbers]:
        """The rows (w, b) as functions of u."""
        found = []
        for w, b in zip(self.W, self.b, strict=True):
            row = [*w[: self.k], b]
            for weight, s in zip(w[self.k :], self.shift, strict=True):
                row = [x + weight * y for x, y in zip(row, s, strict=True)]
            found.append(row)
        return found

    def occurs(self, functions: list[Numbers]) -> bool:
        """Whether functions of u are positive at one point inside."""
        return decide(tuple(map(tuple, [*functions, *self.facets])), self.k)[0]

    def sign_vectors(self) -> set[str]:
        return {
            "".join(signs)
            for signs in product("+-", repeat=self.n)
            if self.occurs(
                [
                    [x if s == "+" else -x for x in row]
                    for s, row in zip(signs, self.rows, strict=True)
                ]
            )
        }

    def rankings(self) -> set[tuple[int, ...]]:
        return {
            order
            for order in permutations(range(self.n))
            if self.occurs(
                [
                    [x - y for x, y in zip(self.rows[i], self.rows[j], strict=True)]
                    for i, j in zip(order, order[1:], strict=False)
                ]
            )
        }


CASES = [case for case in map(Case, range(200)) if case.is_good]


def verdicts(path: Path) -> list[str]:
    with open(path, "rb") as stream:
        return list(checker.check(checker.Reader(io.BytesIO(stream.read()))))


def proved(path: Path, answer: Any, **about: Any) -> str:
    write_certificate(answer, path, **about)
    (found,) = verdicts(path)
    return found.split(": ")[1]


def is_refused(path: Path, answer: Any, **about: Any) -> bool:
    write_certificate(answer, path, **about)
    try:
        verdicts(path)
    except ValueError as error:
        return "1 of 1 claims" in str(error)
    return False


def test_cases_are_of_all_kinds() -> None:
    shapes = {(case.d - case.polyhedron.dimension, case.polyhedron.is_bounded) for case in CASES}
    assert len(CASES) > 100 and shapes >= {(0, True), (0, False), (1, True), (1, False)}
    assert sum(bool(case.polyhedron.lines) for case in CASES) > 5


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES[:60], ids=lambda case: str(case.n))
def test_sign_vectors(case: Case, tmp_path: Path) -> None:
    path, P = tmp_path / "c.jsonl", case.polyhedron
    if not all(any(row) for row in case.rows):
        W = [w for w, row in zip(case.W, case.b, strict=True) if any([*w, row])]
        if len(W) == case.n:  # a row that is zero in the polyhedron only
            A = Arrangement(np.array(case.W, object), np.array(case.b, object))
            assert not len(chambers(A, within=P))
            assert is_refused(path, 1, W=A, within=P)
        return
    A = Arrangement(np.array(case.W, object), np.array(case.b, object))
    number = len(case.sign_vectors())
    S = chambers(A, within=P)
    assert len(S) == number
    assert proved(path, S) == f"complete, {number} sign vectors, of 'W'"
    assert proved(path, number, W=A, within=P) == f"count, {number} sign vectors, of 'W'"
    for wrong in {number - 1, number + 1} - {0}:
        assert is_refused(path, wrong, W=A, within=P)
    if number > 1:
        assert proved(path, S[1:]).startswith(f"answers, {number - 1} sign vectors")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("case", CASES[60:], ids=lambda case: str(case.n))
def test_rankings(case: Case, tmp_path: Path) -> None:
    path, P = tmp_path / "c.jsonl.gz", case.polyhedron
    path = tmp_path / "c.jsonl"
    rows = [(*w, b) for w, b in zip(case.W, case.b, strict=True)]
    if len(set(rows)) < case.n:
        return
    model = ScoreModel(np.array(case.W, object), np.array(case.b, object))
    number = len(case.rankings())
    R = rankings(model.weights, model.offsets, within=P)
    assert len(R) == number
    if not number:
        assert is_refused(path, 1, W=model, within=P)
        return
    assert proved(path, R) == f"complete, {number} rankings, of 'W'"
    assert proved(path, number, W=model, within=P) == f"count, {number} rankings, of 'W'"
    assert is_refused(path, number + 1, W=model, within=P)
    if number > 1:
        assert is_refused(path, number - 1, W=model, within=P)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "P",
    [
        Polyhedron.box(-1, 1, dimension=4),
        Polyhedron.simplex(4),
        Polyhedron.cone(np.eye(4, dtype=int)),
    ],
)
def test_larger_lists(P: Polyhedron, tmp_path: Path) -> None:
    A = Arrangement(generators.generic(14, 4, 0).normals, np.arange(14) / 8)
    S = chambers(A, within=P)
    number = count_chambers(A, within=P, method="incremental")
    assert proved(tmp_path / "c", S) == f"complete, {number} sign vectors, of 'W'"
    W = generators.generic(7, 4, 0).normals
    R = rankings(W, within=P)
    assert proved(tmp_path / "c", R) == f"complete, {len(R)} rankings, of 'W'"
    assert len(R) == count_rankings(W, within=P)


def test_points_of_a_file_are_inside(tmp_path: Path) -> None:
    P = Polyhedron.simplex(3)
    write_certificate(chambers([[3, -1, 0], [0, 1, -2]], within=P), tmp_path / "c")
    lines = [json.loads(line) for line in (tmp_path / "c").read_text().splitlines()]
    claim = next(k for k, line in enumerate(lines) if isinstance(line, dict) and "claim" in line)
    assert lines[claim]["within"] == "P"
    for _, (*p, q) in lines[claim + 1 : -1]:
        assert sum(p) == q and min(p) > 0


def test_sets_that_do_not_know(tmp_path: Path) -> None:
    lines, box = [[1, 0], [0, 1], [1, 1]], Polyhedron.box(0, 1, dimension=2)
    about = {"W": lines, "offsets": [0, 0, -1], "within": box}
    S = SignVectors.from_array(["+++", "++-"])
    assert proved(tmp_path / "c", S, **about) == "complete, 2 sign vectors, of 'W'"
    assert proved(tmp_path / "c", S[:1], **about).startswith("answers, 1 ")
    S = chambers(lines, [0, 0, -1], within=box)
    assert proved(tmp_path / "c", S, within=box).startswith("complete, 2 ")
    everywhere = chambers(lines)  # one of each two opposites is stored
    assert proved(tmp_path / "c", everywhere, within=Polyhedron.box(-1, 1, dimension=2)) == (
        "complete, 6 sign vectors, of 'W'"
    )
    R = Rankings.from_array([[1, 0]])
    about = {"W": [[1, 0], [0, 1]], "within": ([[1, -1]], [0])}
    assert proved(tmp_path / "c", R, **about) == "complete, 1 rankings, of 'W'"
    turned = rankings([[1], [2], [3]])
    assert proved(tmp_path / "c", turned, within=Polyhedron.box([-1], [1])) == (
        "complete, 2 rankings, of 'W'"
    )


def test_what_does_not_fit(tmp_path: Path) -> None:
    lines, box = [[1, 0], [0, 1]], Polyhedron.box(0, 1, dimension=2)
    path = tmp_path / "none"
    S, R = chambers(lines, within=box), rankings(lines, within=box)
    for found in (S, R):
        with pytest.raises(InputError, match="within is not the polyhedron that these"):
            write_certificate(found, path, within=Polyhedron.box(0, 2, dimension=2))
        with pytest.raises(InputError, match="in dimension 2, as W has columns"):
            write_certificate(found, path, within=Polyhedron.simplex(3))
    with pytest.raises(InputError, match="do not occur|does not occur"):
        write_certificate(SignVectors.from_array(["--"]), path, W=lines, within=box)
    with pytest.raises(InputError, match="does not occur"):
        write_certificate(Rankings.from_array([[0, 1]]), path, W=lines, within=([[1, -1]], [0]))
    with pytest.raises(InputError, match="within was given without a matrix W"):
        write_certificate(3, path, within=box)
    assert not path.exists()


def test_polyhedra_of_many_vertices(tmp_path: Path) -> None:
    box = Polyhedron.box(0, 1, dimension=12)
    W = np.zeros((2, 12), int)
    W[:, :2] = [[1, -1], [1, -2]]
    found = chambers(W, within=box)
    assert (
        proved(tmp_path / "c", found)
        == f"answers, {len(found)} sign vectors ({len(found)} occur), of 'W'"
    )
    with pytest.raises(TooLargeError, match="more than 1024 vertices"):
        write_certificate(len(found), tmp_path / "none", W=W, within=box)
