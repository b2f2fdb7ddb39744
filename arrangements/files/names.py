"""Names of rows, from text, JSON, tokenizers, and whatever else brings the names of its rows."""

import os
from pathlib import Path

from arrangements.core.labels import number_names
from arrangements.errors import InputError
from arrangements.files.formats import PARQUET, is_archive, read_archive
from arrangements.files.model_folder import names_of_folder
from arrangements.files.parquet_files import read_parquet
from arrangements.files.paths import check_name, read_bytes
from arrangements.files.text import parse_numbers, parse_rows
from arrangements.files.vocabularies import read_vocabulary
from arrangements.messages import quote_path


def load_names(path: str | os.PathLike[str]) -> list[str]:
    """Read names of rows or labels from a text file, or the vocabulary of a tokenizer.

    Parameters
    ----------
    path : str or path-like
        One name per line, such as ``vocab.txt``; blank lines at the end do not count. Or a
        ``.json`` file: a list of names, an object of names with their numbers
        (``vocab.json``), the ``tokenizer.json`` of a tokenizer, with its added tokens, or the
        ``config.json`` of a model with ``id2label``. A token of blanks only gets a name in double
        quotes. Or the folder of a model that has one of these files, a ``.gguf`` file with
        its tokens, an ``.onnx`` file with its classes or characters, a ``.parquet`` file with a
        column of text, or a ``.csv`` table with names in its first column.

    Returns
    -------
    list of str
        Name i is that of row i. Where a name occurs again, the later ones have numbers,
        ``cat (2)``, and a warning says so.

    Raises
    ------
    InputError
        If the file cannot be read, or two tokens have one number, or more than a tenth of the
        numbers have none.

    Warns
    -----
    UserWarning
        If a name occurs again, or some numbers have none and get ``row 7`` as a name.

    Examples
    --------
    >>> import json, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "vocab.json")
    >>> with open(path, "w") as stream:
    ...     json.dump({"cat": 1, "[PAD]": 0}, stream)
    >>> load_names(path)
    ['[PAD]', 'cat']
    """
    check_name(path)
    return number_names(_read(os.fspath(path)), quote_path(path))


def _read(path: str) -> list[str]:
    if os.path.isdir(path):
        return names_of_folder(path)
    if Path(path).suffix.lower() == PARQUET:
        found = read_parquet(path)[0]
        if found is None:
            raise InputError(f"{quote_path(path)} has no column of text; expected names of rows.")
        return found
    if is_archive(path):
        archive = read_archive(path)
        if not archive.tokens:
            raise InputError(
                f"{quote_path(path)} holds no names; expected those of a .gguf or .onnx file."
            )
        return list(archive.tokens)
    if Path(path).suffix.lower() == ".csv" and (names := _beside_numbers(path)) is not None:
        return names
    return read_vocabulary(path)


def _beside_numbers(path: str) -> list[str] | None:
    """Names in the first column of a table of numbers; None if this is none, or has no names."""
    try:
        table = parse_rows(read_bytes(path), path)
        parse_numbers(table.rows, path, table.unread)
    except InputError:
        return None
    return table.names
