"""The argument ``within``: a polyhedron, or a pair (A, c)."""

from typing import Any, Protocol

from arrangements.core.labels import align, align_columns, column_names, labels_of
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, axes_of
from arrangements.messages import quote
from arrangements.polyhedra.polyhedron import Polyhedron


class Space(Protocol):
    """What has columns: an arrangement, or a model."""

    @property
    def dimension(self) -> int:
        """Their number."""
        ...


def read_polyhedron(within: Any, arrangement: Space) -> Polyhedron:
    """The polyhedron in the space of an arrangement that the argument ``within`` means.

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
    pair = isinstance(within, (tuple, list)) and len(within) == 2
    if not pair or axes_of(within[0]) == 1:
        raise InputError(
            f"within is {quote(within)}; expected a Polyhedron, or a pair (A, c) for the "
            "polyhedron A @ x <= c. Where W @ x + b shall be positive, pass (-W, b), with "
            "b = np.zeros(len(W)) for a matrix W alone."
        )
    left, right = within
    right = align(right, labels_of(left), "within[1]", "rows of within[0]")
    left = align_columns(left, column_names(arrangement), "within[0]", "columns of W")
    A = as_exact_matrix(left, "within[0]", allow_no_rows=True)
    if A.shape[1] != d:
        raise InputError(f"within[0] has shape {A.shape}; expected (q, {d}): one column per x_j.")
    return Polyhedron(A, as_exact_vector(right, len(A), "within[1]"))
