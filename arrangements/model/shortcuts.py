"""The only look upwards: methods that are shortcuts for public functions name the function."""

from importlib import import_module
from typing import Any


def public(name: str) -> Any:
    """The public function or class of this name.

    Allowed in ``model/`` and ``sets/`` only, for methods that are shortcuts.

    Examples
    --------
    >>> public("count_chambers")([[1, 0], [0, 1]])
    4
    """
    return getattr(import_module("arrangements"), name)
