"""VNN-LIB: the same sets of inputs and outputs as an evaluation of the formula."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from arrangements import ArrangementError
from arrangements.exchange import from_vnnlib

HEAD = """
; property 3 of ACAS Xu, smaller
(set-logic QF_LRA)
(declare-const X_0 Real)
(declare-const X_1 Real)
(declare-fun Y_0 () Real)
(declare-const Y_1 Real)  ; the last
"""
BOX = """
(assert (<= X_0 0.6)) (assert (>= X_0 -.5))
(assert (<= (* 2 X_1) 1e0)) (assert (>= X_1 (- 1)))
"""
ENDS = """
(assert (or
    (and (<= Y_0 Y_1) (>= Y_0 0.1))
    (>= (- Y_1 (/ Y_0 4)) (+ 1 1 0.5))
))
"""
TEXT = HEAD + BOX + ENDS


@pytest.mark.slow
def test_a_property_is_what_its_formula_says() -> None:
    found = from_vnnlib(TEXT)
    assert len(found.cases) == 2
    assert found.cases[0].inputs is found.cases[1].inputs
    corners = {(Fraction(a), Fraction(b)) for a in ("-1/2", "3/5") for b in (-1, "1/2")}
    assert set(found.cases[0].inputs.vertices) == corners
    steps = [Fraction(k, 4) for k in range(-3, 14)]
    for x in [(0, 0), (Fraction(3, 5), Fraction(1, 2)), (Fraction(61, 100), 0), (0, -2)]:
        inside = -0.5 <= x[0] <= Fraction(6, 10) and -1 <= x[1] <= Fraction(1, 2)
        for y in product(steps, repeat=2):
            wanted = (y[0] <= y[1] and y[0] >= Fraction(1, 10)) or y[1] - y[0] / 4 >= Fraction(5, 2)
            assert found.is_met(x, y) == (inside and wanted)


def test_several_disjunctions_multiply() -> None:
    text = HEAD + BOX + "(assert (or (<= Y_0 0) (<= Y_1 0)))" * 2
    assert len(from_vnnlib(text).cases) == 4
    both = "(assert (or (and (<= X_0 0) (<= Y_0 0)) (and (>= X_0 0.5) (<= Y_1 0))))"
    found = from_vnnlib(HEAD + BOX + both)
    assert found.is_met([0, 0], [-1, 1]) and not found.is_met([0, 0], [1, -1])
    assert found.is_met([0.5, 0], [1, -1])
    assert from_vnnlib(HEAD + "(assert (or))").cases == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "(assert (< X_0 1))", r"has \(< X_0 1\); expected <= or >="),
        (HEAD + "(assert (<= (* X_0 X_1) 1))", "expected a linear expression"),
        (HEAD + "(assert (<= X_0 Y_0))", "inputs and outputs together"),
        (HEAD + "(assert (<= X_7 1))", "X_7, which it does not declare"),
        (HEAD + "(assert (<= X_0 1)", "ends before its parentheses"),
        (HEAD + ")", "closes a parenthesis"),
        (HEAD + "(assert (<= z 1))", "variable z; expected X_0"),
        (HEAD + "(push)", r"has \(push\); expected declare-const or assert"),
        (HEAD + "(assert X_0)", "expected an inequality"),
        (HEAD + "(assert (<= (/ X_0 0) 1))", "expected a linear expression"),
        (HEAD + "(assert ())", "expected an inequality"),
        (HEAD + "(assert (<= () 1))", "expected a linear expression"),
        ("(declare-const X_1 Real)", "without gaps"),
        (HEAD + "(assert (or (<= X_0 0) (<= X_0 1)))" * 20, "more than 10000 cases"),
        ("(" * 100, "nested parentheses"),
        (b"(assert)", "expected a str"),
    ],
)
def test_texts_that_are_refused(text: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        from_vnnlib(text)
