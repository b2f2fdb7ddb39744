"""All chambers, or rankings, by number: each is found when it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer, random_generator
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import ScoreModel, as_score_model, of_pairs
from arrangements.counting.ranking_counts import generic_ranking_count
from arrangements.errors import InputError
from arrangements.exact.numbers import read_only
from arrangements.execution import limits
from arrangements.forecast.sizes import generic_half
from arrangements.messages import quote, short_number
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure.descents import ClosedForm, Descent, integer_below

# Chambers of a restriction up to which they are listed.
_FEW = 20_000


class _Implicit(ABC):
    """Patterns of the chambers of an arrangement, by number."""

    _ONE = "pattern"
    _DTYPE: type[np.integer[Any]]
    _descent: Descent

    @property
    @abstractmethod
    def n(self) -> int:
        """Length of a pattern."""

    @property
    def count(self) -> int:
        """How many there are; an int of any size, where `len` ends at ``sys.maxsize``."""
        return self._descent.count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int | slice) -> NDArray[Any]:
        if isinstance(i, slice):
            return self._rows(range(self.count)[i])
        i = check_integer("i", i, -self.count, self.count - 1)
        return read_only(self._pattern(self._point(i)))

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[i] for i in range(self.count))

    def __contains__(self, pattern: object) -> bool:
        return self._find(pattern) is not None

    def index(self, pattern: Any) -> int:
        """The number of a pattern: ``S[S.index(pattern)]`` equals `pattern`.

        Parameters
        ----------
        pattern : sequence or str
            As for ``in``.

        Raises
        ------
        InputError
            If it does not occur.
        """
        point = self._find(pattern)
        if point is None:
            raise InputError(f"{self._ONE} {quote(pattern)} is not in {self!r}.")
        return self._descent.number(point)

    def point(self, i: int) -> tuple[Fraction, ...]:
        """A rational point of the chamber of number i.

        Parameters
        ----------
        i : int

        Returns
        -------
        tuple of Fraction
        """
        return tuple(self._point(check_integer("i", i, -self.count, self.count - 1)))

    def sample(self, size: int, *, rng: int | np.random.Generator | None = None) -> NDArray[Any]:
        """Patterns drawn at random, independently and all with the same probability.

        Parameters
        ----------
        size : int
        rng : int or numpy.random.Generator, optional
            Seed or generator; default fresh entropy.

        Returns
        -------
        (size, n) ndarray
            In the order of drawing, with repetition.
        """
        size, generator = check_integer("size", size, 0), random_generator(rng)
        if size and not self.count:
            raise InputError(f"{self!r} has nothing to draw from.")
        return self._rows([integer_below(self.count, generator) for _ in range(size)])

    def _rows(self, numbers: Sequence[int]) -> NDArray[Any]:
        limits.check_bytes(f"{len(numbers)} rows of {self.n}", 16 * self.n * len(numbers))
        rows = [self._pattern(self._point(number)) for number in numbers]
        return np.array(rows, self._DTYPE).reshape(len(numbers), self.n)

    def _point(self, i: int) -> list[Fraction]:
        return self._descent.point(i % self.count)

    @abstractmethod
    def _pattern(self, x: list[Fraction]) -> NDArray[Any]:
        """The pattern at a point."""

    @abstractmethod
    def _find(self, pattern: Any) -> list[Fraction] | None:
        """A point at which the pattern occurs."""


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class ImplicitChambers(_Implicit):
    """All chambers of an arrangement, which are not in memory.

    `implicit_chambers` returns this class. It is a sequence of sign vectors, (n,) ndarrays of int8;
    slices are arrays of several.

    Attributes
    ----------
    arrangement : Arrangement

    Examples
    --------
    >>> from arrangements.algebra import implicit_chambers
    >>> S = implicit_chambers([[1, 0], [0, 1]])
    >>> S, S[2].tolist() in S[:].tolist(), S.index(S[2]), "++" in S
    (ImplicitChambers(4 of 2 signs), True, 2, True)
    """

    arrangement: Arrangement
    _descent: Descent
    _ONE, _DTYPE = "sign vector", np.int8

    @property
    def n(self) -> int:
        """Number of signs in a sign vector."""
        return self.arrangement.n_hyperplanes

    def __repr__(self) -> str:
        return f"ImplicitChambers({short_number(self.count)} of {self.n} signs)"

    def _pattern(self, x: list[Fraction]) -> NDArray[np.int8]:
        return np.array(self._descent.signs(x), np.int8)

    def _find(self, pattern: Any) -> list[Fraction] | None:
        signs = SignVectors.from_array([pattern]).to_array()[0]
        if len(signs) != self.n:
            raise InputError(f"sign vector of {len(signs)} signs; expected {self.n}.")
        return self._descent.point_of(signs.tolist())


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class ImplicitRankings(_Implicit):
    """All rankings of scores, which are not in memory.

    `implicit_rankings` returns this class. It is a sequence of orders, (n,) ndarrays of label
    numbers, best first; slices are arrays of several.

    Attributes
    ----------
    model : ScoreModel

    Examples
    --------
    >>> from arrangements.algebra import implicit_rankings
    >>> R = implicit_rankings([[1, 0], [0, 1], [0, 0]])
    >>> R, R[:].shape, [2, 1, 0] in R
    (ImplicitRankings(6 of 3 labels), (6, 3), True)
    """

    model: ScoreModel
    _descent: Descent
    _ONE, _DTYPE = "ranking", np.intp

    @property
    def n(self) -> int:
        """Number of labels."""
        return self.model.n_labels

    def __repr__(self) -> str:
        return f"ImplicitRankings({short_number(self.count)} of {self.n} labels)"

    def _pattern(self, x: list[Fraction]) -> NDArray[np.intp]:
        rows = self.model.integer_rows
        scores = [sum((a * c for a, c in zip(row, x, strict=False)), row[-1]) for row in rows]
        return np.array(sorted(range(self.n), key=lambda i: -scores[i]), np.intp)

    def _find(self, pattern: Any) -> list[Fraction] | None:
        order = Rankings.from_array([pattern]).to_array()[0].tolist()
        if len(order) != self.n:
            raise InputError(f"ranking of {len(order)} labels; expected {self.n}.")
        place = np.argsort(order)
        i, j = _pairs(self.n)
        return self._descent.point_of(np.where(place[i] < place[j], 1, -1).tolist())


def implicit_chambers(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    assume_generic: bool = False,
) -> ImplicitChambers:
    """All chambers as a list that is not in memory: any item, its number, random ones.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank, within : optional
        As in `chambers`.
    assume_generic : bool
        You know that the hyperplanes are in general position (a proof may look at all minors).
        Then numbers of chambers are binomial sums, and nothing is counted. A coincidence on the way
        to an item is an error; one that is not met makes numbers wrong, but never an item, which
        has a point.

    Returns
    -------
    ImplicitChambers
        A sequence of (n,) ndarrays of int8, with `count`, `index`, `point` and `sample`. The order
        is that of a descent, not that of `chambers`.

    Raises
    ------
    InputError
        If `assume_generic` is seen to be wrong, or comes with `within`.

    See Also
    --------
    chambers : a set in memory.
    iter_chambers : all chambers, block by block.
    sample_chambers : random ones; of reflection arrangements fast.

    Notes
    -----
    The chambers of the first k hyperplanes are those of the first k - 1, and one more for each
    chamber of their restriction to hyperplane k. So a number tells k, and the number of a chamber
    of the restriction. Exact. The first item counts n restrictions (`count_chambers`), and each may
    count those of others, unless `assume_generic`; besides, an item takes up to n questions
    `feasible` for each rank until few chambers are left, which are listed. Memory holds the
    restrictions met, not the chambers.

    Examples
    --------
    >>> from arrangements.generators import generic
    >>> S = implicit_chambers(generic(60, 9, 0), assume_generic=True)
    >>> S
    ImplicitChambers(5.218e+09 of 60 signs)
    >>> S.index(S[10**9])
    1000000000
    """
    A = as_arrangement(W, offsets, rank)
    if not check_flag("assume_generic", assume_generic):
        P = None if within is None else read_polyhedron(within, A)
        return ImplicitChambers(A, Descent(A, _FEW, P))
    _refuse_within(within)

    def number(n: int, r: int) -> int:
        if n == 0 or r == 0:
            return 1
        return 2 * generic_half(n - 1, r) if A.is_central else generic_half(n, r + 1)

    return ImplicitChambers(A, _assumed(A, min(A.n_hyperplanes, A.dimension), number))


def implicit_rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    assume_generic: bool = False,
) -> ImplicitRankings:
    """All rankings as a list that is not in memory: any item, its number, random ones.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or ScoreModel
    offsets : (n,) array_like, optional
    rank, within : optional
        As in `rankings`.
    assume_generic : bool
        You know that the labels are in general position, so that there are
        `generic_ranking_count` rankings; as in `implicit_chambers`.

    Returns
    -------
    ImplicitRankings
        A sequence of (n,) ndarrays of label numbers, best first, with `count`, `index`, `point` and
        `sample`.

    Raises
    ------
    InputError
        If `assume_generic` is seen to be wrong, or comes with `within`.
    TiedLabelsError
        If two labels always tie.

    See Also
    --------
    implicit_chambers : how it is done; here the hyperplanes are those on which two labels tie.
    rankings : a set in memory.

    Examples
    --------
    >>> W = np.random.default_rng(0).standard_normal((30, 3))
    >>> R = implicit_rankings(W, assume_generic=True)
    >>> R.count, R.index(R[-1])
    (180672, 180671)
    """
    model = as_score_model(W, offsets, rank=rank)
    first, second = _pairs(model.n_labels)
    A = of_pairs(model, first, second)
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    if not check_flag("assume_generic", assume_generic):
        P = None if within is None else read_polyhedron(within, model)
        return ImplicitRankings(model, Descent(A, _FEW, P, pairs=pairs))
    _refuse_within(within)
    biased = not A.is_central

    def number(n: int, r: int) -> int:
        j = (1 + isqrt(1 + 8 * n)) // 2  # all pairs of j labels, and some of the next one
        return _rankings(j, r, biased) + (n - comb(j, 2)) * _rankings(j, r - 1, biased)

    return ImplicitRankings(model, _assumed(A, min(model.n_labels - 1, A.dimension), number, pairs))


def _rankings(n: int, r: int, biased: bool) -> int:
    return generic_ranking_count(n, r, bias=biased) if r > 0 else 1


def _pairs(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs i < j of n labels; those of the first labels come first."""
    j, i = np.tril_indices(n, -1)
    return i, j


def _refuse_within(within: Within | None) -> None:
    if within is not None:
        raise InputError(
            "assume_generic=True has no closed form within a polyhedron; leave it out."
        )


def _assumed(
    A: Arrangement, most: int, number: ClosedForm, pairs: list[tuple[int, int]] | None = None
) -> Descent:
    """A descent by closed forms: of rank `most`, where hyperplanes coincide only on a line."""
    descent = Descent(A, _FEW, closed_form=number, pairs=pairs)
    apart = len(descent.rows) == A.n_hyperplanes or (A.rank == 1 and A.is_central)
    if A.rank < most or not apart:
        raise InputError("W is not in general position, as assume_generic=True says; leave it out.")
    return descent
