"""An index in PostgreSQL under an administrator's settings, behind a pooler, on few connections."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import StoreError
from tests.postgres import Server
from tests.profiles import examples
from tests.retrieval.test_passage_index import MUSIC, RIVER, document, index_of

SETTINGS = [
    "standard_conforming_strings = off",
    "bytea_output = 'escape'",
    "client_encoding = 'LATIN1'",
    "lock_timeout = '1ms'",
    "statement_timeout = '100ms'",
    "idle_in_transaction_session_timeout = '100ms'",
    "default_transaction_isolation = serializable",
    "default_transaction_isolation = 'repeatable read'",
    "search_path = 'elsewhere'",
]
TEXTS = st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4, unique=True)


@pytest.fixture(scope="session")
def roles(postgres: Server) -> list[str]:
    """The names of roles, each of which has one of the settings."""
    for number, setting in enumerate(SETTINGS):
        postgres.run(f"CREATE ROLE role{number} LOGIN SUPERUSER")
        postgres.run(f"ALTER ROLE role{number} SET {setting}")
    return [f"role{number}" for number in range(len(SETTINGS))]


def place_of(postgres: Server, role: str) -> str:
    return postgres.place().replace("postgres:@", f"{role}:@")


@pytest.mark.parametrize("number", range(len(SETTINGS)), ids=SETTINGS)
def test_other_clients_can_read_the_stored_documents(
    number: int, postgres: Server, roles: list[str]
) -> None:
    @given(TEXTS)
    @examples(6)
    def store_and_read(texts: list[str]) -> None:
        place = place_of(postgres, roles[number])
        documents = [document(text, text) for text in texts]
        index_of(place).add(documents)
        for reader in (place, place.replace(f"{roles[number]}:@", "postgres:@")):
            contents = index_of(reader).store.contents(texts)
            assert {name: text for name, (text, _) in contents.items()} == {t: t for t in texts}
        postgres.remove(place)

    store_and_read()


def test_all_writers_that_create_a_collection_at_once_store_their_documents(
    postgres: Server, roles: list[str]
) -> None:
    serializable = SETTINGS.index("default_transaction_isolation = serializable")
    place = place_of(postgres, roles[serializable])
    with ThreadPoolExecutor(8) as pool:
        [*pool.map(lambda n: index_of(place).add([document(f"Otter {n}.", f"{n}")]), range(8))]
    assert sorted(index_of(place).sources) == [*"01234567"]


def test_a_read_only_database_is_read_and_states_that_it_is_read_only(postgres: Server) -> None:
    place = postgres.place()
    index = index_of(place)
    index.add([document(RIVER, "river")])
    postgres.run("CREATE ROLE standby LOGIN SUPERUSER")
    postgres.run("ALTER ROLE standby SET default_transaction_read_only = on")
    reader = index_of(place.replace("postgres:@", "standby:@"))
    assert reader.search("otters") == index.search("otters") != []
    with pytest.raises(StoreError, match="read-only") as error:
        reader.add([document(MUSIC, "music")])
    assert "DROP" not in str(error.value)


def test_a_database_in_another_encoding_takes_every_alphabet(postgres: Server) -> None:
    postgres.run(
        "CREATE DATABASE w ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    )
    place = postgres.place().replace("/postgres?", "/w?")
    index = index_of(place)
    index.add([document("Łódź has otters. Выдры живут здесь.", "a")])
    assert index.search("Где живут выдры?")[0].document == "a"


def test_temporary_tables_of_another_program_do_not_hide_those_of_the_index(
    postgres: Server,
) -> None:
    place = postgres.place()
    index = index_of(place)
    index.add([document(RIVER, "river")])
    with index.store.database.transaction():
        pass
    [session] = index.store.database._free  # type: ignore[attr-defined]
    session.execute("CREATE TEMP TABLE documents (name TEXT)")
    index.add([document(MUSIC, "music")])
    assert index_of(place).sources == ["river", "music"]


def test_threads_wait_for_a_connection_if_the_server_has_no_more(postgres: Server) -> None:
    postgres.run("CREATE ROLE few LOGIN CONNECTION LIMIT 2")
    postgres.run("GRANT CREATE ON DATABASE postgres TO few")
    index = index_of(place_of(postgres, "few"))
    index.add([document(RIVER, "river")])
    expected = index.search("otters")
    with ThreadPoolExecutor(8) as pool:
        answers = [*pool.map(lambda _: index.search("otters"), range(40))]
    assert answers == [expected] * 40


def test_a_connection_that_is_returned_while_another_is_refused_is_used(postgres, monkeypatch):
    database: Any = index_of(postgres.place()).database
    with database.transaction():
        pass
    session = database._free.pop()

    def refuse(**_settings: object) -> None:
        database._free.append(session)
        raise psycopg.OperationalError("too many connections")

    monkeypatch.setattr("lumber_core.storage.postgres._Connection.connect", refuse)
    with database.transaction() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_lost_connection_is_not_reported_as_damage(postgres: Server) -> None:
    index = index_of(postgres.place())
    index.add([document(RIVER, "river")])
    before = index.search("otters")

    def lose_the_connection() -> None:
        with index.store.database.transaction(write=True) as connection:
            [(process,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
            postgres.run(f"SELECT pg_terminate_backend({process})")
            connection.executemany("INSERT INTO removed VALUES (?)", [(1,)])

    with pytest.raises(StoreError, match="repeat the call") as error:
        lose_the_connection()
    assert "DROP" not in str(error.value)
    assert index.search("otters") == before != []


@pytest.fixture
def pooler(postgres: Server, tmp_path: Path) -> Iterator[str]:
    """The URL of the server behind PgBouncer, which changes sessions between transactions."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("needs pgbouncer")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    settings = tmp_path / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={postgres.folder} port=5432 user=postgres\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n"
        "pool_mode = transaction\ndefault_pool_size = 2\nunix_socket_dir =\n"
    )
    tmp_path.chmod(0o755)
    command = [program, str(settings)]
    if os.getuid() == 0:  # PgBouncer refuses root; the owner of the server's folder runs it
        command += ["-u", postgres.folder.owner()]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(1200):  # waits up to a minute
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
    finally:
        process.terminate()
        process.wait()


def test_an_index_behind_a_pooler_gives_the_same_answers(pooler: str, postgres: Server) -> None:
    direct = postgres.place()
    pooled = f"{pooler}?collection={direct.rpartition('=')[2]}"
    index = index_of(pooled)
    with ThreadPoolExecutor(4) as pool:
        [*pool.map(lambda n: index.add([document(f"{RIVER} {n}.", f"{n}")]), range(8))]
        answers = [*pool.map(lambda _: index.search("otters"), range(16))]
    assert answers == [index_of(direct).search("otters")] * 16
