"""What an attack is made of: a question draws cases, and a case is text with a known answer.

The text of a case is a Python expression of public functions. It can be pasted after
``from cases import *`` to see again what went wrong.
"""

import io
import multiprocessing
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from multiprocessing.connection import Connection
from random import Random
from typing import Any

import naive
import numpy as np
import pandas
import scipy.sparse
import sympy
from everything import PUBLIC

import arrangements
from arrangements import ArrangementError, checker, network_checker

SECONDS = 60


class Refused:
    """The answer to questions that have none: an error of the package."""

    def __repr__(self) -> str:
        return "a refusal"


REFUSED = Refused()


@dataclass(frozen=True)
class Case:
    """An expression and its value."""

    text: str
    expected: Any
    may_refuse: bool = False  # an error of the package, or a warning of doubt, is as good


Question = Callable[[Random], Iterator[Case]]
# Name -> how many cases the shortest attack has, and what draws them.
QUESTIONS: dict[str, tuple[int, Question]] = {}


def question(name: str, draws: int) -> Callable[[Question], Question]:
    """Register a question about the public function of this name (before a colon)."""

    def register(draw: Question) -> Question:
        assert name not in QUESTIONS, name
        QUESTIONS[name] = draws, draw
        return draw

    return register


# What expressions may use to make answers comparable.


def signs(found: Any) -> set[tuple[int, ...]]:
    """Rows of a set of patterns, or of an array."""
    rows = found.to_array() if hasattr(found, "to_array") else np.asarray(found)
    tuples = [tuple(row) for row in rows.tolist()]
    assert len(set(tuples)) == len(tuples), "a row twice"
    return set(tuples)


def blocks(found: Any) -> set[tuple[int, ...]]:
    """Rows of all blocks."""
    tuples = [
        tuple(row)
        for block in found
        for row in np.asarray(getattr(block, "to_array", lambda b=block: b)()).tolist()
    ]
    assert len(set(tuples)) == len(tuples), "a row twice"
    return set(tuples)


def proved(found: Any) -> list[bool]:
    """Answers of certificates, all of which hold."""
    assert found.verify(), "a proof does not hold"
    return np.atleast_1d(found.feasible).astype(bool).tolist()


def shown(answer: Any) -> Any:
    """What an answer about a network says, if its proof holds, in a certificate file too."""
    assert answer.verify(), "a proof does not hold"
    with tempfile.TemporaryDirectory() as folder:
        arrangements.write_certificate(answer, f"{folder}/proof.jsonl")
        with open(f"{folder}/proof.jsonl", encoding="ascii") as lines:
            assert list(network_checker.check(lines)), "a file that proves nothing"
    names = ("feasible", "monotone", "value")
    return next(getattr(answer, name) for name in names if hasattr(answer, name))


def coefficients(poly: Any) -> tuple[int, ...]:
    """Of a polynomial in t, ascending."""
    return tuple(int(c) for c in reversed(poly.all_coeffs()))


def proves(octets: bytes) -> bool:
    """Whether the checker proves all claims of a certificate file."""
    try:
        return bool(list(checker.check(checker.Reader(io.BytesIO(octets)))))
    except Exception:  # whatever it says of a wrong file
        return False


_NAMES: dict[str, Any] = {
    **PUBLIC,
    "arrangements": arrangements,
    **{"signs": signs, "blocks": blocks, "proved": proved, "coefficients": coefficients},
    "proves": proves,
    "shown": shown,
    **{
        "naive": naive,
        "np": np,
        "pandas": pandas,
        "scipy": scipy,
        "sympy": sympy,
        "Fraction": Fraction,
    },
    **{"inf": float("inf"), "nan": float("nan")},
}


def value(text: str) -> Any:
    """The value of an expression."""
    return eval(text, dict(_NAMES))


class _TooLate(BaseException):
    """No `Exception`, so that nothing takes it for a failure of its own."""


def problem(case: Case) -> str | None:
    """What is wrong with the answer to a case, or None."""

    def stop(number: int, frame: Any) -> None:
        raise _TooLate

    before = signal.signal(signal.SIGALRM, stop)
    doubtful = False
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            signal.alarm(SECONDS)
            found = value(case.text)
            signal.alarm(0)
        doubtful = any(w.category.__module__ == "arrangements.errors" for w in warned)
        foreign = [w for w in warned if w.category.__module__ != "arrangements.errors"]
        if foreign:
            return f"warns {foreign[0].category.__name__}: {foreign[0].message}"
    except ArrangementError as error:
        if case.expected is REFUSED or case.may_refuse:
            return None
        return f"refuses: {error}"
    except _TooLate:
        return f"takes more than {SECONDS} s"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if found == case.expected or (doubtful and case.may_refuse):
        return None
    return f"answers {str(found)[:300]}, right is {str(case.expected)[:300]}"


def attack(name: str, seed: int, times: int, most: int = 3) -> list[str]:
    """Cases of a question that go wrong, at most `most` of each way to go wrong.

    They are tried in another process: a call that never returns, or ends the process, is one of
    them, and the last one.
    """
    receive, send = multiprocessing.Pipe(duplex=False)
    draw = (name, seed, times, most, send)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # no thread runs that it could miss
        child = multiprocessing.get_context("fork").Process(target=_attack, args=draw)
        child.start()
    send.close()
    tried, problems = "", []
    while receive.poll(1.5 * SECONDS):
        try:
            said = receive.recv()
        except EOFError:
            child.join()
            ended = [f"{tried}  # ends the process: {child.exitcode}"] if child.exitcode else []
            return problems + ended
        if isinstance(said, str):
            tried = said
        else:
            problems += said
    child.kill()
    child.join()
    return [*problems, f"{tried}  # never returns"]


def _attack(name: str, seed: int, times: int, most: int, send: Connection) -> None:
    """Send the text of each case before it is tried, and what is wrong in a list."""
    draws, draw = QUESTIONS[name]
    rng, ways = Random(f"{seed} {name}"), Counter[str]()
    for _ in range(draws * times):
        for case in draw(rng):
            send.send(case.text)
            wrong = problem(case)
            if wrong is None:
                continue
            way = " ".join(wrong.split()[:2]) if wrong.startswith("warns") else wrong.split()[0]
            ways[way] += 1
            if ways[way] <= most:
                send.send([f"{case.text}  # {wrong}"])
