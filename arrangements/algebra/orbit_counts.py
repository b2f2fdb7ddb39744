"""Numbers of chambers, or rankings, up to a group of symmetries, without listing them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.algebra.mirror_search import Row, all_mirrors, normal_row, reflection_direction
from arrangements.checks import as_list, check_flag, check_integer, check_option
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import as_score_model, of_pairs
from arrangements.counting.polynomials import betti_numbers
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import fractions, primitive
from arrangements.messages import quote
from arrangements.structure.derived import union
from arrangements.structure.result import AffineMap

Matrix = tuple[Row, ...]
Group = (
    Literal["auto"] | tuple[Literal["B", "D", "S"], Sequence[int]] | ArrangementLike | Sequence[Any]
)
Options = dict[str, Any]

# Most elements of a group given by maps: all of them are made.
_MOST_ELEMENTS = 20_000


def count_orbits(
    W: ArrangementLike,
    group: Group = "auto",
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    rankings: bool = False,
    checkpoint: str | os.PathLike[str] | None = None,
    primes: int = 0,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the orbits of the chambers, or rankings, under a finite group, without listing them.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    group : {"auto"}, tuple, (m, d) array_like, Arrangement, or sequence of maps
        "auto": all reflections that permute the hyperplanes, `mirrors`, generate it.
        ``("S", coordinates)`` permutes these coordinates of the points, "D" also reverses an even
        number of them, and "B" any number. Rows, or an Arrangement (with offsets), are the mirrors
        of all reflections of a group; they need not be orthogonal: the reflection at a mirror is
        the one that permutes the hyperplanes. A sequence of (d, d) matrices, or of `AffineMap`,
        generates any finite group.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    rankings : bool
        Count orbits of the rankings of the scores ``W x + offsets``: the maps must permute the
        labels, up to one function that is added to all scores.
    checkpoint, primes, workers, client, progress, max_hours
        As in `betti_numbers`.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If a map of the group does not permute the hyperplanes (labels), or a mirror is missing.
    TooLargeError
        If maps generate more than 20,000 elements, or it is expected to take more than `max_hours`.

    See Also
    --------
    mirrors : of the group of "auto".
    chamber_orbits : orbits of listed chambers.

    Notes
    -----
    Exact. A reflection group acts simply transitively on the pieces into which its mirrors cut the
    chambers of one orbit, so the orbits are the chambers of both arrangements together, divided by
    the order of the group, the number of chambers of the mirrors [1]_: one characteristic
    polynomial. In any other group a map keeps the chambers that meet its fixed points, since the
    mean of the images of a point is fixed. So by Burnside's lemma there is one polynomial for each
    class of conjugate elements: of the restriction to the fixed points (docs/algorithms.md).

    References
    ----------
    .. [1] H. Kamiya, A. Takemura, H. Terao, Arrangements stable under the Coxeter groups,
       arXiv:1103.5179.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> count_orbits(resonance(5), ("S", range(5)))
    224
    >>> count_orbits([[1, 0], [0, 1]], [[[0, -1], [1, 0]]])      # turned by 90 degrees
    1
    >>> count_orbits([[0, 0], [1, 0], [0, 1], [1, 1]], rankings=True)      # a square, 8 symmetries
    1
    """
    options = {
        "checkpoint": checkpoint,
        "primes": primes,
        "workers": workers,
        "client": client,
        "progress": progress,
        "max_hours": max_hours,
    }
    subject = _subject(W, offsets, rank, rankings)
    maps = _read_maps(group, subject.dimension)
    if maps is not None:
        return _by_burnside(subject, maps, options)
    found = _read_mirrors(group, subject)
    if found is None:
        return _count(subject.arrangement, options)
    order = _count(found, {"max_hours": max_hours, "primes": primes})
    together = union(subject.arrangement, found).arrangement
    orbits, rest = divmod(_count(together, options), order)
    assert rest == 0  # the group acts simply transitively
    return orbits


def mirrors(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    rankings: bool = False,
) -> Arrangement:
    """Mirrors of all reflections that permute the hyperplanes.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    rankings : bool
        Only reflections that permute the labels of the scores ``W x + offsets``, up to one function
        that is added to all scores.

    Returns
    -------
    Arrangement
        In R^d. Reflections are affine maps that need not be orthogonal. (Of several that permute
        the hyperplanes in the same way, one.)

    Raises
    ------
    InputError
        If there is none.

    See Also
    --------
    automorphisms : signed permutations that no linear map need induce.
    count_orbits : of the group that they generate.

    Notes
    -----
    Exact, and complete for rational entries; of irrational ones, some reflections that exchange
    rows of a factor of rank 2 can be missed. O(r^2 n^2) candidates at most, far fewer where
    few hyperplanes meet in common.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> mirrors(resonance(3)).n_hyperplanes, mirrors([[1, 0], [0, 1], [1, 1]]).n_hyperplanes
    (9, 6)
    """
    subject = _subject(W, offsets, rank, rankings)
    found = _all_mirrors(subject)
    if found is None:
        raise InputError(f"no reflection permutes the {subject.what} of W.")
    return found


class _Subject(NamedTuple):
    """What a group acts on: rows that it must permute as lines, in `width` coordinates."""

    arrangement: Arrangement
    what: str
    rows: list[Row]
    width: int

    @property
    def dimension(self) -> int:
        return self.arrangement.dimension

    @property
    def infinity(self) -> Row:
        """The hyperplane at infinity, which stays."""
        return tuple(int(k == self.dimension) for k in range(self.width))


def _subject(
    W: ArrangementLike, offsets: ArrayLike | None, rank: int | None, rankings: bool
) -> _Subject:
    if not check_flag("rankings", rankings):
        A = as_arrangement(W, offsets, rank)
        distinct = [A.integer_rows[group[0]] for group in A.coincident_classes]
        return _Subject(A, "hyperplanes", [normal_row(row) for row in distinct], A.dimension + 1)
    model = as_score_model(W, offsets, rank=rank)
    first, second = np.triu_indices(model.n_labels, 1)
    # a function may be added to all scores: differences are those with a 0 at the end
    rows = [normal_row([*row, 1]) for row in model.integer_rows]
    return _Subject(of_pairs(model, first, second), "labels", rows, len(rows[0]))


def _count(arrangement: Arrangement, options: Options) -> int:
    return sum(betti_numbers(arrangement, **options))


# ------------------------------------------------------------------ reflections


def _read_mirrors(group: Any, subject: _Subject) -> Arrangement | None:
    """The mirrors of a reflection group; None if it has none."""
    if isinstance(group, str):
        check_option("group", group, ("auto",), "; or pass mirrors, or maps")
        return _all_mirrors(subject)
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], str):
        group = _named(*group, subject.dimension)
    found = Arrangement.coerce(group)
    if found.dimension != subject.dimension:
        raise InputError(
            f"group is {found!r}; expected mirrors in dimension {subject.dimension}, as W."
        )
    distinct = [found.integer_rows[each[0]] for each in found.coincident_classes]
    padding = [0] * (subject.width - subject.dimension - 1)
    rows = [normal_row([*row, *padding]) for row in distinct]
    for number, mirror in enumerate(rows):
        fixed = [subject.infinity]
        if reflection_direction(mirror, [subject.rows, fixed]) is None:
            raise InputError(
                f"no reflection at mirror {number} of group permutes the {subject.what} of W."
            )
        if reflection_direction(mirror, [subject.rows, rows, fixed]) is None:
            raise InputError(
                f"the reflection at mirror {number} of group does not permute the mirrors; pass "
                "those of all reflections of the group."
            )
    return found


def _all_mirrors(subject: _Subject) -> Arrangement | None:
    if subject.what == "hyperplanes":
        found = all_mirrors(subject.rows, subject.infinity)
    else:
        differences = {
            normal_row([a * y[-1] - b * x[-1] for a, b in zip(x, y, strict=True)])
            for x, y in combinations(subject.rows, 2)
        }
        families = [subject.rows, [subject.infinity]]
        found = [a for a in sorted(differences) if reflection_direction(a, families) is not None]
    d = subject.dimension
    found = [a for a in found if any(a[:d])]
    if not found:
        return None
    return Arrangement([list(a[:d]) for a in found], [a[d] for a in found])


def _named(kind: str, coordinates: Any, d: int) -> list[list[int]]:
    """Mirrors of the permutations of coordinates, with changes of sign."""
    check_option("group[0]", kind, ("B", "D", "S"))
    chosen = [check_integer("group[1]", c) for c in as_list("group[1]", coordinates)]
    if len(set(chosen)) < len(chosen) or not all(0 <= c < d for c in chosen):
        raise InputError(f"group[1] is {quote(chosen)}; expected distinct coordinates below {d}.")
    signs = (-1,) if kind == "S" else (-1, 1)
    pairs = [{i: 1, j: sign} for i, j in combinations(chosen, 2) for sign in signs]
    found = [*pairs, *({i: 1} for i in chosen if kind == "B")]
    if not found:
        raise InputError(f"group is {quote((kind, chosen))}, without mirrors; name coordinates.")
    return [[entries.get(c, 0) for c in range(d)] for entries in found]


# ------------------------------------------------------------------ any finite group


def _read_maps(group: Any, d: int) -> list[Matrix] | None:
    """Generators as matrices of homogeneous coordinates; None if the group is given otherwise."""
    if isinstance(group, (str, Arrangement)):
        return None
    entries = as_list("group", group, '"auto", mirrors, or maps')
    if not entries or not all(isinstance(e, AffineMap) or np.ndim(e) == 2 for e in entries):
        return None
    maps = []
    for number, entry in enumerate(entries):
        name = f"group[{number}]"
        if not isinstance(entry, AffineMap):
            matrix = as_exact_matrix(entry, name)
            entry = AffineMap(matrix, np.zeros(len(matrix), np.int64))
        if entry.matrix.shape != (d, d):
            raise InputError(
                f"{name} has a matrix of shape {entry.matrix.shape}; expected {(d, d)}, for points "
                "of the space of W."
            )
        rows = [
            (*fractions(row), *fractions(np.array([t])))
            for row, t in zip(entry.matrix, entry.shift, strict=True)
        ]
        maps.append((*rows, tuple(Fraction(int(k == d)) for k in range(d + 1))))
    return maps


def _by_burnside(subject: _Subject, maps: list[Matrix], options: Options) -> int:
    """The mean number of chambers that an element of the group keeps."""
    for number, g in enumerate(maps):
        _check_map(subject, g, f"group[{number}]")
    elements = _generated(maps)
    total = 0
    for number, (g, size) in enumerate(_classes(elements, maps)):
        folder = options["checkpoint"]
        inside = folder and os.path.join(os.fspath(folder), f"class-{number}")
        total += size * _count_kept(subject.arrangement, g, {**options, "checkpoint": inside})
    orbits, rest = divmod(total, len(elements))
    assert rest == 0  # Burnside's lemma
    return orbits


def _check_map(subject: _Subject, g: Matrix, name: str) -> None:
    """Refuse a map that is singular, or does not permute the rows."""
    if linear.inverse(g) is None:
        raise InputError(f"{name} is singular; expected maps that permute the {subject.what}.")
    d = subject.dimension
    scores = [row[: d + 1] for row in subject.rows]
    images = linear.matrix_product(scores, g)
    if subject.what == "hyperplanes":
        permuted = {normal_row(row) for row in images} == set(subject.rows)
    else:
        lengths = [row[-1] for row in subject.rows]
        permuted = _centered(images, lengths) == _centered(scores, lengths)
    if not permuted:
        raise InputError(f"{name} does not permute the {subject.what} of W.")


def _centered(rows: Sequence[Sequence[Any]], lengths: list[Any]) -> set[Row]:
    """The functions, divided by their lengths, minus their mean."""
    scaled = [[Fraction(1) * e / m for e in row] for row, m in zip(rows, lengths, strict=True)]
    mean = [sum(column) / len(scaled) for column in zip(*scaled, strict=True)]
    return {tuple(e - m for e, m in zip(row, mean, strict=True)) for row in scaled}


def _generated(maps: list[Matrix]) -> set[Matrix]:
    """All elements of the group."""
    d = len(maps[0])
    identity = tuple(tuple(Fraction(int(i == j)) for j in range(d)) for i in range(d))
    elements, new = {identity}, [identity]
    while new:
        new = [*{_product(g, h) for g in new for h in maps} - elements]
        elements.update(new)
        if len(elements) > _MOST_ELEMENTS:
            raise TooLargeError(
                f"the maps of group generate more than {_MOST_ELEMENTS} elements, perhaps "
                "infinitely many. If they are reflections, pass their mirrors."
            )
    return elements


def _classes(elements: set[Matrix], maps: list[Matrix]) -> list[tuple[Matrix, int]]:
    """One element of each class of conjugate elements, and the size of the class."""
    inverses = [_rows(linear.inverse(g)) for g in maps]
    left, classes = set(elements), []
    while left:
        start = left.pop()
        seen, new = {start}, [start]
        while new:
            images = {
                _product(_product(h, g), k)
                for g in new
                for h, k in zip(maps, inverses, strict=True)
            }
            new = [*images - seen]
            seen.update(new)
        left -= seen
        classes.append((start, len(seen)))
    return classes


def _count_kept(A: Arrangement, g: Matrix, options: Options) -> int:
    """Chambers that meet the fixed points of a map."""
    d = A.dimension
    moved = [primitive([e - int(i == j) for j, e in enumerate(row)]) for i, row in enumerate(g[:d])]
    point = linear.solve([row[:d] for row in moved], [-row[d] for row in moved]) if d else ()
    assert point is not None  # the mean of the images of any point
    directions = linear.nullspace([row[:d] for row in moved], d)
    normals, offsets = [], []
    for row in A.integer_rows:
        normal = [_value(row[:d], v) for v in directions]
        offset = _value(row[:d], point) + row[d]
        if any(normal):
            normals.append(normal)
            offsets.append(offset)
        elif not offset and any(row):
            return 0
    return _count(Arrangement(normals, offsets), options) if normals else 1


def _product(g: Matrix, h: Matrix) -> Matrix:
    return _rows(linear.matrix_product(g, h))


def _rows(matrix: Any) -> Matrix:
    return tuple(tuple(Fraction(e) if isinstance(e, int) else e for e in row) for row in matrix)


def _value(row: Sequence[Any], v: Sequence[Any]) -> Any:
    return sum(a * b for a, b in zip(row, v, strict=True))
