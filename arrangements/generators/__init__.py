"""Named families of arrangements.

Every family is an `Arrangement` without labels. All functions of this package take it, and its
methods answer questions about it, as in ``braid(5).chambers()``; ``braid(5).normals`` is the array
of its rows, which have a fixed, documented order. All families except `generic` with Gaussian
entries have integer or algebraic entries, so their coincidences are exact. (`positive_roots` is the
table behind `coxeter`.)
"""

from arrangements.generators.deformations import (
    G_semiorder,
    G_Shi,
    IshB,
    bigraphical,
    catalan,
    deformation,
    ish,
    linial,
    semiorder,
    shi,
)
from arrangements.generators.facets import facet_arrangement
from arrangements.generators.graphs import graphical
from arrangements.generators.polytopes import (
    cell24,
    crosspolytope,
    demicube,
    permutohedron,
    threshold,
)
from arrangements.generators.positions import cyclic, discriminantal, generic, low_rank_braid
from arrangements.generators.reflections import (
    boolean,
    braid,
    coxeter,
    inversion,
    positive_roots,
    type_b,
    type_d,
)
from arrangements.generators.regular import (
    cell120,
    cell600,
    dodecahedron,
    icosahedron,
    polygon,
    simplicial,
)
from arrangements.generators.sums import mid_hyperplane, resonance

__all__ = [
    "G_Shi",
    "G_semiorder",
    "IshB",
    "bigraphical",
    "boolean",
    "braid",
    "catalan",
    "cell120",
    "cell24",
    "cell600",
    "coxeter",
    "crosspolytope",
    "cyclic",
    "deformation",
    "demicube",
    "discriminantal",
    "dodecahedron",
    "facet_arrangement",
    "generic",
    "graphical",
    "icosahedron",
    "inversion",
    "ish",
    "linial",
    "low_rank_braid",
    "mid_hyperplane",
    "permutohedron",
    "polygon",
    "positive_roots",
    "resonance",
    "semiorder",
    "shi",
    "simplicial",
    "threshold",
    "type_b",
    "type_d",
]
