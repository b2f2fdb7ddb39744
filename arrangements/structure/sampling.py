"""Chambers drawn at random, all with the same probability."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.checks import check_integer, random_generator
from arrangements.core.arrangement import MatroidLike
from arrangements.core.questions import as_arrangement, number_of_rows, oriented_matroid_of
from arrangements.errors import InputError
from arrangements.exact.numbers import read_only
from arrangements.execution import limits
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.sets.packed import Signs, Words, unpack_signs, words_for
from arrangements.structure.descents import Descent

# Chambers up to which an arrangement is listed: 8 bytes and some microseconds for each.
_FEW = 1_000_000


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class ChamberSample:
    """Sign vectors of chambers in the order in which they were drawn, with repetition.

    `sample_chambers` returns this class.

    Attributes
    ----------
    packed : (size, words) ndarray of uint64, read-only
        As in `SignVectors`, but a row may come several times.
    arrangement : Arrangement or OrientedMatroid
    n : int

    Examples
    --------
    >>> from arrangements.algebra import sample_chambers
    >>> sample = sample_chambers([[1, 0], [0, 1]], 5, rng=0)
    >>> sample, len(sample), sample.to_array().shape
    (ChamberSample(5 of 2 signs), 5, (5, 2))
    """

    packed: Words
    arrangement: Any

    @property
    def n(self) -> int:
        """Number of signs in a sign vector."""
        return number_of_rows(self.arrangement)

    def to_array(self) -> Signs:
        """Sign vectors as rows.

        Returns
        -------
        (size, n) ndarray of int8
            Entries -1 and +1.
        """
        return unpack_signs(self.packed, self.n)

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, i: int) -> Signs:
        i = check_integer("i", i, -len(self), len(self) - 1)
        return np.asarray(unpack_signs(self.packed[i : i + 1 or None], self.n)[0])

    def __iter__(self) -> Iterator[Signs]:
        return iter(self.to_array())

    def __repr__(self) -> str:
        return f"ChamberSample({len(self)} of {self.n} signs)"


def sample_chambers(
    W: MatroidLike,
    size: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    rng: int | np.random.Generator | None = None,
) -> ChamberSample:
    """Draw chambers at random, independently and all with the same probability.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    size : int
        Number of draws.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank, within : optional
        As in `chambers`.
    rng : int or numpy.random.Generator, optional
        Seed or generator; default fresh entropy.

    Returns
    -------
    ChamberSample
        The sign vectors in the order of drawing; ``to_array()`` is (size, n).

    Raises
    ------
    InputError
        If no chamber meets `within`.

    See Also
    --------
    ChamberWalk : a random walk on the chambers, with other distributions.

    Notes
    -----
    The probabilities are exact: integers are drawn below exact counts. Up to a million chambers are
    listed. More are drawn by a random descent, by deletion and restriction: the number of chambers
    of the first k hyperplanes is that of the first k - 1 plus that of the restriction of these to
    hyperplane k. So k is drawn in proportion to the latter, a chamber of the restriction is drawn
    in the same way, and the chamber on its + side is taken; each further hyperplane that cuts it
    leaves the - side. The first draw counts the chambers of n restrictions, and every draw may
    count those of others (`count_chambers`); besides, a draw takes up to n questions `feasible`
    for each rank until few chambers are left. Mirrors of a reflection group need none of this: a
    chamber is drawn as the image of one under a random element, a product of representatives of
    cosets. Inside a polyhedron the restrictions are to its
    sections, and the chambers those that meet it.

    Examples
    --------
    >>> from arrangements.generators import braid, generic
    >>> sample = sample_chambers(braid(3), 600, rng=1)
    >>> rows, counts = np.unique(sample.to_array(), axis=0, return_counts=True)
    >>> len(rows), int(counts.min()) > 60
    (6, True)
    """
    size = check_integer("size", size, 0)
    generator = random_generator(rng)
    if (matroid := oriented_matroid_of(W, offsets, rank, within=within)) is not None:
        topes = matroid.topes()
        limits.check_bytes(f"{size} sign vectors", 8 * (words_for(matroid.n) + 2) * size)
        drawn = topes._full()[generator.integers(len(topes), size=size)]
        return ChamberSample(read_only(drawn), matroid)
    A = as_arrangement(W, offsets, rank)
    words = words_for(A.n_hyperplanes)
    limits.check_bytes(f"{size} sign vectors", 8 * (words + 2) * size)
    P = None if within is None else read_polyhedron(within, A)
    descent = Descent(A, _FEW, P)
    if size and not descent.count:
        raise InputError(f"within is {P}, which meets no chamber; expected one that meets some.")
    found = descent.draw(size, generator)
    return ChamberSample(read_only(found), A)
