"""The arguments ``within``, a polyhedron or a pair (A, c), and ``equations``, a pair (E, f)."""

from typing import Any, Protocol

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align, align_columns, column_names, labels_of
from arrangements.core.questions import coerce_with_zero_rows
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, axes_of
from arrangements.exact.numbers import ExactArray, negative
from arrangements.messages import quote
from arrangements.polyhedra.polyhedron import Polyhedron

Equations = tuple[ArrayLike, ArrayLike]
Within = Polyhedron | tuple[ArrayLike, ArrayLike]


class Space(Protocol):
    """What has columns: an arrangement, or a model."""

    @property
    def dimension(self) -> int:
        """Their number."""
        ...


def read_polyhedron(
    within: Any, arrangement: Space, columns: tuple[str, ...] | None = None
) -> Polyhedron:
    """The polyhedron in the space of an arrangement that the argument ``within`` means.

    `columns` are names of the coordinates that the arrangement does not remember.

    Examples
    --------
    >>> read_polyhedron(([[1, 0]], [3]), Arrangement([[1, 1]]))
    Polyhedron(1 inequality in dimension 2)
    """
    d = arrangement.dimension
    if isinstance(within, Polyhedron):
        if within.ambient_dimension != d:
            raise InputError(
                f"within is {within}; expected one in dimension {d}, as W has columns."
            )
        return within
    if not _is_pair(within) or axes_of(within[0]) == 1:
        raise InputError(
            f"within is {quote(within)}; expected a Polyhedron, such as Polyhedron.box(low, high) "
            f"or Polyhedron.simplex({d}), or a pair (A, c) for the polyhedron A @ x <= c. Where "
            "A @ x + b shall be positive, pass (-A, b), with b = np.zeros(len(A)) for a matrix A "
            "alone."
        )
    return Polyhedron(*_read_pair(within, "within", d, columns or column_names(arrangement)))


def read_equations(equations: Any, arrangement: Space) -> Arrangement:
    """The hyperplanes ``E @ x - f = 0`` that the argument ``equations`` means: a pair (E, f).

    Examples
    --------
    >>> E = read_equations(([[1, 0]], [3]), Arrangement([[1, 1]]))
    >>> E.normals.tolist(), E.offsets.tolist()
    ([[1, 0]], [-3])
    """
    if not _is_pair(equations) or axes_of(equations[0]) == 1:
        raise InputError(f"equations is {quote(equations)}; expected a pair (E, f) for E @ x == f.")
    names = column_names(arrangement)
    left, right = _read_pair(equations, "equations", arrangement.dimension, names)
    return coerce_with_zero_rows(left, negative(right))


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _read_pair(
    pair: Any, name: str, d: int, columns: tuple[str, ...] | None
) -> tuple[ExactArray, ExactArray]:
    """A matrix of d columns, and right sides."""
    left, right = pair
    right = align(right, labels_of(left), f"{name}[1]", f"rows of {name}[0]")
    left = align_columns(left, columns, f"{name}[0]", "columns of W")
    A = as_exact_matrix(left, f"{name}[0]", allow_no_rows=True)
    if A.shape[1] != d:
        raise InputError(f"{name}[0] has shape {A.shape}; expected (q, {d}): one column per x_j.")
    return A, as_exact_vector(right, len(A), f"{name}[1]")
