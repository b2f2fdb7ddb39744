"""Named families of arrangements.

A central family is an (n, d) array of normals; an affine one, whose hyperplanes have offsets,
is an `Arrangement`. Rows are in a fixed, documented order. Every family but `generic` with
Gaussian entries and `coxeter` of type H has integer entries, so its coincidences are exact.
"""

from arrangements.generators.deformations import (
    catalan,
    deformation,
    ish,
    linial,
    semiorder,
    shi,
)
from arrangements.generators.graphs import graphical
from arrangements.generators.polytopes import (
    cell24,
    crosspolytope,
    demicube,
    permutohedron,
    threshold,
)
from arrangements.generators.positions import cyclic, discriminantal, generic, low_rank_braid
from arrangements.generators.reflections import boolean, braid, coxeter, type_b, type_d
from arrangements.generators.sums import mid_hyperplane, resonance

__all__ = [
    "boolean",
    "braid",
    "catalan",
    "cell24",
    "coxeter",
    "crosspolytope",
    "cyclic",
    "deformation",
    "demicube",
    "discriminantal",
    "generic",
    "graphical",
    "ish",
    "linial",
    "low_rank_braid",
    "mid_hyperplane",
    "permutohedron",
    "resonance",
    "semiorder",
    "shi",
    "threshold",
    "type_b",
    "type_d",
]
