"""What to expect of all regions of a network, from a sample of them."""

from __future__ import annotations

import time
from typing import NamedTuple

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.execution.limits import available_bytes
from arrangements.networks.charts import sweeps_of, too_many_inputs
from arrangements.networks.domain import read_domain
from arrangements.networks.network import Network
from arrangements.networks.sampling import estimate_regions
from arrangements.polyhedra.reading import Within
from arrangements.sets import ternary

# For the sample, and for the pace.
_SECONDS = 1.0


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
    InputError
        If there are more than 6 inputs, so that regions are not kept as vertices. A slice has a
        forecast: ``within=Polyhedron(equations=(E, f))`` of at most 6 dimensions.

    See Also
    --------
    region_bounds : bounds for all networks with such layers.

    Notes
    -----
    Takes about two seconds at most. The regions of the first layer are listed, 200 of them drawn,
    the regions of the next layer listed in these, and so on [1]_. With three layers of 64 units the
    number is right within about 10%. If the first layer has more than 131,072 regions, its number
    is taken as in general position: then the forecast may be too high.

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
    row = 8 * (ternary.words_for(network.n_units) + network.dimension)
    if domain is None:
        return RegionPlan(0, 0.0, 0, available_bytes(), 0.0)
    sweeps = sweeps_of(network, domain)
    if not sweeps:
        raise too_many_inputs(network, "a forecast", "region_bounds has bounds.")
    expected, error = estimate_regions(sweeps, _SECONDS)
    found, began, taken = 0, time.perf_counter(), 0.0
    for count in (count for sweep in sweeps for count in sweep.counts()):
        found, taken = found + count, time.perf_counter() - began
        if taken > _SECONDS:
            break
    needed = taken * max(1.0, expected / max(1, found))
    return RegionPlan(expected, error, expected * row, available_bytes(), needed)
