import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from lumber_files import UnreadableFileError
from lumber_files.isolation import read_isolated

MEGABYTE = 10**6


def read(reader: str, content: bytes = b"", max_unpacked: int = MEGABYTE) -> Any:
    function_path = f"tests.files.toy_readers:{reader}"
    return read_isolated(function_path, content, name="a", kind="TOY", max_unpacked=max_unpacked)


@pytest.fixture
def no_idle_children(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    idle = defaultdict[int, list[Any]](list)
    with monkeypatch.context() as patch:
        patch.setattr("lumber_files.isolation._idle", idle)
        yield
    for child in idle[os.getpid()]:
        child.end()


def wait_for_end(process: int) -> None:
    for _ in range(1000):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
        except (ProcessLookupError, FileNotFoundError):
            return
        if state.split()[0] == "Z":  # a zombie has ended
            return
        time.sleep(0.01)
    pytest.fail("it is still there")


def test_a_reader_gets_the_file() -> None:
    assert read("size", b"x" * 3 * MEGABYTE) == {"size": 3 * MEGABYTE, "text": "Flut\n\ud800"}


@pytest.mark.parametrize(
    ("reader", "max_unpacked", "reason"),
    [
        ("endless", 0, "takes more than 1 s of CPU time to read"),
        ("crash", MEGABYTE, "cannot be read: its reader crashed, or needed too much memory"),
        ("hungry", MEGABYTE, "needs too much memory to be read"),
        ("damaged", MEGABYTE, "cannot be read as TOY: '/Root'"),
        ("long", MEGABYTE, "unpacks to more than max_unpacked=1,000,000 bytes"),
    ],
)
def test_an_error_states_how_a_reader_failed_and_the_next_file_is_read(
    reader: str, max_unpacked: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumber_files.isolation._BASE_CPU_SECONDS", 1)
    with pytest.raises(UnreadableFileError, match=f"^a {reason}"):
        read(reader, max_unpacked=max_unpacked)
    assert read("size", b"abc")["size"] == 3


def test_a_child_serves_many_files_and_has_no_splitters() -> None:
    first, splitters = read("process")
    assert first != os.getpid()
    assert not splitters
    assert read("process")[0] == first


def test_each_thread_has_its_own_child_and_answers() -> None:
    with ThreadPoolExecutor(4) as pool:
        sizes = pool.map(lambda n: read("size", b"x" * n)["size"], range(40))
        assert [*sizes] == [*range(40)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_children_of_its_own() -> None:
    ours = read("process")[0]
    with get_context("fork").Pool(2) as pool:  # daemons, which must not fork children
        theirs = {process[0] for process in pool.map(read, ["process"] * 4, chunksize=1)}
    assert ours not in theirs
    assert read("process")[0] == ours


def test_a_stopped_child_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lumber_files.isolation._CLOCK_PER_CPU", 0.5)
    with pytest.raises(UnreadableFileError, match=r"^a takes more than 2 s"):
        read("stopped", max_unpacked=0)


def test_the_memory_of_a_reader_depends_only_on_its_file() -> None:
    first = read("address_space", b"x" * 3 * MEGABYTE)
    read("size", b"")
    assert read("address_space", b"x" * 3 * MEGABYTE) == first
    before = read("process")[0]
    read("size", b"x" * 40 * MEGABYTE)  # the first reader keeps its memory
    assert read("process")[0] != before


@pytest.mark.parametrize("entry", [Path(), b"folder", None], ids=repr)
@pytest.mark.usefixtures("no_idle_children")
def test_entries_of_sys_path_that_are_not_strings_are_ignored(entry: Any, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, entry])
        size = read("size", b"abc")["size"]
    assert size == 3


APPLICATION = """
import os, sys
{setup}
open({started!r}, "a").write("x")
if len(open({started!r}).read()) < 5:
    from lumber_files.isolation import read_isolated
    toy = "tests.files.toy_readers:size"
    try:
        print(read_isolated(toy, b"abc", name="a", kind="TOY", max_unpacked=10**6)["size"])
    except Exception as error:
        print(error)
"""


@pytest.mark.parametrize(
    ("setup", "answer"),
    [
        ("sys.frozen, sys.executable = True, {program!r}", "3"),  # PyInstaller, cx_Freeze
        ("sys.executable = {program!r}", "3"),  # uWSGI
        ("sys.executable = {program!r}; sys.exec_prefix = '/away'", "3"),  # Nuitka
        ("sys.executable = ''", "3"),  # embedded
        ("os.environ['LUMBER_SPLITTERS_READS_A_FILE'] = '1'", "freeze_support"),
        ("sys.argv.append('--multiprocessing-fork')", "freeze_support"),
    ],
)
def test_a_program_is_not_started_again_to_read_a_file(setup: str, answer: str, tmp_path: Path):
    program, started = tmp_path / "program", tmp_path / "started"
    source = APPLICATION.format(setup=setup.format(program=str(program)), started=str(started))
    (tmp_path / "application.py").write_text(source, encoding="utf-8")
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {tmp_path / 'application.py'}\n")
    program.chmod(0o755)
    ran = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True)
    assert answer in ran.stdout, ran.stderr
    assert started.read_text() == "x"


@pytest.mark.usefixtures("no_idle_children")
def test_an_error_states_that_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", fail)
    with pytest.raises(UnreadableFileError, match=r"no process can be started .*temporarily"):
        read("size", b"abc")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_ends_with_its_killed_parent_though_a_fork_holds_its_pipe() -> None:
    source = (
        "import os, signal, time; from tests.files.test_isolation import read\n"
        "child = read('process')[0]; fork = os.fork()\n"
        "if not fork: os.close(1); time.sleep(60)\n"
        "print(child, fork, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    # Not through a pipe for stderr, which the fork would hold open.
    ran = subprocess.run([sys.executable, "-c", source], stdout=subprocess.PIPE, timeout=60)
    child, fork = map(int, ran.stdout.split())
    try:
        wait_for_end(child)
    finally:
        os.kill(fork, signal.SIGKILL)


def test_a_child_ends_with_its_parent() -> None:
    context = get_context("spawn")
    with context.Pool(1) as pool:
        [child] = {pool.apply(read, ("process",))[0]}
        os.kill(child, 0)
        pool.close()
        pool.join()
    wait_for_end(child)
