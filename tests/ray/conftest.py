"""A Ray cluster on this machine; with RAY_ADDRESS set, the one that is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two CPUs, so two workers."""
    ray = pytest.importorskip("ray", reason="ray is not installed")
    if "RAY_ADDRESS" in os.environ:
        ray.init(logging_level="warning")
    else:
        ray.init(
            address="local",
            num_cpus=2,
            object_store_memory=100 * 2**20,
            include_dashboard=False,
            logging_level="warning",
        )
    yield ray
    ray.shutdown()
