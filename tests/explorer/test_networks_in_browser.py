"""The page about networks in a real browser: steps, weights, planes and points."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import PATH, needs_browser
from test_in_browser import STATE, Page
from test_network_pages import BOX, NETS, SPACE

from arrangements import explore

pytestmark = [needs_browser, pytest.mark.slow]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
TESTS = (Path(__file__).parent, Path(__file__).parent.parent)
WIDE = {"width": 1400, "height": 1000}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield found
        found.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server of the first network."""
    program = (
        "import sys; sys.path += sys.argv[1:]\n"
        "from test_network_pages import BOX, NETS\n"
        "from arrangements import explore\n"
        "explore(NETS, within=BOX).serve(open_browser=False)"
    )
    command = [sys.executable, "-c", program, *map(str, TESTS)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[4]
        finally:
            process.terminate()


def test_a_weight_and_a_point_with_a_server(browser: Any, tmp_path: Path) -> None:
    with served(tmp_path) as address:
        page = Page(browser, address, viewport=WIDE)
        before = page.now()
        page.tab.get_by_label("from", exact=True).select_option(label="offset")
        page.wait(f"{STATE}.now.weight.column === 2")
        page.tab.get_by_role("slider", name="its value").focus()
        for _ in range(40):
            page.tab.keyboard.press("ArrowRight")
        page.wait(f"{STATE}.now.weight.value > {before['weight']['value']}")
        page.now()
        page.wait(f"!{STATE}.busy && {STATE}.now.undo === 1")
        assert page.now()["areas"] != before["areas"]
        page.tab.mouse.move(*page.at("plane0", 0, 0))
        page.tab.mouse.down()
        page.tab.mouse.move(*page.at("plane0", 0.5, -1), steps=5)
        page.tab.mouse.up()
        page.wait(f"Math.abs({STATE}.now.point[1] + 1) < 0.05")
        now = page.now()
        assert now["point"] == pytest.approx([0.5, -1], abs=0.05)
        assert page.tab.evaluate(f"{STATE}.selected") == now["chosen"] != []
        assert "signs of the units" in page.said()
        page.tab.get_by_role("button", name="undo").click()
        page.wait(f"{STATE}.now.undo === 0")
        assert page.now()["areas"] == before["areas"]
        page.close()


def test_steps_of_a_saved_page(browser: Any, tmp_path: Path) -> None:
    explore(NETS, within=BOX, labels=["cat", "dog", "bird"]).save(tmp_path / "p.html")
    page = Page(browser, (tmp_path / "p.html").as_uri(), viewport=WIDE)
    assert page.now()["title"] == f"{NETS[0].count_regions(within=BOX)} regions of 16 units"
    page.tab.get_by_role("slider", name="step").focus()
    page.tab.keyboard.press("ArrowRight")
    page.wait(f"{STATE}.now.step === 1")
    title = f"{NETS[1].count_regions(within=BOX)} regions of 16 units"
    assert page.now()["title"] == title
    page.tab.get_by_label("colors of regions").select_option(label="by affine map")
    page.wait(f"{STATE}.now.color === 'map'")
    now = page.now()
    assert (now["step"], now["title"]) == (1, title)
    page.close()


def test_a_plane_of_a_saved_page(browser: Any, tmp_path: Path) -> None:
    explore(SPACE).save(tmp_path / "p.html")
    page = Page(browser, (tmp_path / "p.html").as_uri(), viewport=WIDE)
    before = page.now()["areas"]
    page.tab.get_by_role("slider").first.focus()
    page.tab.keyboard.press("ArrowRight")
    page.wait(f"{STATE}.now.shifts[0] === 2")
    assert page.now()["areas"] != before
    page.close()
