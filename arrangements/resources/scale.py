"""Libraries of the extra ``scale``: where one is missing, this says how to install it."""

from __future__ import annotations

from typing import Any

from arrangements.errors import InputTypeError, MissingDependencyError, shown

# Tasks for each thread of a cluster: enough that none waits, few enough to forget quickly.
_AHEAD = 2


def missing(library: str, purpose: str) -> MissingDependencyError:
    """What to raise where a library of the extra ``scale`` is not installed."""
    return MissingDependencyError(
        f"{library} is needed {purpose}; install it with the extra: "
        "pip install 'hyperplane-arrangements[scale]'."
    )


def parquet() -> Any:
    """The module pyarrow.parquet."""
    try:
        import pyarrow.parquet as found  # an extra
    except ImportError as error:
        raise missing("pyarrow", "to write and read runs") from error
    return found


def check_client(client: Any) -> None:
    """Refuse what is neither a client of Dask nor None."""
    if client is None:
        return
    try:
        from distributed import Client  # an extra
    except ImportError as error:
        raise missing("dask[distributed]", "to use a client") from error
    if not isinstance(client, Client):
        raise InputTypeError(f"client is {shown(client)}; expected a distributed.Client.")


def tasks_ahead(client: Any) -> int:
    """Tasks to hand out at the same time to the workers that a cluster has now."""
    return _AHEAD * max(1, sum(client.nthreads().values()))
