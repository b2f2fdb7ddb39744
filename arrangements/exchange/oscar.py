"""JSON files of OSCAR."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from numpy.typing import ArrayLike

from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.field_entries import coefficients_of
from arrangements.exact.number_field import NumberField
from arrangements.exact.real_roots import check_degree
from arrangements.exact.text import exact_text
from arrangements.exchange.fields import (
    constants_of,
    generator_name,
    nearest_field,
    separating_bits,
)
from arrangements.exchange.matrices import (
    arrangement_of_rows,
    homogeneous_rows,
    load_json,
    read_rational,
    read_rows,
    reading,
)
from arrangements.messages import quote

# The version of the format: later programs read it, too.
_MOST_BITS = 10**6
_OSCAR = {"Oscar": ["https://github.com/oscar-system/Oscar.jl", "1.3.0"]}


def to_oscar(W: ArrangementLike, offsets: ArrayLike | None = None) -> str:
    """JSON (a file .mrdi) that OSCAR loads as a matrix of the rows.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.

    Returns
    -------
    str
        A matrix over QQ or, with irrational numbers, an embedded number field. OSCAR has no
        hyperplane arrangements: rows of an affine arrangement are homogeneous, the offset first,
        as in its polyhedral geometry. In OSCAR, ``load("a.mrdi")`` reads a file with this text.

    See Also
    --------
    from_oscar : reads this, and matrices that OSCAR saves.

    Examples
    --------
    >>> json.loads(to_oscar([[1, 0], [1, -2]], [0, 0.5]))["data"]
    [['0', '1', '0'], ['1//2', '1', '-2']]
    """
    A = Arrangement.coerce(W, offsets)
    refs: dict[str, Any] = {}
    field: Any = {"_type": "QQField"}
    if A.field is not None:
        field = _write_field(A.field, refs)

    def write(number: Any) -> Any:
        if A.field is None:
            return _fraction_text(number)
        parts = enumerate(coefficients_of(number, A.field.degree))
        return [[str(k), _fraction_text(c)] for k, c in parts if c]

    rows = [[write(c) for c in row] for row in homogeneous_rows(A)]
    shape = {"ncols": str(A.dimension + (not A.is_central)), "nrows": str(len(rows))}
    space = _refer(refs, {"name": "MatSpace", "params": field}, shape)
    kind = {"name": "MatElem", "params": space}
    return json.dumps({"_ns": _OSCAR, "_type": kind, "data": rows, "_refs": refs})


def _write_field(field: NumberField, refs: dict[str, Any]) -> str:
    """The objects that an embedded number field consists of."""
    ring = _refer(refs, {"name": "PolyRing", "params": {"_type": "QQField"}}, {"symbols": ["x"]})
    polynomial = [[str(k), str(c)] for k, c in enumerate(field.polynomial) if c]
    data = {"def_pol": polynomial, "var": generator_name(field)}
    plain = _refer(refs, {"name": "AbsSimpleNumField", "params": ring}, data)
    # a real ball: its middle and its radius, each as mantissa and exponent in hexadecimal digits
    bits = separating_bits(field) + 32
    ball = f"{field.generator.approximation(bits):x} -{bits:x} 1 -{bits:x}"
    kind = {"name": "Hecke.AbsSimpleNumFieldEmbedding", "params": plain}
    embedding = _refer(refs, kind, [ball, "0 0 0 0"])
    return _refer(refs, {"name": "EmbeddedNumField", "params": embedding}, [])


def _refer(refs: dict[str, Any], kind: Any, data: Any) -> str:
    """Add an object; its name depends on what it is, since OSCAR knows objects by their names."""
    found = {"_type": kind, "data": data}
    name = str(uuid5(NAMESPACE_URL, json.dumps(found)))
    refs[name] = found
    return name


def from_oscar(
    text: str, *, affine: bool | None = None, field: NumberField | None = None
) -> Arrangement:
    """Arrangement from a matrix of rows that OSCAR has saved as JSON (a file .mrdi).

    Parameters
    ----------
    text : str
        A matrix over ZZ, QQ or a number field.
    affine : bool, optional
        Whether the first column has the offsets. Default False: the text does not say it.
    field : NumberField, optional
        Needed for numbers of a field without an embedding: the same field with its real root.

    Returns
    -------
    Arrangement

    Raises
    ------
    InputError
        If the text is no such matrix.

    Examples
    --------
    >>> A = Arrangement([[1, 0], [1, -2]], [0, 0.5])
    >>> from_oscar(to_oscar(A), affine=True) == A
    True
    """
    with reading("OSCAR", text):
        data = load_json(text)
        kind, refs = data["_type"], data.get("_refs", {})
        if not str(kind["name"]).endswith("MatElem"):
            raise InputError(f"the text has _type {quote(kind)}; expected a matrix, MatElem.")
        parts = _chain(kind, refs)
        constants_of(field)  # checks it
        known = _embedded_field(parts) if field is None else field
        shapes = (part["data"] for part in parts if part["_type"]["name"] == "MatSpace")
        columns = next((int(shape["ncols"]) for shape in shapes), None)
        rows, d = read_rows(data["data"], lambda entry: _oscar_number(entry, known), columns)
        return arrangement_of_rows(
            rows, d, affine is not None and check_flag("affine", affine), None
        )


def _oscar_number(entry: Any, field: NumberField | None) -> Any:
    """A rational number, or one of a field: pairs of exponents and coefficients."""
    if not isinstance(entry, list):
        return read_rational(entry)
    terms = {int(k): read_rational(c) for k, c in entry}
    if field is None and any(terms):
        raise InputError(
            "the numbers lie in a number field without an embedding; pass field= for the real "
            "root that is meant."
        )
    if field is None:
        return terms.get(0, Fraction(0))
    if not all(0 <= k < field.degree for k in terms):
        raise ValueError
    return sum((c * field.generator**k for k, c in terms.items()), Fraction(0))


def _chain(kind: Any, refs: dict[str, Any]) -> list[Any]:
    """Objects that a type refers to, one after the other, as long as each has one parameter."""
    found: list[Any] = []
    while isinstance(kind, dict) and str(kind.get("params")) in refs and len(found) < 9:
        found.append(refs[kind["params"]])
        kind = found[-1]["_type"]
    return found


def _embedded_field(parts: list[Any]) -> NumberField | None:
    """The field of the entries of a matrix, if it has an embedding."""
    ball = polynomial = None
    name = ""
    for part in parts:
        data = part["data"]
        if part["_type"]["name"] == "AbsSimpleNumField":
            polynomial, name = data["def_pol"], str(data["var"])
        elif part["_type"]["name"] == "Hecke.AbsSimpleNumFieldEmbedding":
            ball = data[0].split()
    if polynomial is None or ball is None:
        return None
    mantissa, exponent = int(ball[0], 16), int(ball[1], 16)
    terms = {int(k): read_rational(c) for k, c in polynomial}
    check_degree(max(terms))
    if abs(exponent) > _MOST_BITS or min(terms) < 0:
        raise ValueError
    coefficients = [terms.get(k, 0) for k in range(max(terms) + 1)]
    return nearest_field(coefficients, mantissa * Fraction(2) ** exponent, name)


def _fraction_text(number: Any) -> str:
    return exact_text(Fraction(number)).replace("/", "//")
