"""Listing and counting rankings by every method of the package."""

from typing import Any

from beside import run_beside

from arrangements.benchmarking.cases import RANKINGS
from arrangements.benchmarking.suites import Job

TOPIC, OTHER_SOFTWARE = RANKINGS, False


def test_rankings(benchmark: Any, job: Job) -> None:
    run_beside(benchmark, job)
