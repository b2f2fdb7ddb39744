"""One part of a run as a Parquet file: names, rows, checksum and footer."""

from __future__ import annotations

import io
import json
import re
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.files.folder import Folder
from arrangements.messages import first_line, missing_library
from arrangements.runs.manifest import BLANK, REPAIR, seal, xxhash
from arrangements.runs.partition import PartId
from arrangements.runs.record import Record, digest_of
from arrangements.runs.sources import Source
from arrangements.search.parts import Part

Rows = NDArray[Any]

_FOOTER = b"arrangements"
_DIGITS = 6
# Words that are passed on at a time; pages are multiples of it, so the file remains the same.
_BATCH = 2**16
# A name has at most 255 characters, and a part may be split many times.
_MOST_PIECES = 8
_NAME = re.compile(
    r"part-([0-9]{6,}(?:\.[0-9]+|\.x[0-9a-f]{16})*)(?:-split-([1-9][0-9]*))?\.parquet"
)


@dataclass(frozen=True)
class Footer:
    """What a part says of itself.

    Attributes
    ----------
    run : str
        Digest of the record.
    part : tuple of int
        Number of the part; (17, 1) is the second piece that part 17 was split into.
    what : Part
    rows : int
    patterns : int
        That they stand for: twice as many in a central run.
    checksum : str
        XXH3 of the rows, of 16 bytes in hexadecimal.
    rest : tuple of Part
        Pieces that the part left for others, in order.
    seal : str
        Zeros; in the file, the digest of all other bytes, so that whoever finds it can check it.
    """

    run: str
    part: PartId
    what: Part
    rows: int
    patterns: int
    checksum: str
    rest: tuple[Part, ...]
    seal: str


def parquet() -> Any:
    """The module pyarrow.parquet."""
    try:
        import pyarrow.parquet as found  # an extra
    except ImportError as error:
        raise missing_library("pyarrow", "to write and read runs") from error
    return found


def stem(part: PartId) -> str:
    """What the name of a part's file tells of its number; a long number has a digest in its place.

    Examples
    --------
    >>> stem((17, 1)), stem((17,) + 9 * (1,))
    ('000017.1', '000017.x709f626114287985')
    """
    first, others = part[0], [str(k) for k in part[1:]]
    if len(others) > _MOST_PIECES:
        others = [f"x{digest_of(repr(part).encode())[:16]}"]
    return ".".join([f"{first:0{_DIGITS}d}", *others])


def file_name(part: PartId, pieces: int) -> str:
    """Name of the file of a part that left this many pieces for others.

    Examples
    --------
    >>> file_name((17,), 0), file_name((17, 1), 3)
    ('part-000017.parquet', 'part-000017.1-split-3.parquet')
    """
    return f"part-{stem(part)}{f'-split-{pieces}' if pieces else ''}.parquet"


def parse_name(name: str) -> tuple[str, int] | None:
    """The `stem` of the part that a file holds, and the pieces it left; None if it is no part.

    Examples
    --------
    >>> parse_name("part-000017.1-split-3.parquet"), parse_name("run.json")
    (('000017.1', 3), None)
    """
    found = _NAME.fullmatch(name)
    return found and (found[1], int(found[2] or 0))


def checksum(rows: Rows) -> str:
    """XXH3 of the rows as little-endian bytes: it finds accidents, at the speed of memory."""
    plain = np.ascontiguousarray(rows, rows.dtype.newbyteorder("<"))
    found: str = xxhash().xxh3_128_hexdigest(plain.data.cast("B") if plain.size else b"")
    return found


def encode(
    record: Record, source: Source, part: PartId, what: Part, rows: Rows, rest: list[Part]
) -> memoryview:
    """The bytes of a part's file."""
    pq = parquet()
    import pyarrow as pa  # parquet is there, so this is

    patterns = len(rows) * source.question.sides
    digests = checksum(rows), tuple(rest), BLANK
    footer = Footer(record.digest, part, what, len(rows), patterns, *digests)
    table = _table(source, rows).replace_schema_metadata({_FOOTER: json.dumps(asdict(footer))})
    stream = pa.BufferOutputStream()
    # bytes of equal weight beside each other, of rows that are sorted: a quarter of the size
    words: dict[str, Any] = {"use_byte_stream_split": True, "write_batch_size": _BATCH}
    pq.write_table(
        table,
        stream,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        write_statistics=False,
        write_page_checksum=True,
        **(words if source.noun != "rankings" else {}),
    )
    content = memoryview(stream.getvalue()).cast("B")
    seal(content)
    return content


def _table(source: Source, rows: Rows) -> Any:
    """The columns of the source, or one column of lists of labels."""
    import pyarrow as pa  # an extra

    if source.noun != "rankings":
        arrays = {
            name: pa.array(np.ascontiguousarray(rows[:, k]).view(kind))
            for k, (name, kind) in enumerate(source.columns)
        }
        arrays = arrays or {"empty": pa.array(np.zeros(len(rows), np.uint8))}
    else:
        entries = pa.array(np.ascontiguousarray(rows).reshape(-1))
        item = pa.field("element", entries.type, nullable=False)
        kind = pa.list_(item, source.n)
        arrays = {"ranking": pa.FixedSizeListArray.from_arrays(entries, type=kind)}
    # what may be missing takes a quarter longer to write
    fields = [pa.field(name, array.type, nullable=False) for name, array in arrays.items()]
    return pa.table(list(arrays.values()), schema=pa.schema(fields))


def decode(content: bytes, source: Source, name: str) -> tuple[Footer, Rows]:
    """Footer and rows of a part's file; what is damaged is an InputError that names the file."""
    pq = parquet()
    try:
        file = pq.ParquetFile(io.BytesIO(content), page_checksum_verification=True)
        footer = _footer(file.schema_arrow.metadata)
        rows = _rows(source, file.read())
    except Exception as error:  # almost any exception may come of damaged content
        raise InputError(f"{name} is not a part of a run: {first_line(error)}.") from error
    return footer, rows


def first_rows(path: str, source: Source, most: int) -> Rows:
    """Some rows of a part's file on this machine, of which no more is read than they need."""
    file = parquet().ParquetFile(path)
    import pyarrow as pa  # parquet is there, so this is

    return _rows(
        source, pa.Table.from_batches(list(islice(file.iter_batches(most), 1)), file.schema_arrow)
    )


def read_part(folder: Folder, name: str, run: str | None = None) -> tuple[Footer, bytes]:
    """Footer and bytes of a part's file, which must be one of the run with this digest, if any."""
    pq = parquet()
    try:
        content = folder.read(name)
        file = pq.ParquetFile(io.BytesIO(content))
        footer = _footer(file.schema_arrow.metadata)
    except Exception as error:
        problem = f"{folder.url(name)} is not a part of a run: {first_line(error)}."
        raise InputError(problem, REPAIR) from error
    if run not in (None, footer.run):
        raise InputError(f"{folder.url(name)} belongs to another run.", REPAIR)
    return footer, content


def _footer(metadata: dict[bytes, bytes] | None) -> Footer:
    plain = json.loads((metadata or {})[_FOOTER])
    plain["part"] = tuple(plain["part"])
    plain["what"] = Part.read(plain["what"])
    plain["rest"] = tuple(map(Part.read, plain["rest"]))
    return Footer(**plain)


def _rows(source: Source, table: Any) -> Rows:
    rows = np.empty((table.num_rows, source.width), source.dtype)
    if source.noun != "rankings":
        for k, (name, _) in enumerate(source.columns):
            rows[:, k] = table.column(name).to_numpy().view(source.dtype)
        return rows
    column = table.column("ranking").combine_chunks()
    rows[:] = column.flatten().to_numpy().reshape(-1, source.n)
    return rows
