"""Characteristic polynomials and Whitney numbers against another algorithm and published ones."""

from collections import deque
from itertools import combinations, permutations
from math import comb, factorial
from typing import Any, Literal

import examples
import naive
import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from sympy import Poly, symbols
from sympy.functions.combinatorial.numbers import stirling

import arrangements
from arrangements import (
    Arrangement,
    betti_numbers,
    characteristic_polynomial,
    count_chambers,
    flats,
    generators,
)
from arrangements.algebra import count_bounded, whitney_numbers
from arrangements.counting import descents, states
from arrangements.counting.descents import Descent
from arrangements.counting.restrictions import MemoryRestrictions
from arrangements.counting.states import Chunk, Setting
from arrangements.errors import InputError, TooLargeError, UnknownMethodError
from arrangements.exact.residues import primes
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.structure import images
from arrangements.kernels.structure import restrictions as kernel

RESONANCE = {
    5: (1, 31, 375, 2130, 5270, 3485),
    6: (1, 63, 1652, 22435, 159460, 510524, 371909),
    7: (1, 127, 7035, 215439, 3831835, 37769977, 169824305, 135677633),
}
SEMIORDER = [[(k == i) - (k == j) for k in range(3)] for i, j in permutations(range(3), 2)]

# Near-ties look like rounded products, which the library says.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def coefficients(polynomial: Poly) -> tuple[int, ...]:
    """Ascending."""
    return tuple(int(c) for c in reversed(polynomial.all_coeffs()))


@pytest.mark.sampled(15)
@pytest.mark.parametrize("example", examples.EXAMPLES, ids=repr)
def test_examples(example: examples.Example) -> None:
    polynomial = characteristic_polynomial(*example.arguments)
    known = naive.characteristic_polynomial(*example.arguments)
    assert coefficients(polynomial) == known
    assert count_chambers(*example.arguments, method="characteristic") == example.count
    # Zaslavsky in the essentialization: chi(1), the sign and the power of t aside
    assert count_bounded(*example.arguments) == abs(sum(known))


@pytest.mark.slow
@settings(max_examples=60)
@given(strategies.arrangements(max_rows=8, max_columns=5))
def test_any_arrangement(question: tuple[Any, Any]) -> None:
    known = naive.characteristic_polynomial(*question)
    assert coefficients(characteristic_polynomial(*question)) == known
    assert whitney_numbers(*question, kind=2) == flat_counts(*question)


def flat_counts(W: Any, b: Any) -> tuple[int, ...]:
    """Flats of each rank: closures of all sets of at most `rank` hyperplanes, by naive ranks."""
    rows = sorted({hyperplane(row) for row in naive.integer_rows(W, b) if any(row[:-1])})
    found: dict[int, set[frozenset[int]]] = {}
    for size in range(len(rows[0]) if rows else 1):
        for chosen in combinations(range(len(rows)), size):
            k = rank([rows[i] for i in chosen])
            if rank([rows[i][:-1] for i in chosen]) < k:
                continue  # no common point
            flat = [i for i in range(len(rows)) if rank([rows[j] for j in (*chosen, i)]) == k]
            found.setdefault(k, set()).add(frozenset(flat))
    return tuple(len(found[k]) for k in sorted(found))


def hyperplane(row: tuple[int, ...]) -> tuple[int, ...]:
    """The same row for a row and its negative."""
    return max(row, tuple(-entry for entry in row))


def rank(rows: list[tuple[int, ...]]) -> int:
    """Fraction-free elimination."""
    left, found = [list(row) for row in rows], 0
    while left := [row for row in left if any(row)]:
        found += 1
        pivot = left.pop()
        c = next(j for j, entry in enumerate(pivot) if entry)
        left = [
            [pivot[c] * x - row[c] * y for x, y in zip(row, pivot, strict=True)] for row in left
        ]
    return found


@pytest.mark.sampled(12)
@pytest.mark.parametrize("example", examples.EXAMPLES, ids=repr)
def test_flats_one_by_one(example: examples.Example) -> None:
    found = arrangements.flats(*example.arguments)
    assert whitney_numbers(*example.arguments, kind=2) == tuple(found.counts)
    poset = arrangements.structure.intersection_poset(*example.arguments)
    first = [0] * len(found.counts)
    for _, flat in poset.nodes(data=True):
        first[flat["rank"]] += flat["mobius"]
    assert whitney_numbers(*example.arguments) == tuple(first)


@pytest.mark.parametrize("k", RESONANCE)
def test_resonance(k: int) -> None:
    assert betti_numbers(generators.resonance(k)) == RESONANCE[k]


@pytest.mark.parametrize("k", [2, 4, 6])
def test_resonance_modulo_primes(k: int) -> None:
    """A cyclic shift of k + 1 coordinates, a prime number of them, fixes no chamber's point."""
    residues = [b % (k + 1) for b in betti_numbers(generators.resonance(k))]
    assert residues == [1, *[0] * (k - 1), k]


def test_threshold() -> None:
    assert betti_numbers(generators.threshold(5)) == (1, 32, 496, 4240, 19660, 43014, 27129)
    assert count_chambers(generators.threshold(6), method="characteristic") == 15028134


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [1, 2])
def test_numbers_beyond_64_bits(kind: Literal[1, 2]) -> None:
    """Binomial coefficients above 2^64: one or two primes of 31 bits would not do."""
    sign = -1 if kind == 1 else 1
    expected = tuple(sign**k * comb(70, k) for k in range(71))
    assert max(expected) > 2**64
    assert whitney_numbers(generators.boolean(70), kind=kind) == expected


@pytest.mark.parametrize("n", [3, 5, 7])
def test_braid_and_type_b(n: int) -> None:
    t = symbols("t")
    roots = [t - k for k in range(n)]
    assert characteristic_polynomial(generators.braid(n)) == Poly(np.prod(roots), t)
    numbers = tuple(int(stirling(n, n - k)) for k in range(n))
    assert whitney_numbers(generators.braid(n), kind=2) == numbers
    odd = [t - (2 * k + 1) for k in range(n)]
    assert characteristic_polynomial(generators.type_b(n)) == Poly(np.prod(odd), t)
    # Dowling: set partitions of a subset of the n coordinates, signed up to a sign per block
    dowling = tuple(
        sum(comb(n, m) * int(stirling(m, n - k)) * 2 ** (m - (n - k)) for m in range(n + 1))
        for k in range(n + 1)
    )
    assert whitney_numbers(generators.type_b(n), kind=2) == dowling


@pytest.mark.parametrize(("n", "d"), [(12, 3), (9, 5), (20, 2), (8, 7)])
def test_generic(n: int, d: int) -> None:
    rng = np.random.default_rng(n)
    W, b = rng.standard_normal((n, d)), rng.standard_normal(n)
    subsets = tuple(comb(n, k) for k in range(d + 1))
    assert betti_numbers(W, b) == subsets
    assert whitney_numbers(W, b, kind=2) == subsets
    assert count_bounded(W, b) == comb(n - 1, d)
    assert betti_numbers(W)[:-1] == subsets[:-1]
    assert whitney_numbers(W, kind=2) == (*subsets[:-1], 1)


def test_semiorder_and_shi() -> None:
    assert count_bounded(SEMIORDER, [-1] * 6) == 7
    assert count_chambers(SEMIORDER, [-1] * 6, method="characteristic") == 19
    n = 5
    shi = [*examples.braid(n), *examples.braid(n)]
    offsets = [0] * comb(n, 2) + [-1] * comb(n, 2)
    t = symbols("t")
    assert characteristic_polynomial(shi, offsets) == Poly(t * (t - n) ** (n - 1), t)
    assert count_bounded(shi, offsets) == (n - 1) ** (n - 1)


def test_no_hyperplanes() -> None:
    empty = Arrangement(np.zeros((0, 3)))
    t = symbols("t")
    assert characteristic_polynomial(empty) == Poly(t**3, t)
    assert betti_numbers(empty) == whitney_numbers(empty, kind=2) == (1,)
    assert count_bounded(empty) == 1
    assert count_chambers(empty, method="characteristic") == 1


def test_signs_and_ranks() -> None:
    W = generators.braid(5).normals
    assert whitney_numbers(W) == tuple((-1) ** k * b for k, b in enumerate(betti_numbers(W)))
    assert len(betti_numbers(W)) == 5
    assert characteristic_polynomial(W).degree() == 5


@settings(max_examples=20)
@given(st.data())
def test_invariance(data: st.DataObject) -> None:
    W, b = data.draw(strategies.arrangements(max_rows=8, max_columns=4))
    expected = characteristic_polynomial(W, b)
    order = data.draw(st.permutations(range(len(W))))
    signs = data.draw(st.lists(st.sampled_from([-2, 1, 4]), min_size=len(W), max_size=len(W)))
    change = np.array(data.draw(strategies.invertible(len(W[0]))), object)
    exact = np.array([[naive.fraction(entry) for entry in row] for row in W], object)
    moved = (exact @ change)[order] * np.array(signs, object)[:, None]
    offsets = None
    if b is not None:
        offsets = np.array([naive.fraction(b[i]) * s for i, s in zip(order, signs, strict=True)])
    assert characteristic_polynomial(moved, offsets) == expected


def test_minors_divisible_by_the_primes() -> None:
    # modulo the first prime alone these rows would be dependent
    p, q = primes(2)
    for m in (p, q, p * q):
        W = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 1, 1, m], [1, 1, 1, 2 * m], [1, 2, 3, 0]]
        known = naive.characteristic_polynomial(W)
        assert coefficients(characteristic_polynomial(W)) == known
        assert whitney_numbers(W, kind=2) == flat_counts(W, None)


def restricted(rows: list[list[int]], second: bool, most_bytes: int, workers: int = 1) -> list[int]:
    found = MemoryRestrictions(rows, second, most_bytes, workers=workers)
    for _ in found.portions():
        assert found.remaining() >= 0
    return found.numbers


def test_a_row_that_a_prime_divides() -> None:
    # all rows satisfy x_0 = q x_3, and column 3 is dropped: modulo q row 0 vanishes
    def rows_with(q: int) -> list[list[int]]:
        return [[q, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [q, 1, 1, 1]]

    q = primes(2)[1]
    rows = rows_with(q)
    assert HomogeneousRows(rows).residues(0)[1][1, 0] == q
    found = MemoryRestrictions(rows, False, 10**9)
    assert sum(found.portions()) > 0 and found.numbers == [1, 4, 6, 3]
    assert q not in found.setting.primes  # of another attempt


@pytest.mark.parametrize("second", [False, True])
def test_little_memory(second: bool) -> None:
    # the states are then processed in portions
    rows = [
        *generators.resonance(5).normals.tolist(),
        [1, 2, 4, 8, 16],
        [1, -3, 9, 5, 0],
        [7, 1, 2, 0, 3],
    ]
    plenty = restricted(rows, second=second, most_bytes=10**9)
    for workers in (1, 3):
        assert restricted(rows, second=second, most_bytes=0, workers=workers) == plenty


@pytest.mark.slow
@pytest.mark.parametrize("second", [False, True])
def test_threads(second: bool) -> None:
    rows = [*generators.resonance(6).normals.tolist(), [1, 2, 4, 8, 16, 31], [1, -3, 9, 5, 0, 1]]
    alone = restricted(rows, second=second, most_bytes=10**9)
    for workers in (2, 5):
        assert restricted(rows, second=second, most_bytes=10**9, workers=workers) == alone


def test_threads_see_the_symmetries_that_one_sees() -> None:
    # orbits are found in states that are not shared out; without them it is 2.6 times the work
    rows = generators.resonance(7).normals.tolist()
    operations = []
    for workers in (1, 2):
        found = MemoryRestrictions(rows, False, 10**9, workers=workers)
        assert sum(found.portions()) > 0
        operations.append(found.operations)
    assert operations[1] < 1.6 * operations[0]


def test_threads_give_up_common_forms_together(monkeypatch: pytest.MonkeyPatch) -> None:
    # the restrictions to rows 2 and 5 are images of each other, those to rows 2 and 4 are equal
    monkeypatch.setattr(descents, "_TRIED", 1)
    setting = Setting.of(HomogeneousRows(generators.resonance(5).normals.tolist()), False, 0)

    def restricted_to(row: int) -> Descent:
        descent = Descent(setting, setting.rank, 10**9, expected=1)
        list(descent.steps(deque([Chunk(setting.root(), row, row + 1)])))
        assert (descent.recognized, descent.classes.keys.used[0]) == (1, 1)
        return descent

    one, image, equal = (restricted_to(row) for row in (2, 5, 4))
    assert not one._has_images()
    one.team = image.team = [one, image]
    assert one._has_images() and image._has_images()
    equal.team = [one, equal]
    assert not equal._has_images()


def cube_symmetries(k: int) -> list[list[int]]:
    """Permutations of the rows of resonance(k) by a transposition and a cycle of coordinates."""
    rows = generators.resonance(k).normals.tolist()
    number = {tuple(row): i for i, row in enumerate(rows)}
    orders = [[1, 0, *range(2, k)], [*range(1, k), 0]]
    return [[number[tuple(row[j] for j in order)] for row in rows] for order in orders]


def test_symmetry() -> None:
    for k in (4, 6):
        W = generators.resonance(k).normals
        for kind in (1, 2):
            found = whitney_numbers(W, kind=kind, symmetry=cube_symmetries(k))  # type: ignore[arg-type]
            assert found == whitney_numbers(W, kind=kind)  # type: ignore[arg-type]
    # an affine one: x_i - x_j = -1 under a rotation of the indices; each row twice
    turned = [[row[j] for j in (1, 2, 0)] for row in SEMIORDER]
    images = [SEMIORDER.index(row) for row in turned]
    twice = [*images, *(i + 6 for i in images)]
    polynomial = characteristic_polynomial(SEMIORDER * 2, [-1] * 12, symmetry=[twice])
    assert polynomial == characteristic_polynomial(SEMIORDER, [-1] * 6)


def test_symmetry_must_be_one() -> None:
    W = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]]
    with pytest.raises(InputError, match=r"symmetry\[0\] is not a symmetry"):
        betti_numbers(W, symmetry=[[0, 1, 3, 2]])
    # a symmetry of the matroid, not of the hyperplanes: cross ratios differ
    pencil = [[1, 0], [0, 1], [1, 1], [1, 2], [1, 3]]
    assert betti_numbers(pencil, symmetry=[[1, 2, 3, 4, 0]]) == (1, 5, 4)
    with pytest.raises(InputError, match=r"expected a permutation of 0, \.\., 3"):
        betti_numbers(W, symmetry=[[0, 1, 2, 2]])
    with pytest.raises(InputError, match="4 indices"):
        betti_numbers(W, symmetry=[[0, 1, 2, 0.5]])
    with pytest.raises(InputError, match="equal hyperplanes"):
        betti_numbers([[1, 0], [2, 0], [0, 1]], symmetry=[[0, 2, 1]])


def test_bad_arguments() -> None:
    with pytest.raises(InputError, match="kind is 3; expected 1 or 2"):
        whitney_numbers([[1]], kind=3)  # type: ignore[arg-type]
    with pytest.raises(UnknownMethodError, match="only counts"):
        arrangements.chambers([[1]], method="characteristic")  # type: ignore[arg-type]


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert betti_numbers(generators.resonance(5), progress=True) == RESONANCE[5]
    assert "restrictions" in capsys.readouterr().err


@pytest.mark.sampled(18)
@pytest.mark.parametrize("example", [*examples.EXAMPLES, *examples.LARGE], ids=repr)
def test_agrees_with_every_listing(example: examples.Example) -> None:
    listed = arrangements.chambers(*example.arguments)
    rows = np.unique(listed.packed, axis=0)  # a repeated row would hide a missing one
    assert len(rows) == len(listed.packed)
    assert count_chambers(*example.arguments, method="characteristic") == len(listed)


SMALL = [
    generators.resonance(6),
    generators.threshold(5),
    generators.coxeter("B", 6),
    generators.coxeter("E", 6),
    generators.shi(5).cone().arrangement,
    np.random.default_rng(0).integers(-1, 2, (14, 5)),
    np.random.default_rng(1).integers(0, 4, (12, 6)),
    np.eye(5, dtype=int),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rows", SMALL, ids=str)
def test_small_minors_make_no_difference(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    A = Arrangement(rows)
    given = [list(row[:-1]) for row in dict.fromkeys(map(tuple, A.integer_rows)) if any(row)]
    assert Setting.of(HomogeneousRows(given), False, 0).small is not None
    found = [whitney(given, workers) for workers in (1, 2)]
    monkeypatch.setattr(states, "MOST_MINOR", -1)
    assert Setting.of(HomogeneousRows(given), False, 0).small is None
    assert found == [whitney(given, 1)] * 2


def whitney(rows: list[list[int]], workers: int) -> list[int]:
    search = MemoryRestrictions(rows, False, 2**28, workers=workers)
    assert sum(search.portions()) > 0
    return search.numbers


@pytest.mark.parametrize("n", [5, 6])
def test_agrees_with_the_sweep(n: int) -> None:
    W = generators.low_rank_braid(n + 4, 4, rng=n).normals
    assert count_chambers(W, method="characteristic") == count_chambers(W)
    assert count_chambers(generators.braid(n), method="characteristic") == factorial(n)


@njit
def _restricted(rows, multiplicity, h, k, fields, scratch):  # type: ignore[no-untyped-def]
    return kernel.restrict(rows, multiplicity, 0, len(rows), h, k, fields, scratch)


@njit
def _tied(rows, count, k, i, fields, group):  # type: ignore[no-untyped-def]
    return images._tie_columns(rows, count, k, i, fields, group)


@pytest.mark.slow
def test_residues_that_vanish_modulo_one_prime_only() -> None:
    prepared = HomogeneousRows([[2**40, 1, 0], [1, 2**40, 1], [0, 1, 2**40]])
    setting = Setting.of(prepared, False, 0)
    rows, multiplicity = setting.residues, np.ones(3, np.int64)
    assert rows.shape[2] > 1

    def restricted(at: tuple[int, int, int] | None) -> int:
        changed = rows.astype(np.uint32)
        if at is not None:
            changed[at] = 0
        return int(_restricted(changed, multiplicity, 1, 3, setting.fields, setting.scratch(3)))

    def scaled(at: tuple[int, int, int] | None) -> bool:
        changed = rows.copy()
        if at is not None:
            changed[at] = 0
        return bool(_tied(changed, 3, 3, 0, setting.fields, np.arange(3)))

    # the last coordinate of row 1 is the pivot, modulo the first prime or not
    assert restricted(None) == 2
    assert restricted((1, 2, 0)) == restricted((1, 2, 1)) == -1
    # column 0 is the reference of row 0, to which column 1 is scaled
    assert scaled(None)
    assert not scaled((0, 0, 1)) and not scaled((0, 1, 1))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 2])
def test_orbits_make_no_difference(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Rows that symmetries of a state exchange, restricted once or each by itself."""
    arrangements = (generators.resonance(6), generators.coxeter("D", 6), generators.threshold(5))
    answers = []
    for few_rows in (0, 10**9):  # among so few rows, none is looked for
        monkeypatch.setattr(descents, "_FEW_ROWS", few_rows)
        answers.append(
            [(betti_numbers(A, workers=workers), whitney_numbers(A)) for A in arrangements]
        )
    assert answers[0] == answers[1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("W", "b"),
    [
        ([[-1, 1], [1, 0], [1, 1], [0, 1]], [-1, 0, -1, 0]),
        ([[1, 0], [1, 0], [0, 1], [1, 1], [2, 1]], [0, -1, 0, 0, 3]),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 2, 3]], None),
        ([[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, -1, 1], [2, 3, 1]], [0, 0, 0, 1, 2]),
        ([[1], [1], [2]], [0, 1, 5]),
    ],
)
def test_symmetries_of_the_flats(W: list[list[int]], b: list[int] | None) -> None:
    """All permutations: those that keep all flats are taken, and change no answer."""
    A = Arrangement(W, b)
    every = {frozenset(flat) for flat in flats(A)}
    expected = betti_numbers(A), whitney_numbers(A, kind=2)
    taken = 0
    for moved in permutations(range(len(W))):
        if {frozenset(moved[i] for i in flat) for flat in every} != every:
            with pytest.raises(InputError, match=r"symmetry\[0\] is not a symmetry"):
                betti_numbers(A, symmetry=[moved])
            continue
        taken += 1
        found = betti_numbers(A, symmetry=[moved]), whitney_numbers(A, kind=2, symmetry=[moved])
        assert found == expected
    assert taken > 1


def test_symmetries_of_large_matroids_are_not_checked() -> None:
    W = np.random.default_rng(0).integers(-9, 10, (60, 6))
    with pytest.raises(TooLargeError, match="not linear, and too many sets of rows"):
        betti_numbers(W, symmetry=[[1, 0, *range(2, 60)]])
    # of rank 4, all permutations of generic rows will do
    W = generators.generic(12, 4, 0).normals
    assert betti_numbers(W, symmetry=[[*range(1, 12), 0]]) == betti_numbers(W)
