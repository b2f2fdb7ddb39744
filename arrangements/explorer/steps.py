"""Replies that a saved page holds, since it has no server to ask."""

from __future__ import annotations

from arrangements.errors import ArrangementError
from arrangements.explorer.answers import all_details, find_impossible
from arrangements.explorer.session import PICTURES, Session
from arrangements.explorer.state import REST, SLIDERS, State
from arrangements.explorer.views import Json, View

# Regions, or rows where there are more of them, of all stored steps together; most regions of which
# all pictures are stored.
_STORED_REGIONS, _ALL_PICTURES = 4000, 500
# Sign vectors, rankings or sets of which the impossible ones are stored with their proofs.
_PROVED = 128
# A stored slider has every one of so many positions.
_STEPS = {"length": 2, "turn": 3, "right": 4, "up": 4, "offset": 4}


def positions(slider: str) -> range:
    """Positions of a slider whose steps are stored, that of rest among them."""
    each = _STEPS[slider]
    return range(REST[slider] % each, len(SLIDERS[slider]), each)


def precompute_steps(session: Session) -> Json:
    """Replies to what a saved page may ask, as many as fit."""
    view = session.view
    pictures = PICTURES if len(view.names) <= _ALL_PICTURES else PICTURES[:1]
    first = {**_describe(view, *pictures), "impossible": find_impossible(view, _PROVED)}
    n = len(view.state.rows)
    room = _STORED_REGIONS - len(view.names)
    steps: list[list[Json]] = []
    owners: dict[str, dict[str, int]] = {}
    # the sliders of one row after the other, so that small pages have all of them
    requests = [(name, 0) for name in ("right", "up")] if session.state.show != "chambers" else []
    requests += [(name, row) for row in range(n) for name in ("length", "turn")]
    requests += [("offset", row) for row in range(n)]
    for name, row in requests:
        if name in ("turn", "up") and view.state.dimension == 1:
            continue
        if room < max(len(view.names), n) * len(positions(name)):
            break
        found = [_step(session.state, name, row, position, view) for position in positions(name)]
        room -= sum(max(len(step["names"]), n) for step in found if "names" in step)
        rows = range(n) if name in ("right", "up") else [row]
        for owner in rows:
            owners.setdefault(name, {})[str(owner)] = len(steps)
        steps.append(found)
    return {"first": first, "steps": steps, "owners": owners}


def _step(state: State, slider: str, row: int, position: int, view: View) -> Json:
    try:
        return _describe(View(state.slide(slider, row, position), view.square), "plane")
    except ArrangementError as error:
        return {"error": str(error)}


def _describe(view: View, *pictures: str) -> Json:
    return {
        **view.json(*pictures),
        "show": view.state.show,
        "details": [known._asdict() for known in all_details(view)],
    }
