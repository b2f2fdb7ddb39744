"""Digests of files, and seals: digests of themselves that files hold."""

from __future__ import annotations

from arrangements.execution.clusters import xxhash

# A seal is a member of JSON in the file; zeros stand in its place while the digest is computed.
MEMBER = "seal"
BLANK = 32 * "0"
_MARK = f'"{MEMBER}": "'.encode()
# The seal is near the end of a file; only older files are searched whole.
_TAIL = 2**16


def file_digest(content: bytes | memoryview) -> str:
    """XXH3 of a file, of 16 bytes in hexadecimal, as ``xxh128sum`` prints it."""
    found: str = xxhash().xxh3_128_hexdigest(content)
    return found


def seal(content: memoryview) -> None:
    """Write the digest of the content over the zeros of its seal."""
    start = _place(content)
    content[start : start + len(BLANK)] = file_digest(content).encode()


def is_sealed(content: bytes) -> bool:
    """Whether the content has a seal, and no byte has changed since it was written."""
    start = _place(content)
    if start < 0:
        return False
    view, stop = memoryview(content), start + len(BLANK)
    digest = xxhash().xxh3_128()
    for piece in (view[:start], BLANK.encode(), view[stop:]):
        digest.update(piece)
    return bool(view[start:stop] == digest.hexdigest().encode())


def _place(content: bytes | memoryview) -> int:
    """Where the digits of the seal begin; -1 if there is none."""
    for size in (min(_TAIL, len(content)), len(content)):
        found = bytes(content[len(content) - size :]).rfind(_MARK)
        if found >= 0:
            return len(content) - size + found + len(_MARK)
    return -1
