"""Write the tables of the README and docs/benchmarks.md, and their pictures, from the saved runs.

    python -m benchmarks.fill_tables

A table stands between ``<!-- RUN: NAME -->`` and the next blank line; RUN is a file of
docs/benchmarks and NAME a key of ``TABLES``.
"""

import re
import shutil
import tempfile
from pathlib import Path

from benchmarks.reports import formats, plots, report, report_tables
from benchmarks.reports.growth import growth
from benchmarks.runs import run_files
from benchmarks.suites.cases import MODELS, OPTIMIZE, SCALE

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "benchmarks"
PAGES = (ROOT / "README.md", ROOT / "docs" / "benchmarks.md")
TABLES = {
    "machine": lambda run: report.machine_line(run),
    "processor machine": lambda run: report.machine_line(run["processors"]),
    "highlights": lambda run: formats.markdown(report_tables.highlights(run)),
    "threads": lambda run: formats.markdown(report_tables.worker_table(run)),
    "growth": lambda run: formats.markdown(report_tables.powers_table(growth(run))),
    "predictions": lambda run: formats.markdown(report_tables.prediction_table(run)),
    "peers": lambda run: formats.markdown(report_tables.peer_summary(run)),
    "processors": lambda run: formats.markdown(report_tables.processor_table(run["processors"])),
    "models": lambda run: formats.markdown(report_tables.promise_table(run, MODELS)),
    "optimize": lambda run: formats.markdown(report_tables.promise_table(run, OPTIMIZE)),
    "scale": lambda run: formats.markdown(report_tables.promise_table(run, SCALE)),
    "first": lambda run: formats.markdown(report_tables.process_table(run)),
}
PICTURES = {"standard": ("time.svg", "heatmap.svg", "times.html"), "peers": ("peers.svg",)}
_MARK = re.compile(r"(<!-- (\w+): ([\w ]+) -->\n)(?:.+\n)*")


def fill(text: str) -> str:
    """Put the tables of the saved runs into a page."""

    def table(mark: re.Match[str]) -> str:
        return mark[1] + TABLES[mark[3]](run_files.load_run(str(FOLDER / f"{mark[2]}.json")))

    return _MARK.sub(table, text)


def draw(folder: Path) -> None:
    """Draw the pictures of the pages."""
    for name, pictures in PICTURES.items():
        with tempfile.TemporaryDirectory() as drawn:
            plots.save_plots(run_files.load_run(str(FOLDER / f"{name}.json")), drawn)
            for picture in pictures:
                shutil.copy(Path(drawn) / picture, folder)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(fill(page.read_text("utf-8")), "utf-8")
    draw(FOLDER)
