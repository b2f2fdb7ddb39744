"""A job beside its references, in one group of pytest-benchmark; ratios with limits."""

from functools import partial
from statistics import median
from typing import Any

from benchmarks.suites.methods import check, method_named
from benchmarks.suites.references import references, seconds
from benchmarks.suites.suites import Job


def run_beside(benchmark: Any, job: Job, rounds: int = 3) -> None:
    """Time a job, check its answer, and put the ratios to the references into the record."""
    case = job.case
    benchmark.group = case.name
    run = partial(method_named(case.topic, job.method).run, case, job.workers)
    answer = benchmark.pedantic(run, rounds=rounds, warmup_rounds=1)
    count = check(case, job.method, answer)
    if benchmark.disabled:
        return  # only the check was wanted
    taken = benchmark.stats.stats.median
    benchmark.extra_info.update(job.identity, chambers=count, chambers_per_second=count / taken)
    for name, reference in references(case, count, None).items():
        beside = reference.scale * median(seconds(reference.action, 3))
        benchmark.extra_info[f"ratio to {name}"] = taken / beside


def spread(times: list[float]) -> str:
    """Median and least, in ms."""
    return f"{1e3 * median(times):.1f} ({1e3 * min(times):.1f})"


def ratios(times: list[float], reference: list[float]) -> tuple[float, float]:
    """Ratio of the medians and of the least: apart if the machine was busy."""
    return median(times) / median(reference), min(times) / min(reference)


def verdict(value: float, limit: float) -> str:
    """Compare a number with its limit."""
    return f"{limit:.3g} {'met' if value <= limit else 'MISSED'}"
