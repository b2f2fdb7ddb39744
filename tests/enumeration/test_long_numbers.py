"""Answers of irrational and of very long numbers are shown, and not refused."""

import pytest
from sympy import sqrt

from arrangements import Hyperplane, audit, can_be_top
from arrangements.optimize import halfspace_median
from arrangements.structure import tie_set

IRRATIONAL = [[0], [1], [sqrt(2)]]
LONG = [[2**15000 + 1], [1]]


def test_an_audit_of_irrational_rows() -> None:
    found = audit(IRRATIONAL, sets=[[0, 2], [2]])
    assert found.can_win.tolist() == [True, False, True]
    assert found.possible.tolist() == [False, False]  # a row of zeros is never positive


def test_shares_of_irrational_weights() -> None:
    certificate = can_be_top(IRRATIONAL, [[1]])[0]
    assert certificate.shares == pytest.approx({"2": 0.5**0.5, "0": 1 - 0.5**0.5})
    assert "held down by 2" in repr(certificate)
    assert "held down by 2" in repr(can_be_top(IRRATIONAL)[1])


def test_long_numbers_are_rounded_in_texts() -> None:
    assert "≈" in repr(tie_set(LONG, [0, 1], offsets=[0, 1]))
    assert repr(Hyperplane(tuple(LONG[0]), 1)) == (
        "Hyperplane(normal=(≈ 2.81796e+4515,), offset=1, label=None)"
    )
    assert "≈" in repr(halfspace_median([[2**15000], [1]]))
