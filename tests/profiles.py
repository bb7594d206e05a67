"""How many examples property tests run: as many as each needs by default, more on request.

`HYPOTHESIS_PROFILE=long` multiplies every number of examples by `HYPOTHESIS_FACTOR` (30).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
FACTOR = int(os.environ.get("HYPOTHESIS_FACTOR", "30")) if LONG else 1

settings.register_profile("default", max_examples=100, deadline=None, print_blob=True)
settings.register_profile(
    "long",
    parent=settings.get_profile("default"),
    max_examples=100 * FACTOR,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("long" if LONG else "default")


def examples(count: int) -> settings:
    """Return a decorator that gives a property test `count` examples, more in long runs."""
    return settings(max_examples=count * FACTOR)
