"""The arrangement itself: normals and offsets as given, and what follows from them exactly."""

from collections.abc import Iterable
from functools import cached_property
from math import gcd
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.errors import DegenerateArrangementError, InputError, InputTypeError, shown
from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray
from arrangements.model.genericity import prove_generic
from arrangements.model.labels import Label, as_labels, given_labels
from arrangements.model.low_rank import (
    LowRankStructure,
    Rank,
    checked_rank,
    structure_of,
    warn_if_low_rank,
)
from arrangements.model.shortcuts import public


@public_class
class Arrangement:
    """Ordered hyperplanes ``normals[i] @ x + offsets[i] == 0`` in R^d, immutable.

    Order, orientation and duplicates are the caller's: sign i of a sign vector belongs to
    row i.

    Parameters
    ----------
    normals : (n, d) array_like of int, float, Fraction or SymPy rationals
        SciPy sparse matrices and pandas DataFrames, too. A float counts as the exact dyadic number
        it is. Shape (0, d) is legal and has one
        chamber, the whole space; d = 0 is a single point.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    labels : sequence of int or str, optional
        What the hyperplanes are called; integers stay integers, other things become text. Default
        the index of a DataFrame, unless that is 0..n-1.
    low_rank : LowRankStructure, optional
        How the normals were found that take the place of others of higher rank.

    Attributes
    ----------
    normals : (n, d) ndarray, read-only
        float64, int64, or object (int and Fraction): exactly the numbers given.
    offsets : (n,) ndarray, read-only, or None
        None when none were given.
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
    """

    normals: ExactArray
    offsets: ExactArray | None
    labels: tuple[Label, ...] | None
    low_rank: LowRankStructure | None

    def __init__(
        self,
        normals: ArrayLike,
        offsets: ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
        *,
        low_rank: LowRankStructure | None = None,
    ) -> None:
        W = numbers.as_exact_matrix(normals, allow_no_rows=True, allow_no_columns=True)
        b = None if offsets is None else numbers.as_exact_vector(offsets, len(W))
        names = given_labels(normals) if labels is None else labels
        names = as_labels(names, len(W), distinct=False)
        if low_rank is not None:
            check_instance("low_rank", low_rank, LowRankStructure)
        _check_no_empty_row(W, b)
        W, b = numbers.read_only(W), None if b is None else numbers.read_only(b)
        # Attributes are set once, past the __setattr__ that makes the object immutable.
        self.__dict__.update(normals=W, offsets=b, labels=names, low_rank=low_rank)

    @classmethod
    def coerce(
        cls, W: "ArrayLike | Arrangement", offsets: ArrayLike | None = None
    ) -> "Arrangement":
        """Arrangement meant by the arguments of a public function.

        Parameters
        ----------
        W : (n, d) array_like, or Arrangement
            Shape (0, d) is the arrangement without hyperplanes.
        offsets : (n,) array_like, optional
            Must be None when `W` is an Arrangement.

        Returns
        -------
        Arrangement

        Examples
        --------
        >>> Arrangement.coerce([[1, 2]], [3])
        Arrangement(1 hyperplane in dimension 2, affine)
        """
        if isinstance(W, Arrangement):
            if offsets is not None:
                raise InputError(
                    "offsets were given beside an Arrangement, which has its own; "
                    "pass Arrangement(W.normals, offsets) instead."
                )
            return W
        if hasattr(W, "chirotope"):
            raise InputTypeError(
                f"W is {shown(W)}, which has signs of minors in place of numbers; pass the matrix "
                "of an arrangement (M.matrix, if it was made from one)."
            )
        if hasattr(W, "witnesses"):
            raise InputTypeError(
                f"W is {shown(W)}, a set of answers; pass the arrangement or weights themselves."
            )
        return cls(W, offsets, given_labels(W))

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
    def integer_rows(self) -> list[list[int]]:
        """Rows (w_i, b_i) of d + 1 ints, each a positive multiple of the row given, primitive.

        Treat it as read-only.
        """
        return numbers.integer_rows(with_column(self.normals, self.offsets))

    @cached_property
    def rank(self) -> int:
        """Exact rank of the normals."""
        from arrangements.exact import linear

        W, full = self.normals, min(self.n_hyperplanes, self.dimension)

        def has_full_rank(rows: ExactArray) -> bool:
            return len(linear.independent_rows(numbers.integer_rows(rows))) == full

        # A few rows settle the common case: the first, or some that look independent.
        if has_full_rank(W[:full]) or has_full_rank(W[_promising_rows(W)]):
            return full
        return linear.rank([row[:-1] for row in self.integer_rows])

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Rows with zero normal: no hyperplane, the sign is that of the offset everywhere."""
        return tuple(np.flatnonzero(~self.normals.any(axis=1)).tolist())

    @cached_property
    def parallel_classes(self) -> tuple[tuple[int, ...], ...]:
        """Rows grouped by proportional normals (parallel hyperplanes); loops belong to none.

        Singletons included, members ascending, classes ordered by their first member.
        """
        return _proportional([row[:-1] for row in self.integer_rows])

    @cached_property
    def coincident_classes(self) -> tuple[tuple[int, ...], ...]:
        """Rows grouped by equal hyperplanes: normal and offset proportional; no loops.

        Equal to `parallel_classes` when the arrangement is central.
        """
        if self.is_central:
            return self.parallel_classes
        loops = set(self.loops)
        groups = _proportional(self.integer_rows)
        return tuple(group for group in groups if group[0] not in loops)

    @cached_property
    def is_generic(self) -> bool:
        """Whether the hyperplanes are in general position; exact.

        Every min(n, d) normals are independent and, in the affine case, no d + 1
        hyperplanes share a point. So a rank below min(n, d) is not generic, whatever the
        rest does, and a central arrangement is judged among central ones.

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
        """Whether `other` has exactly the same normals and offsets; labels do not count.

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

    def same_hyperplanes(self, other: "ArrayLike | Arrangement") -> bool:
        """Whether both consist of the same hyperplanes, as sets of points.

        Order, orientation, scale, repetitions and labels do not count; a loop is no hyperplane.
        `same_numbers` compares the rows themselves.

        Examples
        --------
        >>> Arrangement([[1, 2], [0, 1]]).same_hyperplanes(Arrangement([[0, -3], [2, 4], [1, 2]]))
        True
        """
        other = Arrangement.coerce(other)
        if self.dimension != other.dimension:
            return False
        return self._hyperplanes == other._hyperplanes

    @cached_property
    def _hyperplanes(self) -> frozenset[tuple[int, ...] | None]:
        """One row for each hyperplane, whatever its scale and orientation."""
        return frozenset(_canonical(row) for row in self.integer_rows if any(row[:-1]))

    def chambers(self, **options: Any) -> Any:
        """Sign vectors of the chambers: see `arrangements.chambers` for the keywords."""
        return public("chambers")(self, **options)

    def iter_chambers(self, **options: Any) -> Any:
        """Blocks of chambers: see `arrangements.iter_chambers` for the keywords."""
        return public("iter_chambers")(self, **options)

    def count_chambers(self, **options: Any) -> int:
        """Count the chambers: see `arrangements.count_chambers` for the keywords."""
        return public("count_chambers")(self, **options)

    def feasible(self, signs: "ArrayLike | str", **options: Any) -> Any:
        """Certificate that this sign vector is met, or is not: see `arrangements.feasible`."""
        return public("feasible")(self, signs, **options)

    def deletion(self, rows: Any) -> Any:
        """Leave some hyperplanes out: see `arrangements.deletion`."""
        return public("deletion")(self, rows)

    def restriction(self, rows: Any) -> Any:
        """Trace on a hyperplane or a flat: see `arrangements.restriction`."""
        return public("restriction")(self, rows)

    def localization(self, rows: Any = None, *, point: ArrayLike | None = None) -> Any:
        """Hyperplanes through a flat or a point: see `arrangements.localization`."""
        return public("localization")(self, rows, point=point)

    def simplify(self) -> Any:
        """Leave out loops and repeated hyperplanes: see `arrangements.simplify`."""
        return public("simplify")(self)

    def product(self, *others: "ArrayLike | Arrangement") -> Any:
        """Product with other arrangements: see `arrangements.product`."""
        return public("product")(self, *others)

    def union(self, *others: "ArrayLike | Arrangement") -> Any:
        """All hyperplanes, also those of other arrangements: see `arrangements.union`."""
        return public("union")(self, *others)

    def cone(self) -> Any:
        """Homogeneous rows and the hyperplane at infinity: see `arrangements.cone`."""
        return public("cone")(self)

    def decone(self, row: Label | None = None) -> Any:
        """Move one hyperplane to infinity: see `arrangements.decone`."""
        return public("decone")(self, row)

    def essentialization(self) -> Any:
        """Quotient by the lineality space: see `arrangements.essentialization`."""
        return public("essentialization")(self)

    def change_of_basis(self, matrix: ArrayLike, translation: ArrayLike | None = None) -> Any:
        """Coordinates y with x = matrix @ y + translation: see `arrangements.change_of_basis`."""
        return public("change_of_basis")(self, matrix, translation)

    def __len__(self) -> int:
        return self.n_hyperplanes

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Arrangement):
            return NotImplemented
        return self.labels == other.labels and self.same_numbers(other)

    def __hash__(self) -> int:
        # Python hashes equal numbers alike, whatever their type: dtypes do not matter.
        offsets = () if self.is_central else tuple(np.asarray(self.offsets).tolist())
        return hash((self.normals.shape, tuple(self.normals.ravel().tolist()), offsets))

    def __repr__(self) -> str:
        n, kind = self.n_hyperplanes, "central" if self.is_central else "affine"
        noun = "hyperplane" if n == 1 else "hyperplanes"
        return f"Arrangement({n} {noun} in dimension {self.dimension}, {kind})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.normals, self.offsets, self.labels, self.low_rank)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an Arrangement is immutable; build a new one to change {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an Arrangement is immutable; {name!r} cannot be deleted")


def _check_no_empty_row(W: ExactArray, b: ExactArray | None) -> None:
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
) -> Arrangement:
    """An arrangement from a pickle."""
    return Arrangement(normals, offsets, labels, low_rank=low_rank)


def asked_arrangement(
    W: "ArrayLike | Arrangement", offsets: ArrayLike | None = None, rank: "Rank" = "exact"
) -> Arrangement:
    """Arrangement that a question about one matrix is about.

    Parameters
    ----------
    W, offsets
        As in `Arrangement.coerce`.
    rank : "exact" or int
        "exact" takes the numbers as given, and warns if they look like a rounded product of
        lower rank. An integer takes the matrix of this rank that they were meant to be: see
        `low_rank_structure`.

    Returns
    -------
    Arrangement

    Examples
    --------
    >>> asked_arrangement([[1, 2], [2, 4.5]], rank=1).low_rank
    LowRankStructure(rank 1, projected, 2 rows)
    """
    given = Arrangement.coerce(W, offsets)
    r = checked_rank(rank)
    # Inner calls pass the arrangement on, so it is warned of, or factored, once.
    asked: dict[int | None, Arrangement] = given.__dict__.setdefault("_asked", {})
    if r not in asked:
        asked[r] = _of_rank(given, r)
    return asked[r]


def _of_rank(given: Arrangement, rank: int | None) -> Arrangement:
    if rank is not None:
        structure = structure_of(given.normals, rank)
        try:
            return Arrangement(structure.factor, given.offsets, given.labels, low_rank=structure)
        except DegenerateArrangementError as error:
            raise DegenerateArrangementError(
                f"in the approximation of rank {rank}, {error}"
            ) from error
    if given.low_rank is None:
        warn_if_low_rank(given.normals, lambda: given.rank)
    return given


def with_column(W: ExactArray, b: ExactArray | None) -> ExactArray:
    """W with b (or zeros) as last column, exactly."""
    if b is None:
        b = np.zeros(len(W), dtype=W.dtype)
    if W.dtype != b.dtype:
        # int64 beside float64 would be rounded
        W, b = numbers.as_objects(W), numbers.as_objects(b)
    return np.column_stack([W, b])


def _promising_rows(W: ExactArray) -> list[int]:
    """Up to d rows, chosen greedily in floats, that are probably independent: a proposal only."""
    n, d = W.shape
    if n <= d or W.dtype == object:
        return list(range(n))
    # Row scaling does not matter; powers of two keep 1e300 and 1e-300 apart from overflow.
    rest = np.ldexp(W, -np.frexp(np.abs(W).max(axis=1, initial=0))[1][:, None]).astype(np.float64)
    chosen: list[int] = []
    for _ in range(d):
        size = np.einsum("ij,ij->i", rest, rest)
        chosen.append(int(size.argmax()))
        if size[chosen[-1]] == 0.0:
            break
        axis = rest[chosen[-1]] / np.sqrt(size[chosen[-1]])
        rest -= np.outer(rest @ axis, axis)
    return sorted(set(chosen))


def _proportional(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Group the non-zero rows by the line they span."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for i, key in enumerate(map(_canonical, rows)):
        if key is not None:
            groups.setdefault(key, []).append(i)
    return tuple(tuple(group) for group in groups.values())


def _canonical(row: list[int]) -> tuple[int, ...] | None:
    """Primitive multiple of the row whose first non-zero entry is positive; None if zero."""
    lead = next((entry for entry in row if entry), 0)
    if not lead:
        return None
    common = gcd(*row) if lead > 0 else -gcd(*row)
    return tuple(entry // common for entry in row)
