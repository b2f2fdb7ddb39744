"""One result for all regions, none of which is stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.errors import InputError, InputTypeError
from arrangements.messages import quote
from arrangements.networks.domain import read_domain
from arrangements.networks.listing import iter_regions
from arrangements.networks.network import Network
from arrangements.networks.planning import FEWER_REGIONS, expected_regions, foreseen
from arrangements.networks.region_set import Regions
from arrangements.polyhedra.reading import Within


def fold_regions(
    network: Network,
    step: Callable[[Regions], ArrayLike],
    combine: Callable[[Any, Any], Any] = np.add,
    *,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
) -> Any:
    """Combine what a step finds in blocks of regions, all of which it sees once, storing none.

    Parameters
    ----------
    network, within, workers, progress
        As in `regions`.
    step : callable
        A function of a block, a `Regions`, that returns a number or an array.
    combine : callable
        Makes one result of two; associative, and commutative with several `workers`. The default
        adds.

    Raises
    ------
    InputError
        If there are no regions, since nothing can be combined.
    TooLargeError
        If the regions are expected to take more than a day; `iter_regions` takes them all the same.

    See Also
    --------
    iter_regions : blocks one by one.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> fold_regions(net, lambda block: (block.to_array() > 0).sum(axis=0)).tolist()
    [4, 4, 3]
    """
    for name, given in ("step", step), ("combine", combine):
        if not callable(given):
            raise InputTypeError(f"{name} is {quote(given)}; expected a function.")
    blocks = iter_regions(network, within=within, workers=workers, progress=progress)
    domain = read_domain(within, network)
    if domain is not None:
        expected = partial(expected_regions, network, domain)
        blocks = foreseen(blocks, len, expected, "visiting", refusal=FEWER_REGIONS)
    results = map(step, blocks)
    try:
        first = next(results)
    except StopIteration:
        raise InputError("within has no region; expected one to begin with.") from None
    return reduce(combine, results, first)
