"""Files are read in a child process: whatever they do to it, the next one is read."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

from lumber_files import UnreadableFileError
from lumber_files.isolation import read_isolated

MEGABYTE = 10**6


def read(reader: str, content: bytes = b"", max_unpacked: int = MEGABYTE, **options: Any) -> Any:
    whole = f"tests.files.toy_readers:{reader}"
    return read_isolated(whole, content, name="a", kind="TOY", max_unpacked=max_unpacked, **options)


def test_a_reader_gets_the_file_and_its_options() -> None:
    assert read("size", b"x" * 3 * MEGABYTE, more=1) == {
        "size": 3 * MEGABYTE + 1,
        "text": "Flut\n\ud800",
    }


@pytest.mark.parametrize(
    ("reader", "max_unpacked", "reason"),
    [
        ("endless", 0, "takes more than 2 s of CPU time to read"),
        ("crash", MEGABYTE, "cannot be read: its reader crashed, or needed too much memory"),
        ("hungry", MEGABYTE, "needs too much memory to be read"),
        ("damaged", MEGABYTE, "cannot be read as TOY: '/Root'"),
        ("long", MEGABYTE, "unpacks to more than max_unpacked=1,000,000 bytes"),
    ],
)
def test_an_error_states_what_a_file_does_to_its_reader_and_the_next_one_is_read(
    reader: str, max_unpacked: int, reason: str
) -> None:
    with pytest.raises(UnreadableFileError, match=f"^a {reason}"):
        read(reader, max_unpacked=max_unpacked)
    assert read("size", b"abc")["size"] == 3


def test_a_child_serves_many_files_and_has_no_splitters() -> None:
    first, splitters = read("process")
    assert first != os.getpid()
    assert not splitters
    assert read("process")[0] == first


def test_threads_have_a_child_each_and_their_own_answers() -> None:
    with ThreadPoolExecutor(4) as pool:
        sizes = pool.map(lambda n: read("size", b"x" * n)["size"], range(40))
        assert [*sizes] == [*range(40)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_children_of_its_own() -> None:
    ours = read("process")[0]
    with get_context("fork").Pool(2) as pool:  # of daemons, which may have no children by fork
        theirs = {one[0] for one in pool.map(read, ["process"] * 4, chunksize=1)}
    assert ours not in theirs
    assert read("process")[0] == ours


def test_a_child_ends_with_its_parent() -> None:
    context = get_context("spawn")
    with context.Pool(1) as pool:
        [child] = {pool.apply(read, ("process",))[0]}
        os.kill(child, 0)
        pool.close()
        pool.join()
    for _ in range(1000):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    pytest.fail("it is still there")
