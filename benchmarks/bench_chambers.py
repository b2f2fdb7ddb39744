"""Listing and counting chambers by every method of the package."""

from typing import Any

from benchmarks.beside import run_beside
from benchmarks.suites.cases import CHAMBERS
from benchmarks.suites.suites import Job

TOPIC, OTHER_SOFTWARE = CHAMBERS, False


def test_chambers(benchmark: Any, job: Job) -> None:
    run_beside(benchmark, job)
