"""How much memory a question may take: the one place that refuses large answers."""

from __future__ import annotations

import os

from arrangements.errors import TooLargeError
from arrangements.messages import Remedy, short_number

_SHARE_OF_MEMORY = 0.5
_UNKNOWN_MEMORY = 2**33
# Work space that needs no look at the memory that is free.
_FREE_BYTES = 64 * 2**20


def free_bytes() -> int:
    """Bytes of free memory, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _UNKNOWN_MEMORY


def available_bytes() -> int:
    """Bytes that an answer may take by default: a share of the free memory."""
    return int(_SHARE_OF_MEMORY * free_bytes())


def check_bytes(
    what: str, needed: int, remedy: Remedy | None = None, *, allowed: int | None = None
) -> None:
    """Refuse an answer that takes more memory than is allowed, by default `available_bytes`.

    Raises
    ------
    TooLargeError
        The message begins with `what`, such as "about 10 chambers are expected".

    Examples
    --------
    >>> check_bytes("a table of 8 rows", 64)
    >>> check_bytes("a table of 8 rows", 64, allowed=32)
    Traceback (most recent call last):
        ...
    arrangements.errors.TooLargeError: a table of 8 rows: 64 bytes, but 32 are allowed.
    """
    allowed = available_bytes() if allowed is None else allowed
    if needed > allowed:
        problem = f"{what}: {short_number(needed)} bytes, but {short_number(allowed)} are allowed."
        raise TooLargeError(problem, *([] if remedy is None else [remedy]))


def check_workspace(what: str, needed: int) -> None:
    """Refuse work space that exceeds the free memory.

    Work space may take all of it, for the system provides only pages that are written to, which
    usually are few.
    """
    if needed > _FREE_BYTES:
        remedy = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")
        check_bytes(f"the work space of {what}", needed, remedy, allowed=free_bytes())
