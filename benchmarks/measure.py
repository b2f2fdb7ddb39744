"""Print the table of measured speed and memory: ``python benchmarks/measure.py``.

Every ratio is to a reference run between the repetitions it is compared with. Needs the
extra ``bench``; memory is read from /proc, so that part needs Linux.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from cases import (
    Case,
    check,
    check_rankings,
    gaussian,
    highs_loop,
    listing_cases,
    points_for,
    ranking_cases,
    ranking_points,
    ranking_references,
    references,
    seconds,
)

import arrangements
from arrangements import chambers, count_rankings, rankings
from arrangements.incremental import Statistics, iter_incremental

PARTS = ["listing", "rankings", "incremental", "workers", "processes"]

Table = tuple[str, list[str], list[list[str]]]

# Reads its resident memory when the kernels are loaded, then the peak of the iteration.
_MEMORY = """
from pathlib import Path
from arrangements import generators, iter_chambers

def kilobytes(field):
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1])

sum(map(len, iter_chambers(generators.generic(12, 5, 1))))
W = generators.generic(100, 5, 1)
Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
before = kilobytes("VmRSS:")
total = sum(map(len, iter_chambers(W)))
print(total, kilobytes("VmHWM:") - before)
"""

_IMPORT = """
import time
began = time.perf_counter()
import arrangements
print(time.perf_counter() - began)
"""

_COUNT = (
    "import numpy as np, arrangements as a\nW = np.random.default_rng(1)"
    ".standard_normal((20, 4))\nprint(a.count_chambers(W))"
)


def alternating(actions: list[Callable[[], object]], repeats: int) -> list[list[float]]:
    """Times of each action; they take turns, so that a slow spell hits all of them."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for taken, action in zip(times, actions, strict=True):
            taken += seconds(action, 1)
    return times


def spread(times: list[float]) -> str:
    """Median and least, in ms."""
    return f"{1e3 * median(times):.1f} ({1e3 * min(times):.1f})"


def ratios(times: list[float], reference: list[float]) -> tuple[float, float]:
    """Ratio of the medians and of the least: apart if the machine was busy."""
    return median(times) / median(reference), min(times) / min(reference)


def verdict(value: float, limit: float, larger: bool = False) -> str:
    """Compare a number with its limit."""
    met = value >= limit if larger else value <= limit
    return f"{limit:.3g} {'met' if met else 'MISSED'}"


def listing(repeats: int) -> Table:
    rows = [_listing_row(case, repeats) for case in listing_cases()]
    header = ["input", "chambers", "chambers(W) ms", "plain ms", "ratio", "limit"]
    header += ["tuned ms", "ratio", "limit", "chambers/s", "ns/row", "MB/s", "x copy", "points"]
    title = (
        "chambers(W) beside NumPy evaluating and packing X @ W.T > 0, one thread; median (least). "
        "A row is a stored sign vector, one of each +/- pair. Limits hold for both ratios"
    )
    return title, header, rows


def _listing_row(case: Case, repeats: int) -> list[str]:
    found = chambers(case.W)
    check(found, case)
    points, true = points_for(found)
    plain, tuned = references(points, case.W)
    for packed in (plain(), tuned()) if true else ():
        assert (packed == found.packed).all()
    times = alternating([lambda: chambers(case.W), plain, tuned, found.packed.copy], repeats)
    taken, copying = median(times[0]), median(times[3])
    by_plain, by_tuned = (ratios(times[0], reference) for reference in times[1:3])
    return [
        f"{case.name} {case.size}",
        f"{case.count:,}",
        spread(times[0]),
        spread(times[1]),
        f"{by_plain[0]:.3f} ({by_plain[1]:.3f})",
        verdict(max(by_plain), case.target),
        spread(times[2]),
        f"{by_tuned[0]:.3f} ({by_tuned[1]:.3f})",
        verdict(max(by_tuned), case.target),
        f"{case.count / taken:.3g}",
        f"{1e9 * taken / len(found.packed):.1f}",
        f"{found.packed.nbytes / taken / 1e6:.0f}",
        f"{taken / copying:.1f}",
        "witnesses" if true else "random (same work)",
    ]


def incremental(repeats: int, cap: float) -> Table:
    rows = []
    for case, limit in ((gaussian(20, 4), 0.05), (gaussian(40, 4), 1.0)):
        rows.append(_incremental_row(case, limit, repeats, cap))
    header = ["input", "chambers", "ms", "limit (s)", "LPs/chamber", "HiGHS loop s"]
    header += ["its LPs/chamber", "ratio", "limit"]
    return "method='incremental' beside a HiGHS loop with a warm model", header, rows


def _incremental_row(case: Case, limit: float, repeats: int, cap: float) -> list[str]:
    found = chambers(case.W, method="incremental")
    check(found, case)
    assert found == chambers(case.W)
    own = seconds(lambda: chambers(case.W, method="incremental"), repeats)
    statistics = Statistics()
    listed = sum(map(len, iter_incremental(case.W, statistics=statistics)))
    assert 2 * listed == case.count
    runs = [highs_loop(case.W, cap) for _ in range(3)]
    stored, programs, taken = sorted(runs, key=lambda run: run[2] / run[0])[1]
    whole = 2 * stored == case.count
    assert whole or taken > cap
    # Depth first finds chambers at an even rate: the whole takes in proportion.
    full = taken * case.count / (2 * stored)
    ratio = full / median(own)
    part = "" if whole else f" (extrapolated from {2 * stored:,} in {taken:.0f} s)"
    return [
        f"{case.name} {case.size}",
        f"{case.count:,}",
        spread(own),
        verdict(median(own), limit),
        f"{statistics.tests / listed:.2f}",
        f"{full:.2f}{part}",
        f"{programs / stored:.2f}",
        f"{ratio:.0f}",
        verdict(ratio, 36, larger=True),
    ]


def rankings_table(repeats: int) -> Table:
    rows = [_ranking_row(case, repeats) for case in ranking_cases()]
    header = ["input", "rankings", "rankings(W) ms", "one call ms", "ratio", "blocks ms", "ratio"]
    header += ["rankings/s", "ns/row", "count_rankings ms", "points"]
    title = (
        "rankings(W) beside NumPy's argsort(X @ W.T) with a point of every stored ranking (one of "
        "each reversed pair) given, one thread; median (least)"
    )
    return title, header, rows


def _ranking_row(case: Case, repeats: int) -> list[str]:
    found = rankings(case.W)
    check_rankings(found, case)
    assert count_rankings(case.W) == case.count
    points, true = ranking_points(found)
    whole, blocks = ranking_references(points, case.W)
    for orders in (whole(), blocks()) if true else ():
        assert (orders == found.orders).all()
    actions = [lambda: rankings(case.W), whole, blocks, lambda: count_rankings(case.W)]
    times = alternating(actions, repeats)
    by_whole, by_blocks = (ratios(times[0], reference) for reference in times[1:3])
    return [
        f"{case.name} {case.size}",
        f"{case.count:,}",
        spread(times[0]),
        spread(times[1]),
        f"{by_whole[0]:.3f} ({by_whole[1]:.3f})",
        spread(times[2]),
        f"{by_blocks[0]:.3f} ({by_blocks[1]:.3f})",
        f"{case.count / median(times[0]):.3g}",
        f"{1e9 * median(times[0]) / len(found.orders):.1f}",
        spread(times[3]),
        "witnesses" if true else "random (same work)",
    ]


def workers(repeats: int) -> Table:
    case = gaussian(100, 5)
    check(chambers(case.W, workers=2), case)
    one, two = alternating([lambda: chambers(case.W), lambda: chambers(case.W, workers=2)], repeats)
    both = ratios(one, two)
    row = [case.size, f"{case.count:,}", spread(one), spread(two), f"{both[0]:.2f} ({both[1]:.2f})"]
    header = ["input", "chambers", "1 worker ms", "2 workers ms", "ratio", "limit"]
    return "two workers", header, [[*row, verdict(min(both), 1.7, larger=True)]]


def child(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout


def processes(repeats: int) -> Table:
    """Fresh processes: memory, import, first answer."""
    total, kilobytes = map(int, child(_MEMORY).split())
    assert total == gaussian(100, 5).count
    rows = [_row("iterating n=100 d=5 adds (MB)", kilobytes * 1024 / 1e6, 64)]
    imports = [float(child(_IMPORT)) for _ in range(repeats)]
    rows.append(_row("import arrangements (s)", median(imports), 0.3))

    def count(**environment: str) -> None:
        assert int(child(_COUNT, **environment)) == gaussian(20, 4).count

    count()
    rows.append(_row("process counting 20 x 4 (s)", median(seconds(count, repeats)), 2))
    with tempfile.TemporaryDirectory() as empty:
        cold = seconds(lambda: count(NUMBA_CACHE_DIR=empty), 1)[0]
    rows.append(_row("the same without kernel cache (s)", cold, 20))
    return "fresh processes", ["what", "measured", "limit"], rows


def _row(name: str, value: float, limit: float) -> list[str]:
    return [name, f"{value:.3g}", verdict(value, limit)]


def machine() -> str:
    """CPU, cores and versions."""
    import numba
    import numpy

    info = Path("/proc/cpuinfo")
    names = (
        [x.split(":")[1].strip() for x in info.read_text().splitlines() if "model name" in x]
        if info.exists()
        else [platform.processor()]
    )
    return (
        f"{names[0]}, {os.cpu_count()} cores; {platform.system()}, Python "
        f"{platform.python_version()}, numpy {numpy.__version__}, numba {numba.__version__}, "
        f"arrangements {arrangements.__version__}"
    )


def markdown(table: Table) -> str:
    title, header, rows = table
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join([f"**{title}**", "", *("| " + " | ".join(line) + " |" for line in lines), ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--highs-cap", type=float, default=15.0, help="seconds of the HiGHS loop")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--markdown", metavar="FILE", help="also write the tables here")
    given = parser.parse_args()
    parts: dict[str, Callable[[], Any]] = {
        "listing": lambda: listing(given.repeats),
        "rankings": lambda: rankings_table(given.repeats),
        "incremental": lambda: incremental(given.repeats, given.highs_cap),
        "workers": lambda: workers(given.repeats),
        "processes": lambda: processes(given.repeats),
    }
    text = [machine(), ""]
    print(text[0], end="\n\n", flush=True)
    for name, part in parts.items():
        if given.only in (None, name):
            text.append(markdown(part()))
            print(text[-1], flush=True)
    if given.markdown:
        Path(given.markdown).write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
