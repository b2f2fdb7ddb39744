"""A job beside its references, in one group of pytest-benchmark."""

from functools import partial
from statistics import median
from typing import Any

from arrangements.benchmarking.methods import check, method_named
from arrangements.benchmarking.references import references, seconds
from arrangements.benchmarking.suites import Job


def run_beside(benchmark: Any, job: Job, rounds: int = 3) -> None:
    """Time a job, check its answer, and put the ratios to the references into the record."""
    case = job.case
    benchmark.group = case.name
    run = partial(method_named(case.topic, job.method).run, case.W, job.workers)
    answer = benchmark.pedantic(run, rounds=rounds, warmup_rounds=1)
    count = check(case, job.method, answer)
    taken = benchmark.stats.stats.median
    benchmark.extra_info.update(job.identity, chambers=count, chambers_per_second=count / taken)
    for name, reference in references(case, count, None).items():
        beside = reference.scale * median(seconds(reference.action, 3))
        benchmark.extra_info[f"ratio to {name}"] = taken / beside
