"""Does the explorer follow the pointer? ``python -m benchmarks.drag``, on a quiet machine.

A row is moved on a circle around its place. Measured is the time from a move to the reply (regions,
counts, cosines and one picture, as JSON), and, where a browser and Playwright are installed, to the
drawn page: all of it but what lists 500 regions or more, which waits until the pointer rests. After
the moves the regions are compared with `rankings`, `argmax_labels` or `chambers` of the moved rows.
Exit status 1 says that a median is above its limit: 0.1 s for 12 labels in the plane, 0.3 s for 10
in space.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from arrangements import argmax_labels, chambers, rankings
from arrangements.explorer.session import Session
from arrangements.explorer.state import state_of

PLANE, SPACE = 0.1, 0.3
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Seconds from each move of a row to the second frame after its reply was drawn.
FOLLOW = """async ([row, x, y, places]) => {
  const panel = window.arrangementsExplorer[0], frame = () => new Promise(requestAnimationFrame);
  const times = [], drag = (event_name, x, y) => panel.pointer("rows", { event_name, x, y });
  drag("panstart", x, y);
  for (const [x, y] of places) {
    const start = performance.now();
    drag("pan", x, y);
    while (panel.state().busy) await new Promise(resolve => setTimeout(resolve, 1));
    await frame();
    await frame();
    times.push((performance.now() - start) / 1000);
  }
  drag("panend", 0, 0);
  return times;
}"""


class Case(NamedTuple):
    """What is shown of how many labels, the picture that is drawn, and the limit in seconds."""

    show: str
    n: int
    d: int
    affine: bool
    picture: str
    limit: float

    @property
    def name(self) -> str:
        """The case in words."""
        offsets = ", offsets" if self.affine else ""
        return f"{self.show}, {self.n} rows, d = {self.d}{offsets}, {self.picture}"

    @property
    def rows(self) -> tuple[Any, Any]:
        """Rows of W, and offsets or None."""
        rng = np.random.default_rng(0)
        W = rng.integers(-50, 51, (self.n, self.d))
        return W, rng.integers(-50, 51, self.n) if self.affine else None


CASES = [
    *(Case("rankings", 12, 2, affine, "plane", PLANE) for affine in (False, True)),
    Case("top-1", 12, 2, True, "plane", PLANE),
    Case("chambers", 12, 2, True, "plane", PLANE),
    Case("rankings", 12, 2, False, "graph", PLANE),
    *(Case("rankings", 10, 3, False, picture, SPACE) for picture in ("plane", "sphere")),
    Case("top-1", 10, 3, False, "sphere", SPACE),
    Case("chambers", 10, 3, True, "plane", SPACE),
    Case("rankings", 10, 6, False, "plane", SPACE),
]


def places(case: Case, moves: int) -> list[list[float]]:
    """Where row 0 goes: around its place, by a fifth of the size of the rows."""
    x, y = case_place(case)
    angles = 2 * np.pi * np.arange(1, moves + 1) / moves
    return [[x + 10 * float(np.sin(a)), y + 10 * float(1 - np.cos(a))] for a in angles]


def case_place(case: Case) -> list[float]:
    """Where row 0 is in the picture of rows."""
    return [float(entry) for entry in state_of(*case.rows, show=case.show).at[0]]


def replies(case: Case, moves: int) -> list[float]:
    """Seconds from each move to its reply; the last reply is compared with the library's answer."""
    session = Session(state_of(*case.rows, show=case.show))
    times = []
    for place in [case_place(case), *places(case, moves)]:  # the first compiles
        start = perf_counter()
        message = {"do": "move", "row": 0, "to": place, "pictures": [case.picture]}
        text = json.dumps(session.handle(message))
        times.append(perf_counter() - start)
    check(case, session, json.loads(text))
    return times[1:]


def check(case: Case, session: Session, reply: Any) -> None:
    """Compare a reply with what the library lists for the same rows."""
    state = session.state
    model: Any = state.whole if session.view.whole else state.section
    W = model.normals if case.show == "chambers" else model.weights
    found = session.view.regions.keys
    assert len(found) == len(set(reply["names"])) > case.n / 4
    if case.show == "chambers":
        assert set(found) == set(map(tuple, chambers(W, model.offsets).to_array().tolist()))
    elif case.show == "top-1":
        assert [i for (i,) in found] == argmax_labels(W, model.offsets).tolist()
    else:
        assert set(found) == set(map(tuple, rankings(W, model.offsets).to_array().tolist()))


@contextmanager
def served(case: Case, folder: Path) -> Iterator[str]:
    """The address of a server for a case."""
    W, b = case.rows
    np.savetxt(folder / "w.txt", W, "%d")
    command = [sys.executable, "-m", "arrangements", "explore", "w.txt", "--no-open"]
    if b is not None:
        np.savetxt(folder / "b.txt", b, "%d")
        command += ["--offsets", "b.txt"]
    with subprocess.Popen(
        [*command, "--show", case.show],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield re.findall(r"http://\S+", process.stdout.readline())[0]
        finally:
            process.send_signal(signal.SIGINT)


def drawn(case: Case, moves: int, browser: Any) -> list[float]:
    """Seconds from each move to the drawn page."""
    with tempfile.TemporaryDirectory() as folder, served(case, Path(folder)) as address:
        tab = browser.new_page(viewport={"width": 1400, "height": 1000})
        tab.goto(address)
        tab.wait_for_function("window.arrangementsExplorer?.[0]?.state().now")
        if case.picture != "plane":
            tab.get_by_role("button", name=case.picture).click()
            tab.wait_for_function("!window.arrangementsExplorer[0].state().busy")
        start = case_place(case)
        arguments = [0, *start, [start, *places(case, moves)]]
        times: list[float] = tab.evaluate(FOLLOW, arguments)
        x, y = places(case, moves)[-1]
        rows = tab.evaluate("window.arrangementsExplorer[0].state().now.rows")
        assert abs(rows["x"][0] - x) < 0.2 and abs(rows["y"][0] - y) < 0.2
        tab.close()
    return times[1:]


@contextmanager
def a_browser() -> Iterator[Any]:
    """A browser without a window, or None."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


def main() -> int:
    """Measure all cases, and say which are above their limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--only", default="", help="Cases whose names hold this.")
    moves, only = (found := parser.parse_args()).moves, found.only
    late = []
    gc.freeze()  # as the server does
    with a_browser() as browser:
        head = ("limit", "reply", "longest", "drawn", "longest")[: 3 if browser is None else 5]
        print(f"{'case':42}" + "".join(f"{word:>9}" for word in head))
        for case in CASES:
            if only not in case.name:
                continue
            columns = [replies(case, moves)]
            columns += [] if browser is None else [drawn(case, moves, browser)]
            medians = [statistics.median(times) for times in columns]
            numbers = [x for times in columns for x in (statistics.median(times), max(times))]
            shown = "".join(f"{1000 * x:6.0f} ms" for x in (case.limit, *numbers))
            print(f"{case.name:42}{shown}", flush=True)
            late += [case.name] if max(medians) > case.limit else []
    for name in late:
        print(f"above its limit: {name}")
    return bool(late)


if __name__ == "__main__":
    sys.exit(main())
