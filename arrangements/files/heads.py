"""Which array of a model is its last layer, which is the bias of that, and what keys there are."""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice, pairwise
from typing import NamedTuple

from arrangements.errors import InputError
from arrangements.files.archives import Archive
from arrangements.messages import quote, quote_path

# Keys that a message lists, if they are no longer than this.
_MOST_KEYS, _MOST_CHARACTERS = 20, 380
# What is put before all keys of a model by those who wrap it.
_WRAPPERS = re.compile(
    r"^((module|model|net|network|_orig_mod|state_dict|model_state_dict|params|transformer|"
    r"language_model|base_model|backbone)[./])+"
)
# Names of last layers, without wrappers and .weight or /kernel.
_HEADS = {
    *("lm_head", "output", "embed_out", "output_layer", "logits", "cls.predictions.decoder"),
    "predictions.decoder",
    *(
        "classifier",
        "score",
        "fc",
        "head",
        "heads",
        "heads.head",
        "out_proj",
        "classifier.out_proj",
    ),
    *(
        "predictions",
        "cls_head",
        "classification_head",
        "vocab_projector",
        "head.fc",
        "last_linear",
    ),
    *("lm_head.decoder", "generator.proj", "proj_out", "qa_outputs", "final", "linear"),
}
# Names of embeddings, which are the last layer of models that tie both.
_EMBEDDING = re.compile(
    r"(^|[./])(embed_tokens|wte|word_embeddings|token_embd|tok_embeddings|shared|embeddings?)"
    r"[./]weight$"
)
_WEIGHT = re.compile(r"(^|[./])(weight|kernel(:0)?|coefficients)$")
# A layer of a ``Sequential`` of PyTorch, or of one of Keras: dense, dense_1, ..
_NUMBERED = re.compile(r"(.*?)(\d+)\.weight$")
_KERAS_LAYER = re.compile(r"(?:.*/)?(\w+?)(?:_(\d+))?/kernel(?::0)?$")
# A layer that computes x @ kernel, in Keras and Flax.
_KERNEL = re.compile(r"(^|[./])kernel(:0)?$")
# What the bias is called that belongs to weights of this name.
_BIASES = (
    (r"predictions\.decoder\.weight$", "predictions.bias"),
    (r"word_embeddings\.weight$", "cls.predictions.bias"),
    (r"shared\.weight$", "final_logits_bias"),
    (r"weight$", "bias"),
    (r"kernel$", "bias"),
    (r"kernel:0$", "bias:0"),
    (r"vars/0$", "vars/1"),
    (r"weights$", "biases"),
    (r"coef(_?)$", r"intercept\1"),
    (r"coefficients$", "intercepts"),
    (r"\bW$", "b"),
    (r"\bnormals$", "offsets"),
)


class Head(NamedTuple):
    """The key of a matrix, and that of its bias if there is one."""

    key: str
    bias: str | None


def find_head(archive: Archive) -> Head | None:
    """The last layer, if exactly one array can be it.

    That is the last layer of the graph of the file; else the only matrix; else the only one that
    is called like a last layer; else the embedding, where the model ties both; else the last of
    numbered layers that fit together, as those of ``Sequential`` of PyTorch.
    """
    if archive.layers is not None:
        return Head(*archive.layers[0]) if len(archive.layers) == 1 else None
    matrices = _matrices(archive)
    if len(matrices) == 1:
        return Head(matrices[0], find_bias(archive, matrices[0]))
    named = [key for key in matrices if _plain(key) in _HEADS and _WEIGHT.search(key)]
    if not named and archive.tied:
        named = [key for key in matrices if _EMBEDDING.search(key)]
        named = [key for key in named if _plain(key) == "shared"] or named
    if not named:
        named = _last_in_chain(archive, matrices)
    return Head(named[0], find_bias(archive, named[0])) if len(named) == 1 else None


def _last_in_chain(archive: Archive, matrices: Sequence[str]) -> list[str]:
    """The last of matrices named by numbers, if each takes what the one before it gives."""
    found = {key: _NUMBERED.match(key) or _KERAS_LAYER.match(key) for key in matrices}
    names = {key: (match[1], int(match[2] or 0)) for key, match in found.items() if match}
    if len(names) < len(matrices) or len({prefix for prefix, _ in names.values()}) != 1:
        return []
    ordered = sorted(matrices, key=lambda key: names[key][1])
    shapes = [
        archive.arrays[key].shape[:: -1 if has_columns(archive, key) else 1] for key in ordered
    ]
    fit = all(below[0] == above[1] for below, above in pairwise(shapes))
    return ordered[-1:] if fit else []


def _matrices(archive: Archive) -> list[str]:
    return [key for key, stored in archive.arrays.items() if len(stored.shape) == 2]


def _plain(key: str) -> str:
    """The name of a layer, without what wraps the model and the name of its array."""
    return _WEIGHT.sub("", _WRAPPERS.sub("", key)).replace("/", ".")


def _guess(archive: Archive) -> str | None:
    """The last matrix that has a bias of its own, which is more often than not the head."""
    found = [key for key in _matrices(archive) if find_bias(archive, key) is not None]
    return found[-1] if found else None


def find_bias(archive: Archive, key: str) -> str | None:
    """The bias of a matrix, by its name; or in a file of one matrix, the only array of its rows."""
    stored = archive.arrays[key]
    named = [other for other in _named_biases(archive, key) if _fits(archive, key, other)]
    if named or len(_matrices(archive)) > 1:
        return named[0] if named else None
    found = [k for k, one in archive.arrays.items() if one.shape == (stored.rows,)]
    return found[0] if len(found) == 1 and len(archive.arrays) == 2 else None


def bias_of_columns(archive: Archive, key: str) -> str | None:
    """What is called as the bias of a matrix is, and has a number for each of its columns only."""
    stored = archive.arrays[key]
    columns = stored.shape[0] if stored.by_columns else stored.shape[-1]
    if len(stored.shape) != 2 or columns == stored.rows:
        return None
    named = [other for other in archive.arrays if len(archive.arrays) == 2 and other != key]
    named = [*_named_biases(archive, key), *named]
    return next((other for other in named if archive.arrays[other].shape == (columns,)), None)


def _named_biases(archive: Archive, key: str) -> Iterator[str]:
    """Arrays that are called as the bias of a matrix is."""
    for weights, bias in _BIASES:
        other = re.sub(weights, bias, key)
        other = bias if other not in archive.arrays and re.search(weights, key) else other
        if other != key and other in archive.arrays:
            yield other


def _fits(archive: Archive, key: str, bias: str) -> bool:
    """Whether an array has a number for each label of a matrix."""
    rows = archive.arrays[key].shape if _is_kernel(archive, key) else (archive.arrays[key].rows,)
    shape = archive.arrays[bias].shape
    return shape in {(m,) for m in rows} | {(1, m) for m in rows}


def _is_kernel(archive: Archive, key: str) -> bool:
    return archive.arrays[key].by_columns or bool(_KERNEL.search(key)) or key.endswith("vars/0")


def has_columns(archive: Archive, key: str) -> bool:
    """Whether the columns of a matrix are the labels.

    The file may say so. A ``kernel`` of Keras or Flax has a column for each label, and so has the
    first array of a layer whose second is a bias of so many numbers.
    """
    stored = archive.arrays[key]
    if stored.by_columns or len(stored.shape) != 2 or not _is_kernel(archive, key):
        return stored.by_columns
    bias = find_bias(archive, key)
    if bias is None:
        return bool(_KERNEL.search(key))
    return archive.arrays[bias].shape[-1] == stored.shape[1]


def choose_key(archive: Archive, key: str | None, axes: int = 2) -> str:
    """The array asked for, by its key or a pattern such as ``*head.weight``; or the only one.

    Parameters
    ----------
    archive : Archive
    key : str or None
    axes : {1, 2}
        Whether a vector or a matrix is needed, which decides if a pattern fits several arrays.

    Raises
    ------
    InputError
        If there is no such array, or the pattern fits several; the message lists keys.
    """
    keys = list(archive.arrays)
    if key is None and len(keys) == 1 and not archive.doubt:
        return keys[0]
    if key in archive.arrays:
        return str(key)
    if key is None:
        raise InputError(_ask_for_key(archive))
    matching = [k for k in keys if fnmatchcase(k, key)]
    if len(matching) > 1:
        fitting = [k for k in matching if len(archive.arrays[k].shape) == axes]
        matching = fitting if len(fitting) == 1 else matching
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise InputError(
            f"{quote(key)} fits {len(matching)} arrays of {quote_path(archive.name)}: "
            f"{_describe(archive, matching)}."
        )
    near = difflib.get_close_matches(key, keys) + [k for k in keys if key in k]
    raise InputError(
        f"{quote_path(archive.name)} has no array {quote(key)}; its keys are: "
        f"{_describe(archive, [*near, *_by_size(archive)])}."
    )


def _ask_for_key(archive: Archive) -> str:
    guess = _guess(archive)
    first = [] if guess is None else [guess]
    perhaps = "" if guess is None else f" The head may be {quote(guess)}."
    number = len(archive.arrays)
    if not number:
        return f"{quote_path(archive.name)} holds 0 arrays; expected numbers."
    keys = _describe(archive, [*first, *_by_size(archive)])
    if archive.doubt:
        return (
            f"{quote_path(archive.name)} has no last layer that can be read: {archive.doubt}; pass "
            f"rows and biases, or choose a key from: {keys}."
        )
    return (
        f"{quote_path(archive.name)} holds {number} arrays, and which is the last layer is not "
        f"clear; choose a key from: {keys}.{perhaps}"
    )


def _by_size(archive: Archive) -> list[str]:
    """Matrices first, those of most rows before others."""
    arrays = archive.arrays
    axes = {key: len(arrays[key].shape) for key in arrays}
    return sorted(arrays, key=lambda k: (axes[k] != 2, axes[k] == 0, [-m for m in arrays[k].shape]))


def _describe(archive: Archive, keys: Iterable[str]) -> str:
    """Keys with their shapes, as many as fit into a message."""
    ordered = list(dict.fromkeys(keys))
    entries: list[str] = []
    for key in islice(ordered, _MOST_KEYS):
        shape = " x ".join(map(str, archive.arrays[key].shape)) or "a number"
        entry = f"{key if key.isprintable() and len(key) < 80 else quote(key)} ({shape})"
        if entries and sum(map(len, entries)) + len(entry) > _MOST_CHARACTERS:
            break
        entries.append(entry)
    left = len(ordered) - len(entries)
    return (", ".join(entries) or "none") + (f", .. and {left} more" if left else "")
