"""Reverse search lists what the naive oracle lists, each chamber once."""

import naive
import numpy as np
import pytest
import sympy
from examples import EXAMPLES
from hypothesis import given
from strategies import arrangements
from test_incremental import listed

from arrangements import generators, iter_chambers
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.feasibility.cone_system import HomogeneousRows, distinct_rows, homogeneous_rows
from arrangements.kernels.cone.reverse_search import DONE, Traversal, traverse
from arrangements.search.reverse_search import _base_chamber, iter_reverse_search


class Half:
    """The blocks with the flag that `listed` reads."""

    def __init__(self, arrangement, **options):
        self.half = arrangement.is_central and arrangement.n_hyperplanes > 0
        self._blocks = iter_reverse_search(arrangement, **options)

    def __iter__(self):
        return self._blocks


@pytest.mark.sampled(22)
@pytest.mark.parametrize("block_size", [1, 7, 4096])
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_same_chambers_as_the_oracle(example, block_size):
    blocks = Half(Arrangement(*example.arguments), block_size=block_size)
    assert listed(blocks, example.n) == example.chambers


@given(arrangements())
def test_random_arrangements(drawn):
    W, b = drawn
    assert listed(Half(Arrangement(W, b), block_size=3), len(W)) == naive.chambers(W, b)


def test_published_counts():
    resonance = [[k >> j & 1 for j in range(4)] for k in range(1, 16)]
    threshold = [[1, *(k >> j & 1 for j in range(3))] for k in range(8)]
    for rows, count in ((resonance, 370), (threshold, 104)):
        assert 2 * sum(map(len, iter_reverse_search(rows))) == count


@pytest.mark.parametrize(("n", "d"), [(20, 4), (12, 6), (64, 3), (65, 2), (130, 2)])
def test_generic_counts(n, d):
    W = np.random.default_rng(n).standard_normal((n, d))
    assert 2 * sum(map(len, iter_reverse_search(W))) == naive.generic_count(n, d)


def test_generic_affine_count():
    rng = np.random.default_rng(0)
    arrangement = Arrangement(rng.standard_normal((15, 3)), rng.standard_normal(15))
    assert sum(map(len, iter_reverse_search(arrangement))) == naive.generic_count(
        15, 3, affine=True
    )


def test_blocks_are_bounded_and_the_search_can_stop_early():
    W = np.random.default_rng(1).standard_normal((60, 6))
    for k, block in enumerate(iter_reverse_search(W, block_size=50)):
        assert len(block) == 50
        if k == 3:
            break


def test_no_hyperplanes():
    blocks = list(iter_reverse_search(Arrangement(np.empty((0, 3)))))
    assert [block.shape for block in blocks] == [(1, 0)]


def test_block_size_must_be_positive():
    with pytest.raises(InputError, match="block_size is -1"):
        iter_chambers([[1]], method="reverse_search", block_size=-1)


@pytest.mark.parametrize("rows", [generators.resonance(3), generators.generic(9, 4, 2)], ids=len)
def test_kept_proofs_hold_exactly(rows):
    """At every moment the proof kept for a row combines rows with the signs it names."""
    system = HomogeneousRows(distinct_rows(homogeneous_rows(Arrangement(rows))[0])[0])
    n, d = len(system.integers), system.dimension
    base = _base_chamber(system)
    signs, path, state = base.copy(), np.zeros(n, np.int64), np.array([0, 1, 0], np.int64)
    proofs, out = np.full((n, d + 1), -1, np.int64), np.empty((5, n), np.int8)
    work, checked = system.work_for(system.table), set()
    while not state[DONE]:
        at = Traversal(base, signs, path, state, proofs)
        traverse(system.table, at, 3, system.safe, out, work)
        for j in np.flatnonzero(proofs[:, 0] >= 0).tolist():
            checked.add((j, *proofs[j].tolist()))
    for j, *proof in sorted(checked)[:: len(checked) // 40 + 1]:
        sides = {code >> 1: 1 if code & 1 else -1 for code in proof}
        columns = [[side * int(a) for a in system.integers[row]] for row, side in sides.items()]
        target = columns.pop(list(sides).index(j))
        assert nonnegative_combination(columns, target)
    assert len(checked) > n


def nonnegative_combination(vectors, target):
    """Whether the independent vectors have a combination with weights >= 0, in rationals."""
    weights, rest = sympy.Matrix(vectors).T.gauss_jordan_solve(sympy.Matrix(target))
    return not rest and all(weight >= 0 for weight in weights)
