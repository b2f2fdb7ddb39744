"""Settings shared by all tests."""

from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it, which counts as time of the example.
settings.register_profile(
    "arrangements",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("arrangements")
