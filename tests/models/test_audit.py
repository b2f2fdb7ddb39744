"""Audits against naive answers; what is kept of an interrupted one; the page in a browser."""

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from browser import needs_browser, seen

from arrangements import Arrangement, argmax_labels, audit, feasible_many, top_k_sets
from arrangements.errors import InputError, LowRankWarning
from arrangements.feasibility.deciding import decide
from arrangements.files.progress_log import ProgressLog
from arrangements.models import Audit, SoftmaxClassifier, audit_answers

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]]
NAMES = ["ne", "se", "nw", "sw", "mid"]


@pytest.mark.slow
def test_small_models_against_naive_answers() -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        W, b = rng.integers(-2, 3, (6, 2)), rng.integers(-1, 2, 6)
        W = np.vstack([W, [[7, 7]]])  # so that the rank is no accident
        b = np.append(b, 0)
        if len(np.unique(np.column_stack([W, b]), axis=0)) < 7 or not np.abs(W).any(axis=1).all():
            continue
        found = audit(W, b, pairs=True, sets=[[0, 1], [2], []])
        orders = naive.rankings(W.tolist(), b.tolist())
        winners = {order[0] for order in orders}
        assert set(np.flatnonzero(found.can_win == 1).tolist()) == winners
        assert set(found.held_down_by) == set(range(7)) - winners
        for i, proof in found.held_down_by.items():
            assert sum(share for _, share in proof) == pytest.approx(1)
            mean = sum(share * W[j] for j, share in proof)
            assert np.allclose(mean, W[i])
            assert sum(share * b[j] for j, share in proof) >= b[i] - 1e-9
        pairs = {frozenset(order[:2]) for order in orders}
        assert found.pairs is not None
        assert found.pairs.tolist() == [sum(i in pair for pair in pairs) for i in range(7)]
        chambers = naive.chambers(W.tolist(), b.tolist())
        signs = [tuple(1 if i in one else -1 for i in range(7)) for one in ([0, 1], [2], [])]
        assert found.possible is not None
        assert found.possible.tolist() == [int(s in chambers) for s in signs]
        assert set(found.set_proofs) == set(np.flatnonzero(found.possible == 0).tolist())
        assert found.leads is None


def test_labels_that_only_tie_do_not_win() -> None:
    found = audit([[1, 0], [0, 1], [1, 0], [0, 1]])  # each has a twin
    assert found.can_win.tolist() == [0, 0, 0, 0]
    assert "can win (strictly first): 0 of 4" in found.summary()
    assert repr(found) == "Audit(the model: 0 of 4 labels can be strictly first)"


def test_what_a_report_says() -> None:
    found = audit([*SQUARE, SQUARE[0]], labels=[*NAMES, "copy"], sets=[["ne", 1]], source="w.npy")
    facts = found.facts
    assert (facts["labels"], facts["dimension"], facts["rank"]) == (6, 2, 2)
    assert found.duplicates == ((0, 5),)
    assert found.can_win.tolist() == [0, 1, 1, 1, 0, 0]
    text = found.summary()
    assert "duplicates: ne = copy" in text and "can win (strictly first): 3 of 6 (50.0%)" in text
    assert "possible label sets: 0 of 1" in text and "impossible: {ne, se}" in text
    assert sum(abs(weight) for _, weight in found.set_proofs[0]) == pytest.approx(1)
    whole = found.to_dict()
    assert whole["labels"][5]["held_down_by"] == [["ne", 1.0]]
    assert whole["sets"][0]["labels"] == ["ne", "se"]
    half = audit(np.array(SQUARE, np.float16))
    assert half.facts["numbers"] == "float16"
    for model in (SoftmaxClassifier(SQUARE, labels=NAMES), Arrangement(SQUARE, labels=NAMES)):
        assert audit(model).names == tuple(NAMES)


def test_zero_rows() -> None:
    found = audit([[0, 0], [4, 0], [0, 4], [1, 1], [0, 0]], [0, 0, 0, 0, -1])
    assert found.can_win.tolist() == [1, 1, 1, 0, 0] and found.facts["rank"] == 2
    assert found.held_down_by[4] == ((0, 1.0),)


def test_ranks() -> None:
    rng = np.random.default_rng(0)
    low = rng.integers(-3, 4, (40, 2)) @ rng.integers(-3, 4, (2, 5))
    assert audit(low).facts["rank"] == 2
    rounded = (rng.standard_normal((40, 2)) @ rng.standard_normal((2, 5))).astype(np.float32)
    with pytest.warns(LowRankWarning):
        facts = audit(rounded).facts
    assert (facts["rank"], facts["numerical rank"]) == (5, 2)


def test_what_is_decided_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    W = np.random.default_rng(0).standard_normal((60, 3))
    sets = [[0, 1], [2], [3, 4], [5]]
    monkeypatch.setattr(audit_answers, "_LABELS", 7)
    monkeypatch.setattr(audit_answers, "_SETS", 3)
    monkeypatch.setattr(audit_answers, "_PAIRS", 300)
    expected = audit(W, sets=sets, pairs=True)
    asked: list[int] = []
    left = 0

    def interrupted(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        asked.append(len(arguments[0]))
        return decide(*arguments, **options)

    for left in (0, 2, 3, 7, 2):  # noqa: B007
        with monkeypatch.context() as patched:
            patched.setattr(audit_answers, "decide", interrupted)
            with pytest.raises(KeyboardInterrupt):
                audit(W, sets=sets, pairs=True, checkpoint=tmp_path / "c.part")
    assert asked[:11] == [7] * 8 + [4] + [3, 1]  # each of them once
    assert len(asked[11:]) == 3  # of six blocks of pairs
    with open(tmp_path / "c.part", "ab") as stream:
        stream.write(b'{"rows": [1')  # a line that was cut
    found = audit(W, sets=sets, pairs=True, checkpoint=tmp_path / "c.part")
    assert found.pairs is not None and expected.pairs is not None
    assert found.pairs.tolist() == expected.pairs.tolist()
    assert found.undecided_pairs == 0
    assert not (tmp_path / "c.part").exists()
    assert found.can_win.tolist() == expected.can_win.tolist()
    assert found.held_down_by == expected.held_down_by
    assert found.possible is not None and expected.possible is not None
    assert found.possible.tolist() == expected.possible.tolist()
    assert found.set_proofs == expected.set_proofs


def test_checkpoints_of_something_else(tmp_path: Path) -> None:
    ProgressLog(tmp_path / "c.part", "other")
    with pytest.raises(InputError, match="keeps an audit of other numbers or questions"):
        audit(SQUARE, checkpoint=tmp_path / "c.part")
    (tmp_path / "w.csv").write_text("1,2\n")
    with pytest.raises(InputError, match=r"w.csv does not keep an audit"):
        audit(SQUARE, checkpoint=tmp_path / "w.csv")
    assert (tmp_path / "w.csv").read_text() == "1,2\n"


def test_what_is_not_decided_in_time() -> None:
    found = audit(np.random.default_rng(0).standard_normal((300, 9)), time_limit=0, sets=[[1]])
    assert (found.can_win == -1).all() and found.possible is not None
    assert found.possible.tolist() == [-1]
    assert "undecided: 300 of 300" in found.summary()
    assert found.to_dict()["labels"][0]["can_win"] is None


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: audit(SQUARE, labels=NAMES[:4]), "4 labels were given for 5 rows"),
        (lambda: audit(SQUARE, sets=["ne"]), r"sets\[0\]: 'ne' is not the name of a label"),
        (lambda: audit(SQUARE, sets=[[0], [9]]), r"sets\[1\]: there is no label 9: rows"),
        (lambda: audit([[1, np.nan]]), "W, row 0, column 1, is nan"),
        (lambda: audit(SQUARE, [1]), r"offsets has shape \(1,\)"),
        (lambda: audit(SQUARE, time_limit=-1), "time_limit is -1"),
        (lambda: audit(SQUARE).save("report.txt"), "expected .html, .md or .json"),
    ],
)
def test_bad_input(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


# ------------------------------------------------------------------ the page


@pytest.fixture(scope="module")
def report() -> Audit:
    """A report with odd names."""
    names = ["</script><b>x", "se & co", "Żółw", "sw", "mid", "copy"]
    return audit(
        [*SQUARE, SQUARE[0]],
        labels=names,
        pairs=True,
        sets=[[0, 1], [1], []],
        leads="exact",
        source="w.npy",
    )


class Page(HTMLParser):
    """The elements of a page, and the text of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] == "script" and data.strip():
            self.scripts.append(data)


def test_the_page_needs_nothing_else(report: Audit) -> None:
    page = Page(report.to_html())
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert not {"src", "href"} & {name for _, given in page.tags for name in given}
    assert "@import" not in report.to_html() and "url(" not in report.to_html()
    assert json.loads(page.scripts[0]) == json.loads(json.dumps(report.to_dict()))


def test_files(report: Audit, tmp_path: Path) -> None:
    report.save(tmp_path / "r.html")
    report.save(tmp_path / "r.md")
    report.save(tmp_path / "r.json")
    assert (tmp_path / "r.md").read_text("utf-8") == report.to_markdown()
    assert (tmp_path / "r.html").read_text("utf-8") == report.to_html()
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["source"] == "w.npy"


# What a reader does, and what the tables show then.
STEPS = """<pre id="seen"></pre><script>
const seen = [];
const rows = id => [...document.querySelectorAll("#" + id + " tbody tr")].map(
  row => [...row.children].map(cell => cell.textContent));
const click = (id, j) => document.querySelectorAll("#" + id + " th button")[j].click();
const search = (id, text) => {
  const input = document.getElementById(id + "-search");
  input.value = text;
  input.dispatchEvent(new Event("input"));
};
seen.push(document.title, rows("labels"));
click("labels", 1); seen.push(rows("labels").map(row => row[1]));
click("labels", 1); seen.push(rows("labels").map(row => row[1]));
click("labels", 3); seen.push(rows("labels").map(row => row[3]));
search("labels", "NO"); seen.push(rows("labels").map(row => row[2]));
search("labels", "CO"); seen.push(rows("labels").map(row => row[1]));
seen.push(rows("sets"), rows("held"), rows("pairs").length, rows("duplicates"));
seen.push(document.querySelectorAll("svg rect").length, document.querySelectorAll("main b").length);
document.getElementById("seen").textContent = JSON.stringify(seen);
</script></body>"""


@pytest.mark.slow
@needs_browser
def test_the_page_in_a_browser(report: Audit, tmp_path: Path) -> None:
    page = report.to_html().replace("</body>", STEPS)
    (tmp_path / "r.html").write_text(page, encoding="utf-8")
    title, labels, up, down, by_lead, *found = seen(tmp_path / "r.html")
    no, co, sets, held, pairs, twice, bars, bold = found
    assert title == "Audit of w.npy"
    assert [row[1] for row in labels] == list(report.names)
    assert sorted(up) == sorted(report.names) and down == up[::-1]
    leads = [float(lead) for lead in by_lead if lead]
    assert leads == sorted(leads) and by_lead[len(leads) :] == [""] * 3
    assert no == ["no"] * 3
    # as names, or in what holds a label down
    assert {"copy", "se & co"} <= set(co) <= {"copy", "se & co", "mid", report.names[0]}
    assert [row[2] for row in sets] == ["no", "no", "no"] and sets[0][1] == "</script><b>x, se & co"
    assert len(held) == 3 and pairs == 6 and twice == [["</script><b>x, copy"]]
    assert bars > 3 and bold == 0  # a name is text, never an element


@pytest.mark.parametrize("copies", [0, 3])
def test_pairs_are_those_of_top_k_sets(monkeypatch: pytest.MonkeyPatch, copies: int) -> None:
    rng = np.random.default_rng(5)
    W = rng.standard_normal((30, 3))
    W = np.vstack([W, W[rng.permutation(30)[:copies]], [W.mean(axis=0)]])
    b = np.append(rng.standard_normal(30 + copies), 0.0)
    b[30 : 30 + copies] = [b[np.flatnonzero((W[:30] == row).all(axis=1))[0]] for row in W[30:-1]]
    monkeypatch.setattr(audit_answers, "_PAIRS", 100)
    found = audit(W, b, pairs=True)
    expected = top_k_sets(W, 2, offsets=b, ties="drop")
    assert found.pairs is not None
    assert found.pairs.tolist() == np.bincount(expected.ravel(), minlength=len(W)).tolist()
    assert len(found.duplicates) == copies


def test_pairs_that_are_not_decided_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    W = np.random.default_rng(0).standard_normal((40, 3))
    monkeypatch.setattr(audit_answers, "_PAIRS", 100)
    real, calls = audit_answers.AuditAnswers._decide, iter(range(100))

    def some(self: Any, asked: Any) -> Any:
        if next(calls) == 3:
            self.end = 0.0
        return real(self, asked)

    monkeypatch.setattr(audit_answers.AuditAnswers, "_decide", some)
    found = audit(W, pairs=True, time_limit=1e6)
    assert 0 < found.undecided_pairs < 40 * 39 // 2
    assert f"undecided pairs: {found.undecided_pairs} of 780" in found.summary()
    assert found.to_dict()["pairs"]["undecided"] == found.undecided_pairs


@pytest.mark.parametrize("offsets", [None, [0, 0, 0, 0]])
def test_labels_without_weights_are_never_on(offsets: Any) -> None:
    W = [[1, 0], [0, 0], [0, 1], [-1, -1]]
    found = audit(W, offsets, sets=[[0], [0, 1], [], [0, 2], [0, 2, 3], [1]], pairs=True)
    assert found.possible is not None
    assert found.possible.tolist() == [1, 0, 0, 1, 0, 0]
    assert found.set_proofs[1] == ((1, 1.0),)
    assert [j for j, _ in found.set_proofs[2]] == [0, 2, 3]
    assert {j: weight > 0 for j, weight in found.set_proofs[4]} == {0: True, 2: True, 3: True}
    zeros = audit(np.zeros((3, 2)), sets=[[], [0]])
    assert zeros.possible is not None
    assert zeros.possible.tolist() == [1, 0]


def test_what_people_and_programs_read() -> None:
    W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    found = audit(W, labels=["<a>", "b", "c", "d"], source="mine", leads="exact")
    assert repr(found) == "Audit(mine: 3 of 4 labels can be strictly first)"
    assert found.to_dict()["facts"]["labels"] == 4
    assert "smallest leads: " in found.summary() and "<a> (" in found.summary()
    assert "<noscript>" in found.to_html() and "&lt;a&gt; (" in found.to_html()
    assert "__SUMMARY__" not in found.to_html() and "__AUDIT__" not in found.to_html()


def test_numbers_beyond_floats() -> None:
    large = 10**400
    found = audit([[large, 1], [1, large], [0, 0], [-large, -1], [-1, -large]])
    assert found.can_win.tolist() == [True, True, False, True, True]


def test_a_low_rank_is_warned_of_and_taken() -> None:
    """A label in the middle, behind a product whose rounding lets it win."""
    rng = np.random.default_rng(0)
    A = np.array([[1.0, 0.2], [-0.4, 1.0], [-1.0, -0.3], [0.3, -1.0], [0.1, 0.05]])
    sets = [[0], [0, 1], [2, 3], [0, 1, 2, 3, 4]]
    known = audit(A, sets=sets, pairs=True)
    for kind in ("f8", "f4", "%.15g"):
        B = rng.normal(size=(2, 4))
        W = (
            np.vectorize(lambda x: float(f"{x:.15g}"))(A @ B)
            if "%" in kind
            else (A @ B).astype(kind)
        )
        with pytest.warns(LowRankWarning, match="numerical rank 2.* rank=2") as caught:
            found = audit(W, sets=sets)
        assert [warning.filename for warning in caught] == [__file__]
        assert found.can_win.tolist() == [1] * 5
        found = audit(W, rank=2, sets=sets, pairs=True)
        assert found.can_win.tolist() == known.can_win.tolist() == [1, 1, 1, 1, 0]
        assert np.flatnonzero(found.can_win).tolist() == argmax_labels(W, rank=2).tolist()
        assert known.possible is not None and found.possible is not None
        assert found.possible.tolist() == known.possible.tolist()
        on = feasible_many(W, on=sets, rank=2).feasible
        assert found.possible.tolist() == on.astype(int).tolist()
        assert known.pairs is not None and (found.pairs == known.pairs).all()
        assert "taken for LowRankStructure(rank 2" in found.summary()
    # with one label at the mean, differences have one rank less
    simplex = np.column_stack([rng.normal(size=(7, 2)), np.ones(7)]) @ rng.normal(size=(3, 6))
    found = audit(simplex, rank=3, sets=[[0]])
    assert np.flatnonzero(found.can_win).tolist() == argmax_labels(simplex, rank=2).tolist()
    with pytest.raises(InputError, match="rank"):
        audit(simplex, rank="2")


def test_the_bar_of_an_audit_counts_all_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = []

    class Bar(audit_answers.ProgressBar):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            bars.append(self.bar)

    monkeypatch.setattr(audit_answers, "ProgressBar", Bar)
    W = np.random.default_rng(0).normal(size=(12, 3))
    audit(W, np.ones(12), sigmoid=True, leads="exact", radius=2, progress=True)
    (bar,) = bars
    assert bar.n == bar.total > 12 * 4
