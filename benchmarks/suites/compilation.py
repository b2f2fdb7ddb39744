"""Where compilation time goes: seconds and LLVM instructions of each entry, by kind of question."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Record = dict[str, Any]

_OWN = "arrangements.kernels."
_KIND = """
import json
from benchmarks.suites.compilation import compiled_entries
from arrangements.preparation import KINDS
with compiled_entries() as entries:
    KINDS[{kind!r}]()
print(json.dumps(entries))
"""


def fresh_process(code: str, **environment: str) -> str:
    """What a fresh interpreter prints that runs this code."""
    command = [sys.executable, "-c", code]
    # the package that is measured, also when it is not installed
    path = os.pathsep.join(p for p in sys.path if p)
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def without_cache(code: str) -> str:
    """The same with an empty cache of kernels."""
    with tempfile.TemporaryDirectory() as empty:
        return fresh_process(code, NUMBA_CACHE_DIR=empty)


@contextmanager
def compiled_entries() -> Iterator[list[Record]]:
    """The entries that are compiled within the context, filled in as they are.

    Yields
    ------
    list of dict
        Of each its `name`; `seconds` of the processor, all its parts included; the number of LLVM
        `instructions` that are made into machine code. What numba compiles of its own is left out.
    """
    from arrangements.kernels.numba_internals import (  # loads slowly
        count_instructions,
        on_compilation,
    )

    found: list[Record] = []
    begun: list[float] = []

    def begin(_: Any) -> None:
        begun.append(time.process_time())

    def end(dispatcher: Any) -> None:
        taken, module = time.process_time() - begun.pop(), dispatcher.py_func.__module__
        if begun or not module.startswith(_OWN) or not dispatcher.overloads:
            return  # a part, or what could not be compiled
        name = f"{module.removeprefix(_OWN)}.{dispatcher.py_func.__name__}"
        instructions = count_instructions(dispatcher)
        found.append({"name": name, "seconds": taken, "instructions": instructions})

    stop = on_compilation(begin, end)
    try:
        yield found
    finally:
        stop()


def entries_of(kinds: list[str]) -> list[Record]:
    """The entries that each kind of question compiles in a process of its own."""
    return [
        {"kind": kind} | entry
        for kind in kinds
        for entry in json.loads(without_cache(_KIND.format(kind=kind)))
    ]
