from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import SimpleDirectoryReader

from langchain_lumber import FilesLoader
from llamaindex_lumber import FilesReader
from lumber_files import READABLE, UnreadableFileError, read_file
from lumber_retrieval import Citation
from tests.contracts.finders import FRAMEWORKS
from tests.making_files import pdf


class Retrieving:
    """Makes a framework's documents, with LlamaIndex's random IDs, retrieves and cites them."""

    def __init__(self, name: str) -> None:
        self.name, self.of = name, FRAMEWORKS[name]
        self.join_pages = self.of.join_pages
        self.retriever = self.of.retriever(budget=30)

    def document(self, text: str, **metadata: Any) -> Any:
        return self.of.unnamed_document(text, **metadata)

    def texts(self, question: str) -> list[str]:
        passages = self.of.search(self.retriever, question)
        return [passage.metadata.get("text") or passage.text for passage in passages]

    def passages(self, question: str, budget: int) -> list[dict[str, Any]]:
        self.retriever.budget = budget
        return [passage.metadata for passage in self.of.search(self.retriever, question)]

    def cite(self, question: str, *quotes: str) -> list[Citation]:
        return list(self.of.cite(quotes, self.of.search(self.retriever, question)))


@pytest.fixture(params=FRAMEWORKS)
def retrieving(request: pytest.FixtureRequest) -> Retrieving:
    return Retrieving(request.param)


NAMES = [
    {"url": "https://a.org/mill"},
    {"URL": "https://a.org/mill"},
    {"Source": "https://a.org/mill"},
    {"link": "https://a.org/mill", "title": "The mill"},
    {"filename": "mill.md", "extension": ".md"},
    {"file_path": "b/mill.pdf", "file_name": "mill.pdf", "page_label": "2"},
    {"file_path": "b/mill.pdf", "source": "2", "total_pages": 3},
    {"file_name": "mill.md", "folder_path": "/vault/a"},
]


@pytest.mark.parametrize("metadata", NAMES)
def test_a_changed_document_replaces_its_old_version(
    retrieving: Retrieving, metadata: dict[str, Any]
):
    for price in ("two", "nine"):
        retrieving.retriever.add_documents(
            [retrieving.document(f"A loaf costs {price} pence.", **metadata)]
        )
    assert retrieving.texts("What does a loaf cost?") == ["A loaf costs nine pence."]
    (cited,) = retrieving.cite("What does a loaf cost?", "A loaf costs nine pence.")
    assert cited.document in metadata.values()
    unchanged = [retrieving.document("A loaf costs nine pence.", **metadata)]
    assert retrieving.retriever.add_documents(unchanged).unchanged == 1


APART = [
    [{"source": "README.md", "path": f"vault/{name}/README.md"} for name in "ab"],
    [{"file_name": "README.md", "folder_path": f"/vault/{name}"} for name in "ab"],
    [{"filename": "README.md", "file_directory": f"vault/{name}"} for name in "ab"],
    [{"source": "blog", "link": f"https://a.org/{name}"} for name in "ab"],
    [{"file_name": "a.md", "file_path": f"{name}/a.md", "title": "Notes"} for name in "ab"],
    [{"file_path": "b/m.pdf", "source": str(number)} for number in (1, 2)],
]


@pytest.mark.parametrize("metadatas", APART)
def test_documents_from_different_places_stay_separate(
    retrieving: Retrieving, metadatas: list[dict[str, Any]]
) -> None:
    texts = ["The pump needs a seal.", "The rack holds violins."]
    for text, metadata in zip(texts, metadatas, strict=True):
        assert (
            retrieving.retriever.add_documents([retrieving.document(text, **metadata)]).removed == 0
        )
    assert (
        sorted(retrieving.texts("Which seal does the pump need, what does the rack hold?")) == texts
    )
    first, second = retrieving.cite("pump seal rack violins", *texts)
    assert (first.document, first.pages) != (second.document, second.pages)


@pytest.mark.parametrize("name", ["notes.md", "tweet", "a/notes.md"])
def test_replacing_a_document_named_without_a_folder_is_reported(
    retrieving: Retrieving, name: str, caplog
):
    for price in ("two", "nine"):
        retrieving.retriever.add_documents(
            [retrieving.document(f"A loaf costs {price} pence.", source=name)]
        )
    assert not caplog.text
    retrieving.retriever.add_documents(
        [retrieving.document("The rack holds four violins.", source=name)]
    )
    assert (name in caplog.text) == ("/" not in name)
    retrieving.retriever.sync([retrieving.document("Otters hunt fish at dawn.", source=name)])
    assert len(caplog.records) == ("/" not in name)


def test_documents_with_their_own_ids_stay_separate(retrieving: Retrieving, caplog) -> None:
    for identity, text in (("t1", "Otters hunt fish."), ("t2", "The rack holds violins.")):
        for _ in range(2):
            document = retrieving.document(text, source="tweet")
            document.__dict__["id" if retrieving.name == "langchain" else "id_"] = identity
            assert retrieving.retriever.add_documents([document]).removed == 0
    assert len(retrieving.texts("Who hunts fish, what does the rack hold?")) == 2
    assert not caplog.text


LABELS = {"i": "A preface thanks the miller.", "ii": "A list of plates.", "1": "Otters hunt fish."}


@pytest.mark.parametrize("joined", [False, True])
def test_pages_are_cited_by_place_and_label(retrieving: Retrieving, joined: bool) -> None:
    pages = [
        retrieving.document(text, page_label=label, file_path="b/o.pdf", file_name="o.pdf")
        for label, text in LABELS.items()
    ]
    retrieving.retriever.sync(retrieving.join_pages(pages) if joined else pages)
    cited = retrieving.cite("Who hunts fish, and whom does the preface thank?", *LABELS.values())
    places = [(page, f"b/o.pdf#page={page}") for page in (1, 2, 3)]
    assert [(citation.page, citation.link) for citation in cited] == places
    assert str(cited[2]) == "o.pdf, page 3 (labelled 1)"


def test_parts_of_a_file_are_numbered_from_one(retrieving: Retrieving) -> None:
    texts = ["Seal, 4 pounds", "Spring, 7 pounds", "Wheel, 9 pounds"]
    numbers: Iterable[dict[str, int]] = (
        [{"row": n} for n in range(3)] if retrieving.name == "langchain" else [{}] * 3
    )
    numbered = zip(texts, numbers, strict=True)
    rows = [
        retrieving.document(text, file_name="prices.csv", **number) for text, number in numbered
    ]
    assert retrieving.retriever.add_documents(rows).added == 3
    cited = retrieving.cite("What do seal, spring and wheel cost?", *texts)
    assert [str(citation) for citation in cited] == [f"prices.csv, row {n}" for n in (1, 2, 3)]
    fewer = [
        retrieving.document(text, **row.metadata)
        for text, row in zip(texts[:2], rows, strict=False)
    ]
    assert retrieving.retriever.sync(fewer).removed == 1


def test_rows_that_a_reader_no_longer_returns_are_removed() -> None:
    retrieving = Retrieving("llamaindex")
    for count in (3, 2):
        rows = [
            retrieving.document(f"Boat {n} is blue.", filename="boats.csv") for n in range(count)
        ]
        changes = retrieving.retriever.add_documents(rows)
    assert (changes.unchanged, changes.removed) == (2, 1)


def test_a_page_is_cited_by_its_address_and_a_document_by_its_title(retrieving: Retrieving) -> None:
    address = "https://a.org/b?c=d%20e#f"
    retrieving.retriever.sync([retrieving.document("Otters hunt fish.", url=address)])
    (cited,) = retrieving.cite("What do otters hunt?", "Otters hunt fish.")
    assert cited.link == address
    if retrieving.name == "llamaindex":  # its random IDs are not used as names
        retrieving.retriever.sync([retrieving.document("Otters hunt fish.", title="On otters")])
        (cited,) = retrieving.cite("What do otters hunt?", "Otters hunt fish.")
        assert cited.document == "On otters"


CONVERTED = (
    "Mill guide\n\n# Mill guide\n\nIt is old.\n\n## Bread\n\nA loaf costs two pence.\n\n"
    "## Otters\n\nOtters hunt fish at dawn.\n\n# wind the clock\nwind --twice\n"
)
STRIPPED = "Tide clock\n\nIt ticks.\n\nInstall\n\n# create it\nmake it\n\nWinding\n\nTurn the key."


@pytest.mark.parametrize(
    ("text", "name", "question", "headings"),
    [
        (CONVERTED, "mill.docx", "What does a loaf cost?", "Mill guide > Bread"),
        (STRIPPED, "clock.md", "When is the key turned?", ""),
    ],
    ids=["converted to Markdown", "without its marks"],
)
def test_passages_have_the_headings_that_a_loader_kept(
    retrieving, text, name, question, headings
) -> None:
    retrieving.retriever.sync([retrieving.document(text, source=name, file_name=name)])
    (passage, *_) = retrieving.passages(question, budget=8 if headings else 4)
    assert passage["headings"] == headings


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


@pytest.mark.parametrize("file_system", ["file", "memory"])
def test_simple_directory_reader_can_use_the_file_reader(folder: Path, file_system: str) -> None:
    extractors = dict.fromkeys(READABLE, FilesReader())
    fs = pytest.importorskip("fsspec").filesystem(file_system)
    fs.pipe({str(path): path.read_bytes() for path in folder.iterdir()})
    documents = SimpleDirectoryReader(str(folder), file_extractor=extractors, fs=fs).load_data()
    assert [document.id_ for document in documents] == [f"{folder}/a.pdf", f"{folder}/b.md"]
    assert [document.metadata["file_type"] for document in documents] == ["text/markdown"] * 2
    assert documents[0].metadata["page_starts"] == [*read_file(folder / "a.pdf").pages]


@pytest.mark.parametrize("leave_out", [{"silent_errors": True}, {"raise_on_error": False}])
def test_a_damaged_file_is_refused_or_left_out(folder: Path, caplog, leave_out: dict[str, bool]):
    def load(**settings: Any) -> list[Any]:
        if "silent_errors" in leave_out:
            return FilesLoader([folder], **settings).load()
        return FilesReader(**settings).load_data(folder)

    (folder / "c.pdf").write_bytes(b"%PDF-1.4 nothing")
    (option,) = leave_out.items()
    with pytest.raises(UnreadableFileError, match=r"c\.pdf.* \({}={} leaves".format(*option)):
        load()
    assert len(load(**leave_out)) == 2
    assert "c.pdf" in caplog.text


def test_a_search_of_an_empty_index_is_warned_about(retrieving: Retrieving, caplog) -> None:
    assert retrieving.texts("What does a loaf cost?") == []
    assert "has no documents: add some" in caplog.text
