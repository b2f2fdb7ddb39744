"""Covers of flats against closures over the rationals."""

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure.flats import BAD_PRIME, Covers, fill_covers, scratch_for
from kernels.plain import rank, residues_of

CENTRAL = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [2, 2, 1], [1, -1, 3]]
# row 0 is at infinity; two pairs of parallels
AFFINE = [[0, 0, 1], [1, 0, 0], [1, 0, -1], [0, 1, 0], [0, 1, 2], [1, 1, 0], [1, 1, 2]]


def mask(members):
    return sum(1 << i for i in members)


def covers_of(rows, shift, basis, every):
    """(mask, added) of the flats spanned by a basis and one more hyperplane, ascending."""
    span = [rows[i + shift] for i in basis]
    n, found = len(rows) - shift, {}
    for e in range(n):
        both = [*span, rows[e + shift]]
        if rank(both) > len(basis):
            inside = [i for i in range(n) if rank([*both, rows[i + shift]]) == len(both)]
            parallel = shift and rank([*both, rows[0]]) == len(both)
            if not parallel and (
                every or min(set(inside) - closed(rows, shift, basis)) > max(basis, default=-1)
            ):
                found[mask(inside)] = min(found.get(mask(inside), e), e)
    return sorted(found.items())


def closed(rows, shift, basis):
    span = [rows[i + shift] for i in basis]
    return {i for i, row in enumerate(rows[shift:]) if rank([*span, row]) == len(basis)}


def kernel_covers(residues, fields, shift, flats, bases, every, room=50):
    scratch = scratch_for(*residues.shape[1:])
    parts, place = [], np.zeros(1, np.int64)
    while place[0] < len(flats):
        before = int(place[0])
        masks, ends = np.zeros((room, 1), np.uint64), np.zeros((2, room), np.int64)
        out = Covers(masks, *ends)
        count = fill_covers(residues, fields, shift, flats, bases, every, place, scratch, out)
        if count == BAD_PRIME:
            return BAD_PRIME
        assert place[0] > before
        parts += zip(masks[:count, 0].tolist(), *ends[:, :count].tolist(), strict=True)
    return parts


@pytest.mark.sampled(4)
@pytest.mark.parametrize("every", [True, False])
@pytest.mark.parametrize("room", [8, 50])
@pytest.mark.parametrize(("rows", "shift"), [(CENTRAL, 0), (AFFINE, 1)], ids=["central", "affine"])
def test_covers(rows, shift, every, room):
    residues, fields = residues_of(rows, 2)
    bases = [[]]
    while bases:
        flats = np.array([[mask(closed(rows, shift, basis))] for basis in bases], np.uint64)
        array = np.array(bases, np.int64).reshape(len(bases), -1)
        found = kernel_covers(residues, fields, shift, flats, array, every, room)
        assert found != BAD_PRIME
        for f, basis in enumerate(bases):
            mine = sorted((flat, added) for flat, parent, added in found if parent == f)
            assert mine == covers_of(rows, shift, basis, every)
        fresh = [[*bases[f], added] for _, f, added in found if added > max(bases[f], default=-1)]
        bases = fresh if len(bases[0]) < 1 else []


def test_a_prime_that_makes_rows_dependent_is_bad():
    p = primes(1)[0]
    rows = [[1, 0, 0], [1, p, 0], [0, 0, 1], [0, 1, 1]]
    nothing, flats = np.zeros((1, 0), np.int64), np.zeros((1, 1), np.uint64)
    for count in (1, 2):
        residues, fields = residues_of(rows, count)
        found = kernel_covers(residues, fields, 0, flats, nothing, True)
        # with one prime rows 0 and 1 are taken for one hyperplane; with two that is seen
        assert (found == BAD_PRIME) == (count == 2)
    basis, flats = np.array([[0]]), np.array([[1]], np.uint64)
    residues, fields = residues_of(rows, 1)
    # row 1 vanishes modulo row 0, though it is not inside
    assert kernel_covers(residues, fields, 0, flats, basis, True) == BAD_PRIME
