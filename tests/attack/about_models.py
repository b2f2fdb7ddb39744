"""Attacks on models: label sets as people have them, rounded matrices, cosines, softmax."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import cos, gcd, pi, sin
from operator import mul
from random import Random

import inputs
import naive
import numpy as np
from about_chambers import rank_of
from cases import Case, question


def _distinct(rng: Random, n: int, d: int) -> list[list[int]]:
    """Small rows, none of them zero."""
    return inputs.matrix(rng, n, d, rng.choice(("unit", "small")), 1)


# Masks and tables of other libraries.

_MASKS = (
    "np.array({0})",
    "np.array({0}, bool)",
    "np.array({0}, np.uint8)",
    "scipy.sparse.csr_array(np.array({0}, bool))",
    "pandas.DataFrame(np.array({0}, bool))",
    "pandas.DataFrame({0})",
    "np.array({0}, bool).tolist()",
)


@question("audit", 20)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(3, 5), rng.randint(1, 3)
    W = inputs.matrix(rng, n, d, "small")
    possible = naive.chambers(W)
    rows = [[rng.randint(0, 1) for _ in range(n)] for _ in range(4)]
    right = [tuple(2 * x - 1 for x in row) in possible for row in rows]
    mask = rng.choice(_MASKS).format(rows)
    yield Case(f"audit({W!r}, sets={mask}).possible.tolist()", [int(x) for x in right])
    yield Case(f"proved(feasible_many({W!r}, on={mask}))", right)


@question("leads", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    if b is not None:
        return
    first = {order[0] for order in naive.rankings(W)}
    answers = [i in first for i in range(len(W))]
    # a label that can win has a positive upper bound, any other one has the lower bound 0
    text = f"[bool(pair[int(won)] > 0) for pair, won in zip(leads({W!r}), {answers!r})]"
    yield Case(text, answers)


@question("can_be_top: masks", 10)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(3, 5), rng.randint(1, 3)
    W, b = inputs.labels(rng, n, d)
    if len(W) < 3:
        return
    orders = naive.rankings(W, b)
    rows = [[rng.randint(0, 1) for _ in W] for _ in range(4)]
    rows = [row for row in rows if 0 < sum(row) < len(W)] or [[1] + [0] * (len(W) - 1)]
    right = []
    for row in rows:
        top = {i for i, x in enumerate(row) if x}
        right.append(any(set(order[: len(top)]) == top for order in orders))
    mask = rng.choice(_MASKS).format(rows)
    yield Case(f"proved(can_be_top({W!r}, {mask}, offsets={b!r}))", right)


@question("feasible: tables with labels", 10)
def _(rng: Random) -> Iterator[Case]:
    n = rng.randint(2, 5)
    W, b = inputs.matrix(rng, n, 2, "small"), inputs.vector(rng, n, "small")
    b = [x or 1 for x in b]
    names = [f"label {i}" for i in range(n)]
    order = rng.sample(range(n), n)
    table = f"pandas.DataFrame({W!r}, index={names!r})"
    column = f"pandas.Series({[b[i] for i in order]!r}, index={[names[i] for i in order]!r})"
    yield Case(f"signs(chambers({table}, {column}))", naive.chambers(W, b), may_refuse=True)
    asked = [rng.choice((-1, 1)) for _ in W]
    row = f"pandas.Series({[asked[i] for i in order]!r}, index={[names[i] for i in order]!r})"
    right = [tuple(asked) in naive.chambers(W, b)]
    yield Case(f"proved(feasible({table}, {row}, offsets={b!r}))", right, may_refuse=True)
    rows = (
        f"pandas.DataFrame([{[asked[i] for i in order]!r}], columns={[names[i] for i in order]!r})"
    )
    yield Case(f"proved(feasible_many({table}, {rows}, offsets={b!r}))", right, may_refuse=True)


# Matrices that a rounding made full.


def _relations(C: np.ndarray) -> list[tuple[int, int, int]]:
    """Rows that are equal (1) or opposite (-1), bit for bit."""
    n = len(C)
    return [
        (i, j, s) for i in range(n) for j in range(i) for s in (1, -1) if (C[i] == s * C[j]).all()
    ]


def _kept(relations: Sequence[tuple[int, int, int]], call: str) -> str:
    """Text that says whether each sign vector keeps the relations of the rows."""
    return f"all(s[i] == t * s[j] for s in signs({call}) for i, j, t in {list(relations)!r})"


def array(X: np.ndarray) -> str:
    """An array as Python text, bit for bit."""
    return f"np.array({X.astype(float).tolist()!r}, np.{X.dtype})"


@question("chambers: rank of cosines", 60)
def _(rng: Random) -> Iterator[Case]:
    d = rng.choice((2, 2, 3))
    W = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(rng.randint(d + 2, 6))]
    i, j = rng.sample(range(len(W)), 2)
    W[i] = list(W[j])
    if not all(map(any, W)) or rank_of(W) < d:
        return
    unit = np.array(W) / np.linalg.norm(np.array(W, float), axis=1, keepdims=True)
    C = np.clip((unit @ unit.T).astype(rng.choice((np.float64, np.float64, np.float32))), -1, 1)
    np.fill_diagonal(C, 1)
    relations = _relations(C)
    if relations:
        yield Case(_kept(relations, f"chambers({array(C)}, rank={d})"), True, may_refuse=True)


@question("chambers: rank of products", 20)
def _(rng: Random) -> Iterator[Case]:
    d, n = rng.choice((2, 2, 3)), rng.randint(4, 6)
    angles = [2 * pi * rng.random() for _ in range(n)]
    A = np.array([[cos(a), sin(a), rng.gauss(0, 1)][:d] for a in angles])
    A[0] = A[1] * rng.choice((1, -1))
    B = np.array([[rng.gauss(0, 1) for _ in range(4)] for _ in range(d)])
    kind = rng.choice((np.float64, np.float32))
    C = (A @ B).astype(kind)
    yield Case(_kept(_relations(C), f"chambers({array(C)}, rank={d})"), True, may_refuse=True)
    yield Case(
        f"count_chambers({array(C)}, rank={d})", naive.generic_count(n - 1, d), may_refuse=True
    )


@question("sign_pattern_from_cosines", 60)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 6), rng.randint(1, 4)
    W = [[rng.randint(-5, 5) for _ in range(d)] for _ in range(n)]
    if not all(map(any, W)):
        return
    r = rank_of(W)
    kind = rng.choice(("np.float64", "np.float32"))
    C = f"rounded_cosine_matrix({W!r}).astype({kind})"
    right = naive.chambers(W)
    yield Case(f"signs(sign_pattern_from_cosines({C}, rank={r}))", right, may_refuse=True)


@question("sign_pattern_from_cosines: exact", 6)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 5), rng.randint(1, 4)
    W = [[rng.randint(-10, 10) for _ in range(d)] for _ in range(n)]
    if not all(map(any, W)):
        return
    right = naive.chambers(W)
    yield Case(f"signs(sign_pattern_from_cosines(cosine_matrix({W!r})))", right)
    text = f"signs(sign_pattern_from_cosines(cosine_matrix({W!r}), rank={rank_of(W)}))"
    yield Case(text, right)


@question("ranking_pattern_from_difference_cosines", 20)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(3, 4), rng.randint(1, 2)
    W = [[rng.randint(-3, 3) for _ in range(d)] for _ in range(n)]
    if len(set(map(tuple, W))) < n:
        return
    r = rank_of([[x - y for x, y in zip(row, W[0], strict=True)] for row in W[1:]])
    kind = rng.choice(("np.float64", "np.float32", "np.float32"))
    D = f"rounded_difference_cosine_matrix({W!r}).astype({kind})"
    text = f"signs(ranking_pattern_from_difference_cosines({D}, rank={r}))"
    yield Case(text, naive.rankings(W), may_refuse=True)


@question("same_softmax", 10)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 4), rng.randint(1, 3)
    W1 = inputs.matrix(rng, n, d)
    moved = inputs.vector(rng, d, rng.choice(("small", "fraction")))
    exact = [
        [naive.fraction(x) + naive.fraction(m) for x, m in zip(row, moved, strict=True)]
        for row in W1
    ]
    yield Case(f"same_softmax({W1!r}, {exact!r}).same", True)
    i, j = rng.randrange(n), rng.randrange(d)
    exact[i][j] += inputs.fraction_of(rng)
    yield Case(f"same_softmax({W1!r}, {exact!r}).same", False)


def _cosine(v: Sequence[Fraction], w: Sequence[Fraction]) -> float:
    """Cosine of two vectors, rounded at the end only."""
    vw, vv, ww = (sum(map(mul, a, b)) for a, b in ((v, w), (v, v), (w, w)))
    return float(Fraction(vw) ** 2 / (vv * ww)) ** 0.5 * (1 if vw > 0 else -1)


@question("rounded_cosine_matrix", 6)
def _(rng: Random) -> Iterator[Case]:
    W = inputs.matrix(rng, rng.randint(1, 4), rng.randint(1, 3))
    rows = [[naive.fraction(x) for x in row] for row in W]
    right = [[_cosine(v, w) for w in rows] for v in rows]
    yield Case(f"np.allclose(rounded_cosine_matrix({W!r}), {right!r}, rtol=0, atol=1e-12)", True)


@question("rounded_difference_cosine_matrix", 6)
def _(rng: Random) -> Iterator[Case]:
    W, _ = inputs.labels(rng, 4, 2)
    rows = [[naive.fraction(x) for x in row] for row in W]
    differences = [[a - b for a, b in zip(v, w, strict=True)] for v, w in combinations(rows, 2)]
    if not differences or not all(map(any, differences)):
        return
    right = [[_cosine(v, w) for w in differences] for v in differences]
    for text in (
        f"rounded_difference_cosine_matrix({W!r})",
        f"np.array(difference_cosine_matrix({W!r}), float)",
    ):
        yield Case(f"np.allclose({text}, {right!r}, rtol=0, atol=1e-12)", True)


@question("cosine_matrix", 6)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(1, 4), rng.randint(1, 3)
    W = inputs.matrix(rng, n, d)
    rows = [[naive.fraction(x) for x in row] for row in W]
    table = []
    for row in rows:
        own = []
        for other in rows:
            inner = sum(x * y for x, y in zip(row, other, strict=True))
            square = inner**2 / (sum(x * x for x in row) * sum(y * y for y in other))
            own.append((square.numerator, square.denominator, (inner > 0) - (inner < 0)))
        table.append(own)
    assert all(gcd(p, q) == 1 for own in table for p, q, _ in own)
    entry = "[((c := C[i, j]) ** 2).p, (c**2).q, int(sympy.sign(c))]"
    text = f"[{entry} for i in range({n}) for j in range({n})]"
    yield Case(
        f"(lambda C: {text})(cosine_matrix({W!r}))", [list(cell) for own in table for cell in own]
    )
