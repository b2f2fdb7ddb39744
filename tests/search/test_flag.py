"""Coordinates along a flag: residues of rows whose columns are scaled."""

import numpy as np
import pytest

from arrangements.search.flag import Flag


@pytest.mark.parametrize("central", [True, False])
@pytest.mark.parametrize("sizes", [(0, 0, 0), (0, 3, 62), (0, 63, 1), (0, 64, 5), (200, 0, 70)])
def test_residues_are_those_of_the_scaled_integers(sizes, central):
    entries = np.random.default_rng(0).integers(-9, 10, (8, 3)).tolist()
    rows = [[x << size for x, size in zip(row, sizes, strict=True)] for row in entries]
    flag = Flag(np.array(rows, dtype=object), central)
    shifts = (flag.column_shift - flag.column_shift.min()).tolist()
    assert max(shifts) - max(sizes) in range(-8, 8)
    moduli = (1_000_003, 2_147_483_629)
    assert flag._residue_rows(moduli).tolist() == [
        [[v * 2**k % q for v, k in zip(row, shifts, strict=True)] for row in flag._integers]
        for q in moduli
    ]
