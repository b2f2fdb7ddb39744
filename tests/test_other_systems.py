"""Names of other systems: errors name the counterpart here, and the page shows the same table."""

import re
from pathlib import Path

import pytest

import arrangements
from arrangements import Arrangement, OrientedMatroid
from arrangements.other_systems import SYSTEMS, rows
from arrangements.public import MODULE

PAGE = Path(__file__).parent.parent / "docs" / "comparison.md"
START, END = (
    "<!-- the table: python tests/test_other_systems.py -->\n",
    "<!-- end of the table -->\n",
)
A = Arrangement([[1, 0], [0, 1]])
M = A.oriented_matroid()


NAMES = sorted({name for row in rows() for cell in row[1:] for name in cell})


def markdown() -> str:
    """The table as the page shows it: a section for each heading."""
    lines = []
    for row in rows():
        if len(row) == 1:
            lines += ["", f"### {row[0][0]}", "", f"| {' | '.join(SYSTEMS)} |", "|---" * 5 + "|"]
        else:
            cells = [", ".join(f"`{name}`" for name in cell) for cell in row]
            lines.append(f"| {' | '.join(cells)} |".replace("  ", " "))
    return "\n".join(lines) + "\n"


def shown() -> tuple[str, str, str]:
    """The page before the table, the table, and the page after it."""
    before, rest = PAGE.read_text(encoding="utf-8").split(START)
    table, after = rest.split(END)
    return before, table, after


def test_every_name_here_exists() -> None:
    for row in rows():
        for name in row[0] if len(row) > 1 else []:
            module, _, last = name.rpartition(".")
            owner = getattr(arrangements, module) if module else None
            assert (
                name in MODULE
                or hasattr(A, name)
                or hasattr(M, name)
                or (owner is not None and hasattr(owner, last))
            ), name


@pytest.mark.sampled(134)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("owner", [A, M, arrangements], ids=["A", "M", "arrangements"])
def test_the_advice_can_be_followed(owner: object, name: str) -> None:
    if hasattr(owner, name):
        return
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'") as caught:
        getattr(owner, name)
    _, _, advice = str(caught.value).partition("; use ")
    if not advice:  # no function for it takes an oriented matroid
        assert owner is M
        return
    for path in advice.split(" or "):
        start, *parts = path.removesuffix("()").split(".")
        found = {"A": A, "M": M, "arrangements": arrangements}[start]
        for part in parts[:-1]:
            found = getattr(found, part)
        found = {type(A): A, type(M): M}.get(found, found) if isinstance(found, type) else found
        assert hasattr(found, parts[-1])
        assert path.endswith("()") == (
            start != "arrangements" and callable(getattr(found, parts[-1]))
        )


def test_advice() -> None:
    with pytest.raises(AttributeError, match=r"^'Arrangement' .*; use A.count_chambers\(\)$"):
        _ = A.n_regions  # type: ignore[attr-defined]
    with pytest.raises(
        AttributeError, match=r"; use M.bases\(\) or M.rank_of\(\) or M.closure\(\)"
    ):
        _ = M.matroid  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="; use arrangements.structure.zonotope$"):
        _ = arrangements.zonotope  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="; use arrangements.generators.boolean$"):
        _ = arrangements.coordinate  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$"):
        _ = A.nonsense  # type: ignore[attr-defined]
    assert not hasattr(A, "__array_interface__") and not hasattr(OrientedMatroid, "matroid")


@pytest.mark.parametrize(
    ("owner", "name", "advice"),
    [
        (M, "regions", "; use M.topes()"),
        (M, "n_regions", "; use M.count_chambers()"),
        (M, "chambers", "; use M.topes()"),
        (M, "restriction", "; use M.contraction() or M.deletion()"),
        (M, "n_hyperplanes", "; use M.n"),
        (M, "vertices", "; use M.cocircuits()"),
        (M, "is_free", ""),
        (M, "plot", ""),
        (A, "matroid_groundset", "; use A.n_hyperplanes or A.labels"),
        (A, "topes", "; use A.chambers()"),
        (A, "contract", "; use A.restriction()"),
    ],
)
def test_an_oriented_matroid_has_names_of_its_own(owner: object, name: str, advice: str) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert str(caught.value).endswith(f" has no attribute '{name}'{advice}")


def test_the_page_shows_the_table() -> None:
    assert shown()[1] == markdown()


def test_the_page_explains_names_of_the_table() -> None:
    known = {name for row in rows() for name in row[0]}
    notes = re.findall(r"^- `([\w.]+)", shown()[2], re.MULTILINE)
    assert len(notes) > 10 and set(notes) <= known


if __name__ == "__main__":
    before, _, after = shown()
    PAGE.write_text(before + START + markdown() + END + after, encoding="utf-8")
