"""Composed rows against exact ones."""

from fractions import Fraction

import pytest

from kernels.networks.small_networks import KINDS
from kernels.networks.stopped import last_layer, stopped_sweeps


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_exact_up_to_their_errors(kind):
    seen = 0
    for sweep in stopped_sweeps(kind, [2, 9, 8, 7, 2], [3, 5, 40, 1, 60, 7]):
        path, net = sweep._path, sweep._net
        layer = last_layer(sweep)
        for n, table in enumerate(sweep.tables.layers[: layer + 1]):
            first, bits = sweep.tables.first[n], table.bits
            for g in range(first, first + len(table.base)):
                row = sweep._integer_row(g).tolist()
                floats = path.rows[: len(row), g].tolist()
                wrong = sum(
                    abs(Fraction(x) - Fraction(y, 2**bits))
                    for x, y in zip(floats, row, strict=True)
                )
                assert wrong <= net.errors[g]
                assert not net.whole[g] or not wrong
                seen += 1
    assert seen >= 9
