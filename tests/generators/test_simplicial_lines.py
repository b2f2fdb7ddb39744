"""The catalogue of simplicial arrangements of lines: what is published of each of them."""

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from arrangements import Arrangement, characteristic_polynomial, flats
from arrangements.algebra import automorphisms, is_free
from arrangements.errors import InputError
from arrangements.generators import coxeter, near_pencil, simplicial
from arrangements.generators.catalogue import numbers_of

_TABLE = Path(__file__).parents[1] / "data" / "simplicial_invariants.txt"
Numbers = tuple[int, ...]


def published() -> dict[tuple[int, int], list[Numbers]]:
    lines = [line for line in _TABLE.read_text().splitlines() if not line.startswith("#")]
    parts = [[tuple(map(int, part.split())) for part in line.split("|")] for line in lines]
    return {(n, k): rest for (n, k), *rest in parts}


PUBLISHED = published()
FAMILIES = [(n, k) for n, k in PUBLISHED if k == 1 and (n % 2 == 0 or n % 4 == 1)]
SPORADIC = [key for key in PUBLISHED if key not in FAMILIES]


def histogram(sizes: list[int]) -> Numbers:
    """How many are 2, 3, .."""
    counts = Counter(sizes)
    return tuple(counts[size] for size in range(2, max(counts) + 1))


def check(n: int, k: int) -> Arrangement:
    """Points, segments, triangles, points by lines, lines by points: all chambers simplicial."""
    A = simplicial(n, k)
    f, t, r, _, roots = PUBLISHED[n, k]
    points = [flat for flat in flats(A).of_rank(2)]
    sizes = [len(point) for point in points]
    assert A.n_hyperplanes == n and A.rank == 3 and histogram(sizes) == t
    assert histogram(np.bincount([i for point in points for i in point]).tolist()) == r
    segments = sum(sizes)
    assert (len(sizes), segments, 1 + segments - len(sizes)) == f
    # all cells of the projective plane are triangles, since they would have fewer sides otherwise
    assert 3 * f[2] == 2 * segments
    polynomial = characteristic_polynomial(A)
    assert polynomial.eval(-1) == -2 * f[2]
    assert all(polynomial.eval(root) == 0 for root in roots) and len(roots) in (0, 3)
    return A


def test_as_many_as_published() -> None:
    """95 sporadic ones: M. Cuntz, S. Elia, J.-P. Labbé, Ann. Comb. 26 (2022)."""
    assert len(SPORADIC) == 95 == sum(len(list(numbers_of(n))) for n in range(6, 40))
    assert all(k in numbers_of(n) for n, k in SPORADIC)


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("n", "k"), SPORADIC)
def test_sporadic(n: int, k: int) -> None:
    A = check(n, k)
    # four planes are a frame, with normals x, y, z and x + y + z
    normals = [[entry / next(e for e in row if e) for entry in row] for row in A.normals.tolist()]
    for row in ([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]):
        assert row in normals


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("n", "k"), FAMILIES)
def test_families(n: int, k: int) -> None:
    check(n, k)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("n", "k"), [key for key in PUBLISHED if key[0] <= 25])
def test_all_chambers_are_cones_over_triangles(n: int, k: int) -> None:
    assert simplicial(n, k).is_simplicial()


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("n", "k"), [key for key in SPORADIC if key[0] <= 21])
def test_automorphisms(n: int, k: int) -> None:
    assert automorphisms(simplicial(n, k), oriented=False).order == PUBLISHED[n, k][3][0]


def test_no_two_are_the_same() -> None:
    """Those with equal numbers of points and lines are not isomorphic.

    The matroids of A(18, 4) and A(18, 5) are: sqrt(5) becomes -sqrt(5).
    """
    alike: dict[tuple[Numbers, ...], list[int]] = {}
    for n, k in SPORADIC:
        if n <= 20:
            f, t, r, *_ = PUBLISHED[n, k]
            alike.setdefault((f, t, r), []).append((n, k))
    pairs = [pair for group in alike.values() for pair in combinations(group, 2)]
    assert ((17, 2), (17, 4)) in pairs
    for first, second in pairs:
        M, N = (simplicial(*key).oriented_matroid() for key in (first, second))
        assert not M.is_isomorphic(N)
        assert M.is_isomorphic(N, oriented=False) == (first == (18, 4))


def test_types_of_coxeter() -> None:
    """A(6, 1), A(9, 1) and A(15, 1) are those of A3, B3 and H3."""
    for (n, k), kind in (((6, 1), "A3"), ((9, 1), "B3"), ((15, 1), "H3")):
        M, N = simplicial(n, k).oriented_matroid(), coxeter(kind).oriented_matroid()
        assert M.is_isomorphic(N, oriented=False)


def test_free_ones() -> None:
    """Roots of the polynomials of free ones are integers (H. Terao, Invent. Math. 63 (1981))."""
    for key, free in (((13, 4), False), ((15, 5), False), ((15, 1), True)):
        assert bool(PUBLISHED[key][4]) is free
        assert is_free(simplicial(*key)) is free


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (7, 2, r"no simplicial A\(7, 2\) is known; expected k of 1\."),
        (10, 4, r"A\(10, 4\) is known; expected k of 1, 2, 3\."),
        (39, 1, r"A\(39, 1\) is known; expected another n"),
        (38, 2, r"expected k of 1\."),
        (5, 1, "expected .* 6"),
        (7, 0, "k is 0"),
    ],
)
def test_unknown_ones(n: int, k: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        simplicial(n, k)


def test_near_pencils() -> None:
    for n in range(3, 9):
        assert near_pencil(n).is_simplicial()
