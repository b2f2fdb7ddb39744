"""A folder of files that appear whole or not at all: on a disk, or wherever fsspec reaches."""

from __future__ import annotations

import os
import re
import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_name
from arrangements.messages import missing_library, quote_path

_URL = re.compile(r"[a-z][a-z0-9+.-]+(::|://)", re.IGNORECASE)
# The system need not keep a larger file in memory once it is on the disk: fresh memory for the next
# one would take longer than to write it, where the system itself is a guest.
_LARGE = 2**18
# What `atomic_write` calls a file that is not complete.
_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}")


class Folder(ABC):
    """Where a run lives.

    Attributes
    ----------
    name : str
        As the caller wrote it: another process finds the folder by it.
    """

    name: str

    def names(self) -> list[str]:
        """Files in it, sorted; those that are being written do not count."""
        return [name for name in self.every_name() if not _TEMPORARY.fullmatch(name)]

    def temporaries(self) -> list[str]:
        """Files that a process is writing, or was when it was killed; sorted."""
        return [name for name in self.every_name() if _TEMPORARY.fullmatch(name)]

    @abstractmethod
    def every_name(self) -> list[str]:
        """All files in it, sorted."""

    @abstractmethod
    def read(self, name: str) -> bytes:
        """The bytes of a file; FileNotFoundError if there is none."""

    @abstractmethod
    def write(self, name: str, content: bytes | memoryview) -> None:
        """Make or replace a file, in one step."""

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a file; nothing happens if there is none."""

    @abstractmethod
    def url(self, name: str) -> str:
        """What other libraries call a file."""

    @abstractmethod
    def free_bytes(self) -> int | None:
        """Bytes that may be written; None if nobody knows."""


class _LocalFolder(Folder):
    """A folder of the file system, made when the first file is written."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.path.abspath(path)
        self._path = Path(self.name)

    def every_name(self) -> list[str]:
        try:
            with os.scandir(self._path) as entries:
                return sorted(entry.name for entry in entries if entry.is_file())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(f"cannot read {quote_path(self._path)}: {error.strerror}.") from error

    def read(self, name: str) -> bytes:
        try:
            return (self._path / name).read_bytes()
        except FileNotFoundError:
            raise
        except OSError as error:
            place = quote_path(self._path / name)
            raise InputError(f"cannot read {place}: {error.strerror}.") from error

    def write(self, name: str, content: bytes | memoryview) -> None:
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make {quote_path(self._path)}: {error.strerror}.") from error
        with atomic_write(self._path / name) as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if len(content) > _LARGE and hasattr(os, "posix_fadvise"):
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def remove(self, name: str) -> None:
        (self._path / name).unlink(missing_ok=True)

    def url(self, name: str) -> str:
        return str(self._path / name)

    def free_bytes(self) -> int | None:
        existing = next(path for path in (self._path, *self._path.parents) if path.exists())
        return shutil.disk_usage(existing).free


class _RemoteFolder(Folder):
    """A folder that fsspec reaches: an object store appears to write a file in one step."""

    def __init__(self, url: str) -> None:
        self.name = url.rstrip("/")
        try:
            import fsspec  # an extra
        except ImportError as error:
            raise missing_library("fsspec", f"to write to {quote_path(url)}") from error
        try:
            self._system, self._path = fsspec.core.url_to_fs(self.name)
        except (ValueError, ImportError) as error:
            raise InputError(f"cannot reach {quote_path(url)}: {error}.") from error

    def every_name(self) -> list[str]:
        self._system.invalidate_cache()
        try:
            found = self._system.ls(self._path, detail=True)
        except FileNotFoundError:
            return []
        files = (entry["name"] for entry in found if entry["type"] != "directory")
        return sorted(name.rsplit("/", 1)[-1] for name in files)

    def read(self, name: str) -> bytes:
        content: bytes = self._system.cat_file(self._at(name))
        return content

    def write(self, name: str, content: bytes | memoryview) -> None:
        self._system.makedirs(self._path, exist_ok=True)
        self._system.pipe_file(self._at(name), bytes(content))

    def remove(self, name: str) -> None:
        if self._system.exists(self._at(name)):
            self._system.rm_file(self._at(name))

    def url(self, name: str) -> str:
        return f"{self.name}/{name}"

    def free_bytes(self) -> int | None:
        return None

    def _at(self, name: str) -> str:
        return f"{self._path}/{name}"


def folder_at(path: str | os.PathLike[str]) -> Folder:
    """The folder that a caller names by a path or a URL.

    Examples
    --------
    >>> folder_at("memory://runs/7").url("run.json")
    'memory://runs/7/run.json'
    """
    check_name(path)
    text = os.fspath(path)
    if is_url(text):
        return _RemoteFolder(text)
    if os.path.exists(text) and not os.path.isdir(text):
        raise InputError(
            f"{quote_path(text)} is a file; expected the folder of a run, or a new name."
        )
    return _LocalFolder(text)


def is_url(text: str) -> bool:
    """Whether fsspec is meant, and not a path.

    Examples
    --------
    >>> is_url("s3://bucket/run"), is_url("run/")
    (True, False)
    """
    return bool(_URL.match(text))
