"""Estimates of chambers, flats and faces, against closed forms and sums over all chains."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb, factorial, prod
from typing import Any

import numpy as np
import pytest
from sympy.functions.combinatorial.numbers import stirling

from arrangements import betti_numbers, count_chambers, f_vector, flats, generators
from arrangements.counting import prediction, random_chains
from arrangements.counting.random_chains import Chains, _mean
from arrangements.model.arrangement import Arrangement


def chains_of(W: Any) -> Chains:
    return random_chains.random_chains(Arrangement.coerce(W))


@cache
def rank_of(rows: tuple[tuple[int, ...], ...]) -> int:
    return int(np.linalg.matrix_rank(np.array(rows)))


def all_chains(A: Arrangement) -> Iterator[tuple[Fraction, list[int], list[int]]]:
    """Probability, hyperplanes inside and cutting, for every chain; by ranks of matrices."""
    rows = [tuple(row) for row in A.integer_rows]
    normals = [row[:-1] for row in rows]
    used = [i for i in range(len(rows)) if i not in A.loops]

    def ranks(members: list[int]) -> tuple[int, int]:
        if not members:
            return 0, 0
        return rank_of(tuple(normals[i] for i in members)), rank_of(tuple(rows[i] for i in members))

    def follow(
        flat: list[int], share: Fraction, inside: list[int], cutting: list[int]
    ) -> Iterator[tuple[Fraction, list[int], list[int]]]:
        rank = ranks(flat)[0]
        cuts = [i for i in used if ranks([*flat, i])[0] > rank]
        inside = [*inside, len(flat)]
        if not cuts:
            yield share, inside, cutting
            return
        cutting = [*cutting, len(cuts)]
        for h in cuts:
            larger = [i for i in used if ranks([*flat, h, i]) == (rank + 1, rank + 1)]
            yield from follow(larger, share / len(cuts), inside, cutting)

    return follow([], Fraction(1), [], [])


@pytest.mark.parametrize(
    "A",
    [
        Arrangement.coerce(generators.braid(4)),
        Arrangement.coerce(generators.resonance(3)),
        generators.shi(3),
        Arrangement([[1, 0], [1, 0], [0, 1], [1, 1], [0, 0]], [0, 1, 0, -1, 5]),
        Arrangement([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0], [0, 0, 1]]),
    ],
    ids=str,
)
def test_the_means_over_all_chains_are_right(A: Arrangement) -> None:
    every, r = list(all_chains(A)), A.rank
    faces = list(reversed(f_vector(A)))[: r + 1]
    for k in range(r + 1):
        number = sum(p * prod(Fraction(a[i], s[k] - s[i]) for i in range(k)) for p, s, a in every)
        assert number == flats(A).counts[k]
        betti = sum(p * prod(Fraction(a[i], s[i + 1]) for i in range(k)) for p, s, a in every)
        assert betti == betti_numbers(A)[k]
        traces = sum(
            p
            * prod(Fraction(a[i], s[k] - s[i]) for i in range(k))
            * sum(
                prod(Fraction(a[i], s[i + 1] - s[k]) for i in range(k, j)) for j in range(k, r + 1)
            )
            for p, s, a in every
        )
        assert traces == faces[k]
    # and what is drawn are such chains
    drawn = random_chains.random_chains(A)
    known = {(tuple(s), tuple(a)) for _, s, a in every}
    for inside, cutting in zip(drawn.inside.tolist(), drawn.cutting.tolist(), strict=True):
        assert (tuple(inside), tuple(cutting)) in known


def test_flats_of_known_families() -> None:
    for n in (5, 7, 9):
        found = chains_of(generators.braid(n)).flats()
        for k, number in enumerate(found):  # partitions into n - k blocks
            assert number == pytest.approx(int(stirling(n, n - k)), rel=0.3)
    assert chains_of(np.eye(12, dtype=int)).flats() == [comb(12, k) for k in range(13)]
    for n in (4, 6):  # Dowling lattice of signed partitions
        dowling = [
            sum(
                comb(n, j) * 2 ** (j - n + k) * int(stirling(j, n - k)) for j in range(n - k, n + 1)
            )
            for k in range(n + 1)
        ]
        assert sum(chains_of(generators.type_b(n)).flats()) == pytest.approx(sum(dowling), rel=0.3)


def test_chambers_of_known_families() -> None:
    for W, number in (
        (generators.braid(8), factorial(8)),
        (generators.type_b(5), 2**5 * factorial(5)),
        (generators.resonance(5), 11_292),
        (generators.resonance(6), 1_066_044),
        (generators.resonance(7), 347_326_352),
        (generators.threshold(4), 1_882),
        (generators.threshold(6), 15_028_134),
        (np.eye(20, dtype=int), 2**20),
    ):
        assert number / 2 < sum(chains_of(W).betti_numbers()) < 2 * number
    for A, number in ((generators.shi(6), 7**5), (generators.catalan(4), 14 * factorial(4))):
        assert number / 1.5 < sum(chains_of(A).betti_numbers()) < 1.5 * number


def test_general_position_is_seen_and_exact() -> None:
    for A in (
        Arrangement(generators.generic(50, 4, 8)),
        Arrangement(generators.generic(12, 4, 8), np.arange(1, 13) ** 3),
        Arrangement([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 0]], [3, 4, 5, 6]),
    ):
        assert prediction.looks_generic(A)
        assert (
            prediction.expected_chambers(A) == prediction.most_chambers(A) == sum(betti_numbers(A))
        )
        if len(A) < 20:
            assert prediction.expected_faces(A) == prediction.most_faces(A) == sum(f_vector(A))
        for top in range(A.rank + 1):
            number = len(flats(A, max_rank=top))
            assert prediction.expected_flats(A, top) == prediction.most_flats(A, top) == number
    assert not prediction.looks_generic(Arrangement(generators.resonance(3)))
    assert not prediction.looks_generic(Arrangement([[1, 0], [1, 0], [0, 1]], [0, 1, 0]))


def test_numbers_beyond_floats() -> None:
    assert _mean(np.array([3000.0, 3000.0])) == 2**3000
    assert _mean(np.array([10.0, 11.0])) == 1536
    found = sum(random_chains._generic_chain(1100, 1100, True).betti_numbers())
    assert abs(found - 2**1100) < 2**1060


def test_estimates_are_the_same_every_time_and_limited_in_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = generators.resonance(6)
    first, second = chains_of(W), chains_of(W)
    assert (first.inside == second.inside).all() and (first.cutting == second.cutting).all()
    monkeypatch.setattr(random_chains, "_MOST_ENTRIES", 1)
    assert len(chains_of(W).inside) == 1
    monkeypatch.setattr(random_chains, "_TOO_MANY", 1)
    assert prediction.looks_generic(Arrangement.coerce(W))


def test_everything_without_hyperplanes() -> None:
    for A in (Arrangement(np.zeros((0, 3))), Arrangement(np.zeros((2, 3)), [1, -1])):
        found = random_chains.random_chains(A)
        assert found.flats() == found.betti_numbers() == found.faces() == [1]
        assert prediction.expected_chambers(A) == prediction.expected_faces(A) == 1


def test_repeated_rows_do_not_hide_the_others():
    rows = np.random.default_rng(0).integers(-99, 100, (20, 5))
    repeated = np.concatenate([rows, np.repeat(rows[:1], 300, axis=0)])
    chains = random_chains.random_chains(Arrangement(repeated))
    assert sum(chains.betti_numbers()) == count_chambers(rows) == 10072
