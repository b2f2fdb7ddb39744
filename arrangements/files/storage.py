"""The .npz format of sets and classifiers: numbers kept exactly, nothing pickled.

Members: ``format`` (version), ``n``, ``half``, ``complete``; ``packed`` or ``orders``; if present
``normals`` or ``weights``, ``offsets`` (float64 or int64), ``labels`` (JSON, UTF-8), ``low_rank``
(JSON), ``dropped`` (pairs of a label and the one it ties with). Fractions and large integers are
text in ``<name>_text`` with ``<name>_shape``: hexadecimal ``p`` or ``p/q`` separated by blanks.
(Python refuses decimal text of more than 4300 digits.)
"""

import json
import os
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label
from arrangements.core.low_rank import LowRankStructure
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.exact.field_entries import coefficients_of
from arrangements.exact.number_field import field_of_root
from arrangements.exact.numbers import ExactArray, field_of_array
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_name
from arrangements.messages import first_line, quote_path

Found = TypeVar("Found")

FORMAT = 1

Members = dict[str, NDArray[Any]]


def save(path: str | os.PathLike[str], members: Members) -> None:
    """Write the members of a set; see ``PatternSet.save``."""
    check_name(path)
    if Path(path).suffix.lower() != ".npz":
        raise InputError(
            f"{quote_path(path)} does not end in .npz, the format that keeps everything; for text, "
            "write to_array() with numpy.savetxt."
        )
    with atomic_write(path) as stream:
        # mypy takes the members for the keyword allow_pickle; none of them has objects
        np.savez(stream, format=np.array(FORMAT), **members)  # type: ignore[arg-type]


def load(path: str | os.PathLike[str], name: str, made: Callable[[Members], Found]) -> Found:
    """What `made` returns for the members of a file that a class of this name saved."""
    check_name(path)
    # opened here, since NumPy leaves open a file that it cannot read
    with _opened(path) as stream:
        try:
            return made(_members(stream))
        except Exception as error:  # damaged content may raise almost any exception
            what = f"no member {error}" if isinstance(error, KeyError) else first_line(error)
            raise InputError(
                f"{quote_path(path)} is not a file written by {name}.save: {what}."
            ) from error


def _opened(path: str | os.PathLike[str]) -> IO[bytes]:
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"cannot read {quote_path(path)}: {error.strerror}.") from error


def _members(stream: IO[bytes]) -> Members:
    archive = np.load(stream, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise InputError(f"it holds one array of shape {archive.shape}")
    if "format" not in archive.files:
        raise InputError(f"its members are {', '.join(archive.files) or 'none'}")
    members = {key: archive[key] for key in archive.files}
    version = int(members["format"])
    if version != FORMAT:
        raise InputError(f"format {version}; this version reads format {FORMAT}")
    return members


def score_model_members(model: ScoreModel) -> Members:
    """Members that hold a model, exactly."""
    members = row_members("weights", model.weights, model.offsets, model.labels)
    if model.dropped:
        members["dropped"] = np.array(sorted(model.dropped.items()))
    return members | _low_rank_members(model.low_rank)


def read_score_model(members: Members) -> ScoreModel | None:
    """The model that the members hold, if they hold one."""
    weights, offsets, labels = rows("weights", members)
    if weights is None:
        return None
    return ScoreModel(
        weights,
        offsets,
        labels,
        dropped=dict(members["dropped"].tolist()) if "dropped" in members else None,
        low_rank=_low_rank(members, weights),
    )


def arrangement_members(arrangement: Arrangement) -> Members:
    """Members that hold an arrangement, exactly."""
    members = row_members("normals", arrangement.normals, arrangement.offsets, arrangement.labels)
    return members | _low_rank_members(arrangement.low_rank)


def read_arrangement(members: Members) -> Arrangement | None:
    """The arrangement that the members hold, if they hold one."""
    normals, offsets, labels = rows("normals", members)
    if normals is None:
        return None
    return Arrangement(normals, offsets, labels, low_rank=_low_rank(members, normals))


def row_members(
    name: str,
    values: NDArray[Any],
    offsets: NDArray[Any] | None,
    labels: tuple[Label, ...] | None,
) -> Members:
    """Members that hold rows with their offsets and labels, exactly."""
    members = number_members(name, values)
    if offsets is not None:
        members |= number_members("offsets", offsets)
    if labels is not None:
        members["labels"] = _text_array(json.dumps(labels))
    return members


def rows(
    name: str, members: Members
) -> tuple[NDArray[Any] | None, NDArray[Any] | None, list[Label] | None]:
    """Rows of that name, None if there are none, with their offsets and labels."""
    labels = json.loads(members["labels"].tobytes()) if "labels" in members else None
    return numbers(name, members), numbers("offsets", members), labels


def _low_rank_members(found: LowRankStructure | None) -> Members:
    """All of it except the factor, which is the stored matrix anyway."""
    if found is None:
        return {}
    plain = {field.name: getattr(found, field.name) for field in fields(found)}
    del plain["factor"]
    return {"low_rank": _text_array(json.dumps(plain))}


def _low_rank(members: Members, factor: ExactArray) -> LowRankStructure | None:
    if "low_rank" in members:
        plain = json.loads(members["low_rank"].tobytes())
        lists = {name: tuple(value) for name, value in plain.items() if isinstance(value, list)}
        return LowRankStructure(**{**plain, **lists}, factor=factor)
    return None


def number_members(name: str, values: NDArray[Any]) -> Members:
    """Members that hold an array of numbers, exactly."""
    if values.dtype != object:
        return {name: values}
    members = {f"{name}_shape": np.array(values.shape)}
    field, entries = field_of_array(values), list(values.flat)
    if field is not None:
        # coefficients one after another; the field by its polynomial and the place of its root
        entries = [c for entry in entries for c in coefficients_of(entry, field.degree)]
        plain = [field.polynomial, field.root_number, field.name]
        members[f"{name}_field"] = _text_array(json.dumps(plain))
    return members | {f"{name}_text": _text_array(" ".join(map(_hexadecimal, entries)))}


def numbers(name: str, members: Members) -> NDArray[Any] | None:
    """Exact array of that name; None if there is none."""
    if f"{name}_text" not in members:
        return members.get(name)
    words = members[f"{name}_text"].tobytes().decode("ascii").split()
    entries: list[Any] = [_number(word) for word in words]
    if f"{name}_field" in members:
        plain, place, called = json.loads(members[f"{name}_field"].tobytes())
        field = field_of_root(tuple(plain), place, called)
        degree = field.degree
        entries = [field(entries[i : i + degree]) for i in range(0, len(entries), degree)]
    values = np.empty(len(entries), dtype=object)
    values[:] = entries
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
        raise ValueError(f"the number {word} has denominator zero")
    return Fraction(int(numerator, 16), int(denominator, 16))


def _text_array(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8"), np.uint8)
