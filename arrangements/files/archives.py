"""What a file of several arrays holds: shapes at once, numbers when they are asked for."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, MissingDependencyError
from arrangements.messages import first_line, missing_library, quote, quote_path

# Names of rows, and where they are from.
Named = tuple[list[str], str]


@dataclass(frozen=True)
class Stored:
    """An array of a file, not yet read.

    Attributes
    ----------
    shape : tuple of int
        As it is stored.
    load : callable
        Returns the array, mapped into memory where the format allows it.
    by_columns : bool
        Whether the columns are the labels, so that a layer computes ``x @ W``.
    note : str
        What a reader should know of its numbers; empty if they are those of the file.
    """

    shape: tuple[int, ...]
    load: Callable[[], NDArray[Any]]
    by_columns: bool = False
    note: str = ""

    @property
    def rows(self) -> int:
        """Number of labels, if this is a matrix."""
        return self.shape[1] if self.by_columns else self.shape[0]


@dataclass(frozen=True)
class Archive:
    """The arrays of a file or a folder, by their keys.

    Attributes
    ----------
    name : str
        Of the file, for messages.
    arrays : mapping of str to Stored
    layers : sequence of (str, str or None), optional
        The last layers and their biases, if the file says which these are.
    doubt : str
        Why the file's graph does not say so, for a message.
    tied : bool
        Whether the embedding is the head where no other array is.
    tokens : sequence of str
        Names of rows that the file itself holds.
    find_names : callable, optional
        Returns names of so many rows, and where they are from; None if there are none.
    """

    name: str
    arrays: Mapping[str, Stored]
    layers: Sequence[tuple[str, str | None]] | None = None
    doubt: str = ""
    tied: bool = False
    tokens: Sequence[str] = ()
    find_names: Callable[[int], Named | None] | None = None

    def names(self, n: int) -> Named | None:
        """Names of n rows, and where they are from; None if there are none."""
        if self.find_names is not None:
            return self.find_names(n)
        return (list(self.tokens), quote_path(self.name)) if len(self.tokens) == n else None


def open_file(path: str) -> IO[bytes]:
    """The open file; an InputError if there is none."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror}.") from error


def map_array(
    path: str, dtype: Any, start: int, shape: tuple[int, ...], order: str = "C"
) -> NDArray[Any]:
    """An array that lies in a file as it is, mapped into memory; refused if the file is shorter."""
    size = prod(shape) * np.dtype(dtype).itemsize
    if start < 0 or start + size > Path(path).stat().st_size:
        raise InputError(f"cannot read {quote_path(path)}: it ends before the array does.")
    if not size:
        return np.zeros(shape, dtype)
    return np.memmap(path, dtype, "r", start, shape, order)  # type: ignore[call-overload]


def check_dimensions(shape: Any, place: str) -> tuple[int, ...]:
    """A shape that a file states, as a tuple of integers."""
    proper = isinstance(shape, Sequence) and all(type(m) is int and m >= 0 for m in shape)
    if not proper or prod(shape) >= 2**62:
        raise InputError(f"{place} has the shape {quote(shape)}; expected sizes of an array.")
    return tuple(shape)


def import_extra(library: str, path: str, extra: str) -> Any:
    """The library that reads a format, or the error that names its extra."""
    try:
        return import_module(library)
    except ImportError as error:
        raise missing_library(library, f"to read {quote_path(path)}", extra) from error


def short_float(name: str, path: str) -> np.dtype[Any]:
    """A type of ``ml_dtypes``, such as bfloat16, which NumPy lacks."""
    return np.dtype(getattr(import_extra("ml_dtypes", path, "models"), name))


def file_beside(path: str, name: Any) -> str:
    """A file in the folder of another one, whose name a file states; it stays in that folder."""
    plain = isinstance(name, str) and Path(name).name == name and "\\" not in name
    if not plain or name in ("", ".", ".."):
        raise InputError(
            f"{quote_path(path)} names the file {quote(name)}; expected one in its own folder."
        )
    return str(Path(path).parent / name)


@contextmanager
def name_damage(name: str) -> Iterator[None]:
    """Turn exceptions about damaged or pickled content into an InputError.

    NumPy evaluates the header of an array and trusts that of an archive, so a damaged header may
    raise almost any exception.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as that a header is one of Python 2
            yield
    except (InputError, MissingDependencyError, MemoryError):
        raise
    except Exception as error:  # damaged content may raise almost any exception
        raise InputError(f"cannot read {quote_path(name)}: {first_line(error)}.") from error
