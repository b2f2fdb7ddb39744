"""Dask clusters, which the extra ``scale`` brings."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from arrangements.errors import ArrangementError, InputError, InputTypeError
from arrangements.messages import first_line, missing_library, quote

# What watches workers takes 5% of two cores; nobody looks at the pages of a cluster that ends with
# the command.
_UNWATCHED = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "5s",
    "distributed.worker.memory.monitor-interval": "1s",
}


def check_client(client: Any) -> None:
    """Refuse what is neither a client of Dask nor None."""
    if client is None:
        return
    try:
        from distributed import Client  # an extra
    except ImportError as error:
        raise missing_library("dask[distributed]", "to use a client") from error
    if not isinstance(client, Client):
        raise InputTypeError(f"client is {quote(client)}; expected a distributed.Client.")
    if client.status == "closed":
        raise InputError("client is closed; expected one that is connected to a scheduler.")


@contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """Client of so many worker processes of one thread on this machine, which end with it."""
    try:
        import dask  # an extra
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise missing_library("dask[distributed]", "for a cluster on this machine") from error
    # the pages take any free port: another cluster may have the usual one
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        dask.config.set(_UNWATCHED),
        LocalCluster(n_workers=workers, **options) as cluster,
        Client(cluster) as client,
    ):
        yield client


@contextmanager
def scheduler_errors(client: Any) -> Iterator[None]:
    """Errors of a client that has lost its scheduler, as an error of this package."""
    address = getattr(client.scheduler, "address", "of the client")
    try:
        yield
    except ArrangementError:
        raise
    except Exception as error:
        lost = isinstance(error, CancelledError) or type(error).__name__ == "CommClosedError"
        if client.status == "running" and not lost:
            raise
        # the client logs that it no longer connects when it is closed, with a traceback
        logging.getLogger("distributed.client").addFilter(_is_no_cancellation)
        raise ArrangementError(
            f"the Dask scheduler {address} has ended or dropped the tasks ({first_line(error)}). "
            "Start one and ask again; a run or a checkpoint goes on where it was."
        ) from error


def _is_no_cancellation(record: logging.LogRecord) -> bool:
    return not (record.exc_info and type(record.exc_info[1]).__name__ == "CancelledError")


def threads_of(client: Any) -> int:
    """Threads that a cluster has now, at least 1."""
    with scheduler_errors(client):
        return max(1, sum(client.nthreads().values()))


def share(client: Any, value: Any) -> Any:
    """A value that all workers of a cluster have, as an argument of tasks."""
    with scheduler_errors(client):
        return client.scatter(value, broadcast=True)
