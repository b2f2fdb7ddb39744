"""Files that appear under their names only when they are complete."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from arrangements.files.paths import check_writable, is_special

# Temporary files that are being written.
_temporary: set[str] = set()


def remove_temporaries() -> None:
    """Remove what `atomic_write` is writing, when the process is about to end."""
    for path in tuple(_temporary):
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a temporary binary file that replaces `path` when the block ends without error.

    Parameters
    ----------
    path : str or path-like
        The file to create or replace. It keeps its permissions. A symbolic link stays, and the
        file it names is replaced; a pipe or the like is written to.

    Yields
    ------
    binary file
        In the folder of `path`, so that the replacement is one atomic step. On an error, or on
        Ctrl-C, it is removed and `path` is as it was.

    Raises
    ------
    InputError
        As `check_writable`.
    """
    check_writable(path)
    target = os.path.realpath(path)
    if is_special(target):
        with name_errors(path), open(target, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(target)
    # the beginning of the name will do, for names may have 255 bytes
    temporary = os.path.join(folder, f".{name[:50]}.{secrets.token_hex(8)}")
    _temporary.add(temporary)
    try:
        with name_errors(path), open(temporary, "xb") as stream:
            if os.path.exists(target):
                os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
            yield stream
        with name_errors(path):
            os.replace(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        _temporary.discard(temporary)


# A disk, a quota or a limit is full, or a disk is broken: such errors name no file.
_DISK_ERRORS = {errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC)}


@contextmanager
def name_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors name the file that is written, not the temporary one, and a full disk, too."""
    try:
        yield
    except OSError as error:
        if error.errno is None or (error.filename is None and error.errno not in _DISK_ERRORS):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
