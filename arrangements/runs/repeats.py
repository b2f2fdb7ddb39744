"""Rows of a run that occur twice, in one part or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from arrangements.execution import limits
from arrangements.kernels.modular.hashing import hashed

Words = NDArray[np.uint64]


class Repeats:
    """Collects digests of rows while the parts are read, as long as memory has room for them."""

    def __init__(self) -> None:
        self._room = max(2**20, limits.available_bytes() // 4)
        self._rows = 0
        self._digests: list[Words] | None = []

    def add(self, words: Words) -> None:
        """Take the rows of one more part, as words."""
        self._rows += len(words)
        if self._digests is None or 8 * self._rows > self._room:
            self._digests = None  # the parts are read again
        else:
            self._digests.append(_digests(words))

    def found(self, parts: Callable[[], Iterator[Words]]) -> bool:
        """Whether a row occurs twice; reads the parts again, once or more, if memory is scarce."""
        passes = -(-8 * self._rows // self._room)
        for number in range(passes):
            if self._digests is None:
                every = map(_digests, parts())
                pieces = [x[x % np.uint64(passes) == np.uint64(number)] for x in every]
            else:
                pieces, self._digests = self._digests, None
            digests = np.concatenate([np.zeros(0, np.uint64), *pieces])
            pieces.clear()
            digests.sort()
            twice = np.unique(digests[1:][digests[1:] == digests[:-1]])
            if len(twice) and _are_repeated(twice, parts()):
                return True
        return False


def _are_repeated(digests: Words, parts: Iterator[Words]) -> bool:
    """Whether rows with one of these digests are equal: a digest alone decides nothing."""
    rows = np.concatenate([words[np.isin(_digests(words), digests)] for words in parts])
    return len(np.unique(rows, axis=0)) < len(rows)


def _digests(words: Words) -> Words:
    """A word for each row, different for most that are different."""
    digest = np.zeros(len(words), np.uint64)
    for word in words.T:
        digest = hashed(digest + word)
    return digest
