"""What is seen of a test that does not end: `timeout` in pyproject.toml, by pytest-timeout.

It ends the process, and with it the run or, in parallel, that test alone: an exception often cannot
end a test that hangs. A pool waits for its threads, an event loop for its executor, and Hypothesis
repeats what failed.
"""

from __future__ import annotations

import threading
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Name the main thread after the test; the name heads its stack if the time is up.

    The stack alone does not show an asynchronous test.
    """
    main = threading.main_thread()
    name, main.name = main.name, item.nodeid
    try:
        return (yield)
    finally:
        main.name = name
