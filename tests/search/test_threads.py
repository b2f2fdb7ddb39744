"""Answers of several threads, in the order of the questions."""

import threading
from collections.abc import Iterator

import pytest

from arrangements.search.threads import answers


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_answers_come_in_order(workers: int) -> None:
    barrier = threading.Barrier(workers)

    def work(item: int) -> int:
        barrier.wait(timeout=60)  # so many threads are at work
        return item**2

    assert list(answers(work, range(10 * workers), workers)) == [i**2 for i in range(10 * workers)]
    assert list(answers(work, [], workers)) == []


def test_no_more_is_asked_than_is_wanted() -> None:
    asked = []

    def items() -> Iterator[int]:
        for i in range(1000):
            asked.append(i)
            yield i

    found = answers(abs, items(), 2)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    found.close()  # type: ignore[attr-defined]
    assert len(asked) < 10


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_are_those_of_the_question(workers: int) -> None:
    def work(item: int) -> int:
        if item == 4:
            raise ZeroDivisionError("four")
        return item

    found = []
    with pytest.raises(ZeroDivisionError, match="four"):
        for item in answers(work, range(100), workers):
            found.append(item)  # noqa: PERF402
    assert found == [0, 1, 2, 3]
