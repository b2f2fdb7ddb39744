"""Oriented matroids: from vectors, chirotopes or topes; their sign vectors and minors."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, as_labels, labels_of
from arrangements.core.low_rank import check_rank, structure_of, warn_if_low_rank
from arrangements.core.questions import refuse_loops
from arrangements.core.rounding import print_format_of
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError, LowRankWarning
from arrangements.exact import coercion, numbers
from arrangements.messages import quote
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.chirotopes import Signs
from arrangements.oriented_matroids.covectors import iter_levels
from arrangements.oriented_matroids.from_signs import FromSigns
from arrangements.oriented_matroids.matroid import as_vectors
from arrangements.oriented_matroids.questions import Questions
from arrangements.sets import ternary
from arrangements.sets.packed import pack_signs
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from arrangements.oriented_matroids.isomorphism import Isomorphism


@public_class
class OrientedMatroid(Questions, FromSigns):
    """Oriented matroid on the elements 0, .., n - 1, immutable.

    Make one by `from_matrix`, `from_chirotope`, `from_chambers`, `from_circuits`,
    `from_cocircuits`, `from_vectors` or `from_covectors`. Loops and parallel or antiparallel
    elements are legal.

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

    # ------------------------------------------------------------------ made from

    @classmethod
    def from_matrix(cls, W: ArrangementLike, *, rank: int | None = None) -> OrientedMatroid:
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
        found, signs = chirotopes.matrix_signs(numbers.integer_rows(matrix), matrix.shape[1])
        if r is None:
            warn_if_low_rank(matrix, lambda: found, printed=print_format_of(W))
        labels = as_labels(labels_of(W, compared=False), len(matrix), distinct=False)
        return cls(len(matrix), found, signs, matrix, labels)

    @property
    def unlabeled(self) -> OrientedMatroid:
        """The same without labels, where integers can only be the numbers of elements."""
        return OrientedMatroid(self.n, self.rank, self.chirotope, self.matrix)

    # ------------------------------------------------------------------ sign vectors

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
        refuse_loops(self)
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
        gone = self._elements(elements)
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
        gone = self._elements(elements)
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
        gone, left_out = self._elements(contracted), self._elements(deleted)
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
        reversed_ = self._elements(elements)
        factors = np.array([-1 if e in reversed_ else 1 for e in range(self.n)], np.int8)
        matrix = self.matrix
        if matrix is not None:
            exact = numbers.as_objects(matrix) if matrix.dtype == np.int64 else matrix
            turned = exact * factors[:, None]
            matrix = coercion.as_exact_matrix(turned, allow_no_rows=True, allow_no_columns=True)
        return self._minor(range(self.n), (), factors, matrix)

    def relabeling(self, order: Iterable[Label]) -> OrientedMatroid:
        """With other labels: element i of the new one is element ``order[i]`` of this one.

        Examples
        --------
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> M.relabeling([2, 0, 1]) == OrientedMatroid.from_matrix([[1, 1], [1, 0], [0, 1]])
        True
        """
        permutation = self._in_order(order, "order")
        if sorted(permutation) != list(range(self.n)):
            raise InputError(
                f"order is {quote(permutation)}; expected a permutation of range({self.n})."
            )
        return self._minor(
            permutation, (), matrix=None if self.matrix is None else self.matrix[permutation]
        )

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

    def find_minor(
        self, other: OrientedMatroid, *, oriented: bool = True
    ) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Elements whose contraction and deletion leave `other`, up to isomorphism.

        Parameters
        ----------
        other : OrientedMatroid
        oriented : bool
            False compares only the matroids below.

        Returns
        -------
        tuple of two tuples of int, or None
            Contracted and deleted elements: ``self.minor(*found)`` is isomorphic to `other`. None
            if no minor is.

        Raises
        ------
        TooLargeError
            If it is expected to take hours.

        Notes
        -----
        Exact. Every minor is a contraction of independent elements, as many as the rank falls by,
        and a deletion [1]_ (proposition 3.3.7). All are compared with `isomorphism`, those with as
        many bases.

        References
        ----------
        .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
           2nd ed., Cambridge 1999.

        Examples
        --------
        >>> K4 = OrientedMatroid.from_matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0],
        ...                                   [0, 1, 1], [1, 1, 1]])
        >>> line = OrientedMatroid.from_chirotope(3, 2, "+++")
        >>> K4.find_minor(line), K4.find_minor(OrientedMatroid.from_chirotope(4, 2, "++++++"))
        (((0,), (1, 4)), None)
        """
        from arrangements.oriented_matroids.minors import find_minor  # loads numba

        if not isinstance(other, OrientedMatroid):
            raise InputError(f"other is {quote(other)}; expected an OrientedMatroid.")
        return find_minor(self, other, check_flag("oriented", oriented))

    def has_minor(self, other: OrientedMatroid, *, oriented: bool = True) -> bool:
        """Whether some minor is isomorphic to `other`; see `find_minor`.

        Examples
        --------
        >>> M = OrientedMatroid.from_chirotope(4, 2, "++++++")
        >>> M.has_minor(M.deletion([0])), M.deletion([0]).has_minor(M)
        (True, False)
        """
        return self.find_minor(other, oriented=oriented) is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OrientedMatroid):
            return NotImplemented
        if (self.n, self.rank) != (other.n, other.rank):
            return False
        same = np.array_equal(self.chirotope, other.chirotope)
        return same or np.array_equal(self.chirotope, -other.chirotope)

    def __hash__(self) -> int:
        first = self.chirotope[chirotopes.first_nonzero(self.chirotope)]
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
    def _dual(self) -> OrientedMatroid:
        signs = chirotopes.dual_signs(self.chirotope, self.n, self.rank)
        return OrientedMatroid(self.n, self.n - self.rank, signs, labels=self.labels)

    def _minor(
        self,
        kept: Iterable[int],
        appended: Iterable[int],
        factors: Signs | None = None,
        matrix: Any = None,
    ) -> OrientedMatroid:
        chosen, behind = list(kept), list(appended)
        signs = chirotopes.minor_signs(self.chirotope, self.n, self.rank, chosen, factors, behind)
        labels = None if self.labels is None else tuple(self.labels[e] for e in chosen)
        return OrientedMatroid(len(chosen), self.rank - len(behind), signs, matrix, labels)
