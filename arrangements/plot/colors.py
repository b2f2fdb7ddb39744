"""Colors of labels: one for each, the same in every picture with these labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arrangements import palette
from arrangements.checks import as_list
from arrangements.errors import InputError
from arrangements.messages import quote

Color = str | tuple[float, float, float]

PALETTE = palette.LABELS


def label_colors(n: int, colors: Iterable[Any] | None = None) -> list[Color]:
    """A color for each of n labels: those given, or one that depends on the row number alone.

    After sixteen labels the palette starts again, darker each time, so no two colors are equal.

    Parameters
    ----------
    n : int
    colors : sequence of matplotlib colors, optional

    Examples
    --------
    >>> label_colors(2), label_colors(40)[:2] == label_colors(2), len(set(label_colors(40)))
    (['#56b4e9', '#d55e00'], True, 40)
    """
    if colors is not None:
        return _check_colors(n, colors)
    k = len(PALETTE)
    dark = [i // k / (i // k + 1.5) for i in range(n)]
    return [PALETTE[i % k] if i < k else mix(PALETTE[i % k], dark[i], 0.0) for i in range(n)]


def shade(color: Color, odd: bool) -> Color:
    """One of the two shades of a label, for regions next to each other."""
    return mix(color, 0.55 if odd else 0.25)


def mix(color: Color, share: float, grey: float = 1.0) -> Color:
    """A color mixed with a share of white, or of another grey."""
    from matplotlib.colors import to_rgb  # an extra

    red, green, blue = (share * grey + (1 - share) * part for part in to_rgb(color))
    return red, green, blue


def _check_colors(n: int, colors: Iterable[Any]) -> list[Color]:
    from matplotlib.colors import is_color_like, to_rgb  # an extra

    expected = f"expected a sequence of {n} matplotlib colors, one for each label"
    if isinstance(colors, str) or not isinstance(colors, Iterable):
        raise InputError(f"colors is {quote(colors)}; {expected}.")
    found = as_list("colors", colors)
    if len(found) != n:
        raise InputError(f"colors holds {len(found)} colors; {expected}.")
    for i, color in enumerate(found):
        if not is_color_like(color):
            text = quote(color)
            raise InputError(f"colors[{i}] is {text}; {expected}, such as '#d55e00' or 'blue'.")
    return [to_rgb(color) for color in found]
