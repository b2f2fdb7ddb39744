"""The statements of the paper on cosine similarity of label representations, as exact functions.

B. M. G. Nielsen, A. Grivas, What cosine similarity of label representations can and cannot tell
us, arXiv:2603.29488. `docs/paper.md` presents them in order.
"""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("paper")
