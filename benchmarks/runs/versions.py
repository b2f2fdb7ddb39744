"""Two versions of the package in environments of their own, which take turns."""

from __future__ import annotations

import io
import os
import secrets
import shutil
import site
import subprocess
import sysconfig
import tarfile
import tempfile
import time
import venv
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from statistics import median
from typing import Any

import arrangements
from arrangements.errors import InputError
from benchmarks.runs import version_child
from benchmarks.runs.comparison import Comparison, broken, in_turns
from benchmarks.runs.intervals import is_narrow
from benchmarks.suites.methods import METHODS
from benchmarks.suites.suites import Job

# Laps in fresh processes, each version once in each; the first one compiles and does not count.
_LEAST_LAPS, _MOST_LAPS = 7, 21
_NARROW = 0.02
# Calls of a version in a lap, and the seconds that they take.
_CALLS, _SHARE = 40, 0.1
# Seconds for loading, compiling and answering for the first time.
_PATIENCE = 900.0


@dataclass(frozen=True)
class Version:
    """A version of the package that is installed in an environment.

    Attributes
    ----------
    name : str
    python : Path
        The interpreter of the environment.
    """

    name: str
    python: Path


def build(reference: str | None, folder: Path) -> Version:
    """Put a version into an environment of its own, beside the dependencies that are here.

    The package is Python alone, so its files are all of it; numba compiles them there, into a
    cache of that environment.

    Parameters
    ----------
    reference : str or None
        A commit, branch or tag of the checkout that this package is run from; None for the files
        as they are.
    folder : Path
        It must not exist.

    Raises
    ------
    InputError
        If there is no checkout, or no such commit.
    """
    venv.create(folder, with_pip=False)
    scheme = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", scheme))
    package = Path(arrangements.__file__).parent
    if reference is None:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, packages / package.name, ignore=ignored)
    else:
        with tarfile.open(fileobj=io.BytesIO(_archive(package, reference))) as archive:
            archive.extractall(packages, filter="data")
    # the dependencies of both versions are those of this interpreter
    here = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()]
    (packages / "dependencies.pth").write_text("\n".join(dict.fromkeys(here)) + "\n")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return Version("the files here" if reference is None else reference, python)


def _archive(package: Path, reference: str) -> bytes:
    """The package as a commit has it."""
    git = ["git", "-C", str(package.parent), "archive", "--format=tar"]
    try:
        command = [*git, "--end-of-options", reference, package.name]
        return subprocess.run(command, check=True, capture_output=True).stdout
    except OSError as error:
        raise InputError(f"another version needs git, which cannot be run: {error}.") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise InputError(
            f"there is no version {reference!r}: {said}. Expected a commit, branch or tag of "
            "the checkout that the package is run from."
        ) from error


def against(
    reference: str, jobs: Iterable[Job], *, cap: float, report: Callable[[str], None]
) -> dict[str, list[float]]:
    """Ratios of the times of the files here to those of another version, job by job.

    Both versions are built once. In each lap both start in fresh processes and answer every job
    one after the other, in turns. Laps of a job end when the interval of its ratio is narrow.

    Parameters
    ----------
    reference : str
        A commit, branch or tag.
    jobs : iterable of Job
        Of methods of this package on the processor at hand; others are left out.
    cap : float
        Seconds for one answer after the first lap.
    report : callable
        Gets a line for what is done.

    Returns
    -------
    dict
        For each job its ratios; none if one version has no answer or another one.
    """
    with tempfile.TemporaryDirectory() as folder:
        versions = []
        for number, which in enumerate((None, reference)):
            versions.append(build(which, Path(folder) / str(number)))
            report(f"built {versions[-1].name}")
        return measure(versions, jobs, cap=cap, report=report)


def measure(
    versions: list[Version],
    jobs: Iterable[Job],
    *,
    cap: float,
    report: Callable[[str], None] = lambda line: None,
) -> dict[str, list[float]]:
    """As `against`, of two versions that are installed."""
    asked = {job.name: question for job in jobs if (question := _question(job)) is not None}
    ratios: dict[str, list[float]] = {name: [] for name in asked}
    going = dict(asked)
    for lap in range(_MOST_LAPS + 1):
        began = time.perf_counter()
        with ExitStack() as ended:
            children = [ended.enter_context(_Child(version)) for version in versions]
            for place, (name, question) in enumerate([*going.items()]):
                order = (0, 1) if (lap + place) % 2 else (1, 0)
                found: dict[int, Any] = {}
                for k in order:
                    found[k] = children[k].ask(question, cap if lap else _PATIENCE)
                if (said := _wrong(found, versions)) is not None:
                    report(f"{name}: {said}")
                    del going[name]
                    ratios[name] = []
                elif lap:
                    ratios[name].append(median(found[0][1]) / median(found[1][1]))
        if lap >= _LEAST_LAPS:
            going = {k: q for k, q in going.items() if not is_narrow(ratios[k], _NARROW)}
        report(f"lap {lap}: {len(going)} jobs go on, {time.perf_counter() - began:.0f} s")
        if not going:
            break
    return ratios


def comparisons(ratios: dict[str, list[float]]) -> list[Comparison]:
    """What the ratios tell; the slower the earlier.

    Examples
    --------
    >>> [str(line) for line in comparisons({"x": [0.5] * 7, "y": []})]
    ['BROKEN       y: no answer any more', 'faster       0.50 (0.50 to 0.50)  x']
    """
    found = [in_turns(name, laps) if laps else broken(name) for name, laps in ratios.items()]
    return sorted(found, key=lambda comparison: -comparison.ratio)


def _question(job: Job) -> tuple[Any, ...] | None:
    """What a child is asked; None for what is no function of this package."""
    method = METHODS.get(job.case.topic, {}).get(job.method)
    if method is None or not method.function or job.processor:
        return None
    options: dict[str, Any] = {"method": method.method}
    if job.workers > 1:
        options |= {"workers": job.workers}
    arguments = (job.case.W, job.case.offsets)
    return method.function, arguments, options, _CALLS, _SHARE


def _wrong(found: dict[int, Any], versions: list[Version]) -> str | None:
    for k, version in enumerate(versions):
        if isinstance(found[k], str):
            return f"{version.name}: {found[k]}"
    if found[0][0] != found[1][0]:
        return f"{found[0][0]} found here, {found[1][0]} by {versions[1].name}"
    return None


class _Child:
    """A fresh process of a version."""

    def __init__(self, version: Version) -> None:
        self._version = version

    def __enter__(self) -> _Child:
        key = secrets.token_bytes(16)
        with Listener(authkey=key) as listener:
            address = listener.address
            if not isinstance(address, str):
                raise InputError(f"cannot connect processes by {address!r}.")
            self._process = subprocess.Popen(
                [self._version.python, "-I", version_child.__file__, address, key.hex()],
                stdout=subprocess.DEVNULL,
            )
            self._connection: Connection = listener.accept()
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._process.kill()
        self._process.wait()

    def ask(self, question: tuple[Any, ...], patience: float) -> Any:
        """The answer; text if there is none."""
        try:
            self._connection.send(question)
            # an untimed answer, and the last one that begins within the share
            if not self._connection.poll(2 * patience + _SHARE):
                self._process.kill()
                return f"no answer within {patience:g} s"
            return self._connection.recv()
        except (EOFError, OSError):
            return "the process died"
