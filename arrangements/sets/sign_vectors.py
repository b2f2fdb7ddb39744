"""Sets of sign vectors, bit-packed, with an exact witness for each."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer
from arrangements.core.labels import align_columns, names_of
from arrangements.core.signs import as_signs, refuse_zero_one, sign_values
from arrangements.errors import InputError
from arrangements.exact.coercion import refuse_masked
from arrangements.files import storage
from arrangements.messages import quote
from arrangements.sets import packed as find_rows
from arrangements.sets.packed import Signs, Words
from arrangements.sets.pattern_set import PatternSet, check_within, read_within

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
    from arrangements.exact.numbers import ExactArray
    from arrangements.polyhedra.reading import Within


@public_class
class SignVectors(PatternSet):
    """Immutable set of sign vectors, entries -1 and +1, that can also be indexed.

    `chambers` returns this class; `from_array` makes one by hand.

    Parameters
    ----------
    packed : (stored, words) ndarray of uint64
        Bit i % 64 of word i // 64 is set iff sign i is +. Rows are distinct, unused bits are zero,
        and nothing is copied.
    n : int
        Number of signs in a sign vector.
    half : bool
        Only one of each pair +/- is stored, but the set has both.
    arrangement : Arrangement, optional
        The arrangement whose chambers these are: it gives the witnesses.
    complete : bool
        False if the listing was cut short: such a set refuses comparison and algebra.
    within : Polyhedron, or (A, c), optional
        All sign vectors occur in the relative interior of this polyhedron, where the witnesses are.

    Attributes
    ----------
    packed, n, half, arrangement, complete, within
        As given, ``packed`` read-only.

    Notes
    -----
    Comparison and algebra are about sign vectors, and ignore `arrangement` and `within`.

    The order of rows is not promised, but row i of `to_array`, ``S[i]`` and ``S.witness(i)``
    belong together. If `half`, row i + len(S) / 2 is the negation of row i. Membership takes
    O(log N) after one sort; comparison and algebra O(N log N). A sign vector to look for is a
    sequence, a string, or a mapping of rows or labels to signs.

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

    _ONE, _UNIT, _ASK = "sign vector", "signs", "ask feasible(W, signs)"
    _ROWS, _ORIGIN = "packed", "arrangement"

    packed: Words
    arrangement: "Arrangement | None"

    def __init__(
        self,
        packed: Words,
        n: int,
        *,
        half: bool,
        arrangement: "Arrangement | None" = None,
        complete: bool = True,
        within: "Within | None" = None,
    ) -> None:
        n, half = check_integer("n", n, 0), check_flag("half", half)
        complete = check_flag("complete", complete)
        _check_packed(packed, n, half, arrangement)
        P = check_within(within, arrangement, half, "arrangement")
        self._set(packed, n, half, arrangement, complete, P)

    @property
    def factor(self) -> "ExactArray | None":
        """Exact matrix that took the place of W; witnesses are in its coordinates."""
        return None if self.low_rank is None else self.low_rank.factor

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the n rows, in the order of the signs; without labels, their numbers as text."""
        return names_of(None if self.arrangement is None else self.arrangement.labels, self.n)

    def names(self, i: int) -> tuple[str, ...]:
        """Names of the rows that are + in sign vector i.

        Examples
        --------
        >>> from arrangements import Arrangement, chambers
        >>> S = chambers(Arrangement([[1, 0], [0, 1]], labels=["cat", "dog"]))
        >>> sorted(S.names(i) for i in range(len(S)))
        [(), ('cat',), ('cat', 'dog'), ('dog',)]
        """
        names = self.label_names
        return tuple(names[row] for row in np.flatnonzero(self[self._position(i)] > 0).tolist())

    @classmethod
    def from_array(cls, signs: "ArrayLike | Sequence[str]") -> "SignVectors":
        """Set of the given sign vectors, sorted; repetitions count once.

        Parameters
        ----------
        signs : (m, n) array_like of -1 and +1, or sequence of strings of "+" and "-"
            One string is one sign vector.

        Returns
        -------
        SignVectors
            Complete, and without an arrangement.

        Raises
        ------
        InputError
            If there are other entries, or not two dimensions.

        Examples
        --------
        >>> len(SignVectors.from_array([[1, -1], [1, -1]]))
        1
        >>> SignVectors.from_array("++-").to_array().tolist()
        [[1, 1, -1]]
        """
        array = _sign_rows([signs] if isinstance(signs, str) else signs, "signs")
        if array.ndim != 2:
            raise InputError(f"signs has shape {array.shape}; expected (m, n).")
        refuse_zero_one(array)
        if not array.all():
            raise InputError("signs holds 0; expected -1 and +1.")
        return cls(find_rows.distinct(find_rows.pack_signs(array)), array.shape[1], half=False)

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
            if there is one), in the relative interior of `within` if there is one.

        Raises
        ------
        InputError
            If the set belongs to no arrangement.
        """
        arrangement, i = self._witness_origin(), self._position(i)
        stored = i % len(self.packed)
        signs = find_rows.unpack_signs(self.packed[stored : stored + 1], self.n)[0]
        point = self._exact_point(arrangement, signs)
        return point if i == stored else tuple(-x for x in point)

    def witnesses(self) -> NDArray[np.float64]:
        """Verified interior points of all chambers, in float64.

        Returns
        -------
        (N, d) ndarray of float64
            Row i lies in the chamber of ``S[i]`` and in `within`, exactly. NaN where no float64
            point was found, with a `WitnessWarning`; ``witness(i)`` is exact there too. A flat
            polyhedron may have few such points, or none.

        Raises
        ------
        InputError
            If the set belongs to no arrangement.
        """
        from arrangements.feasibility.interior import float_witnesses  # loads numba

        arrangement, P = self._witness_origin(), self.within

        def found(signs: Signs) -> NDArray[np.float64]:
            if P is None:
                return float_witnesses(arrangement, signs)[0]
            from arrangements.polyhedra.float_points import chamber_points  # loads numba

            return chamber_points(arrangement, P, signs)

        points: NDArray[np.float64] = self._float_points(arrangement.dimension, found)
        return points

    def _first_rows(self, total: int) -> notebook.Markup:
        rows = self._unpack(self._take(np.arange(min(len(self), notebook.ROWS))))
        return notebook.sign_rows(rows, self.label_names, self.is_named, total)

    @staticmethod
    def _no_rows(n: int) -> Words:
        return np.zeros((0, find_rows.words_for(n)), np.uint64)

    def _opposite(self, rows: Words) -> Words:
        return rows ^ find_rows.used_bits(self.n)

    def _orient(self, rows: Words) -> Words:
        return find_rows.orient(rows, self.n)

    def _unpack(self, rows: Words) -> Signs:
        return find_rows.unpack_signs(rows, self.n)

    def _negate_unpacked(self, rows: Signs) -> Signs:
        return np.negative(rows)

    def _parse(self, pattern: Any) -> Words | None:
        labels = None if self.arrangement is None else self.arrangement.labels
        vector = as_signs(pattern, self.n, labels)
        return find_rows.pack_signs(vector[None]) if vector.all() else None

    def _many(self, patterns: "ArrayLike | Sequence[str]") -> NDArray[Any]:
        labels = None if self.arrangement is None else self.arrangement.labels
        aligned = align_columns(patterns, labels, "patterns", "rows")
        return _sign_rows(aligned, "patterns", self.n)

    def _parse_many(self, patterns: NDArray[Any]) -> tuple[Words, NDArray[np.bool_]]:
        for row in patterns[(patterns >= 0).all(axis=1) & (patterns == 0).any(axis=1)][:1]:
            refuse_zero_one(row)
        return find_rows.pack_signs(patterns), np.asarray(patterns.all(axis=1))

    def _origin_members(self) -> storage.Members:
        return storage.arrangement_members(self._origin)

    @classmethod
    def _from_members(cls, members: storage.Members) -> "SignVectors":
        n, packed = int(members["n"]), members["packed"]
        signs = cls(
            packed,
            n,
            half=bool(members["half"]),
            arrangement=storage.read_arrangement(members),
            complete=bool(members["complete"]),
            within=read_within(members),
        )
        if len(packed) and (np.bitwise_or.reduce(packed, axis=0) & ~find_rows.used_bits(n)).any():
            raise InputError(f"bits beyond the {n} signs are set")
        return signs

    def _same_origin(self, other: "SignVectors") -> bool:
        """Whether both belong to one arrangement, so that they share its witnesses."""
        if self.arrangement is None or other.arrangement is None:
            return False
        if (self.low_rank is None) != (other.low_rank is None):
            return False
        return self.arrangement.same_numbers(other.arrangement)


def _sign_rows(given: Any, name: str, n: int | None = None) -> Signs:
    """Signs in rows, of an array or of strings of `n` (default as many as the first has)."""
    refuse_masked(given, name)
    rows: Any = find_rows.as_rows(given, name)
    if rows.ndim == 1 and len(rows) and isinstance(rows[0], str):
        rows = [as_signs(row, len(rows[0]) if n is None else n) for row in rows]
    return sign_values(rows, name)


def _check_packed(packed: Words, n: int, half: bool, arrangement: "Arrangement | None") -> None:
    """Check shapes and whatever is cheap; rows are trusted to be distinct."""
    if not isinstance(packed, np.ndarray):
        raise InputError(
            f"packed is {quote(packed)}; expected an array of words. Signs themselves are read by "
            "SignVectors.from_array."
        )
    if packed.dtype != np.uint64 or packed.ndim != 2 or packed.shape[1] != find_rows.words_for(n):
        raise InputError(
            f"packed is {packed.dtype} of shape {packed.shape}; expected uint64 of shape "
            f"(stored, {quote(find_rows.words_for(n))}) for {quote(n)} signs."
        )
    if half and n == 0:
        raise InputError("the empty sign vector has no negation; pass half=False.")
    if arrangement is None:
        return
    if not hasattr(arrangement, "n_hyperplanes"):
        raise InputError(f"arrangement is {quote(arrangement)}; expected an Arrangement.")
    if arrangement.n_hyperplanes != n:
        raise InputError(
            f"{n} signs for an arrangement of {arrangement.n_hyperplanes} hyperplanes."
        )
    if half and not arrangement.is_central:
        raise InputError("half=True needs a central arrangement; offsets are not all zero.")
