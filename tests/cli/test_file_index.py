"""An index of files that several processes use."""

from __future__ import annotations

import os
from pathlib import Path

from lumber_cli.file_index import FileIndex, ReadFile, Stamp, is_settled, stamp_of
from lumber_files import read_file


def read(path: Path, text: str) -> ReadFile:
    """Return a file that was written long ago."""
    path.write_text(text, encoding="utf-8")
    os.utime(path, (10**9, 10**9))
    stamp = stamp_of(path.stat())
    return ReadFile(str(path), read_file(path), stamp, is_settled(stamp))


def stamps(*files: ReadFile) -> dict[str, Stamp | None]:
    return {file.path: file.stamp for file in files}


def test_each_knows_what_others_have_stored(tmp_path: Path) -> None:
    ferry = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    train = read(tmp_path / "train.md", "The train leaves at nine.\n")
    one, two = FileIndex(tmp_path / "index.db"), FileIndex(tmp_path / "index.db")
    one.add([ferry])
    two.add([train])
    both = {ferry.path, train.path}
    for index in (one, two, FileIndex(tmp_path / "index.db")):
        assert index.find_unchanged(stamps(ferry, train)) == both
        assert index.find_current(stamps(ferry, train)) == both
    names = {ferry.path: "ferry", train.path: "train"}
    (best, *_) = one.search("When does the train leave?", 5, names=names)
    assert (best.document, best.text) == ("train", "The train leaves at nine.")
    assert one.search("When does the train leave?", 5, names={ferry.path: "ferry"})[0].document


def test_what_another_process_has_replaced_is_not_current(tmp_path: Path) -> None:
    before = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    one, two = FileIndex(tmp_path / "index.db"), FileIndex(tmp_path / "index.db")
    one.add([before])
    after = read(tmp_path / "ferry.md", "The ferry leaves at dusk today.\n")
    two.add([after])
    assert one.find_current(stamps(before)) == set()
    assert one.find_current(stamps(after)) == {after.path}


def test_a_file_read_right_after_a_change_is_current_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "ferry.md"
    path.write_text("The ferry leaves at noon.\n", encoding="utf-8")
    stamp = stamp_of(path.stat())
    assert not is_settled(stamp)
    index = FileIndex(tmp_path / "index.db")
    index.add([ReadFile(str(path), read_file(path), stamp, settled=False)])
    assert index.find_current({str(path): stamp}) == {str(path)}
    assert index.find_unchanged({str(path): stamp}) == set()


def test_another_encoding_reads_files_again(tmp_path: Path) -> None:
    ferry = read(tmp_path / "ferry.md", "The ferry leaves at noon.\n")
    FileIndex(tmp_path / "index.db").add([ferry])
    assert FileIndex(tmp_path / "index.db", "latin-1").find_unchanged(stamps(ferry)) == set()
