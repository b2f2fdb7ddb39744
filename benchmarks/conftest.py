"""The suites of ``python -m benchmarks`` under pytest-benchmark: ``pytest benchmarks``.

``--suite`` names the suite (default quick). Here a time can be compared between commits with
``--benchmark-compare``; caps, memory, other software that takes too long and the report are the
business of ``python -m benchmarks``, which runs the same table. pytest-benchmark and not asv: it
needs no environment for each commit, in which the kernels would be compiled again.
"""

import os

# Before NumPy is imported: the references run on one thread.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1")

import pytest

from benchmarks.suites.peers import PEERS
from benchmarks.suites.suites import SUITES, suite_named


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--suite", choices=list(SUITES), default="quick", help="which cases to run")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each job of the module's topic; peers have a module of their own."""
    if "job" not in metafunc.fixturenames:
        return
    jobs = [
        job
        for job in suite_named(metafunc.config.getoption("suite")).jobs()
        if job.case.topic == metafunc.module.TOPIC
        and (job.method in PEERS) == metafunc.module.OTHER_SOFTWARE
    ]
    metafunc.parametrize("job", jobs, ids=lambda job: job.name)
