"""What is published of the standard suite: ``standard.json`` beside this file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def _published() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(
        Path(__file__).with_name("standard.json").read_text(encoding="ascii")
    )
    return table


def instances() -> list[dict[str, Any]]:
    """The instances: topic, family, n, d, count and sha256."""
    found: list[dict[str, Any]] = _published()["instances"]
    return found


def published_version() -> int:
    """The version of the suite.

    Examples
    --------
    >>> published_version()
    1
    """
    return int(_published()["version"])


def published_count(topic: str, family: str, n: int, d: int) -> int | None:
    """The number of patterns of an instance; None for other inputs.

    Examples
    --------
    >>> published_count("chambers", "coxeter", 24, 4)
    1152
    """
    for one in instances():
        if (one["topic"], one["family"], one["n"], one["d"]) == (topic, family, n, d):
            return int(one["count"])
    return None
