"""Where messages say that an extra is to be installed from."""

from pathlib import Path

import numpy as np
import pytest

from arrangements import messages

NAME = "hyperplane-arrangements"


def test_scalars_of_numpy_are_numbers() -> None:
    shown = [messages.quote(x) for x in (np.int64(1), np.float64(0.5), np.array(2), np.bool_(True))]
    assert shown == ["1", "0.5", "2", "True"]


def test_an_extra_comes_from_the_checkout() -> None:
    source = Path(messages.__file__).parent.parent
    error = messages.missing_library("pyarrow", "to write runs")
    assert str(error).startswith("pyarrow is needed to write runs; install it with the extra: pip ")
    assert f"{source}[scale]" in str(error)


@pytest.mark.parametrize(
    ("origin", "source"),
    [
        ('{"url": "file://PLACE/my%20copy", "dir_info": {}}', "PLACE/my copy"),
        ('{"url": "file://PLACE/removed", "dir_info": {}}', NAME),
        ('{"url": "https://example.org/a", "vcs_info": {"vcs": "git"}}', NAME),
        ("damaged", NAME),
        (None, NAME),
    ],
)
def test_an_extra_comes_from_where_the_package_was_installed_from(
    origin: str | None, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my copy").mkdir()
    site = tmp_path / "site"
    about = site / "hyperplane_arrangements-0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Name: {NAME}\nVersion: 0\n", encoding="utf-8")
    if origin is not None:
        text = origin.replace("PLACE", tmp_path.as_posix())
        (about / "direct_url.json").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setattr(messages, "__file__", str(site / "arrangements" / "messages.py"))
    expected = str(Path(source.replace("PLACE", str(tmp_path))))
    message = str(messages.missing_library("matplotlib", "for pictures", "plot"))
    assert f"pip install '{expected}[plot]'" in message.replace('"', "'")


def test_an_extra_comes_from_an_index_where_nothing_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "__file__", str(tmp_path / "arrangements" / "messages.py"))
    monkeypatch.setattr("sys.path", [])
    message = str(messages.missing_library("matplotlib", "for pictures", "plot"))
    assert f"{NAME}[plot]" in message
