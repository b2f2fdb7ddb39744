"""Folders of models as Hugging Face writes them: weights, configuration, tokenizer."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from arrangements.errors import InputError
from arrangements.files.archives import Archive, name_damage
from arrangements.files.formats import is_archive, read_archive
from arrangements.files.paths import read_bytes
from arrangements.files.vocabularies import read_vocabulary
from arrangements.messages import quote_path, warn

# Files of weights, the first of which that is there is read.
_WEIGHTS = (
    *("model.safetensors", "model.safetensors.index.json"),
    *("pytorch_model.bin", "pytorch_model.bin.index.json", "model.onnx"),
)
# Files of a training that hold no weights.
_OTHERS = ("training_args", "optimizer", "scheduler", "random_states", "rng_state", "scaler")
_VOCABULARIES = ("tokenizer.json", "vocab.json", "vocab.txt")
# Models whose last layer has a row for each token; others have one for each class.
_OF_TOKENS = ("LMHead", "ForCausalLM", "ForMaskedLM", "ForConditionalGeneration", "ForPreTraining")


def read_folder(path: str) -> Archive:
    """The arrays of the model in a folder.

    Raises
    ------
    InputError
        If the folder holds no weights, or several files of which none has the usual name, or one
        that is damaged.
    MissingDependencyError
        If the library that reads the weights is not installed.
    """
    config = _config(path)
    archive = read_archive(_find_weights(path))
    tied = config.get("tie_word_embeddings", _is_of_tokens(config))
    return replace(archive, tied=bool(tied), find_names=partial(_names_for, path, config))


def names_of_folder(path: str) -> list[str]:
    """Names of the classes of a classifier, or else the tokens.

    Raises
    ------
    InputError
        If the folder has neither.
    """
    config = _config(path)
    files = _vocabularies(path)
    files = ["config.json"] if config.get("id2label") and not _is_of_tokens(config) else files
    if files:
        return read_vocabulary(Path(path) / files[0])
    raise InputError(
        f"{quote_path(path)} has no names; expected one of {', '.join(_VOCABULARIES)}."
    )


def _find_weights(path: str) -> str:
    folder = Path(path)
    for name in _WEIGHTS:
        if (folder / name).is_file():
            return str(folder / name)
    names = sorted(one.name for one in folder.iterdir() if one.is_file() and is_archive(one.name))
    names = [name for name in names if not name.startswith(_OTHERS)]
    indices = [name for name in names if name.endswith(".index.json")]
    found = indices if len(indices) == 1 else names
    if len(found) == 1:
        return str(folder / found[0])
    several = f"several files of weights ({', '.join(names[:4])}{', ..' if names[4:] else ''})"
    raise InputError(
        f"{quote_path(path)} is a folder with {several if names else 'no weights'}; expected "
        f"{_WEIGHTS[0]}, {_WEIGHTS[1]} or {_WEIGHTS[2]}. Pass the file itself."
    )


def _config(path: str) -> dict[str, Any]:
    """The configuration of a model; of one of several parts, with that of its text."""
    file = Path(path) / "config.json"
    if not file.is_file():
        return {}
    with name_damage(str(file)):
        found = json.loads(read_bytes(file))
    if not isinstance(found, dict):
        raise InputError(f"{quote_path(file)} is no JSON object; expected that of a model.")
    part = found.get("text_config")
    return {**part, **found} if isinstance(part, dict) else found


def _is_of_tokens(config: dict[str, Any]) -> bool:
    return any(part in str(config.get("architectures")) for part in _OF_TOKENS)


def _vocabularies(path: str) -> list[str]:
    return [name for name in _VOCABULARIES if (Path(path) / name).is_file()]


def _quote(path: str, file: str) -> str:
    return quote_path(Path(path) / file)


def _candidates(path: str, config: dict[str, Any]) -> Iterator[tuple[list[str], str]]:
    """Lists of names in a folder, each with its file; those that cannot be read are warned of."""
    files = [*(["config.json"] if config.get("id2label") else []), *_vocabularies(path)]
    for file in files:
        try:
            yield read_vocabulary(Path(path) / file), file
        except InputError as error:
            warn(UserWarning(f"{error} So its names are left out."))


def _names_for(path: str, config: dict[str, Any], n: int) -> tuple[list[str], str] | None:
    """Names of n rows, and where they are from.

    The matrix of a language model may have rows without a token, and then the rest has names.
    """
    for names, file in _candidates(path, config):
        if len(names) == n:
            return names, _quote(path, file)
        if file != "config.json" and 0.9 * n < len(names) < n:
            rows = [f"row {i}" for i in range(len(names), n)]
            return [*names, *rows], f"{_quote(path, file)}, but for the last {len(rows)} rows"
        if file != "config.json" and n < len(names) < 1.1 * n:
            return names[
                :n
            ], f"{_quote(path, file)}, whose last {len(names) - n} tokens have no row"
    return None
