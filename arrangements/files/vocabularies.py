"""Vocabularies: lines of text, or JSON of lists, tokenizers and configurations of models."""

import json
import os
from typing import Any

from arrangements.errors import InputError
from arrangements.files.paths import read_bytes
from arrangements.files.text import read_lines
from arrangements.messages import first_line, quote, quote_path, warn

# Share of a vocabulary that may be missing, such as tokens that were reserved.
_GAPS = 0.1
_EXPECTED = (
    "a list of names, an object of names and their numbers, a tokenizer.json, or a config.json "
    "with id2label"
)


def read_vocabulary(path: str | os.PathLike[str]) -> list[str]:
    """Names in a .json file, or in the lines of another one but for blank lines at its end.

    Names that are blank, such as a space of another width, are in double quotes.
    """
    if os.fspath(path).lower().endswith(".json"):
        return names_in_json(read_bytes(path), quote_path(path))
    names = read_lines(path)
    while names and not names[-1].strip():
        names.pop()
    return [json.dumps(name) if name and not name.strip() else name for name in names]


def names_in_json(content: bytes, file: str) -> list[str]:
    """Names in the order of their numbers.

    Parameters
    ----------
    content : bytes
        What the file holds.
    file : str
        Its name, for messages.

    Raises
    ------
    InputError
        If it is no JSON or holds no names, or if many numbers are missing, or one occurs twice.

    Warns
    -----
    UserWarning
        If some numbers are missing: ``row 7`` is then the name of 7.

    Examples
    --------
    >>> names_in_json(b'{"cat": 1, "dog": 0}', "vocab.json")
    ['dog', 'cat']
    >>> names_in_json(b'{"model": {"vocab": {"cat": 0}}, "added_tokens": '
    ...               b'[{"id": 1, "content": "[PAD]"}]}', "tokenizer.json")
    ['cat', '[PAD]']
    """
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not JSON: {first_line(error)}.") from error
    try:
        numbered = _number_names(value)
    except (ValueError, LookupError, TypeError, AttributeError):  # its parts are something else
        numbered = None
    if numbered is None:
        raise InputError(f"{file} holds no names; expected {_EXPECTED}.")
    names: dict[int, str] = {}
    for name, number in numbered:
        if names.setdefault(number, name) != name:
            raise InputError(
                f"{file}: {quote(names[number])} and {quote(name)} both have the number {number}."
            )
    _fill_gaps(names, file)
    ordered = [names[i] for i in range(len(names))]
    return [name if name.strip() else json.dumps(name) for name in ordered]


def _fill_gaps(names: dict[int, str], file: str) -> None:
    """Call the rows that a vocabulary leaves out by their numbers, if these are few."""
    missing = next((i for i in range(len(names)) if i not in names), None)
    if missing is None:
        return
    least, size = min(names), max(names) + 1
    if least < 0 or size - len(names) > _GAPS * len(names):
        raise InputError(f"{file} has {len(names)} names, but none with the number {missing}.")
    rows = [i for i in range(size) if i not in names]
    names |= {i: f"row {i}" for i in rows}
    warn(
        UserWarning(
            f"{file} has no name for {len(rows)} of {size} numbers, such as {missing}, which is "
            f"called 'row {missing}'."
        )
    )


def _number_names(value: Any) -> list[tuple[str, int]] | None:
    """Pairs of a name and its number, in whichever of the forms they are; None if in no such."""
    match value:
        case {"model": {"vocab": vocabulary}}:  # a tokenizer
            own = _number_names(vocabulary)
            added = [(token["content"], token["id"]) for token in value.get("added_tokens", [])]
            return own and _pairs(own + added)
        case {"id2label": dict(labels)}:  # the configuration of a model
            return _pairs([(name, int(number)) for number, name in labels.items()])
        case dict():
            return _pairs(list(value.items()))
        case list():  # names, or as in some tokenizers names with their scores
            names = [entry[0] if isinstance(entry, list) else entry for entry in value]
            return _pairs([(name, i) for i, name in enumerate(names)])
    return None


def _pairs(pairs: list[tuple[Any, Any]]) -> list[tuple[str, int]] | None:
    proper = all(isinstance(name, str) and type(number) is int for name, number in pairs)
    return pairs if pairs and proper else None
