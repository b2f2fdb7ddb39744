"""Forty questions whose answers are the same on every processor, as digests.

Run as a script it asks each of them twice and prints a line: digest, seconds of the first answer
(compilation included) and of the second, name. It needs only the package, so that it also runs
where there is no pytest (``emulate_aarch64.py`` beside it). ``digests.json`` has the answers.
The inputs are made of integers and powers of two: functions of a system's mathematical library,
and so NumPy's normal numbers and products of matrices, may differ in the last bit.
"""

import hashlib
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from arrangements import (
    argmax_labels,
    chambers,
    characteristic_polynomial,
    count_chambers,
    count_rankings,
    f_vector,
    generators,
    iter_chambers,
    rankings,
    top_k_sets,
)


def generic(n: int, d: int) -> np.ndarray:
    """Rows in general position, each entry a float64 of 40 random bits."""
    return np.random.default_rng([n, d]).integers(-(2**40), 2**40, (n, d)) / 2.0**40


def offsets(n: int) -> np.ndarray:
    """The same for offsets."""
    return generic(n, 1)[:, 0]


def grid(n: int, d: int, levels: int, dtype: Any = float) -> np.ndarray:
    """Small multiples of 1/4: many coincidences."""
    values = np.random.default_rng([n, d, levels]).integers(-levels, levels + 1, (n, d))
    values[~values.any(axis=1), 0] = 1
    return (values / 4).astype(dtype)


def cube(d: int, sides: int = 2) -> list[tuple[int, ...]]:
    """Points of a lattice."""
    return list(product(range(sides), repeat=d))


def near_ties(n: int) -> np.ndarray:
    """Pairs of rows that differ in the last bit of one entry."""
    W = generic(n, 3)
    W[1::2] = W[::2]
    W[1::2, 0] = np.nextafter(W[1::2, 0], 9)
    return W


def rounded_product(n: int, d: int) -> list[list[float]]:
    """A product of rank 2 of which every entry was rounded, by Python."""
    left, right = (np.random.default_rng(k).integers(-99, 100, (n, 2)) for k in (1, 2))
    exact = [[int(x) * int(r) + int(y) * int(s) for r, s in right[:d]] for x, y in left]
    return [[float(Fraction(entry, 997)) for entry in row] for row in exact]


def crowded(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Lines most of which pass close to 0, where their points crowd."""
    b = offsets(n)
    b[20:] = np.ldexp(b[20:], -12)
    return generic(n, 2), b


_HUGE = [[1e300, -1e300, 1.0], [1e-300, 1e300, 1.0], [1e-300, 1e-300, -1e-300], [1.0, 3.0, 1e300]]
_LONG = np.array(cube(3, 3)[1:], np.longdouble) + np.longdouble(2) ** -60
_EXACT = [[2**53, 1, 0], [2**53 - 1, 1, 0], [0, 2**53, 1], [1, 0, -(2**53)], [10**40, 10**40, 1]]
_ROUGH = np.arange(40)[:, None] ** np.arange(1, 3)  # labels on a parabola


def _signs(*arguments: Any, **options: Any) -> np.ndarray:
    return np.packbits(chambers(*arguments, **options).to_array() > 0, axis=1)


def _orders(*arguments: Any, **options: Any) -> np.ndarray:
    return rankings(*arguments, **options).to_array()


QUESTIONS: dict[str, Callable[[], Any]] = {
    # chambers by the sweep, of all widths: vectors of 16, words of 64, lines walked from 449 on
    "chambers 5x3": lambda: _signs(generic(5, 3)),
    "chambers 16x4": lambda: _signs(generic(16, 4)),
    "chambers 33x3": lambda: _signs(generic(33, 3)),
    "chambers 64x4": lambda: _signs(generic(64, 4)),
    "chambers 65x4, two threads": lambda: _signs(generic(65, 4), workers=2),
    "chambers 14x8": lambda: _signs(generic(14, 8)),
    "chambers 20x6": lambda: _signs(generic(20, 6)),
    "chambers 130x3": lambda: _signs(generic(130, 3)),
    "chambers 257x2": lambda: _signs(generic(257, 2)),
    "chambers 460x3, lines walked": lambda: _signs(generic(460, 3)),
    "chambers 470x2 with offsets, lines walked": lambda: _signs(generic(470, 2), offsets(470)),
    "chambers 500x2 with offsets, crowded lines": lambda: _signs(*crowded(500)),
    "chambers 40x3 with offsets": lambda: _signs(generic(40, 3), offsets(40)),
    "chambers of resonance(5)": lambda: _signs(generators.resonance(5)),
    "chambers of braid(6)": lambda: _signs(generators.braid(6)),
    "chambers of threshold(4)": lambda: _signs(generators.threshold(4)),
    "chambers of a grid, float16": lambda: _signs(grid(70, 3, 3, np.float16)),
    "chambers of a grid with offsets": lambda: _signs(grid(24, 3, 2), grid(24, 1, 2)[:, 0]),
    "chambers of near ties": lambda: _signs(near_ties(30)),
    "chambers, 1e-300 to 1e300": lambda: _signs(_HUGE),
    "chambers, long double": lambda: _signs(_LONG),
    "chambers, integers beyond int64": lambda: _signs(_EXACT),
    "chambers of a rounded product of rank 2": lambda: _signs(rounded_product(12, 5), rank=2),
    "chambers 64x5, number": lambda: count_chambers(generic(64, 5)),
    "chambers 20x4, incremental": lambda: _signs(generic(20, 4), method="incremental"),
    "chambers of a grid with offsets, incremental": lambda: sum(
        map(len, iter_chambers(grid(20, 3, 2), grid(20, 1, 2)[:, 0], method="incremental"))
    ),
    "chambers 12x4, reverse search": lambda: _signs(generic(12, 4), method="reverse_search"),
    "polynomial of resonance(6)": lambda: characteristic_polynomial(
        generators.resonance(6)
    ).all_coeffs(),
    "faces of braid(5)": lambda: f_vector(generators.braid(5)),
    # rankings: one and two registers of labels, lines walked from 24 on, labels of two bytes
    "rankings 6x2": lambda: _orders(generic(6, 2)),
    "rankings 12x4": lambda: _orders(generic(12, 4)),
    "rankings 20x3 with biases": lambda: _orders(generic(20, 3)[:, :2], offsets(20)),
    "rankings 33x3, lines walked": lambda: _orders(generic(33, 3)),
    "rankings 65x2": lambda: _orders(generic(65, 2)),
    "rankings 260x2, two bytes": lambda: _orders(generic(260, 2)),
    "rankings of a cube": lambda: _orders(cube(4)),
    "rankings of a parabola": lambda: _orders(_ROUGH),
    "rankings 50x3, number": lambda: count_rankings(generic(50, 3)),
    "rankings 9x3, incremental": lambda: _orders(generic(9, 3), method="incremental"),
    "tops of a grid": lambda: [
        argmax_labels(grid(30, 3, 3), ties="drop"),
        top_k_sets(grid(12, 3, 3), 2, ties="drop"),
    ],
}


def digest(answer: Any) -> str:
    """SHA-256 of an answer: of its sorted rows, if it is a list of patterns."""
    if isinstance(answer, np.ndarray):
        rows = np.ascontiguousarray(answer, answer.dtype.newbyteorder("<"))
        octets = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).reshape(-1)
        whole = b"".join(sorted(octets.tolist()))
        return hashlib.sha256(f"{rows.shape}".encode() + whole).hexdigest()
    return hashlib.sha256(_plain(answer).encode()).hexdigest()


def _plain(answer: Any) -> str:
    if isinstance(answer, np.ndarray):
        answer = answer.tolist()
    if isinstance(answer, list | tuple):
        return "[" + ", ".join(map(_plain, answer)) + "]"
    return str(answer)


def asked(name: str) -> tuple[str, float]:
    """Digest of the answer to a question, and the seconds that it took."""
    began = time.perf_counter()
    answer = QUESTIONS[name]()
    seconds = time.perf_counter() - began
    return digest(answer), seconds


def main() -> None:
    """Print a line for each question."""
    for name in sys.argv[1:] or QUESTIONS:
        (first, compiling), (second, seconds) = asked(name), asked(name)
        assert first == second, f"{name}: two answers"
        print(f"{first} {compiling:.6f} {seconds:.6f} {name}", flush=True)


if __name__ == "__main__":
    main()
