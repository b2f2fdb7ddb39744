"""Every statement of the paper, checked on its examples and on random exact matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import as_list, check_flag, check_instance, check_integer, random_generator
from arrangements.enumeration.chambers import chambers
from arrangements.errors import ArrangementError, InputError, UnknownMethodError
from arrangements.exact.numbers import as_objects
from arrangements.messages import quote
from arrangements.models.tops import argmax_labels
from arrangements.paper import checks, examples
from arrangements.paper.cosines import cosine_matrix, difference_cosine_matrix, gram_matrix
from arrangements.paper.definitions import braid_matrix, exact_vector, ranking_pattern
from arrangements.paper.factorizations import (
    change_for_cosine,
    column_lengths,
    diagonal_cosine_range,
    diagonal_towards,
    refactored,
    regularized_factors,
)
from arrangements.paper.random_matrices import KINDS, Kind, random_labels, random_rows
from arrangements.paper.reconstruction import rescaled_gram
from arrangements.paper.softmax import equivalent_softmax
from arrangements.paper.translations import equivalent_models, translation_for_cosine

Tally = Mapping[str, int]

_VECTORS = np.array([[1, 2, 2], [2, 1, -2], [2, -2, 1]])


@public_class
class Result(NamedTuple):
    """The result of checking one statement.

    Attributes
    ----------
    result : str
        The statement, by its name in the paper.
    ok : bool
        Whether every case held, and there was at least one.
    cases : int
        Number of matrices, vectors or examples that were checked and held.
    exact : bool
        Whether exact arithmetic decided all of them.
    seconds : float
        Time it took.
    detail : str
        What was checked, or the first case that failed, in full.
    """

    result: str
    ok: bool
    cases: int
    exact: bool
    seconds: float
    detail: str

    def _repr_html_(self) -> str:
        facts = [
            ("verdict", "holds" if self.ok else "FAILED"),
            ("cases", f"{self.cases:,}"),
            ("arithmetic", "exact" if self.exact else "float"),
            ("seconds", f"{self.seconds:.1f}"),
        ]
        return notebook.card(self.result, facts, notebook.text(self.detail, 500))


class Sizes(NamedTuple):
    """How much is checked at random.

    Attributes
    ----------
    rng : numpy.random.Generator
        Its own for each statement, so that its cases do not depend on the other statements.
    n, d : int
        Most rows and columns of a matrix; ranking patterns are of n / 2 labels.
    samples : int
        Matrices of each kind.
    """

    rng: np.random.Generator
    n: int
    d: int
    samples: int


class Statement(NamedTuple):
    """A statement of the paper and how it is checked.

    Attributes
    ----------
    says : str
        What it says, in a line.
    cases : callable
        From `Sizes` to an iterator that checks one claim per step, and yields what it was
        about: nouns and their numbers. It raises `FalseClaim` at the first claim that fails.
    """

    says: str
    cases: Callable[[Sizes], Iterator[Tally]]


def verify(
    only: str | Iterable[str] | None = None,
    *,
    rng: int | np.random.Generator | None = None,
    n: int = 24,
    d: int = 4,
    samples: int = 2,
    progress: bool = False,
    statements: Mapping[str, Statement] | None = None,
) -> Iterator[Result]:
    """Check the statements of the paper one by one, in exact arithmetic.

    Parameters
    ----------
    only : str or iterable of str, optional
        Parts of names of statements, such as "5.3": only these.
    rng : int or numpy.random.Generator, optional
        Seed or generator of the random matrices; default fresh entropy.
    n, d : int
        Most rows and columns of a random matrix, n >= 4, d >= 2. Ranking patterns are those
        of n / 2 labels.
    samples : int
        Random matrices of each kind: generic integers, Gaussian floats (the dyadic numbers
        they are), small integers, deficient rank, and repeated directions.
    progress : bool
        Show a progress bar on stderr for each statement.
    statements : mapping of str to Statement, optional
        Default `STATEMENTS`.

    Yields
    ------
    Result
        One for each statement, as soon as it is checked.

    Raises
    ------
    UnknownMethodError
        If a part of `only` occurs in no name.
    InputError
        If a size is too small or above ten thousand, or `rng` is no seed.

    Notes
    -----
    Exact: floating point decides nothing. A matrix for lemma 5.3 takes n^2 square roots in SymPy
    and the work of `chambers`; a matrix for theorem 5.6 takes n^4 / 64 of them.

    Examples
    --------
    >>> [(r.result, r.ok, r.cases) for r in verify("H.1")]
    [('Theorem H.1', True, 1)]
    """
    n, d = check_integer("n", n, 4, 10**4), check_integer("d", d, 2, 10**4)
    samples = check_integer("samples", samples, 1, 10**6)
    seed = int(random_generator(rng).integers(2**63))
    known = STATEMENTS if statements is None else statements
    check_instance("statements", known, Mapping)
    for name, statement in known.items():
        check_instance("the name of a statement", name, str)
        check_instance("a statement", statement, Statement)
    progress = check_flag("progress", progress)
    names = _select_names(only, known)

    def sizes(name: str) -> Sizes:
        return Sizes(np.random.default_rng([seed, *name.encode()]), n, d, samples)

    return (_check(name, known[name], sizes(name), progress) for name in names)


def _select_names(only: str | Iterable[str] | None, known: Mapping[str, Statement]) -> list[str]:
    if only is not None and not isinstance(only, Iterable):
        raise InputError(f"only is {quote(only)}; expected part of a name, or several.")
    parts = [""] if only is None else [only] if isinstance(only, str) else as_list("only", only)
    for part in parts:
        if not isinstance(part, str) or not any(part.lower() in name.lower() for name in known):
            raise UnknownMethodError(f"{quote(part)} is in no name of: {', '.join(known)}.")
    return [name for name in known if any(part.lower() in name.lower() for part in parts)]


def _check(name: str, statement: Statement, sizes: Sizes, progress: bool) -> Result:
    tally: Counter[str] = Counter()
    cases, failure, start = 0, None, perf_counter()
    steps = statement.cases(sizes)
    try:
        for counts in tqdm(steps, desc=name, unit=" cases", disable=not progress, leave=False):
            cases += 1
            tally.update(counts)
    except ArrangementError as error:
        failure = f"case {cases + 1}: {error}"
    if failure is None and not cases:
        failure = "nothing was checked"
    about = ", ".join(f"{number:,} {noun}" for noun, number in tally.items())
    detail = f"{statement.says}: {about}" if failure is None else failure
    return Result(name, failure is None, cases, True, perf_counter() - start, detail)


# ------------------------------------------------------------------ section 3


def _softmax_translations(sizes: Sizes) -> Iterator[Tally]:
    checks.check_softmax_identity()
    yield {"symbolic identity": 1}
    for W in _sweep(sizes, sizes.n):
        points = sizes.rng.integers(-9, 10, (3, W.shape[1]))
        v = sizes.rng.integers(-99, 100, W.shape[1]) / 64
        checks.check_equivalent_softmax(W, equivalent_softmax(W, v), points)
        yield {"matrices": 1, "inputs": len(points)}


def _translations(sizes: Sizes, target: Literal[1, -1]) -> Iterator[Tally]:
    for a, b in _vector_pairs(sizes):
        checks.check_translation(a, b, np.array(translation_for_cosine(a, b, target)), target)
        if target == -1:
            middle = [-(x + y) / 2 for x, y in zip(a, b, strict=True)]
            checks.check_translation(a, b, np.array(middle), -1)
        yield {"pairs of vectors": 1}


def _vector_pairs(sizes: Sizes) -> Iterator[tuple[Any, Any]]:
    """Different vectors: any, parallel, opposite, and one zero."""
    for k in range(20 * sizes.samples):
        d = int(sizes.rng.integers(1, sizes.d + 1))
        row = random_rows(KINDS[k % len(KINDS)], 1, d, sizes.rng)[0]
        others = [random_rows("integer", 1, d, sizes.rng)[0], 3 * row, -2 * row, -row, 0 * row]
        for other in others:
            if not (row == other).all():
                first, second = (np.array(exact_vector(v, "v")) for v in (row, other))
                yield first, second
                yield second, first


def _equivalent_models(sizes: Sizes) -> Iterator[Tally]:
    for _ in range(sizes.samples):
        for kind in KINDS:
            d = int(sizes.rng.integers(2, 4))
            W = random_labels(kind, int(sizes.rng.integers(2, 6)), d, sizes.rng)
            i, j = sizes.rng.permutation(len(W))[:2].tolist()
            checks.check_equivalent_models(equivalent_models(W, i, j))
            yield {"models": 2, "symbolic probabilities": 2 * len(W)}


# ------------------------------------------------------------------ appendices C and D


def _ties(
    sizes: Sizes, example: Callable[[], examples.TieExample], **claims: bool
) -> Iterator[Tally]:
    checks.check_tie_example(example(), **claims)
    yield {"pairs of labels": 10}


def _other_similarities(sizes: Sizes) -> Iterator[Tally]:
    for witness in examples.other_similarities():
        checks.check_similarity(witness)
        yield {"measures": 1}


# ------------------------------------------------------------------ section 5


def _definitions(sizes: Sizes) -> Iterator[Tally]:
    for kind in KINDS:
        for _ in range(sizes.samples):
            W = random_rows(kind, int(sizes.rng.integers(2, 8)), _columns(kind, sizes), sizes.rng)
            checks.check_sign_pattern(W, chambers(W))
            yield {"sign vectors": 2 ** len(W)}
            W = random_labels(kind, int(sizes.rng.integers(2, 5)), _columns(kind, sizes), sizes.rng)
            checks.check_braid_matrix(braid_matrix(len(W)), W)
            checks.check_ranking_pattern(W, ranking_pattern(W))
            yield {"rankings": int(np.prod(range(1, len(W) + 1)))}


def _sign_patterns_from_cosines(sizes: Sizes) -> Iterator[Tally]:
    for W in _sweep(sizes, sizes.n):
        signs = chambers(W)
        scales = [Fraction(int(a), int(b)) for a, b in sizes.rng.integers(1, 50, (len(W), 2))]
        C = cosine_matrix(W)
        checks.check_row_scaling(W, scales, signs)
        checks.check_column_span(np.array(gram_matrix(W)), W, signs)
        checks.check_column_span(as_objects(W) @ _regular(W.shape[1], sizes.rng), W, signs)
        checks.check_rescaled_gram(W, rescaled_gram(C))
        checks.check_sign_pattern_from_cosines(C, signs)
        yield {"cosine matrices": 1, "steps of the proof": 3, "sign vectors": len(signs)}


def _shortened_row(sizes: Sizes) -> Iterator[Tally]:
    pair = examples.shortened_row()
    checks.check_shortened_row(pair, 4)
    lost = set(argmax_labels(pair.W1).tolist()) - set(argmax_labels(pair.W2).tolist())
    tops = {f"label that lost the top ({label})": 1 for label in lost}
    yield {"rankings lost": len(pair.only_in_1), "gained": len(pair.only_in_2), **tops}


def _ranking_patterns_from_cosines(sizes: Sizes) -> Iterator[Tally]:
    for W in _sweep(sizes, sizes.n // 2, labels=True):
        orders = ranking_pattern(W)
        checks.check_ranking_pattern_from_cosines(difference_cosine_matrix(W), orders)
        yield {"cosine matrices": 1, "rankings": len(orders)}


def _bjorner(sizes: Sizes) -> Iterator[Tally]:
    pair = examples.bjorner()
    checks.check_bjorner(pair, sign_vectors=22, orders=20, different=2)
    yield {"sign vectors": len(pair.sign_vectors), "certificates": 2 * len(pair.certificates)}


# ------------------------------------------------------------------ factorizations


def _factorizations(sizes: Sizes) -> Iterator[Tally]:
    rng = sizes.rng
    for _ in range(2 * sizes.samples):
        k = int(rng.integers(2, 4))
        A, B = rng.integers(-5, 6, (3, k)), random_rows("integer", 4, k, rng)
        B[:2, :2] = [[2, 1], [1, 3]]
        cosine = Fraction(int(rng.integers(-99, 100)), 100)
        other = refactored(A, B, change_for_cosine(B, 0, 1, cosine))
        checks.check_refactored(A, B, other)
        checks.check_item_cosine(other.B, 0, 1, cosine)
        yield {"cosines by a regular matrix": 1}
    for x, y in _vectors_for_ranges(sizes):
        cosines = diagonal_cosine_range(x, y)
        diagonals = [[Fraction(int(t)) for t in rng.integers(1, 100, len(x))] for _ in range(5)]
        checks.check_diagonal_range(x, y, cosines, diagonals)
        for end, value in ((1, cosines.sup), (-1, cosines.inf)):
            near = diagonal_towards(x, y, end, 10**6)
            checks.check_diagonal_range(x, y, cosines, [near])
            reached = value in cosines
            checks.check_range_end(x, y, value, near, Fraction(0 if reached else 1, 1000))
        yield {"ranges by a diagonal matrix": 1}
    for _ in range(sizes.samples):
        # users by items, with rational eigenvectors and different squares as eigenvalues
        X = _VECTORS * rng.choice(np.arange(1, 9), 3, replace=False)[:, None]
        factors = regularized_factors(X, 9)
        checks.check_regularized(X, 9, factors, column_lengths(factors.B))
        yield {"regularized models": 1}


def _vectors_for_ranges(sizes: Sizes) -> Iterator[tuple[Any, Any]]:
    """Pairs with ratios of one sign and of both, with zeros, and with one ratio or two."""
    signs = [(1, 1, 1), (-1, -1, -1), (1, -1, 1), (0, 1, 1), (0, -1, -1), (0, 0, 1)]
    for _ in range(sizes.samples):
        for pattern in signs:
            x, ratio = sizes.rng.integers(1, 10, (2, 3))
            yield x, x * ratio * pattern
            yield x * [1, 0, 1], x * ratio * pattern
        for factors in ([3, 3, 3], [-2, -2, -2], [2, 7, 7], [-2, -2, -7]):
            yield x, x * factors


# ------------------------------------------------------------------ random matrices


def _sweep(sizes: Sizes, most: int, labels: bool = False) -> Iterator[NDArray[Any]]:
    """Matrices of all kinds; the first of each kind has the most rows."""
    draw = random_labels if labels else random_rows
    for kind in KINDS:
        for k in range(sizes.samples):
            n = most if k == 0 else int(sizes.rng.integers(2, most + 1))
            yield draw(kind, n, sizes.d if k == 0 else _columns(kind, sizes), sizes.rng)


def _columns(kind: Kind, sizes: Sizes) -> int:
    return int(sizes.rng.integers(2 if kind == "low rank" else 1, sizes.d + 1))


def _regular(d: int, rng: np.random.Generator) -> NDArray[Any]:
    """Integer matrix of determinant 1, a product of two triangular ones."""
    lower, upper = rng.integers(-3, 4, (2, d, d))
    unit = np.eye(d, dtype=np.int64)
    return as_objects((np.tril(lower, -1) + unit) @ (np.triu(upper, 1) + unit))


STATEMENTS: dict[str, Statement] = {
    "Lemma 3.1": Statement(
        "a vector added to all rows changes no probability", _softmax_translations
    ),
    "Lemma 3.2": Statement("a translation makes a cosine -1", partial(_translations, target=-1)),
    "Lemma 3.3": Statement("a translation makes a cosine +1", partial(_translations, target=1)),
    "Theorem 3.4": Statement(
        "equivalent models have cosine +1 and -1 for two labels", _equivalent_models
    ),
    "Appendix C.1": Statement(
        "cosines do not tell which labels can tie", partial(_ties, example=examples.unrestricted)
    ),
    "Appendix C.2": Statement(
        "nor do they for centered rows", partial(_ties, example=examples.centered, centered=True)
    ),
    "Appendix C.3": Statement(
        "nor for centered rows of unit length",
        partial(_ties, example=examples.centered_unit_length, centered=True, unit_length=True),
    ),
    "Appendix D": Statement("other measures are no better", _other_similarities),
    "Proposition E.2": Statement(
        "patterns are the orthants, and the orders, that the column span meets", _definitions
    ),
    "Lemma 5.3": Statement("cosines determine the sign pattern", _sign_patterns_from_cosines),
    "Theorem 5.5": Statement("cosines do not determine the ranking pattern", _shortened_row),
    "Theorem 5.6": Statement(
        "cosines of differences determine the ranking pattern", _ranking_patterns_from_cosines
    ),
    "Theorem H.1": Statement("the sign pattern does not determine the ranking pattern", _bjorner),
    "Steck et al. 2024": Statement("cosines of matrix factors are arbitrary", _factorizations),
}
