"""`FilesLoader` and `FilesReader` give what `lumber_files` reads."""

from pathlib import Path

import pytest
from llama_index.core import SimpleDirectoryReader

from langchain_lumber import FilesLoader
from llamaindex_lumber import FilesReader
from lumber_files import READABLE, UnreadableFileError, read_file
from tests.making_files import pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.pdf").write_bytes(pdf([["Otters swim."], ["Bees hum."]]))
    (tmp_path / "b.md").write_text("# Boats\n\nThey sail.\n")
    return tmp_path


def test_files_are_documents_with_their_formats_and_pages(folder: Path) -> None:
    loaded, read = FilesLoader(folder).load(), FilesReader().load_data(folder)
    for document, other, name in zip(loaded, read, ("a.pdf", "b.md"), strict=True):
        file = read_file(folder / name)
        assert document.page_content == other.text == file.text
        assert document.metadata["source"] == other.id_ == other.metadata["file_path"]
        for metadata in (document.metadata, other.metadata):
            assert metadata["file_type"] == "text/markdown"
            assert tuple(metadata.get("page_starts", ())) == file.pages


def test_simple_directory_reader_reads_with_it(folder: Path) -> None:
    extractors = dict.fromkeys(READABLE, FilesReader())
    documents = SimpleDirectoryReader(str(folder), file_extractor=extractors).load_data()
    assert [each.metadata["file_type"] for each in documents] == ["text/markdown"] * 2
    assert documents[0].metadata["page_starts"] == [*read_file(folder / "a.pdf").pages]


def test_a_damaged_file_is_refused_or_left_out(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "c.pdf").write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(UnreadableFileError, match=r"c\.pdf"):
        FilesLoader(folder).load()
    assert len(FilesLoader([folder], silent_errors=True).load()) == 2
    assert "c.pdf" in caplog.text
