"""Prove the claims of a certificate file: one file, the standard library, Python 3.9 or later.

``python checker.py FILE`` prints a verdict on each claim. Its exit status is 0 if all are proved,
1 if not, 2 if the arguments are wrong, and 3 if a limit of time or memory ended it before that.
docs/certificates.md describes the format, and says exactly what each claim means.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import sys
import threading
import time
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, repeat
from math import gcd, inf, lcm
from operator import add, mul, sub
from typing import IO, Any, Callable, Iterable, Iterator, NamedTuple  # noqa: UP035 for Python 3.9

PROVED, NOT_PROVED, STOPPED = 0, 1, 3
HEADERS = [b'{"certificate": "arrangements", "version": %d}\n' % k for k in (1, 2)]
LONGEST_LINE = 2**23
RATIO = re.compile("-?[0-9]{1,4300}/[0-9]{1,4300}")  # Python reads no longer whole numbers, either
HEXADECIMAL = re.compile("-?0x[0-9a-f]{1,100000}")
LARGEST_DENOMINATOR = 2**100_000
Row = list[Any]  # a function of x: d weights and an offset
Condition = tuple[Row, str]  # the function shall be positive (+), 0, or at least 0 (?)
Normal = tuple[int, ...]  # of a hyperplane through 0
Ray = tuple[int, Normal]  # of a cone: bits of the inequalities that are 0, and values of functions


def require(holds: Any, why: str) -> None:
    """Refuse the file, or the claim, unless the condition holds."""
    if not holds:
        raise ValueError(why)


class Reader:
    """The lines of a file, one at a time, and the SHA-256 of those before the last one read."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.number, self.text, self.version = stream, 0, b"", 0
        self.value: Any
        self.digest = hashlib.sha256()
        self.decode = json.JSONDecoder(object_pairs_hook=tuple).decode

    def read(self) -> Any:
        """The value in the next line: fields as a dict, or anything else that JSON can say."""
        self.digest.update(self.text)
        self.number, self.value = self.number + 1, None
        self.text = self.stream.readline(LONGEST_LINE)
        if self.number == 1:
            require(self.text in HEADERS, "this is no certificate file of version 1 or 2")
            self.version = 1 + HEADERS.index(self.text)
        require(self.text.endswith(b"\n"), "the file ends too early, or the line is too long")
        value = self.decode(self.text.decode("ascii"))
        self.value = dict(value) if type(value) is tuple else value
        require(len(self.value) == len(value), "a field is given twice")
        return self.value


def whole(value: Any) -> int:
    """A whole number; a large one is text in hexadecimal."""
    if type(value) is int:  # not bool
        return value
    require(type(value) is str and HEXADECIMAL.fullmatch(value), "expected a whole number")
    return int(value, 16)


def exact(value: Any) -> Fraction:
    """An entry of an input: whole, "p/q", or a float in hexadecimal as Python writes it."""
    if type(value) is str and not RATIO.fullmatch(value):
        number = float.fromhex(value)
        require(number.hex() == value, "expected an exact number")
        return Fraction(number)
    return Fraction(value if type(value) is str else whole(value))


class Input(NamedTuple):
    """A matrix (W | b) times `scale`, which makes it whole, but for the square roots of `roots`.

    Of a polyhedron, `kinds` says what the rows are in its relative interior: +, 0, or ? if unknown.
    """

    rows: list[Row]
    opposites: list[Row]
    columns: int
    scale: int
    roots: Iterable[int]
    kinds: str

    def inner(self, i: int, j: int) -> int:
        """The inner product of rows i and j of W, times the square of the scale."""
        return sum(map(mul, map(mul, self.rows[i][:-1], self.rows[j][:-1]), self.roots))

    def cosine(self, i: int, j: int) -> Fraction:
        """The square of the cosine of rows i and j of W, with the sign of the cosine."""
        product = self.inner(i, j)
        return Fraction(product * abs(product), self.inner(i, i) * self.inner(j, j))


def read_input(reader: Reader, fields: dict[str, Any]) -> Input:
    """An input: a line with its fields, then one for each row."""
    n, d = whole(fields.pop("rows")), whole(fields.pop("columns"))
    roots, _ = fields.pop("roots", None), fields.pop("note", "")
    more = fields if reader.version > 1 else {}
    equations, interior = whole(more.pop("equations", 0)), more.pop("interior", None)
    implicit = more.pop("implicit", [])
    require(
        n >= equations >= 0 and 0 <= d < LONGEST_LINE and not fields, "an input has wrong fields"
    )
    if roots is not None:  # column k of W is multiplied by the square root of roots[k]
        roots = [whole(root) for root in roots]
        require(len(roots) == d and all(root > 0 for root in roots), "expected d positive roots")
    entries, scale = [], 1
    for _ in range(n):
        row = reader.read()
        require(type(row) is list and len(row) == d + 1, "expected d weights and an offset")
        entries.append([exact(entry) for entry in row])
        for entry in entries[-1]:
            scale = lcm(scale, entry.denominator)
            require(scale < LARGEST_DENOMINATOR, "the common denominator is too large")
    # One positive factor for all rows changes no sign, neither of a row nor of a difference.
    rows = [[entry.numerator * (scale // entry.denominator) for entry in row] for row in entries]
    opposites = [[-entry for entry in row] for row in rows]
    kinds = "?" * (n - equations) + "0" * equations
    if interior is not None:
        kinds = prove_interior(rows, n - equations, [*map(whole, interior)], implicit)
    return Input(rows, opposites, d, scale, repeat(1) if roots is None else roots, kinds)


def prove_interior(rows: list[Row], m: int, point: list[int], implicit: Any) -> str:
    """The kinds of m inequalities (functions >= 0) and equations, of which a point shows that of +.

    A sum of multiples, positive ones of inequalities, is 0: all these vanish in the polyhedron.
    """
    zero, total = {*range(m, len(rows))}, [0] * len(point)
    for j, weight in ([*map(whole, entry)] for entry in implicit):
        require(0 <= j < len(rows) and (weight > 0 or j >= m), "a weight is wrong")
        total = [t + weight * entry for t, entry in zip(total, rows[j])]
        zero.add(j)
    require(not any(total), "the inequalities need not be equations")
    for j, row in enumerate(rows):
        value = sum(map(mul, row, point))
        require(len(point) == len(row) and point[-1] > 0, "expected d numbers and q > 0")
        require(value == 0 if j in zero else value > 0, "the point is not inside")
    return "".join("0" if j in zero else "+" for j in range(len(rows)))


class SignVector:
    """Whether there is an x where rows with + are positive, with - negative, and with 0 zero."""

    def __init__(self, signs: Any, n: int, version: int) -> None:
        allowed = "+-0" if version == 1 else "+-0*"
        good = type(signs) is str and len(signs) == n and set(signs) <= set(allowed)
        require(good, f"expected a sign of {allowed} for each row")
        self.key, self.is_whole, self.either = signs, set(signs) <= set("+-"), allowed[-1]
        self.precedes_opposite = signs.startswith("+")

    def conditions(self, matrix: Input) -> dict[Any, Condition]:
        """The rows with + and 0, and minus the rows with -."""
        found = {}
        for i, sign in enumerate(self.key):
            row = (matrix.opposites if sign == "-" else matrix.rows)[i]
            if sign != self.either:
                found[(i,)] = row, "0" if sign == "0" else "+"
        return found


class Ranking:
    """Whether there is an x where all labels score higher than those of the next group."""

    def __init__(self, groups: Any, n: int, version: int) -> None:
        self.key = [sorted(map(whole, g if type(g) is list else [g])) for g in groups]
        named = [label for group in self.key for label in group]
        others = sorted(set(range(n)) - set(named))
        require(all(self.key) and len(named) + len(others) == n, "expected labels, each once")
        self.groups = [*self.key, others]  # all labels that are not named are below
        self.is_whole = len(self.key) == n
        # Only if all labels are named, the order at -x is the opposite.
        self.precedes_opposite = not others and self.key < self.key[::-1]

    def conditions(self, matrix: Input) -> dict[Any, Condition]:
        """The score of a label minus that of another one in the next group."""
        rows, neighbors = matrix.rows, zip(self.groups, self.groups[1:])
        pairs = [(i, j) for high, low in neighbors for i in high for j in low]
        return {(i, j): ([*map(sub, rows[i], rows[j])], "+") for i, j in pairs}


def occurs(
    question: SignVector | Ranking, matrix: Input, proof: Any, others: list[Condition]
) -> bool:
    """Whether all conditions hold at some x: the proof is such an x, or weights."""
    require(type(proof) is list and proof, "expected a point or weights")
    conditions = question.conditions(matrix)
    for k, (row, kind) in enumerate(others, len(matrix.rows)):
        require(len(row) == matrix.columns + 1, "a polyhedron or equations have other columns")
        conditions[(k,)] = [entry * matrix.scale for entry in row], kind
    if type(proof[0]) is not list:
        point = [whole(entry) for entry in proof]  # p_1, .., p_d, q for x = p / q
        require(len(point) == matrix.columns + 1 and point[-1] > 0, "expected d numbers and q > 0")
        for row, kind in conditions.values():
            value = sum(map(mul, row, point))
            require(value > 0 if kind == "+" else value == 0 and kind == "0", "a wrong point")
        return True
    total, strict = [0] * (matrix.columns + 1), False
    for entry in proof:
        *key, weight = map(whole, entry)
        row, kind = conditions.get(tuple(key), ([], ""))
        require(row and (weight > 0 or kind == "0"), "a weight is wrong")
        total = [t + weight * f for t, f in zip(total, row)]
        strict |= kind == "+"
    # At an x where all conditions hold, this sum would not be negative, and positive if `strict`.
    good = not any(total[:-1]) and (total[-1] < 0 or (total[-1] == 0 and strict))
    require(good, "the weights exclude nothing")
    return False


def divisor_of(row: Normal) -> int:
    """The largest number that divides all entries; 0 if they are 0."""
    divisor = 0
    for entry in row:  # not all in one step, which no limit of time could end
        divisor = gcd(divisor, entry)
    return divisor


def primitive(row: Normal) -> Normal:
    """The multiple that stands for a hyperplane: coprime entries, the first of them positive."""
    divisor = divisor_of(row) * (-1 if next(filter(None, row)) < 0 else 1)
    return row if divisor == 1 else tuple([entry // divisor for entry in row])


def restriction(rows: tuple[Normal, ...], pivot: Normal) -> tuple[Normal, ...]:
    """The intersections of hyperplanes with the one of the pivot, without one coordinate."""
    c = next(k for k, entry in enumerate(pivot) if entry)
    met = set()
    for row in rows:
        if row[c]:
            row = tuple([pivot[c] * a - row[c] * b for a, b in zip(row, pivot)])
        met.add(primitive(row[:c] + row[c + 1 :]))
    return tuple(sorted(met))


@lru_cache(2**16)
def chambers(rows: tuple[Normal, ...], most: float = inf) -> int:
    """The number of chambers of distinct hyperplanes through 0; refused if there are more."""
    if rows and len(rows[0]) == 2:
        return 2 * len(rows)  # lines in the plane
    total = 1
    for i, row in enumerate(rows):
        # A hyperplane cuts in two the chambers that it meets: one for each chamber of its own.
        total += chambers(restriction(rows[:i], row))
        require(total <= most, "there are more of them")
    return total


def combine(a: int, one: Normal, b: int, other: Normal) -> Normal:
    """The sum of two multiples, divided by what divides all its entries."""
    row = tuple([a * x + b * y for x, y in zip(one, other)])
    divisor = divisor_of(row) or 1
    return tuple([entry // divisor for entry in row])


def cut(lines: list[Normal], rays: list[Ray], k: int, bit: int) -> tuple[list[Normal], list[Ray]]:
    """The lines and extreme rays of the part of a cone where function k is 0.

    With the bit of an inequality, which exceeds all others, of that where it is at least 0. Two
    rays span a face unless all inequalities that are 0 on both are so on a third one.
    """
    pivot = next((line for line in lines if line[k]), None)
    if pivot is not None:
        up = pivot if pivot[k] > 0 else tuple([-entry for entry in pivot])
        lines = [combine(up[k], line, -line[k], up) for line in lines if line is not pivot]
        rays = [(tight | bit, combine(up[k], ray, -ray[k], up)) for tight, ray in rays]
        return lines, rays + [(bit - 1, up)] * (bit > 0)
    plus, minus = ([ray for ray in rays if ray[1][k] * sign > 0] for sign in (1, -1))
    found = [(tight | bit, ray) for tight, ray in rays if not ray[k]]
    for p, above in plus:
        for q, below in minus:
            third = (r for r, _ in rays if r & p & q == p & q and r != p and r != q)
            if next(third, None) is None:
                found.append((p & q | bit, combine(above[k], below, -below[k], above)))
    return lines, found + plus * (bit > 0)


def chambers_met(lines: list[Normal], rays: list[Ray], most: float) -> int:
    """The number of chambers of functions that meet the relative interior of a cone."""
    vectors, cutting = lines + [ray for _, ray in rays], {}
    for k, values in enumerate(zip(*vectors)):
        if any(values[: len(lines)]) or min(values) < 0 < max(values):
            cutting[primitive(values)] = k  # equal hyperplanes of the cone count once
    if len(vectors) <= 2:  # at most a plane, which is cut along lines
        return 1 + len(cutting)
    total, kept = 1, [*cutting.values()]
    for i in range(len(kept)):
        # As in `chambers`: those of the first i that the next one cuts are those of its section.
        few = [tuple([vector[k] for k in kept[: i + 1]]) for vector in vectors]
        lower = [(tight, few[len(lines) + r]) for r, (tight, _) in enumerate(rays)]
        total += chambers_met(*cut(few[: len(lines)], lower, i, 0), most)
        require(total <= most, "there are more of them")
    return total


def chambers_inside(normals: set[Normal], region: Input, most: float) -> int:
    """The number of chambers that meet the relative interior of a polyhedron.

    It is the part t = 1 of a cone. Points are values of all functions at them.
    """
    infinity = [0] * region.columns + [1]
    # equations first, as long as there are no rays
    parts = sorted([*zip(region.kinds, region.rows), ("+", infinity)], key=lambda p: p[0] != "0")
    functions = [row for _, row in parts]
    lines: list[Normal] = [*zip(*functions, *normals)]
    rays: list[Ray] = []
    for k, (kind, _) in enumerate(parts):
        lines, rays = cut(lines, rays, k, 0 if kind == "0" else 2**k)
    m = len(parts)
    require(any(ray[m - 1] for _, ray in rays), "the polyhedron is empty")
    lines, rays = [line[m:] for line in lines], [(tight, ray[m:]) for tight, ray in rays]
    columns = zip(*lines, *(ray for _, ray in rays))
    require(all(map(any, columns)), "a row is zero in the polyhedron, or two labels are equal")
    return chambers_met(lines, rays, most)


def require_number(number: int, of: str, matrix: Input, region: Input | None) -> None:
    """Refuse the claim unless so many sign vectors without 0, or rankings of all labels, occur."""
    # Rankings are the chambers of the hyperplanes where two labels tie.
    ties = ([*map(sub, *pair)] for pair in combinations(matrix.rows, 2))
    normals = set()
    for row in ties if of == "rankings" else matrix.rows:
        require(any(row), "a row is zero, or two labels are equal")
        normals.add(primitive(tuple(row)))
    if region is not None:
        require(region.columns == matrix.columns, "a polyhedron has other columns")
        found = chambers_inside(normals, region, number)
    elif any(row[-1] for row in normals):
        # In the cone the offset is the weight of one more coordinate, positive in half of it.
        normals.add((0,) * matrix.columns + (1,))
        found = chambers(tuple(sorted(normals)), 2 * number) // 2
    else:
        found = chambers(tuple(sorted(row[:-1] for row in normals)), number)
    require(found == number, "their number is another one")


def read_others(fields: Any, inputs: dict[str, Input]) -> list[Condition]:
    """What shall hold besides: equations, and those of a polyhedron."""
    found: list[Condition] = []
    for name in ("equations", "within"):
        if name in fields:
            matrix = inputs[fields.pop(name)]
            kinds = matrix.kinds if name == "within" else "0" * len(matrix.rows)
            rows = [[Fraction(entry, matrix.scale) for entry in row] for row in matrix.rows]
            found += zip(rows, kinds)
    return found


def read_rows(
    reader: Reader, fields: Any, of: str, inputs: list[Input], others: list[Condition]
) -> Iterator[Any]:
    """The questions of a claim, none twice, each with its answers in the inputs."""
    number, opposites = whole(fields.pop("rows")), whole(fields.pop("opposites", 0))
    n = len(inputs[0].rows)  # so a question is about the same rows, or labels, in each input
    require(all(len(matrix.rows) == n for matrix in inputs), "the inputs differ in their rows")
    require(opposites in (0, 1), "expected opposites 0 or 1")
    for matrix in inputs if opposites else ():
        # Without offsets, -x has the opposite of x. Equal ones add the same to each score.
        offsets = {row[-1] for row in matrix.rows}
        central = offsets <= {0} if of == "sign vectors" else len(offsets) == 1
        require(central and not others, "opposites need not occur where there are offsets")
    last = None
    for _ in range(number):
        row = reader.read()
        require(type(row) is list and len(row) == 1 + len(inputs), "expected proofs for all inputs")
        question = (Ranking if of == "rankings" else SignVector)(row[0], n, reader.version)
        require(last is None or last < question.key, "expected rows in ascending order")
        require(question.precedes_opposite or not opposites, "expected the opposite of this row")
        last = question.key
        pairs = zip(inputs, row[1:])
        answers = [occurs(question, matrix, proof, others) for matrix, proof in pairs]
        yield from [(question, answers)] * (1 + opposites)  # no row is the opposite of another one


def is_misleading(rows: Iterator[Any], matrix: Input) -> bool:
    """Whether labels that cannot tie for the first place have a larger cosine than two that can."""
    can: list[list[int]] = []
    cannot: list[list[int]] = []
    for question, (answer,) in rows:
        require([*map(len, question.key)] == [1, 1], "expected two labels in each row")
        (can if answer else cannot).append(sum(question.key, []))
    # With [i, j] on top at x, and [j, i] at y, they tie for the first place between x and y.
    good = len(cannot) == 1 and len(can) == 2 and can[0] == can[1][::-1]
    require(good, "others can tie for the first place")
    (i, j), (k, h) = can[0], cannot[0]
    require(matrix.rows[k] != matrix.rows[h], "equal labels tie wherever one of them is first")
    return matrix.cosine(k, h) > matrix.cosine(i, j)


def is_so(says: str, inputs: list[Input]) -> bool:
    """Whether a claim about the rows of the inputs is true."""
    if says == "same cosines":
        n = len(inputs[0].rows)
        require(len(inputs) > 1 and all(len(m.rows) == n > 1 for m in inputs), "rows do not match")
        return all(len({m.cosine(*p) for m in inputs}) == 1 for p in combinations(range(n), 2))
    if says == "constant column":
        columns = [{row[0] for row in matrix.rows if matrix.columns} for matrix in inputs]
        return all(len(column) == 1 and column != {0} for column in columns)
    if says == "centered":
        return not any(sum(column) for matrix in inputs for column in zip(*matrix.rows))
    require(says == "unit rows", "this kind of claim is not known")
    return all(m.inner(i, i) == m.scale**2 for m in inputs for i in range(len(m.rows)))


def prove_best(
    reader: Reader, fields: Any, factor: int, inputs: list[Input], others: list[Condition]
) -> int:
    """Prove that no sign vector without 0 has a lesser value, times a factor; the nodes of a tree.

    A node says the signs of some rows, of the root of none. Its line is the row that divides it, or
    shares of conflicts: weights that exclude some of its signs, together with the lesser costs of
    other rows. So one of these others has its larger cost wherever the signs occur.
    """
    matrix, costs = inputs
    require(costs.columns == 1 and len(costs.rows) == len(matrix.rows), "expected two costs a row")
    prices = [{"+": factor * on, "-": factor * off} for on, off in costs.rows]
    cheap = "".join(["+" if price["+"] < price["-"] else "-" for price in prices])
    extra = [abs(price["+"] - price["-"]) for price in prices]
    step = divisor_of(tuple(extra)) or 1  # any two values differ by a multiple of it

    signs, proof = reader.read()
    best = SignVector(signs, len(cheap), reader.version)
    require(best.is_whole and occurs(best, matrix, proof, others), "expected signs that occur")
    least = sum(price[sign] for price, sign in zip(prices, signs))
    stated = exact(fields.pop("value"))
    require(stated * factor * costs.scale == least, "the value is another one")
    nodes, stack = 0, ["*" * len(cheap)]
    while stack:
        node, line, nodes = stack.pop(), reader.read(), nodes + 1
        require(type(line) is list, "expected a row that divides, or shares")
        if line and type(line[0]) is not list:
            (i,) = map(whole, line)
            require(i >= 0 and node[i] == "*", "a row is divided twice")
            stack += [node[:i] + sign + node[i + 1 :] for sign in "-+"]
            continue
        hoped = [c if sign == "*" else sign for c, sign in zip(cheap, node)]
        value: Any = sum(price[sign] for price, sign in zip(prices, hoped))
        left: list[Any] = [*extra]
        for size, weights in line:
            share, rows = exact(size) * costs.scale, {j for j, _ in weights}  # so it is no point
            asked = "".join([sign if i in rows else "*" for i, sign in enumerate(hoped)])
            occurs(SignVector(asked, len(cheap), reader.version), matrix, weights, others)
            free = [i for i in rows if i < len(cheap) and node[i] == "*"]
            value += share if free else inf
            for i in free:
                left[i] -= share
            require(share >= 0 and min(left) >= 0, "the shares are too large")
        require(value > least - step, "a better value is possible")
    return nodes


def prove(reader: Reader, fields: dict[str, Any], number: int, inputs: dict[str, Input]) -> str:
    """What the claim of this number says, once it is proved."""
    require(whole(fields.pop("claim")) == number, "claims are not numbered 1, 2, ..")
    says, names, of = fields.pop("says"), fields.pop("inputs"), fields.pop("of", None)
    require(type(names) is list and names, "expected a list of inputs")
    subjects = [inputs[name] for name in names]
    require(of in (None, "sign vectors", "rankings"), "expected sign vectors or rankings")
    region = inputs[fields["within"]] if "within" in fields else None
    counted = says in ("complete", "count") and "equations" not in fields
    others = read_others(fields, inputs) if reader.version > 1 else []
    extreme = {"least value": 1, "largest value": -1}.get(says, 0) * (reader.version > 1)
    good = not others or counted or extreme or says in ("answers", "different")
    require(good, "no such claim can be about a polyhedron or equations")
    total, occurring = 0, [0] * len(subjects)
    if extreme and of is None:
        subjects.append(inputs[fields.pop("costs")])
        says, of = f"{says} {fields['value']!s:.100}", "nodes"
        total = prove_best(reader, fields, extreme, subjects, others)
    elif of is None:
        require(is_so(says, subjects), "it is not so")
    elif says == "count":
        total = whole(fields.pop("number"))
    elif says == "misleading cosines":
        rows, total = read_rows(reader, fields, of, subjects, others), 3
        require(of == "rankings" and is_misleading(rows, *subjects), "their cosine is not larger")
    else:
        require(says in ("answers", "complete", "different"), "this kind of claim is not known")
        for question, answers in read_rows(reader, fields, of, subjects, others):
            total, occurring = total + 1, [*map(add, occurring, answers)]
            if says == "complete":
                require(question.is_whole and all(answers), "a row is none of them")
            if says == "different":
                require(len(answers) > 1 and sum(answers) == 1, "a row is not in exactly one input")
    if says in ("complete", "count"):
        for matrix in subjects:
            require_number(total, of, matrix, region)
    require(not fields, "a claim has an unknown field")
    require(total > 0 or of is None, "a claim has no rows")
    what = f"{says}, {total} {of}" if of else says
    occur = f" ({', '.join(map(str, occurring))} occur)" if says == "answers" else ""
    return f"{what}{occur}, of {', '.join(map(ascii, names)):.1000}"


def check(reader: Reader) -> Iterator[str]:
    """A verdict on each claim of a file; an exception if not all of it is as it should be."""
    inputs: dict[str, Input] = {}
    claims = refused = 0
    reader.read()  # the header
    reader.read()
    while "end" not in (line := reader.value):
        if "input" in line:
            name = line.pop("input")
            require(type(name) is str and name not in inputs, "an input is repeated")
            inputs[name] = read_input(reader, line)
            reader.read()
            continue
        claims += 1
        try:
            says = prove(reader, line, claims, inputs)
            require(type(reader.read()) is dict, "there are more rows than the claim says")
            yield f"claim {claims} is proved: {says}"
        except MemoryError:
            raise
        except Exception as error:  # whatever a hostile file provokes
            why = f"{type(error).__name__}: {str(error)!a:.300}"
            yield f"line {reader.number}: claim {claims} is NOT PROVED: {why}"
            refused += 1
            while type(reader.value) is not dict or reader.value is line:
                reader.read()  # the rows that are left
    end = {"end": reader.number - 1, "claims": claims, "sha256": reader.digest.hexdigest()}
    require(claims and json.dumps(line) == json.dumps(end), "the last line does not fit")
    require(not reader.stream.read(1), "there is something after the last line")
    require(not refused, f"{refused} of {claims} claims")


def main(path: str, say: Callable[[str], None] = print) -> int:
    """Say what a file proves, without any limits; the exit status."""
    reader = None
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as stream:
            reader = Reader(stream)  # type: ignore[arg-type]
            for verdict in check(reader):
                say(verdict)
        return PROVED
    except MemoryError:  # all that was held is free after this block
        status, why = STOPPED, "STOPPED: the system has no more memory"
    except Exception as error:
        status, why = NOT_PROVED, f"NOT PROVED: {type(error).__name__}: {str(error)!a:.300}"
    say(f"line {reader.number if reader else 0}: {why}")
    return status


def used_memory() -> int:
    """Bytes that this process takes; 0 if the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def watch(seconds: float, megabytes: float) -> None:
    """End this process, whatever it does, when it has taken so much time or memory."""
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end and used_memory() < megabytes * 2**20:
            time.sleep(0.05)
        over, option = f"{seconds:g} seconds are over", "--max-seconds"
        if time.monotonic() < end:
            over, option = f"{megabytes:g} megabytes are full", "--max-megabytes"
        print(f"STOPPED: {over}; {option} allows more", flush=True)
    finally:
        os._exit(STOPPED)


def program() -> int:
    """Check the file that the command line names."""
    parser = argparse.ArgumentParser(description="Prove the claims of a certificate file.")
    parser.add_argument("FILE", help="compressed if its name ends in .gz")
    parser.add_argument("--max-seconds", type=float, default=600, help="default: 600")
    parser.add_argument("--max-megabytes", type=float, default=1000, help="default: 1000")
    arguments = parser.parse_args()
    limits = arguments.max_seconds, arguments.max_megabytes
    if not all(limit > 0 for limit in limits):
        parser.exit(2, "a limit must be above 0\n")
    if not used_memory():
        print("This system does not say how much memory is used: no limit.", file=sys.stderr)
    threading.Thread(target=watch, args=limits, daemon=True).start()
    return main(arguments.FILE, lambda verdict: print(f"{verdict}\n", end="", flush=True))


if __name__ == "__main__":
    sys.exit(program())
