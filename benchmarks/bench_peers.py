"""Other software on the same matrices, small ones (``--suite peers``); what is not there skips."""

from typing import Any

import pytest
from beside import run_beside

from arrangements.benchmarking.cases import CHAMBERS
from arrangements.benchmarking.peers import PEERS
from arrangements.benchmarking.suites import Job
from arrangements.errors import MissingDependencyError

TOPIC, OTHER_SOFTWARE = CHAMBERS, True
# A time cap needs a process of its own, as `arrangements bench` has it.
_MOST_ROWS = 16


def test_peers(benchmark: Any, job: Job) -> None:
    if job.case.n > _MOST_ROWS:
        pytest.skip("may take long: arrangements bench --suite peers")
    try:
        PEERS[job.method].version()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    run_beside(benchmark, job, rounds=1)
