"""Linear classifiers: the last layer, its probabilities, and all outputs that it can give.

A softmax classifier picks one label, or ranks them; a sigmoid classifier switches each label on
or off. docs/classifiers.md says which question belongs to which.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.core.arrangement import Arrangement
from arrangements.core.label_sets import read_label_set
from arrangements.core.labels import (
    Label,
)
from arrangements.core.signs import as_signs
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError
from arrangements.exact.scores import largest_rows, positive_rows
from arrangements.messages import quote

if TYPE_CHECKING:
    from arrangements.certificates.certificate import Certificate
    from arrangements.sets.sign_vectors import SignVectors
from arrangements.models.linear_classifier import LinearClassifier, Probabilities


@public_class
class SoftmaxClassifier(LinearClassifier):
    """One label for each input: probabilities proportional to exp(scores).

    Parameters
    ----------
    weights, offsets, labels
        As in `LinearClassifier`.

    See Also
    --------
    SigmoidClassifier : any number of labels for each input.

    Notes
    -----
    Adding one vector to all rows of `weights`, or one number to all `offsets`, changes no
    probability; the sign of a score has no meaning.

    Examples
    --------
    >>> model = SoftmaxClassifier([[2, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
    >>> model.probabilities([0, 0]).round(3).tolist()
    [0.333, 0.333, 0.333]
    >>> len(model.rankings()), model.order_region(["dog", "bird"]).point
    (6, (Fraction(-1, 1), Fraction(2, 1)))
    >>> [tie.names for tie in model.tie_sets(size=2)][3:]
    [('cat', 'dog'), ('cat', 'bird'), ('dog', 'bird')]
    """

    outputs = "rankings"

    def probabilities(self, x: ArrayLike) -> Probabilities:
        """Probabilities of all labels, in float64.

        Parameters
        ----------
        x : (..., d) array_like of float

        Returns
        -------
        (..., n) ndarray of float64
            Softmax of the scores, shifted so that nothing overflows; sums to 1 up to rounding.

        Raises
        ------
        InputError
            As `scores`.

        Examples
        --------
        >>> SoftmaxClassifier([[1000], [0]]).probabilities([2.0])
        array([1., 0.])
        """
        scores = self.scores(x)
        likelihoods = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return likelihoods / likelihoods.sum(axis=-1, keepdims=True)

    def predict(self, x: ArrayLike) -> NDArray[Any]:
        """The most probable label of an input, or of many.

        Parameters
        ----------
        x : (..., d) array_like of int, float, Fraction or SymPy numbers
            A float counts as the exact dyadic number it is.

        Returns
        -------
        (...,) ndarray
            Entries of `classes_`: labels, or numbers of rows. Decided exactly; of labels that tie,
            the first.

        Raises
        ------
        InputError
            If the last dimension of x is not d, or an entry is not finite.

        Examples
        --------
        >>> model = SoftmaxClassifier([[2, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
        >>> model.predict([[1, 0], [-1, 2], [0, 0]])
        array(['cat', 'dog', 'cat'], dtype=object)
        """
        points, shape = self._points(x)
        return self.classes_[largest_rows(self.weights, self.offsets, points).reshape(shape)]

    def decision_region(self, label: Label, *, rank: int | None = None) -> Certificate:
        """Inputs for which a label is the most probable: `order_region` of one label.

        Examples
        --------
        >>> SoftmaxClassifier([[0], [1], [3]]).decision_region(1).feasible
        False
        """
        return self.order_region([label], rank=rank)


@public_class
class SigmoidClassifier(LinearClassifier):
    """Any number of labels for each input: those whose score is positive.

    The probability of label i is 1 / (1 + exp(-score)), independent of the other labels.

    Parameters
    ----------
    weights, offsets, labels
        As in `LinearClassifier`. For a threshold p other than 1/2, lower the offsets by
        log(p / (1 - p)).

    See Also
    --------
    SoftmaxClassifier : one label for each input.

    Notes
    -----
    Multiplying a row and its offset by a positive number changes probabilities, but not which
    sets of labels occur.

    Examples
    --------
    >>> model = SigmoidClassifier([[2, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
    >>> model.probabilities([0, 0]).tolist()
    [0.5, 0.5, 0.5]
    >>> S = model.label_sets()
    >>> sorted(S.names(i) for i in range(len(S)))[:3]
    [('bird',), ('cat',), ('cat', 'bird')]
    >>> bool(model.decision_region(["cat", "dog", "bird"]))
    False
    """

    outputs = "label sets"

    def probabilities(self, x: ArrayLike) -> Probabilities:
        """Probabilities of all labels, in float64.

        Parameters
        ----------
        x : (..., d) array_like of float

        Returns
        -------
        (..., n) ndarray of float64
            With full relative accuracy near 0 as well.

        Raises
        ------
        InputError
            As `scores`.

        Examples
        --------
        >>> SigmoidClassifier([[1000], [0]]).probabilities([2.0])
        array([1. , 0.5])
        """
        return np.exp(-np.logaddexp(0.0, -self.scores(x)))

    def predict(self, x: ArrayLike) -> NDArray[np.int64]:
        """Which labels are on for an input, or for many.

        Parameters
        ----------
        x : (..., d) array_like of int, float, Fraction or SymPy numbers
            A float counts as the exact dyadic number it is.

        Returns
        -------
        (..., n) ndarray of int
            1 where the score is positive, that is the probability exceeds 1/2, and 0 elsewhere,
            decided exactly: what scikit-learn calls a label indicator.

        Raises
        ------
        InputError
            If the last dimension of x is not d, or an entry is not finite.

        Examples
        --------
        >>> SigmoidClassifier([[2, 0], [0, 1], [-1, -1]]).predict([[1, 1], [-3, 1]]).tolist()
        [[1, 1, 0], [0, 1, 1]]
        """
        points, shape = self._points(x)
        on = positive_rows(self.weights, self.offsets, points)
        return on.reshape((*shape, self.n_labels)).astype(np.int64)

    @cached_property
    def arrangement(self) -> Arrangement:
        """Hyperplanes on which the probability of a label is 1/2.

        Raises
        ------
        DegenerateArrangementError
            If a row and its offset are zero: that label has probability 1/2 everywhere.
        """
        return Arrangement(self.weights, self.offsets, self.labels)

    def label_sets(self, **options: Any) -> SignVectors:
        """Sets of labels that occur, as sign vectors, + for on: see `arrangements.chambers`."""
        return chambers(self.arrangement, **options)

    def active(self, signs: ArrayLike | str | Mapping[Label, int]) -> tuple[str, ...]:
        """Names of the labels that are on in a sign vector.

        Examples
        --------
        >>> SigmoidClassifier([[1], [2]], labels=["cat", "dog"]).active([-1, 1])
        ('dog',)
        """
        on = as_signs(signs, self.n_labels, self.labels) > 0
        return self.names(np.flatnonzero(on))

    def decision_region(self, on: Iterable[Label], *, rank: int | None = None) -> Certificate:
        """Inputs for which the given labels are on, and the others off.

        Parameters
        ----------
        on : collection of labels, or (n,) mask
            Names or rows; may be empty. docs/words.md says what is a mask.
        rank : int, optional
            As in `arrangements.feasible`.

        Returns
        -------
        Certificate
            About `arrangement`. True iff the region is not empty; it holds an exact point of the
            region, or a proof that there is none.

        Raises
        ------
        InputError
            If a label is unknown or occurs twice.

        Examples
        --------
        >>> SigmoidClassifier([[1, 0], [0, 1], [-1, -1]]).decision_region([0, 2]).point
        (Fraction(1, 2), Fraction(-1, 1))
        """
        from arrangements.certificates.one_sign_vector import feasible  # loads numba

        if isinstance(on, str) or not isinstance(on, Iterable):
            raise InputError(f"on is {quote(on)}; expected a collection, as [0, 2].")
        signs = np.full(self.n_labels, -1, np.int8)
        signs[read_label_set(on, self.labels, self.n_labels, "on")] = 1
        return feasible(self.arrangement, signs, rank=rank)
