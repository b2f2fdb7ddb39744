"""Random claims about random small inputs, with their truth by brute force.

Whether linear functions can all be positive is decided by Fourier-Motzkin elimination in
fractions, which also gives the point or the weights: nothing here comes from the checker or from
the package. What each claim means, and which forms it may have, is that of docs/certificates.md.
"""

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import lcm
from random import Random
from typing import Any

Row = tuple[Fraction, ...]
SIGNS = "sign vectors"

# ------------------------------------------------------------------ which functions are positive


@cache
def decide(functions: tuple[Row, ...], d: int) -> tuple[bool, list[int]]:
    """Whether all functions (w_1, .., w_d, b) are positive at one x.

    Also the point (p, q) with x = p / q, or how often each function is in a sum against all x.
    """
    units = [[Fraction(i == j) for j in range(len(functions))] for i in range(len(functions))]
    found, numbers = _eliminated(
        [(list(f), unit) for f, unit in zip(functions, units, strict=True)], d
    )
    numbers = [*numbers, Fraction(1)] if found else numbers
    common = lcm(*(x.denominator for x in numbers))
    return found, [int(x * common) for x in numbers]


def _eliminated(
    rows: list[tuple[list[Fraction], list[Fraction]]], d: int
) -> tuple[bool, list[Fraction]]:
    """Solve for the last of d coordinates between bounds that depend on the ones before."""
    if d == 0:
        for f, weights in rows:
            if f[-1] <= 0:
                return False, weights
        return True, []
    k, kept = d - 1, [row for row in rows if row[0][d - 1] == 0]
    lower, upper = ([row for row in rows if row[0][k] * s > 0] for s in (1, -1))
    for (f, u), (g, v) in product(lower, upper):
        a, b = -g[k], f[k]
        kept.append(([a * x + b * y for x, y in zip(f, g, strict=True)],
                     [a * x + b * y for x, y in zip(u, v, strict=True)]))  # fmt: skip
    found, point = _eliminated(kept, k)
    if not found:
        return False, point
    bounds = [
        [-sum((w * x for w, x in zip(f[:k], point, strict=True)), f[-1]) / f[k] for f, _ in side]
        for side in (lower, upper)
    ]
    low, high = max(bounds[0], default=None), min(bounds[1], default=None)
    if low is not None and high is not None:
        return True, [*point, (low + high) / 2]
    if low is not None:
        return True, [*point, low + 1]
    return True, [*point, Fraction(0) if high is None else high - 1]


# ------------------------------------------------------------------ inputs


class Input:
    """Rows (w_1, .., w_d, b), and squares of the scales of columns."""

    def __init__(self, rows: Sequence[Sequence[Any]], d: int, roots: list[int] | None) -> None:
        self.rows = tuple(tuple(map(Fraction, row)) for row in rows)
        self.n, self.d, self.given_roots = len(rows), d, roots
        self.roots = [1] * d if roots is None else roots
        self._all: dict[str, set[Any]] = {}

    def functions(self, of: str, question: Any) -> dict[tuple[int, ...], Row]:
        """What must be positive, as the pages say it."""
        if of == SIGNS:
            rows = enumerate(zip(question, self.rows, strict=True))
            return {
                (i,): tuple(x if s == "+" else -x for x in row) for i, (s, row) in rows if s != "0"
            }
        groups = [group if isinstance(group, list) else [group] for group in question]
        named = {label for group in groups for label in group}
        groups.append([label for label in range(self.n) if label not in named])
        return {
            (i, j): tuple(x - y for x, y in zip(self.rows[i], self.rows[j], strict=True))
            for high, low in zip(groups, groups[1:], strict=False)
            for i in high
            for j in low
        }

    def has(self, of: str, question: Any) -> bool:
        return decide(tuple(self.functions(of, question).values()), self.d)[0]

    def proof(self, of: str, question: Any) -> list[Any]:
        functions = self.functions(of, question)
        found, numbers = decide(tuple(functions.values()), self.d)
        if found:
            return numbers
        return [[*key, y] for key, y in zip(functions, numbers, strict=True) if y]

    def everything(self, of: str) -> set[Any]:
        """All sign vectors without 0, or all rankings."""
        if of not in self._all:
            signs = ("".join(signs) for signs in product("+-", repeat=self.n))
            every: Any = signs if of == SIGNS else permutations(range(self.n))
            self._all[of] = {q for q in every if self.has(of, q)}
        return self._all[of]

    def product(self, i: int, j: int) -> Fraction:
        pairs = zip(self.rows[i][:-1], self.rows[j][:-1], self.roots, strict=True)
        return sum((a * b * r for a, b, r in pairs), Fraction(0))

    def cosine(self, i: int, j: int) -> Fraction | None:
        """Its square, with its sign; None if there is none."""
        squares = self.product(i, i) * self.product(j, j)
        return self.product(i, j) * abs(self.product(i, j)) / squares if squares else None

    def lines(self, name: str) -> list[Any]:
        fields = {"input": name, "rows": self.n, "columns": self.d}
        fields |= {} if self.given_roots is None else {"roots": self.given_roots}
        return [fields, *([_number(x) for x in row] for row in self.rows)]


def _number(x: Fraction) -> int | str:
    return int(x) if x.denominator == 1 else str(x)


def random_input(rng: Random) -> Input:
    n, d = rng.choice([0, 1, 2, 2, 3, 3, 3, 4, 4]), rng.choice([0, 1, 1, 2, 2, 2, 3])
    halves = rng.random() < 0.2

    def entry() -> Fraction:
        return Fraction(rng.randint(-2, 2), rng.choice([1, 2]) if halves else 1)

    kind = rng.choice(["none", "none", "equal", "any", "one"])
    equal, odd = entry(), rng.randrange(max(n, 1))
    offsets: dict[str, list[Any]] = {
        "none": [0] * n,
        "equal": [equal] * n,
        "any": [entry() for _ in range(n)],
        "one": [int(i == odd) for i in range(n)],
    }
    rows = [[*(entry() for _ in range(d)), offset] for offset in offsets[kind]]
    special = rng.random()
    if n > 1 and special < 0.15:  # the weights are centered
        sums = [sum(column) for column in zip(*rows[:-1], strict=True)]
        rows[-1] = [*(-total for total in sums[:d]), rows[-1][d]]
    elif d > 1 and special < 0.3:  # of unit length
        units = [[1, 0], [0, -1], [Fraction(3, 5), Fraction(4, 5)], [-1, 0]]
        rows = [[*rng.choice(units), *[0] * (d - 2), row[-1]] for row in rows]
    elif d and special < 0.4:  # a constant column, or nearly
        rows = [[2, *row[1:]] for row in rows]
    roots = [rng.choice([1, 2, 3]) for _ in range(d)] if rng.random() < 0.2 else None
    return Input(rows, d, roots)


def relative(m: Input, rng: Random) -> Input:
    """An input that has much in common with another one."""
    rows, d = [list(row) for row in m.rows], m.d
    roots = None if m.given_roots is None else list(m.given_roots)
    change = rng.randrange(10)
    if change == 0:
        rows.append([Fraction(rng.randint(-2, 2)) for _ in range(d + 1)])
    elif change == 1 and rows:
        rows.pop(rng.randrange(len(rows)))
    elif change == 2 and rows:
        rows[rng.randrange(len(rows))][-1] += 1
    elif change == 3:
        factor = rng.choice([2, 3, -1, Fraction(1, 2)])
        rows = [[x * factor for x in row] for row in rows]
    elif change == 4:
        roots = [rng.choice([1, 2, 5]) for _ in range(d)]
    elif change == 5:  # one more column
        rows, d = [[*row[:-1], Fraction(rng.randint(0, 1)), row[-1]] for row in rows], d + 1
        roots = None if roots is None else [*roots, 1]
    elif change == 6 and d:
        rows, d = [row[1:] for row in rows], d - 1
        roots = None if roots is None else roots[1:]
    elif change == 7 and rows:
        row = rng.choice(rows)
        row[rng.randrange(d + 1)] += rng.choice([-1, 1])
    elif change == 8:
        rows = [[*row[:-1], row[-1] + 1] for row in rows]
    return Input(rows, d, roots)


# ------------------------------------------------------------------ claims


class Claim:
    """A claim about inputs, and its rows as they are written."""

    def __init__(self, fields: dict[str, Any], inputs: list[Input], questions: list[Any]) -> None:
        self.fields, self.inputs, self.questions = fields, inputs, questions
        self.says, self.of = fields["says"], fields.get("of", "")
        self.opposites = fields.get("opposites", 0)
        self.proofs: list[list[Any]] = []

    def octets(self) -> bytes:
        """The file with the inputs and this claim."""
        names = [f"W{k}" for k in range(len(self.inputs))]
        lines: list[Any] = [{"certificate": "arrangements", "version": 1}]
        for name, m in zip(names, self.inputs, strict=True):
            lines += m.lines(name)
        lines.append({"claim": 1, "says": self.says, "inputs": names} | self.fields)
        lines += [[q, *proofs] for q, proofs in zip(self.questions, self.proofs, strict=True)]
        text = "".join(json.dumps(line) + "\n" for line in lines).encode()
        end = {"end": len(lines), "claims": 1, "sha256": hashlib.sha256(text).hexdigest()}
        return text + json.dumps(end).encode() + b"\n"

    def is_whole(self, question: Any) -> bool:
        if self.of == SIGNS:
            return "0" not in question
        return len(question) == self.inputs[0].n

    def is_well_formed(self) -> bool:
        """Whether the claim has a form that the page allows."""
        sizes = {m.n for m in self.inputs}
        if self.says == "same cosines":
            return len(self.inputs) > 1 and len(sizes) == 1 and sizes > set() and min(sizes) > 1
        if not self.of or self.says == "count":
            return True
        keys = [q if self.of == SIGNS else groups(q) for q in self.questions]
        if len(sizes) > 1 or keys != sorted(keys) or not keys:
            return False
        if any(a == b for a, b in zip(keys, keys[1:], strict=False)):
            return False
        if not all(is_question(self.of, q, m.n) for q in self.questions for m in self.inputs):
            return False
        if self.says == "complete" and not all(map(self.is_whole, self.questions)):
            return False
        if self.says == "different" and len(self.inputs) < 2:
            return False
        if self.says == "misleading cosines":
            pairs = all([len(group) for group in key] == [1, 1] for key in keys)
            return self.of != SIGNS and len(self.inputs) == 1 and len(keys) == 3 and pairs
        return not self.opposites or all(
            self._may_have_opposites(m) and all(map(self._precedes, self.questions))
            for m in self.inputs
        )

    def _may_have_opposites(self, m: Input) -> bool:
        offsets = {row[-1] for row in m.rows}
        return offsets <= {Fraction(0)} if self.of == SIGNS else len(offsets) == 1

    def _precedes(self, question: Any) -> bool:
        if self.of == SIGNS:
            return question[:1] == "+"
        key = groups(question)
        return sum(map(len, key)) == self.inputs[0].n and key < key[::-1]

    def is_true(self) -> bool:
        """Whether a claim that is well formed holds, if its rows say the right thing."""
        says, of, inputs = self.says, self.of, self.inputs
        asked = [q for row in self.questions for q in self._with_opposite(row)]
        if says == "count":
            number = self.fields["number"]
            return all(ok(m, of) and len(m.everything(of)) == number for m in inputs)
        if says == "complete":
            listed = {q if of == SIGNS else tuple(label for (label,) in groups(q)) for q in asked}
            return all(listed == m.everything(of) for m in inputs)
        if says == "different":
            return all(sum(m.has(of, q) for m in inputs) == 1 for q in asked)
        if says == "constant column":
            return all(m.d and m.n and m.rows[0][0] != 0 for m in inputs) and all(
                row[0] == m.rows[0][0] for m in inputs for row in m.rows
            )
        if says == "centered":
            return not any(sum(column) for m in inputs for column in zip(*m.rows, strict=True))
        if says == "unit rows":
            return all(m.product(i, i) == 1 for m in inputs for i in range(m.n))
        if says == "same cosines":
            pairs = [(i, j) for j in range(inputs[0].n) for i in range(j)]
            found = [[m.cosine(i, j) for i, j in pairs] for m in inputs]
            return None not in found[0] and all(cosines == found[0] for cosines in found)
        if says == "misleading cosines":
            (m,) = inputs
            can = [q for q in self.questions if m.has(of, q)]
            apart = [q for q in self.questions if not m.has(of, q)]
            if len(can) != 2 or can[0] != can[1][::-1] or len(apart) != 1:
                return False
            ((k, h),), (i, j) = apart, can[0]
            one, other = m.cosine(k, h), m.cosine(i, j)
            known = one is not None and other is not None
            return m.rows[k] != m.rows[h] and known and one > other
        return says == "answers"

    def _with_opposite(self, question: Any) -> list[Any]:
        if not self.opposites:
            return [question]
        turned = str.maketrans("+-", "-+")
        return [question, question.translate(turned) if self.of == SIGNS else question[::-1]]

    def holds(self) -> bool:
        """Whether the checker must prove the claim."""
        return self.is_well_formed() and self.says_right() and self.is_true()

    def tamper(self, rng: Random) -> bool:
        """Change one proof, if there are any."""
        if not self.proofs:
            return False
        proofs = rng.choice(self.proofs)
        k = rng.randrange(len(proofs))
        if rng.random() < 0.5:
            proofs[k] = rng.choice(rng.choice(self.proofs))
        elif not isinstance(proofs[k][0], list):
            numbers = [*proofs[k]]
            numbers[rng.randrange(len(numbers))] += rng.choice([-1, 1])
            proofs[k] = numbers
        else:
            proofs[k] = proofs[k][:-1] or [[0, 1]]
        return True

    def says_right(self) -> bool:
        """Whether each answer is right, for the opposites, too."""
        return all(
            m.has(self.of, q) == (not isinstance(proof[0], list))
            for row, proofs in zip(self.questions, self.proofs, strict=True)
            for q in self._with_opposite(row)
            for m, proof in zip(self.inputs, proofs, strict=True)
        )


def ok(m: Input, of: str) -> bool:
    """Whether there is anything to count: no zero row, no equal labels."""
    return all(map(any, m.rows)) if of == SIGNS else len(set(m.rows)) == m.n


def groups(question: Any) -> list[list[int]]:
    return [sorted(group) if isinstance(group, list) else [group] for group in question]


def is_question(of: str, question: Any, n: int) -> bool:
    if of == SIGNS:
        return len(question) == n
    named = [label for group in groups(question) for label in group]
    return len(set(named)) == len(named) and set(named) <= set(range(n)) and all(groups(question))


def random_question(of: str, n: int, rng: Random) -> Any:
    if of == SIGNS:
        return "".join(rng.choice("++--0") for _ in range(n))
    labels = rng.sample(range(n), n)
    named = labels[: rng.randint(min(1, n), n)] if rng.random() < 0.6 else labels
    if rng.random() < 0.2 and len(named) > 1:
        k = rng.randrange(len(named) - 1)
        return [*named[:k], named[k : k + 2], *named[k + 2 :]]
    return named


KINDS = ["answers"] * 4 + ["complete"] * 4 + ["different"] * 4 + ["count"] * 2
KINDS += ["same cosines", "constant column", "centered", "unit rows", "misleading cosines"]


def random_claim(rng: Random) -> Claim:
    """A claim that is true or false, mostly for one reason only."""
    says = rng.choice(KINDS)
    inputs = [random_input(rng)]
    while says in ("different", "same cosines") and (inputs[0].n < 2 or not inputs[0].d):
        inputs = [random_input(rng)]
    while len(inputs) < 3 and rng.random() < (
        0.9 if says in ("different", "same cosines") else 0.4
    ):
        inputs.append(relative(inputs[0], rng))
    if says in ("same cosines", "constant column", "centered", "unit rows"):
        return Claim({"says": says}, inputs, [])
    of, m = rng.choice([SIGNS, "rankings"]), inputs[0]
    if says == "count":
        number = len(m.everything(of)) + rng.choice([0, 0, 0, 1, -1, 2])
        return Claim({"says": says, "of": of, "number": number}, inputs, [])
    if says == "misleading cosines":
        return _random_misleading(rng)
    opposites = rng.random() < 0.5
    if says == "complete":
        every = sorted(m.everything(of))
        questions = [q if of == SIGNS else list(q) for q in every]
        if rng.random() < 0.2 and questions:
            questions.pop(rng.randrange(len(questions)))
    else:
        questions = [random_question(of, m.n, rng) for _ in range(rng.randint(1, 4))]
        if says == "different" and rng.random() < 0.8:
            questions += [random_question(of, m.n, rng) for _ in range(20)]
            questions = [q for q in questions if _is_different(of, q, inputs)] or questions[:2]
    claim = Claim(
        {"says": says, "of": of} | ({"opposites": 1} if opposites else {}), inputs, questions
    )
    if opposites and rng.random() < 0.9:
        questions = [q for q in questions if claim._precedes(q)]
    unique = {str(q if of == SIGNS else groups(q)): q for q in questions}
    questions = sorted(unique.values(), key=lambda q: q if of == SIGNS else groups(q))
    if rng.random() < 0.03:
        rng.shuffle(questions)
    claim.questions = questions
    claim.fields["rows"] = len(questions)
    claim.proofs = [[_proof(of, q, o, m) for o in inputs] for q in questions]
    return claim


def _is_different(of: str, question: Any, inputs: list[Input]) -> bool:
    return sum(is_question(of, question, m.n) and m.has(of, question) for m in inputs) == 1


def _proof(of: str, question: Any, m: Input, other: Input) -> list[Any]:
    """The proof; where the question makes no sense, that of another input."""
    return (m if is_question(of, question, m.n) else other).proof(of, question)


def _random_misleading(rng: Random) -> Claim:
    """Two tops that can be, and one that cannot; often with the larger cosine."""
    rows = [[*(rng.randint(-3, 4) for _ in range(2)), 0] for _ in range(rng.choice([4, 5, 5]))]
    if rng.random() < 0.3:
        rows[0][-1] = rng.randint(-1, 1)
    m = Input(rows, 2, [1, 3] if rng.random() < 0.3 else None)
    can = {pair: m.has("rankings", list(pair)) for pair in permutations(range(m.n), 2)}
    ties = [pair for pair in can if can[pair] and can[pair[::-1]]]
    apart = [pair for pair in can if not can[pair]]
    tie = rng.choice(ties) if ties else (0, 1)
    reverse = list(tie[::-1]) if rng.random() < 0.9 else [[*tie]]
    questions: list[Any] = [[*tie], reverse, [*(rng.choice(apart) if apart else (0, 2))]]
    questions.sort(key=groups)
    fields = {"says": "misleading cosines", "of": "rankings", "rows": 3}
    claim = Claim(fields, [m], questions)
    claim.proofs = [[m.proof("rankings", q)] for q in questions]
    return claim
