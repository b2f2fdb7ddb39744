"""Entries and parts: what Python may call, how parts are compiled, whether indices are checked."""

import gc
import os
import subprocess
import sys
from contextlib import nullcontext

import numpy as np
import pytest
from llvmlite.binding import parse_assembly
from numba import config, int64, njit

from arrangements.kernels import compilation, numba_internals
from arrangements.kernels.numba_internals import NumbaError
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


@pytest.mark.parametrize("kind", ["entry", "late_entry", "allocating_entry"])
def test_what_takes_arguments_apart_is_not_optimized(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    entry = getattr(compilation, kind)(squares)
    entry(3)
    module = parse_assembly(entry.inspect_llvm(entry.signatures[0]))
    plain = {
        function.name: any(b"optnone" in attributes for attributes in function.attributes)
        for function in module.functions
        if not function.is_declaration and "squares" in function.name
    }
    # the kernel itself, and what Python calls; nothing for C
    assert sorted(plain.values()) == [False, True]
    assert all(
        name.startswith(numba_internals._WRAPPER) == is_plain for name, is_plain in plain.items()
    )


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_garbage_is_collected_as_before_a_compilation(enabled, fails, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    seen = []

    def types_of(*arguments):
        seen.append(gc.isenabled())

    monkeypatch.setattr(compilation.CPUDispatcher, "compile", types_of)
    if fails:
        monkeypatch.setattr(compilation.CPUDispatcher, "compile", lambda *_: seen[1])
    entry = compilation.entry(squares)
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(IndexError) if fails else nullcontext():
            entry.compile((int64,))
        assert gc.isenabled() == enabled and seen == ([] if fails else [False])
    finally:
        gc.enable()


def faults_of(call):
    """The most pages that a function asks for below a stack of any depth."""
    import resource  # not on Windows

    def nothing():
        pass

    def deep(depth):
        if depth:
            return deep(depth - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(1000):
            nothing()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    return max(call(deep, depth) for depth in range(300))


@pytest.mark.skipif(sys.platform != "linux", reason="counts faults of pages")
def test_calls_have_room_below_a_compilation():
    """Elsewhere, Python asks the system for memory at each call where a piece of its stack ends."""
    assert faults_of(compilation._with_room) < 100


def test_only_what_says_so_allocates():
    def zeros(n):
        return np.zeros(n).sum()

    assert compiled(compilation.allocating_kernel(zeros))(3) == 0
    with pytest.raises(NumbaError, match="empty"):
        compiled(compilation.kernel(zeros))(3)


def test_division_by_zero_is_as_in_numpy():
    assert compiled(compilation.kernel(lambda x: 1.0 / x))(0.0) == np.inf


def test_compilation_cannot_be_switched_off():
    code = "import arrangements; arrangements.chambers([[1, 0], [0, 1]])"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert "unset it" in done.stderr.splitlines()[-1]


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


@pytest.mark.slow
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
