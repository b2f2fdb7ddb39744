"""What objects look like in a notebook: all HTML of `_repr_html_` is made in this file.

A class says in words what it is, and shows the first rows of what it holds. Nothing is computed
for it but text, so a card costs the same for ten rows and for a million. Colors have text that
says the same, and lie over the background of the page, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape
from itertools import islice
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements import palette
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import ExactArray, nearest_float, quotient
from arrangements.exact.text import brief_text

# Most rows of a table, numbers in a row, signs in a row, and characters of a name and of a number.
ROWS, NUMBERS, SIGNS, LETTERS, DIGITS = 20, 8, 60, 30, 24
# Signs in columns of their own, with the names of the rows above them.
_NAMED_SIGNS = 12
# Characters of a float: its exact value has more digits than anybody reads.
_FLOAT = 10
# Names in a line of them.
NAMES = 6
# Lines of a picture, and half its width in pixels.
LINES, _RADIUS = 12, 80.0
# The alpha of a color behind text, which can be read on white and on black.
_VEIL = "59"
_STYLE = (
    "<style>"
    ".arrangements-card table{border-collapse:collapse;margin:.4em 0;font-size:90%}"
    ".arrangements-card :is(td,th){text-align:left;padding:.1em .6em;border:0;"
    "border-bottom:1px solid #8884;white-space:nowrap}"
    ".arrangements-card p{margin:.2em 0}"
    ".arrangements-card code{font-family:monospace;background:none;padding:0;color:inherit}"
    f".arrangements-card .plus{{background:{palette.BLUE}{_VEIL}}}"
    f".arrangements-card .minus{{background:{palette.ORANGE}{_VEIL}}}"
    f".arrangements-card .zero{{background:{palette.GREY}{_VEIL}}}"
    "</style>"
)


class Markup(str):
    """Text that is HTML; all other text is escaped."""

    __slots__ = ()


def card(title: str, facts: Iterable[tuple[str, Any]] = (), *parts: str) -> str:
    """The HTML of an object: what it is, facts about it, and tables or pictures.

    Parameters
    ----------
    title : str
        What it is and how many.
    facts : iterable of (str, value)
        Those without a value are left out.
    *parts : str
        `Markup`, or text of a paragraph.

    Examples
    --------
    >>> html = card("Set of 2", [("kind", "<small>"), ("rank", None)])
    >>> html.endswith("<p><b>Set of 2</b></p><p>kind: &lt;small&gt;</p></div>")
    True
    """
    texts = [f"{name}: {html(value)}" for name, value in facts if value not in (None, "")]
    lines = [f"<p><b>{html(title)}</b></p>"]
    lines += [f"<p>{' · '.join(texts)}</p>"] if texts else []
    lines += [
        part if isinstance(part, Markup) else f"<p>{html(part)}</p>" for part in parts if part
    ]
    inside = "".join(lines)
    return f'<div class="arrangements-card" style="overflow-x:auto">{_STYLE}{inside}</div>'


def html(value: Any) -> str:
    """HTML of a value: markup as it is, numbers and text escaped and in full."""
    return value if isinstance(value, Markup) else escape(str(value))


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], total: int | None = None) -> Markup:
    """A table of the first rows.

    Parameters
    ----------
    head : sequence of str
    rows : iterable of sequences of values
        No more are taken than are shown.
    total : int, optional
        How many rows there are, if that is known.

    Examples
    --------
    >>> len(table(["i"], ([i] for i in range(10**9)), 10**9))
    490
    """
    cells = ["".join(f"<td>{html(cell)}</td>" for cell in row) for row in islice(rows, ROWS)]
    names = "".join(f"<th>{html(name)}</th>" for name in head)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    markup = f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>" if cells else ""
    if total is not None and total > len(cells):
        markup += f"<p>the first {len(cells)} of {total:,}</p>" if cells else ""
    return Markup(markup)


def text(value: Any, most: int = LETTERS) -> Markup:
    """A name or another text in one line; a long one is cut, and shown when it is pointed at.

    Examples
    --------
    >>> text("<script>"), text("hippopotamus", 8)
    ('&lt;script&gt;', '<span title="hippopotamus">hippopo…</span>')
    """
    whole = " ".join(str(value).encode("utf-8", "replace").decode().split())  # no lone surrogates
    if len(whole) <= most:
        return Markup(escape(whole))
    title = escape(whole[: 20 * most])
    return Markup(f'<span title="{title}">{escape(whole[: most - 1])}…</span>')


def number(value: Any) -> Markup:
    """An exact number; a long one is rounded, and says so.

    Examples
    --------
    >>> number(Fraction(1, 3)), number(0.1), number(Fraction(10**60, 7)), number(True)
    ('1/3', '0.1', '≈ 1.42857e+59', 'True')
    """
    if isinstance(value, bool | np.bool_):
        return Markup(value)
    if isinstance(value, float):
        written = repr(float(value))
        return Markup(written if len(written) <= _FLOAT else f"≈ {value:.6g}")
    exact = value if isinstance(value, FieldElement) else Fraction(value)
    return Markup(brief_text(exact, DIGITS))


def numbers(values: Iterable[Any]) -> list[str]:
    """Cells of the first numbers of a row, and dots if there are more."""
    first = list(islice(values, NUMBERS + 1))
    return [number(value) for value in first[:NUMBERS]] + ["…"] * (len(first) > NUMBERS)


def sign(value: int | None) -> Markup:
    """One sign, on its color; None is either sign.

    Examples
    --------
    >>> sign(1), sign(None)
    ('<code class="plus">+</code>', '<code class="zero">*</code>')
    """
    kind = ("zero", "plus", "minus")[value or 0]
    return Markup(f'<code class="{kind}">{"*" if value is None else "0+-"[value]}</code>')


def signs(row: Sequence[int | None] | NDArray[np.int8]) -> Markup:
    """The first signs of a sign vector, on their colors.

    Examples
    --------
    >>> signs([1] * 100).count("plus"), signs([1] * 100)[-13:]
    (60, '… (100 signs)')
    """
    more = f"… ({len(row):,} signs)" if len(row) > SIGNS else ""
    return Markup("".join(map(sign, row[:SIGNS])) + more)


def sign_rows(
    rows: Iterable[Sequence[int | None] | NDArray[np.int8]],
    names: Sequence[str],
    named: bool,
    total: int | None = None,
) -> Markup:
    """A table of sign vectors: columns with the names of few rows, else signs in one piece."""
    if len(names) <= _NAMED_SIGNS:
        columns = [text(name, 12) for name in names]
        narrow = ([i, *map(sign, row)] for i, row in enumerate(rows))
        return table(["", *columns], narrow, total)
    head = ["", "signs", "rows that are +"]
    wide = ([i, signs(row), _positive(row, names)][: 2 + named] for i, row in enumerate(rows))
    return table(head[: 2 + named], wide, total)


def _positive(row: Sequence[int | None] | NDArray[np.int8], names: Sequence[str]) -> Markup:
    on = [i for i, s in enumerate(row) if s == 1]
    return listing([names[i] for i in on[:NAMES]], total=len(on))


def listing(names: Sequence[Any], between: str = ", ", total: int | None = None) -> Markup:
    """The first of some names, of which there may be more than are given.

    Examples
    --------
    >>> listing(["cat", "dog"], " > ", 5)
    'cat &gt; dog &gt; … (5)'
    """
    total = len(names) if total is None else total
    items: list[str] = [text(name) for name in names[:NAMES]]
    return Markup(escape(between).join(items + [f"… ({total:,})"] * (total > len(items))))


def label(name: str, row: int) -> Markup:
    """The name of a label beside the color that it has in pictures."""
    color = palette.LABELS[row % len(palette.LABELS)]
    style = f"border-left:.5em solid {color};padding-left:.3em"
    return Markup(f'<span style="{style}">{text(name)}</span>')


def ranking_rows(
    rows: Iterable[Any], names: Sequence[str], colors: Sequence[int], total: int | None = None
) -> Markup:
    """A table of rankings, the best label first; a label has the color of its row."""
    places = min(len(names), _NAMED_SIGNS)
    head = ["", *(f"place {k}" for k in range(places))] + ["…"] * (len(names) > places)

    def cells(i: int, row: Any) -> list[Any]:
        first = [label(names[j], colors[j]) for j in map(int, row[:places])]
        return [i, *first] + ["…"] * (len(names) > places)

    return table(head, (cells(i, row) for i, row in enumerate(rows)), total)


def matrix(W: ExactArray, b: ExactArray | None, names: Sequence[Any] | None, one: str) -> Markup:
    """A table of the rows of a matrix, with offsets if there are any."""
    n, d = W.shape
    columns: list[str] = [Markup(f"x<sub>{k + 1}</sub>") for k in range(min(d, NUMBERS))]
    columns += ["…"] * (d > NUMBERS)
    head = [*([] if names is None else [""]), one, *columns, *([] if b is None else ["offset"])]

    def cells(i: int) -> list[Any]:
        name = [i] if names is None else [i, text(names[i])]
        offset = [] if b is None else numbers(b[i : i + 1].tolist())
        return [*name, *numbers(W[i].tolist()), *offset]

    return table(head, map(cells, range(n)), n)


def point(values: Sequence[Any]) -> Markup:
    """The coordinates of a point in one line."""
    return Markup(f"({', '.join(numbers(values))})")


# ------------------------------------------------------------------ lines in the plane


def lines(rows: Sequence[Sequence[int]], names: Sequence[str]) -> Markup:
    """Picture of a few lines a x + b y + c = 0, with a + on their + sides; else nothing.

    Parameters
    ----------
    rows : sequence of (a, b, c) of int
    names : sequence of str

    Examples
    --------
    >>> picture = lines([(1, 0, 0), (0, 1, 0), (1, 1, -1)], "abc")
    >>> picture.count("<line"), picture.count(">+</text>")
    (3, 3)
    """
    if not 0 < len(rows) <= LINES:
        return Markup()
    floats = [_unit(row) for row in rows]
    near = [line for line in floats if line is not None]
    if not near:
        return Markup()
    window = square_of(np.array(near))
    drawn: dict[tuple[float, ...], list[str]] = {}
    for line, name in zip(floats, names, strict=True):
        ends = None if line is None else _chord(line, window)
        if ends is not None:
            drawn.setdefault(ends, []).append(name)
    size = 2 * (_RADIUS + 30)
    inside = "".join(_line(ends, called) for ends, called in drawn.items())
    return Markup(
        f'<svg role="img" aria-label="lines in the plane: {len(drawn)}" width="{size:g}" '
        f'height="{size:g}" viewBox="{-size / 2:g} {-size / 2:g} {size:g} {size:g}" '
        f'font-size="11" text-anchor="middle" fill="currentColor" stroke-width="1.2">{inside}</svg>'
    )


Line = tuple[float, float, float]


def _unit(row: Sequence[int]) -> Line | None:
    """A line in floats with a normal of length 1; None if it is too far away for them."""
    a, b, c = row
    largest = max(abs(a), abs(b))
    if not largest or abs(c) > largest * 10**12:
        return None
    u, v, w = (nearest_float(quotient(entry, largest)) for entry in row)
    length = hypot(u, v)
    return u / length, v / length, w / length


class Square(NamedTuple):
    """The points ``max(|x - middle[0]|, |y - middle[1]|) <= radius``."""

    x: float
    y: float
    radius: float


def square_of(lines: NDArray[np.float64]) -> Square:
    """A square around the points where lines ``a x + b y + c = 0`` meet, or around most of them.

    Examples
    --------
    >>> square_of(np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, -1]]))
    Square(x=0.5, y=0.5, radius=1.0)
    """
    a, b, c = lines.T
    i, j = np.triu_indices(len(lines), 1)
    with np.errstate(all="ignore"):
        det = a[i] * b[j] - a[j] * b[i]
        met = np.stack([b[i] * c[j] - b[j] * c[i], c[i] * a[j] - c[j] * a[i]], axis=1)
        # lines that are nearly parallel meet too far away to choose the view
        met = (met / det[:, None])[np.abs(det) > 1e-9]
        if not len(met):  # parallel lines
            met = (-lines[:, :2] * c[:, None] / (a * a + b * b)[:, None])[(a != 0) | (b != 0)]
    met = met[np.isfinite(met).all(axis=1)]
    if not len(met):
        return Square(0.0, 0.0, 1.0)
    far = np.hypot(*(met - np.median(met, axis=0)).T)
    met = met[far <= (4 * np.median(far) or np.inf)]
    low, high = met.min(axis=0), met.max(axis=0)
    (x, y), radius = ((low + high) / 2).tolist(), float((high - low).max())
    return Square(x, y, radius or 1.0)


def _chord(line: Line, window: Square) -> tuple[float, ...] | None:
    """Ends of a line in the picture, and its normal; None if it is out of view."""
    (a, b, c), (x, y, radius) = line, window
    distance = (a * x + b * y + c) / radius
    if abs(distance) >= 0.98:
        return None
    half = (1 - distance * distance) ** 0.5
    ends = [(-a * distance + t * b * half, -b * distance - t * a * half) for t in (-1, 1)]
    pixels = [k * _RADIUS for u, v in ends for k in (u, -v)]  # the y axis points down
    return tuple(round(k, 1) + 0.0 for k in (*pixels, 10 * a, -10 * b))


def _line(ends: Sequence[float], names: Sequence[str]) -> str:
    x1, y1, x2, y2, a, b = ends
    u, v = (0.9 * x2 + 0.1 * x1 + a, 0.9 * y2 + 0.1 * y1 + b)
    name = escape(", ".join(names)[:12])
    grown = 1 + 12 / _RADIUS
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor"/>'
        f'<text x="{grown * x2:.1f}" y="{grown * y2 + 4:.1f}">{name}</text>'
        f'<text x="{u:.1f}" y="{v + 4:.1f}" fill="{palette.BLUE}" font-weight="bold">+</text>'
    )
