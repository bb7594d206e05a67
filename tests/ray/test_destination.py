from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import GreedyChunker
from lumber_core.text.source import Source
from lumber_ray.destination import Destination, IdSet, part_name
from lumber_ray.documents import FailedDocument
from lumber_ray.rows import DocumentSplitter, FinishedDocument
from tests.ray.corpus import rows_in

SETTINGS = {"splitter": "one", "format": "parquet"}


def rows_of(*names: str) -> list[dict[str, object]]:
    files = [Source(f"{name} is here. It stays.", name=name) for name in names]
    done = DocumentSplitter(GreedyChunker(5)).split(files)
    return [row for each in done if isinstance(each, FinishedDocument) for row in each.rows]


@pytest.mark.parametrize("kind", ["parquet", "jsonl"])
@pytest.mark.parametrize("as_uri", [False, True])
def test_parts_come_back_as_they_were_written(kind, as_uri: bool, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    place = Destination(folder.as_uri() if as_uri else folder, kind)
    place.check(SETTINGS)
    place.prepare(SETTINGS)
    assert place.written("one") is None
    rows = rows_of("ada", "bob")
    place.write("one", rows, [FailedDocument("eve", "a reason")])
    assert place.written("one") == (len(rows), 1)
    assert rows_in(folder / "chunks") == rows
    assert rows_in(folder / "failed") == [{"document": "eve", "error": "a reason"}]
    assert list(place.finished()) == [["ada", "bob"]]
    assert not list((folder / ".unfinished").iterdir())


def test_the_next_run_forgets_failures_and_unfinished_files_but_no_chunks(tmp_path: Path) -> None:
    place = Destination(tmp_path, "parquet")
    place.prepare(SETTINGS)
    place.write("one", rows_of("ada"), [FailedDocument("eve", "a reason")])
    (tmp_path / ".unfinished" / "left").write_bytes(b"half a part")
    place.check(SETTINGS)
    place.prepare(SETTINGS)
    assert list(place.finished()) == [["ada"]]
    assert rows_in(tmp_path / "failed") == []
    assert not list((tmp_path / ".unfinished").iterdir())


def test_a_part_that_is_written_again_replaces_its_failures(tmp_path: Path) -> None:
    place = Destination(tmp_path, "jsonl")
    place.prepare(SETTINGS)
    place.write("one", [], [FailedDocument("eve", "a reason")])
    assert place.written("one") is None  # without chunks it is tried again
    place.write("one", rows_of("eve"), [])
    assert rows_in(tmp_path / "failed") == []


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    place = Destination(tmp_path, "parquet")
    place.prepare(SETTINGS)
    with pytest.raises(ValueError, match="was made with another splitter: one, now two"):
        place.check({**SETTINGS, "splitter": "two"})
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds other files"):
        Destination(other, "parquet").check(SETTINGS)
    (tmp_path / "run.json").write_text(json.dumps([]))
    with pytest.raises(ValueError, match=r"run\.json is damaged"):
        place.check(SETTINGS)
    with pytest.raises(ValueError, match='format must be "parquet" or "jsonl"'):
        Destination(tmp_path, "csv")


@given(st.lists(st.lists(st.text(max_size=3))), st.lists(st.text(max_size=3)))
def test_a_set_of_ids_is_a_set(groups: list[list[str]], sought: list[str]) -> None:
    every = [document for group in groups for document in group]
    ids = IdSet(groups)
    assert list(ids.contains(sought)) == [document in every for document in sought]
    repeated = ids.repeated()
    assert len(repeated) == len({document for document in every if every.count(document) > 1})
    assert list(repeated.contains(sought)) == [every.count(document) > 1 for document in sought]


def test_the_name_of_a_part_depends_on_its_documents() -> None:
    assert part_name(["a", "b"]) == part_name(iter(["a", "b"]))
    assert len({part_name(names) for names in (["a", "b"], ["b", "a"], ["ab"], ["a"])}) == 4
