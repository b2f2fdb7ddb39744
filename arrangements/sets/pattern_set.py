"""What `SignVectors` and `Rankings` share: finite sets of patterns, kept as rows of an array."""

from __future__ import annotations

import operator
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable
from arrangements.core.low_rank import LowRankStructure
from arrangements.errors import IncompleteError, InputError, InputTypeError, WitnessWarning
from arrangements.exact.coercion import plain_array
from arrangements.exact.numbers import read_only
from arrangements.execution import limits
from arrangements.files import storage
from arrangements.messages import Remedy, quote, warn
from arrangements.sets import packed
from arrangements.sets.packed import BLOCK, Words
from arrangements.sets.set_algebra import SetAlgebra

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import Self

    from arrangements.core.arrangement import Arrangement
    from arrangements.polyhedra.polyhedron import Polyhedron

    Point = tuple[Fraction, ...]

Rows = NDArray[Any]

# Smaller arrays, in bytes, are made without checking the free memory.
_LARGE = 2**26
_PART = Remedy("part of a set", "Take a part, such as S[:1000], or stream them in blocks.")


class PatternSet(Immutable, SetAlgebra):
    """Immutable set of patterns, stored one per row, or one of each pair of opposites.

    A subclass defines rows, their opposites, and how rows become words that are equal iff the rows
    are; everything else is here.

    Attributes
    ----------
    n : int
        Length of a pattern.
    half : bool
        Only one of each pair of opposites is stored, but the set has both: row i + len(S) / 2 is
        the opposite of row i.
    complete : bool
        False if the listing was cut short: such a set refuses comparison and algebra.
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    _ASK: ClassVar[str]  # for messages: where else to ask about one pattern
    # attributes: the stored rows, and the arrangement or model that gives witnesses
    _ROWS: ClassVar[str]
    _ORIGIN: ClassVar[str]

    # ------------------------------------------------------------------ defined by a subclass

    @staticmethod
    @abstractmethod
    def _no_rows(n: int) -> Rows:
        """Stored rows of an empty set of patterns of length n."""

    @abstractmethod
    def _opposite(self, rows: Rows) -> Rows:
        """Rows of the opposite patterns."""

    @abstractmethod
    def _orient(self, rows: Rows) -> Rows:
        """One of each row and its opposite: the same one, whichever is given."""

    @abstractmethod
    def _unpack(self, rows: Rows) -> Rows:
        """Rows as the caller sees them."""

    @abstractmethod
    def _negate_unpacked(self, rows: Rows) -> Rows:
        """Opposites of rows as the caller sees them."""

    @abstractmethod
    def _parse(self, pattern: Any) -> Rows | None:
        """One row from a pattern as the caller writes it; None if no set can hold it."""

    @abstractmethod
    def _parse_many(self, patterns: NDArray[Any]) -> tuple[Rows, NDArray[np.bool_]]:
        """Stored form of many patterns, and which of them can be in a set."""

    @abstractmethod
    def _origin_members(self) -> storage.Members:
        """Arrays of a file that hold the arrangement or model."""

    @classmethod
    @abstractmethod
    def _from_members(cls, members: storage.Members) -> Self:
        """The set that the arrays of a file hold; errors say what is wrong with them."""

    # ------------------------------------------------------------------ rows and their origin

    def _set(
        self,
        rows: Rows,
        n: int,
        half: bool,
        origin: Any,
        complete: bool,
        within: Polyhedron | None,
    ) -> None:
        # past the __setattr__ that makes the set immutable
        self.__dict__.update(
            {self._ROWS: read_only(rows), "n": n, "half": half, self._ORIGIN: origin},
            complete=complete,
            _within=within,
        )

    @classmethod
    def _of(
        cls,
        rows: Rows,
        n: int,
        half: bool,
        origin: Any,
        complete: bool,
        within: Polyhedron | None = None,
    ) -> Self:
        """A set of rows that nobody else writes to; nothing is checked."""
        found = cls.__new__(cls)
        found._set(rows, n, half, origin, complete, within)
        return found

    def _part(self, rows: Rows, half: bool = False) -> Self:
        """The patterns of some rows, as complete as this set."""
        return self._of(rows, self.n, half, self._origin, self.complete, self.within)

    @property
    def _stored(self) -> Rows:
        """Rows as they are kept."""
        return self.__dict__[self._ROWS]

    @property
    def _origin(self) -> Any:
        """The arrangement or model that gives the witnesses; None if there is none."""
        return self.__dict__[self._ORIGIN]

    def _witness_origin(self) -> Any:
        """The arrangement or model; an error if there is none."""
        if self._origin is None:
            raise InputError(
                f"these {self._ONE}s belong to no {self._ORIGIN} (made by hand, or by algebra on "
                f"sets of different ones), so they have no witnesses; {self._ASK}."
            )
        return self._origin

    def _keys(self, rows: Rows) -> Words:
        """Words of the rows."""
        return rows

    def _words(self, half: bool) -> Words:
        return self._keys(self._orient(self._stored) if half else self._full())

    def _from_words(self, words: Words, half: bool, keep: bool, within: Polyhedron | None) -> Self:
        rows = self._from_keys(words)
        if not keep:
            return self._of(rows, self.n, half, None, True)
        return self._of(rows, self.n, half, self._origin, True, within)

    def _from_keys(self, keys: Words) -> Rows:
        """Rows of the words."""
        return keys

    @property
    def low_rank(self) -> LowRankStructure | None:
        """How the numbers were found if the question was asked with ``rank=r``; else None."""
        return None if self._origin is None else self._origin.low_rank

    @property
    def within(self) -> Polyhedron | None:
        """All patterns occur in its relative interior, where the witnesses are; None if anywhere.

        Examples
        --------
        >>> from arrangements import Polyhedron, chambers
        >>> S = chambers([[1, -1]], within=Polyhedron.simplex(2))
        >>> S.within
        Polyhedron(2 inequalities, 1 equation in dimension 2, itself of dimension 1)
        >>> sum(S.witness(0))
        Fraction(1, 1)
        """
        found: Polyhedron | None = self.__dict__.get("_within")
        return found

    @property
    def is_named(self) -> bool:
        """Whether the rows of the arrangement, or the labels, have names."""
        return self._origin is not None and self._origin.labels is not None

    def _description(self) -> list[str]:
        words = [f"{len(self)} of {self.n} {self._UNIT}"]
        if self._origin is not None or self.half:
            words.append("central" if self.half or self._origin.is_central else "affine")
        if self.low_rank is not None:
            words.append(f"rank {self.low_rank.rank}")
        if self.within is not None:
            words.append("within a polyhedron")
        return [*words, "complete" if self.complete else "truncated"]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._description())})"

    # ------------------------------------------------------------------ sequence

    def __len__(self) -> int:
        return len(self._stored) * (2 if self.half else 1)

    def __iter__(self) -> Iterator[Rows]:
        for start in range(0, len(self), BLOCK):
            yield from self._unpack(self._take(np.arange(start, min(start + BLOCK, len(self)))))

    @overload
    def __getitem__(self, index: int) -> Rows: ...

    @overload
    def __getitem__(self, index: slice | NDArray[Any] | list[Any]) -> Self: ...

    def __getitem__(self, index: Any) -> Rows | Self:
        if isinstance(index, slice):
            return self._part(self._take(np.arange(*index.indices(len(self)))))
        if isinstance(index, list) or (isinstance(index, np.ndarray) and index.ndim):
            return self._part(self._take(self._chosen(index)))
        return self._unpack(self._take(np.array([self._position(index)])))[0]

    def __contains__(self, pattern: object) -> bool:
        """Whether a pattern is in the set.

        A set that was cut short can only answer True; otherwise it raises IncompleteError. Values
        that are not patterns (booleans, or signs of 0 and 1 without -1) raise InputError.
        """
        if self._find(pattern) is not None:
            return True
        if not self.complete:
            raise IncompleteError(
                f"not among the listed {self._ONE}s, but the listing was cut short; {self._ASK}, "
                "or list without limit."
            )
        return False

    def contains(self, patterns: ArrayLike) -> NDArray[np.bool_]:
        """Which of many patterns are in the set.

        Parameters
        ----------
        patterns : (m, n) array_like, or sequence of strings
            A pattern in each row, as `to_array` has them; or strings of "+" and "-".

        Returns
        -------
        (m,) ndarray of bool

        Raises
        ------
        InputError
            If rows are not patterns.
        IncompleteError
            If one is not among the patterns of a set that was cut short.

        Examples
        --------
        >>> from arrangements import SignVectors
        >>> S = SignVectors.from_array(["-+", "++"])
        >>> S.contains([[1, 1], [1, -1]]), S.contains(["-+", "+-"])
        (array([ True, False]), array([ True, False]))
        """
        found = self._find_many(self._many(patterns)) >= 0
        if not (self.complete or found.all()):
            raise IncompleteError(
                f"row {int(found.argmin())} is not among the listed {self._ONE}s, but the listing "
                "was cut short; list without limit."
            )
        return np.asarray(found)

    @overload
    def index(self, pattern: str | Sequence[Any]) -> int: ...

    @overload
    def index(self, pattern: Any) -> Any: ...

    def index(self, pattern: Any) -> Any:
        """Row of a pattern: ``S[S.index(pattern)]`` equals `pattern`.

        Parameters
        ----------
        pattern : sequence or str, or (m, n) ndarray
            As for ``in``, or many patterns, as for `contains`.

        Returns
        -------
        int, or (m,) ndarray of int

        Raises
        ------
        InputError
            If it is not in the set.

        Examples
        --------
        >>> from arrangements import SignVectors
        >>> SignVectors.from_array(["-+", "++"]).index("++")
        1
        """
        if isinstance(pattern, np.ndarray) and pattern.ndim == 2:
            rows = self._find_many(self._many(pattern))
            if (rows < 0).any():
                missing = pattern[int((rows < 0).argmax())]
                raise InputError(f"{self._ONE} {quote(missing)} is not in {self!r}.")
            return rows
        found = self._find(pattern)
        if found is None:
            raise InputError(f"{self._ONE} {quote(pattern)} is not in {self!r}.")
        return found

    def to_array(self, dtype: DTypeLike | None = None) -> Rows:
        """All patterns, one per row.

        Parameters
        ----------
        dtype : dtype, optional
            Default the smallest type: int8 for signs, and an unsigned type for rankings. Arithmetic
            such as ``100 * row`` wraps around in it; pass a wider type to calculate.

        Returns
        -------
        (N, n) ndarray
            Rows distinct; row i is ``S[i]``.

        Raises
        ------
        InputTypeError
            If `dtype` may not hold the entries.
        TooLargeError
            If the array exceeds the free memory.

        Examples
        --------
        >>> from arrangements import Rankings, SignVectors
        >>> SignVectors.from_array(["+-"]).to_array()
        array([[ 1, -1]], dtype=int8)
        >>> Rankings.from_array([[2, 0, 1]]).to_array()
        array([[2, 0, 1]], dtype=uint8)
        >>> (100 * Rankings.from_array([[2, 0, 1]]).to_array(int)).tolist()
        [[200, 0, 100]]
        """
        stored, compact = len(self._stored), self._unpack(self._stored[:0]).dtype
        wanted = compact if dtype is None else _read_dtype(dtype)
        if not np.can_cast(compact, wanted):
            raise InputTypeError(
                f"dtype is {wanted}, which does not hold every {compact}; expected {compact} or "
                "wider."
            )
        needed = len(self) * self.n * wanted.itemsize
        if needed > _LARGE:
            what = f"an array of {len(self)} {self._ONE}s"
            limits.check_bytes(what, needed, _PART, allowed=limits.free_bytes())
        array = np.empty((len(self), self.n), wanted)
        for start in range(0, stored, BLOCK):
            stop = min(start + BLOCK, stored)
            array[start:stop] = self._unpack(self._stored[start:stop])
            if self.half:
                array[stored + start : stored + stop] = self._negate_unpacked(array[start:stop])
        return array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError(f"{self._ONE}s are packed; an array of them is always a copy")
        return self.to_array(dtype)

    # ------------------------------------------------------------------ in a notebook

    @abstractmethod
    def _first_rows(self, total: int) -> notebook.Markup:
        """A table of the first rows, as those of `total`."""

    def _repr_html_(self) -> str:
        return notebook.card(repr(self), (), self._first_rows(len(self)))

    # ------------------------------------------------------------------ immutable

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._stored.flags.writeable = False  # which copies and pickles do not keep

    # ------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the set, with what gives its witnesses, to an .npz file; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            Must end in ``.npz``. Unlike ``numpy.savez``, this appends nothing: `load` reads the
            same name. The file appears only when it is complete.

        Raises
        ------
        InputError
            If `path` ends in something else.

        See Also
        --------
        load
        """
        shape = {name: np.array(getattr(self, name)) for name in ("n", "half", "complete")}
        storage.save(path, {self._ROWS: self._stored, **self._subject_members(), **shape})

    def _subject_members(self) -> storage.Members:
        """Arrays of a file that hold the arrangement or model, and the polyhedron."""
        members = {} if self._origin is None else self._origin_members()
        if self.within is not None:
            from arrangements.polyhedra.storing import polyhedron_members  # loads numba

            members |= polyhedron_members(self.within)
        return members

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a set written by `save`.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        an instance of the class on which this is called
            With the exact numbers that were saved.

        Raises
        ------
        InputError
            If the file holds something else.
        """
        return storage.load(path, cls.__name__, cls._from_members)

    # ------------------------------------------------------------------ parts

    def _exact_point(self, arrangement: Arrangement, signs: NDArray[np.int8]) -> Point:
        """A point, in the polyhedron if there is one, where hyperplanes have these signs."""
        if self.within is None:
            from arrangements.feasibility.one_sign_vector import interior_point  # loads numba

            return interior_point(arrangement, signs)
        from arrangements.polyhedra.inner_points import point_inside  # loads numba

        point = point_inside(arrangement, self.within, signs.tolist())
        if point is None:
            raise InputError(f"this {self._ONE} does not occur in the relative interior of within.")
        return point

    def _float_points(self, d: int, found: Callable[[Rows], NDArray[np.float64]]) -> Any:
        """Points of all patterns from those of stored rows; NaN, with a warning, for none."""
        points = np.empty((len(self), d))
        stored = len(self._stored)
        for start in range(0, stored, BLOCK):
            part = slice(start, min(start + BLOCK, stored))
            points[part] = found(self._unpack(self._stored[part]))
        if self.half:
            points[stored:] = -points[:stored]
        missing = np.flatnonzero(np.isnan(points).any(axis=1))
        if len(missing):
            named = ", ".join(map(str, missing[:5].tolist())) + (", .." if len(missing) > 5 else "")
            warn(
                WitnessWarning(
                    f"no float64 point was found for {len(missing)} of the {self._ONE}s, left NaN: "
                    f"rows {named}; witness(i) gives exact points."
                )
            )
        return points

    def _position(self, index: int) -> int:
        """Index from the start, checked."""
        try:
            i = operator.index(index)
        except Exception as error:  # whatever a value raises that is not an integer
            raise InputTypeError(
                f"{quote(index)} is not a row number; index(..) gives the row of a {self._ONE}, "
                "and `in` tells whether it is in the set."
            ) from error
        if not -len(self) <= i < len(self):
            raise IndexError(f"row {quote(i)} of {len(self)} {self._ONE}s")
        return i % len(self)

    def _chosen(self, index: NDArray[Any] | list[Any]) -> NDArray[np.intp]:
        """Rows chosen by a boolean for each, or by their numbers, each once."""
        given = np.asarray(index)
        if given.dtype == bool and given.shape == (len(self),):
            return np.flatnonzero(given)
        if given.ndim == 1 and (given.dtype.kind in "iu" or not len(given)):
            found = np.array([self._position(i) for i in given.tolist()], np.intp)
            if len(np.unique(found)) == len(found):
                return found
        raise InputError(
            f"rows are {quote(index)}; expected {len(self)} booleans, such as "
            "bounded_chambers(..) returns, or distinct row numbers."
        )

    def _take(self, indices: NDArray[np.intp]) -> Rows:
        """Rows of the full set; those after the stored ones are opposites."""
        if not self.half:
            return self._stored[indices]
        stored = len(self._stored)
        opposite = indices >= stored
        rows = self._stored[indices - stored * opposite]
        rows[opposite] = self._opposite(rows[opposite])
        return rows

    def _full(self) -> Rows:
        if not self.half:
            return self._stored
        return np.concatenate([self._stored, self._opposite(self._stored)])

    @cached_property
    def _sorted_rows(self) -> packed.SortedRows:
        return packed.SortedRows(self._keys(self._stored))

    def _find(self, pattern: Any) -> int | None:
        """Row of a pattern, or None."""
        row = self._parse(pattern)
        found = -1 if row is None else int(self._positions(row)[0])
        return None if found < 0 else found

    def _many(self, patterns: ArrayLike) -> NDArray[Any]:
        """Array of many patterns, one in each row."""
        return np.asarray(plain_array(patterns, "patterns"))

    def _find_many(self, patterns: NDArray[Any]) -> NDArray[np.intp]:
        """Rows of many patterns, -1 where they are not in the set."""
        if patterns.ndim != 2 or patterns.shape[1] != self.n:
            raise InputError(f"patterns has shape {patterns.shape}; expected (m, {self.n}).")
        rows, proper = self._parse_many(patterns)
        return np.where(proper, self._positions(rows), -1)

    def _positions(self, rows: Rows) -> NDArray[np.intp]:
        """Rows of the full set that equal rows in their stored form, -1 where there is none."""
        found = self._sorted_rows.positions(self._keys(rows))
        if self.half:
            opposite = self._sorted_rows.positions(self._keys(self._opposite(rows)))
            there = (found < 0) & (opposite >= 0)
            found = np.where(there, opposite + len(self._stored), found)
        return found


def check_within(within: Any, origin: Any, half: bool, called: str) -> Polyhedron | None:
    """The polyhedron of a set with this arrangement or model.

    called : the parameter of the latter
    """
    if within is None:
        return None
    if origin is None:
        raise InputError(f"within was given without {called}=, to which its points belong.")
    if half:
        raise InputError("within was given with half=True: opposites need not occur in it.")
    from arrangements.polyhedra.reading import read_polyhedron  # loads numba

    return read_polyhedron(within, origin)


def read_within(members: storage.Members) -> Polyhedron | None:
    """The polyhedron that the arrays of a file hold, if any."""
    if "within_A_text" not in members and "within_A" not in members:
        return None
    from arrangements.polyhedra.storing import read_polyhedron_members  # loads numba

    return read_polyhedron_members(members)


def _read_dtype(dtype: Any) -> np.dtype[Any]:
    try:
        return np.dtype(dtype)
    except Exception as error:  # NumPy asks the value for its own dtype
        raise InputTypeError(f"dtype is {quote(dtype)}; expected a type of NumPy.") from error
