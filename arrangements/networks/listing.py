"""The public functions: list, stream or count the regions of a network, or find one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import (
    check_flag,
    check_instance,
    check_integer,
    check_max_hours,
    check_time_limit,
)
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.messages import Remedy, short_number
from arrangements.networks.affine_maps import Composition
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.enumeration import region_blocks, region_counts
from arrangements.networks.network import Network
from arrangements.networks.planning import FEWER_REGIONS, expected_regions, foreseen
from arrangements.networks.region import Region
from arrangements.networks.region_set import Regions
from arrangements.networks.sampling import Estimate
from arrangements.polyhedra.reading import Within
from arrangements.sets import ternary

_STREAM = Remedy("stream", "Stream them with iter_regions, or count them with count_regions.")
# A forecast is made when a list has so many regions, and so large a share of what it may take.
_MANY, _SHARE = 2**18, 1 / 64


def regions(
    network: Network,
    *,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    max_bytes: int | None = None,
    time_limit: float | None = None,
) -> Regions:
    """The regions of a network of ReLU units, each with the signs of all units.

    A region is a largest set of points, of full dimension, where no unit changes its sign. On it
    the network is an affine function. Two regions with the same function but different signs are
    two.

    Parameters
    ----------
    network : Network
    within : Polyhedron, or (A, c), optional
        Only the regions that meet the relative interior of this polyhedron, or of ``A @ x <= c``,
        and their parts in it. If it has equations, or is flat, regions are those of the network
        restricted to it.
    workers : int
        Threads, where regions are kept as vertices: see Notes.
    progress : bool
        Show a bar on standard error that counts them.
    limit : int, optional
        Stop after this many regions; the result has ``complete == False`` if there are more.
    max_bytes : int, optional
        Refuse a list that takes more, or that is expected to; default half of the free memory.
    time_limit : float, optional
        Stop after this many seconds, about; the result has ``complete == False``.

    Returns
    -------
    Regions
        Their order is not promised.

    Raises
    ------
    InputError
        If an argument is malformed.
    TooLargeError
        If the list takes more than `max_bytes`, or more than a day.

    Warns
    -----
    SlowCountWarning
        If the list is expected to take more than an hour.

    See Also
    --------
    iter_regions : in blocks, with memory independent of their number.
    count_regions : without listing them.
    region_at : the region of one point.

    Notes
    -----
    Exact: a sign is decided in floating point only where an error bound proves it. In a region of
    the layers before, units are affine functions, and cut it or not [1]_ [2]_. Polyhedra of
    dimension at most 6, also unbounded ones, are split unit by unit: a region is kept as its
    vertices, which say which units cut it, in some microseconds for each region. Elsewhere the
    chambers of each layer are listed in each region of the layers before, by linear programs: of 64
    inputs and two layers of 16 units in 30 microseconds for each region, of 64 units in 3
    milliseconds. There several threads do not help.

    After some seconds, and where a list has 262,144 regions and takes 1/64 of the memory that it
    may, a sample tells how many there will be (`plan_regions`). A list that will not fit, or takes
    more than a day, is refused; with `limit` or `time_limit` it ends there in any case.

    References
    ----------
    .. [1] G. Montufar, R. Pascanu, K. Cho, Y. Bengio, On the number of linear regions of deep
       neural networks, NIPS 2014.
    .. [2] T. Serra, C. Tjandraatmadja, S. Ramalingam, Bounding and counting linear regions of deep
       neural networks, ICML 2018.

    Examples
    --------
    >>> net = Network([([[1], [1]], [0, -1]), ([[1, -2]], [0]), ([[1]], None)])
    >>> for region in sorted(regions(net), key=lambda region: region.point):
    ...     print(region.pattern.tolist(), region.point[0], region.affine_map[0][0, 0])
    [-1, -1, 0] -1 0
    [1, -1, 1] 1/2 1
    [1, 1, 1] 3/2 -1
    [1, 1, -1] 4 0
    """
    request = _Request(network, within, workers, progress, limit, time_limit)
    if max_bytes is not None:
        max_bytes = check_integer("max_bytes", max_bytes, 1)
    return request.all(max_bytes)


def iter_regions(
    network: Network,
    *,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[Regions]:
    """The regions of a network in blocks, with memory independent of their number.

    Parameters
    ----------
    network, within, workers, progress, limit, time_limit
        As in `regions`.

    Yields
    ------
    Regions
        Disjoint blocks; together they are the set that `regions` returns. The last one has
        ``complete == False`` if `limit` or `time_limit` ended the search.

    See Also
    --------
    regions : all in one.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], None), ([[1, 1, -1]], None)])
    >>> sum(len(block) for block in iter_regions(net))
    6
    """
    return _Request(network, within, workers, progress, limit, time_limit).blocks()


def count_regions(
    network: Network,
    *,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> int:
    """Count the regions of a network without storing them.

    Parameters
    ----------
    network, within, workers, progress
        As in `regions`.
    max_hours : float, optional
        Refuse a count that is expected to take more, as a sample tells after some seconds. The
        default is a day.

    Raises
    ------
    TooLargeError
        If the count is expected to take more than `max_hours`.

    Warns
    -----
    SlowCountWarning
        If it is expected to take more than an hour.

    See Also
    --------
    plan_regions : the sample alone.

    Examples
    --------
    >>> tent = [([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], None)]
    >>> count_regions(Network(tent), within=([[1], [-1]], [1, 0]))
    4
    """
    check_max_hours(max_hours)
    return sum(_Request(network, within, workers, progress).counts(max_hours))


def region_at(network: Network, x: ArrayLike, *, within: Within | None = None) -> Region:
    """The region that contains a point.

    Parameters
    ----------
    network : Network
    x : (d,) array_like
    within : Polyhedron, or (A, c), optional
        As in `regions`; the point lies in its relative interior.

    Raises
    ------
    InputError
        If the point lies between regions, where a unit changes its sign, or on the boundary of
        `within`, or outside.

    Notes
    -----
    Exact, and no search: the cost of one evaluation of the network in integers for each input.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> region_at(net, [0.25, 2]).pattern
    array([1, 1, 1], dtype=int8)
    >>> region_at(net, [0.5, 0.5])
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: x lies on the boundary of a region, where unit 2 of layers[0] \
is 0; expected a point inside. Move it a little.
    """
    check_instance("network", network, Network)
    domain = read_domain(within, network)
    point = as_fractions(x, "x")
    if len(point) != network.dimension:
        raise InputError(f"x has {len(point)} entries; expected {network.dimension}, the inputs.")
    if domain is None or not domain.polyhedron.contains(x, interior=True):
        raise InputError("x does not lie in the relative interior of within; move it there.")
    pattern = network.pattern_at(x)
    _check_inside(network, domain, pattern)
    return Region(network, pattern, domain, point)


def _check_inside(network: Network, domain: Domain, at: NDArray[np.int8]) -> None:
    """Refuse a point with this pattern if it lies between regions."""
    starts = network.starts
    state = Composition.of(network.layers, domain.basis)
    for k in range(len(network.layers)):
        z = state.preactivations()
        signs = at[starts[k] : starts[k + 1]]
        for i in np.flatnonzero(signs == 0).tolist():
            if any(z.rows[i]):
                raise InputError(
                    f"x lies on the boundary of a region, where unit {i} of layers[{k}] is 0; "
                    "expected a point inside. Move it a little."
                )
        state = state.then(z, signs.tolist())


# ------------------------------------------------------------------ requests


class _Request:
    """A question about all regions, checked."""

    def __init__(
        self,
        network: Network,
        within: Within | None,
        workers: int,
        progress: bool,
        limit: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        check_instance("network", network, Network)
        check_time_limit(time_limit)
        self.workers = check_integer("workers", workers, 1)
        self.progress = check_flag("progress", progress)
        self.limit = None if limit is None else check_integer("limit", limit, 1)
        self.end = np.inf if time_limit is None else time.monotonic() + time_limit
        self.network, self.domain = network, read_domain(within, network)
        self._expected: Estimate | None = None

    def counts(self, max_hours: float | None) -> Iterator[int]:
        """Numbers that sum to that of all regions."""
        if self.domain is None:
            return
        found = region_counts(self.network, self.domain, self.workers)
        shown = with_progress(found, self.progress, None, int, "regions")
        yield from foreseen(shown, int, self.expected, "counting", max_hours)

    def expected(self) -> Estimate:
        """About how many regions there are."""
        if self._expected is None:
            assert self.domain is not None  # some were found
            self._expected = expected_regions(self.network, self.domain)
        return self._expected

    def blocks(self) -> Iterator[Regions]:
        """Disjoint sets, the last of which says whether `limit` or `time_limit` cut it short."""
        if self.domain is None:
            return
        found = region_blocks(self.network, self.domain, self.workers)
        sizes = with_progress(found, self.progress, None, lambda x: len(x.codes), "regions")
        left = inf if self.limit is None else self.limit
        for codes, points in sizes:
            complete = len(codes) <= left and time.monotonic() < self.end
            rows = int(min(left, len(codes)))
            left -= rows
            if rows or not complete:
                at = None if points is None else points[:rows]
                yield Regions(self.network, self.domain, codes[:rows], at, complete)
            if not complete:
                return

    def all(self, max_bytes: int | None) -> Regions:
        """All in one set."""
        room = limits.available_bytes() if max_bytes is None else max_bytes
        found, total, is_sure = [], 0, self.limit is not None or self.end < inf
        blocks = self.blocks()
        if not is_sure:
            blocks = foreseen(blocks, len, self.expected, "listing", refusal=FEWER_REGIONS)
        for block in blocks:
            found.append(block)
            total += len(block)
            row = block._codes.itemsize * block._codes.shape[1]
            row += 0 if block._points is None else 8 * self.network.dimension
            what = f"{total} regions were found so far"
            limits.check_bytes(what, total * row, _STREAM, allowed=room)
            if total >= _MANY and total * row > _SHARE * room and not is_sure:
                is_sure = True
                number = self.expected().number
                what = f"about {short_number(number)} regions are expected"
                limits.check_bytes(what, number * row, _STREAM, allowed=room)
        codes = [ternary.encode(np.zeros((0, self.network.n_units), np.int8))]
        codes += [block._codes for block in found]
        points = [block._points for block in found if block._points is not None]
        at = np.concatenate(points) if points and len(points) == len(found) else None
        complete = not found or found[-1].complete
        return Regions(self.network, self.domain, np.concatenate(codes), at, complete)
