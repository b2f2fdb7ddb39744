"""Reverse search: every chamber with memory for one.

Avis and Fukuda, Discrete Appl. Math. 65 (1996) 21-46; Sleumer, Nordic J. Comput. 6 (1999)
147-161. It is the slowest method here, and the only one that remembers nothing: its state is one
sign vector and the rows crossed on the way to it.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.execution.memory import block_sizes
from arrangements.feasibility.cone_system import HomogeneousRows, distinct_rows, homogeneous_rows
from arrangements.kernels.cone.reverse_search import DONE, Traversal, traverse
from arrangements.sets.packed import Words, pack_signs

# Float operations in a call of the kernel, between which Python answers Ctrl-C.
_WORK_PER_CALL = 10**5


def iter_reverse_search(
    W: ArrangementLike, *, block_size: int = 1024, growing: bool = False
) -> Iterator[Words]:
    """Chambers by reverse search, in blocks; the half with sign + on row 0 if central.

    Parameters
    ----------
    W : (n, d) array_like, or Arrangement
    block_size : int
        Most sign vectors in a block.
    growing : bool
        Whether the first blocks are small, so that they come at once.

    Returns
    -------
    iterator of (m, words) uint64 ndarray
        Packed sign vectors, all distinct: one of each +/- pair of a central arrangement
        (with hyperplanes), else every chamber.

    Notes
    -----
    Exact. O(n) to O(n**2) cone tests per chamber, each a few pivots of O(n d); fewer where the
    proof for a neighbor still holds. Memory O(n d) and one block.

    Examples
    --------
    >>> [block.tolist() for block in iter_reverse_search([[1, 0], [0, 1]])]
    [[[3], [1]]]
    """
    arrangement = Arrangement.coerce(W)
    if arrangement.n_hyperplanes == 0:
        return iter([np.zeros((1, 0), np.uint64)])
    return _blocks(arrangement, block_sizes(block_size, growing))


def _blocks(arrangement: Arrangement, sizes: Iterator[int]) -> Iterator[Words]:
    rows, affine = homogeneous_rows(arrangement)
    distinct, member, orientation = distinct_rows(rows)
    caller = slice(int(affine), None)
    for signs in _chambers(HomogeneousRows(distinct), sizes):
        yield pack_signs((signs[:, member] * orientation)[:, caller])


def _chambers(system: HomogeneousRows, sizes: Iterator[int]) -> Iterator[NDArray[np.int8]]:
    """Sign vectors of pairwise non-parallel rows, row 0 always +."""
    n, d = len(system.integers), system.dimension
    base = _base_chamber(system)
    state = np.array([0, 1, 0], np.int64)
    proofs = np.full((n, d + 1), -1, np.int64)
    at = Traversal(base, base.copy(), np.zeros(n, np.int64), state, proofs)
    out = np.empty((next(sizes), n), np.int8)
    out[0] = base
    filled, table = 1, system.float_table
    work = system.work_for(table)
    while not state[DONE]:
        if filled == len(out):
            yield out
            out, filled = np.empty((next(sizes), n), np.int8), 0
        tests = max(4, _WORK_PER_CALL // (n * d + d**3))
        rest = out[filled:]
        found = traverse(table, at, tests, system.safe, rest, work)
        if found < 0:
            found, table = -1 - found, system.table
            work = system.work_for(table)
        filled += found
    if filled:
        yield out[:filled]


def _base_chamber(system: HomogeneousRows) -> NDArray[np.float64]:
    """The chamber of (1, t, t**2, ..) for small t > 0, or its negative: row 0 is +."""
    leading = [next(entry for entry in row if entry) for row in system.integers]
    base = np.array([1.0 if entry > 0 else -1.0 for entry in leading])
    return base * base[0]
