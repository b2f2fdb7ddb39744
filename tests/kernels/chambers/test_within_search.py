"""The sweep inside a polyhedron, against the plain sweep of facets and hyperplanes together."""

import numpy as np
import pytest

from arrangements.exact.numbers import integer_rows
from arrangements.kernels.chambers import within_search
from arrangements.polyhedra.double_description import cone_of
from arrangements.search import within_sweep
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import Flag
from arrangements.search.within_sweep import Inside, WithinSweep
from arrangements.sets.packed import pack_signs, unpack_signs, used_bits
from kernels import compiled


def random_rows(kind: str, n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng([n, d])
    if kind == "floats":
        return rng.standard_normal((n, d))
    size = 1 if kind == "small integers" else 2**40
    rows = rng.integers(-size, size + 1, (n, d))
    rows[:d] += np.eye(d, dtype=np.int64) * (2 * size)  # of full rank
    rows[~rows.any(axis=1), 0] = 1
    return rows


@pytest.mark.parametrize("kind", ["floats", "small integers", "large integers"])
@pytest.mark.parametrize(
    ("n", "d", "k"), [(5, 2, 2), (12, 3, 3), (12, 4, 5), (14, 5, 2), (70, 3, 4), (80, 3, 66)]
)
def test_chambers_with_plus_on_the_first_rows(kind: str, n: int, d: int, k: int) -> None:
    matrix = random_rows(kind, n, d)
    flag, inside = (
        Flag(matrix, True, 1),
        Inside(matrix, k, cone_of(integer_rows(matrix[:k]), d), False),
    )
    everything = unpack_signs(np.concatenate(list(ChamberSweep(flag).blocks(1000))), n)
    expected = everything[(everything[:, :k] > 0).all(axis=1), k:]
    found = [block for block in WithinSweep(flag, inside).blocks(1000) if len(block)]
    rows = np.concatenate(found) if found else np.zeros((0, -(-n // 64)), np.uint64)
    assert not rows[:, -(-(n - k) // 64) :].any()
    rows = unpack_signs(np.ascontiguousarray(rows[:, : -(-(n - k) // 64)]), n - k)
    assert sorted(map(tuple, rows.tolist())) == sorted(map(tuple, expected.tolist()))
    assert sum(WithinSweep(flag, inside).counts()) == len(expected)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "k"), [(9, 1), (64, 10), (100, 37), (140, 64), (200, 130)])
def test_rows_inside_are_moved_up(n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    signs = rng.choice([-1, 1], (50, n))
    signs[rng.random(50) < 0.5, :k] = 1
    out = pack_signs(signs.astype(np.int8))
    keep = compiled(within_search.keep_inside)
    kept = keep(used_bits(k), k, out.shape[1], out, 10, 50)
    inside = signs[10:][(signs[10:, :k] > 0).all(axis=1), k:]
    expected = np.zeros((len(inside), out.shape[1]), np.uint64)
    packed = pack_signs(inside.astype(np.int8))
    expected[:, : packed.shape[1]] = packed
    assert kept == 10 + len(inside) and np.array_equal(out[10:kept], expected)


@pytest.mark.parametrize(("n", "left"), [(9, 1), (64, 10), (100, 37), (200, 130), (900, 500)])
def test_signs_of_some_rows_among_those_of_all(n: int, left: int) -> None:
    rng = np.random.default_rng(n)
    crossing = np.sort(rng.choice(n, left, replace=False))
    signs = np.tile(rng.choice([-1, 1], n).astype(np.int8), (7, 1))
    others = signs[:1].copy()
    others[:, crossing] = -1
    signs[:, crossing] = rng.choice([-1, 1], (7, left))
    expected = pack_signs(signs)
    words = -(-expected.shape[1] // 8) * 8
    out, fixed = np.zeros((7, expected.shape[1] + 1), np.uint64), np.zeros(words, np.uint64)
    fixed[: expected.shape[1]] = pack_signs(others)[0]
    few = pack_signs(signs[:, crossing])
    out[:, : few.shape[1]] = few
    places = within_sweep.places_of(crossing, words)
    within_search.spread_rows(out, 2, 6, *places, fixed, np.empty(2 * words, np.uint64))
    assert np.array_equal(out[2:6, : expected.shape[1]], expected[2:6])
    assert not out[2:6, expected.shape[1] :].any()
    assert np.array_equal(out[[0, 1, 6], : few.shape[1]], few[[0, 1, 6]])
