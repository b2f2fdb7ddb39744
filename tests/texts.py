"""What every picture must satisfy: its texts can be read."""

from itertools import combinations
from typing import Any


def check_texts_apart(figure: Any) -> None:
    """No text of a figure overlaps another one or leaves the figure."""
    figure.draw_without_rendering()
    renderer = figure._get_renderer()
    everything = [
        text.get_window_extent(renderer)
        for ax in figure.axes
        for text in [*ax.texts, ax.title]
        if text.get_text()
    ]
    assert everything
    for box in everything:
        assert figure.bbox.x0 - 1 <= box.x0 and box.x1 <= figure.bbox.x1 + 1
        assert figure.bbox.y0 - 1 <= box.y0 and box.y1 <= figure.bbox.y1 + 1
    for a, b in combinations(everything, 2):
        assert min(a.x1, b.x1) - max(a.x0, b.x0) < 1 or min(a.y1, b.y1) - max(a.y0, b.y0) < 1
