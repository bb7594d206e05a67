"""Faults of an index: a file that is damaged, foreign, replaced, or of another model."""

import math
import os
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lumber_core import StoreError
from lumber_core.storage import sqlite
from lumber_retrieval.index.store import PassageStore
from tests.alone import run_python
from tests.core.forking import works_in_a_fork
from tests.postgres import Place
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import MUSIC, RIVER, document, index_of

DAMAGE = [
    "UPDATE about SET value = x'ff00' WHERE name = 'probe'",
    "DELETE FROM about WHERE name = 'state'",
    "UPDATE chunks SET metadata = '{'",
    "UPDATE segments SET owners = zeroblob(length(owners))",
    "UPDATE documents SET metadata = '['",
    "UPDATE documents SET text = x'ff'",
    "UPDATE segments SET vectors = x'00'",
    "UPDATE segments SET numbers = x'0001'",
    "UPDATE segments SET lengths = x''",
    "DELETE FROM segments",
    "DROP TABLE postings",
    "ALTER TABLE chunks RENAME COLUMN metadata TO details",
    "UPDATE documents SET text = 5",
    "UPDATE chunks SET metadata = CAST(x'ff' AS TEXT)",
]


class Odd(WordVectors):
    """Embeds the probe differently from documents."""

    def __init__(self, probe: Callable[[list[float]], list[float]]) -> None:
        super().__init__()
        self._probe = probe

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        vectors = super().embed_documents(texts)
        return [*map(self._probe, vectors)] if texts[0].startswith("Which words") else vectors


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_is_named_with_the_way_out(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    index_of(path).add([document(RIVER, "river"), document(MUSIC, "music")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    index = index_of(path)
    way_out = r"notes\.db.*(copy it to .*\.damaged first, then delete it|another path)"
    for _ in range(2):
        with pytest.raises((StoreError, ValueError), match=way_out):
            index.search("otters and violins")


@pytest.mark.parametrize("sentences", ["5", "[[]]", '["a"]', "{", "[1],[2]"])
def test_a_question_that_reads_damaged_sentences_names_the_way_out(sentences, tmp_path) -> None:
    path = tmp_path / "notes.db"
    index_of(path).add([document(RIVER, "river")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE chunks SET sentences = ?", [sentences])
    with pytest.raises(StoreError, match="copy it to"):
        index_of(path).search("otters and violins")


@pytest.mark.parametrize(
    ("column", "use"),
    [
        ("name", lambda store: store.names()),
        ("source", lambda store: store.sources()),
        ("digest", lambda store: store.versions(store.names())),
        ("splitting", lambda store: store.versions(store.names())),
        ("metadata", lambda store: store.contents(store.names())),
    ],
)
def test_every_read_of_a_damaged_value_names_the_way_out(column, use, tmp_path) -> None:
    path = tmp_path / "notes.db"
    index_of(path).add([document(RIVER, "river")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE documents SET {column} = CAST(x'fffe' AS TEXT)")
    with pytest.raises(StoreError, match="copy it to"):
        use(PassageStore(path))


def test_a_failed_read_is_repeated_once(place: Place, monkeypatch: Any) -> None:
    index = index_of(place())
    index.add([document(RIVER, "river")])
    database = index.store.database

    def rename(old: str, new: str) -> None:
        with database.transaction(write=True) as connection:
            connection.execute(f"ALTER TABLE {old} RENAME TO {new}")

    def close() -> None:
        type(database).close(database)
        rename("p", "postings")

    monkeypatch.setattr(database, "close", close)
    rename("postings", "p")
    assert index.search("otters")
    rename("postings", "p")
    index.add([document(f"{RIVER} Eels.", "river")])
    monkeypatch.undo()
    rename("postings", "p")
    with pytest.raises(StoreError, match=r"is damaged .*copy .*then"):
        index.search("eels")


def test_an_error_of_a_filter_is_not_reported_as_damage() -> None:
    index = index_of()
    index.add([document(RIVER, "river")])
    for error in (KeyError("year"), OSError("no list of readers")):

        def refuse(metadata: Any, error: Exception = error) -> bool:
            raise error

        with pytest.raises(type(error), match=str(error.args[0])):
            index.search("otters", where=refuse)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Odd(lambda vector: [math.nan, *vector[1:]]), "not finite"),
        (Odd(lambda vector: []), "of 0 dimensions for one text and of 128 for others"),
        (Odd(lambda vector: vector[:64]), "of 64 dimensions for one text and of 128 for others"),
        (Odd(lambda vector: [*vector, 0]), "of 129 dimensions for one text and of 128 for others"),
    ],
)
def test_a_model_with_invalid_probe_vectors_is_refused(model: WordVectors, message: str) -> None:
    index = index_of(embedding=model)
    with pytest.raises(ValueError, match=message):
        index.add([document(RIVER, "river")])
    assert index.sources == []


def test_a_query_with_a_vector_that_is_not_finite_is_refused() -> None:
    class Lost(WordVectors):
        def embed_query(self, text: str) -> list[float]:
            first, *others = super().embed_query(text)
            return [math.nan if text == "otters" else first, *others]

    for model, vector in ((Lost(), None), (WordVectors(), [math.inf] * 128)):
        index = index_of(embedding=model)
        index.add([document(RIVER, "river")])
        with pytest.raises(ValueError, match="values that are not finite"):
            index.search("otters", vector=vector)


def test_an_older_format_is_named_and_built_again_by_a_sync(tmp_path: Path, caplog: Any) -> None:
    path, both = tmp_path / "notes.db", [document(RIVER, "river"), document(MUSIC, "music")]
    index_of(path).add(both[:1])

    def write(version: int) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(f"PRAGMA user_version = {version}")
            connection.execute("CREATE TABLE IF NOT EXISTS older (name)")

    write(1)
    before = path.read_bytes()
    for use in (lambda: index_of(path).search("otters"), lambda: index_of(path).add(both)):
        with pytest.raises(StoreError, match=r"notes\.db .*an older version.*\(format 1;.*`sync`"):
            use()
    assert path.read_bytes() == before
    for version in (1, 4):
        write(version)
        caplog.clear()
        index = index_of(path)
        assert index.add(both[1:], remove_others=True).embedded > 0
        assert f"{path} has the format of an older version: it is built again" in caplog.text
        assert index.sources == ["music"]
        assert index.search("violins")
        assert index_of(path).add(both[1:], remove_others=True).unchanged == 1
    write(99)
    for remove_others in (False, True):
        with pytest.raises(StoreError, match=r"a newer version.*Use that version"):
            index_of(path).add(both, remove_others=remove_others)


def test_metadata_is_stored_exactly_or_refused() -> None:
    index = index_of()
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (math.nan, deep):
        twice = [document(RIVER, "river", odd=value), document(RIVER, "river", odd=value)]
        with pytest.raises(ValueError, match=r"the metadata .* of river cannot be stored"):
            index.add(twice)
    index.add([document(RIVER, "river", headings=["Animals", "Otters"])])
    assert index.search("otters")[0].metadata["headings"] == "Animals > Otters"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (WordVectors(64), "have 128 dimensions, those of the embedding model 64"),
        (WordVectors(seed=1), "was built with a different embedding model"),
    ],
)
def test_the_model_is_checked_against_the_current_file(other, message, tmp_path) -> None:
    path = tmp_path / "index.db"
    index = index_of(path)
    for _ in range(2):
        path.unlink(missing_ok=True)
        index.add([document(RIVER, "river")])
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        index_of(path, other).add([document(MUSIC, "music")])
    with pytest.raises(ValueError, match=message):
        index_of(path, other).search("otters")
    assert path.read_bytes() == before
    path.unlink()
    index_of(path, other).add([document(MUSIC, "music")])
    with pytest.raises(ValueError, match="model"):
        index.add([document(RIVER, "river")])
    with pytest.raises(ValueError, match="model"):
        index.search("otters")


def test_one_of_two_models_that_create_an_index_at_once_is_refused(place: Place) -> None:
    path, both = place(), threading.Barrier(2)

    class Waiting(WordVectors):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            if texts[0].startswith("Which words"):
                both.wait(60)
            return super().embed_documents(texts)

    def add(model: WordVectors) -> str:
        try:
            index_of(path, model).add([document(RIVER, str(model.width))])
        except ValueError as error:
            return str(error)
        return "added"

    with ThreadPoolExecutor() as pool:
        first, second = sorted(pool.map(add, [Waiting(128), Waiting(64)]))
    assert first == "added"
    assert "pass the model that the index was built with" in second


def test_a_relative_path_stays_the_same_after_a_change_of_folder(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    index = index_of(Path("notes.db"))
    index.add([document(RIVER, "river")])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert index.search("otters")
    assert not Path("notes.db").exists()
    with pytest.raises(ValueError, match="not ':memory:'"):
        index_of(Path(":memory:"))
    with pytest.raises(ValueError, match="must be that of a file"):
        index_of(Path("a\0b"))


def test_a_database_of_another_program_keeps_its_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    script = (
        f"import os, sqlite3; c = sqlite3.connect({str(path)!r}); c.execute('PRAGMA journal_mode = "
        "WAL'); c.execute('CREATE TABLE recipes (name)'); c.commit(); os._exit(0)"
    )
    run_python(script)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert len(before) == 3
    with pytest.raises(StoreError, match=r"another program\. Pass another path"):
        index_of(path).search("otters")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_temporary_index_that_its_parent_dropped_is_not_recreated() -> None:
    index = index_of()
    index.add([document(RIVER, "river")])
    index.store.path.unlink()  # a parent that drops the index does so

    def search() -> None:
        with pytest.raises(StoreError, match="it is temporary"):
            index.search("otters")

    assert works_in_a_fork(search)
    assert not index.store.path.exists()


_FULL_DISK = """
import resource, signal, sys
from tests.retrieval.test_passage_index import document, index_of
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
words = " ".join(f"w{n}" for n in range(800))
path = sys.argv[1] if len(sys.argv) > 1 else None
documents = [document(words[n:], str(n)) for n in range(100)]
index_of(path).add(documents, remove_others=True)
"""
_LIMITED = pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")


@_LIMITED
def test_a_full_disk_leaves_nothing_of_a_temporary_index(tmp_path: Path) -> None:
    completed = run_python(_FULL_DISK, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False)
    assert "StoreError" in completed.stderr
    assert [*tmp_path.iterdir()] == []


@_LIMITED
def test_documents_synced_before_the_disk_was_full_are_kept_and_the_rest_can_follow(tmp_path: Path):
    path = tmp_path / "index.db"
    kept = [document(RIVER, str(n)) for n in range(20)]
    index_of(path).add(kept, remove_others=True)
    assert "StoreError" in run_python(_FULL_DISK, path, check=False).stderr
    index = index_of(path)
    assert {*map(str, range(20))} <= {*index.sources}
    assert index.search("otters")
    assert index.add([document(MUSIC, "music")], remove_others=True).added == 1
    assert index.sources == ["music"]


def test_readers_continue_while_a_large_transaction_is_written(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sqlite, "_MAX_BUSY_SECONDS", 0.2)
    path = tmp_path / "index.db"
    index_of(path).add([document(RIVER, "river")])
    writer, reader = PassageStore(path), index_of(path)
    before = reader.search("otters")
    with ThreadPoolExecutor() as pool, writer.database.transaction(write=True) as connection:
        rows = [(str(n), np.random.default_rng(n).bytes(100_000)) for n in range(100)]
        connection.executemany("INSERT INTO about VALUES (?, ?)", rows)
        assert pool.submit(reader.search, "otters").result(60) == before != []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_an_index_that_is_read_only_is_searched() -> None:
    def search() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)  # root may write everywhere
        assert index_of(path).search("otters") == before != []
        with pytest.raises(StoreError, match="allow writing"):
            index_of(path).add([document(MUSIC, "music")])

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "index.db")
        index = index_of(path)
        index.add([document(RIVER, "river")])
        before = index.search("otters")  # imports modules that the other user may not read
        path.chmod(0o444)
        path.parent.chmod(0o555)
        assert works_in_a_fork(search)
        path.parent.chmod(0o755)
