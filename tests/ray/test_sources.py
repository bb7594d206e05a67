from __future__ import annotations

import json
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lumber_core.text.source import Source
from lumber_ray.documents import DocumentSource, FailedDocument
from lumber_ray.sources import find_source
from lumber_ray.tables import Columns
from tests.making_files import pdf
from tests.ray.corpus import tales, write_lines, write_table

COLUMNS = Columns("id", "text")


def found(
    *paths: str | Path, columns: Columns = COLUMNS, encoding: str | None = None
) -> DocumentSource:
    return find_source(paths, columns=columns, encoding=encoding)


def test_a_limit_of_unpacked_bytes_goes_to_the_workers(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf([["The tide turns."] * 200]))
    source = find_source(tmp_path, columns=COLUMNS, max_unpacked=2_000)
    (failed,) = read_all(source)
    assert isinstance(failed, FailedDocument)
    assert "max_unpacked=2,000" in failed.error
    assert isinstance(read_all(found(tmp_path))[0], Source)


def read_all(source: DocumentSource) -> list[Source | FailedDocument]:
    entries = list(source.entries())
    return list(pickle.loads(pickle.dumps(source)).read(entries))


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_are_read_in_any_selection(kind: str, tmp_path: Path) -> None:
    rows = tales(200)
    write = write_lines if kind == "jsonl" else write_table
    for number in range(2):
        write(tmp_path / f"{number}.{kind}", rows[100 * number : 100 * (number + 1)])
    source = found(tmp_path)
    entries = list(source.entries())
    assert [entry.document for entry in entries] == [row["id"] for row in rows]
    for chosen in ([3, 4, 70, 71, 150, 199], [180, 20, 19, 21, 0]):
        files = list(source.read([entries[number] for number in chosen]))
        assert [(file.name, file.text) for file in files] == [
            (rows[number]["id"], rows[number]["text"]) for number in chosen
        ]
        assert [file.kind == "markdown" for file in files] == [number % 3 == 0 for number in chosen]


def test_text_files_have_the_names_and_texts_of_the_command(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").mkdir()
    Path("notes/b.md").write_text("# B\n\nText.", encoding="utf-8")
    Path("notes/a.txt").write_bytes("café".encode("utf-16"))
    Path("notes/c.html").write_text("<h1>C</h1><p>Text.", encoding="utf-8")
    Path("notes/d.txt").write_bytes(b"\x00\x81\xff")
    files = read_all(found("notes"))
    assert [file.name for file in files if isinstance(file, Source)] == [
        "notes/a.txt",
        "notes/b.md",
        "notes/c.html",
    ]
    assert [file.text for file in files[:3]] == ["café", "# B\n\nText.", "# C\n\nText.\n"]
    assert [file.kind == "markdown" for file in files[:3]] == [False, True, True]
    assert isinstance(files[3], FailedDocument)
    assert files[3].document == "notes/d.txt"


def test_files_that_are_left_out_are_named(tmp_path: Path, caplog) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    (tmp_path / "photo.jpg").write_bytes(b"")
    found(tmp_path)
    assert "photo.jpg" in caplog.text


def test_broken_lines_fail_alone_and_blank_lines_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    lines = ['{"id": 1, "text": "One."}', "", "{broken", "[1]", '{"text": "No id."}']
    lines += [
        '{"id": "six", "text": null}',
        '{"id": "\\ud800", "text": "a"}',
        '{"id": 7, "text": "z"}',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    done = read_all(found(path))
    assert [(d.name, d.text) for d in done if isinstance(d, Source)] == [
        ("1", "One."),
        ("7", "z"),
    ]
    failed = {d.document: d.error for d in done if isinstance(d, FailedDocument)}
    assert list(failed) == [f"{path} line {n}" for n in (2, 3, 4)] + ["six", f"{path} line 6"]
    assert "not JSON" in failed[f"{path} line 2"]
    assert "holds list" in failed[f"{path} line 3"]
    assert "'id' is missing" in failed[f"{path} line 4"]
    assert failed["six"] == "'text' is NoneType, not a text"


def test_a_uri_leads_to_the_same_documents(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", tales(4))
    for place in (tmp_path, tmp_path / "a.jsonl"):
        names = [file.name for file in read_all(found(place.as_uri()))]
        assert names == [row["id"] for row in tales(4)]


def test_numbers_and_categories_are_ids(tmp_path: Path) -> None:
    table = pa.table({"number": [4, 5], "body": pa.array(["a", "b"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "a.parquet")
    source = found(tmp_path, columns=Columns("number", "body"))
    assert [(file.name, file.text) for file in read_all(source)] == [("4", "a"), ("5", "b")]


@pytest.mark.parametrize(
    "kind", [kind for kind in ("string", "large_string", "string_view") if hasattr(pa, kind)]
)
def test_texts_of_every_string_type_are_read(kind: str, tmp_path: Path) -> None:
    strings = getattr(pa, kind)()
    table = pa.table({"id": pa.array(["a"], strings), "text": pa.array(["b"], strings)})
    pq.write_table(table, tmp_path / "a.parquet")
    assert [(file.name, file.text) for file in read_all(found(tmp_path))] == [("a", "b")]


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_a_missing_column_is_refused_with_those_that_exist(kind: str, tmp_path: Path) -> None:
    write = write_lines if kind == "jsonl" else write_table
    path = write(tmp_path / f"a.{kind}", [{"id": "a", "body": "b"}])
    with pytest.raises(ValueError, match=r"no column 'text', only id, body: pass text_column="):
        found(path)


def test_columns_of_other_types_are_refused(tmp_path: Path) -> None:
    numbers = write_table(tmp_path / "a.parquet", [{"id": "a", "text": 1}])
    with pytest.raises(ValueError, match="'text' has int64, not strings"):
        found(numbers)
    ids = write_table(tmp_path / "b.parquet", [{"id": 0.5, "text": "a"}])
    with pytest.raises(ValueError, match="'id' has double, not strings or integers"):
        found(ids)


def test_a_row_without_an_id_is_refused(tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "a.parquet", [{"id": "a", "text": "b"}, {"id": None, "text": "c"}]
    )
    with pytest.raises(ValueError, match="row 1 has no 'id'"):
        list(found(path).entries())


def test_a_file_that_is_no_json_lines_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps([1]), encoding="utf-8")
    with pytest.raises(ValueError, match="is not JSON Lines: the line holds list"):
        found(path)


def test_several_kinds_of_files_are_refused(tmp_path: Path) -> None:
    lines, table = tmp_path / "lines", tmp_path / "tables"
    for folder in (lines, table):
        folder.mkdir()
    write_lines(lines / "a.jsonl", tales(1))
    write_table(table / "a.parquet", tales(1))
    with pytest.raises(ValueError, match="files of several kinds"):
        found(lines, table)
    (lines / "notes.txt").write_text("Text.")
    with pytest.raises(ValueError, match=r"text files beside Parquet or JSON Lines.*\*\.jsonl"):
        found(lines)
    with pytest.raises(ValueError, match="files of several kinds"):
        found(lines / "a.jsonl", lines / "notes.txt")
    assert len(read_all(found(f"{lines.as_posix()}/*.jsonl"))) == 1
    with pytest.raises(ValueError, match="encoding is for text files"):
        found(table, encoding="latin-1")


@pytest.mark.parametrize("missing", ["nowhere", "nowhere.jsonl", "*.parquet", "file:///nowhere"])
def test_a_missing_source_is_refused(missing: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError):
        found(missing)
    with pytest.raises(ValueError, match="source is empty"):
        found()
