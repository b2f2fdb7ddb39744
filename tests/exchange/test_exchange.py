"""Texts for and from other systems; these read ours where they are installed."""

import json
import shutil
import subprocess
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sympy import cos, pi, sqrt

from arrangements import Arrangement, NumberField, count_chambers, generators
from arrangements.errors import ArrangementError, InputError, InputTypeError
from arrangements.exchange import (
    from_macaulay2,
    from_oscar,
    from_polymake,
    from_sage,
    to_macaulay2,
    to_oscar,
    to_polymake,
    to_sage,
)

DATA = Path(__file__).parent / "files"
NEGATIVE = NumberField([-1, -1, 1], (-1, 0), "phi")
CUBIC = NumberField([-1, -2, 1, 1], (1, 2), "c")
EXAMPLES = {
    "central": Arrangement([[1, 0], [0, 1], [1, -2]]),
    "affine": Arrangement([[1, 0], [0, 1], [1, -2]], [0, -1, 0.5]),
    "line": Arrangement([[1], [3]], [1, 2]),
    "square root": Arrangement([[1, sqrt(2)], [sqrt(2) - 1, 1]], [0, sqrt(2) / 3]),
    "halves": Arrangement([[1, (1 + sqrt(5)) / 2], [sqrt(5), 1]]),
    "smaller root": Arrangement([[NEGATIVE.generator, 1], [1, 1]], [1, NEGATIVE.generator]),
    "cubic": Arrangement([[1, 2 * cos(2 * pi / 7)], [1, 1]]),
    "smallest root": Arrangement([[1, NumberField([-1, -2, 1, 1], (-2, -1)).generator]]),
    "long numbers": Arrangement([[10**5000, 1], [Fraction(1, 3**9000), 2]]),
    "no hyperplanes": Arrangement.from_equations(variables="x y"),
    "catalan": generators.catalan(3),
    "H3": generators.coxeter("H3"),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_there_and_back(name: str) -> None:
    A = EXAMPLES[name]
    assert from_sage(to_sage(A)).same_numbers(A)
    assert from_macaulay2(to_macaulay2(A), field=A.field).same_numbers(A)
    assert from_oscar(to_oscar(A), affine=not A.is_central).same_numbers(A)
    if A.field is None or A.field.degree == 2:
        assert from_polymake(to_polymake(A)).same_numbers(A)


def test_methods_and_names_of_coordinates() -> None:
    A = Arrangement.from_equations("x - 2*y = 1", "2*t*3")
    assert A.to_sage().splitlines()[:2] == [
        "H = HyperplaneArrangements(QQ, ('t', 'x', 'y'))",
        "t, x, y = H.gens()",
    ]
    assert "QQ[a, b, c]" in A.to_macaulay2(variables="a b c")
    assert from_polymake(A.to_polymake()) == A  # with the labels
    assert from_oscar(A.to_oscar(), affine=True).same_numbers(A)


# ------------------------------------------------------------------ what the systems write


def read(name: str) -> str:
    return (DATA / name).read_text("utf-8")


def test_what_polymake_writes() -> None:
    affine = from_polymake(read("polymake-affine.json"))
    assert affine == Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, Fraction(-1, 2)])
    central = from_polymake(read("polymake-affine.json"), affine=False)
    assert central == Arrangement([[0, 1, 0], [0, 0, 1], [Fraction(-1, 2), 1, 1]])
    assert from_polymake(read("polymake-central.json")) == Arrangement([[1, 0], [0, 1]])
    sparse = from_polymake(read("polymake-sparse.json"))
    assert sparse == Arrangement([[1, 0, 0], [0, Fraction(1, 2), 0]])
    assert from_polymake(read("polymake-empty.json")).normals.shape == (0, 3)
    quadratic = from_polymake(read("polymake-quadratic.json"))
    assert quadratic == Arrangement([[1 + sqrt(2) / 2, 0], [0, 1]])


def test_what_oscar_writes() -> None:
    W = Arrangement([[1, 0, Fraction(-1, 2)], [0, 1, 3]])
    assert from_oscar(read("oscar-rational.mrdi")) == W
    A = from_oscar(read("oscar-field.mrdi"))
    assert A == Arrangement([[1, 0], [(1 + sqrt(5)) / 4, -sqrt(5)]])
    data = json.loads(read("oscar-field.mrdi"))
    data["_type"]["params"] = "plain"
    field = next(key for key, ref in data["_refs"].items() if "def_pol" in ref["data"])
    space = {"name": "MatSpace", "params": field}
    data["_refs"]["plain"] = {"_type": space, "data": {"ncols": "2", "nrows": "2"}}
    with pytest.raises(InputError, match="without an embedding; pass field="):
        from_oscar(json.dumps(data))
    other = from_oscar(json.dumps(data), field=NumberField([-5, 0, 1], (-3, -2)))
    assert other == Arrangement([[1, 0], [(1 - sqrt(5)) / 4, sqrt(5)]])


def test_what_sage_prints() -> None:
    A = Arrangement([[0, 1], [1, 0], [2, -4]], [0, 0, 1])
    hyperplanes = "(Hyperplane 0*x0 + x1 + 0, Hyperplane x0 + 0*x1 + 0, Hyperplane 2*x0 - 4*x1 + 1)"
    for text in (
        "Arrangement <x1 | x0 | 2*x0 - 4*x1 + 1>",
        hyperplanes,
        "[[0, 0, 1], [0, 1, 0], [1, 2, -4]]",
        "[(0, 0, 1), (0, 1, 0), (1, 2, -4)]",
    ):
        assert from_sage(text) == A
    assert from_sage("Arrangement <x1>", variables=["x0", "x1"]).normals.tolist() == [[0, 1]]
    K = NumberField([-1, -2, 1, 1], (1, 2), "b")
    (row,) = from_sage("Arrangement <x - 42/41*b^2 - 15/41*b + 120/41>", field=K)
    assert row.offset == (120 - 15 * K.generator - 42 * K.generator**2) / 41


def test_what_macaulay2_prints() -> None:
    text = "new Arrangement from {hyperplanes => {x, y, x-2*y+1/2}, ring => R, cache => CacheTable"
    A = Arrangement([[1, 0], [0, 1], [1, -2]], [0, 0, Fraction(1, 2)])
    assert from_macaulay2(text + "{...0...}}") == A
    assert from_macaulay2("{x, y, x-2*y+1/2}") == A
    assert from_macaulay2("A = arrangement {x, y,\n x-2*y+1/2} -- three lines") == A
    braid = (
        "{hyperplanes => {x_1-x_2, x_2-x_3}, ring => QQ[x_1..x_4], cache => CacheTable{...0...}}"
    )
    found = from_macaulay2(f"new CentralArrangement from {braid}")
    assert found.normals.tolist() == [[1, -1, 0, 0], [0, 1, -1, 0]]
    K = NumberField([-2, 0, 1], (1, 2), "a")
    found = from_macaulay2("{x0, a*x0+(-(1/2)*a-1)*x1}", field=K)
    assert found == Arrangement([[1, 0], [sqrt(2), -1 - sqrt(2) / 2]])


# ------------------------------------------------------------------ refusals


def test_what_a_system_does_not_have() -> None:
    with pytest.raises(InputError, match="of degree 3; polymake has fields of square roots only"):
        to_polymake([[1, CUBIC.generator]])
    with pytest.raises(InputError, match="rows 0 and 1 are the same hyperplane"):
        to_sage([[1, 0], [-2, 0]])
    for to in (to_sage, to_macaulay2):
        with pytest.raises(InputError, match="normal of row 1 is zero"):
            to([[1], [0]], [0, 1])
        for names in ("x", "x y z", "x A", "x a'", ["x", "2"], "x x"):
            with pytest.raises(InputError, match="variables (is|are)"):
                to([[1, 0]], variables=names)
    with pytest.raises(InputError, match="does not say which root"):
        from_macaulay2(to_macaulay2([[1, CUBIC.generator]]))


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (from_sage, "Arrangement of 12 hyperplanes of dimension 2 and rank 1", "print"),
        (from_sage, "[[1, 2], [1]]", "1 to 2 coefficients"),
        (from_sage, "[[1, x]]", "not a number"),
        (from_sage, "A = __import__('os')", "no arrangement of Sage"),
        (from_sage, "[" * 10**6, "cannot be read|characters"),
        (from_macaulay2, "arrangement(x*y)", "no arrangement of Macaulay2"),
        (from_macaulay2, "{x^y}", "an exponent is not a number"),
        (from_polymake, "[" * 10**6, "cannot be read"),
        (from_polymake, "", "cannot be read"),
        (from_polymake, "{}", "_type"),
        (from_polymake, '{"_type": "polytope::Polytope<Rational>"}', "_type"),
        (from_polymake, '{"_type": "common::Matrix<Rational>", "data": [["1"], ["x"]]}', "read"),
        (from_polymake, '{"_type": "common::Matrix<Rational>", "data": [["1/0"]]}', "read"),
        (from_polymake, '{"_type": "common::Matrix<Rational>", "data": [{"cols": 1e9}]}', "read"),
        (
            from_polymake,
            '{"_type": "common::Matrix<Rational>", "data": [["1"], ["1", "2"]]}',
            "rea",
        ),
        (from_oscar, "{}", "cannot be read"),
        (from_oscar, '{"_type": {"name": "Polyhedron"}, "data": {}}', "_type"),
    ],
)
def test_other_texts(read: Any, text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(text)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("read", [from_sage, from_macaulay2, from_polymake, from_oscar])
@pytest.mark.parametrize(
    "part",
    ["x", ".<", "[,", "HyperplaneArrangements(a,", "A = H(", "([1]), 'a', embedding=", "=A[", " "]
    + ["toField( ", "arrangement{", "Arrangement <", "{", "(", "x=", "x|", "x_1..x_9,"],
)
def test_long_texts_are_refused_quickly(read: Any, part: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ArrangementError):
        read(part * (10**6 // len(part)))
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize("read", [from_sage, from_macaulay2, from_polymake, from_oscar])
def test_a_path_is_no_text(read: Any) -> None:
    with pytest.raises(InputTypeError, match="expected a str"):
        read(Path("a.json"))


def test_a_cone_that_is_divided() -> None:
    text = json.loads(read("polymake-affine.json"))
    for support in ({"INEQUALITIES": [["1", "0", "0"], ["0", "1", "0"]]}, {"INPUT_RAYS": []}):
        with pytest.raises(InputError, match="other than the space and the halfspace"):
            from_polymake(json.dumps(text | {"SUPPORT": support}))


# ------------------------------------------------------------------ the systems themselves


def run(*command: str, folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("polymake") is None, reason="polymake is not installed")
def test_polymake_reads_and_counts(tmp_path: Path) -> None:
    arrangements = [
        EXAMPLES["central"],
        EXAMPLES["affine"],
        Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, Fraction(-1, 3)], labels=["a", "b c", "d"]),
        generators.coxeter("B3"),
        generators.catalan(3),
    ]
    lines = ['use application "fan";']
    for i, A in enumerate(arrangements):
        (tmp_path / f"{i}.json").write_text(to_polymake(A), "utf-8")
        lines += [
            f'{{ my $A = load("{i}.json");',
            'print "cones ", $A->CHAMBER_DECOMPOSITION->N_MAXIMAL_CONES, "\\n";',
            f'save($A, "{i}-saved.json"); }}',
        ]
    (tmp_path / "count.pl").write_text("\n".join(lines))
    output = run("polymake", "--script", "count.pl", folder=tmp_path)
    counts = [int(line.split()[1]) for line in output.splitlines() if line.startswith("cones ")]
    assert counts == [count_chambers(A) for A in arrangements]
    for i, A in enumerate(arrangements):
        saved = (tmp_path / f"{i}-saved.json").read_text("utf-8")
        assert from_polymake(saved) == A


@pytest.mark.skipif(shutil.which("M2") is None, reason="Macaulay2 is not installed")
@pytest.mark.parametrize("name", ["central", "affine", "square root", "cubic", "H3"])
def test_macaulay2_reads(name: str, tmp_path: Path) -> None:
    A = EXAMPLES[name]
    code = to_macaulay2(A) + "\nprint toString hyperplanes A\nprint toString isCentral A\n"
    (tmp_path / "a.m2").write_text(code)
    printed, central = run("M2", "--script", "a.m2", folder=tmp_path).strip().splitlines()
    assert from_macaulay2(printed, field=A.field).same_numbers(A)
    assert central == str(A.is_central).lower()


@pytest.mark.skipif(shutil.which("sage") is None, reason="Sage is not installed")
@pytest.mark.parametrize("name", ["central", "affine", "square root", "cubic"])
def test_sage_reads_and_counts(name: str, tmp_path: Path) -> None:
    A = EXAMPLES[name]
    code = to_sage(A) + "\nprint(A.n_regions())\nprint([h.coefficients() for h in A])\n"
    (tmp_path / "a.sage").write_text(code)
    count, printed = run("sage", "a.sage", folder=tmp_path).strip().splitlines()
    assert int(count) == count_chambers(A)
    assert from_sage(printed, field=A.field).same_hyperplanes(A)


@pytest.mark.parametrize(
    ("read", "text", "field"),
    [
        (from_sage, "H.<x,y> = HyperplaneArrangements(GF(2))\nA = H(x, y)", "GF("),
        (from_sage, "H = HyperplaneArrangements(CC, ('x',))\nA = H(x,)", "CC"),
        (from_macaulay2, "R = ZZ/7[x,y]\nA = arrangement {x, y, 3*x - y}", "ZZ/"),
        (from_macaulay2, "R = CC[x,y]\nA = arrangement {x, y}", "CC"),
    ],
)
def test_fields_without_signs_are_refused(read: Any, text: str, field: str) -> None:
    with pytest.raises(InputError, match="a finite or complex field") as error:
        read(text)
    assert field in str(error.value)


def test_several_arrangements_in_one_text() -> None:
    with pytest.raises(InputError, match="several arrangements"):
        from_macaulay2("R = QQ[x,y];\nB = arrangement {x};\nA = arrangement {x, y}")


def test_variables_that_are_keywords() -> None:
    with pytest.raises(InputError, match="keywords of Python"):
        to_sage([[1, 2]], variables=["for", "x"])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (from_sage, "Arrangement <x | sqrt(2 >"),
        (from_sage, "[[sqrt(2, 1]]"),
        (from_macaulay2, "{x, sqrt(2*y}"),
        (from_sage, "(x, y"),
        (from_sage, "[x, y)"),
        (from_sage, "A = H(x, y"),
    ],
)
def test_brackets_that_are_not_closed(read: Any, text: str) -> None:
    with pytest.raises(InputError, match="not closed|no arrangement of Sage"):
        read(text)


def test_numbers_and_zeros_as_sage_prints_them() -> None:
    A = from_sage("[Hyperplane x + 1e-3*y + 0]")
    assert A.normals.tolist() == [[1, Fraction(1, 1000)]]
    B = from_sage("(Hyperplane x + 0*y + 0, Hyperplane x + 0*y - 1)")
    assert B.same_numbers(Arrangement([[1, 0], [1, 0]], [0, -1]))
    assert from_macaulay2("{x, 0*y + x - 1}").same_numbers(B)


@pytest.mark.parametrize(
    "rows",
    [
        [["1", "2", "3"], ["5"]],
        [["1", "2", "3"], ["5", "6"]],
        [["5"], ["1", "2", "3"]],
        [{"0": "1", "7": "2"}, {"cols": 3}],
        [{"0": "1", "-1": "2"}, {"cols": 3}],
        [{"0": "1", "1": "2"}],
        [["1", "2"], ["3", "4"], {"cols": 3}],
    ],
)
def test_rows_of_other_lengths_in_polymake(rows: Any) -> None:
    for kind, key in (("common::Matrix", "data"), ("fan::HyperplaneArrangement", "HYPERPLANES")):
        with pytest.raises(InputError, match="cannot be read"):
            from_polymake(json.dumps({"_type": f"{kind}<Rational>", key: rows}))


@pytest.mark.parametrize("rows", [[["1", "2", "3"], ["5"]], [["1"], ["5"]], [["1", "2"]]])
def test_rows_of_other_lengths_in_oscar(rows: Any) -> None:
    text = json.loads(to_oscar([[1, 2, 3], [4, 5, 6]]))
    with pytest.raises(InputError, match="cannot be read"):
        from_oscar(json.dumps(text | {"data": rows}))


def test_negative_exponents_in_oscar() -> None:
    text = to_oscar([[1, sqrt(2)]])
    for old in ('["0", "-2"]', '["1", "1"]'):  # of the polynomial, of an entry
        assert text.count(old) == 1
        with pytest.raises(InputError, match="cannot be read"):
            from_oscar(text.replace(old, old.replace('["0"', '["-1"').replace('["1"', '["-1"')))


def test_equations_of_a_cone_in_polymake() -> None:
    text = json.loads(read("polymake-affine.json"))
    support = {"INEQUALITIES": [["1", "0", "0"]], "LINEAR_SPAN": [{"cols": 3}]}
    assert not from_polymake(json.dumps(text | {"SUPPORT": support})).is_central
    support["EQUATIONS"] = [["0", "1", "0"]]
    with pytest.raises(InputError, match="other than the space and the halfspace"):
        from_polymake(json.dumps(text | {"SUPPORT": support}))


@pytest.mark.parametrize("name", ["GoldenRatio", "pi", "sqrt", "cos", "sin"])
def test_variables_with_names_of_constants(name: str) -> None:
    for to in (to_sage, to_macaulay2):
        with pytest.raises(InputError, match=f"'{name}' cannot be used"):
            to([[1, 2], [1, 1]], variables=["x", name])


@pytest.mark.parametrize(
    "name", "ring ideal det ii if then else for while do new of list arrangement matrix".split()
)
def test_variables_with_names_of_macaulay2(name: str) -> None:
    with pytest.raises(InputError, match="Macaulay2 expects 2 names"):
        to_macaulay2([[1, 2], [1, 1]], variables=["x", name])


@pytest.mark.parametrize("name", ["H", "K", "R", "A", "QQ", "lambda", "pi"])
def test_generators_with_names_of_the_code(name: str) -> None:
    A = Arrangement([[1, NumberField([-2, 0, 1], (1, 2), name).generator]])
    with pytest.raises(InputError, match=f"generator of the field is {name}.*another name"):
        to_sage(A)
    if name != "H":
        with pytest.raises(InputError, match=f"generator of the field is {name}.*another name"):
            to_macaulay2(A)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (from_sage, "H.<x,GoldenRatio> = HyperplaneArrangements(QQ)\nA = H(x - GoldenRatio)"),
        (from_macaulay2, "R = QQ[x, GoldenRatio]\nA = arrangement {x - GoldenRatio}"),
    ],
)
def test_rings_with_names_of_constants(read: Any, text: str) -> None:
    with pytest.raises(InputError, match="'GoldenRatio' is one of the variables and the name"):
        read(text)
