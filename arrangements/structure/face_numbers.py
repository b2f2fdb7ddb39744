"""Numbers of faces by dimension: from the faces, or from flats or walls without listing faces."""

from __future__ import annotations

from collections import Counter

from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.forecast.hours import check_hours
from arrangements.forecast.sizes import expected_faces, expected_flats, most_faces
from arrangements.messages import short_number
from arrangements.polyhedra.reading import Within
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure import chamber_sets
from arrangements.structure.faces import (
    BLOCK_FACES,
    Faces,
    descend,
    expected_faces_within,
    faces_of,
    first_faces,
)
from arrangements.structure.flat_orders import faces_by_flats
from arrangements.structure.mirrors import faces_of_mirrors

# Faces found in a second, about.
_FACES_PER_SECOND = 1e6
# Faces from which on they are not listed, if there are more than so many for each flat, which takes
# as long (the mirrors of E7, threshold(5), resonance(6)).
_MANY_FACES, _FACES_PER_FLAT = 500_000, 50


def f_vector(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> tuple[int, ...]:
    """Numbers of faces by dimension.

    Parameters
    ----------
    W, offsets, rank, within
        As in `covectors`.
    workers : int
        Threads that count the faces of listed chambers.
    progress : bool
        Show on standard error how many faces were counted.
    max_hours : float, optional
        Refuse a count that is expected to take more hours; default a day.

    Returns
    -------
    tuple of int
        Entry k is the number of faces of dimension k, 0 <= k <= d, where d is the dimension of the
        space: the last entry counts the chambers, the first the `vertices`, and entries below d
        minus the rank are 0. (An oriented matroid, with a matrix or without, and sign vectors
        without an arrangement count as essential: dimensions are ranks, 0 <= k <= r.) Inside a
        polyhedron P, the faces that meet its relative interior by the dimension of their parts in
        P, 0 <= k <= dim P; no entry if P is empty.

    See Also
    --------
    whitney_numbers : numbers of flats, without listing.
    covectors, iter_faces : the faces themselves.

    Notes
    -----
    Exact. Many faces are not listed: those of a reflection arrangement are cosets of subgroups that
    walls of one chamber generate [2]_; where flats are few, their Möbius function tells how many
    chambers the restriction to each has [1]_. Euler's relation
    ``sum((-1)**k * f[k]) == (-1)**d`` holds, in central and affine arrangements [1]_, and inside
    a polyhedron of dimension d.

    References
    ----------
    .. [1] T. Zaslavsky, Facing up to arrangements, Mem. Amer. Math. Soc. 154 (1975).
    .. [2] J. E. Humphreys, Reflection Groups and Coxeter Groups, Cambridge 1990, section 1.15.

    Examples
    --------
    >>> f_vector([[1, -1, 0], [1, 0, -1], [0, 1, -1]])
    (0, 1, 6, 6)
    >>> f_vector([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    (3, 9, 7)
    >>> f_vector([[1, 0], [0, 1]], within=([[1, 1]], [-1]))
    (0, 2, 3)
    """
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    check_max_hours(max_hours)
    subject = chamber_sets.arrangement_or_set(W, offsets, rank)
    if not isinstance(subject, SignVectors):
        if within is None and (found := _faces_without_listing(subject)) is not None:
            return (*(0,) * (subject.dimension - subject.rank), *reversed(found))
        _check_hours(subject, within, workers, max_hours)
    start = first_faces(subject, None, None, within)
    first = faces_of(start.chambers)
    parts = in_order(_count_below, first.below(BLOCK_FACES), workers)
    parts = with_progress(parts, progress, None, Counter.total, "faces")
    counts = sum(parts, Counter({0: len(first)}))
    top = max(counts) if start.dimension is None else start.dimension
    return tuple(counts[top - k] for k in range(top + 1))


def _faces_without_listing(A: Arrangement) -> list[int] | None:
    """Numbers of faces by codimension, where this takes less time than to list the faces."""
    if most_faces(A) < _MANY_FACES or (number := expected_faces(A)) < _MANY_FACES:
        return None
    if A.is_central and (found := faces_of_mirrors(A)) is not None:
        return found
    if expected_flats(A, A.rank) * _FACES_PER_FLAT > number:
        return None
    try:
        return faces_by_flats(A)
    except TooLargeError:  # listing needs less memory
        return None


def _count_below(faces: Faces) -> Counter[int]:
    """Count faces of codimension 1, and all faces that are found from them, by codimension."""
    counts: Counter[int] = Counter()
    for codimension, part in descend(faces, codimension=1):
        counts[codimension] += len(part)
    return counts


def _check_hours(
    W: Arrangement, within: Within | None, workers: int, max_hours: float | None
) -> None:
    """Refuse to count faces for longer than is allowed."""
    harmless = 3600 * _FACES_PER_SECOND * min(1, max_hours or 1)
    if most_faces(W) > harmless and (number := expected_faces_within(W, within)):
        what = f"about {short_number(number)} faces are expected; counting them"
        check_hours(what, number, workers * _FACES_PER_SECOND, max_hours)
