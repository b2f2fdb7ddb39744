"""One hyperplane by itself: a row of an arrangement, or an equation that names one."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.core.labels import Label
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers, text
from arrangements.exact.numbers import ExactArray
from arrangements.messages import quote

Number = int | float | Fraction


@public_class
class Hyperplane(NamedTuple):
    """One row of an arrangement: the points x with ``normal @ x + offset == 0``.

    Attributes
    ----------
    normal : tuple of int, float or Fraction
        Exactly the numbers of the row; zeros for a loop.
    offset : int, float or Fraction
    label : int, str or None

    Examples
    --------
    >>> from arrangements import Arrangement
    >>> A = Arrangement([[1, 0], [0.5, 2]], [0, -1], labels=["x", "y"])
    >>> A["y"]
    Hyperplane(normal=(0.5, 2.0), offset=-1, label='y')
    >>> A["y"] in A, Hyperplane((1, 4), -2) in A, Hyperplane((1, 4)) in A
    (True, True, False)
    """

    normal: tuple[Number, ...]
    offset: Number = 0
    label: Label | None = None

    def __repr__(self) -> str:
        normal, offset = text.exact_repr(self.normal), text.exact_repr(self.offset)
        return f"Hyperplane(normal={normal}, offset={offset}, label={self.label!r})"


# A hyperplane as a set of points: scale, orientation and label do not count.
Equation = Hyperplane | tuple[ArrayLike, Any]


def split_hyperplanes(value: object) -> tuple[Any, Any, list[Label] | None] | None:
    """Normals, offsets and labels of a list of hyperplanes; None for anything else.

    Labels are kept if all of them have one.

    Examples
    --------
    >>> split_hyperplanes([Hyperplane((1, 2), 3, "a"), Hyperplane((4, 5), 6)])
    ([(1, 2), (4, 5)], [3, 6], None)
    """
    if not (isinstance(value, list) and value):
        return None
    if not all(isinstance(part, Hyperplane) for part in value):
        return None
    labels = [part.label for part in value if part.label is not None]
    normals, offsets = [part.normal for part in value], [part.offset for part in value]
    return normals, offsets, labels if len(labels) == len(value) else None


def as_equation(value: object) -> tuple[Any, Any] | None:
    """Normal and offset of a Hyperplane or a pair; None for anything else.

    Examples
    --------
    >>> as_equation(([1, 2], 3)), as_equation(("a", "b")), as_equation([1, 2])
    (([1, 2], 3), None, None)
    """
    if isinstance(value, Hyperplane):
        return value.normal, value.offset
    if not (isinstance(value, tuple) and len(value) == 2):
        return None
    normal, offset = value
    written = isinstance(normal, Sequence | np.ndarray) and not isinstance(normal, str)
    return (normal, offset) if written else None


def equation_row(normal: Any, offset: Any, d: int) -> ExactArray:
    """Normal and offset of a hyperplane of R^d as one row, exactly, in one field.

    Examples
    --------
    >>> equation_row([-0.5, 1], 2, 2)
    array([[Fraction(-1, 2), Fraction(1, 1), Fraction(2, 1)]], dtype=object)
    """
    w = coercion.as_exact_vector(normal, d, "normal")
    b = coercion.as_exact_vector([offset], 1, "offset")
    if not (w.any() or b.any()):
        raise InputError(f"{quote((normal, offset))} holds zeros only; expected an equation.")
    w, b = numbers.unify_fields(w, b)
    return np.array([[*numbers.fractions(w), *numbers.fractions(b)]], dtype=object)


def canonical(row: list[int]) -> tuple[int, ...] | None:
    """Primitive multiple of the row whose first non-zero entry is positive; None if zero.

    Examples
    --------
    >>> canonical([0, -2, 4])
    (0, 1, -2)
    """
    lead = next((entry for entry in row if entry), 0)
    if not lead:
        return None
    return tuple(numbers.primitive(row if lead > 0 else [-entry for entry in row]))


def proportional_rows(rows: list[list[int]]) -> dict[tuple[int, ...], list[int]]:
    """The non-zero rows, grouped by the line that they span.

    Examples
    --------
    >>> proportional_rows([[1, 2], [0, 0], [-2, -4]])
    {(1, 2): [0, 2]}
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, key in enumerate(map(canonical, rows)):
        if key is not None:
            groups.setdefault(key, []).append(i)
    return groups
