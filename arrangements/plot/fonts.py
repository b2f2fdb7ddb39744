"""Characters that a font lacks: reported once, by name, and drawn as a question mark."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from arrangements.errors import MissingGlyphWarning
from arrangements.messages import Remedy, warn


def replace_missing(names: Sequence[str]) -> list[str]:
    """Names with a question mark for each character that no font in use has.

    Names that this makes equal are told apart by their places.

    Matplotlib would draw an empty box for it, and warn of each one each time that it draws.

    Warns
    -----
    MissingGlyphWarning
        One for all names.

    Examples
    --------
    >>> replace_missing(["cat", "na\u00efve"])
    ['cat', 'na\u00efve']
    """
    known = _known_characters()
    lacking = sorted({c for name in names for c in name if not c.isspace() and ord(c) not in known})
    if not lacking:
        return list(names)
    listed = ", ".join(f"{c} ({unicodedata.name(c, f'U+{ord(c):04X}')})" for c in lacking)
    problem = f"the font lacks {listed}: drawn as ?."
    text = "Choose a font that has them, with matplotlib.rcParams['font.family']."
    warning = MissingGlyphWarning(problem, Remedy("another font", text))
    warn(warning)
    drawn = [name.translate(dict.fromkeys(map(ord, lacking), "?")) for name in names]
    return [f"{name}{i}" if drawn.count(name) > 1 else name for i, name in enumerate(drawn)]


def _known_characters() -> set[int]:
    """What the fonts have that matplotlib would write with, one after the other."""
    from matplotlib.font_manager import FontProperties, findfont, get_font  # an extra

    found: set[int] = set()
    for family in FontProperties().get_family():
        try:
            path = findfont(FontProperties(family=[family]), fallback_to_default=False)
        except ValueError:
            continue
        found |= get_font(path).get_charmap().keys()
    return found or set(get_font(findfont(FontProperties())).get_charmap())
