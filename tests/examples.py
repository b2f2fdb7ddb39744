"""One table of small arrangements, shared by the tests of every method, dtype and layer.

``EXAMPLES`` are small enough for the naive oracle to list; ``LARGE`` come with a count from
a closed form. Each entry is handed to the library exactly as written: lists, arrays of any
dtype, Fractions or Python integers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any

import naive
import numpy as np


@dataclass(frozen=True, eq=False)
class Example:
    """A named arrangement; `known` is its published or closed-form number of chambers."""

    name: str
    normals: Any
    offsets: Any = None
    known: int | None = None

    def __repr__(self) -> str:
        return self.name

    @property
    def n(self) -> int:
        """Number of hyperplanes."""
        return len(self.normals)

    @property
    def dimension(self) -> int:
        """Ambient dimension."""
        return len(self.normals[0])

    @property
    def is_central(self) -> bool:
        """Whether all offsets are zero."""
        return self.offsets is None or not any(naive.fraction(b) for b in self.offsets)

    @property
    def arguments(self) -> tuple[Any, Any]:
        """``(W, offsets)`` for a call of the library."""
        return self.normals, self.offsets

    @property
    def count(self) -> int:
        """Number of chambers."""
        return naive.count(self.normals, self.offsets) if self.known is None else self.known

    @property
    def chambers(self) -> frozenset[naive.Signs]:
        """All sign vectors, by the naive oracle (computed once)."""
        return _listed(self)

    @property
    def faces(self) -> dict[naive.Signs, int]:
        """Dimension of every face by its sign vector, by the naive oracle (computed once)."""
        return _faces(self)

    @property
    def flats(self) -> dict[tuple[int, ...], int]:
        """Dimension of every flat by the hyperplanes that contain it, by the naive oracle."""
        return naive.flats_of(self.faces)


@cache
def _faces(example: Example) -> dict[naive.Signs, int]:
    return naive.covectors(example.normals, example.offsets)


@cache
def _listed(example: Example) -> frozenset[naive.Signs]:
    return frozenset(naive.chambers(example.normals, example.offsets))


def braid(n: int) -> list[list[int]]:
    """Rows e_i - e_j, i < j (written here again: the tests of `generators` compare)."""
    pairs = combinations(range(n), 2)
    return [[(k == i) - (k == j) for k in range(n)] for i, j in pairs]


def resonance(k: int) -> list[list[int]]:
    """All non-zero 0/1 rows."""
    return [list(row) for row in product((0, 1), repeat=k) if any(row)]


def threshold(k: int) -> list[list[int]]:
    """Rows (1, c), c in {0, 1}^k."""
    return [[1, *row] for row in product((0, 1), repeat=k)]


def gaussian(n: int, d: int, seed: int) -> np.ndarray:
    """Generic float64 normals."""
    return np.random.default_rng(seed).standard_normal((n, d))


def grid(n: int, d: int, levels: int, seed: int, dtype: Any) -> np.ndarray:
    """Normals on a coarse grid, as low-precision formats give: many coincidences."""
    values = np.random.default_rng(seed).integers(-levels, levels + 1, (n, d))
    values[~values.any(axis=1), 0] = 1
    return (values / 4).astype(dtype)


def _trivial() -> list[Example]:
    return [
        Example("one row in R^1", [[1]], known=2),
        Example("three rows in R^1", [[1], [-2], [3.5]], known=2),
        Example("points on a line", [[1], [1], [-2], [1]], [0, -1, 1, 3], known=5),
        Example("one row in R^3", [[0, 0, -1]], known=2),
        Example("fewer rows than dimensions", [[1, 2, 3, 4], [0, 1, 0, -1]], known=4),
        Example("fewer affine rows than dimensions", [[1, 2, 3], [0, 1, 0]], [5, -1], known=4),
        Example("boolean(3)", np.eye(3, dtype=np.int64), known=8),
        Example("boolean(3) as bool", np.eye(3, dtype=bool), known=8),
        Example("identity in R^6", np.eye(6), known=64),
        Example("rows of an identity, signed zeros", [[1.0, -0.0], [-0.0, 1.0]], known=4),
    ]


def _parallel() -> list[Example]:
    twice = [[1, 2, 0], [1, 2, 0], [0, 1, 1], [2, 4, 0], [0, 1, 1]]
    opposite = [[1, 2, 0], [-1, -2, 0], [0, 1, 1], [0, -3, -3], [1, 0, 0]]
    nested = [[1, 0], [1, 0], [-2, 0], [0, 1], [0, 3]]
    return [
        Example("equal and proportional rows", twice, known=4),
        Example("opposite rows", opposite, known=8),
        Example("all rows parallel", [[3, -6], [1, -2], [-2, 4]], known=2),
        Example("parallel lines", nested, [0, 1, 1, 0, 1]),
        Example("equal affine rows", [[1, 1], [2, 2], [1, 0]], [1, 2, 0], known=4),
        Example("opposite affine rows", [[1, 1], [-2, -2], [1, 0]], [1, -2, 0], known=4),
        Example("parallel planes", [[1, 1, 1]] * 4 + [[0, 0, 1]], [0, 1, 2, -1, 5], known=10),
        Example("parallel floats", [[0.1, 0.2], [0.2, 0.4], [-0.4, -0.8], [1.0, 0.5]], known=4),
        Example("zero normal, positive offset", [[0, 0], [1, 0], [0, 1]], [2, 0, 0], known=4),
        Example("zero normal, negative offset", [[1, 0], [0, 0], [1, 1]], [1, -0.5, 0], known=4),
        Example("only zero normals", [[0, 0], [0, 0]], [2, -1], known=1),
    ]


def _degenerate() -> list[Example]:
    hexagon = [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [1, 2]]
    cube = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 2
    return [
        Example("braid(3)", braid(3), known=6),
        Example("braid(4)", braid(4), known=24),
        Example("braid(5)", braid(5), known=120),
        Example("resonance(2)", resonance(2), known=6),
        Example("resonance(3)", resonance(3), known=32),
        Example("resonance(4)", resonance(4), known=370),
        Example("resonance(4), last row first", resonance(4)[::-1], known=370),
        Example("threshold(2)", threshold(2), known=14),
        Example("threshold(3)", threshold(3), known=104),
        Example("rank 2 in R^4", (np.array(hexagon) @ [[1, 2, 0, -1], [0, 1, 1, 3]]), known=12),
        Example("rank 1 in R^3, affine", [[1, 2, 3], [2, 4, 6], [-1, -2, -3]], [0, 1, 1], known=4),
        Example("three lines through a point", [[1, 0], [0, 1], [1, 1]], [-1, -2, -3], known=6),
        Example("cube faces", cube, [0, 0, 0, -1, -1, -1], known=27),
        Example("shi(3)", braid(3) * 2, [0, 0, 0, -1, -1, -1], known=16),
        Example("catalan(3)", braid(3) * 3, [0, 0, 0, -1, -1, -1, 1, 1, 1], known=30),
        Example("triples in R^3", [*product((-1, 0, 1), repeat=3)][14:], known=96),
    ]


def _numbers() -> list[Example]:
    big = 2**53
    huge = [[1e300, -1e300, 1.0], [1e-300, 1e300, 1.0], [1e-300, 1e-300, -1e-300]]
    huge += [[1.0, 3.0, 1e300], [1e300, 1e300, 1e300], [5e-324, 0.0, 1e300]]
    thirds = [[Fraction(1, 3), Fraction(2, 3)], [1, 2], [Fraction(-1, 7), 5]]
    integers = [[big, big - 1], [big - 1, big - 2], [big - 2, big - 3], [-big + 1, big]]
    spread = [[big, 1, 0], [big - 1, 1, 0], [0, big, 1], [1, 0, -big], [big, big, big - 1]]
    bignum = [[10**40 + 1, 10**40], [10**40, 10**40 - 1], [2 * 10**40, 2 * 10**40 - 2]]
    coarse = grid(9, 3, 2, 2, np.float16)
    return [
        Example("float16 grid 12 x 3", grid(12, 3, 3, 0, np.float16)),
        Example("float32 grid 9 x 4", grid(9, 4, 2, 1, np.float32)),
        Example("float16 grid, affine", coarse, grid(9, 1, 2, 3, float)[:, 0]),
        Example("longdouble", grid(7, 3, 5, 4, np.longdouble) + np.longdouble(2) ** -60),
        Example("entries 1e-300 to 1e300", huge),
        Example(
            "entries 1e-300 to 1e300, affine", huge[:1] + huge[3:], [1e-300, -5e-324, 1e300, 2]
        ),
        Example("fractions", thirds, known=4),
        Example("fractions, affine", thirds, [Fraction(1, 3), 1, 0], known=4),
        Example("integers to 2**53", integers),
        Example("integers to 2**53 in R^3", np.array(spread)),
        Example("integers beyond int64", bignum, known=4),
        Example("uint8", np.array([[255, 1], [1, 255], [128, 127]], np.uint8), known=6),
        Example("Fractions among floats", [[0.1, Fraction(1, 10)], [1, 1], [1.0, -3]]),
    ]


def _near_ties() -> list[Example]:
    ulp = 2.0**-52
    tie = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]]  # a linear dependency
    over = [*tie[:2], [1.0, 1.0, 2.0 + 2 * ulp]]
    under = [*tie[:2], [1.0, 1.0, 2.0 - ulp]]
    tenths = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.3, 0.1], [0.6, 0.6, 0.6]]
    nearly = [[1.0, 1.0], [1.0, 1.0 + ulp], [1.0, 1.0 - ulp / 2], [-1.0, -1.0]]
    outer = np.outer([0.1, 0.7, 1.3, -0.3, 0.9], [0.3, 1.1, -0.7])
    past = -3 - 4 * ulp
    low_rank = gaussian(7, 2, 5) @ gaussian(2, 4, 6)
    return [
        Example("tie", tie, known=6),
        Example("one ulp over a tie", over, known=8),
        Example("one ulp under a tie", under, known=8),
        Example("tenths", tenths),
        Example("parallel up to one ulp", nearly, known=6),
        Example("lines almost through a point", [[1.0, 0], [0, 1.0], [1, 1]], [-1, -2, past]),
        Example("affine points one ulp apart", [[1.0], [1.0], [1.0]], [1, 1 + ulp, -1], known=4),
        Example("rounded outer product", outer),
        Example("rounded product of rank 2", low_rank),
    ]


def _generic() -> list[Example]:
    affine = np.random.default_rng(9).standard_normal(9)
    return [
        Example("gaussian 9 x 2", gaussian(9, 2, 0), known=18),
        Example("gaussian 9 x 3", gaussian(9, 3, 1), known=naive.generic_count(9, 3)),
        Example("gaussian 8 x 4", gaussian(8, 4, 2), known=naive.generic_count(8, 4)),
        Example("gaussian 7 x 6", gaussian(7, 6, 3), known=naive.generic_count(7, 6)),
        Example("gaussian 5 x 5", gaussian(5, 5, 4), known=32),
        Example("affine gaussian 9 x 1", gaussian(9, 1, 5), affine, known=10),
        Example(
            "affine gaussian 9 x 3",
            gaussian(9, 3, 6),
            affine,
            known=naive.generic_count(9, 3, affine=True),
        ),
        Example("float32 gaussian 10 x 3", gaussian(10, 3, 7).astype(np.float32)),
    ]


def _large() -> list[Example]:
    table = [
        Example(f"gaussian {n} x {d}", gaussian(n, d, n + d), known=naive.generic_count(n, d))
        for n in (63, 64, 65, 130)
        for d in (2, 3)
    ]
    affine = [
        Example(
            f"affine gaussian {n} x 2",
            gaussian(n, 2, n),
            gaussian(n, 1, n + 1)[:, 0],
            known=naive.generic_count(n, 2, affine=True),
        )
        for n in (63, 64, 65, 130)
    ]
    scales = np.tile([1, -1, 2, 1, -4], 26)[:, None]  # powers of two: the products are exact
    repeated = np.repeat(gaussian(26, 3, 8), 5, axis=0) * scales
    return [
        *table,
        *affine,
        Example("26 rows five times", repeated, known=naive.generic_count(26, 3)),
        Example("resonance(5)", resonance(5), known=11292),
        Example("threshold(4)", threshold(4), known=1882),
        Example("braid(6)", braid(6), known=720),
    ]


EXAMPLES: list[Example] = [
    *_trivial(),
    *_parallel(),
    *_degenerate(),
    *_numbers(),
    *_near_ties(),
    *_generic(),
]
LARGE: list[Example] = _large()
BY_NAME: dict[str, Example] = {example.name: example for example in [*EXAMPLES, *LARGE]}
CENTRAL: list[Example] = [example for example in EXAMPLES if example.is_central]
AFFINE: list[Example] = [example for example in EXAMPLES if not example.is_central]


class Frame:
    """What the package asks of a pandas DataFrame; like pandas it rounds as a whole array."""

    def __init__(self, columns: dict[str, Any], index: Any = None) -> None:
        self._columns = columns
        rows = len(next(iter(columns.values())))
        self.columns, self.index = list(columns), range(rows) if index is None else index

    def items(self) -> Any:
        return self._columns.items()

    def __len__(self) -> int:
        return len(self.index)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.column_stack(list(self._columns.values())).astype(dtype)


def frames() -> list[Any]:
    """The stand-in, and DataFrame where pandas is installed; both take (columns, index=)."""
    try:
        import pandas
    except ImportError:
        return [Frame]
    return [Frame, pandas.DataFrame]
