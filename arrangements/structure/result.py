"""What operations on arrangements return: the new one, and the maps of rows, signs and points."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label, align_columns
from arrangements.core.signs import as_signs, sign_values
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers
from arrangements.exact.numbers import ExactArray

# What stands for no row: in `Derived.rows` at a new one, in `Derived.position` at one left out.
NO_ROW = -1


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class AffineMap:
    """The exact map ``y -> matrix @ y + shift``.

    Attributes
    ----------
    matrix : (d, k) ndarray, read-only
    shift : (d,) ndarray, read-only
        float64, int64, or object (int and Fraction), like the arrays of an `Arrangement`.

    Examples
    --------
    >>> half = AffineMap(np.array([[1], [2]]), np.array([0.5, 0.0]))
    >>> half
    AffineMap(from dimension 1 to dimension 2)
    >>> half([3])
    (Fraction(7, 2), Fraction(6, 1))
    """

    matrix: ExactArray
    shift: ExactArray

    def __post_init__(self) -> None:
        # bypass the __setattr__ that makes the object immutable
        self.__dict__.update(
            matrix=numbers.read_only(self.matrix), shift=numbers.read_only(self.shift)
        )

    @classmethod
    def identity(cls, d: int) -> "AffineMap":
        """The map of R^d that moves no point."""
        return cls(np.eye(d, dtype=np.int64), np.zeros(d, np.int64))

    def __call__(self, point: Iterable[Any]) -> tuple[Fraction, ...]:
        """Image of a point of k exact numbers (floats count as the dyadic numbers they are)."""
        values = np.array([*point], dtype=object)
        found = coercion.as_exact_vector(values, self.matrix.shape[1], "point")
        matrix, shift, found = numbers.unify_fields(self.matrix, self.shift, found)
        y = numbers.fractions(found)
        return tuple(
            sum((a * c for a, c in zip(numbers.fractions(row), y, strict=True) if a), start=s)
            for row, s in zip(matrix, numbers.fractions(shift), strict=True)
        )

    def after(self, first: "AffineMap") -> "AffineMap":
        """The map ``y -> self(first(y))``.

        Examples
        --------
        >>> double = AffineMap(np.array([[2]]), np.array([1]))
        >>> double.after(double)([5])
        (Fraction(23, 1),)
        """
        shape = self.matrix.shape[0], first.matrix.shape[1]
        if first.matrix.shape[0] != self.matrix.shape[1]:
            raise InputError(
                f"first is {first!r}; expected a map to dimension {self.matrix.shape[1]}."
            )
        columns = [first.matrix[:, j] for j in range(shape[1])]
        origin = self(first([0] * shape[1]))
        linear = AffineMap(self.matrix, np.zeros(shape[0], np.int64))
        matrix = np.array([linear(column) for column in columns], object).reshape(shape[::-1]).T
        return AffineMap(matrix, np.array(origin, object))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineMap):
            return NotImplemented
        return self.matrix.shape == other.matrix.shape and numbers.same_functions(
            self.matrix, self.shift, other.matrix, other.shift
        )

    def __hash__(self) -> int:
        return hash((self.matrix.shape, tuple(self.matrix.ravel().tolist())))

    def __reduce__(self) -> tuple[Any, ...]:
        return AffineMap, (self.matrix, self.shift)

    def __repr__(self) -> str:
        d, k = self.matrix.shape
        return f"AffineMap(from dimension {k} to dimension {d})"


@public_class
@dataclass(frozen=True, repr=False)
class Derived:
    """An arrangement made from another one, and how their rows, signs and points correspond.

    All operations that make new arrangements from old return this immutable object. For several
    arrangements (`product`, `union`) the *original* means all their rows, one after the other.

    Attributes
    ----------
    arrangement : Arrangement
        The new arrangement, in R^k.
    rows : tuple of int
        Row i of `arrangement` comes from row ``rows[i]`` of the original; -1 for a new row (the
        hyperplane at infinity of a `cone`).
    position : tuple of int
        For each original row, its row in `arrangement`; -1 if it has none.
    orientation : tuple of int or None
        For each original row, +1 if row ``position`` is a positive multiple of it, -1 if a negative
        one. A row without position has its sign at all points that `arrangement` is about: +1 or
        -1, or 0 if it vanishes there; None if the other rows do not determine it.
    to_original : AffineMap
        Point of R^k to the point of R^d that it stands for; the identity where the space is the
        same.
    from_original : AffineMap
        Point of R^d to point of R^k: the inverse, on the points that `arrangement` is about.

    Examples
    --------
    >>> from arrangements import restriction
    >>> R = restriction([[1, 0, 1], [0, 1, 0], [1, 1, 0], [2, 0, 2]], 0)
    >>> R
    Derived(Arrangement(2 hyperplanes in dimension 2, central), rows 1, 2 of 4)
    >>> R.position, R.orientation
    ((-1, 0, 1, -1), (0, 1, 1, 0))
    >>> R.restore([1, -1]).tolist()
    [0, 1, -1, 0]
    """

    arrangement: Arrangement
    rows: tuple[int, ...]
    position: tuple[int, ...]
    orientation: tuple[int | None, ...]
    to_original: AffineMap
    from_original: AffineMap

    def restore(self, signs: ArrayLike | str | Mapping[Label, int]) -> NDArray[np.int8]:
        """Sign vectors of the original from those of the new arrangement.

        Parameters
        ----------
        signs : (..., m) array_like, str, mapping or SignVectors
            Entries -1, 0, +1, such as ``chambers(arrangement)``. One sign vector may be a string,
            or a mapping of rows or labels of `arrangement` to signs.

        Returns
        -------
        (..., n) ndarray of int8
            The sign vector at ``to_original(y)`` for the one at y; for a `localization`, that of
            the face around its flat.

        Raises
        ------
        InputError
            If rows were left out whose signs do not follow, or the sign of a new row is not +:
            then y stands for no point of the original.

        Examples
        --------
        >>> from arrangements.structure import simplify
        >>> simplify([[1, 0], [-2, 0], [0, 1]]).restore([[1, -1], [-1, 1]]).tolist()
        [[1, -1, -1], [-1, 1, 1]]
        """
        if isinstance(signs, str | Mapping):
            signs = as_signs(signs, len(self.rows), self.arrangement.labels)
        signs = align_columns(signs, self.arrangement.labels, "signs", "rows")
        values = sign_values(signs, "signs")
        if values.ndim == 0 or values.shape[-1] != len(self.rows):
            raise InputError(
                f"signs has shape {values.shape}; expected (..., {len(self.rows)}), "
                "one per row of the new arrangement."
            )
        unknown = [i for i, sign in enumerate(self.orientation) if sign is None]
        if unknown:
            raise InputError(
                f"row {unknown[0]} of the original was left out, and its sign does not follow "
                f"from the others ({len(unknown)} such rows): there is nothing to restore it from."
            )
        new = [i for i, row in enumerate(self.rows) if row == NO_ROW]
        if (values[..., new] <= 0).any():
            raise InputError(
                f"a sign of row {new[0]} is not +: no point of the original has it. Restore sign "
                "vectors with + there."
            )
        # position -1 picks this last column: the sign of such a row is its orientation
        extended = np.concatenate([values, np.ones((*values.shape[:-1], 1), np.int8)], axis=-1)
        return extended[..., np.array(self.position, np.intp)] * np.array(self.orientation, np.int8)

    def then(self, other: "Derived") -> "Derived":
        """The same from the original at once, where another operation followed this one.

        Parameters
        ----------
        other : Derived
            What an operation made of ``self.arrangement``.

        Returns
        -------
        Derived
            Of ``other.arrangement``. Rows that are new in either are new.

        Raises
        ------
        InputError
            If `other` was made from an arrangement with another number of rows, or dimension.

        Examples
        --------
        >>> from arrangements import restriction
        >>> first = restriction([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], 0)
        >>> both = first.then(restriction(first.arrangement, 0))
        >>> both, both.orientation
        (Derived(Arrangement(2 hyperplanes in dimension 1, central), rows 2, 3 of 4), (0, 0, 1, 1))
        """
        A = self.arrangement
        if len(other.position) != len(A) or other.to_original.matrix.shape[0] != A.dimension:
            raise InputError(
                f"other is {other!r}; expected what an operation made of {A!r}: {len(A)} rows in "
                f"dimension {A.dimension}."
            )
        position, orientation = [], []
        for row, side in zip(self.position, self.orientation, strict=True):
            position.append(NO_ROW if row == NO_ROW else other.position[row])
            after = None if side is None else 1 if row == NO_ROW else other.orientation[row]
            orientation.append(None if side is None or after is None else side * after)
        rows = tuple(NO_ROW if row == NO_ROW else self.rows[row] for row in other.rows)
        return Derived(
            other.arrangement,
            rows,
            tuple(position),
            tuple(orientation),
            self.to_original.after(other.to_original),
            other.from_original.after(self.from_original),
        )

    def __repr__(self) -> str:
        names = ["new" if row == NO_ROW else str(row) for row in self.rows]
        if len(names) > 12:
            names = [*names[:10], "..", names[-1]]
        rows = f"rows {', '.join(names)}" if names else "no rows"
        return f"Derived({self.arrangement}, {rows} of {len(self.position)})"

    def _repr_html_(self) -> str:
        A, n = self.arrangement, len(self.position)
        sides = {1: "the same", -1: "exchanged", None: ""}

        def cells(i: int) -> list[Any]:
            name = [] if A.labels is None else [notebook.text(A.labels[i])]
            if (row := self.rows[i]) == NO_ROW:
                return [i, *name, "new", ""]
            return [i, *name, row, sides[self.orientation[row]]]

        head = ["row", *([] if A.labels is None else [""]), "original row", "sides"]
        dropped = sum(row == NO_ROW for row in self.position)
        facts = [("made from", f"{n} row{'s' * (n != 1)}"), ("without a row here", dropped)]
        return notebook.card(
            repr(A), facts, notebook.table(head, map(cells, range(len(self.rows))), len(self.rows))
        )
