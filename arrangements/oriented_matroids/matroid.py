"""One oriented matroid: its elements, chirotope, bases, flats and covectors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import combinations, compress
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import Immutable
from arrangements.checks import as_list, check_integer
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, check_row_numbers, find_rows, names_of
from arrangements.core.rows import rows_and_offsets
from arrangements.errors import InputError, LowRankWarning
from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray, read_only
from arrangements.forecast.sizes import uniform_faces
from arrangements.oriented_matroids.chirotopes import Signs, check_fits, sign_at
from arrangements.oriented_matroids.covectors import distinct_cocircuits, iter_levels
from arrangements.public import attribute_error
from arrangements.sets import ternary

if TYPE_CHECKING:
    import networkx as nx
    from sympy import Poly

    from arrangements.structure.intersections import Flats


class Matroid(Immutable):
    """An oriented matroid without its relatives: elements, the chirotope, bases, covectors."""

    n: int
    rank: int
    chirotope: Signs
    matrix: ExactArray | None
    labels: tuple[Label, ...] | None = None

    def __init__(
        self,
        n: int,
        rank: int,
        signs: Signs,
        matrix: ExactArray | None = None,
        labels: tuple[Label, ...] | None = None,
    ) -> None:
        # private: nobody checks that this is a chirotope, and that of the vectors
        # attributes are set once, past the __setattr__ that makes the object immutable
        matrix = None if matrix is None else read_only(matrix)
        attributes = {"chirotope": read_only(signs), "matrix": matrix, "labels": labels}
        self.__dict__.update(n=n, rank=rank, **attributes)

    def names(self, elements: Iterable[int]) -> tuple[str, ...]:
        """Names of elements given by number; without labels, the numbers as text.

        Examples
        --------
        >>> A = Arrangement([[1, 0], [0, 1], [1, 1]], labels="abc")
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix(A).deletion("a")
        >>> M.names(range(M.n))
        ('b', 'c')
        """
        names = names_of(self.labels, self.n)
        return tuple(names[e] for e in check_row_numbers(elements, self.n))

    def sign(self, elements: Iterable[Label]) -> int:
        """Value of the chirotope at an ordered tuple of `rank` elements.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1]])
        >>> M.sign((0, 1)), M.sign((1, 0)), M.sign((1, 1))
        (1, -1, 0)
        """
        subset = tuple(self._in_order(elements, "elements"))
        if len(subset) != self.rank:
            raise InputError(f"{len(subset)} elements were given; expected {self.rank}, the rank.")
        return sign_at(self.chirotope, self.n, self.rank, subset)

    @property
    def is_uniform(self) -> bool:
        """True if every `rank` elements are a basis."""
        return bool(self.chirotope.all())

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Elements in no basis: zero vectors."""
        return tuple(np.flatnonzero(~self._cocircuits.any(axis=0)).tolist())

    @cached_property
    def coloops(self) -> tuple[int, ...]:
        """Elements in every basis: each is the support of a cocircuit."""
        alone = self._cocircuits[(self._cocircuits != 0).sum(axis=1) == 1]
        return tuple(np.flatnonzero(alone.any(axis=0)).tolist())

    @property
    def parallel_classes(self) -> tuple[tuple[int, ...], ...]:
        """Elements grouped by parallelism, antiparallel ones together; loops belong to none.

        Singletons included, members ascending, classes ordered by their first member; see
        `parallel_signs`.
        """
        return self._parallels[0]

    @property
    def parallel_signs(self) -> Signs:
        """Orientation of each element relative to the first of its parallel class, 0 for loops.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 2], [0, 0], [-3, -6], [1, 0]])
        >>> M.parallel_classes, M.parallel_signs.tolist()
        (((0, 2), (3,)), [1, 0, -1, 1])
        """
        return self._parallels[1].copy()

    @property
    def is_acyclic(self) -> bool:
        """True if no circuit is positive: all vectors lie on one side of a hyperplane."""
        return bool(self._of_one_sign.any(axis=0).all())

    @property
    def is_totally_cyclic(self) -> bool:
        """True if every element is in a positive circuit: no cocircuit is positive."""
        return not len(self._of_one_sign)

    def bases(self) -> NDArray[np.int64]:
        """Bases: the sets of `rank` independent elements.

        Returns
        -------
        (m, rank) ndarray of int64
            Numbers of elements, ascending in each row; rows in lexicographic order.

        Raises
        ------
        TooLargeError
            If they do not fit into memory.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0]]).bases().tolist()
        [[0, 1], [1, 2]]
        """
        check_fits("the bases", int(np.count_nonzero(self.chirotope)), 64 + 16 * self.rank)
        subsets = combinations(range(self.n), self.rank)
        found = list(compress(subsets, (self.chirotope != 0).tolist()))
        return np.array(found, np.int64).reshape(len(found), self.rank)

    def rank_of(self, elements: Label | Iterable[Label]) -> int:
        """Rank of one or some elements: the size of the largest independent sets of them.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0]])
        >>> M.rank_of([0, 2]), M.rank_of([0, 1])
        (1, 2)
        """
        subset = self._elements(elements)
        return len(subset.intersection(self._basis_in(sorted(subset))))

    def closure(self, elements: Label | Iterable[Label]) -> tuple[int, ...]:
        """Closure of one or some elements: the flat that they span, with all loops; ascending.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0], [0, 0]])
        >>> M.closure([0]), M.closure([])
        ((0, 2, 3), (3,))
        """
        subset = sorted(self._elements(elements))
        vanishing = self._cocircuits[~self._cocircuits[:, subset].any(axis=1)]
        return tuple(np.flatnonzero(~vanishing.any(axis=0)).tolist())

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Connected components: elements are together if some circuit has both.

        Loops and coloops are alone. Members ascending, components ordered by their first member.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0]]).components
        ((0, 2), (1,))
        """
        from scipy.sparse.csgraph import connected_components  # loads slowly

        if not self.n:
            return ()
        # two elements are in a common circuit if and only if they are in a common cocircuit
        support = (self._cocircuits != 0).astype(np.float64)
        number, of = connected_components(support.T @ support, directed=False)
        groups = (tuple(np.flatnonzero(of == k).tolist()) for k in range(number))
        return tuple(sorted(groups))

    @property
    def is_connected(self) -> bool:
        """True if there is at most one component: it is no direct sum of smaller ones."""
        return len(self.components) <= 1

    def characteristic_polynomial(self) -> Poly:
        """Characteristic polynomial, ``sum mu(F) t^(r - r(F))`` over the flats F.

        Returns
        -------
        sympy.Poly
            In ``t``, with integer coefficients, of degree `rank`; 0 if there are loops. Its value
            at -1 is the number of topes, up to sign (Las Vergnas 1975).

        Raises
        ------
        TooLargeError
            If the flats do not fit.

        Notes
        -----
        Exact. With a `matrix` it is computed as that of the arrangement, by merged restrictions,
        without listing flats. Otherwise the flats are listed with their order, which takes a second
        for about 10,000 of them; the chirotope sets the limit.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
        >>> M.characteristic_polynomial()
        Poly(t**2 - 4*t + 3, t, domain='ZZ')
        """
        from sympy import Poly, Symbol  # loads slowly

        return Poly.from_list(list(self.whitney_numbers()), gens=Symbol("t"))

    def whitney_numbers(self, kind: Literal[1, 2] = 1) -> tuple[int, ...]:
        """Whitney numbers: sums of the Möbius function over flats of each rank, or their numbers.

        Parameters
        ----------
        kind : {1, 2}
            First kind: entry k is ``sum mu(F)`` over the flats of rank k; 0 for all k if there are
            loops. Second kind: the number of these flats.

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
        >>> M.whitney_numbers(), M.whitney_numbers(2)
        ((1, -4, 3), (1, 4, 1))
        """
        from arrangements.counting.polynomials import whitney_numbers  # loads numba
        from arrangements.oriented_matroids import matroid_flats  # loads numba

        if kind == 1 and self.loops:
            return (0,) * (self.rank + 1)
        if self.matrix is None or self.loops:
            return tuple(matroid_flats.whitney_numbers_of(self, kind))
        with warnings.catch_warnings():
            # the chirotope has taken the numbers as given already
            warnings.simplefilter("ignore", LowRankWarning)
            return whitney_numbers(Arrangement(self.matrix), kind=kind)

    def betti_numbers(self) -> tuple[int, ...]:
        """Absolute values of the Whitney numbers of the first kind; their sum counts the topes.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_chirotope(4, 2, "++++++").betti_numbers()
        (1, 4, 3)
        """
        return tuple(map(abs, self.whitney_numbers()))

    def flats(self, max_rank: int | None = None) -> Flats:
        """Flats, as `arrangements.flats` lists them; each contains all loops.

        Parameters
        ----------
        max_rank : int, optional
            Only those of at most this rank.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
        >>> M.flats(), list(M.flats(max_rank=1))
        (Flats(6 of 4 hyperplanes, by rank (1, 4, 1)), [(), (0,), (1,), (2,), (3,)])
        """
        from arrangements.oriented_matroids.matroid_flats import listed_flats  # loads numba

        found = listed_flats(self)
        if max_rank is None:
            return found
        kept = found.ranks <= check_integer("max_rank", max_rank, 0)
        return replace(found, masks=found.masks[kept], ranks=found.ranks[kept])

    def intersection_poset(self) -> nx.DiGraph[int]:
        """The flats ordered by inclusion, as `arrangements.structure.intersection_poset` has them.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> P = OrientedMatroid.from_chirotope(3, 2, "+++").intersection_poset()
        >>> [P.nodes[k]["mobius"] for k in P]
        [1, -1, -1, -1, 2]
        """
        from arrangements.oriented_matroids.matroid_flats import (  # loads numba
            intersection_poset_of,
        )

        return intersection_poset_of(self)

    def cocircuits(self) -> Signs:
        """Cocircuits: covectors of minimal non-empty support.

        Returns
        -------
        (m, n) ndarray of int8
            X and -X for each X, rows in lexicographic order with -1 < 0 < 1; so row
            m - 1 - i is the negative of row i.

        Raises
        ------
        TooLargeError
            If the C(n, rank - 1) candidate rows do not fit into memory.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).cocircuits().tolist()
        [[-1, 0, -1], [-1, 1, 0], [0, -1, -1], [0, 1, 1], [1, -1, 0], [1, 0, 1]]
        """
        return np.concatenate([-self._cocircuits[::-1], self._cocircuits])

    def covectors(self) -> Signs:
        """Covectors: compositions of cocircuits, and zero; the signs of ``W @ x`` for all x.

        Returns
        -------
        (m, n) ndarray of int8
            X and -X for each X, zero in the middle; rows in lexicographic order with
            -1 < 0 < 1, so row m - 1 - i is the negative of row i.

        Raises
        ------
        TooLargeError
            If they do not fit into memory.

        Notes
        -----
        They are found level by level in the face lattice, with one addition of words for each pair
        of a covector and one that covers it, and then sorted.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> len(M.covectors())               # a point, 6 rays and 6 chambers
        13
        """
        return self._compositions("the covectors")

    def _compositions(self, what: str) -> Signs:
        """Covectors; errors call them `what`."""
        # a basis has all 3^r sign vectors
        least = uniform_faces(self.n, self.rank) if self.is_uniform else 3**self.rank
        check_fits(what, least, 2 * self.n + 32)
        zero, *levels = iter_levels(self.chirotope, self.n, self.rank)
        if not levels:
            return ternary.decode(zero, self.n)
        half = ternary.distinct(np.concatenate(levels))
        return ternary.decode(np.concatenate([-half[::-1], zero, half]), self.n)

    @cached_property
    def _cocircuits(self) -> Signs:
        """One of each pair of cocircuits."""
        return distinct_cocircuits(self.chirotope, self.n, self.rank)

    @property
    def _of_one_sign(self) -> Signs:
        """The cocircuits that are positive or negative."""
        rows = self._cocircuits
        return rows[(rows >= 0).all(axis=1) | (rows <= 0).all(axis=1)]

    @cached_property
    def _parallels(self) -> tuple[tuple[tuple[int, ...], ...], Signs]:
        """Elements whose columns of cocircuits are proportional."""
        return parallel_columns(self._cocircuits)

    if not TYPE_CHECKING:  # it would hide misspelled names from type checkers

        def __getattr__(self, name: str) -> NoReturn:
            raise attribute_error(name, self)

    def _elements(self, elements: Label | Iterable[Label]) -> set[int]:
        """The elements as a set, given as one or several."""
        alone = isinstance(elements, str) or not isinstance(elements, Iterable)
        alone = alone or getattr(elements, "ndim", None) == 0
        several: Any = [elements] if alone else elements
        return set(self._in_order(several, "elements"))

    def _in_order(self, elements: Iterable[Label], name: str) -> list[int]:
        """The elements as a list; a mask of bools would name elements 0 and 1."""
        if self.labels is not None:
            return find_rows(as_list(name, elements), self.labels, self.n)
        return [check_integer("an element", e, 0, self.n - 1) for e in as_list(name, elements)]

    def _basis_in(self, elements: list[int]) -> list[int]:
        """A basis with as many of the elements as possible."""
        from arrangements.kernels.structure.chirotopes import find_best_basis  # loads numba

        mark: NDArray[np.int64] = np.zeros(self.n, np.int64)
        mark[elements] = 1
        basis = np.empty(self.rank, np.int64)
        find_best_basis(self.chirotope, self.n, self.rank, mark, basis)
        return basis.tolist()


def parallel_columns(table: Signs) -> tuple[tuple[tuple[int, ...], ...], Signs]:
    """Classes of columns that are equal or opposite, without zero columns, and signs of columns.

    The sign is 1 if a column equals the first of its class, -1 if it is the opposite, 0 if it is
    zero.

    Examples
    --------
    >>> parallel_columns(np.array([[1, 0, -1, 1]], np.int8))
    (((0, 2, 3),), array([ 1,  0, -1,  1], dtype=int8))
    """
    groups: dict[bytes, list[int]] = {}
    signs = np.zeros(table.shape[1], np.int8)
    for e, column in enumerate(np.ascontiguousarray(table.T)):
        support = np.flatnonzero(column)
        if len(support):
            signs[e] = column[support[0]]
            groups.setdefault((column * signs[e]).tobytes(), []).append(e)
    classes = tuple(map(tuple, groups.values()))
    for group in classes:
        signs[list(group)] *= signs[group[0]]
    return classes, signs


def as_vectors(W: ArrangementLike, name: str) -> ExactArray:
    """Exact matrix of vectors: rows of an array, or normals of a central arrangement.

    Examples
    --------
    >>> as_vectors([[1, 0.5]], "W")
    array([[1. , 0.5]])
    """
    rows, offsets = rows_and_offsets(W, None, compared=False)
    if offsets is not None and offsets.any():
        raise InputError(
            f"{name} is {W!r}; expected a central one. Pass its cone, A.cone(): the rows "
            "(w_i, b_i) and, as the last element, the hyperplane at infinity."
        )
    return coercion.as_exact_matrix(rows, name, allow_no_rows=True, allow_no_columns=True)
