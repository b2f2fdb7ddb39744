"""Answers of all kinds are written, and the checker proves them."""

import json
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrangements
from arrangements import (
    Arrangement,
    Rankings,
    ScoreModel,
    SignVectors,
    argmax_labels,
    can_be_top,
    chambers,
    checker,
    count_rankings,
    feasible,
    feasible_many,
    generators,
    rankings,
    write_certificate,
)
from arrangements.core.score_model import of_pairs
from arrangements.errors import InputError, InputTypeError, TooLargeError
from arrangements.paper import examples, verify
from arrangements.proofs.points import chamber_points, ranking_points

RNG = np.random.default_rng(0)
W, B = RNG.standard_normal((6, 3)), RNG.standard_normal(6)


def proved(path: Path) -> list[str]:
    """What the checker says, without the number of the claim."""
    with open(path, "rb") as stream:
        return [verdict.split(": ")[1] for verdict in checker.check(checker.Reader(stream))]


def written(tmp_path: Path, answer: Any, **given: Any) -> list[str]:
    write_certificate(answer, tmp_path / "c.jsonl", **given)
    return proved(tmp_path / "c.jsonl")


def fields(path: Path) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in lines if isinstance(line, dict)]


@pytest.mark.parametrize(
    "A",
    [
        Arrangement(W),
        Arrangement(W, B),
        Arrangement([[1, 0], [0, 1], [0, 2], [0, -1]]),
        Arrangement([[0, 0], [1, 2]], [1, 0]),
        Arrangement(np.zeros((0, 3))),
        Arrangement([[Fraction(1, 3), 7], [2**70, 1]], [0, 1]),
        Arrangement([[1e-200, 1e150], [3.0, -1e-60], [5e-324, 1]]),
        Arrangement([[1, 2], [2, 4]]),
        generators.resonance(4),
        generators.semiorder(3),
        generators.generic(70, 2, 0),
    ],
    ids=str,
)
def test_complete_lists_of_chambers(A: Arrangement, tmp_path: Path) -> None:
    S = chambers(A)
    assert written(tmp_path, S) == [f"complete, {len(S)} sign vectors, of 'W'"]


@pytest.mark.parametrize(
    ("weights", "offsets"),
    [
        (W, None),
        (W, B),
        (W, np.full(6, 3)),
        ([[1, 5]], None),
        ([[1], [2]], None),
        ([[0], [0], [1]], [1, 2, 0]),
        ([[2**70], [2**70 + 1], [0]], None),
        (np.eye(4), None),
    ],
)
def test_complete_lists_of_rankings(weights: Any, offsets: Any, tmp_path: Path) -> None:
    R = rankings(weights, offsets)
    assert written(tmp_path, R) == [f"complete, {len(R)} rankings, of 'W'"]


def test_parts_are_never_called_complete(tmp_path: Path) -> None:
    S, T, R = chambers(W), chambers(W, B), rankings(W)
    parts = [
        *(chambers(W, limit=5), S[:5], S - S[:5], S & S[3:9], S[:4] | S[8:9], T[2:]),
        *(rankings(W, limit=5), R[1:], R & R[:7]),
    ]
    for part in parts:
        (verdict,) = written(tmp_path, part)
        assert verdict.startswith(f"answers, {len(part)} ") and f"({len(part)} occur)" in verdict


def test_sets_made_by_hand_need_their_matrix(tmp_path: Path) -> None:
    plane = [[1, 0], [0, 1], [1, 1]]
    S = SignVectors.from_array(["+++", "---"])
    assert written(tmp_path, S, W=plane) == ["answers, 2 sign vectors (2 occur), of 'W'"]
    R = Rankings.from_array([[2, 1, 0]])
    assert written(tmp_path, R, W=plane) == ["answers, 1 rankings (1 occur), of 'W'"]
    assert written(tmp_path, R, W=ScoreModel(plane)) == ["answers, 1 rankings (1 occur), of 'W'"]
    with pytest.raises(InputError, match="belong to no arrangement; pass W"):
        write_certificate(S, tmp_path / "none")
    with pytest.raises(InputError, match="have no weights; pass W"):
        write_certificate(R, tmp_path / "none")
    with pytest.raises(InputError, match="do not occur"):
        write_certificate(SignVectors.from_array(["++-"]), tmp_path / "none", W=plane)
    with pytest.raises(InputError, match="does not occur"):
        write_certificate(Rankings.from_array([[0, 2, 1]]), tmp_path / "none", W=[[0], [1], [2]])
    with pytest.raises(InputError, match="3 signs, but W has 2 rows"):
        write_certificate(S, tmp_path / "none", W=plane[:2])
    with pytest.raises(InputError, match="are not the numbers"):
        write_certificate(chambers(plane), tmp_path / "none", W=plane, offsets=[1, 2, 3])
    with pytest.raises(InputError, match="are not the numbers"):
        write_certificate(rankings(plane), tmp_path / "none", W=plane, offsets=[1, 2, 3])
    with pytest.raises(InputError, match="is a ScoreModel"):
        write_certificate(S, tmp_path / "none", W=ScoreModel(plane))
    assert not (tmp_path / "none").exists()


def test_single_questions_and_batches(tmp_path: Path) -> None:
    yes, no, either = (feasible(W, signs, offsets=B) for signs in ("++++++", "+-+-+-", "+**-**"))
    for proof in (yes, no, either):
        occurs = int(bool(proof))
        assert written(tmp_path, proof) == [f"answers, 1 sign vectors ({occurs} occur), of 'W'"]
    number = sum(map(bool, (yes, no, either)))
    for batch in ([yes, no, either], iter([no, either, yes, no])):
        assert written(tmp_path, batch) == [f"answers, 3 sign vectors ({number} occur), of 'W'"]
    with pytest.raises(InputError, match="about different numbers"):
        write_certificate([yes, feasible(W, "++++++")], tmp_path / "none")
    wrong = arrangements.Certificate(yes.arrangement, yes.signs, False, weights=(0,) * 6)
    with pytest.raises(InputError, match="proves nothing"):
        write_certificate(wrong, tmp_path / "none")


def test_many_questions(tmp_path: Path) -> None:
    weights = [[0, 0], [4, 0], [0, 4], [1, 1], [1, 1], [3, 1], [2, 2]]
    offsets = [0, 0, 1, 0, 0, -1, 0]
    for b in (None, offsets):
        for size, ordered in ((1, False), (2, False), (2, True), (3, True)):
            pick = permutations if ordered else combinations
            C = can_be_top(weights, list(pick(range(7), size)), offsets=b, ordered=ordered)
            assert 0 < C.feasible.sum() < len(C)
            yes = C.feasible.sum()
            assert written(tmp_path, C) == [f"answers, {len(C)} rankings ({yes} occur), of 'W'"]
            assert written(tmp_path, C[int(C.feasible.argmin())]) == [
                "answers, 1 rankings (0 occur), of 'W'"
            ]
    C = feasible_many(W, on=[[0], [1, 2], [0, 1, 2, 3]], offsets=B)
    D = can_be_top(W, [[0], [1]], offsets=B)
    assert written(tmp_path, [C, D]) == [
        f"answers, 3 sign vectors ({C.feasible.sum()} occur), of 'W'",
        f"answers, 2 rankings ({D.feasible.sum()} occur), of 'W'",
    ]
    with pytest.raises(InputError, match="about different numbers"):
        write_certificate([C, can_be_top(W, [[0]])], tmp_path / "none")


def test_numbers(tmp_path: Path) -> None:
    assert written(tmp_path, 14, W=np.eye(3).tolist() + [[1, 1, 1]]) == [
        "count, 14 sign vectors, of 'W'"
    ]
    assert written(tmp_path, np.int64(7), W=[[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1]) == [
        "count, 7 sign vectors, of 'W'"
    ]
    number = count_rankings(W, B)
    model = ScoreModel(W, B)
    assert written(tmp_path, number, W=model) == [f"count, {number} rankings, of 'W'"]
    with pytest.raises(ValueError, match="1 of 1 claims"):
        written(tmp_path, number + 1, W=model)
    with pytest.raises(InputError, match="does not say what it counts"):
        write_certificate(7, tmp_path / "none")


def test_what_is_asked_about_is_the_matrix_used(tmp_path: Path) -> None:
    product = RNG.standard_normal((6, 2)) @ RNG.standard_normal((2, 4))
    S = chambers(product, rank=2)
    assert written(tmp_path, S) == ["complete, 12 sign vectors, of 'W'"]
    note = fields(tmp_path / "c.jsonl")[1]["note"]
    assert note.startswith("the exact matrix of rank 2 that the numbers given were meant to be")
    written(tmp_path, rankings([[1], [1], [2]], ties="drop"))
    note = fields(tmp_path / "c.jsonl")[1]["note"]
    assert note == "without the labels 1 (ties with 0) of the numbers given"


def test_counter_examples_of_the_paper(tmp_path: Path) -> None:
    mislead = "misleading cosines, 3 rankings, of 'W'"
    assert written(tmp_path, examples.unrestricted()) == [mislead]
    assert written(tmp_path, examples.centered()) == ["centered, of 'W'", mislead]
    assert written(tmp_path, examples.centered_unit_length()) == [
        *("centered, of 'W'", "unit rows, of 'W'", mislead)
    ]
    assert written(tmp_path, examples.shortened_row()) == [
        "same cosines, of 'W1', 'W2'",
        "complete, 6 sign vectors, of 'W1', 'W2'",
        "different, 8 rankings, of 'W1', 'W2'",
    ]
    assert written(tmp_path, examples.bjorner()) == [
        "constant column, of 'W1', 'W2'",
        "complete, 22 sign vectors, of 'W1', 'W2'",
        "different, 4 rankings, of 'W1', 'W2'",
    ]


def test_reports_of_verify(tmp_path: Path) -> None:
    write_certificate(verify(["C.2", "H.1", "3.1"]), tmp_path / "c.jsonl")
    inputs = [line["input"] for line in fields(tmp_path / "c.jsonl") if "input" in line]
    assert inputs == ["Appendix C.2: W", "Theorem H.1: W1", "Theorem H.1: W2"]
    with open(tmp_path / "c.jsonl", "rb") as stream:
        assert len(list(checker.check(checker.Reader(stream)))) == 5
    with pytest.raises(InputError, match="none of these statements"):
        write_certificate(verify("3.1"), tmp_path / "none")
    (result,) = verify("H.1")
    with pytest.raises(InputError, match="did not hold"):
        write_certificate(result._replace(ok=False), tmp_path / "none")


@pytest.mark.parametrize("answer", [None, "++-", [], [1, 2], {}, 1.5, True, W, object()])
def test_other_answers(answer: Any, tmp_path: Path) -> None:
    with pytest.raises((InputError, InputTypeError), match="answer"):
        write_certificate(answer, tmp_path / "none")


def test_files_are_the_same_each_time_and_compressed(tmp_path: Path) -> None:
    S = chambers(W)
    for name in ("a.jsonl", "b.jsonl", "a.jsonl.gz", "b.jsonl.gz"):
        write_certificate(S, tmp_path / name)
    sizes = [(tmp_path / name).read_bytes() for name in ("a.jsonl", "b.jsonl")]
    assert sizes[0] == sizes[1]
    packed = [(tmp_path / name).read_bytes() for name in ("a.jsonl.gz", "b.jsonl.gz")]
    assert packed[0] == packed[1] and len(packed[0]) < len(sizes[0])
    assert checker.main(str(tmp_path / "a.jsonl.gz")) == 0


@pytest.mark.slow
def test_very_large_numbers(tmp_path: Path) -> None:
    """Those that Python does not print are written in hexadecimal; larger entries are refused."""
    near = [[1, 0], [10**4100, 1], [10**4200, -1]]
    assert written(tmp_path, chambers(near)) == ["complete, 6 sign vectors, of 'W'"]
    proof = feasible([[3**8000, 1, 0], [0, 5**5000, 2], [7**4000, 0, 1], [1, 1, 1]], "++++")
    assert written(tmp_path, proof) == ["answers, 1 sign vectors (1 occur), of 'W'"]
    with pytest.raises(InputError, match="an entry of 16610 bits"):
        write_certificate(chambers([[10**5000]]), tmp_path / "none")


@pytest.mark.slow
def test_points_are_short_and_right() -> None:
    A = Arrangement(RNG.standard_normal((30, 4)))
    signs = chambers(A)[:2000].to_array()
    points = chamber_points(A, signs)
    exact = np.array([[Fraction(x) for x in row] for row in A.normals.tolist()], object)
    values = np.array([p[:-1] for p in points], object) @ exact.T
    assert (values * signs > 0).all() and all(p[-1] == 1 for p in points)
    assert np.median(np.abs(points)) < 40
    affine = Arrangement(A.normals[:12], RNG.standard_normal(12))
    signs = chambers(affine).to_array()
    points = np.array(chamber_points(affine, signs), object)
    constants = np.array([Fraction(x) for x in affine.offsets.tolist()], object)
    values = points[:, :-1] @ exact[:12].T + points[:, -1:] * constants
    assert (values * signs > 0).all() and (points[:, -1] > 0).all()


def test_points_of_rankings() -> None:
    for offsets in (None, B):
        R = rankings(W, offsets)
        orders = R.to_array()
        for point, order in zip(ranking_points(R.model, orders), orders, strict=True):
            walls = of_pairs(R.model, order[:-1], order[1:])
            x = [Fraction(p, point[-1]) for p in point[:-1]]
            proof = arrangements.Certificate(walls, (1,) * 5, True, point=x)
            assert point[-1] > 0 and proof.verify()


@pytest.mark.slow
def test_what_cannot_be_proved_is_not_written(tmp_path: Path) -> None:
    S, R = chambers(W), rankings(W)
    for nothing in (S - S, R - R):
        with pytest.raises(InputError, match="the set is empty"):
            write_certificate(nothing, tmp_path / "none")
    primes = [p for p in range(2**16, 2**17) if all(p % q for q in range(2, 363))]
    many = [[Fraction(1, p), 1] for p in primes]
    with pytest.raises(TooLargeError, match="common denominator"):
        write_certificate(feasible(many, "+" + "*" * (len(many) - 1)), tmp_path / "none")
    with pytest.raises(InputTypeError, match="the answer is 6.0; expected"):
        write_certificate(6.0, tmp_path / "none", W=W)  # type: ignore[arg-type]
    assert not (tmp_path / "none").exists()


def test_equal_offsets_are_stated(tmp_path: Path) -> None:
    weights, offsets = [[1, 0], [0, 1], [1, 1]], [3, 3, 3]
    proofs = [
        can_be_top(weights, [[0], [2]], offsets=offsets),
        feasible_many(weights, ["+++"], offsets=offsets),
    ]
    assert len(written(tmp_path, proofs)) == 2
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()[2:5]]
    assert rows == [[1, 0, 3], [0, 1, 3], [1, 1, 3]]


ENTRIES = {
    "whole": lambda rng: int(rng.integers(-2, 3)),
    "fractions": lambda rng: Fraction(int(rng.integers(-5, 6)), int(rng.integers(1, 5))),
    "floats": lambda rng: float(rng.standard_normal()),
    "extreme": lambda rng: float(rng.choice([1e300, -1e-300, 5e-324, 0.0, -0.0, 1.0])),
    "large": lambda rng: int(rng.choice([0, 1, -3])) * 2**70 + int(rng.integers(0, 3)),
    "near": lambda rng: float(rng.choice([1.0, np.nextafter(1.0, 2), -1.0, 1 / 3])),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENTRIES)
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_random_answers(kind: str, tmp_path: Path) -> None:
    """What is written is proved, states the input exactly, and claims what the answer says."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        rows = [[ENTRIES[kind](rng) for _ in range(d)] for _ in range(n)]
        rows[0] = rows[1] if rng.random() < 0.3 else rows[0]
        b = [ENTRIES[kind](rng) for _ in range(n)] if rng.random() < 0.5 else None
        stated = [[*map(Fraction, (*row, c))] for row, c in zip(rows, b or [0] * n, strict=True)]
        asked = list(permutations(range(n), 2))
        answers: list[Any] = [can_be_top(rows, asked, offsets=b, ordered=True)]
        everything: list[Any] = []
        if all(map(any, stated)):
            everything.append(signs := chambers(rows, b))
            answers += [feasible(rows, "".join(rng.choice(["+", "-", "*"], n)), offsets=b)]
            answers += [signs[: len(signs) // 2]] if len(signs) > 1 else []
        if len({*map(tuple, stated)}) == n:
            everything.append(orders := rankings(rows, b))
            answers += [orders[1:]] if len(orders) > 1 else []
        for answer in (*everything, *answers):
            (verdict,) = written(tmp_path, answer)
            whole = any(answer is one for one in everything)
            assert verdict.startswith("complete" if whole else "answers")
            lines = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
            read = [[*map(_number, row)] for row in lines[2 : n + 2]]
            assert read == stated
            if isinstance(answer, SignVectors | Rankings):
                assert f" {len(answer)} " in verdict
            elif isinstance(answer, arrangements.Certificate):
                assert f"({int(bool(answer))} occur)" in verdict
            else:
                occur = {tuple(q): isinstance(p[0], int) for (*q,), p in _tops(lines[n + 3 : -1])}
                assert occur == dict(zip(asked, answer.feasible.tolist(), strict=True))


def _number(entry: int | str) -> Fraction:
    text = str(entry)
    return Fraction(float.fromhex(text)) if "x" in text else Fraction(text)


def _tops(rows: list[Any]) -> list[Any]:
    return [([label for (label,) in question], proof) for question, proof in rows]


@pytest.mark.parametrize("about", [None, [[1, 0], [0, 1]]])
def test_answers_without_proofs_say_what_has_them(tmp_path: Path, about: Any) -> None:
    with pytest.raises(InputTypeError, match=r"pass can_be_top\(W, answer\)"):
        write_certificate(argmax_labels([[1, 0], [0, 1]]), tmp_path / "a.jsonl", W=about)  # type: ignore[arg-type]
    with pytest.raises(InputTypeError, match="expected SignVectors"):
        write_certificate("++", tmp_path / "a.jsonl", W=about)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())
