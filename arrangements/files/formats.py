"""Which file is read by which reader, and what is said of files that none reads."""

import json
from collections.abc import Callable
from pathlib import Path

from arrangements.errors import InputError
from arrangements.files.archives import Archive, file_beside, name_damage, open_file
from arrangements.files.gguf_files import read_gguf
from arrangements.files.hdf5_files import read_hdf5
from arrangements.files.onnx_files import read_onnx
from arrangements.files.paths import join_or
from arrangements.files.safetensors_files import read_safetensors
from arrangements.files.saved_rows import read_npz_or_saved
from arrangements.files.torch_files import read_torch
from arrangements.messages import quote, quote_path

READERS: dict[str, Callable[[str], Archive]] = {
    ".npz": read_npz_or_saved,
    ".safetensors": read_safetensors,
    ".onnx": read_onnx,
    ".pt": read_torch,
    ".pth": read_torch,
    ".bin": read_torch,
    ".ckpt": read_torch,
    ".gguf": read_gguf,
    ".h5": read_hdf5,
    ".hdf5": read_hdf5,
    ".keras": read_hdf5,
}
TEXT = (".csv", ".txt")
PARQUET = ".parquet"
READABLE = (".npy", *READERS, PARQUET, *TEXT)
# How to open a file that may run code, for those who trust it.
_PICKLES = {
    ".joblib": ("joblib", "joblib.load({!r})"),
    ".pkl": ("pickle", "pickle.load(open({!r}, 'rb'))"),
    ".pickle": ("pickle", "pickle.load(open({!r}, 'rb'))"),
}
# Of a model in several files: a JSON object that says which file has which array.
_INDEX = ".index.json"


def is_archive(path: str) -> bool:
    """Whether the name is that of a file of several arrays.

    Examples
    --------
    >>> is_archive("w.npz"), is_archive("model.safetensors.index.json"), is_archive("w.csv")
    (True, True, False)
    """
    return _suffix(path) in READERS


def _suffix(path: str) -> str:
    """The extension that tells the format; of an index, that of the files it names."""
    return Path(path.lower().removesuffix(_INDEX)).suffix


def read_archive(path: str) -> Archive:
    """The arrays of a file for which `is_archive` is true, or of the files that an index names.

    Raises
    ------
    InputError
        If the file is damaged, or an index names files of other folders.
    MissingDependencyError
        If the library that reads the format is not installed.
    """
    read = READERS[_suffix(path)]
    if not path.lower().endswith(_INDEX):
        return read(path)
    with open_file(path) as stream, name_damage(path):
        places = json.load(stream)["weight_map"]
        files = {file: file_beside(path, file) for file in places.values()}
    parts = {file: read(place).arrays for file, place in files.items()}
    missing = next((key for key, file in places.items() if key not in parts[file]), None)
    if missing is not None:
        place = f"{quote(missing)}, which is not in {quote_path(places[missing])}"
        raise InputError(f"{quote_path(path)} names the array {place}.")
    return Archive(path, {key: parts[file][key] for key, file in places.items()})


def refuse_format(path: str) -> InputError:
    """What is said of a file that none of the readers reads."""
    suffix, name = Path(path).suffix.lower(), quote_path(path)
    if suffix in _PICKLES:
        other = str(Path(path).with_suffix(".npz"))
        library, read = _PICKLES[suffix]
        return InputError(
            f"{name} is a pickle, which can run code, and is not read. Where you trust it, run "
            f"import {library}; from arrangements.models import SoftmaxClassifier; "
            f"SoftmaxClassifier.from_estimator({read.format(path)}).save({other!r})."
        )
    if Path(path).is_fifo():
        return InputError(
            f"{name} is a pipe and has no extension that tells its format; pass - and pipe into "
            "standard input."
        )
    return InputError(
        f"{name} has an unknown extension; expected {join_or(READABLE)}, or the folder of a model."
    )
