"""The .npz format of `SignVectors`: numbers kept exactly, nothing pickled.

Members: ``format`` (version), ``packed``, ``n``, ``half``, ``complete``, and if present
``normals`` and ``offsets`` (float64 or int64), ``labels`` (JSON, UTF-8), ``factor``. Fractions
and large integers are text in ``normals_text`` with ``normals_shape`` (likewise offsets):
hexadecimal ``p`` or ``p/q`` separated by blanks; decimal would be capped by Python at 4300
digits.
"""

import json
import os
import zipfile
import zlib
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import ArrangementError, InputError
from arrangements.exact.numbers import ExactArray
from arrangements.files import atomic_write
from arrangements.hyperplanes import Arrangement
from arrangements.packed import used_bits
from arrangements.sign_vectors import SignVectors

FORMAT = 1
_DAMAGED = (
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
)

Members = dict[str, NDArray[Any]]


def save(signs: SignVectors, path: str | os.PathLike[str]) -> None:
    """Write a set of sign vectors; see ``SignVectors.save``."""
    members: Members = {
        "format": np.array(FORMAT),
        "packed": signs.packed,
        "n": np.array(signs.n),
        "half": np.array(signs.half),
        "complete": np.array(signs.complete),
    }
    if signs.factor is not None:
        members["factor"] = signs.factor
    if signs.arrangement is not None:
        members |= _arrangement_members(signs.arrangement)
    with atomic_write(path) as stream:
        # mypy takes the members for the keyword allow_pickle; none of them has objects.
        np.savez(stream, **members)  # type: ignore[arg-type]


def load(path: str | os.PathLike[str]) -> SignVectors:
    """Read a set of sign vectors; see ``SignVectors.load``."""
    name = os.fspath(path)
    try:
        return _assemble(_members(path))
    except FileNotFoundError:
        raise
    except (ArrangementError, *_DAMAGED) as error:
        what = f"no member {error}" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise InputError(
            f"{name} is not a file written by SignVectors.save: {what or type(error).__name__}."
        ) from error


def _members(path: str | os.PathLike[str]) -> Members:
    # Opened here: NumPy leaves a file it cannot read open.
    with open(path, "rb") as stream:
        archive = np.load(stream, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile):
            raise InputError(f"it holds one array of shape {archive.shape}")
        if "format" not in archive.files:
            raise InputError(f"its members are {', '.join(archive.files) or 'none'}")
        return {key: archive[key] for key in archive.files}


def _assemble(members: Members) -> SignVectors:
    version = int(members["format"])
    if version != FORMAT:
        raise InputError(f"format {version}; this version reads format {FORMAT}")
    n, packed = int(members["n"]), members["packed"]
    arrangement = _arrangement(members)
    signs = SignVectors(
        packed,
        n,
        half=bool(members["half"]),
        arrangement=arrangement,
        complete=bool(members["complete"]),
        factor=members.get("factor"),
    )
    if len(packed) and (np.bitwise_or.reduce(packed, axis=0) & ~used_bits(n)).any():
        raise InputError(f"bits beyond the {n} signs are set")
    return signs


def _arrangement_members(arrangement: Arrangement) -> Members:
    members = _number_members("normals", arrangement.normals)
    if arrangement.offsets is not None:
        members |= _number_members("offsets", arrangement.offsets)
    if arrangement.labels is not None:
        members["labels"] = _text_array(json.dumps(arrangement.labels))
    return members


def _arrangement(members: Members) -> Arrangement | None:
    normals = _numbers("normals", members)
    if normals is None:
        return None
    labels = json.loads(members["labels"].tobytes()) if "labels" in members else None
    return Arrangement(normals, _numbers("offsets", members), labels)


def _number_members(name: str, values: ExactArray) -> Members:
    if values.dtype != object:
        return {name: values}
    text = " ".join(map(_hexadecimal, values.flat))
    return {f"{name}_text": _text_array(text), f"{name}_shape": np.array(values.shape)}


def _numbers(name: str, members: Members) -> ExactArray | None:
    """Exact array of that name; None if there is none."""
    if f"{name}_text" not in members:
        return members.get(name)
    words = members[f"{name}_text"].tobytes().decode("ascii").split()
    values = np.empty(len(words), dtype=object)
    values[:] = [_number(word) for word in words]
    return values.reshape(members[f"{name}_shape"].tolist())


def _hexadecimal(value: int | Fraction) -> str:
    if value.denominator == 1:
        return f"{value.numerator:x}"
    return f"{value.numerator:x}/{value.denominator:x}"


def _number(word: str) -> int | Fraction:
    numerator, slash, denominator = word.partition("/")
    if not slash:
        return int(numerator, 16)
    if int(denominator, 16) == 0:
        raise InputError(f"the number {word} has denominator zero")
    return Fraction(int(numerator, 16), int(denominator, 16))


def _text_array(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), np.uint8)
