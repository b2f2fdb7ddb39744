"""What commands read: W, which a file holds or a family is, offsets, and names of rows."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from arrangements.cli.families import FAMILIES, is_family, parse_family, refuse_bare_name
from arrangements.cli.options import FILE, Command, Decorator, FileName, add_options
from arrangements.cli.output import announce_compilation, inform, say
from arrangements.messages import quote_path

if TYPE_CHECKING:
    from arrangements.core.arrangement import Arrangement
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


def read_rows(
    file: str, key: str | None = None, *, transpose: bool = False, edge: str | None = None
) -> tuple[Any, Any]:
    """W, and its offsets if they come with it, else None.

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
        return W, b
    refuse_bare_name(file)
    from arrangements.core.rounding import print_format_of, with_print_format
    from arrangements.files.matrices import load_matrix

    whole = load_matrix(file, key)
    W, b = whole.T if transpose else whole, None
    if edge is not None:
        axis, place = EDGES[edge]
        if (axis == 0) != transpose:
            raise click.UsageError(
                f"--offsets {edge}: with --transpose the offsets of a file are its last or first "
                "row, and without it a column."
            )
        if W.shape[1] < 2:
            raise click.UsageError(f"--offsets {edge} leaves nothing of {file} for W.")
        import numpy as np

        W, b = np.delete(W, place, axis=1), np.asarray(W[:, place])
    printed = print_format_of(whole)
    _announce(file, W, b, transpose)
    return (W if printed is None else with_print_format(W, printed)), b


def _announce(file: str, W: Any, b: Any, transpose: bool = False) -> None:
    name = "standard input" if file == "-" else quote_path(file)
    rows = "columns" if transpose else "rows"
    offsets = "" if b is None else ", with offsets"
    inform(f"{name}: {len(W)} {rows} in dimension {W.shape[1]}{offsets}")


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

    def names(self) -> list[str] | None:
        """Names of the rows, if there is a file of them."""
        from arrangements.files.names import load_names

        return None if self.labels is None else load_names(self.labels)

    def arrays(self) -> tuple[Any, Any]:
        """W, and b or None."""
        edge = self.offsets if self.offsets in EDGES else None
        if self.offsets_key is not None and (self.offsets is None or edge is not None):
            raise click.UsageError("--offsets-key needs --offsets FILE.")
        if self.file == "-" and self.offsets == "-":
            raise click.UsageError("FILE and --offsets cannot both be standard input.")
        assert self.file is not None
        W, b = read_rows(self.file, self.key, transpose=self.transpose, edge=edge)
        if self.offsets is not None and edge is None:
            if b is not None:
                raise click.UsageError(f"{self.file} has offsets: leave out --offsets.")
            from arrangements.files.matrices import load_vector

            b = load_vector(self.offsets, self.offsets_key)
        return W, b

    def arrangement(self) -> "Arrangement":
        """The arrangement of W and b, whose rows may have names."""
        from arrangements.core.arrangement import Arrangement

        names, (W, b) = self.names(), self.arrays()
        n, d = W.shape
        if 0 < n < d and not self.transpose and not is_family(str(self.file)):
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
        click.option(f"--key{end}", help=f"Array of a file{of} that holds several."),
        click.option(
            f"--transpose{end}", is_flag=True, help=f"The columns{of} are hyperplanes or labels."
        ),
        click.option(
            f"--offsets{end}",
            metavar="FILE",
            type=OFFSETS,
            help=f"Offsets b of W x + b{of}, or where the file of W has them: last-column, "
            "first-column; last-row, first-row with --transpose. Default zeros.",
        ),
        click.option(f"--offsets-key{end}", help=f"Array of a file of offsets{of}."),
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
        from arrangements.errors import InputError
        from arrangements.polyhedra.polyhedron import Polyhedron

        if self.box is not None:
            from arrangements.files.text import parse_matrix

            ((low, high),) = parse_matrix(" ".join(self.box).encode(), "--box")
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
