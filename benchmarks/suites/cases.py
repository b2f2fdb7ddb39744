"""Named inputs with known answers: families over n and d."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from math import comb, isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import Arrangement, generators
from arrangements.algebra import generic_ranking_count
from arrangements.demo import digits
from arrangements.errors import InputError
from benchmarks.suites import matrices
from benchmarks.suites.published import published_count

Matrix = NDArray[Any]
Built = Matrix | tuple[Matrix, Matrix] | Arrangement

CHAMBERS, RANKINGS, PROCESS, SCALE = "chambers", "rankings", "process", "scale"
MODELS, OPTIMIZE = "models", "optimize"
PROMISED = (SCALE, MODELS, OPTIMIZE)  # measured beside references of their own, with limits

# Of everything that is drawn at random, and of offsets.
SEED, OFFSETS_SEED = 1, 6

# T. Brysiewicz, H. Eble, L. Kühne, Discrete Comput. Geom. 70 (2023) 1356-1377.
_RESONANCE = {2: 6, 3: 32, 4: 370, 5: 11_292, 6: 1_066_044, 7: 347_326_352}
_RESONANCE |= {8: 419_172_756_930, 9: 1_955_230_985_997_140}
# S. Muroga, T. Tsuboi, C. R. Baugh, IEEE Trans. Comput. C-19 (1970) 818-825; OEIS A000609.
_THRESHOLD = {2: 14, 3: 104, 4: 1_882, 5: 94_572, 6: 15_028_134}
_THRESHOLD |= {7: 8_378_070_864, 8: 17_561_539_552_946, 9: 144_130_531_453_121_108}
# Orders of all subsets of d items by additive weights: OEIS A009997 times 2^d d!.
_CUBE = {2: 8, 3: 96, 4: 5_376, 5: 1_981_440}


@dataclass(frozen=True)
class Family:
    """An input for each admissible n and d, and how many patterns it has if that is known.

    Attributes
    ----------
    build : callable
        (n, d) to the (n, d) matrix, to a pair of it and (n,) offsets, or to an arrangement; the
        same one every time.
    count : callable
        (n, d) to the number from a closed form or the literature, or None.
    describe : str
        What the rows are.
    """

    build: Callable[[int, int], Built]
    count: Callable[[int, int], int | None]
    describe: str


@dataclass(frozen=True)
class Case:
    """A matrix W and maybe offsets: normals of hyperplanes, or weights of labels.

    Examples
    --------
    >>> Case(CHAMBERS, "gaussian", 20, 4).known
    2320
    >>> Case(CHAMBERS, "resonance", 7, 3).W.shape
    (7, 3)
    """

    topic: str
    family: str
    n: int
    d: int

    @property
    def name(self) -> str:
        """Topic, family and size in words."""
        return f"{self.topic} {self.family} n={self.n} d={self.d}"

    @cached_property
    def _built(self) -> tuple[Matrix, Matrix | None]:
        """The matrix, and its offsets unless they change nothing."""
        built = self._family.build(self.n, self.d)
        if isinstance(built, Arrangement):
            W, offsets = built.normals, built.offsets
        else:
            W, offsets = built if isinstance(built, tuple) else (built, None)
        W = np.asarray(W)
        if W.shape != (self.n, self.d):
            raise InputError(
                f"{self.name}: the family has {W.shape[0]} rows in dimension {W.shape[1]} there."
                if W.ndim == 2
                else f"{self.name}: the family built an array of shape {W.shape}; expected (n, d)."
            )
        if offsets is not None:
            offsets = np.asarray(offsets)
            same = offsets[0] if self.topic == RANKINGS else 0  # which moves all scores
            if (offsets == same).all():
                offsets = None
        return W, offsets

    @property
    def W(self) -> Matrix:
        """The matrix."""
        return self._built[0]

    @property
    def offsets(self) -> Matrix | None:
        """The offsets, None if there are none."""
        return self._built[1]

    @property
    def sides(self) -> int:
        """Patterns of a stored row: 2 where they come in pairs of opposites."""
        return 2 if self.offsets is None else 1

    @cached_property
    def known(self) -> int | None:
        """How many patterns, from a closed form or the literature; None if it must be computed."""
        return self._family.count(self.n, self.d)

    @property
    def _family(self) -> Family:
        families = FAMILIES.get(self.topic)
        if families is None or self.family not in families:
            raise InputError(
                f"no family {self.family!r} of {self.topic}; there are "
                + "; ".join(f"{topic}: {', '.join(known)}" for topic, known in FAMILIES.items())
            )
        return families[self.family]


def generic_count(n: int, d: int) -> int:
    """Chambers of n generic hyperplanes through the origin of R^d.

    Examples
    --------
    >>> generic_count(100, 4)
    323600
    """
    return 2 * sum(comb(n - 1, k) for k in range(d))


def _labels_of_pairs(n: int) -> int:
    """The number of labels that have n pairs."""
    return (1 + isqrt(1 + 8 * n)) // 2


def _degenerate_planes(n: int, d: int) -> Matrix:
    """The first n planes of R^3 with small integer normals: many share a line."""
    size, rows = 1, np.zeros((0, 3), np.int64)
    while len(rows) < n:
        box = np.array(list(product(range(-size, size + 1), repeat=3)))
        first = box[np.arange(len(box)), (box != 0).argmax(axis=1)]
        rows = box[(np.gcd.reduce(box, axis=1) == 1) & (first > 0)]
        rows = rows[np.lexsort((*rows.T[::-1], np.abs(rows).sum(axis=1)))]
        size += 1
    return rows[:n]


def _grid(n: int, d: int) -> Matrix:
    """Random rows of a float16 grid of step 1/4, none zero: rounded, as trained weights may be."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(-4, 5, (2 * n + 8, d))
    return (rows[rows.any(axis=1)][:n] / 4).astype(np.float16)


def _grid_labels(n: int, d: int) -> Matrix:
    """Distinct points of the same grid."""
    rows = _grid(4 * n + 8, d)
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)][:n]


def _cube_labels(n: int, d: int) -> Matrix:
    return np.array(list(product((0, 1), repeat=d)))


def _with_offsets(n: int, d: int) -> tuple[Matrix, Matrix]:
    return generators.generic(n, d, SEED).normals, np.random.default_rng(
        OFFSETS_SEED
    ).standard_normal(n)


def _low_rank_product(n: int, d: int) -> Matrix:
    """Each entry is rounded once, so that it does not depend on the order of a sum."""
    rng = np.random.default_rng(SEED)
    left, right = rng.standard_normal((n, d - 2)), rng.standard_normal((d - 2, d))
    rows = [[Fraction(x) for x in row] for row in left.tolist()]
    columns = [[Fraction(x) for x in column] for column in right.T.tolist()]
    return np.array(
        [
            [float(sum(x * y for x, y in zip(row, column, strict=True))) for column in columns]
            for row in rows
        ]
    )


def _digits(n: int, d: int) -> tuple[Matrix, Matrix]:
    model = digits()
    return np.asarray(model.weights), np.asarray(model.biases)


def _pairs_of_digits(n: int, d: int) -> tuple[Matrix, Matrix]:
    """Differences of float32 numbers are exact in float64 here."""
    W, b = (np.asarray(numbers, np.float64) for numbers in _digits(n, d))
    first, second = np.triu_indices(len(W), 1)
    return W[first] - W[second], b[first] - b[second]


def _published(topic: str, name: str, build: Callable[[int, int], Built], rows: str) -> Family:
    """A family whose counts are those of the standard suite."""
    return Family(build, partial(published_count, topic, name), rows)


def _normals(dtype: type = np.float64) -> Callable[[int, int], Matrix]:
    """Standard normal entries, drawn for each size."""
    return lambda n, d: np.random.default_rng(n + d).standard_normal((n, d), dtype=dtype)


_GAUSSIAN = Family(
    lambda n, d: generators.generic(n, d, SEED), generic_count, "standard normal floats"
)

# The types of the crystallographic groups, by number of reflections and dimension.
_COXETER = {(15, 5): ("A", 5), (25, 5): ("B", 5), (20, 5): ("D", 5), (36, 6): ("E", 6)}
_COXETER |= {(24, 4): ("F", 4)}

FAMILIES: dict[str, dict[str, Family]] = {
    CHAMBERS: {
        "gaussian": _GAUSSIAN,
        "integer": Family(
            lambda n, d: generators.generic(n, d, SEED, kind="integer"),
            generic_count,
            "uniform integers up to 2^20",
        ),
        "low-rank braid": Family(
            lambda n, d: generators.low_rank_braid(_labels_of_pairs(n), d, SEED),
            lambda n, d: generic_ranking_count(_labels_of_pairs(n), d),
            "differences of all pairs of random integer points",
        ),
        "resonance": Family(
            lambda n, d: generators.resonance(d),
            lambda n, d: _RESONANCE.get(d),
            "all sums of coordinates: {0, 1}^d without 0",
        ),
        "threshold": Family(
            lambda n, d: generators.threshold(d - 1),
            lambda n, d: _THRESHOLD.get(d - 1),
            "chambers are the threshold functions of d - 1 bits",
        ),
        "planes": _published(
            CHAMBERS, "planes", _degenerate_planes, "the n planes with the smallest integer normals"
        ),
        "float16 grid": _published(
            CHAMBERS, "float16 grid", _grid, "random multiples of 1/4 in [-1, 1], stored as float16"
        ),
        "affine": Family(
            _with_offsets,
            lambda n, d: sum(comb(n, k) for k in range(d + 1)),
            "standard normal floats, offsets too",
        ),
        "shi": Family(
            lambda n, d: generators.shi(d),
            lambda n, d: (d + 1) ** (d - 1),
            "x_i - x_j = 0 and 1 for i < j",
        ),
        "coxeter": _published(
            CHAMBERS,
            "coxeter",
            lambda n, d: generators.coxeter(*_COXETER[n, d]),
            "reflections of A5, B5, D5, E6 and F4; chambers are the elements of the group",
        ),
        "low-rank product": _published(
            CHAMBERS,
            "low-rank product",
            _low_rank_product,
            "exact products of float factors of rank d - 2, rounded to float64; as given",
        ),
        "digits": _published(
            CHAMBERS,
            "digits",
            lambda n, d: _digits(n, d)[0],
            "weights of a classifier of ten digits, in float32",
        ),
        "digits with biases": _published(
            CHAMBERS, "digits with biases", _digits, "the same with its biases"
        ),
        "pairs of digits": _published(
            CHAMBERS,
            "pairs of digits",
            _pairs_of_digits,
            "exact differences of the weights and biases of all pairs of digits",
        ),
    },
    PROCESS: {
        "gaussian": replace(_GAUSSIAN, describe="in a fresh interpreter"),
    },
    RANKINGS: {
        "gaussian": replace(_GAUSSIAN, count=generic_ranking_count),
        "integer": Family(
            lambda n, d: generators.generic(n, d, SEED, kind="integer"),
            generic_ranking_count,
            "uniform integers up to 2^20",
        ),
        "cube": Family(_cube_labels, lambda n, d: _CUBE.get(d), "{0, 1}^d: subsets by weight"),
        "float16 grid": Family(
            _grid_labels, lambda n, d: None, "distinct points of the float16 grid"
        ),
        "biases": Family(
            _with_offsets,
            lambda n, d: generic_ranking_count(n, d, bias=True),
            "standard normal floats, biases too",
        ),
        "digits with biases": _published(
            RANKINGS,
            "digits with biases",
            _digits,
            "weights and biases of a classifier of ten digits, in float32",
        ),
    },
}
# The same inputs, larger, for what is measured beside a reference of its own.
FAMILIES[SCALE] = {
    **{name: FAMILIES[CHAMBERS][name] for name in ("gaussian", "resonance", "threshold")},
    "labels": FAMILIES[RANKINGS]["gaussian"],
}
# What is known is the number of questions.
FAMILIES[MODELS] = {
    "tokens": Family(
        matrices.token_matrix,
        lambda n, d: n,
        "token vectors of a sentence model, or their principal components",
    ),
    "single": Family(_normals(np.float32), lambda n, d: n, "standard normal floats in float32"),
    "labels": Family(
        matrices.sigmoid_rows,
        lambda n, d: 2 * min(500, n // 20),
        "standard normal floats, a tenth of the rows means of four others",
    ),
    "unit": Family(matrices.unit_rows, lambda n, d: comb(n, 2), "random unit vectors"),
    "curve": Family(
        matrices.curve_rows, lambda n, d: 100, "powers of n numbers, and five random columns"
    ),
}
# What is known is the number of rows, or of chambers.
_POINTS = Family(matrices.point_rows, lambda n, d: n, "normal floats, and a column of ones")
FAMILIES[OPTIMIZE] = {
    "patients": Family(
        matrices.patient_rows, lambda n, d: n, "distinct integers, and a column of ones"
    ),
    "haberman": Family(
        matrices.haberman_rows, lambda n, d: n, "306 patients, three measures and a column of ones"
    ),
    **dict.fromkeys(("two clouds", "a quarter wrong", "one in a hundred wrong"), _POINTS),
    "gaussian": FAMILIES[CHAMBERS]["gaussian"],
    **dict.fromkeys(
        ("cloud", "low rank"), Family(_normals(), lambda n, d: n, "standard normal floats")
    ),
}


_OWN = frozenset((topic, name) for topic, families in FAMILIES.items() for name in families)


def register_family(
    name: str,
    build: Callable[[int, int], Built],
    count: Callable[[int, int], int | None] | None = None,
    *,
    topic: str = CHAMBERS,
    describe: str = "",
) -> None:
    """Add inputs to those that the benchmarks know.

    Parameters
    ----------
    name : str
        Of the family; one of this package cannot be replaced.
    build : callable
        ``build(n, d)`` is the (n, d) matrix, a pair of it and the (n,) offsets, or an
        `Arrangement`; the same one every time. The processes that measure import it by its module
        and name, so a lambda will not do.
    count : callable, optional
        ``count(n, d)`` is the number of chambers or rankings, or None. Without it the number is
        computed by a method other than that which is measured.
    topic : {"chambers", "rankings"}
        What is asked about the rows.
    describe : str
        What the rows are, for the page.

    See Also
    --------
    benchmarks.register_method : a method beside those of this package.

    Examples
    --------
    >>> register_family("cyclic", generators.cyclic, generic_count)
    >>> Case(CHAMBERS, "cyclic", 12, 4).known
    464
    >>> register_family("shi", generators.shi)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: chambers already have a family 'shi'; choose another name.
    """
    if topic not in (CHAMBERS, RANKINGS):
        raise InputError(f"topic is {topic!r}; expected {CHAMBERS!r} or {RANKINGS!r}.")
    if (topic, name) in _OWN:
        raise InputError(f"{topic} already have a family {name!r}; choose another name.")
    if not callable(build) or not (count is None or callable(count)):
        raise InputError(f"family {name!r}: build and count are to be functions of n and d.")
    FAMILIES[topic][name] = Family(build, count or unknown, describe or "registered")


def unknown(n: int, d: int) -> None:
    """The count of a family without one."""


def registered_family(case: Case) -> Family | None:
    """The family of a case if it was registered, for the process that measures it."""
    return None if (case.topic, case.family) in _OWN else FAMILIES[case.topic].get(case.family)
