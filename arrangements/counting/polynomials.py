"""Counting without listing: the characteristic polynomial and what it tells."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike

from arrangements.checks import as_list, check_flag, check_integer, check_max_hours, check_option
from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.counting.records import without_infinity
from arrangements.errors import InputError
from arrangements.exact.numbers import primitive
from arrangements.execution import limits
from arrangements.execution.clusters import check_client
from arrangements.execution.progress import with_progress
from arrangements.files.folder import folder_at
from arrangements.forecast.hours import Watch, check_hours
from arrangements.forecast.sizes import looks_generic
from arrangements.log import logger
from arrangements.messages import short_number

if TYPE_CHECKING:
    from sympy import Poly

    from arrangements.counting.restrictions import Restrictions

# About how many restrictions to flats in general position, and operations of any, take a second.
_RESTRICTIONS_PER_SECOND, OPERATIONS_PER_SECOND = 2e5, 5e7

Symmetry = Iterable[Sequence[int]]


def characteristic_polynomial(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    symmetry: Symmetry | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> Poly:
    """Characteristic polynomial of a hyperplane arrangement.

    ``chi(t) = sum mu(X) t**dim(X)`` over the flats X of the arrangement in R^d, where mu is the
    Möbius function of the intersection poset. Equal hyperplanes count once; a row that is not a
    hyperplane (zero normal, constant sign) does not count.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        Of an oriented matroid, which may have no matrix, the flats are listed.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    symmetry : iterable of permutations of range(n), optional
        Generators of a group that permutes the hyperplanes and the flats: entry i is the number of
        the image of hyperplane i. They are checked exactly: linear (or affine) maps at once, others
        by the flats of the largest rank but one. Only one hyperplane of each orbit is restricted
        to. Most of what a linear symmetry saves is saved without it, too.
    checkpoint : str or path-like, optional
        A folder, which is made, or a URL that fsspec knows. Restrictions are kept there instead of
        in memory, level by level, and the same call goes on after an interruption. Symmetries are
        then found, not taken from `symmetry`.
    workers : int
        Threads of this process.
    client : distributed.Client, optional
        Make the restrictions as tasks of this Dask cluster instead; its workers reach
        `checkpoint`, which must be given.
    progress : bool
        Count restrictions on stderr.
    max_hours : float, optional
        Refuse a computation that is expected to take more hours; default a day. Outside general
        position this is predicted after the first third of a second, or up to a minute, and again
        whenever the work has doubled.

    Returns
    -------
    sympy.Poly
        In ``t``, with integer coefficients, of degree d.

    Raises
    ------
    InputError
        If an argument is invalid, or a permutation is not a symmetry.
    TooLargeError
        If it is expected to take more than `max_hours`.

    See Also
    --------
    betti_numbers, whitney_numbers, count_bounded

    Notes
    -----
    Exact: computed modulo primes whose product exceeds every coefficient and every minor
    (Hadamard), so that a zero modulo the primes is a zero. Restrictions to flats are made level by
    level, and those recognized as linear images of each other are merged. The averaged form of
    Weisner's theorem [1]_ ``|X| mu(X) = - sum |X - Y| mu(Y)``, over the flats Y that X covers,
    needs nothing else (docs/algorithms.md). Arrangements with many symmetries have few states:
    resonance(8), with 419,172,756,930 chambers, has 221 in codimension 4. Without coincidences or
    symmetries there are C(n, r - 3) states of n - r + 3 rows, where r is the rank. A rank of at
    most 2 needs no computation. Compare deletion and restriction with symmetries [2]_.

    References
    ----------
    .. [1] L. Weisner, Trans. Amer. Math. Soc. 38 (1935) 474-484.
    .. [2] T. Brysiewicz, H. Eble, L. Kühne, Discrete Comput. Geom. 70 (2023) 1356-1377.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> characteristic_polynomial(braid(4))
    Poly(t**4 - 6*t**3 + 11*t**2 - 6*t, t, domain='ZZ')
    >>> characteristic_polynomial([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    Poly(t**2 - 3*t + 3, t, domain='ZZ')
    """
    from sympy import Poly, Symbol  # loads slowly

    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        polynomial: Poly = matroid.characteristic_polynomial()
        return polynomial
    arrangement = as_arrangement(W, offsets, rank)
    signed = _whitney(arrangement, 1, symmetry, checkpoint, workers, client, progress, max_hours)
    zeros = [0] * (arrangement.dimension + 1 - len(signed))
    return Poly.from_list(signed + zeros, gens=Symbol("t"))


def betti_numbers(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    symmetry: Symmetry | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    transcript: bool = False,
    primes: int = 0,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> tuple[int, ...]:
    """Betti numbers of the complement of the complexified arrangement.

    They are the absolute values of the coefficients of the characteristic polynomial, and the
    dimensions of the Orlik-Solomon algebra (Orlik and Solomon 1980). The k-th counts the sets of k
    hyperplanes without broken circuit, and their sum is the number of chambers (Zaslavsky 1975).

    Parameters
    ----------
    W, offsets, rank, symmetry, checkpoint, workers, client, progress, max_hours
        As in `characteristic_polynomial`.
    transcript : bool
        Keep the states of all levels in `checkpoint`, so that `check_count` can do each task
        again.
    primes : int
        Compute with other primes, as a second way: 0 takes the largest, any other number the primes
        that a generator with this seed draws.

    Returns
    -------
    tuple of int
        b_0 = 1, b_1 (the number of distinct hyperplanes), .., b_r, where r is the rank.

    See Also
    --------
    check_count : Check a folder that was `checkpoint`.

    Notes
    -----
    A complete count leaves ``record.json`` in `checkpoint`: a digest of the rows, the numbers, the
    primes, what each level took, and the theorems that the numbers were compared with. A folder
    that fills up is refused room for the rest of a level as soon as that can be predicted; nothing
    is lost, and the same call goes on where there is more.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> betti_numbers(resonance(5))
    (1, 31, 375, 2130, 5270, 3485)
    """
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        return tuple(map(abs, matroid.whitney_numbers()))
    arrangement = as_arrangement(W, offsets, rank)
    check_integer("primes", primes, 0)
    if check_flag("transcript", transcript) and checkpoint is None:
        raise InputError("transcript is given without checkpoint; pass the folder that keeps it.")
    signed = _whitney(
        arrangement,
        1,
        symmetry,
        checkpoint,
        workers,
        client,
        progress,
        max_hours,
        seed=primes,
        transcript=transcript,
    )
    return tuple(map(abs, signed))


def whitney_numbers(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    kind: Literal[1, 2] = 1,
    symmetry: Symmetry | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> tuple[int, ...]:
    """Whitney numbers of the intersection poset.

    Parameters
    ----------
    W, offsets, rank, symmetry, checkpoint, workers, client, progress, max_hours
        As in `characteristic_polynomial`.
    kind : {1, 2}
        First kind: ``w_k``, the sum of the Möbius function over the flats of rank (codimension) k;
        its sign is (-1)^k. Second kind: ``W_k``, the number of these flats.

    Returns
    -------
    tuple of int
        Entry k belongs to rank k = 0, .., r.

    Notes
    -----
    The second kind is counted like the first, without listing flats, but with n + 1 weights per
    state instead of one. A weight is the probability that a random order of the hyperplanes through
    a flat spans a smaller flat on its way; they add up to 1 for each flat (docs/algorithms.md).

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> whitney_numbers(braid(4)), whitney_numbers(braid(4), kind=2)
    ((1, -6, 11, -6), (1, 6, 7, 1))
    """
    check_option("kind", kind, (1, 2))
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        return tuple(matroid.whitney_numbers(kind))
    arrangement = as_arrangement(W, offsets, rank)
    found = _whitney(arrangement, kind, symmetry, checkpoint, workers, client, progress, max_hours)
    return tuple(found)


def count_bounded(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    symmetry: Symmetry | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the relatively bounded chambers: those bounded in the essentialization.

    Parameters
    ----------
    W, offsets, rank, symmetry, checkpoint, workers, client, progress, max_hours
        As in `characteristic_polynomial`.

    Returns
    -------
    int
        ``|chi(1)|`` (Zaslavsky 1975): 0 for a central arrangement with a hyperplane; 1 for
        one without hyperplanes, whose essentialization is a point.

    Examples
    --------
    >>> count_bounded([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    1
    """
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        return abs(sum(matroid.whitney_numbers()))
    arrangement = as_arrangement(W, offsets, rank)
    signed = _whitney(arrangement, 1, symmetry, checkpoint, workers, client, progress, max_hours)
    return abs(sum(signed))


def count_by_polynomial(
    arrangement: Arrangement, progress: bool, max_hours: float | None = None, workers: int = 1
) -> int:
    """Count the chambers: ``|chi(-1)|`` (Zaslavsky 1975)."""
    signed = _whitney(arrangement, 1, None, None, workers, None, progress, max_hours)
    return sum(map(abs, signed))


def restrictions_of(arrangement: Arrangement, workers: int = 1) -> tuple[Restrictions, bool]:
    """The computation of the Whitney numbers of the first kind, and whether it is for the cone.

    See `without_infinity`.
    """
    rows, affine = _hyperplanes(arrangement)
    return _restrictions(rows, False, workers), affine


def _whitney(
    arrangement: Arrangement,
    kind: int,
    symmetry: Symmetry | None,
    checkpoint: str | os.PathLike[str] | None,
    workers: int,
    client: Any,
    progress: bool,
    max_hours: float | None,
    seed: int = 0,
    transcript: bool = False,
) -> list[int]:
    """Whitney numbers of a kind, those of the first one with their signs."""
    if checkpoint is not None:
        folder_at(checkpoint)  # refuse a bad name before any work
        checkpoint = os.fspath(checkpoint)
    check_client(client)
    if client is not None and checkpoint is None:
        raise InputError(
            "client is given without checkpoint; pass a folder that the workers of the cluster "
            "reach: they keep the restrictions there."
        )
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    _check_hours(arrangement, _RESTRICTIONS_PER_SECOND / (1 if kind == 1 else 5), max_hours)

    def compute(
        rows: list[list[int]], orbits: list[list[int]] | None, checkpoint: str | None
    ) -> list[int]:
        found = _restrictions(
            rows, kind == 2, workers, orbits, checkpoint, client, seed, transcript
        )
        what = f"restricting {len(rows)} hyperplanes to all flats that differ"
        logger.info("%s, threads: %d", what, workers)
        watch, pace = Watch(what, max_hours), OPERATIONS_PER_SECOND * min(workers, 2**20)
        left = _TimeLeft(found)
        for _ in with_progress(found.portions(), progress, None, int, "restrictions", left=left):
            # the first restrictions do not show how many will be merged
            made, sure = found.operations, found.is_predictable
            watch.look(made / pace, lambda: (made + found.remaining()) / pace, sure)  # noqa: B023
        found.keep_record(affine)
        return found.numbers

    rows, affine = _hyperplanes(arrangement)
    numbers = compute(rows, _orbits(rows, arrangement, symmetry, affine), checkpoint)
    if kind == 1:
        numbers = without_infinity(numbers) if affine else numbers
        return [(-1) ** k * number for k, number in enumerate(numbers)]
    if not affine:
        return numbers
    # flats of the cone at infinity, which are those of the parallel classes, do not count
    classes = arrangement.parallel_classes
    directions = [primitive(arrangement.integer_rows[group[0]][:-1]) for group in classes]
    below = None if checkpoint is None else f"{checkpoint.rstrip('/')}/at-infinity"
    at_infinity = compute(directions, None, below)
    return [number - lost for number, lost in zip(numbers, [0, *at_infinity], strict=True)][:-1]


def _restrictions(
    rows: list[list[int]],
    second: bool,
    workers: int = 1,
    orbits: list[list[int]] | None = None,
    checkpoint: str | None = None,
    client: Any = None,
    seed: int = 0,
    transcript: bool = False,
) -> Restrictions:
    """The computation for distinct primitive rows, in memory or in a folder."""
    most_bytes = limits.available_bytes()
    if checkpoint is None:
        from arrangements.counting.restrictions import MemoryRestrictions  # loads numba

        return MemoryRestrictions(rows, second, most_bytes, workers, orbits, seed)
    from arrangements.counting.stored_restrictions import StoredRestrictions  # seldom needed

    return StoredRestrictions(
        rows, second, most_bytes, checkpoint, workers, client, seed, transcript
    )


class _TimeLeft:
    """Hours that a computation still takes, at the pace so far; None where nobody knows."""

    def __init__(self, found: Restrictions) -> None:
        self._found, self._began, self._before = found, time.monotonic(), -1.0

    def __call__(self) -> float | None:
        found = self._found
        if self._before < 0:  # what a folder held was not made now
            self._began, self._before = time.monotonic(), found.operations
        made = found.operations - self._before
        if made <= 0 or not found.is_predictable:
            return None
        return found.remaining() / made * (time.monotonic() - self._began) / 3600


def _check_hours(arrangement: Arrangement, pace: float, max_hours: float | None) -> None:
    """Predict the restrictions to flats: in general position none are merged.

    (Except with at most rank + 1 hyperplanes, where they are linear images of each other.)
    """
    check_max_hours(max_hours)
    n = len(arrangement.coincident_classes)
    if n <= arrangement.rank + 1:
        return
    levels = arrangement.rank + (not arrangement.is_central) - 2
    number = sum(comb(n, k) * (n - k) for k in range(levels))
    if number > 3600 * pace * min(1, max_hours or 1) and looks_generic(arrangement):
        what = f"about {short_number(number)} restrictions are expected; making them"
        check_hours(what, number, pace, max_hours)


def _hyperplanes(arrangement: Arrangement) -> tuple[list[list[int]], bool]:
    """Primitive rows of the distinct hyperplanes; an affine arrangement's cone, infinity first."""
    rows = [arrangement.integer_rows[group[0]] for group in arrangement.coincident_classes]
    if arrangement.is_central:
        return [list(row[:-1]) for row in rows], False
    return [[0] * arrangement.dimension + [1], *(list(row) for row in rows)], True


def _orbits(
    rows: list[list[int]], arrangement: Arrangement, symmetry: Symmetry | None, affine: bool
) -> list[list[int]] | None:
    """Orbits of the rows under symmetries of the caller's hyperplanes; None if none are given."""
    generators = (
        [] if symmetry is None else as_list("symmetry", symmetry, "permutations of the hyperplanes")
    )
    if not generators:
        return None
    from arrangements.counting.symmetries import as_permutation, orbits  # loads networkx

    classes = arrangement.coincident_classes
    of_row = {i: number for number, group in enumerate(classes) for i in group}
    shift = int(affine)  # the hyperplane at infinity stays
    permutations = []
    for number, generator in enumerate(generators):
        images = as_permutation(generator, arrangement.n_hyperplanes, f"symmetry[{number}]")
        found = [{of_row.get(images[i], -1) for i in group} for group in classes]
        if any(len(group) > 1 or -1 in group for group in found):
            raise InputError(
                f"symmetry[{number}] does not take equal hyperplanes to equal hyperplanes."
            )
        permutations.append([*range(shift), *(group.pop() + shift for group in found)])
    return orbits(rows, permutations)
