"""Estimates of chambers, flats and faces, against closed forms and means over all draws."""

from collections.abc import Iterator
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from sympy.functions.combinatorial.numbers import stirling

from arrangements import betti_numbers, count_chambers, f_vector, flats, generators
from arrangements.core.arrangement import Arrangement
from arrangements.forecast import random_chains, sizes
from arrangements.forecast.random_chains import Chains, sum_of_powers


def chains_of(W: Any) -> Chains:
    return random_chains.random_chains(Arrangement.coerce(W))


class EveryMark:
    """Runs that take every place of the marks in turn, each with its probability.

    Between two places where some chain begins or ends the same chains are kept, so one place
    stands for all of them.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kept = random_chains._kept
        self.script: list[int] = []
        monkeypatch.setattr(random_chains, "_kept", self.choose)

    def choose(self, chances: Any, where: float) -> Any:
        ends = np.concatenate([[0, 1], np.cumsum(chances) % 1])
        edges = np.unique(ends.round(12))
        places = list(zip((edges[1:] + edges[:-1]) / 2, np.diff(edges), strict=True))
        if len(self.options) == len(self.script):
            self.script.append(0)
        place, share = places[self.script[len(self.options)]]
        self.options.append(len(places))
        self.share *= share
        return self.kept(chances, place)

    def runs(self, A: Arrangement) -> Iterator[tuple[float, Chains]]:
        while True:
            self.options: list[int] = []
            self.share = 1.0
            found = random_chains.random_chains(A)
            yield self.share, found
            while self.script and self.script[-1] + 1 == self.options[len(self.script) - 1]:
                self.script.pop()
            if not self.script:
                return
            self.script[-1] += 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize(
    "A",
    [
        Arrangement.coerce(generators.braid(4)),
        Arrangement.coerce(generators.resonance(3)),
        Arrangement([[1, 0], [1, 0], [0, 1], [1, 1], [0, 0]], [0, 1, 0, -1, 5]),
        Arrangement([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 0], [0, 0, 1]]),
        Arrangement([[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [2, 1, 1]], [0, 1, 2, 0, 0]),
    ],
    ids=str,
)
def test_the_means_over_all_draws_are_right(
    A: Arrangement, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random_chains, "_MOST_CHAINS", most)
    monkeypatch.setattr(random_chains, "sum_of_powers", lambda logs: float(np.exp2(logs).sum()))
    r, total = A.rank, 0.0
    means = np.zeros((3, r + 1))
    for share, found in EveryMark(monkeypatch).runs(A):
        assert all(len(level.inside) <= most for level in found.levels)
        means += share * np.array([found.flats(), found.betti_numbers(), found.faces()])
        total += share
    assert total == pytest.approx(1)
    assert means[0] == pytest.approx(flats(A).counts)
    assert means[1] == pytest.approx(betti_numbers(A))
    assert means[2] == pytest.approx(list(reversed(f_vector(A)))[: r + 1])


@pytest.mark.sampled(1)
@pytest.mark.parametrize("most", [1, 3, 10, 40])
def test_chances_of_chains_and_their_marks(most: int) -> None:
    worth = 3 * np.random.default_rng(0).normal(size=40)
    chances = random_chains._chances(worth, most)
    assert chances.sum() == pytest.approx(most) and chances.max() <= 1 + 1e-12
    less = chances < 1
    assert np.ptp(np.log2(chances[less]) - worth[less]) < 1e-9 if less.any() else most == 40
    places = (np.arange(4000) + 0.5) / 4000
    seen = sum(np.isin(np.arange(40), random_chains._kept(chances, where)) for where in places)
    assert np.abs(seen / 4000 - chances).max() < 1e-3


def pencil(members: int, others: int, d: int) -> Arrangement:
    rows = np.zeros((members, d), int)
    rows[:, 0], rows[:, 1] = 1, np.arange(members)
    return Arrangement(
        np.concatenate([rows, np.random.default_rng(1).integers(-99, 99, (others, d))])
    )


def parallel(members: tuple[int, ...], d: int) -> Arrangement:
    """Classes of parallel hyperplanes, in general position otherwise."""
    rng = np.random.default_rng(2)
    offsets = np.concatenate([rng.permutation(10**6)[:m] for m in members])
    return Arrangement(
        np.repeat(rng.integers(-99, 99, (len(members), d)), members, axis=0), offsets
    )


def chambers_of_pencil(m: int, others: int, d: int) -> int:
    """Betti numbers of a product: a pencil is (1 + t)(1 + (m - 1) t), cut off in rank d."""
    # in general position to the pencil: all flats of it with any of the others, below rank d
    half = sum(
        factor * comb(others, j) for k, factor in ((0, 1), (1, m), (2, m - 1)) for j in range(d - k)
    )
    top = alternating = 0
    for k, factor in ((0, 1), (1, m), (2, m - 1)):
        for j in range(d - k):
            alternating += (-1) ** (k + j) * factor * comb(others, j)
    top = abs(alternating)  # the characteristic polynomial vanishes at 1
    return half + top


def chambers_of_parallel(members: tuple[int, ...], d: int) -> int:
    """One flat for each choice of hyperplanes from different classes, at most d of them."""
    polynomial = [1] + [0] * d
    for m in members:
        for k in range(d, 0, -1):
            polynomial[k] += m * polynomial[k - 1]
    return sum(polynomial)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("m", "others", "d"), [(300, 20, 4), (300, 20, 5), (500, 10, 3), (800, 6, 4)]
)
def test_large_pencils_do_not_hide_the_others(m: int, others: int, d: int) -> None:
    A, number = pencil(m, others, d), chambers_of_pencil(m, others, d)
    for seed in range(5):
        found = random_chains.random_chains(A, seed).betti_numbers()
        assert number / 2 < sum(found) < 2 * number


@pytest.mark.slow
@pytest.mark.parametrize(
    ("members", "d"),
    [
        ((500, *20 * [1]), 3),
        ((300, *20 * [1]), 5),
        ((300, 5, 5, 5, 5, 5), 4),
        ((400, *10 * [1]), 5),
        ((300, 300, 5, 5, 5), 3),
        ((700, 2, 2), 3),
    ],
)
def test_large_parallel_classes_do_not_hide_the_others(members: tuple[int, ...], d: int) -> None:
    A, number = parallel(members, d), chambers_of_parallel(members, d)
    for seed in range(5):
        found = random_chains.random_chains(A, seed).betti_numbers()
        assert number / 2 < sum(found) < 2 * number


def test_the_formulas_of_pencils_and_classes() -> None:
    assert chambers_of_pencil(7, 5, 4) == count_chambers(pencil(7, 5, 4))
    assert chambers_of_parallel((4, 3, 1, 1, 2), 3) == count_chambers(parallel((4, 3, 1, 1, 2), 3))


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


@pytest.mark.slow
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
        assert sizes.looks_generic(A)
        assert sizes.expected_chambers(A) == sizes.most_chambers(A) == sum(betti_numbers(A))
        if len(A) < 20:
            assert sizes.expected_faces(A) == sizes.most_faces(A) == sum(f_vector(A))
        for top in range(A.rank + 1):
            number = len(flats(A, max_rank=top))
            assert sizes.expected_flats(A, top) == sizes.most_flats(A, top) == number
    assert not sizes.looks_generic(Arrangement(generators.resonance(3)))
    assert not sizes.looks_generic(Arrangement([[1, 0], [1, 0], [0, 1]], [0, 1, 0]))


def test_a_few_chains_tell_general_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sizes, "chains_of")
    A = Arrangement(generators.generic(50, 4, 8))
    assert sizes.expected_chambers(A) == sizes.most_chambers(A)
    with pytest.raises(NameError):
        sizes.expected_chambers(Arrangement(generators.resonance(4)))


def test_numbers_beyond_floats() -> None:
    assert sum_of_powers(np.array([3000.0, 3000.0])) == 2**3001
    assert sum_of_powers(np.array([10.0, 11.0])) == 3072
    found = sum(random_chains._generic_chains(1100, 1100, True).betti_numbers())
    assert abs(found - 2**1100) < 2**1060


def test_estimates_are_the_same_every_time_and_limited_in_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = generators.resonance(6)
    first, second = chains_of(W), chains_of(W)
    for one, other in zip(first.levels, second.levels, strict=True):
        assert all((a == b).all() for a, b in zip(one, other, strict=True))
    monkeypatch.setattr(random_chains, "_MOST_ENTRIES", 1)
    assert {len(level.inside) for level in chains_of(W).levels} == {1}
    monkeypatch.setattr(random_chains, "_TOO_MANY", 1)
    assert sizes.looks_generic(Arrangement.coerce(W))


def test_everything_without_hyperplanes() -> None:
    for A in (Arrangement(np.zeros((0, 3))), Arrangement(np.zeros((2, 3)), [1, -1])):
        found = random_chains.random_chains(A)
        assert found.flats() == found.betti_numbers() == found.faces() == [1]
        assert sizes.expected_chambers(A) == sizes.expected_faces(A) == 1


def test_repeated_rows_do_not_hide_the_others():
    rows = np.random.default_rng(0).integers(-99, 100, (20, 5))
    repeated = np.concatenate([rows, np.repeat(rows[:1], 300, axis=0)])
    chains = random_chains.random_chains(Arrangement(repeated))
    assert sum(chains.betti_numbers()) == count_chambers(rows) == 10072


def test_flats_that_seem_one_modulo_the_prime_are_not_taken_for_coincidences() -> None:
    assert sizes.looks_generic(Arrangement.coerce(generators.generic(200, 12, 0)))
