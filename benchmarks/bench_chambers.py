"""Listing and counting chambers by every method of the package."""

from typing import Any

from beside import run_beside

from arrangements.benchmarking.cases import CHAMBERS
from arrangements.benchmarking.suites import Job

TOPIC, OTHER_SOFTWARE = CHAMBERS, False


def test_chambers(benchmark: Any, job: Job) -> None:
    run_beside(benchmark, job)
