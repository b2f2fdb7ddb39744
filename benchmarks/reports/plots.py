"""Pictures of a run; they need matplotlib, the extra ``plot``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from arrangements import palette
from arrangements.files.atomic import atomic_write
from arrangements.messages import missing_library
from benchmarks.reports.interactive import fragment
from benchmarks.runs.run_files import Record, RunRecord
from benchmarks.suites.cases import CHAMBERS
from benchmarks.suites.methods import is_own


def save_plots(run: RunRecord, folder: str) -> list[str]:
    """Write time, heatmap, peers and workers.svg, and times.html, those that there are cases for.

    Parameters
    ----------
    run : dict
        As from `run_suite`.
    folder : str
        Made if it is not there.

    Returns
    -------
    list of str
        Paths of the pictures.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    check_folder(folder)
    from matplotlib import rc_context  # an extra
    from matplotlib.figure import Figure  # an extra

    written = []
    for name, draw in _DRAWN.items():
        with rc_context(_STYLE | {"svg.hashsalt": name}):
            figure = Figure(figsize=(7, 4.5), layout="constrained")
            if not draw(figure, run["cases"], run["machine"]):
                continue
            path = str(Path(folder) / f"{name}.svg")
            figure.savefig(path, metadata={"Date": None, "Creator": None})
        written.append(path)
    if page := fragment(run):
        path = str(Path(folder) / "times.html")
        with atomic_write(path) as file:
            file.write(page.encode("ascii"))
        written.append(path)
    return written


_GREY = palette.GREY  # for pages with a white and with a dark background
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.framealpha": 0,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.2,
} | dict.fromkeys(
    ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _GREY
)


def check_folder(folder: str) -> None:
    """Make the folder for pictures; as `save_plots` if they cannot be drawn."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_library("matplotlib", "for plots", "plot") from error
    Path(folder).mkdir(parents=True, exist_ok=True)


def _answered(records: list[Record]) -> list[Record]:
    return [record for record in records if record["status"] == "ok"]


def _time(figure: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Seconds against chambers of generic ones, a panel for each d, a line for each method."""
    panels: dict[int, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in _answered(records):
        generic = record["family"] in ("gaussian", "integer")
        if record["topic"] == CHAMBERS and record["workers"] == 1 and generic and is_own(record):
            panels[record["d"]][record["method"]][record["found"]] = record["seconds"]
    if not panels:
        return False
    from matplotlib.ticker import NullFormatter  # an extra

    names = dict.fromkeys(name for by_method in panels.values() for name in by_method)
    colors = {name: _color(k) for k, name in enumerate(names)}
    rows = -(-len(panels) // 2)
    figure.set_size_inches(9, 3.4 * rows)
    figure.suptitle("Seconds for the chambers of generic arrangements, by their number")
    all_axes = figure.subplots(rows, min(2, len(panels)), squeeze=False).ravel()
    for axes in all_axes[len(panels) :]:
        axes.remove()
    for axes, d in zip(all_axes, sorted(panels), strict=False):
        labels = []
        for name, by_count in panels[d].items():
            counts = sorted(by_count)
            times = [by_count[count] for count in counts]
            axes.plot(counts, times, "o-", color=colors[name], markersize=3, linewidth=0.9)
            labels.append((times[-1], counts[-1], name, colors[name]))
        found = [count for by_count in panels[d].values() for count in by_count]
        ends = np.array([min(found), max(found)])
        # a word of 64 signs for each pair of opposite chambers
        copying = 4 * ends / machine["copy_bytes_per_second"]
        axes.plot(ends, copying, ":", color=_GREY)
        labels.append((copying[-1], ends[-1], "copy in memory", _GREY))
        axes.set(xscale="log", yscale="log", title=f"d = {d}")
        axes.xaxis.set_minor_formatter(NullFormatter())  # one beside the other
        _label_lines(axes, labels)
    return True


def _label_lines(axes: Any, labels: Sequence[tuple[float, float, str, str]]) -> None:
    """Names beside the ends of lines: height, place, name and color; none covers another."""
    low, high = np.log(axes.get_ylim())
    labels = sorted(labels)
    heights = np.log([end for end, *_ in labels])
    least = (high - low) / max(16, len(labels))
    for k in range(1, len(heights)):  # up, and then down from the top
        heights[k] = max(heights[k], heights[k - 1] + least)
    heights[-1] = min(heights[-1], high)
    for k in reversed(range(len(heights) - 1)):
        heights[k] = min(heights[k], heights[k + 1] - least)
    for height, (end, place, name, color) in zip(heights, labels, strict=True):
        axes.annotate(
            name,
            (place, end),
            (1.03, float(np.exp(height))),
            textcoords=axes.get_yaxis_transform(),
            color=color,
            fontsize="x-small",
            va="center",
            arrowprops={"arrowstyle": "-", "color": color, "lw": 0.3},
            annotation_clip=False,
        )


def _color(k: int) -> str:
    return palette.SERIES[k % len(palette.SERIES)]  # the first again, with another name


def _heatmap(figure: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Chambers per second of the sweep over n and d, colored by their logarithm."""
    from matplotlib.colors import LogNorm  # an extra

    cells = {
        (record["n"], record["d"]): record["chambers_per_second"]
        for record in _answered(records)
        if (record["topic"], record["family"]) == (CHAMBERS, "gaussian")
        and (record["method"], record["workers"]) == ("sweep", 1)
    }
    if len(cells) < 2:
        return False
    figure.set_size_inches(9, 3.4)
    axes = figure.add_subplot()
    rows, columns = (sorted({cell[axis] for cell in cells}) for axis in (1, 0))
    values = np.full((len(rows), len(columns)), np.nan)
    for (n, d), rate in cells.items():
        values[rows.index(d), columns.index(n)] = rate / 1e6
    norm = LogNorm(np.nanmin(values), np.nanmax(values))
    picture = axes.imshow(values, norm=norm, aspect="auto", origin="lower", cmap="viridis")
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = norm(value) < 0.6
            axes.text(
                column,
                row,
                f"{value:.0f}" if value >= 9.5 else f"{value:.1f}",
                color=palette.PALER if dark else palette.DARK,
                fontsize="xx-small",
                ha="center",
                va="center",
            )
    axes.set_xticks(range(len(columns)), map(str, columns), fontsize="x-small", rotation=90)
    axes.set_yticks(range(len(rows)), map(str, rows))
    axes.set(xlabel="hyperplanes n", ylabel="dimension d")
    axes.set_title("Millions of chambers listed per second, Gaussian, one thread")
    figure.colorbar(picture)
    return True


def _peers(figure: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Times of other software over that of the sweep, by the number of chambers."""
    sweep = {
        _case(record): record
        for record in _answered(records)
        if (record["method"], record["workers"]) == ("sweep", 1)
    }
    others = [record for record in records if not is_own(record) and _case(record) in sweep]
    if not others:
        return False
    # the inputs that most of it was given
    family, d = Counter((record["family"], record["d"]) for record in others).most_common(1)[0][0]
    series: dict[str, dict[int, float]] = defaultdict(dict)
    stopped: dict[str, int] = {}
    for record in others:
        beside, name = sweep[_case(record)], record["method"]
        if (record["family"], record["d"]) != (family, d):
            continue
        if record["status"] == "ok":
            series[name][beside["chambers"]] = record["seconds"] / beside["seconds"]
        elif record["status"] == "capped":
            stopped[name] = min(beside["chambers"], stopped.get(name, beside["chambers"]))
    if not series:
        return False
    figure.set_size_inches(9, 4.5)
    axes = figure.add_subplot()
    labels = []
    for k, (name, points) in enumerate(series.items()):
        counts, factors = zip(*sorted(points.items()), strict=True)
        axes.plot(counts, factors, "o-", color=_color(k), markersize=3, linewidth=0.9)
        if name in stopped:
            axes.plot([stopped[name]], [factors[-1]], "X", color=_color(k), markersize=7)
        labels.append((factors[-1], counts[-1], name, _color(k)))
    axes.axhline(1, color=_GREY, linestyle=":")
    axes.set(xscale="log", yscale="log", xlabel="chambers", ylabel="times as long as the sweep")
    axes.set_title(f"Other software, {family} matrices with d = {d}; X: no answer in time")
    _label_lines(axes, labels)
    return True


def _case(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("topic", "family", "n", "d"))


def _workers(figure: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Speed with several threads over that with one."""
    series: dict[str, dict[int, float]] = defaultdict(dict)
    for record in _answered(records):
        if record["method"] == "sweep":
            name = f"{record['topic']} {record['family']} n={record['n']} d={record['d']}"
            series[name][record["workers"]] = min(record["seconds_all"])
    series = {name: times for name, times in series.items() if len(times) > 1 and 1 in times}
    if not series:
        return False
    axes = figure.add_subplot()
    most = max(max(times) for times in series.values())
    axes.plot([1, most], [1, most], ":", color=_GREY, label="ideal")
    for number, (name, times) in enumerate(series.items()):
        workers, color = sorted(times), palette.SERIES[number % len(palette.SERIES)]
        axes.plot(workers, [times[1] / times[k] for k in workers], "o-", label=name, color=color)
    axes.set(xlabel="threads", ylabel="times as fast as one")
    axes.set_xticks(range(1, most + 1))
    axes.legend(fontsize="small")
    return True


_DRAWN: dict[str, Callable[[Any, list[Record], dict[str, Any]], bool]] = {
    "time": _time,
    "heatmap": _heatmap,
    "peers": _peers,
    "workers": _workers,
}
