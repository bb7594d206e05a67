"""Reads files in a child process with limits of time and memory.

Whatever a file makes of its reader (an endless loop, a crash of native code, gigabytes), the user's
process goes on, with an error of one sentence. A child is started when the first file is read and
serves until the process ends; with several threads there are as many. It gets a line of JSON and
the file through a pipe, and answers with JSON: a hostile file that gains control of the child must
not gain that of the parent, as it would by pickling.
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

_SECONDS = 1.2e-6  # of CPU time for each byte that a file may unpack to: 60 s by default
_SECONDS_MORE = 5e-6  # for each byte of the file, as books of 10,000 pages take longer
_LEAST_SECONDS = 2  # importing a reader takes some of it
_WAITS = 5  # times as long on the clock: other programs take their part of the CPU
_MEMORY = 1 << 30  # bytes of addresses; Python and a reader take a fifth
_COPIES = 8  # of the file besides, as bytes, as what a reader makes of them, and as text
_BEYOND = 10_000  # bytes of an answer that are not text

# Where readers are. The packages' own __init__ would import splitters: ten times a reader's time.
_PACKAGES = ("lumber_core", "lumber_files")
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
        packages = {name: list(sys.modules[name].__path__) for name in _PACKAGES}
        self._send({"path": sys.path, "packages": packages})

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def read(self, request: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Return the child's answer; if there is none, the error says how the child has ended."""
        watch = Timer(request["seconds"] * _WAITS, self._expire)
        watch.daemon = True
        watch.start()
        try:
            self._send(request, content)
            assert self._process.stdout is not None
            answer = self._process.stdout.readline()
        except OSError:  # it has ended
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


# By the process that started them: after a fork, the new process must not use those of the old.
_idle = defaultdict[int, list[_Child]](list)


@atexit.register
def _end_idle() -> None:
    for child in _idle[os.getpid()]:
        child.end()


def read_isolated(
    reader: str, content: bytes, *, name: str, kind: str, most: int, **options: Any
) -> Any:
    """Return what a function makes of a file in a child process.

    Args:
        reader: The function, as in "lumber_files.pdf.page_reader:read_pages". It takes the
            content, `most` and the options, and returns what JSON has. Its module imports nothing
            heavy at its top.
        content: The file.
        name: Its name, for errors.
        kind: Its format, for errors.
        most: Maximum size in bytes of what it unpacks to, as UTF-8; the reader checks it as it
            unpacks, and what it returns is checked as well.
        **options: What JSON has.

    Raises:
        UnreadableFileError: The reader raised an error, crashed, took too much time or memory.
    """
    seconds = _LEAST_SECONDS + int(_SECONDS * most + _SECONDS_MORE * len(content))
    request = {"reader": reader, "kind": kind, "most": most, "seconds": seconds, "options": options}
    child = _take_child()
    answer = child.read(request, content)
    if child.is_alive():
        _idle[os.getpid()].append(child)
    if "error" in answer:
        raise UnreadableFileError(f"{name} {answer['error']}")
    return answer["value"]


def _take_child() -> _Child:
    with suppress(IndexError):  # there is none; threads take them at the same time
        while True:
            child = _idle[os.getpid()].pop()
            if child.is_alive():
                return child
    return _Child()


def answer_requests() -> None:
    """Read the files that the parent sends, until it ends; run in the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    while line := requests.readline():
        request = json.loads(line)
        content = requests.read(request["size"])
        _limit(request["seconds"], _MEMORY + _COPIES * len(content))
        answers.write(_answer(request, content) + b"\n")
        answers.flush()


def _answer(request: dict[str, Any], content: bytes) -> bytes:
    try:
        module, function = request["reader"].split(":")
        read = getattr(import_module(module), function)
        answer = {"value": read(content, request["most"], **request["options"])}
        made = json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass")
        check_unpacked(len(made) - _BEYOND, request["most"])
        return made
    except TooMuchError as error:
        reason = str(error)
    except MemoryError:
        reason = "needs too much memory to be read"
    except Exception as error:  # noqa: BLE001 - parsers raise whatever damaged files make of them
        reason = f"cannot be read as {request['kind']}: {str(error) or type(error).__name__}"
    return json.dumps({"error": reason}).encode()


def _limit(seconds: int, memory: int) -> None:
    """Limit what this process may take from now on, where the system can."""
    try:
        import resource
    except ImportError:  # Windows; there the parent's clock remains
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    wanted = {resource.RLIMIT_CPU: int(used) + seconds, resource.RLIMIT_AS: memory}
    for limit, most in {**wanted, resource.RLIMIT_CORE: 0}.items():
        with suppress(ValueError, OSError):  # lower already, or macOS, which limits no addresses
            resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))
