"""Messages of a page and the replies to them, both fit for JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from arrangements.errors import ArrangementError, InputError
from arrangements.explorer.views import Json
from arrangements.messages import quote

# Steps that can be undone.
MOST_UNDONE = 100


class Conversation:
    """One page's side of it: no message raises, a mistake is a reply with the key ``error``.

    Attributes
    ----------
    actions : dict
        What answers a message, by its key ``do``.
    """

    actions: ClassVar[dict[str, Callable[[Any, Json], Json]]]

    def handle(self, message: Json) -> Json:
        """The reply to a message, whose key ``do`` says what."""
        try:
            if not isinstance(message, dict):
                raise InputError(f"a message is {quote(message)}; expected an object.")
            action = message.get("do")
            if not isinstance(action, str) or action not in self.actions:
                expected = ", ".join(self.actions)
                raise InputError(f"do is {quote(action)}; expected one of {expected}.")
            return self.actions[action](self, message)
        except ArrangementError as error:
            return {"error": str(error)}
