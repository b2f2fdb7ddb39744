"""Names of files: which can be read or written, checked before the work is done."""

import os
from collections.abc import Iterable
from pathlib import Path

from arrangements.errors import InputError, InputTypeError
from arrangements.messages import quote, quote_path

WRITABLE = (".npz", ".csv", ".txt")


def check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a value that cannot be the name of a file."""
    try:
        name = os.fspath(path)
        possible = isinstance(name, str) and "\0" not in name and bool(os.fsencode(name))
    except Exception as error:  # it is not a path, or has characters that no name has
        raise InputTypeError(f"the name of a file is {quote(path)}; expected text.") from error
    if not name:
        raise InputError("the name of a file is empty.")
    if not possible:
        raise InputError(f"the name of a file is {quote(path)}; expected text without zero bytes.")


def join_or(names: Iterable[str]) -> str:
    """Names with commas, and ``or`` before the last."""
    *others, last = names
    return f"{', '.join(others)} or {last}"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file; an InputError if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror}.") from error


def check_output(path: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse an output name that cannot be written, before the work is done.

    Parameters
    ----------
    path : str or path-like
        A file to be written by `write_signs`, `write_rankings` or ``save``.
    *inputs : str or None
        Files that are read.

    Raises
    ------
    InputError
        If its extension is unknown, it cannot be written, or it is one of the inputs.
    """
    check_name(path)
    if Path(path).suffix.lower() not in WRITABLE:
        run = "" if Path(path).suffix else " (the folder of a run ends in /)"
        raise InputError(
            f"{quote_path(path)} has an unknown extension; expected {join_or(WRITABLE)}{run}."
        )
    check_writable(path)
    check_no_input(path, *inputs)


def check_no_input(path: str | os.PathLike[str], *inputs: str | None) -> None:
    """Refuse an output name that is one of the files that are read."""
    for name in inputs:
        if name is not None and os.path.exists(path) and os.path.exists(name):
            if os.path.samefile(path, name):
                raise InputError(f"{quote_path(path)} is an input, too; write to another file.")


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a file that `atomic_write` cannot write, before the work is done.

    Raises
    ------
    InputError
        If it is a folder or read-only, or if its folder is, or does not exist.
    """
    check_name(path)
    target = Path(os.path.realpath(path))
    problem = _unusable(target)
    if problem is not None:
        pass  # nor can the rest be asked
    elif not target.parent.is_dir():
        problem = "its folder does not exist"
    elif target.is_dir():
        problem = "it is a folder"
    elif target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & 0o222):
        problem = "it is read-only"  # to everybody, the administrator too
    elif not is_special(target) and not os.access(target.parent, os.W_OK):
        problem = "its folder is read-only"
    if problem is not None:
        raise InputError(f"cannot write {quote_path(path)}: {problem}.")


def _unusable(target: Path) -> str | None:
    """Why the system refuses a name, such as its length."""
    try:
        target.lstat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except OSError as error:
        return str(error.strerror).lower()
    return None


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether it is a pipe, /dev/null or the like."""
    return os.path.exists(path) and not os.path.isfile(path)
