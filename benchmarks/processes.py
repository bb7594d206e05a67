"""Runs functions in new processes, and measures the memory of a process."""

from __future__ import annotations

import multiprocessing
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_STATUS = Path("/proc/self/status")


def run_alone(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function in a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args, kwargs)


def peak_memory() -> float:
    """Return the peak memory of this process, in MiB.

    On Linux it is read from the process's own status, because `ru_maxrss` starts at the memory of
    the parent process, which may have loaded other models.
    """
    if _STATUS.exists():
        match = re.search(r"^VmHWM:\s+(\d+) kB", _STATUS.read_text(encoding="ascii"), re.MULTILINE)
        if match:
            return int(match[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 if sys.platform == "linux" else peak / 1024**2
