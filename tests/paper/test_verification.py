"""A check sees a false claim, and a run says so."""

import json
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import naive
import numpy as np
import pytest
import sympy

from arrangements import SignVectors, chambers, cli, rankings
from arrangements.errors import InputError, TooLargeError, UnknownMethodError
from arrangements.paper import (
    checks,
    cosine_matrix,
    difference_cosine_matrix,
    equivalent_models,
    examples,
    verification,
    verify,
)
from arrangements.paper.checks import FalseClaim
from arrangements.paper.factorizations import (
    column_lengths,
    diagonal_cosine_range,
    refactored,
    regularized_factors,
)
from arrangements.paper.random_matrices import KINDS, random_labels, random_rows
from arrangements.paper.reconstruction import RescaledGram, rescaled_gram
from arrangements.paper.verification import STATEMENTS, Statement

W = np.array([[1, 2, 0], [0, 1, 1], [1, 1, -1], [2, 0, 1], [1, -1, 3]])
SIGNS, ORDERS = chambers(W), rankings(W)


def fails(match, check, *claim, **options):
    with pytest.raises(FalseClaim, match=match):
        check(*claim, **options)


def without_one(patterns):
    return type(patterns).from_array(patterns.to_array()[1:])


# ------------------------------------------------------------------ false claims


def test_a_wrong_translation_of_a_softmax():
    checks.check_softmax_identity()
    fails("probabilities change", checks.check_softmax_identity, lambda i, k: i)
    X = [[1, 2, 3], [-1, 0, 5]]
    checks.check_equivalent_softmax(W, W + [1, 2, 3], X)
    moved = W + [1, 2, 3]
    moved[3, 0] += 1
    fails(r"W1 = \[\[1, 2, 0\]", checks.check_equivalent_softmax, W, moved, X)


@pytest.mark.parametrize("target", [1, -1])
@pytest.mark.parametrize("v", [[0, 0], [-1, 0], [0, -1], [1, 1], [-0.5, -0.5 - 2.0**-50]])
def test_a_wrong_translation(v, target):
    fails("a = ", checks.check_translation, [1, 0], [0, 1], v, target)


def test_a_translation_for_the_other_target():
    checks.check_translation([1, 0], [0, 1], [-0.5, -0.5], -1)
    fails(r"not \+1", checks.check_translation, [1, 0], [0, 1], [-0.5, -0.5], 1)
    checks.check_translation([1, 0], [0, 1], [1, -2], 1)
    fails("not -1", checks.check_translation, [1, 0], [0, 1], [1, -2], -1)


def test_models_that_are_not_equivalent():
    models = equivalent_models(W, 0, 1)
    checks.check_equivalent_models(models)
    for claim in (
        models._replace(labels=(0, 2)),
        models._replace(parallel=models.opposite),
        models._replace(parallel=models.W),
    ):
        fails(r"cosine is not \+1", checks.check_equivalent_models, claim)
    swapped = models._replace(translations=models.translations[::-1])
    fails("another vector", checks.check_equivalent_models, swapped)
    scaled = models._replace(W=2 * models.W)
    fails("probabilities change", checks.check_equivalent_models, scaled)


def test_wrong_tie_examples():
    example = examples.centered()
    checks.check_tie_example(example, centered=True)
    fails("unit length", checks.check_tie_example, example, unit_length=True)
    fails("add up to zero", checks.check_tie_example, examples.unrestricted(), centered=True)
    swapped = example._replace(apart=example.together, together=example.apart)
    fails("can tie", checks.check_tie_example, swapped)
    fails("can tie are", checks.check_tie_example, example._replace(ties=example.ties[1:]))
    fails("another W", checks.check_tie_example, example._replace(coordinates=W[:, :2]))
    nearer = example._replace(together=(0, 1))  # its cosine is larger than that of `apart`
    fails("not larger", checks.check_tie_example, nearer)
    regular = sympy.Matrix([[1, 0], [0, 1], [-1, 0], [0, -1], [0, 0]])
    moved = example._replace(W=regular, coordinates=np.array(regular.tolist(), dtype=int))
    fails("can tie are", checks.check_tie_example, moved)


@pytest.mark.parametrize("k", range(3))
def test_wrong_similarities(k):
    witness = examples.other_similarities()[k]
    checks.check_similarity(witness)
    fails(
        "prefers not",
        checks.check_similarity,
        witness._replace(first=witness.second, second=witness.first),
    )
    fails("change", checks.check_similarity, witness._replace(shift=witness.shift + 1))
    fails("change", checks.check_similarity, witness._replace(W2=witness.W1 + W[:3, :2]))
    fails(
        "prefers not",
        checks.check_similarity,
        witness._replace(W2=witness.W1, change=np.eye(2, dtype=int), shift=np.zeros(2, int)),
    )


def test_wrong_definitions():
    B = [[1, -1, 0, 0, 0]]
    fails("something else", checks.check_braid_matrix, B, W)
    checks.check_sign_pattern(W, SIGNS)
    fails("wrong about one sign", checks.check_sign_pattern, W, without_one(SIGNS))
    every = SignVectors.from_array(np.array(np.meshgrid(*[[-1, 1]] * 5)).reshape(5, -1).T)
    fails("wrong about one sign", checks.check_sign_pattern, W, every)
    checks.check_ranking_pattern(W, ORDERS)
    fails("not the sign pattern", checks.check_ranking_pattern, W, without_one(ORDERS))
    with pytest.raises(TooLargeError, match="too many"):
        checks.check_sign_pattern(np.ones((13, 1), int), SIGNS)
    with pytest.raises(TooLargeError, match="too many"):
        checks.check_ranking_pattern(np.arange(8)[:, None], rankings(np.arange(8)[:, None]))


def test_wrong_steps_of_the_lemma():
    ones = [Fraction(1)] * 5
    checks.check_row_scaling(W, ones, SIGNS)
    fails("not positive", checks.check_row_scaling, W, [Fraction(-1), *ones[1:]], SIGNS)
    fails("sign pattern changes", checks.check_row_scaling, W, ones, without_one(SIGNS))
    gram = rescaled_gram(cosine_matrix(W))
    checks.check_rescaled_gram(W, gram)
    rows = [list(row) for row in gram.rows]
    rows[0][1] += Fraction(1, 10**9)
    fails(r"\[0, 1\]", checks.check_rescaled_gram, W, RescaledGram(rows, gram.squares))
    rows[0][1] = -gram.rows[0][1]
    fails(r"\[0, 1\]", checks.check_rescaled_gram, W, RescaledGram(rows, gram.squares))
    checks.check_column_span(W, 2 * W, SIGNS)
    near = W.copy()
    near[0, 0] += 1
    fails("column spans differ", checks.check_column_span, W, near, SIGNS)
    fails("sign patterns differ", checks.check_column_span, W, W, without_one(SIGNS))


def perturbed(C, i, j, entry):
    rows = C.tolist()
    rows[i][j] = rows[j][i] = entry
    return sympy.Matrix(rows)


def test_a_perturbed_cosine_matrix():
    C = cosine_matrix(W)
    checks.check_sign_pattern_from_cosines(C, SIGNS)
    fails("C gives", checks.check_sign_pattern_from_cosines, C, without_one(SIGNS))
    for claim in (
        perturbed(C, 0, 1, -C[0, 1]),
        perturbed(C, 0, 1, C[0, 1] + sympy.Rational(1, 10**6)),
        perturbed(C, 2, 3, 0),
        perturbed(C, 2, 2, 2),
        cosine_matrix(W[[1, 0, 2, 3, 4]]),
    ):
        fails("C = ", checks.check_sign_pattern_from_cosines, claim, SIGNS)
    D = difference_cosine_matrix(W)
    checks.check_ranking_pattern_from_cosines(D, ORDERS)
    fails("D gives", checks.check_ranking_pattern_from_cosines, D, without_one(ORDERS))
    for claim in (
        perturbed(D, 0, 2, -D[0, 2]),
        difference_cosine_matrix(W[[1, 0, 2, 3, 4]]),
        difference_cosine_matrix(examples.bjorner().W1),
    ):
        fails("D = |C = ", checks.check_ranking_pattern_from_cosines, claim, ORDERS)


def test_a_swapped_counter_example():
    pair = examples.bjorner()
    sizes = {"sign_vectors": 22, "orders": 20, "different": 2}
    checks.check_bjorner(pair, **sizes)
    fails("only in 1", checks.check_bjorner, pair._replace(W1=pair.W2, W2=pair.W1), **sizes)
    fails("are equal", checks.check_bjorner, pair._replace(W2=pair.W1), **sizes)
    fails("not the one claimed", checks.check_bjorner, pair._replace(W2=W), **sizes)
    fails("not 18 rankings", checks.check_bjorner, pair, **(sizes | {"orders": 18}))
    fails("not 24 sign", checks.check_bjorner, pair, **(sizes | {"sign_vectors": 24}))
    fails("not 3 diff", checks.check_bjorner, pair, **(sizes | {"different": 3}))
    fails(
        "only in 1",
        checks.check_bjorner,
        pair._replace(only_in_1=without_one(pair.only_in_1)),
        **sizes,
    )
    fails(
        "other rankings",
        checks.check_bjorner,
        pair._replace(certificates=pair.certificates[1:]),
        **sizes,
    )
    fails("constant", checks.check_bjorner, examples.shortened_row(), **sizes)


def test_a_proof_that_does_not_hold():
    pair = examples.bjorner()
    proof = pair.certificates[0]
    wrong_point = replace(proof.in_1, point=tuple(-x for x in proof.in_1.point))
    wrong_weights = replace(proof.in_2, weights=tuple(y + 1 for y in proof.in_2.weights))
    for forged in (
        proof._replace(in_1=wrong_point),
        proof._replace(in_2=wrong_weights),
        proof._replace(in_2=pair.certificates[1].in_2),
        proof._replace(in_1=proof.in_1, in_2=proof.in_1),
    ):
        claim = pair._replace(certificates=(forged, *pair.certificates[1:]))
        fails("proof does not hold", checks.check_model_pair, claim)


def test_a_wrong_shortened_row():
    pair = examples.shortened_row()
    checks.check_shortened_row(pair, 4)
    fails("never ranks|can rank", checks.check_shortened_row, pair, 0)
    turned = pair.W2.copy()
    turned[4] = 1, 1
    fails("does not hold", checks.check_shortened_row, pair._replace(W2=turned), 4)
    fails("the cosines differ", checks.check_shortened_row, examples.bjorner(), 0)


@pytest.mark.slow
def test_wrong_factorizations():
    A, B = [[1, 2], [3, 4]], [[1, 0], [1, 1], [2, 1]]
    M = [[2, 0], [0, 1]]
    other = refactored(A, B, M)
    checks.check_refactored(A, B, other)
    fails("products differ", checks.check_refactored, A, B, other._replace(B=2 * other.B))
    checks.check_item_cosine(B, 0, 1, sympy.sqrt(2) / 2)
    fails("cosine of items", checks.check_item_cosine, B, 0, 1, 0.7071067811865476)
    x, y = [1, 1], [1, 4]
    cosines = diagonal_cosine_range(x, y)
    checks.check_diagonal_range(x, y, cosines, [[4, 1], [1, 1]])
    open_below = sympy.Interval.open(cosines.inf, 1)
    fails("not in", checks.check_diagonal_range, x, y, open_below, [[4, 1]])
    narrow = sympy.Interval(sympy.Rational(9, 10), 1)
    fails("not in", checks.check_diagonal_range, x, y, narrow, [[4, 1]])
    fails("within 1/10 of 1", checks.check_range_end, x, y, 1, [4, 1], Fraction(1, 10))
    checks.check_range_end(x, y, 1, [4, 1], Fraction(1, 5))  # the cosine is 4/5
    fails("within", checks.check_range_end, x, y, 1, [4, 1], Fraction(1, 5) - Fraction(1, 10**30))
    fails("within", checks.check_range_end, x, y, -1, [4, 1], Fraction(9, 5) - Fraction(1, 10**30))
    checks.check_range_end(x, y, -1, [4, 1], Fraction(9, 5))
    X = [[1, 2, 2], [4, 2, -4], [6, -6, 3]]
    factors = regularized_factors(X, 9)
    D = column_lengths(factors.B)
    checks.check_regularized(X, 9, factors, D)
    fails("not optimal", checks.check_regularized, X, 8, factors, D)
    fails("not diagonal", checks.check_regularized, X, 9, factors, D + sympy.ones(3))
    for wrong in (sympy.eye(3), 2 * D, D[::-1, ::-1], D * D):
        fails("not orthogonal", checks.check_regularized, X, 9, factors, wrong)
    fails("not positive", checks.check_regularized, X, 9, factors, -D)
    unlike = factors._replace(A=2 * factors.A, B=factors.B / 2)
    fails("A and B differ", checks.check_regularized, X, 9, unlike, D)
    X = [[1, 2], [3, 5]]  # eigenvalues (39 +- sqrt(1517)) / 2
    factors = regularized_factors(X, 1)
    checks.check_regularized(X, 1, factors, column_lengths(factors.B))
    fails("not optimal", checks.check_regularized, X, 2, factors, D)


def test_each_part_of_a_claim_counts(monkeypatch):
    example = examples.centered()
    neither = example._replace(together=(1, 3))  # a smaller cosine, but no tie
    fails("1, 3.* cannot tie", checks.check_tie_example, neither)
    witness = examples.other_similarities()[0]
    still = witness._replace(
        W1=witness.W2, change=np.eye(2, dtype=int), shift=np.zeros(2, dtype=int)
    )
    fails("W1 prefers not", checks.check_similarity, still)
    gram = rescaled_gram(cosine_matrix(W))
    mirrored = gram._replace(squares=tuple(-s for s in gram.squares))
    fails("a scale is not positive", checks.check_rescaled_gram, W, mirrored)
    pair = examples.bjorner()
    less = pair._replace(only_in_2=without_one(pair.only_in_2))
    fails("only in 2", checks.check_model_pair, less)
    shortened = examples.shortened_row()
    fails("can rank label 0", checks.check_shortened_row, shortened, 0)
    never = shortened._replace(
        W1=shortened.W2,
        W2=shortened.W1,
        only_in_1=shortened.only_in_2,
        only_in_2=shortened.only_in_1,
        certificates=tuple(
            proof._replace(in_1=proof.in_2, in_2=proof.in_1) for proof in shortened.certificates
        ),
    )
    fails("W1 never ranks label 4", checks.check_shortened_row, never, 4)
    whole = sympy.Interval(-1, 1)
    fails("square is not positive", checks.check_diagonal_range, [1, 1], [1, 4], whole, [[1, -1]])
    # an engine that is wrong in the same way about rankings and about differences
    few = without_one(ORDERS)
    with monkeypatch.context() as patch:
        patch.setattr(checks, "chambers", lambda differences: few.to_sign_vectors())
        fails("wrong about one ranking", checks.check_ranking_pattern, W, few)
    # and one that gives certificates that do not hold
    with monkeypatch.context() as patch:
        forged = replace(checks.feasible([[1]], [1]), point=(Fraction(-1),))
        patch.setattr(checks, "feasible", lambda W, signs: forged)
        fails("does not verify", checks.check_sign_pattern, W, SIGNS)


def test_no_check_is_without_a_false_claim():
    source = Path(__file__).read_text(encoding="utf-8")
    compact = "".join(source.split())
    for name in dir(checks):
        if name.startswith("check_"):
            assert f'",checks.{name},' in compact, name


# Statements with one wrong function each, and the wrong values.
WRONG = {
    "equivalent_softmax": ("Lemma 3.1", lambda right: 2 * right),
    "translation_for_cosine": ("Lemma 3.3", lambda right: tuple(-entry for entry in right)),
    "equivalent_models": ("Theorem 3.4", lambda right: right._replace(parallel=right.opposite)),
    "braid_matrix": ("Proposition E.2", lambda right: -right),
    "ranking_pattern": ("Theorem 5.6", without_one),
    "chambers": ("Lemma 5.3", without_one),
    "cosine_matrix": ("Lemma 5.3", lambda right: right.applyfunc(abs)),
    "gram_matrix": ("Lemma 5.3", lambda right: [[entry + 1 for entry in row] for row in right]),
    "rescaled_gram": ("Lemma 5.3", lambda right: right._replace(squares=right.squares[::-1])),
    "difference_cosine_matrix": ("Theorem 5.6", lambda right: 2 * right),
    "change_for_cosine": ("Steck", lambda right: right.inv()),
    "refactored": ("Steck", lambda right: right._replace(A=2 * right.A)),
    "diagonal_cosine_range": ("Steck", lambda right: sympy.Interval(right.inf, right.sup)),
    "diagonal_towards": ("Steck", lambda right: right[::-1]),
    "regularized_factors": ("Steck", lambda right: right._replace(A=2 * right.A)),
    "column_lengths": ("Steck", lambda right: 2 * right),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_run_sees_each_wrong_quantity(name, monkeypatch):
    only, spoil = WRONG[name]
    right = getattr(verification, name)
    monkeypatch.setattr(verification, name, lambda *claim: spoil(right(*claim)))
    (result,) = verify(only, samples=1, n=6, d=3, rng=0)
    assert not result.ok and result.detail.startswith("case ")


# ------------------------------------------------------------------ the run


@pytest.mark.slow
def test_everything_holds():
    results = list(verify(n=8, d=3, samples=1, rng=0))
    assert [r.result for r in results] == list(STATEMENTS)
    assert all(r.ok and r.exact and r.cases for r in results), results


def test_a_run_is_repeatable_and_independent_of_its_company():
    def details(only):
        return {r.result: r.detail for r in verify(only, n=6, d=2, samples=1, rng=7)}

    both = details(["5.3", "E.2"])
    assert both == details(["5.3", "E.2"])
    assert details("5.3")["Lemma 5.3"] == both["Lemma 5.3"]
    assert list(both) == ["Proposition E.2", "Lemma 5.3"]


@pytest.mark.parametrize("sizes", [{"n": 3}, {"d": 1}, {"samples": 0}, {"n": 8.5}])
def test_sizes_too_small(sizes):
    with pytest.raises(InputError, match="expected an? (positive )?integer"):
        verify("H.1", **sizes)


def test_the_random_generator():
    with pytest.raises(InputError, match="rng is -1; expected a seed"):
        verify("H.1", rng=-1)


def test_unknown_statement():
    with pytest.raises(UnknownMethodError, match="'9.9' is in no name"):
        verify("9.9")


def true_then_false(sizes):
    yield {"claims": 1}
    checks.check_translation([1, 0], [0, 1], [0, 0], -1)
    yield {"claims": 1}


FALSE = {
    "Lemma 0": Statement("a lemma that is false", true_then_false),
    "Lemma 1": Statement("nothing", lambda sizes: iter(())),
    "Lemma 2": Statement("true", lambda sizes: iter([{"claims": 1}])),
}


def test_a_false_statement_and_an_empty_one_fail():
    false, empty, true = verify(statements=FALSE)
    assert (false.ok, false.cases) == (False, 1)
    assert false.detail.startswith("case 2: ") and "a = [1, 0], b = [0, 1]" in false.detail
    assert not empty.ok and true.ok


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 1), (9, 3), (24, 2)])
def test_random_matrices(kind, n, d):
    rng = np.random.default_rng(n + d)
    rows, labels = random_rows(kind, n, d, rng), random_labels(kind, n, d, rng)
    assert rows.shape == labels.shape == (n, d)
    assert rows.any(axis=1).all()
    assert len({tuple(row) for row in labels.tolist()}) == n
    if kind == "low rank" and d > 1:
        assert max(np.linalg.matrix_rank(rows), np.linalg.matrix_rank(labels)) < d
    if kind == "repeated" and n > 4:
        assert naive.count(rows) < naive.generic_count(n, d) or d == 1


# ------------------------------------------------------------------ the command


@pytest.fixture
def run(monkeypatch, capfd, tmp_path):
    monkeypatch.chdir(tmp_path)

    def run_(*arguments):
        monkeypatch.setattr(sys, "argv", ["arrangements", "verify", *arguments])
        return cli.main(), *capfd.readouterr()

    return run_


def test_command(run):
    status, out, err = run("--only", "H.1", "--only", "C.", "--seed", "3")
    lines = out.splitlines()
    assert (status, err, len(lines)) == (0, "", 4)
    assert all(line.startswith("ok ") and " exact " in line for line in lines)


def test_command_json(run):
    status, out, _ = run("--only", "5.5", "--json")
    answer = json.loads(out)
    (result,) = answer["statements"]
    assert status == 0 and answer["holds"]
    assert list(result) == ["result", "ok", "cases", "exact", "seconds", "detail"]
    assert (result["result"], result["ok"], result["exact"]) == ("Theorem 5.5", True, True)


def test_command_fails(run, monkeypatch):
    monkeypatch.setattr(verification, "STATEMENTS", FALSE)
    status, out, _ = run()
    assert status == 1
    first = out.splitlines()[0]
    assert first.startswith("FAILED  Lemma 0") and "b = [0, 1]" in first
    assert run("--json")[0] == 1


@pytest.mark.slow
def test_command_report(run, tmp_path):
    status, _, err = run("--only", "H.1", "--only", "E.2", "--report", "out", "--n", "6")
    text = (tmp_path / "out" / "report.md").read_text()
    assert status == 0 and "report.md" in err
    assert "| Theorem H.1 |" in text and "--n=6" in text and "**FAILED**" not in text


def test_command_with_bad_input(run):
    assert run("--only", "9.9")[0] == run("--n", "2")[0] == run("--n", "x")[0] == 2
    assert run("--seed", "-1")[0] == 2
    Path("file").write_text("")
    assert run("--only", "H.1", "--report", "file")[0] == 2
