"""Entries and parts: what Python may call, how parts are compiled, whether indices are checked."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import config, njit
from numba.core.errors import NumbaError

from arrangements.kernels import compilation
from kernels import compiled

PARTS = ["kernel", "allocating_kernel", "outlined", "inlined"]


def squares(x):
    return x * x


@pytest.mark.parametrize("kind", PARTS)
def test_parts_are_called_from_compiled_code_only(kind):
    part = getattr(compilation, kind)(squares)
    with pytest.raises(TypeError, match="squares can only be called from compiled code"):
        part(3)
    assert njit(lambda x: part(x))(3) == 9


@pytest.mark.parametrize("kind", ["entry", "allocating_entry"])
def test_entries_are_called_from_both(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    entry = getattr(compilation, kind)(squares)
    assert entry(3) == 9 and compiled(entry)(3) == 9
    assert list(tmp_path.rglob("*.nbc"))  # and kept


def test_a_part_is_compiled_once_for_all_constants():
    part = compilation.kernel(squares)
    assert compiled(part)(np.int64(2)) == 4
    assert njit(lambda: part(3) + part(x=4))() == 25
    assert len(part.overloads) == 1


def code(part):
    """Intermediate code of a function that calls a part twice."""
    caller = njit(lambda x: part(x) + part(x + 1))
    assert caller(2) == 4 + 9
    return caller.inspect_llvm(caller.signatures[0])


@pytest.mark.parametrize(("kind", "stays"), [("outlined", True), ("inlined", False)])
def test_what_is_inlined(kind, stays):
    lines = code(getattr(compilation, kind)(squares)).splitlines()
    assert any("call" in line and "squares" in line for line in lines) == stays


def test_only_what_says_so_allocates():
    def zeros(n):
        return np.zeros(n).sum()

    assert compiled(compilation.allocating_kernel(zeros))(3) == 0
    with pytest.raises(NumbaError, match="empty"):
        compiled(compilation.kernel(zeros))(3)


def test_division_by_zero_is_as_in_numpy():
    assert compiled(compilation.kernel(lambda x: 1.0 / x))(0.0) == np.inf


def test_without_compilation_kernels_are_plain_functions(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    assert compilation.kernel(squares) is squares
    assert compilation.inlined(squares)(3) == 9


BEYOND = """
import numpy as np
from arrangements.kernels.compilation import entry, {kind}
@{kind}
def part(a, i):
    return a[i]
@entry
def read(a, i):
    return part(a, i)
if __name__ == "__main__":
    a = np.arange(4)[:2]
    try:
        print(read(a, 2), sum(read.stats.cache_hits.values()))
    except IndexError as error:
        print("refused", sum(read.stats.cache_hits.values()))
"""


@pytest.mark.parametrize("kind", ["kernel", "inlined"])
def test_indices_are_checked_where_that_is_asked_for(tmp_path, kind):
    """Also in parts, and although code that does not check them is kept in the same folder."""
    (tmp_path / "beyond.py").write_text(BEYOND.format(kind=kind))
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    said = []
    for checked in ("0", "0", "1", "1"):
        done = subprocess.run(
            [sys.executable, "beyond.py"],
            cwd=tmp_path,
            env=environment | {"NUMBA_BOUNDSCHECK": checked},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(done.stdout.split())
    # the element behind the end of the array lies in the same block of memory
    assert said == [["2", "0"], ["2", "1"], ["refused", "0"], ["refused", "1"]]
