"""A limit on memory that is too low for a command: one line says so.

Under a limit, such as that of `ulimit -v`, libraries of machine code fail in their own ways when
they are loaded: OpenBLAS writes to standard error and ends the process. So another process loads
them first.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

# Below this limit, try first: the libraries take up to half a gigabyte, and 40 MB for each core.
_AMPLE = 2**32


def memory_limit() -> int | None:
    """Bytes of addresses that this process may take; None if there is no limit."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def explain_memory(details: str) -> str:
    """Message for a command that needs more memory than it may take, or than there is."""
    limit = memory_limit()
    if limit is None:
        return f"this needs more memory than the machine has. {details}"
    return (
        f"this needs more memory than the limit of {limit / 1e6:.0f} MB allows; raise it "
        f"(ulimit -v) to a gigabyte at least. {details}"
    )


def is_limited() -> bool:
    """Whether a limit is so low that the libraries may not load."""
    limit = memory_limit()
    return limit is not None and limit < _AMPLE


def within_memory(command: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a command; it raises MemoryError first if the libraries do not load."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        if is_limited() and sys.executable:
            import subprocess  # loads slowly

            # -P: the folder at hand, which may hold a numba.py, is not searched
            tried = [sys.executable, "-P", "-c", "import numba"]
            null = subprocess.DEVNULL
            if subprocess.run(tried, stdin=null, stdout=null, stderr=null).returncode:
                raise MemoryError("NumPy and numba do not load.")
        return command(*arguments, **options)

    return run
