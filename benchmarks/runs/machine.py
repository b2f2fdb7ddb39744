"""The machine, the versions and the commit that a run was made with, and when."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import arrangements
from benchmarks.suites.references import seconds

_PACKAGES = ("numpy", "numba", "scipy", "highspy", "polypart", "passagemath-polyhedra")
_COPIED_BYTES = 2**27
_THREADS = re.compile(r"\w+_NUM_THREADS|OMP_\w+|MKL_\w+|VECLIB_MAXIMUM_THREADS|NUMBA_\w*THREAD\w*")


def describe_machine() -> dict[str, Any]:
    """CPU model, cores, memory, system and the speed of a large copy; no names of hosts.

    What kernels are `compiled_for` is LLVM's name of the processor, or that of ``NUMBA_CPU_NAME``.

    Examples
    --------
    >>> sorted(describe_machine())[:6]
    ['compiled_for', 'copy_bytes_per_second', 'cores', 'cpu', 'features', 'kernel']
    """
    from arrangements.kernels.numba_internals import processor  # loads slowly

    block = np.ones(_COPIED_BYTES // 8, np.uint64)
    target = np.empty_like(block)
    target[:] = block
    copying = min(seconds(lambda: np.copyto(target, block), 5))
    return {
        "cpu": _cpu_model(),
        "compiled_for": processor()[1],
        "features": _features(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "kernel": platform.release(),
        "copy_bytes_per_second": block.nbytes / copying,
    }


def versions() -> dict[str, str]:
    """Versions of Python, this package, and what it is compared with.

    Examples
    --------
    >>> versions()["arrangements"] == arrangements.__version__
    True
    """
    found = {"python": sys.version.split()[0], "arrangements": arrangements.__version__}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def origin() -> dict[str, str | None]:
    """When a run is made, and the commit of the checkout if the package is in one.

    The commit ends in "+" if files of the package were changed since. A package that is installed
    has only its version, see `versions`.

    Examples
    --------
    >>> made = origin()
    >>> sorted(made), made["date"].endswith("+00:00")
    (['commit', 'date'], True)
    """
    return {"date": datetime.now(UTC).isoformat(timespec="seconds"), "commit": _commit()}


def _commit() -> str | None:
    folder = Path(arrangements.__file__).parent
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None  # installed, maybe below a checkout of something else
    commit = _git(folder, "rev-parse", "--short=12", "HEAD")
    return commit and commit + ("+" if _git(folder, "status", "--porcelain", ".") else "")


def _git(folder: Path, *command: str) -> str | None:
    """What git says about a folder; None if it fails or is not there."""
    try:
        done = subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.decode().strip()


def load() -> float | None:
    """Processes that ran or waited in the last minute, on average; None if the system hides it."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def thread_variables() -> dict[str, str]:
    """Variables of the environment that say how many threads libraries use.

    Examples
    --------
    >>> "PATH" in thread_variables()
    False
    """
    found = {name: value for name, value in os.environ.items() if _THREADS.fullmatch(name)}
    return dict(sorted(found.items()))


def _cpu_model() -> str:
    return _of_cpuinfo("model name") or platform.processor() or platform.machine()


def _features() -> list[str]:
    """What the processor can, as Linux names it; elsewhere nothing."""
    return sorted((_of_cpuinfo("flags") or _of_cpuinfo("Features")).split())


def _of_cpuinfo(field: str) -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith(field):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return ""


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
