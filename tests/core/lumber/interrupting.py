"""Runs that are interrupted while a model is out of reach."""

import itertools
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from lumber_core.storage.cache import Cache
from tests.core.lumber.support import ScatteredModel

ANSWERED = 20
"""Questions that `TroubledModel` answers."""


class TroubledModel(ScatteredModel):
    """Answers some questions, and then cannot be reached any more.

    Then Ctrl-C is pressed: by the user, who reads a line, or so that the system tells a thread of
    the model's calls alone, as it may if the main thread is about to wait.
    """

    def __init__(self, pressed_by: str) -> None:
        super().__init__()
        self._pressed_by = pressed_by
        self._numbers = itertools.count(1)

    def complete(self, system, user, *, answers=None):
        number = next(self._numbers)
        if number == ANSWERED + 1 and self._pressed_by == "user":
            sys.stdout.write("out of reach\n")
            sys.stdout.flush()
        elif number == ANSWERED + 4 and self._pressed_by == "thread":  # other threads do not answer
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        if number > ANSWERED:
            raise ConnectionError
        return super().complete(system, user, answers=answers)


def press_ctrl_c(code: str, store: Path, kind: str, calls: int, pressed_by: str = "user") -> str:
    """Press Ctrl-C on a program that asks a `TroubledModel`, after the model becomes unreachable.

    Return what the program wrote to its standard error.
    """
    # Whoever starts the tests may have turned Ctrl-C off, which children inherit.
    listening = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    hours_apart = "import random\nrandom.uniform = lambda low, high: 10_000.0\n"
    program = [sys.executable, "-c", listening + hours_apart + code]
    with subprocess.Popen(
        [*program, str(store), str(calls), pressed_by],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            if pressed_by == "user":
                assert child.stdout is not None
                assert child.stdout.readline() == "out of reach\n"
                deadline = time.monotonic() + 60
                while len(Cache(store, kind)) < ANSWERED:  # threads may still be storing
                    assert time.monotonic() < deadline, "the answers are not stored"
                    time.sleep(0.02)
                child.send_signal(signal.SIGINT)
            return child.communicate(timeout=60)[1]
        finally:
            child.kill()
