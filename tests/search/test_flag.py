"""Coordinates along a flag: residues of rows whose columns are scaled."""

import numpy as np
import pytest

from arrangements import NumberField
from arrangements.exact.linear import determinant
from arrangements.generators import coxeter
from arrangements.search import flag
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import Flag


@pytest.mark.parametrize("central", [True, False])
@pytest.mark.parametrize("sizes", [(0, 0, 0), (0, 3, 62), (0, 63, 1), (0, 64, 5), (200, 0, 70)])
def test_residues_are_those_of_the_scaled_integers(sizes, central):
    entries = np.random.default_rng(0).integers(-9, 10, (8, 3)).tolist()
    rows = [[x << size for x, size in zip(row, sizes, strict=True)] for row in entries]
    found = Flag(np.array(rows, dtype=object), central)
    shifts = (found.column_shift - found.column_shift.min()).tolist()
    assert max(shifts) - max(sizes) in range(-8, 8)
    moduli = (1_000_003, 2_147_483_629)
    assert found._residue_rows(moduli).tolist() == [
        [[v * 2**k % q for v, k in zip(row, shifts, strict=True)] for row in found._integers]
        for q in moduli
    ]


@pytest.mark.parametrize("kind", ["floats", "integers", "irrational"])
@pytest.mark.parametrize("central", [True, False])
def test_residues_do_not_depend_on_how_many_primes_are_taken_at_once(kind, central, monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((9, 4))
    if kind == "integers":
        rows = np.array([[int(x * 2**70) for x in row] for row in rows.tolist()], dtype=object)
    if kind == "irrational":
        a = NumberField([-2, 0, 1], (1, 2)).generator
        rows = rng.integers(-9, 10, (9, 4)).astype(object) + a * rng.integers(1, 9, (9, 4))
    together = Flag(rows, central)
    zeros, signs = together.zero_residues(64, 0), together.sign_residues(64, 0)
    assert len(signs[0]) > len(zeros[0]) > 1
    monkeypatch.setattr(flag, "_RESIDUES_AT_ONCE", 2 * rows.size)
    by_two = Flag(rows, central)
    again = *by_two.zero_residues(64, 0), *by_two.sign_residues(64, 0)
    for one, other in zip((*zeros, *signs), again, strict=True):
        assert one.any() and (one == other).all()


def test_an_image_of_another_attempt_leaves_the_flag_as_it_is():
    a = NumberField([-2, 0, 1], (1, 2)).generator
    rng = np.random.default_rng(2)
    rows = rng.integers(-9, 10, (7, 3)).astype(object) + a * rng.integers(1, 9, (7, 3))
    found = Flag(rows, True)
    before, integers = found._zero_primes, found._integers
    signs = {}
    for attempt in (0, 1):
        other = found._of_attempt(attempt)
        assert (other is found) == (attempt == 0)
        assert (other._zero_primes == before) == (other._integers == integers) == (attempt == 0)
        zeros, fields = found.zero_residues(64, attempt)
        assert tuple(fields[:, 0].tolist()) == other._zero_primes and zeros[:, 0, :, :7].all()
        signs[attempt] = [np.sign(determinant(other._integers[k : k + 3])) for k in range(5)]
    assert found._zero_primes == before and found._integers == integers
    assert signs[0] == signs[1]


def test_residues_for_signs_are_found_when_a_sign_is_asked_for():
    a = NumberField([-2, 0, 1], (1, 2)).generator
    rows = coxeter("B", 4).normals.dot(
        np.array([[1, a, 0, 2], [0, 1, a, 0], [3, 0, 1, a], [a, 0, 0, 1]])
    )
    close = [[1.0, 0.5, 0.25], [0.5, 1.0, 0.75], [0.25, 0.5, 1.0], [0.5, 0.25, 1.5]]
    close += [[x + 2.0**-50 * (k + 1) for k, x in enumerate(row)] for row in close]
    for matrix, signs in ((rows, False), (np.array(close), True)):
        sweep = ChamberSweep(Flag(matrix, True))
        assert sum(len(block) for block in sweep.blocks(1000)) > 10
        assert len(sweep.space.matroid) > 0
        assert (len(sweep.space.flag) > 0) == signs
