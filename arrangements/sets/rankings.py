"""Sets of rankings, one or two bytes per place, with an exact witness for each."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_instance
from arrangements.core.labels import find_rows as rows_of_labels
from arrangements.core.labels import name_rows, names_of
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import plain_array, refuse_masked
from arrangements.exact.numbers import ExactArray
from arrangements.files import storage
from arrangements.messages import quote
from arrangements.sets import packed as find_rows
from arrangements.sets.orders import (
    Orders,
    check_permutations,
    inverse_orders,
    order_dtype,
    order_words,
    orders_of_signs,
    orders_of_words,
    orient,
)
from arrangements.sets.packed import BLOCK, Words
from arrangements.sets.pattern_set import PatternSet, check_within, read_within
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from arrangements.polyhedra.reading import Within

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
    within : Polyhedron, or (A, c), optional
        All rankings occur in the relative interior of this polyhedron, where the witnesses are.

    Attributes
    ----------
    orders, half, model, complete, within
        As given, `orders` read-only.
    n : int
        Number of labels.

    Notes
    -----
    The order of rows is not promised, but row i of `to_array`, ``S[i]`` and ``S.witness(i)``
    belong together. If `half`, row i + len(S) / 2 is the reversal of row i. Membership takes
    O(log N) after one sort; comparison and algebra O(N log N).

    Comparison and algebra use row numbers and ignore names, weights and `within`: the rankings of
    two models are equal if the same permutations of 0..n-1 occur.

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
    _ROWS, _ORIGIN = "orders", "model"

    orders: Orders
    model: ScoreModel | None

    def __init__(
        self,
        orders: Orders,
        *,
        half: bool,
        model: ScoreModel | None = None,
        complete: bool = True,
        within: Within | None = None,
    ) -> None:
        half, complete = check_flag("half", half), check_flag("complete", complete)
        _check_orders(orders, half, model)
        P = check_within(within, model, half, "model")
        self._set(orders, orders.shape[1], half, model, complete, P)

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
            scores higher. Row i belongs to ``self[i]``, `within` is the same.

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
            places = inverse_orders(self.orders[part])
            above = places[:, first] < places[:, second]
            packed[part] = find_rows.pack_signs(above.view(np.int8))
        return SignVectors(
            packed,
            len(first),
            half=self.half,
            arrangement=None if self.model is None else self.model.differences,
            complete=self.complete,
            within=self.within,
        )

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
            places[start : start + BLOCK] = inverse_orders(places[start : start + BLOCK])
        return places

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
            (those of `factor` if there is one), in the relative interior of `within` if there is
            one.

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
        model, i = self._witness_origin(), self._position(i)
        stored = i % len(self.orders)
        order = self.orders[stored]
        walls = of_pairs(model, order[:-1], order[1:])
        point = self._exact_point(walls, np.ones(self.n - 1, np.int8))
        return point if i == stored else tuple(-x for x in point)

    def witnesses(self) -> NDArray[np.float64]:
        """Verified points of all rankings, in float64.

        Returns
        -------
        (N, d) ndarray of float64
            At row i the scores ``W x + b`` are strictly decreasing along ``S[i]``, and it is in
            `within`, exactly. NaN where no float64 point was found, with a `WitnessWarning`;
            ``witness(i)`` is exact there too. Coordinates as for `witness`. A flat polyhedron may
            have few such points, or none.

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
        model, P = self._witness_origin(), self.within
        if self.n == 1 and P is None:
            return np.zeros((len(self), model.dimension))
        from arrangements.feasibility.label_rows import LabelRows  # loads numba

        rows = LabelRows(model)

        def found(orders: Orders) -> NDArray[np.float64]:
            if P is None:
                return rows.witnesses(orders[:, :-1], orders[:, 1:])
            from arrangements.polyhedra.float_points import ranking_points  # loads numba

            return ranking_points(model, P, orders)

        points: NDArray[np.float64] = self._float_points(model.dimension, found)
        return points

    def _description(self) -> list[str]:
        words = super()._description()
        if self.model is not None and self.model.dropped:
            ties = sorted(self.model.dropped.items())[:5]
            words.append("dropped " + ", ".join(f"{i} (ties {j})" for i, j in ties))
        return words

    def _first_rows(self, total: int) -> notebook.Markup:
        rows = self._unpack(self._take(np.arange(min(len(self), notebook.ROWS))))
        given = range(self.n) if self.model is None else self.model.kept
        return notebook.ranking_rows(rows, self.label_names, given, total)

    # ------------------------------------------------------------------ for the base class

    @staticmethod
    def _no_rows(n: int) -> Orders:
        return np.zeros((0, n), order_dtype(n))

    def _opposite(self, rows: Orders) -> Orders:
        return rows[:, ::-1]

    _negate_unpacked = _opposite

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

    def _origin_members(self) -> storage.Members:
        return storage.score_model_members(self._origin)

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
            within=read_within(members),
        )

    def _same_origin(self, other: Rankings) -> bool:
        own, their = self.model, other.model
        return own is not None and their is not None and own.same_scores(their)


def order_of(pattern: Any, model: ScoreModel | None, n: int) -> Orders:
    """One row of a ranking as the caller writes it, names of labels allowed."""
    given = _indices(pattern, model, n)
    if given.shape != (n,):
        raise InputError(f"ranking of shape {given.shape}; expected ({n},).")
    check_permutations(given[None], n)
    return given[None].astype(order_dtype(n))


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
