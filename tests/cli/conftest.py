"""What all tests of the command line share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module", autouse=True)
def use_scored_once(scored_once: None) -> None:
    """The models are tested elsewhere."""
