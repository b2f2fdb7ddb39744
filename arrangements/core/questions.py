"""The arrangement that a question about a matrix is about: its rank, rows of zeros, its field."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, cast

from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement, ArrangementLike, MatroidLike
from arrangements.core.labels import Label
from arrangements.core.low_rank import check_rank, structure_of, warn_if_low_rank
from arrangements.errors import DegenerateArrangementError, InputError
from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray


def as_arrangement(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    *,
    zero_rows: bool = False,
) -> Arrangement:
    """Arrangement that a question about one matrix is about.

    Parameters
    ----------
    W, offsets
        As in `Arrangement.coerce`.
    rank : int, optional
        None takes the numbers as given, and warns if they look like a rounded product of
        lower rank. An integer takes the matrix of this rank that they were meant to be: see
        `low_rank_structure`.
    zero_rows : bool
        Whether rows of zeros with offset zero do not spoil the question.

    Returns
    -------
    Arrangement

    Examples
    --------
    >>> as_arrangement([[1, 2], [2, 4.5]], rank=1).low_rank
    LowRankStructure(rank 1, projected, 2 rows)
    """
    coerce = coerce_with_zero_rows if zero_rows else Arrangement.coerce
    arrangement = coerce(cast(ArrangementLike, W), offsets)  # which refuses oriented matroids
    # inner calls pass the arrangement on, so the warning, or the factorization, comes once
    known: dict[str, Any] = arrangement.__dict__
    if (r := check_rank(rank)) is not None:
        of_rank: dict[int, Arrangement] = known.setdefault("_of_rank", {})
        if r not in of_rank:
            of_rank[r] = _of_rank(arrangement, r)
        return of_rank[r]
    if "_rank_is_asked" not in known:
        known["_rank_is_asked"] = True
        if arrangement.low_rank is None and warn_if_low_rank(
            arrangement.normals, lambda: arrangement.rank, printed=arrangement._printed
        ):
            known["rank"] = arrangement.normals.shape[1]  # which was proved in passing
    return arrangement


def _of_rank(A: Arrangement, rank: int) -> Arrangement:
    structure = structure_of(A.normals, rank, printed=A._printed)
    try:
        found = Arrangement(structure.factor, A.offsets, A.labels, low_rank=structure)
    except DegenerateArrangementError as error:
        raise DegenerateArrangementError(f"in the approximation of rank {rank}, {error}") from error
    if structure.source == "given":  # its coordinates are those of W
        found.__dict__["_columns"] = A._columns
    return found


class _WithZeroRows(Arrangement):
    """Rows of which some are zero, with offset zero: each vanishes everywhere, and has the sign 0.

    Only the questions that `coerce_with_zero_rows` serves take it; the others refuse it.
    """

    _allow_zero_rows = True

    @cached_property
    def zero_rows(self) -> frozenset[int]:  # type: ignore[override]
        """The rows that vanish everywhere."""
        return frozenset(i for i, row in enumerate(self.integer_rows) if not any(row))

    def __reduce__(self) -> tuple[Any, ...]:
        return _WithZeroRows, (self.normals, self.offsets, self.labels)


def oriented_matroid_of(
    W: Any, offsets: ArrayLike | None = None, rank: int | None = None, **options: Any
) -> Any:
    """W if it is an OrientedMatroid, whose class stands on a floor above; else None.

    Raises
    ------
    InputError
        If it is one, and comes with offsets, a rank or an option of a matrix, which is not None or
        "auto".

    Examples
    --------
    >>> oriented_matroid_of([[1, 0], [0, 1]]) is None
    True
    """
    if not hasattr(W, "chirotope"):
        return None
    if offsets is not None or rank is not None:
        raise InputError("offsets or rank were given with an OrientedMatroid, which has none.")
    for name, value in options.items():
        if value is not None and not (isinstance(value, str) and value == "auto"):
            raise InputError(
                f"{name} was given with an OrientedMatroid, which has no points and leaves no "
                "choice; pass a matrix (M.matrix, if it was made from one)."
            )
    return W


def number_of_rows(W: Any) -> int:
    """Hyperplanes of an arrangement, or elements of an oriented matroid.

    Examples
    --------
    >>> number_of_rows(Arrangement([[1], [2]]))
    2
    """
    number: int = W.n_hyperplanes if oriented_matroid_of(W) is None else W.n
    return number


def refuse_loops(M: Any) -> None:
    """Refuse an oriented matroid with loops, at which no chamber has a sign.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> refuse_loops(OrientedMatroid.from_matrix([[1]]))
    """
    if M.loops:
        raise DegenerateArrangementError(
            f"elements {M.loops} are loops, at which every tope is zero; pass M.deletion(M.loops)."
        )


def coerce_with_zero_rows(
    W: "ArrangementLike",
    offsets: ArrayLike | None = None,
    labels: Iterable[Label] | None = None,
) -> Arrangement:
    """`Arrangement.coerce` for questions that rows of zeros with offset zero do not spoil.

    Examples
    --------
    >>> len(coerce_with_zero_rows([[1, 2], [0, 0]]))
    2
    """
    try:
        return Arrangement.coerce(W, offsets) if labels is None else Arrangement(W, offsets, labels)
    except DegenerateArrangementError:
        if labels is None:
            return _WithZeroRows.coerce(W, offsets)
        return _WithZeroRows(W, offsets, labels)


def unify_fields_with(A: Arrangement, *arrays: ExactArray | None) -> list[Any]:
    """An arrangement and exact arrays, whose irrational numbers, if any, belong to one field.

    Examples
    --------
    >>> from sympy import sqrt
    >>> B = Arrangement([[sqrt(3), 1]])
    >>> A, row = unify_fields_with(Arrangement([[1, sqrt(2)]]), B.normals[0])
    >>> A.field == row[0].field, A.field.degree
    (True, 4)
    """
    W, b, *others = numbers.unify_fields(A.normals, A.offsets, *arrays)
    same = numbers.field_of_array(W) == A.field or numbers.field_of_array(b) == A.field
    return [A if same else coerce_with_zero_rows(W, b, A.labels), *others]
