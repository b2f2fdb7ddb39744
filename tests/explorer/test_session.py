"""What a page can ask, without a page: states, answers, undo, and messages nobody should send."""

import json
import re
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from sympy import sqrt

from arrangements import Polyhedron, count_rankings, feasible, rankings
from arrangements.errors import InputError
from arrangements.explorer.answers import find_impossible, search
from arrangements.explorer.session import Session
from arrangements.explorer.state import (
    REST,
    SLIDERS,
    amounts,
    fit_plane,
    rotation,
    state_of,
)
from arrangements.explorer.views import View

FIVE = [[3, 4], [-4, 3], [-3, -4], [4, -3], [5, 0]]


def session(**more: Any) -> Session:
    return Session(state_of(FIVE, **more))


def test_moves_are_exact() -> None:
    page = session()
    reply = page.handle({"do": "move", "row": 4, "to": [1.004, 0.0]})
    assert page.state.rows[4] == (1, 0) and reply["rows"]["text"][4] == "(1, 0)"
    assert set(reply["names"]) == {"".join(map(str, r)) for r in rankings([*FIVE[:4], [1, 0]])}
    page.handle({"do": "move", "row": 4, "to": [1 / 3, -2.5]})
    assert page.state.rows[4] == (Fraction(33, 100), Fraction(-5, 2))


def test_sliders_count_from_where_they_were_taken_up() -> None:
    page = session()
    for position in (5, 19, 1):
        page.handle({"do": "slide", "slider": "length", "row": 4, "position": position})
    assert page.state.rows[4] == (1, 0)
    page.handle({"do": "slide", "slider": "right", "row": 0, "position": 25})
    assert page.state.rows[4] == (Fraction(3, 2), 0) and page.state.rows[0] == (Fraction(7, 2), 4)
    assert page.handle({"do": "undo"})["undo"] == 1 and page.state.rows[4] == (1, 0)
    page.handle({"do": "undo"})
    assert page.state == page.first
    assert page.handle({"do": "undo"}) == {"error": "there is nothing to undo."}


@pytest.mark.parametrize("slider", SLIDERS)
def test_the_position_of_rest_changes_nothing(slider: str) -> None:
    start = state_of([[1, 2, 3, 4], [5, 6, 7, 9], [0, 1, 0, 1]], [1, 2, 3])
    assert start.slide(slider, 1, REST[slider]) == start
    assert len(set(amounts(slider, start.unit))) == len(SLIDERS[slider])


def test_a_translation_changes_no_ranking() -> None:
    page = session()
    before = set(page.view.names)
    for slider, position in product(("right", "up"), range(0, 41, 8)):
        reply = page.handle({"do": "slide", "slider": slider, "row": 0, "position": position})
        assert set(reply["names"]) == before
    assert reply["cosines"] != Session(page.first).handle({"do": "draw"})["cosines"]


def test_turned_rows_keep_their_length() -> None:
    for angle in SLIDERS["turn"]:
        cosine, sine = rotation(angle)
        assert cosine**2 + sine**2 == 1
        assert abs(complex(cosine, sine) - np.exp(1j * np.radians(angle))) < 2e-3


def test_a_tie_on_the_way_is_said_and_left_again() -> None:
    page = session()
    tied = page.handle({"do": "move", "row": 4, "to": [3, 4]})
    assert "labels 0 and 4" in tied["error"] or "0, 4" in tied["error"]
    left = page.handle({"do": "move", "row": 4, "to": [3, 3]})
    assert len(left["names"]) == count_rankings([*FIVE[:4], [3, 3]])
    page.handle({"do": "undo"})
    assert page.state == page.first


@pytest.mark.sampled(2)
@pytest.mark.parametrize("show", ["rankings", "top-1", "top-2", "chambers"])
@pytest.mark.parametrize("offsets", [None, [0, 0, 1, 0, -1]])
def test_every_question_has_its_answer(show: str, offsets: list[int] | None) -> None:
    view = View(state_of(FIVE, offsets, show=show))
    refuted = find_impossible(view, 200)
    page = Session(view.state)
    for name in [*view.names, *refuted]:
        reply = page.handle({"do": "search", "text": name})
        assert reply["regions"] == ([view.number[name]] if name in view.number else [])
        if name in refuted:
            assert refuted[name] in reply["say"] and _sum_is_nothing(view, reply["say"])
        else:
            point = _point(reply["details"]["point"])
            key = view.regions.keys[reply["regions"][0]]
            assert _key_at(view, point) == key
    total = {"rankings": 120, "top-1": 5, "top-2": 10, "chambers": 32}[show]
    assert len(view.names) + len(refuted) == total


@pytest.mark.sampled(1)
@pytest.mark.parametrize("show", ["rankings", "top-1", "chambers"])
def test_every_question_inside_a_polyhedron_has_its_answer(show: str) -> None:
    P = Polyhedron([[-1, 0], [0, -1], [1, 1]], [0, 0, 3])
    view = View(state_of(FIVE, [0, 0, 1, 0, -1], show=show, within=P))
    refuted = find_impossible(view, 200)
    assert len(view.names) + len(refuted) == {"rankings": 120, "top-1": 5, "chambers": 32}[show]
    assert any("slack of inequality" in proof for proof in refuted.values())
    for proof in refuted.values():
        assert "impossible inside the polyhedron" in proof and _sum_inside(view, P, proof)
    page = Session(view.state)
    for name in view.names:
        details = page.handle({"do": "search", "text": name})["details"]
        point = _point(details["point"])
        assert P.contains(point, interior=True)
        assert _key_at(view, point) == view.regions.keys[view.number[name]]


def _sum_inside(view: View, P: Polyhedron, proof: str) -> bool:
    """Whether the sum of a proof is the constant that it says, at random points."""
    left, right = re.findall(r"But (.*) = (\S+) at every x", proof)[0]
    A, c = P.inequalities
    for _ in range(3):
        x = [Fraction(int(v), 7) for v in np.random.default_rng(0).integers(-99, 99, 2)]
        values = {f"s{i}": score for i, score in enumerate(_scores(view, x))}
        values |= {f"row{i}": score for i, score in enumerate(_scores(view, x))}
        for j, (row, bound) in enumerate(zip(A.tolist(), c.tolist(), strict=True)):
            slack = bound - sum(map(lambda a, v: a * v, row, x))
            values[f"slack{j}"] = slack
        text = left.replace("slack of inequality ", "slack").replace("row ", "row")
        text = re.sub(r"(\d+(?:/\d+)?) \(", r"Fraction('\1') * (", text.replace("−", "-"))
        if eval(text, {"Fraction": Fraction}, values) != Fraction(right.replace("−", "-")):
            return False
    return Fraction(right.replace("−", "-")) <= 0


def test_drags_keep_the_polyhedron() -> None:
    P = Polyhedron.box(0, 1, dimension=2)
    page = Session(state_of(FIVE, [0, 0, 1, 0, -1], within=P))
    reply = page.handle({"do": "move", "row": 4, "to": [1.0, 2.0], "pictures": ["plane"]})
    assert len(reply["names"]) == count_rankings([*FIVE[:4], [1, 2]], [0, 0, 1, 0, -1], within=P)
    assert len(reply["pictures"]["plane"]["border"]["xs"]) == 4
    for message in ({"do": "show", "show": "chambers"}, {"do": "undo"}, {"do": "start_again"}):
        assert page.handle(message)["title"].endswith("inside the polyhedron")


def _point(text: str) -> list[Fraction]:
    return [Fraction(x.replace("\N{MINUS SIGN}", "-")) for x in text.strip("()").split(", ")]


def _scores(view: View, x: list[Fraction]) -> list[Fraction]:
    b = view.state.offsets or [Fraction(0)] * 5
    return [sum(map(lambda u, v: u * v, r, x)) + c for r, c in zip(view.state.rows, b, strict=True)]


def _key_at(view: View, x: list[Fraction]) -> tuple[int, ...]:
    scores = _scores(view, x)
    assert 0 not in scores or view.state.show != "chambers"
    if view.state.show == "chambers":
        return tuple(1 if score > 0 else -1 for score in scores)
    order = sorted(range(5), key=lambda i: -scores[i])
    k = view.state.k
    return tuple(sorted(order[:k])) if k else tuple(order)


def _sum_is_nothing(view: View, html: str) -> bool:
    """Read the sum out of a proof, and evaluate it at three points."""
    text = re.sub("<[^>]*>", "", html).replace("\N{MINUS SIGN}", "-")
    terms, constant = re.search(r"But (.*) = (\S+) at every x", text).groups()  # type: ignore[union-attr]
    assert Fraction(constant) <= 0
    for x in ([0, 0], [1, 0], [7, -3]):
        scores = _scores(view, list(map(Fraction, x)))
        found = Fraction(0)
        for term in terms.split(" + "):
            weight, inside = re.fullmatch(r"(?:(\S+) )?(\(.*\))", term).groups()  # type: ignore[union-attr]
            rows = list(map(int, re.findall(r"(?:s|row )(\d)", inside)))
            value = scores[rows[0]] - scores[rows[1]] if len(rows) == 2 else scores[rows[0]]
            found += Fraction(weight or 1) * (-value if inside.startswith("(-") else value)
        if found != Fraction(constant):
            return False
    return True


def test_parts_of_rankings_and_signs() -> None:
    view = View(state_of(FIVE, labels=("cat", "dog", "bird", "fish", "x")))
    part = search(view, "x > cat")
    assert part.regions == [
        i for i, key in enumerate(view.regions.keys) if key.index(4) < key.index(0)
    ]
    assert search(view, "x cat").regions == search(view, "x, cat").regions == part.regions
    for text, match in (
        ("x > lion", "no label is called 'lion'"),
        ("bat", r"similar: 'cat'"),
        ("x > x", "twice"),
        ("", "nothing to look for"),
    ):
        with pytest.raises(InputError, match=match):
            search(view, text)
    signs = View(state_of(FIVE, show="chambers"))
    assert len(search(signs, "+ * * * *").regions) == len(signs.names) / 2
    with pytest.raises(InputError, match="expected 5 signs"):
        search(signs, "++")


def test_names_that_hold_marks_themselves() -> None:
    view = View(state_of([[0, 0], [4, 1], [1, 3]], labels=("a > b", "{x}", "a, c")))
    for name, i in view.number.items():
        assert search(view, name).regions == [i]
    assert search(view, "{x} > a, c").regions
    with pytest.raises(InputError, match="no label is called 'a'"):
        search(view, "a > {x}")


def test_one_label_alone_is_no_question() -> None:
    assert search(View(state_of(FIVE)), "3").regions == list(range(16))
    page = Session(state_of([[1, 2]], labels=("cat",)))
    for message in ({"do": "pin", "region": 0}, {"do": "search", "text": "cat"}):
        reply = page.handle(message)
        assert reply["regions"] == [0] and reply["details"]["point"] == "(0, 0)"
    everyone = Session(state_of(FIVE, show="top-5"))
    assert everyone.handle({"do": "pin", "region": 0})["regions"] == [0]


@pytest.mark.parametrize(
    ("show", "labels", "said"),
    [
        ("rankings", None, r"Here s\d is the score of label \d\. "),
        ("rankings", ("a", "b", "c"), "Here a name is a score. "),
        ("chambers", None, r"Here row \d is the product of that row with x, plus its offset\. "),
        ("chambers", ("a", "b", "c"), "Here a name is the product of that row with x"),
    ],
)
def test_a_proof_says_what_its_names_mean(show: str, labels: Any, said: str) -> None:
    view = View(state_of([[1, 1], [2, 2], [3, 3]], [1, 0, 0], labels, show))
    proofs = find_impossible(view, 10)
    assert proofs and all(re.search(said, proof) for proof in proofs.values())


def test_what_the_plane_does_not_meet_is_possible_all_the_same() -> None:
    rows = np.random.default_rng(0).integers(-9, 10, (40, 4))
    view = View(state_of(rows, show="chambers"))
    assert not view.whole
    rng = np.random.default_rng(1)
    signs = ["".join("-+"[int(s > 0)] for s in rows @ rng.normal(size=4)) for _ in range(20)]
    outside = [text for text in signs if text.replace("-", "\N{MINUS SIGN}") not in view.number]
    assert outside
    for text in outside:
        assert feasible(rows, text).feasible
        assert "but not in this plane" in search(view, text).html


BAD: list[Any] = [
    None,
    3,
    "x",
    [],
    {},
    [1],
    [1, 2, 3],
    10**30,
    -1,
    1.5,
    float("nan"),
    True,
    "a" * 20_000,
]


@pytest.mark.slow
def test_messages_that_nobody_should_send() -> None:
    page = session()
    for action in [*page.actions, "", None, 7, [], {}]:
        for key, value in product(
            ("row", "to", "slider", "position", "show", "text", "region"), BAD
        ):
            for pictures in ([], ["plane"], value):
                message = {"do": action, "row": 0, "pictures": pictures, key: value}
                json.dumps(page.handle(message))
    for message in BAD:
        assert "error" in page.handle(message)
    json.dumps(page.handle({"do": "start_again", "pictures": ["plane", "sphere", "graph"]}))
    assert page.state == page.first


def test_planes() -> None:
    for plane, match in (
        ([[1, 2]], "expected \\(3, 3\\)"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], "parallel"),
        ("round", "plane is 'round'"),
    ):
        with pytest.raises(InputError, match=match):
            state_of([[1, 0, 0], [0, 1, 0]], plane=plane)
    wide = np.random.default_rng(0).normal(size=(12, 384))
    assert state_of(wide, show="top-1").section.dimension == 2
    assert fit_plane([(0, 0, 0), (0, 0, 0)], True).u == (1, 0, 0)
    with pytest.raises(InputError, match="301 rows; the explorer shows up to 300"):
        state_of(np.eye(301))


def test_all_of_a_view_is_json_and_linked() -> None:
    for state in (
        state_of(FIVE),
        state_of([[1.5], [2], [3]], [1, 0, 0]),
        state_of([[10**40, 1], [1, 10**40], [3, 3]], show="chambers"),
        state_of([[1e-300, 1], [1, 1e300]], show="chambers"),
        state_of([[1, 2]], show="rankings"),
        state_of(np.eye(3), show="chambers"),
    ):
        reply = Session(state).handle({"do": "draw", "pictures": ["plane", "sphere", "graph"]})
        n = len(reply["names"])
        text = json.dumps(reply, allow_nan=False)
        assert json.loads(text) == reply and all(
            len(c) == len(reply["edges"][0]) for c in reply["edges"]
        )
        assert len(reply["colors"]) == len(reply["pictures"]["plane"]["xs"]) == n
        assert len(reply["pictures"]["graph"]["gx"]) == n


def test_permutations_are_possible_or_refuted() -> None:
    view = View(state_of([[0, 0], [4, 1], [1, 3], [-2, 2]], labels=("a", "b", "c", "d")))
    for order in permutations("abcd"):
        answer = search(view, "".join(order))
        assert bool(answer.regions) == ("".join(order) in view.number)
        assert ("is impossible" in answer.html) == (not answer.regions)


def test_irrational_rows() -> None:
    """Rows times an irrational number, and other rows: exact numbers in all replies."""
    root = sqrt(2)
    for show in ("rankings", "chambers", "top-2"):
        page = Session(state_of([[root * x for x in row] for row in FIVE], show=show))
        assert set(page.view.names) == set(session(show=show).view.names)
        for name in ("plane", "graph"):
            assert "error" not in page.handle({"do": "draw", "pictures": [name]})
    page = Session(
        state_of([[1, root], [root, -1], [0, 1], [1, 1]], [0, 0, 0, -root], None, "chambers")
    )
    possible = page.handle({"do": "search", "text": "++--"})
    assert possible["say"] == "<p><b>++−− is possible.</b></p>"
    page.handle({"do": "move", "row": 1, "to": [1.0, 0.0]})
    assert page.state.rows[1] == (1, 0)
    page.handle({"do": "slide", "slider": "length", "row": 0, "position": 19})
    assert page.state.rows[0][0] == 2 and page.state.rows[0][1] ** 2 == 8
    for slider in SLIDERS:
        reply = page.handle({"do": "slide", "slider": slider, "row": 3, "position": 3})
        assert "error" not in reply
    refused = [search(page.view, "".join(signs)) for signs in product("+-", repeat=4)]
    assert sum(not answer.regions for answer in refused) == 16 - len(page.view.names)
    assert any("(" in answer.html and "sqrt(2))" in answer.html for answer in refused)
    # rows that have rational differences
    labels = Session(state_of([[root, 1], [1, root], [1, 1]], show="top-1"))
    assert len(labels.view.names) == 3
    space = Session(state_of([[1, root, 0], [root, -1, 1], [0, 1, 1], [1, 1, 0]], show="chambers"))
    assert len(space.view.names) == 14
    assert "outlines" in space.handle({"do": "draw", "pictures": ["sphere"]})["pictures"]["sphere"]
