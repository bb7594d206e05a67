"""Work in a forked process, which cannot hang the tests."""

import os
import signal
import time
from collections.abc import Callable


def works_in_a_fork(work: Callable[[], object]) -> bool:
    """Run `work` in a forked process; False if it fails or takes more than three minutes."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    until = time.monotonic() + 180
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False
