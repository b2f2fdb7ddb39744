"""Names that Sage, polymake, Macaulay2 and OSCAR use, and the names here.

An AttributeError for one of them says what to call instead, and docs/comparison.md shows the table
(``python tests/test_other_systems.py`` writes it).
"""

from functools import cache
from pathlib import Path

SYSTEMS = ("here", "Sage", "polymake", "Macaulay2", "OSCAR")
# The notions of an arrangement that have another name for an oriented matroid.
_OF_MATROID = {
    "chambers": "topes",
    "iter_chambers": "topes",
    "restriction": "contraction",
    "n_hyperplanes": "n",
    "normals": "matrix",
    "vertices": "cocircuits",
    "rays": "cocircuits",
}
_OF_ARRANGEMENT = {
    "topes": "chambers",
    "contraction": "restriction",
    "n": "n_hyperplanes",
    "cocircuits": "rays",
}
# A line without bars is a heading. The first column has functions, methods or attributes;
# "=" is the name in the first column.
_TABLE = Path(__file__).parent / "data" / "other_systems.txt"


def rows() -> "list[list[list[str]]]":
    """The table: for each line the names of each column; a heading is a row of one name.

    Examples
    --------
    >>> rows()[1]
    [['Arrangement'], ['HyperplaneArrangements'], ['HyperplaneArrangement'], ['arrangement', \
'CentralArrangement'], []]
    """
    found = []
    for line in filter(None, _TABLE.read_text(encoding="utf-8").splitlines()):
        here, *others = (cell.strip() for cell in line.split("|"))
        cells = (here, *(here if cell == "=" else cell for cell in others))
        found.append([cell.split(", ") if cell else [] for cell in cells])
    return found


@cache
def names_here() -> "dict[str, list[tuple[str, list[str]]]]":
    """For each name in another system the class and the names here, best answer first.

    Examples
    --------
    >>> names_here()["n_regions"]
    [('Arrangement', ['count_chambers'])]
    """
    found: dict[str, list[tuple[str, list[str]]]] = {}
    kind = ""
    for here, *others in rows():
        if not others:
            kind = "OrientedMatroid" if here == ["Oriented matroids"] else "Arrangement"
        for name in {name for cell in others for name in cell}:
            found.setdefault(name, []).append((kind, here))
    return found


def names_of(attribute: str, kind: str) -> "list[tuple[str, list[str]]]":
    """What `names_here` has for a name, with the words of an object of this class if it has some.

    Examples
    --------
    >>> names_of("regions", "OrientedMatroid")
    [('Arrangement', ['topes'])]
    """
    words = {"OrientedMatroid": _OF_MATROID, "Arrangement": _OF_ARRANGEMENT}.get(kind, {})
    found = names_here().get(attribute, [])
    if attribute in words:
        found = [*found, ("Arrangement", [attribute])]
    renamed = [(place, [words.get(name, name) for name in names]) for place, names in found]
    return [(place, list(dict.fromkeys(names))) for place, names in renamed]
