"""A picture of a search: values and bounds over time. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrangements.checks import check_instance
from arrangements.exact.numbers import nearest_float
from arrangements.optimize.optimum import Optimum
from arrangements.plot.colors import PALETTE
from arrangements.plot.drawing import Width, axes_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = (7, 4)


def plot_gap(optimum: Optimum, *, width: Width | None = None, ax: Axes | None = None) -> Axes:
    """Draw how the best value found and the bound for all others went on while time passed.

    Parameters
    ----------
    optimum : Optimum
        Of `best_chamber` or `max_feasible`; the ``optimum_`` of a `ZeroOneClassifier`.
    width : {"column", "page"} or float, optional
        Width of the figure, for print: that of a column, of a page, or in millimeters.
    ax : matplotlib.axes.Axes, optional
        Default: one of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    See Also
    --------
    best_chamber : `time_limit` ends a search.

    Examples
    --------
    >>> from arrangements import best_chamber
    >>> ax = plot_gap(best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4], method="bounds"))
    >>> ax.get_xlabel(), [line.get_label() for line in ax.get_lines()]
    ('seconds', ['best found', 'bound'])
    """
    check_instance("optimum", optimum, Optimum)
    ax = axes_for(ax, _SIZE, width)
    seconds = [second for second, _, _ in optimum.history]
    values = [nearest_float(value) for _, value, _ in optimum.history]
    known = [
        (second, nearest_float(bound)) for second, _, bound in optimum.history if bound is not None
    ]
    ax.plot(seconds, values, ".-", drawstyle="steps-post", color=PALETTE[0], label="best found")
    if known:
        times, bounds = zip(*known, strict=True)
        ax.plot(times, bounds, ".-", drawstyle="steps-post", color=PALETTE[6], label="bound")
    ax.set_xlabel("seconds")
    ax.set_ylabel("value")
    ax.legend(loc="best")
    return ax
