"""Words of labels: the bounds that make them fit, in integers."""

from arrangements.kernels.llvm import label_lines as words
from kernels import compiled


def test_words_of_margins():
    word_of_margin = compiled(words.word_of_margin)
    for margin in (0, 1, 7, 511):
        word = word_of_margin(margin)
        assert word == (margin + 1) * 2**words.LOW_BITS - 1
        # scores that differ by the margin, with any lower bits, are within the word
        lower = 2**words.LOW_BITS - 1
        assert (margin << words.LOW_BITS) + lower == word
        assert (margin + 2 << words.LOW_BITS) - lower > word


def test_words_fit_in_32_bits():
    """The largest score with the last place of 64 labels, and a margin."""
    places = 64 << words.LABEL_BITS
    largest = (int(words.REACH) << words.LOW_BITS) + places + 63
    assert largest + (int(words.MOST_MARGIN) + 3 << words.LOW_BITS) < 2**31


def test_codes_fit_beside_the_bit_of_the_slope():
    assert 1 << words.MOST_MERGES < words.NEGATIVE_BIT
    assert words.STRIDE >= 64 * 63 // 2 + 8  # and what `aim` writes behind the last pairs
