"""Sign vectors inside polyhedra, with zeros and equations: by an oracle, with proofs and files."""

import tempfile
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from sympy import sqrt

from arrangements import (
    Arrangement,
    Certificate,
    Certificates,
    Polyhedron,
    audit,
    can_be_top,
    chambers,
    checker,
    feasible,
    feasible_many,
    write_certificate,
)
from arrangements.errors import InputError
from arrangements.optimize import best_ranking

Row = list[Fraction]
TRIANGLE = [[1, 0], [0, 1], [1, 1]]
SQUARE = Polyhedron.box(0, 1, dimension=2)


def has_point(rows: list[tuple[Row, str]], d: int) -> bool:
    """Whether functions (w, b) can be positive (+), 0 or not negative (>) together.

    By Fourier and Motzkin: the last variable is eliminated.
    """
    rows = list(dict.fromkeys((tuple(row), kind) for row, kind in rows))  # type: ignore[misc]
    if d == 0:
        test = {"+": lambda b: b > 0, "0": lambda b: b == 0, ">": lambda b: b >= 0}
        return all(test[kind](row[-1]) for row, kind in rows)
    k = d - 1
    equal = next((row for row, kind in rows if kind == "0" and row[k]), None)
    if equal is not None:
        left = [([a - row[k] / equal[k] * b for a, b in zip(row, equal, strict=True)], kind)
                for row, kind in rows]  # fmt: skip
        return has_point([(row[:k] + row[k + 1 :], kind) for row, kind in left], k)
    low, high = ([r for r in rows if r[0][k] * s > 0] for s in (1, -1))
    left = [(list(row), kind) for row, kind in rows if not row[k]]
    for (f, one), (g, other) in product(low, high):
        row = [a * -g[k] + b * f[k] for a, b in zip(f, g, strict=True)]
        left.append((row, "+" if "+" in (one, other) else ">"))
    return has_point([(row[:k] + row[k + 1 :], kind) for row, kind in left], k)


class Case:
    """A random tiny question."""

    def __init__(self, seed: int) -> None:
        rng = self.rng = Random(seed)
        self.d, self.size = rng.randint(1, 3), rng.randint(1, 2)
        n, m = rng.randint(1, 4), rng.randint(0, 5)
        k, e = rng.choice([0, 0, 0, 1, 2]), rng.choice([0, 0, 0, 1])
        self.W, self.b = self.system(n)
        self.A, self.c = self.system(m)
        self.E, self.f = self.system(k)
        self.G, self.h = self.system(e)
        if seed % 3 == 0:
            self.c[:], self.f[:] = 0, 0  # a cone
        if seed % 4 == 0 and m:  # a facet is a row
            self.A[0], self.c[0] = -self.W[0], self.b[0]
        if seed % 5 == 0 and m > 1:  # flat, or empty
            self.A[1], self.c[1] = -self.A[0], -self.c[0]
        self.P = Polyhedron(self.A, self.c, equations=(self.E, self.f))
        self.options: dict[str, Any] = {"offsets": self.b, "within": self.P}
        if e:
            self.options["equations"] = self.G, self.h

    def system(self, rows: int) -> tuple[Any, Any]:
        values = [
            [self.rng.randint(-self.size, self.size) for _ in range(self.d + 1)]
            for _ in range(rows)
        ]
        found = np.array(values, np.int64).reshape(rows, self.d + 1)
        return found[:, :-1], found[:, -1]

    def answer(self, signs: str) -> bool:
        """By elimination."""

        def rows(left: Any, right: Any, factor: int = 1) -> list[Row]:
            return [[*(Fraction(factor * int(x)) for x in w), Fraction(-factor * int(b))]
                    for w, b in zip(left, right, strict=True)]  # fmt: skip

        inequalities, equations = rows(self.A, self.c, -1), rows(self.E, self.f)
        fixed = [(row, "0") for row in equations]
        closed = [*fixed, *((row, ">") for row in inequalities)]
        if not has_point(closed, self.d):
            return False
        # an inequality is strict in the relative interior if it is somewhere
        strict = [has_point([*closed, (row, "+")], self.d) for row in inequalities]
        conditions = [(row, "+" if s else "0") for row, s in zip(inequalities, strict, strict=True)]
        conditions += [*fixed, *((row, "0") for row in rows(self.G, self.h))]
        for sign, row in zip(signs, rows(self.W, -self.b), strict=True):
            if sign != "*":
                conditions.append(([-x for x in row], "+") if sign == "-" else (row, sign))
        return has_point(conditions, self.d)


def check_file(found: Certificate | Certificates) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "c.jsonl")
        write_certificate(found, path)
        verdicts: list[str] = []
        assert checker.main(path, verdicts.append) == 0, (verdicts, Path(path).read_text())


def trial(seeds: range) -> Counter[tuple[Any, ...]]:
    tally: Counter[tuple[Any, ...]] = Counter()
    for seed in seeds:
        case = Case(seed)
        texts = ["".join(case.rng.choice("+-0*") for _ in case.W) for _ in range(4)]
        many = feasible_many(case.W, texts, **case.options)
        assert many.verify()
        for i, text in enumerate(texts):
            expected = case.answer(text)
            one = feasible(case.W, text, **case.options)
            assert one.feasible == expected == bool(many.feasible[i]), (seed, text)
            assert one.verify() and many[i].signs == one.signs
            tally[case.P.dimension - case.d if case.P.dimension >= 0 else "empty", expected] += 1
        if seed % 10 == 0:
            check_file(many)
            check_file(one)
    return tally


@pytest.mark.slow
def test_random_questions() -> None:
    tally = trial(range(60))
    assert all(tally[kind, answer] > 3 for kind in (0, -1) for answer in (True, False))
    assert tally["empty", False] > 10


@pytest.mark.slow
def test_thousands_of_random_questions() -> None:
    trial(range(60, 3000))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(12))
def test_the_chambers_within_are_those_that_occur(seed: int) -> None:
    case = Case(seed)
    case.W[~case.W.any(axis=1), 0] = 1
    listed = {tuple(row) for row in chambers(case.W, case.b, within=case.P).to_array().tolist()}
    every = list(product((-1, 1), repeat=len(case.W)))
    found = feasible_many(case.W, np.array(every), offsets=case.b, within=case.P)
    assert {signs for signs, yes in zip(every, found.feasible, strict=True) if yes} == listed
    assert found.verify()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("time_limit", [None, 1e6])
@pytest.mark.parametrize("kind", ["box", "simplex", "cone"])
def test_many_sign_vectors(kind: str, time_limit: float | None) -> None:
    """In bulk and one by one."""
    rng = np.random.default_rng(0)
    n, d = 12, 4
    W, b = rng.standard_normal((n, d)), 0.3 * rng.standard_normal(n)
    P = {
        "box": Polyhedron.box(-1, 1, dimension=d),
        "simplex": Polyhedron.simplex(d),
        "cone": Polyhedron(-np.eye(d), np.zeros(d)),
    }[kind]
    signs = np.where(rng.random((60, d)) @ W.T + b > 0, 1, -1)
    signs = np.concatenate([signs, rng.choice([-1, 1], (60, n))])
    found = feasible_many(W, signs, offsets=b, within=P, time_limit=time_limit)
    assert found.verify() and found.decided.all()
    expected = [feasible(W, row, offsets=b, within=P).feasible for row in signs]
    assert found.feasible.tolist() == expected and 10 < sum(expected) < 110
    on = [np.flatnonzero(row > 0).tolist() for row in signs]
    again = feasible_many(W, on=on, offsets=b, within=P, time_limit=time_limit)
    assert again.feasible.tolist() == expected
    check_file(found[::12])


def test_one_question_about_many_rows() -> None:
    rng = np.random.default_rng(1)
    W, x = rng.standard_normal((400, 30)), rng.random(30)
    signs = np.sign(W @ x).astype(int)
    for P in (Polyhedron.box(0, 1, dimension=30), Polyhedron.simplex(30)):
        yes = feasible(W, signs, within=P)
        assert yes and yes.verify()
        no = feasible(W, np.where(np.arange(400) == 7, -signs, signs), within=P)
        assert not no and no.verify()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("signs", ["+++", "++-", "0+*", "*00"])
def test_irrational_numbers(signs: str) -> None:
    W, b = [[1, sqrt(2)], [sqrt(3), -1], [0, 1]], [0, -1, sqrt(2)]
    for P in (SQUARE, Polyhedron([[1, 1], [-1, 0]], [sqrt(5), 0]), Polyhedron.simplex(2)):
        found = feasible(W, signs, offsets=b, within=P)
        assert found.verify()
        many = feasible_many(W, [signs], offsets=b, within=P)
        assert many.verify() and many.feasible.tolist() == [found.feasible]
    found = feasible(W, signs, offsets=b, equations=([[sqrt(2), 1]], [1]))
    assert found.verify()


def test_certificates_are_kept(tmp_path: Path) -> None:
    for within, equations in (
        (SQUARE, None),
        (None, ([[1, -1]], [0])),
        (SQUARE, ([[0.5, -1]], [0])),
    ):
        found = feasible_many(TRIANGLE, ["+++", "0*-", "++*"], within=within, equations=equations)
        found.save(tmp_path / "c.npz")
        again = Certificates.load(tmp_path / "c.npz")
        assert again.verify() and [*map(repr, again)] == [*map(repr, found)]
        assert again[[2, 0]].feasible.tolist() == found.feasible[[2, 0]].tolist()
        assert again[1].within == within


def test_proofs_that_are_wrong_do_not_verify() -> None:
    A, no = Arrangement(TRIANGLE), feasible(TRIANGLE, "*0*", within=SQUARE)
    assert no.weights is not None and no.terms == [("1", 0, -1), ("inequality 1 of within", 1, 1)]
    rest = (None, no.weights, None)
    assert Certificate(A, no.signs, False, *rest, SQUARE).verify()
    assert not Certificate(A, no.signs, False, *rest).verify()
    assert not Certificate(A, (None, None, None), False, *rest, SQUARE).verify()
    assert not Certificate(A, no.signs, False, *rest, Polyhedron.simplex(2)).verify()
    segment = Polyhedron([[0, 1], [0, -1]], [0, 0])  # where row 1 is zero everywhere
    weights = [0, -1, 0, 0, 1]
    assert not Certificate(A, no.signs, False, None, weights, None, segment).verify()
    for i in range(len(no.weights)):
        changed = [y + (j == i) for j, y in enumerate(no.weights)]
        assert not Certificate(A, no.signs, False, None, changed, None, SQUARE).verify()
    for point, answer in (((1, 1), False), ((2, 2), False), ((Fraction(1, 2),) * 2, True)):
        made = Certificate(A, (1, 1, 1), True, point, None, None, SQUARE)
        assert made.verify() == answer
    line = Arrangement([[1, -1]])
    assert not Certificate(A, (1, 1, 1), True, (1, 2), None, line).verify()
    empty = Polyhedron([[1, 0], [-1, 0]], [0, -1])
    assert not Certificate(A, (1, 1, 1), True, (1, 2), None, None, empty).verify()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"within": [[1, 0]]}, r"within is .*expected a Polyhedron, .* or a pair \(A, c\)"),
        ({"equations": [[1, 0]]}, r"equations is .*expected a pair \(E, f\)"),
        ({"equations": ([[1]], [1])}, r"equations\[0\] has shape \(1, 1\); expected \(q, 2\)"),
        ({"within": SQUARE, "rank": 1}, "within was given with rank=1"),
    ],
)
def test_messages(arguments: dict[str, Any], message: str) -> None:
    for ask in (feasible, lambda W, signs, **more: feasible_many(W, [signs], **more)):
        with pytest.raises(InputError, match=message):
            ask(TRIANGLE, "+++", **arguments)  # type: ignore[operator]


def test_irrational_points_are_read_again(tmp_path: Path) -> None:
    q = sqrt(2)
    flat = feasible_many([[1, 0]], ["+"], within=([[1, 1], [-1, -1]], [q, -q]))
    equal = feasible_many([[1, q]], ["+"], equations=([[q, 0]], [1]))
    top = can_be_top([[1, 0], [0, q], [q, 1]], within=([[1, 1], [-1, -1]], [q, -q]))
    for found in (flat, equal, top):
        found.save(tmp_path / "proofs.npz")
        again = Certificates.load(tmp_path / "proofs.npz")
        assert again.verify() and [c.point for c in again] == [c.point for c in found]


def test_no_row_within_a_point() -> None:
    point = ([[1], [-1]], [0, 0])
    assert feasible_many(np.zeros((0, 1)), [""], within=point).feasible.tolist() == [True]
    assert best_ranking([[1]], [0], within=point).value == 0
    found = audit([[1], [2]], sets=[[0], []], within=point)
    assert list(found.set_proofs) == list(audit([[0], [0]], sets=[[0], []]).set_proofs)
