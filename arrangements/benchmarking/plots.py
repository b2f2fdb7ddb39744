"""Pictures of a run; they need matplotlib, the extra ``plot``."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from arrangements import palette
from arrangements.benchmarking.cases import CHAMBERS
from arrangements.benchmarking.interactive import fragment
from arrangements.benchmarking.methods import METHODS
from arrangements.benchmarking.runner import Record, RunRecord
from arrangements.errors import MissingDependencyError
from arrangements.files.matrices import atomic_write


def save_plots(run: RunRecord, folder: str) -> list[str]:
    """Write time.svg, heatmap.svg, workers.svg and times.html, those for which there are cases.

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

    answered = [record for record in run["cases"] if record["status"] == "ok"]
    written = []
    for name, draw in (("time", _time), ("heatmap", _heatmap), ("workers", _workers)):
        with rc_context(_STYLE | {"svg.hashsalt": name}):
            figure = Figure(figsize=(7, 4.5), layout="constrained")
            if not draw(figure.add_subplot(), answered, run["machine"]):
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
        raise MissingDependencyError(
            "plots need matplotlib, which is not installed: "
            "pip install 'hyperplane-arrangements[plot]'."
        ) from error
    Path(folder).mkdir(parents=True, exist_ok=True)


def _time(axes: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Seconds against chambers, a line for each method or peer and dimension: generic ones."""
    series: dict[str, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        generic = record["family"] in ("gaussian", "integer")
        if record["topic"] == CHAMBERS and record["workers"] == 1 and generic:
            series[record["method"]][record["d"]][record["found"]] = record["seconds"]
    if not series:
        return False
    for k, (name, dimensions) in enumerate(series.items()):
        mark = "o-" if name in METHODS[CHAMBERS] else "x--"
        color = palette.SERIES[k % len(palette.SERIES)]  # the first again, with another mark
        for d, by_count in dimensions.items():
            counts = sorted(by_count)
            times = [by_count[count] for count in counts]
            label = name if d == min(dimensions) else None
            axes.plot(counts, times, mark, color=color, label=label, markersize=3, linewidth=0.9)
    found = [count for by in series.values() for counts in by.values() for count in counts]
    ends = np.array([min(found), max(found)])
    # a word of 64 signs for each pair of opposite chambers
    copying = 4 * ends / machine["copy_bytes_per_second"]
    axes.plot(ends, copying, ":", color=_GREY, label="copy in memory")
    axes.set(xscale="log", yscale="log", xlabel="chambers", ylabel="seconds")
    axes.set_title("Listing (or counting) the chambers of generic arrangements")
    axes.legend(fontsize="x-small", ncols=2)
    return True


def _heatmap(axes: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Chambers per second of the sweep over n and d."""
    cells = {
        (record["n"], record["d"]): record["chambers_per_second"]
        for record in records
        if (record["topic"], record["family"]) == (CHAMBERS, "gaussian")
        and (record["method"], record["workers"]) == ("sweep", 1)
    }
    if len(cells) < 2:
        return False
    rows, columns = (sorted({cell[axis] for cell in cells}) for axis in (1, 0))
    values = np.full((len(rows), len(columns)), np.nan)
    for (n, d), rate in cells.items():
        values[rows.index(d), columns.index(n)] = rate / 1e6
    picture = axes.imshow(values, aspect="auto", origin="lower", cmap="viridis")
    axes.set_xticks(range(len(columns)), map(str, columns), fontsize="x-small", rotation=90)
    axes.set_yticks(range(len(rows)), map(str, rows))
    axes.set(xlabel="hyperplanes n", ylabel="dimension d")
    axes.set_title("Millions of chambers listed per second, Gaussian, one thread")
    axes.figure.colorbar(picture)
    return True


def _workers(axes: Any, records: list[Record], machine: dict[str, Any]) -> bool:
    """Speed with several threads over that with one."""
    series: dict[str, dict[int, float]] = defaultdict(dict)
    for record in records:
        if record["method"] == "sweep":
            name = f"{record['topic']} {record['family']} n={record['n']} d={record['d']}"
            series[name][record["workers"]] = min(record["seconds_all"])
    series = {name: times for name, times in series.items() if len(times) > 1 and 1 in times}
    if not series:
        return False
    most = max(max(times) for times in series.values())
    axes.plot([1, most], [1, most], ":", color=_GREY, label="ideal")
    for number, (name, times) in enumerate(series.items()):
        workers, color = sorted(times), palette.SERIES[number % len(palette.SERIES)]
        axes.plot(workers, [times[1] / times[k] for k in workers], "o-", label=name, color=color)
    axes.set(xlabel="threads", ylabel="times as fast as one")
    axes.set_xticks(range(1, most + 1))
    axes.legend(fontsize="small")
    return True
