"""What the explorer shows, in exact numbers, and how one thing in it is changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import floor, log10, radians, tan
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label, names_of
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import (
    ExactArray,
    fractions,
    nearest_float,
    size_in_bits,
    unify_fields,
)
from arrangements.exact.text import exact_text
from arrangements.messages import quote
from arrangements.plot.inside import drawn_polyhedron
from arrangements.polyhedra.polyhedron import Polyhedron

Vector = tuple[Fraction, ...]
Model = Arrangement | ScoreModel

# More rows are neither seen apart nor dragged.
MOST_ROWS = 300
# A fitted plane and the tangent of half an angle are rounded to a multiple of 1 / this.
_GRID, _FINE = 100, 1000
# Sliders, and the positions of each; the position of rest changes nothing.
LENGTHS = tuple(Fraction(k, 10) for k in range(1, 31))
ANGLES = tuple(range(-180, 181, 10))
SHIFTS = tuple(Fraction(k, 10) for k in range(-20, 21))
SLIDERS: dict[str, Sequence[Fraction | int]] = {
    "length": LENGTHS,
    "turn": ANGLES,
    "right": SHIFTS,
    "up": SHIFTS,
    "offset": SHIFTS,
}
REST = {name: values.index(1 if name == "length" else 0) for name, values in SLIDERS.items()}


class Plane(NamedTuple):
    """The points ``point + s u + t v``."""

    point: Vector
    u: Vector
    v: Vector

    @property
    def text(self) -> str:
        """The plane in words."""
        d = len(self.point)
        if d <= 2 and not any(self.point):
            return "the plane of x1 and x2" if d == 2 else "the line of x1"
        texts = (f"({', '.join(map(exact_text, vector))})" for vector in self)
        if d > 6:
            return f"fitted to the rows, in {d} dimensions"
        return "{} + s {} + t {}".format(*texts)

    def steps(self) -> tuple[Vector, Vector]:
        """Vectors in the span of u and v that add 1 to the product with u alone, or with v alone.

        Examples
        --------
        >>> plane = Plane((0, 0), (Fraction(2), Fraction(0)), (Fraction(1), Fraction(1)))
        >>> [[str(entry) for entry in step] for step in plane.steps()]
        [['1/2', '-1/2'], ['0', '1']]
        """
        uu, uv, vv = dot(self.u, self.u), dot(self.u, self.v), dot(self.v, self.v)
        if not vv:  # a line
            return _scale(self.u, 1 / uu), self.v
        det = uu * vv - uv * uv
        return (
            _sum(_scale(self.u, vv / det), _scale(self.v, -uv / det)),
            _sum(_scale(self.u, -uv / det), _scale(self.v, uu / det)),
        )


@dataclass(frozen=True)
class State:
    """Rows of W with offsets, what is shown of them, and the plane through it.

    Attributes
    ----------
    rows : tuple of tuple of Fraction
    offsets : tuple of Fraction, or None
    labels : tuple of int or str, or None
    show : str
        "rankings", "chambers", or "top-k" for a number k.
    plane : Plane
    unit : Fraction
        A power of ten of the size of the rows in the plane: sliders and drags are counted in it.
    metric : tuple of Fraction, or None
        The squares of what columns are multiplied by before angles are measured, default ones:
        regions of columns that are not rational, only their squares, are those of rational ones.
    within : Polyhedron or None
        Only regions that meet its relative interior are shown; no row moves it.
    """

    rows: tuple[Vector, ...]
    offsets: Vector | None
    labels: tuple[Label, ...] | None
    show: str
    plane: Plane
    unit: Fraction
    metric: Vector | None = None
    within: Polyhedron | None = field(default=None, compare=False)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the rows as text."""
        return names_of(self.labels, len(self.rows))

    @property
    def is_flat(self) -> bool:
        """Whether the plane is all of the space."""
        return self.dimension <= 2 and not any(self.plane.point)

    @property
    def dimension(self) -> int:
        """Number of columns of W."""
        return len(self.plane.point)

    @property
    def k(self) -> int:
        """The k of "top-k"; 0 for what is no top."""
        return int(self.show[4:]) if self.show.startswith("top-") else 0

    @cached_property
    def whole(self) -> Model:
        """The arrangement, or the labels with their scores."""
        return self._model(self.rows, self.offsets)

    @cached_property
    def at(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Products of each row with u and v: its place in the plane of rows."""
        return tuple((dot(row, self.plane.u), dot(row, self.plane.v)) for row in self.rows)

    @cached_property
    def section(self) -> Model:
        """What the points of the plane see, in the coordinates s and t."""
        return self._model(self.at, self.constants if any(self.constants) else None)

    @cached_property
    def constants(self) -> Vector:
        """What each row is at the point of the plane, its offset included."""
        b = self.offsets or (Fraction(0),) * len(self.rows)
        return tuple(dot(row, self.plane.point) + c for row, c in zip(self.rows, b, strict=True))

    @cached_property
    def inside(self) -> Polyhedron | None:
        """The polyhedron in which regions of space are shown: `within`, or the cone over it."""
        return self.within and drawn_polyhedron(self.within, self.whole)

    @cached_property
    def inside_section(self) -> Polyhedron | None:
        """What the plane has of `inside`, in the coordinates s and t."""
        if self.inside is None:
            return None
        (A, c), (E, f) = (
            self._section_of(*system)
            for system in (self.inside.inequalities, self.inside.equations)
        )
        return Polyhedron(A, c, equations=(E, f))

    def _section_of(self, rows: ExactArray, bounds: ExactArray) -> tuple[ExactArray, ExactArray]:
        point, u, v = self.plane
        found = np.empty((len(rows), 3), object)
        for i, (row, bound) in enumerate(zip(map(fractions, rows), fractions(bounds), strict=True)):
            found[i] = dot(row, u), dot(row, v), bound - dot(row, point)
        return found[:, :2], found[:, 2]

    def _model(self, rows: Sequence[Sequence[Fraction]], offsets: Vector | None) -> Model:
        numbers = np.array([list(row) for row in rows], dtype=object)
        constants = None if offsets is None else np.array(offsets, dtype=object)
        if self.show == "chambers":
            return Arrangement(numbers, constants, self.labels)
        return ScoreModel(numbers, constants, self.labels)

    # ---------------------------------------------------------------- changes

    def with_row(self, i: int, row: Iterable[Fraction], offset: Fraction | None = None) -> State:
        """With another row i; an offset that is given replaces its own, too."""
        rows = (*self.rows[:i], tuple(row), *self.rows[i + 1 :])
        if offset is None:
            return replace(self, rows=rows)
        b = list(self.offsets or (Fraction(0),) * len(rows))
        b[i] = offset
        return replace(self, rows=rows, offsets=tuple(b) if any(b) else None)

    def move(self, i: int, place: tuple[Fraction, Fraction]) -> State:
        """Row i with other products with u and v, changed in their span only."""
        ds, dt = (new - old for new, old in zip(place, self.at[i], strict=True))
        right, up = self.plane.steps()
        return self.with_row(i, _sum(self.rows[i], _scale(right, ds), _scale(up, dt)))

    def slide(self, slider: str, i: int, position: int) -> State:
        """The state after a slider has gone from its position of rest to another one.

        Examples
        --------
        >>> start = state_of([[1, 2], [3, 5]])
        >>> longer = start.slide("length", 0, 19)
        >>> [str(entry) for entry in longer.rows[0]], start.slide("turn", 0, REST["turn"]) == start
        (['2', '4'], True)
        """
        if slider == "length":
            return self.with_row(i, _scale(self.rows[i], LENGTHS[position]))
        if slider == "turn":
            s, t = self.at[i]
            cosine, sine = rotation(ANGLES[position])
            return self.move(i, (cosine * s - sine * t, sine * s + cosine * t))
        amount = SHIFTS[position] * self.unit
        if slider == "offset":
            own = self.offsets[i] if self.offsets else Fraction(0)
            return self.with_row(i, self.rows[i], own + amount)
        step = _scale(self.plane.steps()[slider == "up"], amount)
        return replace(self, rows=tuple(_sum(row, step) for row in self.rows))


def amounts(slider: str, unit: Fraction) -> list[str]:
    """What the positions of a slider mean, as text.

    Examples
    --------
    >>> amounts("length", Fraction(1))[:2], amounts("up", Fraction(10))[0]
    (['× 0.1', '× 0.2'], '−20')
    """
    if slider == "length":
        return [f"× {float(length):g}" for length in LENGTHS]
    if slider == "turn":
        return [f"{angle}°".replace("-", "−") for angle in ANGLES]
    values = [float(shift * unit) for shift in SHIFTS]
    return [f"{'+' if v > 0 else ''}{v:g}".replace("-", "−") for v in values]


def _unit(places: Sequence[Sequence[Fraction]]) -> Fraction:
    """The largest power of ten that exceeds no entry of all, or 1 if all are zero."""
    largest = max((abs(entry) for place in places for entry in place), default=Fraction(0))
    if not largest:
        return Fraction(1)
    unit = Fraction(10) ** floor(size_in_bits(largest) * log10(2))
    while unit > largest:
        unit /= 10
    while unit * 10 <= largest:
        unit *= 10
    return unit


def rotation(degrees: int) -> tuple[Fraction, Fraction]:
    """Rational cosine and sine of almost this angle; both squares add up to 1 exactly.

    Examples
    --------
    >>> rotation(90), rotation(-180)
    ((Fraction(0, 1), Fraction(1, 1)), (Fraction(-1, 1), Fraction(0, 1)))
    >>> cosine, sine = rotation(10)
    >>> cosine**2 + sine**2 == 1, round(float(sine), 2)
    (True, 0.17)
    """
    if abs(degrees) == 180:
        return Fraction(-1), Fraction(0)
    half = Fraction(round(tan(radians(degrees) / 2) * _FINE), _FINE)
    return (1 - half**2) / (1 + half**2), 2 * half / (1 + half**2)


def state_of(
    W: ArrayLike,
    offsets: ArrayLike | None = None,
    labels: tuple[Label, ...] | None = None,
    show: str = "rankings",
    plane: object = None,
    within: Polyhedron | None = None,
) -> State:
    """The state of a matrix.

    Parameters
    ----------
    W : (n, d) array_like
    offsets : (n,) array_like, optional
    labels : tuple of int or str, optional
    show : str
        As in `State`.
    plane : None, "fitted", or (3, d) array_like
        A point and two vectors; default the first two coordinates for d < 4, fitted to the rows
        otherwise.
    within : Polyhedron, optional
        As in `State`.

    Examples
    --------
    >>> state_of([[1, 0, 0], [0, 1, 0]]).plane.text
    '(0, 0, 1) + s (1, 0, 0) + t (0, 1, 0)'
    """
    matrix = as_exact_matrix(W, "W")
    n = len(matrix)
    if n > MOST_ROWS:
        raise InputError(f"{n} rows; the explorer shows up to {MOST_ROWS}: choose some.")
    constants = None if offsets is None else as_exact_vector(offsets, n)
    vectors = None if plane is None or isinstance(plane, str) else as_exact_matrix(plane, "plane")  # type: ignore[arg-type]
    matrix, constants, vectors = unify_fields(matrix, constants, vectors)
    rows = tuple(map(fractions, matrix))
    b = None if constants is None else fractions(constants)
    found = _read_plane(plane if vectors is None else vectors, rows, b is None)
    state = State(rows, b, labels, "rankings", found, Fraction(1), within=within)
    return with_show(replace(state, unit=_unit(state.at)), show)


def with_show(state: State, show: object) -> State:
    """The state that shows something else, after a check of the name."""
    n = len(state.rows)
    good = show in ("rankings", "chambers")
    if isinstance(show, str) and show.startswith("top-") and show[4:].isdecimal():
        k = int(show[4:]) if len(show) < 9 else n + 1
        if not 1 <= k <= n:
            raise InputError(f"show is {quote(show)}; expected top-1 to top-{n} for {n} labels.")
        good = True
    if not good:
        raise InputError(f"show is {quote(show)}; expected 'rankings', 'chambers' or 'top-k'.")
    return replace(state, show=str(show))


def _read_plane(plane: object, rows: Sequence[Vector], central: bool) -> Plane:
    d = len(rows[0])
    if plane is None:
        plane = "axes" if d < 4 else "fitted"
    if isinstance(plane, str):
        if plane == "axes":
            return _axes(d, 0, min(1, d - 1), central)
        if plane == "fitted":
            return fit_plane(rows, central)
        raise InputError(f"plane is {quote(plane)}; expected 'axes', 'fitted', or three vectors.")
    vectors = np.asarray(plane)
    if vectors.shape != (3, d):
        raise InputError(
            f"plane has shape {vectors.shape}; expected (3, {d}): a point and two vectors."
        )
    point, u, v = (fractions(row) for row in vectors)
    if _are_parallel(u, v):
        raise InputError("plane has two parallel vectors; expected two that span a plane.")
    return Plane(point, u, v)


def _are_parallel(u: Vector, v: Vector) -> bool:
    return dot(u, u) * dot(v, v) == dot(u, v) ** 2


def _axes(d: int, i: int, j: int, central: bool) -> Plane:
    """The plane of two coordinates; where all is central, the other coordinates are 1."""
    unit = [tuple(Fraction(int(a == b)) for b in range(d)) for a in range(d)]
    zero = (Fraction(0),) * d
    point = tuple(Fraction(int(central and a not in (i, j))) for a in range(d))
    return Plane(point, unit[i], unit[j] if i != j else zero)


def fit_plane(rows: Sequence[Vector], central: bool) -> Plane:
    """The plane along the two main directions of the rows, rounded.

    Examples
    --------
    >>> fit_plane([(3, 0, 0, 0), (-3, 0, 0, 0), (0, 2, 0, 0), (0, -2, 0, 1)], False).text
    '(0, 0, 0, 0) + s (1, 0, 0, 0) + t (0, 97/100, 0, -1/4)'
    """
    d = len(rows[0])
    if d < 3:
        return _axes(d, 0, d - 1, central)
    W = np.array([[nearest_float(entry) for entry in row] for row in rows])
    scale = np.abs(W).max()
    if not scale or not np.isfinite(scale):
        return _axes(d, 0, 1, central)
    directions = np.linalg.svd((W - W.mean(axis=0)) / scale)[2]
    found: list[Vector] = []
    for direction in directions[:3]:
        sign = -1.0 if direction[np.argmax(np.abs(direction))] < 0 else 1.0
        found.append(tuple(Fraction(round(sign * x * _GRID), _GRID) for x in direction))
    if _are_parallel(found[0], found[1]):  # rounded to zero, as in very many columns
        return _axes(d, 0, 1, central)
    return Plane(found[2] if central else (Fraction(0),) * d, found[0], found[1])


def dot(a: Sequence[Fraction | int], b: Sequence[Fraction]) -> Fraction:
    """The product of two vectors."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _scale(a: Vector, factor: Fraction) -> Vector:
    return tuple(factor * x for x in a)


def _sum(*vectors: Sequence[Fraction]) -> Vector:
    return tuple(sum(entries, Fraction(0)) for entries in zip(*vectors, strict=True))
