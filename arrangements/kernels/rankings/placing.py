"""Rankings at the points of a line, an entry for each number of registers that hold all labels.

The search calls them by address (``kernels.late``), so a question with few labels compiles only one
of them. They are written out because numba's cache does not keep functions made by other functions.
"""

from typing import Any

from arrangements.kernels.chambers.workspace import ROWS
from arrangements.kernels.compilation import inlined, late_entry
from arrangements.kernels.late import BYTES, INT, Late
from arrangements.kernels.llvm.places import Blocks, Pairs, find_rankings
from arrangements.kernels.llvm.sorting_networks import WIDTH
from arrangements.kernels.rankings.exact_signs import pair_index
from arrangements.kernels.rankings.workspace import GROUPS

# Labels beyond these are ranked without vectors.
MOST_LABELS = 4 * WIDTH


@inlined
def blocks_of(ws, e, gaps):
    return Blocks(ws.block, ws.size, e, ws.state[GROUPS], gaps, ws.state[ROWS])


@inlined
def pairs_from(a, c, number):
    return Pairs(pair_index(a, c), a, c, number)


@late_entry
def find_in_1(ws, e, gaps, a, c, number, out, count, fine):
    blocks, pairs = blocks_of(ws, e, gaps), pairs_from(a, c, number)
    return find_rankings(ws.line, blocks, pairs, out, count, 1, fine)


@late_entry
def find_in_2(ws, e, gaps, a, c, number, out, count, fine):
    blocks, pairs = blocks_of(ws, e, gaps), pairs_from(a, c, number)
    return find_rankings(ws.line, blocks, pairs, out, count, 2, fine)


@late_entry
def find_in_3(ws, e, gaps, a, c, number, out, count, fine):
    blocks, pairs = blocks_of(ws, e, gaps), pairs_from(a, c, number)
    return find_rankings(ws.line, blocks, pairs, out, count, 3, fine)


@late_entry
def find_in_4(ws, e, gaps, a, c, number, out, count, fine):
    blocks, pairs = blocks_of(ws, e, gaps), pairs_from(a, c, number)
    return find_rankings(ws.line, blocks, pairs, out, count, 4, fine)


_ARGUMENTS = (*(INT,) * 5, BYTES, INT, INT)
_FINDERS = [Late(find, INT, _ARGUMENTS) for find in (find_in_1, find_in_2, find_in_3, find_in_4)]
call: Any = _FINDERS[0].call


def finder(rows: int) -> Late:
    """The kernel that ranks this many labels, at most `MOST_LABELS`."""
    return _FINDERS[-(-rows // WIDTH) - 1]
