"""What objects show in a notebook: readable, escaped, short, and nothing computed for it."""

import copy
import pickle
import shutil
import time
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrangements
from arrangements import (
    Arrangement,
    OrientedMatroid,
    Polyhedron,
    Rankings,
    SignVectors,
    audit,
    best_chamber,
    can_be_top,
    chambers,
    characteristic_polynomial,
    compare,
    feasible,
    feasible_many,
    flats,
    notebook,
    palette,
    rankings,
    restriction,
)
from arrangements.core.score_model import ScoreModel
from arrangements.models import SigmoidClassifier, SoftmaxClassifier
from arrangements.networks import Network, is_monotone, lipschitz_constant
from arrangements.optimize import (
    best_ranking,
    binary_quadratic,
    deepest_regression,
    kemeny_ranking,
)
from arrangements.paper import same_softmax, verify
from arrangements.runs.checking import RunReport
from arrangements.structure import tie_set

W, B = [[1, 0], [0, 1], [1, 1]], [0, 0, -1]
PETS = ["cat", "dog", "bird"]
VOID = {"br", "line"}


class Page(HTMLParser):
    """The elements of some HTML, which must be closed in order, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.rows: list[list[str]] = []
        self.tags: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        self.open += [] if tag in VOID else [tag]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.texts.append(data)
        if self.rows and set(self.open) & {"td", "th"}:
            self.rows[-1][-1] += data

    @property
    def text(self) -> str:
        return "".join(self.texts)


def page(shown: Any) -> Page:
    return Page(shown._repr_html_())


def table(shown: Any) -> list[list[str]]:
    return page(shown).rows


# ------------------------------------------------------------------ what is said


def test_an_arrangement_has_its_rows_and_a_picture() -> None:
    found = page(Arrangement(W, B, labels=PETS))
    assert "Arrangement(3 hyperplanes in dimension 2, affine)" in found.text
    assert found.rows == [
        ["", "hyperplane", "x1", "x2", "offset"],
        ["0", "cat", "1", "0", "0"],
        ["1", "dog", "0", "1", "0"],
        ["2", "bird", "1", "1", "-1"],
    ]
    assert found.tags.count("svg") == 1 and found.tags.count("line") == 3
    assert "svg" not in page(Arrangement(np.eye(3, dtype=int))).tags
    assert "svg" not in page(Arrangement([[1, k] for k in range(13)])).tags


def test_the_picture_has_lines_where_they_are() -> None:
    ends = notebook.lines([(1, 0, -2), (0, 1, -3)], "ab")  # x = 2 and y = 3 meet in the middle
    assert 'x1="0.0" y1="-80.0" x2="0.0" y2="80.0"' in ends
    assert 'x1="-80.0" y1="0.0" x2="80.0" y2="0.0"' in ends
    assert '<text x="10.0" y="68.0"' in ends and '<text x="64.0" y="-6.0"' in ends  # + sides
    assert notebook.lines([(1, 1, 0)] * 2, "ab").count("<line") == 1
    assert ">a, b</text>" in notebook.lines([(1, 1, 0)] * 2, "ab")
    far = notebook.lines([(1, 0, 0), (0, 1, 0), (1, 1, 10**400)], "abc")
    assert far.count("<line") == 2
    assert notebook.lines([(0, 0, 1)], "a") == "" == notebook.lines([], "")
    assert notebook.lines([(1, 0, 0), (10**4000, 1, 0)], "ab").count("<line") == 1


def test_sets_show_signs_and_rankings_with_names() -> None:
    S = chambers(Arrangement(W, B, labels=PETS))
    head, *rows = table(S)
    assert head == ["", *PETS] and len(rows) == 7
    assert [row[1:] for row in rows] == [["-+"[int(s > 0)] for s in signs] for signs in S]
    R = rankings(W, B, labels=PETS)
    head, *rows = table(R)
    assert head == ["", "place 0", "place 1", "place 2"]
    assert [tuple(row[1:]) for row in rows] == [R.names(i) for i in range(len(R))]
    assert palette.LABELS[2] in R._repr_html_()


def test_networks_show_their_layers_and_regions_their_signs() -> None:
    net = Network([([[1, 0], [0, 1]], [0, -1]), ([[1, 1]], None), ([[1], [2]], None)])
    assert table(net) == [
        ["layer", "takes", "values", "makes", "slope"],
        ["0", "x", "2", "2 units", "0"],
        ["1", "0", "2", "1 unit", "0"],
        ["2", "1", "1", "2 outputs", ""],
    ]
    assert table(net.slice([[0, 0], [1, 2]]))[1] == ["0", "x", "1", "2 units", "0"]
    region = net.region_at([0.5, 3])
    assert table(region) == [["layer", "signs"], ["0", "++"], ["1", "+"]]
    assert "point: 1/2, 3" in page(region).text
    found = net.path([-1, 3], [1, 3])
    assert repr(found) == "Path(2 pieces of 3 units)"
    assert table(found) == [["from", "to", "pattern"], ["0", "1/2", "-++"], ["1/2", "1", "+++"]]


def test_many_signs_come_in_one_piece() -> None:
    A = Arrangement(np.eye(30, dtype=int), labels=[f"row {k}" for k in range(30)])
    S = SignVectors.from_array(["+" + "-" * 28 + "+"])
    assert table(S) == [["", "signs"], ["0", "+" + "-" * 28 + "+"]]
    named = SignVectors(S.packed, 30, half=False, arrangement=A)
    assert table(named)[1][2] == "row 0, row 29"
    long = SignVectors.from_array([np.ones(5000, int)])
    assert table(long)[1][1] == "+" * 60 + "… (5,000 signs)"


@pytest.mark.parametrize("signs", ["+++", "--+"])
def test_a_certificate_shows_its_proof(signs: str) -> None:
    found = feasible(Arrangement(W, B, labels=PETS), signs)
    shown = page(found)
    assert shown.rows[1] == ["0", *signs]
    if found:
        assert "occurs" in shown.text and f"({found.point[0]}, " in shown.text
    else:
        proof = [[PETS[i], signs[i], str(found.weights[i])] for i in found.support]
        assert shown.rows[2:] == [["row", "sign", "weight"], *proof]


def test_certificates_show_questions_and_answers() -> None:
    found = feasible_many(W, ["++-", "+++"])
    head, *rows = table(found)
    assert rows == [
        ["0", "++-", "0, 1", "no", "3 rows"],
        ["1", "+++", "0, 1, 2", "yes", "float point"],
    ]
    tops = can_be_top([[0, 0], [4, 0], [0, 4], [1, 1]], [[3], [1]], labels=[*PETS, "pet"])
    assert [row[1:3] for row in table(tops)[1:]] == [["pet", "no"], ["dog", "yes"]]
    assert ["cat", "1/2"] in table(tops[0]) and "can be on top" in page(tops[1]).text
    late = feasible_many(W, ["++-", "+++"], time_limit=0)
    assert {row[3] for row in table(late)[1:]} <= {"undecided", "no", "yes"}


def test_matroids_flats_and_optima() -> None:
    M = OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1]])
    subsets = [", ".join(map(str, pair)) for pair in combinations(range(3), 2)]
    assert table(M)[1:] == [[s, "-0+"[x + 1]] for s, x in zip(subsets, M.chirotope, strict=True)]
    assert table(flats(W))[1:3] == [["0", "0", ""], ["1", "1", "0"]]
    best = best_chamber(W, [1, 2, -5])
    assert table(best)[1][1:] == ["-+"[int(s > 0)] for s in best.signs]
    assert f"value: {best.value}" in page(best).text
    order = best_ranking(W, ["dog", "cat", "bird"], labels=PETS)
    assert [row[1] for row in table(order)[1:]] == list(order.names)


def test_derived_arrangements_say_what_their_rows_were() -> None:
    A = Arrangement([[1, 0, 1], [0, 1, 0], [-1, -1, 0], [2, 0, 2]], labels=[*PETS, "pet"])
    shown = restriction(A, 0)
    assert table(shown)[1:] == [["0", "dog", "1", "the same"], ["1", "bird", "2", "the same"]]
    assert "made from: 4 rows · without a row here: 2" in page(shown).text
    assert [row[-2:] for row in table(arrangements.cone(W, B))[1:]] == [
        *(["0", "the same"], ["1", "the same"], ["2", "the same"]),
        ["new", ""],
    ]
    assert table(arrangements.structure.simplify([[1, 0], [0, 1]]))[1:] == [
        *(["0", "0", "the same"], ["1", "1", "the same"]),
    ]


def test_ties_depths_and_translations() -> None:
    square = [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    tied = tie_set(square, [0, 1], labels=[*PETS, "pet"])
    assert table(tied)[1:] == [["0", "cat"], ["1", "dog"]]
    assert "2 labels share the first place" in page(tied).text and "(0, 1)" in page(tied).text
    alone = tie_set(square, [2])
    assert alone is not None and "1 label is first, alone" in page(alone).text
    deep = arrangements.optimize.depth_region([[0, 0], [4, 0], [0, 4]], 1)
    assert table(deep) == [
        ["vertex", "x1", "x2"],
        *([str(i), *v] for i, v in enumerate(("00", "40", "04"))),
    ]
    assert "Points of depth at least 1: the convex hull of 3 points" in page(deep).text
    for second, said in (
        ([[3, 5], [2, 6]], "The same softmax probabilities at every xadded to all rows: (2, 5)"),
        ([[3, 5], [2, 7]], "Not the same softmax probabilities"),
    ):
        assert page(same_softmax([[1, 0], [0, 1]], second)).text == said
    rounded = np.array([[1, 2], [0.5, 0]]) + [0.1, 0]
    assert "the same without rounding" in page(same_softmax([[1, 2], [0.5, 0]], rounded)).text


def test_models_and_reports() -> None:
    for model in (ScoreModel(W, B, PETS), SoftmaxClassifier(W, B, PETS), SigmoidClassifier(W)):
        assert len(table(model)) == 4 and type(model).__name__ in page(model).text
    found = audit([[0, 0], [4, 0], [0, 4], [1, 1]], labels=[*PETS, "pet"], sets=[[0]], pairs=True)
    assert "3 of 4 labels can be strictly first" in page(found).text
    assert "cannot winpet (held down by cat 0.5, dog 0.25, bird 0.25)" in page(found).text
    compared = compare(W, [[1, 0], [0, 1], [1, -1]], "label sets")
    assert "model 1 has 6 outputs; model 2 lacks 2 of them (33.3%)" in page(compared).text
    assert "holds" in page(next(verify("Lemma 3.2", samples=1))).text
    assert "wrong: all" in page(RunReport(problems=["all of it"])).text
    assert "t^{3}" in characteristic_polynomial(np.eye(3, dtype=int))._repr_latex_()


def test_gradients_of_networks() -> None:
    net = Network([([[1, 0], [1, 1]], [0, -1]), ([[1, -3]], None)])
    box = Polyhedron.box(-2, 2, dimension=2)
    assert "value: 6 · norm of inputs: max" in page(lipschitz_constant(net, within=box)).text
    open_one = lipschitz_constant(net, within=box, limit=1)
    assert open_one.value < open_one.bound and "value: from " in page(open_one).text
    assert "monotone: no · worst slope: -3" in page(is_monotone(net, 1, 0, within=box)).text


# ------------------------------------------------------------------ runs


@pytest.fixture
def run(tmp_path: Path) -> Any:
    pytest.importorskip("pyarrow")
    return arrangements.write_chambers(Arrangement(W, B, PETS), tmp_path / "run")


def test_a_run_shows_its_first_rows(run: Any) -> None:
    found = page(run)
    assert "Run: 7 chambers of 3" in found.text
    assert found.rows[0] == ["", *PETS] and len(found.rows) == 8
    assert "_rows" not in vars(run)


def test_a_run_without_its_folder(run: Any) -> None:
    shutil.rmtree(run.path)
    assert "missing: 1 or more" in page(run).text


def test_a_damaged_run(run: Any) -> None:
    for file in run.files():
        Path(file).write_bytes(b"<script>")
    found = page(run)
    assert "Not read" in found.text and "script" not in found.tags


def test_files_of_an_incomplete_run_are_not_counted(run: Any, tmp_path: Path) -> None:
    Path(run.path, "totals.json").unlink(missing_ok=True)
    half = Path(run.files()[0])
    half.rename(half.with_name("part-000007.parquet"))
    assert "missing" in page(run).text and "_rows" not in vars(run)


# ------------------------------------------------------------------ hostile and large


EVIL = "<script>alert('&\"')</script>"


NAMES = [EVIL, "<b>", "</td></table>"]
EVILS: dict[str, Callable[[Arrangement], Any]] = {
    "arrangement": lambda A: A,
    "model": lambda A: ScoreModel(W, B, NAMES),
    "classifier": lambda A: SoftmaxClassifier(W, B, NAMES),
    "chambers": chambers,
    "rankings": rankings,
    "yes": lambda A: feasible(A, "+++"),
    "no": lambda A: feasible(A, "--+"),
    "many": lambda A: feasible_many(A, ["+++"]),
    "tops": lambda A: can_be_top(A, [[0], [1]]),
    "top": lambda A: can_be_top(A, [[0]])[0],
    "matroid": lambda A: OrientedMatroid.from_matrix(Arrangement(W, labels=NAMES)),
    "flats": flats,
    "chamber": lambda A: best_chamber(A, [1, 2, 3]),
    "ranking": lambda A: best_ranking(A, NAMES),
    "audit": lambda A: audit(
        [[4, 0], [0, 4], [-4, -4], [0, 0]], labels=[*NAMES, "<i>"], source=EVIL
    ),
    "derived": lambda A: restriction(A, NAMES[1]),
    "tie": lambda A: tie_set(W, [0, 2], offsets=B, labels=NAMES),
    "compare": lambda A: compare(A, Arrangement(W, [0, 0, 9], NAMES), "label sets"),
}


@pytest.mark.parametrize("kind", EVILS)
def test_names_are_escaped_also_of_copies(kind: str) -> None:
    shown = EVILS[kind](Arrangement(W, B, NAMES))
    html = shown._repr_html_()
    assert "&lt;" in html and not {"script", "i"} & set(Page(html).tags)
    assert html.count("<b>") == 1  # that of the title
    for same in (copy.copy(shown), copy.deepcopy(shown), pickle.loads(pickle.dumps(shown))):
        assert same._repr_html_() == html


def test_binary_vectors() -> None:
    V, linear = [[3, 1], [2, -2], [4, 2], [1, 0]], [5, 4, 6, 1]
    shown = binary_quadratic(V, linear, weights=[0, -1], domain=(0, 1), ones=2)
    assert table(shown)[1:] == [["0", "0"], ["1", "1"], ["2", "1"], ["3", "0"]]
    text = page(shown).text
    assert "Best vector" in text and "value: 10" in text and "entries that are 1: 2 of 4" in text
    assert "bound of all others" not in text
    rng = np.random.default_rng(0)
    hard = binary_quadratic(rng.integers(-(10**6), 10**6, (40, 3)), minimize=True, time_limit=0.1)
    assert hard.gap and "Best vector found" in page(hard).text
    assert "bound of all others" in page(hard).text


LONG = Fraction(10**60 + 1, 10**59 + 7)
SMALL: list[Callable[[], Any]] = [
    lambda: Arrangement(np.zeros((0, 2))),
    lambda: Arrangement(np.zeros((0, 0))),
    lambda: Arrangement([[LONG, -LONG], [LONG, 10**300]], [LONG, Fraction(1, 10**500)]),
    lambda: Arrangement([[1e-320, 1e300], [1, 5e-324]], [1e308, -1e308]),
    lambda: Arrangement([[1, 0]] * 3, range(3), labels=["x" * 500] * 3),
    lambda: Arrangement([[1]], labels=["\ud800\u202e\x00"]),
    lambda: chambers(np.zeros((0, 2))),
    lambda: SignVectors.from_array(np.zeros((0, 3), int)),
    lambda: Rankings.from_array([[0]]),
    lambda: rankings([[1]], labels=["x" * 500]),
    lambda: rankings([[1], [2], [1]], ties="drop", labels=["a", "b", "c"]),
    lambda: feasible(np.zeros((0, 2)), ""),
    lambda: feasible([[LONG], [1]], "++"),
    lambda: feasible_many([[1]], np.zeros((0, 1), int)),
    lambda: OrientedMatroid.from_matrix(np.zeros((0, 0))),
    lambda: OrientedMatroid.from_matrix(np.zeros((2, 2))),
    lambda: audit([[1]]),
    lambda: best_chamber([[LONG]], [LONG]),
    lambda: restriction([[1]], 0),
    lambda: arrangements.structure.simplify(np.zeros((0, 0))),
    lambda: tie_set([[LONG]], [0], labels=["x" * 500]),
    lambda: arrangements.optimize.depth_region([[LONG]], 1),
    lambda: same_softmax([[LONG] * 50], [[0] * 50]),
]


def test_nearest_rankings_and_deepest_fits():
    shown = page(kemeny_ranking([["cat", "<b>"], ["<b>", "cat"], ["<b>"]], all_optimal=True))
    assert "Nearest ranking" in shown.texts[0] and shown.rows[1][0] == "0"
    assert {row[1] for row in shown.rows[1:]} == {"cat", "<b>"}
    fits = page(deepest_regression([[0], [1], [2], [3]], [0, 1, 2, Fraction(1, 3)]))
    assert fits.rows[0] == ["fit", "a1", "a2"] and fits.rows[1] == ["0", "1", "0"]


@pytest.mark.parametrize("made", SMALL)
def test_odd_and_small(made: Callable[[], Any]) -> None:
    html = made()._repr_html_()
    assert max(map(len, Page(html).texts)) < 100
    html.encode()


def large() -> list[Any]:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(1000, 1000))
    A = Arrangement(rng.normal(size=(10**5, 3)), labels=range(10**5))
    words = np.arange(10**6, dtype=np.uint64)[:, None]
    orders = np.argsort(rng.random((10**5, 300)), axis=1).astype(np.uint16)
    signs = np.ones(8 * 10**6, np.int8)  # not read beyond the first
    return [
        A,
        Arrangement(wide),
        ScoreModel(wide),
        SigmoidClassifier(wide),
        SignVectors(words, 40, half=True),
        Rankings(orders, half=False),
        OrientedMatroid(400, 3, signs[: 400 * 399 * 398 // 6]),
    ]


@pytest.mark.slow
def test_large_ones_are_shown_at_once_and_nothing_is_computed() -> None:
    for shown in large():
        known = set(vars(shown))
        began = time.perf_counter()
        html = shown._repr_html_()
        assert time.perf_counter() - began < 1, shown
        assert len(html) < 60_000
        rows = Page(html).rows
        assert len(rows) <= 21 and "the first 20 of" in html
        assert set(vars(shown)) - known <= {"is_central", "kept"}
        assert max(map(len, rows)) <= 14


def test_signs_differ_in_more_than_color() -> None:
    shown = [notebook.sign(s) for s in (-1, 0, 1)]
    assert len({Page(one).text for one in shown}) == 3 == len(set(shown))


def test_few_lines_far_away_are_not_in_the_way() -> None:
    rows = [(1, 0, -k) for k in range(5)] + [(0, 1, -k) for k in range(5)] + [(1, 1, -(10**6))]
    assert notebook.lines(rows, "abcdefghijk").count("<line") == 10
