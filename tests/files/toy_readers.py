"""Readers that the content of a file makes crash, hang or take memory."""

import os
import resource
import signal
import sys
from typing import Any


def size(content: bytes, max_unpacked: int) -> dict[str, Any]:
    os.write(1, b"What libraries print is no answer.\n")
    return {"size": len(content), "text": "Flut\n\ud800"}


def process(content: bytes, max_unpacked: int) -> list[int]:
    return [os.getpid(), "lumber_core.bert" in sys.modules]


def endless(content: bytes, max_unpacked: int) -> None:
    while True:
        pass


def crash(content: bytes, max_unpacked: int) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hungry(content: bytes, max_unpacked: int) -> int:
    return len(bytearray(1 << 36))


def stopped(content: bytes, max_unpacked: int) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def address_space(content: bytes, max_unpacked: int) -> int:
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def damaged(content: bytes, max_unpacked: int) -> None:
    raise KeyError("/Root")


def long(content: bytes, max_unpacked: int) -> str:
    return "ä" * max_unpacked
