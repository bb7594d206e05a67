"""Folders that change while they are served: each call sees them as they are."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.agents.background_index import BackgroundIndex
from lumber_cli.agents.folders import ServedFolders
from lumber_cli.agents.texts import FileTexts
from lumber_cli.file_index import FileIndex
from lumber_files import MAX_UNPACKED
from tests.cli.serving import Agent, agent, stored_files, wait_for

Served = tuple[Agent, Path, Path]
FERRY = "# Ferry\n\nThe ferry leaves at noon.\n\n## Fares\n\nDogs travel for free.\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of two folders, and the folders."""
    base = tmp_path_factory.mktemp("base")
    first, second = base / "one", base / "two"
    for folder in (first, second):
        folder.mkdir()
    with agent("one", "two", index=base / "both.db", cwd=base) as serving:
        yield serving, first, second


@pytest.fixture(autouse=True)
def empty(served: Served) -> None:
    for folder in served[1:]:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()


def write(path: Path, text: str, moment: int | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if moment is not None:
        os.utime(path, (moment, moment))


def find_passages(served: Agent, question: str) -> list[tuple[str, str]]:
    """Return the files and texts of passages, after checking that the tool `read` returns the same.

    A search waits only briefly for changes to be indexed, so it is repeated.
    """

    def search() -> dict[str, Any]:
        answer = served.data("search", question=question)
        for passage in answer["passages"]:
            lines = {"first_line": passage["first_line"], "last_line": passage["last_line"]}
            assert passage["text"] in served.data("read", file=passage["file"], **lines)["text"]
        return answer

    answer = wait_for(search, lambda answer: answer["progress"] == "")
    return [(passage["file"], passage["text"]) for passage in answer["passages"]]


def test_an_empty_folder_is_served_and_files_are_found_later(served: Served) -> None:
    serving, first, _ = served
    assert "no file to read yet" in serving.error("search", question="When?")
    assert "no file to read yet" in serving.error("grep", pattern="noon")
    assert "no file that can be read yet" in serving.error("read", file="a.md")
    assert serving.data("status")["total"] == 0
    write(first / "ferry.md", FERRY)
    assert "noon" in find_passages(serving, "When does the ferry leave?")[0][1]
    shutil.rmtree(first)
    assert "no file to read yet" in serving.error("grep", pattern="noon")


def test_new_content_of_a_changed_file_is_found_and_old_content_is_not(served: Served) -> None:
    serving, first, _ = served
    write(first / "ferry.md", FERRY)
    write(first / "other.md", "The pier is painted green.\n")
    for hour in ("noon", "dusk", "seven", "three"):
        write(first / "ferry.md", f"A line before.\n{FERRY.replace('noon', hour)}")
        texts = dict(find_passages(serving, "When does the ferry leave?"))
        assert hour in texts["one/ferry.md"]
        assert serving.data("grep", pattern=hour)["count"] == 1
        assert serving.data("read", file="one/ferry.md", first_line=4)["text"].count(hour) == 1


def test_a_deleted_file_is_gone_from_all_tools_at_once(served: Served) -> None:
    serving, first, _ = served
    write(first / "ferry.md", FERRY)
    write(first / "other.md", "The pier is painted green.\n")
    assert find_passages(serving, "When does the ferry leave?")[0][0] == "one/ferry.md"
    (first / "ferry.md").unlink()
    assert "there is no file 'one/ferry.md'" in serving.error("read", file="one/ferry.md")
    assert "there is no file" in serving.error("outline", file="one/ferry.md")
    assert {name for name, _ in find_passages(serving, "When does the ferry leave?")} == {
        "one/other.md"
    }
    assert serving.data("grep", pattern="ferry")["count"] == 0
    assert serving.data("status")["files"] == ["one/other.md"]
    assert {*stored_files(first.parent / "both.db")} == {"other.md"}
    (first / "other.md").rename(first / "ferry.md")
    assert find_passages(serving, "What is green?") == [
        ("one/ferry.md", "The pier is painted green.")
    ]


def test_old_text_is_never_cited_after_a_change_that_keeps_size_and_time(served: Served) -> None:
    serving, first, _ = served
    write(first / "ferry.md", FERRY, 10**9)
    assert "noon" in find_passages(serving, "When does the ferry leave?")[0][1]
    write(first / "ferry.md", FERRY.replace("noon", "dusk"), 10**9)
    assert serving.data("grep", pattern="noon")["count"] == 0
    for _, text in find_passages(serving, "When does the ferry leave?"):
        assert "noon" not in text
    passages = wait_for(lambda: find_passages(serving, "When does the ferry leave?"), bool)
    assert "dusk" in passages[0][1]


def test_links_out_of_the_folder_are_never_followed(
    served: Served,
) -> None:
    serving, first, second = served
    secret = first.parent / "secret"
    write(secret / "vault.md", "The vault opens at midnight.\n")
    write(first / "a" / "vault.md", "The vault is a boat.\n")
    write(second / "other.md", "A pier.\n")
    assert serving.data("grep", pattern="vault")["count"] == 1
    shutil.rmtree(first / "a")
    (first / "a").symlink_to(secret)
    (first / "b.md").symlink_to(secret / "vault.md")
    (first / "c.md").symlink_to(second / "other.md")
    for name in ("one/a/vault.md", "one/b.md", "one/c.md", "one/a/../../secret/vault.md"):
        assert (
            "is not read" in (message := serving.error("read", file=name)) or "no file" in message
        )
    assert serving.data("grep", pattern="vault")["count"] == 0
    assert "midnight" not in serving.text("search", question="When does the vault open?")
    left_out = [file["file"] for file in serving.data("status")["left_out"]]
    assert left_out == ["one/b.md", "one/c.md"]


@pytest.mark.parametrize("while_it_is_opened", [False, True])
def test_a_folder_that_becomes_a_link_after_it_was_listed_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, while_it_is_opened: bool
) -> None:
    write(tmp_path / "secret" / "ferry.md", "The vault opens at midnight.\n")
    folder, aside = tmp_path / "docs" / "a", tmp_path / "aside"
    write(folder / "ferry.md", FERRY)
    file = ServedFolders([str(tmp_path / "docs")]).list_files().file("a/ferry.md")
    texts, really = FileTexts(None, MAX_UNPACKED), os.open

    def swap() -> None:
        folder.rename(aside)
        folder.symlink_to(tmp_path / "secret")

    def open_swapped(path: Path, flags: int) -> int:
        swap()
        try:
            return really(path, flags)
        finally:
            folder.unlink()
            aside.rename(folder)

    if while_it_is_opened:
        monkeypatch.setattr(os, "open", open_swapped)
    else:
        assert texts.read(file).file.text == FERRY
        swap()
    with pytest.raises(ValueError, match=r"a/ferry\.md has become a link"):
        texts.read(file)


def test_a_file_that_could_not_be_opened_is_read_later(tmp_path: Path) -> None:
    path, aside = tmp_path / "docs" / "ferry.md", tmp_path / "aside.md"
    write(path, FERRY, 10**9)
    texts = FileTexts(None, MAX_UNPACKED)
    folders = ServedFolders([str(path.parent)])
    listing = folders.list_files()
    index = BackgroundIndex(lambda: FileIndex(None), folders.roots, texts)
    path.rename(aside)
    path.symlink_to(aside)
    index.catch_up(listing, 120)
    assert "become a link" in index.progress(listing.files.values()).failed["ferry.md"]
    path.unlink()
    aside.rename(path)  # the same size and time as before
    index.catch_up(listing, 120)
    progress = index.progress(listing.files.values())
    assert ({*progress.current}, {*progress.failed}) == ({"ferry.md"}, set())


def test_a_folder_that_is_briefly_missing_stays_in_the_index(served: Served) -> None:
    serving, first, second = served
    write(first / "ferry.md", FERRY)
    write(second / "train.md", "The train leaves at nine.\n")
    find_passages(serving, "When does the ferry leave?")
    before = stored_files(first.parent / "both.db")
    assert {"ferry.md", "train.md"} <= {*before}
    first.rename(first.parent / "aside")
    message = "the folder one does not exist any more"
    assert message in serving.data("search", question="When does the train leave?")["note"]
    assert message in serving.data("grep", pattern="train")["note"]
    assert message in serving.data("status")["note"]
    assert message in serving.error("read", file="one/ferry.md")
    (first.parent / "aside").rename(first)
    assert find_passages(serving, "When does the ferry leave?")[0][0] == "one/ferry.md"
    assert stored_files(first.parent / "both.db") == before  # nothing was embedded again


def test_passages_of_a_file_that_cannot_be_read_any_more_are_not_returned(served: Served) -> None:
    serving, first, _ = served
    write(first / "ferry.md", FERRY)
    write(first / "other.md", "The pier is painted green.\n")
    assert find_passages(serving, "When does the ferry leave?")[0][0] == "one/ferry.md"
    (first / "ferry.md").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe")
    assert {name for name, _ in find_passages(serving, "When does the ferry leave?")} == {
        "one/other.md"
    }
    status = serving.wait_until_indexed()
    assert [file["file"] for file in status["failed"]] == ["one/ferry.md"]
    assert "is neither text" in serving.error("read", file="one/ferry.md")
    assert "1 file could not be read" in serving.data("grep", pattern="ferry")["note"]
