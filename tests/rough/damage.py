"""Bytes of files, changed at random."""

from random import Random

# Pieces that change what a text means, or might.
PIECES = [
    *(b"nan", b"inf", b"1e400", b"1e-400", b"1e999999999", b"1/0", b"-", b"+", b".", b"e", b"0x1"),
    *(
        b",",
        b";",
        b"|",
        b"\t",
        b" ",
        b"\n",
        b"\r",
        b"\0",
        b"#",
        b'"',
        b"'",
        b"\xff",
        b"\xe2\x80\xa8",
    ),
    *(
        b"9" * 5000,
        b"9" * 5000 + b"?",
        b"1_0",
        b"1j",
        b"True",
        b"None",
        b"\xc2\xb2",
        b"\xe2\x88\x92",
        b"=1+1",
        b"1e",
    ),
    *(b"\x93NUMPY", b"PK\x03\x04", b"\x1f\x8b", b"\xef\xbb\xbf", b"%d", b"{0}", b"/2", b"," * 100),
]


def damaged(content: bytes, random: Random) -> bytes:
    """The bytes with a few changes."""
    for _ in range(random.choice([0, 1, 1, 1, 2, 3, 8])):
        start = random.randrange(len(content) + 1)
        stop = min(len(content), start + random.choice([0, 1, 1, 2, 10, 1000]))
        piece = random.choice(
            [b"", random.choice(PIECES), random.randbytes(random.choice([1, 4])), content[:start]]
        )
        content = content[:start] + piece + content[stop:]
    return content
