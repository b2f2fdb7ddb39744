"""Named families of arrangements.

Every family is an `Arrangement` without labels. All functions of this package take it, and its
methods answer questions about it, as in ``braid(5).chambers()``; ``braid(5).normals`` is the array
of its rows, which have a fixed, documented order. All families except `generic` with Gaussian
entries have integer or algebraic entries, so their coincidences are exact. (`positive_roots` is the
table behind `coxeter`.)
"""

from arrangements.public import attach

__all__, __getattr__, __dir__ = attach("generators")
