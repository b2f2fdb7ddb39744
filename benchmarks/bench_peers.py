"""Other software on the same matrices, small ones (``--suite peers``); what is not there skips."""

from typing import Any

import pytest

from arrangements.errors import MissingDependencyError
from benchmarks.beside import run_beside
from benchmarks.suites.cases import CHAMBERS
from benchmarks.suites.peers import PEERS
from benchmarks.suites.suites import Job

TOPIC, OTHER_SOFTWARE = CHAMBERS, True
# A time cap needs a process of its own, as `python -m benchmarks` has it.
_MOST_ROWS = 16


def test_peers(benchmark: Any, job: Job) -> None:
    if job.case.n > _MOST_ROWS:
        pytest.skip("may take long: python -m benchmarks --suite peers")
    try:
        PEERS[job.method].version()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    run_beside(benchmark, job, rounds=1)
