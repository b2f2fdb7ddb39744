"""What each method calls, and the check of what it answers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import (
    Rankings,
    SignVectors,
    chambers,
    count_chambers,
    count_rankings,
    iter_chambers,
    iter_rankings,
    rankings,
)
from arrangements.benchmarking.cases import CHAMBERS, PROCESS, RANKINGS, Case
from arrangements.benchmarking.peers import PEERS, Found
from arrangements.errors import ArrangementError, InputError

Run = Callable[[NDArray[Any], int], Any]

# Rows of a set that are checked.
_WITNESSED, _RECOMPUTED = 20_000, 20

_FIRST_COUNT = (
    "from arrangements import count_chambers, generators\n"
    "print(count_chambers(generators.generic({n}, {d}, 1)))"
)


class WrongAnswerError(ArrangementError):
    """A method or a peer answered something else than is known to be right."""


@dataclass(frozen=True)
class Method:
    """A way to answer the question of a case.

    Attributes
    ----------
    run : callable
        (W, workers) to a set of patterns, or their number.
    predicted : bool
        Whether `planning` predicts its time.
    """

    run: Run
    predicted: bool = False


def _streamed(blocks: Any) -> int:
    return sum(map(len, blocks))


METHODS: dict[str, dict[str, Method]] = {
    CHAMBERS: {
        "sweep": Method(lambda W, k: chambers(W, method="sweep", workers=k), True),
        "stream": Method(lambda W, k: _streamed(iter_chambers(W, workers=k))),
        "count": Method(lambda W, k: count_chambers(W, method="sweep", workers=k)),
        "incremental": Method(lambda W, k: chambers(W, method="incremental"), True),
        "reverse_search": Method(lambda W, k: chambers(W, method="reverse_search"), True),
        "characteristic": Method(lambda W, k: count_chambers(W, method="characteristic")),
    },
    RANKINGS: {
        "sweep": Method(lambda W, k: rankings(W, method="sweep", workers=k), True),
        "stream": Method(lambda W, k: _streamed(iter_rankings(W, workers=k))),
        "count": Method(lambda W, k: count_rankings(W, method="sweep", workers=k)),
        "pairs": Method(lambda W, k: rankings(W, method="pairs", workers=k), True),
        "incremental": Method(lambda W, k: rankings(W, method="incremental"), True),
    },
    PROCESS: {
        "import": Method(lambda W, k: _child("import arrangements")),
        "first count": Method(lambda W, k: int(_child(_counting(W)))),
        "first count, no cache": Method(lambda W, k: _uncached(_counting(W))),
    },
}


def method_named(topic: str, name: str) -> Method:
    """The method, or the peer, of this name.

    Raises
    ------
    InputError
        If there is none; the message lists them.

    Examples
    --------
    >>> method_named("chambers", "sweep").predicted
    True
    """
    if name in PEERS and topic == CHAMBERS:
        return Method(PEERS[name].run)
    if name not in METHODS.get(topic, {}):
        raise InputError(
            f"no method {name!r} of {topic}; expected one of "
            + ", ".join([*METHODS.get(topic, {}), *(PEERS if topic == CHAMBERS else ())])
        )
    return METHODS[topic][name]


def _counting(W: NDArray[Any]) -> str:
    return _FIRST_COUNT.format(n=W.shape[0], d=W.shape[1])


def _child(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    # the package that is measured, also when it is not installed
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def _uncached(code: str) -> int:
    with tempfile.TemporaryDirectory() as empty:
        return int(_child(code, NUMBA_CACHE_DIR=empty))


# ------------------------------------------------------------------ checks


def expected(case: Case, method: str) -> int:
    """The right number: from the literature, or by an algorithm that `method` does not use."""
    if case.known is not None:
        return case.known
    if case.topic == RANKINGS:
        i, j = np.triu_indices(case.n, 1)
        W = np.asarray(case.W, np.float64)
        return count_chambers(W[i] - W[j], method="characteristic")  # exact: entries are small
    return count_chambers(
        case.W, method="sweep" if method == "characteristic" else "characteristic"
    )


def counted(answer: Any) -> int:
    """How many patterns a set has, or a number tells; 0 for what a process without one prints."""
    if isinstance(answer, str):
        return 0
    return answer if isinstance(answer, int) else len(answer)


def check(case: Case, method: str, answer: Any) -> int:
    """How many patterns `answer` has, after checking it.

    Sets: the number is the known one, all rows differ, thousands of them have a verified point,
    and for some of those points the patterns are computed again.
    Numbers: they are the known one. Sets of other software are equal to that of the sweep.

    Raises
    ------
    WrongAnswerError
        If anything of this fails.
    """
    number = counted(answer)
    if isinstance(answer, str):
        return number
    complete = not isinstance(answer, Found) or answer.complete
    right = expected(case, method)
    if number != right if complete else number > right:
        raise WrongAnswerError(f"{case.name}, {method}: {number} found, {right} are right.")
    if isinstance(answer, SignVectors | Rankings):
        _check_set(case, method, answer)
    elif isinstance(answer, Found) and answer.signs is not None:
        theirs, ours = SignVectors.from_array(answer.signs), chambers(case.W)
        if len(theirs) != number or not _contains(ours, theirs):
            raise WrongAnswerError(f"{case.name}, {method}: other sign vectors than the sweep.")
    return number


def _contains(ours: SignVectors, theirs: SignVectors) -> bool:
    return all(signs in ours for signs in theirs)


def _check_set(case: Case, method: str, found: SignVectors | Rankings) -> None:
    different = _all_different(found) if isinstance(found, SignVectors) else _no_order_twice(found)
    if not (found.complete and found.half and different):
        raise WrongAnswerError(f"{case.name}, {method}: a pattern is listed twice, or one is cut.")
    rng = np.random.default_rng(2)
    try:
        _some_rows(found, rng).witnesses()
        for i in rng.integers(len(found), size=_RECOMPUTED).tolist():
            if exact_pattern(case, found.witness(i)) != found[i].tolist():
                raise WrongAnswerError(f"{case.name}, {method}: pattern {i} is not at its point.")
    except InputError as error:  # a pattern has no point
        raise WrongAnswerError(f"{case.name}, {method}: {error}") from error


def _some_rows(found: SignVectors | Rankings, rng: np.random.Generator) -> SignVectors | Rankings:
    """Random rows of a set, by no step: errors may come in one."""
    rows = rng.permutation(len(found) // 2)[:_WITNESSED]
    if isinstance(found, Rankings):
        return Rankings(found.orders[rows], half=True, model=found.model)
    return SignVectors(found.packed[rows], found.n, half=True, arrangement=found.arrangement)


def exact_pattern(case: Case, point: tuple[Fraction, ...]) -> list[int]:
    """Signs, or labels by decreasing score, at a point; in rational arithmetic.

    Examples
    --------
    >>> exact_pattern(Case(CHAMBERS, "resonance", 3, 2), (Fraction(-1), Fraction(1, 2)))
    [1, -1, -1]
    """
    values = [
        sum((Fraction(a) * x for a, x in zip(row, point, strict=True)), Fraction(0))
        for row in case.W.tolist()
    ]
    if case.topic == RANKINGS:
        return sorted(range(len(values)), key=lambda i: -values[i])
    return [(value > 0) - (value < 0) for value in values]


def _all_different(found: SignVectors) -> bool:
    """No two of the sign vectors, negations included, are equal.

    Different hashes prove it; that different rows collide is a false alarm of chance 1e-6.
    """
    rows = np.where((found.packed[:, :1] & np.uint64(1)) > 0, found.packed, ~found.packed)
    rows[:, -1] &= np.uint64(2**64 - 1 >> -found.n % 64)
    factors = np.random.default_rng(3).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    rows ^= rows >> np.uint64(29)
    hashes = (rows * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return _distinct(hashes)


def _no_order_twice(found: Rankings) -> bool:
    """No two rankings are equal: of each reversed pair the one with label 0 first is stored."""
    places = found.ranks()[: len(found.orders)]
    factors = np.random.default_rng(3).integers(2**63, size=found.n, dtype=np.uint64)
    hashes = (found.orders * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    oriented = bool((places[:, 0] < places[:, 1]).all())
    return oriented and _distinct(hashes)


def _distinct(hashes: NDArray[np.uint64]) -> bool:
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()
