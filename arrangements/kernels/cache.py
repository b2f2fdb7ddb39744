"""Where the machine code of entries is kept between processes: numba's cache, made robust.

Code belongs to a processor: numba's keys hold its name and features, so that machines which share a
folder, as those of a cluster share a home, each find their own. It is taken only if every file of
kernels is what it was: an entry holds the code of its parts, and these stand in other files than
numba looks at.

Files of the cache are unpickled and executed. So each begins with a digest of the rest, and damaged
ones are made again. A folder or file that other users can write to, or replace, is not used. Code
that an administrator has put beside the package is read, too, unless NUMBA_CACHE_DIR names another
folder. Code that cannot be written is silently not kept. Without any folder to write to, every
process compiles for itself what is not beside the package, after one warning.
"""

import contextlib
import os
import stat
import warnings
from functools import cache
from hashlib import blake2b

_UNCACHED = (
    "no folder for compiled kernels can be written to, so that every process compiles them again; "
    "set NUMBA_CACHE_DIR to one that can."
)
_OPEN = (
    "compiled kernels are not kept in {}: other users can write to it, or to a folder above. Take "
    "the right away (chmod go-w), or set NUMBA_CACHE_DIR to a folder of yours."
)
DIGEST_BYTES = 16
_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        # from nowhere in the source, so that it is one line
        warnings.warn_explicit(message, UserWarning, "arrangements", 0)


def warn_of_no_folder() -> None:
    """Warn, once, that every process compiles for itself."""
    _warn_once(_UNCACHED)


def warn_of_open_folder(folder: str) -> None:
    """Warn, once, that others can write to a folder."""
    _warn_once(_OPEN.format(folder))


def digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=DIGEST_BYTES).digest()


@cache
def others_can_write(folder: str) -> bool:
    """Whether users other than this one, the administrator and the package's owner can write there.

    They also can if they may rename a folder above it. Those that hold the package do not count:
    who can write there can change the package.
    """
    folder = os.path.realpath(folder)
    if is_open(os.stat(folder)):
        return True
    package = os.path.realpath(__file__)
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        if package.startswith(os.path.join(folder, "")):
            return False
        found = os.stat(folder)
        if is_open(found) and not found.st_mode & stat.S_ISVTX:  # as that of /tmp
            return True
    return False


def open_as_own(path: str, flags: int) -> int:
    """Open a new file that nobody else may write to, whatever the umask."""
    return os.open(path, flags, 0o644)


def is_open(found: os.stat_result) -> bool:
    """Whether other users can write to a file or folder, or own it.

    A group counts as this user alone if it has the user's name and no other members, as many
    systems make one for each user, or if it is the administrator's.
    """
    if os.name != "posix":
        return False
    if found.st_uid not in (os.geteuid(), 0, os.stat(__file__).st_uid):
        return True
    group = bool(found.st_mode & stat.S_IWGRP) and not _is_own_group(found.st_gid)
    return group or bool(found.st_mode & stat.S_IWOTH)


def _is_own_group(number: int) -> bool:
    import grp  # not on Windows
    import pwd

    with contextlib.suppress(KeyError):  # users of containers may have no name
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid()).pw_name
        return (number == 0 or group.gr_name == user) and {*group.gr_mem} <= {user, "root"}
    return number == 0


def make_private(folder: str) -> None:
    """Make a folder and those above it that are missing, for this user alone."""
    missing, folder = [], os.path.abspath(folder)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(path, 0o700)


@cache
def digest_of_sources(folder: str = os.path.dirname(__file__)) -> bytes:
    """Digest of all Python files below a folder, of their names and contents.

    Times of files would be read in a third of the time, but an installer may set them.
    Once in a process this takes 1.2 ms, for 70 files of 512 kB.
    """
    total = blake2b(digest_size=16)
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(name for name in names if name.endswith(".py")):
            with open(os.path.join(where, name), "rb") as stream:
                source = stream.read()
            total.update(f"{os.path.relpath(where, folder)}/{name} {len(source)}\n".encode())
            total.update(source)
    return total.digest()
