"""Code for Macaulay2, and what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.number_field import NumberField
from arrangements.exchange.fields import (
    constants_of,
    generator_name,
)
from arrangements.exchange.forms import (
    check_base,
    check_text,
    linear_text,
    read_forms,
    write_rows,
)
from arrangements.messages import quote

# Fields over which there are no signs.
_OTHER_BASE = re.compile(r"\bZZ\s*/|\bGF\b|\bCC\b")

# Variables of the code, keywords, and functions, which cannot be variables of a ring.
_RESERVED = set(
    """
    A CC GF K QQ R RR ZZ abs all and ann any apply arrangement basis betti break catch ceiling
    check circuits code codim coker cokernel cone cos cover degree degrees deletion der det dim do
    drop dual else end entries euler exit exp export expression factor false first flats flatten
    floor for from gb gcd genera gens genus get global hashTable help hilbertSeries homology
    hyperplanes id ideal if ii image in index infinity input intersect inverse isHomogeneous join
    ker kernel keys last lcm length lift lines list load local log map matrix max meet member
    method min mingens minors mod module monomials multidegree net new norm not null number of oo
    options or pack part partition partitions peek pfaffians poincare polarize position positions
    precision presentation primaryDecomposition print product prune quit quotient radical random
    rank read regularity relations remove res resolution restriction return reverse ring rsort
    same saturate scan select separate sequence set shield sin size sort source sqrt step sub
    submatrix subsets substitute substring sum super symbol table take tally tan target tensor
    terms then throw time to toField top toString trace transpose trim true truncate try typeA
    typeB typeD ultimate undocumented union unique use value values variety vars vector vee wait
    when while width xor zeta
    """.split()
)


def to_macaulay2(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    variables: Iterable[Any] | None = None,
) -> str:
    """Code for Macaulay2 that makes the arrangement.

    Parameters
    ----------
    W, offsets, variables
        As in `to_sage`.

    Returns
    -------
    str
        Lines that load the package HyperplaneArrangements and define ``A``. Irrational numbers lie
        in an extension of the rational numbers, which has no order there: the text does not say
        which root is meant.

    Raises
    ------
    InputError
        If a normal is zero, or a variable has a name that Macaulay2 cannot use.

    See Also
    --------
    from_macaulay2 : reads this, and what Macaulay2 prints.

    Examples
    --------
    >>> print(to_macaulay2([[1, 0], [1, -2]]))
    needsPackage "HyperplaneArrangements"
    R = QQ[x0, x1]
    A = arrangement({
        x0,
        x0 - 2*x1
    }, R)
    """
    A = Arrangement.coerce(W, offsets)
    names, rows = write_rows(A, variables, "Macaulay2", _RESERVED, "^")
    lines, base = ['needsPackage "HyperplaneArrangements"'], "QQ"
    if A.field is not None:
        base, name = "K", generator_name(A.field)
        powers = [name, *(f"{name}^{k}" for k in range(2, A.field.degree + 1))]
        modulus = linear_text([*A.field.polynomial[1:], A.field.polynomial[0]], powers)
        lines.append(f"K = toField(QQ[{name}]/({modulus}))")
    body = ",\n    ".join(rows)
    lines.append(f"R = {base}[{', '.join(names)}]")
    lines.append(f"A = arrangement({{\n    {body}\n}}, R)")
    return "\n".join(lines)


def from_macaulay2(
    text: str, *, variables: Iterable[Any] | None = None, field: NumberField | None = None
) -> Arrangement:
    """Arrangement from what Macaulay2 prints, or from the code of `to_macaulay2`.

    Parameters
    ----------
    text : str
        ``toString A``, ``toString hyperplanes A``, or code with ``arrangement {x, y, x - y}``. No
        text runs as code.
    variables : sequence of str, optional
        Names of the coordinates in their order. Default those of the ring that the text names,
        else those that occur, sorted: x2 before x10.
    field : NumberField, optional
        Needed for irrational numbers, since the text does not say which root is meant: its
        generator is that of ``toField(QQ[a]/..)``, or has the name of the field.

    Returns
    -------
    Arrangement

    Raises
    ------
    InputError
        If the text is none of these.

    Examples
    --------
    >>> from_macaulay2("arrangement {x, y, x - 2*y}").normals.tolist()
    [[1, 0], [0, 1], [1, -2]]
    """
    check_text(text)
    text = " ".join(re.sub("--.*", "", text).split())
    extension = re.search(r"toField\s*\(?\s*QQ\[(\w+)\]", text)
    if extension and field is None:
        raise InputError(
            f"the numbers lie in an extension of the rationals by {extension[1]}, and the text "
            "does not say which root that is; pass field=, such as NumberField([-2, 0, 1], (1, 2))."
        )
    check_base(_OTHER_BASE.search(text), "Macaulay2")
    if len(re.findall(r"\barrangement\b\s*\(?\s*\{", text)) > 1:
        raise InputError(f"{quote(text)} has several arrangements; expected the text of one.")
    found = re.search(r"(?:hyperplanes\s*=>|\barrangement\b\s*\(?|^)\s*\{([^{}]*)\}", text)
    if found is None:
        raise InputError(
            f"{quote(text)} is no arrangement of Macaulay2; expected the text of toString A, or "
            "code with arrangement {..}."
        )
    ring = re.search(r"(?:=|=>)\s*(?:QQ|[A-Z]\w*)\s*\[([^\[\]]*)\]", text)
    if variables is None and ring:
        variables = [name for part in ring[1].split(",") for name in _range(part.strip())]
    items = [item for item in found[1].split(",") if item.strip()]
    return read_forms(items, variables, constants_of(field, extension and extension[1]))


def _range(part: str) -> list[str]:
    """Variables that ``x_1..x_3`` means.

    Examples
    --------
    >>> _range("x_1..x_3"), _range("y")
    (['x_1', 'x_2', 'x_3'], ['y'])
    """
    ends = re.fullmatch(r"(\w*?)([0-9]{1,4})\s*\.\.\s*\1([0-9]{1,4})", part)
    if ends is None:
        return [part]
    return [f"{ends[1]}{i}" for i in range(int(ends[2]), int(ends[3]) + 1)]
