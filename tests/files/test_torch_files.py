"""Files of PyTorch: tensors only, no code, and no version that could be made to run it."""

import pickle
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from model_files import BIAS, MATRIX

from arrangements.errors import InputError, MissingDependencyError
from arrangements.files import archives, torch_files
from arrangements.files.matrices import load_matrix, load_source, load_vector


class Evil:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("version", ["2.9.1", "1.13.0+cu117", "odd"])
def test_old_versions_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    def never(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("torch.load was called")

    fake = SimpleNamespace(__version__=version, load=never)
    monkeypatch.setattr(archives, "import_module", lambda name: fake)
    (tmp_path / "m.pt").write_bytes(b"PK")
    message = rf"torch 2.10 or later is needed .*\[torch\].* Here is {version[:3]}.* run code from"
    with pytest.raises(MissingDependencyError, match=message):
        load_matrix(tmp_path / "m.pt")
    for proper in ("2.10.0", "2.13.0+cpu", "3.0a1"):
        torch_files._check_version(proper, "m.pt")


@pytest.mark.parametrize("content", [b"", b"PI", b"\x93NUMPY", b"GGUF"])
def test_other_files_are_refused_without_torch(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.bin").write_bytes(content)
    with pytest.raises(InputError, match="m.bin is not a file of torch.save"):
        load_matrix(tmp_path / "m.bin")


@pytest.mark.parametrize("archived", [True, False])
@pytest.mark.parametrize("kind", ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn"])
def test_state_dictionaries(tmp_path: Path, kind: str, archived: bool) -> None:
    torch = pytest.importorskip("torch", minversion="2.10")
    path = tmp_path / "m.pth"
    dtype = getattr(torch, kind)
    if kind == "float8_e4m3fn" and not archived:
        pytest.skip("only archives have this type")
    weights, bias = torch.tensor(MATRIX).to(dtype), torch.tensor(BIAS).to(dtype)
    content = {
        "epoch": 3,
        "state_dict": {
            "features.0.weight": torch.nn.Parameter(torch.ones(2, 2)),
            "module.fc.weight": weights,
            "module.fc.bias": bias,
        },
    }
    torch.save(content, path, _use_new_zipfile_serialization=archived)
    found = load_source(path)
    keys = ("state_dict.module.fc.weight", "state_dict.module.fc.bias")
    assert (found.key, found.bias) == keys
    assert np.array_equal(found.matrix, weights.double().numpy())
    assert np.array_equal(load_vector(path), bias.double().numpy())
    torch.save(weights, path, _use_new_zipfile_serialization=archived)
    assert np.array_equal(load_matrix(path), weights.double().numpy())


def test_code_is_not_run(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", minversion="2.10")
    for archived in (True, False):
        torch.save(
            {"w": Evil(tmp_path / "run")},
            tmp_path / "m.pt",
            _use_new_zipfile_serialization=archived,
        )
        with pytest.raises(InputError, match=r"holds more than tensors.* model.state_dict\(\)"):
            load_matrix(tmp_path / "m.pt")
    (tmp_path / "m.pt").write_bytes(pickle.dumps(Evil(tmp_path / "run"), protocol=2))
    with pytest.raises(InputError, match=r"m\.pt"):
        load_matrix(tmp_path / "m.pt")
    torch.save(torch.nn.Linear(2, 3), tmp_path / "m.pt")
    with pytest.raises(InputError, match="holds more than tensors, such as a whole module"):
        load_matrix(tmp_path / "m.pt")
    assert not (tmp_path / "run").exists()


def test_programs_and_damaged_files(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", minversion="2.10")
    path = tmp_path / "m.pt"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("m/code/__torch__.py", "")
    with pytest.raises(InputError, match="is a program of TorchScript"):
        load_matrix(path)
    torch.save({"w": torch.tensor(MATRIX), "v": torch.ones(3, 3)}, path)
    whole = path.read_bytes()
    for content in (whole[:-30], whole[:60], b"PK", b"\x80\x02", whole.replace(b"torch", b"tosch")):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"m\.pt") as caught:
            load_matrix(path, "w")
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 500


def test_repeated_numbers_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", minversion="2.10")
    path = tmp_path / "m.pt"
    torch.save({"w": torch.ones(1).expand(10**9, 10**9)}, path)
    with pytest.raises(InputError, match="more entries than the file has numbers"):
        load_matrix(path)
    torch.save({"n": 3}, path)
    with pytest.raises(InputError, match="holds 0 arrays"):
        load_matrix(path)
