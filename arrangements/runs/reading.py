"""Read a run: its patterns in blocks, some of them, or through other libraries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_integer, random_generator
from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.errors import IncompleteError, InputError
from arrangements.files.folder import Folder, folder_at
from arrangements.messages import first_line, missing_library, quote, quote_path
from arrangements.networks.network import Network
from arrangements.networks.region_set import Regions
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.runs.making import missing_parts
from arrangements.runs.manifest import REPAIR, read_totals
from arrangements.runs.part_files import Footer, decode, first_rows, parquet, read_part
from arrangements.runs.partition import PartId
from arrangements.runs.record import Record, read_record, read_source
from arrangements.runs.sources import Rows, Source
from arrangements.sets.pattern_set import PatternSet


def open_run(path: str | os.PathLike[str]) -> Run:
    """Open a run that `write_chambers`, `write_rankings` or `write_regions` made, or is making.

    Parameters
    ----------
    path : str or path-like
        Folder or URL.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        If there is no run, or its record or input is damaged.
    MissingDependencyError
        If pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements import write_chambers
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_chambers([[1, 0], [0, 1], [1, 1]], folder)
    ...     for block in open_run(folder):
    ...         print(block)
    SignVectors(6 of 3 signs, central, complete)
    """
    parquet()
    folder = folder_at(path)
    record = read_record(folder)
    if record is None:
        raise InputError(
            f"{quote_path(path)} holds no run; write_chambers, write_rankings and write_regions "
            "make one."
        )
    return Run(folder, record, read_source(folder, record))


@public_class
class Run:
    """Chambers, rankings or regions in a folder; made by `open_run`.

    Iterating yields blocks, each a `SignVectors`, `Rankings` or `Regions`, and ``len`` counts
    patterns: both of each pair of opposites.

    Attributes
    ----------
    path : str
    noun : str
        "chambers", "rankings" or "regions".
    n : int
        Hyperplanes, labels or units.
    half : bool
        Whether a stored row stands for a pattern and its opposite.
    """

    def __init__(self, folder: Folder, record: Record, source: Source) -> None:
        self.folder: Folder = folder
        self.record: Record = record
        self.source: Source = source
        self.path: str = folder.name
        self.noun: str = record.noun
        self.n: int = record.n
        self.half: bool = record.half

    @property
    def arrangement(self) -> Arrangement | None:
        """The arrangement of a run of chambers."""
        subject = self.source.subject
        return subject if isinstance(subject, Arrangement) else None

    @property
    def model(self) -> ScoreModel | None:
        """The weights, offsets and labels of a run of rankings."""
        subject = self.source.subject
        return subject if isinstance(subject, ScoreModel) else None

    @property
    def network(self) -> Network | None:
        """The network of a run of regions."""
        subject = self.source.subject
        return subject if isinstance(subject, Network) else None

    @property
    def within(self) -> Polyhedron | None:
        """The polyhedron in whose relative interior the patterns occur; None if it is the space."""
        return self.source.polyhedron

    @property
    def complete(self) -> bool:
        """Whether no part is missing; parts are looked for again each time."""
        return not missing_parts(self.folder, self.record)[0]

    def files(self) -> list[str]:
        """Paths or URLs of the parts that are there, in order."""
        return [self.folder.url(name) for _, name in self._parts()]

    def _parts(self) -> list[tuple[PartId, str]]:
        return sorted(missing_parts(self.folder, self.record)[1].items())

    @cached_property
    def _rows(self) -> list[tuple[str, int]]:
        """Parts that are there and their rows, in order; looked for once."""
        return [
            (name, read_part(self.folder, name, self.record.digest)[0].rows)
            for _, name in self._parts()
        ]

    @property
    def rows(self) -> int:
        """Stored rows of the parts that are there: half as many as patterns if `half`."""
        rows = read_totals(self.folder, self.record) if self.complete else None
        return sum(count for _, count in self._rows) if rows is None else rows

    def __len__(self) -> int:
        return self.rows * (2 if self.half else 1)

    def __fspath__(self) -> str:
        return self.path

    def __iter__(self) -> Iterator[Any]:
        for _, name in self._parts():
            yield self.source.wrap(self._read(name)[1], self.half)

    def __contains__(self, pattern: Any) -> bool:
        """Whether a pattern occurs: by an exact proof, without a search through the files.

        A complete run has all patterns that occur. In one that is not, only False is an answer.
        """
        row = self.source.row_of(pattern)
        if row is None or self.source.point_of(row) is None:
            return False
        if not self.complete:
            raise IncompleteError(
                f"{quote(pattern)} occurs, but parts of the run are missing; go on with "
                f"write_{self.noun}, or ask feasible alone."
            )
        return True

    def witness(self, pattern: Any) -> tuple[Fraction, ...]:
        """An exact point at which a pattern occurs.

        Parameters
        ----------
        pattern : sequence or str
            As for ``in``.

        Returns
        -------
        tuple of Fraction

        Raises
        ------
        InputError
            If the pattern does not occur.
        """
        row = self.source.row_of(pattern)
        point = None if row is None else self.source.point_of(row)
        if point is None:
            raise InputError(f"{quote(pattern)} is none of the {self.noun}, so it has no point.")
        return point

    def sample(self, size: int, *, rng: Any = None) -> PatternSet | Regions:
        """Some patterns, drawn without replacement, each as likely as any other.

        Parameters
        ----------
        size : int
            How many; at most the number of patterns.
        rng : int, Generator, or None
            As in ``numpy.random.default_rng``.

        Returns
        -------
        SignVectors, Rankings or Regions
            In the order of the run.
        """
        sides = 2 if self.half else 1
        patterns = [count * sides for _, count in self._rows]
        size = check_integer("size", size, 0, sum(patterns), "the number of patterns")
        found = []
        for part, there in draw(patterns, size, random_generator(rng)):
            name, count = self._rows[part]
            stored = self._read(name)[1]
            found.append(stored[there[there < count]])
            found.append(self.source.opposite(stored[there[there >= count] - count]))
        chosen: PatternSet | Regions = self.source.wrap(
            np.concatenate([self.source.no_rows, *found])
        )
        return chosen

    def to_dataset(self) -> Any:
        """The parts as a ``pyarrow.dataset.Dataset``.

        Of chambers the columns are ``word0``, ``word1``, ..: bit i % 64 of word i // 64 is set iff
        sign i is +. Of rankings the column ``ranking`` is a list of labels, the best first. In a
        central run each row stands for a pattern and its opposite. Of regions ``code0``, ``code1``,
        .. have 40 signs each, as digits -1, 0 and 1 to the base 3, the first one worth 3**39, and
        ``x0``, ``x1``, .. are a point of the region.
        """
        import pyarrow.dataset as dataset  # an extra

        parquet()
        return dataset.dataset(self.files(), format="parquet")

    def to_dask(self) -> Any:
        """The stored rows as a ``dask.array``, a chunk for each part.

        Returns
        -------
        (rows, words) dask array of uint64, or (rows, n) of labels
            Of regions the bits of all columns.
        """
        try:
            import dask.array as da  # an extra
            from dask.delayed import delayed  # an extra
        except ImportError as error:
            raise missing_library("dask", "for to_dask()") from error
        read, width, dtype = delayed(_part_rows), self.source.width, self.source.dtype
        chunks = [
            da.from_delayed(read(self.path, name), (count, width), dtype)
            for name, count in self._rows
        ]
        return da.concatenate(chunks)

    def _read(self, name: str) -> tuple[Footer, Rows]:
        content = self.folder.read(name)
        try:
            return decode(content, self.source, self.folder.url(name))
        except InputError as error:
            raise InputError(str(error), REPAIR) from error

    def __repr__(self) -> str:
        state = "complete" if self.complete else "parts are missing"
        parts = len(self._parts())
        number = f"{parts} part{'' if parts == 1 else 's'}"
        return f"Run({len(self)} {self.noun} of {self.n}, {number}, {state})"

    def _repr_html_(self) -> str:
        try:
            tasks, files = missing_parts(self.folder, self.record)
            rows = None if tasks else read_totals(self.folder, self.record)
            preview = self._preview(min(files.items())[1], rows) if files else ""
        except Exception as error:  # the folder is gone, or whatever a store raises
            problem = notebook.text(first_line(error), 200)
            return notebook.card(
                f"Run of {self.noun}", [("path", self.path)], f"Not read: {problem}"
            )
        sides = 2 if self.half else 1
        number = "" if rows is None else f"{rows * sides:,} "
        facts = [
            ("path", notebook.text(self.path, 80)),
            ("parts", f"{len(files):,}"),
            ("missing", f"{len(tasks):,} or more" if tasks else None),
        ]
        return notebook.card(f"Run: {number}{self.noun} of {self.n}", facts, preview)

    def _preview(self, name: str, rows: int | None) -> str:
        """The first rows of a part on this machine: those of other machines are not fetched."""
        path = self.folder.url(name)
        if not os.path.isfile(path):
            return ""
        first = first_rows(path, self.source, notebook.ROWS)
        total = len(first) if rows is None else rows
        table: str = self.source.wrap(first)._first_rows(total * (2 if self.half else 1))
        return table


def draw(
    counts: list[int], k: int, rng: np.random.Generator
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Draw k of all things without replacement: numbers of boxes, and places in each, ascending.

    Examples
    --------
    >>> [(box, len(places)) for box, places in draw([0, 2, 3], 5, np.random.default_rng(0))]
    [(1, 2), (2, 3)]
    """
    ends = np.cumsum(np.array(counts, np.int64))
    chosen = np.sort(rng.choice(int(ends[-1]) if len(ends) else 0, k, replace=False))
    boxes = np.searchsorted(ends, chosen, side="right")
    for box in np.unique(boxes).tolist():
        yield box, chosen[boxes == box] - (ends[box] - counts[box])


def _part_rows(path: str, name: str) -> Rows:
    """Rows of one part, for a task elsewhere."""
    run = open_run(path)
    return run._read(name)[1]
