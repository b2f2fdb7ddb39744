"""Tensors of all kinds give the numbers that they hold, or an error of one line."""

from typing import Any

import numpy as np
import pytest

from arrangements import count_chambers, feasible_many
from arrangements.errors import InputTypeError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.optimize import ZeroOneClassifier

ROWS = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, -1.0]]


class Tensor:
    """Works like a tensor of PyTorch that NumPy cannot read, or not yet."""

    dtype = "torch.qint8"

    def __init__(self, error: Exception | None = None, ready: bool = True) -> None:
        self.error, self.ready = error, ready

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        if isinstance(self.error, NotImplementedError):
            raise self.error
        return self

    def to_dense(self) -> "Tensor":
        return Tensor(self.error)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.error is not None or not self.ready:
            raise self.error or TypeError("can't convert Sparse layout tensor to numpy")
        return np.array(ROWS, dtype)


@pytest.mark.parametrize(
    "error",
    [
        TypeError("Got unsupported ScalarType QInt8"),
        NotImplementedError("Cannot copy out of meta tensor; no data!"),
        RuntimeError("first line\nsecond line"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_line(error: Exception) -> None:
    message = r"^a tensor of dtype torch.qint8 cannot be read \([^\n]*\); expected real numbers"
    for ask in (
        lambda W: count_chambers(W),
        lambda W: count_chambers(ROWS, W),
        lambda W: ZeroOneClassifier().fit(W, [0, 1, 0, 1]),
        lambda W: ZeroOneClassifier().fit(ROWS, W),
    ):
        with pytest.raises(InputTypeError, match=message):
            ask(Tensor(error))
    with pytest.raises(InputTypeError):
        feasible_many(ROWS, Tensor(error))


def test_a_sparse_tensor_is_read() -> None:
    assert as_exact_matrix(Tensor(ready=False)).tolist() == ROWS


@pytest.mark.filterwarnings("ignore")  # PyTorch warns of kinds that may change
def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    plain = torch.tensor(ROWS)
    read = [
        *(plain.to(getattr(torch, name)) for name in ("float16", "bfloat16", "float8_e4m3fn")),
        *(plain.to_sparse(), plain.to_sparse_csr(), plain.to_sparse_csc(), plain.to_mkldnn()),
        *(torch._neg_view(-plain), plain.clone().requires_grad_(), torch.nn.Parameter(plain)),
        plain.to(torch.bfloat16).to_sparse(),
    ]
    for tensor in read:
        assert as_exact_matrix(tensor).tolist() == ROWS
    refused = [
        plain.to("meta"),
        torch.quantize_per_tensor(plain, 0.1, 0, torch.qint8),
        torch.quantize_per_tensor(plain, 0.1, 0, torch.qint32),
        torch.quantize_per_channel(plain, torch.ones(4), torch.zeros(4).int(), 0, torch.quint8),
        plain.to(torch.complex64),
        plain.to(torch.complex64).conj(),
        plain.to(torch.complex32),
        torch.nn.LazyLinear(3).weight,
    ]
    for tensor in refused:
        with pytest.raises(InputTypeError) as caught:
            count_chambers(tensor)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
