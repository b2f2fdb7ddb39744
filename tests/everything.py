"""All public names and what they stand for, for tests of conventions that hold everywhere."""

from typing import Any

from arrangements.public import HOME, MODULES, address, find

PUBLIC: dict[str, Any] = {name: find(name) for name in HOME}
# What one writes behind ``import arrangements``.
PATHS = {name: f"{address(name)}.{name}" for name in PUBLIC}
MODULE_NAMES = [f"arrangements.{module}".rstrip(".") for module in MODULES]
