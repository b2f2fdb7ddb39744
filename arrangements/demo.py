"""The demo: sign vectors and rankings of a small trained classifier, listed and explained."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from itertools import permutations
from math import comb, factorial, floor, log10
from textwrap import wrap

import numpy as np
from numpy.typing import NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.enumeration.chambers import chambers
from arrangements.enumeration.rankings import rankings
from arrangements.exact.numbers import as_objects, fractions
from arrangements.models.tops import argmax_labels, top_k_sets
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

Signs = Sequence[int] | NDArray[np.int8]


@dataclass(frozen=True)
class Classifier:
    """Last layer of a softmax classifier: scores ``weights @ x + biases``, one per label.

    Attributes
    ----------
    weights : (10, 3) ndarray of float32
    biases : (10,) ndarray of float32
    labels : tuple of str
    test_accuracy : float
        Share of held-out images whose largest score is that of the true label.
    """

    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    labels: tuple[str, ...]
    test_accuracy: float


def digits() -> Classifier:
    """Load the classifier of UCI digits that ships with the package.

    Returns
    -------
    Classifier

    Examples
    --------
    >>> digits().weights.shape
    (10, 3)
    """
    source = files("arrangements").joinpath("data", "digits.npz")
    with source.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return Classifier(
            stored["weights"],
            stored["biases"],
            tuple(str(label) for label in stored["labels"]),
            float(stored["test_accuracy"]),
        )


def explain() -> Iterator[str]:
    """Explain the sign vectors and the rankings of the digits classifier.

    Yields
    ------
    str
        Lines of text, without line ends.
    """
    model = digits()
    arrangement = Arrangement(model.weights, model.biases, labels=model.labels)
    found = chambers(arrangement)
    n, d = model.weights.shape
    yield f"UCI digits: softmax classifier, {n} labels, {d}-dimensional bottleneck,"
    yield f"{model.test_accuracy:.1%} of held-out images right. Score of label i: w_i . x + b_i."
    yield ""
    yield f"{len(found)} of the {2**n} sets of labels can be the set of positive scores:"
    yield from _listing(found, model.labels)
    yield ""
    yield "A few of them, with a point x that proves it (checked exactly):"
    yield from _examples(found, arrangement)
    yield ""
    yield "An impossible one, with the proof (checked exactly):"
    yield from _impossible(found, arrangement)
    yield ""
    yield from _rankings(arrangement)


def _listing(found: SignVectors, labels: Sequence[str]) -> Iterator[str]:
    """Every pattern as the labels whose score is positive, grouped by their number."""
    names = sorted(_name(signs, labels) for signs in found.to_array())
    sizes = Counter(0 if name == "none" else len(name) for name in names)
    for size in sorted(sizes):
        members = [name for name in names if (0 if name == "none" else len(name)) == size]
        head = f"  {size:2} positive ({len(members):2}): "
        yield from wrap(
            " ".join(members), 90, initial_indent=head, subsequent_indent=" " * len(head)
        )


def _name(signs: Signs, labels: Sequence[str]) -> str:
    """The labels with a positive score, run together: ``"027"``."""
    return "".join(label for label, s in zip(labels, signs, strict=True) if s > 0) or "none"


def _text(signs: Signs) -> str:
    return "".join("+" if s > 0 else "-" for s in signs)


def _examples(found: SignVectors, arrangement: Arrangement) -> Iterator[str]:
    """The smallest, a middle and the largest set of positive scores."""
    signs = found.to_array()
    order = np.lexsort((np.arange(len(signs)), (signs > 0).sum(axis=1)))
    names = list(map(str, arrangement.labels or ()))
    for i in (order[0], order[len(order) // 2], order[-1]):
        exact = found.witness(int(i))
        point = short_point(arrangement, signs[i], exact)
        x = ", ".join(f"{value:.15g}" for value in point or map(float, exact))
        equals = "=" if point else "about"
        yield f"  {_text(signs[i])}  {_name(signs[i], names):>10}  x {equals} ({x})"


def short_point(
    arrangement: Arrangement, signs: Signs, point: Sequence[Fraction]
) -> tuple[float, ...] | None:
    """Round an interior point of a chamber to the fewest digits that stay inside.

    Parameters
    ----------
    arrangement : Arrangement
    signs : sequence of int
        The sign vector of the chamber.
    point : sequence of Fraction
        An exact interior point.

    Returns
    -------
    tuple of float or None
        Read as decimals they are an exact interior point; None if 15 digits are not enough.
    """
    size = max(map(abs, point))
    leading = floor(log10(size)) if size else 0
    for digits_kept in range(15):
        rounded = [Fraction(round(value, digits_kept - leading)) for value in point]
        if _signs_at(arrangement, rounded) == list(signs):
            return tuple(float(value) for value in rounded)
    return None


def _signs_at(arrangement: Arrangement, point: Sequence[Fraction]) -> list[int]:
    """Exact signs of all scores at a point."""
    homogeneous = [*point, Fraction(1)]
    rows = arrangement.integer_rows
    values = [sum(w * x for w, x in zip(row, homogeneous, strict=True)) for row in rows]
    return [(value > 0) - (value < 0) for value in values]


def _impossible(found: SignVectors, arrangement: Arrangement) -> Iterator[str]:
    """The first smallest set of labels that cannot be the positive ones, and why."""
    n = arrangement.n_hyperplanes
    masks = sorted(range(2**n), key=lambda mask: (mask.bit_count(), mask))
    patterns = ([1 if mask >> i & 1 else -1 for i in range(n)] for mask in masks)
    signs = next((pattern for pattern in patterns if pattern not in found), None)
    if signs is None:
        yield "  none: every set is possible"
        return
    certificate = feasible(arrangement, signs)
    assert not certificate.feasible and certificate.verify()
    names = list(map(str, arrangement.labels or ()))
    yield f"  {_text(signs)}  {_name(signs, names):>10}"
    yield from _argument(certificate, signs, arrangement)


def _argument(certificate: Certificate, signs: Signs, arrangement: Arrangement) -> Iterator[str]:
    """Farkas weights in words: positive multiples of positive scores with a sum that is not."""
    assert arrangement.labels is not None
    scores = [f"s{label}" for label in arrangement.labels]
    yield f"    {_combination(certificate, scores)} at every x,"
    yield "    while with these signs of the scores s every term would be positive."


def _combination(certificate: Certificate, scores: Sequence[str]) -> str:
    """The weighted sum of scores that proves a certificate, and its constant value."""
    assert certificate.weights is not None and certificate.arrangement.offsets is not None
    scale = max(certificate.weights)
    terms, total = [], Fraction(0)
    for i in certificate.support:
        weight = (certificate.signs[i] or 0) * certificate.weights[i] / scale
        total += weight * fractions(certificate.arrangement.offsets[i : i + 1])[0]
        terms.append(f"{'-' if weight < 0 else '+'} {abs(float(weight)):.3g} {scores[i]}")
    return f"{' '.join(terms).removeprefix('+ ')} = {float(total):.3g}"


def _rankings(arrangement: Arrangement) -> Iterator[str]:
    """Which orders of the scores are possible, and one that is not."""
    found = rankings(arrangement)
    assert found.model is not None
    n = found.n
    yield f"{len(found)} of the {n}! = {factorial(n)} rankings of the labels by score can occur,"
    first, pairs = len(argmax_labels(arrangement)), len(top_k_sets(arrangement, 2))
    yield f"{first} of the {n} labels can be first, {pairs} of the {comb(n, 2)} pairs can lead."
    yield "Some rankings, with a point x that proves it (checked exactly):"
    for i in (0, len(found) // 2, len(found) - 1):
        order, exact = found[i], found.witness(i)
        point = short_point(of_pairs(found.model, order[:-1], order[1:]), [1] * (n - 1), exact)
        x = ", ".join(f"{value:.15g}" for value in point or map(float, exact))
        yield f"  {' > '.join(found.names(i))}  x {'=' if point else 'about'} ({x})"
    yield ""
    yield "An impossible one, with the proof (checked exactly):"
    yield from _impossible_ranking(found)


def _impossible_ranking(found: Rankings) -> Iterator[str]:
    """The first permutation that is not a ranking, and why."""
    order = next((p for p in permutations(range(found.n)) if p not in found), None)
    if order is None:
        yield "  none: every ranking is possible"
        return
    assert found.model is not None
    walls = _differences(found.model, order)
    certificate = feasible(walls, [1] * (found.n - 1))
    assert not certificate.feasible and certificate.verify()
    names = found.model.names(order)
    scores = [f"(s{a} - s{b})" for a, b in zip(names[:-1], names[1:], strict=True)]
    yield f"  {' > '.join(names)}"
    yield from wrap(
        f"{_combination(certificate, scores)} at every x,",
        90,
        initial_indent="    ",
        subsequent_indent="    ",
    )
    yield "    while in this order every difference would be positive."


def _differences(model: ScoreModel, order: Sequence[int]) -> Arrangement:
    """Differences of neighbors in the order, in the units of the scores."""
    W, b = as_objects(model.weights), as_objects(np.asarray(model.offsets))
    above, below = list(order[:-1]), list(order[1:])
    return Arrangement(W[above] - W[below], b[above] - b[below])
