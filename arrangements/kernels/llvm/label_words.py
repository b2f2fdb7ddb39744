"""Up to 64 labels as words: what is said about a line, and how a word is made.

A word holds the score of a label in its upper bits, then its place among the labels of equal score,
then its number. ``kernels.llvm.pair_factors`` and ``kernels.llvm.merges`` fill the tables of a
line, ``kernels.llvm.places`` orders words.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import inlined

# Bit of a code that says that the slope is negative; those below belong to the merges.
NEGATIVE_BIT = 1 << 30
MOST_MERGES = 29
# Fields of a word below the score. Places of 16 and more run over into the score: that changes no
# order, see docs/exactness.md, but they cannot be read again.
LABEL_BITS, PLACE_BITS = 6, 4
LOW_BITS = LABEL_BITS + PLACE_BITS
# Scores are scaled to at most REACH in size, and differ if by more than a margin of at most
# MOST_MARGIN; words and a word of it add up to less than 2**31.
REACH, MOST_MARGIN = 2.0**21 - 2.0**10, 2.0**9
# Merges that share a table of what they add to the places.
GROUP = 3
# Numbers for all pairs of 64 labels, and a vector.
STRIDE = 64 * 63 // 2 + 16


class LabelLine(NamedTuple):
    """What is known of a line, at depth e, of the tableau of labels; `pad` lanes hold them.

    Attributes
    ----------
    columns : (d + 1, pad) float32
        Slopes, constants and e rows of multipliers, of sizes up to 1.
    errors : (d + 1,) float32
        Of differences of two lanes of each.
    factor : (2, STRIDE) float32
        For each pair of labels, by number: of constants and of slopes in the scores at the point
        where the two cross.
    code_and_margin : (2, STRIDE) int32
        For each pair: its code, or -1 if something is not proved; words that differ by more than
        the second row have different scores. Bit q of a code says that the q-th merge is forward.
    inner : (2**GROUP g, pad) int32
        What each of g groups of merges adds to the places of the labels, by their bits of a code,
        and in the first group the labels: as words.
    """

    columns: NDArray[np.float32]
    errors: NDArray[np.float32]
    factor: NDArray[np.float32]
    code_and_margin: NDArray[np.int32]
    inner: NDArray[np.int32]


@inlined
def word_of_margin(margin):
    """Words that differ by more than that have scores that differ by more than the margin."""
    return ((margin + 1) << LOW_BITS) - 1
