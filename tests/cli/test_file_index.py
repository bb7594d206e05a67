import os
from pathlib import Path
from typing import Any

import pytest

from lumber_cli.file_index import FileIndex, ReadFile
from lumber_cli.file_records import Stamp, content_of, is_settled, stamp_of
from lumber_cli.inputs import Inputs
from lumber_files import NamedPath, TextFile, read_file
from lumber_retrieval.index.store import PassageStore


def read(path: Path, text: str) -> ReadFile:
    """Return a file that was written long ago."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (10**9, 10**9))
    stamp = stamp_of(path.stat())
    return ReadFile(str(path), read_file(path), stamp, is_settled(stamp))


def stamps(*files: ReadFile) -> dict[str, Stamp | None]:
    return {file.path: file.stamp for file in files}


def test_each_open_index_sees_files_that_another_one_stored(tmp_path: Path) -> None:
    ferry = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    train = read(tmp_path / "train.md", "The train leaves at nine.\n")
    first, second = FileIndex(tmp_path / "index.db"), FileIndex(tmp_path / "index.db")
    first.add([ferry])
    second.add([train])
    paths = {ferry.path, train.path}
    for index in (first, second, FileIndex(tmp_path / "index.db")):
        assert index.records.find_unchanged(stamps(ferry, train)) == paths
        assert index.records.find_current(stamps(ferry, train)) == paths
    names = {ferry.path: "ferry", train.path: "train"}
    (best, *_) = first.search("When does the train leave?", 5, names=names)
    assert (best.document, best.text) == ("train", "The train leaves at nine.")
    assert first.search("When does the train leave?", 5, names={ferry.path: "ferry"})[0].document


def test_records_of_many_files_are_written_a_few_times(tmp_path: Path, monkeypatch) -> None:
    """All records are written each time. Writing after each batch would take quadratic time."""
    files = [read(tmp_path / f"{n}.md", f"The ferry {n} leaves at noon.\n") for n in range(60)]
    writes: list[int] = []
    revise = PassageStore.revise

    def count(self: PassageStore, *args: Any) -> None:
        writes.append(1)
        revise(self, *args)

    monkeypatch.setattr(PassageStore, "revise", count)
    index = FileIndex(tmp_path / "index.db")
    for file in files:
        index.add([file])
    assert len(writes) < 30
    index.records.flush()
    assert FileIndex(tmp_path / "index.db").records.find_unchanged(stamps(*files)) == {
        *stamps(*files)
    }


def test_a_file_that_another_process_replaced_is_not_current(tmp_path: Path) -> None:
    before = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    first, second = FileIndex(tmp_path / "index.db"), FileIndex(tmp_path / "index.db")
    first.add([before])
    after = read(tmp_path / "ferry.md", "The ferry leaves at dusk today.\n")
    second.add([after])
    assert first.records.find_current(stamps(before)) == set()
    assert first.records.find_current(stamps(after)) == {after.path}


def test_a_file_read_right_after_a_change_is_current_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "ferry.md"
    path.write_text("The ferry leaves at noon.\n", encoding="utf-8")
    stamp = stamp_of(path.stat())
    assert not is_settled(stamp)
    index = FileIndex(tmp_path / "index.db")
    index.add([ReadFile(str(path), read_file(path), stamp, settled=False)])
    assert index.records.find_current({str(path): stamp}) == {str(path)}
    assert index.records.find_unchanged({str(path): stamp}) == set()


def test_another_encoding_reads_files_again(tmp_path: Path) -> None:
    ferry = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    FileIndex(tmp_path / "index.db").add([ferry])
    assert (
        FileIndex(tmp_path / "index.db", "latin-1").records.find_unchanged(stamps(ferry)) == set()
    )


def update(folder: Path) -> tuple[list[str], FileIndex]:
    """Bring the index of a folder up to date; return the files that were read."""
    read_again: list[str] = []

    class Recording(Inputs):
        def _read(self, path: NamedPath | None) -> TextFile:
            read_again.append("stdin" if path is None else path.path.name)
            return super()._read(path)

    index = FileIndex(folder.parent / "index.db")
    index.update(Recording([str(folder)]))
    return read_again, index


@pytest.mark.parametrize("seconds", [10**9 + 5, None])
def test_a_file_is_read_again_only_if_its_bytes_have_changed(seconds, write_docs) -> None:
    folder = write_docs(ferry_md="The ferry leaves at noon.\n", train_md="It has no wheels.\n")
    times = None if seconds is None else (seconds, seconds)  # None stands for now
    if times is None:
        (folder / "ferry.md").touch()
    assert update(folder)[0] == ["ferry.md", "train.md"]
    for path in folder.iterdir():
        os.utime(path, times)
    for _ in range(2):
        assert update(folder)[0] == []
    (folder / "ferry.md").write_text("The ferry leaves at nine.\n", encoding="utf-8")  # same length
    os.utime(folder / "ferry.md", (10**9 + 9, 10**9 + 9))
    files_read, index = update(folder)
    assert files_read == ["ferry.md"]
    assert "nine" in index.search("When does the ferry leave?", 5)[0].text
    assert update(folder)[0] == []


def test_a_renamed_file_is_not_read_again_and_has_its_new_title(write_docs: Any) -> None:
    folder = write_docs(river_ferry_md="It leaves at noon.\n", train_md="# Trains\n\nAt nine.\n")
    update(folder)
    (folder / "river_ferry.md").rename(folder / "harbour_launch.md")
    (folder / "train.md").rename(folder / "railway.md")
    files_read, index = update(folder)
    assert files_read == []
    assert [Path(path).name for path in index.paths] == ["harbour_launch.md", "railway.md"]
    (best, *_) = index.search("When does the harbour launch leave?", 5)
    assert (Path(best.document).name, best.text) == ("harbour_launch.md", "It leaves at noon.")
    assert best.metadata["context"] == "harbour launch"
    anew = FileIndex(None)
    anew.update(Inputs([str(folder)]))
    for question in ("Which leaves at noon?", "trains", "the ferry"):
        passages, expected = (searched.search(question, 50) for searched in (index, anew))
        assert [(searched.document, searched.text, searched.score) for searched in passages] == [
            (searched.document, searched.text, searched.score) for searched in expected
        ]
    (folder / "railway.md").rename(folder / "railway.txt")  # another format
    assert update(folder)[0] == ["railway.txt"]


def test_a_renamed_page_has_the_same_title_as_if_read_again(write_docs: Any) -> None:
    page = "<title>The rules of the house</title><p>Guests park at the gate.</p>"
    folder = write_docs(north_office_html=page)
    _, index = update(folder)
    renamed = (folder / "north_office.html").rename(folder / "south_office.html")
    index.records.find_unchanged({})  # reads the stored records
    text = index.find_text(renamed, content_of(renamed), "south_office.html")
    assert text is not None
    assert text.metadata == read_file(renamed).metadata
    assert text.metadata["title"] == "south office: The rules of the house"


def test_pipes_folders_and_missing_files_are_not_read(tmp_path: Path) -> None:
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "no"):
        assert content_of(tmp_path / name) == ""
