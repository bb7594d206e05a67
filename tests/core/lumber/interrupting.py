"""Runs that are interrupted while a model is out of reach."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
import time

from tests.core.lumber.support import ScatteredModel

ANSWERED = 20
"""Questions that `TroubledModel` answers."""


class TroubledModel(ScatteredModel):
    """Answers some questions, and then is out of reach for good."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = itertools.count(1)

    def complete(self, system, user, *, answers=None):
        number = next(self._numbers)
        if number == ANSWERED + 1:
            sys.stdout.write("out of reach\n")
            sys.stdout.flush()
        if number > ANSWERED:
            raise ConnectionError
        return super().complete(system, user, answers=answers)


def interrupted(code: str, *arguments: object) -> str:
    """Press Ctrl-C on a program that asks a `TroubledModel`, once that is out of reach.

    Returns:
        What the program wrote to its standard error.
    """
    # Whoever starts the tests may have turned Ctrl-C off, which children inherit.
    listening = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    hours_apart = "import random\nrandom.uniform = lambda low, high: 10_000.0\n"
    child = subprocess.Popen(
        [sys.executable, "-c", listening + hours_apart + code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "out of reach\n"
    time.sleep(0.3)  # until all threads wait for their next attempts
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    return errors
