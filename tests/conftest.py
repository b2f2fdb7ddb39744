"""Settings shared by all tests."""

import os

from hypothesis import HealthCheck, settings

# Pictures are drawn without a screen.
os.environ["MPLBACKEND"] = "Agg"

# The first call of a kernel compiles it, which counts as time of the example.
settings.register_profile(
    "arrangements",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arrangements")
