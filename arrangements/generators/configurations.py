"""Arrangements that are known by a name: configurations and counterexamples."""

from itertools import combinations, product
from typing import Any

from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.number_field import NumberField
from arrangements.messages import quote

Rows = list[list[Any]]


def _desargues() -> Rows:
    """A generic plane section of the ten lines through pairs of five points in space."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]]
    return [[a - b for a, b in zip(p, q, strict=True)] for p, q in combinations(points, 2)]


def _perles() -> Rows:
    """The center, corners of a regular pentagon, and points where its diagonals meet: four each."""
    phi = NumberField([-1, -1, 1], (1, 2), "phi").generator
    corners: list[tuple[Any, Any]] = [(1, 0), (0, 1)]
    for _ in range(2):
        (a, b), (c, d) = corners[-2:]
        corners.append(((phi - 1) * c - a, (phi - 1) * d - b))
    inner = [((phi - 2) * x, (phi - 2) * y) for x, y in corners]
    return [[x, y, 1] for x, y in [*corners, *inner, (0, 0)]]


def _edelman_reiner() -> Rows:
    unit = [[int(i == j) for j in range(5)] for i in range(5)]
    return [*unit, *([1, *signs] for signs in product((1, -1), repeat=4))]


# Rows of several entries; of those of Ziegler both begin with the second.
_UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
_ZIEGLER = [*_UNIT, [1, 1, 1], [2, 1, 1], [2, 3, 1], [2, 3, 4]]
_NAMED: dict[str, Rows] = {
    "pappus": [
        *([0, 0, 1], [2, 0, 1], [6, 0, 1]),
        *([0, 2, 1], [2, 2, 1], [6, 2, 1]),
        *([1, 1, 1], [3, 1, 1], [4, 1, 1]),
    ],
    "desargues": _desargues(),
    "nonfano": [*_UNIT, [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]],
    "ziegler1": [*_ZIEGLER, [3, 0, 5], [3, 4, 5]],
    "ziegler2": [*_ZIEGLER, [1, 0, 3], [1, 2, 3]],
    "932": [
        *([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 3]),
        *([1, 2, 1], [1, 2, 3], [4, 6, 6]),
    ],
    "x2": [*_UNIT, [0, 1, -1], [1, 0, -1], [1, 1, 0], [1, 1, -2]],
    "x3": [*_UNIT, [1, 1, 0], [1, 0, 1], [0, 1, 1]],
    "bracelet": [
        *([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]),
        *([1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]),
    ],
    "prism": [
        *([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]),
        *([1, 1, 0, 1], [1, 0, 1, 1]),
    ],
    "edelmanreiner": _edelman_reiner(),
    "deletedb3": [
        *([1, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 0], [1, 0, -1], [0, 1, -1]),
        *([1, -1, -1], [1, -1, 1]),
    ],
}
_REFUSED = {
    "nonpappus": "is an oriented matroid that no matrix has; docs/oriented-matroids.md makes it by "
    "OrientedMatroid.from_chirotope",
    "maclane": "has no real hyperplanes",
    "hesse": "has no real hyperplanes",
    "hessian": "has no real hyperplanes",
    "zieglerpair": 'is two arrangements: "Ziegler 1" and "Ziegler 2"',
    "nottame": "is resonance(4)",
    "vamos": "is a matroid that no matrix has",
}


def named(name: str) -> Arrangement:
    """A configuration, or counterexample, by its name.

    ================  =============  ===========================================================
    name              hyperplanes    what it is known for
    ================  =============  ===========================================================
    "Pappus"          9, rank 3      nine triples of lines through a point; eight force the last
    "Desargues"       10, rank 3     ten triples of lines through a point
    "non-Fano"        7, rank 3      ``resonance(3)``: six triples, and no seventh
    "(9_3)_2"         9, rank 3      nine triples, another configuration than that of Pappus
    "Perles"          9, rank 3      eight triple points and one on four lines: normals with these
                                     signs of minors are not all rational [5]_
    "Ziegler 1", 2    9, rank 3      the same matroid, but other derivations: the six triple
                                     points lie on a conic in the second only [1]_
    "Edelman-Reiner"  21, rank 5     free, but a restriction is not: Orlik's conjecture fails [2]_
    "deleted B3"      8, rank 3      type B3 without a plane x_i = 0: its characteristic variety has
                                     a component that does not pass through 1 [3]_
    "bracelet"        9, rank 4      with ``x0 + x1 + x2 + x3``, six rows through a line are
                                     braid(4) in three ways [4]_
    "prism", "X2",    6, 7, 6        examples of the same library
    "X3"
    ================  =============  ===========================================================

    Parameters
    ----------
    name : str
        Spaces, hyphens and capital letters do not matter.

    Returns
    -------
    Arrangement
        Central, with integer normals, or over the field of the golden ratio.

    Raises
    ------
    InputError
        If the name is not known, or has no real hyperplanes.

    References
    ----------
    .. [1] G. M. Ziegler, Combinatorial construction of logarithmic differential forms, Adv. Math.
       76 (1989) 116-154.
    .. [2] P. H. Edelman, V. Reiner, A counterexample to Orlik's conjecture, Proc. Amer. Math. Soc.
       118 (1993) 927-929.
    .. [3] A. I. Suciu, Translated tori in the characteristic varieties of complex hyperplane
       arrangements, Topology Appl. 118 (2002) 209-223.
    .. [4] G. Denham, G. G. Smith, A. Steiner, HyperplaneArrangements, a package of Macaulay2,
       version 2.0 (2022): ``arrangementLibrary``.
    .. [5] B. Grünbaum, Convex Polytopes, Interscience 1967, section 5.5.

    Examples
    --------
    >>> named("Pappus").count_chambers(), named("Edelman-Reiner").exponents()
    (56, (1, 5, 5, 5, 5))
    """
    short = "".join(c for c in name.lower() if c.isalnum()) if isinstance(name, str) else None
    if short in _REFUSED:
        raise InputError(f"{name} {_REFUSED[short]}.")
    if short == "perles":
        return Arrangement(_perles())
    if short not in _NAMED:
        raise InputError(
            f'name is {quote(name)}; expected one of "Pappus", "Desargues", "non-Fano", "(9_3)_2", '
            '"Perles", "Ziegler 1", "Ziegler 2", "Edelman-Reiner", "deleted B3", "bracelet", '
            '"prism", "X2", "X3".'
        )
    return Arrangement(_NAMED[short])
