"""Hypothesis strategies for small exact arrangements."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

Rows = list[list[Any]]

small_integers = st.integers(-3, 3)
fractions = st.builds(Fraction, st.integers(-6, 6), st.integers(1, 6))
# Few mantissas and many exponents: ties, near ties and huge ratios in one strategy.
dyadics = st.builds(
    lambda m, e: float(np.ldexp(m, e)),
    st.sampled_from([-3.0, -1.0, 0.0, 1.0, 1.0 + 2.0**-52, 1.0 - 2.0**-53, 3.0]),
    st.sampled_from([-900, -1, 0, 0, 1, 900]),
)
wide_integers = st.integers(-(2**53), 2**53)
entries = st.sampled_from([small_integers, fractions, dyadics, wide_integers])


@st.composite
def matrices(draw: st.DrawFn, max_rows: int = 7, max_columns: int = 4, element: Any = None) -> Rows:
    """Matrices without zero rows, all entries of one kind."""
    kind = draw(entries) if element is None else element
    n, d = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    row = st.lists(kind, min_size=d, max_size=d).filter(any)
    return draw(st.lists(row, min_size=n, max_size=n))


@st.composite
def arrangements(draw: st.DrawFn, max_rows: int = 6, max_columns: int = 3) -> tuple[Rows, Any]:
    """Normals, and offsets of the same kind or None; no row is zero with a zero offset."""
    kind = draw(entries)
    rows = draw(matrices(max_rows, max_columns, kind))
    if draw(st.booleans()):
        return rows, None
    offsets = draw(st.lists(kind, min_size=len(rows), max_size=len(rows)))
    constant = draw(st.integers(-1, len(rows) - 1))
    if constant >= 0 and offsets[constant]:
        rows[constant] = [0] * len(rows[0])
    return rows, offsets


@st.composite
def invertible(draw: st.DrawFn, d: int) -> list[list[int]]:
    """Small integer matrices of determinant 1: a product of two triangular ones."""
    entry = st.lists(st.integers(-2, 2), min_size=d * d, max_size=d * d)
    lower = np.tril(np.array(draw(entry)).reshape(d, d), -1) + np.eye(d, dtype=int)
    upper = np.triu(np.array(draw(entry)).reshape(d, d), 1) + np.eye(d, dtype=int)
    product: list[list[int]] = (lower @ upper).tolist()
    return product


labels_with_offsets = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[small_integers] * (d + 1)), min_size=1, max_size=5, unique=True)
)
