"""The public listing functions: every method against the naive oracle, known counts, properties."""

from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
from examples import CENTRAL, EXAMPLES, LARGE, Example
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrangements as some_arrangement
from strategies import invertible

from arrangements import (
    Arrangement,
    SignVectors,
    chambers,
    count_chambers,
    generators,
    iter_chambers,
)
from arrangements.errors import (
    ArrangementError,
    DegenerateArrangementError,
    IncompleteError,
    InputError,
    LowRankWarning,
    TooLargeError,
    UnknownMethodError,
)

METHODS = ["sweep", "incremental", "reverse_search"]
# Rounding noise is what these examples are about.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def as_set(found: SignVectors) -> set[tuple[int, ...]]:
    """The sign vectors as tuples; checks that no row is repeated."""
    rows = [tuple(row) for row in found.to_array().tolist()]
    assert len(set(rows)) == len(rows) == len(found)
    return set(rows)


def listed(W: Any, offsets: Any = None, **options: Any) -> set[tuple[int, ...]]:
    return as_set(chambers(W, offsets, **options))


@pytest.mark.sampled(12)
@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_equals_naive(example: Example, method: str) -> None:
    found = chambers(*example.arguments, method=method)
    assert as_set(found) == example.chambers
    assert found.complete
    assert found.to_array().dtype == np.int8
    assert count_chambers(*example.arguments, method=method) == example.count


@pytest.mark.sampled(12)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_blocks_make_the_set(example: Example) -> None:
    blocks = list(iter_chambers(*example.arguments, block_size=7))
    rows = [tuple(row) for block in blocks for row in block.to_array().tolist()]
    assert len(rows) == len(set(rows))
    assert set(rows) == example.chambers


@pytest.mark.sampled(10)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_every_witness_is_inside(example: Example) -> None:
    found = chambers(*example.arguments)
    rows = found.to_array().tolist()
    for i in {*range(min(len(rows), 60)), len(rows) - 1} - {-1}:
        point = found.witness(i)
        assert naive.signs_at(*example.arguments, point) == tuple(rows[i])


@pytest.mark.parametrize("example", CENTRAL, ids=repr)
def test_second_half_is_the_negated_first(example: Example) -> None:
    signs = chambers(*example.arguments).to_array()
    half = len(signs) // 2
    assert np.array_equal(signs[half:], -signs[:half])


@pytest.mark.parametrize("example", LARGE, ids=repr)
def test_large_counts(example: Example) -> None:
    found = chambers(*example.arguments)
    assert len(found) == count_chambers(*example.arguments) == example.count
    assert len(np.unique(found.packed, axis=0)) == len(found.packed)
    assert found.packed.shape[1] == -(-example.n // 64)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", ["incremental", "reverse_search"])
@pytest.mark.parametrize("example", [e for e in LARGE if e.count < 3000], ids=repr)
def test_methods_agree(example: Example, method: str) -> None:
    assert chambers(*example.arguments, method=method) == chambers(*example.arguments)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        (generators.boolean(10), 2**10),
        (generators.braid(7), 5040),
        (generators.type_b(4), 2**4 * 24),
        (generators.type_b(5), 2**5 * 120),
        (generators.type_d(5), 2**4 * 120),
        (generators.resonance(5), 11292),
        (generators.threshold(4), 1882),
        (generators.threshold(5), 94572),
        *[(generators.crosspolytope(k), 2 * (3**k - 2**k) + 2**k) for k in (2, 5, 8)],
        (generators.demicube(4), 146),
        (generators.demicube(5), 3756),
        (generators.demicube(6), 291558),
        (generators.low_rank_braid(8, 3, 0), 646),
        (generators.low_rank_braid(10, 3, 0), 1742),
        (generators.low_rank_braid(7, 4, 0), 1512),
        (generators.generic(100, 3, 0), naive.generic_count(100, 3)),
        (generators.generic(30, 5, 0, kind="integer"), naive.generic_count(30, 5)),
        (generators.generic(12, 12, 0), 2**12),
        (generators.generic(1500, 2, 0), 3000),
    ],
)
def test_published_counts(rows: Any, count: int) -> None:
    assert count_chambers(rows) == count


@pytest.mark.slow
def test_resonance_6() -> None:
    rows = generators.resonance(6).normals
    assert count_chambers(rows) == 1066044
    assert len(chambers(rows)) == 1066044


def test_generic_affine_count() -> None:
    rows, offsets = generators.generic(40, 3, 0).normals, generators.generic(40, 1, 1).normals[:, 0]
    assert count_chambers(rows, offsets) == naive.generic_count(40, 3, affine=True)


@given(arrangement=some_arrangement(), method=st.sampled_from(METHODS))
def test_random_equals_naive(arrangement: tuple[Any, Any], method: str) -> None:
    assert listed(*arrangement, method=method) == naive.chambers(*arrangement)


@given(arrangement=some_arrangement(), data=st.data())
def test_positive_scaling_and_negation(arrangement: tuple[Any, Any], data: st.DataObject) -> None:
    rows, offsets = arrangement
    n = len(rows)
    factors = data.draw(
        st.lists(st.sampled_from([1, 2, -1, -4]), min_size=n, max_size=n), label="factors"
    )
    scaled = [[factor * value for value in row] for factor, row in zip(factors, rows, strict=True)]
    moved = offsets and [factor * b for factor, b in zip(factors, offsets, strict=True)]
    flips = [1 if factor > 0 else -1 for factor in factors]
    expected = {
        tuple(s * f for s, f in zip(signs, flips, strict=True)) for signs in listed(*arrangement)
    }
    assert listed(scaled, moved) == expected


@given(arrangement=some_arrangement(), data=st.data())
def test_permuted_rows(arrangement: tuple[Any, Any], data: st.DataObject) -> None:
    rows, offsets = arrangement
    order = data.draw(st.permutations(range(len(rows))), label="order")
    permuted = listed([rows[i] for i in order], offsets and [offsets[i] for i in order])
    assert permuted == {tuple(signs[i] for i in order) for signs in listed(*arrangement)}


@pytest.mark.slow
@given(arrangement=some_arrangement(), data=st.data())
def test_change_of_basis(arrangement: tuple[Any, Any], data: st.DataObject) -> None:
    rows, offsets = arrangement
    basis = data.draw(invertible(len(rows[0])), label="basis")
    exact = [[naive.fraction(value) for value in row] for row in rows]
    turned = [[sum(a * b for a, b in zip(row, c, strict=True)) for c in basis] for row in exact]
    assert listed(turned, offsets) == listed(*arrangement)


@given(arrangement=some_arrangement())
def test_deletion(arrangement: tuple[Any, Any]) -> None:
    rows, offsets = arrangement
    if len(rows) > 1:
        fewer = listed(rows[:-1], offsets and offsets[:-1])
        assert fewer == {signs[:-1] for signs in listed(*arrangement)}


@given(arrangement=some_arrangement())
def test_count_is_the_characteristic_polynomial(arrangement: tuple[Any, Any]) -> None:
    assert count_chambers(*arrangement) == naive.count(*arrangement)


def test_limit_truncates() -> None:
    rows = generators.generic(12, 3, 0).normals
    found = chambers(rows, limit=5)
    assert len(found) == 5
    assert not found.complete
    assert as_set(found) <= listed(rows)
    with pytest.raises(IncompleteError):
        _ = found == chambers(rows)
    assert chambers(rows, limit=10**6).complete
    assert sum(len(block) for block in iter_chambers(rows, limit=5)) == 5


def test_workers_give_the_same_set() -> None:
    rows = generators.generic(30, 4, 0).normals
    assert chambers(rows, workers=2) == chambers(rows)
    assert count_chambers(rows, workers=2) == naive.generic_count(30, 4)


def test_within_and_prune() -> None:
    rows = generators.generic(7, 2, 3).normals
    box = (np.array([[-1, 0], [0, -1]]), np.array([0, 0]))  # the closed positive quadrant
    inside = listed(rows, method="incremental", within=box)
    both = np.vstack([rows, np.eye(2)])
    assert inside == {signs[:-2] for signs in listed(both) if signs[-2:] == (1, 1)}
    at_most = chambers(rows, prune=lambda prefixes: (prefixes > 0).sum(axis=1) <= 2)
    assert as_set(at_most) == {signs for signs in listed(rows) if signs.count(1) <= 2}


def test_arrangement_is_accepted() -> None:
    rows, offsets = [[1, 0], [0, 1], [1, 1]], [0, 0, -1]
    arrangement = Arrangement(rows, offsets)
    assert chambers(arrangement) == chambers(rows, offsets) == arrangement.chambers()
    assert count_chambers(arrangement) == arrangement.count_chambers() == 7
    with pytest.raises(InputError, match="offsets"):
        chambers(arrangement, offsets)


def test_no_hyperplanes() -> None:
    empty = Arrangement(np.empty((0, 3)))
    found = chambers(empty)
    assert len(found) == count_chambers(empty) == 1
    assert found.to_array().shape == (1, 0)


def test_scipy_and_sympy_input() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    sympy = pytest.importorskip("sympy")
    rows = [[1, 0, 2], [0, 3, 0], [1, 1, 1]]
    assert listed(sparse.csr_matrix(rows)) == naive.chambers(rows)
    third = sympy.Rational(1, 3)
    assert listed([[third, 1], [1, 3]]) == naive.chambers([[Fraction(1, 3), 1], [1, 3]])


def test_low_rank_question() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((8, 2)) @ rng.standard_normal((2, 4))
    with pytest.warns(LowRankWarning, match="rank="):
        count_chambers(rows)
    found = chambers(rows, rank=2)
    assert len(found) == 16
    assert found.factor.shape == (8, 2)
    assert as_set(found) == naive.chambers(found.factor)


@pytest.mark.parametrize(
    ("W", "offsets", "options", "error", "message"),
    [
        ([[1, 2], [0, 0]], None, {}, DegenerateArrangementError, r"\b1\b"),
        ([[1, 2], [0, 0]], [1, 0], {}, DegenerateArrangementError, r"\b1\b"),
        ([[1.0, float("nan")]], None, {}, InputError, "nan"),
        ([[1.0], [float("inf")]], None, {}, InputError, "inf"),
        ([[1j, 2]], None, {}, InputError, "complex"),
        ([[1, 2], [3]], None, {}, InputError, "row 1"),
        ([1, 2, 3], None, {}, InputError, r"\(3,\)"),
        (np.empty((3, 0)), None, {}, DegenerateArrangementError, "row 0 is zero"),
        ([[1, 2]], None, {"prune": 5}, InputError, "prune is 5; expected a function"),
        ([[1, 2]], None, {"workers": 10**5000 * -1}, InputError, "an integer of 5001 digits"),
        ([[1, 2]], None, {"method": ["sweep"]}, InputError, "method is .'sweep'.; expected"),
        ([[1, 2]], [1, 2], {}, InputError, r"\(2,\)"),
        ([["a", 2]], None, {}, InputError, "a"),
        ([[1, 2]], None, {"workers": 0}, InputError, "workers"),
        ([[1, 2]], None, {"method": "magic"}, UnknownMethodError, "magic.*sweep"),
        ([[1, 2]], None, {"rank": 3}, InputError, "rank"),
        ([[1, 2]], None, {"rank": 0}, InputError, "rank"),
        ([[1, 2]], None, {"limit": -1}, InputError, "limit"),
    ],
)
@pytest.mark.parametrize("function", [chambers, count_chambers, iter_chambers])
def test_bad_input(
    function: Any, W: Any, offsets: Any, options: Any, error: type, message: str
) -> None:
    if function is count_chambers and "limit" in options:
        pytest.skip("count_chambers has no limit")
    with pytest.raises(error, match=message) as caught:
        list(function(W, offsets, **options)) if function is iter_chambers else function(
            W, offsets, **options
        )
    assert isinstance(caught.value, ArrangementError)


def test_refuses_what_cannot_fit() -> None:
    with pytest.raises(TooLargeError, match="iter_chambers.*count_chambers.*limit"):
        chambers(generators.generic(400, 8, 0))
    with pytest.raises(TooLargeError, match="max_bytes"):
        chambers(generators.generic(50, 4, 0), max_bytes=1000)
