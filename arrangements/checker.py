"""Check the claims of a certificate file: one file, the standard library, Python 3.9 or later.

``python checker.py FILE`` prints a verdict on each claim; its exit status is 0 if all are proved.
docs/certificates.md describes the format, and says why each check below proves its claim.
"""

import gzip
import hashlib
import json
import re
import sys
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd, inf, lcm
from operator import mul, sub
from typing import IO, Any, Callable, Iterator, NamedTuple  # noqa: UP035 for Python 3.9

HEADER = b'{"certificate": "arrangements", "version": 1}\n'
LARGE = re.compile(r"-?0x[0-9a-f]{1,100000}")


def require(holds: Any, why: str) -> None:
    """Refuse the file unless the condition holds."""
    if not holds:
        raise ValueError(why)


class Reader:
    """Lines of a file, one at a time, and the SHA-256 of those before the last one."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.text, self.number, self.sum = stream, b"", 0, hashlib.sha256()
        self.decode = json.JSONDecoder(object_pairs_hook=tuple).decode

    def read(self) -> Any:
        """The value in the next line; now and then, a terminal shows the number of the line."""
        self.sum.update(self.text)
        self.text, self.number = self.stream.readline(2**23), self.number + 1
        if self.number % 10000 == 0 and sys.stderr.isatty():
            print(f"line {self.number} ..", end="\r", file=sys.stderr)
        require(self.text.endswith(b"\n"), "the file ends too early, or the line is too long")
        value = self.decode(self.text.decode("ascii"))
        self.value: Any = dict(value) if type(value) is tuple else value
        require(len(self.value) == len(value), "a field is given twice")
        return self.value


def whole(given: Any) -> int:
    """A whole number; a large one is text in hexadecimal."""
    require(type(given) is int or LARGE.fullmatch(str(given)), "expected a whole number")
    return int(given) if type(given) is int else int(given, 16)


def exact(given: Any) -> Fraction:
    """A number of an input: whole, "p/q", or a hexadecimal float as Python writes it."""
    if type(given) is not str or re.fullmatch("-?[0-9]{1,4300}/[0-9]{1,4300}", given):
        return Fraction(given if type(given) is str else whole(given))
    require(float.fromhex(given).hex() == given, "expected an exact number")
    return Fraction(float.fromhex(given))


class Matrix(NamedTuple):
    """An input: rows (W | b) times `scale`; these or minus these; sqrt(roots[k]) for column k."""

    rows: list[list[int]]
    side: dict[str, list[list[int]]]
    scale: int
    roots: list[int]


def read_matrix(reader: Reader, line: dict[str, Any]) -> Matrix:
    """An input: a line of fields, then one for each row."""
    n, d, _ = whole(line.pop("rows")), whole(line.pop("columns")), line.pop("note", "")
    roots, given, scale = [whole(root) for root in line.pop("roots", [1] * (d % 2**23))], [], 1
    require(len(line) == 1 and len(roots) == d and min([n + 1, *roots]) > 0, "wrong fields")
    for _ in range(n):
        row = reader.read()
        require(type(row) is list and len(row) == d + 1, "expected d weights and an offset")
        given.append([*map(exact, row)])
        scale = lcm(scale, *(entry.denominator for entry in given[-1]))
        require(scale < 2**100000, "the common denominator is too large")
    rows = [[int(entry * scale) for entry in row] for row in given]
    return Matrix(rows, {"+": rows, "-": [[-entry for entry in row] for row in rows]}, scale, roots)


def asked(of: str, given: Any, m: Matrix) -> tuple[Any, bool, bool, dict[Any, list[int]]]:
    """A question: its key, whether it is whole, and before its opposite; what must be positive."""
    n = range(len(m.rows))
    if of == "sign vectors":
        require(re.fullmatch(f"[-+0]{{{len(n)}}}", given), "expected a sign +, - or 0 for each row")
        positive = {(i,): m.side[sign][i] for i, sign in enumerate(given) if sign != "0"}
        return given, "0" not in given, given[:1] == "+", positive
    key = [sorted(map(whole, group if type(group) is list else [group])) for group in given]
    named = [label for group in key for label in group]
    require(all(key) and sorted(named) == sorted({*named} & {*n}), "expected labels, each once")
    groups = [*key, [label for label in n if label not in set(named)]]
    pairs = [(i, j) for high, low in zip(groups, groups[1:]) for i in high for j in low]
    differences = {(i, j): [*map(sub, m.rows[i], m.rows[j])] for i, j in pairs}
    return key, len(key) == len(n), len(named) == len(n) and key < key[::-1], differences


def occurs(positive: dict[Any, list[int]], proof: Any, d: int) -> bool:
    """Whether all functions are positive somewhere: the proof is a point, or weights against it."""
    if type(proof[0]) is not list:
        point = [whole(entry) for entry in proof]  # (p, q) for p / q
        require(len(point) == d + 1 and point[d] > 0, "expected d numbers and a positive one")
        require(all(sum(map(mul, f, point)) > 0 for f in positive.values()), "a point elsewhere")
        return True
    total = [0] * (d + 1)
    for *key, weight in (map(whole, entry) for entry in proof):
        require(tuple(key) in positive and weight > 0, "a weight is wrong")
        total = [a + weight * b for a, b in zip(total, positive[tuple(key)])]
    require(not any(total[:d]) and total[d] <= 0, "the weights exclude nothing")
    return False


def answers(reader: Reader, line: dict[str, Any], of: str, given: list[Matrix]) -> Iterator[Any]:
    """Questions in ascending order, whether they are whole, and which inputs have them."""
    key, opposites, zero = None, whole(line.pop("opposites", 0)), [0] * (of == "sign vectors")
    central = all(len({*zero, *(row[-1] for row in m.rows)}) == 1 for m in given)
    require(0 <= opposites <= central, "opposites need not occur where there are offsets")
    for _ in range(whole(line.pop("rows"))):
        question, *proofs = reader.read()
        require(len(proofs) == len(given), "expected a proof for each input")
        asks = [asked(of, question, m) for m in given]
        found = [occurs(ask[3], proof, len(m.roots)) for ask, m, proof in zip(asks, given, proofs)]
        last, (key, _, is_first, _) = key, asks[0]
        require(last is None or last < key, "expected rows in ascending order")
        require(is_first or not opposites, "expected the opposite of this row")
        yield from [(key, all(ask[1] for ask in asks), found)] * (2 if opposites else 1)


def count(of: str, m: Matrix, most: int) -> int:
    """How many occur, by the cone over all hyperplanes; refused if there are more than `most`."""
    rows = m.rows if of == "sign vectors" else [[*map(sub, *p)] for p in combinations(m.rows, 2)]
    require(all(map(any, rows)), "a row is zero, or two labels are equal")
    affine = any(row[-1] for row in rows)
    cone = [*rows, [0] * len(m.roots) + [1]] if affine else [row[:-1] for row in rows]
    return chambers(tuple(sorted(set(map(primitive, cone)))), most << affine) >> affine


def primitive(row: list[int]) -> tuple[int, ...]:
    """The multiple with coprime entries, the first of them positive."""
    divisor = gcd(*row) if next(filter(None, row)) > 0 else -gcd(*row)
    return tuple(row) if divisor == 1 else tuple([entry // divisor for entry in row])


@lru_cache(2**16)
def chambers(rows: tuple[tuple[int, ...], ...], most: float = inf) -> int:
    """Chambers of distinct hyperplanes through 0: 1, and those of each on the ones before it."""
    if rows and len(rows[0]) == 2:
        return 2 * len(rows)
    total = 1
    for i, pivot in enumerate(rows):
        c, lead = next((c, entry) for c, entry in enumerate(pivot) if entry)
        met = set()
        for row in rows[:i]:
            new = [lead * a - row[c] * b for a, b in zip(row, pivot)] if row[c] else list(row)
            met.add(primitive(new[:c] + new[c + 1 :]))
        total += chambers(tuple(sorted(met)))
        require(total <= most, "there are more of them")
    return total


def cosine(m: Matrix, i: int, j: int) -> Fraction:
    """The square of the cosine of two rows, with its sign."""
    pairs = [map(mul, m.rows[a], m.rows[b]) for a, b in ((i, j), (i, i), (j, j))]
    both, first, second = (sum(map(mul, products, m.roots)) for products in pairs)
    return Fraction(both * abs(both), first * second)


PROPERTIES: dict[str, Callable[[Matrix], Any]] = {
    "same cosines": lambda m: [cosine(m, i, j) for i in range(len(m.rows)) for j in range(i)],
    "constant column": lambda m: m.roots and len({row[0] for row in m.rows} | {0}) == 2,
    "centered": lambda m: not any(map(sum, zip(*m.rows))),
    "unit rows": lambda m: {sum(map(mul, map(mul, r, r), m.roots)) for r in m.rows} == {m.scale**2},
}


def decide(reader: Reader, line: dict[str, Any], number: int, inputs: dict[str, Matrix]) -> str:
    """Prove the claim of this number, or refuse it; what it says."""
    require(whole(line.pop("claim")) == number, "claims are not numbered 1, 2, ..")
    says, names, of = line.pop("says"), line.pop("inputs"), line.pop("of", "")
    require(of in ("", "sign vectors", "rankings"), "expected sign vectors or rankings")
    require([*names] == names and len(names) > (says in ("different", "same cosines")), "no inputs")
    given, tops, yes = [inputs[name] for name in names], [], 0
    total = whole(line.pop("number")) if says == "count" else 0
    if says in PROPERTIES:
        values = [PROPERTIES[says](matrix) for matrix in given]
        require(values[0] and values == values[:1] * len(values), "it is not so")
    for key, is_whole, found in answers(reader, line, of, given) if of and not total else ():
        total, yes = total + 1, yes + all(found)
        good = {"complete": is_whole and all(found), "different": sum(found) == 1}
        require(good.get(says, says in ("answers", "misleading cosines")), "not such a row")
        tops += [(*found, key)] if says == "misleading cosines" else []
    if tops:
        [(no, apart), (yes, tie), (_, same)], (m,) = sorted(tops), given
        (i, j), (k, h) = sum(apart, []), sum(tie, [])
        require(yes > no and tie == same[::-1], "others can tie for the first place")
        require(m.rows[i] != m.rows[j] and cosine(m, i, j) > cosine(m, k, h), "not larger")
    if says in ("complete", "count"):
        require(all(count(of, m, total) == total for m in given), "their number is another one")
    about = f", {total} {of}" + f" ({yes} occur)" * (says == "answers") if of else ""
    require((total > 0) == bool(of) != (says in PROPERTIES) and not line, "empty, or unknown field")
    return f"claim {number} is proved: {says}{about}, of {', '.join(map(ascii, names))}"


def check(reader: Reader) -> Iterator[str]:
    """A verdict on each claim of a file; an exception if not all of it is as it should be."""
    found: list[Any] = []
    inputs, claims, refused, _ = {}, 0, 0, reader.read()
    require(reader.text == HEADER, "this is no certificate file of version 1")
    while "end" not in (line := found.pop() if found else reader.read()):
        if "input" in line:
            name = line["input"]
            require(type(name) is str and name not in inputs, "an input is repeated")
            inputs[name] = read_matrix(reader, line)
            continue
        claims += 1
        try:
            yield decide(reader, line, claims, inputs)
        except Exception as error:  # whatever a hostile file provokes
            yield f"line {reader.number}: claim {claims} is NOT PROVED: {error!a:.300}"
            refused, found = refused + 1, [reader.value]
            if type(reader.value) is not dict or reader.value is line:
                found = [next(fields for fields in iter(reader.read, None) if type(fields) is dict)]
    end = {"end": reader.number - 1, "claims": claims, "sha256": reader.sum.hexdigest()}
    require(claims and json.dumps(line) == json.dumps(end), "the last line does not fit")
    require(not reader.stream.read(1), "there is something after the last line")
    require(not refused, f"{refused} of {claims} claims")


def main(path: str, say: Callable[[str], None] = print) -> int:
    """Say what a file proves; 0 if that is all that it claims."""
    reader = None
    try:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as stream:
            reader = Reader(stream)  # type: ignore[arg-type]
            for verdict in check(reader):
                say(verdict)
    except Exception as error:
        say(f"line {reader.number if reader else 0}: NOT PROVED: {error!a:.300}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else "usage: python checker.py FILE")
