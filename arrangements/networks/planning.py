"""What to expect of all regions of a network, from a sample of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.enumeration.planning import refuse_beyond_floats
from arrangements.execution.limits import available_bytes
from arrangements.forecast.hours import check_hours
from arrangements.messages import Remedy, short_number
from arrangements.networks.cell_sampling import estimate_by_programs
from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.enumeration import region_counts
from arrangements.networks.network import Network
from arrangements.networks.sampling import Estimate, estimate_regions
from arrangements.polyhedra.reading import Within
from arrangements.sets import ternary

# For the sample, and for the pace.
_SECONDS = 1.0
# Spans of so many seconds, whose best pace counts, since in some of them kernels may be compiled.
_LAPS, _LAP = 3, 1.0

_FEWER = (
    "Ask inside a smaller polyhedron, or on a slice of at most 6 dimensions, "
    "within=Polyhedron(equations=(E, f)). limit= or time_limit= keeps the first ones of a list; "
    "can_output and maximum need none."
)
FEWER_REGIONS = Remedy("fewer regions", _FEWER)
_FEWER_OR_HOURS = Remedy(
    "fewer regions or hours", f"{_FEWER} max_hours=math.inf begins it all the same."
)

Item = TypeVar("Item")


@public_class
class RegionPlan(NamedTuple):
    """What to expect of the regions of a network.

    Attributes
    ----------
    expected : int
        About how many there are.
    error : float
        Standard deviation of this number, as the sample tells; 0 if it is exact.
    listing_bytes : int
        What `regions` would hold.
    available_bytes : int
        What it may hold here unless it is told otherwise.
    counting_seconds : float
        About how long `count_regions` takes on one thread; `regions` takes up to twice as long.
    """

    expected: int
    error: float
    listing_bytes: int
    available_bytes: int
    counting_seconds: float

    @property
    def fits(self) -> bool:
        """Whether a list of the regions is let into memory."""
        return self.listing_bytes <= self.available_bytes


def plan_regions(network: Network, *, within: Within | None = None) -> RegionPlan:
    """Predict the number of regions of a network, and the time and memory that they take here.

    Parameters
    ----------
    network : Network
    within : Polyhedron, or (A, c), optional
        As in `regions`.

    Returns
    -------
    RegionPlan

    Raises
    ------
    TooLargeError
        If the number is beyond floats.

    See Also
    --------
    region_bounds : bounds for all networks with such layers.

    Notes
    -----
    Takes about two seconds. The regions of the first layer are listed, 200 of them drawn,
    the regions of the next layer listed in these, and so on [1]_. With three layers of 64 units the
    number is right within about 10%. If the first layer has more than 131,072 regions, its number
    is taken as in general position: then the forecast may be too high, which `error` does not say.

    With more than 6 inputs, regions are drawn unit by unit, by linear programs. With 64 inputs and
    no `within`, the number is right within about 20% for two layers of 16 units, and within a
    factor of 3 for 32. For 64 units it is mostly too low, by one or two powers of ten of 10**34,
    and so is its `error`.

    References
    ----------
    .. [1] P. C. Chen, Heuristic sampling: a method for predicting the performance of tree searching
       programs, SIAM J. Comput. 21 (1992) 295-315.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], None), ([[1, 1, -1]], None)])
    >>> plan = plan_regions(net)
    >>> plan.expected, plan.error, plan.fits
    (6, 0.0, True)
    """
    check_instance("network", network, Network)
    domain = read_domain(within, network)
    if domain is None:
        return RegionPlan(0, 0.0, 0, available_bytes(), 0.0)
    sweeps = sweeps_of(network, domain)
    has_points = sweeps is not None and all(chart.inputs is None for chart in sweeps.charts)
    row = 8 * (ternary.words_for(network.n_units) + network.dimension * has_points)
    expected, error = expected_regions(network, domain)
    refuse_beyond_floats(expected, "regions")
    found, began, taken = 0, time.perf_counter(), 0.0
    if sweeps is None:
        counts = region_counts(network, domain)
    else:
        counts = (count for sweep in sweeps for count in sweep.counts())
    for count in counts:
        found, taken = found + count, time.perf_counter() - began
        if taken > _SECONDS:
            break
    needed = taken * max(1.0, expected / max(1, found))
    return RegionPlan(expected, error, expected * row, available_bytes(), needed)


def expected_regions(network: Network, domain: Domain, layer: int | None = None) -> Estimate:
    """About how many regions there are; with `layer`, linear programs count those up to it."""
    sweeps = sweeps_of(network, domain) if layer is None else None
    if sweeps is None:
        return estimate_by_programs(network, domain, _SECONDS, layer)
    return estimate_regions(sweeps, _SECONDS)


def foreseen(
    found: Iterable[Item],
    size: Callable[[Item], int],
    expected: Callable[[], Estimate],
    doing: str,
    max_hours: float | None = None,
    refusal: Remedy = _FEWER_OR_HOURS,
) -> Iterator[Item]:
    """Portions of regions; after some seconds a forecast warns if they take hours, or refuses.

    Examples
    --------
    >>> list(foreseen([[1, 2], [3]], len, lambda: Estimate(3, 0.0), "counting"))
    [[1, 2], [3]]
    """
    began, total, pace, laps = time.monotonic(), 0, 0.0, 0
    for item in found:
        yield item
        total += size(item)
        seconds = time.monotonic() - began
        if seconds > _LAP and laps < _LAPS:
            pace, laps = max(pace, max(1, total) / seconds), laps + 1
            if laps == _LAPS:
                number = expected().number
                what = f"about {short_number(number)} regions are expected; {doing} them"
                check_hours(what, number, pace, max_hours, refusal=refusal)
            began, total = time.monotonic(), 0
