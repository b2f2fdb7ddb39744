"""The interactive plot of a run: its data, and what it does in a browser."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import needs_browser, seen

from benchmarks.reports.interactive import fragment
from benchmarks.runs.run_files import load_run

DOCS = Path(__file__).parents[2] / "docs" / "benchmarks"


@pytest.fixture(scope="module")
def run() -> Any:
    return load_run(str(DOCS / "peers.json"))


def data_of(html: str) -> Any:
    (text,) = re.findall(r'class="data">(.+?)</script>', html, re.DOTALL)
    return json.loads(text)


def test_the_plot_has_every_answered_case(run: Any) -> None:
    data = data_of(fragment(run))
    parts = [run, run["processors"]]
    answered = [
        record
        for part in parts
        for record in part["cases"]
        if record["status"] == "ok" and record["topic"] != "process"
    ]
    assert len(data["cases"]) == len(answered) > 300
    assert data["machines"] == [part["machine"]["cpu"] for part in parts]
    for row, record in zip(data["cases"], answered, strict=True):
        shown = dict(zip(data["fields"], row, strict=True))
        assert (shown["n"], shown["method"]) == (record["n"], record["method"])
        assert shown["seconds"] == pytest.approx(record["seconds"], rel=1e-3)
        assert shown["method"] in data["colors"]


def test_hostile_names_stay_text(run: Any) -> None:
    case = run["cases"][0] | {"family": "</script><b>&", "method": "\u2028<i>"}
    made = fragment(run | {"cases": [case], "machine": run["machine"] | {"cpu": "<img src=x>"}})
    assert made.isascii() and "<b>" not in made and "<img" not in made
    assert data_of(made)["cases"][0][1] == "</script><b>&"
    assert fragment({"cases": [], "machine": run["machine"]}) == ""
    assert "http" not in made.replace("http://www.w3.org/2000/svg", "")


# What a reader does, and what is seen then.
STEPS = """<pre id="seen"></pre><script>
const seen = [], at = name => document.querySelector("#times [data-name=" + name + "]");
const change = node => node.dispatchEvent(new Event("change"));
const pick = (name, value) => { at(name).value = value; change(at(name)); };
const marks = () => [...document.querySelectorAll("#times circle")];
const said = () => document.querySelector("#times .said").textContent;
const svg = () => document.querySelector("#times svg");
const key = key => svg().dispatchEvent(new KeyboardEvent("keydown", { key }));
window.addEventListener("error", event => seen.push("error " + event.message));
seen.push(marks().length);
pick("machine", "1"); seen.push(marks().length);
pick("machine", "0"); pick("family", "gaussian"); pick("d", "4"); seen.push(marks().length);
const boxes = [...document.querySelectorAll("#times input")];
for (const box of boxes) if (box.value !== "sweep") { box.checked = false; change(box); }
seen.push(marks().map(mark => mark.textContent));
const left = marks().map(mark => [+mark.getAttribute("cx"), +mark.getAttribute("cy")]);
seen.push(left);
marks()[1].dispatchEvent(new MouseEvent("mouseenter")); seen.push(said());
key("ArrowRight"); seen.push(said());
key("ArrowLeft"); key("ArrowLeft"); key("ArrowLeft"); seen.push(said());
pick("across", "n"); pick("up", "ratio"); 
seen.push(marks().length, svg().getAttribute("aria-label"));
pick("topic", "rankings"); seen.push(marks().length);
seen.push(document.querySelectorAll("#times b, #times img").length);
document.getElementById("seen").textContent = JSON.stringify(seen);
</script>"""


@pytest.mark.slow
@needs_browser
def test_the_plot_in_a_browser(run: Any, tmp_path: Path) -> None:
    page = tmp_path / "times.html"
    evil = run["cases"][0] | {"topic": "rankings", "family": "</script><b>x"}
    shown = run | {"cases": [*run["cases"], evil]}
    page.write_text(fragment(shown) + STEPS, encoding="ascii")
    everything, other_machine, four, titles, places, *found = seen(page)
    hover, right, back, ratios, label, others, bold = found
    cases = [
        dict(zip(data_of(fragment(run))["fields"], row, strict=True))
        for row in data_of(fragment(run))["cases"]
    ]
    topic = [one for one in cases if one["topic"] == "chambers"]
    assert everything == len([one for one in topic if one["machine"] == 0])
    assert other_machine == len(topic) - everything > 20
    some = [one for one in topic if (one["family"], one["d"], one["machine"]) == ("gaussian", 4, 0)]
    assert four == len(some)
    sweeps = sorted(
        (one for one in some if one["method"] == "sweep"),
        key=lambda one: (one["workers"], one["patterns"]),
    )
    assert len(titles) == len(sweeps) > 3
    assert {int(re.search(r"n=(\d+)", title)[1]) for title in titles} == {s["n"] for s in sweeps}
    wide = next(title for title in titles if "n=200 d=4, sweep \u00b7" in title)
    assert "2,627,200 patterns" in wide and "22.52 ms" in wide and run["machine"]["cpu"] in wide
    by_patterns = sorted(zip(titles, places, strict=True), key=lambda pair: pair[1][0])
    counts = [int(re.search(r"([\d,]+) patterns", t)[1].replace(",", "")) for t, _ in by_patterns]
    assert counts == sorted(counts)
    assert [hover, right] == titles[1:3] and back == titles[-1]
    assert ratios == len([s for s in sweeps if s["ratio"]]) and "arrow keys" in label
    assert others > 10 and bold == 0
