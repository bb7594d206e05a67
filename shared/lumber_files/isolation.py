"""Reads files in a child process with limits of time and memory.

A file may send its reader into an endless loop, crash native code or take gigabytes. The user's
process goes on, with an error of one sentence. A child starts with the first file and serves until
the process ends; each thread that reads has its own. It receives a line of JSON and the file
through a pipe, and answers in JSON: a hostile file that controls the child must not control the
parent, as it could by pickling.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from contextlib import suppress
from importlib import import_module
from threading import Timer
from typing import Any

from lumber_files.limits import TooMuchError, UnreadableFileError, check_unpacked

_CPU_PER_UNPACKED = 1.2e-6  # seconds a byte of the limit: 60 s by default
_CPU_PER_BYTE = 5e-6  # seconds a byte of the file: books of 10,000 pages take longer
_MIN_SECONDS = 2  # of CPU time; importing a reader takes some of it
_CLOCK_PER_CPU = 5  # times the CPU time: other programs take their share of the CPU
_BASE_MEMORY = 1 << 30  # bytes of address space; Python and a reader take a fifth
_COPIES_OF_FILE = 8  # as bytes, parsed and as text; added to the memory
_ANSWER_OVERHEAD = 10_000  # bytes of an answer besides the text

# Without their __init__, which imports splitters and takes ten times as long as a reader.
_PACKAGES_OF_READERS = ("lumber_core", "lumber_files")
_CHILD = """
import json, sys, types
given = json.loads(sys.stdin.buffer.readline())
sys.path[:] = given["path"]
for name, path in given["packages"].items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
from lumber_files.isolation import answer_requests
answer_requests()
"""


class _Child:
    """A process that reads one file after another."""

    def __init__(self) -> None:
        self._is_late = False
        # -I and -S: its search path is the parent's, so that it needs none of its own.
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        packages = {name: list(sys.modules[name].__path__) for name in _PACKAGES_OF_READERS}
        self._send({"path": sys.path, "packages": packages})

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def read(self, request: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Return the child's answer; if it ended without one, an error states how."""
        watch = Timer(request["seconds"] * _CLOCK_PER_CPU, self._expire)
        watch.daemon = True
        watch.start()
        try:
            self._send(request, content)
            assert self._process.stdout is not None
            answer = self._process.stdout.readline()
        except OSError:  # the child has ended
            answer = b""
        except BaseException:  # such as Ctrl-C: half an answer may be in the pipe
            self.end()
            raise
        finally:
            watch.cancel()
        if answer.endswith(b"\n"):
            parsed: dict[str, Any] = json.loads(answer.decode("utf-8", "surrogatepass"))
            return parsed
        self.end()
        if self._is_late or self._process.returncode == -getattr(signal, "SIGXCPU", 0):
            return {"error": f"takes more than {request['seconds']} s of CPU time to read"}
        return {"error": "cannot be read: its reader crashed, or needed too much memory"}

    def _expire(self) -> None:
        self._is_late = True
        self._process.kill()

    def end(self) -> None:
        self._process.kill()
        with suppress(OSError):  # what was not sent
            self._process.communicate()

    def _send(self, request: dict[str, Any], content: bytes = b"") -> None:
        pipe = self._process.stdin
        assert pipe is not None
        pipe.write(json.dumps({**request, "size": len(content)}).encode() + b"\n")
        pipe.write(content)
        pipe.flush()


# By the ID of the process that started them: a fork must not use its parent's.
_idle = defaultdict[int, list[_Child]](list)


@atexit.register
def _end_idle() -> None:
    for child in _idle[os.getpid()]:
        child.end()


def read_isolated(
    reader: str, content: bytes, *, name: str, kind: str, max_unpacked: int, **options: Any
) -> Any:
    """Return the result of a reader that runs on a file in a child process.

    Args:
        reader: The function, as in "lumber_files.pdf.page_reader:read_pages". It takes the
            content, `max_unpacked` and the options, and returns JSON values. Its module imports
            nothing expensive at its top.
        content: The file.
        name: Its name, for errors.
        kind: Its format, for errors.
        max_unpacked: Maximum size in bytes that the file unpacks to, as UTF-8. The reader checks it
            while unpacking; the size of its result is checked as well.
        **options: JSON values.

    Raises:
        UnreadableFileError: The reader raised, crashed, or took too much time or memory.
    """
    seconds = _MIN_SECONDS + int(_CPU_PER_UNPACKED * max_unpacked + _CPU_PER_BYTE * len(content))
    limits = {"max_unpacked": max_unpacked, "seconds": seconds}
    request = {"reader": reader, "kind": kind, "options": options, **limits}
    child = _take_child()
    answer = child.read(request, content)
    if child.is_alive():
        _idle[os.getpid()].append(child)
    if "error" in answer:
        raise UnreadableFileError(f"{name} {answer['error']}")
    return answer["value"]


def _take_child() -> _Child:
    with suppress(IndexError):  # none is idle; other threads take them as well
        while True:
            child = _idle[os.getpid()].pop()
            if child.is_alive():
                return child
    return _Child()


def answer_requests() -> None:
    """Read the files that the parent sends until it ends. Runs in the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends the child
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to stderr: stdout is for answers
    while line := requests.readline():
        request = json.loads(line)
        content = requests.read(request["size"])
        _limit_resources(request["seconds"], _BASE_MEMORY + _COPIES_OF_FILE * len(content))
        answers.write(_answer(request, content) + b"\n")
        answers.flush()


def _answer(request: dict[str, Any], content: bytes) -> bytes:
    try:
        module, function = request["reader"].split(":")
        read = getattr(import_module(module), function)
        answer = {"value": read(content, request["max_unpacked"], **request["options"])}
        encoded = json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")
        check_unpacked(len(encoded) - _ANSWER_OVERHEAD, request["max_unpacked"])
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
    except ImportError:  # Windows, where only the parent's timer bounds it
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    limits = {resource.RLIMIT_CPU: int(used) + seconds, resource.RLIMIT_AS: memory}
    for limit, maximum in {**limits, resource.RLIMIT_CORE: 0}.items():
        with suppress(ValueError, OSError):  # lower already, or macOS, which cannot limit memory
            resource.setrlimit(limit, (maximum, resource.getrlimit(limit)[1]))
