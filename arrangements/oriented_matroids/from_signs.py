"""Making oriented matroids from signs: a chirotope, or all sign vectors of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Self

from numpy.typing import ArrayLike

from arrangements.errors import InputError
from arrangements.oriented_matroids import chirotopes
from arrangements.oriented_matroids.covectors import signs_from_topes
from arrangements.oriented_matroids.matroid import Matroid
from arrangements.sets.sign_vectors import SignVectors

SignRows = ArrayLike | Sequence[str]


class FromSigns(Matroid):
    """Class methods that make an oriented matroid from its chirotope or sign vectors."""

    @classmethod
    def from_chirotope(
        cls, n: int, rank: int, values: ArrayLike | str | Mapping[tuple[int, ...], int]
    ) -> Self:
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
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_chirotope(3, 2, {(0, 1): 1, (1, 2): 1, (0, 2): 1})
        OrientedMatroid(3 elements, rank 2)
        """
        signs = chirotopes.as_chirotope(n, rank, values)
        n, rank = index(n), index(rank)
        check = chirotopes.check_signs(signs, n, rank)
        if not check:
            raise InputError(f"values is not a chirotope: {check.reason}.")
        return cls(n, rank, signs)

    @classmethod
    def from_chambers(cls, topes: SignVectors | SignRows) -> Self:
        """Oriented matroid with given topes, which determine it.

        Parameters
        ----------
        topes : SignVectors, (m, n) array_like of -1, 0, 1, or sequence of str
            All of them, in any order; a text is like ``"+-"``. Columns of zeros are loops.

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
        >>> from arrangements import OrientedMatroid, chambers
        >>> S = chambers([[1, 0], [0, 1], [1, 1]])
        >>> OrientedMatroid.from_chambers(S).chirotope.tolist()
        [1, 1, -1]
        >>> OrientedMatroid.from_chambers(["++", "+-", "-+", "--"])
        OrientedMatroid(2 elements, rank 2)
        """
        labels = getattr(getattr(topes, "arrangement", None), "labels", None)
        return cls(*signs_from_topes(topes), labels=labels)

    @classmethod
    def from_cocircuits(cls, cocircuits: SignRows) -> Self:
        """Oriented matroid with given cocircuits, whose axioms are checked.

        Parameters
        ----------
        cocircuits : (m, n) array_like of -1, 0, 1, or sequence of str
            All of them, X and -X for each X, in any order. A text is like ``"+0-"``. For n loops
            ``np.zeros((0, n))``.

        Returns
        -------
        OrientedMatroid
            With the sign + at the first basis.

        Raises
        ------
        InputError
            If an axiom is violated [1]_ (definition 3.2.1); the message names the sign vectors.

        Notes
        -----
        Exact. They determine a chirotope, whose axioms are checked, and whose cocircuits are
        compared. An instance of a violated axiom is looked for only if this fails.

        References
        ----------
        .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
           2nd ed., Cambridge 1999.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_cocircuits(["0++", "+0+", "+-0", "0--", "-0-", "-+0"])
        >>> M, M.chirotope.tolist()
        (OrientedMatroid(3 elements, rank 2), [1, 1, -1])
        """
        from arrangements.oriented_matroids.axioms import signs_from_cocircuits  # loads numba

        return cls(*signs_from_cocircuits(cocircuits, "cocircuits"))

    @classmethod
    def from_circuits(cls, circuits: SignRows) -> Self:
        """Oriented matroid with given circuits, whose axioms are checked.

        Parameters
        ----------
        circuits : (m, n) array_like of -1, 0, 1, or sequence of str
            All of them, X and -X for each X, in any order. For n coloops ``np.zeros((0, n))``.

        Returns
        -------
        OrientedMatroid

        Raises
        ------
        InputError
            As in `from_cocircuits`: they are the cocircuits of the dual.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_circuits(["++-", "--+"])
        OrientedMatroid(3 elements, rank 2)
        """
        from arrangements.oriented_matroids.axioms import signs_from_cocircuits  # loads numba

        return cls(*signs_from_cocircuits(circuits, "circuits"))

    @classmethod
    def from_covectors(cls, covectors: SignRows) -> Self:
        """Oriented matroid with given covectors, whose axioms are checked.

        Parameters
        ----------
        covectors : (m, n) array_like of -1, 0, 1, or sequence of str
            All of them, zero included, in any order.

        Returns
        -------
        OrientedMatroid
            With the sign + at the first basis.

        Raises
        ------
        InputError
            If an axiom is violated [1]_ (definition 3.7.1): zero, negatives, compositions,
            elimination. The message names the sign vectors.

        References
        ----------
        .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. Ziegler, Oriented Matroids,
           2nd ed., Cambridge 1999.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
        >>> OrientedMatroid.from_covectors(M.covectors()) == M
        True
        """
        from arrangements.oriented_matroids.axioms import signs_from_covectors  # loads numba

        return cls(*signs_from_covectors(covectors, "covectors"))

    @classmethod
    def from_vectors(cls, vectors: SignRows) -> Self:
        """Oriented matroid with given vectors, whose axioms are checked.

        Parameters
        ----------
        vectors : (m, n) array_like of -1, 0, 1, or sequence of str
            All of them, zero included, in any order.

        Returns
        -------
        OrientedMatroid

        Raises
        ------
        InputError
            As in `from_covectors`: they are the covectors of the dual.

        Examples
        --------
        >>> from arrangements import OrientedMatroid
        >>> OrientedMatroid.from_vectors(["000", "++-", "--+"]).chirotope.tolist()
        [1, 1, -1]
        """
        from arrangements.oriented_matroids.axioms import signs_from_covectors  # loads numba

        return cls(*signs_from_covectors(vectors, "vectors"))
