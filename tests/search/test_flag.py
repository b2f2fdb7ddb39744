"""Coordinates along a flag: residues of rows whose columns are scaled."""

import numpy as np
import pytest

from arrangements import NumberField
from arrangements.search import flag
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
    together = Flag(rows, central).residues(64, 0)
    assert len(together[2]) > len(together[0]) > 1  # primes for signs, and for zeros
    monkeypatch.setattr(flag, "_RESIDUES_AT_ONCE", 2 * rows.size)
    by_two = Flag(rows, central).residues(64, 0)
    for one, other in zip(together, by_two, strict=True):
        assert one.any() and (one == other).all()
