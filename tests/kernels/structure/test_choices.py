"""Choices among rows of a color: what is noted, and what is given."""

import numpy as np

from arrangements.kernels.structure.states import GIVEN, MADE, choose, empty_choices
from kernels import compiled

COLOR = np.array([7, 3, 7, 9, 7, 3], np.uint64)


def test_choices_are_noted():
    ask, choices = compiled(choose), empty_choices(6, 2)
    candidates = np.array([0, 2, 3, 5])
    assert ask(candidates, 3, COLOR, choices) == 3
    assert ask(candidates, 5, COLOR, choices) == 5
    assert choices.used.tolist() == [0, 0], "no other candidate has the color"
    assert ask(candidates, 2, COLOR, choices) == 2
    assert ask(np.arange(6), 1, COLOR, choices) == 1
    assert choices.used[MADE] == 2 and choices.row[:2].tolist() == [2, 1]
    alike = [part[:size].tolist() for part, size in zip(choices.alike, choices.size, strict=True)]
    assert alike == [[0, 2], [1, 5], [], []]


def test_given_choices_are_made():
    ask, choices = compiled(choose), empty_choices(6, 2)
    choices.row[:2], choices.used[GIVEN] = [4, 0], 1
    assert ask(np.arange(6), 3, COLOR, choices) == 3, "no choice, so that none is taken"
    assert ask(np.arange(6), 0, COLOR, choices) == 4
    assert ask(np.arange(6), 2, COLOR, choices) == 2
    assert choices.used.tolist() == [1, 2] and choices.row[:2].tolist() == [4, 2]
