"""The arguments ``within``, a polyhedron or a pair (A, c), and ``equations``, a pair (E, f)."""

from typing import Any, Literal, Protocol

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align, align_columns, column_names, labels_of
from arrangements.core.low_rank import LowRankStructure
from arrangements.core.questions import coerce_with_zero_rows
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, axes_of
from arrangements.exact.numbers import ExactArray, negative
from arrangements.messages import quote
from arrangements.polyhedra.polyhedron import Polyhedron

Equations = tuple[ArrayLike, ArrayLike]
Within = Polyhedron | tuple[ArrayLike, ArrayLike] | Literal["simplex"]


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
    >>> read_polyhedron("simplex", Arrangement([[1, 1, 0]])) == Polyhedron.simplex(3)
    True
    """
    check_coordinates(getattr(arrangement, "low_rank", None), "within")
    d = arrangement.dimension
    if isinstance(within, str) and within == "simplex":
        return Polyhedron.simplex(d)
    if isinstance(within, Polyhedron):
        if within.ambient_dimension != d:
            raise InputError(
                f"within is {within}; expected one in dimension {d}, as W has columns."
            )
        return within
    if not _is_pair(within) or axes_of(within[0]) == 1:
        raise InputError(
            f"within is {quote(within)}; expected a Polyhedron, such as Polyhedron.box(low, high), "
            f"'simplex' for Polyhedron.simplex({d}), or a pair (A, c) for the polyhedron "
            f"A @ x <= c{_hint(within)}"
        )
    return Polyhedron(*_read_pair(within, "within", d, columns or column_names(arrangement)))


def check_coordinates(structure: LowRankStructure | None, name: str) -> None:
    """Refuse what is about points x if W was replaced by rows in other coordinates.

    name : of the argument that is about points

    Examples
    --------
    >>> check_coordinates(None, "within")
    """
    if structure is not None and structure.source != "given":
        raise InputError(
            f"{name} was given with rank={structure.rank}, and the matrix of this rank that W was "
            f"meant to be is known in other coordinates than W. If W is A @ B, pass A with {name} "
            "for the points B @ x, or A @ B in fractions or integers without rank."
        )


def read_equations(equations: Any, arrangement: Space) -> Arrangement:
    """The hyperplanes ``E @ x - f = 0`` that the argument ``equations`` means: a pair (E, f).

    Examples
    --------
    >>> E = read_equations(([[1, 0]], [3]), Arrangement([[1, 1]]))
    >>> E.normals.tolist(), E.offsets.tolist()
    ([[1, 0]], [-3])
    """
    check_coordinates(getattr(arrangement, "low_rank", None), "equations")
    if not _is_pair(equations) or axes_of(equations[0]) == 1:
        raise InputError(f"equations is {quote(equations)}; expected a pair (E, f) for E @ x == f.")
    names = column_names(arrangement)
    left, right = _read_pair(equations, "equations", arrangement.dimension, names)
    return coerce_with_zero_rows(left, negative(right))


def _hint(within: Any) -> str:
    """What a caller may have meant."""
    if isinstance(within, (tuple, list)) and len(within) > 2 and axes_of(within[0]) == 2:
        return "; for equations too, Polyhedron(A, c, equations=(E, f))."
    return (
        ". Where A @ x + b shall be positive, pass (-A, b), with b = np.zeros(len(A)) for a matrix "
        "A alone."
    )


def _is_pair(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2


def _read_pair(
    pair: Any, name: str, d: int, columns: tuple[str, ...] | None
) -> tuple[ExactArray, ExactArray]:
    """A matrix of d columns, and right sides."""
    left, right = pair
    if left is None or right is None:
        raise InputError(f"{name}[{int(right is None)}] is None; expected a matrix and a vector.")
    right = align(right, labels_of(left), f"{name}[1]", f"rows of {name}[0]")
    left = align_columns(left, columns, f"{name}[0]", "columns of W")
    A = as_exact_matrix(left, f"{name}[0]", allow_no_rows=True)
    if A.shape[1] != d:
        raise InputError(f"{name}[0] has shape {A.shape}; expected (q, {d}): one column per x_j.")
    return A, as_exact_vector(right, len(A), f"{name}[1]")
