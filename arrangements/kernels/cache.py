"""Where the machine code of entries is kept between processes: numba's cache, made robust.

Code belongs to a processor: numba's keys hold its name and features, so that machines which share a
folder, as those of a cluster share a home, each find their own. It is taken only if every file of
kernels is what it was: an entry holds the code of its parts, and these stand in other files than
numba looks at.

Files of the cache are unpickled and executed. So each begins with a digest of the rest, and damaged
ones are made again. A folder or file that other users can write to, or replace, is not used. What
cannot be written is not kept, silently. If no folder is left, every process compiles for itself,
after one warning.
"""

import contextlib
import os
import pickle
import stat
import uuid
import warnings
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import IO, Any

from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

_UNCACHED = (
    "no folder for compiled kernels can be written to, so that every process compiles them again; "
    "set NUMBA_CACHE_DIR to one that can."
)
_OPEN = (
    "compiled kernels are not kept in {}: other users can write to it, or to a folder above. Take "
    "the right away (chmod go-w), or set NUMBA_CACHE_DIR to a folder of yours."
)
_DIGEST_BYTES = 16
_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        # from nowhere in the source, so that it is one line
        warnings.warn_explicit(message, UserWarning, "arrangements", 0)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """Index and data files that may be damaged or of another origin: then as if not there."""

    def _read(self, path: str) -> Any:
        with open(path, "rb") as stream:
            if _is_open(os.fstat(stream.fileno())):  # whoever wrote it
                return None
            digest, data = stream.read(_DIGEST_BYTES), stream.read()
        return pickle.loads(data) if digest == _digest(data) else None

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as stream:
            stream.write(_digest(data) + data)

    def _load_index(self) -> dict[Any, str]:
        with contextlib.suppress(Exception):  # unpickling raises anything
            stamp, index = self._read(self._index_path)
            if stamp == (self._version, self._source_stamp) and isinstance(index, dict):
                return index
        return {}

    def _save_index(self, index: dict[Any, str]) -> None:
        self._write(self._index_path, ((self._version, self._source_stamp), index))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def load(self, key: Any) -> Any:
        """What is kept for a key, or None."""
        with contextlib.suppress(Exception):
            owner, data = super().load(key)
            if owner == (self._source_stamp, key):
                return data
        return None

    def save(self, key: Any, data: Any) -> None:
        """Data first: numba's order leaves, on a full disk, an index that names older data.

        With the key, since two machines that save at the same time may choose the same name; the
        index of one would name the code of the other.
        """
        index = self._load_index()
        numbers = (self._data_name(i) for i in range(1, len(index) + 2))
        name = index.get(key) or next(name for name in numbers if name not in index.values())
        self._save_data(name, ((self._source_stamp, key), data))
        self._save_index(index | {key: name})

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        """As numba's, but nothing is left behind after Ctrl-C either."""
        temporary = f"{filepath}.tmp.{uuid.uuid4().hex[:16]}"
        try:
            with open(temporary, "wb", opener=_as_own) as stream:
                yield stream
            os.replace(temporary, filepath)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


@cache
def others_can_write(folder: str) -> bool:
    """Whether users other than this one, the administrator and the package's owner can write there.

    They also can if they may rename a folder above it. Those that hold the package do not count:
    who can write there can change the package.
    """
    folder = os.path.realpath(folder)
    if _is_open(os.stat(folder)):
        return True
    package = os.path.realpath(__file__)
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        if package.startswith(os.path.join(folder, "")):
            return False
        found = os.stat(folder)
        if _is_open(found) and not found.st_mode & stat.S_ISVTX:  # as that of /tmp
            return True
    return False


def _as_own(path: str, flags: int) -> int:
    """Open a new file that nobody else may write to, whatever the umask."""
    return os.open(path, flags, 0o644)


def _is_open(found: os.stat_result) -> bool:
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


def _make_private(folder: str) -> None:
    """Make a folder and those above it that are missing, for this user alone."""
    missing, folder = [], os.path.abspath(folder)
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(path, 0o700)


class _PrivateFolder:
    """Of numba's ways to find a folder: refuse one that others can write to."""

    def ensure_cache_path(self) -> None:
        """Raise OSError if the folder cannot or should not be used."""
        folder = self.get_cache_path()  # type: ignore[attr-defined]
        _make_private(folder)
        if others_can_write(folder):
            _warn_once(_OPEN.format(folder))
            raise PermissionError(folder)
        super().ensure_cache_path()  # type: ignore[misc]


class _Place(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [
        type(locator.__name__, (_PrivateFolder, locator), {})
        for locator in CompileResultCacheImpl._locator_classes
    ]


@cache
def digest_of_sources(folder: str = os.path.dirname(__file__)) -> bytes:
    """Digest of all Python files below a folder, of their names and contents.

    Times of files would be read in a third of the time, but what unpacks an upgrade may set them.
    Once in a process this takes 1.2 ms, for 37 files of 300 kB.
    """
    total = blake2b(digest_size=16)
    for where, _, names in sorted(os.walk(folder)):
        for name in sorted(name for name in names if name.endswith(".py")):
            with open(os.path.join(where, name), "rb") as stream:
                source = stream.read()
            total.update(f"{os.path.relpath(where, folder)}/{name} {len(source)}\n".encode())
            total.update(source)
    return total.digest()


class _Cache(FunctionCache):  # type: ignore[misc]
    """The cache of one entry."""

    _impl_class = _Place

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        # numba does not tell code that checks indices from code that does not
        own = self._impl.locator.get_source_stamp()
        stamp = own, digest_of_sources(), bool(config.BOUNDSCHECK)
        self._cache_file = _Files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code kept for a signature, or None."""
        with contextlib.suppress(Exception):  # what can be read may still be no code
            return super().load_overload(signature, context)
        return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep code, if that is possible."""
        with contextlib.suppress(OSError):
            super().save_overload(signature, code)


def keeps_code(dispatcher: Any) -> bool:
    """Whether there is code of an entry in the cache, for the files of kernels as they are."""
    cache = dispatcher._cache
    return isinstance(cache, _Cache) and bool(cache._cache_file._load_index())


def is_ready(dispatcher: Any) -> bool:
    """Whether an entry is compiled, or there is code of it in the cache."""
    return bool(config.DISABLE_JIT or dispatcher.overloads or keeps_code(dispatcher))


def keep_code(dispatcher: Any) -> None:
    """Let a dispatcher of numba look for its code in the cache, and keep it there."""
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)
    except RuntimeError:  # no folder can be written to
        _warn_once(_UNCACHED)
