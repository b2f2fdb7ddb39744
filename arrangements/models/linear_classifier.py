"""Labels with linear scores: what softmax and sigmoid classifiers share."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import Immutable
from arrangements.checks import check_flag
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import (
    Label,
    align_columns,
    check_row_numbers,
    find_rows,
    names_of,
    number_names,
)
from arrangements.core.low_rank import check_rank
from arrangements.core.rows import read_rows
from arrangements.core.score_model import ScoreModel, as_score_model, of_pairs
from arrangements.enumeration.rankings import rankings
from arrangements.errors import InputError
from arrangements.exact import coercion, numbers
from arrangements.exact.numbers import ExactArray, nearest_floats
from arrangements.files import storage
from arrangements.files.matrices import load_source, load_vector
from arrangements.heads.reading import read_head
from arrangements.messages import quote

if TYPE_CHECKING:
    from arrangements.certificates.certificate import Certificate
    from arrangements.models.ties import TieSet
    from arrangements.sets.rankings import Rankings

Probabilities = NDArray[np.float64]


class LinearClassifier(Immutable, ABC):
    """Labels with scores ``weights @ x + offsets`` and probabilities that grow with the scores.

    Immutable. The order of the labels is the same for every increasing function that turns scores
    into probabilities.

    Parameters
    ----------
    weights : (n, d) array_like of int, float, Fraction or SymPy numbers, or Arrangement
        Row i belongs to label i (unembedding, output embedding). A float counts as the exact
        dyadic number it is. An Arrangement brings its offsets and labels, a DataFrame its index
        as labels. scikit-learn's binary ``coef_`` is one row for two classes, see Notes.
    offsets : (n,) array_like, optional
        Biases; default zeros.
    labels : sequence of int or str, optional
        Names of the rows, such as ``classes_`` of scikit-learn: integers stay integers, everything
        else becomes text. By default the row number is the name.

    Attributes
    ----------
    weights : (n, d) ndarray, read-only
        float64, int64, or object (int and Fraction): exactly the numbers given.
    offsets : (n,) ndarray, read-only, or None
    labels : tuple of int or str, or None

    Notes
    -----
    Where a method takes a label, text is its name (``"0"`` for the label 0, too) and an integer is
    the number of a row or a label that is an integer; if both readings are possible and differ, an
    InputError says so. Arrays of labels that methods return hold numbers of rows, and names with
    ``named=True``; other answers have `names`.

    For two classes scikit-learn stores one row, ``coef_`` of shape (1, d): the score of the second
    class against the first. The softmax classifier with the same probabilities has the rows
    ``np.vstack([0 * coef_, coef_])`` and the offsets ``[0, *intercept_]``.
    """

    weights: ExactArray
    offsets: ExactArray | None
    labels: tuple[Label, ...] | None
    _columns: tuple[str, ...] | None  # names of the coordinates
    # What `compare` compares.
    outputs: ClassVar[str]

    def __init__(
        self,
        weights: ArrangementLike,
        offsets: ArrayLike | None = None,
        labels: Iterable[Label] | None = None,
    ) -> None:
        W, b, names, columns, _ = read_rows(
            *(weights, offsets, labels, "weights"),
            compared=self.outputs == "rankings",
            allow_no_rows=False,
        )
        # Attributes are set once, past the __setattr__ that makes the object immutable.
        self.__dict__.update(weights=W, offsets=b, labels=names, _columns=columns)

    @property
    def n_labels(self) -> int:
        """Number n of labels."""
        return int(self.weights.shape[0])

    @property
    def dimension(self) -> int:
        """Dimension d of the inputs x."""
        return int(self.weights.shape[1])

    def scores(self, x: ArrayLike) -> NDArray[np.float64]:
        """Scores (logits) of all labels, in float64.

        Parameters
        ----------
        x : (..., d) array_like of float
            One input, or many.

        Returns
        -------
        (..., n) ndarray of float64
            Rounded.

        Raises
        ------
        InputError
            If the last dimension of x is not d, or a score is not a finite float64.
        """
        coercion.refuse_masked(x, "x")
        x = align_columns(x, self._columns, "x", "columns of the weights")
        points = coercion.as_floats(x, "x")
        if points.ndim == 0 or points.shape[-1] != self.dimension:
            raise InputError(f"x has shape {points.shape}; expected (..., {self.dimension}).")
        W, b = self._floats
        with np.errstate(over="ignore", invalid="ignore"):
            scores: NDArray[np.float64] = points @ W.T + b
        if not np.isfinite(scores).all():
            raise InputError(
                "a score is not a finite float64; look for NaN or infinity in x, or scale x down."
            )
        return scores

    @abstractmethod
    def probabilities(self, x: ArrayLike) -> Probabilities:
        """Probabilities of all labels, in float64."""

    @abstractmethod
    def predict(self, x: ArrayLike) -> NDArray[Any]:
        """What the model says for an input, or for many, decided exactly."""

    @property
    def classes_(self) -> NDArray[Any]:
        """Labels as an array, under the name that scikit-learn gives them.

        Integers if all labels are, otherwise objects; without labels, the numbers of the rows.

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> SoftmaxClassifier([[1], [2]], labels=["cat", "dog"]).classes_
        array(['cat', 'dog'], dtype=object)
        """
        labels = range(self.n_labels) if self.labels is None else self.labels
        integers = all(isinstance(label, int) and abs(label) < 2**63 for label in labels)
        return np.array(labels, np.int64 if integers else object)

    @classmethod
    def from_estimator(cls, fitted: Any) -> Self:
        """The model of a fitted linear model of scikit-learn, which need not be importable.

        Parameters
        ----------
        fitted : estimator
            With ``coef_`` and ``intercept_``, such as `LogisticRegression`, `LinearSVC`,
            `SGDClassifier`, `LinearDiscriminantAnalysis` or `LinearRegression`; or a naive Bayes
            model of counts; or a pipeline, search, `OneVsRestClassifier` or `MultiOutputClassifier`
            of these. docs/classifiers.md says which, and what x is.

        Returns
        -------
        an instance of the class on which this is called
            Its `predict` says what that of `fitted` says, up to the rounding of that: a
            `SoftmaxClassifier` if each input has one class, a `SigmoidClassifier` if it has any
            number of labels. Where scikit-learn stores one row for two classes, the score of the
            second against the first, a softmax classifier gets a first row of zeros, and a sigmoid
            classifier has one label, the second class.

        Raises
        ------
        InputError
            If `fitted` is not fitted, or has no linear scores, or if it is one for the other class
            of models: `SoftmaxClassifier` refuses what gives an input any number of labels,
            `SigmoidClassifier` what gives it one of several classes.

        Examples
        --------
        >>> from arrangements.models import SigmoidClassifier, SoftmaxClassifier
        >>> from types import SimpleNamespace
        >>> fitted = SimpleNamespace(coef_=[[1.5, -2]], intercept_=[0.25], classes_=["no", "yes"])
        >>> SoftmaxClassifier.from_estimator(fitted).weights.tolist()
        [[0.0, 0.0], [1.5, -2.0]]
        >>> SigmoidClassifier.from_estimator(fitted).labels
        ('yes',)
        """
        head = read_head(fitted, "fitted")
        if head is None:
            raise InputError(
                f"fitted is {quote(fitted)}; expected a linear model of scikit-learn after fit."
            )
        compared = cls.outputs == "rankings"
        rows = head.rows(compared)
        n = len(rows.weights)
        if head.several if compared else head.several is False and n > 1:
            other = "SigmoidClassifier" if head.several else "SoftmaxClassifier"
            number = "any number of labels" if head.several else f"one of {n} classes"
            raise InputError(
                f"fitted is a {head.kind} that gives each input {number}; use "
                f"{other}.from_estimator."
            )
        found = cls(rows.weights, rows.offsets, rows.labels)
        found.__dict__["_columns"] = head.columns
        return found

    @classmethod
    def from_module(cls, module: Any, labels: Iterable[Label] | None = None) -> Self:
        """The model of the last layer of PyTorch or Keras, which need not be importable.

        Parameters
        ----------
        module : torch.nn.Linear, keras.layers.Dense, or a sequence of layers that ends in one
            Or anything with a matrix ``weight`` of a row per label and perhaps a ``bias``, such as
            an `Embedding` whose rows are the output weights, too. The numbers may require
            gradients, be on any device, and be half precision or bfloat16.
        labels : sequence of int or str, optional
            As in the constructor.

        Returns
        -------
        an instance of the class on which this is called
            About what enters the last linear layer.

        Raises
        ------
        InputError
            If `module` has no matrix of weights at its end.

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> from types import SimpleNamespace
        >>> head = SimpleNamespace(weight=np.float16([[1, 2], [0.5, 0], [0, 1]]), bias=None)
        >>> SoftmaxClassifier.from_module(head)
        SoftmaxClassifier(3 labels in dimension 2)
        """
        head = read_head(module, "module")
        if head is None:
            raise InputError(
                f"module is a {type(module).__name__} without a matrix `weight`; expected a layer "
                "like torch.nn.Linear. Of a whole model pass the last layer, such as model.lm_head."
            )
        rows = head.rows(False)
        return cls(rows.weights, rows.offsets, rows.labels if labels is None else labels)

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], key: str | None = None, *, progress: bool = False
    ) -> Self:
        """The model whose last layer a file or folder holds, with its bias and the names of labels.

        Parameters
        ----------
        path : str or path-like
            As in `load_matrix`: of numbers, of a model of any format, or its folder.
        key : str, optional
            The array of weights, or a pattern for it, if it is not clear which is the last layer.
            The bias that belongs to it comes along.
        progress : bool
            As in `load_matrix`.

        Returns
        -------
        an instance of the class on which this is called

        Raises
        ------
        InputError
            If the file cannot be read, or it is not clear which array is the last layer; the
            message lists keys.
        MissingDependencyError
            If a library that reads the format is not installed.

        See Also
        --------
        load_matrix, load_vector, load_names : the parts, where others belong together.

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
        >>> layers = {"0.weight": np.eye(2), "fc.weight": np.eye(3, 2), "fc.bias": [0, 0, 1]}
        >>> np.savez(path, **layers)
        >>> model = SoftmaxClassifier.from_file(path)
        >>> model, model.offsets.tolist()
        (SoftmaxClassifier(3 labels in dimension 2), [0, 0, 1])
        """
        source = load_source(path, key, check_flag("progress", progress))
        if key is None:
            source.refuse_bias_of_columns(
                "if its columns are the labels, pass load_matrix(..).T and load_vector(..) to "
                "the class, else name it by key="
            )
        bias, named = source.bias, source.names()
        labels = None if named is None else number_names(*named)
        return cls(source.matrix, None if bias is None else load_vector(path, bias), labels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to an .npz file, exactly; nothing is pickled.

        Parameters
        ----------
        path : str or path-like
            Must end in ``.npz``. Commands read it as it is, with offsets and labels.

        Raises
        ------
        InputError
            If `path` ends in something else or cannot be written.

        See Also
        --------
        load

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> import tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "model.npz")
        >>> SoftmaxClassifier([[1], [2]], labels=["cat", "dog"]).save(path)
        >>> SoftmaxClassifier.load(path).labels
        ('cat', 'dog')
        """
        members = storage.row_members("weights", self.weights, self.offsets, self.labels)
        if self._columns is not None:
            members["columns"] = np.array(self._columns)
        storage.save(path, members | {"kind": np.array(type(self).__name__)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by `save`.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        an instance of the class on which this is called
            With exactly the numbers that were saved.

        Raises
        ------
        InputError
            If the file holds something else, or a model of another class.
        """
        return storage.load(path, cls.__name__, cls._from_members)

    @classmethod
    def _from_members(cls, members: storage.Members) -> Self:
        if (kind := str(members["kind"])) != cls.__name__:
            raise InputError(f"it holds a {kind}")
        found = cls(*storage.rows("weights", members))  # type: ignore[arg-type]
        if "columns" in members:
            found.__dict__["_columns"] = tuple(members["columns"].tolist())
        return found

    def _points(self, x: ArrayLike) -> tuple[ExactArray, tuple[int, ...]]:
        """Inputs as exact rows, and the shape of what they index."""
        x = align_columns(x, self._columns, "x", "columns of the weights")
        shape = coercion.plain_array(x, "x").shape
        if not shape or shape[-1] != self.dimension:
            raise InputError(f"x has shape {shape}; expected (..., {self.dimension}).")
        flat = x if len(shape) == 2 else np.asarray(coercion.from_tensor(x)).reshape(-1, shape[-1])
        return coercion.as_exact_matrix(flat, "x", allow_no_rows=True), shape[:-1]

    def rankings(self, **options: Any) -> Rankings:
        """Orders of the labels by probability that occur: see `arrangements.rankings`."""
        return rankings(self, **options)

    def argmax_labels(self, **options: Any) -> NDArray[Any]:
        """Labels that can be the most probable: see `arrangements.argmax_labels`."""
        from arrangements.models.tops import argmax_labels  # loads numba

        return argmax_labels(self, **options)

    def top_k_sets(self, k: int, **options: Any) -> NDArray[Any]:
        """Sets of labels that can be the k most probable: see `arrangements.top_k_sets`."""
        from arrangements.models.tops import top_k_sets  # loads numba

        return top_k_sets(self, k, **options)

    def top_k_rankings(self, k: int, **options: Any) -> NDArray[Any]:
        """Orders of the k most probable labels: see `arrangements.top_k_rankings`."""
        from arrangements.models.tops import top_k_rankings  # loads numba

        return top_k_rankings(self, k, **options)

    def top_ties(self, **options: Any) -> NDArray[Any]:
        """Pairs of labels that can share the largest probability: `structure.top_ties`."""
        from arrangements.models.ties import top_ties  # loads numba

        return top_ties(self, **options)

    def tie_sets(self, **options: Any) -> tuple[TieSet, ...]:
        """Sets of labels that can share the largest probability: `structure.tie_sets`."""
        from arrangements.models.ties import tie_sets  # loads numba

        return tie_sets(self, **options)

    def tie_set(self, tied: Label | Iterable[Label], **options: Any) -> TieSet | None:
        """Smallest set with these labels that can share the largest probability.

        See `arrangements.structure.tie_set`.
        """
        from arrangements.models.ties import tie_set  # loads numba

        return tie_set(self, tied, **options)

    def order_region(self, top: Label | Sequence[Label], *, rank: int | None = None) -> Certificate:
        """Inputs that rank the given labels highest, in the given order.

        Parameters
        ----------
        top : label, or sequence of labels
            Names or rows. One label means the inputs that rank it first. Several labels, the most
            probable first, are the beginning of a ranking; all labels are one ranking.
        rank : int, optional
            As in `arrangements.rankings`: an integer asks about the weights of that rank that
            these were meant to be; points are in the coordinates of their factor.

        Returns
        -------
        Certificate
            About n - 1 differences of scores (the attribute `arrangement`), all of which are
            positive in the region. True iff the region is not empty; it holds an exact point of
            the region, or a proof that there is none.

        Raises
        ------
        InputError
            If a label is unknown or occurs twice.
        TiedLabelsError
            If two labels have equal weights and equal offsets.

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> square = SoftmaxClassifier([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
        >>> square.order_region([0, 4]).point
        (Fraction(2, 1), Fraction(2, 1))
        >>> square.order_region(4)
        Certificate('++++', infeasible, rows 0, 1, 3 with weights 2, 1, 1)
        """
        from arrangements.certificates.one_sign_vector import feasible  # loads numba

        order = self._indices(top)
        if not order:
            raise InputError("top is empty; expected at least one label.")
        rest = [i for i in range(self.n_labels) if i not in set(order)]
        above = [*order[:-1], *[order[-1]] * len(rest)]
        walls = of_pairs(self._model(rank), above, [*order[1:], *rest])
        return feasible(walls, np.ones(self.n_labels - 1, np.int8))

    def index(self, label: Label) -> int:
        """Row of a label that is given by its name, by itself, or by its row.

        Raises
        ------
        InputError
            If there is no such label, or an integer is the label of one row and the number of
            another.

        Examples
        --------
        >>> from arrangements.models import SoftmaxClassifier
        >>> model = SoftmaxClassifier([[2, 0], [0, 1], [-1, -1]], labels=[3, 1, 5])
        >>> model.index(5), model.index("3"), model.index(0), model.index(1)
        (2, 0, 0, 1)
        """
        return find_rows([label], self.labels, self.n_labels)[0]

    def names(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Names of rows as text; without labels, the rows as text."""
        names = names_of(self.labels, self.n_labels)
        return tuple(names[i] for i in check_row_numbers(rows, self.n_labels))

    @cached_property
    def _floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights and offsets in float64, rounded if they are not."""
        b = np.zeros(self.n_labels) if self.offsets is None else self.offsets
        found = nearest_floats(self.weights), nearest_floats(b)
        if not all(np.isfinite(part).all() for part in found):
            raise InputError("weights or offsets exceed the range of float64.")
        return found

    def _model(self, rank: int | None) -> ScoreModel:
        """The labels and their scores of some rank; made, and warned of, once."""
        models = self.__dict__.setdefault("_models", {})
        key = check_rank(rank)
        if key not in models:
            models[key] = as_score_model(
                self.weights, self.offsets, self.labels, rank=rank, droppable=False
            )
        return models[key]

    def _indices(self, labels: Label | Iterable[Label]) -> list[int]:
        """Rows of labels that must be distinct."""
        indices = find_rows(labels, self.labels, self.n_labels)
        if len(set(indices)) < len(indices):
            raise InputError(f"labels {self.names(indices)} are not distinct.")
        return indices

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearClassifier) or type(self) is not type(other):
            return NotImplemented
        return self.labels == other.labels and numbers.same_functions(
            self.weights, self.offsets, other.weights, other.offsets
        )

    def __hash__(self) -> int:
        # Python hashes equal numbers alike, whatever their type; no offsets are zeros
        return hash((type(self), self.labels, tuple(self.weights.ravel().tolist())))

    def __repr__(self) -> str:
        n, noun = self.n_labels, "label" if self.n_labels == 1 else "labels"
        return f"{type(self).__name__}({n} {noun} in dimension {self.dimension})"

    def _repr_html_(self) -> str:
        facts = [("numbers", self.weights.dtype)]
        table = notebook.matrix(self.weights, self.offsets, self.labels, "label")
        return notebook.card(repr(self), facts, table)
