"""What commands read: W, which a file holds or a family is, offsets, and names of rows."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from arrangements.cli.families import FAMILIES, is_family, parse_family, refuse_bare_name
from arrangements.cli.options import FILE, Command, Decorator, FileName, add_options
from arrangements.cli.output import announce_compilation, inform, say, show_progress
from arrangements.errors import InputError
from arrangements.messages import quote, quote_path

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
    from arrangements.files.matrices import Source
    from arrangements.polyhedra.polyhedron import Polyhedron

# Where offsets are in the file of W: axis, and place there.
EDGES = {
    "last-column": (1, -1),
    "first-column": (1, 0),
    "last-row": (0, -1),
    "first-row": (0, 0),
}


MATRIX = FileName(tuple(f"{name}(" for name in FAMILIES))
OFFSETS = FileName(tuple(EDGES))


class Rows(NamedTuple):
    """W, its offsets if they come with it, and the file, if it is one and no family."""

    W: Any
    b: Any
    source: "Source | None"


def read_rows(file: str, key: str | None = None) -> tuple[Any, Any]:
    """W of a file, ``-`` or a family, and the offsets of a family, else None."""
    return _read(file, key)[:2]


def _read(
    file: str,
    key: str | None = None,
    transpose: bool = False,
    edge: str | None = None,
    with_bias: bool = False,
) -> Rows:
    """Read W, and say what was read.

    Parameters
    ----------
    file : str
        A file, ``-``, or a family.
    key : str, optional
        The array to take from a file that holds several.
    transpose : bool
        Whether the columns of the file are the rows of W.
    edge : str, optional
        One of `EDGES`: the row or column of the file that holds the offsets.
    with_bias : bool
        Whether the bias of a layer that is found without a key becomes the offsets.
    """
    announce_compilation()
    if is_family(file):
        if key is not None or transpose or edge is not None:
            raise click.UsageError(
                f"{file} is a family: it takes no --key, --transpose or --offsets."
            )
        found = parse_family(file)
        W, b = found.normals, None if found.is_central else found.offsets
        _announce(file, W, b)
        return Rows(W, b, None)
    refuse_bare_name(file)
    from arrangements.core.rounding import print_format_of, with_print_format
    from arrangements.files.matrices import load_source, load_vector

    source = load_source(file, key, show_progress())
    printed = print_format_of(source.matrix)
    by_columns = transpose or source.by_columns
    W, b = source.matrix.T if by_columns and not source.by_columns else source.matrix, None
    if edge is not None:
        W, b = _cut(file, W, edge, by_columns)
    elif with_bias and key is None:
        if not transpose:
            source.refuse_bias_of_columns(
                "if its columns are the labels, pass --transpose, else name it by --key"
            )
        turned = transpose and not source.by_columns
        bias = source.bias_of_columns if turned else source.bias
        b = None if bias is None else load_vector(file, bias)
    _announce(file, W, b, by_columns, source, key)
    return Rows(W if printed is None else with_print_format(W, printed), b, source)


def _cut(file: str, W: Any, edge: str, by_columns: bool) -> tuple[Any, Any]:
    """W without the row or column of its file that holds the offsets, and these."""
    axis, place = EDGES[edge]
    if (axis == 0) != by_columns:
        raise click.UsageError(
            f"--offsets {edge}: with --transpose the offsets of a file are its last or first "
            "row, and without it a column."
        )
    if W.shape[1] < 2:
        raise click.UsageError(f"--offsets {edge} leaves nothing of {file} for W.")
    import numpy as np

    return np.delete(W, place, axis=1), np.asarray(W[:, place])


def _announce(
    file: str,
    W: Any,
    b: Any,
    by_columns: bool = False,
    source: "Source | None" = None,
    key: str | None = None,
) -> None:
    """Say what was read: on a terminal, or if something was chosen that nobody asked for."""
    archive = None if source is None else source.archive
    name = "standard input" if file == "-" else quote_path(file)
    rows = "columns" if by_columns else "rows"
    size = f"{len(W)} {rows} in dimension {W.shape[1]}"
    offsets = "" if b is None else ", with offsets"
    if archive is None or source is None or source.key is None:
        inform(f"{name}: {size}{offsets}")
        return
    bias = source.bias or source.bias_of_columns
    if b is not None and bias is not None:
        offsets = f", with offsets {quote(bias)}"
    note = archive.arrays[source.key].note
    line = f"{name}: {quote(source.key)}, {size}{offsets}{note and f' ({note})'}"
    chosen = (key is None and len(archive.arrays) > 1) or key not in (None, source.key)
    if chosen or source.by_columns or note:
        say(f"arrangements: {line}")
    else:
        inform(line)


@dataclass(frozen=True)
class Input:
    """W, b and names of the rows; each is read when it is asked for."""

    file: str | None
    key: str | None = None
    transpose: bool = False
    offsets: str | None = None
    offsets_key: str | None = None
    labels: str | None = None

    @property
    def files(self) -> tuple[str | None, ...]:
        """All files."""
        return self.file, self.offsets, self.labels

    def text(self) -> str:
        """The file and the key of W."""
        key = self._rows.source and self._rows.source.key
        return str(self.file) if key is None else f"{self.file}, {key}"

    @cached_property
    def _rows(self) -> Rows:
        edge = self.offsets if self.offsets in EDGES else None
        if self.offsets_key is not None and (self.offsets is None or edge is not None):
            raise click.UsageError("--offsets-key needs --offsets FILE.")
        if self.file == "-" and self.offsets == "-":
            raise click.UsageError("FILE and --offsets cannot both be standard input.")
        assert self.file is not None
        return _read(self.file, self.key, self.transpose, edge, self.offsets is None)

    def names(self) -> list[str] | None:
        """Names of the rows: of the file that ``--labels`` names, or those that come with W."""
        W, _, source = self._rows
        if self.labels is not None:
            from arrangements.files.names import load_names

            names = load_names(self.labels)
            if len(names) != len(W):
                raise InputError(
                    f"{quote_path(self.labels)} has {len(names)} names, and {self.file} has "
                    f"{len(W)} rows; expected as many."
                )
            return names
        found = None if source is None or self.transpose else source.names()
        if found is None or source is None:
            return None
        from arrangements.core.labels import number_names

        if source.archive is not None:
            say(f"arrangements: names of the rows are those of {found[1]}")
        return number_names(*found)

    def arrays(self) -> tuple[Any, Any]:
        """W, and b or None."""
        W, b, source = self._rows
        if self.offsets is None or self.offsets in EDGES:
            self._mention_bias()
            return W, b
        if b is not None:
            raise click.UsageError(f"{self.file} has offsets: leave out --offsets.")
        b = self._read_offsets()
        if b.shape != (len(W),):
            turned = f" If the columns of {self.file} are the labels, pass --transpose."
            raise InputError(
                f"the offsets {quote_path(self.offsets_key or self.offsets)} have shape {b.shape}; "
                f"expected ({len(W)},), one for each row."
                f"{turned if b.shape == W.shape[1:] and not self.transpose else ''}"
            )
        return W, b

    def _read_offsets(self) -> Any:
        """Offsets in a file, or in another array of the file of W."""
        from arrangements.files.matrices import load_vector

        source = self._rows.source
        assert self.file is not None and self.offsets is not None
        several = source is not None and source.archive is not None
        if several and self.offsets_key is None and not os.path.exists(self.offsets):
            return load_vector(self.file, self.offsets)
        return load_vector(self.offsets, self.offsets_key)

    def _mention_bias(self) -> None:
        """Say that weights were asked for by their key, and that there is a bias for them."""
        source = self._rows.source
        if source is not None and source.bias is not None and self.key is not None:
            say(
                f"arrangements: {quote(source.key)} has a bias, {quote(source.bias)}, which is "
                "left out unless it is given as offsets."
            )

    def arrangement(self) -> "Arrangement":
        """The arrangement of W and b, whose rows may have names."""
        from arrangements.core.arrangement import Arrangement

        names, (W, b) = self.names(), self.arrays()
        n, d = W.shape
        source = self._rows.source
        if 0 < n < d and not self.transpose and source is not None and not source.by_columns:
            say(
                f"arrangements: warning: {n} hyperplanes in dimension {d}: if the columns of the "
                "file are the hyperplanes, pass --transpose."
            )
        return Arrangement(W, b, labels=names)


def describe(arrangement: "Arrangement") -> dict[str, Any]:
    """What JSON says of an arrangement."""
    return {
        "hyperplanes": arrangement.n_hyperplanes,
        "dimension": arrangement.dimension,
        "central": arrangement.is_central,
    }


_FILE = click.argument("file", metavar="FILE", type=MATRIX)
_LABELS = click.option(
    "--labels", metavar="FILE", type=FILE, help="Names of the rows: a line each, or JSON."
)


def input_options(file: Decorator = _FILE, *, labels: bool = True) -> Callable[..., Any]:
    """Add FILE and the options about it; the command gets them as ``source``, an `Input`."""

    def add(command: Command) -> Command:
        @wraps(command)
        def run(*arguments: Any, **options: Any) -> Any:
            names = {field.name for field in fields(Input)} & options.keys()
            source = Input(**{name: options.pop(name) for name in names})
            return command(*arguments, source=source, **options)

        return add_options(run, file, *matrix_options(), *([_LABELS] if labels else []))

    return add


def matrix_options(end: str = "", of: str = "") -> list[Decorator]:
    """Options that say how W and b lie in files; `end` and `of` tell those of two models apart."""
    return [
        click.option(
            f"--key{end}",
            help=f"The array{of}, in a file that holds several, or a pattern: '*head.weight'.",
        ),
        click.option(
            f"--transpose{end}",
            is_flag=True,
            help=f"Columns, not rows, are the hyperplanes or labels{of}.",
        ),
        click.option(
            f"--offsets{end}",
            metavar="FILE",
            type=OFFSETS,
            help=f"Offsets b of W x + b{of and f',{of}'}: a file, another array of that of W, or "
            "where that has them: last-column, first-column; last-row, first-row with --transpose. "
            "Default: the bias of a layer that is found without --key, else zeros.",
        ),
        click.option(
            f"--offsets-key{end}", help=f"The array of offsets{of}, in a file of several."
        ),
    ]


@dataclass(frozen=True)
class Region:
    """The polyhedron of ``--within`` or ``--box``; false if neither is given."""

    within: str | None
    box: tuple[str, str] | None

    def __bool__(self) -> bool:
        return self.within is not None or self.box is not None

    def polyhedron(self, dimension: int) -> "Polyhedron | None":
        """The polyhedron in the space of the points x."""
        from arrangements.polyhedra.polyhedron import Polyhedron

        if self.box is not None:
            from arrangements.files.text import parse_matrix

            ((low, high),) = parse_matrix(" ".join(self.box).encode(), "--box")[0]
            return Polyhedron.box(low, high, dimension=dimension)
        if self.within is None:
            return None
        rows, _ = read_rows(self.within)
        if rows.shape[1] != dimension + 1:
            raise InputError(
                f"{quote_path(self.within)} has {rows.shape[1]} columns; expected a_1 .. a_d and c "
                f"of the inequalities a @ x <= c, {dimension + 1} columns."
            )
        return Polyhedron(rows[:, :-1], rows[:, -1])


def region_options(command: Command) -> Command:
    """Add ``--within`` and ``--box``; the command gets them as ``region``, a `Region`."""

    @wraps(command)
    def run(*arguments: Any, within: str | None, box: Any, **options: Any) -> Any:
        if within is not None and box is not None:
            raise click.UsageError("--within and --box exclude each other.")
        return command(*arguments, region=Region(within, box), **options)

    return add_options(
        run,
        click.option(
            "--within",
            metavar="FILE",
            type=MATRIX,
            help="Only inside the polyhedron a @ x <= c; FILE holds a_1 .. a_d c in each row.",
        ),
        click.option(
            "--box", nargs=2, metavar="LOW HIGH", help="Only where every x_j is in [LOW, HIGH]."
        ),
    )
