"""Equations as text and as expressions of SymPy."""

import time
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Eq, I, Integer, Poly, Symbol, expand, oo, pi, sin, sqrt, true
from sympy.abc import t, x, y, z

from arrangements import Arrangement, NumberField, generators
from arrangements.errors import ArrangementError, InputError
from arrangements.exchange import from_equations

ROOT = NumberField([-2, 0, 1], (1, 2), "r")


@pytest.mark.parametrize(
    ("equations", "normals", "offsets"),
    [
        (["x - y", "2*x + z = 1"], [[1, -1, 0], [2, 0, 1]], [0, -1]),
        (["x10 = x2", "3x1 == 0"], [[0, -1, 1], [3, 0, 0]], None),
        (["2(x - 1)/4 + 0.1*y = -y"], [[Fraction(1, 2), Fraction(11, 10)]], [Fraction(-1, 2)]),
        (["-(x - -3//6)"], [[-1]], [Fraction(-1, 2)]),
        (["2^3*x - 3**-1*y^1"], [[8, Fraction(-1, 3)]], None),
        (["λ_1 + x'"], [[1, 1]], None),
        (["0 = x"], [[-1]], None),
        ([x - y, Eq(2 * x, z - 1)], [[1, -1, 0], [2, 0, -1]], [0, 1]),
        ([[x, "y"]], [[1, 0], [0, 1]], None),
        ([x / 2 + 0.5 * y], [[Fraction(1, 2), Fraction(1, 2)]], None),
        (["x*y*(x^2 - y^2)"], [[1, 0], [0, 1], [1, 1], [1, -1]], None),
        (["2*x*(3*y - 1)^2 = 0"], [[1, 0], [0, 3], [0, 3]], [0, -1, -1]),
        ([expand(x * y * (x - y) ** 2)], [[1, 0], [1, -1], [1, -1], [0, 1]], None),
        ([x * y**2 * 3], [[1, 0], [0, 1], [0, 1]], None),
        (["x^2 - x"], [[1], [1]], [0, -1]),
    ],
)
def test_rows(equations: list[Any], normals: Any, offsets: Any) -> None:
    found = from_equations(*equations)
    assert sorted(map(str, found.normals.tolist())) == sorted(map(str, normals))
    expected = Arrangement(normals, offsets)
    if len(equations) == len(normals):
        assert found.same_numbers(expected)
    assert found.same_hyperplanes(expected)


def test_irrational_numbers() -> None:
    found = from_equations("sqrt(2)*x + 2^(1/2)/3*y = 1")
    assert found.same_numbers(Arrangement([[sqrt(2), sqrt(2) / 3]], [-1]))
    assert from_equations(sqrt(2) * x - y / 3).same_numbers(
        Arrangement([[sqrt(2), Fraction(-1, 3)]])
    )
    assert from_equations("r*x - y", field=ROOT).same_numbers(Arrangement([[sqrt(2), -1]]))
    lines = Arrangement([[1, sqrt(2)], [1, -sqrt(2)]])
    for polynomial in (
        from_equations("x^2 - 2*y^2", field=ROOT),
        from_equations(Poly(x**2 - 2 * y**2, x, y, extension=sqrt(2))),
        from_equations("(x - sqrt(2)*y)*(x + sqrt(2)*y)"),
    ):
        assert polynomial.same_hyperplanes(lines)
    with pytest.raises(InputError, match="not a product of linear polynomials over the rationals"):
        from_equations("x^2 - 2*y^2")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["A4", "B3", "D4", "G2"])
def test_defining_polynomials(name: str) -> None:
    A = generators.coxeter(name)
    polynomial = A.defining_polynomial()
    for given_as in (polynomial, polynomial.as_expr(), str(polynomial.as_expr())):
        assert from_equations(given_as).same_hyperplanes(A)


def test_labels_and_variables() -> None:
    found = Arrangement.from_equations("  x - y", "x*(y - 1/2)", variables=["y", "x", "t"])
    assert found.labels == ("x - y", "x", "y - 1/2")
    assert found.normals.tolist() == [[-1, 1, 0], [0, 1, 0], [1, 0, 0]]
    assert Arrangement.from_equations(variables=[x, y]).normals.shape == (0, 2)
    with pytest.raises(InputError, match=r"'x1' is not one of the variables \(similar: 'x'\)"):
        from_equations("x1 - y", variables="x, y")


@given(
    st.lists(
        st.tuples(*[st.fractions(max_denominator=99)] * 4).filter(lambda row: any(row[:3])),
        min_size=1,
        max_size=4,
    )
)
def test_text_of_rows(rows: list[tuple[Fraction, ...]]) -> None:
    texts = [" + ".join(f"({c})*{n}" for c, n in zip(row, "abc1", strict=True)) for row in rows]
    found = from_equations(*texts, variables="a b c")
    expected = Arrangement([row[:3] for row in rows], [row[3] for row in rows])
    assert found.same_numbers(expected)


BAD = {
    "": "ends too early",
    "x +": "ends too early",
    "(x": "not closed",
    "x)": "not expected",
    "x y": "not expected",
    "x >= 0": "not expected",
    "x = y = z": "several signs",
    "f(x)": "not a variable",
    "pi*x": "not a variable",
    "1/x": "divisor is not a number",
    "x/(1 - 1)": "divisor is zero",
    "0^-1*x": "divisor is zero",
    "sqrt(x)": "not a real algebraic number",
    "sqrt(-1)*x": "not a real algebraic number",
    "cos(1)*x": "not a real algebraic number",
    "x^y": "exponent is not a number",
    "x^sqrt(2)": "exponent is irrational",
    "x*y = 1": "not a product of linear",
    "3 = 0": "has no variable",
    "0*x": "no variable|is zero",
    "²*x": "not expected",
    "x.real": "not expected",
    "__import__('os').system('ls')": "not a variable",
    "x; y": "not expected",
    "\x00": "not expected",
}


@pytest.mark.parametrize("text", BAD)
def test_refused(text: str) -> None:
    with pytest.raises(ArrangementError, match=BAD[text]):
        from_equations(text)


@pytest.mark.parametrize("given_as", [sin(x), 1 / x, oo * x, x + pi, I * x, true, 5, x**10**9])
def test_refused_expressions(given_as: Any) -> None:
    with pytest.raises(InputError):
        from_equations(given_as)


LONG = {
    "huge exponents": "x^99999999999999999999999",
    "powers of powers": "((2^1000)^1000)^1000*x = 1",
    "a long number": "2^999999999*x",
    "many terms": "(x + y + z)^900 + 1",
    "many sums": "+".join(["(a+b+c+d+e+f+g+h)^6"] * 500),
    "many powers": "*".join(["2^1000"] * 8000) + "*x",
    "levels": "(" * 5000 + "x" + ")" * 5000,
    "roots": "sqrt(" * 30 + "2" + ")" * 30 + "*x",
    "characters": "x+" * 500_000 + "x",
    "one name": "x" * 10**6,
    "degree": "x^900 - 2*y^900",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LONG)
def test_long_texts_are_refused_quickly(name: str) -> None:
    start = time.perf_counter()
    with pytest.raises(InputError) as caught:
        from_equations(LONG[name])
    assert time.perf_counter() - start < 20 and len(str(caught.value)) < 500


def test_long_texts_that_are_read() -> None:
    assert from_equations("-" * 50_000 + "x").normals.tolist() == [[1]]
    wide = from_equations("+".join(f"{i}*x{i}" for i in range(1, 3000)))
    assert wide.normals.tolist() == [list(range(1, 3000))]
    assert from_equations("9" * 5000 + "*x").normals[0, 0] == 10**5000 - 1


def test_floats_do_not_round_other_coefficients() -> None:
    large = (10**20 + 1) * x + 0.5 * y
    A = Arrangement.from_equations(x / 3 - 0.5 * y, large, Eq(x / 3, 0.5))
    assert A.normals.tolist() == [
        [Fraction(1, 3), Fraction(-1, 2)],
        [10**20 + 1, Fraction(1, 2)],
        [Fraction(1, 3), 0],
    ]
    assert A.offsets is not None and A.offsets.tolist() == [0, 0, Fraction(-1, 2)]
    assert Arrangement.from_equations(0.1 * x - 1).normals.tolist() == [[Fraction(0.1)]]


@pytest.mark.parametrize("text", ["sqrt(2", "cos(x", "sin(", "sqrt", "x + sqrt((2)"])
def test_functions_that_are_not_closed(text: str) -> None:
    with pytest.raises(InputError, match="parenthesis is not closed"):
        from_equations(text)


@pytest.mark.parametrize("text", ["sqrt(1 0)*x", "sqrt(0x10)*x", "sqrt(2* *3)*x"])
def test_parts_of_numbers_are_not_joined(text: str) -> None:
    with pytest.raises(InputError, match="not a real algebraic number"):
        from_equations(text)


def test_scientific_notation() -> None:
    A = from_equations("1e-3*x + 2.5E2*y = 1e+20")
    assert A.same_numbers(Arrangement([[Fraction(1, 1000), 250]], [-(10**20)]))
    assert from_equations("2*e + x").normals.tolist() == [[2, 1]]
    for exponent in ("1001", "-1001", "9" * 5000):
        with pytest.raises(InputError, match="an exponent is above 1000"):
            from_equations(f"1e{exponent}*x")


def test_order_of_names_with_equal_numbers() -> None:
    assert from_equations("x1 + 2*x01 + 3*x001 = 3").normals.tolist() == [[3, 2, 1]]
    assert from_equations("x1\u0663 + 2*x1a").normals.shape == (1, 2)


def test_different_symbols_of_one_name() -> None:
    real = Symbol("x", real=True)
    for equations in ([x - real], [x + 2 * real + y], [x * real], [x, real - 1]):
        with pytest.raises(InputError, match=r"the same name.*'x'"):
            from_equations(*equations)


@pytest.mark.parametrize(
    ("equation", "row"),
    [
        ("x + 0*y", [1, 0]),
        ("x - x + y", [0, 1]),
        ("b + c^0 + a - a", [0, 1, 0]),
        (Poly(x - 1, y, x), [1, 0]),
        (Eq(x + y, x + 2), [0, 1]),
    ],
)
def test_variables_with_coefficient_zero(equation: Any, row: list[int]) -> None:
    assert from_equations(equation).normals.tolist() == [row]


def test_variable_with_the_name_of_the_generator() -> None:
    field = NumberField([-2, 0, 1], (1, 2), "x")
    A = from_equations("x + y", field=field)
    assert A.same_numbers(Arrangement([[1]], [sqrt(2)]))
    with pytest.raises(
        InputError, match="'x' is one of the variables and the name of the generator"
    ):
        from_equations("x + y", variables="x y", field=field)


@pytest.mark.parametrize(
    "equation", [x**y, x**y * z, x**oo, x**I, Eq(Eq(x, y), True), Eq(true, Eq(x, y))]
)
def test_expressions_without_integer_exponents_and_nested_equations(equation: Any) -> None:
    with pytest.raises(InputError):
        from_equations(equation)


def test_label_of_an_expression_with_many_digits() -> None:
    A = from_equations(Integer(10) ** 5000 * x + y)
    assert A.normals.tolist() == [[10**5000, 1]]
    assert A.labels == ("1" + "0" * 5000 + "*x + y",)


@pytest.mark.parametrize(
    "equation",
    [
        (x + y + z + t) ** 200 - 1,
        Eq((x + y + z) ** 500 * (x - y + z) ** 500, 1),
        ((x + y + 1) ** 100 + z) ** 100 + 1,
    ],
)
def test_long_expressions_are_refused_quickly(equation: Any) -> None:
    start = time.perf_counter()
    with pytest.raises(InputError, match="takes too long to multiply out"):
        from_equations(equation)
    assert time.perf_counter() - start < 5
