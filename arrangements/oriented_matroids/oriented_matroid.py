"""Oriented matroids: from vectors, chirotopes or topes; their sign vectors and minors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations, compress
from operator import index
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import as_list, check_flag, check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import (
    Label,
    as_labels,
    check_row_numbers,
    find_rows,
    labels_of,
    names_of,
)
from arrangements.core.low_rank import check_rank, structure_of, warn_if_low_rank
from arrangements.core.rounding import print_format_of
from arrangements.counting.prediction import uniform_faces
from arrangements.enumeration.chambers import chambers
from arrangements.errors import DegenerateArrangementError, InputError, LowRankWarning
from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray, read_only
from arrangements.messages import quote
from arrangements.oriented_matroids.chirotopes import (
    Signs,
    as_chirotope,
    check_fits,
    check_signs,
    dual_signs,
    first_nonzero,
    matrix_signs,
    minor_signs,
    sign_at,
)
from arrangements.oriented_matroids.covectors import (
    distinct_cocircuits,
    iter_levels,
)
from arrangements.oriented_matroids.tope_sets import signs_from_topes
from arrangements.public import attribute_error
from arrangements.sets import ternary
from arrangements.sets.packed import pack_signs
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from sympy import Poly

    from arrangements.oriented_matroids.isomorphism import Isomorphism
    from arrangements.sets.sign_vectors import SignVectors


@public_class
class OrientedMatroid:
    """Oriented matroid on the elements 0, .., n - 1, immutable.

    Make one by `from_matrix`, `from_chirotope` or `from_chambers`. Loops and parallel or
    antiparallel elements are legal.

    Attributes
    ----------
    n : int
        Number of elements.
    rank : int
    chirotope : (C(n, rank),) ndarray of int8, read-only
        Signs of the bases and 0 for other subsets, in lexicographic order of the subsets. They are
        determined up to one sign for all.
    matrix : (n, d) ndarray, read-only, or None
        Vectors with this oriented matroid, if it came from vectors.
    labels : tuple of int or str, or None
        Labels of the elements, if it came from an arrangement or chambers with labels. They go with
        their elements; methods take them wherever they take elements. ``==`` ignores them.

    Notes
    -----
    Terms and signs are those of [1]_. For vectors w_0, .., w_(n-1), the rows of W:

    - covectors are the sign vectors of ``W @ x`` (faces of the arrangement), topes those of full
      support (chambers), cocircuits those of minimal non-empty support (rays);
    - vectors are the sign vectors of y with ``y @ W = 0``, circuits the minimal ones;
    - cocircuit: e -> chirotope(T, e) for r - 1 independent elements T.

    Oriented matroids are equal if their chirotopes are equal, up to one sign for all.

    References
    ----------
    .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
       2nd ed., Cambridge 1999.

    Examples
    --------
    >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1], [2, 2]])
    >>> M
    OrientedMatroid(4 elements, rank 2)
    >>> M.chirotope.tolist(), M.parallel_classes
    ([1, 1, 1, -1, -1, 0], ((0,), (1,), (2, 3)))
    >>> M == OrientedMatroid.from_chambers(M.topes())
    True
    """

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
        # not for callers: it trusts that this is a chirotope, and that of the vectors
        # attributes are set once, past the __setattr__ that makes the object immutable
        kept = None if matrix is None else read_only(matrix)
        chirotope = read_only(signs)
        self.__dict__.update(n=n, rank=rank, chirotope=chirotope, matrix=kept, labels=labels)

    # ------------------------------------------------------------------ made from

    @classmethod
    def from_matrix(cls, W: ArrayLike | Arrangement, *, rank: int | None = None) -> OrientedMatroid:
        """Oriented matroid of the rows of a matrix, exactly.

        Parameters
        ----------
        W : (n, d) array_like of int, float, Fraction or SymPy number, or central Arrangement
            One vector per row; a zero row is a loop. A float counts as the dyadic number it is.
        rank : int, optional
            As in `chambers`.

        Returns
        -------
        OrientedMatroid
            Its chirotope holds the signs of the d x d minors if the rank is d; otherwise those in
            some independent columns, with the sign that makes the first basis positive.

        Raises
        ------
        InputError
            If W is not a matrix of finite rational numbers, or is an arrangement with offsets.
        TooLargeError
            If the C(n, rank) signs do not fit into memory.

        Notes
        -----
        Exact: minors in float64 with a proven error bound, in integers where these fit, and
        modulo primes where the bound does not decide. O(r) operations per sign.

        Examples
        --------
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 0], [0, 2]]).chirotope.tolist()
        [0, 1, 0]
        """
        matrix = as_vectors(W, "W")
        r = check_rank(rank)
        if r is not None:
            matrix = structure_of(matrix, r, printed=print_format_of(W)).factor
        found, signs = matrix_signs(numbers.integer_rows(matrix), matrix.shape[1])
        if r is None:
            warn_if_low_rank(matrix, lambda: found, printed=print_format_of(W))
        labels = as_labels(labels_of(W), len(matrix), distinct=False)
        return cls(len(matrix), found, signs, matrix, labels)

    @classmethod
    def from_chirotope(
        cls, n: int, rank: int, values: ArrayLike | str | Mapping[tuple[int, ...], int]
    ) -> OrientedMatroid:
        """Oriented matroid with a given chirotope, whose axioms are checked.

        Parameters
        ----------
        n, rank : int
        values : (C(n, rank),) array_like of -1, 0, 1, or str, or mapping of tuples to -1, 0, 1
            In lexicographic order of the subsets; a string is like "+0-". A mapping may list a
            subset in any order (the map is alternating); missing subsets are zero.

        Raises
        ------
        InputError
            If `values` is not a chirotope; the message names the violated relation.

        See Also
        --------
        check_chirotope : the check alone.

        Examples
        --------
        >>> OrientedMatroid.from_chirotope(3, 2, {(0, 1): 1, (1, 2): 1, (0, 2): 1})
        OrientedMatroid(3 elements, rank 2)
        """
        signs = as_chirotope(n, rank, values)
        n, rank = index(n), index(rank)
        check = check_signs(signs, n, rank)
        if not check:
            raise InputError(f"values is not a chirotope: {check.reason}.")
        return cls(n, rank, signs)

    @classmethod
    def from_chambers(cls, topes: SignVectors | ArrayLike) -> OrientedMatroid:
        """Oriented matroid with given topes, which determine it.

        Parameters
        ----------
        topes : SignVectors, or (m, n) array_like of -1, 0, 1
            All of them, in any order. Columns of zeros are loops.

        Raises
        ------
        InputError
            If these are not the topes of an oriented matroid; the message says why.
        IncompleteError
            If the listing was cut short.

        Notes
        -----
        The first basis gets the sign +. Contractions down to rank 1 give the cocircuits, and these
        give the chirotope; then its axioms and its topes are checked. O(m log m) for each flat of
        rank 1, less for higher ranks.

        Examples
        --------
        >>> from arrangements import chambers
        >>> S = chambers([[1, 0], [0, 1], [1, 1]])
        >>> OrientedMatroid.from_chambers(S).chirotope.tolist()
        [1, 1, -1]
        """
        labels = getattr(getattr(topes, "arrangement", None), "labels", None)
        return cls(*signs_from_topes(topes), labels=labels)

    def names(self, elements: Iterable[int]) -> tuple[str, ...]:
        """Names of elements given by number; without labels, the numbers as text.

        Examples
        --------
        >>> A = Arrangement([[1, 0], [0, 1], [1, 1]], labels="abc")
        >>> M = OrientedMatroid.from_matrix(A).deletion("a")
        >>> M.names(range(M.n))
        ('b', 'c')
        """
        names = names_of(self.labels, self.n)
        return tuple(names[e] for e in check_row_numbers(elements, self.n))

    @property
    def unlabeled(self) -> OrientedMatroid:
        """The same without labels, where integers can only be the numbers of elements."""
        return OrientedMatroid(self.n, self.rank, self.chirotope, self.matrix)

    # ------------------------------------------------------------------ the chirotope

    def sign(self, elements: Iterable[Label]) -> int:
        """Value of the chirotope at an ordered tuple of `rank` elements.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1]])
        >>> M.sign((0, 1)), M.sign((1, 0)), M.sign((1, 1))
        (1, -1, 0)
        """
        given = tuple(self._in_order(elements, "elements"))
        if len(given) != self.rank:
            raise InputError(f"{len(given)} elements were given; expected {self.rank}, the rank.")
        return sign_at(self.chirotope, self.n, self.rank, given)

    @property
    def is_uniform(self) -> bool:
        """Whether every `rank` elements are a basis."""
        return bool(self.chirotope.all())

    @cached_property
    def loops(self) -> tuple[int, ...]:
        """Elements in no basis: zero vectors."""
        support = self._cocircuits.any(axis=0)
        return tuple(np.flatnonzero(~support).tolist())

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
        >>> M = OrientedMatroid.from_matrix([[1, 2], [0, 0], [-3, -6], [1, 0]])
        >>> M.parallel_classes, M.parallel_signs.tolist()
        (((0, 2), (3,)), [1, 0, -1, 1])
        """
        return self._parallels[1].copy()

    @property
    def is_acyclic(self) -> bool:
        """Whether no circuit is positive: all vectors lie on one side of a hyperplane."""
        positive = self._cocircuits[(self._cocircuits >= 0).all(axis=1)]
        negative = self._cocircuits[(self._cocircuits <= 0).all(axis=1)]
        return bool((positive.any(axis=0) | negative.any(axis=0)).all())

    @property
    def is_totally_cyclic(self) -> bool:
        """Whether every element is in a positive circuit: no cocircuit is positive."""
        halfspace = (self._cocircuits >= 0).all(axis=1) | (self._cocircuits <= 0).all(axis=1)
        return not halfspace.any()

    # ------------------------------------------------------------------ the matroid below

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
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0]])
        >>> M.rank_of([0, 2]), M.rank_of([0, 1])
        (1, 2)
        """
        given = self._checked(elements)
        return len(given.intersection(self._basis_in(sorted(given))))

    def closure(self, elements: Label | Iterable[Label]) -> tuple[int, ...]:
        """Closure of one or some elements: the flat that they span, with all loops; ascending.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [2, 0], [0, 0]])
        >>> M.closure([0]), M.closure([])
        ((0, 2, 3), (3,))
        """
        given = sorted(self._checked(elements))
        vanishing = self._cocircuits[~self._cocircuits[:, given].any(axis=1)]
        return tuple(np.flatnonzero(~vanishing.any(axis=0)).tolist())

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Connected components: elements are together if some circuit has both.

        Loops and coloops are alone. Members ascending, components ordered by their first member.

        Examples
        --------
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
        """Whether there is at most one component: it is no direct sum of smaller ones."""
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
        >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
        >>> M.characteristic_polynomial()
        Poly(t**2 - 4*t + 3, t, domain='ZZ')
        """
        from sympy import Poly, Symbol  # loads slowly

        from arrangements.counting.polynomials import whitney_numbers  # loads numba
        from arrangements.oriented_matroids.matroid_flats import first_kind  # loads numba

        if self.matrix is None or self.loops:
            numbers_by_rank = first_kind(self)
        else:
            with warnings.catch_warnings():
                # the chirotope has taken the numbers as given already
                warnings.simplefilter("ignore", LowRankWarning)
                numbers_by_rank = list(whitney_numbers(Arrangement(self.matrix)))
        return Poly.from_list(numbers_by_rank, gens=Symbol("t"))

    # ------------------------------------------------------------------ sign vectors

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
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).cocircuits().tolist()
        [[-1, 0, -1], [-1, 1, 0], [0, -1, -1], [0, 1, 1], [1, -1, 0], [1, 0, 1]]
        """
        return np.concatenate([-self._cocircuits[::-1], self._cocircuits])

    def circuits(self) -> Signs:
        """Circuits: signs of the minimal linear dependencies; cocircuits of the dual.

        Returns
        -------
        (m, n) ndarray of int8
            As in `cocircuits`.

        Examples
        --------
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).circuits().tolist()
        [[-1, -1, 1], [1, 1, -1]]
        """
        return self.dual().cocircuits()

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

    def vectors(self) -> Signs:
        """Vectors: compositions of circuits, and zero; covectors of the dual.

        Returns
        -------
        (m, n) ndarray of int8
            As in `covectors`.

        Raises
        ------
        TooLargeError
            If they do not fit into memory; there may be nearly 3^n of them.

        Examples
        --------
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).vectors().tolist()
        [[-1, -1, 1], [0, 0, 0], [1, 1, -1]]
        """
        return self.dual()._compositions("the vectors, covectors of the dual")

    def topes(self) -> SignVectors:
        """Topes: covectors of full support, the chambers of an arrangement.

        Returns
        -------
        SignVectors
            With witnesses if there is a `matrix`.

        Raises
        ------
        DegenerateArrangementError
            If there are loops: topes are zero there, and packed sign vectors have no zeros.
        TooLargeError
            If they do not fit into memory.

        Examples
        --------
        >>> len(OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).topes())
        6
        """
        if self.loops:
            raise DegenerateArrangementError(
                f"elements {self.loops} are loops, at which every tope is zero; take "
                "M.deletion(M.loops).topes(), or the rows of M.covectors() with fewest zeros."
            )
        if self.matrix is not None:
            with warnings.catch_warnings():
                # the chirotope has taken the numbers as given already
                warnings.simplefilter("ignore", LowRankWarning)
                return chambers(Arrangement(self.matrix, labels=self.labels))
        *_, half = iter_levels(self.chirotope, self.n, self.rank)
        return SignVectors(pack_signs(ternary.decode(half, self.n)), self.n, half=self.n > 0)

    # ------------------------------------------------------------------ new from old

    def dual(self) -> OrientedMatroid:
        """Dual: its covectors are the vectors, its circuits the cocircuits.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.dual(), M.dual().dual() == M
        (OrientedMatroid(3 elements, rank 1), True)
        """
        return self._dual

    def deletion(self, elements: Label | Iterable[Label]) -> OrientedMatroid:
        """Without one or some elements; the others keep their order and are numbered from 0.

        For an arrangement this leaves out hyperplanes.

        Examples
        --------
        >>> OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]]).deletion([0]).circuits().shape
        (0, 2)
        """
        gone = self._checked(elements)
        kept = [e for e in range(self.n) if e not in gone]
        basis = self._basis_in(kept)
        matrix = None if self.matrix is None else self.matrix[kept]
        return self._minor(kept, [e for e in basis if e in gone], matrix=matrix)

    def contraction(self, elements: Label | Iterable[Label]) -> OrientedMatroid:
        """By one or some elements; the others keep their order and are numbered from 0.

        For an arrangement this is the restriction to the intersection of hyperplanes (elements in
        their span become loops).

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.contraction([0]).circuits().tolist()
        [[-1, 1], [1, -1]]
        """
        gone = self._checked(elements)
        basis = self._basis_in(sorted(gone))
        kept = [e for e in range(self.n) if e not in gone]
        return self._minor(kept, [e for e in basis if e in gone])

    def minor(
        self, contracted: Label | Iterable[Label] = (), deleted: Label | Iterable[Label] = ()
    ) -> OrientedMatroid:
        """Contraction by some elements and deletion of others, in either order.

        Parameters
        ----------
        contracted, deleted : element, or iterable of elements
            Without a common element. The others keep their order and are numbered from 0.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1], [2, 1]])
        >>> M.minor([0], [3]) == M.contraction([0]).deletion([2])
        True
        """
        gone, left_out = self._checked(contracted), self._checked(deleted)
        if gone & left_out:
            raise InputError(
                f"elements {sorted(gone & left_out)} are both contracted and deleted; expected one."
            )
        rest = [e for e in range(self.n) if e not in gone]
        places = [k for k, e in enumerate(rest) if e in left_out]
        labels = None
        if self.labels is not None:
            labels = tuple(self.labels[e] for e in rest if e not in left_out)
        found = self.unlabeled.contraction(gone).deletion(places)
        return OrientedMatroid(found.n, found.rank, found.chirotope, found.matrix, labels)

    def reorientation(self, elements: Label | Iterable[Label]) -> OrientedMatroid:
        """With one or some elements reversed.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.is_acyclic, M.reorientation([2]).is_acyclic
        (True, False)
        """
        reversed_ = self._checked(elements)
        factors = np.array([-1 if e in reversed_ else 1 for e in range(self.n)], np.int8)
        matrix = self.matrix
        if matrix is not None:
            exact = numbers.as_objects(matrix) if matrix.dtype == np.int64 else matrix
            turned = exact * factors[:, None]
            matrix = numbers.as_exact_matrix(turned, allow_no_rows=True, allow_no_columns=True)
        return self._minor(range(self.n), (), factors, matrix)

    def relabeling(self, order: Iterable[Label]) -> OrientedMatroid:
        """With other labels: element i of the new one is element ``order[i]`` of this one.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.relabeling([2, 0, 1]) == OrientedMatroid.from_matrix([[1, 1], [1, 0], [0, 1]])
        True
        """
        given = self._in_order(order, "order")
        if sorted(given) != list(range(self.n)):
            raise InputError(f"order is {quote(given)}; expected a permutation of range({self.n}).")
        return self._minor(given, (), matrix=None if self.matrix is None else self.matrix[given])

    # ------------------------------------------------------------------ comparison

    def isomorphism(self, other: OrientedMatroid, *, oriented: bool = True) -> Isomorphism | None:
        """Relabeling and reorientation that turn `other` into this one, if there are any.

        Parameters
        ----------
        other : OrientedMatroid
        oriented : bool
            False compares only the matroids below: signs do not count, and a relabeling takes
            bases to bases.

        Returns
        -------
        Isomorphism or None
            ``other.relabeling(f.relabeling).reorientation(f.reorientation) == self``; without
            orientation, ``other.relabeling(f.relabeling)`` has the bases of this one. This has
            been checked. None if they are not isomorphic.

        Notes
        -----
        Color refinement on elements and cocircuits with backtracking: O(n m) for each of a few
        rounds, where m is the number of cocircuits. Only very symmetric pairs that are not
        isomorphic take longer.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> N = OrientedMatroid.from_matrix([[-1, 1], [0, 1], [1, 0]])
        >>> f = M.isomorphism(N)
        >>> N.relabeling(f.relabeling).reorientation(f.reorientation) == M
        True
        """
        from arrangements.oriented_matroids.isomorphism import find_isomorphism  # loads numba

        if not isinstance(other, OrientedMatroid):
            raise InputError(f"other is {quote(other)}; expected an OrientedMatroid.")
        return find_isomorphism(self, other, check_flag("oriented", oriented))

    def is_isomorphic(self, other: OrientedMatroid, *, oriented: bool = True) -> bool:
        """Whether relabeling and reorientation turn `other` into this one; see `isomorphism`.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.is_isomorphic(M.reorientation([0])), M.is_isomorphic(M.dual())
        (True, False)
        """
        return self.isomorphism(other, oriented=oriented) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrientedMatroid):
            return NotImplemented
        if (self.n, self.rank) != (other.n, other.rank):
            return False
        same = np.array_equal(self.chirotope, other.chirotope)
        return same or np.array_equal(self.chirotope, -other.chirotope)

    def __hash__(self) -> int:
        first = self.chirotope[first_nonzero(self.chirotope)]
        return hash((self.n, self.rank, (self.chirotope * first).tobytes()))

    def __repr__(self) -> str:
        noun = "element" if self.n == 1 else "elements"
        return f"OrientedMatroid({self.n} {noun}, rank {self.rank})"

    def _repr_html_(self) -> str:
        names = self.names(range(self.n))
        subsets = zip(combinations(names, self.rank), self.chirotope, strict=True)
        rows = ([notebook.listing(subset), notebook.sign(int(s))] for subset, s in subsets)
        head = ["elements", "chirotope"]
        return notebook.card(repr(self), (), notebook.table(head, rows, len(self.chirotope)))

    # ------------------------------------------------------------------ parts

    @cached_property
    def _cocircuits(self) -> Signs:
        """One of each pair of cocircuits."""
        return distinct_cocircuits(self.chirotope, self.n, self.rank)

    @cached_property
    def _dual(self) -> OrientedMatroid:
        signs = dual_signs(self.chirotope, self.n, self.rank)
        return OrientedMatroid(self.n, self.n - self.rank, signs, labels=self.labels)

    @cached_property
    def _parallels(self) -> tuple[tuple[tuple[int, ...], ...], Signs]:
        """Parallel classes and signs: elements whose columns of cocircuits are proportional."""
        groups: dict[bytes, list[int]] = {}
        signs = np.zeros(self.n, np.int8)
        for e, column in enumerate(np.ascontiguousarray(self._cocircuits.T)):
            support = np.flatnonzero(column)
            if len(support):
                signs[e] = column[support[0]]
                groups.setdefault((column * signs[e]).tobytes(), []).append(e)
        classes = tuple(tuple(group) for group in groups.values())
        for group in classes:
            signs[list(group)] *= signs[group[0]]
        return classes, signs

    if not TYPE_CHECKING:  # it would hide misspelled names from type checkers

        def __getattr__(self, name: str) -> NoReturn:
            raise attribute_error(name, self)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"an OrientedMatroid is immutable; {name!r} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"an OrientedMatroid is immutable; {name!r} cannot be deleted")

    def _checked(self, elements: Label | Iterable[Label]) -> set[int]:
        """The elements as a set, given as one or several."""
        alone = isinstance(elements, str) or not isinstance(elements, Iterable)
        alone = alone or getattr(elements, "ndim", 1) == 0
        given: Any = [elements] if alone else elements
        return set(self._in_order(given, "elements"))

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

    def _minor(
        self,
        kept: Iterable[int],
        appended: Iterable[int],
        factors: Signs | None = None,
        matrix: Any = None,
    ) -> OrientedMatroid:
        chosen, behind = list(kept), list(appended)
        signs = minor_signs(self.chirotope, self.n, self.rank, chosen, factors, behind)
        labels = None if self.labels is None else tuple(self.labels[e] for e in chosen)
        return OrientedMatroid(len(chosen), self.rank - len(behind), signs, matrix, labels)


def as_vectors(W: ArrayLike | Arrangement, name: str) -> ExactArray:
    """Exact matrix of vectors: rows of an array, or normals of a central arrangement.

    Examples
    --------
    >>> as_vectors([[1, 0.5]], "W")
    array([[1. , 0.5]])
    """
    if not isinstance(W, Arrangement):
        return numbers.as_exact_matrix(W, name, allow_no_rows=True, allow_no_columns=True)
    if not W.is_central:
        raise InputError(
            f"{name} is {W}; expected a central one. Pass its cone, A.cone(): the rows (w_i, b_i) "
            "and, as the last element, the hyperplane at infinity."
        )
    return W.normals
