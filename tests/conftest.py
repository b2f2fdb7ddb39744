"""Settings shared by all tests."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

# Pictures are drawn without a screen.
os.environ["MPLBACKEND"] = "Agg"

# A shell lets what it starts in the background ignore Ctrl-C, and so would all commands under test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a kernel compiles it, which counts as time of the example.
for profile, most in (("few", 15), ("many", 100)):
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=most,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )

# They convert what they are passed.
_ARRAYS = ("numpy", "scipy", "sklearn", "pandas", "torch", "matplotlib")

GOLDEN_RATIO = (1 + 5**0.5) / 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which tests run, and how many cases the rough tests and the attack try."""
    parser.addoption("--slow", action="store_true", help="also run the tests that take longer")
    group = parser.getgroup("rough handling")
    group.addoption("--rough", type=int, default=1, metavar="N", help="N times as many cases")
    group.addoption("--rough-seed", type=int, default=0, metavar="S", help="other cases")
    group.addoption("--attack", type=int, default=1, metavar="N", help="N times as many inputs")
    group.addoption("--attack-seed", type=int, default=0, metavar="S", help="other inputs")


def pytest_configure(config: pytest.Config) -> None:
    """More random examples with ``--slow``."""
    settings.load_profile("many" if config.getoption("slow") else "few")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile kernels once, on all cores: each worker of xdist would compile all that it calls."""
    if session.config.getoption("numprocesses", None):  # workers have no such option
        from arrangements.preparation import KINDS, compile_kinds, is_compiled  # loads numba

        if not is_compiled():
            list(compile_kinds(list(KINDS)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import folders of slow tests only if ``--slow`` is given, or ``-m`` chooses them."""
    chosen = config.getoption("slow") or "slow" in config.getoption("markexpr")
    return None if chosen or collection_path.name not in ("attack", "rough") else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark cases beyond a sample as slow; skip slow tests unless asked for as above."""
    mark_beyond_samples(items)
    if not config.getoption("slow") and "slow" not in config.getoption("markexpr"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def mark_beyond_samples(items: list[pytest.Item]) -> None:
    """Mark as slow all cases of ``sampled(count)`` tests but so many, spread over all parameters.

    Multiples of the golden ratio, modulo 1, are spread evenly whatever the parameters' order is:
    the cases with the smallest ones are kept.
    """
    tests: dict[tuple[str, int], list[pytest.Item]] = {}
    for item in items:
        marker = item.get_closest_marker("sampled")
        if marker is not None:
            key = item.nodeid.partition("[")[0], marker.args[0]
            tests.setdefault(key, []).append(item)
    for (_, count), cases in tests.items():
        for k in sorted(range(len(cases)), key=lambda k: k * GOLDEN_RATIO % 1.0)[count:]:
            cases[k].add_marker("slow")


def _module(frame: FrameType) -> str:
    """Where a function is defined; examples in docstrings have no module."""
    return frame.f_globals.get("__name__", "")


@pytest.fixture(autouse=True, scope="session")
def _irrational_numbers_are_not_rounded_by_accident() -> Iterator[None]:
    """Callers may round numbers of fields by float(); in the package only `nearest_float` may."""
    from arrangements.exact.number_field import FieldElement  # loads NumPy

    convert = FieldElement.__float__

    def watched(number: FieldElement) -> float:
        frame = sys._getframe(1)
        while frame.f_back and _module(frame).partition(".")[0] in _ARRAYS:
            frame = frame.f_back
        where, code = _module(frame), frame.f_code
        example = code.co_filename.startswith("<")  # a docstring, which is run as its module
        nearest = example or code.co_name.startswith("nearest_float")
        if where.startswith("arrangements.") and not nearest:
            # no Exception, which the package might catch
            pytest.fail(f"{where}, {code.co_name}: {number!r} is rounded, not by nearest_float")
        return convert(number)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FieldElement, "__float__", watched)
        yield


@pytest.fixture
def rough(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("rough")


@pytest.fixture
def rough_seed(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("rough_seed")


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path
