"""JSON files of polymake."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from numpy.typing import ArrayLike

from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.field_entries import coefficients_of
from arrangements.exact.number_field import NumberField
from arrangements.exact.symbolic import in_common_field
from arrangements.exact.text import exact_text
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
_POLYMAKE = {"polymake": ["https://polymake.org", "4.6"]}


def to_polymake(W: ArrangementLike, offsets: ArrayLike | None = None) -> str:
    """JSON that polymake loads as a ``HyperplaneArrangement``.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.

    Returns
    -------
    str
        The rows, with labels. Rows of an affine arrangement are homogeneous, the offset first, and
        the arrangement divides the halfspace ``x0 >= 0``: so ``CHAMBER_DECOMPOSITION`` has a
        maximal cone for each chamber. Square roots become numbers ``QuadraticExtension``. In
        polymake, ``$A = load("a.json")`` reads a file with this text.

    Raises
    ------
    InputError
        If the numbers lie in a field of degree 3 or more, which polymake does not have.

    See Also
    --------
    from_polymake : reads this, and what polymake saves.

    Examples
    --------
    >>> text = to_polymake([[1, 0], [1, -2]], [0, 0.5])
    >>> json.loads(text)["HYPERPLANES"]
    [['0', '1', '0'], ['1/2', '1', '-2']]
    """
    A = Arrangement.coerce(W, offsets)
    field = A.field
    if field is not None and field.degree > 2:
        raise InputError(
            f"the entries lie in {field}, of degree {field.degree}; polymake has fields of square "
            "roots only. Round the entries."
        )
    write: Any = exact_text
    kind = "Rational"
    if field is not None:
        kind = "QuadraticExtension<Rational>"
        write = _quadratic_writer(field)
    rows: list[Any] = [[write(c) for c in row] for row in homogeneous_rows(A)]
    d = A.dimension + (not A.is_central)
    found: dict[str, Any] = {
        "_ns": _POLYMAKE,
        "_type": f"fan::HyperplaneArrangement<{kind}>",
        "HYPERPLANES": rows or [{"cols": d}],
    }
    if not A.is_central:
        halfspace = [write(Fraction(int(i == 0))) for i in range(d)]
        found["SUPPORT"] = {"INEQUALITIES": [halfspace], "CONE_AMBIENT_DIM": d}
    if A.labels is not None:
        found["HYPERPLANE_LABELS"] = [str(label) for label in A.labels]
    return json.dumps(found)


def _quadratic_writer(field: NumberField) -> Callable[[Any], list[str]]:
    """Writes numbers of a field of degree 2 as [a, b, r], which is a + b sqrt(r)."""
    c, p, a = field.polynomial
    square, root = p * p - 4 * a * c, Fraction(1 if field.root_number else -1, 2 * a)
    if square % 4 == 0:
        square, root = square // 4, 2 * root
    middle = Fraction(-p, 2 * a)

    def write(number: Any) -> list[str]:
        rational, b = coefficients_of(number, 2)
        parts = (rational + b * middle, b * root, square if b else 0)
        return [exact_text(Fraction(part)) for part in parts]

    return write


def from_polymake(text: str, *, affine: bool | None = None) -> Arrangement:
    """Arrangement from JSON that polymake has saved.

    Parameters
    ----------
    text : str
        A ``HyperplaneArrangement``, or a ``Matrix`` or ``SparseMatrix`` of rows.
    affine : bool, optional
        Whether the first column has the offsets. Default if the arrangement divides the halfspace
        ``x0 >= 0``, as that of `to_polymake` does.

    Returns
    -------
    Arrangement

    Raises
    ------
    InputError
        If the text is none of these, or the arrangement divides another cone.

    Examples
    --------
    >>> text = '{"_type": "fan::HyperplaneArrangement<Rational>", "HYPERPLANES": [["1/2", "1"]]}'
    >>> from_polymake(text).normals.tolist(), from_polymake(text, affine=True).offsets.tolist()
    ([[Fraction(1, 2), 1]], [Fraction(1, 2)])
    """
    with reading("polymake", text):
        data = load_json(text)
        kind = str(data.get("_type"))
        hyperplanes = kind.startswith("fan::HyperplaneArrangement")
        if not hyperplanes and not re.match(r"common::(Sparse)?Matrix\b", kind):
            raise InputError(
                f"the text has _type {quote(kind)}; expected fan::HyperplaneArrangement<..> or "
                "common::Matrix<..>."
            )
        rows, d = read_rows(data["HYPERPLANES" if hyperplanes else "data"], _polymake_number)
        if affine is None:
            affine = _has_halfspace(data.get("SUPPORT"))
        return arrangement_of_rows(
            rows, d, check_flag("affine", affine), data.get("HYPERPLANE_LABELS")
        )


def _has_halfspace(support: Any) -> bool:
    """Whether an arrangement divides the halfspace x0 >= 0; False if it divides the whole space."""
    if support is None:
        return False
    known = support if isinstance(support, dict) else {}
    given = known.get("INEQUALITIES", known.get("FACETS"))
    equations = [known.get(name, []) for name in ("LINEAR_SPAN", "EQUATIONS")]
    if given is not None and not any(read_rows(e, _polymake_number)[0] for e in equations):
        rows = [row for row in read_rows(given, _polymake_number)[0] if any(row)]
        if len(rows) < 2 and not any(any(row[1:]) or row[0] < 0 for row in rows):
            return bool(rows)
    raise InputError(
        "the arrangement divides a cone, its SUPPORT, other than the space and the halfspace "
        "x0 >= 0; leave out SUPPORT, or pass affine=False for its hyperplanes alone."
    )


def _polymake_number(entry: Any) -> Any:
    """A rational number, or [a, b, r], which is a + b sqrt(r)."""
    if not isinstance(entry, list):
        return read_rational(entry)
    a, b, square = map(read_rational, entry)
    return a + b * _square_root(square)


@lru_cache(maxsize=64)
def _square_root(square: Fraction) -> Any:
    from sympy import Rational, sqrt  # loads slowly

    (root,) = in_common_field([sqrt(Rational(square.numerator, square.denominator))], str)
    return root
