"""A time left is named once it rests on something, and counts what was there before."""

import pytest

from arrangements.execution import progress
from arrangements.execution.progress import ProgressBar


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)

    def shows(self, bar: ProgressBar) -> dict[str, str]:
        """What the bar says after a moment: done, time passed and left."""
        said = bar.bar.format_dict | {"elapsed": self.now - 100.0, "ncols": None}
        text = bar.bar.format_meter(**said)
        done, _, times = text.rpartition("| ")[2].partition(" [")
        passed, _, left = times.rstrip("]").partition("<")
        return {"done": done, "passed": passed, "left": left.partition(",")[0]}


def test_no_time_left_from_a_first_portion(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    with ProgressBar(1000, "chambers") as bar:
        assert clock.shows(bar) == {"done": "0.00/1.00k chambers", "passed": "00:00", "left": ""}
        clock.now += 30  # the kernels are compiled
        bar.add(1)
        assert clock.shows(bar) == {"done": "1.00/1.00k chambers", "passed": "00:30", "left": ""}
        clock.now += 10
        bar.add(99)
        assert clock.shows(bar)["left"] == ""
        clock.now += 20
        bar.add(200)
        assert clock.shows(bar) == {"done": "300/1.00k", "passed": "01:00", "left": "02:20"}
        clock.now += 70  # another kernel is: the pace is of no use again
        bar.add(1)
        assert clock.shows(bar)["left"] == ""


@pytest.mark.parametrize("workers", [1, 4, 100])
def test_parts_that_end_side_by_side(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """1000 parts of 60 seconds; half of the rows were there before."""
    clock, left = Clock(monkeypatch), {}
    with ProgressBar(20_000, "chambers", initial=10_000) as bar:
        for made in range(1000 // workers):
            clock.now = 100 + 60 * (made + 1)
            for worker in range(workers):
                bar.add(10)
                left[made, worker] = clock.shows(bar)["left"]
    assert left[0, workers - 1] == ""  # after a first round nobody knows how many work
    for made in (1, 2, 5):
        seconds = 0
        for unit in left[made, workers - 1].split(":"):
            seconds = 60 * seconds + int(unit)
        assert abs(seconds - 60 * (1000 // workers - made - 1)) <= 1


def test_a_total_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    with ProgressBar(None, "pairs") as bar:
        clock.now += 1
        bar.add(5)
        assert str(bar.bar).startswith("5.00 pairs [")


def test_a_bar_says_that_kernels_are_compiled() -> None:
    from numba.core import event

    from arrangements.kernels.structure.states import enter_slots

    data = {"dispatcher": enter_slots}
    with ProgressBar(3, "parts") as bar:
        for inner in (False, True):
            with event.trigger_event("numba:compile", data=data):
                if inner:
                    with event.trigger_event("numba:compile", data=data):
                        pass
                assert bar.bar.desc == "compiling kernels"
            assert bar.bar.desc == ""
    with event.trigger_event("numba:compile", data=data):
        assert bar.bar.desc == ""
