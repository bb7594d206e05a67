import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lumber_cli import index_cache
from lumber_cli.file_index import FileIndex
from lumber_retrieval.embedders import embedder
from tests.cli.running import run_apart, start
from tests.faults.disk import Fault, failing_disk
from tests.loopback.server import LoopbackServer

QUESTION = "How long may a rental last?"


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of files that an index reads from now on."""
    names: list[str] = []
    add = FileIndex.add

    def add_and_record(self: FileIndex, files: Any, **options: Any) -> None:
        batch = [*files]
        names.extend(Path(file.path).name for file in batch)
        add(self, batch, **options)

    monkeypatch.setattr(FileIndex, "add", add_and_record)
    return names


def ask(*arguments: object) -> tuple[list[dict[str, Any]], str]:
    """Return the passages and the messages."""
    outcome = run_apart("ask", *arguments, QUESTION, "--format", "json", code=0)
    return json.loads(outcome.out)["passages"], outcome.err


def test_a_second_question_reads_only_changed_files(docs, cache_folder, read_files) -> None:
    first, report = ask("docs")
    assert report.count(str(cache_folder)) == 1
    assert sorted(read_files) == ["boats.md", "ferry.txt"]
    moved = [{**passage, "document": str(docs.parent / passage["document"])} for passage in first]
    assert ask(docs) == (moved, "")
    assert len(read_files) == 2
    (docs / "boats.md").write_text("A rental lasts nine days.\n")
    passages, report = ask("docs")
    assert "nine days" in passages[0]["text"]
    assert report == ""
    assert read_files[2:] == ["boats.md"]
    (docs / "boats.md").unlink()
    passages, _ = ask("docs")
    assert {passage["document"] for passage in passages} == {"docs/ferry.txt"}


def test_only_its_user_may_read_the_cache(docs: Path, cache_folder: Path) -> None:
    ask(docs)
    assert cache_folder.stat().st_mode & 0o777 == 0o700
    (index,) = cache_folder.glob("*.db")
    assert index.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("options", [("--no-cache",), ("--index", "mine.db"), ("-",)])
def test_the_cache_is_not_used_with_no_cache_index_or_stdin(options, docs, cache_folder) -> None:
    _, report = ask("docs", *options)
    assert not cache_folder.exists()
    assert "is kept" not in report
    outcome = run_apart("ask", "docs", QUESTION, "--no-cache", "--index", "mine.db")
    assert outcome.code == 2


def test_an_index_in_the_cache_that_cannot_be_used_is_built_again(docs: Path, cache_folder: Path):
    first, _ = ask(docs)
    (index,) = cache_folder.glob("*.db")
    other = np.eye(1, 384, dtype=np.float32).tobytes()
    wrong = (b"0000", other)
    probes = (f"UPDATE about SET value = x'{probe.hex()}' WHERE name = 'probe'" for probe in wrong)
    for damage in (*probes, "PRAGMA user_version = 1", "PRAGMA user_version = 999", ""):
        if not damage:
            index.write_bytes(b"no database" * 1000)
        else:
            with closing(sqlite3.connect(index)) as connection, connection:
                connection.execute(damage)
        passages, report = ask(docs)
        assert passages == first
        assert "rebuilt" in report
        assert ask(docs) == (first, "")


def test_simultaneous_first_questions_share_the_index(docs: Path, cache_folder: Path):
    for number in range(40):
        (docs / f"{number}.txt").write_text(f"Keeper {number} paints wall {number} of the mill.\n")
    processes = [start("ask", docs, QUESTION, "--format", "json") for _ in range(2)]
    reports = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    expected, _ = ask(docs, "--no-cache")
    for out, err in reports:
        assert json.loads(out)["passages"] == expected
        assert b"not kept" not in err
        assert b"rebuilt" not in err
    assert len([*cache_folder.glob("*.db")]) == 1
    assert ask(docs) == (expected, "")


def test_a_question_is_answered_and_the_cached_index_kept_if_the_disk_fails(
    docs: Path, cache_folder: Path
) -> None:
    first, _ = ask(docs)
    (index,) = cache_folder.glob("*.db")
    before = index.read_bytes()
    with failing_disk().failing(Fault.READ_ERROR, 1, times=2):
        passages, report = ask(docs)
    assert passages == first
    assert "the index is not kept" in report
    assert "disk I/O error" in report
    assert index.read_bytes() == before
    assert ask(docs) == (first, "")


def test_a_question_is_answered_without_a_cache_folder(docs, cache_folder, read_files):
    cache_folder.parent.parent.mkdir(exist_ok=True)
    cache_folder.parent.write_text("a file where the folder would be")
    passages, report = ask(docs)
    assert passages
    assert "the index is not kept" in report
    assert sorted(read_files) == ["boats.md", "ferry.txt"]


def test_files_that_may_no_longer_be_read_are_not_searched(docs: Path, monkeypatch) -> None:
    ask(docs)

    def may(path: Path, mode: int) -> bool:
        return path.name != "boats.md"

    monkeypatch.setattr("lumber_cli.file_index.os.access", may)
    monkeypatch.setattr("lumber_cli.file_index.content_of", lambda path: "")
    monkeypatch.setattr(Path, "read_bytes", open_unless_forbidden)
    passages, report = ask(docs)
    assert {Path(passage["document"]).name for passage in passages} == {"ferry.txt"}
    assert "Permission denied" in report


def open_unless_forbidden(path: Path) -> bytes:
    if path.name == "boats.md":
        raise PermissionError(13, "Permission denied", str(path))
    with path.open("rb") as file:
        return file.read()


def test_unused_indexes_and_those_above_the_total_size_are_removed_from_the_cache(
    docs, cache_folder, monkeypatch
):
    for name in ("boats.md", "ferry.txt"):
        ask(docs / name)
    old, recent = sorted(cache_folder.glob("*.db"))
    unused = time.time() - (index_cache.MAX_UNUSED_DAYS + 1) * 24 * 3600
    os.utime(old, (unused, unused))
    ask(docs)
    assert not old.exists()
    assert recent.exists()
    monkeypatch.setattr(index_cache, "MAX_CACHE_BYTES", recent.stat().st_size)
    ask(docs)
    assert not recent.exists()
    assert len([*cache_folder.glob("*.db")]) == 1


def test_the_cache_is_listed_and_cleared(docs: Path, cache_folder: Path) -> None:
    assert run_apart("index", "list") == (0, "", "")
    ask(docs)
    (cache_folder / "0123.db").write_bytes(b"no database" * 1000)
    outcome = run_apart("index", "list", code=0)
    lines = outcome.out.splitlines()
    assert len(lines) == 2
    assert sum(line.endswith(str(docs)) for line in lines) == 1
    assert sum("unusable" in line for line in lines) == 1
    assert run_apart("index", "clear") == (0, "", "")
    assert [*cache_folder.iterdir()] == []
    assert run_apart("index", "clear", "x").code == 2
    assert run_apart("index", "copy", "x").code == 2


def test_each_embedding_model_has_its_own_index_in_the_cache(docs: Path, read_files: list[str]):
    with LoopbackServer() as server:
        name = f"{server.url}/v1#letters"
        for _ in range(2):
            outcome = run_apart("ask", "docs", QUESTION, "--embeddings", name)
            assert (outcome.code, sorted(read_files)) == (0, ["boats.md", "ferry.txt"])
            assert "seven days" in outcome.out
    assert {request.path for request in server.requests} == {"/v1/embeddings"}
    assert len(index_cache.cached_indexes()) == 1
    assert run_apart("ask", "docs", QUESTION).code == 0
    assert len(index_cache.cached_indexes()) == 2
    assert len(read_files) == 4


@pytest.mark.parametrize("first", ["bundled", "letters"])
def test_an_index_at_a_given_path_refuses_another_model_in_one_sentence(
    docs: Path, first: str
) -> None:
    with LoopbackServer() as server:
        names = {"bundled": "bundled", "letters": f"{server.url}/v1#letters"}
        arguments = ("ask", "docs", QUESTION, "--index", "own.db", "--embeddings")
        assert run_apart(*arguments, names.pop(first)).code == 0
        before = Path("own.db").read_bytes()
        [other] = names.values()
        for changed in (False, True):
            if changed:
                Path("docs", "new.md").write_text("Oars are free.")
            refused = run_apart(*arguments, other)
            assert refused.code == 1
            assert "pass the model that the index was built with, or another path" in refused.err
            assert len(refused.err.splitlines()) == 1
        assert Path("own.db").read_bytes() == before


def test_agents_search_by_the_same_model_and_share_the_index_of_ask(docs: Path) -> None:
    from lumber_cli.agents.tools import FolderTools

    with LoopbackServer() as server:
        name = f"{server.url}/v1#letters"
        assert run_apart("ask", "docs", QUESTION, "--embeddings", name).code == 0
        count = len(server.requests)
        model = embedder(name)
        tools = FolderTools(["docs"], model=model)
        result = tools.search(QUESTION, 20).structured_content
        assert result is not None
        assert "seven days" in result["passages"][0]["text"]
        assert len(index_cache.cached_indexes()) == 1
        texts = [text for request in [*server.requests][count:] for text in request.body["input"]]
        assert "A rental lasts seven days at most." not in " ".join(texts)
