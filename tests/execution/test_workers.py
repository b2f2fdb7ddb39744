"""Every public function that takes `workers` shares its work out among so many threads."""

import inspect
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from everything import PUBLIC

from arrangements import betti_numbers, generators, write_chambers
from arrangements.networks import Network

RNG = np.random.default_rng(0)


def transcript(folder: Path) -> Path:
    """A folder that `check_count` can check."""
    betti_numbers(generators.resonance(7), checkpoint=folder / "count", transcript=True)
    return folder / "count"


def damaged(folder: Path) -> Path:
    """A run that lacks parts."""
    path = folder / "run"
    write_chambers(generators.generic(40, 5, 1), path, rows_per_part=1000)
    for part in itertools.islice(sorted(path.glob("**/*.parquet")), 4):
        part.unlink()
    return path


INPUTS: dict[str, Any] = {
    "A": generators.generic(40, 5, 1),
    "R": generators.resonance(7),
    "L": RNG.integers(-9, 10, (24, 4)).tolist(),
    "W": RNG.standard_normal((400, 6)),
    "X": RNG.standard_normal((60, 3)),
    "y": RNG.integers(0, 2, 60),
    "N": Network(
        [
            (RNG.standard_normal((8, 3)), RNG.standard_normal(8)),
            (RNG.standard_normal((3, 8)), RNG.standard_normal(3)),
        ]
    ),
    "box": (np.vstack([np.eye(3), -np.eye(3)]), [2] * 6),
}

# What is called, with w threads.
CALLS = {
    "argmax_labels": "(W, workers=w)",
    "best_chamber": "(A, np.arange(40), workers=w)",
    "best_ranking": "(L, list(range(24)), workers=w)",
    "best_tree": "(X, y, workers=w)",
    "betti_numbers": "(R, workers=w)",
    "can_be_top": "(W, np.arange(400)[:, None], workers=w)",
    "chambers": "(A, workers=w)",
    "chambers_many": "([generators.generic(8, 3, k) for k in range(40)], workers=w)",
    "characteristic_polynomial": "(R, workers=w)",
    "count_bounded": "(R, workers=w)",
    "count_chambers": "(R, workers=w)",
    "count_chambers_many": "([generators.generic(8, 3, k) for k in range(40)], workers=w)",
    "count_orbits": "(R, ('S', range(7)), workers=w)",
    "count_rankings": "(generators.generic(30, 4, 1), workers=w)",
    "count_regions": "(N, within=box, workers=w)",
    "decision_regions": "(N, within=box, workers=w)",
    "f_vector": "(generators.generic(30, 4, 1), workers=w)",
    "feasible_many": "(W[:40], RNG.choice([-1, 1], (200, 40)), workers=w)",
    "halfspace_depth": "(X[:10], X, workers=w)",
    "halfspace_median": "(X[:20], workers=w)",
    "iter_chambers": "(A, workers=w)",
    "iter_rankings": "(L, workers=w)",
    "leads": "(W[:60], workers=w)",
    "max_feasible": "(W[:30, :4], workers=w)",
    "place_range": "(W[:20], workers=w)",
    "ranking_graph": "(L[:12], workers=w)",
    "rankings": "(L, workers=w)",
    "regions": "(N, within=box, workers=w)",
    "regression_depth": "(np.zeros((4, 4)), X, X[:, 0], workers=w)",
    "simplicial_depth": "(X[:10], X, workers=w)",
    "tie_sets": "(W[:8, :3], workers=w)",
    "top_k_rankings": "(W[:20], 2, workers=w)",
    "top_k_sets": "(W[:20], 2, workers=w)",
    "top_ties": "(W[:20], workers=w)",
    "whitney_numbers": "(R, workers=w)",
    "fold_chambers": "(A, lambda block: len(block), lambda a, b: a + b, workers=w)",
    "fold_rankings": "(L, lambda block: len(block), lambda a, b: a + b, workers=w)",
    "write_chambers": "(A, tmp / f'chambers{w}', workers=w)",
    "write_rankings": "(L, tmp / f'rankings{w}', workers=w)",
    "write_regions": "(N, tmp / f'regions{w}', within=box, workers=w)",
    "fold_regions": "(N, lambda block: len(block), lambda a, b: a + b, within=box, workers=w)",
    "depth_contours": "(X[:14, :2], workers=w)",
    "depth_region": "(X[:14], 2, workers=w)",
    "iter_regions": "(N, within=box, workers=w)",
    "binary_quadratic": "(RNG.integers(-9, 10, (20, 3)), workers=w)",
    "l1_pca": "(X[:30], workers=w)",
    "deepest_regression": "(X[:16, :1], X[:16, 1], workers=w)",
    "check_count": "(path, workers=w)",
    "check_run": "(path, repair=True, workers=w)",
    "plot_depth": "(X[:14, :2], workers=w)",
    "audit": "(W[:60], workers=w)",
    "compare": "(W[:60], W[60:120], outputs='top labels', workers=w)",
}

# What makes the folder that is checked.
FOLDERS = {"check_count": transcript, "check_run": damaged}
# Questions that share a search in processes: tests/networks/test_output_questions.py.
IN_PROCESSES = """
    can_output counterexamples differing_input is_monotone lipschitz_constant maximum minimum
    other_class robust_radii robust_radius
""".split()


def test_every_function_with_workers_is_called() -> None:
    functions = {name: found for name, found in PUBLIC.items() if inspect.isfunction(found)}
    with_workers = {
        name
        for name, found in functions.items()
        if "workers" in inspect.signature(found).parameters
    }
    assert with_workers == {*CALLS, *IN_PROCESSES}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", CALLS)
def test_two_workers_are_two_threads(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More are started than by one worker, which may be the caller's."""
    started, start = [0, 0, 0], threading.Thread.start
    known = {**globals(), **INPUTS, "question": PUBLIC[name]}

    def noted(thread: threading.Thread) -> None:
        started[known["w"]] += 1
        start(thread)

    for w in (1, 2):
        (tmp_path / str(w)).mkdir()
        known |= {"w": w, "tmp": tmp_path / str(w)}
        if name in FOLDERS:
            known["path"] = FOLDERS[name](known["tmp"])
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", noted)
            answer = eval(f"question{CALLS[name]}", known)
            if isinstance(answer, Iterator):
                assert sum(1 for _ in answer) > 0
    plt.close("all")
    assert started[2] > started[1]
