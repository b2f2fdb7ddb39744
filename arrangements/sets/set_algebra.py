"""Comparison and algebra of pattern sets: ``==``, ``<=``, ``|`` and their kin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from arrangements.errors import IncompleteError, InputError, InputTypeError
from arrangements.sets import packed
from arrangements.sets.packed import Words

if TYPE_CHECKING:
    from typing import Self

    from arrangements.polyhedra.polyhedron import Polyhedron


class SetAlgebra(ABC):
    """Operators of finite sets whose patterns are rows of words; sets cut short have none."""

    # for messages: one pattern, and what it consists of
    _ONE: ClassVar[str]
    _UNIT: ClassVar[str]

    n: int
    half: bool
    complete: bool

    @property
    @abstractmethod
    def within(self) -> Polyhedron | None:
        """The polyhedron in which all patterns occur, if any."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def _words(self, half: bool) -> Words:
        """Words of all patterns; if `half`, of one of each pair of opposites, always the same."""

    @abstractmethod
    def _same_origin(self, other: Self) -> bool:
        """Whether the witnesses of one set are witnesses of the other."""

    @abstractmethod
    def _from_words(self, words: Words, half: bool, keep: bool, within: Polyhedron | None) -> Self:
        """Set of the patterns; if `keep`, with the witnesses of this one, in a polyhedron."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        self._check_complete("==", other)
        if self.n != other.n or len(self) != len(other):
            return False
        a, b, _ = self._words_of_both(other)
        return bool(np.array_equal(a, b)) or packed.count_common(a, b) == len(a)

    def __le__(self, other: object) -> bool:
        return self.issubset(other) if isinstance(other, type(self)) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.issubset(other) and len(self) < len(other)

    def __ge__(self, other: object) -> bool:
        return other.issubset(self) if isinstance(other, type(self)) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other < self if isinstance(other, type(self)) else NotImplemented

    def __or__(self, other: object) -> Self:
        return self.union(other) if isinstance(other, type(self)) else NotImplemented

    def __and__(self, other: object) -> Self:
        return self.intersection(other) if isinstance(other, type(self)) else NotImplemented

    def __sub__(self, other: object) -> Self:
        return self.difference(other) if isinstance(other, type(self)) else NotImplemented

    def __xor__(self, other: object) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.symmetric_difference(other)

    def issubset(self, other: Self) -> bool:
        """Whether every pattern is in `other`; also ``<=``.

        Examples
        --------
        >>> from arrangements import SignVectors
        >>> SignVectors.from_array(["+-"]).issubset(SignVectors.from_array(["+-", "++"]))
        True
        """
        a, b, _ = self._operands("<=", other)
        return packed.count_common(a, b) == len(a)

    def issuperset(self, other: Self) -> bool:
        """Whether every pattern of `other` is in this set; also ``>=``."""
        return self._check_kind(other).issubset(self)

    def isdisjoint(self, other: Self) -> bool:
        """Whether no pattern is in both."""
        a, b, _ = self._operands("isdisjoint", other)
        return packed.count_common(a, b) == 0

    def union(self, other: Self) -> Self:
        """Patterns in either; also ``|``. Witnesses remain if they serve both sets.

        `within` remains if it is the same polyhedron in both; else witnesses may lie anywhere.
        """
        return self._combine("|", other, packed.union)

    def intersection(self, other: Self) -> Self:
        """Patterns in both; also ``&``. Witnesses remain if they serve both sets.

        `within` is that of both, or of the only one that has any: all patterns occur there. Of two
        different ones neither remains: a pattern may have no point that is in both.
        """
        return self._combine("&", other, packed.intersection)

    def difference(self, other: Self) -> Self:
        """Patterns not in `other`; also ``-``. Witnesses remain if they serve both sets.

        `within` is that of this set.

        Examples
        --------
        >>> from arrangements import Polyhedron, chambers
        >>> everywhere, P = chambers([[1, 0], [0, 1]]), Polyhedron.box(0, 1, dimension=2)
        >>> inside = chambers([[1, 0], [0, 1]], within=P)
        >>> len(everywhere - inside), (inside & everywhere).within == P
        (3, True)
        """
        return self._combine("-", other, packed.difference)

    def symmetric_difference(self, other: Self) -> Self:
        """Patterns in exactly one; also ``^``. Witnesses and `within` remain as in `union`."""
        return self._combine("^", other, packed.symmetric_difference)

    def _check_complete(self, operation: str, other: SetAlgebra) -> None:
        if not (self.complete and other.complete):
            which = self if not self.complete else other
            raise IncompleteError(
                f"{operation} needs whole sets, but {which!r} was cut short; list without limit, "
                "or compare what is there with to_array()."
            )

    def _words_of_both(self, other: Self) -> tuple[Words, Words, bool]:
        """Words of both in one form, and whether that form is half."""
        half = self.half and other.half
        return self._words(half), other._words(half), half

    def _operands(self, operation: str, other: Any) -> tuple[Words, Words, bool]:
        other = self._check_kind(other)
        self._check_complete(operation, other)
        if self.n != other.n:
            raise InputError(
                f"{operation} of {self._ONE}s of {self.n} and {other.n} {self._UNIT}; "
                "expected the same."
            )
        return self._words_of_both(other)

    def _combine(self, name: str, other: Any, operation: Callable[[Words, Words], Words]) -> Self:
        a, b, half = self._operands(name, other)
        keep = self._same_origin(other)
        within = self._within_of(name, other) if keep else None
        return self._from_words(operation(a, b), half, keep, within)

    def _within_of(self, operation: str, other: Self) -> Polyhedron | None:
        """A polyhedron in which all patterns of the result occur; None if none is known."""
        P, Q = self.within, other.within
        if operation == "-" or P is Q:
            return P
        if operation == "&" and (P is None or Q is None):
            return Q if P is None else P
        return P if P is not None and P == Q else None

    def _check_kind(self, other: Any) -> Self:
        if not isinstance(other, type(self)):
            name = type(self).__name__
            raise InputTypeError(
                f"expected {name}, not {type(other).__name__}; see {name}.from_array."
            )
        return other
