"""Sets of sign vectors, bit-packed, with an exact witness for each."""

import operator
import os
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import packed as rows_of
from arrangements.errors import IncompleteError, InputError, InputTypeError, WitnessWarning
from arrangements.packed import Signs, Words

if TYPE_CHECKING:
    from arrangements.hyperplanes import Arrangement

SetOperation = Callable[[Words, Words], Words]

# Rows unpacked at a time: enough to hide the overhead, little memory beside the set.
_BLOCK = 4096


class SignVectors:
    """Immutable set of sign vectors, entries -1 and +1, that can also be indexed.

    Results of `chambers` are of this class; to make one by hand see `from_array`.

    Parameters
    ----------
    packed : (stored, words) ndarray of uint64
        Bit i % 64 of word i // 64 is set iff sign i is +; rows distinct, unused bits zero.
        Not copied.
    n : int
        Number of signs in a sign vector.
    half : bool
        One of each pair +/- is stored; the set is the full one.
    arrangement : Arrangement, optional
        The arrangement whose chambers these are: it gives the witnesses.
    complete : bool
        False if the listing was cut short: such a set refuses comparison and algebra.
    factor : (n, r) ndarray, optional
        The low-rank factor that took the place of the normals; then `arrangement` is that of
        the factor, and witnesses are in its coordinates.

    Attributes
    ----------
    packed, n, half, arrangement, complete, factor
        As given, `packed` read-only.

    Notes
    -----
    The order of rows is not promised, but row i of `to_array`, ``S[i]`` and ``S.witness(i)``
    belong together. If `half`, row i + len(S) / 2 is the negation of row i. Membership takes
    O(log N) after one sort; comparison and algebra O(N log N).

    Examples
    --------
    >>> S = SignVectors.from_array(["++", "+-", "--"])
    >>> S
    SignVectors(3 of 2 signs, complete)
    >>> "+-" in S, [-1, 1] in S
    (True, False)
    >>> (S - SignVectors.from_array(["--"])).to_array().tolist()
    [[1, -1], [1, 1]]
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(
        self,
        packed: Words,
        n: int,
        *,
        half: bool,
        arrangement: "Arrangement | None" = None,
        complete: bool = True,
        factor: NDArray[np.float64] | None = None,
    ) -> None:
        _check_packed(packed, n, half, arrangement)
        self.packed = packed.view()
        self.packed.flags.writeable = False
        self.n = n
        self.half = half
        self.arrangement = arrangement
        self.complete = complete
        self.factor = factor

    @classmethod
    def from_array(cls, signs: "ArrayLike | Sequence[str]") -> "SignVectors":
        """Set of the given sign vectors; repetitions count once, the rows come sorted.

        Parameters
        ----------
        signs : (m, n) array_like of -1 and +1, or sequence of strings of "+" and "-"

        Returns
        -------
        SignVectors
            Complete, and of no arrangement.

        Examples
        --------
        >>> len(SignVectors.from_array([[1, -1], [1, -1]]))
        1
        """
        given: Any = signs
        if len(given) and isinstance(given[0], str):
            given = [rows_of.as_signs(row, len(given[0])) for row in given]
        array = np.asarray(given)
        if array.ndim != 2:
            raise InputError(f"signs has shape {array.shape}; expected (m, n).")
        if not ((array == 1) | (array == -1)).all():
            raise InputError("signs holds entries other than -1 and +1.")
        return cls(rows_of.distinct(rows_of.pack_signs(array)), array.shape[1], half=False)

    def __len__(self) -> int:
        return len(self.packed) * (2 if self.half else 1)

    def __iter__(self) -> Iterator[Signs]:
        for start in range(0, len(self), _BLOCK):
            yield from self._signs(np.arange(start, min(start + _BLOCK, len(self))))

    @overload
    def __getitem__(self, index: int) -> Signs: ...

    @overload
    def __getitem__(self, index: slice) -> "SignVectors": ...

    def __getitem__(self, index: int | slice) -> "Signs | SignVectors":
        if not isinstance(index, slice):
            return self._signs(np.array([self._position(index)]))[0]
        return SignVectors(
            self._packed_rows(np.arange(*index.indices(len(self)))),
            self.n,
            half=False,
            arrangement=self.arrangement,
            complete=self.complete,
            factor=self.factor,
        )

    def __contains__(self, signs: object) -> bool:
        """Whether a sign vector (sequence of -1 and +1, or string) is in the set.

        In a truncated set only True is an answer; otherwise IncompleteError is raised.
        """
        if self._find(signs) is not None:
            return True
        if not self.complete:
            raise IncompleteError(
                "not among the sign vectors listed, but the listing was cut short; "
                "ask feasible(W, signs), or list without limit."
            )
        return False

    def index(self, signs: ArrayLike | str) -> int:
        """Row of a sign vector: ``S[S.index(signs)]`` equals `signs`.

        Parameters
        ----------
        signs : sequence of -1 and +1, or string of "+" and "-"

        Returns
        -------
        int

        Raises
        ------
        InputError
            If it is not listed.

        Examples
        --------
        >>> SignVectors.from_array(["-+", "++"]).index("++")
        1
        """
        found = self._find(signs)
        if found is None:
            raise InputError(f"sign vector {signs!r} is not in {self!r}.")
        return found

    def to_array(self) -> Signs:
        """All sign vectors, one per row.

        Returns
        -------
        (N, n) ndarray of int8
            Entries -1 and +1, rows distinct.

        Examples
        --------
        >>> SignVectors.from_array(["+-"]).to_array()
        array([[ 1, -1]], dtype=int8)
        """
        stored = len(self.packed)
        signs = np.empty((len(self), self.n), np.int8)
        for start in range(0, stored, _BLOCK):
            stop = min(start + _BLOCK, stored)
            signs[start:stop] = rows_of.unpack_signs(self.packed[start:stop], self.n)
            if self.half:
                np.negative(signs[start:stop], out=signs[stored + start : stored + stop])
        return signs

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("sign vectors are packed; an array of them is always a copy")
        return self.to_array().astype(dtype or np.int8, copy=False)

    def witness(self, i: int) -> tuple[Fraction, ...]:
        """Give an exact interior point of chamber i.

        Parameters
        ----------
        i : int
            Row, negative from the end.

        Returns
        -------
        tuple of Fraction
            x with ``sign(W x + b) = S[i]``, in the caller's d coordinates (those of `factor`
            if there is one).

        Raises
        ------
        InputError
            If the set belongs to no arrangement.
        """
        from arrangements.certificates import interior_point

        arrangement, i = self._arrangement(), self._position(i)
        stored = i % len(self.packed)
        signs = rows_of.unpack_signs(self.packed[stored : stored + 1], self.n)[0]
        point = interior_point(arrangement, signs)
        return point if i == stored else tuple(-x for x in point)

    def witnesses(self) -> NDArray[np.float64]:
        """Verified interior points of all chambers, in float64.

        Returns
        -------
        (N, d) ndarray of float64
            Row i lies in the chamber of ``S[i]``, exactly. NaN where no float64 point was
            found, with a `WitnessWarning`; ``witness(i)`` is exact there too.

        Raises
        ------
        InputError
            If the set belongs to no arrangement.
        """
        from arrangements.certificates import float_witnesses

        arrangement = self._arrangement()
        points = np.full((len(self), arrangement.dimension), np.nan)
        stored = len(self.packed)
        for start in range(0, stored, _BLOCK):
            part = slice(start, min(start + _BLOCK, stored))
            found, verified = float_witnesses(
                arrangement, rows_of.unpack_signs(self.packed[part], self.n)
            )
            points[part][verified] = found[verified]
        if self.half:
            points[stored:] = -points[:stored]
        _warn_of_missing(np.flatnonzero(np.isnan(points).any(axis=1)))
        return points

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SignVectors):
            return NotImplemented
        self._check_complete("==", other)
        if self.n != other.n or len(self) != len(other):
            return False
        a, b, _ = self._comparable(other)
        return bool(np.array_equal(a, b)) or rows_of.count_common(a, b) == len(a)

    def __le__(self, other: object) -> bool:
        return self.issubset(other) if isinstance(other, SignVectors) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, SignVectors):
            return NotImplemented
        return self.issubset(other) and len(self) < len(other)

    def __ge__(self, other: object) -> bool:
        return other.issubset(self) if isinstance(other, SignVectors) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other < self if isinstance(other, SignVectors) else NotImplemented

    def __or__(self, other: object) -> "SignVectors":
        return self.union(other) if isinstance(other, SignVectors) else NotImplemented

    def __and__(self, other: object) -> "SignVectors":
        return self.intersection(other) if isinstance(other, SignVectors) else NotImplemented

    def __sub__(self, other: object) -> "SignVectors":
        return self.difference(other) if isinstance(other, SignVectors) else NotImplemented

    def __xor__(self, other: object) -> "SignVectors":
        if not isinstance(other, SignVectors):
            return NotImplemented
        return self.symmetric_difference(other)

    def issubset(self, other: "SignVectors") -> bool:
        """Whether every sign vector is in `other`; also ``<=``.

        Examples
        --------
        >>> SignVectors.from_array(["+-"]).issubset(SignVectors.from_array(["+-", "++"]))
        True
        """
        a, b, _ = self._operands("<=", other)
        return rows_of.count_common(a, b) == len(a)

    def issuperset(self, other: "SignVectors") -> bool:
        """Whether every sign vector of `other` is in this set; also ``>=``."""
        return _checked(other).issubset(self)

    def isdisjoint(self, other: "SignVectors") -> bool:
        """Whether no sign vector is in both."""
        a, b, _ = self._operands("isdisjoint", other)
        return rows_of.count_common(a, b) == 0

    def union(self, other: "SignVectors") -> "SignVectors":
        """Sign vectors in either; also ``|``. Witnesses remain if the arrangements agree."""
        return self._combined("|", other, rows_of.union)

    def intersection(self, other: "SignVectors") -> "SignVectors":
        """Sign vectors in both; also ``&``. Witnesses remain if the arrangements agree."""
        return self._combined("&", other, rows_of.intersection)

    def difference(self, other: "SignVectors") -> "SignVectors":
        """Sign vectors not in `other`; also ``-``. Witnesses remain if the arrangements agree."""
        return self._combined("-", other, rows_of.difference)

    def symmetric_difference(self, other: "SignVectors") -> "SignVectors":
        """Sign vectors in exactly one; also ``^``. Witnesses remain if the arrangements agree."""
        return self._combined("^", other, rows_of.symmetric_difference)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set, with its arrangement, to an .npz file; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            Taken as it is; the file appears when it is complete.

        See Also
        --------
        load
        """
        from arrangements.storage import save

        save(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "SignVectors":
        """Read a set written by `save`.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        SignVectors
            With the exact normals and offsets it was saved with.

        Raises
        ------
        InputError
            If the file holds something else.
        """
        from arrangements.storage import load

        return load(path)

    def __repr__(self) -> str:
        words = [f"{len(self)} of {self.n} signs"]
        if self.half or (self.arrangement is not None and self.arrangement.is_central):
            words.append("central")
        elif self.arrangement is not None:
            words.append("affine")
        if self.factor is not None:
            words.append(f"rank {self.factor.shape[1]}")
        words.append("complete" if self.complete else "truncated")
        return f"SignVectors({', '.join(words)})"

    def _position(self, index: int) -> int:
        """Index from the start, checked."""
        i = operator.index(index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"row {i} of {len(self)} sign vectors")
        return i % len(self)

    def _packed_rows(self, indices: NDArray[np.intp]) -> Words:
        """Rows of the full set; beyond the stored ones they are negations."""
        if not self.half:
            return self.packed[indices]
        stored = len(self.packed)
        negated = indices >= stored
        chosen = self.packed[indices - stored * negated]
        return chosen ^ (negated[:, None] * rows_of.used_bits(self.n))

    def _signs(self, indices: NDArray[np.intp]) -> Signs:
        return rows_of.unpack_signs(self._packed_rows(indices), self.n)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return rows_of.sorted_order(self.packed)

    def _find(self, signs: Any) -> int | None:
        """Row of a sign vector, or None; one with a zero is in no set."""
        vector = rows_of.as_signs(signs, self.n)
        if not vector.all():
            return None
        found = self._stored_index(rows_of.pack_signs(vector[None])[0])
        if found is None and self.half:
            found = self._stored_index(rows_of.pack_signs(-vector[None])[0])
            return None if found is None else found + len(self.packed)
        return found

    def _stored_index(self, row: Words) -> int | None:
        """Index of a stored row by binary search, or None."""
        target, order = tuple(row.tolist()), self._order
        at = bisect_left(order, target, key=lambda i: tuple(self.packed[i].tolist()))
        if at == len(order) or tuple(self.packed[order[at]].tolist()) != target:
            return None
        return int(order[at])

    def _arrangement(self) -> "Arrangement":
        if self.arrangement is None:
            raise InputError(
                "these sign vectors belong to no arrangement (made by hand, or by algebra on "
                "sets of different arrangements), so they have no witnesses; see feasible."
            )
        return self.arrangement

    def _check_complete(self, operation: str, other: "SignVectors") -> None:
        if not (self.complete and other.complete):
            which = self if not self.complete else other
            raise IncompleteError(
                f"{operation} needs whole sets, but {which!r} was cut short; list without limit, "
                "or compare what is there with to_array()."
            )

    def _comparable(self, other: "SignVectors") -> tuple[Words, Words, bool]:
        """Rows of both in one form, and whether that form is half."""
        if self.half and other.half:
            return (
                rows_of.oriented(self.packed, self.n),
                rows_of.oriented(other.packed, self.n),
                True,
            )
        return self._full(), other._full(), False

    def _full(self) -> Words:
        if not self.half:
            return self.packed
        return np.concatenate([self.packed, self.packed ^ rows_of.used_bits(self.n)])

    def _operands(self, operation: str, other: Any) -> tuple[Words, Words, bool]:
        other = _checked(other)
        self._check_complete(operation, other)
        if self.n != other.n:
            raise InputError(
                f"{operation} of sign vectors of {self.n} and {other.n} signs; expected the same."
            )
        return self._comparable(other)

    def _combined(self, name: str, other: Any, operation: SetOperation) -> "SignVectors":
        a, b, half = self._operands(name, other)
        agree = self._same_origin(other)
        return SignVectors(
            operation(a, b),
            self.n,
            half=half,
            arrangement=self.arrangement if agree else None,
            factor=self.factor if agree else None,
        )

    def _same_origin(self, other: "SignVectors") -> bool:
        """Whether both belong to one arrangement, so that its witnesses serve both."""
        if self.arrangement is None or other.arrangement is None:
            return False
        if (self.factor is None) != (other.factor is None):
            return False
        return self.arrangement.same_hyperplanes(other.arrangement)


def _check_packed(packed: Words, n: int, half: bool, arrangement: "Arrangement | None") -> None:
    """Shapes and the cheap promises; that rows are distinct is trusted."""
    if packed.dtype != np.uint64 or packed.ndim != 2 or packed.shape[1] != rows_of.words_for(n):
        raise InputError(
            f"packed is {packed.dtype} of shape {packed.shape}; expected uint64 of shape "
            f"(stored, {rows_of.words_for(n)}) for {n} signs."
        )
    if half and n == 0:
        raise InputError("the empty sign vector has no negation; pass half=False.")
    if arrangement is None:
        return
    if arrangement.n_hyperplanes != n:
        raise InputError(
            f"{n} signs for an arrangement of {arrangement.n_hyperplanes} hyperplanes."
        )
    if half and not arrangement.is_central:
        raise InputError("half=True needs a central arrangement; offsets are not all zero.")


def _checked(other: Any) -> SignVectors:
    if not isinstance(other, SignVectors):
        raise InputTypeError(
            f"expected SignVectors, not {type(other).__name__}; see SignVectors.from_array."
        )
    return other


def _warn_of_missing(rows: NDArray[np.intp]) -> None:
    if not len(rows):
        return
    named = ", ".join(map(str, rows[:5].tolist())) + (", .." if len(rows) > 5 else "")
    warnings.warn(
        f"no float64 point was found in {len(rows)} chambers, left NaN: rows {named}; "
        "witness(i) gives exact points.",
        WitnessWarning,
        stacklevel=3,
    )
