"""The labels to rank: their weights and offsets as given, and their exact consequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_instance, check_option
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, check_row_numbers, find_rows
from arrangements.core.low_rank import (
    LowRankStructure,
    check_rank,
    structure_of,
    warn_if_low_rank,
)
from arrangements.core.rows import Rows, read_rows
from arrangements.core.short_rows import keep_short
from arrangements.errors import InputError, InputTypeError, TiedLabelsError
from arrangements.exact import numbers
from arrangements.exact.linear import column_basis
from arrangements.exact.numbers import ExactArray, append_column
from arrangements.messages import Remedy

Ties = Literal["error", "drop"]
RowNumbers = NDArray[np.integer[Any]] | list[int]
# In long rows these are looked at first: few rows have them in common with another.
_FIRST_COLUMNS = 32


@public_class
class ScoreModel(Immutable):
    """Labels with scores ``weights @ x + offsets``, no two of them the same; immutable.

    Parameters
    ----------
    weights : (n, d) array_like of int, float, Fraction or SymPy numbers, or Arrangement
        A float counts as the exact dyadic number it is.
    offsets : (n,) array_like, optional
        Default zeros.
    labels : sequence of int or str, optional
        Names of the labels; integers stay integers, everything else becomes text. Default the
        index of a DataFrame, unless that is 0..n-1.
    dropped : mapping of int to int, optional
        The caller's labels that were left out, and the label with which each of them ties.
    low_rank : LowRankStructure, optional
        How the weights were found, if they take the place of a matrix of higher rank.

    Attributes
    ----------
    weights : (n, d) ndarray, read-only
        float64, int64, or object (int and Fraction): exactly the numbers given.
    offsets : (n,) ndarray, read-only, or None
    labels : tuple of int or str, or None
    dropped : dict
    low_rank : LowRankStructure or None

    Raises
    ------
    InputError
        Wrong shape, NaN, infinite, complex or ragged input, or no labels.
    TiedLabelsError
        If two labels have equal weights and equal offsets.

    Examples
    --------
    >>> model = ScoreModel([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    >>> model
    ScoreModel(3 labels in dimension 2, affine)
    >>> model.rank, model.has_all_orders
    (2, True)
    """

    weights: ExactArray
    offsets: ExactArray | None
    labels: tuple[Label, ...] | None
    dropped: dict[int, int]
    low_rank: LowRankStructure | None

    def __init__(
        self,
        weights: ArrangementLike,
        offsets: ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
        *,
        dropped: Mapping[int, int] | None = None,
        low_rank: LowRankStructure | None = None,
    ) -> None:
        rows = _read(weights, offsets, labels)
        if groups := tied_groups(rows.weights, rows.offsets):
            raise _tied(groups, rows.labels)
        if dropped is not None:
            check_instance("dropped", dropped, Mapping)
        if low_rank is not None:
            check_instance("low_rank", low_rank, LowRankStructure)
        self._set(*rows[:3], dict(dropped or {}), low_rank, rows.columns)

    def _set(
        self,
        weights: ExactArray,
        offsets: ExactArray | None,
        labels: tuple[Label, ...] | None,
        dropped: dict[int, int],
        low_rank: LowRankStructure | None,
        columns: tuple[str, ...] | None = None,
    ) -> None:
        # attributes are set once, past the __setattr__ that makes the object immutable
        self.__dict__.update(
            weights=weights, offsets=offsets, labels=labels, dropped=dropped, low_rank=low_rank
        )
        if columns is not None:
            self.__dict__["_columns"] = columns  # names of the coordinates

    @property
    def n_labels(self) -> int:
        """Number n of labels."""
        return int(self.weights.shape[0])

    @property
    def dimension(self) -> int:
        """Dimension d of the points x."""
        return int(self.weights.shape[1])

    @cached_property
    def is_central(self) -> bool:
        """Whether all offsets are equal, so that -x reverses the ranking of x."""
        return self.offsets is None or bool((self.offsets == self.offsets[0]).all())

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """Index of each label among the caller's rows, which include those in `dropped`."""
        everything = range(self.n_labels + len(self.dropped))
        return tuple(i for i in everything if i not in self.dropped)

    @cached_property
    def integer_rows(self) -> list[list[int]]:
        """Rows (w_i, b_i) as ints, all times the same positive number. Treat as read-only."""
        return numbers.whole_rows(append_column(self.weights, self.offsets))

    @cached_property
    def columns(self) -> tuple[int, ...]:
        """Columns of `weights` in which the differences of rows have their full rank."""
        first, *others = self.integer_rows
        differences = [numbers.difference(row[:-1], first[:-1]) for row in others]
        return column_basis(differences)

    @property
    def rank(self) -> int:
        """Exact rank of the column-centered weights, that is of the differences of rows."""
        return len(self.columns)

    @property
    def has_all_orders(self) -> bool:
        """Whether the rank is n - 1, so that scores are arbitrary and every order occurs."""
        return self.dimension >= self.n_labels - 1 == self.rank

    @property
    def reduced(self) -> ExactArray:
        """Weights in `columns`, then the offsets unless central."""
        weights = np.ascontiguousarray(self.weights[:, list(self.columns)])
        return weights if self.is_central else append_column(weights, self.offsets)

    def arrangement(
        self, above: Label | Iterable[Label], below: Label | Iterable[Label]
    ) -> Arrangement:
        """Hyperplanes where two labels tie, with + where the first of them scores higher.

        Parameters
        ----------
        above, below : int or str, or m of them
            Rows or labels.

        Returns
        -------
        Arrangement
            m hyperplanes, in the coordinates of the weights.

        Examples
        --------
        >>> ScoreModel([[1, 2], [3, 5]]).arrangement([0], [1]).normals.tolist()
        [[-2, -3]]
        """
        first, second = (find_rows(side, self.labels, self.n_labels) for side in (above, below))
        if len(first) != len(second):
            raise InputError(f"above has {len(first)} labels and below has {len(second)}.")
        return of_pairs(self, first, second)

    @cached_property
    def differences(self) -> Arrangement:
        """`arrangement` of all pairs i < j in lexicographic order."""
        return of_pairs(self, *np.triu_indices(self.n_labels, 1))

    @cached_property
    def _integers(self) -> ExactArray:
        """`integer_rows` as an array: int64 if differences fit, else objects."""
        rows = np.array(self.integer_rows, dtype=object)
        if numbers.field_of_array(rows) is not None:
            return rows
        return rows.astype(np.int64) if np.abs(rows).max() < 2**62 else rows

    def index(self, label: Label) -> int:
        """Row of a label given by its name, by itself, or by its row.

        Examples
        --------
        >>> ScoreModel([[1], [2]], labels=["cat", "dog"]).index("dog")
        1
        """
        return find_rows([label], self.labels, self.n_labels)[0]

    def names(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Names of labels as text, or their indices among the caller's rows if they have none.

        Examples
        --------
        >>> ScoreModel([[1], [2]], labels=["cat", "dog"]).names([1, 0])
        ('dog', 'cat')
        """
        called = self.kept if self.labels is None else self.labels
        return tuple(str(called[i]) for i in check_row_numbers(rows, self.n_labels))

    def same_scores(self, other: ScoreModel) -> bool:
        """Whether `other` has exactly the same weights and offsets, whatever its names."""
        check_instance("other", other, ScoreModel)
        if self is other:
            return True
        if (self.low_rank is None) != (other.low_rank is None):
            return False
        if not numbers.exactly_equal(self.weights, other.weights):
            return False
        if self.is_central or other.is_central:
            return self.is_central and other.is_central
        assert self.offsets is not None and other.offsets is not None
        return numbers.exactly_equal(self.offsets, other.offsets)

    def __repr__(self) -> str:
        n, kind = self.n_labels, "central" if self.is_central else "affine"
        noun = "label" if n == 1 else "labels"
        return f"ScoreModel({n} {noun} in dimension {self.dimension}, {kind})"

    def _repr_html_(self) -> str:
        facts = [("numbers", self.weights.dtype), ("left out as ties", len(self.dropped) or None)]
        table = notebook.matrix(self.weights, self.offsets, self.labels, "label")
        return notebook.card(repr(self), facts, table)


def as_score_model(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    labels: Iterable[Label] | None = None,
    ties: str = "error",
    rank: int | None = None,
    *,
    droppable: bool = True,
    short: bool = False,
) -> ScoreModel:
    """Model meant by the arguments of a public function.

    Parameters
    ----------
    W : (n, d) array_like, or Arrangement
        An Arrangement has offsets and labels of its own, a DataFrame has labels.
    offsets, labels
        As in `ScoreModel`.
    ties : {"error", "drop"}
        What to do with labels of equal weights and equal offsets: refuse them, or keep the
        first of each group.
    rank : int, optional
        None takes the numbers as given, and warns if they look like a rounded product of
        lower rank. An integer takes the weights of this column-centered rank that they were
        meant to be: see `low_rank_structure`.
    droppable : bool
        Whether the public function has the argument `ties`, so that an error may recommend it.
    short : bool
        Whether weights may stay in float32: see `keep_short`.

    Returns
    -------
    ScoreModel

    Examples
    --------
    >>> as_score_model([[1], [2], [1]], ties="drop").dropped
    {2: 0}
    """
    check_option("ties", ties, ("error", "drop"))
    if isinstance(W, ScoreModel):
        raise InputTypeError(
            "W is a ScoreModel; pass what it holds: model.weights, model.offsets and "
            "labels=model.labels."
        )
    r = check_rank(rank)
    rows, is_full = keep_short(_read(W, offsets, labels, short), r)
    weights, constants, names, columns, printed = rows
    structure = None
    if r is not None:
        # rows that differ only by rounding may tie in the matrix that was meant
        structure = structure_of(weights, r, True, printed)
        weights = structure.factor
        columns = columns if structure.source == "given" else None
    groups = tied_groups(weights, constants)
    if groups and ties == "error":
        raise _tied(groups, names, droppable)
    dropped = {i: group[0] for group in groups for i in group[1:]}
    if dropped:
        kept = [i for i in range(len(weights)) if i not in dropped]
        weights = numbers.read_only(weights[kept])
        constants = None if constants is None else numbers.read_only(constants[kept])
        names = None if names is None else tuple(names[i] for i in kept)
    model = ScoreModel.__new__(ScoreModel)
    model._set(weights, constants, names, dropped, structure, columns)
    if is_full or (r is None and warn_if_low_rank(weights, lambda: model.rank, True, printed)):
        model.__dict__["columns"] = tuple(range(model.dimension))
    return model


def of_pairs(model: ScoreModel, first: RowNumbers, second: RowNumbers) -> Arrangement:
    """`ScoreModel.arrangement` of pairs of row numbers, without checks.

    Examples
    --------
    >>> of_pairs(ScoreModel([[1, 2], [3, 5]], labels=[1, 0]), [0], [1]).normals.tolist()
    [[-2, -3]]
    """
    rows = model._integers
    return Arrangement(*_split(rows[first] - rows[second]))


def untied_model(weights: ExactArray, offsets: ExactArray) -> ScoreModel:
    """A model of exact rows of which some may be equal: only others are compared."""
    model = ScoreModel.__new__(ScoreModel)
    model._set(weights, offsets, None, {}, None)
    return model


def reduced_differences(model: ScoreModel, first: RowNumbers, second: RowNumbers) -> ExactArray:
    """Rows (w, b) of `of_pairs`, w in the `columns` of the model only: int64, or objects.

    Examples
    --------
    >>> reduced_differences(ScoreModel([[1, 0, 2], [3, 0, 5]]), [0], [1]).tolist()
    [[-2, 0]]
    """
    rows = model._integers[:, [*model.columns, -1]]
    return rows[first] - rows[second]


def tied_groups(W: ExactArray, b: ExactArray | None) -> list[list[int]]:
    """Groups of at least two labels with equal weights and equal offsets, ascending.

    Examples
    --------
    >>> tied_groups(np.array([[1], [2], [1]]), None)
    [[0, 2]]
    """
    candidates = _perhaps_tied(W, b)
    if candidates is not None:
        W, b = W[candidates], None if b is None else b[candidates]
    groups: dict[tuple[Any, ...], list[int]] = {}
    # Python numbers: equal values are equal keys, whatever their types, and 0.0 equals -0.0
    constants = [0] * len(W) if b is None else b.tolist()
    numbers_of = range(len(W)) if candidates is None else candidates.tolist()
    for i, row, constant in zip(numbers_of, W, constants, strict=True):
        key = row.tolist() if W.dtype == object else [(row + 0).tobytes()]
        groups.setdefault((*key, constant), []).append(i)
    return [group for group in groups.values() if len(group) > 1]


def _perhaps_tied(W: ExactArray, b: ExactArray | None) -> NDArray[np.intp] | None:
    """Rows whose bytes have the hash of those of another row; None, for all, if few or no bytes."""
    if W.size < 10_000 or W.dtype == object or (b is not None and b.dtype == object):
        return None
    constants = np.zeros(len(W)) if b is None else b + 0
    found = _of_equal_hash(W[:, :_FIRST_COLUMNS], constants)
    if W.shape[1] > _FIRST_COLUMNS:
        found = found[_of_equal_hash(W[found], constants[found])]
    return found


def _of_equal_hash(W: ExactArray, constants: NDArray[Any]) -> NDArray[np.intp]:
    hashes = np.array(
        [hash(((row + 0).tobytes(), c.tobytes())) for row, c in zip(W, constants, strict=True)],
        np.int64,
    )  # + 0 makes -0.0 the same as 0.0
    _, first, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.flatnonzero(counts[first] > 1)


def _tied(
    groups: Sequence[Sequence[int]], names: tuple[Label, ...] | None, droppable: bool = False
) -> TiedLabelsError:
    def named(i: int) -> str:
        return str(i) if names is None else f"{i} ({names[i]!r})"

    text = "; ".join(" and ".join(map(named, group[:6])) for group in groups[:3])
    more = f" (and {len(groups) - 3} more groups)" if len(groups) > 3 else ""
    return TiedLabelsError(
        f"labels {text}{more} have equal rows and equal offsets: they tie at every x, so no "
        "ranking is strict.",
        Remedy("drop ties", "Keep one of them, or pass ties='drop' to keep the first.")
        if droppable
        else "Keep one of them.",
    )


def _read(
    W: Any, offsets: ArrayLike | None, labels: Iterable[Label] | None, short: bool = False
) -> Rows:
    rows = read_rows(W, offsets, labels, short=short)
    if not len(rows.weights):
        raise InputError(f"W has shape {rows.weights.shape}: no labels; expected a row per label.")
    return rows


def _split(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Normals and offsets; no offsets if they are zero."""
    return rows[:, :-1], (rows[:, -1] if rows[:, -1].any() else None)
