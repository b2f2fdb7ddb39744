"""Random claims about random small inputs: the checker proves those that are true, and no other."""

import io
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from claims import ok, random_claim, random_input, random_question

from arrangements import (
    ScoreModel,
    can_be_top,
    chambers,
    checker,
    feasible,
    rankings,
    write_certificate,
)

pytestmark = pytest.mark.slow


def is_accepted(octets: bytes) -> bool:
    try:
        return bool(list(checker.check(checker.Reader(io.BytesIO(octets)))))
    except Exception:
        return False


def trial(number: int, seed: int) -> Counter[str]:
    """How many claims of each kind were proved and refused, all of them rightly."""
    rng, tally = Random(seed), Counter[str]()
    for _ in range(number):
        claim = random_claim(rng)
        accepted = is_accepted(claim.octets())
        assert accepted == claim.holds(), claim.octets().decode()
        tally[f"{claim.says}, {'proved' if accepted else 'refused'}"] += 1
        if claim.tamper(rng):
            assert claim.holds() or not is_accepted(claim.octets()), claim.octets().decode()
    return tally


def test_random_claims() -> None:
    tally = trial(1_000, 0)
    kinds = {name.split(",")[0] for name in tally}
    assert len(kinds) == 9
    assert all(tally[f"{says}, {end}"] > 2 for says in kinds for end in ("proved", "refused"))


def test_twenty_thousand_random_claims() -> None:
    trial(20_000, 1)


# ------------------------------------------------------------------ claims that the engine writes


def written(answer: Any, path: Path, **about: Any) -> bool:
    write_certificate(answer, path, **about)
    return is_accepted(path.read_bytes())


def trial_of_the_engine(number: int, seed: int, path: Path) -> None:
    """What the engine writes about random inputs is proved, and is what brute force finds."""
    rng = Random(seed)
    for _ in range(number):
        m = random_input(rng)
        while not (m.d and m.n):
            m = random_input(rng)
        W, b = [row[:-1] for row in m.rows], [row[-1] for row in m.rows]
        some = random_question("sign vectors", m.n, rng)
        tops = [[label] for label in range(m.n)]
        answers: list[Any] = [can_be_top(W, tops, offsets=b)] if m.n > 1 else []
        if ok(m, "sign vectors"):
            signs = chambers(W, b)
            assert len(signs) == len(m.everything("sign vectors"))
            assert written(len(signs), path, W=W, offsets=b)
            answers += [signs, feasible(W, some.replace("0", "*"), offsets=b)]
        if ok(m, "rankings"):
            orders = rankings(W, b)
            assert {*map(tuple, orders.to_array().tolist())} == m.everything("rankings")
            assert written(len(orders), path, W=ScoreModel(W, b))
            answers += [orders]
        for answer in answers:
            assert written(answer, path), (m.rows, answer)


def test_what_the_engine_writes_is_proved(tmp_path: Path) -> None:
    trial_of_the_engine(40, 0, tmp_path / "c.jsonl")


def test_much_of_what_the_engine_writes_is_proved(tmp_path: Path) -> None:
    trial_of_the_engine(1_000, 1, tmp_path / "c.jsonl")
