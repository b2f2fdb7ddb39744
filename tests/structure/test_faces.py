"""Faces of every dimension: against the naive oracle, closed forms and Euler's relation."""

from fractions import Fraction
from itertools import pairwise
from math import comb, factorial
from typing import Any

import naive
import numpy as np
import pytest
from examples import EXAMPLES, Example, gaussian
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrangements as some_arrangement
from strategies import invertible, matrices

from arrangements import Arrangement, SignVectors, chambers, f_vector, flats, generators
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.structure import covectors, face_lattice, iter_faces

pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")

SMALL = [example for example in EXAMPLES if example.count <= 60]


def find_rows(signs: np.ndarray) -> list[tuple[int, ...]]:
    """The rows as tuples; checks that no row is repeated."""
    assert signs.dtype == np.int8
    rows = [tuple(row) for row in signs.tolist()]
    assert len(set(rows)) == len(rows)
    return rows


def stirling(n: int, k: int) -> int:
    """Partitions of n things into k parts."""
    return sum((-1) ** j * comb(k, j) * (k - j) ** n for j in range(k + 1)) // factorial(k)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_covectors_equal_naive(example: Example) -> None:
    expected = example.faces
    counts = f_vector(*example.arguments)
    assert counts == tuple(np.bincount([*expected.values()], minlength=example.dimension + 1))
    found = find_rows(covectors(*example.arguments))
    assert [expected[signs] for signs in found] == list(
        np.repeat(np.arange(example.dimension + 1), counts)
    )
    assert sum((-1) ** k * number for k, number in enumerate(counts)) == (-1) ** example.dimension


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_iter_faces_by_dimension(example: Example) -> None:
    S = chambers(*example.arguments)
    for dimension in range(example.dimension + 1):
        blocks = list(iter_faces(S, dimension, block_size=5))
        found = find_rows(np.concatenate(blocks)) if blocks else []
        assert set(found) == {s for s, k in example.faces.items() if k == dimension}


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_topes_suffice(example: Example) -> None:
    S = SignVectors.from_array(chambers(*example.arguments).to_array())
    assert set(find_rows(covectors(S))) == set(example.faces)


def test_rows_of_a_half_listing_may_be_turned() -> None:
    S = chambers(generators.resonance(3))
    turned = S.packed.copy()
    turned[::3] ^= np.uint64(2**7 - 1)
    T = SignVectors(turned, 7, half=True)
    assert set(find_rows(covectors(T))) == set(find_rows(covectors(S)))


@pytest.mark.slow
@given(some_arrangement())
def test_covectors_of_random_arrangements(given_rows: Any) -> None:
    W, b = given_rows
    assert set(find_rows(covectors(W, b))) == set(naive.covectors(W, b))


@given(matrices(6, 3), st.randoms(use_true_random=False), st.data())
def test_f_vector_is_invariant(rows: Any, random: Any, data: Any) -> None:
    W = Arrangement(rows).normals
    G = np.array(data.draw(invertible(W.shape[1])), dtype=object)
    scales = [random.choice((-3, -1, 2)) for _ in rows]
    other = [[int(s) * Fraction(e) for e in row] for s, row in zip(scales, W.tolist(), strict=True)]
    random.shuffle(other)
    assert f_vector(np.array(other, dtype=object) @ G) == f_vector(W)
    assert flats(np.array(other, dtype=object) @ G).counts == flats(W).counts


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_faces_of_braid_are_ordered_set_partitions(n: int) -> None:
    expected = [factorial(k) * stirling(n, k) for k in range(n + 1)]
    assert f_vector(generators.braid(n)) == tuple(expected)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_faces_of_type_b(n: int) -> None:
    # a set of zeros, and an ordered partition of the rest, signed
    expected = [
        sum(comb(n, j) * 2 ** (n - j) * factorial(k) * stirling(n - j, k) for j in range(n - k + 1))
        for k in range(n + 1)
    ]
    assert f_vector(generators.type_b(n)) == tuple(expected)


def test_semiorder_as_sage_prints_it() -> None:
    pairs = np.tile(generators.braid(3), (2, 1))
    assert f_vector(pairs, [1, 1, 1, -1, -1, -1]) == (0, 12, 30, 19)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("n", "d"), [(63, 2), (64, 2), (65, 3), (20, 4), (9, 6)])
@pytest.mark.parametrize("affine", [False, True])
def test_generic_f_vectors(n: int, d: int, affine: bool) -> None:
    W = gaussian(n, d, n)
    b = gaussian(n, 1, n + 1)[:, 0] if affine else None
    expected = [1 if not affine else comb(n, d)] + [
        comb(n, d - k) * naive.generic_count(n - d + k, k, affine=affine) for k in range(1, d + 1)
    ]
    assert f_vector(W, b) == tuple(expected)


def test_coinciding_and_constant_rows() -> None:
    W = [[1, 0], [0, 0], [-2, 0], [0, 1], [3, 0]]
    b = [1, 5, -2, 0, 3]
    found = covectors(W, b)
    assert f_vector(W, b) == (1, 4, 4)
    assert (found[:, 1] == 1).all()
    assert (found[:, 0] == -found[:, 2]).all() and (found[:, 0] == found[:, 4]).all()


def test_no_hyperplanes() -> None:
    A = Arrangement(np.zeros((0, 3)))
    assert f_vector(A) == (0, 0, 0, 1)
    assert covectors(A).shape == (1, 0)
    assert [block.shape for block in iter_faces(A, 3)] == [(1, 0)]
    assert list(iter_faces(A, 2)) == []
    assert face_lattice(A).number_of_nodes() == 1


@pytest.mark.sampled(13)
@pytest.mark.parametrize("example", [e for e in SMALL if e.count <= 30], ids=repr)
def test_face_lattice(example: Example) -> None:
    lattice = face_lattice(*example.arguments)
    signs = find_rows(covectors(*example.arguments))
    assert ["".join("-0+"[s + 1] for s in row) for row in signs] == [
        name for _, name in lattice.nodes(data="signs")
    ]
    dimension = [example.faces[row] for row in signs]
    assert dimension == [k for _, k in lattice.nodes(data="dimension")]
    expected = {
        (i, j)
        for i, low in enumerate(signs)
        for j, high in enumerate(signs)
        if dimension[j] == dimension[i] + 1
        and all(x in (0, y) for x, y in zip(low, high, strict=True))
    }
    assert set(lattice.edges) == expected


def test_faces_come_by_dimension() -> None:
    W = generators.resonance(3).normals
    found, counts = covectors(W), np.cumsum([0, *f_vector(W)])
    for k, (first, stop) in enumerate(pairwise(counts.tolist())):
        part = np.concatenate(list(iter_faces(W, k)))
        assert set(find_rows(part)) == set(find_rows(found[first:stop]))


def test_refusals() -> None:
    W = generators.generic(8, 3, 0).normals
    with pytest.raises(TooLargeError, match="iter_faces"):
        covectors(W, max_bytes=200)
    with pytest.raises(InputError, match="dimension is 4; expected an integer from 0 to 3"):
        iter_faces(W, 4)
    with pytest.raises(InputError, match="expected an integer"):
        iter_faces(W, 1.5)  # type: ignore[arg-type]
    with pytest.raises(IncompleteError, match="List without limit"):
        f_vector(chambers(W, limit=3))
    with pytest.raises(IncompleteError, match="all are needed"):
        covectors(chambers(W, within=([[1, 0, 0]], [0])) - chambers(W, within=([[0, 1, 0]], [0])))
    with pytest.raises(InputError, match="know their arrangement"):
        f_vector(chambers(W), np.zeros(8))


@pytest.mark.parametrize("listed", [False, True])
def test_a_lattice_that_takes_too_much_is_refused(listed: bool) -> None:
    W = generators.generic(5, 3, 0)
    asked, number = chambers(W) if listed else W, sum(f_vector(W))
    assert len(face_lattice(asked, max_bytes=2500 * number)) == number
    with pytest.raises(TooLargeError, match="raise max_bytes"):
        face_lattice(asked, max_bytes=2500 * number - 1)
    with pytest.raises(InputError, match="max_bytes is 0"):
        face_lattice(asked, max_bytes=0)
