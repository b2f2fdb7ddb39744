"""One page's conversation with the engine: messages in, replies out, both fit for JSON.

Nothing here knows a browser, so everything but drawing is tested without one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arrangements.errors import InputError
from arrangements.explorer.answers import Answer, details, search
from arrangements.explorer.conversation import MOST_UNDONE, Conversation
from arrangements.explorer.state import REST, SLIDERS, State, with_show
from arrangements.explorer.views import Json, View
from arrangements.messages import quote

# Rows move on a grid of this many parts of the unit.
_GRID = 100
PICTURES = ("plane", "sphere", "graph")
# A coordinate of a row is at most this many units of the picture.
_FARTHEST = 10**9
# No message that a page sends is longer.
_LONGEST = 10_000


class Session(Conversation):
    """States that one page goes through.

    The key ``pictures`` of a message says which of `PICTURES` to draw.

    Parameters
    ----------
    state : State

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> session = Session(state_of([[1, 0], [0, 1], [-1, -1]]))
    >>> session.handle({"do": "show", "show": "top-1"})["title"]
    '3 of 3 labels can be first'
    >>> session.handle({"do": "undo"})["title"]
    '6 rankings of 3 labels'
    >>> session.handle({"do": "dance"})["error"][:42]
    "do is 'dance'; expected one of move, slide"
    """

    def __init__(self, state: State) -> None:
        self.first = state
        self.view: View = View(state)
        self.undone: list[State] = []
        # what a slider starts from, and which one it is
        self._base, self._sliding = state, ("", -1)

    @property
    def state(self) -> State:
        """What is shown now."""
        return self.view.state

    # ---------------------------------------------------------------- changes

    def _move(self, message: Json) -> Json:
        """A row to a place ``to`` in the picture of rows."""
        row = self._row(message)
        unit = self.state.unit
        place = message.get("to")
        if not isinstance(place, list) or len(place) != 2:
            raise InputError(f"to is {quote(place)}; expected two numbers.")
        x, y = (_snap(value, unit) for value in place)
        if self.state.dimension == 1:
            y = Fraction(0)
        return self._change_to(self._from("move", row).move(row, (x, y)), message)

    def _slide(self, message: Json) -> Json:
        """A slider to a position, counted from what there was when it was taken up."""
        row, slider, position = self._row(message), message.get("slider"), message.get("position")
        if not isinstance(slider, str) or slider not in SLIDERS:
            raise InputError(f"slider is {quote(slider)}; expected one of {', '.join(SLIDERS)}.")
        last = len(SLIDERS[slider]) - 1
        if not isinstance(position, int) or not 0 <= position <= last:
            raise InputError(f"position is {quote(position)}; expected 0 to {last}.")
        start = self._from(slider, row)
        return self._change_to(start.slide(slider, row, position), message)

    def _from(self, what: str, row: int) -> State:
        """The state that a drag started from; a new drag is one step to undo."""
        if self._sliding != (what, row):
            self._keep()
            self._base, self._sliding = self.state, (what, row)
        return self._base

    def _turn_over(self, message: Json) -> Json:
        """The + side of a row becomes its - side."""
        row = self._row(message)
        self._keep()
        b = self.state.offsets[row] if self.state.offsets else Fraction(0)
        return self._change_to(
            self.state.with_row(row, [-x for x in self.state.rows[row]], -b), message
        )

    def _show(self, message: Json) -> Json:
        state = with_show(self.state, message.get("show"))
        self._keep()
        return self._change_to(state, message, same_window=False)

    def _undo(self, message: Json) -> Json:
        if not self.undone:
            raise InputError("there is nothing to undo.")
        state = self.undone.pop()
        while state == self.state and self.undone:
            state = self.undone.pop()
        self._sliding = ("", -1)
        return self._change_to(state, message, same_window=state.show == self.state.show)

    def _start_again(self, message: Json) -> Json:
        self._keep()
        return self._change_to(self.first, message, same_window=False)

    def _keep(self) -> None:
        self.undone = [*self.undone[-MOST_UNDONE:], self.state]
        self._sliding = ("", -1)

    def _change_to(self, state: State, message: Json, same_window: bool = True) -> Json:
        self.view = View(state, self.view.square if same_window else None)
        return self._reply(message)

    # ---------------------------------------------------------------- questions

    def _search(self, message: Json) -> Json:
        text = message.get("text")
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise InputError(f"text is {quote(text)}; expected what to search for.")
        return self._answer(search(self.view, text))

    def _pin(self, message: Json) -> Json:
        region, n = message.get("region"), len(self.view.names)
        if not isinstance(region, int) or not 0 <= region < n:
            raise InputError(f"region is {quote(region)}; expected 0 to {n - 1}.")
        return self._answer(Answer("", [region]))

    def _answer(self, answer: Answer) -> Json:
        only = answer.regions[0] if len(answer.regions) == 1 else None
        known = None if only is None else details(self.view, only)._asdict()
        return {"say": answer.html, "regions": answer.regions, "details": known}

    def _draw(self, message: Json) -> Json:
        return self._reply(message)

    def _reply(self, message: Json) -> Json:
        named = message.get("pictures", [])
        if not isinstance(named, list) or any(name not in PICTURES for name in named):
            raise InputError(f"pictures is {quote(named)}; expected some of {list(PICTURES)}.")
        undo = len(self.undone)
        return {**self.view.json(*named), "show": self.state.show, "undo": undo, "rest": REST}

    def _row(self, message: Json) -> int:
        row, n = message.get("row"), len(self.state.rows)
        if not isinstance(row, int) or not 0 <= row < n:
            raise InputError(f"row is {quote(row)}; expected 0 to {n - 1}.")
        return row

    actions = {
        "move": _move,
        "slide": _slide,
        "turn_over": _turn_over,
        "show": _show,
        "undo": _undo,
        "start_again": _start_again,
        "search": _search,
        "pin": _pin,
        "draw": _draw,
    }


def _snap(value: Any, unit: Fraction) -> Fraction:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not abs(value) <= _FARTHEST * unit:  # nan is not
        raise InputError(f"to holds {quote(value)}; expected numbers of at most 10^9 units.")
    return Fraction(round(Fraction(value) / unit * _GRID), _GRID) * unit
