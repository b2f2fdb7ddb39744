"""Sign vectors, rankings and tops as lines of text, and files of them."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_output


class Block(Protocol):
    """Rows of `SignVectors` or `Rankings`."""

    def to_array(self) -> NDArray[Any]:
        """One row for each sign vector or ranking."""

    @property
    def is_named(self) -> bool:
        """Whether the caller named the rows."""

    @property
    def label_names(self) -> tuple[str, ...]:
        """Names of all rows."""


def write_signs(path: str | os.PathLike[str], blocks: Iterable[Block]) -> int:
    """Write blocks of sign vectors to a .txt or .csv file, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` holds a line such as ``+-+`` per chamber or, if rows have names, the names of those
        that are +, such as ``cat, bird``. ``.csv`` holds a line such as ``1,-1,1``.
    blocks : iterable of SignVectors
        As `iter_chambers` yields them; only one is held at a time.

    Returns
    -------
    int
        Number of lines written.
    """
    if _is_csv(path):
        return _write_lines(path, blocks, lambda block: csv_lines(block.to_array()))
    return _write_lines(path, blocks, text_signs)


def text_signs(block: Block) -> bytes:
    """Sign vectors as text: with names of the rows, in each line the names of those that are +."""
    if not block.is_named:
        return sign_lines(block.to_array())
    names = quote_names(block.label_names)
    lines = (", ".join(compress(names, row)) for row in (block.to_array() > 0).tolist())
    return "".join(f"{line}\n" for line in lines).encode()


def sign_lines(signs: NDArray[np.int8]) -> bytes:
    r"""Sign vectors as lines of ``+`` and ``-``.

    Parameters
    ----------
    signs : (m, n) ndarray of int8
        Entries -1 and +1.

    Returns
    -------
    bytes
        m lines of n characters.

    Examples
    --------
    >>> sign_lines(np.array([[1, -1], [1, 1]], np.int8))
    b'+-\n++\n'
    """
    text = np.full((signs.shape[0], signs.shape[1] + 1), ord("\n"), np.uint8)
    text[:, :-1] = np.where(signs > 0, ord("+"), ord("-"))
    return text.tobytes()


def csv_lines(signs: NDArray[np.int8]) -> bytes:
    r"""Sign vectors as comma-separated lines of 1 and -1.

    Parameters
    ----------
    signs : (m, n) ndarray of int8
        Entries -1 and +1.

    Returns
    -------
    bytes
        m lines of n entries.

    Examples
    --------
    >>> csv_lines(np.array([[1, -1], [1, 1]], np.int8))
    b'1,-1\n1,1\n'
    """
    m, n = signs.shape
    text = np.full((m, max(2 * n, 1)), ord(","), np.uint8)
    text[:, 0 : 2 * n : 2] = np.where(signs > 0, ord("+"), ord("-"))
    text[:, -1] = ord("\n")
    return text.tobytes().replace(b"-", b"-1").replace(b"+", b"1")


def write_rankings(path: str | os.PathLike[str], blocks: Iterable[Block]) -> int:
    """Write blocks of rankings to a .txt or .csv file, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` holds a line such as ``2 0 1`` or, if labels have names, ``cat > dog > bird``
        per ranking, ``.csv`` a line such as ``2,0,1``.
    blocks : iterable of Rankings
        As `iter_rankings` yields them; only one is held at a time.

    Returns
    -------
    int
        Number of lines written.
    """
    return _write_lines(path, blocks, _csv_rankings if _is_csv(path) else text_rankings)


def text_rankings(block: Block) -> bytes:
    """Rankings as text, see `write_rankings`; indices stay readable by NumPy."""
    if not block.is_named:
        return ranking_lines(block.to_array(), block.label_names, " ")
    return ranking_lines(block.to_array(), quote_names(block.label_names), " > ")


def _csv_rankings(block: Block) -> bytes:
    names = _csv_names(block.label_names) if block.is_named else block.label_names
    return ranking_lines(block.to_array(), names, ",")


# Zero bytes, and what ends a line for some reader, become blanks.
_BREAKS = dict.fromkeys(map(ord, "\0\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), " ")


def ranking_lines(orders: NDArray[Any], names: Sequence[str], separator: str) -> bytes:
    r"""Rankings as lines of names, the best first.

    Parameters
    ----------
    orders : (m, k) ndarray of int
        Labels.
    names : sequence of str
        Name of each label, as it is to be written; line breaks in it become blanks.
    separator : str
        Between names.

    Returns
    -------
    bytes
        m lines in UTF-8.

    Examples
    --------
    >>> ranking_lines(np.array([[1, 0], [0, 1]]), ["a", "b"], " > ")
    b'b > a\na > b\n'
    """
    if not orders.shape[1]:
        return b"\n" * len(orders)
    plain = [name.translate(_BREAKS) for name in names]
    inner = [(name + separator).encode("utf-8") for name in plain]
    last = [(name + "\n").encode("utf-8") for name in plain]
    table = np.array([inner, last])  # padded with zero bytes, which are dropped in the end
    cells = table[(np.arange(orders.shape[1]) == orders.shape[1] - 1).astype(int), orders]
    return cells.tobytes().translate(None, b"\0")


def write_tops(
    path: str | os.PathLike[str], tops: NDArray[Any], names: Sequence[str] | None, ordered: bool
) -> None:
    """Write the labels, or sets or rankings of labels, that can be on top, atomically.

    Parameters
    ----------
    path : str or path-like
        ``.txt`` as `text_tops`, ``.csv`` with commas, ``.npz`` with the arrays ``tops`` and, if
        labels have names, ``names``.
    tops : (m, k) ndarray of int
        Labels.
    names : sequence of str, optional
        Name of each label.
    ordered : bool
        Whether a row is a ranking, the best first, and not a set.
    """
    check_output(path)
    if Path(path).suffix.lower() == ".npz":
        members = {"tops": tops} | ({} if names is None else {"names": np.array(names)})
        with atomic_write(path) as stream:
            # mypy takes the members for the keyword allow_pickle; none of them has objects.
            np.savez(stream, **members)  # type: ignore[arg-type]
        return
    text = text_tops(tops, names, ordered)
    if _is_csv(path):
        text = ranking_lines(tops, _indices(tops) if names is None else _csv_names(names), ",")
    with atomic_write(path) as stream:
        stream.write(text)


def text_tops(tops: NDArray[Any], names: Sequence[str] | None, ordered: bool) -> bytes:
    r"""Tops as lines: ``2 0``, or with names ``cat > bird`` if ordered and ``cat, bird`` if not.

    Examples
    --------
    >>> text_tops(np.array([[1, 0]]), ["a", "b"], ordered=True)
    b'b > a\n'
    """
    if names is None:
        return ranking_lines(tops, _indices(tops), " ")
    return ranking_lines(tops, quote_names(names), " > " if ordered else ", ")


def _indices(tops: NDArray[Any]) -> list[str]:
    return list(map(str, range(int(tops.max(initial=0)) + 1)))


def quote_names(names: Iterable[str]) -> list[str]:
    r"""Names as they stand in text: as JSON strings where they could be misread.

    That is, if a name is empty, starts with ``#``, or has a ``>``, a comma, a double quote, a
    character that is not printed, or blanks other than single ones between words.

    Examples
    --------
    >>> quote_names(["cat", "sea lion", "a > b", "  "])
    ['cat', 'sea lion', '"a > b"', '"  "']
    """
    return [
        name if _is_plain(name) else json.dumps(name, ensure_ascii=not name.isprintable())
        for name in names
    ]


def _is_plain(name: str) -> bool:
    words = name.isprintable() and name == " ".join(name.split())
    return words and name[:1] not in ("", "#") and not set(name) & set('>,"')


def _csv_names(names: Sequence[str]) -> list[str]:
    return ['"' + name.replace('"', '""') + '"' for name in names]


def _is_csv(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".csv"


def _write_lines(
    path: str | os.PathLike[str], blocks: Iterable[Block], lines: Callable[[Block], bytes]
) -> int:
    """Write the lines of each block, atomically; their number."""
    check_output(path)
    written = 0
    with atomic_write(path) as stream:
        for block in blocks:
            text = lines(block)
            stream.write(text)
            written += text.count(b"\n")
    return written
