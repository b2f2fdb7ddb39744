"""Sets of rankings, one or two bytes per place, with an exact witness for each."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_instance
from arrangements.core.labels import find_rows as rows_of_labels
from arrangements.core.labels import name_rows, names_of
from arrangements.core.low_rank import LowRankStructure
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import plain_array, refuse_masked
from arrangements.exact.numbers import ExactArray, read_only
from arrangements.files import storage
from arrangements.messages import quote
from arrangements.sets import packed as find_rows
from arrangements.sets.packed import Words
from arrangements.sets.pattern_set import BLOCK, PatternSet
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from arrangements.sets.sign_vectors import SignVectors

Orders = NDArray[np.unsignedinteger[Any]]

# Most signs of pairs in one block when sign vectors are made or read.
_PAIR_ENTRIES = 2**22


@public_class
class Rankings(PatternSet):
    """Immutable set of strict rankings of the labels 0..n-1 that can also be indexed.

    `rankings` returns this class; `from_array` makes one by hand.

    Parameters
    ----------
    orders : (stored, n) ndarray of uint8 (n <= 256), uint16 or uint32
        ``orders[k, r]`` is the label in place r, the best (largest score) first. Rows are distinct,
        and not copied.
    half : bool
        Only one of each pair of reversed rankings is stored, but the set has both.
    model : ScoreModel, optional
        The labels' weights and offsets: they give the witnesses and the names.
    complete : bool
        False if the listing was cut short: such a set refuses comparison and algebra.

    Attributes
    ----------
    orders, half, model, complete
        As given, `orders` read-only.
    n : int
        Number of labels.

    Notes
    -----
    The order of rows is not promised, but row i of `to_array`, ``S[i]`` and ``S.witness(i)``
    belong together. If `half`, row i + len(S) / 2 is the reversal of row i. Membership takes
    O(log N) after one sort; comparison and algebra O(N log N).

    Comparison and algebra use row numbers and ignore names and weights: the rankings of two models
    are equal if the same permutations of 0..n-1 occur.

    ``in`` and `index` take row numbers, names, or labels that are integers. A sequence of integers
    is refused if it means different rows as numbers and as labels; names (as text, such as
    ``S.names(i)``) always work.

    Examples
    --------
    >>> S = Rankings.from_array([[0, 1, 2], [2, 1, 0]])
    >>> S
    Rankings(2 of 3 labels, complete)
    >>> [2, 1, 0] in S, [1, 0, 2] in S
    (True, False)
    >>> S.ranks().tolist()
    [[0, 1, 2], [2, 1, 0]]
    """

    _ONE, _UNIT, _ASK = "ranking", "labels", "ask feasible about the differences of neighbors"

    orders: Orders
    model: ScoreModel | None

    def __init__(
        self,
        orders: Orders,
        *,
        half: bool,
        model: ScoreModel | None = None,
        complete: bool = True,
    ) -> None:
        half, complete = check_flag("half", half), check_flag("complete", complete)
        _check_orders(orders, half, model)
        self._set(read_only(orders), half, model, complete)

    def _set(self, orders: Orders, half: bool, model: ScoreModel | None, complete: bool) -> None:
        # past the __setattr__ that makes the set immutable
        self.__dict__.update(
            orders=orders, n=int(orders.shape[1]), half=half, model=model, complete=complete
        )

    @classmethod
    def _of(cls, orders: Orders, half: bool, model: ScoreModel, complete: bool) -> Rankings:
        """A set of rows that nobody else writes to; nothing is checked."""
        rankings = cls.__new__(cls)
        rankings._set(read_only(orders), half, model, complete)
        return rankings

    @classmethod
    def from_array(cls, orders: ArrayLike) -> Rankings:
        """Set of the given rankings, sorted; repetitions count once.

        Parameters
        ----------
        orders : (m, n) array_like of int
            Permutations of 0..n-1, the best label first.

        Returns
        -------
        Rankings
            Complete, and without weights.

        Examples
        --------
        >>> len(Rankings.from_array([[1, 0], [1, 0]]))
        1
        """
        refuse_masked(orders, "orders")
        array = find_rows.as_rows(orders, "orders")
        if array.ndim != 2 or array.shape[1] == 0:
            raise InputError(f"orders has shape {array.shape}; expected (m, n) with n >= 1.")
        n = array.shape[1]
        check_permutations(array, n)
        compact = array.astype(order_dtype(n))
        return cls(orders_of_words(find_rows.distinct(order_words(compact)), n), half=False)

    @classmethod
    def from_sign_vectors(cls, signs: SignVectors) -> Rankings:
        """Rankings with the given signs of score differences.

        Parameters
        ----------
        signs : SignVectors
            Of n (n - 1) / 2 signs: the pairs i < j in lexicographic order, + where label i
            scores higher.

        Returns
        -------
        Rankings
            As complete as `signs`, and without weights.

        Raises
        ------
        InputError
            If the number of signs is not n (n - 1) / 2, or a sign vector is not transitive.

        Examples
        --------
        >>> from arrangements import SignVectors
        >>> Rankings.from_sign_vectors(SignVectors.from_array(["--+", "++-"])).to_array().tolist()
        [[0, 2, 1], [1, 2, 0]]
        """
        if not hasattr(signs, "packed"):
            raise InputError(f"signs is {quote(signs)}; expected SignVectors.")
        n = (1 + int(np.sqrt(1 + 8 * signs.n))) // 2
        if n * (n - 1) // 2 != signs.n:
            raise InputError(f"{signs.n} signs; expected n (n - 1) / 2 of them for n labels.")
        stored = signs.packed
        orders = np.empty((len(stored), n), order_dtype(n))
        size = _pair_block(n)
        for start in range(0, len(stored), size):
            part = slice(start, start + size)
            orders[part] = orders_of_signs(find_rows.unpack_signs(stored[part], signs.n), n)
        return cls(orders, half=signs.half and n > 1, complete=signs.complete)

    def to_sign_vectors(self) -> SignVectors:
        """Signs of the score differences of all pairs of labels.

        Returns
        -------
        SignVectors
            Of n (n - 1) / 2 signs: the pairs i < j in lexicographic order, + where label i
            scores higher. Row i belongs to ``self[i]``.

        Examples
        --------
        >>> Rankings.from_array([[2, 0, 1]]).to_sign_vectors().to_array().tolist()
        [[1, -1, -1]]
        """
        n = self.n
        first, second = np.triu_indices(n, 1)
        packed = np.empty((len(self.orders), find_rows.words_for(len(first))), np.uint64)
        size = _pair_block(n)
        for start in range(0, len(packed), size):
            part = slice(start, start + size)
            places = _inverse(self.orders[part])
            above = places[:, first] < places[:, second]
            packed[part] = find_rows.pack_signs(above.view(np.int8))
        return SignVectors(
            packed,
            len(first),
            half=self.half,
            arrangement=None if self.model is None else self.model.differences,
            complete=self.complete,
        )

    @property
    def low_rank(self) -> LowRankStructure | None:
        """How the weights were found if the question was asked with ``rank=r``; else None."""
        return None if self.model is None else self.model.low_rank

    @property
    def factor(self) -> ExactArray | None:
        """Exact matrix that took the place of W; witnesses are in its coordinates."""
        return None if self.model is None or self.model.low_rank is None else self.model.weights

    def ranks(self) -> Orders:
        """Place of each label in each ranking, 0 for the largest score.

        Returns
        -------
        (N, n) ndarray
            ``ranks()[i, to_array()[i, r]] == r``; dtype as `orders`.

        Examples
        --------
        >>> Rankings.from_array([[2, 0, 1]]).ranks().tolist()
        [[1, 2, 0]]
        """
        places = self.to_array()
        for start in range(0, len(places), BLOCK):
            places[start : start + BLOCK] = _inverse(places[start : start + BLOCK])
        return places

    @property
    def is_named(self) -> bool:
        """Whether the labels have names."""
        return self.model is not None and self.model.labels is not None

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of the labels 0..n-1 as text, or their indices among the caller's rows."""
        return names_of(None, self.n) if self.model is None else self.model.names(range(self.n))

    def names(self, i: int) -> tuple[str, ...]:
        """Names of the labels of ranking i, the best first; by default their row numbers.

        Examples
        --------
        >>> from arrangements import rankings
        >>> S = rankings([[1], [3], [2]], labels=["low", "high", "middle"])
        >>> S.names(S.index([1, 2, 0]))
        ('high', 'middle', 'low')
        """
        names = self.label_names
        return tuple(names[label] for label in self[self._position(i)].tolist())

    def to_array(self, dtype: DTypeLike | None = None, *, named: bool = False) -> NDArray[Any]:
        """All rankings, one per row, the best label first.

        Parameters
        ----------
        dtype : dtype, optional
            Type of row numbers, by default the smallest unsigned one. Arithmetic such as ``100 *
            row`` wraps around in it; pass a wider type to calculate.
        named : bool
            Whether to give names of labels (text) instead of row numbers.

        Returns
        -------
        (N, n) ndarray
            Rows distinct; row i is ``S[i]``, or ``S.names(i)``.

        Raises
        ------
        InputTypeError
            If `dtype` may not hold the entries, or is given with ``named=True``.
        TooLargeError
            If the array exceeds the free memory.

        Examples
        --------
        >>> from arrangements import rankings
        >>> sorted(rankings([[1], [3]], labels=["a", "b"]).to_array(named=True).tolist())
        [['a', 'b'], ['b', 'a']]
        """
        if not check_flag("named", named):
            return super().to_array(dtype)
        if dtype is not None:
            raise InputTypeError("dtype was given with named=True; names are Python text.")
        return name_rows(super().to_array(), self.label_names)

    def witness(self, i: int) -> tuple[Fraction, ...]:
        """Give an exact point at which the scores have the order of ranking i.

        Parameters
        ----------
        i : int
            Row, negative from the end.

        Returns
        -------
        tuple of Fraction
            x with ``W x + b`` strictly decreasing along ``S[i]``, in the caller's d coordinates
            (those of `factor` if there is one).

        Raises
        ------
        InputError
            If the set has no weights.

        Notes
        -----
        Exact: at most d + 2 cone tests on the n - 1 differences of neighbors.

        Examples
        --------
        >>> from arrangements import rankings
        >>> S = rankings([[1], [3], [2]])
        >>> S.witness(S.index([1, 2, 0]))
        (Fraction(1, 1),)
        """
        from arrangements.feasibility.certificates import interior_point  # loads numba

        model, i = self._model(), self._position(i)
        stored = i % len(self.orders)
        order = self.orders[stored]
        walls = of_pairs(model, order[:-1], order[1:])
        point = interior_point(walls, np.ones(self.n - 1, np.int8))
        return point if i == stored else tuple(-x for x in point)

    def witnesses(self) -> NDArray[np.float64]:
        """Verified points of all rankings, in float64.

        Returns
        -------
        (N, d) ndarray of float64
            At row i the scores ``W x + b`` are strictly decreasing along ``S[i]``, exactly. NaN
            where no float64 point was found, with a `WitnessWarning`; ``witness(i)`` is exact
            there too. Coordinates as for `witness`.

        Raises
        ------
        InputError
            If the set has no weights.

        Notes
        -----
        Each ranking takes at most d + 2 cone tests of O(n d) on the differences of neighbors:
        about 10 microseconds for 10 labels in R^3.

        Examples
        --------
        >>> from arrangements import rankings
        >>> S = rankings([[1], [3], [2]])
        >>> S.witnesses()[S.index([1, 2, 0])]
        array([1.])
        """
        model = self._model()
        if self.n == 1:
            return np.zeros((len(self), model.dimension))
        from arrangements.feasibility.label_rows import LabelRows  # loads numba

        rows = LabelRows(model)

        def found(orders: Orders) -> NDArray[np.float64]:
            return rows.witnesses(orders[:, :-1], orders[:, 1:])

        points: NDArray[np.float64] = self._float_points(model.dimension, found)
        return points

    def _model(self) -> ScoreModel:
        if self.model is None:
            raise InputError(
                "these rankings have no weights (made by hand, or by algebra on sets of "
                "different weights), so they have no witnesses; list them with rankings(W)."
            )
        return self.model

    def __repr__(self) -> str:
        words = [f"{len(self)} of {self.n} labels"]
        model = self.model
        if self.half or (model is not None and model.is_central):
            words.append("central")
        elif model is not None:
            words.append("affine")
        if self.low_rank is not None:
            words.append(f"rank {self.low_rank.rank}")
        words.append("complete" if self.complete else "truncated")
        if model is not None and model.dropped:
            words.append("dropped " + ", ".join(f"{i} (ties {j})" for i, j in _first(model)))
        return f"Rankings({', '.join(words)})"

    def _first_rows(self, total: int) -> notebook.Markup:
        rows = self._unpack(self._take(np.arange(min(len(self), notebook.ROWS))))
        given = range(self.n) if self.model is None else self.model.kept
        return notebook.ranking_rows(rows, self.label_names, given, total)

    # ------------------------------------------------------------------ for the base class

    @property
    def _stored(self) -> Orders:
        return self.orders

    def _opposite(self, rows: Orders) -> Orders:
        return rows[:, ::-1]

    def _negate_unpacked(self, rows: Orders) -> Orders:
        return rows[:, ::-1]

    def _orient(self, rows: Orders) -> Orders:
        return orient(rows)

    def _keys(self, rows: Orders) -> Words:
        return order_words(rows)

    def _from_keys(self, keys: Words) -> Orders:
        return orders_of_words(keys, self.n)

    def _unpack(self, rows: Orders) -> Orders:
        return rows

    def _parse(self, pattern: Any) -> Orders:
        return order_of(pattern, self.model, self.n)

    def _parse_many(self, patterns: NDArray[Any]) -> tuple[Orders, NDArray[np.bool_]]:
        if self.model is None or self.model.labels is None:
            check_permutations(patterns, self.n)
            orders = patterns.astype(order_dtype(self.n))
        else:
            rows = [order_of(row, self.model, self.n) for row in patterns.tolist()]
            orders = np.concatenate([self.orders[:0], *rows])
        return orders, np.ones(len(orders), np.bool_)

    def _make(self, rows: Orders, half: bool, complete: bool, keep: bool) -> Rankings:
        return Rankings(rows, half=half, model=self.model if keep else None, complete=complete)

    def _members(self) -> storage.Members:
        own = {} if self.model is None else storage.score_model_members(self.model)
        return {"orders": self.orders, **own}

    @classmethod
    def _from_members(cls, members: storage.Members) -> Rankings:
        orders, n = members["orders"], int(members["n"])
        if orders.shape[1:] != (n,):
            raise InputError(f"rankings of shape {orders.shape}; expected (stored, {n})")
        check_permutations(orders, n)
        return cls(
            orders,
            half=bool(members["half"]),
            model=storage.read_score_model(members),
            complete=bool(members["complete"]),
        )

    def _same_origin(self, other: Rankings) -> bool:
        return (
            self.model is not None
            and other.model is not None
            and self.model.same_scores(other.model)
        )


def order_of(pattern: Any, model: ScoreModel | None, n: int) -> Orders:
    """One row of a ranking as the caller writes it, names of labels allowed."""
    given = _indices(pattern, model, n)
    if given.shape != (n,):
        raise InputError(f"ranking of shape {given.shape}; expected ({n},).")
    check_permutations(given[None], n)
    return given[None].astype(order_dtype(n))


@lru_cache(maxsize=64)
def order_dtype(n: int) -> np.dtype[Any]:
    """Smallest unsigned type that holds the labels 0..n-1."""
    return np.min_scalar_type(max(n - 1, 0))


def orient(orders: Orders) -> Orders:
    """Rankings with label 0 above label 1: each row or its reversal (n >= 2)."""
    first, second = (orders == 0).argmax(axis=1), (orders == 1).argmax(axis=1)
    return np.where((first < second)[:, None], orders, orders[:, ::-1])


def check_permutations(orders: NDArray[Any], n: int) -> None:
    """Refuse rows that are not the integers 0..n-1 in some order."""
    if orders.dtype.kind not in "iu" and orders.size:
        raise InputError(f"a ranking holds {orders.dtype} entries; expected labels 0..{n - 1}.")
    labels = np.arange(n)
    for start in range(0, len(orders), BLOCK):
        part = orders[start : start + BLOCK]
        wrong = (np.sort(part, axis=1) != labels).any(axis=1)
        if wrong.any():
            row = part[int(wrong.argmax())].tolist()
            raise InputError(
                f"{row} is not a ranking; expected each label 0..{n - 1} once, the best first."
            )


def orders_of_signs(signs: NDArray[np.int8], n: int) -> Orders:
    """Rankings with the given (m, n (n - 1) / 2) signs of the pairs i < j, lexicographic."""
    first, second = np.triu_indices(n, 1)
    wins = np.zeros((len(signs), n), np.int64)
    for i in range(n):
        # the wins of i among the pairs (i, j), and among the pairs (j, i)
        wins[:, i] = (signs[:, first == i] > 0).sum(axis=1)
        wins[:, i] += (signs[:, second == i] < 0).sum(axis=1)
    ends = np.sort(wins, axis=1) != np.arange(n)
    if ends.any():
        row = int(ends.any(axis=1).argmax())
        raise InputError(
            f"sign vector {signs[row].tolist()[:40]} is not that of a ranking: its pairs are not "
            "transitive."
        )
    return _inverse((n - 1 - wins).astype(order_dtype(n)))


def _inverse(orders: Orders) -> Orders:
    """Inverse permutations of the rows."""
    inverse = np.empty_like(orders)
    places = np.broadcast_to(np.arange(orders.shape[1], dtype=orders.dtype), orders.shape)
    np.put_along_axis(inverse, orders.astype(np.intp), places, axis=1)
    return inverse


def order_words(orders: Orders) -> Words:
    """Rows as words, equal iff the rows are."""
    m, width = len(orders), orders.shape[1] * orders.dtype.itemsize
    octets = np.zeros((m, 8 * -(-width // 8)), np.uint8)
    octets[:, :width] = np.ascontiguousarray(orders).view(np.uint8).reshape(m, width)
    return octets.view(">u8").astype(np.uint64)


def orders_of_words(words: Words, n: int) -> Orders:
    """Rows of n labels from their `order_words`."""
    dtype = order_dtype(n)
    octets = words.astype(">u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    return np.ascontiguousarray(octets[:, : n * dtype.itemsize]).view(dtype)


def _pair_block(n: int) -> int:
    """Rows whose pairs are unpacked at a time."""
    return max(1, _PAIR_ENTRIES // max(1, n * (n - 1) // 2))


def _indices(pattern: Any, model: ScoreModel | None, n: int) -> NDArray[Any]:
    """A ranking as the caller writes it, names of labels allowed."""
    refuse_masked(pattern, "the ranking")
    if isinstance(pattern, str):
        raise InputTypeError(
            f"a ranking is a sequence of labels or of their names, not the text {quote(pattern)}; "
            "pass a list of them, the best first."
        )
    given = plain_array(pattern, "ranking")
    labels = None if model is None else model.labels
    named = given.dtype.kind in "UO" or any(isinstance(label, int) for label in labels or ())
    if given.ndim != 1 or given.dtype.kind not in "iuUO" or not named:
        return given
    return np.array(rows_of_labels(list(pattern), labels, n), np.intp)


def _first(model: ScoreModel) -> list[tuple[int, int]]:
    return sorted(model.dropped.items())[:5]


def _check_orders(orders: Orders, half: bool, model: ScoreModel | None) -> None:
    """Check shapes and whatever is cheap; rows are trusted to be distinct permutations."""
    if not isinstance(orders, np.ndarray):
        raise InputError(
            f"orders is {quote(orders)}; expected an array. Rankings.from_array reads lists."
        )
    if orders.ndim != 2 or orders.shape[1] == 0 or orders.dtype != order_dtype(orders.shape[1]):
        wanted = order_dtype(orders.shape[-1]) if orders.ndim else "uint8"
        raise InputError(
            f"orders is {orders.dtype} of shape {orders.shape}; expected {wanted} of shape "
            "(stored, n), n >= 1."
        )
    n = orders.shape[1]
    if half and n == 1:
        raise InputError("the ranking of one label is its own reversal; pass half=False.")
    if model is None:
        return
    check_instance("model", model, ScoreModel)
    if model.n_labels != n:
        raise InputError(f"rankings of {n} labels for the weights of {model.n_labels}.")
    if half and not model.is_central:
        raise InputError("half=True needs equal offsets: otherwise reversals need not occur.")
