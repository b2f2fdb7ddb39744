"""Stubs are up to date. Type checkers see them: mypy checks `typed_script.py` with the package."""

from pathlib import Path

import pytest
from stubs import PACKAGE, stubs


@pytest.mark.slow
@pytest.mark.parametrize("path", stubs(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_stubs_are_up_to_date(path: Path) -> None:
    assert path.read_text("utf-8") == stubs()[path], "run python tests/stubs.py"
