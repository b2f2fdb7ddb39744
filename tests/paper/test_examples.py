"""The counter-examples against the naive oracle and the numbers of the literature."""

import naive
import numpy as np
import pytest

from arrangements import chambers, rankings
from arrangements.errors import InputError
from arrangements.paper import examples

# Half of the sign vectors of both models: the sets of points a line can cut off.
BJORNER = ("+++++ +++-+ ++-++ +-+++ +---- ++--- ++--+ +--++ +--+- +++-- +---+").split()


def as_set(patterns):
    return set(map(tuple, patterns.to_array().tolist()))


def test_bjorner():
    pair = examples.bjorner()
    half = {tuple(1 if c == "+" else -1 for c in text) for text in BJORNER}
    expected = half | {tuple(-s for s in signs) for signs in half}
    assert as_set(pair.sign_vectors) == expected
    assert naive.chambers(pair.W1.tolist()) == naive.chambers(pair.W2.tolist()) == expected
    R1, R2 = naive.rankings(pair.W1.tolist()), naive.rankings(pair.W2.tolist())
    assert len(R1) == len(R2) == 20
    assert as_set(pair.only_in_1) == R1 - R2 == {(1, 0, 4, 3, 2), (2, 3, 4, 0, 1)}
    assert as_set(pair.only_in_2) == R2 - R1 == {(3, 2, 4, 1, 0), (0, 1, 4, 2, 3)}
    assert len(pair.certificates) == 4
    for proof in pair.certificates:
        assert proof.verify(pair.W1, pair.W2) and not proof.verify(pair.W2, pair.W1)
        feasible = proof.in_1 if proof.order in R1 else proof.in_2
        W = pair.W1 if proof.order in R1 else pair.W2
        assert naive.order_at(W.tolist(), None, feasible.point) == proof.order


def test_shortened_row():
    pair = examples.shortened_row()
    W1, W2 = pair.W1.tolist(), pair.W2.tolist()
    assert W1[:4] == W2[:4] and np.linalg.matrix_rank([W1[4], W2[4]]) == 1
    assert as_set(pair.sign_vectors) == naive.chambers(W1) == naive.chambers(W2)
    R1, R2 = naive.rankings(W1), naive.rankings(W2)
    assert len(R1) == len(R2) == 16
    assert as_set(pair.only_in_1) == R1 - R2 and as_set(pair.only_in_2) == R2 - R1
    assert {order[0] for order in R1} - {order[0] for order in R2} == {4}


@pytest.mark.parametrize("name", ["unrestricted", "centered", "centered_unit_length"])
def test_tie_examples(name):
    """All five labels can be first, so a pair cannot tie for want of a maximal label."""
    example = getattr(examples, name)()
    assert len(example.coordinates) == 5
    rows = example.coordinates.tolist()
    orders = naive.rankings(rows)
    assert {order[0] for order in orders} == set(range(5))
    heads = {order[:2] for order in orders}
    assert {tuple(t) for t in example.ties.tolist()} == {(i, j) for i, j in heads if i < j}
    assert {(j, i) for i, j in heads} == heads
    exact = np.array(example.W.evalf(30).tolist(), dtype=float)
    cosine = exact @ exact.T / np.outer(*[np.linalg.norm(exact, axis=1)] * 2)
    assert cosine[example.apart] > cosine[example.together] + 0.3
    assert example.apart not in heads and example.together in heads


def test_a_pair_of_models_of_ones_own():
    W1, W2 = [[1, 3], [2, 1], [-1, 1]], [[1, 3], [4, 2], [-5, 5]]
    pair = examples.model_pair(W1, W2)
    assert pair.only_in_1 == rankings(W1) - rankings(W2)
    assert pair.sign_vectors == chambers(W1)
    assert len(examples.model_pair(W1, W1).only_in_1) == 0
    with pytest.raises(InputError, match="sign patterns of W1 and W2 are different"):
        examples.model_pair(W1, [[1, 3], [2, 1], [-1, -1]])
    with pytest.raises(InputError, match="different"):
        examples.model_pair(W1, W1[:2])
