"""Sets of regions of a network: packed patterns, from which everything else follows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_integer
from arrangements.errors import IncompleteError, InputError
from arrangements.exact.coercion import plain_array
from arrangements.exact.numbers import read_only
from arrangements.execution import limits
from arrangements.messages import Remedy, quote
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.network import Network
from arrangements.networks.region import Region
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets import packed, ternary
from arrangements.sets.packed import Words
from arrangements.sets.set_algebra import SetAlgebra

if TYPE_CHECKING:
    from typing import Self

Signs = NDArray[np.int8]
Codes = NDArray[np.int64]
# Patterns unpacked at a time.
_BLOCK = 4096


@public_class
class Regions(Immutable, SetAlgebra):
    """Immutable set of regions of a network, which can also be indexed.

    `regions` returns this class. ``R[i]`` is a `Region`, row i of `to_array` its pattern. Sets of
    networks with as many units can be compared, ``==`` and ``<=``, as sets of patterns; those of
    one network can be combined, ``|``, ``&``, ``-`` and ``^``. Of two polyhedra `within` neither
    remains.

    Attributes
    ----------
    network : Network
    n : int
        Number of units, the length of a pattern.
    complete : bool
        False if the listing was cut short: such a set refuses comparison and algebra.

    Examples
    --------
    >>> from arrangements.networks import Network, regions
    >>> R = regions(Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])]))
    >>> R
    Regions(7 of 3 units, complete)
    >>> "++-" in R, "--+" in R, sorted(R.to_array().sum(axis=1).tolist())
    (True, False, [-3, -1, -1, 1, 1, 1, 3])
    >>> R[R.index("+++")].pattern
    array([1, 1, 1], dtype=int8)
    """

    __hash__: ClassVar[None]  # type: ignore[assignment]

    _ONE, _UNIT = "pattern", "units"

    network: Network
    n: int
    half: bool
    complete: bool
    _codes: Codes
    _points: NDArray[np.float64] | None
    _domain: Domain | None

    def __init__(
        self,
        network: Network,
        domain: Domain | None,
        codes: Codes,
        points: NDArray[np.float64] | None,
        complete: bool,
    ) -> None:
        self.__dict__.update(
            network=network,
            n=network.n_units,
            half=False,
            complete=complete,
            _codes=read_only(codes),
            _points=None if points is None else read_only(points),
            _domain=domain,
        )

    @property
    def within(self) -> Polyhedron | None:
        """The polyhedron of which the regions are parts; None if it is empty."""
        return None if self._domain is None else self._domain.polyhedron

    @property
    def points(self) -> NDArray[np.float64] | None:
        """(m, d) points inside the regions, proved, read-only; None where the search has none.

        NaN where no float is inside. ``R[i].point`` is always there, and exact.
        """
        return self._points

    def __len__(self) -> int:
        return len(self._codes)

    def __iter__(self) -> Iterator[Region]:
        return map(self.__getitem__, range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Region: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Region | Self:
        if isinstance(index, slice):
            return self._part(np.arange(*index.indices(len(self))))
        i = check_integer("the number of a region", index)
        if not -len(self) <= i < len(self):
            raise IndexError(f"row {quote(i)} of {len(self)} regions")
        assert self._domain is not None  # it has regions
        i %= len(self)
        pattern = ternary.decode(self._codes[i : i + 1], self.n)[0]
        point = None
        if self._points is not None and np.isfinite(self._points[i]).all():
            point = tuple(map(Fraction, self._points[i].tolist()))
        return Region(self.network, pattern, self._domain, point)

    def _part(self, rows: NDArray[np.intp]) -> Self:
        points = None if self._points is None else self._points[rows]
        return type(self)(self.network, self._domain, self._codes[rows], points, self.complete)

    def to_array(self) -> Signs:
        """All patterns, (m, n) int8, one per row."""
        needed = len(self) * self.n
        remedy = Remedy("part of a set", "Take a part, such as R[:1000].")
        limits.check_bytes(
            f"an array of {len(self)} patterns", needed, remedy, allowed=limits.free_bytes()
        )
        found = np.empty((len(self), self.n), np.int8)
        for start in range(0, len(self), _BLOCK):
            found[start : start + _BLOCK] = ternary.decode(
                self._codes[start : start + _BLOCK], self.n
            )
        return found

    def __contains__(self, pattern: object) -> bool:
        """Whether a region, or a pattern as an array or a text of +, - and 0, is in the set.

        A set that was cut short can only answer True; otherwise it raises IncompleteError.
        """
        found = bool(self._find(self._parse(pattern))[0] >= 0)
        if not (found or self.complete):
            raise IncompleteError(
                "not among the listed regions, but the listing was cut short; list without limit."
            )
        return found

    def index(self, pattern: Any) -> int:
        """Row of a region, or of a pattern, as for ``in``.

        Raises
        ------
        InputError
            If it is not in the set.
        """
        found = int(self._find(self._parse(pattern))[0])
        if found < 0:
            raise InputError(f"pattern {quote(pattern)} is not in {self!r}.")
        return found

    def _parse(self, pattern: Any) -> Codes:
        """The code of one pattern."""
        if isinstance(pattern, Region):
            pattern = pattern.pattern
        if isinstance(pattern, str):
            if set(pattern) - set("+-0"):
                raise InputError(f"pattern is {quote(pattern)}; expected signs +, - and 0.")
            pattern = ["-0+".index(sign) - 1 for sign in pattern]
        row = plain_array(pattern, "pattern")
        if row.shape != (self.n,) or not np.isin(row, (-1, 0, 1)).all() or row.dtype.kind == "b":
            raise InputError(
                f"pattern is {quote(pattern)}; expected {self.n} signs: -1, 0 and 1, or text."
            )
        return ternary.encode(row.astype(np.int8)[None])

    def _find(self, codes: Codes) -> NDArray[np.intp]:
        """Rows of codes, -1 where they are missing."""
        if "_sorted" not in self.__dict__:
            self.__dict__["_sorted"] = packed.SortedRows(self._words(False))
        sorted_rows: packed.SortedRows = self.__dict__["_sorted"]
        return sorted_rows.positions(codes.view(np.uint64))

    def _words(self, half: bool) -> Words:
        return self._codes.view(np.uint64)

    def _from_words(self, words: Words, half: bool, keep: bool, within: Polyhedron | None) -> Self:
        if not keep:
            raise InputError("the sets are regions of different networks; expected one network.")
        domain = self._domain
        if within is not self.within and within is not None:
            domain = read_domain(within, self.network)
        codes = np.ascontiguousarray(words).view(np.int64)
        return type(self)(self.network, domain, codes, None, True)

    def _same_origin(self, other: Self) -> bool:
        return self.network == other.network

    def _within_of(self, operation: str, other: Self) -> Polyhedron | None:
        """The polyhedron of both; else everything, unless one of them is flat."""
        P, Q = self.within, other.within
        if operation == "-" or P is Q or Q is None:
            return P
        if P is None or P == Q:
            return Q
        if min(P.dimension, Q.dimension) < (d := self.network.dimension):
            raise InputError(
                f"{operation} of regions within {P!r} and {Q!r}, of which one is flat; expected "
                "the same, or both of full dimension."
            )
        return Polyhedron(np.zeros((0, d), np.int64), np.zeros(0, np.int64))

    def __repr__(self) -> str:
        state = "complete" if self.complete else "truncated"
        return f"Regions({len(self)} of {self.n} units, {state})"

    def _first_rows(self, total: int) -> notebook.Markup:
        """A table of the first rows, as those of `total`."""
        first = ternary.decode(self._codes[: notebook.ROWS], self.n)
        names = tuple(f"{layer}.{row}" for layer, row in self.network.units)
        return notebook.sign_rows(first, names, False, total)

    def _repr_html_(self) -> str:
        return notebook.card(repr(self), (), self._first_rows(len(self)))


def find_patterns(regions: Regions, patterns: ArrayLike) -> NDArray[np.intp]:
    """Rows of (m, n) patterns in a set, -1 where they are missing."""
    return regions._find(ternary.encode(np.asarray(patterns, np.int8)))
