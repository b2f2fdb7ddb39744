"""The explorer in a real browser: what is drawn, clicked, dragged, typed and heard."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import PATH, needs_browser
from test_explore import served

from arrangements import Polyhedron, count_rankings, explore
from arrangements.explorer.state import state_of
from arrangements.explorer.views import View
from arrangements.plot import Explorer

pytestmark = [needs_browser, pytest.mark.slow]
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")

FIVE = [[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]]
STATE = "window.arrangementsExplorer[0].state()"
_LISTED = (
    "[...Bokeh.documents[0].all_models].find(one => one.type === 'DataTable').source.data.name"
)
# A Bokeh view keeps where the frame of its figure is.
_AT = """([name, x, y]) => {
  const figure = Bokeh.documents[0].get_model_by_name(name), view = Bokeh.index.find_one(figure);
  const box = view.el.getBoundingClientRect();
  return [box.x + view.frame.x_scale.compute(x), box.y + view.frame.y_scale.compute(y)];
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield found
        found.close()


class Page:
    """A page in the browser, whose errors are kept."""

    def __init__(self, browser: Any, address: str, **more: Any) -> None:
        self.tab = browser.new_page(**more)
        self.errors: list[str] = []
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("console", lambda said: said.type == "error" and self.errors.append(said.text))
        self.tab.on("request", self._asked)
        self.address = address
        self.tab.goto(address)
        self.wait("window.arrangementsExplorer?.[0]?.state().now")
        self.settle()

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.errors.append(f"asked for {request.url}")

    def wait(self, condition: str) -> Any:
        return self.tab.wait_for_function(condition, timeout=30_000)

    def settle(self) -> None:
        """Wait until all is drawn."""
        self.wait("Bokeh.documents[0].is_idle")
        self.tab.wait_for_timeout(300)

    def now(self) -> Any:
        self.wait(f"!{STATE}.busy")
        return self.tab.evaluate(f"{STATE}.now")

    def at(self, figure: str, x: float, y: float) -> tuple[float, float]:
        px, py = self.tab.evaluate(_AT, [figure, x, y])
        return px, py

    def said(self) -> str:
        """What stands beside the search."""
        return " ".join(self.tab.locator(".facts .bk-clearfix").all_inner_texts())

    def close(self) -> None:
        self.tab.close()
        assert self.errors == []


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    explore(FIVE).save(path)
    return path.as_uri()


def test_hover_and_click_find_the_region(browser: Any, saved: str) -> None:
    page = Page(browser, saved, viewport={"width": 1400, "height": 1100})
    view = View(state_of(FIVE))
    x, y, r = view.square
    points = np.random.default_rng(0).uniform(-0.95 * r, 0.95 * r, (50, 2)) + [x, y]
    keys = view.keys_in_plane(points)
    for k, (point, key) in enumerate(zip(points.tolist(), keys, strict=True)):
        name = view.names[view.region_keys.index(key)]
        page.tab.mouse.move(*page.at("plane0", *point))
        page.tab.locator(".bk-Tooltip:visible", has_text=name).first.wait_for(timeout=5000)
        if k % 5 == 0:
            page.tab.wait_for_timeout(400)  # two clicks at once are another gesture
            page.tab.mouse.click(*page.at("plane0", *point))
            page.wait(f"{STATE}.now.names[{STATE}.selected[0]] === {name!r}")
            card = page.said()
            exact = re.search(r"An exact point x: \((.*?)\)", card)
            assert name in card and exact
    page.close()


def test_search_finds_a_proof(browser: Any, saved: str) -> None:
    page = Page(browser, saved)
    box = page.tab.get_by_label("search", exact=True)
    box.fill("0 > 3 > 1 > 2 > 4")
    box.press("Enter")
    page.tab.get_by_text("is impossible").wait_for()
    assert "checked in exact arithmetic" in page.said()
    box.fill("01432")
    box.press("Enter")
    page.tab.get_by_text("01432 is possible").wait_for()
    page.tab.get_by_role("button", name="graph").click()
    (chosen,) = page.tab.evaluate(f"{STATE}.selected")
    assert page.now()["names"][chosen] == "01432"
    page.close()


def test_keys_and_names_for_those_who_listen(browser: Any, saved: str) -> None:
    page = Page(browser, saved)
    page.tab.get_by_label("row", exact=True).select_option("2")
    slider = page.tab.get_by_role("slider", name="length of the row")
    before = page.now()["names"]
    slider.focus()
    for _ in range(4):
        page.tab.keyboard.press("ArrowRight")
    page.wait(f"{STATE}.now.rows.x[2] !== 9")
    now = page.now()
    assert now["rows"]["x"][2] == pytest.approx(9 * 1.8) and set(now["names"]) != set(before)
    said = page.said()
    assert "no longer possible" in said and "possible now" in said
    page.tab.get_by_role("button", name="undo").click()
    page.wait(f"{STATE}.now.rows.x[2] === 9")
    assert page.now()["names"] == before
    for name in ("Picture of the rows of W", "Picture of the regions of the plane", "All regions"):
        assert page.tab.get_by_label(name).count() == 1
    page.close()


def test_dark_mode_and_a_phone(browser: Any, saved: str) -> None:
    page = Page(browser, saved, color_scheme="dark", viewport={"width": 375, "height": 700})
    dark = page.tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", dark))) < 64
    name = "Bokeh.documents[0].get_model_by_name('plane0')"
    assert page.tab.evaluate(f"{name}.border_fill_color") == dark
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 375
    page.tab.emulate_media(color_scheme="light")
    page.wait(f"{name}.border_fill_color === 'rgb(255, 255, 255)'")
    page.close()


def test_names_stand_in_their_regions(browser: Any, saved: str) -> None:
    page = Page(browser, saved, viewport={"width": 1400, "height": 1100})
    view = View(state_of(FIVE))
    for _ in range(2):
        marks = page.tab.evaluate(f"{STATE}.marks")
        points = np.array([marks["x"], marks["y"]]).T
        found = [view.names[view.region_keys.index(key)] for key in view.keys_in_plane(points)]
        assert len(found) > 5 and found == marks["text"]
        page.tab.mouse.move(*page.at("plane0", 0.1, 0.1))
        page.tab.mouse.wheel(0, -300)
        page.settle()
    page.close()


def test_a_click_beside_all_regions_forgets(browser: Any, saved: str) -> None:
    page = Page(browser, saved, viewport={"width": 1400, "height": 1100})
    page.tab.get_by_role("button", name="graph").click()
    page.settle()
    page.tab.mouse.click(*page.at("graph0", *_node(page, 7)))
    page.wait(f"{STATE}.selected[0] === 7")
    assert page.now()["names"][7] in page.said()
    page.tab.wait_for_timeout(400)
    page.tab.mouse.click(*page.at("graph0", 0, 0))
    page.wait(f"{STATE}.selected.length === 0")
    assert "Click a region" in page.said()
    page.close()


def _node(page: Page, i: int) -> tuple[float, float]:
    net = page.now()["pictures"]["graph"]
    return net["gx"][i], net["gy"][i]


def test_examples_of_a_statement_are_searched_for(browser: Any, tmp_path: Path) -> None:
    Explorer.of_preset("bjorner").save(tmp_path / "p.html")
    page = Page(browser, (tmp_path / "p.html").as_uri(), viewport={"width": 1400, "height": 1100})
    assert page.tab.get_by_role("button", name="sphere").count() == 2
    page.tab.get_by_role("button", name="10432").click()
    page.tab.get_by_text("10432 is possible").wait_for()
    page.tab.get_by_role("main").get_by_text("10432 is impossible").wait_for()
    page.close()


def test_names_are_neither_html_nor_too_wide(browser: Any, tmp_path: Path) -> None:
    labels = [
        "<img src=x onerror='window.hacked=1'>",
        "b" * 600,
        "<script>window.hacked=1</script>",
    ]
    explore(FIVE[:3], labels=labels).save(tmp_path / "p.html")
    page = Page(browser, (tmp_path / "p.html").as_uri(), viewport={"width": 900, "height": 900})
    box = page.tab.get_by_label("search", exact=True)
    box.fill(f"{labels[0]} > {labels[2]}")
    box.press("Enter")
    page.settle()
    page.tab.mouse.move(*page.at("plane0", 0.3, 0.2))
    page.tab.mouse.click(*page.at("plane0", 0.3, 0.2))
    page.wait(f"{STATE}.selected.length === 1")
    page.settle()
    assert labels[1] in page.said().replace("\n", "")
    assert page.tab.evaluate("window.hacked") is None
    assert page.tab.evaluate("document.documentElement.scrollWidth") <= 900
    page.close()


def test_the_sphere_turns_and_is_linked(browser: Any, tmp_path: Path) -> None:
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]]
    explore(rows, labels=["cat", "dog", "bird", "fish"]).save(tmp_path / "p.html")
    page = Page(browser, (tmp_path / "p.html").as_uri(), viewport={"width": 1400, "height": 1100})
    page.tab.get_by_role("button", name="sphere").click()
    page.settle()
    page.tab.mouse.click(*page.at("sphere0", 0.1, 0.2))
    page.wait(f"{STATE}.selected.length === 1")
    (first,) = page.tab.evaluate(f"{STATE}.selected")
    page.tab.mouse.move(*page.at("sphere0", 0.5, 0))
    page.tab.mouse.down()
    page.tab.mouse.move(*page.at("sphere0", -0.5, 0.3), steps=5)
    page.tab.mouse.up()
    page.settle()  # the click is no second part of the drag
    page.tab.mouse.click(*page.at("sphere0", 0.1, 0.2))
    page.wait(f"{STATE}.selected[0] !== {first}")
    (second,) = page.tab.evaluate(f"{STATE}.selected")
    assert page.now()["names"][second] in page.said()
    page.close()


def test_a_drag_follows_the_engine(browser: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", FIVE, fmt="%d")
    with served("w.txt", cwd=tmp_path) as address:
        page = Page(browser, address, viewport={"width": 1400, "height": 1100})
        other = Page(browser, address)
        before = page.now()["names"]
        page.tab.mouse.move(*page.at("rows0", 9, 5))
        page.tab.mouse.down()
        page.tab.mouse.move(*page.at("rows0", 9, 2.7), steps=10)
        page.tab.mouse.up()
        page.wait(f"{STATE}.now.rows.y[2] < 3")
        now = page.now()
        rows = np.array([now["rows"]["x"], now["rows"]["y"]]).T
        assert rows[2] == pytest.approx([9, 2.7], abs=0.2)
        assert len(now["names"]) == count_rankings(np.round(rows * 100).astype(int))
        assert set(now["names"]) != set(before)
        box = page.tab.get_by_label("search", exact=True)
        box.fill("2 > 1")
        box.press("Enter")
        page.tab.get_by_text("2 > 1 is possible in").wait_for()
        assert other.now()["names"] == before  # each window has a session of its own
        page.close()  # in the middle of it
        other.tab.get_by_label("show", exact=True).select_option(label="labels that can be first")
        other.wait(f"{STATE}.now.title === '4 of 5 labels can be first'")
        other.tab.get_by_role("button", name="undo").click()
        other.wait(f"{STATE}.now.title === '20 rankings of 5 labels'")
        other.close()


def test_a_drag_keeps_the_polyhedron(browser: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", FIVE, fmt="%d")
    np.savetxt(tmp_path / "b.txt", range(5), fmt="%d")
    options = ("--offsets", "b.txt", "--box", "-1", "1")
    with served("w.txt", *options, cwd=tmp_path) as address:
        page = Page(browser, address, viewport={"width": 1400, "height": 1100})
        box = Polyhedron.box(-1, 1, dimension=2)
        page.tab.mouse.move(*page.at("rows0", 9, 5))
        page.tab.mouse.down()
        page.tab.mouse.move(*page.at("rows0", 9, 2.7), steps=10)
        page.tab.mouse.up()
        page.wait(f"{STATE}.now.rows.y[2] < 3")
        now = page.now()
        rows = np.array([now["rows"]["x"], now["rows"]["y"]]).T
        moved = np.round(rows * 100).astype(int)
        assert len(now["names"]) == count_rankings(moved, 100 * np.arange(5), within=box)
        assert len(now["pictures"]["plane"]["border"]["xs"]) == 4
        corners = np.array([now["pictures"]["plane"][key] for key in ("xs", "ys")], object)
        assert max(abs(x) for axis in corners for xs in axis for x in xs) == 1
        page.tab.mouse.click(*page.at("plane0", 0.9, 0.8))
        page.wait(f"{STATE}.selected.length === 1")
        page.tab.wait_for_timeout(400)
        page.tab.mouse.click(*page.at("plane0", 1.15, 0.8))  # outside of the box
        page.wait(f"{STATE}.selected.length === 0")
        page.close()


def test_many_regions_follow_and_are_listed_at_rest(browser: Any, tmp_path: Path) -> None:
    W = np.random.default_rng(0).integers(-9, 10, (8, 3))
    np.savetxt(tmp_path / "w.txt", W, fmt="%d")
    with served("w.txt", cwd=tmp_path) as address:
        page = Page(browser, address, viewport={"width": 1400, "height": 1100})
        x, y = W[0, :2].tolist()
        for step, name in enumerate(("panstart", "pan", "pan", "pan")):
            event = f"{{ event_name: {name!r}, x: {x + step / 2}, y: {y} }}"
            page.tab.evaluate(f"window.arrangementsExplorer[0].pointer('rows', {event})")
            now = page.now()
            move = np.round(np.column_stack([now["rows"]["x"], now["rows"]["y"], W[:, 2]]), 2)
            assert move[0, 0] == pytest.approx(x + step / 2)
            assert len(now["names"]) == count_rankings(np.round(move * 100).astype(int)) > 500
            assert now["title"].startswith(f"{len(now['names']):,} ")
        page.wait(f"String({_LISTED}) === String({STATE}.now.names)")
        page.tab.mouse.click(*page.at("plane0", 0.1, 0.2))
        page.wait(f"{STATE}.selected.length === 1")
        assert page.now()["names"][page.tab.evaluate(f"{STATE}.selected[0]")] in page.said()
        page.close()


def test_pictures_that_were_not_seen_follow(browser: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", FIVE, fmt="%d")
    with served("w.txt", cwd=tmp_path) as address:
        page = Page(browser, address, viewport={"width": 1400, "height": 1100})
        before = page.now()
        page.tab.get_by_role("button", name="graph").click()
        page.now()
        for name, x in (("panstart", 9), ("pan", 9.1)):
            event = f"{{ event_name: {name!r}, x: {x}, y: 5 }}"
            page.tab.evaluate(f"window.arrangementsExplorer[0].pointer('rows', {event})")
        page.wait(f"{STATE}.now.rows.x[2] === 9.1")
        page.tab.get_by_role("button", name="plane").click()
        page.wait(f"{STATE}.now.pictures.plane")
        now = page.now()
        assert now["names"] == before["names"]  # it was a small move
        assert now["pictures"]["plane"]["xs"] != before["pictures"]["plane"]["xs"]
        page.close()


def test_equal_messages_are_answered_all_the_same(browser: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "w.txt", FIVE, fmt="%d")
    with served("w.txt", cwd=tmp_path) as address:
        page = Page(browser, address, viewport={"width": 1400, "height": 1100})
        for kind in ("labels that can be first", "sets of 2 best labels"):
            page.tab.get_by_label("show", exact=True).select_option(label=kind)
            page.now()
        for _ in range(2):
            page.tab.get_by_role("button", name="undo").click()
            page.now()
        assert page.now()["title"] == "20 rankings of 5 labels"
        box = page.tab.get_by_label("search", exact=True)
        for text in ("0 > 3 > 1 > 2 > 4", "01432", "0 > 3 > 1 > 2 > 4"):
            box.fill(text)
            box.press("Enter")
            page.tab.get_by_text(re.compile("is (im)?possible")).wait_for()
            page.now()
        # a refused kind is not what is drawn: row 0 is zero, and no hyperplane
        show = page.tab.get_by_label("show", exact=True)
        show.select_option(label="chambers of hyperplanes")
        page.tab.get_by_text("row 0 is zero").wait_for()
        assert page.now()["title"] == "20 rankings of 5 labels"
        assert show.evaluate("one => one.selectedOptions[0].label") == "rankings of labels"
        page.close()
