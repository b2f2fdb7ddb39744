"""Which class where: all pieces of the decision regions of a network, listed or streamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np

from arrangements.checks import check_instance, check_integer
from arrangements.execution import limits
from arrangements.messages import Remedy
from arrangements.networks.decision_set import DecisionRegions, Pieces
from arrangements.networks.domain import read_domain
from arrangements.networks.listing import iter_regions
from arrangements.networks.network import Network
from arrangements.networks.planning import FEWER_REGIONS, expected_regions, foreseen
from arrangements.networks.region_set import Regions
from arrangements.networks.tournaments import tournament_of
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within
from arrangements.sets import ternary

_STREAM = Remedy("stream", "Stream them with iter_decision_regions.")


def decision_regions(
    network: Network,
    *,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    max_bytes: int | None = None,
    time_limit: float | None = None,
) -> DecisionRegions:
    """The decision regions of a network: where which output is the largest, exact.

    A decision region is the set of inputs of one class. In a linear region it is a convex
    polyhedron, a piece; these are listed, with their classes.

    Parameters
    ----------
    network : Network
        Its outputs are scores of classes. A single output has the classes 1, where it is positive,
        and 0, where it is negative.
    within : Polyhedron, or (A, c), optional
        As in `regions`. Shares of classes need a bounded one.
    workers, progress, max_bytes
        As in `regions`.
    limit : int, optional
        Stop after this many pieces; then the result has ``complete == False``.
    time_limit : float, optional
        Stop after this many seconds, about.

    Returns
    -------
    DecisionRegions
        Pieces with their classes; ``shares`` of the volume and connected ``components`` of each
        class. Where several outputs are the largest in a set of full dimension, such as where all
        are 0, this is a class of its own, the tuple of these outputs. The order of pieces is not
        promised.

    Raises
    ------
    InputError
        If an argument is malformed.
    TooLargeError
        If the list takes more than `max_bytes`, or more than a day.

    See Also
    --------
    iter_decision_regions : in blocks, with memory independent of their number.
    can_output : can a class be the output at all? Needs no list, and so takes more inputs.
    robust_radius : how far an input is from another class.
    arrangements.plot.plot_network : a picture.
    arrangements.write_certificate : a file with a proof for each class that it occurs, or not.

    Notes
    -----
    Exact: the network gets one more unit for each class but the first, the difference between the
    output of the class and the largest one before it [1]_. So the search for regions also proves
    which output is the largest, in the same time for each region. Classes that win often come
    first, which leaves few further cuts; parts of one linear region with one class are joined.
    Shares come from the exact vertices of the facets between classes, in a millisecond or less for
    each piece.

    `write_certificate` writes which classes occur: for each a point, exact, or the proof of
    `can_output` that there is none. Pieces and shares are exact, but no file proves them.

    References
    ----------
    .. [1] R. Arora, A. Basu, P. Mianjy, A. Mukherjee, Understanding deep neural networks with
       rectified linear units, ICLR 2018.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> net = Network([([[1, 0], [-1, 0]], None), ([[1, 1], [0, 0]], [0, 1])])
    >>> found = decision_regions(net, within=Polyhedron.box(-2, 3, dimension=2))
    >>> found
    DecisionRegions(4 pieces, labels 0, 1, complete)
    >>> for row in found.table():
    ...     print(row["label"], row["share"], row["components"])
    0 3/5 2
    1 2/5 1
    """
    search = _Search(network, within, limit)
    room = limits.available_bytes()
    if max_bytes is not None:
        room = check_integer("max_bytes", max_bytes, 1)
    found, total, complete = [search.nothing], 0, True
    for pieces, is_whole in search.blocks(workers, progress, time_limit, True):
        found.append(pieces)
        complete &= is_whole
        total += len(pieces.codes)
        what = f"{total} pieces were found so far"
        limits.check_bytes(what, total * pieces.row_bytes, _STREAM, allowed=room)
    joined = _stack(found)
    return search.answer(joined.unique() if workers > 1 else joined, complete, True)


def iter_decision_regions(
    network: Network,
    *,
    within: Within | None = None,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[DecisionRegions]:
    """The pieces of decision regions in blocks, with memory independent of their number.

    Parameters
    ----------
    network, within, progress, limit, time_limit
        As in `decision_regions`.

    Yields
    ------
    DecisionRegions
        Disjoint blocks, which have no shares; together they are what `decision_regions` returns.
        The last one has ``complete == False`` if `limit` or `time_limit` ended the search.

    See Also
    --------
    decision_regions : all in one, with shares.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1]], None)])
    >>> sum(len(block) for block in iter_decision_regions(net))
    5
    """
    search = _Search(network, within, limit)
    found = search.blocks(1, progress, time_limit, False)
    return (search.answer(pieces, complete, False) for pieces, complete in found)


class _Search:
    """A question about all pieces, checked."""

    def __init__(self, network: Network, within: Within | None, limit: int | None) -> None:
        check_instance("network", network, Network)
        self.network = network
        self.limit = inf if limit is None else check_integer("limit", limit, 1)
        self.domain = read_domain(within, network)
        within = None if self.domain is None else self.domain.polyhedron
        self.tournament = tournament_of(network, within)

    @property
    def nothing(self) -> Pieces:
        """No pieces."""
        n = len(self.tournament.order)
        codes = ternary.encode(np.zeros((0, self.network.n_units), np.int8))
        return Pieces(codes, np.zeros((0, n), bool), None)

    def blocks(
        self, workers: int, progress: bool, time_limit: float | None, all_of_them: bool
    ) -> Iterator[tuple[Pieces, bool]]:
        """Blocks of pieces, and whether none was left out; `all_of_them` must not take a day.

        With one thread each piece comes once: the parts of a linear region come after one another,
        and the last region of a block waits for the next block.
        """
        options: Any = {"workers": workers, "progress": progress, "time_limit": time_limit}
        found = iter_regions(self.tournament.network, within=self._within, **options)
        if all_of_them and self.domain is not None and self.limit == inf and time_limit is None:
            number = partial(expected_regions, self.tournament.network, self.domain)
            found = foreseen(found, len, number, "listing", refusal=FEWER_REGIONS)
        waiting, complete, left = self.nothing, True, self.limit
        for block in found:
            pieces, complete = _stack([waiting, self._pieces(block)]).unique(), block.complete
            ends = (pieces.codes == pieces.codes[-1:]).all(axis=1)
            waiting, pieces = pieces.rows(ends), pieces.rows(~ends)
            if len(pieces.codes) > left:
                yield pieces.rows(slice(int(left))), False
                return
            left -= len(pieces.codes)
            if len(pieces.codes):
                yield pieces, True
        if len(waiting.codes) or not complete:
            complete = complete and len(waiting.codes) <= left
            yield waiting.rows(slice(int(min(left, len(waiting.codes))))), complete

    @property
    def _within(self) -> Polyhedron:
        if self.domain is not None:
            return self.domain.polyhedron
        d = self.network.dimension
        return Polyhedron(np.zeros((1, d), np.int64), [-1])  # nothing

    def _pieces(self, block: Regions) -> Pieces:
        """The pieces of regions of the tournament."""
        signs, n = block.to_array(), self.network.n_units
        winners = self.tournament.winners(signs[:, n:])
        return Pieces(ternary.encode(signs[:, :n]), winners, block.points)

    def answer(self, pieces: Pieces, complete: bool, is_all: bool) -> DecisionRegions:
        """Pieces as an object."""
        return DecisionRegions(self.network, self.domain, self.tournament, pieces, complete, is_all)


def _stack(parts: Sequence[Pieces]) -> Pieces:
    """All pieces, one part after the other."""
    points = [part.points for part in parts if part.points is not None]
    return Pieces(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.winners for part in parts]),
        np.concatenate(points) if points else None,
    )
