"""The arrangement itself: normals and offsets as given, and their exact consequences."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_instance
from arrangements.core.clear_rank import is_clearly_full, promising_rows
from arrangements.core.genericity import prove_generic
from arrangements.core.hyperplane import (
    Hyperplane,
    as_equation,
    equation_row,
    proportional_rows,
)
from arrangements.core.labels import Label, arrangement_in, find_rows, names_of
from arrangements.core.low_rank import LowRankStructure
from arrangements.core.methods import Methods
from arrangements.core.rounding import Printed
from arrangements.core.row_choice import parse_rows
from arrangements.core.rows import HoldsArrangement, HoldsSigns, LinearModel, read_rows
from arrangements.errors import DegenerateArrangementError, InputError, InputTypeError
from arrangements.exact import linear, numbers
from arrangements.exact.number_field import FieldElement, NumberField
from arrangements.exact.numbers import ExactArray
from arrangements.messages import quote
from arrangements.public import attribute_error

# Entries of normals and offsets that a hash depends on.
_HASHED = 32


@public_class
class Arrangement(Immutable, Methods):
    """Ordered hyperplanes ``normals[i] @ x + offsets[i] == 0`` in R^d, immutable.

    Order, orientation and duplicates are the caller's: sign i of a sign vector belongs to row i.
    Every function of this package about one arrangement is also a method of the same name:
    ``A.f_vector()`` is ``f_vector(A)``.

    ``A[2]`` and ``A["label"]`` are a `Hyperplane`, and iteration yields these; ``A[:4]``, ``A[[0,
    2]]``, ``A[["a", "b"]]`` and ``A[mask]`` are arrangements, with rows in the given order.
    ``hyperplane in A`` asks whether a row is this hyperplane, whatever its scale, orientation and
    label. ``A | B`` is the `union`. ``A == B`` if rows, offsets and labels are the same, in the
    same order: see docs/words.md. NumPy reads a central arrangement as an array, ``np.asarray(A)``,
    but not in arithmetic: calculate with ``A.normals``.

    Parameters
    ----------
    normals : (n, d) array_like of int, float, Fraction or algebraic numbers, or Arrangement
        Real algebraic numbers are those of SymPy, such as ``sqrt(2)`` and ``cos(2*pi/7)``, or of a
        `NumberField`. SciPy sparse matrices, pandas DataFrames and lists of `Hyperplane` are also
        accepted. A float counts as the exact dyadic number it is. Shape (0, d) is legal and has one
        chamber, the whole space, which is a single point if d = 0.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    labels : sequence of int or str, optional
        Labels of the hyperplanes; integers stay integers, everything else becomes text. Default the
        index of a DataFrame, unless that is 0..n-1. Offsets in a Series are put into their order
        (docs/words.md), and points in a DataFrame into that of the columns.
    low_rank : LowRankStructure, optional
        How the normals were found, if they take the place of a matrix of higher rank.

    Attributes
    ----------
    normals : (n, d) ndarray, read-only
        float64, int64, or object (int, Fraction and numbers of one field): exactly the numbers
        given.
    offsets : (n,) ndarray, read-only, or None
        None if none were given.
    labels : tuple of int or str, or None
    low_rank : LowRankStructure or None

    Raises
    ------
    InputError
        Wrong shape, NaN, infinite, complex or ragged input.
    DegenerateArrangementError
        If a row and its offset are zero.

    Examples
    --------
    >>> A = Arrangement([[1, 0], [0, 1], [2, 0]], labels="xyz")
    >>> A
    Arrangement(3 hyperplanes in dimension 2, central)
    >>> A.rank, A.parallel_classes, A.is_generic
    (2, ((0, 2), (1,)), False)
    >>> A["y"], A[:2].count_chambers()
    (Hyperplane(normal=(0, 1), offset=0, label='y'), 4)
    """

    normals: ExactArray
    offsets: ExactArray | None
    labels: tuple[Label, ...] | None
    low_rank: LowRankStructure | None
    zero_rows: ClassVar[frozenset[int]] = frozenset()  # such rows are refused
    _allow_zero_rows: ClassVar[bool] = False
    _columns: tuple[str, ...] | None  # names of the coordinates
    _printed: Printed | None

    def __init__(
        self,
        normals: "ArrangementLike",
        offsets: ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
        *,
        low_rank: LowRankStructure | None = None,
    ) -> None:
        rows = read_rows(
            *(normals, offsets, labels, "normals"),
            distinct=False,
            compared=False,
            allow_no_columns=True,
        )
        if low_rank is not None:
            check_instance("low_rank", low_rank, LowRankStructure)
        elif isinstance(normals, Arrangement):
            low_rank = normals.low_rank
        if not self._allow_zero_rows:
            _check_no_empty_row(rows.weights, rows.offsets)
        # attributes are set once, past the __setattr__ that makes the object immutable
        self.__dict__.update(
            normals=rows.weights,
            offsets=rows.offsets,
            labels=rows.labels,
            low_rank=low_rank,
            _columns=rows.columns,
            _printed=rows.printed,
        )

    @classmethod
    def coerce(cls, W: "ArrangementLike", offsets: ArrayLike | None = None) -> "Arrangement":
        """Arrangement meant by the arguments of a public function.

        Parameters
        ----------
        W : (n, d) array_like, Arrangement, or Derived, which means the arrangement that it holds
            Shape (0, d) is the arrangement without hyperplanes.
        offsets : (n,) array_like, optional
            Must be None when `W` is an Arrangement with offsets other than zeros.

        Returns
        -------
        Arrangement

        Examples
        --------
        >>> Arrangement.coerce([[1, 2]], [3])
        Arrangement(1 hyperplane in dimension 2, affine)
        """
        W = arrangement_in(W)
        if isinstance(W, Arrangement):
            if W._allow_zero_rows and cls is Arrangement:
                _check_no_empty_row(W.normals, W.offsets)
            return W if offsets is None else cls(W, offsets)
        return cls(W, offsets)

    @property
    def n_hyperplanes(self) -> int:
        """Number n of hyperplanes."""
        return int(self.normals.shape[0])

    @property
    def dimension(self) -> int:
        """Dimension d of the ambient space."""
        return int(self.normals.shape[1])

    @cached_property
    def is_central(self) -> bool:
        """Whether all offsets are zero."""
        return self.offsets is None or not self.offsets.any()

    @cached_property
    def has_common_point(self) -> bool:
        """True if all hyperplanes have a point in common; see `structure.has_common_point`."""
        return self.is_central or len(linear.row_basis(self.integer_rows)) == self.rank

    @cached_property
    def integer_rows(self) -> list[list[int]]:
        """Rows (w_i, b_i) of d + 1 coprime ints, each a positive multiple of the given row.

        With irrational entries, rows of ints and numbers of the `field` with coprime integer
        coefficients (of powers of theta times the last coefficient of its polynomial), the first
        one that is not zero an int. Treat it as read-only.
        """
        return numbers.integer_rows(numbers.append_column(self.normals, self.offsets))

    @cached_property
    def field(self) -> NumberField | None:
        """The field of the irrational entries; None if all are rational.

        Examples
        --------
        >>> from sympy import sqrt
        >>> Arrangement([[1, sqrt(2)], [1, 1]]).field
        NumberField([-2, 0, 1], sqrt(2) = 1.41421..)
        """
        normals = numbers.field_of_array(self.normals)
        return numbers.field_of_array(self.offsets) if normals is None else normals

    @cached_property
    def rank(self) -> int:
        """Exact rank of the normals."""
        W, full = self.normals, min(self.n_hyperplanes, self.dimension)
        # as a rule a few rows of floats have full rank, and clearly so
        if W.dtype == np.float64 and is_clearly_full(W[: 8 * full]):
            return full

        def has_full_rank(rows: ExactArray) -> bool:
            # irrational rows need not be primitive, which takes long
            rational = numbers.field_of_array(rows) is None
            entries = numbers.integer_rows(rows) if rational else rows.tolist()
            return len(linear.independent_modulo_prime(entries)) == full

        # A few rows settle the common case: the first, or some that look independent.
        if has_full_rank(W[:full]) or has_full_rank(W[promising_rows(W)]):
            return full
        return linear.rank([row[:-1] for row in self.integer_rows])

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Rows with zero normal: not hyperplanes, with the sign of the offset everywhere."""
        if self.offsets is None:  # zero rows are refused
            return ()
        return tuple(np.flatnonzero(~self.normals.any(axis=1) & (self.offsets != 0)).tolist())

    @cached_property
    def parallel_classes(self) -> tuple[tuple[int, ...], ...]:
        """Rows grouped by proportional normals (parallel hyperplanes); loops belong to none.

        Singletons included, members ascending, classes ordered by their first member.
        """
        groups = proportional_rows([row[:-1] for row in self.integer_rows])
        return tuple(map(tuple, groups.values()))

    @cached_property
    def coincident_classes(self) -> tuple[tuple[int, ...], ...]:
        """Rows grouped by equal hyperplanes: normal and offset proportional; no loops.

        Equal to `parallel_classes` when the arrangement is central.
        """
        if self.is_central:
            return self.parallel_classes
        equations = self._rows_by_equation.items()
        return tuple(tuple(rows) for key, rows in equations if any(key[:-1]))

    @property
    def is_essential(self) -> bool:
        """Whether the normals span the space: `rank` equals `dimension`."""
        return self.rank == self.dimension

    @cached_property
    def is_generic(self) -> bool:
        """Whether the hyperplanes are in general position; exact.

        Every min(n, d) normals are independent and, in the affine case, no d + 1
        hyperplanes share a point. So a rank below min(n, d) is never generic, and a central
        arrangement is compared with central ones.

        Raises
        ------
        TooLargeError
            If the proof would take too long.
        """
        if self.rank < min(self.n_hyperplanes, self.dimension):
            return False
        if self.is_central:
            return prove_generic([row[:-1] for row in self.integer_rows], self.rank)
        # Normals are dependent, or too many hyperplanes share a point, iff rows (w, b) and the
        # hyperplane at infinity, (0, .., 0, 1), are dependent.
        infinity = [0] * self.dimension + [1]
        return prove_generic([*self.integer_rows, infinity], self.rank + 1)

    def same_numbers(self, other: "Arrangement") -> bool:
        """Whether `other` has exactly the same normals and offsets, whatever its labels.

        Then a sign vector means the same in both, and a point of one serves the other.

        Examples
        --------
        >>> Arrangement([[1, 2]]).same_numbers(Arrangement([[1.0, 2.0]], [0]))
        True
        """
        check_instance("other", other, Arrangement)
        return self is other or numbers.same_functions(
            self.normals, self.offsets, other.normals, other.offsets
        )

    def same_hyperplanes(self, other: "ArrangementLike") -> bool:
        """Whether both consist of the same hyperplanes, as sets of points.

        Order, orientation, scale, repetitions, labels and loops do not count. `same_numbers`
        compares the rows themselves.

        Examples
        --------
        >>> Arrangement([[1, 2], [0, 1]]).same_hyperplanes(Arrangement([[0, -3], [2, 4], [1, 2]]))
        True
        """
        other = Arrangement.coerce(other)
        if self.dimension != other.dimension:
            return False
        groups, rows = _in_one_field(self, numbers.append_column(other.normals, other.offsets))
        mine, others = (
            {key for key in found if any(key[:-1])} for found in (groups, proportional_rows(rows))
        )
        return mine == others

    @cached_property
    def _rows_by_equation(self) -> dict[tuple[int, ...], list[int]]:
        """Rows of each hyperplane, and of each loop, whatever their scale and orientation."""
        return proportional_rows(self.integer_rows)

    # ------------------------------------------------------------------ rows

    def __len__(self) -> int:
        return self.n_hyperplanes

    def __iter__(self) -> Iterator[Hyperplane]:
        return map(self._hyperplane, range(self.n_hyperplanes))

    def __reversed__(self) -> Iterator[Hyperplane]:
        return map(self._hyperplane, reversed(range(self.n_hyperplanes)))

    @overload
    def __getitem__(self, rows: Label) -> Hyperplane: ...

    @overload
    def __getitem__(
        self, rows: "slice | range | list[Any] | set[Any] | NDArray[Any]"
    ) -> "Arrangement": ...

    def __getitem__(self, rows: Any) -> "Hyperplane | Arrangement":
        n = self.n_hyperplanes
        if isinstance(rows, slice):
            return self._with_rows(list(range(*rows.indices(n))))
        if isinstance(rows, tuple):
            raise InputTypeError(
                f"the index is {quote(rows)}; expected one row or label, a slice, a list of rows, "
                "or a mask. The entries of the rows are in A.normals and A.offsets."
            )
        if not isinstance(rows, str | Integral):
            return self._with_rows(parse_rows(self, rows))
        if (
            not isinstance(rows, str)
            and not -n <= int(rows) < n
            and rows not in (self.labels or ())
        ):
            raise IndexError(f"row {quote(rows)} of {n} hyperplanes")
        return self._hyperplane(*find_rows(rows, self.labels, n, from_end=True))

    def __contains__(self, hyperplane: object) -> bool:
        """Whether a row is this hyperplane, a `Hyperplane` or a pair of normal and offset."""
        equation = as_equation(hyperplane)
        if equation is None:
            raise InputTypeError(
                f"{quote(hyperplane)} is not a hyperplane; expected Hyperplane(normal, offset), or "
                "`label in A.labels`."
            )
        return bool(self._rows_of(*equation))

    def _rows_of(self, normal: Any, offset: Any) -> list[int]:
        """The rows that are a hyperplane given by its equation, none if there is no such row."""
        groups, row = _in_one_field(self, equation_row(normal, offset, self.dimension))
        (key,) = proportional_rows(row)
        return groups.get(key, [])

    def _hyperplane(self, row: int) -> Hyperplane:
        return Hyperplane(
            tuple(self.normals[row].tolist()),
            0 if self.offsets is None else self.offsets[row : row + 1].tolist()[0],
            None if self.labels is None else self.labels[row],
        )

    def _with_rows(self, rows: list[int]) -> "Arrangement":
        found = Arrangement(
            self.normals[rows],
            None if self.offsets is None else self.offsets[rows],
            None if self.labels is None else [self.labels[i] for i in rows],
        )
        found.__dict__["_columns"] = self._columns
        return found

    def __or__(self, other: object) -> "Arrangement":
        """The arrangement of `union`."""
        return self.union(other).arrangement if isinstance(other, Arrangement) else NotImplemented

    # ------------------------------------------------------------------ as an array

    # array operators leave the answer to this class: == is one bool, @ is refused
    __array_ufunc__: ClassVar[None] = None

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if not self.is_central:
            raise InputError(
                "an Arrangement with offsets is not an array; pass A.normals and A.offsets, or the "
                "arrangement itself."
            )
        return np.array(self.normals, dtype=dtype, copy=copy)

    def __matmul__(self, other: object) -> NoReturn:
        raise InputTypeError(
            "an Arrangement is not a matrix in arithmetic; use the array A.normals with @."
        )

    __rmatmul__ = __matmul__

    # ------------------------------------------------------------------ equal, immutable

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Arrangement):
            # arrays would otherwise compare entry by entry
            return False if hasattr(other, "shape") else NotImplemented
        return self.labels == other.labels and self.same_numbers(other)

    def __hash__(self) -> int:
        # Python hashes equal numbers alike, whatever their types, so dtypes do not matter; but not
        # irrational numbers of different fields. Some entries suffice: fractions take long
        offsets = () if self.is_central else np.asarray(self.offsets).tolist()
        entries = (*self.normals.ravel().tolist(), *offsets)
        some = entries[:: 1 + len(entries) // _HASHED]
        known = tuple(None if type(entry) is FieldElement else entry for entry in some)
        return hash((self.normals.shape, known))

    def __repr__(self) -> str:
        n, kind = self.n_hyperplanes, "central" if self.is_central else "affine"
        noun = "hyperplane" if n == 1 else "hyperplanes"
        return f"Arrangement({n} {noun} in dimension {self.dimension}, {kind})"

    def _repr_html_(self) -> str:
        W, b, d = self.normals, self.offsets, self.dimension
        facts = [("numbers", W.dtype)]
        drawn = d == 2 and self.n_hyperplanes <= notebook.LINES
        names = names_of(self.labels, self.n_hyperplanes) if drawn else ()
        picture = notebook.lines(self.integer_rows, names) if drawn else ""
        table = notebook.matrix(W, b, self.labels, "hyperplane")
        return notebook.card(repr(self), facts, picture, table)

    def __reduce__(self) -> tuple[Any, ...]:
        members = (self.normals, self.offsets, self.labels, self.low_rank, self._columns)
        return _rebuilt, members

    if not TYPE_CHECKING:  # it would hide misspelled names from type checkers

        def __getattr__(self, name: str) -> NoReturn:
            raise attribute_error(name, self)


def _check_no_empty_row(W: ExactArray, b: ExactArray | None) -> None:
    if W.size and np.count_nonzero(W) == W.size:  # as a rule, and found soonest
        return
    empty = ~W.any(axis=1)
    if b is not None:
        empty &= b == 0
    if empty.any():
        row = int(np.flatnonzero(empty)[0])
        raise DegenerateArrangementError(
            f"row {row} is zero and so is its offset: no point lies strictly on either side, "
            f"so there are no chambers. Drop row {row}"
            + (f" ({int(empty.sum())} such rows)." if empty.sum() > 1 else ".")
        )


def _rebuilt(
    normals: ExactArray,
    offsets: ExactArray | None,
    labels: tuple[Label, ...] | None,
    low_rank: LowRankStructure | None,
    columns: tuple[str, ...] | None = None,
) -> Arrangement:
    """An arrangement from a pickle."""
    found = Arrangement(normals, offsets, labels, low_rank=low_rank)
    found.__dict__["_columns"] = columns
    return found


ArrangementLike = ArrayLike | Arrangement | LinearModel | HoldsArrangement
# What questions take that need no numbers.
MatroidLike = ArrangementLike | HoldsSigns


def _in_one_field(A: Arrangement, rows: ExactArray) -> tuple[dict[Any, list[int]], list[list[Any]]]:
    """Rows of A by their equations, and integer rows whose equations may be compared with these.

    Multiples of rational rows are made rational, so only two different fields need a common one.
    """
    if numbers.field_of_array(rows) in (None, A.field) or A.field is None:
        return A._rows_by_equation, numbers.integer_rows(rows)
    mine, others = numbers.unify_fields(numbers.append_column(A.normals, A.offsets), rows)
    return proportional_rows(numbers.integer_rows(mine)), numbers.integer_rows(others)
