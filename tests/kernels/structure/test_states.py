"""States: normal form, hashes and their table, against rows of Fractions."""

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure import states
from arrangements.kernels.structure.states import enter_slots
from kernels import compiled
from kernels.plain import to_residue
from kernels.structure.plain_states import (
    empty_level,
    fill_scratch,
    level_of,
    residue_rows,
    row_fields,
    scaled,
    scratch_for,
    states_of,
    weights_for,
)

ROWS = [[0, 2, 4], [3, 0, 1], [-5, 1, 1], [0, 0, 7], [1, 1, 1]]
COUNTS = [1, 2, 1, 3, 1]

normalize, sort_rows = compiled(states.normalize), compiled(states.sort_rows)
find_or_add = compiled(states.find_or_add)


@pytest.mark.slow
def test_rows_begin_with_one():
    scratch = scratch_for(6, 3)
    fill_scratch(scratch, ROWS, COUNTS)
    for _ in range(2):  # the second time nothing changes
        assert normalize(scratch, len(ROWS), 3, row_fields())
        assert scratch.rows[: len(ROWS)].tolist() == residue_rows(map(scaled, ROWS))


def test_bad_primes():
    p, q = primes(2)
    for rows in ([[p, 1]], [[q, 1]], [[0, 0]]):
        scratch = scratch_for(2, 2)
        fill_scratch(scratch, [*rows, [1, 1]], [1, 1])
        assert not normalize(scratch, 2, 2, row_fields())


@pytest.mark.slow
def test_the_order_of_rows_does_not_matter():
    digests, forms = set(), set()
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(ROWS))
        scratch = scratch_for(len(ROWS), 3)
        fill_scratch(scratch, [ROWS[i] for i in order], [COUNTS[i] for i in order])
        digest, good = sort_rows(scratch, len(ROWS), 3, row_fields())
        assert good
        digests.add(digest)
        forms.add((scratch.sorted_rows.tobytes(), scratch.sorted_multiplicity.tobytes()))
    assert len(digests) == len(forms) == 1
    scratch.multiplicity[0] += 1
    assert sort_rows(scratch, len(ROWS), 3, row_fields())[0] not in digests


@pytest.mark.slow
def test_states_are_found_again():
    level, scratch = empty_level(3, 40, 40 * len(ROWS)), scratch_for(len(ROWS), 3)
    rng, known = np.random.default_rng(0), []
    for _ in range(120):
        size = int(rng.integers(1, len(ROWS)))
        chosen = sorted(rng.choice(len(ROWS), size, replace=False).tolist())
        fill_scratch(scratch, [ROWS[i] for i in chosen], [COUNTS[i] for i in chosen])
        digest, _ = sort_rows(scratch, size, 3, row_fields())
        # hashes that agree in their lower bits, and some that agree in all
        digest = np.uint64(int(digest) % 3 << 32)
        s = find_or_add(level, digest, scratch, size, 3)
        if chosen not in known:
            known.append(chosen)
        assert s == known.index(chosen)
        assert level.used.tolist() == [len(known), sum(map(len, known))]
    expected = [
        sorted((residue_rows([scaled(ROWS[i])])[0], COUNTS[i]) for i in chosen) for chosen in known
    ]
    assert states_of(level) == expected
    enter_slots(level)
    assert find_or_add(level, digest, scratch, size, 3) == s


def test_room():
    has_room, level = compiled(states.has_room), empty_level(3, 2, 10)
    assert has_room(level, 10) and not has_room(level, 11)
    level.used[:] = 1, 4
    assert has_room(level, 6) and not has_room(level, 7)
    level.used[0] = 2
    assert not has_room(level, 1)


def test_weights_add_up():
    add_weights = compiled(states.add_weights)
    p, level = primes(1)[0], level_of([[(tuple(ROWS[4]), 1)]], 3)
    weight = np.array([[to_residue(p - 3, p)]], np.uint64)
    add_weights(level, 0, weight, weights_for(1).moduli)
    assert level.weight.tolist() == [[[to_residue(p - 2, p)]]]
    add_weights(level, 0, np.array([[to_residue(2, p)]], np.uint64), weights_for(1).moduli)
    assert level.weight.tolist() == [[[0]]]


@pytest.mark.slow
def test_load():
    state = [(scaled(row), count) for row, count in zip(ROWS, COUNTS, strict=True)]
    level, scratch = level_of([state[:2], state[2:]], 3), scratch_for(len(ROWS), 3)
    assert compiled(states.load)(level, 1, 3, scratch) == 3
    assert scratch.rows[:3].tolist() == residue_rows([row for row, _ in state[2:]])
    assert scratch.multiplicity[:3].tolist() == COUNTS[2:]


@pytest.mark.slow
def test_append_and_load_sorted():
    state = [(scaled(row), count) for row, count in zip(ROWS, COUNTS, strict=True)]
    source, scratch = level_of([state[:2], state[2:]], 3), scratch_for(len(ROWS), 3)
    source.digest[:] = 5, 6
    copied = empty_level(3, 2, 5)
    copied.weight[:] = 9
    for t, s in enumerate((1, 0)):
        compiled(states.append)(copied, source, s, 3)
        assert copied.used.tolist() == ([1, 3] if t == 0 else [2, 5])
    assert states_of(copied) == states_of(source)[::-1]
    assert copied.digest.tolist() == [6, 5] and not copied.weight.any()
    assert compiled(states.load_sorted)(source, 1, 3, scratch) == 3
    assert scratch.sorted_rows[:3].tolist() == source.rows[2:].tolist()
    assert scratch.sorted_multiplicity[:3].tolist() == COUNTS[2:]
