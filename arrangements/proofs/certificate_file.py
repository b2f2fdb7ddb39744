"""Lines of a certificate file, as docs/certificates.md describes them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import lcm
from typing import IO, Any, Literal

from arrangements.errors import InputError, InputTypeError, TooLargeError
from arrangements.exact.numbers import ExactArray, field_of_array
from arrangements.files.atomic import atomic_write

Of = Literal["sign vectors", "rankings"]
# A point as whole numbers, or weights: a row or two labels, then a weight, in each entry.
Proof = list[int] | list[list[int]]

VERSION = 2
# Python prints no longer integers, and the checker reads no longer ones or lines.
_DECIMAL_BITS, _MOST_BITS, _MOST_CHARACTERS = 14_000, 400_000, 2**23
# The checker reads no larger common denominators of an input; those of floats are smaller.
_DENOMINATOR_BITS = 90_000


class CertificateFile:
    """Writes inputs, claims and the last line, which `certificate_file` adds."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._sum = stream, hashlib.sha256()
        self._lines, self._claims = 0, 0
        self._write(json.dumps({"certificate": "arrangements", "version": VERSION}))

    def input(
        self,
        name: str,
        W: ExactArray,
        offsets: ExactArray | None,
        *,
        roots: Sequence[int] | None = None,
        note: str | None = None,
        **more: Any,
    ) -> None:
        """State the exact numbers that claims are about.

        Parameters
        ----------
        name : str
            New in this file.
        W : (n, d) exact array
        offsets : (n,) exact array, optional
        roots : d int, optional
            Column k of W is multiplied by the square root of ``roots[k]``.
        note : str, optional
            For readers; the checker ignores it.
        more
            Fields of a polyhedron: ``equations``, ``interior`` and ``implicit``.
        """
        n, d = W.shape
        _check_rational(W, offsets)
        _check_denominators(W, offsets)
        fields = {"input": name, "rows": n, "columns": d, "roots": roots}
        fields |= {name: _whole_entries(value) for name, value in more.items()} | {"note": note}
        self._write(_object(fields))
        constants = [0] * n if offsets is None else offsets.tolist()
        for row, constant in zip(W.tolist(), constants, strict=True):
            self._write(json.dumps([_exact(entry) for entry in (*row, constant)]))

    def claim(
        self,
        says: str,
        inputs: Sequence[str],
        *,
        of: Of | None = None,
        rows: int | None = None,
        opposites: bool = False,
        number: int | None = None,
        others: Mapping[str, str] | None = None,
        costs: str | None = None,
        value: Fraction | None = None,
    ) -> None:
        """State a claim; if it has rows, `row` or `text_rows` must add them, in ascending order.

        others : the inputs of ``equations`` and ``within``, if there are any
        costs, value : of an optimum, whose nodes `division` and `leaf` must add
        """
        self._claims += 1
        fields = {"claim": self._claims, "says": says, "of": of, "inputs": list(inputs)}
        fields |= {"number": None if number is None else _whole(number), "rows": rows}
        fields |= {"opposites": 1 if opposites else None} | dict(others or {})
        fields |= {"costs": costs, "value": None if value is None else _exact(value)}
        self._write(_object(fields))

    def row(self, question: str | list[Any], *proofs: Proof) -> None:
        """Add a question with its proof for each input."""
        entry = [question, *map(_whole_entries, proofs)]
        self._write(json.dumps(entry, separators=(",", ":")))

    def division(self, row: int) -> None:
        """Add a node of a tree that is divided at a row."""
        self._write(json.dumps([row]))

    def leaf(self, shares: Iterable[tuple[Fraction, Proof]]) -> None:
        """Add a leaf of a tree: shares of conflicts, and the weights that prove these."""
        entry = [[_exact(size), _whole_entries(proof)] for size, proof in shares]
        self._write(json.dumps(entry, separators=(",", ":")))

    def text_rows(self, questions: Iterable[str], *points: Iterable[list[int]]) -> None:
        """Add many questions, each as JSON, with points in all inputs; much faster than `row`."""
        rows = list(zip(questions, *points, strict=True))
        try:
            lines = [f"[{','.join(map(str, row))}]\n" for row in rows]
        except ValueError:  # a number that Python does not print
            lines = [
                f"[{question},{','.join(json.dumps([*map(_whole, p)]) for p in found)}]\n"
                for question, *found in rows
            ]
        self._add("".join(lines).replace(" ", ""), len(lines))

    def end(self) -> None:
        """Write the last line."""
        end = {"end": self._lines, "claims": self._claims, "sha256": self._sum.hexdigest()}
        self._write(json.dumps(end))

    def _write(self, line: str) -> None:
        if len(line) >= _MOST_CHARACTERS:
            raise TooLargeError(
                f"a line of the certificate has {len(line)} characters, more than the checker "
                f"reads ({_MOST_CHARACTERS}); ask about fewer rows or columns."
            )
        self._add(line + "\n", 1)

    def _add(self, text: str, lines: int) -> None:
        octets = text.encode("ascii")
        self._stream.write(octets)
        self._sum.update(octets)
        self._lines += lines


@contextmanager
def certificate_file(path: str | os.PathLike[str]) -> Iterator[CertificateFile]:
    """Write a certificate file, compressed if its name ends in .gz; it appears when complete."""
    with atomic_write(path) as stream:
        if os.fspath(path).endswith(".gz"):
            # without a name or a time, so that the same answer gives the same bytes
            with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:
                yield (file := CertificateFile(packed))  # type: ignore[arg-type]
                file.end()
            return
        yield (file := CertificateFile(stream))
        file.end()


def _object(fields: dict[str, Any]) -> str:
    """The fields that are given."""
    return json.dumps({name: value for name, value in fields.items() if value is not None})


def _whole(number: int) -> int | str:
    """A whole number; a large one as text in hexadecimal."""
    if number.bit_length() < _DECIMAL_BITS:
        return number
    if number.bit_length() < _MOST_BITS:
        return hex(number)
    raise TooLargeError(
        f"a number of the proof has {number.bit_length()} bits, more than the checker reads "
        f"({_MOST_BITS})."
    )


def _whole_entries(value: Any) -> Any:
    """A whole number, or lists of them."""
    if isinstance(value, list):
        return [_whole_entries(entry) for entry in value]
    return None if value is None else _whole(value)


def _check_rational(W: ExactArray, offsets: ExactArray | None) -> None:
    """The checker knows no other numbers."""
    field = field_of_array(W) or field_of_array(offsets)
    if field is not None:
        raise InputTypeError(
            f"the answer is about irrational entries, numbers of {field}; a certificate file holds "
            "rational entries only. Certificates have verify(), sets can be saved, and check_run "
            "checks a folder of write_chambers or write_rankings."
        )


def _check_denominators(W: ExactArray, offsets: ExactArray | None) -> None:
    """The checker multiplies all entries by their common denominator."""
    common = 1
    for array in (W, offsets):
        for entry in set() if array is None or array.dtype != object else {*array.flat}:
            common = lcm(common, entry.denominator)
            if common.bit_length() > _DENOMINATOR_BITS:
                raise TooLargeError(
                    f"the common denominator of the entries has more than {_DENOMINATOR_BITS} "
                    "bits, more than the checker reads; round the entries, to floats for example."
                )


def _exact(entry: float | int | Fraction) -> int | str:
    """A number of an input: whole, p/q, or a hexadecimal float."""
    if isinstance(entry, float) and not entry.is_integer():
        return entry.hex()
    value = Fraction(entry)
    bits = max(abs(value.numerator), value.denominator).bit_length()
    if bits >= _DECIMAL_BITS:
        raise InputError(
            f"an entry of {bits} bits; certificates hold entries below {_DECIMAL_BITS} bits."
        )
    return value.numerator if value.denominator == 1 else str(value)
