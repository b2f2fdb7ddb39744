"""Pages in a browser without a window, where one is installed."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PATH = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))),
    None,
)
needs_browser = pytest.mark.skipif(PATH is None, reason="no browser is installed")


def seen(page: Path) -> Any:
    """What a script of the page has written into the element "seen", as JSON."""
    home = f"--user-data-dir={page.parent}/home"
    options = ["--headless", "--no-sandbox", "--disable-gpu", home, "--dump-dom"]
    done = subprocess.run(
        [str(PATH), *options, f"file://{page}"], capture_output=True, text=True, timeout=120
    )
    (text,) = re.findall(r'<pre id="seen">(.+?)</pre>', done.stdout, re.DOTALL)
    for code, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        text = text.replace(code, character)
    return json.loads(text)
