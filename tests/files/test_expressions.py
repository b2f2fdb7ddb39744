"""Irrational numbers in text files."""

import time
from pathlib import Path

import pytest
import sympy
from sympy import GoldenRatio, Rational, cbrt, cos, pi, sin, sqrt

from arrangements import Arrangement, count_chambers, load_matrix, load_vector
from arrangements.errors import ArrangementError, InputError
from arrangements.files.expressions import expression
from arrangements.generators import coxeter

VALUES = {
    "sqrt(2)": sqrt(2),
    "-sqrt(1/3)": -1 / sqrt(3),
    "+sqrt(2)": sqrt(2),
    "1-sqrt(2)*3": 1 - 3 * sqrt(2),
    "1/sqrt(2)/2": sqrt(2) / 4,
    "-sqrt(2)**2": sympy.Integer(-2),
    "(1+sqrt(5))/2": (1 + sqrt(5)) / 2,
    "GoldenRatio": GoldenRatio,
    "2**(1/3)": cbrt(2),
    "2**(1/3)*sqrt(2)": cbrt(2) * sqrt(2),
    "cos(2*pi/7)": cos(2 * pi / 7),
    "3*sin(-pi/5)": -3 * sin(pi / 5),
    "sqrt(2+sqrt(2))**-1": 1 / sqrt(2 + sqrt(2)),
}
REFUSED = (
    *("sqrt(-2)", "sqrt(2", "sqrt(2))", "sqrt()", "sqrt(2)(3)", "sqrt(2)sqrt(3)", "1/sqrt(0)"),
    *("sqrt(x)", "sqrt(2)*pi+pi", "cos(1)", "cos(pi/1000)", "cos(pi*sqrt(2))", "cos(pi)**pi"),
    *("9**9**9*sqrt(2)", "((9**99)**99)**99*sqrt(2)", "2**100000*sqrt(2)", "sqrt(2)//2"),
    *("(-2)**(1/3)", "0**-1"),
    *("sqrt(0x10)", "sqrt(2.5)", "sqrt(1e3)", "sqrt(007)", "__import__('os')", "sqrt.cos(2)"),
    *("(" * 150 + "sqrt(2)" + ")" * 150, "-" * 190 + "sqrt(2)+" * 9 + "1", "sqrt(" * 30 + "2"),
)


@pytest.mark.parametrize("text", VALUES)
def test_values(text: str) -> None:
    assert sympy.simplify(expression(text) - VALUES[text]) == 0


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_real_algebraic_number_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "w.txt"
    path.write_text(f"1 0\n{text} 1\n")
    begun = time.perf_counter()
    with pytest.raises(ArrangementError, match="line 2, entry 1|row 1, column 0"):
        Arrangement(load_matrix(path))
    assert time.perf_counter() - begun < 20


def test_a_first_line_of_expressions_is_no_title(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("sqrt(2), GoldenRatio\n1, 0.5\n")
    assert load_matrix(path).tolist() == [[sqrt(2), GoldenRatio], [1, 0.5]]
    path.write_text("cost, sinus\n1, 0.5\n")
    assert load_matrix(path).shape == (1, 2)
    path.write_text("sqrt(2)\n1/3\n")
    assert load_vector(path).tolist() == [sqrt(2), Rational(1, 3)]


def test_files_hold_what_is_printed(tmp_path: Path) -> None:
    """H3 written, and read again: the same arrangement and its 120 chambers."""
    A, path = coxeter("H", 3), tmp_path / "h3.txt"
    rows = [[str(x).replace(" ", "") for x in row] for row in A.normals.tolist()]
    path.write_text("\n".join(" ".join(row) for row in rows))
    again = Arrangement(load_matrix(path))
    assert again == A and count_chambers(again) == 120


def test_the_message_names_the_form(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text("1 2\nsqrt(y) 1\n")
    with pytest.raises(InputError, match=r"entry 1 is 'sqrt\(y\)'.* like sqrt\(2\)/2"):
        load_matrix(tmp_path / "w.txt")
