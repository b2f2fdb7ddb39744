"""Code for Sage, and what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.number_field import NumberField
from arrangements.exchange.fields import (
    constants_of,
    generator_name,
    nearest_field,
    separating_bits,
)
from arrangements.exchange.forms import (
    arrangement_of,
    check_base,
    check_text,
    read_forms,
    split_items,
    variable_names,
    write_rows,
)
from arrangements.exchange.polynomials import parse_integer, read_number
from arrangements.messages import quote

# Fields over which there are no signs.
_OTHER_BASE = re.compile(r"\b(?:GF|FiniteField|Zmod|IntegerModRing)\s*\(|\b(?:CC|CDF|QQbar)\b")


def to_sage(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    variables: Iterable[Any] | None = None,
) -> str:
    """Code for Sage that makes the arrangement.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    variables : sequence of str, optional
        Names of the coordinates. Default those of `from_equations` or of the columns of a
        DataFrame, else x0, x1, ..

    Returns
    -------
    str
        Lines that define ``A``. Irrational numbers lie in a number field with an embedding. Sage
        sorts hyperplanes and makes their coefficients coprime; with
        ``OrderedHyperplaneArrangements`` in place of ``HyperplaneArrangements`` it keeps the order.

    Raises
    ------
    InputError
        If rows coincide or a normal is zero, since Sage has no such hyperplanes, or if a variable
        has a name that Sage cannot use.

    See Also
    --------
    from_sage : reads this, and what Sage prints.

    Examples
    --------
    >>> print(to_sage([[1, 0], [1, -2]], [0, 0.5]))
    H = HyperplaneArrangements(QQ, ('x0', 'x1'))
    x0, x1 = H.gens()
    A = H(
        x0,
        x0 - 2*x1 + 1/2,
    )
    """
    A = Arrangement.coerce(W, offsets)
    pair = next((rows for rows in A.coincident_classes if len(rows) > 1), None)
    if pair is not None:
        raise InputError(
            f"rows {pair[0]} and {pair[1]} are the same hyperplane, which Sage keeps only once. "
            "Pass A.simplify().arrangement."
        )
    names, rows = write_rows(A, variables, "Sage", {*"AHKR", "QQ", "HyperplaneArrangements"}, "**")
    lines = []
    if A.field is not None:
        name = generator_name(A.field)
        lines = [f"K = {_sage_field(A.field, name)}", f"{name} = K.gen()"]
    lines += [
        f"H = HyperplaneArrangements({'K' if lines else 'QQ'}, {names!r})",
        f"{', '.join(names)}{',' * (len(names) == 1)} = H.gens()",
        "A = H(",
        *(f"    {row}," for row in rows),
        ")",
    ]
    return "\n".join(lines)


def _sage_field(field: NumberField, name: str) -> str:
    if field.polynomial[1:] == (0, 1) and field.root_number == 1:
        return f"QuadraticField({-field.polynomial[0]}, {name!r})"
    bits = separating_bits(field)
    digits = bits // 3 + 1
    scaled = round(Fraction(field.generator.approximation(bits), 2**bits) * 10**digits)
    figures = str(Decimal(abs(scaled))).rjust(digits + 1, "0")
    value = f"{'-' * (scaled < 0)}{figures[:-digits]}.{figures[-digits:]}"
    return (
        f"NumberField(PolynomialRing(QQ, 't')({list(field.polynomial)}), {name!r}, "
        f"embedding=RealField({bits + 8})('{value}'))"
    )


def from_sage(
    text: str, *, variables: Iterable[Any] | None = None, field: NumberField | None = None
) -> Arrangement:
    """Arrangement from what Sage prints, or from the code of `to_sage`.

    Parameters
    ----------
    text : str
        ``print(A)`` of up to ten hyperplanes, ``A.hyperplanes()``, code of `to_sage`, or lists
        of coefficients ``[b, a1, a2, ..]``, such as ``[h.coefficients() for h in A]``. No text
        runs as code.
    variables : sequence of str, optional
        Names of the coordinates in their order. Default those that the code names, else those that
        occur, sorted: x2 before x10.
    field : NumberField, optional
        The field whose generator occurs in the text, under the name of the field (``a`` if that
        is no name of a variable). Code names its own.

    Returns
    -------
    Arrangement

    Raises
    ------
    InputError
        If the text is none of these.

    Examples
    --------
    >>> A = from_sage("Arrangement <y - 1 | x + 2*y>")
    >>> A.normals.tolist(), A.offsets.tolist()
    ([[0, 1], [1, 2]], [-1, 0])
    >>> from_sage("[[-1, 0, 1], [0, 1, 2]]") == A
    True
    """
    check_text(text)
    text = " ".join(re.sub("#.*", "", text).split())
    check_base(_OTHER_BASE.search(text), "Sage")
    field = _field_in_sage(text) if field is None else field
    ring = re.search(r"HyperplaneArrangements\( ?\w+ ?, ?\(?([^()]*)\)", text)
    ring = ring or re.search(r"\.<([^<>]*)> ?= ?\w*HyperplaneArrangements", text)
    if variables is None and ring:
        variables = re.findall(r"\w+", ring[1])
    printed = re.search("Arrangement <([^<>]*)>", text)
    _, code, arguments = text.partition("A = H(")
    body = f"({arguments}" if code else text
    if printed:
        items = printed[1].split("|")
    elif body[:1] + body[-1:] in ("[]", "()"):
        items = list(split_items(body[1:-1]))
    else:
        raise InputError(
            f"{quote(text)} is no arrangement of Sage; expected the text of print(A), of "
            "A.hyperplanes(), of [h.coefficients() for h in A], or code of to_sage."
        )
    items = [item.strip().removeprefix("Hyperplane ") for item in items]
    constants = constants_of(field)
    first = items[0] if items else ""
    if not (first[:1] in ("[", "(") and first[-1] in "])" and "," in first):
        return read_forms(items, variables, constants)
    rows = [[read_number(c, constants) for c in split_items(item[1:-1])] for item in items]
    d = len(rows[0]) - 1
    names = variable_names([f"x{i}" for i in range(d)] if variables is None else variables)
    if any(len(row) != len(names) + 1 for row in rows):
        raise InputError(
            f"lists of {min(map(len, rows))} to {max(map(len, rows))} coefficients were given for "
            f"{len(names)} variables; expected one more each, the constant term first."
        )
    keys = [(), *((name,) for name in names)]
    forms = [dict(zip(keys, row, strict=True)) for row in rows]
    return arrangement_of(forms, names, None, (), constants)


def _field_in_sage(text: str) -> NumberField | None:
    """The field that code of `to_sage` defines."""
    quadratic = re.search(r"QuadraticField\(([0-9]+), '(\w+)'\)", text)
    if quadratic:
        square = parse_integer(quadratic[1])
        return nearest_field([-square, 0, 1], Fraction(square), quadratic[2])
    general = re.search(
        r"\(\[([-0-9, ]+)\]\), '(\w+)', embedding=RealField\([0-9]+\)\('(-?[0-9]+\.[0-9]+)'\)", text
    )
    if general is None:
        return None
    coefficients = [parse_integer(c) for c in general[1].split(",")]
    return nearest_field(coefficients, Fraction(Decimal(general[3])), general[2])
