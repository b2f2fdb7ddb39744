"""Modules of PyTorch as networks: the same function, exactly with integers, and the same messages.

PyTorch evaluates in float64 what the network evaluates in fractions.
"""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import ArrangementError
from arrangements.networks import Layer, Network
from arrangements.networks.assembly import Assembly

torch = pytest.importorskip("torch")
nn = torch.nn


class Residual(nn.Module):  # type: ignore[misc,name-defined]
    """Sums, concatenation, and shapes of the batch."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.last = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(8, 3)
        self.shift = nn.Parameter(torch.tensor([1.0, -2, 3]))

    def forward(self, x: Any) -> Any:
        h = torch.relu(self.first(x))
        g = torch.clamp(self.second(h) + x, -3, 5)
        return self.last(torch.cat([g, h.view(x.size(0), -1)], dim=1)) / 2 - self.shift


class Several(nn.Module):  # type: ignore[misc,name-defined]
    """Functions instead of modules."""

    def forward(self, x: Any) -> Any:
        a, b = x[:, :2], x[:, 2:]
        larger = torch.maximum(a, b)
        means = nn.functional.avg_pool1d(x.unsqueeze(1), 2).squeeze(1)
        return torch.cat([larger, torch.abs(means), torch.minimum(a, 2 * b)], 1).transpose(1, 1)


MODULES: dict[str, tuple[Any, tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(3, 2), (3,)),
    "units at the end": (lambda: nn.Sequential(nn.Linear(3, 2), nn.ReLU()), (3,)),
    "mlp": (
        lambda: nn.Sequential(
            nn.Flatten(), nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2, bias=False)
        ),
        (4,),
    ),
    "units": (
        lambda: nn.Sequential(
            *(nn.Linear(3, 4), nn.LeakyReLU(0.25), nn.Linear(4, 4), nn.ReLU6(), nn.Linear(4, 4)),
            *(nn.Hardtanh(-2, 3), nn.Linear(4, 3), nn.PReLU(3), nn.Linear(3, 3), nn.Hardsigmoid()),
        ),
        (3,),
    ),
    "two linear layers": (lambda: nn.Sequential(nn.Linear(3, 40), nn.Linear(40, 2)), (3,)),
    "convolutions": (
        lambda: nn.Sequential(
            *(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2, ceil_mode=False)),
            *(nn.Conv2d(3, 6, 2, groups=3, stride=2, dilation=2, padding=(1, 2)), nn.ReLU()),
            *(nn.Flatten(), nn.Linear(36, 3)),
        ),
        (2, 6, 7),
    ),
    "one axis": (
        lambda: nn.Sequential(
            *(nn.Conv1d(2, 2, 3, padding="same"), nn.MaxPool1d(2), nn.Conv1d(2, 1, 2)),
            *(nn.AvgPool1d(2, stride=1, padding=1, count_include_pad=False), nn.Flatten()),
        ),
        (2, 8),
    ),
    "pools": (
        lambda: nn.Sequential(
            *(nn.MaxPool2d(3, stride=2, padding=1), nn.Conv2d(1, 2, 2), nn.AdaptiveAvgPool2d(1)),
            nn.Flatten(),
        ),
        (1, 5, 6),
    ),
    "largest of all": (
        lambda: nn.Sequential(nn.Unflatten(1, (1, 4)), nn.AdaptiveMaxPool1d(2), nn.Flatten()),
        (4,),
    ),
    "residual": (Residual, (4,)),
    "functions": (Several, (4,)),
}


def whole(module: Any, seed: int) -> Any:
    """The module with small integers for weights, in float64."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randint(-3, 4, parameter.shape, generator=generator))
    return module.eval().double()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", MODULES)
def test_a_network_has_the_values_of_its_module(name: str) -> None:
    make, shape = MODULES[name]
    rng = np.random.default_rng(0)
    for seed in range(3):
        module = whole(make(), seed)
        for part in module.modules():
            if isinstance(part, nn.PReLU):
                part.weight.data = torch.tensor([0.5, -0.25, 0]).double()
        net = Network.from_module(module, input_shape=shape)
        X = rng.integers(-4, 5, (4, *shape))
        with torch.no_grad():
            expected = module(torch.tensor(X).double()).reshape(4, -1).numpy()
        for x, y in zip(X.reshape(4, -1), expected, strict=True):
            found = net.forward(x)
            assert np.allclose([float(v) for v in found], y, rtol=1e-12, atol=1e-12)
            if name not in ("units", "pools", "one axis"):  # thirds and sixths are rounded there
                assert list(found) == [Fraction(float(v)) for v in y]


def test_normalization_is_folded_into_the_layer_before_it() -> None:
    torch.manual_seed(0)
    norm = nn.BatchNorm2d(3, eps=1e-3)
    norm.running_mean.normal_()
    norm.running_var.uniform_(0.1, 3)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    module = nn.Sequential(nn.Conv2d(1, 3, 2), norm, nn.ReLU(), nn.Flatten()).eval()
    net = Network.from_module(module, input_shape=(1, 3, 3))
    assert net.widths == (12,) and net.layers[0].slopes is not None
    scale = norm.weight.detach().numpy().astype(float) / np.sqrt(
        norm.running_var.numpy().astype(float) + 1e-3
    )
    for c in range(3):
        s = Fraction(float(np.float32(scale[c])))
        kernel = module[0].weight.detach().numpy()[c, 0]
        row = [Fraction(entry) for entry in net.layers[0].weights[4 * c].tolist()]
        assert row == [
            s * Fraction(float(entry)) for entry in (*kernel[0], 0, *kernel[1], 0, 0, 0, 0)
        ]
        bias = module[0].bias.detach().numpy()
        mean, beta = norm.running_mean.numpy()[c], norm.bias.detach().numpy()[c]
        exact = s * (Fraction(float(bias[c])) - Fraction(float(mean))) + Fraction(float(beta))
        assert Fraction(net.layers[0].offsets.tolist()[4 * c]) == exact
    X = torch.randn(5, 1, 3, 3)
    with torch.no_grad():
        expected = module(X).numpy()
    assert np.allclose(net.float_forward(X.reshape(5, -1).numpy()), expected, atol=1e-5)


def test_normalization_before_a_convolution_keeps_its_padding_zero() -> None:
    norm = nn.BatchNorm1d(2, affine=False).double().eval()
    norm.running_mean[:] = torch.tensor([1.0, -2])
    norm.running_var[:] = torch.tensor([4.0, 1])
    norm.eps = 0
    module = nn.Sequential(norm, whole(nn.Conv1d(2, 2, 3, padding=1), 1)).eval()
    net = Network.from_module(module, input_shape=(2, 3))
    assert len(net.layers) == 1
    X = np.random.default_rng(0).integers(-5, 6, (3, 2, 3))
    with torch.no_grad():
        expected = module(torch.tensor(X).double()).reshape(3, -1).numpy()
    assert [[float(y) for y in net.forward(x.ravel())] for x in X] == expected.tolist()


def test_long_products_become_a_linear_layer() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(9, 200), nn.Linear(200, 200), nn.ReLU()).eval()
    net = Network.from_module(module)
    assert [layer.is_linear for layer in net.layers] == [True, False]
    X = torch.randn(3, 9)
    with torch.no_grad():
        assert np.allclose(net.float_forward(X.numpy()), module(X).numpy(), atol=1e-5)


def test_what_only_makes_probabilities_is_left_out() -> None:
    linear = nn.Linear(3, 2)
    for last in nn.Softmax(1), nn.LogSoftmax(1), nn.Sigmoid():
        found = Network.from_module(nn.Sequential(linear, nn.Dropout(), last).eval())
        assert found == Network.from_module(linear)
    weights = found.layers[0].weights
    assert weights.tolist() == linear.weight.detach().numpy().astype(float).tolist()


def test_scalars_count_as_the_module_computes_with_them() -> None:
    slope = Network.from_module(nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.1))).layers[0].slopes
    assert slope is not None and slope[0] == float(np.float32(0.1))
    module = nn.Sequential(nn.Linear(2, 2), nn.LeakyReLU(0.1)).double()
    slope = Network.from_module(module).layers[0].slopes
    assert slope is not None and slope[0] == 0.1


class Branches(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any) -> Any:
        return x if x.sum() > 0 else -x


class Two(nn.Module):  # type: ignore[misc,name-defined]
    def forward(self, x: Any, y: Any) -> Any:
        return x + y


REFUSED: list[tuple[Any, Any, str]] = [
    (
        nn.Sequential(nn.Linear(2, 2), nn.GELU(), nn.Linear(2, 2)),
        None,
        r"'1' \(GELU\) is not piece",
    ),
    (nn.Sequential(nn.Sigmoid(), nn.Linear(2, 2)), (2,), r"'0' \(Sigmoid\)"),
    (nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), None, r"training mode, and '1' \(BatchNo"),
    (nn.Sequential(nn.Dropout(), nn.Linear(2, 2)), None, r"'0' \(Dropout\)"),
    (nn.Conv2d(1, 1, 2), None, "input_shape is missing"),
    (nn.Conv2d(1, 1, 2), (2, 3, 3), r"convolves \(1, 2, 3, 3\)"),
    (nn.Conv2d(1, 1, 2), (1, 1, 3), r"window of 2 places on an axis of 1"),
    (nn.Conv2d(1, 1, 2, padding=1, padding_mode="circular"), (1, 3, 3), "pads by 'circular'"),
    (nn.MaxPool2d(2, ceil_mode=True), (1, 3, 3), "ceil_mode"),
    (nn.AdaptiveAvgPool2d(2), (1, 3, 3), "does not divide"),
    (nn.Linear(3, 2), (4,), "takes 3 values where there are"),
    (nn.LSTM(3, 2), (4, 3), "a LSTM is not piecewise"),
    (Branches(), (2,), "cannot be traced"),
    (Two(), (2,), "several inputs|cannot be traced"),
    (nn.Linear(2, 2), (0,), "input_shape is"),
    (nn.Linear(2, 2), "x", "input_shape is"),
    ([1, 2], None, "module is a list; expected a module of PyTorch"),
]


@pytest.mark.parametrize(("module", "shape", "message"), REFUSED)
def test_what_is_not_read_is_named(module: Any, shape: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message) as error:
        Network.from_module(module, input_shape=shape)
    assert "\n" not in str(error.value)


def test_modules_that_are_not_what_they_seem() -> None:
    """Quantized modules have the names of others, and those of torch.jit hide their parts."""
    parts = {"weight": lambda self: 0, "forward": lambda self, x: x, "__module__": "torch.nn.qat"}
    quantized = type("Linear", (nn.Module,), parts)
    with pytest.raises(ArrangementError, match=r"'1' \(Linear\) is quantized"):
        Network.from_module(nn.Sequential(nn.Linear(2, 2), quantized()))
    with warnings.catch_warnings(action="ignore"):  # torch.jit is deprecated
        script = torch.jit.script(nn.Linear(2, 2))
    with pytest.raises(ArrangementError, match=r"a script of torch\.jit; pass the module"):
        Network.from_module(script, input_shape=(2,))


def test_a_layer_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from arrangements.execution import limits

    monkeypatch.setattr(limits, "available_bytes", lambda: 10**5)
    with pytest.raises(
        ArrangementError, match="a layer of 100 values of 100 others, 10000 weights"
    ):
        Network.from_module(nn.Linear(100, 100))


def test_layers_of_an_assembly_take_what_they_need() -> None:
    net = Assembly()
    x = net.inputs((1, 2))
    h = net.relu(net.linear(x, np.array([[1, 1]]), None))
    found = Network(net.finish(net.add(h, h)))
    assert found == Network([([[1, 1]], None), Layer([[2]])])


def test_regions_of_a_small_convolution() -> None:
    module = whole(nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(2, 1)), 3)
    net = Network.from_module(module, input_shape=(1, 2, 2))
    assert net.count_regions() == 4


def test_an_exported_graph_is_the_same_network(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    torch.manual_seed(0)
    module = nn.Sequential(
        *(nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(48, 4), nn.LeakyReLU(), nn.Linear(4, 2), nn.Softmax(1)),
    ).eval()
    with warnings.catch_warnings(action="ignore"):
        torch.onnx.export(
            *(module, torch.zeros(1, 1, 8, 8), str(tmp_path / "m.onnx")),
            **{"dynamo": False, "input_names": ["x"], "dynamic_axes": {"x": {0: "n"}}},
            **{"do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE},
        )
    found = Network.from_module(module, input_shape=(1, 8, 8))
    assert found == Network.from_file(tmp_path / "m.onnx") and found.widths == (192, 96, 48, 4, 0)
