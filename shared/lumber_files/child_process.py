"""The child process that reads files: limits its resources, and answers one request after another.

Modules are imported without the `__init__` of their packages, which would import splitters.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from math import ceil
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from lumber_files.readers import TooMuchError, check_unpacked

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_BASE_MEMORY_BYTES = 1 << 30  # address space for any file; Python and a reader take a fifth of it
_COPIES_OF_FILE = 8  # further memory, in file sizes: for the bytes, the parsed file and the text
_ANSWER_OVERHEAD_BYTES = 10_000  # room in an answer for what is not text, such as notices
_SECONDS_BETWEEN_LOOKS = 1  # between two checks whether the parent still runs
_OBJECTS_BETWEEN_COLLECTIONS = 100_000  # readers make many objects, and few cycles of them
_Requests = Iterator[tuple[dict[str, Any], Callable[[], bytes]]]  # the callable receives the file


def serve_standard_input() -> None:
    """Read the files that a parent sends to a new interpreter, until the parent ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")

    def receive() -> _Requests:
        while line := requests.readline():
            request = json.loads(line)
            yield request, partial(requests.read, request["size"])

    def answer(encoded: bytes) -> None:
        answers.write(encoded + b"\n")
        answers.flush()

    _serve(receive(), answer)


def serve_pipe(pipe: Connection) -> None:
    """Read the files that a parent sends to a fork of itself, until the parent ends."""

    def receive() -> _Requests:
        with suppress(EOFError, OSError):  # the parent has ended
            while True:
                yield json.loads(pipe.recv_bytes()), pipe.recv_bytes

    _serve(receive(), pipe.send_bytes)


def _serve(requests: _Requests, answer: Callable[[bytes], None]) -> None:
    in_use = 0  # bytes of address space that a fork has from its parent
    with suppress(OSError, ValueError):  # only Linux has this file
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        in_use = pages * os.sysconf("SC_PAGE_SIZE")
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends the child
    Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with suppress(OSError):  # a program without a console has no stderr
        os.dup2(2, 1)  # output of libraries goes to stderr: stdout is for answers
    for request, receive in requests:
        # The limit is set before the file is received, because the file needs memory as well.
        memory = in_use + _BASE_MEMORY_BYTES + _COPIES_OF_FILE * request["size"]
        _limit_resources(request["seconds"], memory)
        answer(_answer(request, receive()))


def _end_with(parent: int) -> None:
    """End this process soon after its parent; a fork may keep the other end of the pipe open."""
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


def _answer(request: dict[str, Any], content: bytes) -> bytes:
    try:
        module, function = request["reader"].split(":")
        reader = getattr(import_module(module), function)
        answer = {"value": reader(content, request["max_unpacked"])}
        encoded = json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")
        check_unpacked(len(encoded) - _ANSWER_OVERHEAD_BYTES, request["max_unpacked"])
        return encoded
    except TooMuchError as error:
        reason = str(error)
    except MemoryError:
        reason = "needs too much memory to be read"
    except Exception as error:  # noqa: BLE001 - parsers raise anything on damaged files
        reason = f"cannot be read as {request['kind']}: {str(error) or type(error).__name__}"
    return json.dumps({"error": reason}).encode()


def _limit_resources(seconds: int, memory: int) -> None:
    """Limit the CPU time and the memory of this process from now on, where the system can."""
    try:
        import resource
    except ImportError:  # Windows, where only the parent's timer limits this process
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    limits = {resource.RLIMIT_CPU: ceil(used) + seconds, resource.RLIMIT_AS: memory}
    for limit, maximum in {**limits, resource.RLIMIT_CORE: 0}.items():
        with suppress(ValueError, OSError):  # a lower limit is set, or macOS cannot limit memory
            resource.setrlimit(limit, (maximum, resource.getrlimit(limit)[1]))
