"""Is v in the cone of a_1, .., a_m? One linear-programming kernel, every answer proved.

The vectors are rows r_j of a table with signs: a_j = s_j r_j, and v = s r_i. The method is
the proof of the fundamental theorem of linear inequalities (Schrijver, *Theory of Linear and
Integer Programming*, 1986, theorem 7.1): keep a basis B of rows, let y_b be the dual vector
with a_b.y_b = 1 and a_c.y_b = 0 for the other c in B, so that v = sum (v.y_b) a_b.

* No v.y_b is negative: v is in the cone, with these weights (``INSIDE``).
* Else h = the least row with v.y_h < 0. No a_j.y_h is negative: y_h separates (``OUTSIDE``).
* Else the least such j replaces h. With the least indices this ends.

`propose` first pivots in floating point, without any guarantee, to a basis where the loop
in `cone_test` would stop; that loop then takes only certified steps, most often none.

Error bound. Rows are stored as floats scaled by powers of two so that the largest entry lies
in [1, 2]; each entry is within u = 2**-53 of the exact scaled number. Let Y be the computed
dual vectors (rows y_h), s_h = |y_h|_1, T = sum s_h and E = I - B Y^T with exact B. Computing an
entry of E in any order of summation errs by less than (r + 2) u (1 + 2 s_h), and the float rows
stand for the exact ones up to u s_h, so with ``e_h = max_b |E_bh| + 2 (r + 4) u (1 + s_h)`` on
computed entries, e_h bounds column h of E. If rho = sum e_h <= 1/2 (which proves B regular)
then y_h + Y^T (I - E)^-1 E e_h is the exact dual vector, hence in the 1-norm
``|y_h - exact|_1 <= 2 e_h T``. A row has entries at most 2, so the computed r_j.y_h is wrong by at
most ``4 e_h T + (2 r + 3) u s_h`` (the last term: rounding of the product and of the row); the
bound kept has room for its own rounding and for underflow. A sign below it is undecided and
is computed as that of a determinant, modulo primes (`dual_sign`, `_weight_sign`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.modular.determinants import (
    column_sign,
    find_cofactors,
    find_weights,
    product_sign,
)

INSIDE = 1
OUTSIDE = 0
UNDECIDED = -1  # an exact sign is needed and the table holds no residues
UNKNOWN = 2  # not a sign: an exact sign that could not be computed

ROUNDING = 2.0**-53
TINY = 1e-280  # above any accumulated underflow, below any bound that matters


class Table(NamedTuple):
    """The rows: floats, and residues of the exact integer rows (none until they are needed)."""

    floats: NDArray[np.float64]  # (D, N), column j is row j scaled by powers of two
    residues: NDArray[np.uint64]  # (P, N, D) Montgomery residues; P = 0: not computed
    fields: NDArray[np.uint64]  # (P, 4 + P), see kernels.modular


class Work(NamedTuple):
    """Scratch memory of `cone_test`; `dual`, `basis` and `state` also carry its answer."""

    dual: NDArray[np.float64]  # (D, D)
    values: NDArray[np.float64]  # (N,)
    tolerance: NDArray[np.float64]  # (D,)
    start: NDArray[np.float64]  # (D,)
    basis: NDArray[np.int64]  # (D,)
    pivots: NDArray[np.int64]  # (D,)
    matrix: NDArray[np.uint64]  # (D, D + 1)
    cofactors: NDArray[np.uint64]  # (P, D)
    weights: NDArray[np.uint64]  # (P, D + 1)
    residue: NDArray[np.uint64]  # (P,)
    # [h of the ray, h of the cofactors, sign of det, tests, exact, ., ., ., ., row of the weights]
    state: NDArray[np.int64]


def work_for(table: Table) -> Work:
    """Scratch arrays that fit `table`."""
    (d, rows), primes = table.floats.shape, table.fields.shape[0]
    words = np.uint64
    return Work(
        np.zeros((d, d)),
        np.zeros(rows),
        np.zeros(d),
        np.zeros(d),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros((d, d + 1), words),
        np.zeros((primes, d), words),
        np.zeros((primes, d + 1), words),
        np.zeros(primes, words),
        np.zeros(10, np.int64),
    )


@kernel
def dual_sign(table, r, h, row, work):
    """Exact sign of r_row.y_h, y_h the dual vector of basis row h; UNKNOWN without residues.

    It is det(B with the row in place of b_h) / det B. Returns 0 if B is singular. The
    cofactors of the last h are kept: work.state[1] must be -1 after a change of basis.
    """
    if table.fields.shape[0] == 0:
        return UNKNOWN
    state = work.state
    state[4] += 1
    if state[1] != h:
        find_cofactors(
            table.residues, table.fields, work.basis, r, h, work.matrix, work.pivots, work.cofactors
        )
        state[1] = h
        state[2] = product_sign(
            table.residues, table.fields, work.basis[h], r, work.cofactors, work.residue
        )
    sign = product_sign(table.residues, table.fields, row, r, work.cofactors, work.residue)
    return sign * state[2]


@kernel
def _weight_sign(table, r, h, row, work):
    """`dual_sign` where one row is asked for many h: its weights are computed together and kept.

    work.state[9] must be -1 after a change of basis.
    """
    if table.fields.shape[0] == 0:
        return UNKNOWN
    state, weights = work.state, work.weights
    state[4] += 1
    if state[9] != row:
        find_weights(
            table.residues, table.fields, work.basis, r, row, work.matrix, work.pivots, weights
        )
        state[9] = row
        state[2] = column_sign(weights, r, table.fields, work.residue)
    return column_sign(weights, h, table.fields, work.residue) * state[2]


@kernel
def _forget_signs(work):
    """Forget the results that `dual_sign` and `_weight_sign` keep, after a change of basis."""
    work.state[1] = -1
    work.state[9] = -1


@entry
def invert(floats, basis, r, dual, swaps):
    """Dual vectors of the basis rows by Gauss-Jordan in place; False if a pivot vanishes.

    dual : (>= r, >= r) float64, overwritten: row h is orthogonal to the other basis rows
    swaps : (>= r,) int64 scratch
    """
    for b in range(r):
        for c in range(r):
            dual[c, b] = floats[c, basis[b]]
    for c in range(r):
        best = c
        for i in range(c + 1, r):
            if abs(dual[i, c]) > abs(dual[best, c]):
                best = i
        swaps[c] = best
        if dual[best, c] == 0.0:
            return False
        inverse = 1.0 / dual[best, c]
        for k in range(r):
            kept = dual[c, k]
            dual[c, k] = dual[best, k] * inverse
            if best != c:
                dual[best, k] = kept
        dual[c, c] = inverse
        for i in range(r):
            if i != c:
                factor = dual[i, c]
                dual[i, c] = 0.0
                for k in range(r):
                    dual[i, k] -= factor * dual[c, k]
    for c in range(r - 1, -1, -1):
        if swaps[c] != c:
            for i in range(r):
                dual[i, c], dual[i, swaps[c]] = dual[i, swaps[c]], dual[i, c]
    return True


@kernel
def bound_errors(floats, basis, r, dual, tolerance):
    """Bounds of the module docstring on the errors of r_j.y_h; False if they prove nothing.

    tolerance : (>= r,) float64, out
    """
    total, rho = 0.0, 0.0
    for h in range(r):
        norm, worst = 0.0, 0.0
        for c in range(r):
            norm += abs(dual[h, c])
        for b in range(r):
            entry = 1.0 if b == h else 0.0
            for c in range(r):
                entry -= floats[c, basis[b]] * dual[h, c]
            worst = max(worst, abs(entry))
        worst = (worst + 2.0 * (r + 4) * ROUNDING * (1.0 + norm)) * 1.0000001 + TINY
        tolerance[h] = worst
        rho += worst
        total += norm
    if not rho <= 0.49:
        return False
    for h in range(r):
        norm = 0.0
        for c in range(r):
            norm += abs(dual[h, c])
        bound = 4.0 * tolerance[h] * total + (2 * r + 3) * ROUNDING * norm
        tolerance[h] = bound * 1.0000001 + TINY
    return total < 1e200


@kernel
def multiply(floats, m, r, vector, values):
    """values[j] = r_j.vector for the first m rows and r columns."""
    for j in range(m):
        values[j] = floats[0, j] * vector[0]
    for c in range(1, r):
        x = vector[c]
        for j in range(m):
            values[j] += floats[c, j] * x


@kernel
def _leaving(floats, signs, r, v, v_sign, work, slack):
    """Basis row whose facet the segment from the start to v leaves first; -1 if v is inside."""
    leaving, largest = -1, 0.0
    for b in range(r):
        ahead, behind, norm = 0.0, 0.0, 0.0
        for c in range(r):
            y = work.dual[b, c]
            ahead += floats[c, v] * y
            behind += work.start[c] * y
            norm += abs(y)
        sign = signs[work.basis[b]]
        ahead *= sign * v_sign
        if ahead < -slack * norm:
            ratio = -ahead / max(sign * behind, slack * norm)
            if ratio > largest:
                leaving, largest = b, ratio
    return leaving


@kernel
def propose(floats, signs, m, r, v, v_sign, work, most):
    """Pivot without guarantee, at most `most` times, towards a basis where `cone_test` stops.

    The basis cones met by the segment from the sum of the first basis to v: where it leaves
    one, any row beyond that facet gives the next. Signs are those of float64 values beyond a
    guess of their error; nothing is proved here and nothing needs to be.

    Returns the basis row whose dual vector seems to separate v from the cone; -1 if none does.
    """
    dual, basis, slack = work.dual, work.basis, 1e-11
    for c in range(r):
        work.start[c] = 0.0
        for b in range(r):
            work.start[c] += signs[basis[b]] * floats[c, basis[b]]
    for _ in range(most):
        h = _leaving(floats, signs, r, v, v_sign, work, slack)
        if h < 0:
            return -1
        multiply(floats, m, r, dual[h], work.values)
        norm = 0.0
        for c in range(r):
            norm += abs(dual[h, c])
        sign, entering, least = signs[basis[h]], -1, -slack * norm
        for j in range(m):
            value = work.values[j] * sign * signs[j]
            if value < least:
                entering, least = j, value
        if entering < 0:
            return h
        inverse = 1.0 / work.values[entering]
        for c in range(r):
            dual[h, c] *= inverse
        for b in range(r):
            if b != h:
                factor = 0.0
                for c in range(r):
                    factor += floats[c, entering] * dual[b, c]
                for c in range(r):
                    dual[b, c] -= factor * dual[h, c]
        basis[h] = entering
        work.state[7] += 1
    return -1


@kernel
def _target_sign(table, signs, r, b, v, v_sign, certified, work):
    """Sign of the weight of v at basis row b, or UNKNOWN; v is not in the basis."""
    value = 0.0
    for c in range(r):
        value += table.floats[c, v] * work.dual[b, c]
    sign = v_sign * signs[work.basis[b]]
    if certified and abs(value) > work.tolerance[b]:
        return sign if value > 0.0 else -sign
    exact = _weight_sign(table, r, b, v, work)
    return exact if exact == UNKNOWN else sign * exact


@kernel
def _least_negative(table, signs, r, v, v_sign, suggested, certified, work):
    """Position of the least basis row with v.y_b < 0, -1 if none, -2 if undecided.

    A suggested position (-1: none) is taken instead if its sign is negative.
    """
    for b in range(r):  # v is a basis row itself
        if work.basis[b] == v:
            return b if v_sign * signs[v] < 0 else -1
    best = suggested
    if suggested >= 0:
        sign = _target_sign(table, signs, r, suggested, v, v_sign, certified, work)
        if sign < 0:
            return suggested
        best = -1
    for b in range(r):
        if best < 0 or work.basis[b] < work.basis[best]:
            sign = _target_sign(table, signs, r, b, v, v_sign, certified, work)
            if sign == UNKNOWN:
                return -2
            if sign < 0:
                best = b
    return best


@kernel
def _first_beyond(table, signs, m, r, h, certified, work):
    """The least row j < m with a_j.y_h < 0, -1 if none, -2 if undecided."""
    multiply(table.floats, m, r, work.dual[h], work.values)
    limit = work.tolerance[h] if certified else np.inf
    sign = signs[work.basis[h]]
    for j in range(m):
        value = work.values[j] * sign * signs[j]
        if value > limit:
            continue
        if value < -limit:
            return j
        in_basis = False
        for b in range(r):
            in_basis = in_basis or work.basis[b] == j
        if in_basis:
            continue
        exact = dual_sign(table, r, h, j, work)
        if exact == UNKNOWN:
            return -2
        if exact * sign * signs[j] < 0:
            return j
    return -1


@kernel
def _certify_basis(table, r, safe, work):
    """1: dual vectors with bounds, 0: regular but signs need the exact way, -1: undecided.

    A singular basis is replaced by the safe one.
    """
    for is_safe in (False, True):
        _forget_signs(work)
        regular = invert(table.floats, work.basis, r, work.dual, work.pivots)
        if regular and bound_errors(table.floats, work.basis, r, work.dual, work.tolerance):
            return 1
        if table.fields.shape[0] == 0:
            return -1
        # np.int64: a literal would be compiled as a type of its own.
        if is_safe or dual_sign(table, r, np.int64(0), work.basis[0], work) != 0:
            return 0
        for b in range(r):
            work.basis[b] = safe[b]
    return 0


@entry
def cone_test(table, signs, m, r, v, v_sign, safe, work):
    """Whether v_sign r_v lies in the cone of signs[j] r_j, j < m, in the first r columns.

    These rows must span the r columns, and rows j < m and v must be determined by their first
    r entries: combinations that agree there agree everywhere (see ``HomogeneousRows``).

    signs : (N,) float64, entries -1 and 1; v_sign : float64, likewise
    safe : (>= r,) int64, rows known to be independent in the first r columns
    work.basis : in: where to start, rows < m; out: the basis of the answer

    Returns INSIDE (v is a combination of the basis with weights >= 0), OUTSIDE (the dual
    vector of basis row work.state[0] times its sign separates; a float copy is in that
    row of work.dual) or UNDECIDED (build the residues and call again).
    """
    work.state[3] += 1
    suggested = -1
    if invert(table.floats, work.basis, r, work.dual, work.pivots):
        suggested = propose(table.floats, signs, m, r, v, v_sign, work, 20 * r + 50)
    while True:
        certified = _certify_basis(table, r, safe, work)
        if certified < 0:
            return UNDECIDED
        h = _least_negative(table, signs, r, v, v_sign, suggested, certified == 1, work)
        if h == -2:
            return UNDECIDED
        if h == -1:
            return INSIDE
        j = _first_beyond(table, signs, m, r, h, certified == 1, work)
        if j == -2:
            return UNDECIDED
        if j == -1:
            work.state[0] = h
            return OUTSIDE
        work.basis[h] = j
        work.state[8] += 1
        suggested = -1
