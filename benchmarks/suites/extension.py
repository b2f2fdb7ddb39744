"""Methods of others beside those of this package: functions, and programs in any language."""

from __future__ import annotations

import inspect
import os
import pickle
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from importlib.metadata import (
    PackageNotFoundError,
    entry_points,
    packages_distributions,
    version,
)
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, MissingDependencyError
from benchmarks.suites.cases import CHAMBERS, FAMILIES, RANKINGS, Case, registered_family

Matrix = NDArray[Any]

# Modules or functions of installed packages that register families and methods.
ENTRY_POINTS = "arrangements.benchmarks"
KINDS = ("count", "rows")
# The names of this package's own methods.
OWN_NAMES = frozenset(
    ("sweep", "stream", "count", "incremental", "reverse_search", "characteristic", "pairs")
)


@dataclass(frozen=True)
class Found:
    """What a method found, where a number or an array does not say all.

    Attributes
    ----------
    count : int
        How many chambers or rankings.
    rows : (count, n) array, or None
        Their sign vectors of -1 and 1, or orders of labels, if the method has them.
    complete : bool
        Whether the method claims that these are all.
    seconds : float or None
        Time that the method itself took, where it runs in another program.
    """

    count: int
    rows: NDArray[Any] | None = None
    complete: bool = True
    seconds: float | None = None

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True)
class Peer:
    """A method of others, as `register_method` describes it."""

    run: Callable[..., Any]
    kind: str | None
    topic: str
    describe: str
    distribution: str
    module: str
    program: str
    install: str

    @property
    def takes_offsets(self) -> bool:
        """Whether `run` has a second parameter, or the command a file of offsets."""
        if isinstance(self.run, Command):
            return self.run.takes_offsets
        try:
            inspect.signature(self.run).bind(None, None)
        except (TypeError, ValueError):
            return False
        return True

    def answer(self, case: Case) -> Any:
        """What `run` returns for a case.

        Raises
        ------
        InputError
            If the case has offsets, which `run` does not take.
        """
        if case.offsets is None:
            return self.run(case.W)
        if not self.takes_offsets:
            raise InputError(f"{case.name} has offsets; this method gets cases without.")
        return self.run(case.W, case.offsets)

    def version(self) -> str | None:
        """Version of what is installed; None if nothing tells it.

        Raises
        ------
        MissingDependencyError
            If it is not installed.
        """
        if self.program:
            if shutil.which(self.program) is None:
                raise MissingDependencyError(f"{self.program} is not installed: {self.install}.")
            return None if isinstance(self.run, Command) else _program_version(self.program)
        try:
            if self.module and find_spec(self.module) is None:
                raise ModuleNotFoundError
            if self.distribution:
                return version(self.distribution)
        except (ModuleNotFoundError, PackageNotFoundError) as error:
            raise MissingDependencyError(
                f"{self.distribution or self.module} is not installed: {self.install}."
            ) from error
        home = self.module or getattr(self.run, "__module__", None) or ""
        found = packages_distributions().get(home.partition(".")[0])
        return version(found[0]) if found else None


PEERS: dict[str, Peer] = {}


def register_method(
    name: str,
    run: Callable[..., Any],
    kind: str | None = None,
    *,
    topic: str = CHAMBERS,
    describe: str = "",
    distribution: str = "",
    module: str = "",
    program: str = "",
    install: str = "",
) -> None:
    """Add a method to those that the benchmarks know.

    Parameters
    ----------
    name : str
        Of the method; one of this package cannot be replaced.
    run : callable
        ``run(W, offsets=None)`` answers with the number of chambers, or with an (m, n) array of
        their signs, -1 and 1; of rankings with the number or an (m, n) array of labels, best
        first. A `SignVectors` or `Rankings`, or a `Found` that says more, will do as well. A
        function that takes W alone gets cases without offsets. The processes that measure import
        it by its module and name, so a lambda will not do.
    kind : {"count", "rows"}, optional
        What it answers with; by default the answer tells.
    topic : {"chambers", "rankings"}
        What it is asked for.
    describe : str
        What it does, for the page.
    distribution, module, program : str
        The distribution whose version is recorded, and the module or the program that must be
        there; by default those of the function.
    install : str
        How to get it.

    See Also
    --------
    benchmarks.register_family : inputs beside those of this package.

    Examples
    --------
    >>> from arrangements import count_chambers
    >>> register_method("mine", count_chambers, "count", describe="whatever is best")
    >>> PEERS["mine"].answer(Case(CHAMBERS, "affine", 9, 3))
    130
    >>> register_method("sweep", count_chambers)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: there is a method 'sweep' in this package; choose another name.
    """
    if name in OWN_NAMES:
        raise InputError(f"there is a method {name!r} in this package; choose another name.")
    if topic not in (CHAMBERS, RANKINGS):
        raise InputError(f"topic is {topic!r}; expected {CHAMBERS!r} or {RANKINGS!r}.")
    if kind is not None and kind not in KINDS:
        raise InputError(f"kind is {kind!r}; expected one of {', '.join(KINDS)}.")
    if not callable(run):
        raise InputError(f"method {name!r}: run is {run!r}; expected a function of W.")
    PEERS[name] = Peer(run, kind, topic, describe, distribution, module, program, install)


def load_installed() -> None:
    """Load the entry points of installed packages, which register what they have.

    Each names a module, or a function without parameters that is called. One that fails is left
    out with a warning.
    """
    for point in entry_points(group=ENTRY_POINTS):
        try:
            found = point.load()
            if callable(found):
                found()
        except Exception as error:  # it is somebody else's
            warnings.warn(
                f"{point.value} of the entry points {ENTRY_POINTS} is left out: "
                f"{type(error).__name__}: {error}.",
                stacklevel=2,
            )


def register_function(text: str, topic: str) -> str:
    """Register a function given as ``module:function``, found from here too; its name.

    Examples
    --------
    >>> register_function("arrangements:count_chambers", CHAMBERS)
    'arrangements:count_chambers'
    """
    module, _, name = text.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        run: Any = import_module(module)
        for part in name.split("."):
            run = getattr(run, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(
            f"cannot load {text!r}: {error}. Expected module:function, of a "
            "module that is installed or in this folder."
        ) from error
    register_method(
        text, run, topic=topic, describe=(inspect.getdoc(run) or text).partition("\n")[0]
    )
    return text


# ------------------------------------------------------------------ programs


@dataclass(frozen=True)
class Command:
    """A program that reads files and writes an answer.

    Attributes
    ----------
    words : tuple of str
        Of the command line. ``{input}`` stands for a file of W, ``{offsets}`` for one of the
        offsets and ``{output}`` for that which the program writes; without it the program prints.
    kind : {"count", "rows"} or None
        What it answers with; by default the answer tells.
    """

    words: tuple[str, ...]
    kind: str | None = None

    @property
    def name(self) -> str:
        """The command without files.

        Examples
        --------
        >>> Command(("./count", "--fast", "{input}")).name
        './count --fast'
        """
        return " ".join(word for word in self.words if "{" not in word)

    @property
    def takes_offsets(self) -> bool:
        """Whether the program is given offsets."""
        return any("{offsets}" in word for word in self.words)

    def __call__(self, W: Matrix, offsets: Matrix | None = None) -> Found:
        """Write the input, run the program and read its answer."""
        with tempfile.TemporaryDirectory() as folder:
            files = {name: os.path.join(folder, name) for name in ("input", "offsets", "output")}
            Path(files["input"]).write_text(numbers_text(W), encoding="ascii")
            given = np.zeros(len(W), np.int64) if offsets is None else offsets
            Path(files["offsets"]).write_text(numbers_text(given[:, None]), encoding="ascii")
            words = [word.format(**files) for word in self.words]
            done = subprocess.run(
                words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
            if done.returncode:
                said = done.stderr.strip().partition("\n")[0] or "nothing"
                raise InputError(
                    f"{self.name} ended with exit status {done.returncode}; it says: {said}"
                )
            if any("{output}" in word for word in self.words):
                text = Path(files["output"]).read_text(encoding="utf-8")
            else:
                text = done.stdout
        return read_answer(text, self.kind)


def register_command(text: str, topic: str, kind: str | None = None) -> str:
    """Register a program given as a command line; its name.

    Examples
    --------
    >>> register_command("./count --fast {input}", CHAMBERS)
    './count --fast'
    >>> register_command("./count", CHAMBERS)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: the command './count' has no {input}, the file of W that it \
reads.
    """
    try:
        words = tuple(shlex.split(text))
        for word in words:
            word.format(input="", offsets="", output="")
    except (ValueError, KeyError, IndexError) as error:
        raise InputError(
            f"the command {text!r} cannot be read: {error}. Only {{input}}, "
            "{offsets} and {output} stand in braces."
        ) from error
    if not any("{input}" in word for word in words):
        raise InputError(f"the command {text!r} has no {{input}}, the file of W that it reads.")
    command = Command(words, kind)
    register_method(
        command.name, command, topic=topic, program=words[0], install="name a program on the PATH"
    )
    return command.name


def numbers_text(W: Matrix) -> str:
    r"""A matrix as text, exactly: integers, fractions p/q, or decimals that float64 reads back.

    Examples
    --------
    >>> numbers_text(np.array([[1.0, 0.1], [0.5, 2.0]]))
    '1.0,0.1\n0.5,2.0\n'
    """
    rows = np.asarray(W, np.float64) if W.dtype.kind == "f" else W
    return "".join(",".join(map(_number_text, row)) + "\n" for row in rows.tolist())


def _number_text(number: Any) -> str:
    return str(number) if isinstance(number, int | Fraction) else repr(float(number))


def read_answer(text: str, kind: str | None = None) -> Found:
    r"""The answer of a program: a number, or a line for each sign vector or ranking.

    Sign vectors are ``+-+``, or numbers 1 and -1 between commas or blanks; rankings are labels,
    counted from 0. A line ``# seconds 1.25`` tells the time that the program itself took; other
    lines that begin with # are not read.

    Examples
    --------
    >>> read_answer("# seconds 0.5\n74\n")
    Found(count=74, rows=None, complete=True, seconds=0.5)
    >>> read_answer("+-\n1 -1\n").rows.tolist()
    [[1, -1], [1, -1]]
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line.split() for line in lines if line.startswith("#")]
    lines = [line for line in lines if not line.startswith("#")]
    seconds = next((float(words[2]) for words in told if words[:2] == ["#", "seconds"]), None)
    if kind == "count" or (kind is None and len(lines) == 1 and lines[0].isdecimal()):
        if len(lines) != 1 or not lines[0].isdecimal():
            raise InputError(f"the answer is {text!r}; expected a number.")
        return Found(int(lines[0]), seconds=seconds)
    try:
        rows = [_row(line) for line in lines]
        found = np.array(rows, np.int64).reshape(len(rows), -1)
    except ValueError as error:
        raise InputError(
            f"the answer begins {lines[0]!r}; expected a number, or lines of signs or labels."
        ) from error
    return Found(len(found), found, seconds=seconds)


def _row(line: str) -> list[int]:
    if set(line) <= {"+", "-"}:
        return [1 if sign == "+" else -1 for sign in line]
    return [int(entry) for entry in line.replace(",", " ").split()]


def _program_version(program: str) -> str:
    asked = subprocess.run(
        [program, "--version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    words = (asked.stdout + asked.stderr).split()
    return next((word for word in words if word[0].isdigit()), "unknown version")


# ------------------------------------------------------------------ to the processes that measure


def packed(case: Case, method: str) -> bytes:
    """What was registered for a job, for the process that measures it.

    Raises
    ------
    InputError
        If another process cannot import it.
    """
    try:
        return pickle.dumps((registered_family(case), PEERS.get(method)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"{case.name}, {method}: another process cannot import what was registered; name "
            f"functions of a module, no lambdas ({error})."
        ) from error


def unpack(case: Case, method: str, content: bytes) -> None:
    """Register here what `packed` has."""
    family, peer = pickle.loads(content)
    if family is not None:
        FAMILIES[case.topic][case.family] = family
    if peer is not None:
        PEERS[method] = peer
