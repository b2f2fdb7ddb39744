"""Named families: entries against independent definitions, counts against published ones."""

import examples
import naive
import numpy as np
import pytest

from arrangements import generators
from arrangements.errors import InputError

FACTORIAL = [1, 1, 2, 6, 24, 120, 720]


def test_rows_against_definitions() -> None:
    for n in range(2, 7):
        assert generators.braid(n).tolist() == examples.braid(n)
    for k in range(1, 6):
        assert generators.resonance(k).tolist() == examples.resonance(k)
        assert generators.threshold(k).tolist() == examples.threshold(k)
    assert generators.boolean(3).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize(
    "name", ["boolean", "type_b", "resonance", "threshold", "crosspolytope", "demicube"]
)
def test_integer_and_writable(name: str) -> None:
    rows = getattr(generators, name)(3)
    assert rows.dtype == np.int64
    rows[0, 0] = 5
    assert getattr(generators, name)(3)[0, 0] != 5


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_reflection_arrangements(n: int) -> None:
    assert naive.count(generators.boolean(n)) == 2**n
    assert naive.count(generators.braid(n)) == FACTORIAL[n]
    assert naive.count(generators.type_b(n)) == 2**n * FACTORIAL[n]
    assert naive.count(generators.type_d(n)) == 2 ** (n - 1) * FACTORIAL[n]
    assert len(generators.type_b(n)) == n * n
    assert len(generators.type_d(n)) == n * (n - 1)


def test_resonance_and_threshold() -> None:
    assert [naive.count(generators.resonance(k)) for k in range(1, 6)] == [2, 6, 32, 370, 11292]
    assert [naive.count(generators.threshold(k)) for k in range(1, 5)] == [4, 14, 104, 1882]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_crosspolytope(k: int) -> None:
    rows = generators.crosspolytope(k)
    assert rows.shape == (2 * k, k + 1)
    assert naive.count(rows) == 2 * (3**k - 2**k) + 2**k


def test_demicube() -> None:
    assert [generators.demicube(k).shape for k in (1, 4)] == [(1, 2), (8, 5)]
    assert [naive.count(generators.demicube(k)) for k in (4, 5, 6)] == [146, 3756, 291558]


@pytest.mark.parametrize("kind", ["gaussian", "integer"])
def test_generic(kind: str) -> None:
    rows = generators.generic(8, 3, 1, kind=kind)
    assert naive.count(rows) == naive.generic_count(8, 3)
    again = generators.generic(8, 3, np.random.default_rng(1), kind=kind)
    assert np.array_equal(rows, again)
    assert not np.array_equal(rows, generators.generic(8, 3, 2, kind=kind))


@pytest.mark.parametrize(("n", "d"), [(4, 2), (5, 2), (5, 3), (3, 4)])
def test_low_rank_braid(n: int, d: int) -> None:
    rows = generators.low_rank_braid(n, d, 0)
    assert rows.shape == (n * (n - 1) // 2, d)
    assert naive.count(rows) == naive.cover(n, d)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: generators.braid(1), "n=1 is too small; expected an integer of at least 2"),
        (lambda: generators.resonance(0), "k=0"),
        (lambda: generators.generic(3, 0), "d=0"),
        (lambda: generators.generic(3, 2, kind="float"), "kind='float' is unknown"),
    ],
)
def test_bad_sizes(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]
