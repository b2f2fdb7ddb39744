"""Stubs are up to date. Type checkers see them: mypy checks `typed_script.py` with the package."""

from stubs import PACKAGE, stubs


def test_stubs_are_up_to_date() -> None:
    for path, text in stubs().items():
        assert path.read_text("utf-8") == text, f"{path.relative_to(PACKAGE)}: run tests/stubs.py"
