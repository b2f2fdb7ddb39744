"""What each method calls, and the check of what it answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import (
    Rankings,
    ScoreModel,
    SignVectors,
    chambers,
    count_chambers,
    count_rankings,
    iter_chambers,
    iter_rankings,
    rankings,
)
from arrangements.errors import ArrangementError, InputError, WitnessWarning
from arrangements.preparation import KINDS
from arrangements.sets.packed import used_bits
from benchmarks.suites.cases import CHAMBERS, PROCESS, RANKINGS, Case
from benchmarks.suites.compilation import fresh_process, without_cache
from benchmarks.suites.peers import PEERS, Found

Run = Callable[[Case, int], Any]

# Of the choice of rows that are checked.
SEED = 2
# Rows of a set that are checked.
_WITNESSED, _RECOMPUTED = 20_000, 20

_FIRST = """
from arrangements import count_chambers, generators, rankings
from arrangements.algebra import generic_ranking_count
"""
_COUNT = _FIRST + "print(count_chambers(generators.generic({n}, {d}, 1)))"
_RANK = (
    _FIRST
    + """
assert len(rankings(generators.generic({n}, {d}, 1).normals)) == generic_ranking_count({n}, {d})
"""
)
_DEMO = """
import sys
from arrangements.cli import main
sys.argv[1:] = ["demo"]
assert main() == 0
"""
_KIND = """
from arrangements.preparation import KINDS
KINDS[{kind!r}]()
"""
_ALL_KINDS = """
from arrangements.preparation import KINDS, compile_kinds
assert {{kind for kind, _ in compile_kinds(list(KINDS))}} == set(KINDS)
"""
# What compiles the kernels of a kind of question, and of all of them side by side.
KERNELS_OF, ALL_KERNELS = "kernels of ", "all kernels"


class WrongAnswerError(ArrangementError):
    """A method or a peer answered something else than is known to be right."""


@dataclass(frozen=True)
class Method:
    """A way to answer the question of a case.

    Attributes
    ----------
    run : callable
        (case, workers) to a set of patterns, or their number.
    function, method : str
        The public function and its method, "" if it is none.
    planned : str
        The method that `planning` is asked about, "" if it does not predict the time.
    what : {"listing", "streaming", "counting"}
        What is to be predicted of it.
    """

    run: Run
    function: str = ""
    method: str = ""
    planned: str = ""
    what: str = "listing"


def _asking(
    function: Callable[..., Any], method: str, what: str = "listing", planned: bool = True
) -> Method:
    """A public function with one of its methods."""
    options: dict[str, Any] = {"method": method}

    def run(case: Case, workers: int) -> Any:
        more = {"workers": workers} if workers > 1 else {}
        answer = function(case.W, case.offsets, **options, **more)
        return sum(map(len, answer)) if what == "streaming" else answer

    return Method(run, function.__name__, method, method if planned else "", what)


def _of(code: str, case: Case) -> str:
    return code.format(n=case.n, d=case.d)


def _without_cache(code: str, case: Case, workers: int) -> str:
    return without_cache(code)


METHODS: dict[str, dict[str, Method]] = {
    CHAMBERS: {
        "sweep": _asking(chambers, "sweep"),
        "stream": _asking(iter_chambers, "sweep", "streaming"),
        "count": _asking(count_chambers, "sweep", "counting"),
        "incremental": _asking(chambers, "incremental"),
        "reverse_search": _asking(chambers, "reverse_search"),
        "characteristic": _asking(count_chambers, "characteristic", "counting", planned=False),
    },
    RANKINGS: {
        "sweep": _asking(rankings, "sweep"),
        "stream": _asking(iter_rankings, "sweep", "streaming"),
        "count": _asking(count_rankings, "sweep", "counting"),
        "pairs": _asking(rankings, "pairs"),
        "incremental": _asking(rankings, "incremental"),
    },
    PROCESS: {
        "import": Method(lambda case, k: fresh_process("import arrangements")),
        "first count": Method(lambda case, k: int(fresh_process(_of(_COUNT, case)))),
        "first count, no cache": Method(lambda case, k: int(without_cache(_of(_COUNT, case)))),
        "first rankings": Method(lambda case, k: fresh_process(_of(_RANK, case))),
        "first rankings, no cache": Method(lambda case, k: without_cache(_of(_RANK, case))),
        "demo, no cache": Method(lambda case, k: without_cache(_DEMO)),
        **{
            f"{KERNELS_OF}{kind}": Method(partial(_without_cache, _KIND.format(kind=kind)))
            for kind in KINDS
        },
        ALL_KERNELS: Method(partial(_without_cache, _ALL_KINDS.format())),
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
    >>> method_named("chambers", "count").what
    'counting'
    """
    if name in METHODS.get(topic, {}):
        return METHODS[topic][name]
    if name in PEERS and PEERS[name].topic == topic:
        return Method(lambda case, workers: PEERS[name].answer(case))
    known = [*METHODS.get(topic, {}), *(other for other, p in PEERS.items() if p.topic == topic)]
    raise InputError(f"no method {name!r} of {topic}; expected one of {', '.join(known)}.")


def is_own(record: dict[str, Any]) -> bool:
    """Whether the method of a record is one of this package, not other software.

    Examples
    --------
    >>> is_own({"topic": CHAMBERS, "method": "sweep"}), is_own({"topic": CHAMBERS, "method": "x"})
    (True, False)
    """
    return (
        record["topic"] not in (CHAMBERS, RANKINGS) or record["method"] in METHODS[record["topic"]]
    )


# ------------------------------------------------------------------ checks


def expected(case: Case, method: str) -> int:
    """The right number: from the literature, or by an algorithm that `method` does not use."""
    if case.known is not None:
        return case.known
    if method in PEERS:
        return (count_rankings if case.topic == RANKINGS else count_chambers)(case.W, case.offsets)
    if case.topic == RANKINGS:
        differences = ScoreModel(case.W, case.offsets).differences
        return count_chambers(differences, method="characteristic")
    return count_chambers(
        case.W,
        case.offsets,
        method="sweep" if method == "characteristic" else "characteristic",
    )


def counted(answer: Any) -> int:
    """How many patterns a set has, or a number tells; 0 for what a process without one prints."""
    if isinstance(answer, str):
        return 0
    return int(answer) if isinstance(answer, int | np.integer) else len(answer)


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
    if isinstance(answer, str):
        return counted(answer)
    if method in PEERS:
        answer = _found(case, method, answer)
    number = counted(answer)
    complete = not isinstance(answer, Found) or answer.complete
    right = expected(case, method)
    if number != right if complete else number > right:
        raise WrongAnswerError(f"{case.name}, {method}: {number} found, {right} are right.")
    if isinstance(answer, SignVectors | Rankings):
        _check_set(case, method, answer)
    elif isinstance(answer, Found) and answer.rows is not None:
        _check_rows(case, method, answer)
    return number


def _found(case: Case, method: str, answer: Any) -> Found | SignVectors | Rankings:
    """The answer of other software in one form.

    Raises
    ------
    WrongAnswerError
        If it is neither a number nor rows of patterns, or not what the method is to give.
    """
    if isinstance(answer, int | np.integer) and not isinstance(answer, bool):
        answer = Found(int(answer))
    elif not isinstance(answer, Found | SignVectors | Rankings):
        rows = np.asarray(answer)
        if rows.ndim != 2 or rows.shape[1] != case.n or rows.dtype.kind not in "iuf":
            raise WrongAnswerError(
                f"{case.name}, {method}: the answer is a {type(answer).__name__} of shape "
                f"{rows.shape}; expected a number, or (m, {case.n}) signs or labels."
            )
        answer = Found(len(rows), rows)
    kind = PEERS[method].kind
    if kind is not None and (kind == "count") != (
        isinstance(answer, Found) and answer.rows is None
    ):
        raise WrongAnswerError(f"{case.name}, {method}: the answer is not of the kind {kind!r}.")
    return answer


def _check_rows(case: Case, method: str, answer: Found) -> None:
    """The rows of other software are those of the sweep."""
    ranked = case.topic == RANKINGS
    rows: Any = answer.rows
    try:
        make: Any = Rankings.from_array if ranked else SignVectors.from_array
        theirs = make(rows)
    except ArrangementError as error:
        raise WrongAnswerError(f"{case.name}, {method}: {error}") from error
    ours = rankings(case.W, case.offsets) if ranked else chambers(case.W, case.offsets)
    if len(theirs) != answer.count or not all(row in ours for row in theirs):
        what = "rankings" if ranked else "sign vectors"
        raise WrongAnswerError(f"{case.name}, {method}: other {what} than the sweep.")


def _check_set(case: Case, method: str, found: SignVectors | Rankings) -> None:
    different = _all_different(found) if isinstance(found, SignVectors) else _no_order_twice(found)
    if not (found.complete and found.half == (case.sides == 2) and different):
        raise WrongAnswerError(f"{case.name}, {method}: a pattern is listed twice, or one is cut.")
    rng = np.random.default_rng(SEED)
    try:
        with warnings.catch_warnings():  # that no float64 is a point of it; an exact one is found
            warnings.simplefilter("ignore", WitnessWarning)
            _some_rows(found, rng).witnesses()
        for i in rng.integers(len(found), size=_RECOMPUTED).tolist():
            if exact_pattern(case, found.witness(i)) != found[i].tolist():
                raise WrongAnswerError(f"{case.name}, {method}: pattern {i} is not at its point.")
    except InputError as error:  # a pattern has no point
        raise WrongAnswerError(f"{case.name}, {method}: {error}") from error


def _some_rows(found: SignVectors | Rankings, rng: np.random.Generator) -> SignVectors | Rankings:
    """Random rows of a set, by no step: errors may come in one."""
    stored = found.orders if isinstance(found, Rankings) else found.packed
    rows = rng.permutation(len(stored))[:_WITNESSED]
    if isinstance(found, Rankings):
        return Rankings(stored[rows], half=found.half, model=found.model)
    return SignVectors(stored[rows], found.n, half=found.half, arrangement=found.arrangement)


def exact_pattern(case: Case, point: tuple[Fraction, ...]) -> list[int]:
    """Signs, or labels by decreasing score, at a point; in rational arithmetic.

    Examples
    --------
    >>> exact_pattern(Case(CHAMBERS, "resonance", 3, 2), (Fraction(-1), Fraction(1, 2)))
    [1, -1, -1]
    """
    offsets = [0] * case.n if case.offsets is None else case.offsets.tolist()
    values = [
        sum((Fraction(a) * x for a, x in zip(row, point, strict=True)), Fraction(b))
        for row, b in zip(case.W.tolist(), offsets, strict=True)
    ]
    if case.topic == RANKINGS:
        return sorted(range(len(values)), key=lambda i: -values[i])
    return [(value > 0) - (value < 0) for value in values]


def _all_different(found: SignVectors) -> bool:
    """No two of the sign vectors are equal, negations included if those are not stored.

    Different hashes prove it; that different rows collide is a false alarm of chance 1e-6.
    """
    rows = found.packed.copy()
    if found.half:
        rows[(rows[:, 0] & np.uint64(1)) == 0] ^= used_bits(found.n)
    factors = np.random.default_rng(3).integers(2**63, size=rows.shape[1], dtype=np.uint64)
    rows ^= rows >> np.uint64(29)
    hashes = (rows * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    return _distinct(hashes)


def _no_order_twice(found: Rankings) -> bool:
    """No two rankings are equal: of a reversed pair, stored as one, it has label 0 before 1."""
    places = found.ranks()[: len(found.orders)]
    factors = np.random.default_rng(3).integers(2**63, size=found.n, dtype=np.uint64)
    hashes = (found.orders * (factors | np.uint64(1))).sum(axis=1, dtype=np.uint64)
    oriented = not found.half or bool((places[:, 0] < places[:, 1]).all())
    return oriented and _distinct(hashes)


def _distinct(hashes: NDArray[np.uint64]) -> bool:
    hashes.sort()
    return not (hashes[1:] == hashes[:-1]).any()
