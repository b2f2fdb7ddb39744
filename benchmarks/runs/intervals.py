"""How sure a median of measured times is: bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Resamples; their seed is fixed, so the same times always have the same interval.
_RESAMPLES = 4000
SEED = 7


def interval(times: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the median; of one time it is the time itself.

    Examples
    --------
    >>> interval([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 9.0])
    (1.1, 1.5)
    """
    return _ends(_medians(times, SEED), level)


def ratio_interval(
    new: Sequence[float], old: Sequence[float], level: float = 0.99
) -> tuple[float, float]:
    """Bootstrap interval of the ratio of two medians, of times that are not paired.

    Examples
    --------
    >>> low, high = ratio_interval([2.0, 2.1, 2.2], [1.0, 1.1, 1.0])
    >>> round(low, 2), round(high, 2)
    (1.82, 2.2)
    """
    return _ends(_medians(new, SEED) / _medians(old, SEED + 1), level)


def _medians(times: Sequence[float], seed: int) -> NDArray[np.float64]:
    values = np.asarray(times, np.float64)
    chosen = np.random.default_rng(seed).integers(len(values), size=(_RESAMPLES, len(values)))
    return np.median(values[chosen], axis=1)


def _ends(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Resamples themselves, not points between them."""
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(values, ends, method="nearest").tolist()
    return low, high


def is_narrow(times: Sequence[float], share: float) -> bool:
    """Whether the interval of the median is at most this share of the median wide.

    Examples
    --------
    >>> is_narrow([1.0, 1.01, 1.0, 0.99, 1.0], 0.04), is_narrow([1.0, 2.0, 1.5], 0.04)
    (True, False)
    """
    low, high = interval(times)
    return high - low <= share * float(np.median(times))
