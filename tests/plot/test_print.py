"""Pictures for print: widths, the current font, formats, and one place for colors."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

import arrangements
from arrangements import best_chamber, palette, plot_arrangement, plot_rankings
from arrangements.errors import InputError
from arrangements.paper import plot_bjorner
from arrangements.plot import plot_depth, plot_gap
from arrangements.plot.drawing import picture, text_size

PACKAGE = Path(arrangements.__file__).parent
W = [[1, 0], [0, 1], [-1, -1]]
CUBE = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]]
PLOTS: dict[str, tuple[Callable[..., Any], float]] = {
    "rankings": (lambda **options: plot_rankings(W, **options), 6 / 7),
    "halves": (lambda **options: plot_rankings(CUBE[1:], by="argmax", **options), 0.55),
    "arrangement": (lambda **options: plot_arrangement(W, [0, 0, 1], **options), 6 / 7),
    "depth": (lambda **options: plot_depth([[0, 0], [4, 0], [0, 4], [1, 1]], **options), 1),
    "body": (lambda **options: plot_depth(CUBE, **options), 1),
    "gap": (lambda **options: plot_gap(best_chamber(W, [1, 2, 3]), **options), 4 / 7),
    "bjorner": (lambda **options: plot_bjorner(**options), 0.9),
}


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLOTS)
def test_widths(name: str) -> None:
    plot, shape = PLOTS[name]
    for width, millimetres in (("column", 85), ("page", 175), (60, 60)):
        drawn = plot(width=width)
        wide, high = getattr(drawn, "figure", drawn).get_size_inches()
        assert (25.4 * wide, high / wide) == pytest.approx((millimetres, shape))
    axes = plt.figure() if name == "bjorner" else plt.figure().add_subplot()
    with pytest.raises(InputError, match="width was given with"):
        plot(width=85, **{"fig" if name == "bjorner" else "ax": axes})


@pytest.mark.parametrize("width", [0, -1, 29, 1001, "wide", float("nan"), True, [85], "85"])
def test_odd_widths(width: Any) -> None:
    with pytest.raises(InputError, match="expected 'column', 'page', or a number of millimetres"):
        plot_rankings(W, width=width)


def test_text_is_in_the_current_font() -> None:
    assert text_size() == 9
    settings = {"font.family": "DejaVu Serif", "font.size": 20, "axes.titlesize": 20}
    with matplotlib.rc_context(settings):
        for ax in (plot_rankings(W), plot_arrangement(W, [0, 0, 1])):
            texts = [text for text in ax.texts if text.get_text()]
            sizes = {round(text.get_fontsize() / 20, 3) for text in texts}
            assert sizes and sizes <= {0.9, 0.675}
            assert {text.get_fontname() for text in texts} == {"DejaVu Serif"}


@pytest.mark.slow
def test_formats(tmp_path: Path) -> None:
    for kind, first in ((".pdf", b"%PDF"), (".svg", b"<?xml"), (".png", b"\x89PNG")):
        path = tmp_path / f"p{kind}"
        with picture(path, (8, 6), "column") as figure:
            plot_rankings(W, ax=figure.subplots())
        assert path.read_bytes().startswith(first)
    assert b"/Type3" not in (tmp_path / "p.pdf").read_bytes()
    height, width, _ = plt.imread(tmp_path / "p.png").shape
    assert (width, height) == pytest.approx((85 / 25.4 * 300, 85 / 25.4 * 225), abs=1)


def test_colors_have_one_place() -> None:
    for path in PACKAGE.rglob("*.py"):
        if path.name != "palette.py":
            assert not re.findall(r'"#[0-9a-fA-F]{6}"', path.read_text("utf-8")), path
    for path in PACKAGE.rglob("*.html"):
        assert not re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8")), path


def light(color: str) -> float:
    """Relative luminance of sRGB."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_series_are_seen_on_white_and_on_black() -> None:
    for color in (*palette.SERIES, palette.GREY):
        assert 1.05 / (light(color) + 0.05) > 2.2 and (light(color) + 0.05) / 0.05 > 3
    assert len(set(palette.SERIES)) == len(palette.SERIES)
    assert 1.05 / (light(palette.GREY) + 0.05) > 4 < (light(palette.GREY) + 0.05) / 0.05


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_keys_leave_room_for_narrow_pictures() -> None:
    names = ["cat", "dog", "bird", "none"]
    many = plot_rankings([*W, [0, 0]], [0, 0, 0, 1], labels=names, width="column")
    assert many.get_legend() is None or len(many.get_legend().get_texts()) == 4
    assert many.get_title().endswith("too many to name")
    long = [name + " of a rather long name" for name in names]
    named = plot_rankings([*W, [0, 0]], [0, 0, 0, 1], labels=long, width="column")
    assert [text.get_text()[:4] for text in named.get_legend().get_texts()[:2]] == ["0 ca", "1 do"]
    wide = plot_rankings([*W, [0, 0]], [0, 0, 0, 1], labels=names, width="page")
    for ax in (many, named, wide):
        ax.figure.draw_without_rendering()
        width, height = ax.figure.get_size_inches()
        assert ax.get_position().width * width > 1.2 and ax.get_position().height * height > 0.9
