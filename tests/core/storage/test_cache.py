import itertools
import multiprocessing
import os
import pickle
import random
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core.errors import StoreError
from lumber_core.storage.cache import Cache
from tests.core.core_support import memory_folder, quick
from tests.core.forking import works_in_a_fork


@pytest.fixture
def path() -> Iterator[Path]:
    with memory_folder() as folder:
        yield Path(folder) / "cache.db"


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@quick
@given(
    st.lists(
        st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), st.binary(max_size=40)),
        max_size=4,
    )
)
def test_a_cache_behaves_like_a_dictionary(rounds) -> None:
    with memory_folder() as folder:
        check_contents(Cache(Path(folder) / "cache.db", "things"), rounds)


def check_contents(cache: Cache, rounds: list[dict[str, bytes]]) -> None:
    expected: dict[str, bytes] = {}
    for values in rounds:
        cache.put_many(values)
        expected.update(values)
    cache.close()
    assert dict(cache.items()) == expected
    assert len(cache) == len(expected)
    assert cache.get_many([*expected, "not there"]) == expected
    gone = list(expected)[::2]
    cache.delete([*gone, "not there"])
    assert dict(cache.items()) == {k: v for k, v in expected.items() if k not in gone}
    cache.close()


def write_other_database(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return make


def write_content(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


def write_unreadable_schema(path: Path) -> None:
    cache = Cache(path, "things")
    cache.put("key", b"value")
    cache.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE T\xffBLE"))


def write_damaged(path: Path) -> None:
    cache = Cache(path, "things")
    cache.put_many({str(number): bytes(2000) for number in range(20)})
    cache.close()
    raw = bytearray(path.read_bytes())
    raw[4096:8192] = random.Random(0).randbytes(4096)
    path.write_bytes(raw)


def write_version(version: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(Cache(path, "things")) as cache:
            cache.put("key", b"value")
        write_other_database(f"PRAGMA user_version = {version}")(path)

    return make


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (write_other_database("CREATE TABLE things (x)"), "another program"),
        (
            write_other_database("PRAGMA journal_mode = WAL", "CREATE TABLE x (y)"),
            "another program",
        ),
        (write_content(b"this is no database, whatever its name says" * 50), "used.*another path"),
        # SQLite takes this for an empty database, and would overwrite it.
        (write_content(b"\x00"), "cannot be used"),
        (write_content(b"SQLite format 3\x00and no more"), "cannot be used"),
        *((write_unreadable_schema, "cannot be used"), (write_damaged, "cannot be used")),
        *((write_version(99), "a newer version"), (write_version(1), "an older version")),
    ],
)
@pytest.mark.parametrize(
    "use",
    [lambda c: c.get("key"), lambda c: c.put("key", b"v"), Cache.open],
    ids=["get", "put", "open"],
)
def test_a_file_that_is_not_a_cache_is_refused_and_unchanged(path, make, message, use) -> None:
    make(path)
    before = contents(path.parent)
    with pytest.raises(StoreError, match=message):
        use(Cache(path, "things"))
    assert contents(path.parent) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none/cache.db", r"the folder .*none does not exist\. Create it, or pass another path"),
        ("file/cache.db", r"the folder .*file does not exist"),
        ("x" * 300, "cannot be used"),
    ],
)
def test_a_path_that_cannot_be_used_is_named(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=message):
        Cache(tmp_path / name, "things").open()


def test_a_pickled_cache_is_the_same_file_in_another_folder(path: Path, monkeypatch) -> None:
    monkeypatch.chdir(path.parent)
    cache = Cache(path.name, "things")
    cache.put("key", b"value")
    pickled = pickle.dumps(cache)
    monkeypatch.chdir(path.parent.parent)
    assert pickle.loads(pickled).get("key") == b"value"


def _put(paths: list[Path], together: threading.Barrier, child: int) -> None:
    for path in paths:
        together.wait()
        cache = Cache(path, "things" if child % 2 else "others")
        for number in range(4):
            cache.put(f"{child}.{number}", b"")
            cache.close()


def test_processes_may_create_use_and_close_a_file_at_the_same_time(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    paths = [path.with_name(f"{number}.db") for number in range(12)]
    start = context.Barrier(3, timeout=60)
    children = [context.Process(target=_put, args=(paths, start, n), daemon=True) for n in range(3)]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
    assert [child.exitcode for child in children] == [0] * 3
    assert {len(Cache(path, kind)) for path in paths for kind in ("things", "others")} == {4, 8}


@pytest.mark.skipif(os.name == "nt", reason="Windows does not delete files that are in use")
def test_values_stored_after_the_file_was_deleted_are_in_a_new_file(path: Path) -> None:
    first, second = Cache(path, "things"), Cache(path, "others")
    first.put("before", b"")
    second.put("before", b"")
    path.unlink()
    first.put("after", b"")
    second.put("after", b"")
    for kind in ("things", "others"):
        assert [key for key, _ in Cache(path, kind).items()] == ["after"]


def _put_and_close(path: Path, key: str) -> None:
    cache = Cache(path, "things")
    cache.put(key, b"")
    cache.close()


def test_two_caches_of_a_process_share_a_file_with_other_processes(path: Path) -> None:
    """SQLite's locks belong to a process: one cache must not release the locks of another."""
    context = multiprocessing.get_context("spawn")
    first, second = Cache(path, "things"), Cache(path, "others")
    first.put("0", b"")
    second.put("0", b"")
    for key in ("1", "2"):
        other = context.Process(target=_put_and_close, args=(path, f"other {key}"), daemon=True)
        other.start()
        other.join(60)
        assert other.exitcode == 0
        first.put(key, b"")
    first.close()
    second.close()
    assert set(dict(first.items())) == {"0", "1", "2", "other 1", "other 2"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_continues_after_its_parent_has_closed_the_file(path: Path) -> None:
    cache = Cache(path, "things")
    cache.put("parent", b"")
    context = multiprocessing.get_context("fork")
    begun, closed = context.Event(), context.Event()

    def work() -> None:
        cache.put("1", b"")
        begun.set()
        closed.wait(60)
        cache.put("2", b"")

    child = context.Process(target=work, daemon=True)
    child.start()
    assert begun.wait(60)
    assert len(cache) == 2
    cache.close()
    closed.set()
    child.join(60)
    assert child.exitcode == 0
    assert set(dict(cache.items())) == {"parent", "1", "2"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_forked_while_threads_write_use_the_file_as_well(path: Path) -> None:
    cache, finished = Cache(path, "things"), threading.Event()

    def write(name: str) -> None:
        for number in itertools.count():
            if finished.is_set():
                return
            cache.put(f"{name}.{number}", b"")
            written.append(f"{name}.{number}")

    written: list[str] = []
    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    try:
        for child in range(4):
            assert works_in_a_fork(lambda: cache.put(f"child {child}", b""))  # noqa: B023
    finally:
        finished.set()
        for thread in threads:
            thread.join()
    assert cache.get_many(written).keys() == set(written)
    assert len(cache) == len(written) + 4
