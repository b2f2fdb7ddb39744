"""Several threads, and a bar, change no answer: for functions whose work is shared out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrangements import compare, f_vector, generators
from arrangements.errors import InputError
from arrangements.optimize import best_ranking, depth_region, halfspace_median, max_feasible
from arrangements.plot import plot_depth
from arrangements.structure import tie_sets

LABELS = np.random.default_rng(1).standard_normal((12, 3))
CLOUD = np.random.default_rng(0).integers(-9, 10, (30, 2))


def contours(**effort: Any) -> list[Any]:
    """The corners of the regions that a picture shows."""
    pytest.importorskip("matplotlib")
    return [
        path.vertices.tolist()
        for c in plot_depth(CLOUD, **effort).collections
        for path in c.get_paths()
    ]


QUESTIONS: dict[str, Callable[..., Any]] = {
    "faces": lambda **o: f_vector(generators.generic(9, 3, 0), **o),
    "faces of an affine arrangement": lambda **o: f_vector(generators.shi(3), **o),
    "no hyperplanes": lambda **o: f_vector(np.zeros((0, 2)), **o),
    "median": lambda **o: halfspace_median(CLOUD, **o),
    "median in space": lambda **o: halfspace_median(np.eye(3)[[0, 1, 2, 0]], **o),
    "region": lambda **o: depth_region(CLOUD, 3, **o),
    "contours": contours,
    "ties": lambda **o: tie_sets(LABELS, **o),
    "gains": lambda **o: best_ranking(LABELS, gains=range(12), **o).value,
    "samples": lambda **o: repr(
        compare(LABELS, LABELS.round(1), "rankings", most_listed=0, inputs=20, rng=0, **o)
    ),
    "conflicts": lambda **o: (
        max_feasible(np.vstack([LABELS, -LABELS])).conflicts(**o).feasible.tolist()
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUESTIONS)
def test_threads_give_the_same_answer(name: str) -> None:
    ask = QUESTIONS[name]
    assert ask(workers=3) == ask()
    with pytest.raises(InputError, match="workers is 0; expected a positive integer|at least 1"):
        ask(workers=0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [name for name in QUESTIONS if name != "no hyperplanes"])
def test_a_bar_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    ask = QUESTIONS[name]
    expected = ask()
    assert not capsys.readouterr().err
    assert ask(progress=True) == expected
    assert capsys.readouterr().err.startswith("\r")
    with pytest.raises(InputError, match="progress is 2; expected True or False"):
        ask(progress=2)
