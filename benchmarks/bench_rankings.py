"""Listing and counting rankings by every method of the package."""

from typing import Any

from benchmarks.beside import run_beside
from benchmarks.suites.cases import RANKINGS
from benchmarks.suites.suites import Job

TOPIC, OTHER_SOFTWARE = RANKINGS, False


def test_rankings(benchmark: Any, job: Job) -> None:
    run_beside(benchmark, job)
