"""``arrangements network``: the same answers as the functions."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import Polyhedron, network_checker, open_run
from arrangements.networks import Network

RNG = np.random.default_rng(0)
WEIGHTS = {
    "0.weight": RNG.integers(-4, 5, (5, 2)),
    "0.bias": RNG.integers(-4, 5, 5),
    "2.weight": RNG.integers(-4, 5, (3, 5)),
}
NET = Network.from_state_dict(WEIGHTS)
BOX = Polyhedron.box(-1, 1, dimension=2)
DEEP = {"0.weight": RNG.normal(size=(6, 4)), "2.weight": RNG.normal(size=(2, 6))}


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    np.savez(tmp_path / "net.npz", **WEIGHTS)
    np.savez(tmp_path / "deep.npz", **DEEP)
    np.save(tmp_path / "points.npy", [[0, 0, 0, 0], [1, 0, 2, 0], [0, 1, 0, 1]])
    np.save(tmp_path / "x.npy", [[0.5, 0.25], [2, 0]])
    np.save(tmp_path / "ties.npy", [[0.5, 0.25], [2, -1]])
    (tmp_path / "names.txt").write_text("cat\ndog\n")


def test_a_summary(run: Any) -> None:
    assert run("network", "net.npz") == (0, "inputs   2\nunits    5\noutputs  3\n", "")
    found = json.loads(run("network", "net.npz", "--json")[1])
    assert found == {"inputs": 2, "units": 5, "layers": [5], "outputs": 3}


def test_counts(run: Any) -> None:
    assert run("network", "net.npz", "--count") == (0, f"{NET.count_regions()}\n", "")
    inside = NET.count_regions(within=BOX)
    box = ("--box", "-1", "1")
    assert run("network", "net.npz", "--count", *box, "--workers", "2")[1] == f"{inside}\n"
    assert json.loads(run("network", "net.npz", "--count", *box, "--json")[1]) == {
        "regions": inside
    }
    faces = " ".join(map(str, NET.region_f_vector(within=BOX)))
    assert run("network", "net.npz", "--faces", *box)[1] == f"{faces}\n"
    plan = json.loads(run("network", "net.npz", "--plan", *box, "--json")[1])
    assert plan["expected"] == inside and plan["error"] == 0
    assert run("network", "net.npz", "--plan", *box)[1].splitlines()[0] == f"regions  {inside}"


def test_patterns(run: Any) -> None:
    _, out, _ = run("network", "net.npz", "--regions", "--box", "-1", "1")
    found = {"".join("-0+"[s + 1] for s in row) for row in NET.regions(within=BOX).to_array()}
    assert set(out.split()) == found and len(out.split()) == len(found)
    answer = json.loads(run("network", "net.npz", "--regions", "--box", "-1", "1", "--json")[1])
    assert set(answer["regions"]) == found and answer["complete"] is True
    assert (answer["units"], answer["count"]) == (5, len(found))
    some = json.loads(run("network", "net.npz", "--regions", "--limit", "2", "--json")[1])
    assert some["complete"] is False and some["count"] == 2
    assert len(run("network", "net.npz", "--regions", "--limit", "3")[1].split()) == 3


def test_a_run_on_disk(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    status, out, err = run("network", "net.npz", "--box", "-1", "1", "-o", "run/")
    assert (status, out) == (0, f"{NET.count_regions(within=BOX)}\n"), err
    assert len(open_run(tmp_path / "run")) == int(out)


def test_states_of_units(run: Any, tmp_path: Path) -> None:
    np.savez(
        tmp_path / "units.npz",
        **{"0.weight": [[1], [-1], [1], [1]], "0.bias": [0, -9, 9, 0], "2.weight": [[1, 1, 1, 1]]},
    )
    _, out, _ = run("network", "units.npz", "--units", "--box", "-2", "2")
    assert out == "dead       0.1\nalways on  0.2\nequal      0.0 = 0.3\nregions    2 by layer\n"
    found = json.loads(run("network", "units.npz", "--units", "--box", "-2", "2", "--json")[1])
    assert found["dead"] == ["0.1"] and found["regions_by_layer"] == [2]


def test_a_slice(run: Any, tmp_path: Path) -> None:
    plane = Network.from_state_dict(DEEP).slice(np.load(tmp_path / "points.npy"))
    known = plane.network.count_regions(within=plane.box())
    assert run("network", "deep.npz", "--slice", "points.npy", "--count") == (0, f"{known}\n", "")
    whole = plane.network.count_regions(within=Polyhedron.box(0, 1, dimension=2))
    found = run("network", "deep.npz", "--slice", "points.npy", "--box", "0", "1", "--count")
    assert found[1] == f"{whole}\n"
    drawn = run("network", "deep.npz", "--slice", "points.npy", "--plot", "out.svg")
    assert drawn == (0, "", "")
    assert (tmp_path / "out.svg").read_text().count("<path") >= known


def test_pictures(run: Any, tmp_path: Path) -> None:
    options = ("--box", "-1", "1", "--color-by", "pattern", "--width", "column")
    status, out, err = run("network", "net.npz", "--count", "--plot", "out.png", *options)
    assert (status, out, err) == (0, f"{NET.count_regions(within=BOX)}\n", "")
    assert (tmp_path / "out.png").stat().st_size > 5000


def save_graph(path: Path, n: int | None) -> None:
    """An .onnx file of three units, whose inputs are n or do not say how many they are."""
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor_value_info
    W = np.float32([[1, 0], [0, 1], [1, 1]]).T.copy()
    nodes = [onnx.helper.make_node("MatMul", ["x", "W"], ["h"])]
    nodes.append(onnx.helper.make_node("Relu", ["h"], ["y"]))
    ends = [value("x", 1, [None, n])], [value("y", 1, None)]
    arrays = [onnx.numpy_helper.from_array(W, "W")]
    graph = onnx.helper.make_graph(nodes, "graph", *ends, arrays)
    onnx.save(onnx.helper.make_model(graph), path)


def test_a_graph(run: Any, tmp_path: Path) -> None:
    save_graph(tmp_path / "m.onnx", None)
    assert run("network", "m.onnx", "--input-shape", "2", "--count")[1] == "6\n"
    assert run("network", "m.onnx", "--input-shape", "2", "--key", "h", "--count")[1] == "1\n"
    assert "pass the shape of one input" in run("network", "m.onnx")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("net.npz --plot out.svg --slice x.npy", "has 1 input; a picture shows two or three."),
        ("net.npz --labels names.txt", "--labels goes with --decision, --robust and --plot"),
        ("net.npz --decision --labels names.txt", "has 2 names, and the network has 3 classes"),
        ("net.npz --count --color-by map", "--color-by goes with --plot"),
        ("net.npz --limit 3", "-o and --limit go with --regions"),
        ("net.npz --regions --max-hours 3", "--max-hours goes with --count"),
        ("net.npz -o out.csv", "-o out.csv: expected a folder for a run"),
        ("net.npz -o run/ --limit 2", "A run has all regions"),
        ("net.npz --scheduler local", "--scheduler"),
        ("net.npz --slope x", "--slope"),
        ("net.npz --box 0 1 --max", "--max needs the number of an output: --max K, or --output K"),
        ("net.npz --min --output run/", "--min needs the number of an output"),
        ("net.npz --input-shape 1,x", "'1,x' is no shape; expected sizes"),
        ("net.npz --key h", "only the graph of an .onnx file has values with names"),
        ("net.npz --slice points.npy", "points.npy: points has shape (3, 4)"),
        ("deep.npz --plot out.svg", "has 4 inputs; a picture shows two or three. Pass --slice"),
        ("deep.npz --count --plot out.svg", "has 4 inputs; a picture shows two or three"),
        ("absent.npz", "cannot read absent.npz"),
        ("points.npy", "is no file of a network"),
        ("net.npz --plot out.txt", "unknown extension"),
    ],
)
def test_what_is_refused(run: Any, arguments: str, message: str) -> None:
    status, out, err = run("network", *arguments.split())
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


# ------------------------------------------------------------------ outputs


def test_questions_about_outputs(run: Any, tmp_path: Path) -> None:
    box = ("--box", "-1", "1")
    for k in range(3):
        found = json.loads(run("network", "net.npz", "--can", str(k), *box, "--json")[1])
        known = NET.can_output(k, within=BOX)
        assert found["feasible"] is known.feasible
        assert (found["point"] is None) == (known.point is None)
    best = json.loads(run("network", "net.npz", "--max", "1", *box, "--json")[1])
    value = NET.maximum(1, within=BOX).value
    assert best["value"] == best["bound"] == str(value)
    least = run("network", "net.npz", "--min", "1", *box)[1].splitlines()
    assert least[0] == f"value   {NET.minimum(1, within=BOX).value}"
    assert least[1].startswith("input   ")
    for order in (("--output", "1", "--max"), ("--max", "--output", "1")):
        assert json.loads(run("network", "net.npz", *order, *box, "--json")[1]) == best
    yes = [k for k in range(3) if NET.can_output(k, within=BOX)]
    out = run("network", "net.npz", "--can", str(yes[0]), *box)[1]
    assert out.startswith("answer  yes\ninput   ")


def test_decision_regions(run: Any) -> None:
    box = ("--box", "-1", "1")
    known = NET.decision_regions(within=BOX)
    status, out, err = run("network", "net.npz", "--decision", *box)
    rows = [line.split() for line in out.splitlines()]
    assert (status, err, rows[0]) == (0, "", ["class", "pieces", "share", "parts"])
    assert [row[0] for row in rows[1:]] == [
        str(k) if isinstance(k, int) else "=".join(map(str, k)) for k in known.classes
    ]
    found = json.loads(run("network", "net.npz", "--decision", *box, "--json")[1])
    assert (found["pieces"], found["complete"]) == (len(known), True)
    assert [Fraction(row["share"]) for row in found["classes"]] == [*known.shares.values()]
    assert [row["components"] for row in found["classes"]] == [*known.components.values()]
    everywhere = run("network", "net.npz", "--decision")[1].splitlines()
    assert everywhere[0].split() == ["class", "pieces"] and len(everywhere) > 1
    cut = json.loads(run("network", "net.npz", "--decision", "--time-limit", "1e-9", "--json")[1])
    assert cut["complete"] is False
    text = run("network", "net.npz", "--decision", "--time-limit", "1e-9")[1]
    assert text.endswith("time was up: there may be more\n")


@pytest.mark.slow
def test_certificates(run: Any, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "x.txt", [[0.5, 0.25]])
    (tmp_path / "p.vnnlib").write_text(
        "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)"
        "(declare-const Y_1 Real)(declare-const Y_2 Real)(assert (>= X_0 0))(assert (<= X_0 1))"
        "(assert (>= X_1 0))(assert (<= X_1 1))(assert (>= Y_0 1000))"
    )
    for question in (
        *("--can 1 --box -1 1", "--max 1 --box -1 1", "--min 1 --minus 0 --box -1 1"),
        *("--robust x.txt", "--robust x.txt --norm l1", "--property p.vnnlib"),
    ):
        asked = ("network", "net.npz", *question.split())
        status, out, err = run(*asked, "--certificate", "proof.jsonl")
        assert (status, err) == (0, "") and run(*asked)[1] == out
        lines = (tmp_path / "proof.jsonl").read_text().splitlines()
        assert list(network_checker.check(iter(lines)))
        (tmp_path / "proof.jsonl").rename(tmp_path / "last.jsonl")
    status, out, _ = run("check", "last.jsonl")
    assert (status, out.splitlines()) == (0, list(network_checker.check(iter(lines))))
    (tmp_path / "last.jsonl").write_text("\n".join(lines[:-1]))
    status, out, _ = run("check", "last.jsonl", "--max-seconds", "100", "--json")
    assert status == 1 and json.loads(out)["verdicts"][0].startswith("NOT PROVED")
    status, out, _ = run("check", "last.jsonl", "--max-megabytes", "1")
    assert status == 3 and "--max-megabytes allows more" in out
    margin = json.loads(
        run("network", "net.npz", *"--min 1 --minus 0 --box -1 1 --json".split())[1]
    )
    assert margin["value"] == str(NET.minimum(1, minus=0, within=BOX).value)
    status, _, err = run(*"network net.npz --decision --box -1 1 --certificate all.jsonl".split())
    claims = network_checker.check(iter((tmp_path / "all.jsonl").read_text().splitlines()))
    assert (status, err, len(list(claims))) == (0, "", 3)
    near = json.loads(run("network", "net.npz", *"--robust x.txt --norm l1 --json".split())[1])
    assert near["radii"][0]["lower"] == str(NET.robust_radius([0.5, 0.25], norm="l1").lower)


def test_names_of_classes(run: Any, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("cat\ndog\nbird\n")
    names = ("--labels", "names.txt")
    drawn = ("--plot", "out.svg", "--box", "-1", "1")
    out = run("network", "net.npz", "--decision", *names, *drawn)[1]
    known = NET.decision_regions(within=BOX).classes
    keys = [(k,) if isinstance(k, int) else k for k in known]
    wanted = ["=".join(("cat", "dog", "bird")[k] for k in key) for key in keys]
    assert [line.split()[0] for line in out.splitlines()[1:]] == wanted
    assert (tmp_path / "out.svg").stat().st_size > 5000
    numbers = run("network", "net.npz", "--robust", "x.npy")[1]
    named = run("network", "net.npz", "--robust", "x.npy", *names)[1]
    for k, name in enumerate(("cat", "dog", "bird")):
        numbers = numbers.replace(f"class {k}", f"class {name}")
    assert named == numbers != ""
    found = json.loads(run("network", "net.npz", "--robust", "x.npy", *names, "--json")[1])
    assert found["names"] == ["cat", "dog", "bird"]


def test_robust_radii(run: Any, tmp_path: Path) -> None:
    X = np.array([[0.5, 0.25], [-1, 2]])
    np.save(tmp_path / "x.npy", X)
    status, out, err = run("network", "net.npz", "--robust", "x.npy")
    assert (status, err) == (0, "") and len(out.splitlines()) == 2
    found = json.loads(run("network", "net.npz", "--robust", "x.npy", "--json")[1])["radii"]
    for x, one, line in zip(X, found, out.splitlines(), strict=True):
        known = NET.robust_radius(x)
        assert (one["label"], one["lower"], one["upper"]) == (
            known.label,
            str(known.lower),
            str(known.upper),
        )
        assert line.startswith(f"class {known.label}  radius ")


def test_properties(run: Any, tmp_path: Path) -> None:
    names = ("X_0", "X_1", "Y_0", "Y_1", "Y_2")
    text = "".join(f"(declare-const {name} Real)" for name in names)
    text += "(assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 -1)) (assert (<= X_1 1))"
    top = NET.maximum(0, within=BOX).value
    for end, answer in (top, "yes"), (top + 1, "no"):
        (tmp_path / "p.vnnlib").write_text(f"{text}(assert (>= Y_0 (/ {end * 64} 64)))")
        out = run("network", "net.npz", "--property", "p.vnnlib")[1]
        assert out.startswith(f"answer  {answer}\n")
    found = json.loads(run("network", "net.npz", "--property", "p.vnnlib", "--json")[1])
    assert found == {"feasible": False, "point": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("net.npz --max 1", "--max asks about bounded inputs: pass --box or --within"),
        ("net.npz --max 9 --box 0 1", "output is 9"),
        ("net.npz --max 1 --count --box 0 1", "one question at a time"),
        ("net.npz --max 1 --min 1 --box 0 1", "one question at a time"),
        ("net.npz --property p.vnnlib", "cannot read p.vnnlib"),
        ("net.npz --property net.npz --box 0 1", "has its own inputs"),
        ("net.npz --robust points.npy", "points.npy: row 0 of X has 4 entries; expected 2"),
        ("net.npz --robust ties.npy", "ties.npy: outputs 0 and 2 are equal at row 1 of X"),
        ("net.npz --robust x.npy --box 0 1", "x.npy: row 1 of X does not lie in within"),
        ("net.npz --count --time-limit 3", "--time-limit goes with"),
        ("net.npz --count --certificate a", "--certificate goes with --decision, --can, --max"),
        ("net.npz --count --minus 1", "--minus goes with --max and --min"),
        ("net.npz --can 1 --norm l1 --box 0 1", "--norm goes with --robust"),
        ("net.npz --can 1 --box 0 1 --certificate net.npz", "net.npz"),
        ("net.npz --robust points.npy --certificate a", "--robust asks about 3 inputs"),
    ],
)
def test_questions_about_outputs_that_are_refused(run: Any, arguments: str, message: str) -> None:
    status, out, err = run("network", *arguments.split())
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


@pytest.mark.slow
def test_the_explorer(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("bokeh")
    status, _, err = run("explore", "net.npz", "--network", "--box", "-1", "1", "-o", "page.html")
    assert (status, err) == (0, "")
    assert "of 5 units" in (tmp_path / "page.html").read_text()
    title = repr(NET.explore(within=BOX)).split("'")[1]
    assert title in (tmp_path / "page.html").read_text()
    assert run("explore", "--network")[0] == 2


@pytest.mark.slow
def test_the_explorer_opens_graphs(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("bokeh")
    save_graph(tmp_path / "m.onnx", 2)
    status, _, err = run("explore", "m.onnx", "--box", "-1", "1", "-o", "page.html")
    assert status == 0, err
    assert "6 regions of 3 units" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # with --key the file is one of weights
    assert run("explore", "m.onnx", "--key", "W", "-o", "W.html")[0] == 0
    assert "regions of 3 units" not in (tmp_path / "W.html").read_text(encoding="utf-8")
