"""The machine and the versions that a run was made with."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import arrangements
from arrangements.benchmarking.references import seconds

_PACKAGES = ("numpy", "numba", "scipy", "highspy", "polypart", "passagemath-polyhedra")
_COPIED_BYTES = 2**27


def describe_machine() -> dict[str, Any]:
    """CPU model, cores, memory, system and the speed of a large copy; no names of hosts.

    Examples
    --------
    >>> sorted(describe_machine())
    ['copy_bytes_per_second', 'cores', 'cpu', 'memory_bytes', 'system']
    """
    block = np.ones(_COPIED_BYTES // 8, np.uint64)
    target = np.empty_like(block)
    target[:] = block
    copying = min(seconds(lambda: np.copyto(target, block), 5))
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_bytes": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
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


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
