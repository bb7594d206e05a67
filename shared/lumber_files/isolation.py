"""Reads files in a child process with limits of time and memory.

A file may send its reader into an endless loop, crash native code or take gigabytes. The user's
process continues, with an error of one sentence. A child starts with the first file and serves
until the process ends; each thread that reads has its own child. It receives JSON and the file
through a pipe, and answers in JSON: a hostile file that controls the child must not control the
parent, as it could with pickles.

A child is another Python interpreter. A packed program (PyInstaller, Nuitka, cx_Freeze) has none,
and its executable is the program: it is forked, or started as `multiprocessing` does.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Any

from lumber_files.child_process import serve_pipe
from lumber_files.readers import UnreadableFileError

_CPU_SECONDS_PER_UNPACKED_BYTE = 1.2e-6  # per byte of `max_unpacked`: 60 s by default
_CPU_SECONDS_PER_BYTE = 5e-6  # per byte of the file: enough for books of 10,000 pages
_BASE_CPU_SECONDS = 2  # importing a reader takes some of it
_CLOCK_PER_CPU = 5  # elapsed time per CPU time, because other programs use the CPU as well
_MAX_REUSED_BYTES = 1 << 25  # a child ends after a larger file, whose memory may stay allocated
_MARK = "LUMBER_SPLITTERS_READS_A_FILE"
"""A variable in the environment of a child, so that a program restarted by mistake stops."""

# Packages that a child imports without their `__init__`, which imports splitters and takes ten
# times as long as a reader.
_PACKAGES_OF_READERS = ("lumber_core", "lumber_files")
_CHILD = """
import json, sys, types
given = json.loads(sys.stdin.buffer.readline())
sys.path[:] = given["path"]
for name, path in given["packages"].items():
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = path
from lumber_files.child_process import serve_standard_input
serve_standard_input()
"""


@dataclass
class _Child:
    """A process that reads one file after another."""

    ask: Callable[[dict[str, Any], bytes], bytes]  # returns its answer; b"" if it ends without one
    is_alive: Callable[[], bool]
    end: Callable[[], None]
    kill: Callable[[], None]
    exit_status: Callable[[], int | None]

    def read(self, request: dict[str, Any], content: bytes) -> dict[str, Any]:
        """Return the child's answer; if it ended without one, an error states how."""
        seconds = request["seconds"] * _CLOCK_PER_CPU
        watch, end = Timer(seconds, self.kill), monotonic() + seconds
        watch.daemon = True
        watch.start()
        try:
            answer = self.ask({**request, "size": len(content)}, content)
        except (OSError, EOFError):  # the child has ended
            answer = b""
        except BaseException:  # such as Ctrl-C: half an answer may be in the pipe
            self.end()
            raise
        finally:
            watch.cancel()
        if answer:
            parsed: dict[str, Any] = json.loads(answer.decode("utf-8", "surrogatepass"))
            return parsed
        self.end()
        if monotonic() >= end or self.exit_status() == -getattr(signal, "SIGXCPU", 0):
            return {"error": f"takes more than {request['seconds']} s of CPU time to read"}
        return {"error": "cannot be read: its reader crashed, or needed too much memory"}


def _start_interpreter(interpreter: str) -> _Child:
    # -I and -S skip the setup of a search path: the child gets that of the parent.
    process: Any = subprocess.Popen(
        [interpreter, "-I", "-S", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, _MARK: "1"},
    )
    requests, answers = process.stdin, process.stdout

    def send(request: dict[str, Any], content: bytes = b"") -> None:
        requests.write(json.dumps(request).encode() + b"\n")
        requests.write(content)
        requests.flush()

    def ask(request: dict[str, Any], content: bytes) -> bytes:
        send(request, content)
        answer = answers.readline()
        return answer if answer.endswith(b"\n") else b""

    def end() -> None:
        process.kill()
        with suppress(OSError):  # the data that were not sent
            process.communicate()

    packages = {name: list(sys.modules[name].__path__) for name in _PACKAGES_OF_READERS}
    # Python ignores other entries, such as a Path, as well.
    send({"path": [entry for entry in sys.path if isinstance(entry, str)], "packages": packages})
    return _Child(ask, lambda: process.poll() is None, end, process.kill, process.poll)


def _start_packed() -> _Child:
    """Fork a program without an interpreter, or start it again on systems without fork."""
    from multiprocessing import get_context  # deferred: few programs are packed

    context: Any = get_context("fork" if hasattr(os, "fork") else "spawn")
    pipe, child_pipe = context.Pipe()
    process = context.Process(target=serve_pipe, args=(child_pipe,), daemon=True)
    process.start()
    child_pipe.close()

    def ask(request: dict[str, Any], content: bytes) -> bytes:
        pipe.send_bytes(json.dumps(request).encode())
        pipe.send_bytes(content)
        answer: bytes = pipe.recv_bytes()
        return answer

    def end() -> None:
        process.kill()
        process.join()
        pipe.close()

    return _Child(ask, process.is_alive, end, process.kill, lambda: process.exitcode)


# Idle children by the process that started them: a fork must not use its parent's children.
_idle = defaultdict[int, list[_Child]](list)


@atexit.register
def _end_idle() -> None:
    for child in _idle[os.getpid()]:
        child.end()


def read_isolated(reader: str, content: bytes, *, name: str, kind: str, max_unpacked: int) -> Any:
    """Return the result of a reader that runs on a file in a child process.

    The reader, such as "lumber_files.pdf.page_reader:read_pages", takes the content and
    `max_unpacked`, and returns JSON values. Its module imports nothing expensive at its top. It
    checks while unpacking that the file unpacks to at most `max_unpacked` bytes.

    Raises:
        UnreadableFileError: The reader raised, crashed, or took too much time or memory.
    """
    seconds = _BASE_CPU_SECONDS + int(
        _CPU_SECONDS_PER_UNPACKED_BYTE * max_unpacked + _CPU_SECONDS_PER_BYTE * len(content)
    )
    limits = {"max_unpacked": max_unpacked, "seconds": seconds}
    try:
        child = _take_child()
    except (OSError, AssertionError, RuntimeError) as error:
        raise UnreadableFileError(
            f"{name} cannot be read: no process can be started to read it ({error})"
        ) from error
    answer = child.read({"reader": reader, "kind": kind, **limits}, content)
    if child.is_alive():
        if len(content) <= _MAX_REUSED_BYTES:
            _idle[os.getpid()].append(child)
        else:
            child.end()
    if "error" in answer:
        raise UnreadableFileError(f"{name} {answer['error']}")
    return answer["value"]


def _take_child() -> _Child:
    with suppress(IndexError):  # no child is idle; other threads take children, too
        while True:
            child = _idle[os.getpid()].pop()
            if child.is_alive():
                return child
    if _MARK in os.environ or "--multiprocessing-fork" in sys.argv:
        raise RuntimeError(
            "this program was started to read a file and is about to start itself again: a packed "
            "program calls multiprocessing.freeze_support() before anything else"
        )
    interpreter = _interpreter()
    return _start_packed() if interpreter is None else _start_interpreter(interpreter)


def _interpreter() -> str | None:
    """Return the path of a Python interpreter; None in a packed program."""
    if getattr(sys, "frozen", False):
        return None
    # `sys.executable` is another program where Python is embedded, as in uWSGI.
    folder = Path(sys.exec_prefix, "Scripts" if os.name == "nt" else "bin")
    for path in (sys.executable, folder / "python3", folder / "python", folder / "python.exe"):
        if path and Path(path).name.lower().startswith(("python", "pypy")) and Path(path).is_file():
            return str(path)
    return None
