"""What a report tells a team: leads, repairs, sigmoid heads, inputs that exist, and two reports."""

import html
import json
import math
import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest
from browser import needs_browser, seen

from arrangements import Polyhedron, audit, can_be_top
from arrangements.errors import InputError
from arrangements.models import Audit, AuditComparison, Repair, audit_text, leads
from arrangements.models.row_distances import proved_distance
from arrangements.models.sampled_inputs import winners_at

SQUARE = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]]
NAMES = ["ne", "se", "nw", "sw", "mid"]


def wins(W: Any, b: Any, i: int) -> bool:
    return bool(can_be_top(W, [[i]], offsets=b)[0])


# ------------------------------------------------------------------ leads


def test_leads_are_those_of_the_function() -> None:
    W = np.random.default_rng(0).standard_normal((40, 4))
    found = audit(W, leads="exact")
    assert found.leads is not None and found.facts["radius"] == 1
    won = found.can_win == 1
    assert np.array_equal(found.leads[won], leads(W)[won]) and np.isnan(found.leads[~won]).all()
    label = found.to_dict()["labels"][int(np.flatnonzero(won)[0])]
    low, high = label["lead"]
    assert 0 < low <= high <= 1.01 * low
    assert "leads least" in " ".join(found.findings())


def test_the_length_of_inputs_matters_with_biases() -> None:
    W, b = [[1, 0], [0, 1], [0, 0]], [0, 0, 5]
    with pytest.raises(InputError, match="the biases differ"):
        audit(W, b, leads="exact")
    found = audit(W, b, leads="exact", radius=3)
    assert found.leads is not None and found.facts["radius"] == 3
    assert found.leads[2, 0] <= 5 + 3 * 0.5**0.5 <= found.leads[2, 1]
    assert (found.leads[:2] < 0).all()  # only at longer inputs do the others win
    at = audit(W, b, leads="exact", inputs=[[3, 4], [0, 1]])
    assert at.facts["radius"] == pytest.approx(5)
    for options in ({"rank": 2}, {"within": Polyhedron.box(0, 1, dimension=2)}):
        with pytest.raises(InputError, match="were given; expected one of them"):
            audit(W, b, leads="exact", radius=1, **options)
    with pytest.raises(InputError, match="radius is about leads"):
        audit(W, b, radius=1)
    with pytest.raises(InputError, match="leads is 'all'"):
        audit(W, b, leads="all")


def test_leads_are_kept_of_an_interrupted_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arrangements.models import audit_answers

    W = np.random.default_rng(0).standard_normal((30, 3))
    real = audit_answers.iter_leads

    def interrupted(*arguments: Any) -> Any:
        rows, left = arguments[:2]
        yield from real(rows, left[:5], *arguments[2:])
        raise KeyboardInterrupt

    monkeypatch.setattr(audit_answers, "iter_leads", interrupted)
    with pytest.raises(KeyboardInterrupt):
        audit(W, leads="exact", checkpoint=tmp_path / "c")
    asked = []

    def noted(*arguments: Any) -> Any:
        asked.append(len(arguments[1]))
        return real(*arguments)

    monkeypatch.setattr(audit_answers, "iter_leads", noted)
    found = audit(W, leads="exact", checkpoint=tmp_path / "c")
    assert asked == [int((found.can_win == 1).sum()) - 5]
    assert found.leads is not None and not np.isnan(found.leads[found.can_win == 1]).any()


# ------------------------------------------------------------------ repairs


def test_the_least_rise_of_a_bias_is_exact() -> None:
    rng = np.random.default_rng(4)
    for d in (1, 2, 3):
        W, b = rng.integers(-3, 4, (9, d)), rng.integers(-2, 3, 9)
        found = audit(W, b, repairs=True)
        assert found.repairs is not None
        assert set(found.repairs) == set(np.flatnonzero(found.can_win == 0).tolist())
        for i, repair in found.repairs.items():
            assert repair.bias_rise is not None
            low, high = repair.bias_rise
            assert low == high
            for rise, won in ((low, False), (high + Fraction(1, 10**9), True)):
                biases = [Fraction(int(x)) for x in b]
                biases[i] += rise
                assert wins(W, biases, i) == won
        records = found.to_dict()["labels"]
        for i, repair in found.repairs.items():
            assert repair.bias_rise is not None
            bounds = [float(x) for x in repair.bias_rise]
            assert records[i]["bias_rise"] == bounds


def test_floats_are_the_numbers_they_are() -> None:
    rng = np.random.default_rng(5)
    W = rng.standard_normal((30, 2))
    W[29], b = W[:29].mean(axis=0), np.append(rng.standard_normal(29), -5.0)
    found = audit(W, b, repairs=True).repairs
    assert found is not None and found[29].bias_rise is not None
    low, high = found[29].bias_rise
    assert 0 < low == high
    biases = [Fraction(x) for x in b.tolist()]
    biases[29] += low
    assert not wins(W, biases, 29)
    biases[29] += Fraction(1, 2**80)
    assert wins(W, biases, 29)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("biased", [False, True])
def test_a_row_beyond_the_distance_wins(biased: bool) -> None:
    rng = np.random.default_rng(6)
    for d in (1, 2, 3, 5):
        W = rng.standard_normal((12, d))
        b = rng.standard_normal(12) if biased else None
        found = audit(W, b, repairs=True).repairs
        assert found is not None
        for i, repair in found.items():
            row = np.array(repair.row)
            assert np.linalg.norm(row - W[i]) == pytest.approx(repair.distance, abs=1e-12)
            moved = W.copy()
            moved[i] = W[i] + (row - W[i]) * (1 + 1e-6) + 0.0
            if repair.distance > 1e-9:
                assert wins(moved, b, i)
            assert (repair.bias_rise is None) == (not biased)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-70, 3e9])
def test_no_row_within_the_least_distance_wins(biased: bool, scale: float) -> None:
    rng = np.random.default_rng(7)
    for d in (1, 2, 3, 5):
        W = rng.standard_normal((12 + 4 * d, d)) * scale
        W[:3] *= 0.1
        b = rng.standard_normal(len(W)) * scale / 4 if biased else None
        found = audit(W, b, repairs=True).repairs
        assert found is not None
        assert d > 3 or max(repair.least_distance for repair in found.values()) > 0.1 * scale
        for i, repair in found.items():
            assert repair.least_distance <= repair.distance
            for _ in range(6):
                step = rng.standard_normal(d)
                if _ == 0 and repair.distance > 0:  # towards the row that wins
                    step = np.array(repair.row) - W[i]
                moved = W.copy()
                moved[i] += step / np.linalg.norm(step) * repair.least_distance * (1 - 1e-9)
                assert not wins(moved, b, i)


def test_least_distances_that_are_known() -> None:
    square = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    cube = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T
    for corners in (square, cube):
        for own in np.linspace(0, 0.99, 7):
            inside = np.append(np.full(corners.shape[1] - 1, 0.25 * own), own)
            least = proved_distance(corners - inside, None, 0.0)
            assert 0.3 * (1 - own) < least <= 1 - own
    # an edge and a corner, rows that span too little, and rounding that is larger than it all
    for own in ([1.0, 0], [1, 1], [1.0000001, 0]):
        assert proved_distance(square - own, None, 0.0) == 0
    assert proved_distance(square[:3] - [-0.9, -0.1], None, 0.0) == 0
    assert proved_distance(square[:2], None, 0.0) == 0
    assert proved_distance(square, None, 1.0) == 0
    # with biases: a larger mean of the others holds the label down farther
    low, high = (proved_distance(square, np.full(4, rise), 0.0) for rise in (0.01, 0.5))
    assert 0 < low <= high < 1
    assert proved_distance(square, np.full(4, -0.01), 0.0) == 0


def test_the_distance_from_the_middle_of_a_square() -> None:
    found = audit([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0.25]], repairs=True).repairs
    assert found is not None and isinstance(found[4], Repair)
    assert found[4].distance == pytest.approx(0.5) and found[4].row == pytest.approx((1, 0.25))
    twins = audit([[1, 1], [1, -1], [-1, 0], [1, 1]], repairs=True).repairs
    assert twins is not None and twins[3].distance == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="repairs and rank"):
        audit(SQUARE, repairs=True, rank=1)


# ------------------------------------------------------------------ sigmoid heads


def test_sigmoid_answers_are_those_of_all_chambers() -> None:
    rng = np.random.default_rng(1)
    for k in range(6):
        W, b = rng.integers(-2, 3, (5, 2)), rng.integers(-1, 2, 5)
        if not np.abs(W).any(axis=1).all():
            continue
        b = b if k % 2 else b * 0
        found = audit(W, b, sigmoid=True)
        chambers = naive.chambers(W.tolist(), b.tolist())
        on, off, alone = found.can_be_on, found.can_be_off, found.can_be_alone
        assert on is not None and off is not None and alone is not None
        for i in range(5):
            assert on[i] == any(signs[i] > 0 for signs in chambers)
            assert off[i] == any(signs[i] < 0 for signs in chambers)
            single = tuple(1 if j == i else -1 for j in range(5))
            assert alone[i] == (single in chambers)
        apart = {
            (i, j)
            for i, j in combinations(range(5), 2)
            if not any(signs[i] > 0 and signs[j] > 0 for signs in chambers)
        }
        assert found.excluding is not None and set(found.excluding) == apart


def test_sigmoid_answers_inside_a_box_and_of_zero_rows() -> None:
    W, b = [[1, 0], [0, 1], [0, 0], [0, 0], [1, 1]], [-0.8, -0.8, 1, -1, -1.9]
    box = Polyhedron.box(0, 1, dimension=2)
    found = audit(W, b, sigmoid=True, within=box)
    assert found.can_be_on is not None and found.can_be_on.tolist() == [1, 1, 1, 0, 1]
    assert found.can_be_off is not None and found.can_be_off.tolist() == [1, 1, 0, 1, 1]
    assert found.can_be_alone is not None and found.can_be_alone.tolist() == [0, 0, 1, 0, 0]
    assert found.excluding == ()
    tight = audit([[1, 1], [-1, -1], [1, -1]], [-1.2, 0.7, 0], sigmoid=True, within=box)
    assert tight.excluding == ((0, 1),)
    assert "exclude each other: 0 and 1" in " ".join(tight.findings())


def test_parts_of_impossible_sets_are_irreducible() -> None:
    rng = np.random.default_rng(2)
    W = rng.standard_normal((12, 3))
    sets = [np.flatnonzero(row).tolist() for row in rng.random((30, 12)) < 0.5]
    found = audit(W, sets=sets)
    for proof in found.set_proofs.values():
        rows = [W[j] * (1 if y > 0 else -1) for j, y in proof]
        assert not naive.positive_somewhere(naive.integer_rows(rows))
        for k in range(len(rows)):
            rest = rows[:k] + rows[k + 1 :]
            assert naive.positive_somewhere(naive.integer_rows(rest))
    sizes = found.to_dict()["sets_by_size"]
    assert sum(number for _, number, _ in sizes) == 30
    assert sum(bad for _, _, bad in sizes) == len(found.set_proofs)


# ------------------------------------------------------------------ inputs that exist


def test_labels_that_win_at_inputs() -> None:
    rng = np.random.default_rng(3)
    W, b, X = rng.integers(-2, 3, (6, 2)), rng.integers(-2, 3, 6), rng.integers(-3, 4, (200, 2))
    found = audit(W, b, inputs=X)
    scores = X @ W.T + b
    best = scores.max(axis=1, keepdims=True)
    alone = (scores == best).sum(axis=1) == 1
    expected = np.bincount(scores.argmax(axis=1)[alone], minlength=6)
    assert found.wins is not None and found.wins.tolist() == expected.tolist()
    assert found.facts["inputs given"] == 200 and found.facts["ties at inputs"] == int(
        (~alone).sum()
    )
    second = np.sort(scores, axis=1)[:, -2]
    assert found.margins is not None
    for i in range(6):
        mine = alone & (scores.argmax(axis=1) == i)
        most = (best[:, 0] - second)[mine].max(initial=-1)
        assert most == found.margins[i] if mine.any() else math.isnan(found.margins[i])
    box = Polyhedron.box(-1, 1, dimension=2)
    assert audit(W, b, inputs=X, within=box).facts["inputs given"] == int(
        (abs(X) < 1).all(axis=1).sum()
    )
    with pytest.raises(InputError, match="inputs have 3 coordinates"):
        audit(W, inputs=[[1, 2, 3]])


def test_winners_where_floats_do_not_tell() -> None:
    from arrangements.core.rows import read_rows

    tiny = 2.0**-60
    W = [[1.0, tiny], [1.0, 0], [0, 0]]
    assert winners_at(read_rows(W), np.array([[1.0, 1.0], [1.0, 0]]))[0].tolist() == [0, -1]
    huge = [[10**400, 0], [0, 10**400], [1, 1]]
    points = np.array([[1, 2], [-1, -1]])
    assert winners_at(read_rows(huge), points)[0].tolist() == [1, 2]


# ------------------------------------------------------------------ texts


def test_markdown_and_sentences() -> None:
    names = ["a|b", "*se*", "nw", "sw", "mid"]
    found = audit(SQUARE, labels=names, source="x_y", sets=[[0, 1], [0]], repairs=True)
    text = found.to_markdown()
    assert text.startswith("## Audit of x\\_y\n\n- 4 of 5 labels can win. 1 never can")
    assert "a\\|b 0." in text and "\\*se\\*" in text and "### Labels that cannot win" in text
    assert all(line.count(" | ") >= 1 for line in text.split("\n") if line.startswith("| "))
    assert found.findings() == found.to_dict()["findings"]
    every = audit(SQUARE[:4]).findings()
    assert every == ["All 4 labels can win."]


def test_many_blockers_are_folded() -> None:
    """The mean of 120 corners: three weights, and a number."""
    corners = np.vstack([np.eye(120), np.full((1, 120), 1 / 120)])
    found = audit(corners * 120)
    label = found.to_dict()["labels"][120]
    assert len(label["held_down_by"]) == 120
    assert audit_text.blockers(label).endswith(" and 117 more")
    assert "and 117 more" in found.to_markdown()


def test_two_reports(tmp_path: Path) -> None:
    before = audit(SQUARE, labels=NAMES, source="before", leads="exact")
    W = np.array(SQUARE)
    W[4], W[0] = [3, 0], [1.4, 0.4]
    after = audit(
        np.vstack([W[:4], W[4:], [[0, 9]]]), labels=[*NAMES, "new"], source="after", leads="exact"
    )
    found = before.compare(after)
    assert isinstance(found, AuditComparison)
    assert found.changes["can_win_now"] == ["mid"]
    assert found.changes["only_after"] == ["new"] and found.changes["only_before"] == []
    assert set(found.changes["cannot_win_now"]) == {
        name for i, name in enumerate(NAMES[:4]) if after.can_win[i] == 0
    }
    assert "before: 4 of 5 labels can win." in found.summary()
    assert "mid" in found.to_markdown()
    found.save(tmp_path / "c.md")
    found.save(tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["can_win_now"] == ["mid"]
    with pytest.raises(InputError, match=r"expected \.html, \.md or \.json"):
        found.save(tmp_path / "c.pdf")
    assert "The same labels can win." in before.compare(before).summary()


def test_the_page_of_two_reports(tmp_path: Path) -> None:
    """All tables, as text, whatever labels are called; the Markdown has the same rows."""
    names = ["<b>", "|", "a & b", "d", "mid"]
    before = audit(SQUARE, labels=names, source="<before>", leads="exact")
    after = audit(
        [[9, 0], *SQUARE[1:4], [0, 0.1], [0, 9]],
        labels=[*names, "new"],
        source="after",
        leads="exact",
    )
    found = before.compare(after)
    found.save(tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text("utf-8")
    (title,) = re.findall("<h1>(.*?)</h1>", page)
    assert html.unescape(title) == "<before> and after" and "<b>" not in page.split("<body>")[1]
    rows = [html.unescape(cell) for cell in re.findall("<tr><td>(.*?)</td>", page)]
    changes = found.changes
    listed = [
        changes[key] for key in ("cannot_win_now", "can_win_now", "only_before", "only_after")
    ]
    assert rows == [*sum(listed, []), *(row[0] for row in changes["leads"])]
    assert changes["leads"] and changes["only_after"] == ["new"]
    assert "__" not in page and "<script" not in page.split("<body>")[1]
    assert found.to_markdown().count("\n| ") == len(rows) + 2 * page.count("<table>")


# ------------------------------------------------------------------ the page

STEPS = """<pre id="seen"></pre><script>
const seen = [], began = performance.now();
const sight = document.querySelector("#labels").closest(".window");
const rows = () => [...document.querySelectorAll("#labels tbody tr")].map(
  row => row.children[1].textContent);
seen.push(rows().length, rows()[0], document.querySelectorAll("#findings li").length);
document.querySelectorAll("#labels th button")[0].click();
document.querySelectorAll("#labels th button")[0].click();
seen.push(rows()[0]);
const input = document.getElementById("labels-search");
input.value = "w77777"; input.dispatchEvent(new Event("input"));
seen.push(rows());
seen.push([...document.querySelectorAll("#leads text")].map(text => text.textContent));
seen.push(document.querySelectorAll("#blockers .name").length, performance.now() - began);
document.getElementById("seen").textContent = JSON.stringify(seen);
</script></body>"""


@pytest.mark.slow
@needs_browser
def test_a_page_of_128000_labels(tmp_path: Path) -> None:
    n = 128_000
    small = audit(SQUARE, leads="exact")
    can_win = np.ones(n, np.int8)
    can_win[5:] = np.arange(n - 5) % 2
    bounds = np.random.default_rng(0).random((n, 1)) * [1, 1.01]
    held = {i: tuple((j, 1 / 30) for j in range(30)) for i in np.flatnonzero(can_win == 0).tolist()}
    large = Audit(
        "large",
        {**small.facts, "labels": n},
        tuple(f"w{i}" for i in range(n)),
        can_win,
        bounds,
        held,
        (),
        None,
        0,
        None,
        None,
        {},
    )
    page = large.to_html().replace("</body>", STEPS)
    (tmp_path / "r.html").write_text(page, encoding="utf-8")
    number, first, findings, last, found, ends, blockers, took = seen(tmp_path / "r.html")
    assert number < 100 and first == "w0" and findings == 2 and last == f"w{n - 1}"
    assert found == ["w77777"]
    assert len(ends) == 4 and float(ends[1]) < 0.001 and float(ends[3]) > 0.999
    assert blockers == 20 and took < 20_000


def test_sizes_beyond_all_floats() -> None:
    """Weights of circuits whose sizes overflow are found exactly, without a warning."""
    largest = np.finfo(float).max
    W = [[-1, 0.0], [-5e-324, 0.0], [0.0, largest / 2], [largest, -1e308], [0.0, 1]]
    found = audit(W, [0.0, -largest, -1.0, largest, 1e308])
    assert found.can_win.astype(bool).tolist() == [True, False, True, True, True]


def test_what_was_asked_is_said() -> None:
    W = [[1, 0], [0, 1], [-1, -1], [1, 0], [0.125, 0.125]]
    found = audit(W, sigmoid=True, repairs=True, sets=[[0, 1], [0, 1, 2]])
    lines = dict(line.split(": ", 1) for line in found.summary().split("\n"))
    assert lines["can be on"] == "5 of 5 (100.0%)"
    assert lines["can be on alone"].endswith(", not 0, 1, 3, 4")
    assert lines["exclude each other"] == "2 and 4"
    assert lines["to let them win"].startswith("0 (row moved by 0), 3 (row moved by 0), 4 (row")
    assert lines["impossible"].startswith("{0, 1} (by 0 on, 3 off), {0, 1, 2} (by")
    assert "| 0, 1 | 0 on, 3 off |" in found.to_markdown()


def test_labels_that_need_longer_inputs_to_win() -> None:
    found = audit([[1, 0], [0, 1], [0, 0]], [0, 0, 5], leads="exact", radius=1)
    assert found.findings()[1] == "At inputs of length up to 1, 0 stays behind by 4."
    with pytest.raises(InputError, match="other is 3; expected"):
        found.compare(3)  # type: ignore[arg-type]
