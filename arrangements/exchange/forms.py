"""Linear polynomials as text and as rows, with the names of their coordinates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np

from arrangements.checks import as_list
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import column_names, similar_names
from arrangements.errors import InputError, InputTypeError
from arrangements.exact import numbers
from arrangements.exact.number_field import NumberField
from arrangements.exact.text import exact_text
from arrangements.exchange.factors import linear_factors
from arrangements.exchange.fields import constants_of, generator_name, number_writer
from arrangements.exchange.polynomials import RESERVED, Polynomial, natural_order, read_equation
from arrangements.execution import limits
from arrangements.messages import quote


def rows_of_factors(
    factors: list[Polynomial], field: NumberField | None, equation: Any
) -> list[Polynomial]:
    """Linear polynomials of a product; one by itself keeps its constant factors.

    Examples
    --------
    >>> rows_of_factors(read_equation("2*(x - 1)", {}), None, "")
    [{('x',): Fraction(2, 1), (): Fraction(-2, 1)}]
    """
    constants = [factor for factor in factors if not any(factor)]
    others = [factor for factor in factors if any(factor)]
    if not others or not all(map(bool, constants)):
        raise InputError(
            f"{quote(equation)} has no variable; expected an equation of a hyperplane."
        )
    if len(others) == 1 and max(map(len, others[0])) == 1:
        for constant in constants:
            others = [{m: c * constant[()] for m, c in others[0].items()}]
        return others
    found: list[Polynomial] = []
    for factor in others:
        linear = max(map(len, factor)) == 1
        found += [factor] if linear else linear_factors(factor, field)
    return found


def arrangement_of(
    forms: Sequence[Polynomial],
    variables: Iterable[Any] | None,
    labels: Any = None,
    written: Iterable[str] = (),
    constants: Iterable[str] = (),
) -> Arrangement:
    """Arrangement of linear polynomials, with the names of its coordinates.

    Names that are `written` count, also where their coefficients are zero.
    """
    found = sorted({name for f in forms for m in f for name in m}.union(written), key=natural_order)
    names = tuple(found if variables is None else variable_names(variables))
    for name in RESERVED.union(constants).intersection(names):
        meaning = "the generator of the field" if name in constants else "a number or a function"
        raise InputError(
            f"{quote(name)} is one of the variables and the name of {meaning}; expected different "
            "names. Rename one of them."
        )
    unknown = set(found) - set(names)
    if unknown:
        name = min(unknown)
        raise InputError(
            f"{quote(name)} is not one of the variables{similar_names(name, names)}; expected "
            f"{', '.join(names[:9])}{' ..' * (len(names) > 9)}."
        )
    limits.check_bytes(
        f"{len(forms)} equations in {len(names)} variables", 64 * len(forms) * len(names)
    )
    normals = np.array([[form.get((name,), 0) for name in names] for form in forms], object)
    offsets = [form.get((), 0) for form in forms]
    A = Arrangement(
        normals.reshape(len(forms), len(names)), offsets if any(offsets) else None, labels
    )
    A.__dict__["_columns"] = names
    return A


def check_text(text: object) -> None:
    """Refuse what is not text, such as the name of a file as a Path."""
    if not isinstance(text, str):
        raise InputTypeError(
            f"text is {quote(text)}; expected a str, of a file Path(name).read_text()."
        )


def variable_names(variables: Iterable[Any]) -> list[str]:
    """Names of coordinates as a caller gives them: text, a list, SymPy symbols.

    Examples
    --------
    >>> variable_names("x, y"), variable_names(["x1", "x2"])
    (['x', 'y'], ['x1', 'x2'])
    """
    if isinstance(variables, str):
        variables = variables.replace(",", " ").split()
    given = as_list("variables", variables)
    names: list[Any] = [n if isinstance(n, str) else getattr(n, "name", None) for n in given]
    if not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"variables is {quote(given)}; expected text, or symbols of SymPy.")
    if len(set(names)) < len(names) or not all(n.replace("'", "").isidentifier() for n in names):
        raise InputError(
            f"variables is {quote(names)}; expected different names such as 'x', 'x1' and 'x_1'."
        )
    return names


def linear_text(
    coefficients: Sequence[Any], names: Sequence[str], text: Callable[[Any], str] = exact_text
) -> str:
    """A linear polynomial as text; the last coefficient is the constant term.

    Examples
    --------
    >>> from fractions import Fraction
    >>> linear_text([Fraction(1), Fraction(-1, 2), Fraction(0)], ["x", "y"])
    'x - 1/2*y'
    """
    found = ""
    for c, name in zip(coefficients, [*names, ""], strict=True):
        if not c:
            continue
        size = text(c)
        if " " in size:  # a sum
            size = f"({size})"
        negative = size[0] == "-"
        size = size.removeprefix("-")
        term = name if size == "1" and name else f"{size}*{name}" if name else size
        found += (" - " if negative else " + ") + term if found else "-" * negative + term
    return found or "0"


def form_text(form: Polynomial) -> str:
    """A linear polynomial as text, variables sorted."""
    names = sorted({name for m in form for name in m}, key=natural_order)
    return linear_text([form.get((n,), 0) for n in names] + [form.get((), 0)], names)


def write_rows(
    A: Arrangement, variables: Iterable[Any] | None, system: str, reserved: set[str], power: str
) -> tuple[tuple[str, ...], list[str]]:
    """Names of the coordinates, and the left sides of the equations."""
    d = A.dimension
    if variables is None:
        variables = column_names(A) or [f"x{i}" for i in range(d)]
    names = tuple(variable_names(variables))
    generator = set(constants_of(A.field))
    taken = reserved | RESERVED
    for name in generator:
        if name in taken or iskeyword(name):
            raise InputError(
                f"the generator of the field is {name}, which means something else in code for "
                f"{system}; give the field another name."
            )
    odd = [
        name
        for name in names
        if name in taken | generator
        or iskeyword(name)
        or not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name)
    ]
    if odd or len(names) != d or not d:
        raise InputError(
            f"variables are {quote(names)}; {system} expects {max(1, d)} names of letters and "
            f"digits, other than keywords of Python and names with another meaning there"
            f"{f'; {quote(odd[0])} cannot be used' if odd else ''}."
        )
    if A.loops:
        raise InputError(
            f"the normal of row {A.loops[0]} is zero, and {system} has no such hyperplane; drop it."
        )
    write = number_writer(A.field, generator_name(A.field) if A.field else "", power)
    rows = [numbers.fractions(row) for row in numbers.append_column(A.normals, A.offsets)]
    return names, [linear_text(row, names, write) for row in rows]


def check_base(other: re.Match[str] | None, system: str) -> None:
    """Refuse a text that names a field without signs."""
    if other is not None:
        raise InputError(
            f"the code for {system} has {quote(other[0])}, a finite or complex field; expected the "
            "rationals or a real number field, over which hyperplanes have two sides."
        )


def split_items(text: str) -> Iterator[str]:
    """Parts of a text between the commas outside of its brackets."""
    level = start = 0
    for mark in re.finditer(r"[\[\](),]", text):
        level += (mark[0] in "([") - (mark[0] in ")]")
        if mark[0] == "," and level == 0:
            yield text[start : mark.start()].strip()
            start = mark.end()
    if text[start:].strip():
        yield text[start:].strip()


def read_forms(
    items: list[str], variables: Iterable[Any] | None, constants: dict[str, Any]
) -> Arrangement:
    """Arrangement of the left sides of equations."""
    names: set[str] = set()
    forms = [
        form
        for item in items
        for form in rows_of_factors(read_equation(item, constants, names), None, item)
    ]
    return arrangement_of(forms, variables, None, names, constants)
