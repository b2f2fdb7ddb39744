"""Labels that one circuit refutes: it is a simplex, and they lie inside.

Where many labels cannot win, as untrained rows in the middle of all others, few simplices hold
most of them.
"""

from __future__ import annotations

import numpy as np

from arrangements.feasibility.batch import INFINITY, FeasibilityBatch, Numbers
from arrangements.feasibility.circuits import Floats, inner_coordinates


def refuted_by(questions: FeasibilityBatch, support: Numbers, asked: Numbers) -> Numbers:
    """Those of some questions that the conditions of these rows refute, which is proved.

    Parameters
    ----------
    questions : FeasibilityBatch
        About single labels.
    support : (D + 1,) ndarray of int
        Rows of a circuit of full size, that of another question.
    asked : (m,) ndarray of int

    Returns
    -------
    (k,) ndarray of int

    Notes
    -----
    A combination of the rows, of sum 1, is the row of the label, less facets and what bounds the
    offset. One inverse for all labels: O(m D^2 + D^3).

    Examples
    --------
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[0.0, 0], [4, 0], [0, 4], [1, 1], [1, 2], [3, 3]]))
    >>> questions = FeasibilityBatch.of_array(rows, "orders", np.arange(6)[:, None])
    >>> refuted_by(questions, np.array([0, 1, 2]), np.array([0, 4, 5]))
    array([4])
    """
    weights, errors = simplex_weights(questions, support, asked)
    return asked[(weights > errors).all(axis=1)]


def simplex_weights(
    questions: FeasibilityBatch, support: Numbers, asked: Numbers
) -> tuple[Floats, Floats]:
    """Weights of the conditions of these rows in the refusals of `refuted_by`.

    Those of rows that are neither facets nor INFINITY have the sum 1.

    Returns
    -------
    weights, errors : (m, D + 1) ndarray
        The errors are bounds; infinite where the rows seem to refute nothing, or it is not proved.
    """
    rows = questions.rows
    label = ((support != INFINITY) & (support < rows.n_own))[:, None]
    corners = np.hstack([np.where(label, 1, -1) * rows.floats[support], label])
    corners[support == INFINITY] = 0.0
    corners[support == INFINITY, -2] = -1.0
    points = rows.floats[questions.listed[questions.starts[asked]]]
    return inner_coordinates(corners, np.hstack([points, np.ones((len(points), 1))]))
