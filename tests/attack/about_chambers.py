"""Attacks on questions about sign vectors: chambers, counts, feasibility, faces, polynomials."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import inputs
import naive
import surds
from cases import REFUSED, Case, question

Signs = tuple[int, ...]


def arguments(W: Any, b: Any) -> str:
    """W and its offsets as the first two arguments."""
    return f"{W!r}, {b!r}"


def dead(W: Any, b: Any) -> bool:
    """Whether some row and its offset are zero, so that there is no chamber."""
    return any(not any(row) and not c for row, c in zip(W, b or [0] * len(W), strict=True))


@question("chambers", 60)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    method = rng.choice(("auto", "sweep", "incremental", "reverse_search"))
    yield Case(f"signs(chambers({arguments(W, b)}, method={method!r}))", naive.chambers(W, b))


@question("iter_chambers", 15)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    size, workers = rng.choice((1, 3, 1000)), rng.choice((1, 2))
    text = f"blocks(iter_chambers({arguments(W, b)}, block_size={size}, workers={workers}))"
    yield Case(text, naive.chambers(W, b))


@question("count_chambers", 150)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    yield Case(f"count_chambers({arguments(W, b)})", naive.count(W, b))


@question("chambers_many", 15)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng)
    Ws = [inputs.matrix(rng, n, d) for _ in range(rng.randint(1, 3))]
    text = f"[signs(S) for S in chambers_many([np.array(W) for W in {Ws!r}])]"
    yield Case(text, [naive.chambers(W) for W in Ws])


@question("count_chambers_many", 60)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng)
    name = rng.choice(inputs.FLOATS) if rng.random() < 0.7 else None
    names = [name if rng.random() < 0.8 else None for _ in range(rng.randint(1, 4))]
    Ws = [inputs.matrix(rng, n, d, name) for name in names]
    yield Case(f"count_chambers_many({Ws!r}).tolist()", [naive.count(W) for W in Ws])


@question("feasible", 60)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    possible = naive.chambers(W, b)
    offered = [
        tuple(rng.choice((-1, 1)) for _ in W),
        *rng.sample(sorted(possible), min(1, len(possible))),
    ]
    for asked in offered:
        text = "".join("+" if s > 0 else "-" for s in asked)
        yield Case(f"proved(feasible(W:={W!r}, {text!r}, offsets={b!r}))", [asked in possible])
    free = [rng.choice("+-*") for _ in W]
    fits = any(
        all(c == "*" or (c == "+") == (s > 0) for c, s in zip(free, signs, strict=True))
        for signs in possible
    )
    yield Case(f"proved(feasible({W!r}, {''.join(free)!r}, offsets={b!r}))", [fits])


@question("feasible_many", 40)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    possible = naive.chambers(W, b)
    offered = rng.sample(list(product((-1, 1), repeat=len(W))), min(2 ** len(W), 8))
    yield Case(
        f"proved(feasible_many({W!r}, np.array({offered!r}), offsets={b!r}))",
        [s in possible for s in offered],
    )
    sets = [[i for i, s in enumerate(signs) if s > 0] for signs in offered]
    yield Case(
        f"proved(feasible_many({W!r}, on={sets!r}, offsets={b!r}))",
        [s in possible for s in offered],
    )


@question("sign_vector_at", 60)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    points = [inputs.vector(rng, len(W[0]), inputs.kind(rng)) for _ in range(2)]
    found = [naive.signs_at(W, b or [0] * len(W), point) for point in points]
    text = f"[tuple(sign_vector_at({W!r}, x, offsets={b!r}).tolist()) for x in {points!r}]"
    yield Case(text, found)


@question("count_chambers: exponents far apart", 100)
def _(rng: Random) -> Iterator[Case]:
    Ws = [inputs.matrix(rng, 4, 2, rng.choice(("ends", "two sizes")), 3) for _ in range(2)]
    yield Case(f"count_chambers({Ws[0]!r})", naive.count(Ws[0]))
    yield Case(f"count_chambers_many({Ws!r}).tolist()", [naive.count(W) for W in Ws])


@question("characteristic_polynomial", 60)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    right = naive.characteristic_polynomial(W, b)
    while len(right) > 1 and not right[-1]:
        right = right[:-1]
    yield Case(f"coefficients(characteristic_polynomial({arguments(W, b)}))", right)


@question("count_bounded", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        yield Case(f"count_bounded({arguments(W, b)})", len(naive.bounded(W, b)))


@question("betti_numbers", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    if not dead(W, b):
        right = [abs(c) for c in naive.characteristic_polynomial(W, b)[::-1]]
        while len(right) > 1 and not right[-1]:
            right.pop()
        for name in ("betti_numbers", "whitney_numbers"):
            yield Case(f"[abs(c) for c in {name}({arguments(W, b)})]", right)


def rank_of(rows: Sequence[Sequence[Any]]) -> int:
    """Rank, by elimination in fractions."""
    left, rank = [[naive.fraction(x) for x in row] for row in rows], 0
    for column in range(len(left[0]) if left else 0):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            continue
        rank += 1
        left = [
            [x - y * row[column] / pivot[column] for x, y in zip(row, pivot, strict=True)]
            for row in left
            if row is not pivot
        ]
    return rank


@question("tutte_polynomial", 15)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if dead(W, b):
        return
    rows = [(row, c) for row, c in zip(W, b or [0] * len(W), strict=True) if any(row)]
    total = rank_of([row for row, _ in rows])
    x, y = 3, 5  # values at one point with large powers tell the polynomials apart
    right = 0
    for size in range(len(rows) + 1):
        for chosen in combinations(rows, size):
            own = rank_of([row for row, _ in chosen])
            if own == rank_of([[*row, c] for row, c in chosen]):  # they have a common point
                right += (x - 1) ** (total - own) * (y - 1) ** (size - own)
    yield Case(f"int(tutte_polynomial({arguments(W, b)}).eval(({x}, {y})))", right)


@question("flats", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        faces = naive.covectors(W, b)
        yield Case(f"set(map(tuple, flats({arguments(W, b)})))", set(naive.flats_of(faces)))


@question("covectors", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        faces = naive.covectors(W, b)
        yield Case(f"signs(covectors({arguments(W, b)}))", set(faces))
        counts = [list(faces.values()).count(k) for k in range(len(W[0]) + 1)]
        yield Case(f"list(f_vector({arguments(W, b)}))", counts)
        k = rng.randrange(len(W[0]) + 1)
        own = {face for face, dimension in faces.items() if dimension == k}
        yield Case(f"blocks(iter_faces({W!r}, {k}, offsets={b!r}))", own)


@question("vertices", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        points = {face for face, dimension in naive.covectors(W, b).items() if not dimension}
        constants = b or [0] * len(W)
        text = f"{{naive.signs_at({W!r}, {constants!r}, x) for x in vertices({arguments(W, b)})}}"
        yield Case(text, points)


def classes(W: Any, b: Any) -> list[set[int]]:
    """Rows that are the same hyperplane as each row."""
    rows = naive.integer_rows(W, b)
    keys = [max(row, tuple(-x for x in row)) for row in rows]
    return [{j for j, other in enumerate(keys) if other == key} for key in keys]


def walls_of(W: Any, b: Any, possible: set[Signs]) -> dict[Signs, tuple[bool, ...]]:
    """Chamber -> which rows are its walls: flipping a row and its equals gives a chamber."""
    together = classes(W, b)
    return {
        s: tuple(
            any(row) and tuple(-x if j in own else x for j, x in enumerate(s)) in possible
            for row, own in zip(W, together, strict=True)
        )
        for s in possible
    }


@question("walls", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        right = walls_of(W, b, naive.chambers(W, b))
        pairs = "zip(S.to_array().tolist(), walls(S).tolist())"
        text = f"{{tuple(s): tuple(w) for s, w in {pairs}}}"
        yield Case(f"(lambda S: {text})(chambers({arguments(W, b)}))", right)


@question("bounded_chambers", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        text = f"signs((S := chambers({arguments(W, b)})).to_array()[bounded_chambers(S)])"
        yield Case(text, naive.bounded(W, b))


@question("chamber_edges", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        possible = naive.chambers(W, b)
        firsts = [min(own) for own in classes(W, b)]
        marks = walls_of(W, b, possible).values()
        edges = sum(mark for row in marks for i, mark in enumerate(row) if firsts[i] == i) // 2
        yield Case(f"len(chamber_edges({arguments(W, b)})[0])", edges)
        yield Case(f"chamber_graph({arguments(W, b)}).number_of_edges()", edges)


@question("sample_chambers", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        drawn = f"sample_chambers({W!r}, 5, offsets={b!r}, rng=0).to_array().tolist()"
        yield Case(f"set(map(tuple, {drawn})) <= naive.chambers({W!r}, {b!r})", True)


@question("implicit_chambers", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        S = f"implicit_chambers({arguments(W, b)})"
        yield Case(f"set(map(tuple, {S}[:].tolist()))", naive.chambers(W, b))
        yield Case(
            f"[S.index(signs) for S in [{S}] for signs in S]", list(range(naive.count(W, b)))
        )


@question("restriction", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if dead(W, b):
        return
    own = classes(W, b)
    i = rng.randrange(len(W))
    if not any(W[i]):
        return
    gone = sorted(own[i])
    text = (
        f"deletion({W!r}, {gone}, offsets={b!r}).arrangement.count_chambers()"
        f" + restriction({W!r}, {i}, offsets={b!r}).arrangement.count_chambers()"
    )
    yield Case(text, naive.count(W, b))


@question("simplify", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 6)
    if not dead(W, b):
        distinct = {min(own) for own, row in zip(classes(W, b), W, strict=True) if any(row)}
        yield Case(f"set(simplify({arguments(W, b)}).rows)", distinct)


@question("same_oriented_matroid", 20)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 5)
    W1 = inputs.matrix(rng, n, d)
    W2 = [list(row) for row in W1]
    if rng.random() < 0.7:
        i, j = rng.randrange(n), rng.randrange(d)
        W2[i][j] = inputs.KINDS[inputs.kind(rng)](rng)
    right = set(naive.covectors(W1)) == set(naive.covectors(W2))
    text = f"(c := same_oriented_matroid({W1!r}, {W2!r})).same, c.verify()"
    yield Case(text, (right, True))


@question("OrientedMatroid", 15)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 5)
    W = inputs.matrix(rng, n, d)
    found = set(naive.covectors(W))
    yield Case(f"signs(OrientedMatroid.from_matrix({W!r}).covectors())", found)
    text = (
        f"OrientedMatroid.from_covectors({sorted(found)!r}) == OrientedMatroid.from_matrix({W!r})"
    )
    yield Case(text, True)


@question("nbc_sets", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        right = [abs(c) for c in naive.characteristic_polynomial(W, b)[::-1]]
        ranks = rank_of(W)
        text = f"[len(set(nbc_sets({W!r}, k, offsets={b!r}))) for k in range({ranks + 1})]"
        yield Case(text, right[: ranks + 1])


@question("write_chambers", 4)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        folder = f"memory://attack/{rng.getrandbits(60)}"
        text = f"blocks(write_chambers({W!r}, {folder!r}, offsets={b!r}))"
        yield Case(text, naive.chambers(W, b))


@question("fold_chambers", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if not dead(W, b):
        possible = naive.chambers(W, b)
        on = [sum(s[i] > 0 for s in possible) for i in range(len(W))]
        yield Case(f"fold_chambers({W!r}, 'on', offsets={b!r}).tolist()", on)


# Numbers of real quadratic fields, in one argument or in each another.


def _surd_rows(rng: Random, n: int, d: int, place: int) -> list[list[surds.Surd]]:
    def entry() -> surds.Surd:
        coefficients = [rng.randint(-2, 2), 0, 0, 0]
        coefficients[place] = rng.randint(-1, 1)
        return surds.Surd(*coefficients)

    rows = [[entry() for _ in range(d)] for _ in range(n)]
    for row in rows:
        if not any(x.sign() for x in row):
            row[0] = surds.Surd(1)
    return rows


def _surd_offsets(rng: Random, n: int) -> list[surds.Surd]:
    place = rng.choice((1, 2, 2))
    return [row[0] if rng.random() < 0.8 else surds.Surd(0) for row in _surd_rows(rng, n, 1, place)]


@question("chambers: real fields", 4)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(1, 4), rng.randint(1, 2)
    W, b = _surd_rows(rng, n, d, 1), _surd_offsets(rng, n)
    possible = surds.chambers(W, b)
    yield Case(f"signs(chambers({arguments(W, b)}))", possible)
    asked = tuple(rng.choice((-1, 1)) for _ in W)
    text = "".join("+" if s > 0 else "-" for s in asked)
    yield Case(f"proved(feasible({W!r}, {text!r}, offsets={b!r}))", [asked in possible])
    yield Case(f"proved(feasible_many({W!r}, [{text!r}], offsets={b!r}))", [asked in possible])


@question("can_be_top: real fields", 6)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 4), rng.randint(1, 2)
    W, b = _surd_rows(rng, n, d, 1), _surd_offsets(rng, n)
    rows = [[*row, c] for row, c in zip(W, b, strict=True)]
    right = []
    for i in range(n):
        above = [[x - y for x, y in zip(rows[i], rows[j], strict=True)] for j in range(n) if j != i]
        right.append(surds.positive_somewhere(above))
    yield Case(f"proved(can_be_top({W!r}, {[[i] for i in range(n)]!r}, offsets={b!r}))", right)


@question("sign_vector_at: real fields", 6)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(1, 4), rng.randint(1, 2)
    W, b = _surd_rows(rng, n, d, 1), _surd_offsets(rng, n)
    point = [row[0] for row in _surd_rows(rng, d, 1, 2)]
    right = []
    for row, c in zip(W, b, strict=True):
        total = c
        for w, x in zip(row, point, strict=True):
            total = total + w * x
        right.append(total.sign())
    yield Case(f"sign_vector_at({W!r}, {point!r}, offsets={b!r}).tolist()", right)


@question("zonotope", 10)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 4)
    W = inputs.matrix(rng, n, d, rng.choice(("unit", "small", "fraction", "decimal")))
    points = {
        tuple(
            sum(
                (naive.fraction(x) for x, on in zip(column, chosen, strict=True) if on), Fraction(0)
            )
            for column in zip(*W, strict=True)
        )
        for chosen in ([s > 0 for s in signs] for signs in naive.chambers(W))
    }
    yield Case(f"{{tuple(map(Fraction, v)) for v in zonotope({W!r}).vertices.tolist()}}", points)


@question("chambers: a row of zeros", 3)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    i = rng.randrange(len(W))
    W[i] = [0] * len(W[0])
    if dead(W, b):
        yield Case(f"signs(chambers({arguments(W, b)}))", REFUSED)
    else:
        yield Case(f"signs(chambers({arguments(W, b)}))", naive.chambers(W, b))
