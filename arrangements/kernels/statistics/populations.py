"""How many bits the rows of a block have."""

from arrangements.kernels.compilation import entry
from arrangements.kernels.llvm.bit_masks import population


@entry
def add_populations(rows, histogram):
    """Count rows by the number of their bits.

    rows : (m, words) uint64
    histogram : (>= 64 * words + 1,) int64, entry k grows by the number of rows with k bits
    """
    for k in range(rows.shape[0]):
        bits = 0
        for w in range(rows.shape[1]):
            bits += population(rows[k, w])
        histogram[bits] += 1
