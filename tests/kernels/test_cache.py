"""Compiled code between processes: kept where that is possible, made again where it is damaged."""

import errno
import getpass
import importlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from numba import config, njit

import arrangements
from arrangements.kernels import cache, compilation, numba_internals
from arrangements.kernels.numba_internals import cpu_target

PACKAGE = Path(arrangements.__file__).parent
SCRIPT = """
import numpy as np
from arrangements.kernels.modular.montgomery import mont_determinant
one, p = np.uint64(2**32 % 7), np.uint64(7)
constants = np.uint64(-pow(7, -1, 2**32) % 2**32), np.uint64(2**64 % 7)
print(mont_determinant(np.full((1, 1), one), 1, p, *constants))
"""

PART = """
from arrangements.kernels.compilation import kernel
@kernel
def part():
    return {}
"""
WHOLE = """
from arrangements.kernels.compilation import entry
from arrangements.kernels.modular.part import part
@entry
def whole():
    return part()
"""
PRINT_WHOLE = """
from arrangements.kernels.modular.whole import whole
print(whole(), sum(whole.stats.cache_hits.values()))
"""


def doubled(x):
    return 2 * x


def kept(function=doubled):
    dispatcher = njit(function)
    numba_internals.keep_code(dispatcher)
    return dispatcher


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where `doubled` is kept; it is there already, for int64."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    first = kept()
    assert first(21) == 42 and hits(kept()) == 1
    return Path(first.stats.cache_path)


def hits(dispatcher):
    """Whether the code for int64 is found."""
    assert dispatcher(4) == 8
    return sum(dispatcher.stats.cache_hits.values())


def names(folder):
    return sorted(path.suffix for path in folder.iterdir())


FOREIGN = [b"", b"\x80", b"hello", pickle.dumps({}), pickle.dumps((1, 2, 3)), pickle.dumps(None)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [*FOREIGN, "half", "folder"])
def test_damaged_files_are_made_again(folder, suffix, content, capfd, recwarn):
    (path,) = folder.glob(f"*{suffix}")
    whole = path.read_bytes()
    if content == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    assert hits(kept()) == 0
    if content != "folder":
        assert hits(kept()) == 1 and names(folder) == [".nbc", ".nbi"]
    assert not recwarn.list and capfd.readouterr() == ("", "")


def test_an_index_of_other_software(folder):
    files = kept()._cache._cache_file
    for stored in ([1, 2], "text", ("stamp",), (("0.0", files._source_stamp), {})):
        files._write(files._index_path, stored)
        assert hits(kept()) == 0
        assert hits(kept()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_any_flipped_bit_is_found(folder, suffix):
    (path,) = folder.glob(f"*{suffix}")
    whole = path.read_bytes()
    for place in np.linspace(0, 8 * len(whole) - 1, 25).astype(int).tolist():
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert hits(kept()) == 0, place
        assert hits(kept()) == 1  # it was made again


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
@pytest.mark.parametrize("mode", [0o777, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, monkeypatch, mode):
    opened = tmp_path / "open"
    opened.mkdir()
    monkeypatch.setattr(config, "CACHE_DIR", str(opened))
    first = kept()
    (folder,) = opened.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700 and first(21) == 42 and hits(kept()) == 1
    folder.chmod(mode)
    cache.others_can_write.cache_clear()
    with pytest.warns(UserWarning, match=r"not kept in .*: other users can write to it"):
        elsewhere = kept()
    assert Path(elsewhere.stats.cache_path) != folder
    cache.others_can_write.cache_clear()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_folder_that_others_can_rename_is_not_used(tmp_path):
    inner = tmp_path / "open" / "inner"
    inner.mkdir(parents=True)
    for mode, renamed in [(0o755, False), (0o777, True), (0o1777, False)]:
        inner.parent.chmod(mode)
        cache.others_can_write.cache_clear()
        assert cache.others_can_write(str(inner)) is renamed
    inner.parent.chmod(0o700)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_code_is_kept_whatever_the_umask(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    before = os.umask(0)
    try:
        assert kept()(21) == 42 and hits(kept()) == 1
    finally:
        os.umask(before)
    assert not any(path.stat().st_mode & 0o022 for path in tmp_path.rglob("*.nb?"))


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_file_that_others_can_write_to_is_not_read(folder):
    """Whatever its digest: it may have come while others could write to the folder."""
    assert kept()(0.5) == 1.0 and hits(kept()) == 1
    for path in folder.rglob("*.nb?"):
        path.chmod(0o666)
    again = kept()
    assert again(0.5) == 1.0 and not again.stats.cache_hits


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_groups_of_more_than_the_user_count_as_others(tmp_path):
    grp = pytest.importorskip("grp")
    tmp_path.chmod(0o770)
    for group in grp.getgrall()[:20]:
        try:
            os.chown(tmp_path, -1, group.gr_gid)
        except PermissionError:
            continue
        cache.others_can_write.cache_clear()
        user = getpass.getuser()
        own = group.gr_gid == 0 or group.gr_name == user
        alone = own and {*group.gr_mem} <= {user, "root"}
        assert cache.others_can_write(str(tmp_path)) is not alone


@pytest.fixture
def beside(tmp_path, monkeypatch):
    """`doubled` of a module, whose code an administrator has put beside it: (function, folder)."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "site").mkdir()
    path = tmp_path / "site" / "module_beside.py"
    path.write_text("def doubled(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(path.parent)
    function = importlib.import_module("module_beside").doubled
    folder = path.parent / "__pycache__"
    assert kept(function)(21) == 42 and {".nbi", ".nbc"} <= set(names(folder))
    temporary = tempfile.TemporaryFile

    def refuse(*arguments, dir=None, **options):
        if Path(dir) == folder:
            raise PermissionError(dir)
        return temporary(*arguments, dir=dir, **options)

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    yield function, folder
    del sys.modules["module_beside"]


def test_code_beside_the_package_is_read_by_other_users(beside, tmp_path):
    function, folder = beside
    before = names(folder)
    dispatcher = kept(function)
    assert dispatcher.stats.cache_path.startswith(str(tmp_path / "home"))
    assert hits(dispatcher) == 1 and numba_internals.keeps_code(kept(function))
    assert dispatcher(0.5) == 1.0 and hits(kept(function)) == 1  # kept in the user's own folder
    assert list((tmp_path / "home").rglob("*.nbc")) and names(folder) == before


def test_code_beside_the_package_is_read_where_nothing_can_be_written(beside, monkeypatch, recwarn):
    function, folder = beside
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull + "/cache")
    monkeypatch.setenv("IPYTHONDIR", os.devnull + "/ipython")
    monkeypatch.setattr(numba_internals._Files, "_save_data", full)
    monkeypatch.setattr(cache, "_warned", set())
    assert hits(kept(function)) == 1 and not recwarn.list
    with pytest.warns(UserWarning, match="compiles them again"):
        assert kept(function)(0.5) == 1.0


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_code_beside_the_package_is_not_read_if_others_can_write_it(beside):
    function, folder = beside
    cache.others_can_write.cache_clear()
    for path in folder.glob("*.nbi"):
        path.chmod(0o666)
    assert hits(kept(function)) == 0


def full(*arguments):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("step", ["_save_data", "_save_index", "_open_for_write"])
def test_a_full_disk(folder, step, monkeypatch, capfd, recwarn):
    with monkeypatch.context() as patch:
        patch.setattr(numba_internals._Files, step, full)
        new = kept()
        assert new(0.5) == 1.0 and hits(new) == 1
        assert new.stats.cache_misses and not recwarn.list
    # neither is there half an entry, nor one that names what is not there
    again = kept()
    assert again(0.5) == 1.0 and not again.stats.cache_hits
    assert kept()(0.5) == 1.0 and hits(kept()) == 1
    assert capfd.readouterr() == ("", "") and not list(folder.glob("*.tmp.*"))


def test_code_of_an_older_source_is_never_taken(tmp_path, monkeypatch):
    """On a full disk, numba writes an index that names the data file of the older source."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))

    def made(factor):
        source = tmp_path / "module.py"
        source.write_text(f"def function(x):\n    return {factor} * x\n")
        scope = {"__name__": "module"}  # older versions of numba look at it
        exec(compile(source.read_text(), str(source), "exec"), scope)
        return kept(scope["function"])

    assert made(2)(5) == 10
    with monkeypatch.context() as patch:
        patch.setattr(numba_internals._Files, "_save_data", full)
        assert made(3)(5) == 15
    newer = made(3)
    assert newer(5) == 15 and not newer.stats.cache_hits


@pytest.mark.slow
def test_code_is_made_again_when_another_file_of_kernels_changes(tmp_path):
    """Neither the file of the entry nor the size and the time of that of its part tell."""
    copy = tmp_path / "arrangements"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    part = copy / "kernels" / "modular" / "part.py"
    part.with_name("whole.py").write_text(WHOLE)
    part.with_name("print_whole.py").write_text(PRINT_WHOLE)
    # Python's own cache of bytecode would be deceived
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}

    def answer(value):
        part.write_text(PART.format(value))
        os.utime(part, (10**9, 10**9))  # as some installers do
        out, _ = run(tmp_path, environment, "-m", "arrangements.kernels.modular.print_whole")
        return out.split()

    assert answer(3) == ["3", "0"]
    assert answer(3) == ["3", "1"]
    assert answer(4) == ["4", "0"]
    assert answer(4) == ["4", "1"]


def on_another_processor(patch):
    """What numba says about the processor is about another one from now on."""
    kind = type(cpu_target.target_context.codegen())
    patch.setattr(kind, "magic_tuple", lambda codegen: ("a system", "another processor", "+all"))


def test_code_for_one_processor_is_not_taken_on_another(folder, monkeypatch):
    with monkeypatch.context() as patch:
        on_another_processor(patch)
        assert hits(kept()) == 0 and hits(kept()) == 1
    assert hits(kept()) == 1 and names(folder) == [".nbc", ".nbc", ".nbi"]


def test_two_processors_that_save_at_the_same_time(tmp_path, monkeypatch):
    """Both find an empty index and choose the first name; the second one's files replace those of
    the first, but for its index, which comes last.
    """
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    here, meanwhile = kept(), []
    save_index = numba_internals._Files._save_index

    def after_the_other(files, index):
        if not meanwhile:
            meanwhile.append(1)
            with monkeypatch.context() as patch:
                on_another_processor(patch)
                patch.setattr(numba_internals._Files, "_load_index", lambda files: {})
                assert hits(kept()) == 0
        save_index(files, index)

    monkeypatch.setattr(numba_internals._Files, "_save_index", after_the_other)
    assert here(21) == 42 and meanwhile
    assert names(Path(here.stats.cache_path)) == [".nbc", ".nbi"]
    assert hits(kept()) == 0 and hits(kept()) == 1


@pytest.mark.slow
def test_a_cache_shared_by_processors(tmp_path):
    """As numba names them, in processes of their own."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)}
    generic = environment | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    for changed, files in ((environment, 1), (generic, 2), (environment, 2), (generic, 2)):
        assert run(tmp_path, changed, "-c", SCRIPT) == (f"{2**32 % 7}\n", "")
        assert len(list(tmp_path.rglob("*mont_determinant*.nbc"))) == files


def test_nothing_is_left_when_writing_is_interrupted(folder):
    files = kept()._cache._cache_file
    before = sorted(folder.iterdir())
    with pytest.raises(KeyboardInterrupt), files._open_for_write(str(folder / "x.nbc")) as stream:
        stream.write(b"half")
        raise KeyboardInterrupt
    assert sorted(folder.iterdir()) == before


def nowhere(tmp_path):
    """A copy of the package, and an environment, in which no folder can be written to.

    The tests may run as an administrator, whom permissions do not stop. So the folders for code
    are in the way of themselves: one is a file, the others would lie in a device.
    """
    copy = tmp_path / "arrangements"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy / "kernels", *(copy / "kernels").glob("*/")]:
        (folder / "__pycache__").write_text("")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")}
    return environment | {
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": os.devnull + "/home",
        "XDG_CACHE_HOME": os.devnull + "/cache",
        "IPYTHONDIR": os.devnull + "/ipython",
    }


def run(folder, environment, *arguments, stdin=""):
    """Standard output and error of Python in a folder that holds the package."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_read_only_installation_without_a_home(tmp_path):
    environment = nowhere(tmp_path)
    out, err = run(tmp_path, environment, "-c", SCRIPT)
    assert out == f"{2**32 % 7}\n"
    (line,) = err.splitlines()
    assert "compiles them again; set NUMBA_CACHE_DIR" in line
    # with a folder that can be written to, nothing is said, and it is used
    environment["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    assert run(tmp_path, environment, "-c", SCRIPT) == (out, "")
    assert list((tmp_path / "cache").rglob("*.nbc"))


@pytest.mark.slow
def test_a_command_without_a_cache(tmp_path):
    arguments = ("-m", "arrangements", "count", "-")
    out, err = run(tmp_path, nowhere(tmp_path), *arguments, stdin="1 0\n0 1\n1 1\n")
    assert out == "6\n"
    (line,) = err.splitlines()
    assert line.startswith("arrangements: warning: ") and "NUMBA_CACHE_DIR" in line


# ------------------------------------------------------------------ Ctrl-C during compilation


class Finalized:
    """What it raises when it goes is reported and dropped, as in a function that LLVM calls."""

    def __init__(self, error):
        self.error = error

    def __del__(self):
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143)])
def test_an_interrupt_that_is_dropped_is_raised_in_the_end(error):
    reached = []
    with pytest.raises(type(error)), compilation._heeding_ctrl_c():
        Finalized(error)
        reached.append(1)
    assert reached


def test_an_interrupt_in_whose_place_another_exception_came():
    with pytest.raises(KeyboardInterrupt), compilation._heeding_ctrl_c():
        try:
            raise KeyboardInterrupt
        finally:
            raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), compilation._heeding_ctrl_c():
        raise ZeroDivisionError


def test_other_dropped_exceptions_are_reported_as_ever(monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: reported.append(what.exc_value))
    with compilation._heeding_ctrl_c():
        Finalized(ValueError("dropped"))
    assert list(map(str, reported)) == ["dropped"]


COUNT = """
import sys
import numpy as np
from arrangements import rankings
print("ready", flush=True)
try:
    rankings(np.random.default_rng(0).standard_normal((8, 3)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(7)
"""


@pytest.mark.slow
@pytest.mark.parametrize("wait", [0.3, 2.0, 4.0])
def test_ctrl_c_during_compilation_is_never_swallowed(tmp_path, wait):
    process = subprocess.Popen(
        [sys.executable, "-c", COUNT],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(PACKAGE.parent)},
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=300)
    assert (out, process.returncode) == ("interrupted\n", 7)
    assert not list(tmp_path.rglob("*.tmp.*"))
