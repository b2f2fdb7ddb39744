"""Random walks on chambers: a random face after the other acts on a chamber."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import check_integer, random_generator
from arrangements.core.arrangement import MatroidLike
from arrangements.core.questions import (
    as_arrangement,
    number_of_rows,
    oriented_matroid_of,
    refuse_loops,
)
from arrangements.core.signs import as_signs, sign_values
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers
from arrangements.execution import limits
from arrangements.sets.packed import Signs, as_rows, pack_signs, positions
from arrangements.structure.derived import restriction
from arrangements.structure.descents import integer_below
from arrangements.structure.flat_orders import order_of_flats
from arrangements.structure.sampling import ChamberSample


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class ChamberWalk:
    """Random walk on chambers (Bidigare, Hanlon and Rockmore); `chamber_walk` makes it.

    Attributes
    ----------
    arrangement : Arrangement or OrientedMatroid
    faces : (m, n) ndarray of int8, read-only
    weights : tuple of Fraction
        Probabilities of the faces.

    Examples
    --------
    >>> from arrangements.algebra import chamber_walk
    >>> walk = chamber_walk([[1, 0], [0, 1]], ["+0", "-0", "0+", "0-"])
    >>> walk.eigenvalues()
    ((Fraction(1, 1), 1), (Fraction(1, 2), 2), (Fraction(0, 1), 1))
    >>> walk.path("++", 3, rng=0).to_array().shape
    (4, 2)
    """

    arrangement: Any
    faces: Signs
    weights: tuple[Fraction, ...]

    @cached_property
    def _sums(self) -> list[int]:
        """Sums of the first weights, over their common denominator."""
        scale = lcm(*(w.denominator for w in self.weights))
        return list(accumulate(int(w * scale) for w in self.weights))

    def path(
        self,
        start: ArrayLike | str | Mapping[Any, int],
        size: int,
        *,
        rng: int | np.random.Generator | None = None,
    ) -> ChamberSample:
        """Steps of the walk: from chamber C to F C, the chamber next to C that has face F.

        Parameters
        ----------
        start : sign vector
            A chamber.
        size : int
            Number of steps.
        rng : int or numpy.random.Generator, optional
            Seed or generator; default fresh entropy.

        Returns
        -------
        ChamberSample
            ``size + 1`` sign vectors, the first of which is `start`.

        Raises
        ------
        InputError
            If `start` is not a chamber.
        """
        A, n = self.arrangement, number_of_rows(self.arrangement)
        size, generator = check_integer("size", size, 0), random_generator(rng)
        limits.check_bytes(f"{size} sign vectors", 2 * size * (n + 8))
        signs = as_signs(start, n, A.labels)
        if not signs.all() or not _is_face(A, signs):
            raise InputError(f"start is {signs.tolist()}, which is not a chamber of {A!r}.")
        rows = np.empty((size + 1, n), np.int8)
        rows[0] = signs
        for k in range(size):
            face = self.faces[bisect(self._sums, integer_below(self._sums[-1], generator))]
            rows[k + 1] = np.where(face, face, rows[k])
        return ChamberSample(numbers.read_only(pack_signs(rows)), A)

    def eigenvalues(self) -> tuple[tuple[Fraction, int], ...]:
        """Eigenvalues of the transition matrix, the largest first, and their multiplicities.

        The flat X contributes the sum of the weights of the faces that it contains, as often as
        the absolute value of the Möbius function says [1]_. The walk is diagonalizable [2]_.

        Returns
        -------
        tuple of (Fraction, int)

        Raises
        ------
        TooLargeError
            If the flats do not fit.

        References
        ----------
        .. [1] P. Bidigare, P. Hanlon, D. Rockmore, Duke Math. J. 99 (1999) 135-174.
        .. [2] K. S. Brown, P. Diaconis, Ann. Probab. 26 (1998) 1813-1854.
        """
        zeros = [sum(1 << i for i in np.flatnonzero(face == 0).tolist()) for face in self.faces]
        found: Counter[Fraction] = Counter()
        for flat, mu in _flats(self.arrangement):
            inside = (w for z, w in zip(zeros, self.weights, strict=True) if flat & ~z == 0)
            found[sum(inside, start=Fraction(0))] += abs(mu)
        return tuple(sorted(found.items(), reverse=True))

    def transition_matrix(self) -> NDArray[Any]:
        """Probabilities of the steps between all chambers.

        Returns
        -------
        (N, N) ndarray of Fraction
            Entry (i, j) is the probability of a step from chamber i to chamber j of
            ``chambers(arrangement)``.

        Raises
        ------
        TooLargeError
            If N * N entries do not fit.
        """
        S = chambers(self.arrangement)
        n = len(S)
        limits.check_bytes(f"a matrix of {n} x {n} entries", 100 * n * n)
        signs, found = S.to_array(), np.full((n, n), Fraction(0), object)
        packed = pack_signs(signs)
        for face, w in zip(self.faces, self.weights, strict=True):
            next_ones = positions(pack_signs(np.where(face, face, signs)), packed)
            found[np.arange(n), next_ones] += w
        return found

    def __repr__(self) -> str:
        return f"ChamberWalk({len(self.faces)} faces, {self.arrangement})"


def chamber_walk(
    W: MatroidLike,
    faces: ArrayLike | Sequence[str],
    *,
    offsets: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    rank: int | None = None,
) -> ChamberWalk:
    """Random walk on chambers by weights of faces (Bidigare, Hanlon and Rockmore).

    A step from chamber C draws a face F and goes to the chamber F C, which has F in its closure and
    otherwise the signs of C.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    faces : (m, n) array_like of -1, 0, 1, or sequence of strings
        Sign vectors of faces.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    weights : (m,) array_like, optional
        Not negative, and not all 0; divided by their sum, the probabilities of the faces. Default:
        all the same.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    ChamberWalk
        With ``path(start, size)``, ``eigenvalues()`` and ``transition_matrix()``, all exact.

    Raises
    ------
    InputError
        If some row of `faces` is no face.

    See Also
    --------
    sample_chambers : all chambers with the same probability.
    covectors : all faces.

    References
    ----------
    .. [1] P. Bidigare, P. Hanlon, D. Rockmore, A combinatorial description of the spectrum for the
       Tsetlin library and its generalization to hyperplane arrangements, Duke Math. J. 99 (1999)
       135-174.

    Examples
    --------
    The Tsetlin library: a book is taken and put in front of the others.

    >>> from arrangements.generators import braid
    >>> chamber_walk(braid(3), ["++0", "-0+", "0--"], weights=[3, 2, 1]).eigenvalues()
    ((Fraction(1, 1), 1), (Fraction(1, 2), 1), (Fraction(1, 3), 1), (Fraction(1, 6), 1), \
(Fraction(0, 1), 2))
    """
    A = oriented_matroid_of(W, offsets, rank)
    if A is None:
        A = as_arrangement(W, offsets, rank)
    else:
        refuse_loops(A)
    n = number_of_rows(A)
    rows = as_rows([faces] if isinstance(faces, str) else faces, "faces")
    if rows.ndim == 1 and len(rows) and isinstance(rows[0], str):
        rows = np.array([as_signs(row, n) for row in rows])
    signs = sign_values(rows, "faces")
    if signs.ndim != 2 or signs.shape[1] != n or not len(signs):
        raise InputError(f"faces has shape {signs.shape}; expected (m, {n}), one or more rows.")
    for k, face in enumerate(signs):
        if not _is_face(A, face):
            raise InputError(f"faces[{k}] is {face.tolist()}, which is no face of {A!r}.")
    return ChamberWalk(A, numbers.read_only(signs), _probabilities(weights, len(signs)))


def _probabilities(weights: ArrayLike | None, m: int) -> tuple[Fraction, ...]:
    if weights is None:
        return (Fraction(1, m),) * m
    found = numbers.fractions(coercion.as_exact_vector(weights, m, "weights"))
    if min(found) < 0 or not any(found):
        raise InputError("weights holds a negative number, or only 0; expected weights of faces.")
    total = sum(found)
    return tuple(weight / total for weight in found)


def _flats(A: Any) -> Iterator[tuple[int, int]]:
    """Flats, as sets of bits of hyperplanes, and their Möbius functions."""
    if oriented_matroid_of(A) is not None:
        for _, flat in A.intersection_poset().nodes(data=True):
            yield sum(1 << e for e in flat["hyperplanes"]), flat["mobius"]
        return
    order = order_of_flats(A)
    mobius = order.inverted((order.ranks == 0).astype(np.int64)[:, None])[:, 0].tolist()
    leads = sum(1 << members[0] for members in A.coincident_classes)
    for flat, mu in zip(order.members, mobius, strict=True):
        yield flat & leads, mu


def _is_face(A: Any, face: Signs) -> bool:
    """Whether some point has these signs, or they are a covector."""
    if oriented_matroid_of(A) is not None:
        return bool((A.covectors() == face).all(axis=1).any())
    zeros = np.flatnonzero(face == 0).tolist()
    try:
        on = restriction(A, zeros)
    except InputError:  # no point is on all of these hyperplanes
        return False
    constant = [i for i, place in enumerate(on.position) if place < 0]
    if any(on.orientation[i] != face[i] for i in constant):
        return False
    return bool(feasible(on.arrangement, face[list(on.rows)]))
