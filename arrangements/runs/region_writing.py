"""Runs on disk of the regions of a network."""

from __future__ import annotations

import os
from typing import Any

from arrangements.checks import check_instance
from arrangements.networks.network import Network
from arrangements.polyhedra.reading import Within
from arrangements.runs.reading import Run
from arrangements.runs.region_source import RegionSource
from arrangements.runs.writing import write


def write_regions(
    network: Network,
    path: str | os.PathLike[str],
    *,
    within: Within | None = None,
    rows_per_part: int | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    resume: bool = True,
    max_bytes: int | None = None,
) -> Run:
    """Write all regions of a network into a folder of Parquet files; what is there is kept.

    Parameters
    ----------
    network : Network
    path : str or path-like
        A folder, which is made, or a URL that fsspec knows, such as ``s3://bucket/run``.
    within : Polyhedron, or (A, c), optional
        As in `regions`.
    rows_per_part : int, optional
        A part with more rows is split.
    workers, client, progress, resume, max_bytes
        As in `write_chambers`.

    Returns
    -------
    Run
        Iterating yields `Regions`. A file has the pattern of each region, and a point of it if
        the polyhedron is bounded and of full dimension. All else follows from the pattern, exactly:
        affine maps, walls, neighbors.

    Raises
    ------
    InputError
        If the folder holds a run of another question, or of this one and `resume` is False; if the
        network has so many inputs that regions are not kept as vertices.
    TooLargeError
        If the run is expected to exceed `max_bytes`; its rows are counted before compression.
    MissingDependencyError
        If pyarrow or xxhash, or what `path` or `client` needs, is not installed.

    See Also
    --------
    open_run : read what was written.
    iter_regions : the same regions without a disk.

    Notes
    -----
    The run may be interrupted at any time, by anything: the same call goes on with the missing
    parts and ends with the same files. A part is named by the units that were split on the way to
    it and the signs that were chosen, so it is the same wherever it is made.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements import Polyhedron
    >>> tent = Network([([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], [0])])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = write_regions(tent, folder, within=Polyhedron.box(0, 1, dimension=1))
    ...     print(run, "++++" in run, sorted(float(x) for block in run for (x,) in block.points))
    Run(4 regions of 4, 1 part, complete) True [0.125, 0.375, 0.625, 0.875]
    """
    check_instance("network", network, Network)
    source = RegionSource(network, within)
    return write(source, path, rows_per_part, workers, client, progress, resume, max_bytes)
