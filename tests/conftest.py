"""Settings shared by all tests."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Pictures are drawn without a screen.
os.environ["MPLBACKEND"] = "Agg"

# A shell lets what it starts in the background ignore Ctrl-C, and so would all commands under test.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The first call of a kernel compiles it, which counts as time of the example.
settings.register_profile(
    "arrangements",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arrangements")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which tests run, and how many cases the rough tests and the attack try."""
    parser.addoption("--slow", action="store_true", help="also run the tests that take longer")
    group = parser.getgroup("rough handling")
    group.addoption("--rough", type=int, default=1, metavar="N", help="N times as many cases")
    group.addoption("--rough-seed", type=int, default=0, metavar="S", help="other cases")
    group.addoption("--attack", type=int, default=1, metavar="N", help="N times as many inputs")
    group.addoption("--attack-seed", type=int, default=0, metavar="S", help="other inputs")


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
    """Skip slow tests unless ``--slow`` is given, or ``-m`` chooses them."""
    if not config.getoption("slow") and "slow" not in config.getoption("markexpr"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


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
