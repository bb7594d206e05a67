"""Settings of property tests: which examples they run.

By default each test runs as many examples as it needs, the same in every run, so that a
failure is due to the current change. `HYPOTHESIS_PROFILE=long` looks for new ones, and for
`HYPOTHESIS_FACTOR` (30) times as many.
"""

import os

from hypothesis import HealthCheck, settings

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
FACTOR = int(os.environ.get("HYPOTHESIS_FACTOR", "30")) if LONG else 1

settings.register_profile("default", max_examples=50, deadline=None, derandomize=True)
settings.register_profile(
    "long",
    parent=settings.get_profile("default"),
    max_examples=50 * FACTOR,
    derandomize=False,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("long" if LONG else "default")


def examples(count: int, *, long: int | None = None) -> settings:
    """Return a decorator that gives a property test `count` examples, more in long runs.

    These take `long` times the factor, if it is given: for tests whose examples take long.
    """
    return settings(max_examples=(long or count) * FACTOR if LONG else count)
