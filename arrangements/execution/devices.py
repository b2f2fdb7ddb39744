"""Products of float32 matrices elsewhere, such as on a GPU, with an error bound that was probed.

Any library with the functions of the array API will do: the bound holds for every order of
summation, also if each product and each sum is truncated. Reduced precision (TF32, bfloat16, sums
in half precision) and fast multiplication (Strassen) do not meet it; a probe tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, MissingDependencyError
from arrangements.messages import first_line, quote

Singles = NDArray[np.float32]

# A device of PyTorch, such as "cuda", or the namespace of an array library, such as cupy.
DeviceLike = str | ModuleType

# Rows of the matrices of a probe, by how much the rows of one differ in length, and the digits of a
# float32.
_PROBED, _LONGER, _DIGITS = 256, 2.0**30, 24


class Device:
    """An array library, and where its arrays lie.

    Parameters
    ----------
    namespace : module
        With asarray, matmul, where, argmax, arange and float32.
    place : str, optional
        A device of PyTorch.

    Examples
    --------
    >>> here = Device(np)
    >>> here.check(5)
    >>> here.back(here.products(here.put(np.ones((1, 2), np.float32)), here.put(np.eye(2))))
    array([[1., 1.]])
    """

    def __init__(self, namespace: Any, place: str | None = None) -> None:
        self.namespace: Any = namespace
        self._place = place
        self.name: str = getattr(namespace, "__name__", "") if place is None else place
        self._checked: set[int] = set()

    def put(self, array: NDArray[Any]) -> Any:
        """An array of the library, there."""
        if self._place is None:
            return self.namespace.asarray(array)
        with self._named_errors():
            return self.namespace.asarray(array, device=self._place)

    def back(self, array: Any) -> NDArray[Any]:
        """A NumPy array."""
        if self._place is not None:
            with self._named_errors():
                array = array.cpu()
        return np.asarray(array.get() if hasattr(array, "get") else array)

    def products(self, points: Any, rows: Any) -> Any:
        """Products of all points with all rows."""
        with self._full_precision():
            return self.namespace.matmul(points, rows.T)

    @cached_property
    def has_doubles(self) -> bool:
        """Whether arrays of float64 stay so there."""
        try:
            return bool(self.back(self.put(np.zeros(1))).dtype == np.float64)
        except (InputError, TypeError):  # devices of Apple
            return False

    def multiply(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
        """The product of two matrices of one type; no bound of its error is known."""
        with self._full_precision():
            return self.back(self.namespace.matmul(self.put(left), self.put(right)))

    @contextmanager
    def _full_precision(self) -> Iterator[None]:
        """Without TF32, which PyTorch allows if the program asked for it, and without autocasts."""
        if self._place is None:
            yield
            return
        torch, kind = self.namespace, self._place.partition(":")[0]
        with _ieee_products(torch), self._named_errors():
            with torch.no_grad(), torch.autocast(kind, enabled=False):
                yield

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Errors of PyTorch, where there is no such device, or it is full, as InputError."""
        try:
            yield
        except (RuntimeError, AssertionError, ValueError) as error:
            raise InputError(
                f"PyTorch cannot use device={quote(self._place)}: {first_line(error)}"
            ) from error

    def check(self, dimension: int) -> None:
        """Refuse a device whose sums of so many products are not those of float32.

        Raises
        ------
        InputError
            If numbers that every order of float32 operations gives exactly come out otherwise.
        """
        if dimension in self._checked:
            return
        for points, rows in _probes(dimension):
            found = self.back(self.products(self.put(points), self.put(rows)))
            if not np.array_equal(found, points.astype(np.float64) @ rows.T.astype(np.float64)):
                raise InputError(
                    f"products on device {quote(self.name)} are not those of float32: their "
                    "precision is reduced. Switch that off (such as TF32), or leave device out."
                )
        self._checked.add(dimension)


@contextmanager
def _ieee_products(torch: Any) -> Iterator[None]:
    """Products of float32 without reduced precision; then what the program chose.

    PyTorch 2.9 has a switch for each library, and refuses the older one to a program that uses it.
    """
    places = [torch.backends.cuda.matmul, getattr(torch.backends.mkldnn, "matmul", None)]
    if all(hasattr(place, "fp32_precision") for place in places):
        allowed = [place.fp32_precision for place in places]
        try:
            for place in places:
                place.fp32_precision = "ieee"
            yield
        finally:
            for place, chosen in zip(places, allowed, strict=True):
                place.fp32_precision = chosen
        return
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _probes(dimension: int) -> Iterator[tuple[Singles, Singles]]:
    """Matrices of integers, times powers of two, whose products need all digits of float32."""
    rng = np.random.default_rng(0)
    shape = (_PROBED, dimension)
    signs = rng.choice([-1.0, 1.0], size=shape)
    # one number of all digits in each row: are factors rounded?
    long = np.zeros(shape)
    places = rng.integers(dimension, size=_PROBED)
    long[np.arange(_PROBED), places] = rng.integers(2 ** (_DIGITS - 1), 2**_DIGITS, size=_PROBED)
    yield _singles(long), _singles(signs)
    yield _singles(signs), _singles(long)
    # one long number and many short ones: are sums rounded?
    most = max(1, 2 ** (_DIGITS - 1) // dimension)
    short = rng.integers(1, min(most, 8) + 1, size=shape).astype(float)
    if dimension > 1:
        short[np.arange(_PROBED), places] = 2 ** (_DIGITS - 1) - 1
        short *= (short.sum(axis=1) < 2**_DIGITS)[:, None]
    yield _singles(short), _singles(np.ones(shape))
    # rows of very different lengths: are they added to each other?
    most = int((2**_DIGITS / dimension) ** 0.5)
    factors = rng.integers(-most, most + 1, size=(2, *shape)).astype(float)
    factors *= rng.choice([_LONGER, 1 / _LONGER], size=(2, _PROBED, 1))
    yield _singles(factors[0]), _singles(factors[1])


def _singles(array: NDArray[Any]) -> Singles:
    return array.astype(np.float32)


def read_device(device: DeviceLike | None) -> Device | None:
    """The device that the argument ``device`` means; None for products here.

    Raises
    ------
    InputError
        If it is neither a device of PyTorch nor a namespace of arrays.
    MissingDependencyError
        If PyTorch is not installed.
    """
    if device is None:
        return None
    if not isinstance(device, str) and not all(
        hasattr(device, name) for name in ("asarray", "matmul", "where", "argmax", "arange")
    ):
        raise InputError(
            f'device is {quote(device)}; expected a device of PyTorch, such as "cuda", or the '
            "namespace of an array library, such as cupy."
        )
    return _device(device)


@lru_cache(maxsize=8)
def _device(device: DeviceLike) -> Device:
    if not isinstance(device, str):
        return Device(device)
    try:
        import torch  # may be missing
    except ImportError as error:
        raise MissingDependencyError(
            f"device={quote(device)} needs PyTorch, which is not installed. Install torch, or pass "
            "the namespace of another array library, such as cupy."
        ) from error
    return Device(torch, device)
