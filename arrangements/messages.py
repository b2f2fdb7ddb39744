"""Parts of messages: values and files as text, advice, and warnings that point at the caller."""

import contextlib
import json
import math
import os
import re
import shlex
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from arrangements.errors import MissingDependencyError


@dataclass(frozen=True)
class Remedy:
    """What to do about an error or a warning.

    Attributes
    ----------
    name : str
        The same for all messages with this remedy.
    text : str
        A sentence in terms of Python.
    value : str or int, optional
        The number or name in the sentence, if it differs from case to case.

    Examples
    --------
    >>> from arrangements.errors import InputError
    >>> print(InputError("k is 0.", Remedy("larger k", "Pass k=1.")))
    k is 0. Pass k=1.
    """

    name: str
    text: str
    value: str | int | None = None

    def __str__(self) -> str:
        return self.text


def quote(value: object, most: int = 60) -> str:
    """A value as a message shows it: one line, cut if it is long.

    Examples
    --------
    >>> quote("cat"), quote(10**5000), quote("cat" * 50, most=12)
    ("'cat'", 'an integer of 5001 digits', "'catca.. (152 characters)")

    Scalars of NumPy are shown as the numbers they are.
    """
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, int) and value.bit_length() > 3 * most:
        # Python refuses to print integers of more than 4300 digits
        return f"an integer of {_digits(abs(value))} digits"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # such integers inside, a list that holds itself, or anything of theirs
        return f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 6]}.. ({len(text)} characters)"


def quote_path(path: str | os.PathLike[str], most: int = 200) -> str:
    """The name of a file as a message shows it: unchanged unless it is long or cannot be printed.

    Examples
    --------
    >>> quote_path("w.csv"), quote_path("x" * 300, most=12)
    ('w.csv', "'xxxxx.. (302 characters)")
    """
    text = os.fspath(path)
    return text if len(text) <= most and text.isprintable() else quote(text, most)


# Control characters, marks that reverse the direction of text, characters that nobody sees (but for
# the joiners of some scripts), and halves of characters.
_COMMANDS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    r"\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Text in which characters that command a terminal, or cannot be written, are escapes.

    Newlines and tabs stay.

    Examples
    --------
    >>> printable("cat\x1b[2J\n")
    'cat\\x1b[2J\n'
    """
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def first_line(error: Exception, most: int = 200) -> str:
    """The first line of an exception of another package, for a message; else its name.

    Examples
    --------
    >>> first_line(ValueError("no number.")), first_line(EOFError())
    ('no number', 'EOFError')
    """
    line = str(error).strip().partition("\n")[0].rstrip(".")
    return (line if len(line) <= most else f"{line[:most]}..") or type(error).__name__


def _digits(value: int) -> int:
    """Number of decimal digits of a large positive integer."""
    digits = int(value.bit_length() * math.log10(2))
    return digits + (value >= 10**digits)


def warn(warning: Warning) -> None:
    """Issue a warning that points at the line outside this package that led to it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == "arrangements" or module.startswith("arrangements.")


def duration(hours: float | Fraction) -> str:
    """Hours in words, in a suitable unit.

    Examples
    --------
    >>> duration(0.01), duration(0.5), duration(1), duration(100), duration(10**6)
    ('36 seconds', '30 minutes', 'an hour', '4 days', '114 years')
    """
    if hours < 1:
        seconds = float(3600 * hours)
        return f"{seconds:.2g} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
    whole = int(hours)
    if whole < 72:
        return f"{whole} hours" if whole > 1 else "an hour"
    return (
        f"{whole // 24} days" if whole < 24 * 1000 else f"{short_number(whole // (24 * 365))} years"
    )


def short_number(number: int) -> str:
    """Four digits of an integer of any size.

    Examples
    --------
    >>> short_number(123456), short_number(2**3000)
    ('1.235e+05', '10**903')
    """
    if number < 10**300:
        return f"{number:.4g}"
    return f"10**{int(number.bit_length() * math.log10(2))}"


def missing_library(library: str, purpose: str, extra: str = "scale") -> MissingDependencyError:
    """The error to raise where a library of an extra is not installed."""
    requirement = f"{_package_source()}[{extra}]"
    # cmd.exe does not know single quotes
    text = f'"{requirement}"' if os.name == "nt" else shlex.quote(requirement)
    return MissingDependencyError(
        f"{library} is needed {purpose}; install it with the extra: pip install {text}."
    )


def _package_source() -> str:
    """From where pip can install the package: a folder or file if it was, else an index."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.exists(os.path.join(folder, "setup.cfg")):  # a checkout, which may be editable
        return folder
    from importlib import metadata  # loads slowly
    from urllib.request import url2pathname

    name = "hyperplane-arrangements"
    with contextlib.suppress(metadata.PackageNotFoundError, ValueError, KeyError):
        origin = json.loads(metadata.distribution(name).read_text("direct_url.json") or "{}")
        path = url2pathname(origin["url"].removeprefix("file://"))
        if os.path.exists(path):
            return path
    return name


def polynomial_text(coefficients: Sequence[Fraction], name: str) -> str:
    """A polynomial that is not zero, given by its coefficients, the constant first.

    Examples
    --------
    >>> polynomial_text([Fraction(1, 2), Fraction(0), Fraction(-1), Fraction(3)], "x")
    '1/2 - x**2 + 3*x**3'
    """
    terms = []
    for k, c in enumerate(coefficients):
        if c:
            power = ("", name)[k] if k < 2 else f"{name}**{k}"
            size = str(abs(c)) if abs(c) != 1 or not power else ""
            term = f"{size}*{power}" if size and power else size or power
            terms.append(("- " if c < 0 else "+ ") + term)
    first, *rest = terms
    return " ".join([first[2:] if first[0] == "+" else "-" + first[2:], *rest])
