"""An index in PostgreSQL answers like one in a file, and survives faults of the server."""

import gc
import itertools
import json
import logging
import os
import pickle
import random
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lumber_cli.commands.index import copy_index
from lumber_core import LayoutChunker, StoreError
from lumber_core.spans import Span
from lumber_core.storage.urls import in_collection
from lumber_retrieval.index import segments
from lumber_retrieval.index import store as stores
from lumber_retrieval.index.rows import NewDocument
from lumber_retrieval.index.store import PassageStore
from lumber_retrieval.passage_index import PassageIndex
from tests.core.forking import works_in_a_fork
from tests.postgres import Server
from tests.profiles import examples
from tests.retrieval.embeddings import WordVectors
from tests.retrieval.test_passage_index import MUSIC, RIVER, document, index_of, texts_found

QUESTION = "Where do otters hunt, and how are violins tuned?"
BOTH = [document(RIVER, "river"), document(MUSIC, "music")]


def message(error: pytest.ExceptionInfo[StoreError]) -> str:
    """Return the text of an error, which is one line."""
    text = str(error.value)
    assert "\n" not in text
    assert text.startswith("the database ")
    return text


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Give servers less time to answer."""
    from lumber_core.storage import postgres

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postgres, "_MAX_WAIT_SECONDS", seconds)
        yield


def test_any_text_that_is_not_too_long_can_name_a_collection(postgres: Server) -> None:
    names = ('a"; DROP TABLE documents; --', "Ω/?&=%@", "c" * 56)
    for name in names:
        index = index_of(in_collection(postgres.url, name))
        index.add([document(RIVER, name)])
    for name in names:
        index = index_of(in_collection(postgres.url, name))
        assert index.sources == [name]
    for name in ("", "Ω" * 29, "a\0b"):
        with pytest.raises(ValueError, match="a collection has a name of 1 to 56 bytes"):
            index_of(in_collection(postgres.url, name))
    with pytest.raises(ValueError, match="a collection needs a database"):
        in_collection("notes.db", "handbook")


def test_texts_are_stored_uncompressed(postgres: Server) -> None:
    index = index_of(postgres.place())
    index.add([document("Otters swim. " * 2_000, "river")])
    with index.database.transaction() as connection:
        sizes = connection.execute("SELECT length(text), pg_column_size(text) FROM documents")
        length, stored = sizes.fetchone()
    assert length == stored == 26_000


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
).filter(lambda value: "Infinity" not in json.dumps(value))
TEXT = st.text(st.characters(codec=None), max_size=80)
LONG = random.Random(0).randbytes(1250).hex()  # nearly the largest entry of a B-tree
HOSTILE = TEXT | st.sampled_from(
    ["%s ? :id $1", "'; DROP TABLE about; --", "\\x00", "a" * 9000, LONG]
)


@given(
    given_documents=st.dictionaries(
        HOSTILE.filter(bool),
        st.tuples(HOSTILE, HOSTILE, st.dictionaries(HOSTILE, VALUES, max_size=3)),
        min_size=1,
        max_size=3,
    )
)
@settings(examples(15), suppress_health_check=[*HealthCheck])
def test_names_texts_and_metadata_are_never_read_as_sql(place, given_documents) -> None:
    index = index_of(place())
    documents = [
        document(text, name, source or name, **{f"key {key}": metadata[key] for key in metadata})
        for name, (text, source, metadata) in given_documents.items()
    ]
    index.add(documents)
    stored = index.store.contents(given_documents)
    for new in documents:
        text, metadata = stored[new.name]
        assert text == new.content.text
        assert metadata == json.loads(json.dumps(new.content.metadata))
    assert {*index.store.names()} == {*given_documents}
    assert {*index.sources} == {new.source for new in documents}
    index.search(" ".join(given_documents))
    assert index.delete(index.sources) == len(documents)


def test_a_name_too_long_for_an_index_entry_is_refused(postgres: Server) -> None:
    index = index_of(postgres.place())
    with pytest.raises(StoreError, match="index row size") as error:
        index.add([document(RIVER, LONG + LONG)])
    assert "names of at most 2,500 bytes" in message(error)
    assert index.sources == []


@pytest.mark.parametrize("corpus", ["handbook", "multi_corpus"])
def test_answers_equal_those_of_an_index_in_a_file_exactly(
    corpus, postgres, tmp_path, request
) -> None:
    if corpus == "handbook":
        folder = Path(__file__).parents[3] / "examples" / "handbook"
        questions = ["How long may a rental last?", "Where do guests park?", "the and of"]
    else:
        folder = request.getfixturevalue("data") / corpus
        lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        questions = [json.loads(line)["question"] for line in lines[::40]]
    paths = sorted(folder.rglob("*.md"))[:40]
    documents = [document(path.read_text("utf-8"), path.name) for path in paths]
    indexes = [
        PassageIndex(LayoutChunker(target_size=50), WordVectors(384), place)
        for place in (tmp_path / "index.db", postgres.place())
    ]
    for index in indexes:
        for first in range(0, len(documents), 20):
            index.add(documents[first : first + 20])
        index.delete([documents[-1].name])
    filters = (None, {"source": {"$ne": documents[0].name}})
    for question, where, budget in itertools.product(questions, filters, (150, 600)):
        of_file, of_server = (
            index.search(question, where=where, budget=budget, context=True) for index in indexes
        )
        assert of_file
        assert of_file == of_server


@pytest.mark.parametrize("call", ["add", "search"])
def test_a_call_succeeds_again_after_a_crash_of_the_server(call, own_postgres, monkeypatch):
    index = index_of(own_postgres.place())
    index.add(BOTH[:1])
    more = [document(f"Otters of den {n} sleep.", str(n)) for n in range(40)]  # makes two batches

    def accepts_all(metadata: Any) -> bool:
        own_postgres.crash()
        return True

    put, calls = segments.add, itertools.count(1)

    def crash_in_the_second_batch(*args: Any) -> None:
        if next(calls) == 2:
            own_postgres.crash()
        put(*args)

    with monkeypatch.context() as patch:
        patch.setattr(segments, "add", crash_in_the_second_batch)
        with pytest.raises(StoreError) as error:
            index.add(more) if call == "add" else index.search("otters", where=accepts_all)
    assert "Make sure that the server runs" in message(error)
    own_postgres.start()
    if call == "add":
        changes = index.add(more)
        assert (changes.unchanged, changes.added) == (32, 8)
    expected = index_of()
    expected.add(BOTH[:1] + (more if call == "add" else []))
    assert index.search("otters")[0].text == expected.search("otters")[0].text


def test_a_connection_that_the_server_has_ended_is_made_again(postgres: Server) -> None:
    index = index_of(postgres.place())
    index.add(BOTH)
    before = index.search("otters")
    postgres.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )
    assert index.search("otters") == before != []


def test_a_query_sees_the_index_as_it_was_when_it_began(postgres: Server) -> None:
    place = postgres.place()
    index, writer = index_of(place), index_of(place)
    index.add(BOTH)
    expected = index.search("otters")

    def change(metadata: Any) -> bool:
        writer.delete(["river"])
        writer.add([document("Otters are gone.", "news")])
        return True

    assert index.search("otters", where=change) == expected
    assert "news" in {passage.document for passage in index.search("otters")}


def test_a_writer_waits_for_another_writer_up_to_the_deadline(postgres: Server) -> None:
    place = postgres.place()
    first, second, reader = index_of(place), index_of(place), index_of(place)
    first.add(BOTH[:1])
    with first.store.database.transaction(write=True):
        with deadline(0.5), pytest.raises(StoreError) as error:
            second.add(BOTH[1:])
        assert re.search("statement timeout|no answer within", message(error))
        assert reader.search("otters")
    assert second.add(BOTH[1:]).added == 1


def test_a_stopped_server_is_waited_for_up_to_the_deadline(postgres: Server):
    index = index_of(postgres.place())
    index.add(BOTH)
    with index.store.database.transaction() as connection:
        [(process,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
    os.kill(process, signal.SIGSTOP)
    try:
        with deadline(0.5), pytest.raises(StoreError, match="no answer within") as error:
            index.search("otters")
    finally:
        os.kill(process, signal.SIGCONT)
    message(error)
    assert index.search("otters")


def test_a_server_that_accepts_and_never_answers_raises_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://u:secret@127.0.0.1:{silent.getsockname()[1]}/db?connect_timeout=2"
        with pytest.raises(StoreError, match="timeout") as error:
            index_of(url).search("otters")
    assert "secret" not in message(error)


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
def test_a_full_disk_of_the_server_keeps_the_stored_documents(own_postgres: Server) -> None:
    import resource

    index = index_of(own_postgres.place())
    index.add(BOTH)
    large = random.Random(0).randbytes(24_000_000).decode("latin-1")
    one = NewDocument(
        *("large", "large", "", large, {}),
        spans=[Span(0, 5)],
        details=[{}],
        words=["otters"],
        around=[""],
        vectors=np.ones((1, 128), np.float32),
    )
    own_postgres.crash()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Larger than a file of the server's write-ahead log.
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000_000, limits[1]))
    try:
        own_postgres.start()  # the server inherits the limit
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with pytest.raises(StoreError, match="could not extend file") as error:
        index.store.put([one])
    assert "has room, and repeat the call" in message(error)
    assert index.sources == ["river", "music"]
    own_postgres.crash()
    own_postgres.start()
    index.store.put([one])
    assert index.sources == ["river", "music", "large"]


def test_two_versions_of_the_library_do_not_mix_their_formats(postgres: Server, monkeypatch):
    place = postgres.place()
    old = index_of(place)
    old.add(BOTH)
    newer = stores._FORMAT._replace(version=stores._FORMAT.version + 1)
    monkeypatch.setattr(stores, "_FORMAT", newer)
    new = index_of(place)
    for use in (lambda: new.search("otters"), lambda: new.add(BOTH)):
        with pytest.raises(StoreError, match=r"an older version.*`sync`"):
            use()
    assert old.search("otters")
    assert new.add(BOTH[1:], remove_others=True).added == 1
    # These indexes were opened before the change.
    uses: list[Callable[[], object]] = [
        lambda: old.search("otters"),
        lambda: old.add(BOTH),
        lambda: old.delete(["music"]),
    ]
    for use_again in uses:
        with pytest.raises(StoreError, match=r"a newer version.*Use that version"):
            use_again()
    with pytest.raises(StoreError, match="a newer version"):
        old.add(BOTH, remove_others=True)
    assert new.sources == ["music"]
    assert new.search("violins")


def test_eight_writers_give_the_same_index_as_one(postgres: Server) -> None:
    place = postgres.place()
    names = [f"n{number}" for number in range(12)]
    lasts: list[dict[str, str]] = [{} for _ in range(8)]

    def write(writer: int) -> None:
        draw, index = random.Random(writer), index_of(place)
        for step in range(6):
            texts = {
                name: f"Otters of {name} hunt {writer} fish in {step}. " * draw.randint(1, 4)
                for name in draw.sample(names, 4)
            }
            index.add([document(text, name) for name, text in texts.items()])
            lasts[writer] |= texts
            if step % 3 == 2:
                gone = draw.choice(names)
                index.delete([gone])
                lasts[writer][gone] = ""
            index.search("otters")

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(write, range(8))] == [None] * 8
    index, anew = index_of(place), index_of()
    stored = {name: text for name, (text, _) in index.store.contents(names).items()}
    for name in names:  # the state is the last action of some writer
        assert stored.get(name, "") in {last[name] for last in lasts if name in last}
    anew.add([document(text, name) for name, text in stored.items()])
    with index.store.snapshot() as ours, anew.store.snapshot() as theirs:
        assert ours.size == theirs.size
    for question in ("otters hunt", "fish in 5", "n3"):
        answers = [
            [
                (passage.document, passage.span, passage.score)
                for passage in searched.search(question, budget=400)
            ]
            for searched in (index, anew)
        ]
        assert answers[0] == answers[1]


def sessions(server: Server) -> int:
    condition = "application_name = 'lumber-splitters'"
    [(number,)] = server.run(f"SELECT count(*) FROM pg_stat_activity WHERE {condition}")
    return int(number)


def test_connections_are_few_and_opened_on_use(own_postgres: Server) -> None:
    gc.collect()
    before = sessions(own_postgres)
    index = index_of(own_postgres.place())
    assert sessions(own_postgres) == before
    index.add(BOTH)
    assert sessions(own_postgres) == before + 1
    with ThreadPoolExecutor(30) as pool:
        answers = [*pool.map(partial(texts_found, index), ["otters"] * 60)]
    assert answers == [answers[0]] * 60
    assert before + 1 <= sessions(own_postgres) <= before + 8
    del index
    gc.collect()
    end = time.monotonic() + 10
    while sessions(own_postgres) > before and time.monotonic() < end:
        time.sleep(0.01)
    assert sessions(own_postgres) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_fork_opens_its_own_connections(postgres: Server) -> None:
    index = index_of(postgres.place())
    index.add(BOTH)
    expected = index.search("otters")

    def session() -> object:
        with index.store.database.transaction() as connection:
            return connection.execute("SELECT pg_backend_pid()").fetchall()

    own_session = session()

    def search_and_add() -> None:
        assert session() != own_session
        assert index.search("otters") == expected
        index.add([document("Bees hum.", "bees")])

    assert works_in_a_fork(search_and_add)
    assert index.sources == ["river", "music", "bees"]


def test_a_pickle_opens_the_same_collection(postgres: Server) -> None:
    store = PassageStore(postgres.place())
    index = index_of(store.path)
    index.add(BOTH)
    copy = pickle.loads(pickle.dumps(store))
    assert copy.names() == store.names() == ["river", "music"]


def test_an_error_about_missing_rights_names_who_grants_them(own_postgres: Server) -> None:
    own_postgres.run("CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN")
    place = own_postgres.place()
    url, reader = (place.replace("postgres:@", f"{name}:@") for name in ("writer", "reader"))
    schema = "lumber_" + place.rpartition("=")[2]
    make = f'CREATE SCHEMA "{schema}" AUTHORIZATION "writer"'
    with pytest.raises(StoreError, match="permission denied for database") as error:
        index_of(url).add(BOTH)
    assert make in message(error)
    own_postgres.run(make)
    index = index_of(url)
    index.add(BOTH)
    with pytest.raises(StoreError, match="permission denied") as error:
        index_of(reader).search("otters")
    assert f'GRANT ALL ON SCHEMA "{schema}" TO "reader"' in message(error)
    own_postgres.run(
        f'GRANT USAGE ON SCHEMA "{schema}" TO "reader"; '
        f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "reader"'
    )
    assert index_of(reader).search("otters") == index.search("otters")
    with pytest.raises(StoreError, match="permission denied"):
        index_of(reader).add([document("Bees hum.", "bees")])


def test_errors_logs_and_reprs_do_not_contain_the_password(own_postgres: Server, caplog) -> None:
    own_postgres.run("CREATE ROLE guest LOGIN PASSWORD 'right'; SET password_encryption = 'md5'")
    rules = own_postgres.folder / "pg_hba.conf"
    rules.write_text(f"local all guest scram-sha-256\n{rules.read_text()}")
    own_postgres.run("SELECT pg_reload_conf()")
    caplog.set_level(logging.DEBUG)
    for password in ("wr0ng", "wr0ng%40pass", "wr0ng?word"):
        place = own_postgres.place().replace("postgres:@", f"guest:{password}@")
        with pytest.raises(StoreError, match="authentication failed") as error:
            index_of(place).search("otters")
        message(error)
        chain: BaseException | None = error.value
        while chain is not None:
            assert "wr0ng" not in f"{chain} {chain!r}"
            chain = chain.__cause__ or chain.__context__
    for place in (
        "postgresql://guest:wr0ng@pass@localhost/db",
        "postgresql://guest:wr0ng/pass@localhost/db",
        "postgresql://guest:wr0ng%pass@localhost/db",
        "postgresql://guest@localhost/db?passwort=wr0ng",
    ):
        with pytest.raises(ValueError, match="the URL of the database cannot be read") as refused:
            index_of(place)
        assert "wr0ng" not in str(refused.value)
        assert refused.value.__cause__ is None
        assert refused.value.__suppress_context__ or refused.value.__context__ is None
    assert "wr0ng" not in caplog.text


def test_a_copy_gives_the_same_answers_without_embedding(postgres: Server, tmp_path: Path) -> None:
    places = [tmp_path / "a.db", postgres.place(), postgres.place(), *map(tmp_path.joinpath, "bc")]
    index = index_of(places[0])
    index.add([document(f"Otters of den {n} sleep. " * 9, f"{n}") for n in range(50)] + BOTH)
    index.delete([str(n) for n in range(7)])
    index.store.revise("files", lambda _: b"{}")
    expected = index.search("otters sleep", budget=900)
    for source, target in itertools.pairwise(places):
        copy_index(source, target)
        with pytest.raises(ValueError, match=r"exists: pass another file|has documents"):
            copy_index(source, target)
        embedding = WordVectors()
        copy = index_of(target, embedding)
        assert copy.search("otters sleep", budget=900) == expected
        assert copy.store.about("files") == b"{}"
        assert copy.add(BOTH).unchanged == 2
        assert embedding.texts == ["Which words does this text have?"]
    copy.add([document("Bees hum in May.", "bees")])
    assert texts_found(copy, "bees")
    for nothing in (tmp_path / "none.db", postgres.place()):
        with pytest.raises(ValueError, match=r"there is no index|has no documents"):
            copy_index(nothing, tmp_path / "d")
    assert not (tmp_path / "none.db").exists()
