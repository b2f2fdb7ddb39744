"""Functions and files of the package that one small, warm call enters before it answers.

    python -m benchmarks.small_calls

Each call is made twice before it is counted, so nothing is compiled or imported. Kernels are one
entry each: what they call is machine code. ``--list CALL`` prints the functions in the order in
which they are entered.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import arrangements
from arrangements import can_be_top, chambers, count_chambers, feasible_many, rankings

PACKAGE = str(Path(arrangements.__file__).parent)


def calls() -> dict[str, Callable[[], Any]]:
    """The questions, on a 12 x 4 matrix of floats (rankings: 7 x 3)."""
    rng = np.random.default_rng(0)
    W, labels = rng.normal(size=(12, 4)), rng.normal(size=(7, 3))
    signs = chambers(W).to_array()[:3]
    return {
        "chambers": lambda: chambers(W),
        "rankings": lambda: rankings(labels),
        "feasible_many": lambda: feasible_many(W, signs),
        "count_chambers": lambda: count_chambers(W),
        "feasible": lambda: arrangements.feasible(W, signs[0]),
        "can_be_top": lambda: can_be_top(labels, [0]),
        "argmax_labels": lambda: arrangements.argmax_labels(labels),
    }


def entered(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """(file, function) of the package, each once, in the order in which the call enters them."""
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            file = code.co_filename.removeprefix(PACKAGE + "/")
            found.setdefault((file, code.co_qualname))

    call()
    call()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", metavar="CALL", help="print the functions of this call")
    chosen = parser.parse_args().list
    for name, call in calls().items():
        functions = entered(call)
        if chosen in (None, name):
            print(f"{name:16}{len(functions):4} functions{len({f for f, _ in functions}):4} files")
        if chosen == name:
            print(*(f"  {file}: {function}" for file, function in functions), sep="\n")


if __name__ == "__main__":
    main()
