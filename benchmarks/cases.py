"""Inputs with known answers, what they are compared with, and the checks of the answers."""

import os

# Before NumPy is imported: the reference runs on one thread.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import Rankings, SignVectors, generators, generic_ranking_count

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
Action = Callable[[], NDArray[Any]]

# Rows of a block of the reference; the best of them is what counts.
BLOCKS = (256, 1024, 4096, 16384)
# Up to so many stored rows the reference is given the true witnesses.
TRUE_WITNESSES = 200_000


@dataclass(frozen=True)
class Case:
    """A central arrangement, its number of chambers, and the most time over the reference."""

    name: str
    W: NDArray[Any]
    count: int
    target: float

    @property
    def size(self) -> str:
        return f"n={self.W.shape[0]} d={self.W.shape[1]}"


def generic_count(n: int, d: int) -> int:
    """Chambers of n generic hyperplanes through the origin of R^d."""
    return 2 * sum(comb(n - 1, k) for k in range(d))


def gaussian(n: int, d: int, target: float = inf) -> Case:
    return Case("Gaussian", generators.generic(n, d, 1), generic_count(n, d), target)


def listing_cases() -> list[Case]:
    return [
        gaussian(100, 4, 1 / 4),
        gaussian(200, 4, 1 / 6),
        gaussian(1000, 3, 1 / 12),
        gaussian(64, 5, 1 / 2.5),
        gaussian(30, 8, 1 / 2),
        Case("resonance", generators.resonance(6), 1_066_044, 20.0),
    ]


def ranking_cases() -> list[Case]:
    """Labels without offsets, and the number of their rankings."""
    cube = np.array(list(product((0, 1), repeat=5)))
    return [
        *(ranking_case(n, d) for n, d in ((20, 4), (50, 3), (12, 5))),
        Case("{0,1}^5", cube, 1_981_440, inf),
    ]


def ranking_case(n: int, d: int) -> Case:
    return Case("Gaussian", generators.generic(n, d, 1), generic_ranking_count(n, d), inf)


# ------------------------------------------------------------------ checks


def check(found: SignVectors, case: Case, samples: int = 20) -> None:
    """The count is right, all rows differ, and samples are met by exact points."""
    assert found.complete and found.half and len(found) == case.count
    assert all_different(found)
    rng = np.random.default_rng(2)
    for i in rng.integers(len(found), size=samples).tolist():
        assert exact_signs(case.W, found.witness(i)) == found[i].tolist()


def all_different(found: SignVectors) -> bool:
    """No two of the sign vectors, negations included, are equal.

    Different hashes prove it; that different rows collide is a false alarm of chance 1e-6.
    """
    rows = np.where((found.packed[:, :1] & np.uint64(1)) > 0, found.packed, ~found.packed)
    rows[:, -1] &= np.uint64(2**64 - 1 >> -found.n % 64)
    factors = np.random.default_rng(3).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    rows ^= rows >> np.uint64(29)
    hashes = (rows * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return len(np.unique(hashes)) == len(rows)


def check_rankings(found: Rankings, case: Case, samples: int = 20) -> None:
    """The count is right, all rows differ, and samples are met by exact points."""
    assert found.complete and found.half and len(found) == case.count
    places = found.ranks()[: len(found.orders)]
    # of each reversed pair the same one is stored, so different rows are all it takes
    assert (places[:, 0] < places[:, 1]).all()
    factors = np.random.default_rng(3).integers(2**63, size=found.n, dtype=np.uint64)
    hashes = (found.orders * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    assert len(np.unique(hashes)) == len(hashes)
    for i in np.random.default_rng(2).integers(len(found), size=samples).tolist():
        assert exact_order(case.W, found.witness(i)) == found[i].tolist()


def exact_order(W: NDArray[Any], point: tuple[Fraction, ...]) -> list[int]:
    """Labels by decreasing score at a point, in rational arithmetic."""
    scores = [
        sum((Fraction(a) * x for a, x in zip(row, point, strict=True)), Fraction(0))
        for row in W.tolist()
    ]
    assert len(set(scores)) == len(scores)
    return sorted(range(len(scores)), key=lambda i: -scores[i])


def exact_signs(W: NDArray[Any], point: tuple[Fraction, ...]) -> list[int]:
    """Signs of W @ point in rational arithmetic."""
    values = (
        sum((Fraction(a) * x for a, x in zip(row, point, strict=True)), Fraction(0))
        for row in W.tolist()
    )
    return [(value > 0) - (value < 0) for value in values]


# ------------------------------------------------------------------ references


def points_for(found: SignVectors) -> tuple[Floats, bool]:
    """One point per stored row, and whether they are witnesses.

    Large cases get random points: the reference does the same work on them.
    """
    stored, d = len(found.packed), found.arrangement.dimension  # type: ignore[union-attr]
    if stored > TRUE_WITNESSES:
        return np.random.default_rng(4).standard_normal((stored, d)), False
    return np.ascontiguousarray(found.witnesses()[:stored]), True


def ranking_points(found: Rankings) -> tuple[Floats, bool]:
    """One point per stored ranking, and whether they are witnesses; see `points_for`."""
    stored, d = len(found.orders), found.model.dimension  # type: ignore[union-attr]
    if stored > 2 * TRUE_WITNESSES:
        return np.random.default_rng(4).standard_normal((stored, d)), False
    return np.ascontiguousarray(found.to_sign_vectors().witnesses()[:stored]), True


def plain_numpy(X: Floats, W: NDArray[Any], block: int) -> Words:
    """Sign vectors of the rows of X in packed form: the reference, as one writes it in NumPy."""
    packed = np.zeros((len(X), -(-len(W) // 64)), np.uint64)
    octets = packed.view(np.uint8)[:, : -(-len(W) // 8)]
    for start in range(0, len(X), block):
        signs = X[start : start + block] @ W.T > 0
        octets[start : start + block] = np.packbits(signs, axis=1, bitorder="little")
    return packed


def tuned_numpy(X: Floats, W: NDArray[Any], block: int, flat: bool) -> Words:
    """The same with reused buffers; `flat` pads W to whole words, for packbits is slow by rows."""
    words = -(-len(W) // 64)
    packed = np.zeros((len(X), words), np.uint64)
    octets = packed.view(np.uint8)
    columns = np.zeros((W.shape[1], 64 * words if flat else len(W)))
    columns[:, : len(W)] = W.T
    values = np.empty((block, columns.shape[1]))
    signs = np.empty(values.shape, np.bool_)
    for start in range(0, len(X), block):
        m = min(block, len(X) - start)
        np.matmul(X[start : start + m], columns, out=values[:m])
        np.greater(values[:m], 0, out=signs[:m])
        bits = np.packbits(signs[:m], axis=None if flat else 1, bitorder="little").reshape(m, -1)
        octets[start : start + m, : bits.shape[1]] = bits
    return packed


def references(X: Floats, W: NDArray[Any]) -> tuple[Action, Action]:
    """Plain and tuned NumPy, each with what is fastest for this input."""
    W = np.asarray(W, np.float64)
    plain = [partial(plain_numpy, X, W, block) for block in BLOCKS]
    tuned = [partial(tuned_numpy, X, W, block, flat) for block in BLOCKS for flat in (False, True)]
    return fastest(plain), fastest(tuned)


def numpy_rankings(X: Floats, W: NDArray[Any], block: int) -> NDArray[Any]:
    """Rankings at the rows of X in compact form: the reference, as one writes it in NumPy."""
    orders = np.empty((len(X), len(W)), np.min_scalar_type(len(W) - 1))
    columns = -np.asarray(W, np.float64).T  # argsort is ascending
    for start in range(0, len(X), block):
        orders[start : start + block] = np.argsort(X[start : start + block] @ columns, axis=1)
    return orders


def ranking_references(X: Floats, W: NDArray[Any]) -> tuple[Action, Action]:
    """NumPy in one call, and in blocks of the best size."""
    blocks = [partial(numpy_rankings, X, W, block) for block in BLOCKS]
    return partial(numpy_rankings, X, W, len(X)), fastest(blocks, repeats=1)


def fastest(actions: Sequence[Action], repeats: int = 5) -> Action:
    return min(actions, key=lambda action: seconds(action, repeats)[0])


def highs_loop(W: Floats, cap: float = inf) -> tuple[int, int, float]:
    """Incremental enumeration with one warm HiGHS model: what one writes without this package.

    Signs are row bounds of ``W x``, at least 1 or at most -1. A feasible point gives the
    next sign on its side of the next hyperplane; the opposite sign is a linear program.

    Returns
    -------
    chambers with + on row 0 found, linear programs, seconds
        All such chambers unless `cap` seconds were over before.
    """
    import highspy

    free, (n, d) = highspy.kHighsInf, W.shape
    model = highspy.Highs()
    model.silent()
    model.setOptionValue("threads", 1)
    model.setOptionValue("presolve", "off")
    for _ in range(d):
        model.addVar(-free, free)
    for row in W:
        model.addRow(-free, free, d, np.arange(d, dtype=np.int32), row)
    chambers = programs = 0
    began = time.perf_counter()

    def solve() -> Floats | None:
        nonlocal programs
        programs += 1
        model.run()
        if model.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return np.array(model.getSolution().col_value)

    def descend(k: int, point: Floats) -> None:
        nonlocal chambers
        if k == n:
            chambers += 1
            return
        value = W[k] @ point
        for sign in (1, -1) if value > 0 else (-1, 1):
            if time.perf_counter() - began > cap:
                break
            model.changeRowBounds(k, *((1.0, free) if sign > 0 else (-free, -1.0)))
            # Any point strictly on this side will do: bounds of 1 are reached by scaling.
            inside = point if sign * value > 1e-6 else solve()
            if inside is not None:
                descend(k + 1, inside)
        model.changeRowBounds(k, -free, free)

    model.changeRowBounds(0, 1.0, free)
    start = solve()
    assert start is not None
    descend(1, start)
    return chambers, programs, time.perf_counter() - began


def seconds(action: Callable[[], object], repeats: int) -> list[float]:
    """Times of calls of `action`, sorted; what it returns is freed outside."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        kept = action()
        times.append(time.perf_counter() - began)
        del kept
    return sorted(times)
